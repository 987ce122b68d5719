/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "bridge/jobspec/job_spec.h"

void job_spec_clear(struct job_spec *o)
{
	job_options_clear(&o->options);
	job_size_clear(&o->size);
	free(o->exclude);
	free(o->places);
	o->exclude = o->places = NULL;
}

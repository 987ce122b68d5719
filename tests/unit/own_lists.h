/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * No other thread reads lists of Slurm's jobs: slurmctld, which is the test's,
 * is asked in any case.
 */
#ifndef SLURMK8S_TESTS_UNIT_OWN_LISTS_H
#define SLURMK8S_TESTS_UNIT_OWN_LISTS_H

#include <errno.h>

#include "base/clock.h"
#include "slurm/ctl_reader.h"

int ctl_reader_jobs(struct ctl_reader *r, struct ctl_jobs **out,
		    struct ctl_read *read, struct err *err)
{
	int rc;

	(void)r;
	read->asked = clock_ms();
	rc = ctl_jobs_load(out, err);
	read->took = clock_ms() - read->asked;
	return rc;
}

int ctl_reader_jobs_shared(struct ctl_reader *r, int64_t not_before,
			   struct ctl_jobs **out, struct ctl_read *read)
{
	(void)r, (void)not_before, (void)out, (void)read;
	return -ENOENT;
}

void ctl_reader_jobs_unwanted(struct ctl_reader *r)
{
	(void)r;
}

#endif

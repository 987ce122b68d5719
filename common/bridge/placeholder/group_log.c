/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the bridge says of groups in the log. */
#include "bridge/placeholder/placeholder.h"

void group_log(struct bridge *b, enum log_level level,
	       const struct workload *of, const char *words)
{
	log_workload(&b->says, level, of, words);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurm/ctl_log.h"

#include <slurm/slurm.h>
#include <slurm/spank.h>

#include "base/log.h"

static void sink(enum log_level level, const char *line)
{
	switch (level) {
	case LOG_LEVEL_ERROR:
		slurm_error("k8s: %s", line);
		break;
	case LOG_LEVEL_WARN:
	case LOG_LEVEL_INFO:
		slurm_info("k8s: %s", line);
		break;
	case LOG_LEVEL_DEBUG:
		slurm_debug("k8s: %s", line);
		break;
	}
}

void ctl_log_use(void)
{
	log_set_level(LOG_LEVEL_DEBUG); /* slurmctld has its own level */
	log_set_sink(sink);
}

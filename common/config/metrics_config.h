/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The key metrics of k8s.yaml(5). Pure. Any thread. */
#ifndef SLURMK8S_CONFIG_METRICS_CONFIG_H
#define SLURMK8S_CONFIG_METRICS_CONFIG_H

#include <stdint.h>

#include "base/err.h"
#include "json/yaml.h"

/* Where metrics are told, and how often. Owned; both NULL: nowhere. */
struct metrics_config {
	char *file;   /* absolute, and ends in .prom; NULL: none is written */
	char *listen; /* see listen_address(); NULL: nobody listens */
	int64_t interval_ms;
	int64_t slurm_ms; /* how often Slurm's jobs are counted; 0: never */
};

/*
 * Read `metrics`; `n` NULL: there are to be no metrics. The caller clears *out,
 * which is all zero at first, also after an error. 0; -EINVAL with words;
 * -ENOMEM.
 */
int metrics_config_read(const struct yaml *y, ynode n,
			struct metrics_config *out, struct err *err);

/* Free what it owns, but not itself. */
void metrics_config_clear(struct metrics_config *c);

#endif

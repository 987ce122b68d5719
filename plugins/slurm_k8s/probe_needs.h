/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What slurm.conf names by its path and slurmd will look for in the image: a
 * pod has slurm.conf as all nodes have it, and not their files. Pure. Any
 * thread.
 */
#ifndef SLURMK8S_TOOL_PROBE_NEEDS_H
#define SLURMK8S_TOOL_PROBE_NEEDS_H

#include <stdbool.h>
#include <stddef.h>

#include "site_config.h"

/*
 * The report of a probe has a short line for each need, beside those of
 * PROBE_TARGETS_MAX: 4096 bytes are its bound.
 */
#define PROBE_NEEDS_MAX 16
#define PROBE_NEED_PATH_MAX 256

struct probe_need {
	char path[PROBE_NEED_PATH_MAX]; /* a program's may be a pattern */
	/* with `folder` and `plugin` false: a program */
	bool folder;
	bool plugin;	 /* a SPANK plugin; without a '/': in PluginDir */
	const char *key; /* the key that names it: "Prolog"; static */
};

struct probe_needs {
	struct probe_need v[PROBE_NEEDS_MAX];
	size_t n;
};

/*
 * The folders of PluginDir, and what slurm.conf has as Prolog, Epilog,
 * TaskProlog, TaskEpilog and, where HealthCheckInterval is not 0,
 * HealthCheckProgram. A path that is too long, or does not begin with '/', is
 * left out: such a program comes with slurm.conf (slurm.schedmd.com,
 * "Configless Slurm"). No more than PROBE_NEEDS_MAX.
 */
void probe_needs(const struct site_config *conf, struct probe_needs *out);

/*
 * Add the SPANK plugins that this text of plugstack.conf says are required,
 * which goes to pods with slurm.conf. No more than PROBE_NEEDS_MAX in all;
 * files that it includes are not read.
 */
void probe_needs_plugins(const char *plugstack, struct probe_needs *out);

/*
 * What comes of a missing program of this key, static words; *fatal: jobs do
 * not run without it. NULL: the key names no program.
 */
const char *probe_need_lacks(const char *key, bool *fatal);

#endif

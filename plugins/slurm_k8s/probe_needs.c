/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probe_needs.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"

/*
 * What slurmd, or slurmstepd, does without a program (prep_script_slurmd.c,
 * task.c, mgr.c and slurmd.c of Slurm).
 */
static const struct {
	const char *key;
	bool fatal;
	const char *without;
} of_slurmd[] = {
	{"Prolog", true, "each job fails there, and its nodes drain"},
	{"Epilog", true, "each node drains once a job there has ended"},
	{"TaskProlog", true, "each task ends at once"},
	{"TaskEpilog", false, "nothing runs when a task has ended"},
	{"HealthCheckProgram", false, "nothing looks at the nodes' health"},
};

static void add(struct probe_needs *out, const char *key, const char *path,
		size_t len, bool folder)
{
	struct probe_need *n = &out->v[out->n];

	if (out->n == PROBE_NEEDS_MAX || len >= sizeof(n->path) || *path != '/')
		return;
	*n = (struct probe_need){.key = key, .folder = folder};
	memcpy(n->path, path, len);
	out->n++;
}

static void add_programs(struct probe_needs *out, const char *key,
			 const struct site_config *conf)
{
	const char *path = site_config_get(conf, key);
	char numbered[64];

	for (int i = 1; path && i <= PROBE_NEEDS_MAX; i++) {
		add(out, key, path, strlen(path), false);
		snprintf(numbered, sizeof(numbered), "%s[%d]", key, i);
		path = site_config_get(conf, numbered);
	}
}

void probe_needs(const struct site_config *conf, struct probe_needs *out)
{
	const char *dirs = site_config_get(conf, "PluginDir");

	*out = (struct probe_needs){0};
	for (size_t len; dirs && *dirs; dirs += len + !!dirs[len]) {
		len = strcspn(dirs, ":");
		if (len)
			add(out, "PluginDir", dirs, len, true);
	}
	for (size_t i = 0; i < sizeof(of_slurmd) / sizeof(*of_slurmd); i++)
		if (!str_eq(of_slurmd[i].key, "HealthCheckProgram") ||
		    site_config_number(conf, "HealthCheckInterval") > 0)
			add_programs(out, of_slurmd[i].key, conf);
}

/* spank(7): "required PATH ARGUMENTS", and '#' begins a comment. */
static void add_plugin(struct probe_needs *out, const char *line, size_t len)
{
	static const char word[] = "required", space[] = " \t";
	const char *end = line + len;
	struct probe_need *n = &out->v[out->n];
	size_t path;

	line += strspn(line, space);
	if (out->n == PROBE_NEEDS_MAX || !str_starts(line, word))
		return;
	line += strlen(word);
	path = strspn(line, space);
	if (!path)
		return;
	line += path;
	path = strcspn(line, " \t\r\n#");
	if (!path || line + path > end || path >= sizeof(n->path))
		return;
	*n = (struct probe_need){.key = "PlugStackConfig", .plugin = true};
	memcpy(n->path, line, path);
	out->n++;
}

void probe_needs_plugins(const char *plugstack, struct probe_needs *out)
{
	for (size_t len; *plugstack; plugstack += len + !!plugstack[len]) {
		len = strcspn(plugstack, "\n");
		add_plugin(out, plugstack, len);
	}
}

const char *probe_need_lacks(const char *key, bool *fatal)
{
	for (size_t i = 0; i < sizeof(of_slurmd) / sizeof(*of_slurmd); i++)
		if (str_eq(of_slurmd[i].key, key)) {
			*fatal = of_slurmd[i].fatal;
			return of_slurmd[i].without;
		}
	return NULL;
}

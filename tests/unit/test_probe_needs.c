/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "probe_needs.h"
#include "t.h"

/* "key path" of each, with a '/' behind that of a folder, in one line. */
static const char *needs_of(const char *settings)
{
	static char text[8192];
	_cleanup_(site_config_freep) struct site_config *conf =
		site_config_read(settings);
	struct probe_needs needs;

	*text = '\0';
	probe_needs(conf, &needs);
	for (size_t i = 0; i < needs.n; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
			 "%s%s %s%s", i ? ", " : "", needs.v[i].key,
			 needs.v[i].path, needs.v[i].folder ? "/" : "");
	return text;
}

static void paths_of_slurm_conf_are_needed(void)
{
	static const struct {
		const char *settings, *needs;
	} rows[] = {
		{"Prolog = (null)\nEpilog = \nTaskProlog = (null)\n", ""},
		{"PluginDir = /a:/b\n", "PluginDir /a/, PluginDir /b/"},
		{"PluginDir = :/a::/b:\n", "PluginDir /a/, PluginDir /b/"},
		{"Prolog = /s/prolog\nEpilog = /s/epilog.d/*\n",
		 "Prolog /s/prolog, Epilog /s/epilog.d/*"},
		{"Prolog[0] = /a\nProlog[1] = /b\nPrologSlurmctld[0] = /c\n"
		 "PrologFlags = Alloc\n",
		 "Prolog /a, Prolog /b"},
		/* these come with slurm.conf */
		{"Prolog = prolog.sh\nTaskProlog = task.sh\n", ""},
		{"TaskProlog = /t\nTaskEpilog = /u\n",
		 "TaskProlog /t, TaskEpilog /u"},
		{"HealthCheckProgram = /h\nHealthCheckInterval = 0 sec\n", ""},
		{"HealthCheckProgram = /h\nHealthCheckInterval = 60 sec\n",
		 "HealthCheckProgram /h"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%s", rows[i].settings);
		T_STR(needs_of(rows[i].settings), rows[i].needs);
	}
}

static void required_plugins_are_needed(void)
{
	static const char text[] =
		"# required no.so\nrequired a.so x=1\n\t required\t/p/b.so#c\n"
		"optional c.so\nrequiredd.so\nrequired\n required \n"
		"include /etc/d/*\nrequired # e.so\nrequired f.so";
	_cleanup_free_ char *line =
		str_printf("required /%0*d\n", PROBE_NEED_PATH_MAX - 1, 0);
	_cleanup_free_ char *many = t_repeat("required a.so\n", 1000);
	static const char *const want[] = {"a.so", "/p/b.so", "f.so"};
	struct probe_needs needs = {0};

	probe_needs_plugins(text, &needs);
	T_INT(needs.n, T_COUNT(want));
	for (size_t i = 0; i < needs.n && i < T_COUNT(want); i++) {
		T_STR(needs.v[i].path, want[i]);
		T_OK(needs.v[i].plugin && !needs.v[i].folder);
	}
	needs.n = 0;
	probe_needs_plugins(line, &needs);
	T_INT(needs.n, 0);
	probe_needs_plugins(many, &needs);
	T_INT(needs.n, PROBE_NEEDS_MAX);
}

static void they_are_bounded(void)
{
	_cleanup_free_ char *path = t_repeat("/p", PROBE_NEED_PATH_MAX / 2);
	_cleanup_free_ char *many = t_repeat(":/d", 1000);
	_cleanup_free_ char *text =
		str_printf("Prolog = %s\nEpilog = %.*s\n", path,
			   PROBE_NEED_PATH_MAX - 1, path);
	_cleanup_free_ char *dirs = str_printf("PluginDir = %s\n", many);
	_cleanup_(site_config_freep) struct site_config *conf =
		site_config_read(dirs);
	struct probe_needs needs;

	T_OK(str_starts(needs_of(text), "Epilog /p"));
	probe_needs(conf, &needs);
	T_INT(needs.n, PROBE_NEEDS_MAX);
}

T_MAIN("probe_needs", T(paths_of_slurm_conf_are_needed),
       T(required_plugins_are_needed), T(they_are_bounded))

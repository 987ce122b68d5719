/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "file_rules.h"
#include "t.h"

#define PROM "/prom/k8s.prom"
#define LOG "/log/k8s.log"

/* What SlurmUser gets for a path; of others 0. */
struct answer {
	const char *path;
	int why;
};

static int why_not(void *arg, const char *path)
{
	for (const struct answer *a = arg; a->path; a++)
		if (!strcmp(a->path, path))
			return a->why;
	return 0;
}

static void look(const char *more, struct answer *answers, struct findings *out)
{
	static const char nodesets[] =
		"clusters: [{name: main, kubeconfig: k}]\n"
		"nodesets: [{name: cpu, cluster: main, nodes: cpu-0, "
		"podTemplate: {spec: {containers: [{name: slurmd}]}}}]\n";
	const struct file_facts facts = {.user = "slurm",
					 .group = "hpc",
					 .why_not = why_not,
					 .arg = answers};
	_cleanup_(config_freep) struct config *c = NULL;
	_cleanup_free_ char *text = str_printf("%s%s", nodesets, more);
	struct err err = {0};

	T_INT(config_parse("k8s.yaml", text, strlen(text), &c, &err), 0);
	T_STR(err.msg, "");
	if (c)
		file_rules(c, &facts, out);
}

static void what_slurmuser_may_not_write_is_told(void)
{
	static const char metrics[] = "metrics: {file: " PROM "}\n";
	static const char log[] = "power: {logFile: " LOG "}\n";
	static struct {
		const char *more;
		struct answer answers[3];
		const char *check, *text, *fix; /* NULL: all is in order */
	} rows[] = {
		{metrics, {{0}}, "metrics"},
		{metrics,
		 {{PROM, EACCES}}, /* it is renamed over whatever is there */
		 "metrics"},
		{metrics,
		 {{"/prom", EACCES}},
		 "metrics",
		 "may not create files in /prom: Permission denied, so there "
		 "are no metrics",
		 "chgrp hpc /prom && chmod g+wx /prom"},
		{"metrics: {listen: 'unix:/prom/a'}\n",
		 {{"/prom", EACCES}},
		 "metrics",
		 "may not create files in /prom: Permission denied, so there "
		 "are no metrics",
		 "chgrp hpc /prom && chmod g+wx /prom"},
		{"metrics: {listen: 'unix:/prom/a'}\n", {{0}}, "metrics"},
		{metrics,
		 {{"/prom", ENOENT}},
		 "metrics",
		 "No such file",
		 "install -d -o slurm -g hpc -m 755 /prom"},
		{metrics,
		 {{"/prom", EROFS}},
		 "metrics",
		 "Read-only",
		 "make /prom a folder that SlurmUser may write to"},
		{log, {{0}}, "logFile"},
		{log, {{"/log", EACCES}}, "logFile"}, /* the file is there */
		{log, {{LOG, ENOENT}}, "logFile"},
		{log,
		 {{LOG, EACCES}},
		 "logFile",
		 "may not write " LOG ": Permission denied",
		 "chown slurm " LOG " && chmod u+w " LOG},
		{log,
		 {{LOG, ENOENT}, {"/log", EACCES}},
		 "logFile",
		 "may not write " LOG ": Permission denied",
		 "install -o slurm -g hpc -m 640 /dev/null " LOG},
		{log,
		 {{LOG, ENOENT}, {"/log", ENOENT}},
		 "logFile",
		 "No such file",
		 "install -d -o slurm -g hpc -m 755 /log"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct findings f = {0};

		t_row("%zu", i);
		look(rows[i].more, rows[i].answers, &f);
		if (T_OK(f.n == 1)) {
			T_STR(f.v[0].check, rows[i].check);
			T_INT(f.v[0].state,
			      rows[i].text ? FINDING_WARN : FINDING_OK);
			T_HAS(f.v[0].text,
			      rows[i].text ? rows[i].text : "unless");
			T_STR(f.v[0].fix, rows[i].fix);
		}
		findings_clear(&f);
	}
}

static void what_is_not_written_is_not_asked_for(void)
{
	struct answer all[] = {{"/", EACCES}, {".", EACCES}, {0}};
	struct findings f = {0};

	look("", all, &f);
	T_INT(f.n, 0);
	look("metrics: {file: /k8s.prom}\n", all, &f);
	T_INT(f.n, 1);
	T_HAS(f.n ? f.v[0].text : "", "create files in /: ");
	findings_clear(&f);
}

T_MAIN("file_rules", T(what_slurmuser_may_not_write_is_told),
       T(what_is_not_written_is_not_asked_for))

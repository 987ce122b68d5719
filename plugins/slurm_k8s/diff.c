/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "diff.h"

#include <errno.h>
#include <getopt.h>

#include "base/log.h"
#include "diff_pods.h"
#include "progress.h"
#include "render_node.h"
#include "site.h"
#include "slurm_user.h"
#include "syntax/wellknown.h"

struct options {
	const char *file;
	char *const *names; /* ends with NULL */
	bool json;
};

void diff_usage(FILE *f)
{
	fprintf(f,
		"usage: slurm-k8s diff [--config FILE] [--json] "
		"[NODES|NODESET ...]\n"
		"\n"
		"Print which pods are not as their templates: what a rollout "
		"would change.\n\n"
		"  --config FILE  configuration (default: " WK_CONFIG_FILE
		" beside slurm.conf)\n"
		"  --json         print JSON\n"
		"  --help         print this\n"
		"\n"
		"Exit code: 0: all are; 1: some are not; 2: not all could be "
		"looked at.\n");
}

/* Read which nodes are meant; `wanted` is sorted then. */
static int read_names(const struct config *c, char *const names[],
		      struct hostlist *wanted, struct err *err)
{
	int rc = 0;

	for (; !rc && *names; names++) {
		const struct nodeset *set = config_nodeset_named(c, *names);
		const size_t first = wanted->n;

		rc = hostlist_expand(set ? set->nodes : *names, wanted, err);
		for (size_t i = first; !rc && i < wanted->n; i++)
			if (!config_nodeset_of(c, wanted->names[i]))
				rc = render_no_nodeset(c, wanted->names[i],
						       err);
	}
	hostlist_sort(wanted);
	return rc;
}

/* True if any of these nodes has its pods there; NULL: of all. */
static bool is_asked_of(const struct config *c, const struct cluster_config *k,
			const struct hostlist *wanted)
{
	bool is = !wanted;

	for (size_t i = 0; !is && i < wanted->n; i++)
		is = config_nodeset_of(c, wanted->names[i])->cluster == k;
	return is;
}

static int print(struct pod_diffs *d, bool json)
{
	if (!json)
		pod_diffs_print(d, stdout);
	else if (pod_diffs_print_json(d, stdout))
		d->incomplete = true;
	return pod_diffs_exit_code(d);
}

/* Read what is to be compared. An error keeps all pods from being looked at. */
static int prepare(const struct options *opt, const struct site *site,
		   struct hostlist *wanted, struct err *err)
{
	if (site->config_err.code)
		return err_set(err, site->config_err.code, "%s",
			       site->config_err.msg);
	if (!site->nodes)
		return err_set(err, -EIO,
			       "which pods there should be is not known, for "
			       "slurmctld does not answer: %s",
			       site->slurm_err.msg);
	return read_names(site->config, opt->names, wanted, err);
}

static void look(const struct site *site, const struct hostlist *wanted,
		 struct pod_diffs *found)
{
	const struct config *c = site->config;
	const struct templates t = {.config = c,
				    .slurm_cluster = site->slurm.cluster,
				    .nodes = site->nodes};

	for (size_t i = 0; i < c->n_clusters; i++)
		if (is_asked_of(c, &c->clusters[i], wanted))
			diff_pods(&t, &c->clusters[i], wanted, found);
}

static int diff(void *arg)
{
	_cleanup_hostlist_ struct hostlist wanted = {0};
	const struct options *opt = arg;
	struct pod_diffs found = {0};
	struct site site;
	struct err err = {0};
	int code = 2, rc;

	log_set_level(LOG_LEVEL_WARN); /* warnings go to standard error */
	progress_begin(opt->json);
	ctl_init();
	site_load(&site, opt->file);
	rc = prepare(opt, &site, &wanted, &err);
	if (!rc)
		look(&site, *opt->names ? &wanted : NULL, &found);
	progress_end();
	if (rc)
		fprintf(stderr, "slurm-k8s: %s\n", err.msg);
	else
		code = print(&found, opt->json);
	pod_diffs_clear(&found);
	site_clear(&site);
	return code;
}

int diff_command(int argc, char **argv)
{
	static const struct option options[] = {
		{"config", required_argument, NULL, 'c'},
		{"json", no_argument, NULL, 'j'},
		{"help", no_argument, NULL, 'h'},
		{0}};
	struct options opt = {0};
	int o;

	while ((o = getopt_long(argc, argv, "c:jh", options, NULL)) != -1) {
		if (o == 'c')
			opt.file = optarg;
		else if (o == 'j')
			opt.json = true;
		else
			return diff_usage(o == 'h' ? stdout : stderr),
			       o == 'h' ? 0 : 2;
	}
	opt.names = argv + optind;
	return slurm_user_run(diff, &opt);
}

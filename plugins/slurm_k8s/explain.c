/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "explain.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "explain_parts.h"
#include "progress.h"
#include "slurm/ctl_config.h"
#include "slurm_user.h"
#include "syntax/names.h"
#include "syntax/wellknown.h"

void explain_usage(FILE *f)
{
	fprintf(f, "usage: slurm-k8s explain [--config FILE] [--json] "
		   "NODE|JOBID|NAMESPACE/POD\n"
		   "\n"
		   "Print why a node, job or pod waits, in the words of Slurm "
		   "and Kubernetes, and\nwhat would help.\n\n"
		   "  --config FILE  configuration (default: k8s.yaml beside "
		   "slurm.conf)\n"
		   "  --json         print JSON\n"
		   "  --help         print this\n"
		   "\n"
		   "Exit code: 0; 1: there is no such thing; 2: not all could "
		   "be looked at.\n");
}

/* --- what it is that was asked for */

static void explain_pod(struct explain *e)
{
	const struct config *c = e->site.config;
	const char *slash = strchr(e->target, '/');
	_cleanup_free_ char *ns =
		strndup(e->target, (size_t)(slash - e->target));
	uint32_t job = 0;

	/* "slurm/" would be the path of a collection */
	if (!ns || !name_is_dns_label(ns) || !name_is_subdomain(slash + 1))
		return;
	for (size_t i = 0; c && i < c->n_clusters; i++)
		if (explain_pod_at(
			    e,
			    &(struct pod_place){.cluster = &c->clusters[i],
						.ns = ns,
						.name = slash + 1,
						.container = WK_CONTAINER},
			    &job) != -ENOENT)
			e->found = true;
	if (job)
		explain_jobs(e, &(struct job_ref){.id = job});
}

/*
 * Without slurmctld a job is looked for on pods, by its plain number: only
 * slurmctld knows the numbers of tasks and components.
 */
static void explain_job(struct explain *e, const struct job_ref *ref)
{
	if (e->site.jobs)
		explain_jobs(e, ref);
	else if (ref->part == JOB_ANY)
		explain_pods_of_job(e, ref->id);
}

/* Explain what the target names. err->code is set if it names nothing. */
static void explain_target(struct explain *e, struct err *err)
{
	const struct nodeset *set = NULL;
	struct ctl_node node;
	struct job_ref ref;
	int rc = 0;

	if (strchr(e->target, '/')) {
		explain_pod(e);
	} else if (e->site.nodes &&
		   ctl_nodes_find(e->site.nodes, e->target, &node)) {
		explain_node(e, &node);
	} else {
		if (e->site.config)
			set = config_nodeset_of(e->site.config, e->target);
		if (set)
			explain_unknown_node(e, set, e->target);
		else
			rc = job_ref_of(e->target, &ref, err);
	}
	if (rc > 0)
		explain_job(e, &ref);
}

/* Make a struct server for each cluster; false: out of memory. */
static bool make_servers(struct explain *e)
{
	const size_t n = e->site.config ? e->site.config->n_clusters : 0;

	e->servers = calloc(n + 1, sizeof(*e->servers));
	return e->servers;
}

static void close_servers(struct explain *e)
{
	const size_t n = e->site.config ? e->site.config->n_clusters : 0;

	for (size_t i = 0; i < n; i++)
		api_close(&e->servers[i].api);
	free(e->servers);
}

static void explain_sources(struct explain *e)
{
	const struct site *s = &e->site;
	char now[CLOCK_RFC3339_MAX];

	clock_write_rfc3339(clock_real_ms(), now);
	if (s->slurm_err.code)
		account_of(&e->account, "slurm", NULL, "Slurm: not known: %s",
			   s->slurm_err.msg);
	else
		account_of(&e->account, "slurm", s->slurm.cluster,
			   "Slurm cluster %s: as slurmctld has it at %s",
			   s->slurm.cluster, now);
	if (s->config_err.code)
		account_of(&e->account, "note", NULL,
			   "Kubernetes was not asked: %s", s->config_err.msg);
	e->incomplete = s->slurm_err.code || s->config_err.code;
}

static void explain_all(struct explain *e, struct err *err)
{
	if (!make_servers(e)) {
		err_oom(err);
		return;
	}
	explain_target(e, err);
	close_servers(e);
	progress_end();
	if (!err->code && !e->found)
		fprintf(stderr,
			"slurm-k8s: there is no node, job or pod %s%s\n",
			e->target, e->incomplete ? ", as far as is known" : "");
}

static int explain(void *arg)
{
	_cleanup_free_ char *unasked = NULL;
	struct explain *e = arg;
	struct err err = {0};
	int code;

	log_set_level(LOG_LEVEL_ERROR); /* errors go to standard error */
	progress_begin(e->account.json);
	ctl_init();
	site_load(&e->site, e->file);
	unasked = ctl_config_cluster();
	e->cluster = e->site.slurm.cluster ? e->site.slurm.cluster : unasked;
	e->account.out = stdout;
	explain_sources(e);
	explain_all(e, &err);
	if (err.code)
		fprintf(stderr, "slurm-k8s: %s\n", err.msg);
	code = e->incomplete || e->account.incomplete || err.code ? 2
	       : e->found					  ? 0
								  : 1;
	if (account_end(&e->account, e->found, code))
		code = 2;
	site_clear(&e->site);
	return code;
}

int explain_command(int argc, char **argv)
{
	static const struct option options[] = {
		{"config", required_argument, NULL, 'c'},
		{"json", no_argument, NULL, 'j'},
		{"help", no_argument, NULL, 'h'},
		{0}};
	struct explain e = {0};
	int o;

	while ((o = getopt_long(argc, argv, "c:jh", options, NULL)) != -1) {
		if (o == 'c')
			e.file = optarg;
		else if (o == 'j')
			e.account.json = true;
		else
			return explain_usage(o == 'h' ? stdout : stderr),
			       o == 'h' ? 0 : 2;
	}
	if (optind + 1 != argc)
		return explain_usage(stderr), 2;
	e.target = argv[optind];
	return slurm_user_run(explain, &e);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "status.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api_server.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "clean.h"
#include "kube/lease_record.h"
#include "site.h"
#include "slurm/ctl_config.h"
#include "slurm_user.h"
#include "status_rows.h"
#include "syntax/names.h"

#define WATCH_S 5
#define WATCH_MAX_S 3600
#define NAMES_MAX 65536 /* bytes of all that is asked for */

struct options {
	const char *file;
	struct buf names; /* a hostlist; empty: all nodes */
	bool json, all;
	unsigned int watch_s; /* 0: once */
};

/* What one Kubernetes cluster says. */
struct cluster_view {
	const char *name;
	struct lease_record lease;
	char holder[HOLDER_MAX];
	int64_t renewed_ms; /* ago; -1: never */
	struct err err;
};

struct status {
	const struct options *opt;
	struct site site;
	struct status_view view;
	struct hostlist only;
	struct cluster_view *clusters;
	size_t n_clusters;
	const char *cluster; /* ClusterName; NULL: not known */
	char *unasked;	     /* ClusterName of slurm.conf, without slurmctld */
	bool incomplete;     /* not all could be looked at */
};

void status_usage(FILE *f)
{
	fprintf(f,
		"usage: slurm-k8s status [--all] [--json] [--watch[=SECONDS]] "
		"[--config FILE] [NODE...]\n"
		"\n"
		"Print Slurm's nodes and jobs beside their pods.\n\n"
		"  --all          print powered down nodes without a pod, too\n"
		"  --json         print JSON\n"
		"  --watch        print it again every 5 s, or so many\n"
		"  --config FILE  configuration (default: k8s.yaml beside "
		"slurm.conf)\n"
		"  --help         print this\n"
		"\n"
		"Exit code: 0; 2: not all could be looked at.\n");
}

/* Who acts for Slurm there, as the engine's Lease has it. */
static void read_lease(struct status *s, struct api_server *api,
		       struct cluster_view *c)
{
	_cleanup_json_ json_object *lease = NULL;
	char name[DNS_LABEL_MAX + 1];
	const struct kube_ref ref = {.api = KUBE_COORDINATION_V1,
				     .ns = api->k->ns,
				     .resource = "leases",
				     .name = name};
	struct err err = {0};
	int64_t at;
	int rc;

	name_lease_of(s->cluster, name);
	rc = api_get(api, &ref, &lease, &err);
	if (rc == -ENOENT)
		return;
	if (rc) {
		err_set(&c->err, rc, "%s", err.msg);
		return;
	}
	lease_record_of(lease, &c->lease);
	at = clock_parse_rfc3339(c->lease.renewed);
	holder_words(c->lease.holder, c->holder, sizeof(c->holder));
	if (at >= 0) /* a clock that is a little ahead is no news */
		c->renewed_ms = clock_real_ms() > at ? clock_real_ms() - at : 0;
}

/* Whether an engine has the lease, and renews it. */
static bool acts(const struct cluster_view *c)
{
	int64_t duration_s =
		c->lease.duration_s ? c->lease.duration_s : LEASE_DURATION_S;

	return *c->holder && c->renewed_ms >= 0 &&
	       c->renewed_ms <= duration_s * 1000;
}

static void read_cluster(struct status *s, const struct cluster_config *k,
			 struct cluster_view *c)
{
	const struct bridge_config *b = &s->site.config->bridge;
	_cleanup_api_ struct api_server api = {0};

	*c = (struct cluster_view){.name = k->name, .renewed_ms = -1};
	if (api_open(&api, k, &c->err) ||
	    pods_of_workers(&api, s->cluster, &s->view.workers, &c->err))
		return;
	if (b->wanted && str_eq(b->cluster, k->name) &&
	    pods_of_scheduler(&api, b->scheduler, &s->view.queued, &c->err))
		return;
	read_lease(s, &api, c);
}

static void read_kubernetes(struct status *s)
{
	const struct config *config = s->site.config;

	s->clusters = calloc(config->n_clusters, sizeof(*s->clusters));
	if (!s->clusters)
		return;
	s->n_clusters = config->n_clusters;
	s->view.pods_known = true;
	for (size_t i = 0; i < s->n_clusters; i++) {
		read_cluster(s, &config->clusters[i], &s->clusters[i]);
		s->view.pods_known &= !s->clusters[i].err.code;
	}
	pods_sort(&s->view.workers);
	pods_sort(&s->view.queued);
}

static void status_read(struct status *s)
{
	site_load(&s->site, s->opt->file);
	s->view.config = s->site.config;
	s->view.nodes = s->site.nodes;
	s->view.jobs = s->site.jobs;
	s->view.all = s->opt->all;
	s->unasked = ctl_config_cluster();
	s->cluster = s->site.slurm.cluster ? s->site.slurm.cluster : s->unasked;
	if (s->site.config && s->cluster)
		read_kubernetes(s);
	s->incomplete = s->site.slurm_err.code || s->site.config_err.code ||
			!s->view.pods_known;
}

static void status_clear(struct status *s)
{
	pods_clear(&s->view.workers);
	pods_clear(&s->view.queued);
	site_clear(&s->site);
	free(s->clusters);
	free(s->unasked);
}

/* --- for people */

static void print_cluster(const struct cluster_view *c, FILE *out)
{
	fprintf(out, "Kubernetes cluster %s: ", c->name);
	if (c->err.code)
		fprintf(out, "not known: %s\n", c->err.msg);
	else if (acts(c))
		fprintf(out,
			"the engine acts, as of %" PRId64 " s ago, from %s\n",
			c->renewed_ms / 1000, c->holder);
	else if (*c->holder && c->renewed_ms >= 0)
		fprintf(out,
			"no engine acts there; the last one was %s, %" PRId64
			" s ago\n",
			c->holder, c->renewed_ms / 1000);
	else
		fprintf(out, "no engine acts there\n");
}

static void print_heads(const struct status *s, FILE *out)
{
	char now[CLOCK_RFC3339_MAX];

	clock_write_rfc3339(clock_real_ms(), now);
	if (s->site.slurm_err.code)
		fprintf(out, "Slurm: not known: %s\n", s->site.slurm_err.msg);
	else
		fprintf(out, "Slurm cluster %s: as slurmctld has it at %s\n",
			s->site.slurm.cluster, now);
	if (s->site.config_err.code)
		fprintf(out, "Kubernetes was not asked: %s\n",
			s->site.config_err.msg);
	for (size_t i = 0; i < s->n_clusters; i++)
		print_cluster(&s->clusters[i], out);
}

static void print_text(const struct status *s, const struct sheet *nodes,
		       size_t left_out, const struct sheet *jobs, FILE *out)
{
	print_heads(s, out);
	if (nodes->n) {
		fprintf(out, "\n");
		sheet_print(nodes, out);
	}
	if (left_out)
		fprintf(out,
			"%s%zu nodes are powered down%s (--all prints "
			"them)\n",
			nodes->n ? "" : "\n", left_out,
			s->view.pods_known ? ", and have no pod" : "");
	if (jobs->n) {
		fprintf(out, "\n");
		sheet_print(jobs, out);
	}
}

/* --- for programs */

static int cluster_json(json_object *list, const struct cluster_view *c)
{
	json_object *o = json_object_new_object();
	if (!o || jx_set_str(o, "name", c->name) ||
	    (c->err.code && jx_set_str(o, "error", c->err.msg)) ||
	    jx_set(o, "active", json_object_new_boolean(acts(c))) ||
	    (*c->holder && c->renewed_ms >= 0 &&
	     (jx_set_str(o, "holder", c->holder) ||
	      jx_set(o, "renewedSecondsAgo",
		     json_object_new_int64(c->renewed_ms / 1000))))) {
		json_object_put(o);
		return -ENOMEM;
	}
	return jx_append(list, o);
}

static int print_json(const struct status *s, const struct sheet *nodes,
		      size_t left_out, const struct sheet *jobs, FILE *out)
{
	_cleanup_json_ json_object *all = json_object_new_object();
	json_object *list, *slurm;

	slurm = all ? jx_need(all, "slurm", json_type_object) : NULL;
	list = slurm ? jx_need(all, "clusters", json_type_array) : NULL;
	if (!list ||
	    (s->site.slurm.cluster &&
	     jx_set_str(slurm, "cluster", s->site.slurm.cluster)) ||
	    (s->site.slurm_err.code &&
	     jx_set_str(slurm, "error", s->site.slurm_err.msg)) ||
	    (s->site.config_err.code &&
	     jx_set_str(all, "error", s->site.config_err.msg)))
		return -ENOMEM;
	for (size_t i = 0; i < s->n_clusters; i++)
		if (cluster_json(list, &s->clusters[i]))
			return -ENOMEM;
	if (jx_set(all, "nodes", sheet_json(nodes)) ||
	    jx_set(all, "jobs", sheet_json(jobs)) ||
	    jx_set(all, "nodesLeftOut",
		   json_object_new_int64((int64_t)left_out)))
		return -ENOMEM;
	return clean_print_json(all, CLEAN_LINE, out);
}

/* Look once, and print; returns the exit code. */
static int status_once(const struct options *opt)
{
	struct status s = {.opt = opt};
	struct sheet nodes, jobs = {0};
	struct err err = {0};
	size_t left_out;

	if (opt->names.len) {
		if (hostlist_expand(buf_str(&opt->names), &s.only, &err)) {
			fprintf(stderr, "slurm-k8s: %s\n", err.msg);
			return 2;
		}
		hostlist_sort(&s.only);
		s.view.only = &s.only;
	}
	status_read(&s);
	left_out = status_nodes(&s.view, &nodes);
	if (!s.view.only) /* else a node was asked for */
		status_jobs(&s.view, &jobs);
	for (size_t i = 0; s.view.nodes && i < s.only.n; i++)
		if (!ctl_nodes_find(s.view.nodes, s.only.names[i],
				    &(struct ctl_node){0}))
			fprintf(stderr, "slurm-k8s: Slurm has no node %s\n",
				s.only.names[i]);
	s.incomplete |= nodes.incomplete || jobs.incomplete;
	if (!opt->json)
		print_text(&s, &nodes, left_out, &jobs, stdout);
	else if (print_json(&s, &nodes, left_out, &jobs, stdout))
		s.incomplete = true;
	if (fflush(stdout)) {
		fprintf(stderr, "slurm-k8s: standard output: %s\n",
			strerror(errno));
		s.incomplete = true;
	}
	sheet_clear(&nodes);
	sheet_clear(&jobs);
	status_clear(&s);
	hostlist_clear(&s.only);
	return s.incomplete ? 2 : 0;
}

static int status(void *arg)
{
	const struct options *opt = arg;

	log_set_level(LOG_LEVEL_ERROR); /* to standard error */
	ctl_init();
	if (!opt->watch_s)
		return status_once(opt);
	for (;;) {
		if (isatty(STDOUT_FILENO))
			printf("\033[H\033[2J");
		status_once(opt);
		sleep(opt->watch_s);
	}
}

static bool read_watch(const char *text, unsigned int *out)
{
	char *end = NULL;
	unsigned long n = text ? strtoul(text, &end, 10) : WATCH_S;

	*out = (unsigned int)n;
	return n && n <= WATCH_MAX_S && (!end || !*end);
}

static bool read_names(int argc, char **argv, struct buf *out)
{
	for (int i = optind; i < argc; i++)
		if (buf_addf(out, "%s%s", i > optind ? "," : "", argv[i]))
			return false;
	return true;
}

int status_command(int argc, char **argv)
{
	static const struct option options[] = {
		{"all", no_argument, NULL, 'a'},
		{"config", required_argument, NULL, 'c'},
		{"json", no_argument, NULL, 'j'},
		{"watch", optional_argument, NULL, 'w'},
		{"help", no_argument, NULL, 'h'},
		{0}};
	struct options opt = {.names = BUF_INIT(NAMES_MAX)};
	int o, rc = 2;

	while ((o = getopt_long(argc, argv, "ac:jw::h", options, NULL)) != -1) {
		if (o == 'a')
			opt.all = true;
		else if (o == 'c')
			opt.file = optarg;
		else if (o == 'j')
			opt.json = true;
		else if (o != 'w' || !read_watch(optarg, &opt.watch_s))
			return status_usage(o == 'h' ? stdout : stderr),
			       o == 'h' ? 0 : 2;
	}
	if (read_names(argc, argv, &opt.names))
		rc = slurm_user_run(status, &opt);
	buf_free(&opt.names);
	return rc;
}

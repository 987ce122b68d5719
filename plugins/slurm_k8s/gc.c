/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gc.h"

#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api_server.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "leftover.h"
#include "node_label.h"
#include "site.h"
#include "slurm_user.h"

#define FRESH_MS 2000 /* how long Slurm's list of nodes is believed */

struct gc {
	const char *file;
	bool dry_run, yes;
	int64_t age_s;
	struct site site;
	int64_t loaded_at; /* when site.nodes were loaded; monotonic */
	bool incomplete;
};

void gc_usage(FILE *f)
{
	fprintf(f,
		"usage: slurm-k8s gc [--dry-run] [--yes] [--older-than "
		"SECONDS] "
		"[--config FILE]\n"
		"\n"
		"Delete worker pods that no Slurm node needs (the engine "
		"does so by itself; this is\nfor when it does not run), and "
		"pods that check --probe has left.\n\n"
		"  --dry-run      print them, delete none\n"
		"  --yes          do not ask\n"
		"  --older-than S pods of so many seconds at least (600; not "
		"less than 20)\n"
		"  --config FILE  configuration (default: k8s.yaml beside "
		"slurm.conf)\n"
		"  --help         print this\n"
		"\n"
		"Exit code: 0; 2: not all could be looked at, or deleted.\n");
}

/*
 * Why a pod is not needed; NULL: it may be. `node` NULL: Slurm does not have
 * the pod's node.
 */
static const char *why(const struct gc *gc, const struct ctl_node *node,
		       const struct pod_row *pod)
{
	if (!node && *pod->node &&
	    leftover_may_come_back(gc->site.config, pod->node))
		return NULL;
	return leftover_why(pod, node, clock_real_ms(), gc->age_s);
}

/* Keep the pods that nobody needs, and print them. */
static void choose(const struct gc *gc, struct pod_rows *pods)
{
	size_t kept = 0;

	for (size_t i = 0; i < pods->n; i++) {
		struct pod_row row = pods->v[i];
		struct ctl_node node;
		const bool known =
			node_of_label(gc->site.nodes, row.node, &node);
		const char *words = why(gc, known ? &node : NULL, &row);

		if (!words)
			continue;
		pods->v[i] = pods->v[kept];
		pods->v[kept++] = row;
		printf("%s/%s  %s old  %s\n", row.ns, row.name, row.age, words);
	}
	/*
	 * Pods that are needed stay behind the first `kept`, for pods_clear().
	 */
	pods->n = kept;
}

/* Read a whole line: its rest would be the answer for the next cluster. */
static bool read_yes(void)
{
	const int first = getchar();
	int c = first;

	while (c != '\n' && c != EOF)
		c = getchar();
	return c == '\n' && (first == 'y' || first == 'Y');
}

static bool agreed(const struct gc *gc, size_t n)
{
	if (gc->yes)
		return true;
	printf("delete %zu pods? [y/N] ", n);
	if (!fflush(stdout) && read_yes())
		return true;
	printf("none was deleted\n");
	return false;
}

struct deletion {
	struct err err;
	int http;
};

static void on_deleted(void *arg, const struct kube_result *res)
{
	struct deletion *d = arg;

	d->http = res->http;
	if (res->rc)
		err_set(&d->err, res->rc, "%s", res->err->msg);
}

/*
 * One try: a request that is sent later may find a pod that a power-up has
 * taken over meanwhile, which has that UID, too.
 */
static const char *delete_now(struct api_server *api, const struct pod_row *pod,
			      struct deletion *d)
{
	const struct kube_ref ref = {.api = KUBE_CORE_V1,
				     .ns = pod->ns,
				     .resource = "pods",
				     .name = pod->name};
	const struct kube_reply to = {.on_done = on_deleted,
				      .arg = d,
				      .no_retry = true,
				      .conflict_is_final = true,
				      .deadline_ms = clock_ms() + API_WAIT_MS};

	if (!kube_delete(api->client, &ref, pod->uid, -1, &to))
		err_oom(&d->err);
	api_wait(api);
	return d->http == 404	? "gone by now"
	       : d->http == 409 ? "replaced by now, left alone"
	       : d->err.code	? NULL
				: "deleted";
}

/*
 * Load all nodes again: Slurm cannot be asked for a node that it does not have.
 */
static int load_again(struct gc *gc, struct err *err)
{
	struct ctl_nodes *now = NULL;
	int rc;

	if (clock_ms() - gc->loaded_at < FRESH_MS)
		return 0;
	rc = ctl_nodes_load(&now, err);
	if (rc)
		return rc;
	ctl_nodes_free(gc->site.nodes);
	gc->site.nodes = now;
	gc->loaded_at = clock_ms();
	return 0;
}

/*
 * Ask Slurm for a pod's node again, for time has passed. 1: Slurm has it, and
 * *node is borrowed from *now or from the site; 0: it has none; or an error.
 */
static int look_again(struct gc *gc, const struct pod_row *pod,
		      struct ctl_nodes **now, struct ctl_node *node,
		      struct err *err)
{
	int rc;

	if (node_of_label(gc->site.nodes, pod->node, node)) {
		rc = ctl_nodes_load_one(node->name, now, err);
		return rc ? rc : ctl_nodes_find(*now, node->name, node);
	}
	rc = load_again(gc, err);
	return rc ? rc : node_of_label(gc->site.nodes, pod->node, node);
}

/* Delete a pod that is still not needed. False: Slurm does not answer. */
static bool delete_pod(struct gc *gc, struct api_server *api,
		       const struct pod_row *pod)
{
	_cleanup_(ctl_nodes_freep) struct ctl_nodes *now = NULL;
	struct deletion d = {0};
	struct ctl_node node;
	const char *words = NULL;
	int rc = look_again(gc, pod, &now, &node, &d.err);

	if (rc >= 0)
		words = why(gc, rc ? &node : NULL, pod)
				? delete_now(api, pod, &d)
				: "needed by now, left alone";
	if (!words)
		gc->incomplete = true;
	printf("%s/%s: %s\n", pod->ns, pod->name, words ? words : d.err.msg);
	return rc >= 0;
}

static void gc_cluster(struct gc *gc, const struct cluster_config *k)
{
	_cleanup_api_ struct api_server api = {0};
	struct pod_rows pods = {0};
	struct err err = {0};
	size_t all;

	if (api_open(&api, k, &err) ||
	    pods_of_workers(&api, gc->site.slurm.cluster, &pods, &err) ||
	    pods_of_probes(&api, gc->site.slurm.cluster, &pods, &err)) {
		gc->incomplete = true;
		fprintf(stderr, "slurm-k8s: cluster %s: %s\n", k->name,
			err.msg);
		pods_clear(&pods);
		return;
	}
	all = pods.n;
	choose(gc, &pods);
	if (!pods.n)
		printf("cluster %s: none of %zu worker pods is left over\n",
		       k->name, all);
	else if (!gc->dry_run && agreed(gc, pods.n))
		for (size_t i = 0; i < pods.n; i++)
			if (!delete_pod(gc, &api, &pods.v[i]))
				break;
	pods.n = all;
	pods_clear(&pods);
}

static int gc_clusters(struct gc *gc)
{
	if (!gc->dry_run && !gc->yes && !isatty(STDIN_FILENO))
		return site_refuse("nobody can be asked here: give --dry-run "
				   "or --yes");
	for (size_t i = 0; i < gc->site.config->n_clusters; i++)
		gc_cluster(gc, &gc->site.config->clusters[i]);
	return gc->incomplete ? 2 : 0;
}

static int gc_run(void *arg)
{
	struct gc *gc = arg;
	int rc;

	log_set_level(LOG_LEVEL_ERROR); /* errors go to standard error */
	ctl_init();
	gc->loaded_at = clock_ms();
	site_load(&gc->site, gc->file);
	rc = gc->site.slurm_err.code	? site_refuse(gc->site.slurm_err.msg)
	     : gc->site.config_err.code ? site_refuse(gc->site.config_err.msg)
					: gc_clusters(gc);
	site_clear(&gc->site);
	return rc;
}

static bool read_age(const char *text, int64_t *out)
{
	char *end;

	*out = strtoll(text, &end, 10);
	return *text && !*end && *out >= LEFTOVER_AGE_MIN_S && *out < INT32_MAX;
}

int gc_command(int argc, char **argv)
{
	static const struct option options[] = {
		{"config", required_argument, NULL, 'c'},
		{"dry-run", no_argument, NULL, 'n'},
		{"older-than", required_argument, NULL, 'o'},
		{"yes", no_argument, NULL, 'y'},
		{"help", no_argument, NULL, 'h'},
		{0}};
	struct gc gc = {.age_s = LEFTOVER_AGE_S};
	int o;

	while ((o = getopt_long(argc, argv, "c:no:yh", options, NULL)) != -1) {
		if (o == 'c')
			gc.file = optarg;
		else if (o == 'n')
			gc.dry_run = true;
		else if (o == 'y')
			gc.yes = true;
		else if (o != 'o' || !read_age(optarg, &gc.age_s))
			return gc_usage(o == 'h' ? stdout : stderr),
			       o == 'h' ? 0 : 2;
	}
	if (optind != argc)
		return gc_usage(stderr), 2;
	return slurm_user_run(gc_run, &gc);
}

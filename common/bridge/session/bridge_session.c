/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bridge/session/bridge_session.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"

struct bridge_session {
	struct bridge_session_options opt;
	int waker; /* a duplicate: it may outlive the bridge's thread */
	struct pod_groups *groups;
	struct inventory *inventory;
	struct owners *objects;
	struct bridge_requests *requests;
	struct freshness fresh;
	const struct informer *nodes; /* the link's informer; NULL: none yet */
	int64_t told_at; /* when the log was told that the bridge is late */
	struct claims *claims;
};

static void ring(void *arg)
{
	struct bridge_session *b = arg;

	eventfd_write(b->waker, 1);
}

static void object_changed(void *arg, enum workload_kind kind, const char *ns,
			   const char *name)
{
	struct bridge_session *b = arg;

	pod_groups_object_changed(b->groups, kind, ns, name);
}

static void kind_known(void *arg)
{
	struct bridge_session *b = arg;

	pod_groups_touch_all(b->groups);
}

static bool enters(void *arg, const char *ns)
{
	struct bridge_session *b = arg;

	return pod_groups_enters(b->groups, ns);
}

static void entered(void *arg)
{
	struct bridge_session *b = arg;

	owners_entered(b->objects);
}

static void oversized(void *arg, const struct object_id *id)
{
	struct bridge_session *b = arg;
	const struct pod_ref ref = {id->ns, id->name, id->uid};

	bridge_requests_event(b->requests, &ref, true, "Not read",
			      informer_why(id));
}

/* A namespace is another Slurm cluster's, or ours. */
static void claim_changed(void *arg)
{
	struct bridge_session *b = arg;

	pod_groups_touch_all(b->groups);
	ring(b);
}

static void make(struct bridge_session *b)
{
	const struct bridge_session_options *opt = &b->opt;
	const char *cluster = opt->cluster->name;
	struct pod_groups_options view = {.cluster = cluster,
					  .config = opt->config,
					  .ring = ring,
					  .oversized = oversized,
					  .entered = entered,
					  .arg = b};
	const struct inventory_options hosts = {
		.cluster = cluster,
		.label = opt->config->node_label,
		.scheduler = opt->config->scheduler,
		.resources = &opt->config->resources,
		.count_others = opt->nodes,
		.stale_after_ms = opt->config->stale_after_ms,
		.ring = ring,
		.arg = b};
	const struct owners_options objects = {
		.cluster = cluster,
		.stale_after_ms = opt->config->stale_after_ms,
		.asked = opt->asked,
		.arg = opt->arg,
		.changed = object_changed,
		.known = kind_known,
		.enters = enters,
		.told = b};
	/*
	 * Requests that hang leave a quarter for worker pods and the other
	 * rooms.
	 */
	const unsigned int most = opt->cluster->max_requests;
	const struct bridge_requests_options work = {
		.cluster = cluster,
		.at_once = most - most / 4,
		.stale_after_ms = opt->config->stale_after_ms,
		.asked = opt->asked,
		.may = opt->may,
		.arg = opt->arg,
		.failed = ring,
		.told = b};

	const struct claims_options claims = {
		.cluster = cluster,
		.slurm_cluster = opt->slurm_cluster,
		.ns = opt->cluster->ns,
		.scheduler = opt->config->scheduler,
		.at_once = most >= 8 ? most / 4 : 1,
		.asked = opt->asked,
		.arg = opt->arg,
		.changed = claim_changed,
		.told = b};

	b->claims = claims_new(&claims);
	view.by = b->claims ? claims_by(b->claims) : NULL;
	b->inventory = inventory_new(&hosts);
	if (b->inventory && opt->nodes)
		view.also = inventory_ours_handler(b->inventory);
	b->groups = pod_groups_new(&view);
	b->objects = owners_new(&objects);
	b->requests = bridge_requests_new(&work);
}

struct bridge_session *
bridge_session_new(const struct bridge_session_options *opt)
{
	struct bridge_session *b = calloc(1, sizeof(*b));

	if (!b)
		return NULL;
	b->opt = *opt;
	b->waker = fcntl(opt->waker, F_DUPFD_CLOEXEC, 0);
	make(b);
	if (b->waker >= 0 && b->groups && b->inventory && b->objects &&
	    b->requests && b->claims)
		return b;
	bridge_session_free(b);
	return NULL;
}

void bridge_session_free(struct bridge_session *b)
{
	if (!b)
		return;
	claims_free(b->claims);
	bridge_requests_free(b->requests);
	owners_free(b->objects);
	inventory_free(b->inventory);
	pod_groups_free(b->groups);
	if (b->waker >= 0)
		close(b->waker);
	free(b);
}

struct pod_groups *bridge_session_seen(struct bridge_session *b)
{
	return b->groups;
}

struct inventory *bridge_session_hosts(struct bridge_session *b)
{
	return b->inventory;
}

struct owners *bridge_session_objects(struct bridge_session *b)
{
	return b->objects;
}

struct bridge_requests *bridge_session_work(struct bridge_session *b)
{
	return b->requests;
}

struct freshness *bridge_session_fresh(struct bridge_session *b)
{
	return &b->fresh;
}

struct claims *bridge_session_claims(struct bridge_session *b)
{
	return b->claims;
}

static int start(void *part, struct kube_client *client)
{
	struct bridge_session *b = part;
	const int rc = pod_groups_start(b->groups, client);

	return rc ? rc : inventory_start(b->inventory, client);
}

static void stop(void *part, struct kube_client *client)
{
	struct bridge_session *b = part;

	b->nodes = NULL;
	claims_stop(b->claims, client);
	bridge_requests_drop(b->requests, client);
	owners_stop(b->objects, client);
	inventory_stop(b->inventory);
	pod_groups_stop(b->groups);
}

/*
 * How old the view of nodes may get. A lost node counts as lost up to the time
 * of the view only, so jobs on it come back this much later at most, where
 * nothing else tells of any node.
 */
#define NODES_AGE_MS 40000

static struct informer_handler nodes_handler(void *part)
{
	const struct bridge_session *b = part;

	return inventory_handler(b->inventory);
}

static void take_nodes(void *part, struct informer *nodes)
{
	struct bridge_session *b = part;

	const int64_t bound = b->opt.config->stale_after_ms;

	b->nodes = informer_keep_fresh(
		nodes, bound && bound < NODES_AGE_MS ? bound : NODES_AGE_MS);
}

/*
 * Log that the bridge waits: it asks slurmctld, or the name service of its
 * host, whose answer may take its time. Nothing is to be mended.
 */
static void look_at_bridge(struct bridge_session *b)
{
	const int64_t late = heartbeat_late(&b->fresh.bridge_at, &b->told_at);

	if (late)
		log_warn("cluster %s: the bridge has waited for an answer of "
			 "%s for %" PRId64 " s: meanwhile no job is submitted "
			 "and no pod is bound",
			 b->opt.cluster->name,
			 atomic_load(&b->fresh.asks_names)
				 ? "the name service of slurmctld's host"
				 : "slurmctld",
			 late / 1000);
}

/* How old the view is; no binding is sent when it is too old. */
static void look_at_age(struct bridge_session *b)
{
	const int64_t bound = b->opt.config->stale_after_ms;
	struct view_age age;

	pod_groups_fresh(b->groups, &b->fresh);
	inventory_fresh(b->inventory, &b->fresh);
	freshness_put(&b->fresh, VIEW_NODES, b->nodes);
	freshness_age(&b->fresh, &age);
	bridge_requests_bind_until(b->requests,
				   bound ? clock_ms() + bound - age.ms : 0);
}

static void step(void *part, struct kube_client *client, bool held)
{
	struct bridge_session *b = part;

	pod_groups_step(b->groups);
	inventory_step(b->inventory);
	owners_step(b->objects, client);
	freshness_link_beats(&b->fresh);
	look_at_age(b);
	look_at_bridge(b);
	claims_step(b->claims, client, held);
	if (held)
		bridge_requests_begin(b->requests, client);
	else
		bridge_requests_drop(b->requests, client);
}

static int64_t nodes_stale_ms(void *part)
{
	const struct bridge_session *b = part;

	return b->opt.config->stale_after_ms;
}

static void free_part(void *part)
{
	bridge_session_free(part);
}

const struct cluster_part_ops bridge_session_ops = {
	.start = start,
	.step = step,
	.stop = stop,
	.free = free_part,
	.nodes_handler = nodes_handler,
	.nodes = take_nodes,
	.nodes_stale_ms = nodes_stale_ms,
};

int bridge_session_attach(struct cluster *l, int waker, bool nodes,
			  struct err *err)
{
	const struct cluster_options *of = cluster_options(l);
	const struct bridge_session_options opt = {
		.config = &of->config->bridge,
		.cluster = of->cluster,
		.slurm_cluster = cluster_slurm_cluster(l),
		.waker = waker,
		.nodes = nodes,
		.asked = cluster_wake,
		.may = cluster_may_act,
		.arg = l,
	};
	struct bridge_session *b = bridge_session_new(&opt);

	if (!b)
		return err_oom(err);
	cluster_attach(l, &bridge_session_ops, b);
	return 0;
}

struct bridge_session *bridge_session_of(struct cluster *l)
{
	return cluster_part(l, &bridge_session_ops);
}

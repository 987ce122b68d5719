/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bridge/session/bridge_session.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"

struct bridge_link {
	struct bridge_link_options opt;
	int waker; /* a duplicate: it may outlive the bridge's thread */
	struct bridge_seen *seen;
	struct bridge_hosts *hosts;
	struct bridge_objects *objects;
	struct bridge_work *work;
	struct bridge_fresh fresh;
	const struct informer *nodes; /* the link's; NULL: none yet */
	int64_t told_at; /* that the bridge's thread does not come round */
	struct claims *claims;
};

static void ring(void *arg)
{
	struct bridge_link *b = arg;

	eventfd_write(b->waker, 1);
}

static void object_changed(void *arg, enum workload_kind kind, const char *ns,
			   const char *name)
{
	struct bridge_link *b = arg;

	bridge_seen_object_changed(b->seen, kind, ns, name);
}

static void kind_known(void *arg)
{
	struct bridge_link *b = arg;

	bridge_seen_touch_all(b->seen);
}

static bool enters(void *arg, const char *ns)
{
	struct bridge_link *b = arg;

	return bridge_seen_enters(b->seen, ns);
}

static void entered(void *arg)
{
	struct bridge_link *b = arg;

	bridge_objects_entered(b->objects);
}

static void oversized(void *arg, const struct object_id *id)
{
	struct bridge_link *b = arg;
	const struct bridge_ref ref = {id->ns, id->name, id->uid};

	bridge_work_event(b->work, &ref, true, "Not read", informer_why(id));
}

/* A namespace is another Slurm cluster's, or ours. */
static void claim_changed(void *arg)
{
	struct bridge_link *b = arg;

	bridge_seen_touch_all(b->seen);
	ring(b);
}

static void make(struct bridge_link *b)
{
	const struct bridge_link_options *opt = &b->opt;
	const char *cluster = opt->cluster->name;
	struct bridge_seen_options view = {.cluster = cluster,
					   .config = opt->config,
					   .ring = ring,
					   .oversized = oversized,
					   .entered = entered,
					   .arg = b};
	const struct bridge_hosts_options hosts = {
		.cluster = cluster,
		.label = opt->config->node_label,
		.scheduler = opt->config->scheduler,
		.resources = &opt->config->resources,
		.count_others = opt->nodes,
		.stale_after_ms = opt->config->stale_after_ms,
		.ring = ring,
		.arg = b};
	const struct bridge_objects_options objects = {
		.cluster = cluster,
		.stale_after_ms = opt->config->stale_after_ms,
		.asked = opt->asked,
		.arg = opt->arg,
		.changed = object_changed,
		.known = kind_known,
		.enters = enters,
		.told = b};
	const struct bridge_work_options work = {
		.cluster = cluster,
		.at_once = opt->cluster->max_requests,
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
		.asked = opt->asked,
		.arg = opt->arg,
		.changed = claim_changed,
		.told = b};

	b->claims = claims_new(&claims);
	view.by = b->claims ? claims_by(b->claims) : NULL;
	b->hosts = bridge_hosts_new(&hosts);
	if (b->hosts && opt->nodes)
		bridge_hosts_ours_handler(b->hosts, &view.also);
	b->seen = bridge_seen_new(&view);
	b->objects = bridge_objects_new(&objects);
	b->work = bridge_work_new(&work);
}

struct bridge_link *bridge_link_new(const struct bridge_link_options *opt)
{
	struct bridge_link *b = calloc(1, sizeof(*b));

	if (!b)
		return NULL;
	b->opt = *opt;
	b->waker = fcntl(opt->waker, F_DUPFD_CLOEXEC, 0);
	make(b);
	if (b->waker >= 0 && b->seen && b->hosts && b->objects && b->work &&
	    b->claims)
		return b;
	bridge_link_free(b);
	return NULL;
}

void bridge_link_free(struct bridge_link *b)
{
	if (!b)
		return;
	claims_free(b->claims);
	bridge_work_free(b->work);
	bridge_objects_free(b->objects);
	bridge_hosts_free(b->hosts);
	bridge_seen_free(b->seen);
	if (b->waker >= 0)
		close(b->waker);
	free(b);
}

struct bridge_seen *bridge_link_seen(struct bridge_link *b)
{
	return b->seen;
}

struct bridge_hosts *bridge_link_hosts(struct bridge_link *b)
{
	return b->hosts;
}

struct bridge_objects *bridge_link_objects(struct bridge_link *b)
{
	return b->objects;
}

struct bridge_work *bridge_link_work(struct bridge_link *b)
{
	return b->work;
}

struct bridge_fresh *bridge_link_fresh(struct bridge_link *b)
{
	return &b->fresh;
}

struct claims *bridge_link_claims(struct bridge_link *b)
{
	return b->claims;
}

int bridge_link_start(struct bridge_link *b, struct kube_client *client)
{
	const int rc = bridge_seen_start(b->seen, client);

	return rc ? rc : bridge_hosts_start(b->hosts, client);
}

void bridge_link_stop(struct bridge_link *b, struct kube_client *client)
{
	b->nodes = NULL;
	claims_stop(b->claims, client);
	bridge_work_drop(b->work, client);
	bridge_objects_stop(b->objects, client);
	bridge_hosts_stop(b->hosts);
	bridge_seen_stop(b->seen);
}

void bridge_link_host_handler(struct bridge_link *b,
			      struct informer_handler *out)
{
	bridge_hosts_handler(b->hosts, out);
}

void bridge_link_nodes(struct bridge_link *b, struct informer *nodes)
{
	b->nodes = informer_keep_fresh(nodes, b->opt.config->stale_after_ms);
}

/* (it asks slurmctld, whose answer may take its time: nothing to be mended) */
static void look_at_bridge(struct bridge_link *b)
{
	const int64_t late = bridge_beat_late(&b->fresh.bridge_at, &b->told_at);

	if (late)
		log_warn("cluster %s: the bridge has waited for an answer of "
			 "slurmctld for %" PRId64 " s: meanwhile no job is "
			 "submitted and no pod is bound",
			 b->opt.cluster->name, late / 1000);
}

/* How old the view is; no binding is sent when it is too old. */
static void look_at_age(struct bridge_link *b)
{
	const int64_t bound = b->opt.config->stale_after_ms;
	struct bridge_age age;

	bridge_seen_fresh(b->seen, &b->fresh);
	bridge_hosts_fresh(b->hosts, &b->fresh);
	bridge_fresh_put(&b->fresh, SIGHT_NODES, b->nodes);
	bridge_fresh_age(&b->fresh, &age);
	bridge_work_bind_until(b->work,
			       bound ? clock_ms() + bound - age.ms : 0);
}

void bridge_link_step(struct bridge_link *b, struct kube_client *client,
		      bool held)
{
	bridge_seen_step(b->seen);
	bridge_hosts_step(b->hosts);
	bridge_objects_step(b->objects, client);
	atomic_store(&b->fresh.link_at, clock_ms());
	look_at_age(b);
	look_at_bridge(b);
	claims_step(b->claims, client, held);
	if (held)
		bridge_work_begin(b->work, client);
	else
		bridge_work_drop(b->work, client);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bridge/reconcile/bridge.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "bridge/reconcile/reconcile.h"
#include "bridge/reconcile/tally.h"
#include "bridge/session/bridge_session.h"
#include "metrics/metrics.h"
#include "runtime/thread.h"

#define BATCH 32	 /* most looks at groups between two at Slurm's jobs */
#define BATCH_MS 100	 /* time after which a batch begins no new look */
#define BURST_MS 15	 /* shortest time between a look and the next step */
#define STEP_MAX_MS 500	 /* longest step, for the lease and nodes to be seen */
#define PARTS_MS 5000	 /* how often partitions are read */
#define REST_MAX_MS 1000 /* longest time between two steps */
/* Until a group is looked at again for which it was not known which nodes fit,
 * or when the lease was not held */
#define FITS_AGAIN_MS 500
#define UNFENCED_AGAIN_MS 2000

/* --- looking and acting */

/*
 * True if the group has ended in Slurm and in Kubernetes, so that its pods can
 * be forgotten: a namespace may keep ended pods for ever. A JobSet's pod that
 * has failed may be made anew, and then the pods that have succeeded count (see
 * workload_members()).
 */
static bool is_past(const struct bridge *b, const struct queue_entry *q,
		    const struct pod_group *g, const struct group_counts *p)
{
	if (g->of.kind == WORKLOAD_JOBSET && p->failed)
		return false;
	return b->jobs.known && !job_is_active(q) && !p->gated && !p->waiting &&
	       !p->live && !p->leaving && !p->disowned;
}

/* Observe and decide. True: the group has no pods. */
static bool look_at(struct bridge *b, struct queue_entry *q,
		    struct group_observation *j, struct pod_selection *pods)
{
	struct pod_group *g;
	bool gone;

	pod_groups_lock(b->groups);
	lost_look(b);
	g = pod_groups_find(b->groups, q->key);
	lost_note(q, g);
	if (g && b->jobs.known && !b->view.old)
		basic_by_object(b, q, g);
	gone = !g || !g->n;
	group_observe(b, q, g, j);
	if (g && g->n && !b->view.old) {
		write_group_scheduled(b, q, g, &j->view);
		write_disowned(b, q, g);
	}
	if (g && select_pods(g, j, pods))
		group_decision_keep(
			&j->plan); /* no memory: its next look does it */
	if (g && is_past(b, q, g, &j->view.pods))
		pod_groups_forget(b->groups, g);
	else if (g && b->jobs.known && !b->view.old && !b->specs.fits.ask)
		pod_groups_counted(b->groups, g,
				   j->plan.action == GROUP_COMPLETE);
	pod_groups_unlock(b->groups);
	return gone;
}

static void handle(struct bridge *b, struct queue_entry *q)
{
	const struct group_since since = q->since;
	struct group_observation j = {0};
	struct pod_selection pods = {0};
	bool gone;

	if (q->job.state == PLACEHOLDER_RUNNING)
		allocation_load(b, q);
	heartbeat(b);
	view_check_age(b);
	gone = look_at(b, q, &j, &pods);
	/*
	 * A look that asks for nodes says nothing about how long a state lasts.
	 */
	if (b->specs.fits.ask) {
		node_fits_step(&b->specs);
		queue_entry_lacks(q, &since);
		job_spec_clear(&j.order);
		free(pods.v);
		j = (struct group_observation){0};
		pods = (struct pod_selection){0};
		gone = look_at(b, q, &j, &pods);
	}
	/* Nodes have changed since node_fits_step(), or memory is short. */
	if (b->specs.fits.ask)
		queue_entry_later(b, q, FITS_AGAIN_MS);
	if (!str_eq(q->row.name, j.plan.row)) {
		overwritten_tell(b, q, j.plan.row);
		q->row.name = j.plan.row;
		q->row.at = clock_ms();
	}
	/*
	 * The lease is looked at once more, as decisions and RPCs take time,
	 * and the process may have been stopped.
	 */
	if (cluster_held(b->link)) {
		group_apply(b, q, &j, &pods);
		tally_note(q, &j);
	} else {
		queue_entry_later(b, q, UNFENCED_AGAIN_MS);
	}
	if (j.plan.again_ms)
		queue_entry_later(b, q, j.plan.again_ms);
	/*
	 * group_apply() may have asked for an earlier look, and nothing came of
	 * it.
	 */
	if (q->refused.words && q->refused.submit_at > clock_ms())
		queue_entry_later(b, q, q->refused.submit_at - clock_ms());
	job_spec_clear(&j.order);
	free(pods.v);
	if (gone && !job_is_active(q) && b->jobs.known && !q->look.touched)
		queue_entry_forget(b, q);
}

/* Handle a few groups, so that Slurm's jobs are looked at in between. */
static void handle_some(struct bridge *b)
{
	const int64_t end = clock_ms() + BATCH_MS;
	struct queue_entry *q;

	for (int i = 0; i < BATCH && (!i || clock_ms() < end) &&
			!atomic_load(&b->stop) && (q = queue_turn_begin(b));
	     i++) {
		handle(b, q);
		queue_turn_end(b);
		b->busy_at = clock_ms();
		if (b->jobs.n_fresh == BRIDGE_FRESH_MAX)
			break;
	}
}

/* Look at the next group whose waiting job is to get another list of nodes. */
static void handle_update(struct bridge *b)
{
	struct queue_entry *q = updates_begin(b);

	if (q)
		handle(b, q);
	updates_end(b);
}

/* Note which requests the API server did not take, for their groups. */
static void take_failures(struct bridge *b)
{
	struct bridge_request_failure f;
	struct queue_entry *q;

	while (bridge_requests_take(b->requests, &f)) {
		log_debug("pod %s: %s", f.uid, f.words);
		if (f.what == BRIDGE_REQUEST_DELETE)
			delete_failed(b, &f);
		if (f.what == BRIDGE_REQUEST_NOTE)
			note_failed(b, f.uid);
		if (f.what != BRIDGE_REQUEST_BIND)
			continue;
		q = placeholders_queued_of(b, f.job_id);
		if (q)
			bind_failed(b, q, &f);
	}
}

/*
 * Put all groups into the queue, and then list jobs anew: a job that has ended
 * is taken over only for a group that is known, and a group whose job has ended
 * must not get another one. Slurm's nodes are read anew, as another engine may
 * have changed them up to now.
 */
static void begin_anew(struct bridge *b)
{
	pod_groups_touch_all(b->groups);
	queue_touch_changed(b);
	pod_groups_lock(b->groups);
	basic_expect_jobs(b);
	pod_groups_unlock(b->groups);
	placeholders_reload(b);
	slurm_nodes_expire(&b->external);
	standby_over(b);
	b->active.unsorted = true;
}

static void sort_out(struct bridge *b)
{
	if (!b->active.unsorted || !b->jobs.known)
		return;
	pod_groups_lock(b->groups);
	basic_by_jobs(b);
	pod_groups_unlock(b->groups);
	b->active.unsorted = false;
}

/* True if we may act. When that becomes true, all groups are looked at anew. */
static bool is_on(struct bridge *b)
{
	const bool on = standby_may_end(b);

	if (on && !b->active.on)
		begin_anew(b);
	b->active.on = on;
	return on;
}

/*
 * Gangs are sized by the nodes of partitions: read these anew. Slurm counts no
 * change of a partition when a node of it is created.
 */
static void look_at_parts(struct bridge *b)
{
	const int64_t now = clock_ms();
	const bool others = b->parts_for != b->external.step.version;
	struct err err = {0};

	if (!b->queue || (!others && now < b->parts_at + PARTS_MS))
		return;
	if (others) {
		ctl_parts_free(b->specs.parts);
		b->specs.parts = NULL;
	}
	b->parts_at = now;
	b->parts_for = b->external.step.version;
	if (ctl_parts_refresh(&b->specs.parts, &err))
		log_debug("%s", err.msg);
}

/* Touch the groups that wait or are refused: they may fit other nodes now. */
static void touch_waiting(struct bridge *b)
{
	for (struct queue_entry *q = b->queue; q; q = q->hh.next)
		if (!job_is_active(q) || placeholder_waits(q->job.state))
			queue_entry_touch(b, q);
}

static void look_at_nodes(struct bridge *b)
{
	const unsigned int anew = b->external.creations.anew;

	b->external.view_is_old = b->view.old;
	b->external.nodes_age =
		b->ages ? freshness_age_of(b->ages, VIEW_NODES) : 0;
	b->external.lists_change = updates_wait(b);
	if (external_nodes_step(&b->external) ||
	    b->external.creations.anew != anew)
		touch_waiting(b);
}

static void look_at_gone(struct bridge *b)
{
	pod_groups_lock(b->groups);
	gone_pods_look(b);
	kept_nodes_look(b);
	pod_groups_unlock(b->groups);
}

static void step(struct bridge *b)
{
	const int64_t end = clock_ms() + STEP_MAX_MS;

	log_workload_rest(&b->says);
	placeholders_step_begins(b);
	heartbeat(b);
	take_failures(b);
	placeholders_refresh(b);
	b->more = false;
	if (!is_on(b)) {
		standby_step(b);
		tally_clear();
		return;
	}
	other_scheduler_look(b);
	lost_end(b);
	look_at_gone(b);
	if (view_check_age(b))
		look_at_nodes(b);
	look_at_parts(b);
	do {
		sort_out(b);
		queue_touch_changed(b);
		queue_entry_touch_due(b);
		quota_step(b);
		submit_backoffs_step(b);
		b->occupied.known = b->overcommit.known = b->specs.sizes_known =
			false;
		handle_update(b);
		handle_some(b);
		if (b->jobs.n_fresh)
			placeholders_look_at_fresh(b);
		if (b->turns.n_touched)
			placeholders_refresh(b);
		b->more = b->turns.n_touched;
	} while (b->more && clock_ms() < end && !atomic_load(&b->stop));
	placeholders_look_for_room(b);
	tally_publish(b);
}

/* --- its life */

static void rest(struct bridge *b)
{
	struct pollfd fd = {.fd = b->waker, .events = POLLIN};
	int64_t now = clock_ms(), at = placeholders_next(b);
	eventfd_t count;

	if (b->active.on && b->due_at && b->due_at < at)
		at = b->due_at;
	if (b->active.on && submit_backoffs_next(b) < at)
		at = submit_backoffs_next(b);
	if (b->active.on && updates_next(b) < at)
		at = updates_next(b);
	if (b->more)
		at = now;
	if (at > now + REST_MAX_MS)
		at = now + REST_MAX_MS;
	if (poll(&fd, 1, at > now ? (int)(at - now) : 1) > 0)
		eventfd_read(b->waker, &count);
	now = clock_ms();
	if (now < b->busy_at + BURST_MS)
		clock_nap(b->busy_at + BURST_MS - now);
}

static void bridge_free(struct bridge *b)
{
	struct queue_entry *q = NULL, *next = NULL;

	HASH_ITER(hh, b->queue, q, next)
	{
		queue_entry_drop(b, q);
	}
	queue_turns_free(b);
	external_nodes_free(&b->external);
	node_fits_free(&b->specs);
	occupied_nodes_free(b);
	overcommit_free(b);
	node_sizes_free(&b->specs);
	placeholders_free(b);
	ctl_users_free(b->specs.users);
	ctl_parts_free(b->specs.parts);
	ctl_reader_free(b->external.reader);
	workload_logs_free(b->says);
	quota_free(b->limits.caps);
	submit_backoffs_free(b);
	if (b->waker >= 0)
		close(b->waker);
	free(b);
}

/* The last of the two owners frees: an abandoned thread frees by itself. */
static void let_go(struct bridge *b)
{
	if (atomic_fetch_sub(&b->owners, 1) == 1)
		bridge_free(b);
}

static void run(void *arg)
{
	struct bridge *b = arg;

	log_info("cluster %s: the bridge for pods of %s runs", b->cluster->name,
		 b->bridge->scheduler);
	metrics_set(METRIC_LAST_PASS, METRICS_BRIDGE, 0, clock_real_ms());
	while (!atomic_load(&b->stop)) {
		const int64_t begin = clock_ms();

		step(b);
		metrics_time(METRIC_PASS, METRICS_BRIDGE, clock_ms() - begin);
		metrics_set(METRIC_LAST_PASS, METRICS_BRIDGE, 0,
			    clock_real_ms());
		rest(b);
	}
	tally_clear();
	cluster_let_go(b->link);
	let_go(b);
}

int bridge_waker(void)
{
	return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

static struct bridge *bridge_new(const struct bridge_options *opt)
{
	struct bridge *b = calloc(1, sizeof(*b));
	struct bridge_session *k = bridge_session_of(opt->link);

	if (!b)
		return NULL;
	b->config = opt->config;
	b->bridge = &opt->config->bridge;
	b->cluster = cluster_options(opt->link)->cluster;
	b->link = opt->link;
	b->kill_wait_s = opt->kill_wait_s;
	b->max_jobs = opt->max_jobs;
	b->min_job_age_s = opt->min_job_age_s;
	b->groups = bridge_session_seen(k);
	b->inventory = bridge_session_hosts(k);
	b->objects = bridge_session_objects(k);
	b->requests = bridge_session_work(k);
	b->ages = bridge_session_fresh(k);
	b->claims = bridge_session_claims(k);
	b->external = (struct external_nodes){
		.config = b->config,
		.bridge = b->bridge,
		.cluster = b->link,
		.reader = ctl_reader_hold(opt->reader),
		.inventory = b->inventory,
		.claims = b->claims,
		.stop = &b->stop,
		.job_has_nodes = other_scheduler_has_nodes,
		.arg = b,
		.hides_suspended = opt->hides_suspended};
	b->specs = (struct job_specs){.bridge = b->bridge,
				      .slurm_cluster =
					      cluster_slurm_cluster(opt->link),
				      .inventory = b->inventory,
				      .external = &b->external,
				      .stop = &b->stop,
				      .users = ctl_users_new()};
	b->whose = (struct namespace_sources){b->groups, b->bridge, b->claims};
	b->bound_by = claims_by(b->claims);
	b->waker = fcntl(opt->waker, F_DUPFD_CLOEXEC, 0);
	atomic_init(&b->owners, 2);
	if (b->specs.users && b->waker >= 0)
		return b;
	bridge_free(b);
	return NULL;
}

int bridge_start(const struct bridge_options *opt, struct bridge **out,
		 struct err *err)
{
	struct bridge *b = bridge_new(opt);
	int rc;

	if (!b)
		return err_oom(err);
	cluster_hold(b->link);
	rc = thread_start(&b->thread, "k8s-bridge", run, b, err);
	if (rc) {
		cluster_let_go(b->link);
		bridge_free(b);
		return rc;
	}
	*out = b;
	return 0;
}

void bridge_ask_stop(struct bridge *b)
{
	atomic_store(&b->stop, true);
	eventfd_write(b->waker, 1);
}

bool bridge_stop(struct bridge *b, int64_t wait_ms)
{
	bool ended;

	bridge_ask_stop(b);
	ended = thread_join(b->thread, wait_ms);
	let_go(b);
	return ended;
}

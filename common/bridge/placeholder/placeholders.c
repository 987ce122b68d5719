/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The placeholder jobs as Slurm has them. Only a list of all jobs tells which
 * jobs are ours, and is asked for seldom; a small RPC tells the states of known
 * jobs, and is asked for often (Slurm 24.05 and later).
 */
#include <errno.h>
#include <string.h>

#include "base/backoff.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "bridge/placeholder/placed_state.h"
#include "bridge/placeholder/placeholder.h"
#include "bridge/placeholder/placeholder_pace.h"
#include "slurm/ctl_schedule.h"

#define HURRY_MS 500	  /* how long submitted jobs may be about to start */
#define LAYOUTS_MAX 16	  /* jobs whose nodes are asked for one by one */
#define LOAD_CHEAP_MS 20  /* a list may replace these RPCs, if it takes less */
#define VAIN_MIN_MS 1000  /* first pause after a job that ended in vain */
#define VAIN_MAX_MS 60000 /* longest pause, after such jobs in a row */

/* --- identities */

static void known_drop(struct bridge *b, struct known_placeholder *k)
{
	HASH_DELETE(hh, b->jobs.identities, k);
	free(k->other);
	free(k);
}

/* Copy what `id` says, but for the key. False: out of memory. */
static bool known_fill(const struct bridge *b, struct known_placeholder *k,
		       const struct job_identity *id)
{
	k->pods = id->pods;
	k->nodes = id->nodes;
	k->cpus = id->cpus;
	k->again = id->again;
	str_copy(k->options_digest, id->options_digest,
		 sizeof(k->options_digest));
	str_copy(k->uid, id->of.uid, sizeof(k->uid));
	if (!*id->scheduler || !strcmp(id->scheduler, b->bridge->scheduler))
		return true;
	k->other = strdup(id->scheduler);
	return k->other;
}

/*
 * Remember a job by its identity; id NULL: it is none of ours. NULL: out of
 * memory.
 */
static struct known_placeholder *known_new(struct bridge *b, uint32_t job_id,
					   const struct job_identity *id)
{
	char key[BRIDGE_KEY_MAX] = "";
	struct known_placeholder *k;

	if (id)
		pod_group_key(&id->of, key);
	k = calloc(1, sizeof(*k) + strlen(key) + 1);
	if (!k)
		return NULL;
	k->job_id = job_id;
	memcpy(k->key, key, strlen(key) + 1);
	k->failed = id && !known_fill(b, k, id);
	if (!k->failed)
		HASH_ADD(hh, b->jobs.identities, job_id, sizeof(k->job_id), k);
	if (!k->failed)
		return k;
	free(k->other);
	free(k);
	return NULL;
}

/*
 * What is known of a listed job, whose admin_comment is read once as long as it
 * stays as it is. NULL: out of memory.
 */
static struct known_placeholder *known_of(struct bridge *b,
					  const struct placed *p)
{
	const uint32_t sum =
		str_hash(STR_HASH, p->admin_comment, strlen(p->admin_comment));
	struct known_placeholder *k = NULL;
	struct job_identity id;
	bool ours, made;

	HASH_FIND(hh, b->jobs.identities, &p->job_id, sizeof(p->job_id), k);
	if (k && k->sum == sum)
		return k;
	ours = job_identity_parse(p->admin_comment, &id) &&
	       !strcmp(id.cluster, b->bridge->cluster);
	if (k && !ours && overwritten_is_ours(k, p)) {
		k->sum = sum;
		return k;
	}
	made = k && k->made;
	if (k)
		known_drop(b, k);
	k = known_new(b, p->job_id, ours ? &id : NULL);
	if (k) {
		k->sum = sum;
		k->made = made && ours;
		k->listed = ours;
		k->user = p->uid;
		k->submit = p->submit;
	}
	return k;
}

static bool known_has(void *arg, uint32_t job_id)
{
	const struct bridge *b = arg;
	const struct known_placeholder *k = NULL;

	HASH_FIND(hh, b->jobs.identities, &job_id, sizeof(job_id), k);
	return k && *k->key;
}

#define LOST_WORDS                                                             \
	"its Slurm job had another AdminComment than the bridge wrote, and "   \
	"was cancelled: see slurmctld.log"

/*
 * Cancel a job whose AdminComment was never ours: nobody's job would hold its
 * nodes, and its group would get one job after another. False: it was not
 * cancelled.
 */
static bool cancel_lost(struct bridge *b, const struct known_placeholder *k)
{
	struct queue_entry *q = queue_entry_find(b, k->key);
	struct err err = {0};

	/* A job that is not cancelled now is in the next list, too. */
	if (!cluster_held(b->link) ||
	    ctl_placeholder_cancel(k->job_id, &err) == -EAGAIN)
		return false;
	log_error(
		"bridge: job %u is cancelled: the bridge has submitted it, and "
		"its AdminComment is another one. It says which pods the job "
		"is for: no job_submit plugin and nobody else may change it",
		k->job_id);
	if (!q)
		return true;
	free(q->refused.words);
	q->refused.words = strdup(LOST_WORDS);
	str_copy(q->refused.options_digest, k->options_digest,
		 sizeof(q->refused.options_digest));
	q->refused.submit_at =
		clock_ms() +
		backoff_doubled(VAIN_MIN_MS, q->vain.n++, VAIN_MAX_MS);
	queue_entry_touch(b, q);
	return true;
}

static void forget_gone(struct bridge *b)
{
	struct known_placeholder *k = NULL, *next = NULL;

	HASH_ITER(hh, b->jobs.identities, k, next)
	{
		if (k->load != b->jobs.load || (k->lost && cancel_lost(b, k)))
			known_drop(b, k);
	}
}

/* --- states */

/* Forget the job's nodes, which it does not have any more. */
static void forget_nodes(struct queue_entry *q)
{
	free(q->nodes.names);
	q->nodes.names = NULL;
	ctl_layout_freep(&q->nodes.layout);
	q->nodes.layout = NULL;
}

static bool had_nodes(enum placeholder_state job)
{
	return job >= PLACEHOLDER_STARTING && job <= PLACEHOLDER_COMPLETING;
}

/*
 * A job that ended before a pod was bound may have ended for a reason that
 * lasts (PrologSlurmctld fails, say): the next one is not submitted at once, or
 * slurmctld would get thousands of them.
 */
static void rest_if_in_vain(struct queue_entry *q)
{
	const bool bound = q->bound.job == q->job.id;
	int64_t at;

	if (q->job.state != PLACEHOLDER_ENDED)
		return;
	if (bound && !q->job.by_us)
		q->refused.in_vain = 0;
	if (bound || (q->job.by_us && !q->launch.twice) ||
	    q->vain.job == q->job.id)
		return;
	q->vain.job = q->job.id;
	at = clock_ms() +
	     backoff_doubled(VAIN_MIN_MS, q->vain.n++, VAIN_MAX_MS);
	if (q->refused.submit_at < at)
		q->refused.submit_at = at;
}

/* How many pods of the group run by this job. */
static uint32_t bound_by(struct bridge *b, const struct queue_entry *q,
			 uint32_t job_id)
{
	const struct pod_group *g;
	uint32_t n = 0;

	pod_groups_lock(b->groups);
	g = pod_groups_find(b->groups, q->key);
	for (struct group_pod *m = g ? g->members : NULL; m; m = m->next)
		n += *m->pod->node && !m->pod->ended &&
		     m->pod->job_id == job_id;
	pod_groups_unlock(b->groups);
	return n;
}

/*
 * Note that a job starts whose pods run already: slurmctld had lost its first
 * start. If it has not got their nodes they get another job, as in a bridge
 * that has just begun. The bridge begins once more for the group when the job's
 * nodes are known, as a job may be starting for long.
 */
static void starts_after_its_pods(struct queue_entry *q)
{
	q->nodes.others_at = clock_ms();
	queue_entry_begun_at(q, q->nodes.others_at);
}

static bool started_after_its_pods(const struct queue_entry *q)
{
	return q->early.own_at && q->early.own_at == q->nodes.others_at;
}

static void set_state(struct bridge *b, struct queue_entry *q,
		      enum placeholder_state job, enum placeholder_end end)
{
	const bool was_active = job_is_active(q);

	if (q->job.state == job && q->job.end == end)
		return;
	if (!placeholder_waits(q->job.state) || !placeholder_waits(job))
		queue_entry_act_again(q);
	/* By an unsent binding a pod would run beside the next job. */
	if (q->job.state == PLACEHOLDER_RUNNING) {
		bridge_requests_unbind(b->requests, q->job.id);
		/* bindings that were taken back are to be sent again */
		queue_entry_bind_again(q);
	}
	/* A list of jobs tells of the requeue, too, but later. */
	if (had_nodes(q->job.state) && placeholder_waits(job))
		q->job.requeued = true;
	if ((!q->job.requeued && placeholder_waits(q->job.state) &&
	     had_nodes(job) && bound_by(b, q, q->job.id)) ||
	    (q->job.state == PLACEHOLDER_STARTING && started_after_its_pods(q)))
		starts_after_its_pods(q);
	b->jobs.freed |= had_nodes(q->job.state) &&
			 (job == PLACEHOLDER_ENDED || job == PLACEHOLDER_NONE);
	q->job.state = job;
	q->job.end = end;
	q->job.state_at = clock_ms();
	rest_if_in_vain(q);
	if (job != PLACEHOLDER_RUNNING && job != PLACEHOLDER_SUSPENDED)
		forget_nodes(q);
	b->jobs.n_active += (size_t)job_is_active(q) - (size_t)was_active;
	if (was_active && !job_is_active(q))
		submit_backoff_wake(b, q);
	queue_entry_touch(b, q);
}

static void set_text(char **to, const char *text)
{
	if (str_eq(*to, text) || (!*to && !*text))
		return;
	free(*to);
	*to = *text ? strdup(text) : NULL;
}

/* True if `nodes` are those that are known of the job, or none are known. */
static bool are_its_nodes(const struct queue_entry *q, const char *nodes)
{
	_cleanup_hostlist_ struct hostlist had = {0}, has = {0};
	bool same;

	if (q->nodes.names || !q->nodes.layout)
		return !q->nodes.names;
	if (allocation_nodes(q, &had) || hostlist_expand(nodes, &has, NULL))
		return false;
	hostlist_sort(&had);
	hostlist_sort(&has);
	same = had.n == has.n;
	for (size_t i = 0; i < has.n && same; i++)
		same = !strcmp(had.names[i], has.names[i]);
	return same;
}

/*
 * Take other nodes over: the job was put back, and has started elsewhere, or
 * its owner has taken nodes from it while it runs (scontrol update NumNodes=1).
 */
static void set_nodes(struct bridge *b, struct queue_entry *q,
		      const char *nodes)
{
	if (str_eq(q->nodes.names, nodes))
		return;
	if (!q->nodes.names && started_after_its_pods(q))
		starts_after_its_pods(q);
	if (!are_its_nodes(q, nodes)) {
		forget_nodes(q);
		q->nodes.others_at = clock_ms();
		/* Unsent bindings are for nodes that the job may have lost. */
		bridge_requests_unbind(b->requests, q->job.id);
		queue_entry_bind_again(q);
	}
	set_text(&q->nodes.names, nodes);
	q->sight.looked = false; /* the group's pods may be elsewhere */
	queue_entry_touch(b, q);
}

/*
 * Make this job the group's. `anew`: external_creations.anew when the job was
 * told names of nodes; 0: perhaps before this engine began.
 */
static void adopt(struct bridge *b, struct queue_entry *q,
		  const struct known_placeholder *k, uint32_t job_id,
		  unsigned int anew)
{
	if (q->job.id != job_id) {
		/* The job is a new one, and not the former one put back. */
		set_state(b, q, PLACEHOLDER_NONE, q->job.end);
		bridge_requests_unbind(b->requests, q->job.id);
		q->job.id = job_id;
		q->job.by_us = q->launch.twice = false;
		queue_entry_act_again(q);
		q->update.at = 0;
		q->update.anew = anew;
		q->update.lacks = 0;
		q->job.requeued = false;
		q->nodes.others_at = 0;
		forget_nodes(q);
		queue_entry_touch(b, q);
	}
	q->job.by_us |= k->again;
	q->job.other_scheduler = k->other;
	q->job.made_for = k->pods;
	q->job.made_nodes = k->nodes;
	q->job.made_cpus = k->cpus;
	str_copy(q->job.options_digest, k->options_digest,
		 sizeof(q->job.options_digest));
	str_copy(q->job.uid, k->uid, sizeof(q->job.uid));
}

/* --- a list of all jobs */

/* True if *p, and not the group's other job, is the one to keep. */
static bool is_better(struct bridge *b, struct queue_entry *q,
		      const struct placed *p)
{
	const struct duplicate_job fresh = {
		.job = placed_state_of(&p->status),
		.job_id = p->job_id,
		.bound = bound_by(b, q, p->job_id),
	};
	const struct duplicate_job old = {
		.job = q->job.state,
		.job_id = q->job.id,
		.bound = bound_by(b, q, q->job.id),
	};

	return placeholder_to_keep(&fresh, &old);
}

static bool is_active(enum placeholder_state job)
{
	return job >= PLACEHOLDER_PENDING && job < PLACEHOLDER_COMPLETING;
}

/*
 * True if the group has a later job than *p, which has ended: Slurm keeps ended
 * jobs for a while (MinJobAge), and may list them before later ones.
 */
static bool is_earlier_job(const struct bridge *b, const struct queue_entry *q,
			   const struct placed *p)
{
	const struct known_placeholder *k = NULL;

	if (q->job.load == b->jobs.load || p->job_id == q->job.id ||
	    !q->job.id || placed_state_of(&p->status) != PLACEHOLDER_ENDED)
		return false;
	HASH_FIND(hh, b->jobs.identities, &q->job.id, sizeof(q->job.id), k);
	return k && k->load == b->jobs.load && !strcmp(k->key, q->key);
}

static void take(struct bridge *b, struct queue_entry *q,
		 const struct known_placeholder *k, const struct placed *p)
{
	const enum placeholder_state job = placed_state_of(&p->status);

	if (is_earlier_job(b, q, p))
		return;
	if (q->job.load == b->jobs.load) {
		/* A job for unseen pods is no duplicate to cancel. */
		if (!is_better(b, q, p)) {
			if (is_active(job) && !k->other)
				q->job.duplicate = p->job_id;
			return;
		}
		q->job.duplicate =
			is_active(q->job.state) && !q->job.other_scheduler
				? q->job.id
				: 0;
	} else {
		q->job.duplicate = 0;
	}
	q->job.load = b->jobs.load;
	adopt(b, q, k, p->job_id, 0);
	q->job.requeued |= p->restarts > 0;
	if (q->job.start_s != p->start || !str_eq(q->job.reason, p->reason)) {
		if (placeholder_waits(job))
			queue_entry_touch(b, q);
		q->job.start_s = p->start;
	}
	set_text(&q->job.reason, p->reason);
	set_state(b, q, job, placed_end_of(&p->status));
	if (job == PLACEHOLDER_RUNNING) {
		set_nodes(b, q, p->nodes);
		q->nodes.has = p->has;
	}
	if (q->job.duplicate)
		queue_entry_touch(b, q);
}

static void take_all(struct bridge *b)
{
	const size_t n = ctl_placeholders_count(b->jobs.list);

	b->jobs.load++;
	for (size_t i = 0; i < n; i++) {
		const struct placed *p = ctl_placeholders_at(b->jobs.list, i);
		struct known_placeholder *k = known_of(b, p);

		if (!k)
			continue;
		k->load = b->jobs.load;
		k->exclude = p->exclude;
	}
	for (size_t i = 0; i < n; i++) {
		const struct placed *p = ctl_placeholders_at(b->jobs.list, i);
		struct known_placeholder *k = known_of(b, p);
		struct queue_entry *q;

		if (!k || !*k->key || k->lost)
			continue;
		/*
		 * An ended job matters only to a group that is known: no entry
		 * is made for it.
		 */
		q = p->status.state == PLACED_ENDED
			    ? queue_entry_find(b, k->key)
			    : queue_entry_get(b, k->key);
		if (q)
			take(b, q, k, p);
	}
	forget_gone(b);
	for (struct queue_entry *q = b->queue; q; q = q->hh.next)
		if (q->job.load != b->jobs.load) {
			q->job.duplicate = 0;
			set_state(b, q, PLACEHOLDER_NONE, q->job.end);
		}
}

static void answered(struct bridge *b, bool known, const struct err *err)
{
	if (known == b->jobs.known)
		return;
	b->jobs.known = known;
	if (!known)
		log_warn("the bridge waits for slurmctld: %s", err->msg);
	for (struct queue_entry *q = b->queue; q; q = q->hh.next)
		queue_entry_touch(b, q);
}

static void load(struct bridge *b)
{
	const struct placed_known known = {known_has, b};
	struct err err = {0};
	const int64_t begin = clock_ms();
	int64_t took;
	int rc;

	/* Without an earlier list slurmctld sends all jobs, changed or not. */
	if (placeholders_lack_a_reason(b)) {
		ctl_placeholders_free(b->jobs.list);
		b->jobs.list = NULL;
		b->jobs.reasons_at = begin;
	}
	rc = ctl_placeholders_load(b->external.reader, &b->jobs.list, &known,
				   &err);
	b->jobs.loaded_at = clock_ms();
	if (rc >= 0) {
		b->jobs.stale = false;
		b->jobs.lists++;
	}
	if (rc > 0) {
		took = b->jobs.loaded_at - begin;
		/* The shorter of two counts: one may be slow by chance. */
		b->jobs.load_took =
			took < b->jobs.load_before ? took : b->jobs.load_before;
		b->jobs.load_before = took;
		take_all(b);
	}
	answered(b, rc >= 0, &err);
}

void placeholders_reload(struct bridge *b)
{
	ctl_placeholders_free(b->jobs.list);
	b->jobs.list = NULL;
	load(b);
}

/* --- the small RPC */

static int ask_states(struct bridge *b, const uint32_t *ids, size_t n,
		      struct placed_status *out)
{
	struct err err = {0};
	int rc = ctl_placeholder_states(ids, n, out, &err);

	if (rc == -EOPNOTSUPP)
		b->jobs.no_states = true;
	else if (rc)
		log_debug("%s", err.msg);
	return rc;
}

/* Take a job's state over. Only a list tells how a job has ended. */
static void take_state(struct bridge *b, struct queue_entry *q,
		       const struct placed_status *s)
{
	const enum placeholder_state job = placed_state_of(s);

	/* Only a job's priority, which a list tells, says that it is held. */
	if (job == PLACEHOLDER_PENDING && q->job.state == PLACEHOLDER_HELD)
		return;
	if (job == q->job.state || job == PLACEHOLDER_NONE) {
		b->jobs.stale |= job == PLACEHOLDER_NONE;
		return;
	}
	/* The nodes of a running job are asked for when they are needed. */
	b->jobs.stale |= job != PLACEHOLDER_RUNNING;
	set_state(b, q, job, placed_end_of(s));
}

/* Ask for the states of the jobs that `which` chooses. Negative: no answer. */
static int look_at_states(struct bridge *b,
			  bool (*which)(const struct queue_entry *q))
{
	_cleanup_free_ uint32_t *ids =
		calloc(b->jobs.n_active + 1, sizeof(*ids));
	_cleanup_free_ struct queue_entry **of =
		calloc(b->jobs.n_active + 1, sizeof(struct queue_entry *));
	_cleanup_free_ struct placed_status *out =
		calloc(b->jobs.n_active + 1, sizeof(*out));
	size_t n = 0;
	int rc;

	if (!ids || !of || !out)
		return -ENOMEM;
	for (struct queue_entry *q = b->queue; q && n < b->jobs.n_active;
	     q = q->hh.next) {
		if (!which(q))
			continue;
		of[n] = q;
		ids[n++] = q->job.id;
	}
	rc = n ? ask_states(b, ids, n, out) : 0;
	for (size_t i = 0; i < n && !rc; i++)
		take_state(b, of[i], &out[i]);
	return rc;
}

void placeholders_refresh(struct bridge *b)
{
	const int64_t now = clock_ms();

	if (b->jobs.known && !b->jobs.no_states && b->jobs.n_active &&
	    now >= placeholders_states_at(b)) {
		look_at_states(b, job_is_active);
		b->jobs.states_at = clock_ms();
		b->jobs.states_took = b->jobs.states_at - now;
	}
	if (now >= placeholders_list_at(b))
		load(b);
}

/* --- jobs that are a moment old */

void placeholders_submitted(struct bridge *b, struct queue_entry *q,
			    uint32_t job_id, const struct job_identity *id)
{
	struct known_placeholder *k = NULL;

	HASH_FIND(hh, b->jobs.identities, &job_id, sizeof(job_id), k);
	if (k) /* the number was an earlier job's */
		known_drop(b, k);
	k = known_new(b, job_id, id);
	if (!k) {
		b->jobs.stale = true;
		return;
	}
	k->load = b->jobs.load;
	k->made = true;
	adopt(b, q, k, job_id, b->external.creations.anew);
	q->job.load = b->jobs.load;
	q->job.end = PLACEHOLDER_NOT_ENDED;
	set_text(&q->job.reason, "");
	q->job.start_s = 0;
	set_state(b, q, PLACEHOLDER_PENDING, PLACEHOLDER_NOT_ENDED);
	q->job.state_at = clock_ms();
	if (b->jobs.n_fresh < BRIDGE_FRESH_MAX)
		b->jobs.fresh[b->jobs.n_fresh++] = job_id;
}

void placeholders_held(struct bridge *b, struct queue_entry *q,
		       const char *reason)
{
	set_text(&q->job.reason, reason);
	set_state(b, q, PLACEHOLDER_HELD, q->job.end);
	b->jobs.stale = true;
}

struct queue_entry *placeholders_queued_of(struct bridge *b, uint32_t job_id)
{
	struct known_placeholder *k = NULL;
	struct queue_entry *q;

	HASH_FIND(hh, b->jobs.identities, &job_id, sizeof(job_id), k);
	q = k && *k->key ? queue_entry_find(b, k->key) : NULL;
	return q && q->job.id == job_id ? q : NULL;
}

static bool has_nodes(const struct queue_entry *q)
{
	return had_nodes(q->job.state);
}

static bool any_started(const struct placed_status *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (s[i].state == PLACED_RUNNING)
			return true;
	return false;
}

/*
 * Ask for the states of the fresh jobs, and, if one has started, of all jobs
 * that had nodes: it may have the CPUs of jobs that have ended since they were
 * looked at, and whose pods are still there (see nodes_are_free()).
 */
static int ask_fresh(struct bridge *b, size_t n,
		     struct placed_status out[BRIDGE_FRESH_MAX])
{
	const int rc = b->jobs.no_states ? -EOPNOTSUPP
					 : ask_states(b, b->jobs.fresh, n, out);

	return rc || !any_started(out, n) ? rc : look_at_states(b, has_nodes);
}

void placeholders_look_at_fresh(struct bridge *b)
{
	struct placed_status out[BRIDGE_FRESH_MAX];
	const size_t n = b->jobs.n_fresh;
	size_t running = 0;

	b->jobs.n_fresh = 0;
	b->jobs.hurry_until = clock_ms() + HURRY_MS;
	ctl_schedule();
	if (ask_fresh(b, n, out)) {
		b->jobs.stale = true; /* a list follows when due */
		placeholders_refresh(b);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		struct queue_entry *q =
			placeholders_queued_of(b, b->jobs.fresh[i]);

		if (q)
			take_state(b, q, &out[i]);
		running += q && q->job.state == PLACEHOLDER_RUNNING;
	}
	/* The nodes of a few jobs are asked for one by one. */
	if (running > LAYOUTS_MAX && b->jobs.load_took <= LOAD_CHEAP_MS)
		load(b);
}

void placeholders_look_for_room(struct bridge *b)
{
	if (b->jobs.freed)
		ctl_schedule();
	b->jobs.freed = false;
}

void placeholders_free(struct bridge *b)
{
	struct known_placeholder *k = NULL, *next = NULL;

	HASH_ITER(hh, b->jobs.identities, k, next)
	{
		known_drop(b, k);
	}
	ctl_placeholders_free(b->jobs.list);
}

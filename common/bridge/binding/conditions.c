/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What waiting pods are told: seldom, and nothing twice. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/backoff.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "bridge/binding/binding.h"
#include "bridge/intake/owners.h"
#include "objects/scheduling_group.h"
#include "slurm/job_advice.h"

#define UNSCHEDULABLE "Unschedulable" /* kube-scheduler's reason, too */
#define WAIT_FIRST_MS 1000 /* least age of a state that pods are told */
#define WAIT_AGAIN_MS 5000 /* least time between two notes to pods */
#define WORDS_MAX 640
#define NO_ROOM_MS 30000     /* pause while the table of requests is full */
#define FAILED_MIN_MS 5000   /* first pause after a note that failed */
#define FAILED_MAX_MS 600000 /* longest pause, after such notes in a row */
#define GROUP_AGAIN_MS 30000 /* until a PodGroup is written once more */

/*
 * --- PodGroups of the built-in API, as kube-scheduler tells theirs
 *
 * All pods of a PodGroup name the same scheduler, or kube-scheduler places none
 * of them (validatePodGroup() of its schedule_one_podgroup.go). So whose a
 * PodGroup is need not be looked for among all pods of the namespace: it is
 * ours when enough of our pods are there and nobody else has written of it.
 */

static void write_group(struct bridge *b, const json_object *group,
			bool scheduled, const char *message)
{
	json_object *meta = jx_get(group, "metadata");
	const struct pod_ref ref = {jx_str(meta, "namespace"),
				    jx_str(meta, "name"), jx_str(meta, "uid")};
	const char *api = jx_str(group, "apiVersion");
	const char *version = api ? strrchr(api, '/') : NULL;
	const struct scheduling_group_note note = {
		.version = version ? version + 1 : NULL,
		.uid = ref.uid,
		.resource_version = jx_str(meta, "resourceVersion"),
		.generation = jx_int(jx_get(meta, "generation"), 0),
		.status = jx_get(group, "status"),
		.scheduled = scheduled,
		.message = message,
		.at_ms = clock_real_ms(),
	};
	json_object *patch;

	if (!ref.ns || !ref.name || !ref.uid || !note.version ||
	    !note.resource_version || scheduling_group_is_foreign(note.status))
		return;
	patch = scheduling_group_patch(&note);
	if (patch)
		bridge_requests_group(b->requests, &ref, note.version, patch);
}

static uint32_t bound_of(const struct group_counts *p)
{
	return p->live + p->leaving - p->away + p->succeeded + p->failed;
}

/* Tell the PodGroup why its pods wait, or are refused. */
static void tell_group(struct bridge *b, const struct workload *of,
		       const struct group_counts *p, const char *words)
{
	_cleanup_json_ json_object *o = NULL;

	if (of->kind == WORKLOAD_GROUP &&
	    !owners_get(b->objects, of->kind, of->ns, of->name, &o, NULL) &&
	    scheduling_group_is_enough(o, p->waiting + p->gated + bound_of(p)))
		write_group(b, o, false, words);
}

void write_group_scheduled(struct bridge *b, struct queue_entry *q,
			   const struct pod_group *g,
			   const struct group_view *view)
{
	const struct workload *of = &g->of;
	const char *name = of->kind == WORKLOAD_GROUP ? of->name : of->group;
	const uint32_t bound = bound_of(&view->pods);
	_cleanup_json_ json_object *o = NULL;
	char words[96];

	if (!*name || !bound || !job_is_active(q) ||
	    q->scheduled.job == q->job.id || clock_ms() < q->scheduled.at ||
	    owners_get(b->objects, WORKLOAD_GROUP, of->ns, name, &o, NULL))
		return;
	if (scheduling_group_is_scheduled(jx_get(o, "status")) ||
	    scheduling_group_is_foreign(jx_get(o, "status"))) {
		q->scheduled.job = q->job.id;
		return;
	}
	if (!scheduling_group_is_enough(o, bound))
		return;
	snprintf(words, sizeof(words), "Slurm job %u has started", q->job.id);
	write_group(b, o, true, words);
	q->scheduled.at = clock_ms() + GROUP_AGAIN_MS;
	queue_entry_later(b, q, GROUP_AGAIN_MS);
}

/* --- pods */

/*
 * What has to change before a job can start. NULL: nothing. What Slurm says of
 * one of several partitions, or of the longer of two times, keeps no job back.
 */
static const char *advice_of(const struct group_observation *j)
{
	const struct placeholder *p = &j->order.p;
	const char *reason = j->view.reason;

	if (j->plan.action != GROUP_NOTE)
		return NULL;
	if (reason && str_starts(reason, "Partition") &&
	    (p->time_min || (p->partition && strchr(p->partition, ','))))
		return NULL;
	return job_advice_for_reason(reason);
}

/*
 * "Slurm: job 12 waits: Resources; it should start at 2026-...", or what has to
 * change before it can.
 */
static void write_words(const struct group_observation *j, char out[WORDS_MAX])
{
	const struct group_view *v = &j->view;
	const char *advice = advice_of(j);
	char date[CLOCK_RFC3339_MAX] = "";

	if (j->plan.action == GROUP_NOTE && v->start_s)
		clock_write_rfc3339(v->start_s * 1000, date);
	if (j->plan.action == GROUP_REFUSE && v->refusal)
		snprintf(out, WORDS_MAX, "Slurm: %.600s", v->refusal);
	else if (advice)
		snprintf(out, WORDS_MAX,
			 "Slurm: %s; it cannot start as it is: %s",
			 j->plan.words, advice);
	else
		snprintf(out, WORDS_MAX, "Slurm: %s%s%s", j->plan.words,
			 *date ? "; it should start at " : "", date);
}

/*
 * A sum of the words and of the pods that get them: a pod that takes another's
 * place makes it differ.
 */
static uint32_t sum_of(const char *words, const struct pod_selection *pods)
{
	const uint32_t sum = str_hash(STR_HASH ^ pod_selection_sum(pods), words,
				      strlen(words));

	return sum ? sum : 1;
}

/* True if it is too early to tell pods: the state may be over in a moment. */
static bool is_early(struct bridge *b, struct queue_entry *q,
		     const struct group_observation *j)
{
	const int64_t now = clock_ms();
	int64_t at = q->row.at + WAIT_FIRST_MS;

	if (j->plan.action == GROUP_NOTE) /* note_is_due() has waited */
		return false;
	if (j->plan.action == GROUP_REFUSE)
		at = 0;
	if (q->told.sum && q->told.at + WAIT_AGAIN_MS > at)
		at = q->told.at + WAIT_AGAIN_MS;
	if (now >= at)
		return false;
	queue_entry_later(b, q, at - now);
	return true;
}

/* Begin another round, if these words are not those of the last one. */
static void begin_round(struct queue_entry *q, const char *words)
{
	const uint32_t sum = str_hash(STR_HASH, words, strlen(words));

	if (q->scheduled.round && q->told.sum && q->told.words == sum)
		return;
	q->told.words = sum;
	q->scheduled.round =
		q->scheduled.round < UINT32_MAX ? q->scheduled.round + 1 : 1;
}

/*
 * Note that the pod has been told the words of this round; 0: of none. Under
 * the lock.
 */
static void set_told(struct bridge *b, const char *uid, uint32_t round)
{
	struct group_pod *m = pod_groups_pod(b->groups, uid);

	if (m)
		m->told = round;
}

/* Note which pods were told, so that they are not again when others come. */
static void end_round(struct bridge *b, const struct queue_entry *q,
		      const struct pod_selection *pods)
{
	pod_groups_lock(b->groups);
	for (size_t i = 0; i < pods->n; i++)
		set_told(b, pods->v[i].uid, q->scheduled.round);
	pod_groups_unlock(b->groups);
}

static void remember(struct queue_entry *q, const struct group_observation *j,
		     uint32_t sum, const struct pod_selection *pods)
{
	const struct group_view *v = &j->view;

	q->told.sum = sum;
	q->told.pods = pod_selection_sum(pods);
	q->told.at = clock_ms();
	free(q->told.reason);
	q->told.reason = NULL;
	if (j->plan.action != GROUP_NOTE)
		return;
	q->told.reason = strdup(v->reason);
	q->told.start_s = v->start_s;
}

void note_failed(struct bridge *b, const char *uid)
{
	const int64_t now = clock_ms();
	struct queue_entry *q = queue_entry_of_pod(b, uid);

	pod_groups_lock(b->groups);
	set_told(b, uid, 0);
	pod_groups_unlock(b->groups);
	if (!q)
		return;
	q->told.again_at = backoff_until(now, q->told.again_at, &q->told.failed,
					 FAILED_MIN_MS, FAILED_MAX_MS);
	queue_entry_later(b, q, q->told.again_at - now);
}

void write_conditions(struct bridge *b, struct queue_entry *q,
		      const struct group_observation *j,
		      const struct pod_selection *pods)
{
	const bool refuses = j->plan.action == GROUP_REFUSE;
	const bool first = !q->told.sum;
	char words[WORDS_MAX];
	bool taken = true;
	uint32_t sum;

	if (j->plan.action == GROUP_WAIT && !strcmp(j->plan.row, "no room yet"))
		queue_entry_later(b, q, 200);
	write_words(j, words);
	sum = sum_of(words, pods);
	if ((sum == q->told.sum && !queue_entry_tells_again(q)) ||
	    is_early(b, q, j)) {
		if (j->plan.action == GROUP_NOTE)
			remember(q, j, sum, pods);
		return;
	}
	begin_round(q, words);
	for (size_t i = 0; i < pods->n; i++) {
		const struct selected_pod *c = &pods->v[i];
		const struct pod_ref ref = {c->ns, c->name, c->uid};
		const struct pod_patch note = {
			.job_id = job_is_active(q) && !j->view.other_scheduler
					  ? q->job.id
					  : 0,
			.reason = UNSCHEDULABLE,
			.message = words,
			.since_ms = first ? clock_real_ms() : 0,
			.queue = words + sizeof("Slurm: ") - 1,
		};

		if (c->told == q->scheduled.round)
			continue;
		taken &= bridge_requests_note(b->requests, &ref, &note);
		if (taken && (refuses || j->too_many))
			bridge_requests_event(b->requests, &ref, true,
					      refuses ? "Refused by Slurm"
						      : j->too_many,
					      words);
	}
	if (!taken) { /* no room for some notes: all are sent once more */
		queue_entry_later(b, q, NO_ROOM_MS);
		return;
	}
	end_round(b, q, pods);
	if (refuses || j->plan.action == GROUP_NOTE)
		tell_group(b, &j->order.id.of, &j->view.pods, words);
	if (refuses && sum != q->told.sum)
		group_log(b, LOG_LEVEL_INFO, &j->order.id.of, words);
	remember(q, j, sum, pods);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What waiting pods are told: seldom, and nothing twice. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "engine/bridge_internal.h"

#define UNSCHEDULABLE "Unschedulable" /* as kube-scheduler's */
#define WAIT_FIRST_MS 1000	      /* it may be over by then */
#define WAIT_AGAIN_MS 5000
#define WORDS_MAX 640

/* "Slurm job 12 waits: Resources; it should start at 2026-..." */
static void write_words(const struct judged *j, char out[WORDS_MAX])
{
	const struct bridge_view *v = &j->view;
	char date[CLOCK_RFC3339_MAX] = "";

	if (j->plan.action == BRIDGE_NOTE && v->start_s)
		clock_write_rfc3339(v->start_s * 1000, date);
	if (j->plan.action == BRIDGE_REFUSE && v->refusal)
		snprintf(out, WORDS_MAX, "Slurm: %.600s", v->refusal);
	else
		snprintf(out, WORDS_MAX, "Slurm: %s%s%s", j->plan.words,
			 *date ? "; it should start at " : "", date);
}

static uint32_t pods_of(const struct choice *pods)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < pods->n; i++)
		sum += pod_sum(pods->v[i].uid);
	return sum;
}

/* Of the words and of who is told: one that takes another's place is news. */
static uint32_t sum_of(const char *words, const struct choice *pods)
{
	const uint32_t sum =
		str_hash(STR_HASH ^ pods_of(pods), words, strlen(words));

	return sum ? sum : 1;
}

/* Not yet: it may be over in a moment. */
static bool is_early(struct bridge_thread *b, struct queued *q,
		     const struct judged *j)
{
	const int64_t now = clock_ms();
	int64_t at = q->row_at + WAIT_FIRST_MS;

	if (j->plan.action == BRIDGE_NOTE) /* the plan has seen to it */
		return false;
	if (j->plan.action == BRIDGE_REFUSE)
		at = 0;
	if (q->told.sum && q->told.at + WAIT_AGAIN_MS > at)
		at = q->told.at + WAIT_AGAIN_MS;
	if (now >= at)
		return false;
	queued_later(b, q, at - now);
	return true;
}

static void remember(struct queued *q, const struct judged *j, uint32_t sum,
		     const struct choice *pods)
{
	const struct bridge_view *v = &j->view;

	q->told.sum = sum;
	q->told.pods = pods_of(pods);
	q->told.at = clock_ms();
	free(q->told.reason);
	q->told.reason = NULL;
	if (j->plan.action != BRIDGE_NOTE)
		return;
	q->told.reason = strdup(v->reason);
	q->told.start_s = v->start_s;
}

void tell_pods(struct bridge_thread *b, struct queued *q,
	       const struct judged *j, const struct choice *pods)
{
	const bool refuses = j->plan.action == BRIDGE_REFUSE;
	const bool first = !q->told.sum;
	char words[WORDS_MAX];
	uint32_t sum;

	if (j->plan.action == BRIDGE_WAIT &&
	    !strcmp(j->plan.row, "no room yet"))
		queued_later(b, q, 200);
	write_words(j, words);
	sum = sum_of(words, pods);
	if (sum == q->told.sum || is_early(b, q, j)) {
		if (j->plan.action == BRIDGE_NOTE)
			remember(q, j, sum, pods);
		return;
	}
	for (size_t i = 0; i < pods->n; i++) {
		const struct chosen *c = &pods->v[i];
		const struct bridge_ref ref = {c->ns, c->name, c->uid};
		const struct bridge_note note = {
			.job_id = job_is_active(q) ? q->job_id : 0,
			.reason = UNSCHEDULABLE,
			.message = words,
			.since_ms = first ? clock_real_ms() : 0,
			.queue = words + sizeof("Slurm: ") - 1,
		};

		bridge_work_note(b->work, &ref, &note);
		if (refuses)
			bridge_work_event(b->work, &ref, true,
					  "Refused by Slurm", words);
	}
	if (refuses)
		log_info("bridge: %zu pods of %s: %s", pods->n, q->key, words);
	remember(q, j, sum, pods);
}

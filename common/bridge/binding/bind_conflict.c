/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What becomes of a binding that the API server has refused. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/backoff.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "bridge/binding/binding.h"

/* First and longest pause until pods that were not bound are tried again */
#define CONFLICT_MIN_MS 2000
#define CONFLICT_MAX_MS 60000
#define DENIED_WORDS_MAX 190 /* all words have BRIDGE_WORDS_MAX at most */

/*
 * Note that somebody else has bound a pod: it is where its job is not, so the
 * job ends (group_decide(), "taken"), and the pod is left alone, without that
 * job's id.
 */
static void was_taken(struct bridge *b, struct queue_entry *q,
		      const struct bridge_request_failure *f)
{
	const struct pod_patch note = {.bound = true, .queue = ""};
	struct group_pod *m;
	char words[BRIDGE_WORDS_MAX + 64], group[BRIDGE_KEY_MAX];

	snprintf(words, sizeof(words),
		 "bound by somebody else (%s), so Slurm job %u is cancelled",
		 f->words, (unsigned)q->job.id);
	pod_groups_mark(q->key, group);
	log_warn("bridge: %s: a pod was %s", group, words);
	q->bound.taken = q->job.id;
	/* write_disowned() repeats the note if it is not seen by then. */
	q->disowned.at = clock_ms() + DISOWN_MIN_MS;
	queue_entry_touch(b, q);
	pod_groups_lock(b->groups);
	m = pod_groups_pod(b->groups, f->uid);
	if (m) {
		const struct pod_ref ref = {m->pod->ns, m->pod->name,
					    m->pod->uid};

		m->foreign = true;
		bridge_requests_note(b->requests, &ref, &note);
		bridge_requests_event(b->requests, &ref, true,
				      "Bound by others", words);
	}
	pod_groups_unlock(b->groups);
}

/* True if the same binding would get the same answer again. */
static bool is_denial(int http)
{
	return http == 400 || http == 403 || http == 422;
}

/* Words without the request that they begin with ("POST /api/v1...: "). */
static const char *answer_in(const char *words)
{
	const char *at = strchr(words, '/');

	at = at ? strstr(at, ": ") : NULL;
	return at ? at + 2 : words;
}

/*
 * Note the words of a denial, for bind_pods(). Their end is kept, as a policy
 * or webhook says there why.
 */
static void was_denied(struct queue_entry *q,
		       const struct bridge_request_failure *f)
{
	char words[BRIDGE_WORDS_MAX - 32], why[DENIED_WORDS_MAX];

	str_shorten(why, answer_in(f->words), sizeof(why));
	snprintf(words, sizeof(words), "Kubernetes refuses to bind it: %s",
		 why);
	free(q->bound.denied);
	q->bound.denied = strdup(words);
	if (!q->bound.denied_at)
		q->bound.denied_at = clock_ms();
}

void bind_failed(struct bridge *b, struct queue_entry *q,
		 const struct bridge_request_failure *f)
{
	char group[BRIDGE_KEY_MAX];
	int64_t ms;

	q->bound.refused = true;
	if (f->look == POD_READ_OTHERS) {
		was_taken(b, q, f);
		return;
	}
	if (f->look == POD_READ_EARLIER) { /* the watch will show its node */
		pod_groups_mark(q->key, group);
		log_info("bridge: %s: an earlier binding has put a pod there "
			 "(%s), to which there was no answer",
			 group, f->words);
		queue_entry_touch(b, q);
		return;
	}
	q->bound.until = 0;
	if (is_denial(f->http))
		was_denied(q, f);
	else if (f->look != POD_READ_FREE)
		return;
	/* A job is given back right after a denial, without a pause. */
	ms = queue_entry_is_denied(q)
		     ? 0
		     : backoff_doubled(CONFLICT_MIN_MS, q->bound.tries,
				       CONFLICT_MAX_MS);
	q->bound.until = clock_ms() + ms;
	queue_entry_later(b, q, ms);
}

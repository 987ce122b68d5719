/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pods that somebody else has bound in the very moment in which they were
 * marked as ours. Any engine sees on each of them that they are not ours (see
 * struct bridged_pod); the notes of this file are for people, and for other
 * programs.
 */
#include "base/backoff.h"
#include "base/clock.h"
#include "base/log.h"
#include "bridge/binding/binding.h"

static bool is_told(const struct bridged_pod *p)
{
	return p->disowned && !p->ended && !p->deleting;
}

static const struct group_pod *next_of(const struct group_pod *m)
{
	while (m && !is_told(m->pod))
		m = m->next;
	return m;
}

void write_disowned(struct bridge *b, struct queue_entry *q,
		    const struct pod_group *g)
{
	const struct pod_patch note = {.bound = true, .queue = ""};
	const struct group_pod *m = next_of(g->members);
	const int64_t now = clock_ms();
	int64_t ms;

	if (!m) {
		q->disowned.tries = 0;
		return;
	}
	if (now < q->disowned.at) {
		queue_entry_later(b, q, q->disowned.at - now);
		return;
	}
	ms = backoff_doubled(DISOWN_MIN_MS, q->disowned.tries++, DISOWN_MAX_MS);
	log_info("bridge: pod %s/%s is on %s, by somebody else, and says that "
		 "we bound it: it is told better",
		 m->pod->ns, m->pod->name, m->pod->node);
	for (; m; m = next_of(m->next)) {
		const struct pod_ref ref = {m->pod->ns, m->pod->name,
					    m->pod->uid};

		bridge_requests_note(b->requests, &ref, &note);
	}
	q->disowned.at = now + ms;
	queue_entry_later(b, q, ms);
}

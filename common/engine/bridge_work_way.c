/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bindings on their way: to be sent, or sent and not in view yet. */
#include "base/clock.h"
#include "engine/bridge_work_internal.h"

void bridge_work_each_sent(struct bridge_work *w,
			   bool (*keep)(void *arg,
					const struct bridge_sent *one),
			   void *arg)
{
	pthread_mutex_lock(&w->lock);
	sent_each(&w->sent_bindings, keep, arg);
	pthread_mutex_unlock(&w->lock);
}

void bridge_work_each_way(struct bridge_work *w,
			  void (*look)(void *arg,
				       const struct bridge_sent *one),
			  void *arg)
{
	const int64_t now = clock_ms();
	const struct bridge_sent *s;

	pthread_mutex_lock(&w->lock);
	for (s = w->sent_bindings; s; s = s->hh.next)
		if (now < s->until)
			look(arg, s);
	for (const struct deed *d = w->deeds; d; d = d->hh.next) {
		if (d->what != DEED_BIND)
			continue;
		HASH_FIND_STR(w->sent_bindings, d->uid, s);
		if (!s || now >= s->until)
			look(arg, &(struct bridge_sent){.uid = d->uid,
							.node = d->node,
							.job_id = d->job_id});
	}
	pthread_mutex_unlock(&w->lock);
}

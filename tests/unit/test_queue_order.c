/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Namespaces take turns, by the time that looks at their groups take. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bridge/reconcile/reconcile.h"
#include "t.h"

#define MANY 200

static int64_t now;

int64_t __wrap_clock_ms(void);
int64_t __wrap_clock_ms(void)
{
	return now;
}

void queue_entry_later(struct bridge *b, struct queue_entry *q, int64_t ms)
{
	(void)b;
	(void)q;
	(void)ms;
}

static struct queue_entry *group(struct bridge *b, const char *ns, int i)
{
	struct queue_entry *q = calloc(1, sizeof(*q) + 64);

	snprintf(q->key, 64, "Pod %s p%d u%d", ns, i, i);
	queue_entry_touch(b, q);
	queue_entry_touch(b, q); /* once is enough */
	return q;
}

/* A look at the next one, which takes so long; its name in `out`. */
static bool look(struct bridge *b, int64_t ms, char out[64])
{
	struct queue_entry *q = queue_turn_begin(b);

	*out = '\0';
	if (!q)
		return false;
	str_copy(out, q->key, 64);
	now += ms;
	queue_turn_end(b);
	free(q);
	return true;
}

static void a_namespace_with_many_groups_does_not_delay_others(void)
{
	struct bridge b = {0};
	char key[64];
	int at = -1;

	for (int i = 0; i < MANY; i++)
		group(&b, "noisy", i);
	group(&b, "quiet", 0);
	T_INT(b.turns.n_touched, MANY + 1);
	for (int i = 0; look(&b, 100, key); i++)
		if (!strcmp(key, "Pod quiet p0 u0"))
			at = i;
	T_INT(at, 1);
	T_INT(b.turns.n_touched, 0);
	T_OK(!b.turns.by_ns);
	queue_turns_free(&b);
}

/* Not group by group: those of which a look is short are many in a turn. */
static void turns_are_of_time(void)
{
	struct bridge b = {0};
	char key[64];
	int64_t noisy = 0, quiet = 0;

	now = 0;
	for (int i = 0; i < MANY; i++) {
		group(&b, "noisy", i);
		group(&b, "quiet", i);
	}
	while (quiet < MANY) {
		struct queue_entry *q = queue_turn_begin(&b);
		const int64_t ms = strstr(q->key, "noisy") ? 50 : 1;

		now += ms;
		*(ms == 1 ? &quiet : &noisy) += ms;
		queue_turn_end(&b);
		free(q);
	}
	T_OK(noisy >= MANY - 50 && noisy <= MANY + 60);
	while (look(&b, 0, key))
		;
}

/* One group only, which is touched again before each pass (see bridge.c). */
static void who_is_touched_again_and_again_delays_nobody_either(void)
{
	struct bridge b = {0};
	struct queue_entry *noisy = group(&b, "noisy", 0);
	int64_t noisy_ms = 0, quiet_ms = 0;

	now = 0;
	for (int i = 0; i < MANY; i++)
		group(&b, "quiet", i);
	while (quiet_ms < MANY) {
		const int64_t pass = now;

		queue_entry_touch(&b, noisy);
		for (int i = 0; i < 32 && now - pass < 100; i++) {
			struct queue_entry *q = queue_turn_begin(&b);
			const int64_t ms = q == noisy ? 50 : 1;

			if (!q)
				break;
			now += ms;
			*(q == noisy ? &noisy_ms : &quiet_ms) += ms;
			queue_turn_end(&b);
			if (q != noisy)
				free(q);
		}
	}
	T_OK(noisy_ms >= MANY - 50 && noisy_ms <= MANY + 60);
	/* (who waits alone waits for nobody, whatever it owes) */
	queue_entry_touch(&b, noisy);
	T_OK(queue_turn_begin(&b) == noisy);
	queue_turn_end(&b);
	T_OK(!b.turns.by_ns);
	free(noisy);
}

static void within_a_namespace_who_came_first_is_first(void)
{
	struct bridge b = {0};
	char key[64], expected[64];

	for (int i = 0; i < 5; i++)
		group(&b, "team-a", i);
	for (int i = 0; i < 5; i++) {
		T_OK(look(&b, 30, key));
		snprintf(expected, sizeof(expected), "Pod team-a p%d u%d", i,
			 i);
		T_STR(key, expected);
	}
	T_OK(!look(&b, 0, key));
}

/* (its own look may touch it, or another one of its namespace) */
static void one_may_be_touched_while_it_is_looked_at(void)
{
	struct bridge b = {0};
	struct queue_entry *q = group(&b, "a", 0), *again;

	again = queue_turn_begin(&b);
	T_OK(again == q && !q->look.touched);
	queue_entry_touch(&b, q);
	queue_turn_end(&b);
	T_OK(queue_turn_begin(&b) == q);
	queue_turn_end(&b);
	T_OK(!queue_turn_begin(&b));
	free(q);
	q = group(&b, "a", 1);
	queue_turns_free(&b); /* at the end of the thread */
	free(q);
}

T_MAIN("queue_order", T(a_namespace_with_many_groups_does_not_delay_others),
       T(turns_are_of_time),
       T(who_is_touched_again_and_again_delays_nobody_either),
       T(within_a_namespace_who_came_first_is_first),
       T(one_may_be_touched_while_it_is_looked_at))

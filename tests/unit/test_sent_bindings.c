/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bridge/requests/sent_bindings.h"

#include <stdio.h>
#include <string.h>

#include "t.h"

static int64_t now = 1000000;

int64_t __wrap_clock_ms(void);
int64_t __wrap_clock_ms(void)
{
	return now;
}

static char said[256];
static const char *seen; /* the uid of a pod whose binding is in view */

static bool say(void *arg, const struct sent_binding *one)
{
	const size_t n = strlen(said);

	(void)arg;
	if (seen && !strcmp(seen, one->uid))
		return false;
	snprintf(said + n, sizeof(said) - n, "%s%s %s %u", n ? ", " : "",
		 one->uid, one->node, (unsigned)one->job_id);
	return true;
}

static const char *all(struct sent_binding **s)
{
	*said = '\0';
	sent_binding_each(s, say, NULL);
	return said;
}

static void what_is_seen_or_sent_anew_is_past(void)
{
	struct sent_binding *s = NULL;

	sent_binding_note(&s, "u1", "n1", 7);
	sent_binding_note(&s, "u2", "n2", 8);
	T_STR(all(&s), "u1 n1 7, u2 n2 8");
	sent_binding_note(&s, "u1", "n3", 9);
	T_STR(all(&s), "u2 n2 8, u1 n3 9");
	seen = "u2";
	T_STR(all(&s), "u1 n3 9");
	seen = NULL;
	T_STR(all(&s), "u1 n3 9");
	sent_binding_free(&s);
	T_STR(all(&s), "");
}

static void an_answer_says_whether_it_may_have_been_carried_out(void)
{
	static const struct {
		enum sent_answer answer;
		int64_t stale_after_ms;
		bool may_be;
		int64_t ms; /* for so long */
	} rows[] = {
		{SENT_DONE, 0, true, 60000},
		{SENT_DONE, 30000, true, 60000},
		/* (that a view is as old is noticed a moment later) */
		{SENT_DONE, 3600000, true, 3620000},
		{SENT_UNCLEAR, 3600000, true, 10000},
		{SENT_REFUSED, 3600000, false, 0},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct sent_binding *s = NULL;

		t_row("%zu", i);
		sent_binding_note(&s, "u1", "n1", 7);
		sent_binding_answered(&s, "u1", rows[i].answer,
				      rows[i].stale_after_ms);
		/* (of nobody's) */
		sent_binding_answered(&s, "u2", rows[i].answer,
				      rows[i].stale_after_ms);
		T_STR(all(&s), rows[i].may_be ? "u1 n1 7" : "");
		now += rows[i].ms - 1;
		T_STR(all(&s), rows[i].may_be ? "u1 n1 7" : "");
		now++;
		T_STR(all(&s), "");
		sent_binding_free(&s);
	}
}

static void nothing_is_believed_for_ever(void)
{
	struct sent_binding *s = NULL;

	sent_binding_note(&s, "u1", "n1", 7);
	now += 20000; /* there is no answer yet */
	T_STR(all(&s), "u1 n1 7");
	now += 5000;
	T_STR(all(&s), "");
	sent_binding_note(&s, "u1", "n1", 7);
	now += 60000;
	sent_binding_note(&s, "u2", "n2", 8); /* nobody has looked meanwhile */
	T_INT(HASH_COUNT(s), 1);
	sent_binding_free(&s);
}

T_MAIN("sent_bindings", T(what_is_seen_or_sent_anew_is_past),
       T(an_answer_says_whether_it_may_have_been_carried_out),
       T(nothing_is_believed_for_ever))

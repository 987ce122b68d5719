/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What waiting pods are told; the rest of the bridge is the test's. */
#include <stdio.h>
#include <string.h>

#include "engine/bridge_internal.h"
#include "t.h"

static int64_t now;
static char told[256], words[256]; /* uids, and what was said last */

int64_t __wrap_clock_ms(void);
int64_t __wrap_clock_ms(void)
{
	return now;
}

void queued_later(struct bridge_thread *b, struct queued *q, int64_t ms)
{
	(void)b;
	q->again_at = now + ms;
}

bool bridge_work_note(struct bridge_work *w, const struct bridge_ref *pod,
		      const struct bridge_note *note)
{
	const size_t n = strlen(told);

	(void)w;
	snprintf(told + n, sizeof(told) - n, "%s ", pod->uid);
	snprintf(words, sizeof(words), "%s", note->message);
	return true;
}

void bridge_work_event(struct bridge_work *w, const struct bridge_ref *pod,
		       bool warning, const char *reason, const char *message)
{
	(void)w;
	(void)pod;
	(void)warning;
	(void)reason;
	(void)message;
}

/* Who is told, of these pods ("u1 u2"), a minute later? */
static const char *tell(struct queued *q, const char *uids, const char *what)
{
	struct chosen v[4] = {{.ns = "ns"}};
	struct choice pods = {.v = v};
	struct bridge_thread b = {0};
	struct judged j = {.plan = {.action = BRIDGE_WAIT, .row = "x"}};

	pods.n = (size_t)sscanf(uids, "%60s %60s %60s", v[0].uid, v[1].uid,
				v[2].uid);
	snprintf(j.plan.words, sizeof(j.plan.words), "%s", what);
	*told = '\0';
	now += 60000;
	tell_pods(&b, q, &j, &pods);
	return told;
}

static void nobody_is_told_twice_and_everybody_once(void)
{
	struct queued *q = calloc(1, sizeof(*q) + 1);

	now = 1000000;
	T_STR(tell(q, "u1 u2", "it waits"), "u1 u2 ");
	T_STR(words, "Slurm: it waits");
	T_STR(tell(q, "u1 u2", "it waits"), "");
	T_STR(tell(q, "u2 u1", "it waits"), "");
	T_STR(tell(q, "u1 u2", "it still waits"), "u1 u2 ");
	/* another pod in the place of the second */
	T_STR(tell(q, "u1 u3", "it still waits"), "u1 u3 ");
	T_STR(tell(q, "u1 u3", "it still waits"), "");
	T_STR(tell(q, "u1", "it still waits"), "u1 ");
	free(q);
}

T_MAIN("bridge_tell", T(nobody_is_told_twice_and_everybody_once))

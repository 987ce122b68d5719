/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pods that a list does not have any more; what the API server says is the
 * test's. */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "pod_groups_fixture.h"

/* --- a Job that is a gang, of pods a1 and a2 */

#define GANG "6 ns j 1-1"
#define DYING ", \"deletionTimestamp\": \"2026-01-01T00:01:00Z\""
#define RUNS "\"phase\": \"Running\""
#define OVER                                                                   \
	"\"phase\": \"Failed\", \"conditions\": [{\"type\": "                  \
	"\"slurm-k8s.io/job\", \"status\": \"True\", \"message\": \"7\"}]"

static void give(void (*to)(void *arg, json_object *object), int i,
		 const char *more, const char *status)
{
	_cleanup_free_ char *text = str_printf(
		"{\"metadata\": {\"name\": \"p%d\", \"namespace\": \"ns\", "
		"\"uid\": \"a%d\", \"annotations\": "
		"{\"job.slurm-k8s.io/gang\": \"true\"}, \"ownerReferences\": "
		"[{\"apiVersion\": \"batch/v1\", \"kind\": \"Job\", "
		"\"controller\": true, \"name\": \"j\", \"uid\": \"1-1\"}]%s}, "
		"\"spec\": {\"schedulerName\": \"s\", \"nodeName\": \"n1\"}, "
		"\"status\": {%s}}",
		i, i, more, status);
	_cleanup_json_ json_object *o = t_parse(text);

	to(pods.to.arg, o);
}

/* So many of them. */
static void list(int n)
{
	pods.to.on_list(pods.to.arg);
	for (int i = 1; i <= n; i++)
		give(pods.to.on_object, i, "", RUNS);
	pods.to.on_synced(pods.to.arg);
}

/* As the bridge's thread finds it. -1: there is no such group any more. */
static int vanished(struct pod_groups *v)
{
	const struct pod_group *g;
	char *keys[8];
	size_t n = pod_groups_take_dirty(v, keys, 8);

	while (n)
		free(keys[--n]);
	g = pod_groups_find(v, GANG);
	return g ? g->vanished && !g->n : -1;
}

static void a_group_that_no_list_has_stays_known(void)
{
	_cleanup_seen_ struct pod_groups *v = seen_begin(NULL);

	T_INT(pod_groups_lists(v), 0);
	list(2);
	T_INT(vanished(v), 0);
	list(0);
	T_INT(pod_groups_lists(v), 2);
	T_INT(vanished(v), 1);
	list(0); /* (another one that has none) */
	T_INT(vanished(v), 1);
	list(1);
	T_INT(vanished(v), 0);
	T_INT(pod_groups_find(v, GANG)->n, 1);
	list(0);
	T_INT(vanished(v), 1);
	/* nobody waits for it any more */
	T_NEED(pod_groups_find(v, GANG));
	pod_groups_forget(v, pod_groups_find(v, GANG));
	T_INT(vanished(v), -1);
}

static void whose_end_was_seen_has_not_vanished(void)
{
	static const struct {
		const char *what;
		int before, after; /* that list, and the next one */
		bool deleting, over, deleted, deleted_then;
		int vanished;
	} rows[] = {
		{"a list has it no more", 1, 0, .vanished = 1},
		{"deleted", 1, 0, .deleted = true, .vanished = -1},
		{"being deleted", 1, 0, .deleting = true, .vanished = -1},
		{"over", 1, 0, .over = true, .vanished = -1},
		{"the other one was deleted", 2, 0, .deleted = true,
		 .vanished = 1},
		{"of two the last one is deleted", 2, 1, .deleted_then = true,
		 .vanished = -1},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_seen_ struct pod_groups *v = seen_begin(NULL);

		t_row("%s", rows[i].what);
		list(rows[i].before);
		if (rows[i].deleting)
			give(pods.to.on_object, 1, DYING, RUNS);
		if (rows[i].over)
			give(pods.to.on_object, 1, "", OVER);
		if (rows[i].deleted)
			give(pods.to.on_delete, 1, "", RUNS);
		list(rows[i].after);
		if (rows[i].deleted_then)
			give(pods.to.on_delete, 1, "", RUNS);
		T_INT(vanished(v), rows[i].vanished);
	}
}

/* True if pod a1 is in view. */
static bool is_there(struct pod_groups *v)
{
	return pod_groups_pod(v, "a1") != NULL;
}

static void counted(struct pod_groups *v, bool job_ends)
{
	struct pod_group *g = pod_groups_find(v, GANG);

	if (T_OK(g))
		pod_groups_counted(v, g, job_ends);
}

/* Its job ends as it did. */
static void who_is_deleted_right_after_its_end_is_looked_at_first(void)
{
	_cleanup_seen_ struct pod_groups *v = seen_begin(NULL);

	list(2);
	give(pods.to.on_object, 1, "", OVER);
	give(pods.to.on_delete, 1, "", OVER);
	give(pods.to.on_delete, 1, "", OVER);
	T_OK(is_there(v));
	T_INT(pod_groups_find(v, GANG)->n, 2);
	counted(v, true); /* (slurmctld may refuse) */
	T_OK(is_there(v));
	counted(v, false);
	T_OK(!is_there(v));
	T_INT(pod_groups_find(v, GANG)->n, 1);
}

static void whose_end_was_looked_at_goes_at_once(void)
{
	_cleanup_seen_ struct pod_groups *v = seen_begin(NULL);

	list(2);
	counted(v, false);
	give(pods.to.on_object, 1, "", OVER);
	counted(v, false);
	T_OK(is_there(v));
	give(pods.to.on_delete, 1, "", OVER);
	T_OK(!is_there(v));
	/* (it has not ended, as far as is known) */
	give(pods.to.on_delete, 2, "", RUNS);
	T_OK(!pod_groups_pod(v, "a2"));
}

static void only_so_many_stay_for_their_end(void)
{
	_cleanup_seen_ struct pod_groups *v = seen_begin(NULL);

	list(1026);
	for (int i = 1; i <= 1025; i++) {
		give(pods.to.on_object, i, "", OVER);
		give(pods.to.on_delete, i, "", OVER);
	}
	T_INT(pod_groups_find(v, GANG)->n, 1025);
	T_OK(!pod_groups_pod(v, "a1025"));
	list(1); /* (those that a list has no more are gone) */
	T_INT(pod_groups_find(v, GANG)->n, 1);
	give(pods.to.on_object, 2, "", OVER);
	give(pods.to.on_delete, 2, "", OVER);
	T_INT(pod_groups_find(v, GANG)->n, 2);
}

T_MAIN("vanished_pods",
       T(who_is_deleted_right_after_its_end_is_looked_at_first),
       T(whose_end_was_looked_at_goes_at_once),
       T(only_so_many_stay_for_their_end),
       T(a_group_that_no_list_has_stays_known),
       T(whose_end_was_seen_has_not_vanished))

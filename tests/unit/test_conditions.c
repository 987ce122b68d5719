/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What waiting pods are told; the rest of the bridge is the test's. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bridge/reconcile/reconcile.h"
#include "t.h"

static int64_t now;
static const char *group;	   /* the PodGroup; or NULL */
static char patch[512];		   /* of its status */
static char told[256], words[256]; /* uids, and what was said last */
static uint32_t labelled;	   /* with this job's id */
static bool other_scheduler;	   /* the group's job */
static char event[256];		   /* the last one */
static const char *too_many;	   /* of what its namespace has; or NULL */
static const char *partition;	   /* that the job is for; or NULL */
static const char *waits_for;	   /* the job waits with it; or NULL */

int64_t __wrap_clock_ms(void);
int64_t __wrap_clock_ms(void)
{
	return now;
}

void pod_groups_lock(struct pod_groups *v)
{
	(void)v;
}

void pod_groups_unlock(struct pod_groups *v)
{
	(void)v;
}

static struct group_pod members[10]; /* u0 to u9 */

struct group_pod *pod_groups_pod(struct pod_groups *v, const char *uid)
{
	(void)v;
	return &members[uid[1] - '0'];
}

static struct queue_entry *entry; /* of all of them */

struct queue_entry *queue_entry_of_pod(struct bridge *b, const char *uid)
{
	(void)b;
	(void)uid;
	return entry;
}

void queue_entry_later(struct bridge *b, struct queue_entry *q, int64_t ms)
{
	(void)b;
	q->look.again_at = now + ms;
}

static bool full; /* no note is taken */

bool bridge_requests_note(struct bridge_requests *w, const struct pod_ref *pod,
			  const struct pod_patch *note)
{
	const size_t n = strlen(told);

	(void)w;
	if (full)
		return false;
	snprintf(told + n, sizeof(told) - n, "%s ", pod->uid);
	snprintf(words, sizeof(words), "%s", note->message);
	labelled = note->job_id;
	return true;
}

void bridge_requests_event(struct bridge_requests *w, const struct pod_ref *pod,
			   bool warning, const char *reason,
			   const char *message)
{
	(void)w;
	(void)pod;
	(void)warning;
	snprintf(event, sizeof(event), "%s: %s", reason, message);
}

int owners_get(struct owners *o, enum workload_kind kind, const char *ns,
	       const char *name, json_object **out, struct err *err)
{
	(void)o;
	(void)ns;
	(void)err;
	T_INT(kind, WORKLOAD_GROUP);
	T_STR(name, "g");
	*out = group ? t_parse(group) : NULL;
	return group ? 0 : -EAGAIN;
}

bool bridge_requests_group(struct bridge_requests *w, const struct pod_ref *of,
			   const char *version, json_object *o)
{
	json_object *c =
		json_object_array_get_idx(jx_get(o, "status", "conditions"), 0);

	(void)w;
	snprintf(patch, sizeof(patch), "%s %s %s %s %s: %s %s", of->name,
		 of->uid, jx_str(o, "metadata", "resourceVersion"), version,
		 jx_str(c, "type"), jx_str(c, "status"), jx_str(c, "message"));
	json_object_put(o);
	return true;
}

/* Who is told, of these pods ("u1 u2"), a minute later? */
static const char *tell(struct queue_entry *q, const char *uids,
			const char *what)
{
	struct selected_pod v[4] = {{.ns = "ns"}};
	struct pod_selection pods = {.v = v};
	struct bridge b = {0};
	struct group_observation j = {
		.plan = {.action = GROUP_WAIT, .row = "x"},
		.view = {.other_scheduler = other_scheduler,
			 .reason = waits_for},
		.order = {.p = {.partition = partition}},
		.too_many = too_many};

	if (waits_for) {
		j.plan.action = GROUP_NOTE;
		j.view.start_s = 1;
	}

	pods.n = (size_t)sscanf(uids, "%60s %60s %60s", v[0].uid, v[1].uid,
				v[2].uid);
	for (size_t i = 0; i < pods.n; i++) /* (as select_pods() does) */
		v[i].told = members[v[i].uid[1] - '0'].told;
	snprintf(j.plan.words, sizeof(j.plan.words), "%s", what);
	*told = '\0';
	now += 60000;
	write_conditions(&b, q, &j, &pods);
	workload_logs_free(b.says);
	return told;
}

static void one_that_cannot_start_is_told_what_to_change(void)
{
	struct queue_entry *q = calloc(1, sizeof(*q) + 1);

	now = 1000000;
	waits_for = "Resources";
	tell(q, "u1", "job 7 waits: Resources");
	T_STR(words, "Slurm: job 7 waits: Resources; it should start at "
		     "1970-01-01T00:00:01Z");
	waits_for = "PartitionTimeLimit";
	tell(q, "u1", "job 7 waits: PartitionTimeLimit");
	T_STR(words, "Slurm: job 7 waits: PartitionTimeLimit; it cannot start "
		     "as it is: ask for less time (annotation timelimit, or "
		     "activeDeadlineSeconds), or for another partition");
	/* the limit of one of two is no limit */
	partition = "short,long";
	tell(q, "u1", "job 7 waits: PartitionTimeLimit");
	T_STR(words, "Slurm: job 7 waits: PartitionTimeLimit; it should start "
		     "at 1970-01-01T00:00:01Z");
	partition = NULL;
	waits_for = NULL;
	free(q->told.reason);
	free(q);
}

/* (once: not with each look) */
static void who_has_too_many_gets_an_event(void)
{
	struct queue_entry *q = calloc(1, sizeof(*q) + 1);

	now = 1000000;
	T_STR(tell(q, "u1", "it waits"), "u1 ");
	T_STR(event, "");
	too_many = "Too many objects";
	T_STR(tell(q, "u1", "not in view"), "u1 ");
	T_STR(event, "Too many objects: Slurm: not in view");
	*event = '\0';
	T_STR(tell(q, "u1", "not in view"), "");
	T_STR(event, "");
	too_many = NULL;
	free(q);
}

static void nobody_is_told_twice_and_everybody_once(void)
{
	struct queue_entry *q = calloc(1, sizeof(*q) + 1);

	now = 1000000;
	T_STR(tell(q, "u1 u2", "it waits"), "u1 u2 ");
	T_STR(words, "Slurm: it waits");
	T_STR(tell(q, "u1 u2", "it waits"), "");
	T_STR(tell(q, "u2 u1", "it waits"), "");
	T_STR(tell(q, "u1 u2", "it still waits"), "u1 u2 ");
	/* another pod in the place of the second, and one more */
	T_STR(tell(q, "u1 u3", "it still waits"), "u3 ");
	T_STR(tell(q, "u1 u3 u4", "it still waits"), "u4 ");
	T_STR(tell(q, "u1 u3", "it still waits"), "");
	T_STR(tell(q, "u1", "it still waits"), "");
	T_STR(tell(q, "u1 u3", "it waits"), "u1 u3 ");
	T_STR(tell(q, "u1 u3", "it still waits"), "u1 u3 ");
	/* with a new job all are told, whatever they were told before */
	q->told = (struct reported){0};
	T_STR(tell(q, "u1 u3", "it still waits"), "u1 u3 ");
	free(q);
}

/* (they were never told, nor labelled) */
static void who_finds_no_room_is_told_later(void)
{
	struct queue_entry *q = calloc(1, sizeof(*q) + 1);

	now = 1000000;
	full = true;
	T_STR(tell(q, "u1 u2", "it waits"), "");
	T_INT(q->look.again_at, now + 30000);
	full = false;
	T_STR(tell(q, "u1 u2", "it waits"), "u1 u2 ");
	T_STR(tell(q, "u1 u2", "it waits"), "");
	free(q);
}

/* (longer each time, and those only that were not told) */
static void who_was_not_told_is_told_again(void)
{
	static const int64_t ms[] = {5000, 10000, 20000, 40000};
	struct bridge b = {0};

	entry = calloc(1, sizeof(*entry) + 1);
	now = 1000000;
	T_STR(tell(entry, "u1 u2", "it waits"), "u1 u2 ");
	for (size_t i = 0; i < T_COUNT(ms); i++) {
		t_row("%zu", i);
		note_failed(&b, "u2");
		note_failed(&b, "u2");
		T_INT(entry->look.again_at, now + ms[i]);
		T_OK(!queue_entry_tells_again(entry));
		now += ms[i] - 60000 - 1;
		T_STR(tell(entry, "u1 u2", "it waits"), "");
		now -= 60000 - 1;
		T_STR(tell(entry, "u1 u2", "it waits"), "u2 ");
		T_OK(!queue_entry_tells_again(entry));
		T_STR(tell(entry, "u1 u2", "it waits"), "");
	}
	/* it went well for long */
	now += 1000000;
	note_failed(&b, "u2");
	T_INT(entry->look.again_at, now + 5000);
	members[1].told = members[2].told = 0;
	free(entry);
	entry = NULL;
}

/* (else they would be deleted when it is cancelled) */
static void pods_beside_a_job_for_others_are_not_labelled_as_its(void)
{
	for (int i = 0; i < 2; i++) {
		struct queue_entry *q = calloc(1, sizeof(*q) + 1);

		now = 1000000;
		q->job.state = PLACEHOLDER_PENDING;
		q->job.id = 7;
		other_scheduler = i;
		tell(q, "u1", "it waits");
		T_INT(labelled, other_scheduler ? 0 : 7);
		members[1].told = 0;
		free(q);
	}
	other_scheduler = false;
}

#define PODGROUP(policy, status)                                               \
	"{\"apiVersion\": \"scheduling.k8s.io/v1alpha3\", \"metadata\": "      \
	"{\"name\": \"g\", \"namespace\": \"ns\", \"uid\": \"9\", "            \
	"\"resourceVersion\": \"5\"}, "                                        \
	"\"spec\": {\"schedulingPolicy\": {" policy "}}" status "}"
#define GANG_OF_2 "\"gang\": {\"minCount\": 2}"
#define KEPT(manager, state)                                                   \
	", \"status\": {\"manager\": \"" manager "\", \"status\": \"" state    \
	"\"}"
#define TYPE "g 9 5 v1alpha3 PodGroupInitiallyScheduled: "

static void a_podgroup_says_why_it_waits(void)
{
	static const struct {
		enum workload_kind kind;
		enum group_action action;
		struct group_counts pods;
		const char *group, *patch;
	} rows[] = {
		{WORKLOAD_GROUP,
		 GROUP_NOTE,
		 {.waiting = 2},
		 PODGROUP(GANG_OF_2, ""),
		 TYPE "False Slurm: words"},
		{WORKLOAD_GROUP,
		 GROUP_NOTE,
		 {.waiting = 1, .failed = 1},
		 PODGROUP(GANG_OF_2, ""),
		 TYPE "False Slurm: words"},
		{WORKLOAD_GROUP,
		 GROUP_REFUSE,
		 {.waiting = 1},
		 PODGROUP("", ""),
		 TYPE "False Slurm: no"},
		{WORKLOAD_GROUP,
		 GROUP_NOTE,
		 {.waiting = 2},
		 PODGROUP(GANG_OF_2, KEPT("slurm-k8s", "False")),
		 TYPE "False Slurm: words"},
		/* as kube-scheduler says nothing of one that lacks pods */
		{WORKLOAD_GROUP,
		 GROUP_WAIT,
		 {.waiting = 2},
		 PODGROUP(GANG_OF_2, ""),
		 ""},
		/* (the others may be another scheduler's) */
		{WORKLOAD_GROUP,
		 GROUP_REFUSE,
		 {.waiting = 1},
		 PODGROUP(GANG_OF_2, ""),
		 ""},
		{WORKLOAD_GROUP, GROUP_NOTE, {.waiting = 2}, NULL, ""},
		{WORKLOAD_PODGROUP,
		 GROUP_NOTE,
		 {.waiting = 2},
		 PODGROUP(GANG_OF_2, ""),
		 ""},
		{WORKLOAD_GROUP,
		 GROUP_NOTE,
		 {.waiting = 2},
		 PODGROUP(GANG_OF_2, KEPT("slurm-k8s", "True")),
		 ""},
		{WORKLOAD_GROUP,
		 GROUP_NOTE,
		 {.waiting = 2},
		 PODGROUP(GANG_OF_2, KEPT("kube-scheduler", "False")),
		 ""},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct selected_pod v = {.ns = "ns", .uid = "u1"};
		struct pod_selection pods = {.v = &v, .n = 1};
		struct bridge b = {0};
		_cleanup_free_ struct queue_entry *q =
			calloc(1, sizeof(*q) + 1);
		struct group_observation j = {
			.plan = {.action = rows[i].action,
				 .row = "x",
				 .words = "words"},
			.view = {.refusal = "no",
				 .reason = "",
				 .pods = rows[i].pods},
			.order.id.of = {
				.kind = rows[i].kind, .ns = "ns", .name = "g"}};

		t_row("%zu", i);
		now += 60000;
		*patch = *told = '\0';
		group = rows[i].group;
		q->job.state = PLACEHOLDER_PENDING;
		q->job.id = 7;
		write_conditions(&b, q, &j, &pods);
		workload_logs_free(b.says);
		T_STR(told, "u1 ");
		T_STR(patch, rows[i].patch);
		free(q->told.reason);
	}
}

static void a_podgroup_says_that_it_runs_once_enough_are_bound(void)
{
	static const struct {
		struct workload of;
		const char *group;
		struct group_counts pods;
		enum placeholder_state job;
		const char *patch;
	} rows[] = {
		{{.kind = WORKLOAD_GROUP, .ns = "ns", .name = "g"},
		 PODGROUP(GANG_OF_2, ""),
		 {.live = 2},
		 PLACEHOLDER_RUNNING,
		 TYPE "True Slurm job 7 has started"},
		{{.kind = WORKLOAD_GROUP, .ns = "ns", .name = "g"},
		 PODGROUP(GANG_OF_2, ""),
		 {.live = 1, .waiting = 1},
		 PLACEHOLDER_RUNNING,
		 ""},
		/* (it leaves where the job was before it was put back) */
		{{.kind = WORKLOAD_GROUP, .ns = "ns", .name = "g"},
		 PODGROUP(GANG_OF_2, ""),
		 {.live = 1, .leaving = 1, .away = 1},
		 PLACEHOLDER_RUNNING,
		 ""},
		{{.kind = WORKLOAD_GROUP, .ns = "ns", .name = "g"},
		 PODGROUP(GANG_OF_2, ""),
		 {.live = 1, .succeeded = 1},
		 PLACEHOLDER_RUNNING,
		 TYPE "True Slurm job 7 has started"},
		{{.kind = WORKLOAD_GROUP, .ns = "ns", .name = "g"},
		 PODGROUP(GANG_OF_2, KEPT("slurm-k8s", "True")),
		 {.live = 2},
		 PLACEHOLDER_RUNNING,
		 ""},
		{{.kind = WORKLOAD_GROUP, .ns = "ns", .name = "g"},
		 PODGROUP(GANG_OF_2, KEPT("kube-scheduler", "False")),
		 {.live = 2},
		 PLACEHOLDER_RUNNING,
		 ""},
		{{.kind = WORKLOAD_GROUP, .ns = "ns", .name = "g"},
		 PODGROUP(GANG_OF_2, ""),
		 {.live = 2},
		 PLACEHOLDER_ENDED,
		 ""},
		/* of the basic policy: one is enough */
		{{.kind = WORKLOAD_POD, .ns = "ns", .group = "g"},
		 PODGROUP("\"basic\": {}", ""),
		 {.live = 1},
		 PLACEHOLDER_RUNNING,
		 TYPE "True Slurm job 7 has started"},
		{{.kind = WORKLOAD_POD, .ns = "ns"},
		 PODGROUP("\"basic\": {}", ""),
		 {.live = 1},
		 PLACEHOLDER_RUNNING,
		 ""},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct bridge b = {0};
		struct queue_entry q = {.job.state = rows[i].job, .job.id = 7};
		const struct pod_group g = {.of = rows[i].of};
		const struct group_view view = {.pods = rows[i].pods};

		t_row("%zu", i);
		now += 60000;
		group = rows[i].group;
		/* each 30 s, until it says so */
		for (int again = 0; again < 3; again++) {
			*patch = '\0';
			now += again == 2 ? 30000 : 0;
			write_group_scheduled(&b, &q, &g, &view);
			T_STR(patch, again == 1 ? "" : rows[i].patch);
		}
	}
}

T_MAIN("conditions", T(pods_beside_a_job_for_others_are_not_labelled_as_its),
       T(who_finds_no_room_is_told_later), T(who_was_not_told_is_told_again),
       T(nobody_is_told_twice_and_everybody_once),
       T(one_that_cannot_start_is_told_what_to_change),
       T(who_has_too_many_gets_an_event), T(a_podgroup_says_why_it_waits),
       T(a_podgroup_says_that_it_runs_once_enough_are_bound))

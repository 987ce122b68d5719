/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which pods the bridge has in view; what the API server says is the test's. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/log.h"
#include "base/str.h"
#include "bridge/intake/pod_groups.h"
#include "t.h"

struct informer {
	struct informer_handler to;
};
static struct informer *pods, *spaces; /* what the view does about these */
static bool live;
static int relists; /* of the pods, asked for */
static int64_t now;
static int told; /* lines of the log about pods that are left out */

static void on_line(enum log_level level, const char *line)
{
	told += level <= LOG_LEVEL_WARN && strstr(line, "the rest is not");
}

int64_t __wrap_clock_ms(void);
int64_t __wrap_clock_ms(void)
{
	return now;
}

struct informer *__wrap_informer_new(struct kube_client *c,
				     const struct informer_options *opt,
				     const struct informer_handler *to);
struct informer *__wrap_informer_new(struct kube_client *c,
				     const struct informer_options *opt,
				     const struct informer_handler *to)
{
	struct informer *f = calloc(1, sizeof(*f));

	(void)c;
	f->to = *to;
	*(str_eq(opt->collection.resource, "pods") ? &pods : &spaces) = f;
	return f;
}

bool __wrap_informer_live(const struct informer *f);
bool __wrap_informer_live(const struct informer *f)
{
	(void)f;
	return live;
}

void __wrap_informer_relist(struct informer *f);
void __wrap_informer_relist(struct informer *f)
{
	T_OK(f == pods);
	relists++;
}

void __wrap_informer_step(struct informer *f);
void __wrap_informer_step(struct informer *f)
{
	(void)f;
}

void __wrap_informer_free(struct informer *f);
void __wrap_informer_free(struct informer *f)
{
	free(f);
}

static void ring(void *arg)
{
	(void)arg;
}

static int entries; /* of namespaces, told */

static void entered(void *arg)
{
	(void)arg;
	entries++;
}

static struct namespace_config served = {.name = (char *)"ns"};
static const struct bridge_config config = {
	.scheduler = (char *)"s", .ns = &served, .n_ns = 1, .n_named = 1};

static struct pod_groups *look_with(const struct bridge_config *c)
{
	const struct pod_groups_options opt = {
		.cluster = "c", .config = c, .ring = ring, .entered = entered};
	struct pod_groups *v = pod_groups_new(&opt);

	pods = spaces = NULL;
	live = true;
	relists = told = entries = 0;
	log_set_sink(on_line);
	now = 100000;
	T_OK(v && !pod_groups_start(v, NULL));
	return v;
}

static void look_away(struct pod_groups **v)
{
	pod_groups_stop(*v);
	pod_groups_free(*v);
}
#define _cleanup_seen_ __attribute__((cleanup(look_away)))

static void give(void (*to)(void *arg, json_object *object),
		 struct pod_groups *v, const char *text)
{
	_cleanup_json_ json_object *o = t_parse(text);

	to(spaces && (to == spaces->to.on_object || to == spaces->to.on_delete)
		   ? (void *)v
		   : pods->to.arg,
	   o);
}

/* --- a Job that is a gang */

/* One of its pods: which Job, when it was made, what more is in metadata. */
static void job_pod(struct pod_groups *v, const char *name, const char *job,
		    int second, const char *more)
{
	_cleanup_free_ char *text = str_printf(
		"{\"metadata\": {\"name\": \"%s\", \"namespace\": \"ns\", "
		"\"uid\": \"a%s\", \"annotations\": "
		"{\"job.slurm-k8s.io/gang\": \"true\"}, \"ownerReferences\": "
		"[{\"apiVersion\": \"batch/v1\", \"kind\": \"Job\", "
		"\"controller\": true, \"name\": \"j\", \"uid\": \"%s\"}], "
		"\"creationTimestamp\": \"2026-01-01T00:00:%02dZ\"%s}, "
		"\"spec\": {\"schedulerName\": \"s\"}}",
		name, name + 1, job, second, more);

	give(pods->to.on_object, v, text);
}
#define DYING ", \"deletionTimestamp\": \"2026-01-01T00:01:00Z\""

/* So many pods are in that group; NULL: in any. */
static size_t in(struct pod_groups *v, const char *key)
{
	size_t n = 0;

	for (struct pod_group *g = pod_groups_first(v); g; g = g->hh.next)
		n += !key || !strcmp(g->key, key) ? g->n : 0;
	return n;
}
#define JOB(uid) "6 ns j " uid

/* (kubectl replace --force: the former one's pods take their time to end) */
static void a_job_that_is_made_anew_is_another_group(void)
{
	_cleanup_seen_ struct pod_groups *v = look_with(&config);

	job_pod(v, "p1", "1-1", 10, "");
	job_pod(v, "p2", "1-1", 10, "");
	T_INT(in(v, JOB("1-1")), 2);
	job_pod(v, "p1", "1-1", 10, DYING);
	job_pod(v, "p3", "2-2", 20, "");
	job_pod(v, "p2", "1-1", 10, DYING); /* late */
	job_pod(v, "p4", "2-2", 20, "");
	T_INT(in(v, JOB("1-1")), 2);
	T_INT(in(v, JOB("2-2")), 2);
}

/*
 * Whoever may create pods may write any owner into one: the newest pod said
 * which Job it was, and so took the job of a gang that ran away from it.
 */
static void a_forged_owner_has_no_part_in_the_gang_of_that_name(void)
{
	_cleanup_seen_ struct pod_groups *v = look_with(&config);
	struct pod_group *g;

	job_pod(v, "p1", "1-1", 10, "");
	job_pod(v, "p2", "1-1", 10, "");
	job_pod(v, "p3", "6-6", 50, "");
	g = pod_groups_find(v, JOB("1-1"));
	T_NEED(g);
	T_INT(g->n, 2);
	T_STR(g->of.uid, "1-1");
	T_INT(in(v, JOB("6-6")), 1);
}

/* --- a PodGroup of the built-in API */

static void group_pod(struct pod_groups *v, int i, const char *more)
{
	_cleanup_free_ char *text = str_printf(
		"{\"metadata\": {\"name\": \"p%d\", \"namespace\": \"ns\", "
		"\"uid\": \"c-%d\"}, \"spec\": {\"schedulerName\": \"s\", "
		"\"schedulingGroup\": {\"podGroupName\": \"g\"}%s}}",
		i, i, more);

	give(pods->to.on_object, v, text);
}

static size_t dirty(struct pod_groups *v)
{
	char *keys[8];
	const size_t n = pod_groups_take_dirty(v, keys, 8);

	for (size_t i = 0; i < n; i++)
		free(keys[i]);
	return n;
}

#define IN_GROUP "1 ns g "
#define ALONE(i) "0 ns c-" #i

static void a_pod_that_is_apart_stays_so(void)
{
	_cleanup_seen_ struct pod_groups *v = look_with(&config);

	group_pod(v, 1, "");
	group_pod(v, 2, "");
	T_INT(in(v, IN_GROUP), 2);
	T_INT(dirty(v), 1);
	pod_groups_apart(v, pod_groups_find(v, IN_GROUP)->members);
	T_INT(in(v, IN_GROUP), 1);
	T_INT(in(v, ALONE(1)), 1);
	T_INT(dirty(v), 2);
	pod_groups_apart(v, pod_groups_find(v, ALONE(1))->members);
	T_INT(dirty(v), 0); /* (it is already) */
	/* it changes, and the others come and go */
	group_pod(v, 1, ", \"nodeName\": \"n1\"");
	group_pod(v, 3, "");
	T_INT(in(v, IN_GROUP), 2);
	T_INT(in(v, ALONE(1)), 1);
	T_STR(pod_groups_find(v, ALONE(1))->members->pod->node, "n1");
	T_STR(pod_groups_find(v, ALONE(1))->of.group, "g");
	dirty(v);
	/* what its PodGroup says matters to it still */
	pod_groups_object_changed(v, WORKLOAD_GROUP, "ns", "g");
	T_INT(dirty(v), 2);
	pod_groups_object_changed(v, WORKLOAD_GROUP, "other", "g");
	pod_groups_object_changed(v, WORKLOAD_PODGROUP, "ns", "g");
	T_INT(dirty(v), 0);
	give(pods->to.on_delete, v, "{\"metadata\": {\"uid\": \"c-1\"}}");
	T_INT(in(v, ALONE(1)), 0);
	T_INT(in(v, NULL), 2);
}

/* --- objects that matter to groups */

/* A pod for itself, of the Job of that name. */
static void pod_of_job(struct pod_groups *v, const char *ns, int i,
		       const char *job)
{
	_cleanup_free_ char *text = str_printf(
		"{\"metadata\": {\"name\": \"p%d\", \"namespace\": \"%s\", "
		"\"uid\": \"e-%d\", \"ownerReferences\": [{\"apiVersion\": "
		"\"batch/v1\", \"kind\": \"Job\", \"controller\": true, "
		"\"name\": \"%s\", \"uid\": \"1-1\"}]}, \"spec\": "
		"{\"schedulerName\": \"s\"}}",
		i, ns, i, job);

	give(pods->to.on_object, v, text);
}

static size_t touched(struct pod_groups *v, enum workload_kind kind,
		      const char *ns, const char *name)
{
	pod_groups_object_changed(v, kind, ns, name);
	return dirty(v);
}

static void an_object_that_changes_touches_its_own_groups(void)
{
	_cleanup_seen_ struct pod_groups *v = look_with(&config);

	job_pod(v, "p1", "1-1", 10, "");
	job_pod(v, "p2", "2-2", 20, "");
	pod_of_job(v, "ns", 1, "j");
	pod_of_job(v, "ns", 2, "other");
	pod_of_job(v, "ns2", 3, "j");
	group_pod(v, 1, "");
	dirty(v);
	T_INT(touched(v, WORKLOAD_JOB, "ns", "j"), 3);
	T_INT(touched(v, WORKLOAD_JOB, "ns", "other"), 1);
	T_INT(touched(v, WORKLOAD_JOB, "ns2", "j"), 1);
	T_INT(touched(v, WORKLOAD_JOB, "ns", "k"), 0);
	T_INT(touched(v, WORKLOAD_JOBSET, "ns", "j"), 0);
	T_INT(touched(v, WORKLOAD_GROUP, "ns", "g"), 1);
	/* what is left of the group is seen, and it is gone */
	give(pods->to.on_delete, v, "{\"metadata\": {\"uid\": \"e-2\"}}");
	T_INT(touched(v, WORKLOAD_JOB, "ns", "other"), 1);
	T_INT(touched(v, WORKLOAD_JOB, "ns", "other"), 0);
}

/* (its PodGroup says of which Workload it was made, and that for whom) */
static void who_else_speaks_for_a_group_touches_it(void)
{
	_cleanup_seen_ struct pod_groups *v = look_with(&config);
	struct pod_group *g;

	group_pod(v, 1, "");
	dirty(v);
	g = pod_groups_find(v, IN_GROUP);
	T_NEED(g);
	T_INT(touched(v, WORKLOAD_WORKLOAD, "ns", "w"), 0);
	for (int i = 0; i < 2; i++)
		pod_groups_tie(v, g, BRIDGE_TIE_MADE_OF, WORKLOAD_WORKLOAD,
			       "w");
	pod_groups_tie(v, g, BRIDGE_TIE_MADE_FOR, WORKLOAD_JOB, "j");
	T_INT(touched(v, WORKLOAD_WORKLOAD, "ns", "w"), 1);
	T_INT(touched(v, WORKLOAD_JOB, "ns", "j"), 1);
	pod_groups_tie(v, g, BRIDGE_TIE_MADE_OF, WORKLOAD_WORKLOAD, "x");
	pod_groups_tie(v, g, BRIDGE_TIE_MADE_FOR, WORKLOAD_JOB, "");
	T_INT(touched(v, WORKLOAD_WORKLOAD, "ns", "w"), 0);
	T_INT(touched(v, WORKLOAD_WORKLOAD, "ns", "x"), 1);
	T_INT(touched(v, WORKLOAD_JOB, "ns", "j"), 0);
}

#define MANY 10000

/* (each change was compared with each group: 100 times the time of the pods) */
static void objects_may_change_beside_any_number_of_groups(void)
{
	_cleanup_seen_ struct pod_groups *v = look_with(&config);
	clock_t begin = clock(), pods_took, changes_took;
	char job[16];

	for (int i = 0; i < MANY; i++) {
		snprintf(job, sizeof(job), "j%d", i);
		pod_of_job(v, "ns", i, job);
	}
	pods_took = clock() - begin;
	begin = clock();
	for (int i = 0; i < MANY; i++) {
		snprintf(job, sizeof(job), "k%d", i);
		pod_groups_object_changed(v, WORKLOAD_JOB, "ns", job);
	}
	changes_took = clock() - begin;
	T_OK(changes_took < pods_took);
}

/* --- whoever may change a pod's labels */

static void labelled_pod(struct pod_groups *v, const char *group,
			 const char *node)
{
	_cleanup_free_ char *text = str_printf(
		"{\"metadata\": {\"name\": \"l\", \"namespace\": \"ns\", "
		"\"uid\": \"d-1\", \"labels\": "
		"{\"scheduling.x-k8s.io/pod-group\": \"%s\"}}, "
		"\"spec\": {\"schedulerName\": \"s\"%s}}",
		group, node);

	give(pods->to.on_object, v, text);
}

static const char *group_key(struct pod_groups *v)
{
	const struct group_pod *m = pod_groups_pod(v, "d-1");

	return m ? m->group->of.name : "";
}

static void a_bound_pod_stays_in_its_group(void)
{
	_cleanup_seen_ struct pod_groups *v = look_with(&config);

	labelled_pod(v, "a", "");
	T_STR(group_key(v), "a");
	labelled_pod(v, "b", ""); /* it waits: this is his to say */
	T_STR(group_key(v), "b");
	labelled_pod(v, "b", ", \"nodeName\": \"n1\"");
	labelled_pod(v, "c", ", \"nodeName\": \"n1\"");
	T_STR(group_key(v), "b");
	labelled_pod(v, "not a name", ", \"nodeName\": \"n1\"");
	T_STR(group_key(v), "b");
	pods->to.on_list(pods->to.arg);
	labelled_pod(v, "c", ", \"nodeName\": \"n1\"");
	pods->to.on_synced(pods->to.arg);
	T_STR(group_key(v), "b");
	T_INT(in(v, NULL), 1);
}

/* --- pods for themselves, many */

static void pod(struct pod_groups *v, const char *ns, int i, const char *node)
{
	_cleanup_free_ char *text = str_printf(
		"{\"metadata\": {\"name\": \"p%d\", \"namespace\": \"%s\", "
		"\"uid\": \"%s-%d\"}, "
		"\"spec\": {\"schedulerName\": \"s\"%s}, "
		"\"status\": {\"conditions\": [{\"type\": "
		"\"slurm-k8s.io/job\", \"status\": \"True\", "
		"\"message\": \"7\"}]}}",
		i, ns, *ns == 'a' ? "a" : "b", i, node);

	give(pods->to.on_object, v, text);
}
#define BOUND ", \"nodeName\": \"n1\""

static void add(struct pod_groups *v, const char *ns, int from, int to)
{
	for (int i = from; i < to; i++)
		pod(v, ns, i, "");
}

static void gone(struct pod_groups *v, const char *ns, int from, int to)
{
	for (int i = from; i < to; i++) {
		_cleanup_free_ char *text =
			str_printf("{\"metadata\": {\"uid\": \"%s-%d\"}}",
				   *ns == 'a' ? "a" : "b", i);

		give(pods->to.on_delete, v, text);
	}
}

static void space(struct pod_groups *v, const char *name, const char *labels)
{
	_cleanup_free_ char *text =
		str_printf("{\"metadata\": {\"name\": \"%s\", "
			   "\"labels\": {%s}}}",
			   name, labels);

	give(spaces->to.on_object, v, text);
}

/* As it was read last. */
static void stands(struct pod_groups *v, const char *uid, const char *node)
{
	const struct group_pod *m;

	pod_groups_lock(v);
	m = pod_groups_pod(v, uid);
	T_OK(m != NULL);
	T_STR(m ? m->pod->node : NULL, node);
	T_INT(m ? m->pod->job_id : 0, *node ? 7 : 0);
	pod_groups_unlock(v);
}

static void pods_that_may_not_enter_hide_no_others(void)
{
	_cleanup_seen_ struct pod_groups *v = look_with(&config);

	add(v, "b", 0, BRIDGE_PODS_MAX);
	T_INT(in(v, NULL), BRIDGE_OUTSIDE_MAX);
	T_INT(told, 1);
	add(v, "ns", BRIDGE_PODS_MAX, 2 * BRIDGE_PODS_MAX);
	T_INT(in(v, NULL), BRIDGE_OUTSIDE_MAX + BRIDGE_PODS_MAX);
	/* each has its own room, and it is given back */
	gone(v, "b", 0, 2);
	add(v, "ns", 2 * BRIDGE_PODS_MAX, 2 * BRIDGE_PODS_MAX + 1);
	T_INT(in(v, NULL), BRIDGE_OUTSIDE_MAX + BRIDGE_PODS_MAX - 2);
	add(v, "b", 5000, 5009);
	T_INT(in(v, NULL), BRIDGE_OUTSIDE_MAX + BRIDGE_PODS_MAX);
	pod_groups_step(v);
	T_INT(relists, 0);
}

/* (else their job would lose them when slurmctld is started anew) */
static void what_runs_by_us_is_seen_though_it_may_not_enter(void)
{
	_cleanup_seen_ struct pod_groups *v = look_with(&config);

	for (int i = 0; i < BRIDGE_OUTSIDE_MAX + 9; i++)
		pod(v, "b", i, BOUND);
	T_INT(in(v, NULL), BRIDGE_OUTSIDE_MAX + 9);
	add(v, "b", 5000, 5001);
	T_INT(in(v, NULL), BRIDGE_OUTSIDE_MAX + 10);
}

static void with_room_again_pods_are_listed_anew(void)
{
	_cleanup_seen_ struct pod_groups *v = look_with(&config);

	for (int round = 1; round <= 2; round++) {
		t_row("round %d", round);
		add(v, "ns", 0, BRIDGE_PODS_MAX + 1);
		T_INT(in(v, NULL), BRIDGE_PODS_MAX);
		add(v, "ns", BRIDGE_PODS_MAX, BRIDGE_PODS_MAX + 9);
		T_INT(told, round);
		gone(v, "ns", 0, BRIDGE_PODS_MAX / 10 - 1);
		pod_groups_step(v);
		T_INT(relists, round - 1);
		gone(v, "ns", 0, BRIDGE_PODS_MAX / 10);
		live = false;
		pod_groups_step(v); /* (one is under way) */
		T_INT(relists, round - 1);
		live = true;
		if (round == 2) {
			pod_groups_step(v); /* (too soon after the other) */
			T_INT(relists, 1);
			now += 10000;
		}
		pod_groups_step(v);
		pod_groups_step(v);
		T_INT(relists, round);
	}
	now += 10000;
	pod_groups_step(v);
	T_INT(relists, 2);
}

/* (the list comes in the order of names) */
static void what_runs_is_seen_behind_any_number_that_wait(void)
{
	_cleanup_seen_ struct pod_groups *v = look_with(&config);
	void *arg = pods->to.arg;

	pods->to.on_list(arg);
	add(v, "ns", 0, BRIDGE_PODS_MAX + 5);
	for (int i = 0; i < 9; i++)
		pod(v, "ns", 30000 + i, BOUND);
	pods->to.on_synced(arg);
	T_INT(in(v, NULL), BRIDGE_PODS_MAX + 9);
	stands(v, "b-30008", "n1");
	T_INT(told, 1);
	T_OK(pod_groups_left_out(v, "0 ns u"));
	/* one that names a node itself has no precedence */
	give(pods->to.on_object, v,
	     "{\"metadata\": {\"name\": \"x\", \"namespace\": \"ns\", "
	     "\"uid\": \"x\"}, \"spec\": {\"nodeName\": \"n1\"}}");
	T_OK(!pod_groups_pod(v, "x"));
	/* another list, of which none is left out */
	pods->to.on_list(arg);
	T_OK(pod_groups_left_out(v, "0 ns u"));
	add(v, "ns", 0, 5);
	T_OK(pod_groups_left_out(v, "0 ns u"));
	pods->to.on_synced(arg);
	T_OK(!pod_groups_left_out(v, "0 ns u"));
}

#define ENDED                                                                  \
	"\"status\": {\"phase\": \"Succeeded\", \"conditions\": "              \
	"[{\"type\": \"slurm-k8s.io/job\", \"status\": \"True\", "             \
	"\"message\": \"7\"}]}}"

static void ended(struct pod_groups *v, int i)
{
	_cleanup_free_ char *text = str_printf(
		"{\"metadata\": {\"name\": \"p%d\", \"namespace\": \"ns\", "
		"\"uid\": \"b-%d\"}, \"spec\": {\"schedulerName\": \"s\", "
		"\"nodeName\": \"n1\"}, " ENDED,
		i, i);

	give(pods->to.on_object, v, text);
}

/* (their end is told to Slurm, so they are in view until then) */
static void what_has_ended_hides_nothing_and_asks_for_no_list(void)
{
	_cleanup_seen_ struct pod_groups *v = look_with(&config);

	for (int i = 0; i < BRIDGE_PODS_MAX; i++)
		ended(v, i);
	add(v, "ns", BRIDGE_PODS_MAX, 2 * BRIDGE_PODS_MAX);
	T_INT(in(v, NULL), 2 * BRIDGE_PODS_MAX);
	T_INT(told, 0);
	T_OK(!pod_groups_left_out(v, "0 ns u"));
	/* those that waited have ended: others may wait */
	for (int i = BRIDGE_PODS_MAX; i < 2 * BRIDGE_PODS_MAX; i++)
		ended(v, i);
	add(v, "ns", 2 * BRIDGE_PODS_MAX, 3 * BRIDGE_PODS_MAX);
	T_INT(in(v, NULL), 3 * BRIDGE_PODS_MAX);
	pod_groups_step(v);
	T_INT(relists, 0);
	/* they are bounded, too */
	for (int i = 100000; i < 100000 + BRIDGE_PODS_MAX; i++)
		ended(v, i);
	T_INT(in(v, NULL), BRIDGE_ENDED_MAX + BRIDGE_PODS_MAX);
	T_INT(told, 1);
	T_OK(pod_groups_left_out(v, "0 ns u"));
	/* and looked for again, seldom: the same come first */
	gone(v, "ns", 0, BRIDGE_PODS_MAX);
	now += 600000;
	pod_groups_step(v);
	T_INT(relists, 1);
	for (int i = 0; i < BRIDGE_PODS_MAX; i++)
		ended(v, i);
	ended(v, 999999);
	gone(v, "ns", 0, BRIDGE_PODS_MAX);
	now += 11000;
	pod_groups_step(v);
	T_INT(relists, 1);
	now += 600000;
	pod_groups_step(v);
	T_INT(relists, 2);
}

/* A gang of which some pods are not in view is not short of them. */
static void a_group_says_that_others_of_it_were_left_out(void)
{
	_cleanup_seen_ struct pod_groups *v = look_with(&config);
	void *arg = pods->to.arg;

	pods->to.on_list(arg);
	job_pod(v, "p1", "1-1", 10, "");
	add(v, "ns", 1, BRIDGE_PODS_MAX);
	T_OK(!pod_groups_find(v, JOB("1-1"))->partial);
	job_pod(v, "p2", "1-1", 10, "");
	pods->to.on_synced(arg);
	T_INT(in(v, JOB("1-1")), 1);
	T_OK(pod_groups_find(v, JOB("1-1"))->partial);
	pods->to.on_list(arg);
	job_pod(v, "p1", "1-1", 10, "");
	T_OK(pod_groups_find(v, JOB("1-1"))->partial);
	pods->to.on_synced(arg);
	T_OK(!pod_groups_find(v, JOB("1-1"))->partial);
}

static void without_having_been_full_nothing_is_listed_anew(void)
{
	_cleanup_seen_ struct pod_groups *v = look_with(&config);

	add(v, "ns", 0, BRIDGE_PODS_MAX);
	gone(v, "ns", 0, BRIDGE_PODS_MAX);
	pod_groups_step(v);
	T_INT(relists, 0);
}

/* Namespaces with the label in=yes may enter. */
static void labels_say_which_pods_may_enter(void)
{
	struct label_pair label = {(char *)"in", (char *)"yes"};
	struct namespace_config some = {.labels = {&label, 1}};
	const struct bridge_config c = {
		.scheduler = (char *)"s", .ns = &some, .n_ns = 1};
	_cleanup_seen_ struct pod_groups *v = look_with(&c);

	/* they come first */
	pod_groups_step(v);
	T_NEED(spaces && !pods);
	space(v, "a", "\"in\": \"yes\"");
	spaces->to.on_synced(v);
	pod_groups_step(v);
	T_NEED(pods);
	add(v, "a", 0, BRIDGE_OUTSIDE_MAX + 9);
	T_INT(in(v, NULL), BRIDGE_OUTSIDE_MAX + 9);
	/* of one that is not known yet some are left out: then it is known */
	add(v, "b", 0, BRIDGE_OUTSIDE_MAX + 1);
	T_INT(in(v, NULL), 2 * BRIDGE_OUTSIDE_MAX + 9);
	space(v, "b", "\"in\": \"no\"");
	pod_groups_step(v);
	T_INT(relists, 0);
	space(v, "b", "\"in\": \"yes\"");
	pod_groups_step(v);
	T_INT(relists, 1);
	add(v, "b", 0, BRIDGE_OUTSIDE_MAX + 1);
	T_INT(in(v, NULL), 2 * BRIDGE_OUTSIDE_MAX + 10);
	/* what is in view stays, and leaves the others their room */
	space(v, "b", "");
	add(v, "b", 5000, 5001);
	T_INT(in(v, NULL), 2 * BRIDGE_OUTSIDE_MAX + 10);
	add(v, "a", 5000, 5001);
	T_INT(in(v, NULL), 2 * BRIDGE_OUTSIDE_MAX + 11);
}

/* --- objects that have grown beyond what is read */

static void oversized(const struct informer *f, void *arg, const char *name,
		      const char *uid)
{
	struct object_id id = {.version = "9"};

	str_copy(id.name, name, sizeof(id.name));
	str_copy(id.uid, uid, sizeof(id.uid));
	str_copy(id.ns, "ns", sizeof(id.ns));
	f->to.on_oversized(arg, &id, true);
}

static void both_stand(struct pod_groups *v)
{
	T_INT(in(v, NULL), 2);
	stands(v, "b-1", "n1");
	stands(v, "b-2", "");
}

static void pods_that_grow_stay_as_they_were(void)
{
	_cleanup_seen_ struct pod_groups *v = look_with(&config);
	void *arg = pods->to.arg;

	pods->to.on_list(arg);
	pod(v, "ns", 1, BOUND);
	pod(v, "ns", 2, "");
	pods->to.on_synced(arg);
	both_stand(v);
	/* a watch */
	oversized(pods, arg, "p1", "b-1");
	oversized(pods, arg, "p2", "b-2");
	both_stand(v);
	/* a list, and one that had never been read */
	pods->to.on_list(arg);
	oversized(pods, arg, "p1", "b-1");
	oversized(pods, arg, "p2", "b-2");
	oversized(pods, arg, "p3", "b-3");
	pods->to.on_synced(arg);
	both_stand(v);
	/* they are small again, and gone */
	pod(v, "ns", 2, BOUND);
	stands(v, "b-2", "n1");
	oversized(pods, arg, "p2", "b-2");
	gone(v, "ns", 2, 3);
	pods->to.on_list(arg);
	oversized(pods, arg, "p1", "b-1");
	pods->to.on_synced(arg);
	T_INT(in(v, NULL), 1);
	stands(v, "b-1", "n1");
	pods->to.on_list(arg);
	pods->to.on_synced(arg);
	T_INT(in(v, NULL), 0);
}

/* One that its author keeps by a finalizer, too; test_unread_pods.c has more.
 */
static void of_what_cannot_be_read_the_end_and_the_namespace_are_known(void)
{
	_cleanup_seen_ struct pod_groups *v = look_with(&config);
	struct object_id id = {.ns = "ns", .uid = "b-1", .phase = "Failed"};

	oversized(pods, pods->to.arg, "p1", "b-1");
	T_OK(pod_groups_left_out(v, "0 ns u"));
	T_OK(!pod_groups_left_out(v, "0 nsx u"));
	pod(v, "ns", 1, BOUND);
	T_OK(!pod_groups_left_out(v, "0 ns u"));
	pods->to.on_oversized(pods->to.arg, &id, true);
	T_OK(pod_groups_pod(v, "b-1")->pod->ended);
}

/* Namespaces with the label in=yes may enter. */
static void a_namespace_that_grows_keeps_its_labels(void)
{
	struct label_pair label = {(char *)"in", (char *)"yes"};
	struct namespace_config some = {.labels = {&label, 1}};
	const struct bridge_config c = {
		.scheduler = (char *)"s", .ns = &some, .n_ns = 1};
	_cleanup_seen_ struct pod_groups *v = look_with(&c);
	_cleanup_json_ json_object *labels = NULL, *none = NULL;

	T_NEED(spaces != NULL);
	spaces->to.on_list(v);
	space(v, "a", "\"in\": \"yes\"");
	spaces->to.on_synced(v);
	T_NEED(spaces->to.on_oversized != NULL);
	oversized(spaces, v, "a", "u");
	spaces->to.on_list(v);
	oversized(spaces, v, "a", "u");
	oversized(spaces, v, "never-read", "w");
	spaces->to.on_synced(v);
	labels = pod_groups_labels(v, "a");
	T_STR(jx_str(labels, "in"), "yes");
	T_OK(!pod_groups_labels(v, "never-read"));
	give(spaces->to.on_delete, v, "{\"metadata\": {\"name\": \"a\"}}");
	none = pod_groups_labels(v, "a");
	T_OK(!none);
}

/* Namespaces with the label in=yes may enter, and "ns" by its name. */
static void a_namespace_that_enters_is_told(void)
{
	struct label_pair label = {(char *)"in", (char *)"yes"};
	struct namespace_config all[] = {served, {.labels = {&label, 1}}};
	const struct bridge_config some_config = {
		.scheduler = (char *)"s", .ns = all, .n_ns = 2, .n_named = 1};
	_cleanup_seen_ struct pod_groups *v = look_with(&some_config);

	T_NEED(spaces != NULL);
	space(v, "a", "\"in\": \"no\"");
	T_INT(entries, 0);
	T_OK(!pod_groups_enters(v, "a"));
	T_OK(pod_groups_enters(v, "ns"));
	space(v, "a", "\"in\": \"yes\"");
	T_INT(entries, 1);
	T_OK(pod_groups_enters(v, "a"));
	space(v, "a", "\"in\": \"yes\", \"b\": \"c\"");
	T_INT(entries, 1);
	space(v, "a", "");
	T_OK(!pod_groups_enters(v, "a"));
	T_INT(entries, 1);
}

T_MAIN("pod_groups", T(pods_that_grow_stay_as_they_were),
       T(of_what_cannot_be_read_the_end_and_the_namespace_are_known),
       T(a_namespace_that_grows_keeps_its_labels),
       T(an_object_that_changes_touches_its_own_groups),
       T(who_else_speaks_for_a_group_touches_it),
       T(objects_may_change_beside_any_number_of_groups),
       T(a_pod_that_is_apart_stays_so), T(a_bound_pod_stays_in_its_group),
       T(a_job_that_is_made_anew_is_another_group),
       T(a_forged_owner_has_no_part_in_the_gang_of_that_name),
       T(pods_that_may_not_enter_hide_no_others),
       T(what_runs_by_us_is_seen_though_it_may_not_enter),
       T(what_runs_is_seen_behind_any_number_that_wait),
       T(what_has_ended_hides_nothing_and_asks_for_no_list),
       T(a_group_says_that_others_of_it_were_left_out),
       T(with_room_again_pods_are_listed_anew),
       T(without_having_been_full_nothing_is_listed_anew),
       T(a_namespace_that_enters_is_told), T(labels_say_which_pods_may_enter))

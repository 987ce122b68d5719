/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Nodes that are not any more as they were when it was planned what to do. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nodes_apply_fixture.h"

#define NODES 150

static struct sent {
	enum ctl_node_update what;
	bool has_text;
	bool leaves; /* the Reason as it is: text is "" */
	char list[NODES * 8];
} sent[16];
static unsigned int n_sent, followed;
static unsigned int other; /* this one is another's by now; 0: none */
static struct ctl_node as_other;
static bool others_after_drain; /* by then only */

static bool requeueable = true;
static bool takes_looks;      /* Kubernetes is asked for a pod */
static unsigned int looked;   /* so often it counts */
static unsigned int told;     /* nodes that were told to power down */
static unsigned int requeued; /* nodes for which that was tried */

bool __wrap_node_requests_look(struct node_requests *w, const char *node);
bool __wrap_node_requests_look(struct node_requests *w, const char *node)
{
	(void)w, (void)node;
	return takes_looks;
}

/* --- Slurm */

int ctl_jobs_load(struct ctl_jobs **out, struct err *err)
{
	(void)err;
	*out = (struct ctl_jobs *)sent;
	return 0;
}

void ctl_jobs_on_nodes(const struct ctl_jobs *j, ctl_on_node_fn fn, void *arg)
{
	char name[16];

	(void)j;
	for (uint32_t i = 1; i <= NODES; i++) {
		const struct ctl_occupant job = {
			.node = name, .job_id = i, .requeueable = requeueable};

		snprintf(name, sizeof(name), "n%u", i);
		fn(arg, &job);
	}
}

int ctl_job_comment(const struct ctl_jobs *j, uint32_t job_id, const char *text,
		    struct err *err)
{
	(void)j, (void)job_id, (void)text, (void)err;
	return 0;
}

static size_t taken_over_after; /* so many RPCs; 0: never */

int ctl_node_try(const char *nodes, enum ctl_node_update what, const char *text)
{
	if (n_sent == T_COUNT(sent))
		abort();
	sent[n_sent].has_text = text != NULL;
	sent[n_sent].leaves = text && !*text;
	sent[n_sent].what = what;
	str_copy(sent[n_sent++].list, nodes, sizeof(sent->list));
	is_taken_over = taken_over_after == n_sent;
	return 0;
}

void ctl_reason(const char *words, char out[WK_REASON_MAX])
{
	snprintf(out, WK_REASON_MAX, "k8s: %s", words);
}

bool ctl_nodes_find(const struct ctl_nodes *n, const char *name,
		    struct ctl_node *out)
{
	(void)n;
	see_node(name, out);
	if (other && strtoul(name + 1, NULL, 10) == other &&
	    (n_sent || !others_after_drain))
		*out = as_other;
	return true;
}

/* --- the rest of the engine */

void requeued_add(struct nodes *e, uint32_t job_id, int64_t begin_s)
{
	(void)e, (void)job_id, (void)begin_s;
	followed++;
}

/* --- */

static const char *words = "words";
static unsigned int n_clearing; /* the first ones have a Reason to lose */
static bool if_free, if_silent; /* it is planned so */
static enum pod_action pod;	/* what is done with their pods, too */

/* That is done with n1 to n<n>. */
static void act(enum node_action what, unsigned int n)
{
	struct actions a = {.v = calloc(n, sizeof(*a.v)), .n = n};
	struct nodes *e = calloc(1, sizeof(*e));

	if (!a.v || !e)
		abort();
	n_sent = followed = deleted = looked = told = requeued = 0;
	for (unsigned int i = 0; i < n; i++) {
		a.v[i].memo = calloc(1, sizeof(struct node_state) + 16);
		if (!a.v[i].memo)
			abort();
		snprintf(a.v[i].memo->name, 16, "n%u", i + 1);
		a.v[i].plan =
			(struct node_decision){.slurm = what, .row = "row"};
		a.v[i].memo->power.now = NODE_POWERING_UP;
		a.v[i].plan.kube = pod;
		a.v[i].plan.if_silent = if_silent;
		a.v[i].plan.if_free = if_free;
		a.v[i].plan.clears_reason = i < n_clearing;
		str_copy(a.v[i].plan.words, words, sizeof(a.v->plan.words));
	}
	nodes_apply(e, &a);
	for (unsigned int i = 0; i < n; i++) {
		looked += a.v[i].memo->tried.looks;
		told += a.v[i].memo->reason.told_at != 0;
		requeued += a.v[i].memo->tried.acted == NODE_REQUEUE;
		free(a.v[i].memo);
	}
	free(a.v);
	free(e);
}

/* A job may run there: DRAIN does not end it, POWER_DOWN_FORCE would. */
static void a_node_that_has_come_up_meanwhile_is_not_powered_down(void)
{
	node_is = (struct ctl_node){.power = CTL_POWERING_UP};
	as_other = (struct ctl_node){.power = CTL_UP, .busy = true};
	others_after_drain = true;
	for (other = 1; other <= 3; other++) {
		t_row("%u", other);
		act(NODE_REQUEUE, 3);
		T_INT(n_sent, 2);
		T_INT(sent[0].what, CTL_DRAIN);
		T_STR(sent[0].list, "n1,n2,n3");
		T_INT(sent[1].what, CTL_POWER_DOWN_NEW);
		T_STR(sent[1].list, other == 1	 ? "n2,n3"
				    : other == 2 ? "n1,n3"
						 : "n1,n2");
		T_INT(followed, 3); /* (they may be nodes of one job) */
	}
	other = 1;
	act(NODE_REQUEUE, 1);
	T_INT(n_sent, 1);
	T_INT(sent[0].what, CTL_DRAIN);
	T_INT(followed, 1);
	others_after_drain = false;
}

/* The other engine may have given the node to a job by then. */
static void what_is_left_after_a_takeover_is_not_done(void)
{
	static const struct {
		enum node_action what;
		enum ctl_node_update first;
	} rows[] = {
		{NODE_DOWN, CTL_DOWN},
		{NODE_RESUME, CTL_IDLE},
		{NODE_REQUEUE, CTL_DRAIN},
	};

	node_is = (struct ctl_node){.power = CTL_POWERING_UP};
	other = 0;
	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%zu", i);
		act(rows[i].what, 3);
		T_OK(n_sent > 1);
		taken_over_after = 1;
		act(rows[i].what, 3);
		T_INT(n_sent, 1);
		T_INT(sent[0].what, rows[i].first);
		taken_over_after = 0;
		is_taken_over = false;
	}
}

/*
 * The list of jobs took seconds: DRAIN would keep a node that runs its job from
 * others, and our Reason would take the place of an administrator's.
 */
static void what_does_not_fail_any_more_is_not_drained(void)
{
	static const struct {
		struct ctl_node is;
		bool back;
	} rows[] = {
		{{.power = CTL_UP, .busy = true}, false},
		{{.power = CTL_POWERING_UP,
		  .drained = true,
		  .reason = "bad DIMM"},
		 false},
		{{.power = CTL_POWERING_UP,
		  .drained = true,
		  .reason = "k8s: words"},
		 true},
		{{.power = CTL_POWERED_DOWN}, false},
	};

	node_is = (struct ctl_node){.power = CTL_POWERING_UP};
	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%zu", i);
		as_other = rows[i].is;
		other = 1; /* (whose words are those of all) */
		act(NODE_REQUEUE, 3);
		T_INT(n_sent, 2);
		T_INT(sent[0].what, CTL_DRAIN);
		T_STR(sent[0].list, rows[i].back ? "n1,n2,n3" : "n2,n3");
		T_STR(sent[1].list, sent[0].list);
		T_INT(followed, 3); /* (they may be nodes of one job) */
		act(NODE_REQUEUE, 1);
		T_INT(n_sent > 0, rows[i].back);
	}
	other = 0;
}

/* An administrator has resumed it just now, say, or has drained it himself. */
static void a_node_that_has_got_a_job_is_not_powered_off(void)
{
#define IS(...) ((struct ctl_node){__VA_ARGS__})
	const struct {
		struct ctl_node is;
		bool off;
	} rows[] = {
		{IS(.power = CTL_UP, .busy = true), false},
		{IS(.power = CTL_UP), false},
		{IS(.power = CTL_UP, .busy = true, .drained = true,
		    .reason = "k8s: words"),
		 false},
		{IS(.power = CTL_UP, .drained = true, .reason = "bad DIMM"),
		 false},
		{IS(.power = CTL_UP, .drained = true), false},
		{IS(.power = CTL_UP, .down = true, .reason = "bad DIMM"),
		 false},
		{IS(.power = CTL_UP, .drained = true, .reason = "k8s: words"),
		 true},
		{IS(.power = CTL_POWERING_UP, .busy = true, .drained = true,
		    .reason = "k8s: words"),
		 true},
		{IS(.power = CTL_UP, .down = true, .reason = "Not responding"),
		 true},
		{IS(.power = CTL_UP, .down = true, .drained = true,
		    .reason = "k8s: words : Not responding"),
		 true},
	};

	node_is = rows[6].is;
	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%zu", i);
		as_other = rows[i].is;
		other = 2;
		act(NODE_POWER_OFF, 3);
		T_INT(n_sent, 1);
		T_INT(sent[0].what, CTL_POWER_DOWN_FORCE);
		T_STR(sent[0].list, rows[i].off ? "n1,n2,n3" : "n1,n3");
		other = 1;
		act(NODE_POWER_OFF, 1);
		T_INT(n_sent, rows[i].off);
	}
}

/* Its job would be ended by that. */
static void a_node_that_has_got_a_job_does_not_rest(void)
{
	node_is = (struct ctl_node){.power = CTL_POWERED_DOWN};
	as_other = (struct ctl_node){.power = CTL_POWERING_UP, .busy = true};
	other = 2;
	act(NODE_COOL, 3);
	T_INT(n_sent, 1);
	T_INT(sent[0].what, CTL_DRAIN);
	T_STR(sent[0].list, "n1,n3");
	other = 1;
	act(NODE_COOL, 1);
	T_INT(n_sent, 0);
}

/* Its drain was taken away: the node got jobs in the middle of maintenance. */
static void what_an_administrator_has_drained_meanwhile_stays_so(void)
{
	static const struct {
		struct ctl_node is;
		bool stays;
	} rows[] = {
		{{.power = CTL_UP, .drained = true, .reason = "bad DIMM"},
		 true},
		{{.power = CTL_UP, .drained = true}, true},
		{{.power = CTL_UP, .down = true, .reason = "bad DIMM"}, true},
		{{.power = CTL_UP, .drained = true, .reason = "k8s: other"},
		 false},
		{{.power = CTL_UP,
		  .drained = true,
		  .reason = "Duplicate jobid"},
		 false},
		{{.power = CTL_UP, .down = true}, false},
		{{.power = CTL_UP}, false},
	};
	static const enum node_action plans[] = {NODE_IDLE, NODE_UNDRAIN,
						 NODE_RESUME};

	words = "";
	node_is = (struct ctl_node){.power = CTL_UP,
				    .drained = true,
				    .reason = "k8s: words",
				    .reason_ms = 5000};
	for (size_t i = 0; i < T_COUNT(rows) * T_COUNT(plans); i++) {
		const enum node_action plan = plans[i % T_COUNT(plans)];
		const bool stays = rows[i / T_COUNT(plans)].stays;

		t_row("%zu", i);
		as_other = rows[i / T_COUNT(plans)].is;
		as_other.reason_ms = 5000;
		other = 2;
		act(plan, 3);
		T_INT(n_sent, plan == NODE_RESUME ? 2 : 1);
		T_STR(sent[0].list, stays ? "n1,n3" : "n1,n2,n3");
		other = 1;
		act(plan, 1);
		T_INT(n_sent > 0, !stays);
	}
	words = "words";
}

/* (Slurm does not say whether its Epilog has failed) */
static void a_node_where_a_job_has_ended_meanwhile_is_not_undrained(void)
{
	static const struct {
		bool busy;
		int64_t last_busy_s;
		bool stays, ending;
	} rows[] = {
		{true, 7, false},
		{false, 4, false},
		{false, 0, false},
		{false, 5, true},
		{false, 6, true},
		/* somebody has asked for POWER_DOWN_ASAP */
		{true, 0, true, true},
	};

	node_is = (struct ctl_node){.power = CTL_UP,
				    .busy = true,
				    .drained = true,
				    .reason = "k8s: words",
				    .reason_ms = 5000};
	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%zu", i);
		as_other = node_is;
		as_other.busy = rows[i].busy;
		as_other.last_busy_s = rows[i].last_busy_s;
		as_other.ending = rows[i].ending;
		other = 2;
		act(NODE_UNDRAIN, 3);
		T_INT(n_sent, 1);
		T_STR(sent[0].list, rows[i].stays ? "n1,n3" : "n1,n2,n3");
		other = 1;
		act(NODE_UNDRAIN, 1);
		T_INT(n_sent, !rows[i].stays);
		/* of one that is idle that would say that it is busy */
		T_OK(!asked_for_one);
	}
	other = 0;
}

/*
 * The list of jobs, which is asked for before, took seconds: in them the
 * network came back, or an administrator has drained a node himself.
 */
static void a_node_that_is_not_lost_any_more_is_not_set_down(void)
{
	static const struct {
		struct ctl_node is;
		bool down[2], down_only[2]; /* as planned; if it is silent */
	} rows[] = {
		{{.power = CTL_UP, .no_respond = true},
		 {true, true},
		 {false, false}},
		{{.power = CTL_UP}, {true, false}, {false, false}},
		{{.power = CTL_UP,
		  .no_respond = true,
		  .drained = true,
		  .reason = "bad DIMM"},
		 {false, false},
		 {true, true}},
		{{.power = CTL_UP, .drained = true, .reason = "bad DIMM"},
		 {false, false},
		 {true, false}},
		{{.power = CTL_UP,
		  .no_respond = true,
		  .drained = true,
		  .reason = "k8s: words"},
		 {true, true},
		 {true, true}}, /* (the view may have another Reason) */
	};

	for (size_t i = 0; i < T_COUNT(rows) * 4; i++) {
		const enum node_action plan =
			i % 2 ? NODE_DOWN_ONLY : NODE_DOWN;
		const bool *is =
			i % 2 ? rows[i / 4].down_only : rows[i / 4].down;

		t_row("%zu", i);
		node_is = rows[i % 2 ? 2 : 0].is;
		if_silent = i / 2 % 2;
		as_other = rows[i / 4].is;
		other = 2;
		act(plan, 3);
		T_INT(n_sent, plan == NODE_DOWN ? 2 : 1);
		T_STR(sent[0].list, is[if_silent] ? "n1,n2,n3" : "n1,n3");
		T_STR(sent[n_sent - 1].list, sent[0].list);
		T_INT(followed, is[if_silent] ? 3 : 2);
		other = 1;
		act(plan, 1);
		T_INT(n_sent > 0, is[if_silent]);
		T_INT(followed, is[if_silent]);
	}
	if_silent = false;
}

/*
 * Our Reason would take the place of his, and be ended with its cause; and a
 * power-down takes a DRAIN away.
 */
static void what_somebody_has_drained_is_not_drained_by_us(void)
{
	static const struct ctl_node rows[] = {
		{.power = CTL_UP, .drained = true, .reason = "bad DIMM"},
		{.power = CTL_UP, .down = true, .reason = "bad DIMM"}};
	static const struct {
		enum node_action plan;
		enum ctl_node_update what;
	} plans[] = {{NODE_DRAIN, CTL_DRAIN},
		     {NODE_COOL, CTL_DRAIN},
		     {NODE_RECYCLE, CTL_POWER_DOWN}};

	for (size_t i = 0; i < T_COUNT(rows) * T_COUNT(plans); i++) {
		t_row("%zu", i);
		node_is = (struct ctl_node){.power = CTL_UP};
		as_other = rows[i / T_COUNT(plans)];
		other = 2;
		act(plans[i % T_COUNT(plans)].plan, 3);
		T_INT(n_sent, 1);
		T_INT(sent[0].what, plans[i % T_COUNT(plans)].what);
		T_STR(sent[0].list, "n1,n3");
		other = 1;
		act(plans[i % T_COUNT(plans)].plan, 1);
		T_INT(n_sent, 0);
	}
	other = 0;
}

/* (its old pod does not go; DRAIN would end a job that may not be requeued) */
static void nor_is_what_has_got_a_job(void)
{
	node_is = (struct ctl_node){.power = CTL_POWERED_DOWN};
	as_other = (struct ctl_node){.power = CTL_POWERING_UP, .busy = true};
	other = 2;
	act(NODE_DRAIN, 3);
	T_STR(sent[0].list, "n1,n2,n3");
	if_free = true;
	act(NODE_DRAIN, 3);
	T_STR(sent[0].list, "n1,n3");
	if_free = false;
	other = 0;
}

/* (who drained it has said why; later a job may have the node) */
static void a_drain_is_set_again_while_it_is_missing_only(void)
{
	static const struct {
		struct ctl_node is;
		bool again;
	} rows[] = {
		{{.power = CTL_POWERING_DOWN, .reason = "bad DIMM"}, true},
		{{.power = CTL_POWERED_DOWN, .reason = "bad DIMM"}, false},
		{{.power = CTL_POWERING_UP, .reason = "bad DIMM"}, false},
		{{.power = CTL_POWERING_DOWN,
		  .drained = true,
		  .reason = "bad DIMM"},
		 false},
		{{.power = CTL_POWERING_DOWN,
		  .down = true,
		  .reason = "bad DIMM"},
		 false},
		{{.power = CTL_POWERING_DOWN, .reason = "k8s: words"}, false},
	};

	node_is = rows[0].is;
	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%zu", i);
		as_other = rows[i].is;
		other = 2;
		act(NODE_DRAIN_AGAIN, 3);
		T_INT(n_sent, 1);
		T_INT(sent[0].what, CTL_DRAIN);
		T_STR(sent[0].list, rows[i].again ? "n1,n2,n3" : "n1,n3");
		T_OK(!sent[0].has_text);
	}
}

/* (its drain that comes right after that is not lost) */
static void it_is_known_when_a_node_was_told_to_power_down(void)
{
	act(NODE_DRAIN, 3);
	T_INT(told, 0);
	act(NODE_RECYCLE, 3);
	T_INT(told, 3);
}

/* RESUME makes slurmctld look at its queue: a DRAIN would end the job. */
static void a_node_that_gets_a_job_as_it_is_resumed_does_not_rest(void)
{
	node_is = (struct ctl_node){.power = CTL_POWERED_DOWN};
	as_other = (struct ctl_node){.power = CTL_POWERING_UP, .busy = true};
	other = 2;
	act(NODE_RESUME, 3);
	T_INT(n_sent, 3);
	T_INT(sent[0].what, CTL_IDLE);
	T_INT(sent[1].what, CTL_RESUME);
	T_STR(sent[1].list, "n1,n2,n3");
	T_INT(sent[2].what, CTL_DRAIN);
	T_STR(sent[2].list, "n1,n3");
}

/* srun's: it ran in the pod, as slurmd had registered at last. */
static void the_pod_of_a_job_that_cannot_be_requeued_stays_when_it_runs(void)
{
	pod = POD_DELETE;
	requeueable = false;
	node_is = (struct ctl_node){.power = CTL_POWERING_UP, .busy = true};
	as_other = (struct ctl_node){.power = CTL_UP, .busy = true};
	other = 2;
	act(NODE_REQUEUE, 3);
	T_INT(n_sent, 0);
	T_INT(requeued, 3); /* (not in each pass, with a list of jobs) */
	T_INT(deleted, 2);
	other = 1;
	act(NODE_REQUEUE, 1);
	T_INT(deleted, 0);
	requeueable = true;
	pod = POD_LEAVE;
}

/* slurmctld looks through all its jobs for each of them. */
static void few_nodes_at_once_are_taken_from_their_jobs(void)
{
	static const struct {
		enum node_action plan;
		enum ctl_node_update what[2];
		unsigned int n; /* RPCs for a piece */
	} rows[] = {{NODE_DOWN, {CTL_DOWN, CTL_POWER_DOWN_FORCE}, 2},
		    {NODE_POWER_OFF, {CTL_POWER_DOWN_FORCE}, 1},
		    {NODE_DOWN_ONLY, {CTL_DOWN}, 1},
		    {NODE_REQUEUE, {CTL_DRAIN, CTL_POWER_DOWN_NEW}, 2}};

	node_is = (struct ctl_node){.power = CTL_POWERING_UP,
				    .drained = true,
				    .reason = "k8s: words"};
	other = 0;
	for (size_t i = 0; i < T_COUNT(rows); i++) {
		unsigned int names = 0;

		t_row("%zu", i);
		node_is.reason = rows[i].plan == NODE_DOWN_ONLY ? "theirs"
								: "k8s: words";
		act(rows[i].plan, NODES);
		T_INT(n_sent, 3 * rows[i].n);
		for (unsigned int k = 0; k < n_sent; k++) {
			unsigned int commas = 0;

			for (const char *c = sent[k].list; *c; c++)
				commas += *c == ',';
			T_INT(sent[k].what, rows[i].what[k % rows[i].n]);
			T_OK(commas < 64);
			names += commas + 1;
		}
		T_INT(names, NODES * rows[i].n);
	}
	act(NODE_IDLE, NODES);
	T_INT(n_sent, 1);
}

static void only_nodes_with_a_reason_of_ours_have_it_written_over(void)
{
	words = "";
	n_clearing = 1;
	act(NODE_RESUME, 3);
	n_clearing = 0;
	words = "words";
	T_INT(n_sent, 4);
	for (unsigned int i = 0; i < n_sent; i++) {
		t_row("%u", i);
		T_INT(sent[i].what, i % 2 ? CTL_RESUME : CTL_IDLE);
		T_INT(sent[i].leaves, i >= 2);
		T_STR(sent[i].list, i < 2 ? "n1" : "n2,n3");
	}
	node_is.reason_ms = 5000;
	act(NODE_UNDRAIN, 1);
	T_OK(n_sent == 1 && !sent[0].leaves);
	act(NODE_IDLE, 1);
	T_OK(n_sent == 1 && !sent[0].leaves);
}

/* Else the next one would come later and later. */
static void a_question_for_a_pod_that_found_no_room_does_not_count(void)
{
	pod = POD_LOOK;
	act(NODE_KEEP, 3);
	T_INT(looked, 0);
	takes_looks = true;
	act(NODE_KEEP, 3);
	T_INT(looked, 3);
	pod = POD_LEAVE;
}

static void features_are_sent_uncut_however_long_they_are(void)
{
	_cleanup_free_ char *active = t_repeat("abcdefghi,", 40),
			    *available = t_repeat("abcdefghi,", 59);
	_cleanup_free_ char *both = str_printf("%s %s", active, available);
	static const struct {
		const char *words, *active, *available;
	} rows[] = {{"a,b", "a,b", "NULL"},
		    {"a a,b", "a", "a,b"},
		    {" a,b", "", "a,b"},
		    {"", "", "NULL"}};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%zu", i);
		words = rows[i].words;
		act(NODE_SET_FEATURES, 1);
		T_STR(set_features[0], rows[i].active);
		T_STR(set_features[1], rows[i].available);
	}
	words = both;
	act(NODE_SET_FEATURES, 1);
	T_STR(set_features[0], active);
	T_STR(set_features[1], available);
	words = "words";
}

T_MAIN("nodes_apply_now", T(what_is_left_after_a_takeover_is_not_done),
       T(a_node_that_has_come_up_meanwhile_is_not_powered_down),
       T(what_does_not_fail_any_more_is_not_drained),
       T(a_node_that_has_got_a_job_is_not_powered_off),
       T(a_node_that_has_got_a_job_does_not_rest),
       T(what_an_administrator_has_drained_meanwhile_stays_so),
       T(a_node_where_a_job_has_ended_meanwhile_is_not_undrained),
       T(a_node_that_is_not_lost_any_more_is_not_set_down),
       T(what_somebody_has_drained_is_not_drained_by_us),
       T(nor_is_what_has_got_a_job),
       T(a_drain_is_set_again_while_it_is_missing_only),
       T(it_is_known_when_a_node_was_told_to_power_down),
       T(a_node_that_gets_a_job_as_it_is_resumed_does_not_rest),
       T(the_pod_of_a_job_that_cannot_be_requeued_stays_when_it_runs),
       T(few_nodes_at_once_are_taken_from_their_jobs),
       T(only_nodes_with_a_reason_of_ours_have_it_written_over),
       T(a_question_for_a_pod_that_found_no_room_does_not_count),
       T(features_are_sent_uncut_however_long_they_are))

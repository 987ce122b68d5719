/* SPDX-License-Identifier: GPL-2.0-or-later */
/* slurmctld's answer is the test's: see __wrap_slurm_load_node(). */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "slurm/back_reason.h"
#include "slurm/ctl.h"
#include "slurm/ctl_plugin.h"
#include "slurm/release.h"
#include "slurm/shared.h"
#include "t.h"

#define N_NODES 4

int __wrap_slurm_load_node(time_t since, node_info_msg_t **out, uint16_t flags);
int __wrap_slurm_load_node_single(node_info_msg_t **out, char *name,
				  uint16_t flags);
void __wrap_slurm_free_node_info_msg(node_info_msg_t *msg);
void __wrap_slurm_xfree(void **text);

/* Not in the order of their names; the second one is hidden. */
static const node_info_t sample[N_NODES] = {
	{.name = (char *)"n3",
	 .node_state = NODE_STATE_IDLE | NODE_STATE_POWERED_DOWN,
	 .reason = (char *)"k8s: quota",
	 .reason_time = 7,
	 .extra = (char *)"k8s: none",
	 .gres = (char *)"gpu:2",
	 .comment = (char *)"",
	 .features = (char *)"cpu,jax",
	 .features_act = (char *)"jax"},
	{.node_state = NODE_STATE_IDLE},
	{.name = (char *)"n10",
	 .node_state = NODE_STATE_ALLOCATED | NODE_STATE_POWERING_UP |
		       NODE_STATE_CLOUD | NODE_STATE_RES,
	 .cpus = 4,
	 .real_memory = 5000000000},
	{.name = (char *)"n2",
	 .node_state = NODE_STATE_DOWN | NODE_STATE_DRAIN | NODE_STATE_MAINT,
	 .reason = (char *)"broken"},
};

static node_info_t nodes[N_NODES];
static char texts[4096]; /* what the message points to */
static size_t used;
static node_info_msg_t message = {
	.last_update = 1000, .record_count = N_NODES, .node_array = nodes};
static int messages; /* given out and not freed */
static time_t asked_since;
static int refuse; /* an errno */

static const char *comments[N_NODES];  /* instead of the sample's */
static void (*alter)(node_info_t *n3); /* or NULL */
static uint32_t n2_state;	       /* the same, of n2 */

static char *put(const char *text)
{
	char *at = texts + used;

	if (!text)
		return NULL;
	used += strlen(text) + 1;
	return strcpy(at, text);
}

static void fill(void)
{
	used = 0;
	for (int i = 0; i < N_NODES; i++) {
		nodes[i] = sample[i];
		if (n2_state && i == N_NODES - 1)
			nodes[i].node_state = n2_state;
		nodes[i].name = put(sample[i].name);
		nodes[i].reason = put(sample[i].reason);
		nodes[i].extra = put(sample[i].extra);
		nodes[i].gres = put(sample[i].gres);
		nodes[i].comment =
			put(comments[i] ? comments[i] : sample[i].comment);
		nodes[i].features = put(sample[i].features);
		nodes[i].features_act = put(sample[i].features_act);
	}
	if (alter)
		alter(&nodes[0]);
}

int __wrap_slurm_load_node(time_t since, node_info_msg_t **out, uint16_t flags)
{
	(void)flags;
	asked_since = since;
	if (refuse) {
		errno = refuse;
		return -1;
	}
	fill();
	messages++;
	*out = &message;
	return 0;
}

int __wrap_slurm_load_node_single(node_info_msg_t **out, char *name,
				  uint16_t flags)
{
	(void)name;
	return __wrap_slurm_load_node(0, out, flags);
}

/* (those of the test are in no memory of Slurm's) */
void __wrap_slurm_xfree(void **text)
{
	*text = NULL;
}

/* Whoever reads it afterwards reads nonsense. Slurm 22.05 forgets comment and
 * extra. */
void __wrap_slurm_free_node_info_msg(node_info_msg_t *msg)
{
	messages--;
	for (uint32_t i = 0; i < msg->record_count; i++)
		T_OK(!msg->node_array[i].comment && !msg->node_array[i].extra);
	memset(texts, '?', sizeof(texts) - 1);
	memset(msg->node_array, 0, sizeof(nodes));
}

static struct ctl_nodes *load(void)
{
	struct ctl_nodes *n = NULL;
	struct err err = {0};

	refuse = 0;
	T_INT(ctl_nodes_load(&n, &err), 0);
	return n;
}

static void what_is_needed_outlives_slurms_message(void)
{
	_cleanup_(ctl_nodes_freep) struct ctl_nodes *n = load();
	struct ctl_node x;

	T_INT(messages, 0);
	T_OK(ctl_nodes_find(n, "n3", &x));
	T_STR(x.name, "n3");
	T_STR(x.reason, "k8s: quota");
	T_INT(x.reason_ms, 7000);
	T_STR(x.extra, "k8s: none");
	T_STR(x.gres, "gpu:2");
	T_STR(x.comment, "");
	T_STR(x.features, "cpu,jax");
	T_STR(x.features_active, "jax");
	T_INT(x.power, CTL_POWERED_DOWN);
	T_OK(!x.busy && !x.cloud && !x.down && !x.reserved);
}

static void what_is_not_given_stays_so(void)
{
	_cleanup_(ctl_nodes_freep) struct ctl_nodes *n = load();
	struct ctl_node x;

	T_OK(ctl_nodes_find(n, "n10", &x));
	T_OK(!x.reason && !x.extra && !x.gres && !x.comment && !x.features &&
	     !x.features_active);
	T_INT(x.power, CTL_POWERING_UP);
	T_INT(x.cpus, 4);
	T_OK(x.memory_mib == 5000000000);
	T_OK(x.busy && x.cloud && x.reserved);
	T_OK(!x.reservation);
}

static void all_but_hidden_nodes_are_there(void)
{
	static const char *const names[] = {"n3", "n10", "n2"};
	_cleanup_(ctl_nodes_freep) struct ctl_nodes *n = load();
	struct ctl_node x;

	T_INT(ctl_nodes_count(n), 3);
	for (size_t i = 0; i < 3; i++) {
		T_OK(ctl_nodes_at(n, i, &x));
		T_STR(x.name, names[i]);
		T_OK(ctl_nodes_find(n, names[i], &x));
		T_STR(x.name, names[i]);
	}
	T_OK(!ctl_nodes_at(n, 3, &x));
	T_OK(!ctl_nodes_find(n, "n1", &x));
	T_OK(!ctl_nodes_find(n, "n4", &x));
	T_OK(!ctl_nodes_find(n, "", &x));
	T_OK(ctl_nodes_find(n, "n2", &x));
	T_OK(x.down && x.drained && x.reserved);
}

/* (Slurm adds its DRAIN to our FAIL) */
static void what_fails_and_is_not_drained_as_well_is_told(void)
{
	static const struct {
		uint32_t state;
		bool drained, failing;
	} rows[] = {{NODE_STATE_IDLE, false, false},
		    {NODE_STATE_MIXED | NODE_STATE_FAIL, true, true},
		    {NODE_STATE_IDLE | NODE_STATE_DRAIN, true, false},
		    {NODE_STATE_IDLE | NODE_STATE_DRAIN | NODE_STATE_FAIL, true,
		     false}};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_(ctl_nodes_freep) struct ctl_nodes *n = NULL;
		struct ctl_node x = {0};

		t_row("%zu", i);
		n2_state = rows[i].state;
		n = load();
		T_OK(ctl_nodes_find(n, "n2", &x));
		T_INT(x.drained, rows[i].drained);
		T_INT(x.failing, rows[i].failing);
	}
	n2_state = 0;
}

static void there_may_be_none(void)
{
	_cleanup_(ctl_nodes_freep) struct ctl_nodes *n = NULL;
	struct ctl_node x;

	message.record_count = 0;
	n = load();
	message.record_count = N_NODES;
	T_INT(ctl_nodes_count(n), 0);
	T_OK(!ctl_nodes_find(n, "n1", &x));
}

static void only_changes_are_asked_for(void)
{
	_cleanup_(ctl_nodes_freep) struct ctl_nodes *n = load();
	struct ctl_nodes *before = n;
	struct err err = {0};

	refuse = SLURM_NO_CHANGE_IN_DATA;
	T_INT(ctl_nodes_refresh(&n, &err), 0);
	T_OK(n == before);
	T_INT(asked_since, 1000);
	/* the controller's clock was set back after its last answer */
	message.last_update = time(NULL) + 3600;
	refuse = 0;
	T_INT(ctl_nodes_refresh(&n, &err), 1);
	message.last_update = 1000;
	T_INT(ctl_nodes_refresh(&n, &err), 1);
	T_INT(asked_since, 0);
	before = n;
	refuse = ECONNREFUSED;
	T_INT(ctl_nodes_refresh(&n, &err), -EIO);
	T_OK(n == before);
	T_HAS(err.msg, "cannot read slurmctld's nodes");
	refuse = 0;
	T_INT(ctl_nodes_refresh(&n, &err), 1);
	T_INT(ctl_nodes_count(n), 3);
	T_INT(messages, 0);
}

static void it_is_there_as_long_as_anybody_has_it(void)
{
	struct ctl_nodes *n = load(), *mine = n;
	struct ctl_node x;
	struct err err = {0};

	ctl_share((struct ctl_shared *)n);
	/* (an owner's is replaced) */
	T_INT(ctl_nodes_refresh(&mine, &err), 1);
	T_OK(mine != n);
	T_OK(ctl_nodes_find(n, "n3", &x));
	T_STR(x.reason, "k8s: quota");
	ctl_nodes_free(mine);
	ctl_nodes_free(n);
}

static void renamed(node_info_t *n)
{
	n->name = (char *)"n4";
}

static void powers_up(node_info_t *n)
{
	n->node_state = NODE_STATE_IDLE | NODE_STATE_POWERING_UP;
}

static void down(node_info_t *n)
{
	n->node_state = NODE_STATE_DOWN | NODE_STATE_POWERED_DOWN;
}

static void drained(node_info_t *n)
{
	n->node_state |= NODE_STATE_DRAIN;
}

static void failing(node_info_t *n)
{
	n->node_state |= NODE_STATE_FAIL;
}

static void busy(node_info_t *n)
{
	n->node_state |= NODE_STATE_COMPLETING;
}

static void silent(node_info_t *n)
{
	n->node_state |= NODE_STATE_NO_RESPOND;
}

static void dynamic(node_info_t *n)
{
	n->node_state |= NODE_STATE_DYNAMIC_NORM;
}

static void cloud(node_info_t *n)
{
	n->node_state |= NODE_STATE_CLOUD;
}

static void to_reboot(node_info_t *n)
{
	n->node_state |= NODE_STATE_REBOOT_REQUESTED;
}

static void ending(node_info_t *n)
{
	n->node_state |= NODE_STATE_POWER_DOWN;
}

static void starting(node_info_t *n)
{
	n->node_state |= NODE_STATE_POWER_UP;
}

static void reserved(node_info_t *n)
{
	n->node_state |= NODE_STATE_RES;
}

static void idle_since(node_info_t *n)
{
	n->last_busy = 5;
}

static void other_reason(node_info_t *n)
{
	n->reason = (char *)"k8s: no quota";
}

static void newer_reason(node_info_t *n)
{
	n->reason_time = 8;
}

static void no_extra(node_info_t *n)
{
	n->extra = NULL;
}

static void more_cpus(node_info_t *n)
{
	n->cpus = 5;
}

static void more_memory(node_info_t *n)
{
	n->real_memory = 5;
}

static void other_gres(node_info_t *n)
{
	n->gres = (char *)"gpu:3";
}

static void commented(node_info_t *n)
{
	n->comment = (char *)"k8s: image";
}

static void other_features(node_info_t *n)
{
	n->features = (char *)"cpu";
}

static void other_active(node_info_t *n)
{
	n->features_act = (char *)"cpu";
}

static void hidden(node_info_t *n)
{
	n->name = NULL;
}

static void whatever_differs_makes_them_others(void)
{
	static void (*const rows[])(node_info_t * n) = {
		renamed,      powers_up,    down,	    drained,
		failing,      busy,	    silent,	    dynamic,
		cloud,	      to_reboot,    ending,	    reserved,
		idle_since,   other_reason, newer_reason,   no_extra,
		more_cpus,    more_memory,  other_gres,	    commented,
		other_active, hidden,	    other_features, starting};
	_cleanup_(ctl_nodes_freep) struct ctl_nodes *n = load(),
						    *again = load();

	T_OK(ctl_nodes_same(n, n) && ctl_nodes_same(n, again));
	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_(ctl_nodes_freep) struct ctl_nodes *x = NULL;

		t_row("%zu", i);
		alter = rows[i];
		x = load();
		alter = NULL;
		T_OK(!ctl_nodes_same(n, x));
		T_OK(!ctl_nodes_same(x, n));
	}
}

static void a_reason_keeps_the_cause(void)
{
	char reason[WK_REASON_MAX];

	ctl_reason("slurmd: RunContainerError: failed to create containerd "
		   "task: failed to create shim task: OCI runtime create "
		   "failed: runc create failed: unable to start container "
		   "process: error during container init: exec: \"/no/such\": "
		   "stat /no/such: no such file or directory: unknown",
		   reason);
	T_HAS(reason, "k8s: slurmd: RunContainerError: failed to create "
		      "containerd task: failed to ... ");
	T_HAS(reason, "stat /no/such: no such file or directory: unknown");
	T_OK(strlen(reason) < WK_REASON_MAX);
	ctl_reason("short", reason);
	T_STR(reason, "k8s: short");
}

static char updated[4096], comment[256], reason[256];
static int updates, refused; /* this one */
static size_t most_names, addresses, named;

static size_t names_in(const char *list)
{
	size_t n = list && *list;

	for (; list && *list; list++)
		n += *list == ',';
	return n;
}

int __wrap_slurm_update_node(update_node_msg_t *msg);
int __wrap_slurm_update_node(update_node_msg_t *msg)
{
	updates++;
	snprintf(updated, sizeof(updated), "%s", msg->node_names);
	snprintf(reason, sizeof(reason), "%s",
		 msg->reason ? msg->reason : "(none)");
	snprintf(comment, sizeof(comment), "%s",
		 msg->comment ? msg->comment : "");
	named += names_in(msg->node_names);
	if (names_in(msg->node_names) > most_names)
		most_names = names_in(msg->node_names);
	addresses += names_in(msg->node_addr);
	errno = EINVAL;
	return updates == refused ? -1 : 0;
}

/* Of which n3, n10 and n2 have these comments; nothing was updated yet. */
static struct ctl_nodes *nodes_that_say(const char *const has[3])
{
	struct ctl_nodes *n = NULL;
	struct err err = {0};

	comments[0] = has[0];
	comments[2] = has[1];
	comments[3] = has[2];
	updates = 0;
	T_OK(!ctl_nodes_load(&n, &err));
	return n;
}

/* Somebody else's stay; those that have it already are not asked for. */
static void a_comment_for_many_is_one_rpc(void)
{
	static const struct {
		const char *has[3], *text, *names; /* of n3, n10, n2 */
	} rows[] = {
		{{"", NULL, "k8s: before"}, "k8s: now", "n3,n10,n2"},
		{{"an admin's", NULL, "k8s: before"}, "k8s: now", "n10,n2"},
		{{"k8s: now", NULL, "k8s: before"}, "k8s: now", "n10,n2"},
		{{"k8s: now", "", "k8s: before"}, "", "n3,n2"},
		{{"an admin's", "k8s: now", "k8s: now"}, "k8s: now", NULL},
		{{"", NULL, "an admin's"}, "", NULL},
	};
	char *const names[] = {(char *)"n3", (char *)"n10", (char *)"gone",
			       (char *)"n2"};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_(ctl_nodes_freep) struct ctl_nodes *n = NULL;
		struct err err = {0};

		t_row("%zu", i);
		n = nodes_that_say(rows[i].has);
		T_NEED(n != NULL);
		T_INT(ctl_nodes_comment(n, names, 4, rows[i].text, &err), 0);
		T_INT(updates, rows[i].names != NULL);
		if (!rows[i].names)
			continue;
		T_STR(updated, rows[i].names);
		T_STR(comment, rows[i].text);
	}
	memset(comments, 0, sizeof(comments));
}

#define NO_ENGINE                                                              \
	"k8s: sched_bridge.so is for Slurm 24.11.4 and slurmctld is 24.11.5, " \
	"so it does not load it: no engine runs. Install slurm-k8s for "       \
	"24.11.5 on ctl1"

static void an_engine_that_runs_takes_back_that_none_does(void)
{
	static const struct {
		const char *has[3], *names;
	} rows[] = {
		{{NO_ENGINE, NO_ENGINE, "k8s: quota"}, "n3,n10"},
		{{"", NULL, NO_ENGINE}, "n2"},
		{{"k8s: quota", "mine: no engine runs.", ""}, NULL},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_(ctl_nodes_freep) struct ctl_nodes *n = NULL;
		struct err err = {0};

		t_row("%zu", i);
		n = nodes_that_say(rows[i].has);
		T_NEED(n != NULL);
		T_INT(ctl_plugin_unsay(n, &err), 0);
		T_INT(updates, rows[i].names != NULL);
		if (!rows[i].names)
			continue;
		T_STR(updated, rows[i].names);
		T_STR(comment, "");
	}
	memset(comments, 0, sizeof(comments));
}

/* (the engine asks before it has read any) */
static void nothing_read_is_no_nodes(void)
{
	T_INT(ctl_nodes_count(NULL), 0);
}

/* slurmctld looks through all its jobs for each node, with its locks held. */
static void few_nodes_at_once_are_taken_from_their_jobs(void)
{
	static const struct {
		enum ctl_node_update what;
		int rpcs;
		size_t most, addresses;
	} rows[] = {{CTL_DOWN, 3, 64, 0},
		    {CTL_POWER_DOWN_FORCE, 3, 64, 0},
		    {CTL_POWER_DOWN_NEW, 3, 64, 150},
		    {CTL_DRAIN, 1, 1, 0}};
	struct err err = {0};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%zu", i);
		updates = 0;
		most_names = addresses = named = 0;
		T_OK(!ctl_node_update("n[1-150]", rows[i].what, NULL, &err));
		T_INT(updates, rows[i].rpcs);
		T_INT(most_names, rows[i].most);
		T_INT(addresses, rows[i].addresses);
		if (rows[i].most > 1)
			T_INT(named, 150);
	}
	for (refused = 1; refused <= 3; refused++) {
		updates = 0;
		T_INT(ctl_node_update("n[1-150]", CTL_DOWN, NULL, &err), -EIO);
		T_INT(updates, 3); /* (the others may be taken) */
	}
	refused = 0;
}

static void what_slurm_keeps_of_a_node_that_is_back_it_replaces_later(void)
{
	static const struct {
		long release;
		bool keeps;
	} rows[] = {{SLURM_VERSION_NUM(23, 2, 8), false},
		    {SLURM_VERSION_NUM(23, 11, 0), true},
		    {SLURM_VERSION_NUM(24, 11, 5), true},
		    {SLURM_VERSION_NUM(25, 11, 7), true},
		    {SLURM_VERSION_NUM(26, 5, 0), false}};
	static const enum ctl_node_update backs[] = {CTL_RESUME, CTL_UNDRAIN,
						     CTL_IDLE};
	const char *here = back_reason(SLURM_VERSION_NUMBER, CTL_RESUME);
	struct err err = {0};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%zu", i);
		for (size_t k = 0; k < T_COUNT(backs); k++)
			T_STR(back_reason(rows[i].release, backs[k]),
			      rows[i].keeps ? "Not responding" : NULL);
		T_OK(!back_reason(rows[i].release, CTL_DRAIN));
		T_OK(!back_reason(rows[i].release, CTL_DOWN));
		T_OK(!back_reason(rows[i].release, CTL_POWER_DOWN_FORCE));
		T_OK(!back_reason(rows[i].release, CTL_SET_EXTRA));
	}
	for (size_t k = 0; k < T_COUNT(backs); k++) {
		T_OK(!ctl_node_update("n2", backs[k], NULL, &err));
		T_STR(reason, here ? here : "(none)");
		T_OK(!ctl_node_update("n2", backs[k], "", &err));
		T_STR(reason, "(none)");
	}
	T_OK(!ctl_node_update("n2", CTL_DRAIN, "k8s: x", &err));
	T_STR(reason, "k8s: x");
}

T_MAIN("ctl_nodes", T(it_is_there_as_long_as_anybody_has_it),
       T(whatever_differs_makes_them_others),
       T(what_slurm_keeps_of_a_node_that_is_back_it_replaces_later),
       T(few_nodes_at_once_are_taken_from_their_jobs),
       T(what_fails_and_is_not_drained_as_well_is_told),
       T(nothing_read_is_no_nodes),
       T(an_engine_that_runs_takes_back_that_none_does),
       T(a_comment_for_many_is_one_rpc), T(a_reason_keeps_the_cause),
       T(what_is_needed_outlives_slurms_message), T(what_is_not_given_stays_so),
       T(all_but_hidden_nodes_are_there), T(there_may_be_none),
       T(only_changes_are_asked_for))

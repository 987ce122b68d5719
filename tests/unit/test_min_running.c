/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Nodes that run though no job wants them. Slurm, the lease, what rests, the
 * clock and the log are the test's.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/str.h"
#include "nodes/running/min_running.h"
#include "slurm/ctl_create.h"
#include "slurm/ctl_suspend_exc.h"
#include "t.h"

#define NODES 3

static int64_t now_ms;

int64_t __wrap_clock_ms(void);
int64_t __wrap_clock_ms(void)
{
	return now_ms;
}

static char logged[4000];

static void sink(enum log_level level, const char *line)
{
	(void)level;
	T_OK(strlen(logged) + strlen(line) < sizeof(logged) - 2);
	strcat(strcat(logged, line), "\n");
}

static struct nodeset sets[] = {
	{.name = (char *)"s", .nodes = (char *)"n[1-3]"}};
static struct config config = {.nodesets = sets, .n_nodesets = 1};
static const char *homeless; /* this node is in no nodeset */

const struct nodeset *__wrap_config_nodeset_of(const struct config *c,
					       const char *node);
const struct nodeset *__wrap_config_nodeset_of(const struct config *c,
					       const char *node)
{
	(void)c;
	return str_eq(homeless, node) ? NULL : &sets[0];
}

static struct nodes engine;
static struct node_state *states[NODES];
static bool held, live;
static const char *resting; /* this node rests */

struct cluster *cluster_of(struct nodes *e, const struct nodeset *of)
{
	(void)e, (void)of;
	return NULL;
}

bool cluster_held(struct cluster *l)
{
	(void)l;
	return held;
}

bool watch_is_live(struct cluster *l)
{
	(void)l;
	return live;
}

static struct cooldown cooling;

struct cooldown *cooldown_of(struct nodes *e, const struct nodeset *set)
{
	(void)e, (void)set;
	return &cooling;
}

const char *cooldown_words(struct nodes *e, const struct nodeset *set,
			   const struct node_state *m)
{
	(void)e, (void)set;
	return str_eq(resting, m->name) ? "no quota" : NULL;
}

struct node_state *node_state_of(struct nodes *e, const char *name)
{
	struct node_state *m;

	HASH_FIND_STR(e->memos, name, m);
	return m;
}

void nodes_ask_again(struct nodes *e)
{
	e->slurm.stale = true;
}

/* --- Slurm */

static struct ctl_node nodes[NODES], later[NODES];
static char extras[NODES][100], excepted[200];
static bool able, silent, adds_none, marks_none, changed;
static enum ctl_suspend_exc_from from;
static int lost_after;	  /* the lease is lost after so many starts; 0: never */
static size_t starts_max; /* it powers no more up in one update */
static int loads;
static char done[1000]; /* what slurmctld was asked for, in that order */

static void note(const char *what, const char *list)
{
	T_OK(strlen(done) + strlen(what) + strlen(list) < sizeof(done) - 3);
	strcat(strcat(strcat(strcat(done, what), " "), list), "\n");
}

bool ctl_keeps_nodes_up(void)
{
	return able;
}

int ctl_suspend_exc_load(struct ctl_suspend_exc *out, struct err *err)
{
	if (silent)
		return err_set(err, -EIO, "no answer");
	out->names = strdup(excepted);
	out->from = from;
	return out->names ? 0 : err_oom(err);
}

int ctl_suspend_exc_add(const char *list, struct err *err)
{
	note("add", list);
	if (adds_none)
		return err_set(err, -EIO, "Access denied");
	if (*excepted)
		strcat(excepted, ",");
	strcat(excepted, list);
	return 0;
}

int ctl_suspend_exc_remove(const char *list, struct err *err)
{
	char *at = strstr(excepted, list);

	note("remove", list);
	if (adds_none)
		return err_set(err, -EIO, "Access denied");
	if (!at)
		return err_set(err, -EIO, "not there");
	if (at[strlen(list)])
		memmove(at, at + strlen(list) + 1, strlen(at + strlen(list)));
	else
		*(at > excepted ? at - 1 : at) = '\0';
	return 0;
}

int ctl_node_update(const char *list, enum ctl_node_update what,
		    const char *text, struct err *err)
{
	if (what == CTL_POWER_UP) {
		note("start", list);
		held = !lost_after || --lost_after;
		return strlen(list) < 3 * starts_max
			       ? 0
			       : err_set(err, -EIO, "too many are powered up");
	}
	T_INT(what, CTL_SET_EXTRA);
	note(*text ? "mark" : "clear", list);
	if (marks_none)
		return err_set(err, -EIO, "Extra is no JSON");
	for (size_t i = 0; i < NODES; i++)
		if (strstr(list, nodes[i].name))
			str_copy(extras[i], text, sizeof(extras[i]));
	return 0;
}

int ctl_node_try(const char *list, enum ctl_node_update what, const char *text)
{
	return ctl_node_update(list, what, text, NULL);
}

char *ctl_hostlist_of(char *const names[], size_t n)
{
	char text[100] = "";

	for (size_t i = 0; i < n; i++)
		strcat(strcat(text, i ? "," : ""), names[i]);
	return strdup(text);
}

/* (a snapshot is one of the two arrays) */
size_t ctl_nodes_count(const struct ctl_nodes *n)
{
	(void)n;
	return NODES;
}

bool ctl_nodes_at(const struct ctl_nodes *n, size_t i, struct ctl_node *out)
{
	if (i < NODES)
		*out = ((const struct ctl_node *)n)[i];
	return i < NODES;
}

bool ctl_nodes_find(const struct ctl_nodes *n, const char *name,
		    struct ctl_node *out)
{
	for (size_t i = 0; i < NODES; i++)
		if (ctl_nodes_at(n, i, out) && !strcmp(out->name, name))
			return true;
	return false;
}

int ctl_nodes_load(struct ctl_nodes **out, struct err *err)
{
	(void)err;
	loads++;
	*out = (struct ctl_nodes *)(changed ? later : nodes);
	return 0;
}

void ctl_nodes_free(struct ctl_nodes *n)
{
	loads -= n != NULL;
}

/* --- */

/* Three nodes that are powered down, of which so many are to run. */
static void begin(uint32_t wanted)
{
	static const char *const names[] = {"n1", "n2", "n3"};

	now_ms = 1000000;
	held = live = able = true;
	silent = adds_none = marks_none = changed = false;
	from = CTL_EXC_READ;
	starts_max = NODES;
	lost_after = 0;
	resting = homeless = NULL;
	*logged = *done = *excepted = '\0';
	sets[0].min_running = (struct min_running){
		.nodes = wanted, .where = wanted ? (char *)"here" : NULL};
	engine = (struct nodes){.config = &config,
				.slurm.all = (struct ctl_nodes *)nodes,
				.running.looked = true};
	for (size_t i = 0; i < NODES; i++) {
		*extras[i] = '\0';
		nodes[i] = (struct ctl_node){.name = names[i],
					     .power = CTL_POWERED_DOWN,
					     .extra = extras[i]};
		states[i] = calloc(1, sizeof(**states) + 3);
		T_NEED(states[i]);
		strcpy(states[i]->name, names[i]);
		HASH_ADD_KEYPTR(hh, engine.memos, states[i]->name, 2,
				states[i]);
	}
	cooling = (struct cooldown){0};
	log_set_sink(sink);
}

static void end(void)
{
	HASH_CLEAR(hh, engine.memos);
	for (size_t i = 0; i < NODES; i++)
		free(states[i]);
	T_INT(loads, 0);
	log_set_sink(NULL);
}

static void step(void)
{
	*done = '\0';
	min_running_step(&engine);
	now_ms += 5000;
}

static void mark_of(size_t i)
{
	strcpy(extras[i], "k8s: kept up by minRunning; pod s/n uid 1 on h");
}

static void what_is_wanted_is_started_marked_and_kept_in_this_order(void)
{
	begin(2);
	step();
	T_STR(done, "start n1,n2\nmark n1,n2\nadd n1,n2\n");
	T_HAS(logged, "nodeset s: nodes n1,n2 are kept up (minRunning)");
	T_HAS(logged, "nodeset s: nodes n1,n2 are powered up: 2 are to run "
		      "(minRunning), 0 do");
	T_OK(states[0]->kept.up && states[1]->kept.up && !states[2]->kept.up);
	T_OK(engine.slurm.stale);
	nodes[0].starting = true;
	nodes[1].power = CTL_POWERING_UP;
	step();
	nodes[0].starting = false;
	nodes[0].power = nodes[1].power = CTL_UP;
	step();
	T_STR(done, "");
	end();
}

static void it_looks_each_5_s_and_only_where_it_is_wanted(void)
{
	begin(1);
	step();
	now_ms -= 1;
	nodes[0].drained = true;
	step();
	T_STR(done, "");
	now_ms -= 4999;
	step();
	T_STR(done, "remove n1\nstart n2\nmark n2\nadd n2\n");
	end();
	begin(0);
	silent = true; /* it is not even asked */
	step();
	T_STR(logged, "");
	end();
	begin(1);
	able = false;
	step();
	T_STR(done, "");
	end();
}

static void what_has_changed_since_all_were_read_counts(void)
{
	begin(1);
	memcpy(later, nodes, sizeof(later));
	later[1].power = CTL_POWERING_UP; /* a job has got it */
	changed = true;
	step();
	T_STR(done, "mark n2\nadd n2\n");
	end();
}

static void a_backup_takes_over_what_is_marked(void)
{
	begin(2);
	engine.running.looked = false;
	from = CTL_EXC_INHERITED;
	strcpy(excepted, "n3,n2");
	for (size_t i = 0; i < NODES; i++)
		nodes[i].power = CTL_UP;
	mark_of(1);
	strcpy(extras[2], "theirs");
	step();
	T_STR(done, "");
	T_OK(states[1]->kept.up && !states[2]->kept.up);
	sets[0].min_running = (struct min_running){0};
	step();
	T_STR(done, "remove n2\n");
	T_HAS(logged, "nodes n2 are no longer kept up");
	T_OK(states[1]->kept.up); /* until it is seen to be gone */
	step();
	T_STR(done, "");
	T_OK(!states[1]->kept.up);
	end();
	/* also of nodes that do not run just then, and where one is missing */
	begin(2);
	engine.running.looked = false;
	from = CTL_EXC_INHERITED;
	strcpy(excepted, "n1,n2");
	for (size_t i = 0; i < NODES; i++)
		mark_of(i);
	nodes[1].power = CTL_UP;
	nodes[1].drained = true;
	nodes[2].power = CTL_UP;
	step();
	T_STR(done, "add n3\n");
	T_OK(states[0]->kept.up && states[1]->kept.up && states[2]->kept.up);
	end();
}

static void names_of_slurm_conf_are_an_administrators(void)
{
	begin(2);
	engine.running.looked = false;
	strcpy(excepted, "n1,n2"); /* read from slurm.conf just now */
	nodes[0].power = nodes[1].power = CTL_UP;
	mark_of(0);
	mark_of(1);
	step();
	T_STR(done, "");
	T_OK(!states[0]->kept.up && !states[1]->kept.up);
	end();
	begin(2);
	engine.running.looked = false;
	from = CTL_EXC_UNKNOWN; /* it has read slurm.conf: n2 is missing */
	strcpy(excepted, "n1");
	nodes[0].power = nodes[1].power = CTL_UP;
	mark_of(0);
	mark_of(1);
	step();
	T_STR(done, "add n2\n");
	T_OK(!states[0]->kept.up && states[1]->kept.up);
	end();
	/* also of a node that is in no nodeset any more */
	begin(1);
	engine.running.looked = false;
	strcpy(excepted, "n3");
	mark_of(2);
	homeless = "n3";
	step();
	T_STR(done, "clear n3\n");
	end();
	begin(1);
	engine.running.looked = false;
	from = CTL_EXC_INHERITED;
	strcpy(excepted, "n3");
	mark_of(2);
	homeless = "n3";
	step();
	T_STR(done, "remove n3\nclear n3\n");
	T_HAS(logged, "nodes n3: in no nodeset, and no longer kept up");
	end();
}

static void a_lost_answer_leaves_no_name_behind(void)
{
	begin(1);
	adds_none = true; /* slurmctld did it, and nobody heard */
	step();
	strcpy(excepted, "n1");
	nodes[0].power = CTL_UP;
	adds_none = false;
	step();
	T_STR(done, "");
	nodes[0].drained = true;
	live = false;
	step();
	T_STR(done, "remove n1\n");
	end();
}

static void of_too_many_a_part_is_started(void)
{
	begin(3);
	starts_max = 1;
	step();
	T_STR(done, "start n1,n2,n3\n");
	T_HAS(logged, "nodeset s: too many are powered up (minRunning)\n");
	*logged = '\0';
	step();
	T_STR(done, ""); /* not before 10 s have passed */
	step();
	T_STR(done, "start n1\nmark n1\nadd n1\n");
	T_HAS(logged, "nodeset s: nodes n1 are powered up: 3 are to run");
	end();
	/* what has to be released, or runs, does not wait for that */
	begin(3);
	starts_max = 0;
	strcpy(excepted, "n1");
	states[0]->kept.up = true;
	nodes[0].power = nodes[1].power = CTL_UP;
	nodes[0].drained = true;
	step();
	T_STR(done, "remove n1\nstart n3\nmark n2\nadd n2\n");
	*logged = '\0';
	for (int i = 0; i < 3; i++)
		step();
	T_STR(logged, ""); /* it says so once */
	T_INT(cooling.refusal.failures, 2);
	end();
}

static void nodes_that_others_are_about_to_take_are_not_started(void)
{
	begin(1);
	nodes[0].reserved = true;
	nodes[1].busy = true; /* a job has got it: it runs soon */
	step();
	T_STR(done, "mark n2\nadd n2\n");
	end();
	begin(1);
	sets[0].features = 1;
	engine.features.until = now_ms + 1;
	step();
	T_STR(done, "");
	step();
	T_STR(done, "start n1\nmark n1\nadd n1\n");
	sets[0].features = 0;
	end();
	/* one of another size is to be replaced first */
	begin(1);
	sets[0].create = (struct create_nodes){
		.wanted = true, .cpus = 2, .memory_mib = 128};
	for (size_t i = 0; i < NODES; i++) {
		nodes[i].dynamic = true;
		nodes[i].cpus = 2;
		nodes[i].memory_mib = i ? 128 : 64;
		states[i]->power.now = NODE_POWERED_DOWN;
		states[i]->power.since = now_ms;
	}
	step();
	T_STR(done, "start n2\nmark n2\nadd n2\n");
	sets[0].create = (struct create_nodes){0};
	end();
}

static void at_the_start_what_slurm_has_forgotten_is_added_at_once(void)
{
	begin(1);
	engine.running.looked = false;
	held = live = false; /* Kubernetes is not in view yet */
	mark_of(0);
	mark_of(1);
	mark_of(2);
	nodes[0].power = CTL_UP;
	nodes[1].power = CTL_POWERED_DOWN; /* power saving was quicker */
	nodes[2].power = CTL_UP;
	homeless = "n3";
	min_running_begin(&engine);
	T_STR(done, "add n1\nclear n3\n");
	T_HAS(logged, "nodes n1 are kept up, as before (minRunning)");
	T_OK(engine.running.looked);
	end();
	begin(0);
	engine.running.looked = false;
	mark_of(0);
	min_running_begin(&engine);
	T_STR(done, "");
	T_OK(!engine.running.looked);
	end();
}

static void a_node_that_leaves_its_nodeset_is_released(void)
{
	begin(1);
	strcpy(excepted, "n1,n3");
	states[0]->kept.up = states[2]->kept.up = true;
	homeless = "n3";
	engine.running.at = now_ms + 1000;
	min_running_leave(&engine, &config);
	T_STR(done, "remove n3\nclear n3\n");
	T_INT(engine.running.at, 0); /* and it looks at once */
	T_INT(engine.running.since, now_ms);
	T_OK(engine.running.looked);
	end();
}

static void what_slurm_refuses_is_said_once(void)
{
	begin(1);
	adds_none = true;
	step();
	T_STR(done, "start n1\nmark n1\nadd n1\n");
	T_HAS(logged, "nodeset s: Access denied (minRunning)\n");
	*logged = '\0';
	nodes[0].power = CTL_UP;
	step();
	T_STR(done, "add n1\n");
	T_STR(logged, "");
	end();
	begin(1);
	marks_none = true;
	step();
	T_STR(done, "start n1\nmark n1\nadd n1\n");
	T_HAS(logged, "nodes n1: their Extra cannot say that they are kept up");
	end();
}

static void without_the_lease_nothing_is_done(void)
{
	begin(2);
	nodes[0].power = CTL_UP;
	lost_after = 1; /* the lease is lost once it has started one */
	step();
	T_STR(done, "start n2\n");
	end();
	begin(2);
	atomic_store(&engine.stop, true);
	step();
	T_STR(done, "");
	end();
}

static void the_next_look_is_known_where_there_is_one(void)
{
	begin(1);
	T_OK(min_running_next(&engine) == INT64_MAX);
	min_running_step(&engine);
	T_INT(min_running_next(&engine), now_ms + 5000);
	end();
	begin(0);
	min_running_step(&engine);
	T_OK(min_running_next(&engine) == INT64_MAX);
	T_INT(engine.running.at,
	      now_ms + 5000); /* nor are all nodes looked at */
	end();
}

static void an_extra_of_others_is_left_alone(void)
{
	begin(1);
	strcpy(extras[0], "rack 7");
	step();
	T_STR(done, "start n1\nadd n1\n");
	end();
}

static void who_cannot_start_is_passed_over(void)
{
	begin(1);
	resting = "n1";
	nodes[1].down = true;
	step();
	T_STR(done, "start n3\nmark n3\nadd n3\n");
	end();
	begin(1);
	live = false;
	step();
	T_STR(done, "");
	end();
	begin(1);
	held = false;
	nodes[0].power = CTL_UP;
	step();
	T_STR(done, "");
	end();
}

static void a_count_in_suspend_exc_nodes_is_said_once(void)
{
	begin(1);
	strcpy(excepted, "n[1-3]:2");
	step();
	step();
	T_STR(done, "");
	T_STR(logged,
	      "minRunning keeps no node up: SuspendExcNodes has a count "
	      "(n[1-3]:2), beside which slurmctld takes no other names\n");
	*excepted = '\0';
	step();
	T_STR(done, "start n1\nmark n1\nadd n1\n");
	end();
}

T_MAIN("min_running",
       T(what_is_wanted_is_started_marked_and_kept_in_this_order),
       T(it_looks_each_5_s_and_only_where_it_is_wanted),
       T(what_has_changed_since_all_were_read_counts),
       T(a_backup_takes_over_what_is_marked),
       T(names_of_slurm_conf_are_an_administrators),
       T(a_lost_answer_leaves_no_name_behind), T(of_too_many_a_part_is_started),
       T(nodes_that_others_are_about_to_take_are_not_started),
       T(at_the_start_what_slurm_has_forgotten_is_added_at_once),
       T(a_node_that_leaves_its_nodeset_is_released),
       T(what_slurm_refuses_is_said_once), T(without_the_lease_nothing_is_done),
       T(the_next_look_is_known_where_there_is_one),
       T(an_extra_of_others_is_left_alone), T(who_cannot_start_is_passed_over),
       T(a_count_in_suspend_exc_nodes_is_said_once))

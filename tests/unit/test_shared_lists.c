/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The engine and the bridge ask for the same lists: how often slurmctld is
 * asked, and how old is what each of them goes by. Its answers and the clock
 * are the test's.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/passes.h"
#include "external/external_nodes.h"
#include "nodes/jobs/jobs.h"
#include "nodes/reconcile/reconcile.h"
#include "slurm/ctl_placeholder_list.h"
#include "slurm/ctl_placeholder_names.h"
#include "slurm/ctl_queue.h"
#include "slurm/ctl_reader.h"
#include "t.h"

/* (NODE_RESUME is a macro there, and not what the engine has by that name) */
#include "slurm/release.h"

#define TOOK_MS 2 /* each RPC */

static int64_t now;
static unsigned int lists; /* of nodes */
static int64_t version_at; /* when the nodes changed last; they say it */
static int refuse;

int64_t __wrap_clock_ms(void);
int64_t __wrap_clock_ms(void)
{
	return now;
}

static node_info_t node;
static node_info_msg_t message = {.record_count = 1, .node_array = &node};

/* Slurm says when nodes changed in its own clock, which here is ours. */
int __wrap_slurm_load_node(time_t since, node_info_msg_t **out, uint16_t flags);
int __wrap_slurm_load_node(time_t since, node_info_msg_t **out, uint16_t flags)
{
	static char reason[32];

	(void)flags;
	lists++;
	snprintf(reason, sizeof(reason), "%lld", (long long)version_at);
	node = (node_info_t){.name = (char *)"n0", .reason = reason};
	message.last_update = now;
	now += TOOK_MS;
	*out = &message;
	errno = refuse				   ? refuse
		: since && since - 1 >= version_at ? SLURM_NO_CHANGE_IN_DATA
						   : 0;
	return errno ? -1 : 0;
}

void __wrap_slurm_xfree(void **text);
void __wrap_slurm_xfree(void **text)
{
	*text = NULL;
}

void __wrap_slurm_free_node_info_msg(node_info_msg_t *msg);
void __wrap_slurm_free_node_info_msg(node_info_msg_t *msg)
{
	(void)msg;
}

static unsigned int job_lists;
static job_info_t job; /* that one, */
static int64_t jobs_took = TOOK_MS;
static char runs_on[16]; /* there, if it runs */

int __wrap_slurm_load_jobs(time_t since, job_info_msg_t **out, uint16_t flags);
int __wrap_slurm_load_jobs(time_t since, job_info_msg_t **out, uint16_t flags)
{
	static job_info_msg_t all = {.record_count = 1, .job_array = &job};

	(void)since;
	(void)flags;
	job_lists++;
	job = (job_info_t){.job_id = 7,
			   .nodes = runs_on,
			   .user_name = (char *)"eve",
			   .account = (char *)"chem",
			   .job_state = *runs_on ? JOB_RUNNING : JOB_PENDING};
	now += jobs_took;
	*out = &all;
	return 0;
}

void __wrap_slurm_free_job_info_msg(job_info_msg_t *msg);
void __wrap_slurm_free_job_info_msg(job_info_msg_t *msg)
{
	(void)msg;
}

int __wrap_slurm_load_partitions(time_t since, partition_info_msg_t **out,
				 uint16_t flags);
int __wrap_slurm_load_partitions(time_t since, partition_info_msg_t **out,
				 uint16_t flags)
{
	static partition_info_msg_t none;

	(void)since;
	(void)flags;
	*out = &none;
	return 0;
}

void __wrap_slurm_free_partition_info_msg(partition_info_msg_t *msg);
void __wrap_slurm_free_partition_info_msg(partition_info_msg_t *msg)
{
	(void)msg;
}

static struct nodes *engine;
static struct external_nodes bridge;

static void begin(bool share)
{
	now = version_at = 100000;
	lists = 0;
	refuse = 0;
	engine = calloc(1, sizeof(*engine));
	if (!engine)
		abort();
	engine->reader = ctl_reader_new();
	T_OK(engine->reader);
	bridge = (struct external_nodes){
		.reader = share ? ctl_reader_hold(engine->reader) : NULL};
}

static void end(void)
{
	ctl_nodes_free(bridge.slurm.nodes);
	ctl_reader_free(bridge.reader);
	ctl_nodes_free(engine->slurm.all);
	ctl_reader_free(engine->reader);
	free(engine);
}

static int64_t version_in(const struct ctl_nodes *n)
{
	struct ctl_node x;

	return n && ctl_nodes_find(n, "n0", &x) ? atoll(x.reason) : 0;
}

static struct ask {
	unsigned int lists;
	int64_t oldest; /* ms, of what the bridge went by */
} asked;

/* For a minute; nodes change each `change_ms`. 0: the engine is not there. */
static void minute(bool share, int64_t change_ms, bool reads)
{
	int64_t stop, changed[2];

	begin(share);
	if (reads)
		passes_refresh(engine, false);
	slurm_nodes_refresh(&bridge);
	lists = 0;
	asked.oldest = 0;
	changed[0] = changed[1] = now;
	for (stop = now + 60000; now < stop; now += 10) {
		if (now - version_at >= change_ms) {
			changed[0] = changed[1];
			version_at = changed[1] = now;
		}
		if (reads)
			passes_refresh(engine, false);
		slurm_nodes_refresh(&bridge);
		T_OK(bridge.slurm.read_at);
		if (version_in(bridge.slurm.nodes) < version_at &&
		    now - version_at > asked.oldest)
			asked.oldest = now - version_at;
	}
	asked.lists = lists;
	end();
}

/*
 * The engine asks each second, the bridge each two seconds: it never need, and
 * what it goes by is younger than if it did.
 */
static void the_bridge_goes_by_what_the_engine_reads(void)
{
	static const int64_t changes[] = {700, 5000, 30000};
	struct ask apart;

	for (size_t i = 0; i < T_COUNT(changes); i++) {
		t_row("%lld", (long long)changes[i]);
		minute(false, changes[i], true);
		apart = asked;
		T_OK(apart.lists >= 85);
		minute(true, changes[i], true);
		T_OK(asked.lists <= 61);
		T_OK(asked.oldest <= apart.oldest);
	}
}

static void without_the_engines_lists_the_bridge_asks_as_often_as_ever(void)
{
	struct ask apart;

	minute(false, 5000, false);
	apart = asked;
	T_OK(apart.lists >= 28 && apart.lists <= 31);
	minute(true, 5000, false);
	T_INT(asked.lists, apart.lists);
	T_INT(asked.oldest, apart.oldest);
}

static void both_have_one_copy(void)
{
	begin(true);
	T_OK(passes_refresh(engine, true));
	T_OK(slurm_nodes_refresh(&bridge)); /* the first one is its own */
	T_INT(lists, 2);
	now += 2000;
	version_at = now;
	T_OK(passes_refresh(engine, true));
	now += 10;
	T_OK(slurm_nodes_refresh(&bridge));
	T_INT(lists, 3);
	T_OK(bridge.slurm.nodes == engine->slurm.all);
	end();
}

/* What the bridge has done is in no list that was asked for before. */
static void what_was_asked_for_before_a_change_of_ours_is_not_gone_by(void)
{
	int64_t changed;

	begin(true);
	passes_refresh(engine, true);
	slurm_nodes_refresh(&bridge);
	now += 1900;
	passes_refresh(engine, true);
	now += 200; /* a list is due, and the engine's is young */
	version_at = changed = now;
	slurm_nodes_expire(&bridge);
	lists = 0;
	slurm_nodes_refresh(&bridge);
	T_INT(lists, 1);
	T_INT(version_in(bridge.slurm.nodes), changed);
	/* the next one: no list is due so soon, and the engine's is there */
	now += 5;
	bridge.slurm.cost_ms = 100;
	version_at = changed = now;
	passes_refresh(engine, true);
	T_OK(now == changed + TOOK_MS);
	now += 5;
	slurm_nodes_expire(&bridge);
	lists = 0;
	T_OK(!slurm_nodes_refresh(&bridge));
	T_OK(!bridge.slurm.read_at);
	T_INT(lists, 0);
	passes_refresh(engine, true);
	/* (both in one ms: the question may have been before the change) */
	T_OK(!slurm_nodes_refresh(&bridge));
	T_OK(!bridge.slurm.read_at);
	now += 1;
	passes_refresh(engine, true);
	T_OK(slurm_nodes_refresh(&bridge));
	T_OK(bridge.slurm.read_at);
	T_INT(version_in(bridge.slurm.nodes), changed);
	end();
}

/* The engine, which looks at single nodes in between, goes by its own alone. */
static void the_engine_asks_itself_in_any_case(void)
{
	begin(true);
	slurm_nodes_refresh(&bridge);
	T_OK(passes_refresh(engine, false));
	T_INT(lists, 2);
	now += 2500;
	slurm_nodes_refresh(&bridge);
	T_OK(passes_refresh(engine, true));
	T_INT(lists, 4);
	end();
}

static void an_error_of_ones_own_does_not_keep_from_anothers(void)
{
	begin(true);
	passes_refresh(engine, true);
	slurm_nodes_refresh(&bridge);
	now += 3000;
	refuse = ECONNREFUSED;
	lists = 0;
	T_OK(!slurm_nodes_refresh(&bridge));
	T_INT(lists, 1);
	refuse = 0;
	version_at = now;
	now += 500;
	passes_refresh(engine, true);
	lists = 0;
	T_OK(!slurm_nodes_refresh(&bridge));
	now += 1600;
	T_OK(slurm_nodes_refresh(&bridge));
	T_INT(lists, 0);
	end();
}

/* --- jobs */

/* The others who read all jobs, each for something that it does. */
static void by_the_bridge(void)
{
	struct ctl_placeholders *set = NULL;

	T_INT(ctl_placeholders_load(bridge.reader, &set, NULL, NULL), 1);
	ctl_placeholders_free(set);
}

static void by_who_deletes_nodes(void)
{
	static const char *const names[] = {"n0"};
	enum ctl_named named[1];

	T_INT(ctl_placeholders_name(bridge.reader, names, 1, named, NULL), 0);
}

static void by_who_swaps_features(void)
{
	struct ctl_queue *queue = NULL;

	T_INT(ctl_queue_load(engine->reader, &queue, NULL), 0);
	ctl_queue_free(queue);
}

static void by_who_sends_jobs_back(void)
{
	engine->requeued.rest = 0;
	requeued_sent_back(engine);
	requeued_step(engine);
}

static void (*const others[])(void) = {by_the_bridge, by_who_deletes_nodes,
				       by_who_swaps_features,
				       by_who_sends_jobs_back};

static struct node_state *state;

/* With a node n0 that is busy; nobody knows yet with what. */
static void begin_jobs(void)
{
	begin(true);
	job_lists = 0;
	jobs_took = TOOK_MS;
	*runs_on = 0;
	engine->config = calloc(1, sizeof(*engine->config));
	state = node_state_of(engine, "n0");
	if (!state || !engine->config)
		abort();
	state->busy = true;
	engine->count.busy = 1;
	engine->jobs.at = now; /* (they were read just now) */
}

static void end_jobs(void)
{
	node_jobs_forget(engine);
	node_states_free(engine);
	free(engine->config);
	end();
}

static void what_anybody_reads_of_jobs_is_known_of_nodes(void)
{
	for (size_t i = 0; i < T_COUNT(others); i++) {
		int64_t at;

		t_row("%zu", i);
		begin_jobs();
		now += 10;
		job_index_expire(engine);
		T_OK(!job_index_refresh(engine));
		now += 10;
		snprintf(runs_on, sizeof(runs_on), "n0");
		at = now;
		others[i]();
		T_INT(job_lists, 1);
		T_OK(job_index_refresh(engine));
		T_STR(buf_str(&state->jobs.jobs), "7");
		T_OK(node_job_of(engine, 7));
		T_OK(!engine->jobs.stale);
		T_INT(engine->jobs.at, at);
		T_INT(engine->jobs.rest, 0);
		/* and no other one is asked for, for what is known */
		now += 20000;
		T_OK(!job_index_refresh(engine));
		T_INT(job_lists, 1);
		/* it is as old as the question was */
		now = at + 29999;
		T_OK(!job_index_refresh(engine));
		now = at + 30000;
		T_OK(job_index_refresh(engine));
		T_INT(job_lists, 2);
		end_jobs();
	}
}

/* A job has come to the node since: such a list does not have it. */
static void a_list_of_before_is_not_gone_by(void)
{
	static const struct {
		int64_t expired; /* after the question, ms */
		bool taken;
	} rows[] = {{-1, true}, {0, false}, {1, false}, {50, false}};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%zu", i);
		begin_jobs();
		jobs_took = 100;
		now += 10;
		job_index_expire(engine);
		T_OK(!job_index_refresh(engine));
		now += 10;
		by_the_bridge();
		now += rows[i].expired - 100;
		job_index_expire(engine);
		now += 100 - rows[i].expired;
		T_INT(job_index_refresh(engine), rows[i].taken);
		/* (then slurmctld is asked when it is time) */
		now += 1000;
		snprintf(runs_on, sizeof(runs_on), "n0");
		T_INT(job_index_refresh(engine), !rows[i].taken);
		T_STR(buf_str(&state->jobs.jobs), rows[i].taken ? "" : "7");
		T_INT(job_lists, rows[i].taken ? 1 : 2);
		end_jobs();
	}
}

/* The bridge lists jobs each second, and each second jobs come and go. */
static void lists_of_jobs_are_half_as_many(void)
{
	unsigned int n[2] = {0};

	for (int share = 0; share < 2; share++) {
		begin_jobs();
		if (!share) {
			ctl_reader_free(bridge.reader);
			bridge.reader = NULL;
		}
		for (int64_t i = 1; i < 6000; i++) {
			now = 100000 + i * 10;
			if (i % 100 == 50)
				job_index_expire(engine);
			if (i % 100 == 60)
				by_the_bridge();
			job_index_refresh(engine);
		}
		n[share] = job_lists;
		end_jobs();
	}
	T_OK(n[0] >= 110);
	T_OK(n[1] <= 62);
}

T_MAIN("shared_lists", T(what_anybody_reads_of_jobs_is_known_of_nodes),
       T(a_list_of_before_is_not_gone_by), T(lists_of_jobs_are_half_as_many),
       T(the_bridge_goes_by_what_the_engine_reads),
       T(without_the_engines_lists_the_bridge_asks_as_often_as_ever),
       T(both_have_one_copy),
       T(what_was_asked_for_before_a_change_of_ours_is_not_gone_by),
       T(the_engine_asks_itself_in_any_case),
       T(an_error_of_ones_own_does_not_keep_from_anothers))

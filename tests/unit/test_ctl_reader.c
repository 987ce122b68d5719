/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who asks slurmctld, and who gets another one's list. Its answers and the
 * clock are the test's.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "slurm/ctl_reader.h"
#include "slurm/release.h"
#include "t.h"

#define TOOK_MS 5 /* each RPC */

static int64_t now;
static unsigned int rpcs;
static time_t since;		/* of the last one */
static int refuse;		/* an errno */
static void (*meanwhile)(void); /* during the next one; or NULL */
static char reason[16];		/* of the node that there is */

int64_t __wrap_clock_ms(void);
int64_t __wrap_clock_ms(void)
{
	return now;
}

static void pass(void)
{
	void (*then)(void) = meanwhile;

	meanwhile = NULL;
	if (then)
		then();
	now += TOOK_MS;
}

static node_info_t node;
static char told[sizeof(reason)]; /* of it, in the answer */
static node_info_msg_t message = {
	.last_update = 1000, .record_count = 1, .node_array = &node};

int __wrap_slurm_load_node(time_t update, node_info_msg_t **out,
			   uint16_t flags);
int __wrap_slurm_load_node(time_t update, node_info_msg_t **out, uint16_t flags)
{
	char then[sizeof(reason)];

	(void)flags;
	rpcs++;
	since = update;
	memcpy(then, reason, sizeof(then));
	pass();
	memcpy(told, then, sizeof(told));
	node = (node_info_t){.name = (char *)"n0", .reason = told};
	*out = &message;
	errno = refuse;
	return refuse ? -1 : 0;
}

int __wrap_slurm_load_node_single(node_info_msg_t **out, char *name,
				  uint16_t flags);
int __wrap_slurm_load_node_single(node_info_msg_t **out, char *name,
				  uint16_t flags)
{
	(void)name;
	return __wrap_slurm_load_node(0, out, flags);
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

int __wrap_slurm_update_node(update_node_msg_t *msg);
int __wrap_slurm_update_node(update_node_msg_t *msg)
{
	(void)msg;
	return 0;
}

static int held; /* lists of jobs that are not freed */

int __wrap_slurm_load_jobs(time_t update, job_info_msg_t **out, uint16_t flags);
int __wrap_slurm_load_jobs(time_t update, job_info_msg_t **out, uint16_t flags)
{
	static job_info_msg_t none;

	(void)update;
	(void)flags;
	rpcs++;
	pass();
	errno = refuse;
	if (refuse)
		return -1;
	held++;
	*out = &none;
	return 0;
}

void __wrap_slurm_free_job_info_msg(job_info_msg_t *msg);
void __wrap_slurm_free_job_info_msg(job_info_msg_t *msg)
{
	held -= msg != NULL;
}

/* A thread that reads, with what it read last. */
struct reads {
	struct ctl_nodes *nodes;
	struct ctl_read read;
};

static struct ctl_reader *reader;
static struct reads a, b;

static void says(const char *text)
{
	snprintf(reason, sizeof(reason), "%s", text);
}

static void begin(void)
{
	reader = ctl_reader_new();
	T_OK(reader);
	a = b = (struct reads){0};
	now = 1000;
	rpcs = 0;
	refuse = 0;
	says("");
}

static void end(void)
{
	ctl_nodes_free(a.nodes);
	ctl_nodes_free(b.nodes);
	ctl_reader_free(reader);
	T_INT(held, 0);
}

static int get(struct reads *x, int64_t not_before)
{
	struct err err = {0};

	return ctl_reader_nodes(reader, not_before, &x->nodes, &x->read, &err);
}

static int get_shared(struct reads *x, int64_t not_before)
{
	return ctl_reader_nodes_shared(reader, not_before, &x->nodes, &x->read);
}

static const char *reason_in(const struct reads *x)
{
	struct ctl_node n;

	return ctl_nodes_find(x->nodes, "n0", &n) ? n.reason : "(no node)";
}

static void two_share_what_one_has_asked_for(void)
{
	begin();
	T_INT(get_shared(&b, 0), -ENOENT);
	T_OK(!b.nodes);
	T_INT(get(&a, 0), 1);
	T_INT(a.read.asked, 1000);
	T_INT(a.read.took, TOOK_MS);
	T_INT(get(&b, 999), 1);
	T_INT(rpcs, 1);
	T_OK(a.nodes == b.nodes);
	T_INT(b.read.asked, 1000);
	T_INT(b.read.took, TOOK_MS);
	/* (there is no more of it until somebody asks) */
	T_INT(get_shared(&b, b.read.asked), -ENOENT);
	end();
}

static void it_is_there_when_who_asked_has_gone(void)
{
	begin();
	says("drained");
	T_INT(get(&a, 0), 1);
	ctl_nodes_free(a.nodes);
	a.nodes = NULL;
	T_INT(get(&b, 0), 1);
	T_INT(rpcs, 1);
	T_STR(reason_in(&b), "drained");
	ctl_reader_free(ctl_reader_hold(reader));
	ctl_reader_free(reader);
	reader = NULL;
	T_STR(reason_in(&b), "drained");
	end();
}

/* Something happened at `not_before`: a list of before does not tell of it. */
static void what_was_asked_for_before_is_never_given(void)
{
	static const struct {
		int64_t not_before;
		unsigned int rpcs;
	} rows[] = {
		{0, 1},	      {999, 1},
		{1000, 2}, /* in this ms: perhaps after the question */
		{1001, 2},    {1000 + TOOK_MS, 2},
		{1000000, 2}, {CTL_READER_NOW, 2},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%zu", i);
		begin();
		says("before");
		T_INT(get(&a, 0), 1);
		now += 10;
		says("after");
		T_INT(get_shared(&b, rows[i].not_before),
		      rows[i].rpcs > 1 ? -ENOENT : 1);
		T_INT(get(&b, rows[i].not_before), rows[i].rpcs > 1);
		T_INT(rpcs, rows[i].rpcs);
		T_STR(reason_in(&b), rows[i].rpcs > 1 ? "after" : "before");
		end();
	}
}

/* In the time of an answer, without a word about the lock: it is nobody's. */
static void b_asks_later(void)
{
	now += 1;
	says("later");
	T_INT(get_shared(&b, 0), -ENOENT);
	T_INT(get(&b, CTL_READER_NOW), 1);
	T_INT(b.read.asked, 1001);
}

static void nobody_waits_for_anothers_answer_and_the_last_question_counts(void)
{
	begin();
	says("earlier");
	meanwhile = b_asks_later;
	T_INT(get(&a, 0), 1);
	T_INT(rpcs, 2);
	T_INT(a.read.asked, 1000);
	/* (the answer that came last was asked for first) */
	T_INT(get_shared(&a, 1000), 1);
	T_OK(a.nodes == b.nodes);
	T_INT(a.read.asked, 1001);
	end();
}

/* One has read the nodes at 1000, the other has taken them. It is 2000. */
static void begin_with_nodes(void)
{
	begin();
	T_INT(get(&a, 0), 1);
	T_INT(get(&b, 0), 1);
	now = 2000;
}

/* All, whatever has changed. */
static void a_reads_all(void)
{
	ctl_nodes_free(a.nodes);
	a.nodes = NULL;
	T_INT(get(&a, CTL_READER_NOW), 1);
}

static void only_what_differs_is_news(void)
{
	begin_with_nodes();
	a_reads_all();
	T_INT(since, 0);
	T_OK(a.nodes != b.nodes);
	T_INT(get(&b, 1500), 0);
	T_INT(b.read.asked, 2000);
	T_OK(a.nodes == b.nodes);
	now = 3000;
	says("drained");
	T_INT(get(&a, CTL_READER_NOW), 1);
	T_INT(since, 1000);
	T_INT(get(&b, 2500), 1);
	T_STR(reason_in(&b), "drained");
	T_INT(rpcs, 3);
	end();
}

static void no_change_makes_that_list_as_new(void)
{
	begin_with_nodes();
	refuse = SLURM_NO_CHANGE_IN_DATA;
	T_INT(get(&a, CTL_READER_NOW), 0);
	T_INT(a.read.asked, 2000);
	T_INT(get(&b, 1999), 0);
	T_INT(b.read.asked, 2000);
	T_INT(rpcs, 2);
	/* but not another one */
	now = 3000;
	refuse = 0;
	a_reads_all();
	now = 4000;
	refuse = SLURM_NO_CHANGE_IN_DATA;
	T_INT(get(&b, CTL_READER_NOW), 0);
	T_INT(get_shared(&a, 3000), -ENOENT);
	T_INT(a.read.asked, 3000);
	end();
}

static void without_an_answer_all_is_as_before(void)
{
	begin();
	says("before");
	T_INT(get(&a, 0), 1);
	now = 2000;
	refuse = ECONNREFUSED;
	T_INT(get(&a, CTL_READER_NOW), -EIO);
	T_STR(reason_in(&a), "before");
	T_INT(a.read.asked, 1000);
	T_INT(get(&b, CTL_READER_NOW), -EIO);
	T_OK(!b.nodes);
	T_INT(get_shared(&b, 1000), -ENOENT);
	T_INT(get_shared(&b, 999), 1);
	end();
}

static void without_a_reader_each_asks(void)
{
	begin();
	ctl_reader_free(reader);
	reader = NULL;
	T_OK(!ctl_reader_hold(NULL));
	T_INT(get(&a, 0), 1);
	T_INT(get_shared(&b, 0), -ENOENT);
	T_INT(get(&b, 0), 1);
	T_INT(rpcs, 2);
	T_OK(a.nodes != b.nodes);
	end();
}

/* --- jobs */

/* Somebody reads jobs, and is done with them. */
static int64_t read_jobs(void)
{
	struct ctl_jobs *jobs = NULL;
	struct ctl_read read = {0};
	struct err err = {0};

	T_INT(ctl_reader_jobs(reader, &jobs, &read, &err), 0);
	T_INT(read.took, TOOK_MS);
	ctl_jobs_free(jobs);
	return read.asked;
}

/* When the list was asked for that another one gets; 0: he gets none. */
static int64_t jobs_of_others(int64_t not_before)
{
	struct ctl_jobs *jobs = NULL;
	struct ctl_read read = {0};
	int rc = ctl_reader_jobs_shared(reader, not_before, &jobs, &read);

	T_INT(rc, jobs ? 0 : -ENOENT);
	ctl_jobs_free(jobs);
	return read.asked;
}

static void jobs_are_not_kept_unless_somebody_waits_for_them(void)
{
	begin();
	read_jobs();
	T_INT(held, 0);
	T_INT(jobs_of_others(0), 0);
	read_jobs();
	T_INT(held, 1);
	T_INT(jobs_of_others(0), 1000 + TOOK_MS);
	T_INT(rpcs, 2);
	/* (it is given once) */
	T_INT(held, 0);
	read_jobs();
	T_INT(held, 0);
	end();
}

static void jobs_of_before_are_never_given(void)
{
	static const struct {
		int64_t not_before;
		bool given;
	} rows[] = {{0, true},	   {1099, true},  {1100, false},
		    {1101, false}, {9000, false}, {CTL_READER_NOW, false}};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%zu", i);
		/* by what he waits for, */
		begin();
		now = 1100;
		T_INT(jobs_of_others(rows[i].not_before), 0);
		read_jobs();
		T_INT(held, rows[i].given);
		T_INT(jobs_of_others(0), rows[i].given ? 1100 : 0);
		end();
		/* and by what he asks for when it is there */
		begin();
		now = 1100;
		T_INT(jobs_of_others(0), 0);
		read_jobs();
		T_INT(held, 1);
		T_INT(jobs_of_others(rows[i].not_before),
		      rows[i].given ? 1100 : 0);
		T_INT(held, 0);
		end();
	}
}

static void jobs_that_nobody_fetches_are_dropped_soon(void)
{
	begin();
	T_INT(jobs_of_others(0), 0);
	read_jobs();
	now = 1000 + CTL_READER_JOBS_MS - 1;
	T_INT(get_shared(&a, 0), -ENOENT);
	T_INT(held, 1);
	now++;
	T_INT(get_shared(&a, 0), -ENOENT);
	T_INT(held, 0);
	/* nobody waits by then */
	read_jobs();
	T_INT(held, 0);
	T_INT(jobs_of_others(0), 0);
	read_jobs();
	T_INT(held, 1);
	ctl_reader_jobs_unwanted(reader);
	T_INT(held, 0);
	read_jobs();
	T_INT(held, 0);
	/* the reader goes, and who waited is not there */
	T_INT(jobs_of_others(0), 0);
	read_jobs();
	T_INT(held, 1);
	end();
}

static void jobs_are_read_by_another_meanwhile(void)
{
	now += 3;
	T_INT(read_jobs(), 1003);
}

static void the_last_question_for_jobs_counts(void)
{
	struct ctl_jobs *jobs = NULL;
	struct ctl_read read = {0};
	struct err err = {0};

	begin();
	T_INT(jobs_of_others(0), 0);
	meanwhile = jobs_are_read_by_another_meanwhile;
	T_INT(ctl_reader_jobs(reader, &jobs, &read, &err), 0);
	T_INT(read.asked, 1000);
	ctl_jobs_free(jobs);
	T_INT(held, 1);
	T_INT(jobs_of_others(0), 1003);
	end();
}

static void jobs_without_an_answer_or_a_reader(void)
{
	struct ctl_jobs *jobs = NULL;
	struct ctl_read read = {0};
	struct err err = {0};

	begin();
	T_INT(jobs_of_others(0), 0);
	refuse = ECONNREFUSED;
	T_INT(ctl_reader_jobs(reader, &jobs, &read, &err), -EIO);
	T_HAS(err.msg, "cannot read slurmctld's jobs");
	T_OK(!jobs);
	T_INT(jobs_of_others(0), 0);
	refuse = 0;
	ctl_reader_free(reader);
	reader = NULL;
	T_INT(jobs_of_others(0), 0);
	read_jobs();
	ctl_reader_jobs_unwanted(reader);
	end();
}

T_MAIN("ctl_reader", T(jobs_are_not_kept_unless_somebody_waits_for_them),
       T(jobs_of_before_are_never_given),
       T(jobs_that_nobody_fetches_are_dropped_soon),
       T(the_last_question_for_jobs_counts),
       T(jobs_without_an_answer_or_a_reader),
       T(two_share_what_one_has_asked_for),
       T(it_is_there_when_who_asked_has_gone),
       T(what_was_asked_for_before_is_never_given),
       T(nobody_waits_for_anothers_answer_and_the_last_question_counts),
       T(only_what_differs_is_news), T(no_change_makes_that_list_as_new),
       T(without_an_answer_all_is_as_before), T(without_a_reader_each_asks))

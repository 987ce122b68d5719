/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which partitions are closed to users. slurmctld's answer is ours. */
#include <errno.h>
#include <string.h>

#include "slurm/ctl_parts.h"
#include "slurm/release.h"
#include "t.h"

int64_t __wrap_clock_ms(void);
int __wrap_slurm_load_partitions(time_t since, partition_info_msg_t **out,
				 uint16_t flags);
void __wrap_slurm_free_partition_info_msg(partition_info_msg_t *msg);
void __wrap_slurm_xfree(void **text);

static int64_t now;
static partition_info_t parts[] = {
	{.name = (char *)"open",
	 .nodes = (char *)"n[1-3],m1",
	 .flags = PART_FLAG_DEFAULT,
	 .default_time = 30,
	 .max_time = 600},
	{.name = (char *)"closed", .flags = PART_FLAG_ROOT_ONLY},
	{.name = (char *)"own", .flags = PART_FLAG_ROOT_ONLY},
	{.name = (char *)"max",
	 .nodes = (char *)"g[7-9]",
	 .default_time = NO_VAL,
	 .max_time = 60},
	{.name = (char *)"endless",
	 .default_time = NO_VAL,
	 .max_time = INFINITE},
	{.name = (char *)"long", .default_time = 5000, .max_time = INFINITE},
	{.name = NULL, .flags = PART_FLAG_ROOT_ONLY},
};
static partition_info_msg_t message = {.last_update = 7,
				       .record_count = T_COUNT(parts),
				       .partition_array = parts};
static int calls, messages; /* those not freed */
static int answer;	    /* errno; 0: the message */

int64_t __wrap_clock_ms(void)
{
	return now;
}

int __wrap_slurm_load_partitions(time_t since, partition_info_msg_t **out,
				 uint16_t flags)
{
	T_INT(since, calls && message.last_update == 7 ? 7 : 0);
	T_INT(flags, SHOW_ALL); /* hidden ones, too */
	calls++;
	if (answer) {
		errno = answer;
		return -1;
	}
	messages++;
	parts[0].nodesets = (char *)"set";
	*out = &message;
	return 0;
}

/* (those of the test are in no memory of Slurm's) */
void __wrap_slurm_xfree(void **text)
{
	*text = NULL;
}

/* Slurm 22.05 forgets the nodesets. */
void __wrap_slurm_free_partition_info_msg(partition_info_msg_t *msg)
{
	T_OK(!msg->partition_array[0].nodesets);
	messages--;
}

static void begin(void)
{
	now += 100000;
	calls = answer = 0;
	parts[0].flags = PART_FLAG_DEFAULT;
	parts[1].flags = PART_FLAG_ROOT_ONLY;
}

static void what_is_closed_to_users_is_closed_to_pods(void)
{
	static const struct {
		const char *asked;
		const char *refused; /* or NULL */
	} rows[] = {
		{"open", NULL},
		{"none-such", NULL}, /* Slurm says so itself */
		{"closed", "partition closed is closed to users"},
		{"own", "partition own"},
		{"open,closed", "partition closed"},
		{"own,open", "partition own"},
		{",,closed", "partition closed"},
		{"clo", NULL},
		{"closedx", NULL},
		{NULL, NULL},
		{"", NULL},
	};
	_cleanup_(ctl_parts_freep) struct ctl_parts *p = NULL;

	begin();
	T_INT(ctl_parts_refresh(&p, NULL), 0);
	T_INT(messages, 0);
	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct err err = {0};
		int rc = ctl_parts_check(p, rows[i].asked, NULL, &err);

		t_row("%zu", i);
		T_INT(rc, rows[i].refused ? -EPERM : 0);
		if (rows[i].refused)
			T_HAS(err.msg, rows[i].refused);
	}
}

static void the_default_partition_may_be_closed(void)
{
	_cleanup_(ctl_parts_freep) struct ctl_parts *p = NULL;
	struct err err = {0};

	begin();
	parts[0].flags |= PART_FLAG_ROOT_ONLY;
	T_INT(ctl_parts_refresh(&p, NULL), 0);
	T_INT(ctl_parts_check(p, NULL, NULL, &err), -EPERM);
	T_HAS(err.msg, "partition open is closed to users");
	T_INT(ctl_parts_check(p, "open", NULL, NULL), -EPERM);
	T_INT(ctl_parts_check(p, "none-such", NULL, NULL), 0);
}

/* (slurmctld goes by the sender of the RPC, and that is we) */
static void what_stands_for_a_closed_partition_is_closed(void)
{
	_cleanup_(ctl_parts_freep) struct ctl_parts *p = NULL;
	struct err err = {0};

	begin();
	parts[0].alternate = (char *)"max";
	parts[3].alternate = (char *)"own";
	parts[0].state_up = PARTITION_UP;
	parts[3].state_up = PARTITION_DRAIN;
	T_INT(ctl_parts_refresh(&p, NULL), 0);
	T_INT(ctl_parts_check(p, NULL, NULL, NULL), 0);
	T_INT(ctl_parts_check(p, "max", NULL, &err), -EPERM);
	T_HAS(err.msg, "partition max is closed");
	parts[0].state_up = PARTITION_INACTIVE;
	now += CTL_PARTS_MS;
	T_INT(ctl_parts_refresh(&p, NULL), 0);
	T_INT(ctl_parts_check(p, NULL, NULL, NULL), -EPERM);
	T_INT(ctl_parts_check(p, "open", NULL, NULL), -EPERM);
	/* one stands for the other, for ever */
	parts[3].alternate = (char *)"open";
	now += CTL_PARTS_MS;
	T_INT(ctl_parts_refresh(&p, NULL), 0);
	T_INT(ctl_parts_check(p, "open", NULL, NULL), -EPERM);
	parts[0].alternate = parts[3].alternate = NULL;
}

/* Without a partition's name Slurm takes the reservation's. */
static void a_reservation_leads_to_no_closed_partition(void)
{
	_cleanup_(ctl_parts_freep) struct ctl_parts *p = NULL;
	struct err err = {0};

	begin();
	T_INT(ctl_parts_refresh(&p, NULL), 0);
	T_INT(ctl_parts_check(p, NULL, "r", &err), -EPERM);
	T_HAS(err.msg, "reservation r: its partition is to be named");
	T_INT(ctl_parts_check(p, "", "r", NULL), -EPERM);
	T_INT(ctl_parts_check(p, "open", "r", NULL), 0);
	T_INT(ctl_parts_check(p, "own", "r", NULL), -EPERM);
	T_INT(ctl_parts_check(p, NULL, "", NULL), 0);
	parts[1].flags = parts[2].flags = parts[6].flags = 0;
	now += CTL_PARTS_MS;
	T_INT(ctl_parts_refresh(&p, NULL), 0);
	T_INT(ctl_parts_check(p, NULL, "r", NULL), 0);
	parts[2].flags = parts[6].flags = PART_FLAG_ROOT_ONLY;
}

static void slurmctld_is_asked_once_a_second(void)
{
	_cleanup_(ctl_parts_freep) struct ctl_parts *p = NULL;
	struct err err = {0};

	begin();
	answer = ECONNREFUSED;
	T_INT(ctl_parts_refresh(&p, &err), -EAGAIN);
	T_HAS(err.msg, "cannot read slurmctld's partitions");
	T_OK(!p);
	begin();
	for (int i = 0; i < 3; i++)
		T_INT(ctl_parts_refresh(&p, NULL), 0);
	T_INT(calls, 1);
	/* nothing has changed */
	now += CTL_PARTS_MS;
	answer = SLURM_NO_CHANGE_IN_DATA;
	T_INT(ctl_parts_refresh(&p, NULL), 0);
	T_INT(ctl_parts_refresh(&p, NULL), 0);
	T_INT(calls, 2);
	T_INT(ctl_parts_check(p, "closed", NULL, NULL), -EPERM);
	/* it has been opened */
	now += CTL_PARTS_MS;
	answer = 0;
	parts[1].flags = 0;
	T_INT(ctl_parts_refresh(&p, NULL), 0);
	T_INT(ctl_parts_check(p, "closed", NULL, NULL), 0);
	/* what was known is too old to go by */
	now += CTL_PARTS_MS;
	answer = ECONNREFUSED;
	T_INT(ctl_parts_refresh(&p, NULL), -EAGAIN);
	T_INT(messages, 0);
}

static void a_deadline_gives_no_more_than_the_partition(void)
{
	static const struct {
		const char *asked;
		uint32_t most, want;
	} rows[] = {
		{"open", 29, 29},	 {"open", 30, 0},
		{"open", 500, 0},	 {NULL, 29, 29},
		{NULL, 31, 0},		 {"", 31, 0},
		{"max", 59, 59},	 {"max", 61, 0},
		{"endless", 9999, 9999}, {"long", 4999, 4999},
		{"long", 5001, 0},	 {"long,open", 31, 0},
		{"endless,max", 40, 40}, {"endless,max", 61, 0},
		{"none-such", 7, 7},
	};
	_cleanup_(ctl_parts_freep) struct ctl_parts *p = NULL;

	begin();
	T_INT(ctl_parts_refresh(&p, NULL), 0);
	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%zu", i);
		T_INT(ctl_parts_shorten(p, rows[i].asked, rows[i].most),
		      rows[i].want);
	}
}

static void which_nodes_they_have_is_said_in_slurms_words(void)
{
	static const struct {
		const char *asked, *nodes; /* NULL: not known */
	} rows[] = {
		{NULL, "n[1-3],m1"}, {"", "n[1-3],m1"},
		{"max", "g[7-9]"},   {"max,open", "g[7-9],n[1-3],m1"},
		{"endless", ""},     {"endless,max", "g[7-9]"},
		{"none-such", NULL}, {"open,none-such", NULL},
	};
	_cleanup_(ctl_parts_freep) struct ctl_parts *p = NULL;

	begin();
	T_INT(ctl_parts_refresh(&p, NULL), 0);
	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_buf_ struct buf out = BUF_INIT(1000);
		_cleanup_buf_ struct buf few = BUF_INIT(3);

		t_row("%zu", i);
		T_INT(ctl_parts_nodes(p, rows[i].asked, &out),
		      rows[i].nodes ? 0 : -ENOENT);
		if (!rows[i].nodes)
			continue;
		T_STR(buf_str(&out), rows[i].nodes);
		T_INT(ctl_parts_nodes(p, rows[i].asked, &few),
		      *rows[i].nodes ? -EMSGSIZE : 0);
	}
}

static void there_may_be_no_default_partition(void)
{
	_cleanup_(ctl_parts_freep) struct ctl_parts *p = NULL;
	_cleanup_buf_ struct buf out = BUF_INIT(1000);

	begin();
	parts[0].flags = 0;
	T_INT(ctl_parts_refresh(&p, NULL), 0);
	T_INT(ctl_parts_nodes(p, NULL, &out), -ENOENT);
	T_INT(ctl_parts_shorten(p, NULL, 7), 7);
}

static void all_are_asked_for_when_the_clock_was_set_back(void)
{
	_cleanup_(ctl_parts_freep) struct ctl_parts *p = NULL;

	begin();
	message.last_update = time(NULL) + 3600;
	T_INT(ctl_parts_refresh(&p, NULL), 0);
	now += 100000;
	T_INT(ctl_parts_refresh(&p, NULL), 0);
	T_INT(calls, 2);
	message.last_update = 7;
}

T_MAIN("ctl_parts", T(there_may_be_no_default_partition),
       T(which_nodes_they_have_is_said_in_slurms_words),
       T(a_deadline_gives_no_more_than_the_partition),
       T(what_is_closed_to_users_is_closed_to_pods),
       T(the_default_partition_may_be_closed),
       T(what_stands_for_a_closed_partition_is_closed),
       T(a_reservation_leads_to_no_closed_partition),
       T(slurmctld_is_asked_once_a_second),
       T(all_are_asked_for_when_the_clock_was_set_back))

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which nodes reservations have. slurmctld's answer is the test's. */
#include <errno.h>
#include <string.h>

#include "slurm/ctl_reserved.h"
#include "slurm/named_nodes.h"
#include "slurm/release.h"
#include "t.h"

int __wrap_slurm_load_reservations(time_t since, reserve_info_msg_t **out);
void __wrap_slurm_free_reservation_info_msg(reserve_info_msg_t *msg);
void __wrap_slurm_xfree(void **text);
release_hostlist __wrap_slurm_hostlist_create(const char *text);
release_hostlist __real_slurm_hostlist_create(const char *text);

static reserve_info_t sample[] = {
	{.name = (char *)"maint",
	 .node_list = (char *)"n[1-3],m1",
	 .flags = RESERVE_FLAG_MAINT | RESERVE_FLAG_SPEC_NODES},
	{.name = (char *)"daily",
	 .node_list = (char *)"n[3-4]",
	 .flags = RESERVE_FLAG_DAILY},
	{.name = (char *)"all",
	 .node_list = (char *)"n[1-9],m1",
	 .flags = RESERVE_FLAG_ALL_NODES},
	{.name = (char *)"part",
	 .node_list = (char *)"n[1-7]",
	 .flags = RESERVE_FLAG_PART_NODES},
	{.name = (char *)"licenses"},
	{.name = (char *)"none", .node_list = (char *)""},
	{.node_list = (char *)"n8"},
};
static reserve_info_msg_t message;
static int messages; /* given out and not freed */
static int answer;   /* an errno; 0: the message */
static bool silent;  /* neither */

int __wrap_slurm_load_reservations(time_t since, reserve_info_msg_t **out)
{
	T_INT(since, 0);
	if (answer) {
		errno = answer;
		return -1;
	}
	*out = NULL;
	if (silent)
		return 0;
	messages++;
	message.reservation_array[0].groups = (char *)"wheel";
	*out = &message;
	return 0;
}

/* (those of the test are in no memory of Slurm's) */
void __wrap_slurm_xfree(void **text)
{
	*text = NULL;
}

/* Slurm 22.05 forgets the groups. */
void __wrap_slurm_free_reservation_info_msg(reserve_info_msg_t *msg)
{
	if (!msg)
		return;
	T_OK(msg == &message);
	T_OK(!msg->record_count || !msg->reservation_array[0].groups);
	messages--;
}

/* (what is no hostlist makes Slurm's own leak) */
release_hostlist __wrap_slurm_hostlist_create(const char *text)
{
	return strchr(text, '!') ? NULL : __real_slurm_hostlist_create(text);
}

static void begin(void)
{
	message = (reserve_info_msg_t){.record_count = T_COUNT(sample),
				       .reservation_array = sample};
	sample[1].node_list = (char *)"n[3-4]";
	answer = 0;
	silent = false;
}

static void what_would_lose_a_node_is_named(void)
{
	static const struct {
		const char *node, *by; /* or NULL */
	} rows[] = {
		{"n1", "maint"}, {"n3", "maint"}, {"m1", "maint"},
		{"n4", "daily"}, {"n5", NULL},	  {"n8", ""},
		{"n9", NULL},	 {"n", NULL},	  {"", NULL},
	};
	_cleanup_(ctl_reserved_freep) struct ctl_reserved *r = NULL;

	begin();
	T_NEED(!ctl_reserved_load(&r, NULL));
	for (size_t i = 0; i < T_COUNT(rows); i++) {
		const char *by = ctl_reserved_by(r, rows[i].node);

		t_row("%zu", i);
		T_OK(!by == !rows[i].by);
		if (by && rows[i].by)
			T_STR(by, rows[i].by);
	}
}

static void what_slurmctld_does_not_say_is_an_error(void)
{
	struct ctl_reserved *r = NULL;
	struct err err = {0};

	begin();
	answer = ECONNREFUSED;
	T_INT(ctl_reserved_load(&r, &err), -EIO);
	T_HAS(err.msg, "cannot read slurmctld's reservations");
	begin();
	silent = true;
	T_INT(ctl_reserved_load(&r, &err), -EIO);
	begin();
	sample[1].node_list = (char *)"n!";
	T_INT(ctl_reserved_load(&r, &err), -EIO);
	T_HAS(err.msg, "daily");
	T_OK(!r);
	T_INT(messages, 0);
}

static void there_may_be_none(void)
{
	_cleanup_(ctl_reserved_freep) struct ctl_reserved *r = NULL;

	begin();
	message.record_count = 0;
	T_NEED(!ctl_reserved_load(&r, NULL));
	T_OK(!ctl_reserved_by(r, "n1"));
}

static void so_many_are_not_read(void)
{
	static reserve_info_t many[NAMED_NODES_MAX / 50000 + 1];
	struct ctl_reserved *r = NULL;
	struct err err = {0};

	begin();
	for (size_t i = 0; i < T_COUNT(many); i++)
		many[i] = (reserve_info_t){.name = (char *)"x",
					   .node_list = (char *)"n[1-50000]"};
	message = (reserve_info_msg_t){.record_count = T_COUNT(many),
				       .reservation_array = many};
	T_INT(ctl_reserved_load(&r, &err), -E2BIG);
	T_OK(!r);
	message.record_count--;
	T_INT(ctl_reserved_load(&r, &err), 0);
	T_STR(ctl_reserved_by(r, "n50000"), "x");
	ctl_reserved_free(r);
	T_INT(messages, 0);
}

T_MAIN("ctl_reserved", T(what_would_lose_a_node_is_named),
       T(what_slurmctld_does_not_say_is_an_error), T(there_may_be_none),
       T(so_many_are_not_read))

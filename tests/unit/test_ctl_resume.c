/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which ResumeTimeout counts. slurmctld's partitions are the test's. */
#include <errno.h>
#include <string.h>

#include "slurm/ctl_resume.h"
#include "slurm/release.h"
#include "syntax/hostlist.h"
#include "t.h"

int __wrap_slurm_load_partitions(time_t since, partition_info_msg_t **out,
				 uint16_t flags);
void __wrap_slurm_free_partition_info_msg(partition_info_msg_t *msg);

static partition_info_t parts[] = {
	{.name = (char *)"all",
	 .nodes = (char *)"n[1-9],m1",
	 .resume_timeout = NO_VAL16},
	{.name = (char *)"short",
	 .nodes = (char *)"n[1-2],m1",
	 .resume_timeout = 20},
	{.name = (char *)"long",
	 .nodes = (char *)"n[2-3]",
	 .resume_timeout = 900},
	{.name = (char *)"middle",
	 .nodes = (char *)"n4,n[2-3]",
	 .resume_timeout = 60},
	{.name = (char *)"ever",
	 .nodes = (char *)"n5",
	 .resume_timeout = INFINITE16},
	{.nodes = NULL, .resume_timeout = 1},
	{.nodes = (char *)"", .resume_timeout = 1},
	{.nodes = (char *)"n[1-", .resume_timeout = 1},
};
static partition_info_msg_t message = {.record_count = T_COUNT(parts),
				       .partition_array = parts};
static int messages; /* those not freed */
static int answer;   /* errno; 0: the message */

int __wrap_slurm_load_partitions(time_t since, partition_info_msg_t **out,
				 uint16_t flags)
{
	T_INT(since, 0);
	T_INT(flags, SHOW_ALL); /* hidden ones, too */
	if (answer) {
		errno = answer;
		return -1;
	}
	messages++;
	*out = &message;
	return 0;
}

void __wrap_slurm_free_partition_info_msg(partition_info_msg_t *msg)
{
	T_OK(msg == &message);
	messages--;
}

static int shortest(const char *nodes, bool reboot, struct ctl_resume *out,
		    struct err *err)
{
	static struct hostlist h;
	int rc;

	hostlist_clear(&h);
	T_INT(hostlist_expand(nodes, &h, NULL), 0);
	hostlist_sort(&h);
	*out = (struct ctl_resume){.timeout_s = 300};
	rc = ctl_resume_shortest(h.names, h.n, reboot, out, err);
	T_INT(messages, 0);
	return rc;
}

static void a_partitions_own_comes_before_the_one_for_all(void)
{
	static const struct {
		const char *nodes;
		uint32_t want;
		const char *node; /* NULL: that for all */
		const char *part;
	} rows[] = {
		{"n1", 20, "n1", "short"},
		{"m1", 20, "m1", "short"},
		/* the longest of its partitions' */
		{"n2", 900, "n2", "long"},
		{"n3", 900, "n3", "long"},
		{"n4", 60, "n4", "middle"},
		{"n5", INFINITE16, "n5", "ever"},
		{"n6", 300, NULL, ""},
		{"elsewhere", 300, NULL, ""},
		{"n[2-3]", 900, "n2", "long"},
		{"n[5-6]", 300, NULL, ""}, /* the shortest of the nodes' */
		{"n[2-6]", 60, "n4", "middle"},
		{"n[1-9]", 20, "n1", "short"},
		{"n[3,5,7]", 300, NULL, ""},
	};

	answer = 0;
	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct ctl_resume r;

		t_row("%s", rows[i].nodes);
		T_INT(shortest(rows[i].nodes, false, &r, NULL), 0);
		T_INT(r.timeout_s, rows[i].want);
		T_OK(!r.node == !rows[i].node);
		if (r.node && rows[i].node)
			T_STR(r.node, rows[i].node);
		T_STR(r.partition, rows[i].part);
	}
}

static void a_name_that_does_not_fit_is_none(void)
{
	_cleanup_free_ char *name = t_repeat("p", CTL_RESUME_PART_MAX);
	char *const own = parts[1].name;
	struct ctl_resume r;

	answer = 0;
	parts[1].name = name;
	T_INT(shortest("n1", false, &r, NULL), 0);
	T_STR(r.node, "n1");
	T_STR(r.partition, "");
	parts[1].name = own;
}

/* (scontrol reboot, up to 25.11) */
static void reboots_have_their_own_rule(void)
{
	struct ctl_resume r;

	answer = 0;
	T_INT(shortest("n1", true, &r, NULL), 0);
	T_INT(r.timeout_s, release_reboots_by_partition() ? 20 : 300);
}

static void one_who_does_not_say_changes_nothing(void)
{
	struct ctl_resume r;
	struct err err = {0};

	answer = ECONNREFUSED;
	T_INT(shortest("n1", false, &r, &err), -EIO);
	T_HAS(err.msg, "cannot read slurmctld's partitions");
	T_INT(r.timeout_s, 300);
	T_OK(!r.node);
}

T_MAIN("ctl_resume", T(a_partitions_own_comes_before_the_one_for_all),
       T(a_name_that_does_not_fit_is_none), T(reboots_have_their_own_rule),
       T(one_who_does_not_say_changes_nothing))

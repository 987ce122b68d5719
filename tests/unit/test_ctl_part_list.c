/* SPDX-License-Identifier: GPL-2.0-or-later */
/* slurmctld's partitions are the test's. */
#include <errno.h>

#include "slurm/ctl_part_list.h"
#include "slurm/release.h"
#include "t.h"

static partition_info_t records[] = {
	{.name = (char *)"batch",
	 .nodes = (char *)"cpu-[0-3]",
	 .suspend_time = NO_VAL,
	 .suspend_timeout = NO_VAL16},
	{.name = (char *)"kept",
	 .nodes = NULL,
	 .suspend_time = INFINITE,
	 .suspend_timeout = 20},
	{.name = (char *)"short",
	 .nodes = (char *)"",
	 .suspend_time = 60,
	 .suspend_timeout = 0},
};
static partition_info_msg_t message = {.record_count = T_COUNT(records),
				       .partition_array = records};
static int messages; /* those not freed */
static int answer;   /* errno; 0: the message */

int __wrap_slurm_load_partitions(time_t since, partition_info_msg_t **out,
				 uint16_t flags);
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

void __wrap_slurm_free_partition_info_msg(partition_info_msg_t *msg);
void __wrap_slurm_free_partition_info_msg(partition_info_msg_t *msg)
{
	T_OK(msg == &message);
	messages--;
}

static void partitions_tell_what_they_have_of_their_own(void)
{
	struct ctl_part_list *list = NULL;
	struct ctl_part part;
	struct err err = {0};

	T_INT(ctl_part_list_load(&list, &err), 0);
	T_NEED(ctl_part_list_at(list, 0, &part));
	T_STR(part.name, "batch");
	T_STR(part.nodes, "cpu-[0-3]");
	T_INT(part.suspend_time_s, -1);
	T_INT(part.suspend_timeout_s, -1);
	T_NEED(ctl_part_list_at(list, 1, &part));
	T_STR(part.nodes, "");
	T_INT(part.suspend_time_s, INT64_MAX);
	T_INT(part.suspend_timeout_s, 20);
	T_NEED(ctl_part_list_at(list, 2, &part));
	T_INT(part.suspend_time_s, 60);
	T_INT(part.suspend_timeout_s, 0);
	T_OK(!ctl_part_list_at(list, 3, &part));
	ctl_part_list_free(list);
	T_INT(messages, 0);
	ctl_part_list_free(NULL);
}

static void an_error_has_slurms_words(void)
{
	struct ctl_part_list *list = NULL;
	struct err err = {0};

	answer = ESLURM_ACCESS_DENIED;
	T_ERR(ctl_part_list_load(&list, &err), &err, -EIO,
	      "cannot read slurmctld's partitions");
	T_OK(list == NULL);
	answer = 0;
}

T_MAIN("ctl_part_list", T(partitions_tell_what_they_have_of_their_own),
       T(an_error_has_slurms_words))

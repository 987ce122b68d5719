/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which nodes placeholders name. slurmctld's answer is ours. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "jobs_fixture.h"
#include "slurm/ctl_placeholder_names.h"

#define OURS (char *)"{\"k8s\":{\"cluster\":\"c\"}}"

#define NONE CTL_NAMED_BY_NONE
#define WAITING CTL_NAMED_BY_WAITING
#define RUNNING CTL_NAMED_BY_RUNNING

static void a_node_that_a_job_names(void)
{
	static const struct {
		uint32_t state;
		const char *comment, *exclude, *require;
		enum ctl_named named[2]; /* n7, web */
	} rows[] = {
		{JOB_PENDING, OURS, "n[1-9]", NULL, {WAITING, NONE}},
		{JOB_PENDING, OURS, "n[1-6,8-9],web", NULL, {NONE, WAITING}},
		{JOB_PENDING, OURS, NULL, "n7", {WAITING, NONE}},
		{JOB_PENDING, OURS, "n1", "web", {NONE, WAITING}},
		{JOB_PENDING, OURS, "n[70-79],web1", "", {NONE, NONE}},
		{JOB_PENDING, OURS, NULL, NULL, {NONE, NONE}},
		{JOB_PENDING, "k8s", "n7", NULL, {NONE, NONE}},
		{JOB_PENDING, NULL, "n7", NULL, {NONE, NONE}},
		{JOB_RUNNING, OURS, "n7", NULL, {NONE, NONE}},
		{JOB_RUNNING, OURS, "web", "n[6-8]", {RUNNING, NONE}},
		{JOB_RUNNING, NULL, NULL, "web,x", {NONE, RUNNING}},
		{JOB_SUSPENDED, NULL, NULL, "n7", {RUNNING, NONE}},
		{JOB_RUNNING | JOB_COMPLETING,
		 NULL,
		 NULL,
		 "n7",
		 {RUNNING, NONE}},
		{JOB_CANCELLED | JOB_COMPLETING,
		 NULL,
		 NULL,
		 "n7",
		 {NONE, NONE}},
		{JOB_CANCELLED, OURS, "n7", NULL, {NONE, NONE}},
		{JOB_PENDING | JOB_REQUEUE, OURS, "n7", NULL, {WAITING, NONE}},
	};
	static const char *const nodes[] = {"n7", "web"};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		enum ctl_named named[2] = {RUNNING, RUNNING};
		struct err err = {0};

		t_row("%zu", i);
		msg.record_count = 1;
		jobs[0] = (job_info_t){.job_state = rows[i].state,
				       .admin_comment = (char *)rows[i].comment,
				       .exc_nodes = (char *)rows[i].exclude,
				       .req_nodes = (char *)rows[i].require};
		T_INT(ctl_placeholders_name(NULL, nodes, 2, named, &err), 0);
		T_INT(named[0], rows[i].named[0]);
		T_INT(named[1], rows[i].named[1]);
		T_INT(messages, 0);
	}
}

static void of_a_slurmctld_that_is_away_nothing_is_known(void)
{
	static const char *const nodes[] = {"n7"};
	enum ctl_named named[1] = {WAITING};
	struct err err = {0};

	is_away = true;
	T_ERR(ctl_placeholders_name(NULL, nodes, 1, named, &err), &err, -EIO,
	      "cannot read slurmctld's jobs");
	T_INT(named[0], WAITING);
	is_away = false;
}

/* A list of some 24 kB; each with another end, or all the same. */
static void fill(bool others)
{
	enum { LEN = 24000 };

	msg.record_count = MANY;
	for (int i = 0; i < MANY; i++) {
		char *text = malloc(LEN), *at = text;

		for (int n = 0; at - text < LEN - 100; n += 2)
			at += sprintf(at, "%sn%d", n ? "," : "", n);
		sprintf(at, ",x%d", others ? i : 0);
		jobs[i] = (job_info_t){.job_state = JOB_PENDING,
				       .admin_comment = OURS,
				       .exc_nodes = text};
	}
}

static void empty(void)
{
	for (int i = 0; i < MANY; i++)
		free(jobs[i].exc_nodes);
}

/* (most have the same; whoever makes others holds up nodes, not us) */
static void what_is_read_is_bounded(void)
{
	static const char *const nodes[] = {"n100", "n101"};
	enum ctl_named named[2] = {NONE, NONE};
	struct err err = {0};

	fill(false);
	T_INT(ctl_placeholders_name(NULL, nodes, 2, named, &err), 0);
	T_OK(named[0] && !named[1]);
	empty();
	fill(true);
	T_INT(ctl_placeholders_name(NULL, nodes, 2, named, &err), 0);
	T_OK(named[0] && named[1]);
	empty();
	T_INT(messages, 0);
}

T_MAIN("ctl_placeholder_names", T(a_node_that_a_job_names),
       T(of_a_slurmctld_that_is_away_nothing_is_known),
       T(what_is_read_is_bounded))

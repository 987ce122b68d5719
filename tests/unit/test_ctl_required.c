/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which nodes jobs require. slurmctld's answer is ours. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "jobs_fixture.h"
#include "slurm/ctl_required.h"
#include "slurm/named_nodes.h"

release_hostlist __wrap_slurm_hostlist_create(const char *text);
release_hostlist __real_slurm_hostlist_create(const char *text);

#define EACH 50000
#define OVER (NAMED_NODES_MAX / EACH + 1) /* so many of these are too many */

static int lists; /* that were read */

/* (what is no hostlist makes Slurm's own leak) */
release_hostlist __wrap_slurm_hostlist_create(const char *text)
{
	lists++;
	return strchr(text, '!') ? NULL : __real_slurm_hostlist_create(text);
}

static void job(uint32_t id, uint32_t state, const char *require)
{
	jobs[msg.record_count++] = (job_info_t){.job_id = id,
						.job_state = state,
						.req_nodes = (char *)require,
						.exc_nodes = (char *)"n9"};
}

static void begin(void)
{
	msg.record_count = 0;
	is_away = false;
	lists = 0;
}

static void by_jobs_that_have_not_ended(void)
{
	static const struct {
		uint32_t state;
		bool requires;
	} rows[] = {
		{JOB_PENDING, true},
		{JOB_RUNNING, true},
		{JOB_SUSPENDED, true},
		{JOB_PENDING | JOB_REQUEUE_HOLD, true},
		{JOB_PENDING | JOB_COMPLETING, true},
		{JOB_COMPLETE, false},
		{JOB_FAILED | JOB_COMPLETING, true}, /* RequeueExit= */
		{JOB_NODE_FAIL, false},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_(ctl_required_freep) struct ctl_required *r = NULL;

		t_row("%zu", i);
		begin();
		job(12, rows[i].state, "n[1-3],web");
		T_NEED(!ctl_required_load(NULL, &r, NULL));
		T_OK(!ctl_required_by(r, "n2") == !rows[i].requires);
		T_OK(!ctl_required_by(r, "web") == !rows[i].requires);
		T_OK(!ctl_required_by(r, "n9")); /* its ExcNodeList */
		T_OK(!ctl_required_by(r, "n"));
		T_INT(messages, 0);
	}
}

static void the_first_job_that_requires_it_is_named(void)
{
	_cleanup_(ctl_required_freep) struct ctl_required *r = NULL;

	begin();
	job(1, JOB_RUNNING, NULL);
	job(2, JOB_RUNNING, "");
	job(3, JOB_COMPLETE, "n1");
	job(4, JOB_PENDING, "n1");
	job(5, JOB_RUNNING, "n[1-2]");
	T_NEED(!ctl_required_load(NULL, &r, NULL));
	T_STR(ctl_required_by(r, "n1"), "job 4");
	T_STR(ctl_required_by(r, "n2"), "job 5");
}

static void one_list_of_many_jobs_is_read_once(void)
{
	_cleanup_(ctl_required_freep) struct ctl_required *r = NULL;

	begin();
	for (uint32_t i = 0; i < OVER; i++)
		job(i + 1, JOB_PENDING, "n[1-50000]");
	T_NEED(!ctl_required_load(NULL, &r, NULL));
	T_STR(ctl_required_by(r, "n50000"), "job 1");
	T_INT(lists, 1);
}

static void so_many_different_ones_are_not_read(void)
{
	static char texts[OVER][32];
	struct ctl_required *r = NULL;
	struct err err = {0};

	begin();
	for (uint32_t i = 0; i < OVER; i++) {
		snprintf(texts[i], sizeof(texts[i]), "n[1-%d],x%u", EACH, i);
		job(i + 1, JOB_PENDING, texts[i]);
	}
	T_ERR(ctl_required_load(NULL, &r, &err), &err, -E2BIG, "ReqNodeList");
	T_OK(!r);
	msg.record_count--;
	T_INT(ctl_required_load(NULL, &r, &err), 0);
	ctl_required_free(r);
	T_INT(messages, 0);
}

static void what_slurmctld_does_not_say_is_an_error(void)
{
	struct ctl_required *r = NULL;
	struct err err = {0};

	begin();
	is_away = true;
	T_ERR(ctl_required_load(NULL, &r, &err), &err, -EIO,
	      "cannot read slurmctld's jobs");
	begin();
	job(7, JOB_PENDING, "n!");
	T_ERR(ctl_required_load(NULL, &r, &err), &err, -EIO, "job 7");
	T_OK(!r);
	T_INT(messages, 0);
}

T_MAIN("ctl_required", T(by_jobs_that_have_not_ended),
       T(the_first_job_that_requires_it_is_named),
       T(one_list_of_many_jobs_is_read_once),
       T(so_many_different_ones_are_not_read),
       T(what_slurmctld_does_not_say_is_an_error))

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * External nodes that are to be deleted: first their jobs are told, for Slurm
 * takes no change any more of a job that names a node which was deleted.
 */
#include "external_nodes_fixture.h"

static void unlabel(struct external_nodes *b, int i)
{
	put(b, i, "", "", 64, 8, true);
}

static void two(struct external_nodes *b)
{
	begin(b, 2);
	pass(b, 5000);
	T_INT(in_slurm(64), 2);
	named_node = NULL;
	names_rc = 0;
	names_asked = 0;
}

static void without_the_label_it_is_drained_and_goes_later(void)
{
	struct external_nodes b;

	two(&b);
	unlabel(&b, 1);
	pass(&b, 20000);
	T_OK(slurm[1].is && slurm[1].drained && !slurm[0].drained);
	T_INT(names_asked, 0);
	/* (it has it again) */
	put_host(&b, 1, 64, 8);
	pass(&b, 20000);
	T_INT(are_drained(), 0);
	unlabel(&b, 1);
	pass(&b, 29000);
	T_INT(deletions, 0);
	pass(&b, 15000);
	T_OK(slurm[0].is && !slurm[1].is);
	T_INT(deletions, 1);
	end(&b);
}

/* (by what Slurm has now) */
static bool counts(struct external_nodes *b, const char *name)
{
	struct err err = {0};
	bool is;

	T_INT(ctl_nodes_refresh(&b->slurm.nodes, &err), 1);
	inventory_lock(b->inventory);
	is = node_counts(b, inventory_find(b->inventory, name));
	inventory_unlock(b->inventory);
	return is;
}

/* And what waits is looked at again: its lists are to be without it. */
static void as_long_as_a_job_may_start_there_it_counts(void)
{
	struct external_nodes b;
	uint64_t version;

	two(&b);
	slurm[1].busy = true;
	unlabel(&b, 1);
	external_nodes_step(&b);
	version = b.step.version;
	T_OK(!slurm[1].drained && counts(&b, "n1"));
	pass(&b, 5000);
	T_OK(slurm[1].drained && !counts(&b, "n1"));
	T_OK(counts(&b, "n0"));
	T_INT(b.step.version, version + 1);
	/* somebody has it undrained; and it is not ours */
	slurm[1].drained = false;
	T_OK(counts(&b, "n1"));
	slurm[1].drained = true;
	slurm[1].others = true;
	T_OK(counts(&b, "n1"));
	slurm[1].others = false;
	/* cordoned it comes back */
	put(&b, 1, "\"l\":\"\"", "\"unschedulable\":true", 64, 8, true);
	T_OK(slurm[1].drained && counts(&b, "n1"));
	end(&b);
}

static void while_a_job_names_it_that_waits_it_stays(void)
{
	for (int gone = 0; gone < 2; gone++) {
		struct external_nodes b;

		t_row("%d", gone);
		two(&b);
		named_node = "n1";
		if (gone)
			delete_host(&b, 1);
		else
			unlabel(&b, 1);
		pass(&b, 5 * MINUTE);
		T_OK(slurm[1].is && slurm[1].drained);
		T_INT(deletions, 0);
		/* (slurmctld sends all its jobs for it) */
		T_OK(names_asked > 20 && names_asked <= 28);
		T_HAS(t_log(), "node n1 is deleted in Slurm when no job");
		named_node = "n0";
		pass(&b, 20000);
		T_OK(!slurm[1].is && slurm[0].is);
		end(&b);
	}
}

static void but_not_for_ever(void)
{
	struct external_nodes b;

	two(&b);
	named_node = "n1";
	unlabel(&b, 1);
	pass(&b, 10 * MINUTE);
	T_OK(slurm[1].is);
	T_LACKS(t_log(), "though jobs that wait name it");
	pass(&b, MINUTE);
	T_OK(!slurm[1].is);
	T_HAS(t_log(), "node n1 is deleted in Slurm, though jobs that wait "
		       "name it still");
	end(&b);
}

/* (Slurm would end it when slurmctld is started again) */
static void while_a_job_runs_that_asked_for_it_it_stays(void)
{
	struct external_nodes b;

	two(&b);
	named_node = "n1";
	named_by_running = true;
	t_log_clear();
	delete_host(&b, 1);
	pass(&b, 240 * MINUTE);
	T_OK(slurm[1].is && slurm[1].drained);
	T_HAS(t_log(), "node n1: it is deleted in Slurm when no job that runs "
		       "has it in its ReqNodeList");
	T_LACKS(t_log(), "though jobs");
	named_by_running = false;
	named_node = NULL;
	pass(&b, 2 * MINUTE);
	T_OK(!slurm[1].is);
	end(&b);
}

/* (else thousands of jobs that have not been told yet could not be changed) */
static void while_jobs_are_told_other_nodes_its_time_does_not_run(void)
{
	struct external_nodes b;

	two(&b);
	named_node = "n1";
	b.lists_change = true;
	unlabel(&b, 1);
	pass(&b, 90 * MINUTE);
	T_OK(slurm[1].is);
	b.lists_change = false;
	pass(&b, 9 * MINUTE);
	T_OK(slurm[1].is);
	pass(&b, 2 * MINUTE);
	T_OK(!slurm[1].is);
	end(&b);
	/* nor does that last for ever */
	two(&b);
	named_node = "n1";
	b.lists_change = true;
	unlabel(&b, 1);
	pass(&b, 135 * MINUTE);
	T_OK(!slurm[1].is);
	b.lists_change = false;
	end(&b);
}

static void all_jobs_are_asked_for_once_for_all_nodes(void)
{
	struct external_nodes b;

	two(&b);
	named_node = "n1";
	unlabel(&b, 1);
	pass(&b, 5000);
	unlabel(&b, 0); /* its time is over 5 s later */
	pass(&b, 5 * MINUTE);
	T_OK(slurm[1].is && !slurm[0].is);
	T_OK(names_asked > 20 && names_asked <= 30);
	end(&b);
}

static void what_slurm_does_not_say_is_not_deleted_either(void)
{
	struct external_nodes b;

	two(&b);
	names_rc = -EIO;
	unlabel(&b, 1);
	pass(&b, 2 * MINUTE);
	T_OK(slurm[1].is);
	names_rc = 0;
	pass(&b, 20000);
	T_OK(!slurm[1].is);
	end(&b);
}

/* Its time begins anew when it is to go again. */
static void one_that_is_wanted_again_is_as_any(void)
{
	struct external_nodes b;

	two(&b);
	named_node = "n1";
	unlabel(&b, 1);
	pass(&b, 9 * MINUTE);
	put_host(&b, 1, 64, 8);
	pass(&b, 20000);
	T_OK(slurm[1].is && !slurm[1].drained);
	unlabel(&b, 1);
	pass(&b, 9 * MINUTE);
	T_OK(slurm[1].is && slurm[1].drained);
	end(&b);
}

T_MAIN("node_removal", T(without_the_label_it_is_drained_and_goes_later),
       T(as_long_as_a_job_may_start_there_it_counts),
       T(while_a_job_names_it_that_waits_it_stays),
       T(while_a_job_runs_that_asked_for_it_it_stays), T(but_not_for_ever),
       T(while_jobs_are_told_other_nodes_its_time_does_not_run),
       T(all_jobs_are_asked_for_once_for_all_nodes),
       T(what_slurm_does_not_say_is_not_deleted_either),
       T(one_that_is_wanted_again_is_as_any))

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What slurm.conf says, after a reconfiguration. slurmctld is the test's. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "engine/site.h"
#include "t.h"

static struct ctl_site says;
static bool silent;

int ctl_site_load(struct ctl_site *out, struct err *err)
{
	if (silent)
		return err_set(err, -EIO, "no answer");
	*out = says;
	out->cluster = strdup("other");
	return 0;
}

static const struct ctl_site first = {.cluster = (char *)"c",
				      .resume_timeout_s = 300,
				      .kill_wait_s = 30,
				      .notify_name = "slurm-k8s/c/1",
				      .has_features = false,
				      .has_stepmgr = false,
				      .prolog = CTL_PROLOG_NONE};

static void what_has_changed_is_taken_over(void)
{
	struct ctl_site rows[12];

	for (size_t i = 0; i < T_COUNT(rows); i++)
		rows[i] = first;
	rows[1].resume_timeout_s = 600;
	rows[2].kill_wait_s = 90;
	rows[3].has_features = true;
	rows[4].has_stepmgr = true;
	rows[5].prolog = CTL_PROLOG_OURS;
	rows[6].prolog_timeout_s = 60;
	rows[7].max_jobs = 200;
	rows[8].min_job_age_s = 60;
	rows[9].hides_suspended = true;
	rows[10].requeue_delay_s = 10;
	rows[11].expedites = true;
	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct ctl_site site = first;
		struct err err = {0};

		t_row("%zu", i);
		says = rows[i];
		str_copy(says.notify_name, "slurm-k8s/other/2",
			 sizeof(says.notify_name));
		T_INT(site_reload(&site, &err), i > 0);
		T_INT(site_changes_bridge(&first, &site),
		      i == 2 || (i >= 7 && i <= 9));
		T_INT(site.hides_suspended, rows[i].hides_suspended);
		T_INT(site.resume_timeout_s, rows[i].resume_timeout_s);
		T_INT(site.kill_wait_s, rows[i].kill_wait_s);
		T_INT(site.has_features, rows[i].has_features);
		T_INT(site.has_stepmgr, rows[i].has_stepmgr);
		T_INT(site.prolog, rows[i].prolog);
		T_INT(site.prolog_timeout_s, rows[i].prolog_timeout_s);
		T_INT(site.max_jobs, rows[i].max_jobs);
		T_INT(site.min_job_age_s, rows[i].min_job_age_s);
		T_INT(site.requeue_delay_s, rows[i].requeue_delay_s);
		T_INT(site.expedites, rows[i].expedites);
		T_STR(site.cluster, "c");
		T_STR(site.notify_name, "slurm-k8s/c/1");
		T_INT(site_reload(&site, &err), 0);
	}
}

static void without_an_answer_all_stays(void)
{
	struct ctl_site site = first;
	struct err err = {0};

	silent = true;
	says = first;
	says.kill_wait_s = 90;
	T_INT(site_reload(&site, &err), -EIO);
	T_INT(site.kill_wait_s, first.kill_wait_s);
	T_INT(site.resume_timeout_s, first.resume_timeout_s);
	T_STR(site.cluster, first.cluster);
	silent = false;
	T_INT(site_reload(&site, &err), 1);
	T_INT(site.kill_wait_s, 90);
}

static void that_suspended_jobs_are_hidden_is_said(void)
{
	struct ctl_site site = first;

	t_log_clear();
	site_tell_of_memory(&site);
	T_STR(t_log(), "");
	site.hides_suspended = true;
	site_tell_of_memory(&site);
	T_HAS(t_log(), "slurm.conf has no SelectTypeParameters=CR_..._Memory");
}

T_MAIN("site", T(that_suspended_jobs_are_hidden_is_said),
       T(what_has_changed_is_taken_over), T(without_an_answer_all_stays))

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/site.h"

#include "base/log.h"
#include "slurm/prolog_wait.h"

/*
 * Take over all but ClusterName and the name of the engine's socket, which are
 * those of slurmctld's start. True: something has changed.
 */
static bool take_over(struct ctl_site *to, const struct ctl_site *from)
{
	const bool same = to->resume_timeout_s == from->resume_timeout_s &&
			  to->kill_wait_s == from->kill_wait_s &&
			  to->max_jobs == from->max_jobs &&
			  to->min_job_age_s == from->min_job_age_s &&
			  to->has_features == from->has_features &&
			  to->has_stepmgr == from->has_stepmgr &&
			  to->suspends_external == from->suspends_external &&
			  to->hides_suspended == from->hides_suspended &&
			  to->starts_early == from->starts_early &&
			  to->prolog == from->prolog &&
			  to->prolog_timeout_s == from->prolog_timeout_s &&
			  to->requeue_delay_s == from->requeue_delay_s &&
			  to->expedites == from->expedites;

	to->resume_timeout_s = from->resume_timeout_s;
	to->kill_wait_s = from->kill_wait_s;
	to->max_jobs = from->max_jobs;
	to->min_job_age_s = from->min_job_age_s;
	to->has_features = from->has_features;
	to->has_stepmgr = from->has_stepmgr;
	to->suspends_external = from->suspends_external;
	to->hides_suspended = from->hides_suspended;
	to->starts_early = from->starts_early;
	to->prolog = from->prolog;
	to->prolog_timeout_s = from->prolog_timeout_s;
	to->requeue_delay_s = from->requeue_delay_s;
	to->expedites = from->expedites;
	return !same;
}

int site_reload(struct ctl_site *site, struct err *err)
{
	struct ctl_site now = {0};
	const int rc = ctl_site_load(&now, err);
	const bool changed = !rc && take_over(site, &now);

	free(now.cluster);
	return rc ? rc : changed;
}

void site_tell_of_timeout(const struct ctl_site *site)
{
	if (prolog_wait_is_short(site->prolog_timeout_s,
				 site->resume_timeout_s))
		log_warn(
			"slurm.conf lets a PrologSlurmctld run for %u s "
			"(PrologEpilogTimeout, PrologTimeout): k8s_prolog ends "
			"%d s before, and a batch job whose nodes take longer "
			"to power up starts up to 30 s after they are up; "
			"longer than ResumeTimeout (%u s) by %d s is enough",
			site->prolog_timeout_s, PROLOG_WAIT_MARGIN_S,
			site->resume_timeout_s, PROLOG_WAIT_MARGIN_S);
}

void site_tell_of_memory(const struct ctl_site *site)
{
	if (site->hides_suspended)
		log_warn("slurm.conf has no SelectTypeParameters=CR_..._Memory "
			 "(CR_Core_Memory, say), which external nodes need: a "
			 "node with nothing but suspended jobs seems to be "
			 "idle, so all jobs are read before one is deleted or "
			 "made anew");
}

bool site_changes_bridge(const struct ctl_site *before,
			 const struct ctl_site *now)
{
	return now->kill_wait_s != before->kill_wait_s ||
	       now->hides_suspended != before->hides_suspended ||
	       now->max_jobs != before->max_jobs ||
	       now->min_job_age_s != before->min_job_age_s;
}

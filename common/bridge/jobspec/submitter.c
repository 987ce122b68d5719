/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The user and the group that a job is submitted as. */
#include <errno.h>

#include "bridge/jobspec/job_spec.h"

int job_spec_set_user(struct job_specs *js, struct job_spec *o, struct err *err)
{
	const char *user = job_options_text(&o->options, JOB_OPTION_USER);
	const char *group = job_options_text(&o->options, JOB_OPTION_GROUP);
	int rc;

	if (!user)
		return err_set(err, -ENOENT, "no user is named for it");
	/*
	 * slurm-bridge's user-id is a number; its group has to be found, too.
	 */
	rc = ctl_users_find(js->users, user, &o->p.uid, &o->p.gid, err);
	return rc || !group ? rc
			    : ctl_users_group(js->users, group, &o->p.gid, err);
}

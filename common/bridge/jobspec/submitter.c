/* SPDX-License-Identifier: GPL-2.0-or-later */
/* As whom a job is submitted. */
#include <errno.h>
#include <grp.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdlib.h>

#include "bridge/jobspec/job_spec.h"
#include "syntax/sbatch_text.h"

#define GROUP_TEXT_MAX ((size_t)1 << 16) /* a line of group(5) */
#define USER_TEXT_MAX ((size_t)1 << 14)	 /* a line of passwd(5) */

static int group_of(const char *name, uint32_t *gid, struct err *err)
{
	_cleanup_free_ char *text = malloc(GROUP_TEXT_MAX);
	struct group gr, *found = NULL;
	int64_t n;

	if (!sbatch_number(name, &n) && n >= 0 && n < UINT32_MAX) {
		*gid = (uint32_t)n;
		return 0;
	}
	if (!text)
		return err_oom(err);
	if (getgrnam_r(name, &gr, text, GROUP_TEXT_MAX, &found) || !found)
		return err_set(err, -ENOENT,
			       "there is no group %s on slurmctld's host",
			       name);
	*gid = gr.gr_gid;
	return 0;
}

/* slurm-bridge's user-id is a number; Slurm wants his group as well. */
static int user_by_number(int64_t n, struct placeholder *p, struct err *err)
{
	_cleanup_free_ char *text = malloc(USER_TEXT_MAX);
	struct passwd pw, *found = NULL;

	if (!text)
		return err_oom(err);
	if (n < 0 || n >= UINT32_MAX ||
	    getpwuid_r((uid_t)n, &pw, text, USER_TEXT_MAX, &found) || !found)
		return err_set(
			err, -ENOENT,
			"there is no user %" PRId64 " on slurmctld's host", n);
	p->uid = pw.pw_uid;
	p->gid = pw.pw_gid;
	return 0;
}

int job_spec_set_user(struct job_specs *js, struct job_spec *o, struct err *err)
{
	const char *user = job_options_text(&o->wish, JOB_OPTION_USER);
	const char *group = job_options_text(&o->wish, JOB_OPTION_GROUP);
	int64_t n;
	int rc;

	if (!user)
		return err_set(err, -ENOENT, "no user is named for it");
	rc = sbatch_number(user, &n) ? ctl_users_find(js->users, user,
						      &o->p.uid, &o->p.gid, err)
				     : user_by_number(n, &o->p, err);
	return rc || !group ? rc : group_of(group, &o->p.gid, err);
}

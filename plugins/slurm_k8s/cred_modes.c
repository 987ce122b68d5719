/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cred_modes.h"

#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"

const char *cred_everybodys(const struct kube_config *c, const char *path)
{
	const bool has_key = c->key_pem && !c->key_file;

	if ((c->token || has_key) && fs_world_readable(path))
		return path;
	if (c->token_file && fs_world_readable(c->token_file))
		return c->token_file;
	if (c->key_file && fs_world_readable(c->key_file))
		return c->key_file;
	return NULL;
}

/* True if this process may read the file as its owner, or by its group. */
static bool is_own(const struct stat *st)
{
	if (st->st_uid == geteuid())
		return true;
	return (st->st_mode & S_IRGRP) &&
	       (st->st_gid == getegid() || group_member(st->st_gid));
}

void cred_modes_fix(const char *path, char *out, size_t size)
{
	const struct passwd *user = getpwuid(geteuid());
	struct stat st;

	if (!user || stat(path, &st) || is_own(&st))
		snprintf(out, size,
			 "take all rights on it from other users: chmod o= %s",
			 path);
	else
		snprintf(out, size,
			 "make SlurmUser its owner, also when it is renewed: "
			 "chown %s %s && chmod 600 %s",
			 user->pw_name, path, path);
}

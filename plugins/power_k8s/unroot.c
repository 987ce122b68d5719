/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unroot.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "kube/cred.h"

/* Become user `uid`, with its own groups; a user without a name has none. */
static int become(uid_t uid, const char *path, struct err *err)
{
	const struct passwd *pw = uid == UNROOT_NOBODY ? NULL : getpwuid(uid);
	const gid_t gid = pw ? pw->pw_gid : UNROOT_NOBODY;

	if ((pw ? initgroups(pw->pw_name, gid) : setgroups(0, NULL)) ||
	    setresgid(gid, gid, gid) || setresuid(uid, uid, uid))
		return err_set(err, -EPERM,
			       "%s: cannot go on as user %u instead of root: "
			       "%s",
			       path, uid, strerror(errno));
	return 0;
}

/*
 * Read the token of tokenFile while this process is root and may. With a
 * credential plugin, which counts for more, nothing is read: it is not run as
 * root.
 */
static int read_token(struct kube_config *c, struct err *err)
{
	_cleanup_(kube_cred_freep) struct kube_cred *cred = NULL;
	struct kube_secret s = {0};
	int rc;

	if (!c->token_file || c->exec)
		return 0;
	cred = kube_cred_new(c);
	if (!cred)
		return err_oom(err);
	rc = kube_cred_get(cred, &s, err);
	if (rc)
		return rc;
	free(c->token_file);
	c->token_file = NULL;
	free(c->token);
	c->token = strdup(s.token);
	return c->token ? 0 : err_oom(err);
}

static int read_as_root(int fd, const char *path, mode_t mode,
			struct kube_config **out, struct err *err)
{
	_cleanup_(kube_config_freep) struct kube_config *c = NULL;
	int rc;

	if (mode & (S_IWGRP | S_IWOTH))
		return err_set(err, -EPERM,
			       "%s: it is root's, and others may write it: "
			       "chmod 600 it",
			       path);
	rc = kube_config_read(fd, path, NULL, &c, err);
	if (!rc)
		rc = read_token(c, err);
	if (!rc)
		rc = become(UNROOT_NOBODY, path, err);
	if (rc)
		return rc;
	*out = steal_ptr(c);
	return 0;
}

int unroot_load(const char *path, struct kube_config **out, struct err *err)
{
	_cleanup_close_ int fd = fs_open(path, err);
	struct stat st;
	int rc;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st))
		return err_set(err, -errno, "%s: %s", path, strerror(errno));
	if (geteuid())
		return kube_config_read(fd, path, NULL, out, err);
	if (!st.st_uid)
		return read_as_root(fd, path, st.st_mode, out, err);
	rc = become(st.st_uid, path, err);
	return rc ? rc : kube_config_read(fd, path, NULL, out, err);
}

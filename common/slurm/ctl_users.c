/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurm/ctl_users.h"

#include <errno.h>
#include <pwd.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/str.h"

#define ENTRY_MAX ((size_t)1 << 16) /* bytes of a line of passwd */

struct user {
	UT_hash_handle hh;
	int failed;
	int rc; /* 0, -ENOENT or -EAGAIN */
	uint32_t uid, gid;
	int64_t until;
	char name[CTL_USERS_NAME_MAX];
};

struct ctl_users {
	struct user *by_name;
};

struct ctl_users *ctl_users_new(void)
{
	return calloc(1, sizeof(struct ctl_users));
}

void ctl_users_forget(struct ctl_users *u)
{
	struct user *one = NULL, *next = NULL;

	HASH_ITER(hh, u->by_name, one, next)
	{
		HASH_DELETE(hh, u->by_name, one);
		free(one);
	}
}

void ctl_users_free(struct ctl_users *u)
{
	if (!u)
		return;
	ctl_users_forget(u);
	free(u);
}

static int64_t holds_for(int rc)
{
	switch (rc) {
	case 0:
		return CTL_USERS_KNOWN_MS;
	case -ENOENT:
		return CTL_USERS_UNKNOWN_MS;
	default:
		return CTL_USERS_FAILED_MS;
	}
}

static int ask(const char *name, struct passwd *pw, char *text, size_t size)
{
	struct passwd *found = NULL;
	int rc = getpwnam_r(name, pw, text, size, &found);

	if (found)
		return 0;
	/* (getpwnam(3): these, too, mean that there is none) */
	if (!rc || rc == ENOENT || rc == ESRCH || rc == EBADF || rc == EPERM)
		return -ENOENT;
	return -EAGAIN;
}

static int look_up(struct user *one)
{
	_cleanup_free_ char *text = malloc(ENTRY_MAX);
	struct passwd pw;

	if (!text)
		return -ENOMEM;
	one->rc = ask(one->name, &pw, text, ENTRY_MAX);
	if (!one->rc) {
		one->uid = pw.pw_uid;
		one->gid = pw.pw_gid;
	}
	one->until = clock_ms() + holds_for(one->rc);
	return 0;
}

static struct user *find(struct ctl_users *u, const char *name)
{
	struct user *one;

	HASH_FIND_STR(u->by_name, name, one);
	return one;
}

static struct user *add(struct ctl_users *u, const char *name)
{
	struct user *one;

	if (HASH_COUNT(u->by_name) >= CTL_USERS_MAX)
		ctl_users_forget(u);
	one = calloc(1, sizeof(*one));
	if (!one)
		return NULL;
	str_copy(one->name, name, sizeof(one->name));
	HASH_ADD_STR(u->by_name, name, one);
	if (one->failed) {
		free(one);
		return NULL;
	}
	return one;
}

static int say(const struct user *one, struct err *err)
{
	if (one->rc == -ENOENT)
		return err_set(err, -ENOENT,
			       "there is no user %s on slurmctld's host",
			       one->name);
	if (one->rc)
		return err_set(err, -EAGAIN,
			       "the name service of slurmctld's host does not "
			       "say who %s is",
			       one->name);
	return 0;
}

int ctl_users_find(struct ctl_users *u, const char *name, uint32_t *uid,
		   uint32_t *gid, struct err *err)
{
	struct user *one;

	if (!*name || strlen(name) >= CTL_USERS_NAME_MAX)
		return err_set(err, -ENOENT, "that is no name of a user");
	one = find(u, name);
	if (!one)
		one = add(u, name);
	if (!one || (clock_ms() >= one->until && look_up(one)))
		return err_oom(err);
	*uid = one->uid;
	*gid = one->gid;
	return say(one, err);
}

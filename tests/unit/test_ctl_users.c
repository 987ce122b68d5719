/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <pwd.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "slurm/ctl_users.h"
#include "t.h"

int64_t __wrap_clock_ms(void);
int __wrap_getpwnam_r(const char *name, struct passwd *pw, char *text,
		      size_t size, struct passwd **found);

static int64_t now = 1000;
static int asked;
static int answer; /* errno value; -1: no such user */

int64_t __wrap_clock_ms(void)
{
	return now;
}

int __wrap_getpwnam_r(const char *name, struct passwd *pw, char *text,
		      size_t size, struct passwd **found)
{
	(void)text;
	asked++;
	*found = NULL;
	if (answer > 0)
		return answer;
	if (answer < 0 || size < 1024)
		return 0;
	memset(pw, 0, sizeof(*pw));
	pw->pw_uid = 1000 + (uid_t)strlen(name);
	pw->pw_gid = 2000 + (gid_t)strlen(name);
	*found = pw;
	return 0;
}

static void begin(int what)
{
	answer = what;
	asked = 0;
}

static void a_user_is_asked_for_once(void)
{
	_cleanup_(ctl_users_freep) struct ctl_users *u = ctl_users_new();
	uint32_t uid = 0, gid = 0;

	begin(0);
	T_INT(ctl_users_find(u, "alice", &uid, &gid, NULL), 0);
	T_INT(uid, 1005);
	T_INT(gid, 2005);
	T_INT(ctl_users_find(u, "alice", &uid, &gid, NULL), 0);
	T_INT(ctl_users_find(u, "bob", &uid, &gid, NULL), 0);
	T_INT(uid, 1003);
	T_INT(asked, 2);
	now += CTL_USERS_KNOWN_MS;
	T_INT(ctl_users_find(u, "alice", &uid, &gid, NULL), 0);
	T_INT(asked, 3);
	ctl_users_forget(u);
	T_INT(ctl_users_find(u, "alice", &uid, &gid, NULL), 0);
	T_INT(asked, 4);
}

static void an_unknown_user_is_asked_for_again_soon(void)
{
	_cleanup_(ctl_users_freep) struct ctl_users *u = ctl_users_new();
	struct err err = {0};
	uint32_t uid, gid;

	begin(-1);
	T_ERR(ctl_users_find(u, "eve", &uid, &gid, &err), &err, -ENOENT,
	      "no user eve");
	T_INT(ctl_users_find(u, "eve", &uid, &gid, &err), -ENOENT);
	T_INT(asked, 1);
	answer = 0;
	now += CTL_USERS_UNKNOWN_MS;
	T_INT(ctl_users_find(u, "eve", &uid, &gid, &err), 0);
	T_INT(uid, 1003);
}

static void a_name_service_that_fails_is_no_unknown_user(void)
{
	_cleanup_(ctl_users_freep) struct ctl_users *u = ctl_users_new();
	struct err err = {0};
	uint32_t uid, gid;

	begin(EIO);
	T_ERR(ctl_users_find(u, "alice", &uid, &gid, &err), &err, -EAGAIN,
	      "does not say who alice is");
	T_INT(ctl_users_find(u, "alice", &uid, &gid, &err), -EAGAIN);
	T_INT(asked, 1);
	answer = 0;
	now += CTL_USERS_FAILED_MS;
	T_INT(ctl_users_find(u, "alice", &uid, &gid, &err), 0);
}

static void what_is_no_name_is_not_asked_for(void)
{
	_cleanup_(ctl_users_freep) struct ctl_users *u = ctl_users_new();
	char name[CTL_USERS_NAME_MAX + 1];
	uint32_t uid, gid;

	begin(0);
	memset(name, 'a', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	T_INT(ctl_users_find(u, "", &uid, &gid, NULL), -ENOENT);
	T_INT(ctl_users_find(u, name, &uid, &gid, NULL), -ENOENT);
	T_INT(asked, 0);
}

static void many_users_do_not_fill_the_memory(void)
{
	_cleanup_(ctl_users_freep) struct ctl_users *u = ctl_users_new();
	uint32_t uid, gid;
	char name[16];

	begin(0);
	for (int i = 0; i < CTL_USERS_MAX; i++) {
		snprintf(name, sizeof(name), "u%d", i);
		T_INT(ctl_users_find(u, name, &uid, &gid, NULL), 0);
	}
	T_INT(ctl_users_find(u, "u0", &uid, &gid, NULL), 0);
	T_INT(asked, CTL_USERS_MAX);
	T_INT(ctl_users_find(u, "one-more", &uid, &gid, NULL), 0);
	T_INT(ctl_users_find(u, "u0", &uid, &gid, NULL), 0);
	T_INT(asked, CTL_USERS_MAX + 2);
}

T_MAIN("ctl_users", T(a_user_is_asked_for_once),
       T(an_unknown_user_is_asked_for_again_soon),
       T(a_name_service_that_fails_is_no_unknown_user),
       T(what_is_no_name_is_not_asked_for),
       T(many_users_do_not_fill_the_memory))

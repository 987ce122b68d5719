/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "slurm/ctl_users.h"
#include "t.h"

int64_t __wrap_clock_ms(void);
int __wrap_getpwnam_r(const char *name, struct passwd *pw, char *text,
		      size_t size, struct passwd **found);
int __wrap_getpwuid_r(uid_t uid, struct passwd *pw, char *text, size_t size,
		      struct passwd **found);
int __wrap_getgrnam_r(const char *name, struct group *gr, char *text,
		      size_t size, struct group **found);

static int64_t now = 1000;
static int asked;
static int answer;   /* errno value; -1: no such user */
static int64_t took; /* ms, until it comes */

int64_t __wrap_clock_ms(void)
{
	return now;
}

int __wrap_getpwnam_r(const char *name, struct passwd *pw, char *text,
		      size_t size, struct passwd **found)
{
	(void)text;
	asked++;
	now += took;
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

int __wrap_getpwuid_r(uid_t uid, struct passwd *pw, char *text, size_t size,
		      struct passwd **found)
{
	int rc = __wrap_getpwnam_r("", pw, text, size, found);

	if (*found)
		pw->pw_uid = uid;
	return rc;
}

int __wrap_getgrnam_r(const char *name, struct group *gr, char *text,
		      size_t size, struct group **found)
{
	struct passwd pw, *one = NULL;
	int rc = __wrap_getpwnam_r(name, &pw, text, size, &one);

	*found = one ? gr : NULL;
	if (one)
		*gr = (struct group){.gr_gid = pw.pw_gid};
	return rc;
}

static void begin(int what)
{
	answer = what;
	took = 0;
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
	      "name service of slurmctld's host does not answer for "
	      "user alice");
	T_INT(ctl_users_find(u, "alice", &uid, &gid, &err), -EAGAIN);
	T_INT(asked, 1);
	/* (what fails at once holds up nobody) */
	answer = 0;
	T_INT(ctl_users_find(u, "bob", &uid, &gid, &err), 0);
	T_INT(ctl_users_find(u, "alice", &uid, &gid, &err), -EAGAIN);
	now += CTL_USERS_FAILED_MS;
	T_INT(ctl_users_find(u, "alice", &uid, &gid, &err), 0);
}

/* (the bridge's thread hung for each new name anew) */
static void one_that_hangs_is_not_asked_for_others(void)
{
	_cleanup_(ctl_users_freep) struct ctl_users *u = ctl_users_new();
	struct err err = {0};
	uint32_t uid = 0, gid = 0;

	begin(0);
	T_INT(ctl_users_find(u, "known", &uid, &gid, NULL), 0);
	T_INT(ctl_users_find(u, "77", &uid, &gid, NULL), 0);
	T_INT(ctl_users_group(u, "staff", &gid, NULL), 0);
	now += CTL_USERS_KNOWN_MS;
	begin(EIO);
	took = 30000;
	T_INT(ctl_users_find(u, "alice", &uid, &gid, &err), -EAGAIN);
	T_HAS(t_log(), "name service of this host (nsswitch.conf) took 30000 "
		       "ms for user alice, and failed: Input/output error: it "
		       "is not asked for 60 s");
	T_INT(ctl_users_find(u, "bob", &uid, &gid, &err), -EAGAIN);
	T_INT(ctl_users_find(u, "1234", &uid, &gid, &err), -EAGAIN);
	T_INT(ctl_users_group(u, "wheel", &gid, &err), -EAGAIN);
	T_INT(asked, 1);
	T_INT(ctl_users_find(u, "known", &uid, &gid, &err), 0);
	T_INT(uid, 1005);
	T_INT(gid, 2005);
	T_INT(ctl_users_find(u, "77", &uid, &gid, &err), 0);
	T_INT(uid, 77);
	T_INT(ctl_users_group(u, "staff", &gid, &err), 0);
	T_INT(gid, 2005);
	T_INT(asked, 1);
	/* and when it fails for one that it knew */
	now += CTL_USERS_PAUSE_MS;
	T_INT(ctl_users_find(u, "known", &uid, &gid, &err), 0);
	T_INT(uid, 1005);
	T_INT(asked, 2);
	now += 2 * CTL_USERS_PAUSE_MS;
	begin(-1);
	T_INT(ctl_users_find(u, "known", &uid, &gid, &err), -ENOENT);
	T_INT(ctl_users_find(u, "bob", &uid, &gid, &err), -ENOENT);
	T_INT(asked, 2);
}

/* What a time-out leaves of an error is no word on whether there is one. */
static void an_error_after_a_while_is_no_unknown_user(void)
{
	_cleanup_(ctl_users_freep) struct ctl_users *u = ctl_users_new();
	uint32_t uid, gid;

	begin(ENOENT);
	T_INT(ctl_users_find(u, "eve", &uid, &gid, NULL), -ENOENT);
	took = 30000;
	T_INT(ctl_users_find(u, "alice", &uid, &gid, NULL), -EAGAIN);
	now += CTL_USERS_PAUSE_MS;
	answer = -1;
	took = 0;
	/* (the next turn is another's) */
	T_INT(ctl_users_find(u, "alice", &uid, &gid, NULL), -EAGAIN);
	T_INT(ctl_users_find(u, "bob", &uid, &gid, NULL), -ENOENT);
	now += CTL_USERS_PAUSE_MS;
	T_INT(ctl_users_find(u, "alice", &uid, &gid, NULL), -ENOENT);
	T_INT(asked, 4);
}

/* There may be more of them than a slow one answers for in ten minutes. */
static void who_is_known_takes_nobodys_turn(void)
{
	_cleanup_(ctl_users_freep) struct ctl_users *u = ctl_users_new();
	uint32_t uid, gid;

	begin(0);
	T_INT(ctl_users_find(u, "known", &uid, &gid, NULL), 0);
	now += CTL_USERS_KNOWN_MS;
	took = 1000;
	T_INT(ctl_users_find(u, "a", &uid, &gid, NULL), 0);
	T_INT(ctl_users_find(u, "new", &uid, &gid, NULL), -EAGAIN);
	now += 1000 * CTL_USERS_PAUSES;
	T_INT(ctl_users_find(u, "known", &uid, &gid, NULL), 0);
	T_INT(asked, 2);
	T_INT(ctl_users_find(u, "new", &uid, &gid, NULL), 0);
	T_INT(asked, 3);
	now += 1000 * CTL_USERS_PAUSES;
	T_INT(ctl_users_find(u, "known", &uid, &gid, NULL), 0);
	T_INT(asked, 4);
	/* (nor does it wait for one who does not come again) */
	now += CTL_USERS_KNOWN_MS - CTL_USERS_PAUSE_MS;
	T_INT(ctl_users_find(u, "b", &uid, &gid, NULL), 0);
	T_INT(ctl_users_find(u, "never", &uid, &gid, NULL), -EAGAIN);
	now += CTL_USERS_PAUSE_MS;
	T_INT(ctl_users_find(u, "known", &uid, &gid, NULL), 0);
	T_INT(asked, 6);
}

/* It answers all the same: users of a slow one wait, but not a minute each. */
static void one_that_is_slow_is_asked_seldom(void)
{
	_cleanup_(ctl_users_freep) struct ctl_users *u = ctl_users_new();
	uint32_t uid, gid;

	begin(0);
	took = CTL_USERS_SLOW_MS;
	T_INT(ctl_users_find(u, "a", &uid, &gid, NULL), 0);
	T_INT(ctl_users_find(u, "b", &uid, &gid, NULL), 0);
	took = 300;
	T_INT(ctl_users_find(u, "c", &uid, &gid, NULL), 0);
	T_INT(ctl_users_find(u, "d", &uid, &gid, NULL), -EAGAIN);
	now += 300 * CTL_USERS_PAUSES - 1;
	T_INT(ctl_users_find(u, "d", &uid, &gid, NULL), -EAGAIN);
	now++;
	took = 30000;
	T_INT(ctl_users_find(u, "d", &uid, &gid, NULL), 0);
	now += CTL_USERS_PAUSE_MS - 1;
	T_INT(ctl_users_find(u, "e", &uid, &gid, NULL), -EAGAIN);
	T_INT(asked, 4);
	now++;
	T_INT(ctl_users_find(u, "e", &uid, &gid, NULL), 0);
}

static void an_entry_too_long_is_that_of_one_name(void)
{
	_cleanup_(ctl_users_freep) struct ctl_users *u = ctl_users_new();
	uint32_t uid, gid;

	begin(ERANGE);
	T_INT(ctl_users_group(u, "everybody", &gid, NULL), -EAGAIN);
	T_INT(ctl_users_group(u, "everybody", &gid, NULL), -EAGAIN);
	T_INT(asked, 1);
	answer = 0;
	T_INT(ctl_users_find(u, "alice", &uid, &gid, NULL), 0);
}

static void numbers_and_groups_are_asked_for_once(void)
{
	_cleanup_(ctl_users_freep) struct ctl_users *u = ctl_users_new();
	struct err err = {0};
	uint32_t uid = 0, gid = 0;

	begin(0);
	for (int i = 0; i < 2; i++) {
		T_INT(ctl_users_find(u, "77", &uid, &gid, NULL), 0);
		T_INT(uid, 77);
		T_INT(gid, 2000);
		T_INT(ctl_users_group(u, "staff", &gid, NULL), 0);
		T_INT(gid, 2005);
		T_INT(ctl_users_find(u, "staff", &uid, &gid, NULL), 0);
		T_INT(uid, 1005);
	}
	T_INT(asked, 3);
	T_INT(ctl_users_group(u, "88", &gid, NULL), 0);
	T_INT(gid, 88);
	T_INT(ctl_users_find(u, "-1", &uid, &gid, NULL), -ENOENT);
	T_INT(ctl_users_find(u, "4294967295", &uid, &gid, NULL), -ENOENT);
	T_INT(asked, 3);
	answer = -1;
	T_ERR(ctl_users_find(u, "99", &uid, &gid, &err), &err, -ENOENT,
	      "no user 99");
	err = (struct err){0};
	T_ERR(ctl_users_group(u, "none", &gid, &err), &err, -ENOENT,
	      "no group none");
	answer = EIO;
	T_INT(ctl_users_group(u, "others", &gid, NULL), -EAGAIN);
	T_INT(ctl_users_find(u, "100", &uid, &gid, NULL), -EAGAIN);
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
       T(one_that_hangs_is_not_asked_for_others),
       T(an_error_after_a_while_is_no_unknown_user),
       T(one_that_is_slow_is_asked_seldom), T(who_is_known_takes_nobodys_turn),
       T(an_entry_too_long_is_that_of_one_name),
       T(numbers_and_groups_are_asked_for_once),
       T(what_is_no_name_is_not_asked_for),
       T(many_users_do_not_fill_the_memory))

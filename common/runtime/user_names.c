/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runtime/user_names.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/str.h"

#define USERS_MAX 10000 /* names; all are forgotten when there are more */
#define SLOW_MS 200
#define PAUSE_MS 60000

struct user {
	UT_hash_handle hh;
	int failed;
	uint32_t uid;
	char name[USER_NAME_MAX];
};

/* Look up a user's name. False: it is not known now, but may be later. */
static bool look_up(struct user_names *n, uint32_t uid, char *name, size_t size)
{
	const int64_t began = clock_ms();
	struct passwd pw, *found = NULL;
	char text[4096];
	int rc = getpwuid_r(uid, &pw, text, sizeof(text), &found);
	const int64_t now = clock_ms();

	/*
	 * ERANGE: that user's entry is longer than our buffer, and no fault of
	 * the service.
	 */
	if (now - began > SLOW_MS || (rc && rc != ERANGE))
		n->ask_at = now + PAUSE_MS;
	if (!rc && found)
		str_copy(name, found->pw_name, size);
	return !rc;
}

static void keep(struct user_names *n, uint32_t uid, const char *name)
{
	struct user *u;

	if (HASH_COUNT(n->users) >= USERS_MAX)
		user_names_forget(n);
	u = calloc(1, sizeof(*u));
	if (!u)
		return;
	u->uid = uid;
	str_copy(u->name, name, sizeof(u->name));
	HASH_ADD(hh, n->users, uid, sizeof(uid), u);
	if (u->failed)
		free(u);
}

const char *user_name_of(struct user_names *n, uint32_t uid)
{
	struct user *u;

	HASH_FIND(hh, n->users, &uid, sizeof(uid), u);
	if (u)
		return u->name;
	snprintf(n->last, sizeof(n->last), "%u", uid);
	if (clock_ms() >= n->ask_at &&
	    look_up(n, uid, n->last, sizeof(n->last)))
		keep(n, uid, n->last);
	return n->last;
}

void user_names_forget(struct user_names *n)
{
	struct user *u = NULL, *next = NULL;

	HASH_ITER(hh, n->users, u, next)
	{
		HASH_DELETE(hh, n->users, u);
		free(u);
	}
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of users that Slurm tells only as numbers, each looked up once. Name
 * services may be slow, and the engine waits for them: then numbers will do.
 */
#include <errno.h>
#include <pwd.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/str.h"
#include "engine/engine_internal.h"

#define USERS_MAX 10000 /* then they are all forgotten */
#define SLOW_MS 200
#define PAUSE_MS 60000

struct user {
	UT_hash_handle hh;
	int failed;
	uint32_t uid;
	char name[USER_NAME_MAX];
};

/* False: it is not known now, but may be later. */
static bool look_up(struct engine *e, uint32_t uid, char *name, size_t size)
{
	const int64_t began = clock_ms();
	struct passwd pw, *found = NULL;
	char text[4096];
	int rc = getpwuid_r(uid, &pw, text, sizeof(text), &found);
	const int64_t now = clock_ms();

	/* (an entry too long for us is that of one user only) */
	if (now - began > SLOW_MS || (rc && rc != ERANGE))
		e->user_names_at = now + PAUSE_MS;
	if (!rc && found)
		str_copy(name, found->pw_name, size);
	return !rc;
}

static void keep(struct engine *e, uint32_t uid, const char *name)
{
	struct user *u;

	if (HASH_COUNT(e->users) >= USERS_MAX)
		user_names_forget(e);
	u = calloc(1, sizeof(*u));
	if (!u)
		return;
	u->uid = uid;
	str_copy(u->name, name, sizeof(u->name));
	HASH_ADD(hh, e->users, uid, sizeof(uid), u);
	if (u->failed)
		free(u);
}

const char *user_name_of(struct engine *e, uint32_t uid)
{
	struct user *u;

	HASH_FIND(hh, e->users, &uid, sizeof(uid), u);
	if (u)
		return u->name;
	snprintf(e->user_name, sizeof(e->user_name), "%u", uid);
	if (clock_ms() >= e->user_names_at &&
	    look_up(e, uid, e->user_name, sizeof(e->user_name)))
		keep(e, uid, e->user_name);
	return e->user_name;
}

void user_names_forget(struct engine *e)
{
	struct user *u = NULL, *next = NULL;

	HASH_ITER(hh, e->users, u, next)
	{
		HASH_DELETE(hh, e->users, u);
		free(u);
	}
}

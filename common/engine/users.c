/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of users, each looked up once: Slurm tells only numbers, and name
 * services may be slow.
 */
#include <pwd.h>
#include <stdio.h>

#include "base/str.h"
#include "engine/engine_internal.h"

#define USERS_MAX 10000 /* then they are all forgotten */

struct user {
	UT_hash_handle hh;
	int failed;
	uint32_t uid;
	char name[33];
};

static void look_up(struct user *u)
{
	char text[4096];
	struct passwd pw, *found = NULL;

	if (!getpwuid_r(u->uid, &pw, text, sizeof(text), &found) && found)
		str_copy(u->name, found->pw_name, sizeof(u->name));
	else
		snprintf(u->name, sizeof(u->name), "%u", u->uid);
}

const char *users_name(struct engine *e, uint32_t uid)
{
	struct user *u;

	HASH_FIND(hh, e->users, &uid, sizeof(uid), u);
	if (u)
		return u->name;
	if (HASH_COUNT(e->users) >= USERS_MAX)
		users_forget(e);
	u = calloc(1, sizeof(*u));
	if (!u)
		return "";
	u->uid = uid;
	look_up(u);
	HASH_ADD(hh, e->users, uid, sizeof(uid), u);
	if (u->failed) {
		free(u);
		return "";
	}
	return u->name;
}

void users_forget(struct engine *e)
{
	struct user *u = NULL, *next = NULL;

	HASH_ITER(hh, e->users, u, next)
	{
		HASH_DELETE(hh, e->users, u);
		free(u);
	}
}

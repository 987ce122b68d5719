/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "user_name.h"

#include <inttypes.h>
#include <pwd.h>
#include <stddef.h>
#include <stdio.h>

#include "base/str.h"

#define KEPT 512

static struct {
	uint32_t uid;
	char name[USER_NAME_MAX];
} kept[KEPT];
static size_t n_kept;

const char *user_name(const char *told, uint32_t uid)
{
	const struct passwd *user;
	size_t i = 0;

	if (told && *told)
		return told;
	while (i < n_kept && kept[i].uid != uid)
		i++;
	if (i < n_kept)
		return kept[i].name;
	i = n_kept < KEPT ? n_kept++ : KEPT - 1;
	user = getpwuid(uid);
	kept[i].uid = uid;
	if (user)
		str_copy(kept[i].name, user->pw_name, USER_NAME_MAX);
	else
		snprintf(kept[i].name, USER_NAME_MAX, "uid %" PRIu32, uid);
	return kept[i].name;
}

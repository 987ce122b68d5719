/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurm/ctl_users.h"

#include <errno.h>
#include <grp.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/str.h"
#include "syntax/sbatch_text.h"

/* bytes of an entry of passwd(5) or group(5), which has all members */
#define ENTRY_MAX ((size_t)1 << 20)

/* The first byte of a key; the name follows. */
enum kind { USER = 'u', NUMBER = 'n', GROUP = 'g' };

struct known_name {
	UT_hash_handle hh;
	int failed;
	int rc; /* 0, -ENOENT or -EAGAIN */
	uint32_t uid, gid;
	int64_t until;
	char key[1 + CTL_USERS_NAME_MAX];
};

struct ctl_users {
	struct known_name *by_key;
	int64_t ask_at; /* clock_ms() before which nobody is asked */
	/*
	 * clock_ms() when a name that was not known was last turned away before
	 * ask_at; 0: none since
	 */
	int64_t turned_away_at;
};

struct answer {
	int code; /* errno value */
	bool found;
	uint32_t uid, gid;
};

struct ctl_users *ctl_users_new(void)
{
	return calloc(1, sizeof(struct ctl_users));
}

void ctl_users_forget(struct ctl_users *u)
{
	struct known_name *one = NULL, *next = NULL;

	HASH_ITER(hh, u->by_key, one, next)
	{
		HASH_DELETE(hh, u->by_key, one);
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

static struct answer ask_group(const char *name, char *text)
{
	struct group gr, *found = NULL;
	struct answer a = {
		.code = getgrnam_r(name, &gr, text, ENTRY_MAX, &found)};

	a.found = found != NULL;
	if (found)
		a.gid = gr.gr_gid;
	return a;
}

static struct answer ask(const char *key, char *text)
{
	struct passwd pw, *found = NULL;
	struct answer a = {0};

	if (*key == GROUP)
		return ask_group(key + 1, text);
	a.code = *key == NUMBER
			 ? getpwuid_r((uid_t)strtoul(key + 1, NULL, 10), &pw,
				      text, ENTRY_MAX, &found)
			 : getpwnam_r(key + 1, &pw, text, ENTRY_MAX, &found);
	a.found = found != NULL;
	if (found) {
		a.uid = pw.pw_uid;
		a.gid = pw.pw_gid;
	}
	return a;
}

/*
 * getpwnam(3): some errors mean that there is none, too. (Not after a while:
 * those are what is left of a time-out.)
 */
static int meaning(const struct answer *a, bool slow)
{
	if (a->found)
		return 0;
	if (!a->code)
		return -ENOENT;
	if (!slow && (a->code == ENOENT || a->code == ESRCH ||
		      a->code == EBADF || a->code == EPERM))
		return -ENOENT;
	return -EAGAIN;
}

/*
 * Leave a slow name service alone for a while: one that hangs must not hold up
 * its caller for each name anew. One that fails at once holds up nobody.
 */
static void rest(struct ctl_users *u, const char *key, int code, bool failed,
		 int64_t took)
{
	int64_t ms = failed ? CTL_USERS_PAUSE_MS : took * CTL_USERS_PAUSES;

	if (took <= CTL_USERS_SLOW_MS)
		return;
	if (ms > CTL_USERS_PAUSE_MS)
		ms = CTL_USERS_PAUSE_MS;
	u->ask_at = clock_ms() + ms;
	log_line(ms < CTL_USERS_PAUSE_MS ? LOG_LEVEL_DEBUG : LOG_LEVEL_WARN,
		 "the name service of this host (nsswitch.conf) took %" PRId64
		 " ms for %s %.64s%s%s: it is not asked for %" PRId64 " s, "
		 "jobs of users whom it has not named yet wait",
		 took, *key == GROUP ? "group" : "user", key + 1,
		 failed ? ", and failed: " : "", failed ? strerror(code) : "",
		 (ms + 999) / 1000);
}

static int look_up(struct ctl_users *u, struct known_name *one)
{
	_cleanup_free_ char *text = malloc(ENTRY_MAX);
	const int64_t began = clock_ms();
	struct answer a;
	int64_t took;
	int rc;

	if (!text)
		return -ENOMEM;
	a = ask(one->key, text);
	took = clock_ms() - began;
	rc = meaning(&a, took > CTL_USERS_SLOW_MS);
	/*
	 * ERANGE: this name's entry is longer than our buffer, and no fault of
	 * the service.
	 */
	rest(u, one->key, a.code, rc == -EAGAIN && a.code != ERANGE, took);
	/* Without an answer the last answer holds. */
	if (rc != -EAGAIN || one->rc) {
		one->rc = rc;
		one->uid = a.uid;
		one->gid = a.gid;
	}
	one->until = clock_ms() + holds_for(rc);
	/* The next turn is for another name. */
	if (rc == -EAGAIN && took > CTL_USERS_SLOW_MS)
		one->until = u->ask_at + CTL_USERS_PAUSE_MS;
	return 0;
}

static struct known_name *add(struct ctl_users *u, const char *key)
{
	struct known_name *one;

	if (HASH_COUNT(u->by_key) >= CTL_USERS_MAX)
		ctl_users_forget(u);
	one = calloc(1, sizeof(*one));
	if (!one)
		return NULL;
	one->rc = -EAGAIN;
	str_copy(one->key, key, sizeof(one->key));
	HASH_ADD_STR(u->by_key, key, one);
	if (one->failed) {
		free(one);
		return NULL;
	}
	return one;
}

static int say(const char *key, int rc, struct err *err)
{
	const char *what = *key == GROUP ? "group" : "user";

	if (rc == -ENOENT)
		return err_set(err, -ENOENT,
			       "there is no %s %s on slurmctld's host", what,
			       key + 1);
	if (rc)
		return err_set(err, -EAGAIN,
			       "the name service of slurmctld's host does not "
			       "answer for %s %s",
			       what, key + 1);
	return 0;
}

/*
 * True if the name service may be asked. A name that is known does not take the
 * turn of one that waits.
 */
static bool may_ask(struct ctl_users *u, bool known)
{
	const int64_t now = clock_ms();

	if (now >= u->ask_at)
		return !known || !u->turned_away_at ||
		       now - u->turned_away_at >= CTL_USERS_PAUSE_MS;
	if (!known)
		u->turned_away_at = now;
	return false;
}

/*
 * Find what is known of a name, or ask the name service. *out is the cache's.
 */
static int find(struct ctl_users *u, enum kind kind, const char *name,
		struct known_name **out, struct err *err)
{
	char key[1 + CTL_USERS_NAME_MAX] = {(char)kind};
	struct known_name *one = NULL;
	bool known;

	if (!*name || strlen(name) >= CTL_USERS_NAME_MAX) {
		err_set(err, -ENOENT, "that is no name of a %s",
			kind == GROUP ? "group" : "user");
		return -ENOENT;
	}
	str_copy(key + 1, name, sizeof(key) - 1);
	HASH_FIND_STR(u->by_key, key, one);
	known = one && !one->rc;
	if ((!one || clock_ms() >= one->until) && may_ask(u, known)) {
		if (!one)
			one = add(u, key);
		if (!one || look_up(u, one)) {
			err_oom(err);
			return -ENOMEM;
		}
		if (!known)
			u->turned_away_at = 0;
	} else if (!one || (!known && clock_ms() >= one->until)) {
		say(key, -EAGAIN, err);
		return -EAGAIN;
	}
	*out = one;
	return say(key, one->rc, err);
}

/*
 * True if the name is a number; one that is too large is nobody's: *n is
 * UINT32_MAX then.
 */
static bool is_number(const char *name, uint32_t *n)
{
	int64_t value;

	if (sbatch_number(name, &value))
		return false;
	*n = value < 0 || value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
	return true;
}

int ctl_users_find(struct ctl_users *u, const char *name, uint32_t *uid,
		   uint32_t *gid, struct err *err)
{
	struct known_name *one = NULL;
	char digits[16];
	uint32_t n;
	int rc;

	if (is_number(name, &n)) {
		if (n == UINT32_MAX)
			return err_set(err, -ENOENT,
				       "%.64s is no number of a user", name);
		snprintf(digits, sizeof(digits), "%" PRIu32, n);
		rc = find(u, NUMBER, digits, &one, err);
	} else {
		rc = find(u, USER, name, &one, err);
	}
	if (rc)
		return rc;
	*uid = one->uid;
	*gid = one->gid;
	return 0;
}

int ctl_users_group(struct ctl_users *u, const char *name, uint32_t *gid,
		    struct err *err)
{
	struct known_name *one = NULL;
	uint32_t n;
	int rc;

	if (is_number(name, &n) && n != UINT32_MAX) {
		*gid = n;
		return 0;
	}
	rc = find(u, GROUP, name, &one, err);
	if (!rc)
		*gid = one->gid;
	return rc;
}

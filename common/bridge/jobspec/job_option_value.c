/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bridge/jobspec/job_option_value.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/str.h"
#include "bridge/jobspec/job_options.h"
#include "syntax/hostlist.h"
#include "syntax/quantity.h"
#include "syntax/sbatch_text.h"

#define ALNUM "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
#define SHOWN 100 /* letters of a bad value in an error */
#define MIB 1048576

/*
 * Which characters besides ALNUM a text of a kind may have, and what it is
 * called.
 */
static const struct {
	const char *extra; /* NULL: is_of() or check_hosts() judges otherwise */
	const char *what;
	size_t max;
} texts[] = {
	[JOB_OPTION_NAME] = {"_.@+-", "a name", JOB_OPTIONS_NAME_MAX},
	[JOB_OPTION_NAMES] = {"_.@+-,", "names with commas between",
			      JOB_OPTIONS_NAME_MAX},
	[JOB_OPTION_WORDS] = {NULL, "a line of text", JOB_OPTIONS_TEXT_MAX},
	[JOB_OPTION_FEATURES] = {"_.-=:&|,*()[]", "features, such as a&(b|c)",
				 JOB_OPTIONS_TEXT_MAX},
	[JOB_OPTION_HOSTS] = {NULL, "a list of nodes", JOB_OPTIONS_TEXT_MAX},
	[JOB_OPTION_DEPENDS] = {",:?_+*-",
				"dependencies, such as afterok:12:13",
				JOB_OPTIONS_TEXT_MAX},
	[JOB_OPTION_LICENCES] = {"_.@:,|-", "licenses, such as matlab:2,ansys",
				 JOB_OPTIONS_TEXT_MAX},
	[JOB_OPTION_DEVICES] = {"_.:=,/-", "Gres, such as gpu:2",
				JOB_OPTIONS_TEXT_MAX},
	[JOB_OPTION_DATE] = {NULL,
			     "a date: now, now+2hours, 2026-01-31 or "
			     "2026-01-31T12:30",
			     JOB_OPTIONS_NAME_MAX},
};

static int bad(const char *where, const char *text, const char *what,
	       struct err *err)
{
	return err_set(err, -EINVAL, "%s: '%.*s' is not %s", where, SHOWN, text,
		       what);
}

/* True for one line of UTF-8, without control characters. */
static bool is_line(const char *text)
{
	_cleanup_free_ char *copy = strdup(text);

	if (!copy)
		return false;
	str_sanitize(copy);
	return !strcmp(copy, text);
}

static bool is_of(enum job_option_kind kind, const char *text)
{
	int64_t date;

	if (strlen(text) > texts[kind].max)
		return false;
	if (kind == JOB_OPTION_WORDS)
		return is_line(text);
	if (kind == JOB_OPTION_DATE)
		return !sbatch_date(text, 0, &date);
	for (const char *s = text; *s; s++)
		if (!strchr(ALNUM, *s) && !strchr(texts[kind].extra, *s))
			return false;
	return true;
}

/*
 * Names are counted, and not made: a text of a few bytes may have 65536 of
 * them, and is read at each look at its pods.
 */
static int check_hosts(const char *where, const char *text, struct err *err)
{
	size_t n = 0;
	int rc =
		strlen(text) > texts[JOB_OPTION_HOSTS].max
			? -EINVAL
			: hostlist_count(text, JOB_OPTIONS_HOSTS_MAX, &n, NULL);

	if (rc == -E2BIG)
		return err_set(err, rc, "%s: '%.*s' has more than %d names",
			       where, SHOWN, text, JOB_OPTIONS_HOSTS_MAX);
	return rc ? bad(where, text, texts[JOB_OPTION_HOSTS].what, err) : 0;
}

/*
 * Add one item of Gres to the list: without "gres/" or "gres:" before it, with
 * ':' for '='. Slurm's releases differ in both; this form each can take.
 */
static int add_device(struct buf *list, const char *item, size_t len)
{
	static const char *const heads[] = {"gres/", "gres:"};
	char one[JOB_OPTIONS_TEXT_MAX + 1];

	for (int i = 0; i < 2; i++)
		if (len > 5 && !strncmp(item, heads[i], 5)) {
			item += 5;
			len -= 5;
			break;
		}
	memcpy(one, item, len);
	one[len] = '\0';
	for (char *s = one; *s; s++)
		if (*s == '=')
			*s = ':';
	if (strchr("0123456789_.:-", one[0]) || strchr(one, '/') ||
	    strstr(one, "::") || one[len - 1] == ':')
		return -EINVAL;
	return buf_add_item(list, one);
}

static int read_devices(const char *where, const char *text, char **out,
			struct err *err)
{
	_cleanup_buf_ struct buf list = BUF_INIT(JOB_OPTIONS_TEXT_MAX + 1);
	const char *item = text;
	size_t len;

	while ((len = str_next_item(&item))) {
		int rc = add_device(&list, item, len);

		if (rc == -ENOMEM)
			return err_oom(err);
		if (rc)
			return bad(where, text, texts[JOB_OPTION_DEVICES].what,
				   err);
		item += len;
	}
	if (!list.len)
		return bad(where, text, texts[JOB_OPTION_DEVICES].what, err);
	*out = strdup(buf_str(&list));
	return *out ? 0 : err_oom(err);
}

int job_options_read_text(enum job_option_key key, const char *where,
			  const char *text, char **out, struct err *err)
{
	enum job_option_kind kind = job_option_spec(key)->kind;
	int rc = 0;

	if (!*text)
		return err_set(err, -EINVAL, "%s: there is no value", where);
	if (kind == JOB_OPTION_HOSTS)
		rc = check_hosts(where, text, err);
	else if (!is_of(kind, text))
		rc = bad(where, text, texts[kind].what, err);
	if (rc)
		return rc;
	if (kind == JOB_OPTION_DEVICES)
		return read_devices(where, text, out, err);
	*out = strdup(text);
	return *out ? 0 : err_oom(err);
}

/*
 * To slurm-bridge anything but "false" is exclusive; the other words are
 * sbatch's.
 */
static int read_sharing(const char *text, bool by_option, int64_t *num)
{
	*num = JOB_OPTION_SHARE_NONE;
	if (!by_option) {
		if (!strcmp(text, "false"))
			*num = JOB_OPTION_SHARE_ALL;
		return 0;
	}
	if (!strcmp(text, "user"))
		*num = JOB_OPTION_SHARE_USER;
	else if (!strcmp(text, "mcs"))
		*num = JOB_OPTION_SHARE_MCS;
	else if (strcmp(text, "true"))
		return -EINVAL;
	return 0;
}

static int read_quantity(enum job_option_key key, const char *text,
			 int64_t *num)
{
	quantity_milli milli;

	if (quantity_parse(text, &milli, NULL))
		return -EINVAL;
	*num = quantity_units(milli);
	if (key ==
	    JOB_OPTION_MEM_NODE) /* rounded up: 0 is all that a node has */
		*num = *num / MIB + (*num % MIB > 0);
	return 0;
}

static int read_number(enum job_option_key key, const char *text,
		       bool by_option, int64_t *num)
{
	enum job_option_kind kind = job_option_spec(key)->kind;
	int rc;

	if (kind == JOB_OPTION_SHARING)
		return read_sharing(text, by_option, num);
	if (kind == JOB_OPTION_YES) {
		*num = !strcmp(text, "yes");
		return *num || !strcmp(text, "no") ? 0 : -EINVAL;
	}
	if (!by_option &&
	    (key == JOB_OPTION_CPUS_PER_TASK || key == JOB_OPTION_MEM_NODE))
		return read_quantity(key, text, num);
	if (kind == JOB_OPTION_MEBIBYTES)
		return sbatch_mebibytes(text, num);
	if (kind != JOB_OPTION_MINUTES)
		return sbatch_number(text, num);
	rc = sbatch_minutes(text, num);
	if (!rc && !*num &&
	    key == JOB_OPTION_TIMELIMIT) /* sbatch(1): no limit */
		*num = JOB_OPTION_UNLIMITED;
	return rc;
}

int job_options_read_num(enum job_option_key key, const char *where,
			 const char *text, bool by_option, int64_t *num,
			 struct err *err)
{
	const struct job_option_spec *spec = job_option_spec(key);
	int64_t n = 0;
	int rc = read_number(key, text, by_option, &n);

	if (!rc && spec->kind == JOB_OPTION_MINUTES &&
	    n == JOB_OPTION_UNLIMITED) {
		*num = n;
		return 0;
	}
	if (!rc && spec->max && (n < spec->min || n > spec->max))
		return err_set(err, -EINVAL,
			       "%s: '%.*s' is not from %lld to %lld", where,
			       SHOWN, text, (long long)spec->min,
			       (long long)spec->max);
	if (rc)
		return bad(where, text,
			   spec->kind == JOB_OPTION_MINUTES
				   ? "a time: minutes, h:m:s or d-h:m:s"
			   : spec->kind == JOB_OPTION_MEBIBYTES
				   ? "a size, such as 4G"
			   : spec->kind == JOB_OPTION_NUMBER
				   ? "a whole number"
				   : "one of its values",
			   err);
	*num = n;
	return 0;
}

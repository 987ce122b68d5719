/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "job_id.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

#define JOB_ID_DIGITS 10
#define DIGITS "0123456789"
#define SHOWN 100 /* bytes of a text that are quoted in an error */

/* The number at *at, which is moved behind it. False: there is none. */
static bool read_number(const char **at, uint32_t *out)
{
	const size_t digits = strspn(*at, DIGITS);
	unsigned long long n;

	if (!digits || digits > JOB_ID_DIGITS)
		return false;
	n = strtoull(*at, NULL, 10);
	*at += digits;
	*out = (uint32_t)n;
	return n < UINT32_MAX;
}

uint32_t job_id_of(const char *text)
{
	uint32_t id = 0;

	return text && read_number(&text, &id) && !*text ? id : 0;
}

/* --- lists of tasks */

/* Each `step`-th number from `from` up to `to`. */
struct range {
	uint32_t from, to, step;
};

/* "4", "4-7" or "4-20:2" at *at, which is moved behind it. */
static bool read_range(const char **at, struct range *out)
{
	out->step = 1;
	if (!read_number(at, &out->from))
		return false;
	out->to = out->from;
	if (**at != '-')
		return true;
	++*at;
	if (!read_number(at, &out->to))
		return false;
	if (**at != ':')
		return out->from <= out->to;
	++*at;
	return read_number(at, &out->step) && out->step && out->from <= out->to;
}

/*
 * The next range of a list, at *at, which is moved behind it; `behind` is where
 * the one before it ended. Slurm cuts a long list with "...", also in a number:
 * all may follow then. False: there is no more.
 */
static bool next_range(const char **at, uint32_t behind, struct range *out)
{
	const char *item = *at;

	item += *item == ',';
	if (!*item || *item == '%')
		return false;
	if (read_range(&item, out) &&
	    (!*item || *item == ',' || *item == '%')) {
		*at = item;
		return true;
	}
	if (!strstr(item, "..."))
		return false;
	*out = (struct range){behind, UINT32_MAX - 1, 1};
	*at = strchr(item, '\0');
	return true;
}

/* False: it is no list of tasks as Slurm writes one. */
static bool is_list(const char *list)
{
	uint32_t behind = 0, n;
	struct range r;
	bool any = false;

	if (*list == ',')
		return false;
	for (; next_range(&list, behind, &r); any = true)
		behind = r.to < UINT32_MAX - 1 ? r.to + 1 : r.to;
	if (*list == '%') {
		list++;
		if (!read_number(&list, &n))
			return false;
	}
	return any && !*list;
}

/*
 * True if two ranges have a number in common. Those of the longer step are
 * tried, as many as the other step has remainders: 65536 at most.
 */
static bool meet(const struct range *x, const struct range *y)
{
	const struct range *a = x->step > y->step ? x : y;
	const struct range *b = a == x ? y : x;
	const uint64_t from = a->from > b->from ? a->from : b->from;
	const uint64_t to = a->to < b->to ? a->to : b->to;
	uint64_t n = a->from;

	if (n < from)
		n += (from - n + a->step - 1) / a->step * a->step;
	for (uint32_t i = 0; i < b->step && n <= to; i++, n += a->step)
		if ((n - b->from) % b->step == 0)
			return true;
	return false;
}

static bool list_has(const char *list, const struct range *wanted)
{
	uint32_t behind = 0;
	struct range r;

	while (next_range(&list, behind, &r)) {
		if (meet(&r, wanted))
			return true;
		behind = r.to < UINT32_MAX - 1 ? r.to + 1 : r.to;
	}
	return false;
}

/* True if the job has one of these tasks. */
static bool has_task(const struct ctl_job *job, const char *tasks)
{
	const struct range one = {job->task, job->task, 1};
	uint32_t behind = 0;
	struct range r;

	if (!job->tasks)
		return list_has(tasks, &one);
	while (next_range(&tasks, behind, &r)) {
		if (list_has(job->tasks, &r))
			return true;
		behind = r.to < UINT32_MAX - 1 ? r.to + 1 : r.to;
	}
	return false;
}

/* --- ids */

static int refuse(const char *text, struct err *err)
{
	return err_set(err, -EINVAL,
		       "%.*s is no job id: Slurm writes 123, 123_4, "
		       "123_[4-7] or 123+1",
		       SHOWN, text);
}

/* What squeue and sacct write behind a job's id; an address has more dots. */
static bool is_step(const char *text)
{
	static const char *const words[] = {"batch", "extern", "interactive"};

	if (*text++ != '.')
		return false;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcmp(text, words[i]))
			return true;
	return *text && !text[strspn(text, DIGITS)];
}

/* Nodes and pods may be called "10.0.0.12" or "123_a", but not "12_" or "0". */
static bool may_be_name(const char *text)
{
	const char *dot = strchr(text, '.');

	if (strchr(text, '+') || strstr(text, "_["))
		return false;
	if (dot && strchr(dot + 1, '.'))
		return true;
	while (*text && !isalpha((unsigned char)*text))
		text++;
	return *text;
}

/* "4" or "[4-7]" at *at, which is moved behind it. */
static bool read_tasks(const char **at, char out[JOB_ID_TEXT_MAX])
{
	const bool bracket = **at == '[';
	const char *list = *at + bracket;
	const size_t len = bracket ? strcspn(list, "]") : strspn(list, DIGITS);

	if (len >= JOB_ID_TEXT_MAX || (bracket && list[len] != ']'))
		return false;
	str_copy(out, list, len + 1);
	*at = list + len + bracket;
	return is_list(out);
}

int job_ref_of(const char *text, struct job_ref *out, struct err *err)
{
	const size_t digits = strspn(text, DIGITS);
	const char *at = text;
	bool good = true;

	*out = (struct job_ref){0};
	if (!digits || (text[digits] && !strchr("_+.", text[digits])))
		return 0;
	if (!read_number(&at, &out->id) || !out->id)
		return may_be_name(text) ? 0 : refuse(text, err);
	if (*at == '_') {
		out->part = JOB_TASKS;
		at++;
		good = read_tasks(&at, out->tasks);
	} else if (*at == '+') {
		out->part = JOB_COMPONENT;
		at++;
		good = read_number(&at, &out->offset);
	}
	if (good && is_step(at))
		return err_set(
			err, -EINVAL, "%.*s is a step: give its job, %.*s",
			SHOWN, text,
			at - text < SHOWN ? (int)(at - text) : SHOWN, text);
	if (good && !*at)
		return 1;
	return may_be_name(text) ? 0 : refuse(text, err);
}

bool job_ref_is(const struct job_ref *r, const struct ctl_job *job)
{
	switch (r->part) {
	case JOB_TASKS:
		return job->array_id == r->id && has_task(job, r->tasks);
	case JOB_COMPONENT:
		return job->het_id == r->id && job->het_offset == r->offset;
	case JOB_ANY:
	default:
		return r->id == job->id || r->id == job->array_id ||
		       r->id == job->het_id;
	}
}

void job_id_words(const struct ctl_job *job, char out[JOB_ID_TEXT_MAX])
{
	size_t n;

	if (job->array_id && job->tasks)
		snprintf(out, JOB_ID_TEXT_MAX, "%" PRIu32 "_[%.*s]",
			 job->array_id, JOB_ID_TEXT_MAX - 40, job->tasks);
	else if (job->array_id)
		snprintf(out, JOB_ID_TEXT_MAX, "%" PRIu32 "_%" PRIu32,
			 job->array_id, job->task);
	else if (job->het_id)
		snprintf(out, JOB_ID_TEXT_MAX, "%" PRIu32 "+%" PRIu32,
			 job->het_id, job->het_offset);
	else
		snprintf(out, JOB_ID_TEXT_MAX, "%" PRIu32, job->id);
	n = strlen(out);
	if (job->array_id || job->het_id)
		snprintf(out + n, JOB_ID_TEXT_MAX - n, " (%" PRIu32 ")",
			 job->id);
	str_sanitize(out);
}

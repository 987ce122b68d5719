/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bridge/requests/workload_log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/str.h"

#define LINE_MAX (WORKLOAD_NAME_MAX + SAY_WORDS_MAX + 128)

/* A line, and how often it was not said since. */
struct saying {
	UT_hash_handle hh;
	int failed;
	enum log_level level;
	int64_t at; /* monotonic: said last */
	size_t more;
	char line[];
};

struct workload_logs {
	struct saying *by_line;
	size_t others; /* lines for which there was no room */
	int64_t look_at;
};

/* Pods of one Job are one workload, also where each has a job of its own. */
static void write_line(const struct workload *of, const char *words,
		       char out[LINE_MAX])
{
	const bool above = of->kind == WORKLOAD_POD && of->top != WORKLOAD_POD;

	snprintf(out, LINE_MAX, "bridge: %s %s/%s: %.*s",
		 workload_api(above ? of->top : of->kind)->kind, of->ns,
		 above ? of->top_name : of->name, SAY_WORDS_MAX, words);
}

static struct saying *add(struct workload_logs *s, const char *line)
{
	const size_t size = strlen(line) + 1;
	struct saying *x;

	if (HASH_COUNT(s->by_line) >= SAY_MAX)
		return NULL;
	x = calloc(1, sizeof(*x) + size);
	if (!x)
		return NULL;
	memcpy(x->line, line, size);
	HASH_ADD_KEYPTR(hh, s->by_line, x->line, size - 1, x);
	if (!x->failed)
		return x;
	free(x);
	return NULL;
}

static void drop(struct workload_logs *s, struct saying *x)
{
	HASH_DELETE(hh, s->by_line, x);
	free(x);
}

void log_workload(struct workload_logs **all, enum log_level level,
		  const struct workload *of, const char *words)
{
	struct workload_logs *s = *all ? *all : calloc(1, sizeof(*s));
	struct saying *x = NULL;
	char line[LINE_MAX];

	*all = s;
	if (!s)
		return;
	write_line(of, words, line);
	HASH_FIND_STR(s->by_line, line, x);
	if (x) {
		x->more++;
		return;
	}
	if (!s->look_at)
		s->look_at = clock_ms() + SAY_MS;
	x = add(s, line);
	if (!x) {
		s->others++;
		return;
	}
	x->level = level;
	x->at = clock_ms();
	log_line(level, "%s", line);
}

void log_workload_rest(struct workload_logs **all)
{
	struct workload_logs *s = *all;
	struct saying *x = NULL, *next = NULL;
	const int64_t now = clock_ms();

	if (!s || !s->look_at || now < s->look_at)
		return;
	s->look_at = 0;
	HASH_ITER(hh, s->by_line, x, next)
	{
		if (now >= x->at + SAY_MS && !x->more) {
			drop(s, x);
			continue;
		}
		if (now >= x->at + SAY_MS) {
			log_line(x->level, "%s (%zu times more in %d s)",
				 x->line, x->more, SAY_MS / 1000);
			x->at = now;
			x->more = 0;
		}
		if (!s->look_at || x->at + SAY_MS < s->look_at)
			s->look_at = x->at + SAY_MS;
	}
	if (s->others)
		log_warn("bridge: %zu lines of other pods are not said: more "
			 "than %d a minute",
			 s->others, SAY_MAX);
	s->others = 0;
}

void workload_logs_free(struct workload_logs *s)
{
	struct saying *x = NULL, *next = NULL;

	if (!s)
		return;
	HASH_ITER(hh, s->by_line, x, next)
	{
		drop(s, x);
	}
	free(s);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How often the bridge says the same of pods in the log. */
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/str.h"
#include "bridge/requests/workload_log.h"
#include "t.h"

static int64_t now = 1000000;
static char said[2048];
static size_t lines;

int64_t __wrap_clock_ms(void);
int64_t __wrap_clock_ms(void)
{
	return now;
}

static void sink(enum log_level level, const char *line)
{
	const size_t n = strlen(said);

	(void)level;
	lines++;
	snprintf(said + n, sizeof(said) - n, "%s\n", line);
}

static void begin(void)
{
	log_set_sink(sink);
	*said = '\0';
	lines = 0;
}

/* A pod of a Job, which is its own group. */
static struct workload pod_of(const char *job, const char *name)
{
	struct workload w = {.kind = WORKLOAD_POD,
			     .top = job ? WORKLOAD_JOB : WORKLOAD_POD,
			     .ns = "ns"};

	str_copy(w.name, name, sizeof(w.name));
	str_copy(w.top_name, job ? job : "", sizeof(w.top_name));
	return w;
}

static void one_line_a_workload_reason_and_minute(void)
{
	struct workload_logs *s = NULL;
	struct workload w;
	char name[16];

	begin();
	log_workload_rest(&s);
	for (int i = 0; i < 500; i++) {
		snprintf(name, sizeof(name), "p-%d", i);
		w = pod_of("train", name);
		log_workload(&s, LOG_LEVEL_WARN, &w, "no such partition");
	}
	w = pod_of("other", "p");
	log_workload(&s, LOG_LEVEL_WARN, &w, "no such partition");
	w = pod_of("train", "p-7");
	log_workload(&s, LOG_LEVEL_WARN, &w, "no such account");
	w = pod_of(NULL, "single");
	log_workload(&s, LOG_LEVEL_WARN, &w, "no such account");
	T_STR(said, "bridge: Job ns/train: no such partition\n"
		    "bridge: Job ns/other: no such partition\n"
		    "bridge: Job ns/train: no such account\n"
		    "bridge: Pod ns/single: no such account\n");
	begin();
	now += SAY_MS - 1;
	log_workload_rest(&s);
	T_STR(said, "");
	now++;
	log_workload_rest(&s);
	T_STR(said, "bridge: Job ns/train: no such partition (499 times more "
		    "in 60 s)\n");
	/* that was this minute's line */
	begin();
	w = pod_of("train", "p-8");
	log_workload(&s, LOG_LEVEL_WARN, &w, "no such partition");
	T_STR(said, "");
	w = pod_of("other", "p");
	log_workload(&s, LOG_LEVEL_WARN, &w, "no such partition");
	T_STR(said, "bridge: Job ns/other: no such partition\n");
	now += SAY_MS;
	begin();
	log_workload_rest(&s);
	T_STR(said, "bridge: Job ns/train: no such partition (1 times more in "
		    "60 s)\n");
	/* and when it is over it is forgotten */
	now += SAY_MS;
	begin();
	log_workload_rest(&s);
	T_STR(said, "");
	log_workload(&s, LOG_LEVEL_WARN, &w, "no such partition");
	T_INT(lines, 1);
	workload_logs_free(s);
	log_set_sink(NULL);
}

static void others_are_counted(void)
{
	struct workload_logs *s = NULL;
	struct workload w;
	char name[16];

	begin();
	for (int i = 0; i < SAY_MAX + 7; i++) {
		snprintf(name, sizeof(name), "p-%d", i);
		w = pod_of(NULL, name);
		log_workload(&s, LOG_LEVEL_WARN, &w, "x");
	}
	T_INT(lines, SAY_MAX);
	begin();
	now += SAY_MS;
	log_workload_rest(&s);
	T_STR(said, "bridge: 7 lines of other pods are not said: more than "
		    "1000 a minute\n");
	begin();
	log_workload(&s, LOG_LEVEL_WARN, &w, "x");
	T_INT(lines, 1);
	workload_logs_free(s);
	workload_logs_free(NULL);
	log_set_sink(NULL);
}

T_MAIN("workload_log", T(one_line_a_workload_reason_and_minute),
       T(others_are_counted))

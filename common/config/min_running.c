/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/min_running.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DAY_MINUTES (24 * 60)
#define ALL_DAYS 0x7f

/* In the order of tm_wday. */
static const char *const day_names[7] = {"sun", "mon", "tue", "wed",
					 "thu", "fri", "sat"};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Minutes of "HH:MM", from 00:00 to 24:00; -1: it is none. */
static int minutes_of(const char *s)
{
	int minutes;

	if (strlen(s) != 5 || !is_digit(s[0]) || !is_digit(s[1]) ||
	    s[2] != ':' || s[3] > '5' || !is_digit(s[3]) || !is_digit(s[4]))
		return -1;
	minutes = ((s[0] - '0') * 10 + s[1] - '0') * 60 + (s[3] - '0') * 10 +
		  s[4] - '0';
	return minutes <= DAY_MINUTES ? minutes : -1;
}

static int read_time(const struct yaml *y, ynode map, const char *key,
		     uint16_t *out, struct err *err)
{
	ynode at = yaml_get(y, map, key);
	const char *text = NULL;
	int rc = yaml_string(y, at, key, &text, err), minutes;

	if (rc || !text)
		return rc;
	minutes = minutes_of(text);
	if (minutes < 0)
		return yaml_error(y, at, err,
				  "%s must be a time of the day in quotes, "
				  "from \"00:00\" to \"24:00\"",
				  key);
	*out = (uint16_t)minutes;
	return 0;
}

static int read_days(const struct yaml *y, ynode seq, uint8_t *out,
		     struct err *err)
{
	int rc;

	if (!seq)
		return 0;
	rc = yaml_want_seq(y, seq, "days", err);
	if (rc)
		return rc;
	*out = 0;
	for (size_t i = 0; i < yaml_len(seq); i++) {
		ynode at = yaml_at(y, seq, i);
		const char *text = "";
		int day = 0;

		rc = yaml_string(y, at, "a day", &text, err);
		if (rc)
			return rc;
		while (day < 7 && strcmp(text, day_names[day]))
			day++;
		if (day == 7)
			return yaml_error(y, at, err,
					  "a day must be one of mon, tue, wed, "
					  "thu, fri, sat and sun");
		*out |= (uint8_t)(1 << day);
	}
	return *out ? 0 : yaml_error(y, seq, err, "days names no day");
}

static int read_window(const struct yaml *y, ynode map, size_t n_nodes,
		       struct min_running_window *out, struct err *err)
{
	static const char *const keys[] = {"nodes", "days", "from", "to", NULL};
	ynode nodes;
	uint64_t n = 0;
	int rc = yaml_only_keys(y, map, "minRunningSchedule", keys, err);

	if (rc)
		return rc;
	nodes = yaml_get(y, map, "nodes");
	if (!nodes)
		return yaml_error(y, map, err,
				  "minRunningSchedule needs nodes");
	*out = (struct min_running_window){.days = ALL_DAYS, .to = DAY_MINUTES};
	rc = yaml_uint(y, nodes, "nodes", 0, n_nodes, &n, err);
	out->nodes = (uint32_t)n;
	if (!rc)
		rc = read_days(y, yaml_get(y, map, "days"), &out->days, err);
	if (!rc)
		rc = read_time(y, map, "from", &out->from, err);
	if (!rc)
		rc = read_time(y, map, "to", &out->to, err);
	if (!rc && (out->from == out->to || out->from == DAY_MINUTES))
		rc = yaml_error(y, map, err,
				"from and to are one time, or from is the end "
				"of the day");
	return rc;
}

static int read_schedule(const struct yaml *y, ynode seq, size_t n_nodes,
			 struct min_running *out, struct err *err)
{
	int rc;

	if (!seq)
		return 0;
	rc = yaml_want_seq(y, seq, "minRunningSchedule", err);
	if (rc)
		return rc;
	if (yaml_len(seq) > MIN_RUNNING_WINDOWS_MAX)
		return yaml_error(y, seq, err,
				  "minRunningSchedule has more than %d times",
				  MIN_RUNNING_WINDOWS_MAX);
	out->n_windows = yaml_len(seq);
	for (size_t i = 0; !rc && i < out->n_windows; i++)
		rc = read_window(y, yaml_at(y, seq, i), n_nodes,
				 &out->windows[i], err);
	return rc;
}

int min_running_read(const struct yaml *y, ynode nodeset_map,
		     const char *nodeset, size_t n_nodes,
		     struct min_running *out, struct err *err)
{
	ynode nodes = yaml_get(y, nodeset_map, "minRunning");
	ynode schedule = yaml_get(y, nodeset_map, "minRunningSchedule");
	struct err where = {0};
	uint64_t n = 0;
	int rc = yaml_uint(y, nodes, "minRunning", 0, n_nodes, &n, err);

	out->nodes = (uint32_t)n;
	if (!rc)
		rc = read_schedule(y, schedule, n_nodes, out, err);
	if (rc || (!n && !out->n_windows))
		return rc;
	yaml_error(y, n ? nodes : schedule, &where, "nodeset '%s': %s", nodeset,
		   n ? "minRunning" : "minRunningSchedule");
	out->where = strdup(where.msg);
	return out->where ? 0 : err_oom(err);
}

void min_running_clear(struct min_running *m)
{
	free(m->where);
	*m = (struct min_running){0};
}

static bool begins_on(const struct min_running_window *w, int day)
{
	return w->days & (1 << day);
}

static bool applies(const struct min_running_window *w, int day, int minute)
{
	if (w->from < w->to)
		return begins_on(w, day) && minute >= w->from && minute < w->to;
	return (begins_on(w, day) && minute >= w->from) ||
	       (begins_on(w, (day + 6) % 7) && minute < w->to);
}

uint32_t min_running_at(const struct min_running *m, const struct tm *local)
{
	const int minute = local->tm_hour * 60 + local->tm_min;
	uint32_t nodes = m->nodes;

	for (size_t i = 0; i < m->n_windows; i++)
		if (m->windows[i].nodes > nodes &&
		    applies(&m->windows[i], local->tm_wday, minute))
			nodes = m->windows[i].nodes;
	return nodes;
}

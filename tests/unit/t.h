/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the unit tests share, over CUnit. A test is a function whose name says
 * the behaviour; checks go on after a failure and say what they saw.
 */
#ifndef SLURMK8S_TESTS_UNIT_T_H
#define SLURMK8S_TESTS_UNIT_T_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"
#include "json/json.h"

#define T_COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct t_case {
	const char *name;
	void (*run)(void);
};
#define T(fn)                                                                  \
	{                                                                      \
#fn, fn                                                        \
	}

/* main(): run the cases, print CUnit's summary; exit code 1 on failure. */
#define T_MAIN(suite, ...)                                                     \
	int main(void)                                                         \
	{                                                                      \
		static const struct t_case cases[] = {__VA_ARGS__};            \
                                                                               \
		return t_run(suite, cases, T_COUNT(cases));                    \
	}
int t_run(const char *suite, const struct t_case *cases, size_t n);

/* Name the row of a table: failures until the test's end mention it. */
void t_row(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Every check returns whether it held. */
struct t_at {
	const char *file;
	unsigned int line;
};
#define T_HERE ((struct t_at){__FILE__, __LINE__})

bool t_ok(struct t_at at, bool ok, const char *what);
bool t_int(struct t_at at, long long got, long long want);
bool t_str(struct t_at at, const char *got, const char *want);
bool t_has(struct t_at at, const char *text, const char *part, bool wanted);
bool t_err(struct t_at at, int rc, const struct err *err, int code,
	   const char *words);
bool t_json(struct t_at at, const json_object *got, const char *want);

#define T_OK(cond) t_ok(T_HERE, cond, #cond)
#define T_INT(got, want) t_int(T_HERE, (long long)(got), (long long)(want))
#define T_STR(got, want) t_str(T_HERE, got, want)
#define T_HAS(text, part) t_has(T_HERE, text, part, true)
#define T_LACKS(text, part) t_has(T_HERE, text, part, false)
/* The call failed with this code, and its words contain these. */
#define T_ERR(rc, err, code, words) t_err(T_HERE, rc, err, code, words)
/* Equal as JSON, whatever the order of members. */
#define T_JSON(got, want) t_json(T_HERE, got, want)
/* Without this the rest of the test makes no sense. */
#define T_NEED(cond)                                                           \
	do {                                                                   \
		if (!T_OK(cond))                                               \
			return;                                                \
	} while (0)

/* `n` copies of `part`, one after the other; the caller frees. */
char *t_repeat(const char *part, size_t n);

/* JSON from text; aborts when the test itself is wrong. The caller puts. */
json_object *t_parse(const char *text);

/*
 * Files in a directory of this run, removed at its end. The texts returned
 * are good for the next few calls.
 */
const char *t_path(const char *name);
const char *t_write(const char *name, const char *text);
const char *t_script(const char *name, const char *text); /* executable */

/* A file of tests/unit/data; the caller frees. */
char *t_data(const char *name);

/*
 * Runs fn(arg) as another user of this machine, in a process of its own, which
 * stays until t_end() if fn gives true. -1: only root may.
 */
#define T_STRANGER 65534u
pid_t t_as_stranger(bool (*fn)(const char *arg), const char *arg);
void t_end(pid_t pid);

/*
 * What was logged since the last call of t_log_clear(), also by other threads:
 * read it when none of them logs.
 */
const char *t_log(void);
void t_log_clear(void);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>

#include "base/clock.h"
#include "engine_lease.h"
#include "last_pass.h"
#include "t.h"

static int64_t now_ms;

int64_t __wrap_clock_real_ms(void);
int64_t __wrap_clock_real_ms(void)
{
	return now_ms;
}

#define LEASE(who, at, s)                                                      \
	"{'spec': {'holderIdentity': '" who "', 'renewTime': '" at             \
	"', 'leaseDurationSeconds': " s "}}"

static void a_lease_says_whether_an_engine_acts(void)
{
	static const struct {
		const char *lease; /* NULL: there is none */
		bool acts;
		const char *words;
	} rows[] = {
		{NULL, false, "no engine acts there"},
		{"{}", false, "no engine acts there"},
		{LEASE("a", "2026-01-01T00:00:57.000000Z", "15"), true,
		 "the engine acts, as of 3 s ago, from a"},
		{LEASE("a", "2026-01-01T00:00:45.000000Z", "15"), true,
		 "the engine acts, as of 15 s ago, from a"},
		{LEASE("a", "2026-01-01T00:00:44.900000Z", "15"), false,
		 "no engine acts there; the last one was a, 15 s ago"},
		{LEASE("a", "2026-01-01T00:00:20.000000Z", "45"), true,
		 "the engine acts, as of 40 s ago, from a"},
		/* nobody's claim is respected for longer than a minute */
		{LEASE("a", "2026-01-01T00:00:20.000000Z", "1000"), false,
		 "no engine acts there; the last one was a, 40 s ago"},
		{LEASE("a", "2026-01-01T00:00:20.000000Z", "-1"), false,
		 "no engine acts there; the last one was a, 40 s ago"},
		/* a clock that is ahead */
		{LEASE("a", "2026-01-01T00:01:07.000000Z", "15"), true,
		 "the engine acts, as of 0 s ago, from a"},
		/* given back */
		{LEASE("", "2026-01-01T00:00:59.000000Z", "15"), false,
		 "no engine acts there"},
		{LEASE("a", "yesterday", "15"), false, "no engine acts there"},
		{LEASE("a\\u001b[2J", "2026-01-01T00:00:59.000000Z", "15"),
		 true, "the engine acts, as of 1 s ago, from a [2J"},
	};

	now_ms = clock_parse_rfc3339("2026-01-01T00:01:00.000000Z");
	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_json_ json_object *lease =
			rows[i].lease ? t_parse(rows[i].lease) : NULL;
		char words[ENGINE_WORDS_MAX];
		struct engine_lease l;

		t_row("%s", rows[i].words);
		engine_lease_of(lease, now_ms, &l);
		engine_lease_words(&l, words);
		T_OK(engine_lease_acts(&l) == rows[i].acts);
		T_STR(words, rows[i].words);
	}
}

static void a_lease_that_cannot_be_read_says_nothing(void)
{
	char words[ENGINE_WORDS_MAX];
	struct engine_lease l;

	engine_lease_of(NULL, 0, &l);
	err_set(&l.err, -EACCES, "forbidden");
	engine_lease_words(&l, words);
	T_OK(!engine_lease_acts(&l));
	T_STR(words, "whether an engine acts there is not known: forbidden");
}

#define SERIES "slurm_k8s_last_pass_timestamp_seconds"

static void the_engines_last_pass_is_in_its_file(void)
{
	static const struct {
		const char *text;
		int64_t ms;
	} rows[] = {
		{SERIES "{thread=\"engine\"} 1795936841.5\n", 1795936841500},
		{"# TYPE " SERIES " gauge\n" SERIES
		 "{thread=\"bridge\"} 5\n" SERIES
		 "{thread=\"engine\"} 7\nx 1\n",
		 7000},
		{SERIES "{thread=\"engine\"} 7", 7000},
		{"", -1},
		{SERIES "{thread=\"bridge\"} 5\n", -1},
		{"x " SERIES "{thread=\"engine\"} 7\n", -1},
		{SERIES "{thread=\"engine\"} \n", -1},
		{SERIES "{thread=\"engine\"} soon\n", -1},
		{SERIES "{thread=\"engine\"} nan\n", -1},
		{SERIES "{thread=\"engine\"} -1\n", -1},
		{SERIES "{thread=\"engine\"} 1e300\n", -1},
		{SERIES "{thread=\"engine\"} 7 8\n", -1},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%s", rows[i].text);
		T_INT(last_pass_of(rows[i].text), rows[i].ms);
	}
}

static int64_t read_file(const char *path, char words[LAST_PASS_WORDS_MAX])
{
	return last_pass_read(&(struct metrics_config){.file = (char *)path},
			      words);
}

static void its_age_is_told(void)
{
	char words[LAST_PASS_WORDS_MAX];
	const char *path =
		t_write("engine.prom", SERIES "{thread=\"engine\"} 1000\n");

	now_ms = 1042000;
	T_INT(read_file(path, words), 42000);
	T_HAS(words, "its last pass was 42 s ago, as ");
	T_HAS(words, "engine.prom has it");
	now_ms = 900000;
	T_INT(read_file(path, words), 0);
	t_write("engine.prom", "");
	T_INT(read_file(path, words), -1);
	T_HAS(words, "its last pass is not known: ");
	T_INT(read_file(t_path("none.prom"), words), -1);
	T_HAS(words, "no engine of this host acts: ");
	T_INT(read_file(t_path(""), words), -1);
	T_HAS(words, "its last pass is not known: ");
	T_INT(read_file(NULL, words), -1);
	T_STR(words, "");
}

T_MAIN("engine_lease", T(a_lease_says_whether_an_engine_acts),
       T(a_lease_that_cannot_be_read_says_nothing),
       T(the_engines_last_pass_is_in_its_file), T(its_age_is_told))

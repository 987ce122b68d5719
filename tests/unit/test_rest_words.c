/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/clock.h"
#include "rest_words.h"
#include "t.h"

#define COOLS "k8s: nodeset cpu cools down: ImagePullBackOff: no such image"
#define ALONE "k8s: its pod cannot be made, its Comment says why"

static void a_rest_has_a_length_and_an_end(void)
{
	static const struct {
		const char *reason;
		int64_t first_s, most_s;
		const char *since, *words; /* NULL: it does not rest */
	} rows[] = {
		{COOLS, 30, 600, "2026-01-01T00:00:50Z",
		 "30 s after a failure, twice as long after each in a row, at "
		 "most 600 s (slurmctld's log has which): until "
		 "2026-01-01T00:10:50Z at the latest"},
		{COOLS " [slurm@2026]", 60, 60, "2026-01-01T00:00:50Z",
		 "60 s after a failure: until 2026-01-01T00:01:50Z"},
		{ALONE, 90, 60, "2026-01-01T00:00:50Z",
		 "60 s after a failure: until 2026-01-01T00:01:50Z"},
		{ALONE, 5, 5, "2026-01-01T00:00:50Z",
		 "5 s after a failure: over since 2026-01-01T00:00:55Z, so an "
		 "engine that acts ends the drain"},
		{COOLS, 5, 5, NULL, "5 s after a failure"},
		{COOLS, 0, 600, "2026-01-01T00:00:50Z", NULL},
		{"nodeset cpu cools down: mine", 30, 600, NULL, NULL},
		{"k8s: nodeset cpu: no", 30, 600, NULL, NULL},
		{"disk cools down: fan", 30, 600, NULL, NULL},
		{"", 30, 600, NULL, NULL},
		{NULL, 30, 600, NULL, NULL},
	};
	const int64_t now = clock_parse_rfc3339("2026-01-01T00:01:00Z");

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		const struct failover rules = {
			.cool_down_ms = rows[i].first_s * 1000,
			.cool_down_max_ms = rows[i].most_s * 1000};
		const int64_t since =
			rows[i].since ? clock_parse_rfc3339(rows[i].since) : 0;
		char out[REST_WORDS_MAX] = "";
		bool told;

		t_row("%zu", i);
		told = rest_words(&rules, rows[i].reason, since, now, out);
		T_STR(told ? out : NULL, rows[i].words);
	}
}

T_MAIN("rest_words", T(a_rest_has_a_length_and_an_end))

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/clock.h"
#include "t.h"

static void dates_of_kubernetes_become_milliseconds(void)
{
	static const struct {
		const char *text;
		int64_t ms;
	} rows[] = {
		{"1970-01-01T00:00:00Z", 0},
		{"2026-01-02T03:04:05Z", 1767323045000},
		{"2026-01-02T03:04:05.5Z", 1767323045500},
		{"2026-01-02T03:04:05.123456789Z", 1767323045123},
		{"2026-01-02T05:04:05+02:00", 1767323045000},
		{"2026-01-01T21:34:05.5-05:30", 1767323045500},
		{"2024-02-29T00:00:00Z", 1709164800000},
		{"2038-01-19T03:14:08Z", 2147483648000},
		{"9999-12-31T23:59:59Z", 253402300799000},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%s", rows[i].text);
		T_INT(clock_parse_rfc3339(rows[i].text), rows[i].ms);
	}
}

static void dates_are_written_as_they_are_read(void)
{
	char text[CLOCK_RFC3339_MAX];

	T_OK(clock_write_rfc3339(1767323045999, text));
	T_STR(text, "2026-01-02T03:04:05Z");
	T_OK(clock_write_rfc3339(0, text));
	T_STR(text, "1970-01-01T00:00:00Z");
}

static void what_is_no_date_is_refused(void)
{
	static const char *const rows[] = {
		"",
		"now",
		"2026-01-02",
		"2026-01-02T03:04:05",
		"2026-01-02 03:04:05Z",
		"2026-13-02T03:04:05Z",
		"2026-01-02T25:04:05Z",
		"2026-01-02T03:04:05Zx",
		"2026-01-02T03:04:05.Z5",
		"2026-01-02T03:04:05+2:00",
		"2026-01-02T03:04:05+02",
		"2026-01-02T03:04:05+02:99",
		"2026-01-02T03:04:05+-1:-5",
		"2026-01-02T03:04:05+ 2: 5",
		"2026-01-02T03:04:05+02:00Z",
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%s", rows[i]);
		T_INT(clock_parse_rfc3339(rows[i]), -1);
	}
	T_INT(clock_parse_rfc3339(NULL), -1);
}

static void the_clocks_do_not_run_backwards(void)
{
	int64_t a = clock_ms(), b = clock_ms();

	T_OK(a > 0 && b >= a);
	T_OK(clock_real_ms() > 1700000000000);
}

T_MAIN("clock", T(dates_of_kubernetes_become_milliseconds),
       T(dates_are_written_as_they_are_read), T(what_is_no_date_is_refused),
       T(the_clocks_do_not_run_backwards))

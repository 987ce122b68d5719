/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "syntax/sbatch_text.h"
#include "t.h"

#define BAD (-99)

struct row {
	const char *text;
	int64_t want;
};

static void check(int (*fn)(const char *, int64_t *), const struct row *rows,
		  size_t n)
{
	for (size_t i = 0; i < n; i++) {
		int64_t got = BAD;
		int rc = fn(rows[i].text, &got);

		t_row("\"%s\"", rows[i].text);
		T_INT(rc, rows[i].want == BAD ? -EINVAL : 0);
		if (!rc)
			T_INT(got, rows[i].want);
	}
}

static void time_limits_are_read_as_sbatch_reads_them(void)
{
	static const struct row rows[] = {
		{"0", 0},
		{"5", 5},
		{"90", 90},
		{"1:00", 1},
		{"1:01", 2},
		{"0:30", 1},
		{"1:30:00", 90},
		{"00:00:01", 1},
		{"1:30:01", 91},
		{"2-0", 2880},
		{"1-12", 2160},
		{"1-12:30", 2190},
		{"1-12:30:01", 2191},
		{"infinite", -1},
		{"UNLIMITED", -1},
		{"", BAD},
		{"-1", BAD},
		{"-", BAD},
		{"1-", BAD},
		{"-1:00", BAD},
		{"1-2-3", BAD},
		{"1:2:3:4", BAD},
		{"1-2:3:4:5", BAD},
		{"1:", BAD},
		{":1", BAD},
		{"1::2", BAD},
		{" 1", BAD},
		{"1 ", BAD},
		{"+1", BAD},
		{"1h", BAD},
		{"1e3", BAD},
		{"0x10", BAD},
		{"99999999999999999999", BAD},
		{"999999999999999-1", BAD},
		{"999999999999999:0", BAD},
	};

	check(sbatch_minutes, rows, T_COUNT(rows));
}

static void sizes_are_read_as_sbatch_reads_them(void)
{
	static const struct row rows[] = {
		{"0", 0},      {"100", 100},   {"100M", 100},
		{"100m", 100}, {"1K", 1},      {"1024k", 1},
		{"1025K", 2},  {"2G", 2048},   {"1t", 1048576},
		{"", BAD},     {"G", BAD},     {"-1", BAD},
		{"1.5G", BAD}, {"1GB", BAD},   {"1Gi", BAD},
		{"1 G", BAD},  {"1E", BAD},    {"1\x0b", BAD},
		{"1+", BAD},   {"1e400", BAD}, {"9999999999999999T", BAD},
	};

	check(sbatch_mebibytes, rows, T_COUNT(rows));
}

static void numbers_are_whole_and_bounded(void)
{
	static const struct row rows[] = {
		{"0", 0},
		{"-5", -5},
		{"999999999999999", 999999999999999},
		{"", BAD},
		{"-", BAD},
		{"1000000000000000", BAD},
		{"1.0", BAD},
		{"1e3", BAD},
		{"0x1", BAD},
		{" 1", BAD},
		{"+1", BAD},
		{"--1", BAD},
	};

	check(sbatch_number, rows, T_COUNT(rows));
}

static void dates_are_relative_or_whole(void)
{
	static const struct row rows[] = {
		{"now", 1000},
		{"NOW", 1000},
		{"now+90", 1090},
		{"now+1second", 1001},
		{"now+2minutes", 1120},
		{"now+1hour", 4600},
		{"now+2days", 173800},
		{"now+1week", 605800},
		{"1970-01-02", 86400},
		{"2026-01-31T12:30", 1769862600},
		{"2026-01-31T12:30:15", 1769862615},
		{"2024-02-29", 1709164800},
		{"2026-02-29", BAD},
		{"2026-02-31", BAD},
		{"2026-13-01", BAD},
		{"2026-00-01", BAD},
		{"2026-1-1", BAD},
		{"2026-01-31T", BAD},
		{"2026-01-31T24:00", BAD},
		{"2026-01-31T12:60", BAD},
		{"2026-01-31T12:30Z", BAD},
		{"2026-01-31 12:30", BAD},
		{"1969-12-31", BAD},
		{"now-1", BAD},
		{"now+", BAD},
		{"now+1year", BAD},
		{"now+99999999999", BAD},
		{"tomorrow", BAD},
		{"12:00", BAD},
		{"", BAD},
	};

	setenv("TZ", "UTC", 1);
	tzset();
	for (size_t i = 0; i < T_COUNT(rows); i++) {
		int64_t got = BAD;
		int rc = sbatch_date(rows[i].text, 1000, &got);

		t_row("\"%s\"", rows[i].text);
		T_INT(rc, rows[i].want == BAD ? -EINVAL : 0);
		if (!rc)
			T_INT(got, rows[i].want);
	}
}

static void words_are_split_as_a_shell_splits_them(void)
{
	static const struct {
		const char *text;
		const char *want[6];
	} rows[] = {
		{"", {NULL}},
		{"  \n\t", {NULL}},
		{"a", {"a"}},
		{" a  b\tc\nd ", {"a", "b", "c", "d"}},
		{"--comment='a b' x", {"--comment=a b", "x"}},
		{"\"a b\"c", {"a bc"}},
		{"''", {""}},
		{"a '' b", {"a", "", "b"}},
		{"'a\\b'", {"a\\b"}},
		{"\"a\\b\"", {"a\\b"}},
		{"\"a\\\"b\\\\c\"", {"a\"b\\c"}},
		{"a\\ b", {"a b"}},
		{"a\\'b", {"a'b"}},
		{"$HOME `id` $(id)", {"$HOME", "`id`", "$(id)"}},
		{"a#b *", {"a#b", "*"}},
		{"'\"'", {"\""}},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct sbatch_words w;
		struct err err = {0};
		size_t n = 0;

		t_row("%s", rows[i].text);
		T_INT(sbatch_split(rows[i].text, &w, &err), 0);
		for (; n < T_COUNT(rows[i].want) && rows[i].want[n]; n++)
			T_STR(n < w.n ? w.v[n] : "(missing)", rows[i].want[n]);
		T_INT(w.n, n);
	}
}

static void what_cannot_be_split_is_refused(void)
{
	_cleanup_free_ char *longest = t_repeat("x", SBATCH_TEXT_MAX - 1);
	_cleanup_free_ char *too_long = t_repeat("x", SBATCH_TEXT_MAX);
	_cleanup_free_ char *many = t_repeat("x ", SBATCH_WORDS_MAX + 1);
	const struct {
		const char *text;
		int code;
		const char *words;
	} rows[] = {
		{"a 'b", -EINVAL, "a ' without its end"},
		{"a \"b\\\"", -EINVAL, "a \" without its end"},
		{"a\\", -EINVAL, "a backslash at the end"},
		{"a\x1b[0m", -EINVAL, "a control character at byte 1"},
		{"a\rb", -EINVAL, "a control character at byte 1"},
		{"\x7f", -EINVAL, "a control character at byte 0"},
		{too_long, -E2BIG, "more than 4095 bytes of options"},
		{many, -E2BIG, "more than 128 words"},
	};
	struct sbatch_words w;

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct err err = {0};

		t_row("%.20s", rows[i].text);
		T_ERR(sbatch_split(rows[i].text, &w, &err), &err, rows[i].code,
		      rows[i].words);
	}
	T_INT(sbatch_split(longest, &w, NULL), 0);
	T_STR(w.v[0], longest);
}

T_MAIN("sbatch_text", T(time_limits_are_read_as_sbatch_reads_them),
       T(sizes_are_read_as_sbatch_reads_them), T(numbers_are_whole_and_bounded),
       T(dates_are_relative_or_whole),
       T(words_are_split_as_a_shell_splits_them),
       T(what_cannot_be_split_is_refused))

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "syntax/hostlist.h"
#include "t.h"

static void expressions_expand_as_slurm_does(void)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{"cpu-1", "cpu-1"},
		{"b,a,b", "b a b"},
		{"cpu-[0-3,7]", "cpu-0 cpu-1 cpu-2 cpu-3 cpu-7"},
		{"gpu[08-11]", "gpu08 gpu09 gpu10 gpu11"},
		{"n[1-3],m[5],k", "n1 n2 n3 m5 k"},
		{"r[0-1]n[1-2]", "r0n1 r0n2 r1n1 r1n2"},
		{"r[0-1]-x", "r0-x r1-x"},
		{"[1-2]a", "1a 2a"},
		{"a_b.c-d", "a_b.c-d"},
		{"n[3,1]", "n3 n1"},
		{"n[000-001]", "n000 n001"},
		{"n[999999999]", "n999999999"},
		{"n[1790000009-1790000010]", "n1790000009 n1790000010"},
		{"n[000000000000000007]", "n000000000000000007"},
		{"n[999999999999999999]", "n999999999999999999"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_hostlist_ struct hostlist h = {0};
		_cleanup_buf_ struct buf got = BUF_INIT(4096);
		struct err err = {0};
		size_t n;

		t_row("%s", rows[i].text);
		T_INT(hostlist_expand(rows[i].text, &h, &err), 0);
		T_INT(hostlist_count(rows[i].text, h.n, &n, &err), 0);
		T_INT(n, h.n);
		for (size_t j = 0; j < h.n; j++)
			buf_addf(&got, "%s%s", j ? " " : "", h.names[j]);
		T_STR(buf_str(&got), rows[i].want);
	}
}

static void mistakes_are_refused_with_their_position(void)
{
	static const struct {
		const char *text, *words;
	} rows[] = {
		{"", "hostlist '': an empty name at position 1"},
		{"a,", "an empty name at position 3"},
		{",a", "an empty name at position 1"},
		{"a,,b", "an empty name at position 3"},
		{"a b", "unexpected character at position 2"},
		{"a;b", "unexpected character at position 2"},
		{"a/b", "unexpected character at position 2"},
		{"a]", "unexpected character at position 2"},
		{"a\nb", "unexpected character at position 2"},
		{"a\x1b", "unexpected character at position 2"},
		{"n\xc3\xa9", "unexpected character at position 2"},
		{"n\xff", "unexpected character at position 2"},
		{"n[", "'[' without ']' at position 3"},
		{"n[1-2", "'[' without ']' at position 3"},
		{"n[]", "expected a number of 1 to 18 digits at position 3"},
		{"n[1,]", "expected a number of 1 to 18 digits at position 5"},
		{"n[-3]", "expected a number of 1 to 18 digits at position 3"},
		{"n[1-]", "expected a number of 1 to 18 digits at position 3"},
		{"n[1-2-3]", "expected a digit, ',', '-' or ']' at position 6"},
		{"n[1 ]", "expected a digit, ',', '-' or ']' at position 4"},
		{"n[x]", "expected a digit, ',', '-' or ']' at position 3"},
		{"n[[1]]", "expected a digit, ',', '-' or ']' at position 3"},
		{"n[3-1]", "a range runs backwards at position 3"},
		{"n[1234567890123456789]",
		 "expected a number of 1 to 18 digits"},
		{"n[0-65536]", "a range is too long at position 3"},
		{"a[0-999999999]", "a range is too long at position 3"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_hostlist_ struct hostlist h = {0};
		struct err err = {0}, again = {0};
		size_t n;

		t_row("%s", rows[i].text);
		T_ERR(hostlist_expand(rows[i].text, &h, &err), &err, -EINVAL,
		      rows[i].words);
		T_LACKS(err.msg, "\n");
		T_ERR(hostlist_count(rows[i].text, HOSTLIST_MAX, &n, &again),
		      &again, -EINVAL, err.msg);
	}
}

static void a_list_may_hold_the_maximum_of_names(void)
{
	_cleanup_hostlist_ struct hostlist h = {0};

	T_INT(hostlist_expand("n[0-65535]", &h, NULL), 0);
	T_INT(h.n, HOSTLIST_MAX);
	T_STR(h.names[h.n - 1], "n65535");
}

static void a_list_over_the_maximum_is_refused(void)
{
	static const char *const rows[] = {
		"n[0-65535],m",
		"a[0-65000][0-65000]",
		"a[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]",
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_hostlist_ struct hostlist h = {0};
		struct err err = {0};

		t_row("%s", rows[i]);
		T_ERR(hostlist_expand(rows[i], &h, &err), &err, -E2BIG,
		      "more than 65536 names");
		T_OK(h.n <= HOSTLIST_MAX);
	}
}

/* None is made: the last ones would be more than memory holds. */
static void names_are_counted_up_to_a_maximum(void)
{
	static const struct {
		const char *text;
		size_t max, n; /* 0: there are more */
	} rows[] = {
		{"a,b,c", 3, 3},
		{"a,b,c", 2, 0},
		{"n[1-3],n[2-4]", 6, 6},
		{"n[1-3],n[2-4]", 5, 0},
		{"n[1-4][1-4]", 16, 16},
		{"n[1-4][1-4]", 15, 0},
		{"n[0-65535]", HOSTLIST_MAX, HOSTLIST_MAX},
		{"n[0-65535]", 8192, 0},
		{"n[0-65535],m", HOSTLIST_MAX, 0},
		{"n[0-40000,0-40000]", HOSTLIST_MAX, 0},
		{"n[0-65535][0-65535][0-65535][0-65535][0-65535]", HOSTLIST_MAX,
		 0},
		{"a", 0, 0},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct err err = {0};
		size_t n;
		int rc = hostlist_count(rows[i].text, rows[i].max, &n, &err);

		t_row("%s, %zu", rows[i].text, rows[i].max);
		if (rows[i].n) {
			T_INT(rc, 0);
			T_INT(n, rows[i].n);
		} else {
			T_ERR(rc, &err, -E2BIG, "more than ");
		}
	}
}

static void names_are_bounded(void)
{
	_cleanup_free_ char *longest = t_repeat("x", HOSTLIST_NAME_MAX);
	_cleanup_free_ char *beyond = t_repeat("x", HOSTLIST_NAME_MAX + 1);
	_cleanup_free_ char *range = NULL;
	_cleanup_free_ char *brackets = t_repeat("[1]", 20000);
	_cleanup_hostlist_ struct hostlist h = {0};
	struct err err = {0};
	size_t n;

	T_INT(hostlist_expand(longest, &h, NULL), 0);
	T_STR(h.names[0], longest);
	T_ERR(hostlist_expand(beyond, &h, &err), &err, -EINVAL,
	      "a name is too long at position 256");
	if (asprintf(&range, "%s[9-10]", longest + 1) < 0)
		abort();
	T_ERR(hostlist_expand(range, &h, &err), &err, -EINVAL,
	      "a name is too long");
	T_ERR(hostlist_expand(brackets, &h, &err), &err, -EINVAL,
	      "a name is too long");
	T_INT(hostlist_count(longest, 1, &n, NULL), 0);
	T_ERR(hostlist_count(beyond, 1, &n, &err), &err, -EINVAL,
	      "a name is too long at position 256");
	T_ERR(hostlist_count(range, 2, &n, &err), &err, -EINVAL,
	      "a name is too long");
	T_ERR(hostlist_count(brackets, 2, &n, &err), &err, -EINVAL,
	      "a name is too long");
}

static void lists_are_appended_to(void)
{
	_cleanup_hostlist_ struct hostlist h = {0};

	T_INT(hostlist_expand("a,b", &h, NULL), 0);
	T_INT(hostlist_expand("c", &h, NULL), 0);
	T_INT(h.n, 3);
	T_STR(h.names[2], "c");
}

static void compress(const char *text, char *out, size_t size)
{
	_cleanup_hostlist_ struct hostlist h = {0};
	_cleanup_buf_ struct buf b = BUF_INIT(1 << 20);

	T_INT(hostlist_expand(text, &h, NULL), 0);
	T_INT(hostlist_compress((const char **)h.names, h.n, &b), 0);
	snprintf(out, size, "%s", buf_str(&b));
}

static void names_are_written_as_short_as_can_be(void)
{
	static const struct {
		const char *names, *list;
	} rows[] = {
		{"a", "a"},
		{"a7", "a7"},
		{"b,a", "a,b"},
		{"a2,a1", "a[1-2]"},
		{"a2,a1,a2", "a[1-2]"},
		{"a1,a3,a5,a6", "a[1,3,5-6]"},
		{"a1,b1,b2,c", "a1,b[1-2],c"},
		{"a[8-11]", "a[8-11]"},
		{"a[08-11]", "a[08-11]"},
		{"a[098-101]", "a[098-101]"},
		{"a[99-100]", "a[99-100]"},
		{"a9,a010", "a[9,010]"},
		{"a8,a08,a9,a09,a10", "a[8,08,9,09-10]"},
		{"a0,a00,a1,a01", "a[0,00,1,01]"},
		{"a[0-1]", "a[0-1]"},
		{"a[00-01]", "a[00-01]"},
		{"ip-10-0-1-[23-25]", "ip-10-0-1-[23-25]"},
		{"7,8,x", "[7-8],x"},
		{"a1b,a2b", "a1b,a2b"},
		/* (more digits than are counted are part of the name) */
		{"a123456789012,a123456789013", "a123[456789012-456789013]"},
		{"a999999999,a1000000000", "a999999999,a1000000000"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		char list[200], again[200];

		t_row("%s", rows[i].names);
		compress(rows[i].names, list, sizeof(list));
		T_STR(list, rows[i].list);
		compress(list, again, sizeof(again));
		T_STR(again, list);
	}
}

static void no_name_is_no_list(void)
{
	_cleanup_buf_ struct buf b = BUF_INIT(10);
	const char *names[] = {"abc-1", "abcdefghijk"};

	T_INT(hostlist_compress(NULL, 0, &b), 0);
	T_STR(buf_str(&b), "");
	T_INT(hostlist_compress(names, 2, &b), -EMSGSIZE);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* What each waiting job has in Slurm of 10,000 nodes. */
static void ten_thousand_nodes_are_few_bytes(void)
{
	static const struct {
		const char *what;
		int every; /* so many apart are left out */
		size_t most;
	} rows[] = {
		{"all but one", 10000, 30},
		{"all but each tenth", 10, 14000},
		{"each second", 2, 31000},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_buf_ struct buf plain = BUF_INIT(1 << 20);
		_cleanup_buf_ struct buf list = BUF_INIT(1 << 20);
		_cleanup_hostlist_ struct hostlist all = {0}, back = {0};
		struct timespec from, to;
		char name[32];

		for (int n = 9999; n >= 0; n--) {
			snprintf(name, sizeof(name), "n%d", n);
			if (n % rows[i].every)
				buf_add_item(&plain, name);
		}
		T_INT(hostlist_expand(buf_str(&plain), &all, NULL), 0);
		clock_gettime(CLOCK_MONOTONIC, &from);
		T_INT(hostlist_compress((const char **)all.names, all.n, &list),
		      0);
		clock_gettime(CLOCK_MONOTONIC, &to);
		printf("%s: %zu bytes instead of %zu, in %ld us\n",
		       rows[i].what, list.len, plain.len,
		       (to.tv_sec - from.tv_sec) * 1000000 +
			       (to.tv_nsec - from.tv_nsec) / 1000);
		t_row("%s", rows[i].what);
		T_OK(list.len <= rows[i].most);
		T_INT(hostlist_expand(buf_str(&list), &back, NULL), 0);
		T_INT(back.n, all.n);
		qsort(all.names, all.n, sizeof(*all.names), by_text);
		qsort(back.names, back.n, sizeof(*back.names), by_text);
		for (size_t n = 0; n < all.n && n < back.n; n++)
			if (strcmp(all.names[n], back.names[n]) != 0)
				T_STR(back.names[n], all.names[n]);
	}
}

T_MAIN("hostlist", T(names_are_written_as_short_as_can_be),
       T(no_name_is_no_list), T(ten_thousand_nodes_are_few_bytes),
       T(expressions_expand_as_slurm_does),
       T(mistakes_are_refused_with_their_position),
       T(a_list_may_hold_the_maximum_of_names),
       T(a_list_over_the_maximum_is_refused),
       T(names_are_counted_up_to_a_maximum), T(names_are_bounded),
       T(lists_are_appended_to))

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdint.h>

#include "base/cleanup.h"
#include "syntax/quantity.h"
#include "t.h"

static void quantities_are_read_exactly(void)
{
	static const struct {
		const char *text;
		quantity_milli milli;
	} rows[] = {
		{"0", 0},
		{"1", 1000},
		{"+1", 1000},
		{"-1", -1000},
		{"-0", 0},
		{"007", 7000},
		{"100m", 100},
		{"1500m", 1500},
		{"0.5", 500},
		{".5", 500},
		{"5.", 5000},
		{"1.G", 1000000000000},
		{"1.5Gi", 1610612736000},
		{"1Ki", 1024000},
		{"1Mi", 1048576000},
		{"1Ti", 1099511627776000},
		{"1Pi", 1125899906842624000},
		{"8191Ti", 9006099743113216000},
		{"1k", 1000000},
		{"1M", 1000000000},
		{"1G", 1000000000000},
		{"1T", 1000000000000000},
		{"1P", 1000000000000000000},
		{"9P", 9000000000000000000},
		{"1e3", 1000000},
		{"1E3", 1000000},
		{"1e+3", 1000000},
		{"25e-1", 2500},
		{"12E-3", 12},
		{"0e400", 0},
		{"0Ei", 0},
		{"0.0000000000000000000000000000000000000000001", 1},
		{"1.500000000000000000000000000000000000000000", 1500},
		{"9223372036854775807m", INT64_MAX},
		{"9223372036854775.808", (quantity_milli)INT64_MAX + 1},
		{"1E", (quantity_milli)1000000000000000000 * 1000},
		{"7Ei", (quantity_milli)8070450532247928832 * 1000},
		{"9223372036854775807", QUANTITY_MAX},
		{"-9223372036854775807", -QUANTITY_MAX},
		/* (rounded up) */
		{"1n", 1},
		{"1u", 1},
		{"1000u", 1},
		{"1001u", 2},
		{"1000001n", 2},
		{"0.0001", 1},
		{"0.1234", 124},
		{"1.0001", 1001},
		{"-1u", -1},
		{"1e-400", 1},
		{"0.1Ki", 102400},
		{"0.0001Ki", 103},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct err err = {0};
		quantity_milli milli = 42;

		t_row("%s", rows[i].text);
		T_INT(quantity_parse(rows[i].text, &milli, &err), 0);
		T_OK(milli == rows[i].milli);
		T_STR(err.msg, "");
	}
}

static void what_is_none_is_refused(void)
{
	static const struct {
		const char *text;
		int code;
		const char *words;
	} rows[] = {
		{"", -EINVAL, "'' is no quantity"},
		{"-", -EINVAL, "'-' is no quantity"},
		{".", -EINVAL, "'.' is no quantity"},
		{"+-1", -EINVAL, "no quantity"},
		{" 1", -EINVAL, "no quantity"},
		{"1 ", -EINVAL, "no quantity"},
		{"1 Gi", -EINVAL, "no quantity"},
		{"1.2.3", -EINVAL, "no quantity"},
		{"m", -EINVAL, "'m' is no quantity"},
		{"1mm", -EINVAL, "no quantity"},
		{"1K", -EINVAL, "no quantity"},
		{"1g", -EINVAL, "no quantity"},
		{"1ki", -EINVAL, "no quantity"},
		{"1e", -EINVAL, "no quantity"},
		{"1e+", -EINVAL, "no quantity"},
		{"1e1.5", -EINVAL, "no quantity"},
		{"1ee5", -EINVAL, "no quantity"},
		{"1e5Gi", -EINVAL, "no quantity"},
		{"0x10", -EINVAL, "no quantity"},
		{"1,5", -EINVAL, "no quantity"},
		{"inf", -EINVAL, "no quantity"},
		{"NaN", -EINVAL, "no quantity"},
		{"1\n2", -EINVAL, "'1 2' is no quantity"},
		{"\xd9\xa1", -EINVAL, "no quantity"}, /* an Arabic 1 */
		{"1e400", -ERANGE, "quantity '1e400' is out of range"},
		{"-1e400", -ERANGE, "out of range"},
		{"1e99999999999999999999", -ERANGE, "out of range"},
		{"8Ei", -ERANGE, "out of range"},
		{"10E", -ERANGE, "out of range"},
		{"9223372036854775808", -ERANGE, "out of range"},
		{"9223372036854775807.0001", -ERANGE, "out of range"},
		{"99999999999999999999999999999999999999999999", -ERANGE,
		 "'9999999999999999999999999999999999999999' is out of range"},
		/* (3 more than an integer of 128 bits) */
		{"340282366920938463463374607431768211459", -ERANGE,
		 "out of range"},
		{"0.99999999999999999999999999999999999999999999", -ERANGE,
		 "out of range"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct err err = {0};
		quantity_milli milli = 42;

		t_row("%s", rows[i].text);
		T_ERR(quantity_parse(rows[i].text, &milli, &err), &err,
		      rows[i].code, rows[i].words);
		T_INT(milli, 42);
	}
}

static void long_texts_are_refused_and_cut_in_the_words(void)
{
	_cleanup_free_ char *zeros = t_repeat("0", QUANTITY_TEXT_MAX + 1);
	struct err err = {0};
	quantity_milli milli = 42;

	T_ERR(quantity_parse(zeros, &milli, &err), &err, -EINVAL,
	      "'0000000000000000000000000000000000000000' is no quantity");
	T_INT(quantity_parse(zeros + 1, &milli, NULL), 0);
	T_INT(milli, 0);
}

static void json_may_have_a_number_instead(void)
{
	_cleanup_json_ json_object *o =
		t_parse("{\"t\": \"2Ki\", \"i\": 3, \"d\": 0.25, \"b\": true}");
	struct err err = {0};
	quantity_milli milli = 42;

	T_INT(quantity_of(jx_get(o, "t"), &milli, &err), 0);
	T_INT(milli, 2048000);
	T_INT(quantity_of(jx_get(o, "i"), &milli, &err), 0);
	T_INT(milli, 3000);
	T_INT(quantity_of(jx_get(o, "d"), &milli, &err), 0);
	T_INT(milli, 250);
	T_ERR(quantity_of(jx_get(o, "b"), &milli, &err), &err, -EINVAL,
	      "a quantity must be a text");
	T_ERR(quantity_of(NULL, &milli, &err), &err, -EINVAL,
	      "a quantity must be a text");
}

static void units_are_rounded_away_from_zero(void)
{
	T_INT(quantity_units(0), 0);
	T_INT(quantity_units(1), 1);
	T_INT(quantity_units(1000), 1);
	T_INT(quantity_units(1001), 2);
	T_INT(quantity_units(-1), -1);
	T_INT(quantity_units(-1000), -1);
	T_INT(quantity_units(INT64_MAX), 9223372036854776);
	T_INT(quantity_units(QUANTITY_MAX), INT64_MAX);
}

T_MAIN("quantity", T(quantities_are_read_exactly), T(what_is_none_is_refused),
       T(long_texts_are_refused_and_cut_in_the_words),
       T(json_may_have_a_number_instead), T(units_are_rounded_away_from_zero))

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "base/buf.h"
#include "t.h"

static void an_untouched_buffer_reads_as_empty_text(void)
{
	_cleanup_buf_ struct buf b = BUF_INIT(10);

	T_STR(buf_str(&b), "");
	buf_consume(&b, 5);
	buf_reset(&b);
	T_STR(buf_str(&b), "");
}

static void what_is_added_is_kept_in_order_and_ends_with_nul(void)
{
	_cleanup_buf_ struct buf b = BUF_INIT(10000);

	for (int i = 0; i < 1000; i++) {
		T_INT(buf_addf(&b, "%03d,", i), 0);
		T_INT(b.data[b.len], 0);
	}
	T_INT(b.len, 4000);
	T_OK(!memcmp(b.data + 3996, "999,", 5));
	T_OK(!memcmp(b.data, "000,001,", 8));
}

static void a_buffer_may_be_filled_to_its_limit_but_not_beyond(void)
{
	_cleanup_buf_ struct buf b = BUF_INIT(4);

	T_INT(buf_add(&b, "abcd", 4), 0);
	T_INT(buf_add(&b, "", 0), 0);
	T_INT(buf_add(&b, "e", 1), -EMSGSIZE);
	T_INT(buf_addf(&b, "%d", 1), -EMSGSIZE);
	T_STR(buf_str(&b), "abcd");
}

static void a_length_that_would_overflow_is_refused(void)
{
	_cleanup_buf_ struct buf b = BUF_INIT(100);

	T_INT(buf_add(&b, "a", 1), 0);
	T_INT(buf_add(&b, "", SIZE_MAX), -EMSGSIZE);
	T_STR(buf_str(&b), "a");
}

static void consuming_takes_from_the_front(void)
{
	_cleanup_buf_ struct buf b = BUF_INIT(10);

	buf_add(&b, "abcdef", 6);
	buf_consume(&b, 0);
	T_STR(buf_str(&b), "abcdef");
	buf_consume(&b, 2);
	T_STR(buf_str(&b), "cdef");
	buf_consume(&b, 99);
	T_STR(buf_str(&b), "");
	T_INT(b.len, 0);
}

static void bytes_with_nul_inside_are_kept(void)
{
	_cleanup_buf_ struct buf b = BUF_INIT(10);

	buf_add(&b, "a\0b", 3);
	T_INT(b.len, 3);
	T_OK(!memcmp(b.data, "a\0b", 4));
}

static void a_freed_buffer_can_be_used_again(void)
{
	struct buf b = BUF_INIT(10);

	buf_add(&b, "abc", 3);
	buf_free(&b);
	T_STR(buf_str(&b), "");
	T_INT(buf_add(&b, "x", 1), 0);
	T_STR(buf_str(&b), "x");
	buf_free(&b);
}

static void another_limit_keeps_what_is_there(void)
{
	_cleanup_buf_ struct buf b = {0};

	T_INT(buf_add(&b, "a", 1), -EMSGSIZE);
	buf_limit(&b, 3);
	T_INT(buf_add(&b, "abc", 3), 0);
	buf_limit(&b, 2);
	T_STR(buf_str(&b), "abc");
	T_INT(buf_add(&b, "d", 1), -EMSGSIZE);
}

T_MAIN("buf", T(an_untouched_buffer_reads_as_empty_text),
       T(what_is_added_is_kept_in_order_and_ends_with_nul),
       T(a_buffer_may_be_filled_to_its_limit_but_not_beyond),
       T(a_length_that_would_overflow_is_refused),
       T(consuming_takes_from_the_front), T(bytes_with_nul_inside_are_kept),
       T(a_freed_buffer_can_be_used_again),
       T(another_limit_keeps_what_is_there))

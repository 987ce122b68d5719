/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/log.h"
#include "base/str.h"
#include "t.h"

static void setting_an_error_returns_its_code(void)
{
	struct err err = {.http = 500};

	T_ERR(err_set(&err, -ENOENT, "no %s", "pod"), &err, -ENOENT, "no pod");
	T_INT(err.http, 0);
	T_INT(err_set(NULL, -ENOENT, "no %s", "pod"), -ENOENT);
}

static void wrapping_puts_words_in_front_and_keeps_the_code(void)
{
	struct err err = {0};

	err_set(&err, -EINVAL, "bad");
	T_INT(err_wrap(&err, -EINVAL, "file %d", 3), -EINVAL);
	T_STR(err.msg, "file 3: bad");
}

static void foreign_words_can_not_forge_log_lines(void)
{
	struct err err = {0};

	err_set(&err, -EINVAL, "%s", "a\nroot: b\x1b[0m");
	T_STR(err.msg, "a root: b [0m");
	err_wrap(&err, -EINVAL, "%s", "x\ny");
	T_STR(err.msg, "x y: a root: b [0m");
}

static void long_words_are_cut(void)
{
	_cleanup_free_ char *text = t_repeat("x", 5000);
	struct err err = {0};

	err_set(&err, -EINVAL, "%s", text);
	T_INT(strlen(err.msg), ERR_MSG_MAX - 1);
	err_wrap(&err, -EINVAL, "short");
	T_HAS(err.msg, "short: xxx");
	err_wrap(&err, -EINVAL, "%s", text);
	T_INT(strlen(err.msg), ERR_MSG_MAX - 1);
}

static void out_of_memory_has_its_usual_words(void)
{
	struct err err = {0};

	T_ERR(err_oom(&err), &err, -ENOMEM, "out of memory");
}

static void log_lines_reach_the_sink_without_control_characters(void)
{
	log_warn("pod %s", "a\nb");
	T_STR(t_log(), "warning: pod a b\n");
}

static void levels_below_the_chosen_one_are_not_logged(void)
{
	log_debug("not yet");
	T_STR(t_log(), "");
	log_set_level(LOG_LEVEL_DEBUG);
	log_debug("now");
	log_set_level(LOG_LEVEL_ERROR);
	log_warn("no more");
	log_set_level(LOG_LEVEL_INFO);
	T_STR(t_log(), "debug: now\n");
}

static void level_names_are_read_back(void)
{
	for (int i = LOG_LEVEL_ERROR; i <= LOG_LEVEL_DEBUG; i++)
		T_INT(log_level_parse(log_level_name((enum log_level)i)), i);
	T_INT(log_level_parse("verbose"), -1);
	T_INT(log_level_parse(""), -1);
}

static void a_copy_has_all_of_it(void)
{
	struct err from = {0}, to = {.code = -EIO, .http = 500};

	err_set(&from, -EACCES, "no right");
	from.http = 403;
	str_copy(from.reason, "Forbidden", sizeof(from.reason));
	T_INT(err_copy(&to, &from), -EACCES);
	T_OK(!memcmp(&to, &from, sizeof(to)));
	T_INT(err_copy(NULL, &from), -EACCES);
}

T_MAIN("err", T(setting_an_error_returns_its_code),
       T(wrapping_puts_words_in_front_and_keeps_the_code),
       T(foreign_words_can_not_forge_log_lines), T(long_words_are_cut),
       T(out_of_memory_has_its_usual_words),
       T(log_lines_reach_the_sink_without_control_characters),
       T(levels_below_the_chosen_one_are_not_logged),
       T(level_names_are_read_back), T(a_copy_has_all_of_it))

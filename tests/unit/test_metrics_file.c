/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When the file is there, and that it is never there in part. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/str.h"
#include "engine/metrics_file.h"
#include "metrics/metrics.h"
#include "t.h"

static int64_t now_ms = 1000000;

int64_t __wrap_clock_ms(void);
int64_t __wrap_clock_ms(void)
{
	return now_ms;
}

static bool may_unlink = true;

int __real_unlink(const char *path);
int __wrap_unlink(const char *path);
int __wrap_unlink(const char *path)
{
	if (may_unlink)
		return __real_unlink(path);
	errno = EACCES;
	return -1;
}

/* Another engine writes while this one does. */
static const struct metrics_config *nested;

int __real_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to)
{
	struct metrics_file f = {0};

	if (nested) {
		T_OK(metrics_file_step(&f, nested, true));
		metrics_file_end(&f);
	}
	return __real_rename(from, to);
}

/* The file's text; NULL: there is none. The caller frees. */
static char *text_of(const char *path)
{
	char *text = NULL;
	size_t len;

	return fs_read_file(path, METRICS_TEXT_MAX, &text, &len, NULL) ? NULL
								       : text;
}

static bool is_there(const char *name)
{
	struct stat st;

	return !lstat(t_path(name), &st);
}

static unsigned int mode_of(const char *name)
{
	struct stat st;

	return lstat(t_path(name), &st) ? 0 : st.st_mode & 07777;
}

static struct metrics_config config_of(const char *path)
{
	return (struct metrics_config){.file = (char *)path,
				       .interval_ms = 15000};
}

/* --- one file */

static void a_file_is_written_as_a_whole(void)
{
	_cleanup_free_ char *text = NULL;
	struct err err = {0};
	struct stat st;
	const mode_t before = umask(077);

	t_write("a.prom", "something longer than what comes");
	T_INT(metrics_file_write(t_path("a.prom"), "new\n", 4, &st, &err), 0);
	umask(before);
	text = text_of(t_path("a.prom"));
	T_STR(text, "new\n");
	T_INT(mode_of("a.prom"), 0644);
	T_OK(!is_there(".a.prom.tmp"));
}

static void what_is_left_over_is_replaced_and_no_link_is_followed(void)
{
	_cleanup_free_ char *text = NULL, *victim = NULL, *linked = NULL;
	struct err err = {0};
	struct stat st;

	t_write("victim", "precious");
	T_NEED(!symlink(t_path("victim"), t_path(".b.prom.tmp")));
	T_INT(metrics_file_write(t_path("b.prom"), "1\n", 2, &st, &err), 0);
	text = text_of(t_path("b.prom"));
	victim = text_of(t_path("victim"));
	T_STR(text, "1\n");
	T_STR(victim, "precious");
	T_NEED(!unlink(t_path("b.prom")) &&
	       !symlink(t_path("victim"), t_path("b.prom")));
	T_INT(metrics_file_write(t_path("b.prom"), "2\n", 2, &st, &err), 0);
	linked = text_of(t_path("victim"));
	T_STR(linked, "precious");
	T_INT(mode_of("b.prom"), 0644);
}

static void a_folder_that_is_not_there_is_named(void)
{
	struct err err = {0};
	struct stat st;

	T_ERR(metrics_file_write(t_path("none/a.prom"), "1\n", 2, &st, &err),
	      &err, -ENOENT, "none/.a.prom.tmp: No such file or directory");
}

static void what_cannot_be_renamed_leaves_nothing_behind(void)
{
	struct err err = {0};
	struct stat st;

	T_NEED(!mkdir(t_path("c.prom"), 0755));
	T_ERR(metrics_file_write(t_path("c.prom"), "1\n", 2, &st, &err), &err,
	      -EISDIR, "c.prom: ");
	T_OK(!is_there(".c.prom.tmp"));
	T_NEED(!rmdir(t_path("c.prom")));
}

/* --- a reader meets the old one or the new one */

static atomic_bool ends;

static void *read_always(void *arg)
{
	long *bad = arg;

	while (!atomic_load(&ends)) {
		_cleanup_free_ char *text = text_of(t_path("r.prom"));

		*bad += !text || strlen(text) != 100000 ||
			text[0] != text[99999];
	}
	return NULL;
}

static void no_reader_sees_half_a_file(void)
{
	_cleanup_free_ char *a = t_repeat("a", 100000),
			    *b = t_repeat("b", 100000);
	pthread_t reader;
	struct stat st;
	long bad = 0;

	T_INT(metrics_file_write(t_path("r.prom"), a, 100000, &st, NULL), 0);
	T_NEED(!pthread_create(&reader, NULL, read_always, &bad));
	for (int i = 0; i < 300; i++)
		T_INT(metrics_file_write(t_path("r.prom"), i % 2 ? a : b,
					 100000, &st, NULL),
		      0);
	atomic_store(&ends, true);
	pthread_join(reader, NULL);
	T_INT(bad, 0);
}

/* --- when it is there */

static void it_is_written_at_each_interval_while_we_act(void)
{
	_cleanup_free_ char *path = strdup(t_path("d.prom"));
	const struct metrics_config c = config_of(path);
	_cleanup_free_ char *text = NULL;
	struct metrics_file f = {0};

	T_OK(metrics_file_step(&f, &c, true));
	text = text_of(path);
	T_HAS(text, "# TYPE slurm_k8s_lease_held gauge\n");
	T_NEED(!unlink(path));
	now_ms += 14999;
	T_OK(!metrics_file_is_due(&f, &c));
	T_OK(!metrics_file_step(&f, &c, true));
	T_OK(!is_there("d.prom"));
	now_ms += 1;
	T_OK(metrics_file_is_due(&f, &c));
	T_OK(metrics_file_step(&f, &c, true));
	T_OK(is_there("d.prom"));
	metrics_file_end(&f);
	T_OK(!is_there("d.prom"));
	metrics_file_end(&f);
}

static void who_may_not_act_has_none(void)
{
	_cleanup_free_ char *path = strdup(t_path("e.prom"));
	const struct metrics_config c = config_of(path);
	struct metrics_file f = {0};

	/* A slurmctld that was killed has left one. */
	t_write("e.prom", "old 1\n");
	T_OK(!metrics_file_step(&f, &c, false));
	T_OK(!is_there("e.prom"));
	/* Another one, which acts, writes that file. */
	t_write("e.prom", "its 1\n");
	now_ms += 60000;
	T_OK(!metrics_file_step(&f, &c, false));
	T_OK(is_there("e.prom"));
	T_OK(metrics_file_step(&f, &c, true));
	T_OK(!metrics_file_step(&f, &c, false));
	T_OK(!is_there("e.prom"));
	T_OK(metrics_file_step(&f, &c, true));
	T_OK(is_there("e.prom"));
	metrics_file_end(&f);
	T_OK(!is_there("e.prom"));
}

static void who_never_wrote_one_leaves_anothers_at_its_end(void)
{
	_cleanup_free_ char *path = strdup(t_path("f.prom"));
	const struct metrics_config c = config_of(path);
	struct metrics_file f = {0};

	T_OK(!metrics_file_step(&f, &c, false));
	t_write("f.prom", "its 1\n");
	metrics_file_end(&f);
	T_OK(is_there("f.prom"));
	T_NEED(!unlink(path));
}

static void an_engine_that_ends_late_leaves_its_successors(void)
{
	_cleanup_free_ char *path = strdup(t_path("h.prom"));
	const struct metrics_config c = config_of(path);
	struct metrics_file first = {0}, second = {0};

	T_OK(metrics_file_step(&first, &c, true));
	T_OK(metrics_file_step(&second, &c, true));
	metrics_file_end(&first);
	T_OK(is_there("h.prom"));
	metrics_file_end(&second);
	T_OK(!is_there("h.prom"));
}

/* An engine may hang on a file system: the next one does not wait for it. */
static void who_comes_while_another_one_writes_comes_again(void)
{
	_cleanup_free_ char *path = strdup(t_path("i.prom"));
	const struct metrics_config c = config_of(path);
	struct metrics_file f = {0};

	t_log_clear();
	nested = &c;
	T_OK(metrics_file_step(&f, &c, true));
	nested = NULL;
	T_HAS(t_log(), "an engine that has ended is writing it yet");
	T_OK(is_there("i.prom"));
	now_ms += 15000;
	t_log_clear();
	T_OK(metrics_file_step(&f, &c, true));
	T_STR(t_log(), "");
	metrics_file_end(&f);
}

static void a_file_that_cannot_be_removed_is_removed_later(void)
{
	_cleanup_free_ char *path = strdup(t_path("j.prom"));
	const struct metrics_config c = config_of(path);
	struct metrics_file f = {0};

	T_OK(metrics_file_step(&f, &c, true));
	t_log_clear();
	may_unlink = false;
	for (int i = 0; i < 5; i++) {
		T_OK(!metrics_file_step(&f, &c, false));
		now_ms += 15000;
	}
	T_HAS(t_log(), "cannot be removed, and what they say is of the past: ");
	T_HAS(t_log(), "j.prom: Permission denied");
	T_OK(!strstr(strstr(t_log(), "cannot be") + 1, "cannot be"));
	/* In between it is not tried all the time. */
	may_unlink = true;
	now_ms -= 10000;
	T_OK(!metrics_file_step(&f, &c, false));
	T_OK(is_there("j.prom"));
	now_ms += 10000;
	T_OK(!metrics_file_step(&f, &c, false));
	T_OK(!is_there("j.prom"));
	T_OK(f.absent);
	metrics_file_end(&f);
}

static void another_file_replaces_the_one_before(void)
{
	_cleanup_free_ char *one = strdup(t_path("1.prom")),
			    *two = strdup(t_path("2.prom"));
	const struct metrics_config first = config_of(one),
				    second = config_of(two), none = {0};
	struct metrics_file f = {0};

	T_OK(metrics_file_step(&f, &first, true));
	now_ms += 1;
	T_OK(metrics_file_step(&f, &second, true));
	T_OK(!is_there("1.prom"));
	T_OK(is_there("2.prom"));
	T_OK(!metrics_file_step(&f, &none, true));
	T_OK(!is_there("2.prom"));
	T_OK(!metrics_file_step(&f, &none, true));
	T_OK(metrics_file_step(&f, &first, true));
	T_OK(is_there("1.prom"));
	metrics_file_end(&f);
	T_OK(!is_there("1.prom"));
}

static void an_error_is_logged_once_until_it_works_again(void)
{
	_cleanup_free_ char *path = strdup(t_path("later/g.prom"));
	const struct metrics_config c = config_of(path);
	struct metrics_file f = {0};

	t_log_clear();
	for (int i = 0; i < 5; i++) {
		T_OK(metrics_file_step(&f, &c, true));
		now_ms += 15000;
	}
	T_HAS(t_log(), "no metrics for Prometheus: ");
	T_HAS(t_log(), "No such file or directory");
	T_OK(!strstr(strstr(t_log(), "no metrics") + 1, "no metrics"));
	t_log_clear();
	T_NEED(!mkdir(t_path("later"), 0755));
	T_OK(metrics_file_step(&f, &c, true));
	T_HAS(t_log(), "metrics for Prometheus are written again");
	t_log_clear();
	now_ms += 15000;
	T_OK(metrics_file_step(&f, &c, true));
	T_STR(t_log(), "");
	metrics_file_end(&f);
	T_OK(!is_there("later/g.prom"));
	T_STR(t_log(), "");
}

T_MAIN("metrics_file", T(a_file_is_written_as_a_whole),
       T(what_is_left_over_is_replaced_and_no_link_is_followed),
       T(a_folder_that_is_not_there_is_named),
       T(what_cannot_be_renamed_leaves_nothing_behind),
       T(no_reader_sees_half_a_file),
       T(it_is_written_at_each_interval_while_we_act),
       T(who_may_not_act_has_none),
       T(who_never_wrote_one_leaves_anothers_at_its_end),
       T(an_engine_that_ends_late_leaves_its_successors),
       T(who_comes_while_another_one_writes_comes_again),
       T(a_file_that_cannot_be_removed_is_removed_later),
       T(another_file_replaces_the_one_before),
       T(an_error_is_logged_once_until_it_works_again))

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "t.h"

static void a_file_is_read_whole(void)
{
	_cleanup_free_ char *text = t_repeat("0123456789", 5000), *got = NULL;
	struct err err = {0};
	size_t len = 0;

	T_INT(fs_read_file(t_write("big", text), 50000, &got, &len, &err), 0);
	T_INT(len, 50000);
	T_OK(got && !strcmp(got, text));
}

static void an_empty_file_is_an_empty_text(void)
{
	_cleanup_free_ char *got = NULL;
	size_t len = 9;

	T_INT(fs_read_file(t_write("empty", ""), 10, &got, &len, NULL), 0);
	T_INT(len, 0);
	T_STR(got, "");
}

static void a_file_over_the_limit_is_refused(void)
{
	char *got = NULL;
	struct err err = {0};
	size_t len;
	int rc = fs_read_file(t_write("eleven", "0123456789x"), 10, &got, &len,
			      &err);

	T_ERR(rc, &err, -EMSGSIZE, "eleven: larger than 10 bytes");
	T_OK(!got);
}

static void a_file_that_grows_without_end_is_refused(void)
{
	char *got = NULL;
	struct err err = {0};
	size_t len;

	T_ERR(fs_read_file("/dev/zero", 100000, &got, &len, &err), &err,
	      -EMSGSIZE, "/dev/zero: larger than");
}

static void a_missing_file_and_a_directory_say_so(void)
{
	const char *path = t_path("no-such-file");
	char *got = NULL;
	struct err err = {0};
	size_t len;

	T_ERR(fs_read_file(path, 10, &got, &len, &err), &err, -ENOENT,
	      "no-such-file: No such file");
	T_ERR(fs_read_file("/", 10, &got, &len, &err), &err, -EISDIR,
	      "/: Is a directory");
}

static void a_memfd_is_read_by_its_proc_path(void)
{
	_cleanup_close_ int fd = memfd_create("resume", MFD_CLOEXEC);
	_cleanup_free_ char *got = NULL;
	char path[64];
	size_t len = 0;

	T_NEED(fd >= 0 && write(fd, "{}", 2) == 2);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	T_INT(fs_read_file(path, 10, &got, &len, NULL), 0);
	T_STR(got, "{}");
}

static void only_the_worlds_read_bit_counts(void)
{
	const char *path = t_write("mode", "x");

	T_NEED(!chmod(path, 0640));
	T_OK(!fs_world_readable(path));
	T_NEED(!chmod(path, 0644));
	T_OK(fs_world_readable(path));
	T_OK(!fs_world_readable(t_path("no-such-file")));
}

static void a_path_is_relative_to_the_file_that_names_it(void)
{
	static const struct {
		const char *base, *path, *want;
	} rows[] = {
		{"/etc/slurm/k8s.yaml", "pod.yaml", "/etc/slurm/pod.yaml"},
		{"/etc/slurm/k8s.yaml", "../pod.yaml",
		 "/etc/slurm/../pod.yaml"},
		{"/etc/slurm/k8s.yaml", "/abs", "/abs"},
		{"k8s.yaml", "pod.yaml", "pod.yaml"},
		{"/k8s.yaml", "pod.yaml", "/pod.yaml"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_free_ char *got =
			fs_relative_to(rows[i].base, rows[i].path);

		T_STR(got, rows[i].want);
	}
}

T_MAIN("fs", T(a_file_is_read_whole), T(an_empty_file_is_an_empty_text),
       T(a_file_over_the_limit_is_refused),
       T(a_file_that_grows_without_end_is_refused),
       T(a_missing_file_and_a_directory_say_so),
       T(a_memfd_is_read_by_its_proc_path), T(only_the_worlds_read_bit_counts),
       T(a_path_is_relative_to_the_file_that_names_it))

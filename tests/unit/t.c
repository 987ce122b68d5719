/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "t.h"

#include <CUnit/Basic.h>
#include <ftw.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/fs.h"
#include "base/log.h"
#include "base/str.h"

#define LOG_MAX (64 * 1024)
#define PATHS_KEPT 8

static char row[128];
static char dir[64];
static struct buf logged = BUF_INIT(LOG_MAX);

void t_row(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(row, sizeof(row), fmt, ap);
	va_end(ap);
}

/* Hand one check to CUnit, with the words it prints on failure. */
static bool __attribute__((format(printf, 3, 4)))
check(struct t_at at, bool ok, const char *fmt, ...)
{
	char what[1024], text[1200];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	snprintf(text, sizeof(text), "%s%s%s%s", *row ? "[" : "", row,
		 *row ? "] " : "", what);
	CU_assertImplementation(ok, at.line, text, at.file, "", CU_FALSE);
	return ok;
}

bool t_ok(struct t_at at, bool ok, const char *what)
{
	return check(at, ok, "%s", what);
}

bool t_int(struct t_at at, long long got, long long want)
{
	return check(at, got == want, "got %lld, want %lld", got, want);
}

static const char *shown(const char *s)
{
	return s ? s : "(null)";
}

bool t_str(struct t_at at, const char *got, const char *want)
{
	return check(at, str_eq(got, want), "got '%s', want '%s'", shown(got),
		     shown(want));
}

bool t_has(struct t_at at, const char *text, const char *part, bool wanted)
{
	bool has = text && strstr(text, part);

	return check(at, has == wanted, "'%s' has %s'%s'", shown(text),
		     wanted ? "no " : "", part);
}

bool t_err(struct t_at at, int rc, const struct err *err, int code,
	   const char *words)
{
	bool ok = rc == code && err->code == code && strstr(err->msg, words);

	return check(at, ok, "rc %d, code %d, '%s'; want %d, '%s'", rc,
		     err->code, err->msg, code, words);
}

bool t_json(struct t_at at, const json_object *got, const char *want)
{
	_cleanup_json_ json_object *w = t_parse(want);
	json_object *g = (json_object *)got;

	return check(at, json_object_equal(g, w), "got %s, want %s",
		     json_object_to_json_string(g), want);
}

char *t_repeat(const char *part, size_t n)
{
	size_t len = strlen(part);
	char *s = malloc(len * n + 1);

	if (!s)
		abort();
	for (size_t i = 0; i < n; i++)
		memcpy(s + i * len, part, len);
	s[len * n] = '\0';
	return s;
}

json_object *t_parse(const char *text)
{
	json_object *o = NULL;
	struct err err = {0};

	if (!jx_parse(text, strlen(text), &o, &err))
		return o;
	fprintf(stderr, "the test's own JSON: %s\n%s\n", err.msg, text);
	abort();
}

static int remove_one(const char *path, const struct stat *st, int type,
		      struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	return remove(path);
}

static void remove_dir(void)
{
	nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

const char *t_path(const char *name)
{
	static char kept[PATHS_KEPT][512];
	static unsigned int next;
	char *path = kept[next++ % PATHS_KEPT];

	if (!*dir) {
		str_copy(dir, "/tmp/slurm-k8s-unit.XXXXXX", sizeof(dir));
		if (!mkdtemp(dir) || atexit(remove_dir))
			abort();
	}
	snprintf(path, sizeof(kept[0]), "%s/%s", dir, name);
	return path;
}

const char *t_write(const char *name, const char *text)
{
	const char *path = t_path(name);
	_cleanup_fclose_ FILE *f = fopen(path, "w");

	if (!f || fputs(text, f) < 0)
		abort();
	return path;
}

const char *t_script(const char *name, const char *text)
{
	const char *path = t_write(name, text);

	if (chmod(path, 0755))
		abort();
	return path;
}

char *t_data(const char *name)
{
	_cleanup_free_ char *path = str_printf("%s/%s", T_DATA, name);
	struct err err = {0};
	char *text = NULL;
	size_t len;

	if (path && !fs_read_file(path, 1 << 20, &text, &len, &err))
		return text;
	fprintf(stderr, "%s\n", err.msg);
	abort();
}

pid_t t_as_stranger(bool (*fn)(const char *arg), const char *arg)
{
	int ready[2];
	char c = 0;
	pid_t pid;

	if (geteuid() || pipe(ready))
		return -1;
	pid = fork();
	if (!pid) {
		if (setresuid(T_STRANGER, T_STRANGER, T_STRANGER))
			_exit(1);
		c = fn(arg);
		if (write(ready[1], &c, 1) == 1 && c)
			pause();
		_exit(0);
	}
	close(ready[1]);
	T_INT(read(ready[0], &c, 1), 1); /* it is ready */
	close(ready[0]);
	return pid;
}

void t_end(pid_t pid)
{
	if (pid <= 0)
		return;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* (threads of what is tested log, too) */
static pthread_mutex_t logging = PTHREAD_MUTEX_INITIALIZER;

static void keep_log(enum log_level level, const char *line)
{
	pthread_mutex_lock(&logging);
	buf_addf(&logged, "%s: %s\n", log_level_name(level), line);
	pthread_mutex_unlock(&logging);
}

const char *t_log(void)
{
	return buf_str(&logged);
}

void t_log_clear(void)
{
	pthread_mutex_lock(&logging);
	buf_reset(&logged);
	pthread_mutex_unlock(&logging);
}

static void before_each(void)
{
	row[0] = '\0';
	t_log_clear();
}

int t_run(const char *name, const struct t_case *cases, size_t n)
{
	unsigned int failures;
	CU_pSuite suite;

	setvbuf(stdout, NULL, _IOLBF, 0); /* an abort must not lose it */
	log_set_sink(keep_log);
	if (CU_initialize_registry() != CUE_SUCCESS)
		abort();
	suite = CU_add_suite_with_setup_and_teardown(name, NULL, NULL,
						     before_each, NULL);
	for (size_t i = 0; suite && i < n; i++)
		if (!CU_add_test(suite, cases[i].name, cases[i].run))
			abort();
	CU_basic_set_mode(CU_BRM_NORMAL);
	CU_basic_run_tests();
	failures = CU_get_number_of_failures();
	if (CU_get_number_of_tests_run() != n)
		failures++;
	CU_cleanup_registry();
	buf_free(&logged);
	return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}

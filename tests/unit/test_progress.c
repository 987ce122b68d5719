/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a user sees of a command that takes long; the clock is the test's. */
#include "progress.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdlib.h>
#include <unistd.h>

#include "api_server.h"
#include "check.h"
#include "diff.h"
#include "explain.h"
#include "site.h"
#include "slurm/ctl_config.h"
#include "slurm_user.h"
#include "status.h"
#include "terminal_fixture.h"

static int64_t now;
int64_t __wrap_clock_ms(void);
int64_t __wrap_clock_ms(void)
{
	return now;
}

/* An API server that answers after so many steps, of 100 ms each. */
static unsigned int steps;
size_t __wrap_kube_client_step(struct kube_client *c, int timeout_ms);
size_t __wrap_kube_client_step(struct kube_client *c, int timeout_ms)
{
	(void)c;
	(void)timeout_ms;
	now += 100;
	return steps ? steps-- : 0;
}

/* --- commands, where slurmctld does not answer, and that takes five seconds */

void __wrap_ctl_init(void);
void __wrap_ctl_init(void)
{
}

char *__wrap_ctl_config_cluster(void);
char *__wrap_ctl_config_cluster(void)
{
	return NULL;
}

int __wrap_slurm_user_run(int (*command)(void *arg), void *arg);
int __wrap_slurm_user_run(int (*command)(void *arg), void *arg)
{
	return command(arg);
}

int __wrap_slurm_user_become(struct err *err);
int __wrap_slurm_user_become(struct err *err)
{
	return err_set(err, -EPERM, "this is another user");
}

static int no_answer(struct err *err)
{
	now += 5000;
	progress_says("waiting for it");
	return err_set(err, -EIO, "no answer");
}

int __wrap_ctl_config_text(char **out, struct err *err);
int __wrap_ctl_config_text(char **out, struct err *err)
{
	(void)out;
	return no_answer(err);
}

void __wrap_site_load(struct site *s, const char *file);
void __wrap_site_load(struct site *s, const char *file)
{
	(void)file;
	*s = (struct site){0};
	no_answer(&s->slurm_err);
	(void)__wrap_slurm_user_become(&s->config_err);
}

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
} commands[] = {
	{"check", check_command},
	{"status", status_command},
	{"diff", diff_command},
	{"explain", explain_command},
};
static size_t chosen;
static bool with_json;

static void chosen_one(void)
{
	char *argv[] = {(char *)commands[chosen].name, (char *)"cpu-0", NULL,
			NULL};
	int argc = chosen ? 2 : 1; /* check has no names */

	if (with_json)
		argv[argc++] = (char *)"--json";
	for (int i = argc; i < 4; i++)
		argv[i] = NULL;
	optind = 0; /* getopt_long() begins anew */
	(void)commands[chosen].run(argc, argv);
	(void)fflush(stdout);
}

/* What a command writes to standard error, on a terminal of 80 columns. */
static const char *written(void (*command)(void))
{
	static struct terminal t;

	now = 50000;
	if (terminal_begin(&t)) {
		command();
		(void)fflush(stderr);
		_exit(0);
	}
	if (!T_OK(t.pid > 0))
		return "";
	T_INT(terminal_end(&t), 0);
	return t.seen;
}

static void short_one(void)
{
	progress_begin(false);
	progress_says("waiting for a");
	now += 1999;
	progress_step();
	progress_says("waiting for b");
	progress_end();
}

static void longer_one(void)
{
	progress_begin(false);
	progress_says("waiting for a");
	now += 2000;
	progress_step();
	progress_step();
	progress_end();
	progress_end();
}

static void what_takes_two_seconds_is_told_and_erased(void)
{
	T_STR(written(short_one), "");
	T_STR(written(longer_one), "\rwaiting for a\r             \r");
}

static void many_things(void)
{
	progress_begin(false);
	now += 5000;
	for (int i = 0; i < 1000; i++) {
		progress_says("pod %d", i);
		now += i < 100 ? 1 : 0;
	}
	now += 100;
	progress_says("p");
	progress_end();
}

/* Two of a thousand changes come when it is time for one. */
static void it_changes_no_faster_than_can_be_read(void)
{
	T_STR(written(many_things), "\rpod 0\rp    \r \r");
}

static void long_one(void)
{
	char name[201];

	memset(name, 'n', sizeof(name) - 1);
	name[200] = '\0';
	progress_begin(false);
	now += 5000;
	progress_says("%s\n\033[2J", name);
	progress_end();
}

static void it_is_one_line(void)
{
	const char *seen = written(long_one);

	T_INT(strlen(seen), 1 + 79 + 1 + 79 + 1);
	T_OK(!strpbrk(seen, "\n\033"));
}

static void json(void)
{
	progress_begin(true);
	now += 5000;
	progress_says("waiting for a");
	progress_end();
}

static void unasked(void)
{
	now += 5000;
	progress_says("waiting for a");
	progress_step();
	progress_end();
}

static void slow(void)
{
	static const struct cluster_config prod = {
		.name = (char *)"prod", .kubeconfig = (char *)"/no-such"};
	struct api_server s;
	struct err err;

	progress_begin(false);
	(void)api_open(&s, &prod, &err);
	steps = 10;
	api_wait(&s);
	fputs("|", stderr);
	steps = 10;
	api_wait(&s);
	progress_end();
	fputs("|", stderr);
}

static void an_api_server_that_is_slow_is_named(void)
{
	static const char words[] = "waiting for Kubernetes cluster prod";
	char want[200];

	snprintf(want, sizeof(want), "|\r%s\r%*s\r|", words, (int)strlen(words),
		 "");
	T_STR(written(slow), want);
}

static void commands_tell_what_they_wait_for(void)
{
	static const char line[] = "\rwaiting for it\r              \r";

	for (chosen = 0; chosen < T_COUNT(commands); chosen++) {
		t_row("%s", commands[chosen].name);
		with_json = false;
		T_HAS(written(chosen_one), line);
		with_json = true;
		T_LACKS(written(chosen_one), "waiting");
	}
}

static void programs_see_none_of_it(void)
{
	char seen[64];
	int fds[2], saved = dup(STDERR_FILENO);

	T_STR(written(json), "");
	T_STR(written(unasked), "");
	T_NEED(saved >= 0 && !pipe2(fds, O_NONBLOCK));
	T_NEED(dup2(fds[1], STDERR_FILENO) >= 0);
	longer_one();
	(void)fflush(stderr);
	dup2(saved, STDERR_FILENO);
	close(saved);
	T_INT(read(fds[0], seen, sizeof(seen)), -1);
	close(fds[0]);
	close(fds[1]);
}

T_MAIN("progress", T(what_takes_two_seconds_is_told_and_erased),
       T(it_changes_no_faster_than_can_be_read), T(it_is_one_line),
       T(an_api_server_that_is_slow_is_named),
       T(commands_tell_what_they_wait_for), T(programs_see_none_of_it))

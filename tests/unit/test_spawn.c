/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/spawn.h"
#include "t.h"

#define LONG_MS 20000 /* only a hung test takes it */
#define OUT_MAX 4096

static bool undying; /* the kernel lets none die */

pid_t __wrap_waitpid(pid_t pid, int *status, int options);
pid_t __real_waitpid(pid_t pid, int *status, int options);
pid_t __wrap_waitpid(pid_t pid, int *status, int options)
{
	T_OK(!undying || (options & WNOHANG));
	return undying ? 0 : __real_waitpid(pid, status, options);
}

struct run {
	char *out;
	size_t len;
	struct err err;
	int rc;
};

static void run_clear(struct run *r)
{
	free(r->out);
}
#define _cleanup_run_ _cleanup_(run_clear)

static int run(const char *const argv[], const char *const envp[],
	       int64_t timeout_ms, struct run *r)
{
	struct spawn *s = NULL;

	r->rc = spawn_begin((char *const *)argv, (char *const *)envp,
			    timeout_ms, OUT_MAX, &s, &r->err);
	if (!r->rc)
		do
			r->rc = spawn_poll(s, timeout_ms, &r->out, &r->len,
					   &r->err);
		while (r->rc == -EINPROGRESS);
	return r->rc;
}

static struct run sh_for(const char *script, int64_t timeout_ms)
{
	const char *argv[] = {"sh", "-c", script, NULL};
	const char *envp[] = {"PATH=/usr/bin:/bin", "WHO=us", NULL};
	struct run r = {0};

	run(argv, envp, timeout_ms, &r);
	return r;
}

static struct run sh(const char *script)
{
	return sh_for(script, LONG_MS);
}

static void what_the_program_prints_is_read(void)
{
	_cleanup_run_ struct run r = sh("echo one; echo two");

	T_INT(r.rc, 0);
	T_STR(r.out, "one\ntwo\n");
	T_INT(r.len, 8);
}

static void a_program_may_run_while_other_things_are_done(void)
{
	const char *argv[] = {"sh", "-c", "echo one; sleep 1; echo two", NULL};
	const char *envp[] = {"PATH=/usr/bin:/bin", NULL};
	_cleanup_run_ struct run r = {0};
	struct spawn *s = NULL;
	int polls = 0;

	T_NEED(T_INT(spawn_begin((char *const *)argv, (char *const *)envp,
				 LONG_MS, OUT_MAX, &s, &r.err),
		     0));
	while ((r.rc = spawn_poll(s, polls % 2 ? 20 : 0, &r.out, &r.len,
				  &r.err)) == -EINPROGRESS)
		polls++;
	T_OK(polls > 1);
	T_INT(r.rc, 0);
	T_STR(r.out, "one\ntwo\n");
}

static void one_that_runs_may_be_ended(void)
{
	const char *argv[] = {"sh", "-c", "sleep 1000 & sleep 1000", NULL};
	const char *envp[] = {"PATH=/usr/bin:/bin", NULL};
	struct spawn *s = NULL;
	struct err err;

	T_NEED(T_INT(spawn_begin((char *const *)argv, (char *const *)envp,
				 LONG_MS, OUT_MAX, &s, &err),
		     0));
	spawn_kill(s);
	T_INT(waitpid(-1, NULL, WNOHANG), -1);
	T_INT(errno, ECHILD);
	spawn_kill(NULL);
}

static void a_silent_program_is_an_empty_text(void)
{
	_cleanup_run_ struct run r = sh(":");

	T_INT(r.rc, 0);
	T_STR(r.out, "");
}

static void the_environment_is_exactly_what_was_given(void)
{
	_cleanup_run_ struct run r = sh("echo $WHO $HOME-");

	T_STR(r.out, "us -\n");
}

static void standard_input_is_empty(void)
{
	_cleanup_run_ struct run r = sh("cat; echo end");

	T_STR(r.out, "end\n");
}

static void no_other_descriptor_is_inherited(void)
{
	_cleanup_close_ int fd = open("/dev/null", O_RDONLY); /* no O_CLOEXEC */
	char script[64];

	T_NEED(fd > 2);
	snprintf(script, sizeof(script),
		 "[ -e /proc/self/fd/%d ] && echo open || echo closed", fd);
	_cleanup_run_ struct run r = sh(script);
	T_STR(r.out, "closed\n");
}

static void ignored_signals_are_back_at_their_defaults(void)
{
	void (*old)(int) = signal(SIGTERM, SIG_IGN);
	_cleanup_run_ struct run r = sh("kill -TERM $$; echo alive");

	signal(SIGTERM, old);
	T_ERR(r.rc, &r.err, -EPROTO, "sh: signal 15");
}

static void of_a_failure_only_the_log_has_the_programs_words(void)
{
	_cleanup_run_ struct run r = sh("echo not logged in >&2; exit 3");

	T_ERR(r.rc, &r.err, -EPROTO,
	      "sh: exit code 3; what it says is in the log");
	T_OK(!strstr(r.err.msg, "not logged in"));
	T_HAS(t_log(), "sh: not logged in");
	T_OK(!r.out);
}

static void a_chatty_program_may_still_succeed(void)
{
	_cleanup_run_ struct run r =
		sh("i=0; while [ $i -lt 2000 ]; do echo warning $i >&2; "
		   "i=$((i+1)); done; echo fine");

	T_INT(r.rc, 0);
	T_STR(r.out, "fine\n");
}

static void of_many_words_the_last_are_kept(void)
{
	_cleanup_run_ struct run r =
		sh("i=0; while [ $i -lt 2000 ]; do echo warning $i >&2; "
		   "i=$((i+1)); done; echo the cause >&2; exit 1");

	T_ERR(r.rc, &r.err, -EPROTO, "exit code 1");
	T_HAS(t_log(), "the cause");
}

static void a_program_that_does_not_exist_says_so(void)
{
	const char *argv[] = {"no-such-program-here", NULL};
	const char *envp[] = {NULL};
	struct run r = {0};

	T_ERR(run(argv, envp, LONG_MS, &r), &r.err, -ENOENT,
	      "no-such-program-here: cannot be run");
}

static void a_program_that_prints_too_much_is_killed(void)
{
	_cleanup_run_ struct run r = sh("exec cat /dev/zero");

	T_ERR(r.rc, &r.err, -EMSGSIZE, "printed more than 4096 bytes");
	T_OK(!r.out);
}

static void a_program_that_hangs_is_killed_at_the_deadline(void)
{
	_cleanup_run_ struct run r = sh_for("exec sleep 1000", 50);

	T_ERR(r.rc, &r.err, -ETIMEDOUT, "not done after 50 ms");
}

static void a_program_that_closes_its_output_is_still_waited_for(void)
{
	_cleanup_run_ struct run r = sh("exec >&- 2>&-; exit 5");

	T_ERR(r.rc, &r.err, -EPROTO, "exit code 5");
}

static void the_children_of_a_hanging_program_die_with_it(void)
{
	const char *path = t_path("held-open-by-the-grandchild");
	_cleanup_close_ int fd = -1;
	struct pollfd p = {.events = POLLIN};
	char script[600], got[8] = "";

	T_NEED(!mkfifo(path, 0600));
	p.fd = fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	T_NEED(fd >= 0);
	snprintf(script, sizeof(script),
		 "{ echo up; exec sleep 1000; } > %s & wait", path);
	_cleanup_run_ struct run r = sh_for(script, 5000);
	T_INT(r.rc, -ETIMEDOUT);
	T_INT(read(fd, got, sizeof(got) - 1), 3);
	T_INT(poll(&p, 1, LONG_MS), 1);
	T_INT(read(fd, got, 1), 0); /* nobody holds the other end */
}

/* (each look is one of a loop that has other things to do) */
static void what_is_there_is_read_at_one_look(void)
{
	char *argv[] = {(char *)"/bin/sh", (char *)"-c", NULL, NULL};
	char *envp[] = {(char *)"PATH=/usr/bin:/bin", NULL};
	const int64_t end = clock_ms() + LONG_MS;
	struct err err = {0};
	struct spawn *s = NULL;
	char *out = NULL, script[600];
	size_t len = 0, looks = 0;
	int rc;

	snprintf(script, sizeof(script),
		 "head -c 60000 /dev/zero; : > %s; exec sleep 0.2",
		 t_path("printed"));
	argv[2] = script;
	T_NEED(T_INT(spawn_begin(argv, envp, LONG_MS, 65536, &s, &err), 0));
	while (access(t_path("printed"), F_OK) && clock_ms() < end)
		clock_nap(5);
	while ((rc = spawn_poll(s, 0, &out, &len, &err)) == -EINPROGRESS) {
		looks++;
		clock_nap(400); /* its end may take another look */
	}
	T_INT(rc, 0);
	T_INT(len, 60000);
	T_OK(looks <= 2);
	free(out);
}

static void a_program_that_leaves_its_group_is_killed_too(void)
{
	_cleanup_run_ struct run r =
		sh_for("exec perl -e 'setpgrp(0, getpgrp(getppid)) or die; "
		       "sleep 1000'",
		       1000);

	T_ERR(r.rc, &r.err, -ETIMEDOUT, "not done after 1000 ms");
}

static int begin_sleep(struct spawn **s, struct err *err)
{
	const char *argv[] = {"sleep", "1000", NULL};
	const char *envp[] = {"PATH=/usr/bin:/bin", NULL};

	return spawn_begin((char *const *)argv, (char *const *)envp, LONG_MS,
			   OUT_MAX, s, err);
}

/* (they wait for a device that hangs) */
static void who_does_not_die_is_not_waited_for_and_soon_not_begun(void)
{
	struct spawn *s = NULL;
	struct err err = {0};

	undying = true;
	for (int i = 0; i < 8; i++) {
		t_row("%d", i);
		T_NEED(!begin_sleep(&s, &err));
		spawn_kill(s);
	}
	s = NULL;
	T_ERR(begin_sleep(&s, &err), &err, -EAGAIN, "do not end");
	/* (waiting for those that have ended makes room) */
	undying = false;
	for (int i = 0; i < 200 && begin_sleep(&s, &err); i++)
		clock_nap(10);
	T_NEED(s != NULL);
	spawn_kill(s);
}

T_MAIN("spawn", T(who_does_not_die_is_not_waited_for_and_soon_not_begun),
       T(what_is_there_is_read_at_one_look),
       T(a_program_that_leaves_its_group_is_killed_too),
       T(what_the_program_prints_is_read),
       T(a_program_may_run_while_other_things_are_done),
       T(one_that_runs_may_be_ended), T(a_silent_program_is_an_empty_text),
       T(the_environment_is_exactly_what_was_given), T(standard_input_is_empty),
       T(no_other_descriptor_is_inherited),
       T(ignored_signals_are_back_at_their_defaults),
       T(of_a_failure_only_the_log_has_the_programs_words),
       T(a_chatty_program_may_still_succeed),
       T(of_many_words_the_last_are_kept),
       T(a_program_that_does_not_exist_says_so),
       T(a_program_that_prints_too_much_is_killed),
       T(a_program_that_hangs_is_killed_at_the_deadline),
       T(a_program_that_closes_its_output_is_still_waited_for),
       T(the_children_of_a_hanging_program_die_with_it))

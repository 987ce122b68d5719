/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "interrupt.h"
#include "slurm_user.h"
#include "t.h"

#define WAIT_MS 20000

/* Both ends of two pipes: what the command says, and when it may end. */
struct talk {
	int said[2], hear[2];
};

static void say(const struct talk *t, char c)
{
	if (write(t->said[1], &c, 1) != 1)
		_exit(99);
}

/* Says "b", and when it is interrupted "c"; then it ends, with code 7. */
static int with_something_to_clean_up(void *arg)
{
	const struct talk *t = arg;
	const int64_t end = clock_ms() + WAIT_MS;

	interrupt_catch();
	say(t, 'b');
	while (!interrupted() && clock_ms() < end)
		clock_nap(20);
	say(t, interrupted() ? 'c' : 'x');
	return 7;
}

/* It says "b", and then waits for the end of a pipe. */
static int with_nothing_to_clean_up(void *arg)
{
	const struct talk *t = arg;
	char c;

	say(t, 'b');
	return read(t->hear[0], &c, 1) == 1 ? 7 : 8;
}

static char heard(const struct talk *t)
{
	char c = '?';

	return read(t->said[0], &c, 1) == 1 ? c : '-';
}

/* The process from which a command is run, as from a shell. */
static pid_t begin(struct talk *t,
		   int (*run)(int (*command)(void *arg), void *arg),
		   int (*command)(void *arg))
{
	pid_t pid;

	if (pipe(t->said) || pipe(t->hear))
		abort();
	pid = fork();
	if (pid) {
		close(t->said[1]);
		return pid;
	}
	close(t->hear[1]);
	_exit(run(command, t));
}

static void end(struct talk *t)
{
	close(t->said[0]);
	close(t->hear[0]);
	close(t->hear[1]);
}

static void a_command_may_clean_up_after_an_interrupt(void)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};

	for (size_t i = 0; i < T_COUNT(signals); i++) {
		struct talk t;
		int status = -1;
		pid_t pid = begin(&t, slurm_user_run_to_end,
				  with_something_to_clean_up);

		t_row("signal %d", signals[i]);
		T_INT(heard(&t), 'b');
		kill(pid, signals[i]);
		T_INT(heard(&t), 'c');
		T_INT(waitpid(pid, &status, 0), pid);
		T_OK(WIFEXITED(status));
		T_INT(WEXITSTATUS(status), 7);
		end(&t);
	}
}

/* Also when nobody is left to wait for it: kill -9, or a lost terminal. */
static void a_command_cleans_up_without_its_parent(void)
{
	struct talk t;
	int status = -1;
	pid_t pid =
		begin(&t, slurm_user_run_to_end, with_something_to_clean_up);

	T_INT(heard(&t), 'b');
	kill(pid, SIGKILL);
	T_INT(waitpid(pid, &status, 0), pid);
	/* who is not root has no child, and is killed himself */
	T_INT(heard(&t), geteuid() ? '-' : 'c');
	end(&t);
}

static void another_command_ends_at_once(void)
{
	struct talk t;
	int status = -1;
	pid_t pid = begin(&t, slurm_user_run, with_nothing_to_clean_up);

	T_INT(heard(&t), 'b');
	kill(pid, SIGINT);
	T_INT(waitpid(pid, &status, 0), pid);
	T_OK(WIFSIGNALED(status));
	/* the pipe has nobody who writes any more */
	T_INT(heard(&t), '-');
	end(&t);
	pid = begin(&t, slurm_user_run_to_end, with_nothing_to_clean_up);
	T_INT(heard(&t), 'b');
	kill(pid, SIGINT);
	T_INT(heard(&t), '-');
	T_INT(waitpid(pid, &status, 0), pid);
	end(&t);
}

static void the_exit_code_is_the_commands(void)
{
	struct talk t;
	int status = -1;
	pid_t pid = begin(&t, slurm_user_run_to_end, with_nothing_to_clean_up);

	T_INT(heard(&t), 'b');
	T_INT(write(t.hear[1], "e", 1), 1);
	T_INT(waitpid(pid, &status, 0), pid);
	T_INT(WEXITSTATUS(status), 7);
	end(&t);
}

T_MAIN("slurm_user", T(a_command_may_clean_up_after_an_interrupt),
       T(a_command_cleans_up_without_its_parent),
       T(another_command_ends_at_once), T(the_exit_code_is_the_commands))

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who gets colours, and who does not: slurmctld does not answer the test. */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "findings.h"
#include "site.h"
#include "slurm/ctl_config.h"
#include "slurm_user.h"
#include "status.h"
#include "terminal_fixture.h"

#define ESCAPE "\033"

void __wrap_ctl_init(void);
void __wrap_ctl_init(void)
{
}

int __wrap_ctl_config_text(char **out, struct err *err);
int __wrap_ctl_config_text(char **out, struct err *err)
{
	(void)out;
	return err_set(err, -EIO, "no answer");
}

int __wrap_slurm_user_run(int (*command)(void *arg), void *arg);
int __wrap_slurm_user_run(int (*command)(void *arg), void *arg)
{
	return command(arg);
}

/* Of root's environment nothing is left then. */
int __wrap_slurm_user_become(struct err *err);
int __wrap_slurm_user_become(struct err *err)
{
	clearenv();
	return err_set(err, -EPERM, "this is another user");
}

void __wrap_site_load(struct site *s, const char *file);
void __wrap_site_load(struct site *s, const char *file)
{
	struct err none;

	(void)file;
	*s = (struct site){0};
	(void)__wrap_slurm_user_become(&none);
	err_set(&s->slurm_err, -EIO, "no answer" ESCAPE "[31m");
	err_set(&s->config_err, -EIO, "no k8s.yaml");
}

static void say(const char *name, const char *value)
{
	unsetenv(name);
	if (value)
		setenv(name, value, 1);
}

/* A command on a terminal of a user with such an environment. */
static void run(struct terminal *t, int (*command)(int argc, char **argv),
		const char *term, const char *no_colour, const char *option)
{
	char *argv[] = {(char *)"command", (char *)option, NULL};
	int code;

	if (!terminal_begin(t))
		return;
	say("TERM", term);
	say("NO_COLOR", no_colour);
	optind = 0; /* getopt_long() begins anew */
	code = command(option ? 2 : 1, argv);
	(void)fflush(stdout);
	_exit(code);
}

static void a_terminal_gets_colours_if_its_user_wants_them(void)
{
	static const struct {
		const char *term, *no_colour, *option;
		bool colours;
	} rows[] = {
		{"xterm", NULL, NULL, true},
		{"xterm", "", NULL, true},
		{"linux", NULL, "--problems", true},
		{"xterm", "1", NULL, false},
		{"xterm", "0", NULL, false},
		{"dumb", NULL, NULL, false},
		{"", NULL, NULL, false},
		{NULL, NULL, NULL, false},
		{"xterm", NULL, "--json", false},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		static struct terminal t;
		int status;

		t_row("%zu", i);
		run(&t, check_command, rows[i].term, rows[i].no_colour,
		    rows[i].option);
		T_NEED(t.pid > 0);
		status = terminal_end(&t);
		T_OK(WIFEXITED(status) && WEXITSTATUS(status) == 2);
		T_HAS(t.seen, "no answer");
		T_INT(strstr(t.seen, ESCAPE) != NULL, rows[i].colours);
		if (rows[i].colours)
			T_HAS(t.seen, ESCAPE "[35mUNKNOWN " ESCAPE "[0m");
	}
}

static void status_has_no_colours_even_on_a_terminal(void)
{
	static struct terminal t;

	run(&t, status_command, "xterm", NULL, NULL);
	T_NEED(t.pid > 0);
	terminal_end(&t);
	T_HAS(t.seen, "Slurm: not known: no answer");
	T_LACKS(t.seen, ESCAPE);
}

/* As in a file, or a pipe. */
static void what_is_no_terminal_gets_none(void)
{
	char *argv[] = {(char *)"check", NULL}, seen[4096];
	int fds[2], saved = dup(STDOUT_FILENO);
	ssize_t n;

	say("TERM", "xterm");
	say("NO_COLOR", NULL);
	(void)fflush(stdout);
	T_NEED(saved >= 0 && !pipe(fds) && dup2(fds[1], STDOUT_FILENO) >= 0);
	close(fds[1]);
	optind = 0;
	T_INT(check_command(1, argv), 2);
	(void)fflush(stdout);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	n = read(fds[0], seen, sizeof(seen) - 1);
	close(fds[0]);
	seen[n > 0 ? n : 0] = '\0';
	T_HAS(seen, "UNKNOWN  slurmctld");
	T_LACKS(seen, ESCAPE);
}

static void each_state_has_a_colour(void)
{
	static const struct {
		enum finding_state state;
		const char *line;
	} rows[] = {
		{FINDING_OK, "\033[32mok      \033[0m "},
		{FINDING_WARN, "\033[33mwarning \033[0m "},
		{FINDING_WRONG, "\033[31mWRONG   \033[0m "},
		{FINDING_UNKNOWN, "\033[35mUNKNOWN \033[0m "},
		{FINDING_SKIPPED, "\033[2mskipped \033[0m "},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct findings f = {0};
		char *text = NULL;
		size_t len;
		FILE *out = open_memstream(&text, &len);

		T_NEED(out);
		findings_add(&f, rows[i].state, "one", "mend " ESCAPE "it",
			     "a " ESCAPE "[2J screen");
		findings_print(&f, out, true, true);
		fclose(out);
		t_row("%s", rows[i].line);
		/* what is not ours is no escape sequence any more */
		T_HAS(text, "one ");
		T_OK(!strncmp(text, rows[i].line, strlen(rows[i].line)));
		T_OK(!strstr(text + strlen(rows[i].line), ESCAPE));
		free(text);
		findings_clear(&f);
	}
}

T_MAIN("colours", T(a_terminal_gets_colours_if_its_user_wants_them),
       T(status_has_no_colours_even_on_a_terminal),
       T(what_is_no_terminal_gets_none), T(each_state_has_a_colour))

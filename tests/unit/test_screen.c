/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A text that is shown again and again, on a terminal of the test's own. */
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "screen.h"
#include "t.h"
#include "terminal_fixture.h"

#define ENTER "\033[?1049h"
#define LEAVE "\033[?1049l"

static char *written(const char *text, unsigned int rows)
{
	char *out = NULL;
	size_t len;
	FILE *f = open_memstream(&out, &len);

	if (!f)
		abort();
	screen_write(text, rows, f);
	fclose(f);
	return out;
}

static void a_text_is_cut_to_the_terminals_rows(void)
{
	static const struct {
		const char *text;
		unsigned int rows;
		const char *out;
	} rows[] = {
		{"a\nb\n", 0, "\033[Ha\033[K\nb\033[K\n\033[J"},
		{"a\nb\n", 3, "\033[Ha\033[K\nb\033[K\n\033[J"},
		{"a\nb\nc\n", 3, "\033[Ha\033[K\nb\033[K\n...\033[K\033[J"},
		{"a\nb\n", 1, "\033[H...\033[K\033[J"},
		{"a", 5, "\033[Ha\033[K\n\033[J"},
		{"", 5, "\033[H\033[J"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_free_ char *out = written(rows[i].text, rows[i].rows);

		t_row("%s in %u", rows[i].text, rows[i].rows);
		T_STR(out, rows[i].out);
	}
}

static void start(struct terminal *t)
{
	char text[32];

	if (!terminal_begin(t))
		return;
	if (!screen_begin())
		_exit(7);
	for (unsigned int i = 0;; i++) {
		snprintf(text, sizeof(text), "turn %u.\n", i);
		screen_show(text);
		poll(NULL, 0, 20);
	}
}

static void ctrl_c_brings_back_what_was_there(void)
{
	static struct terminal t;
	struct termios before = {0}, after = {0};
	const char *left;
	int status;

	start(&t);
	T_NEED(t.pid > 0);
	T_INT(tcgetattr(t.fd, &before), 0);
	T_OK(terminal_see(&t, ENTER));
	T_OK(terminal_see(&t, "turn 1."));
	/* it goes on */
	terminal_type(&t, CTRL_Z);
	T_OK(terminal_see(&t, "turn 20."));
	T_OK(!strstr(t.seen, LEAVE));
	terminal_type(&t, CTRL_C);
	T_OK(terminal_see(&t, NULL));
	T_INT(tcgetattr(t.fd, &after), 0);
	status = terminal_end(&t);
	T_OK(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
	T_OK(!memcmp(&before, &after, sizeof(before)));
	left = strstr(t.seen, LEAVE);
	T_NEED(left != NULL);
	left += strlen(LEAVE);
	/* Linux echoes Ctrl-C after it has sent the signal. */
	T_OK(!*left || !strcmp(left, "^C"));
}

static void what_is_no_terminal_is_left_alone(void)
{
	int fds[2], status;
	char seen[8];
	pid_t pid;

	T_NEED(!pipe(fds));
	pid = fork();
	T_NEED(pid >= 0);
	if (!pid) {
		dup2(fds[1], STDOUT_FILENO);
		if (screen_begin())
			_exit(7);
		screen_end();
		_exit(0);
	}
	close(fds[1]);
	T_INT(read(fds[0], seen, sizeof(seen)), 0);
	T_INT(waitpid(pid, &status, 0), pid);
	T_INT(status, 0);
	close(fds[0]);
}

T_MAIN("screen", T(a_text_is_cut_to_the_terminals_rows),
       T(ctrl_c_brings_back_what_was_there),
       T(what_is_no_terminal_is_left_alone))

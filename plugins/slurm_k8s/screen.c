/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "screen.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "slurm_user.h"

/*
 * XTerm's control sequences, which Linux' console and all of today's terminals
 * know: the alternate screen, and no lines that go on in the next one.
 */
#define ENTER "\033[?1049h\033[?7l"
#define LEAVE "\033[?7h\033[?1049l"
#define HOME "\033[H"
#define END_OF_LINE "\033[K\n"
#define REST "\033[J"

static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
#define N_ENDS (sizeof(ends) / sizeof(*ends))

static bool taken;

static void leave(void)
{
	const char *at = LEAVE;
	size_t left = sizeof(LEAVE) - 1;
	ssize_t n;

	while (left && (n = write(STDOUT_FILENO, at, left)) > 0) {
		at += n;
		left -= (size_t)n;
	}
}

/* The child goes first, for it would write on what comes back. */
static void on_end(int number)
{
	const int saved = errno;

	slurm_user_end_child();
	leave();
	signal(number, SIG_DFL);
	raise(number);
	errno = saved;
}

bool screen_begin(void)
{
	struct sigaction act = {.sa_handler = on_end};

	if (!isatty(STDOUT_FILENO))
		return false;
	sigemptyset(&act.sa_mask);
	for (size_t i = 0; i < N_ENDS; i++)
		sigaddset(&act.sa_mask, ends[i]);
	for (size_t i = 0; i < N_ENDS; i++)
		(void)sigaction(ends[i], &act, NULL);
	signal(SIGTSTP, SIG_IGN);
	taken = true;
	fputs(ENTER, stdout);
	(void)fflush(stdout);
	return true;
}

void screen_end(void)
{
	if (!taken)
		return;
	taken = false;
	(void)fflush(stdout);
	leave();
	for (size_t i = 0; i < N_ENDS; i++)
		signal(ends[i], SIG_DFL);
	signal(SIGTSTP, SIG_DFL);
}

void screen_write(const char *text, unsigned int rows, FILE *out)
{
	unsigned int row = 0;

	fputs(HOME, out);
	while (*text && (!rows || row + 1 < rows)) {
		const size_t len = strcspn(text, "\n");

		fprintf(out, "%.*s", (int)len, text);
		text += len + (text[len] == '\n');
		fputs(END_OF_LINE, out);
		row++;
	}
	if (*text)
		fputs("...", out);
	fputs(*text ? "\033[K" REST : REST, out);
}

int screen_show(const char *text)
{
	struct winsize size = {0};

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
		size.ws_row = 0;
	screen_write(text, size.ws_row, stdout);
	return fflush(stdout) ? -EIO : 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "progress.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"

#define TEXT_MAX 256
#define COLUMNS 80 /* width of a terminal that does not say its own */

static struct {
	bool wanted;
	int64_t begun_at, shown_at;
	char text[TEXT_MAX]; /* what is waited for */
	int shown;	     /* letters on the terminal; 0: there is no line */
	bool is_new;	     /* the text differs from what is shown */
} line;

void progress_begin(bool json)
{
	line.wanted = !json && isatty(STDERR_FILENO);
	line.begun_at = clock_ms();
	line.shown = 0;
	*line.text = '\0';
}

/*
 * Letters for the line. The terminal's last column stays empty, for behind it
 * some terminals begin a new line.
 */
static int room(void)
{
	struct winsize size = {0};

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) || size.ws_col < 2)
		return COLUMNS - 1;
	return size.ws_col - 1;
}

void progress_step(void)
{
	const int64_t now = line.wanted ? clock_ms() : 0;
	const int before = line.shown;

	if (!line.wanted || !*line.text ||
	    now - line.begun_at < PROGRESS_AFTER_MS ||
	    (line.shown &&
	     (!line.is_new || now - line.shown_at < PROGRESS_EACH_MS)))
		return;
	line.shown = (int)strlen(line.text);
	if (line.shown > room())
		line.shown = room();
	/* Spaces erase what is left of a longer line. */
	fprintf(stderr, "\r%.*s%*s", line.shown, line.text,
		before > line.shown ? before - line.shown : 0, "");
	line.shown_at = now;
	line.is_new = false;
}

void progress_says(const char *fmt, ...)
{
	char text[TEXT_MAX];
	va_list ap;

	if (!line.wanted)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	str_sanitize(text);
	line.is_new |= strcmp(text, line.text) != 0;
	str_copy(line.text, text, sizeof(line.text));
	progress_step();
}

void progress_end(void)
{
	if (line.shown)
		fprintf(stderr, "\r%*s\r", line.shown, "");
	line.shown = 0;
}

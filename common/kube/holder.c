/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kube/holder.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "base/str.h"

#define STAT_MAX 4096
#define BOOT_DIGITS 8

struct holder {
	char host[HOST_NAME_MAX + 1];
	int pid;
	unsigned long long start;
	char boot[BOOT_DIGITS + 1]; /* beginning of the boot's id */
	unsigned long long pid_ns;
};

struct proc {
	char state;
	long threads;
	unsigned long long start;
};

/* The place `n` fields later in a text; NULL: there are fewer. */
static const char *skip(const char *text, int n)
{
	while (text && n--) {
		text = strchr(text, ' ');
		text = text ? text + 1 : NULL;
	}
	return text;
}

/* /proc/PID/stat, see proc(5); the name in parentheses may hold anything. */
static bool read_stat(int pid, struct proc *out)
{
	_cleanup_free_ char *path = str_printf("/proc/%d/stat", pid);
	_cleanup_free_ char *text = NULL;
	const char *state, *threads, *start;
	size_t len;

	if (!path || fs_read_file(path, STAT_MAX, &text, &len, NULL))
		return false;
	state = skip(strrchr(text, ')'), 1); /* field 3 */
	threads = skip(state, 20 - 3);
	start = skip(threads, 22 - 20);
	if (!start)
		return false;
	*out = (struct proc){.state = *state,
			     .threads = strtol(threads, NULL, 10),
			     .start = strtoull(start, NULL, 10)};
	return true;
}

static void read_boot(char out[BOOT_DIGITS + 1])
{
	_cleanup_free_ char *text = NULL;
	size_t len;

	*out = '\0';
	if (!fs_read_file("/proc/sys/kernel/random/boot_id", STAT_MAX, &text,
			  &len, NULL) &&
	    strspn(text, "0123456789abcdef") >= BOOT_DIGITS)
		str_copy(out, text, BOOT_DIGITS + 1);
}

/*
 * The number of our PID namespace, by a link to "pid:[4026531836]"; 0: unknown.
 */
static unsigned long long read_pid_ns(void)
{
	char link[64];
	ssize_t n = readlink("/proc/self/ns/pid", link, sizeof(link) - 1);

	if (n < 0)
		return 0;
	link[n] = '\0';
	return str_starts(link, "pid:[")
		       ? strtoull(link + strlen("pid:["), NULL, 10)
		       : 0;
}

static void read_self(struct holder *out)
{
	struct proc p = {0};

	*out = (struct holder){.pid = getpid(), .pid_ns = read_pid_ns()};
	if (gethostname(out->host, sizeof(out->host) - 1) || !*out->host)
		str_copy(out->host, "?", sizeof(out->host));
	if (read_stat(out->pid, &p))
		out->start = p.start;
	read_boot(out->boot);
}

void holder_self(char out[HOLDER_MAX])
{
	struct holder h;

	read_self(&h);
	snprintf(out, HOLDER_MAX, "%s_%d_%llu_%s_%llu", h.host, h.pid, h.start,
		 h.boot, h.pid_ns);
}

/* Cut the part after the last "_" off; NULL: there is none. */
static char *cut(char *text)
{
	char *at = strrchr(text, '_');

	if (!at)
		return NULL;
	*at = '\0';
	return at + 1;
}

static bool number(const char *text, unsigned long long *out)
{
	if (!text || !isdigit((unsigned char)*text) || strlen(text) > 19)
		return false;
	*out = strtoull(text, NULL, 10);
	return strspn(text, "0123456789") == strlen(text);
}

static bool parse(const char *text, struct holder *out)
{
	char copy[HOLDER_MAX];
	unsigned long long pid;
	char *boot;

	if (strlen(text) >= sizeof(copy))
		return false;
	str_copy(copy, text, sizeof(copy));
	if (!number(cut(copy), &out->pid_ns))
		return false;
	boot = cut(copy);
	if (!boot || strlen(boot) > BOOT_DIGITS)
		return false;
	str_copy(out->boot, boot, sizeof(out->boot));
	if (!number(cut(copy), &out->start) || !number(cut(copy), &pid) ||
	    pid < 1 || pid > INT_MAX || !*copy ||
	    strlen(copy) >= sizeof(out->host))
		return false;
	out->pid = (int)pid;
	str_copy(out->host, copy, sizeof(out->host));
	return true;
}

bool holder_has_ended(const char *text)
{
	struct holder self, h;
	struct proc p;

	if (!parse(text, &h))
		return false;
	read_self(&self);
	if (!*h.boot || !h.pid_ns || !h.start || strcmp(h.host, self.host) ||
	    strcmp(h.boot, self.boot) || h.pid_ns != self.pid_ns)
		return false;
	/*
	 * /proc is not asked first: it may hide the processes of other users.
	 */
	if (kill(h.pid, 0) && errno == ESRCH)
		return true;
	if (!read_stat(h.pid, &p))
		return false;
	/*
	 * A killed process with threads left may still write: it has not ended.
	 */
	return p.start != h.start ||
	       ((p.state == 'Z' || p.state == 'X') && p.threads <= 1);
}

void holder_words(const char *text, char *out, size_t size)
{
	struct holder h;

	if (parse(text, &h))
		snprintf(out, size, "%s, pid %d", h.host, h.pid);
	else
		str_copy(out, text, size);
	str_sanitize(out);
}

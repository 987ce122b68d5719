/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/notify.h"
#include "base/str.h"
#include "t.h"

/* A name that no other run has. */
static const char *name_of(const char *what)
{
	static char name[64];

	snprintf(name, sizeof(name), "slurm-k8s-test/%s/%d", what, getpid());
	return name;
}

static int listen_as(const char *name)
{
	struct err err = {0};
	int fd = notify_listen(name, &err);

	T_OK(fd >= 0);
	T_STR(err.msg, "");
	return fd;
}

static void what_is_rung_is_read(void)
{
	const char *name = name_of("ring");
	int fd = listen_as(name);
	char text[NOTIFY_TEXT_MAX];

	T_NEED(fd >= 0);
	T_INT(notify_read(fd, text), 0);
	T_INT(notify_ring(name, "refused cpu-1 no quota"), 0);
	T_INT(notify_read(fd, text), 1);
	T_STR(text, "refused cpu-1 no quota");
	T_INT(notify_read(fd, text), 0);
	close(fd);
}

static void a_message_wakes_who_polls(void)
{
	const char *name = name_of("poll");
	struct pollfd p = {.fd = listen_as(name), .events = POLLIN};
	char text[NOTIFY_TEXT_MAX];

	T_NEED(p.fd >= 0);
	T_INT(poll(&p, 1, 0), 0);
	T_INT(notify_ring(name, "x"), 0);
	T_INT(poll(&p, 1, 1000), 1);
	T_INT(notify_read(p.fd, text), 1);
	T_INT(poll(&p, 1, 0), 0);
	close(p.fd);
}

static void messages_come_one_by_one_and_in_order(void)
{
	const char *name = name_of("order");
	int fd = listen_as(name);
	char text[NOTIFY_TEXT_MAX];

	T_NEED(fd >= 0);
	T_INT(notify_ring(name, "one"), 0);
	T_OK(notify_is_heard(name)); /* it says nothing */
	T_INT(notify_ring(name, "three"), 0);
	T_INT(notify_read(fd, text), 1);
	T_STR(text, "one");
	T_INT(notify_read(fd, text), 1);
	T_STR(text, "three");
	T_INT(notify_read(fd, text), 0);
	close(fd);
}

static void ringing_where_nobody_listens_is_refused(void)
{
	const char *name = name_of("nobody");
	int fd;

	T_INT(notify_ring(name, "hello"), -ECONNREFUSED);
	T_OK(!notify_is_heard(name));
	fd = listen_as(name);
	T_NEED(fd >= 0);
	T_OK(notify_is_heard(name));
	close(fd);
	T_INT(notify_ring(name, "hello"), -ECONNREFUSED);
	T_OK(!notify_is_heard(name));
}

static void names_do_not_hear_each_other(void)
{
	_cleanup_free_ char *longer = str_printf("%s0", name_of("one"));
	int fd = listen_as(name_of("one")), other = listen_as(longer);
	char text[NOTIFY_TEXT_MAX];

	T_NEED(fd >= 0 && other >= 0);
	T_INT(notify_ring(longer, "x"), 0);
	T_INT(notify_read(fd, text), 0);
	T_INT(notify_read(other, text), 1);
	close(fd);
	close(other);
}

static void a_second_listener_is_refused_while_the_first_is_there(void)
{
	const char *name = name_of("second");
	int fd = listen_as(name);
	struct err err = {0};
	char text[NOTIFY_TEXT_MAX];

	T_NEED(fd >= 0);
	T_ERR(notify_listen(name, &err), &err, -EADDRINUSE,
	      "cannot listen as @");
	T_HAS(err.msg, name);
	snprintf(text, sizeof(text), ": user %u does (process %d)", geteuid(),
		 getpid());
	T_HAS(err.msg, text);
	T_INT(notify_listen(name, NULL), -EADDRINUSE);
	T_INT(notify_ring(name, "still"), 0);
	T_INT(notify_read(fd, text), 1);
	T_STR(text, "still");
	close(fd);
	fd = listen_as(name);
	T_NEED(fd >= 0);
	close(fd);
}

static void a_text_that_is_too_long_is_cut(void)
{
	_cleanup_free_ char *words = t_repeat("x", 2 * NOTIFY_TEXT_MAX);
	const char *name = name_of("cut");
	int fd = listen_as(name);
	char text[NOTIFY_TEXT_MAX + 1];

	T_NEED(fd >= 0);
	text[NOTIFY_TEXT_MAX] = '!';
	T_INT(notify_ring(name, words), 0);
	T_INT(notify_read(fd, text), 1);
	T_INT(strlen(text), NOTIFY_TEXT_MAX - 1);
	T_OK(text[NOTIFY_TEXT_MAX] == '!');
	words[NOTIFY_TEXT_MAX - 1] = '\0'; /* the longest that fits */
	T_INT(notify_ring(name, words), 0);
	T_INT(notify_read(fd, text), 1);
	T_STR(text, words);
	T_INT(notify_read(fd, text), 0);
	close(fd);
}

static void what_must_not_reach_a_log_is_replaced(void)
{
	const char *name = name_of("control");
	int fd = listen_as(name);
	char text[NOTIFY_TEXT_MAX];

	T_NEED(fd >= 0);
	T_INT(notify_ring(name, "a\nb\x1b[31mc\x7f\xc3\xa9\xff"), 0);
	T_INT(notify_read(fd, text), 1);
	T_STR(text, "a b [31mc \xc3\xa9?");
	close(fd);
}

static void the_ringer_never_waits(void)
{
	const char *name = name_of("full");
	int fd = listen_as(name), rc = 0, sent = 0, got = 0;
	char text[NOTIFY_TEXT_MAX];

	T_NEED(fd >= 0);
	while (sent < 100000 && !(rc = notify_ring(name, "x")))
		sent++;
	T_INT(rc, -EAGAIN);
	T_OK(notify_is_heard(name));
	T_OK(sent >= NOTIFY_CALLERS_MAX && sent <= NOTIFY_CALLERS_MAX + 1);
	while (notify_read(fd, text))
		got++;
	T_INT(got, sent);
	T_OK(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	close(fd);
}

/* --- other users of the machine */

static void who_waits_is_woken_by_the_end(void)
{
	const char *name = name_of("held");
	struct pollfd held = {.fd = notify_hold(name), .events = POLLIN};
	int status = -1, fd = -1;
	pid_t child;

	T_NEED(held.fd >= 0);
	T_INT(notify_hold(name), -EADDRINUSE);
	T_INT(notify_await(name, &fd, 1), -ETIMEDOUT);
	T_INT(notify_await(name, &fd, 1), -ETIMEDOUT);
	T_OK(fd >= 0);
	close(accept(held.fd, NULL, NULL)); /* it has one place, not two */
	T_INT(poll(&held, 1, 0), 0);
	T_INT(notify_await(name, &fd, 60000), 0);
	T_INT(fd, -1);
	child = fork();
	if (!child) {
		close(held.fd);
		_exit(notify_await(name, &fd, 60000) ? 1 : 0);
	}
	T_INT(poll(&held, 1, 60000), 1); /* it waits */
	close(held.fd);
	T_INT(waitpid(child, &status, 0), child);
	T_INT(status, 0);
	T_INT(notify_await(name, &fd, 60000), -ECONNREFUSED);
}

static bool takes_the_name(const char *name)
{
	return notify_listen(name, NULL) >= 0;
}

/* Whoever comes first has the name. */
static void a_stranger_who_listens_is_told_nothing(void)
{
	const char *name = name_of("taken");
	pid_t pid = t_as_stranger(takes_the_name, name);
	char words[64], text[NOTIFY_TEXT_MAX];
	struct err err = {0};
	int fd;

	if (pid < 0)
		return;
	T_OK(!notify_is_heard(name));
	T_INT(notify_ring(name, "refused cpu-1 no quota"), -EPERM);
	fd = -1;
	T_INT(notify_await(name, &fd, 60000), -EPERM);
	T_ERR(notify_listen(name, &err), &err, -EADDRINUSE,
	      "cannot listen as @");
	snprintf(words, sizeof(words), ": user %u does (process %d)",
		 T_STRANGER, pid);
	T_HAS(err.msg, words);
	t_end(pid);
	fd = listen_as(name);
	T_INT(notify_ring(name, "refused cpu-1 no quota"), 0);
	T_INT(notify_read(fd, text), 1);
	close(fd);
}

static int connection_to(const char *name)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0);

	memcpy(a.sun_path + 1, name, strlen(name));
	T_OK(!connect(fd, (struct sockaddr *)&a,
		      (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
				  strlen(name))));
	return fd;
}

static bool says_something(const char *name)
{
	const int fd = connection_to(name);

	send(fd, "refused cpu-1 a lie", 19, MSG_NOSIGNAL);
	return true;
}

static bool calls_and_says_nothing(const char *name)
{
	for (int i = 0; i < 10; i++)
		connection_to(name);
	return true;
}

static void what_a_stranger_says_is_not_heard(void)
{
	const char *name = name_of("lies");
	int fd = listen_as(name);
	char text[NOTIFY_TEXT_MAX];
	pid_t pid = t_as_stranger(says_something, name);

	if (pid < 0) {
		close(fd);
		return;
	}
	T_INT(notify_ring(name, "true"), 0);
	T_INT(notify_read(fd, text), 1);
	T_STR(text, "true");
	T_INT(notify_read(fd, text), 0);
	t_end(pid);
	close(fd);
}

static void a_stranger_who_says_nothing_is_not_waited_for(void)
{
	const char *name = name_of("mute");
	int fd = listen_as(name);
	char text[NOTIFY_TEXT_MAX];
	pid_t pid = t_as_stranger(calls_and_says_nothing, name);
	int64_t at = clock_ms();

	if (pid < 0) {
		close(fd);
		return;
	}
	T_INT(notify_read(fd, text), 0);
	T_OK(clock_ms() < at + NOTIFY_WAIT_MS);
	t_end(pid);
	close(fd);
}

/* It may have been stopped between its call and its words. */
static void one_of_ours_is_waited_for_a_moment(void)
{
	const char *name = name_of("slow");
	int fd = listen_as(name), caller = connection_to(name);
	int64_t at = clock_ms();
	char text[NOTIFY_TEXT_MAX];

	T_INT(notify_ring(name, "next"), 0);
	T_INT(notify_read(fd, text), 0);
	T_OK(clock_ms() >= at + NOTIFY_WAIT_MS / 2);
	T_INT(notify_read(fd, text), 1);
	T_STR(text, "next");
	close(caller);
	close(fd);
}

T_MAIN("notify", T(a_stranger_who_listens_is_told_nothing),
       T(what_a_stranger_says_is_not_heard),
       T(a_stranger_who_says_nothing_is_not_waited_for),
       T(one_of_ours_is_waited_for_a_moment), T(what_is_rung_is_read),
       T(a_message_wakes_who_polls), T(messages_come_one_by_one_and_in_order),
       T(ringing_where_nobody_listens_is_refused),
       T(names_do_not_hear_each_other),
       T(a_second_listener_is_refused_while_the_first_is_there),
       T(a_text_that_is_too_long_is_cut),
       T(what_must_not_reach_a_log_is_replaced), T(the_ringer_never_waits),
       T(who_waits_is_woken_by_the_end))

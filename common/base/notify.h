/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A short message from our programs to the engine on the same host: over a
 * socket in Linux's abstract namespace (unix(7)), so that there is no file to
 * leave behind. Anybody may take a name there, or call it: the kernel says of
 * both ends whose they are, and only the same user, or root, is spoken to and
 * listened to. Nobody waits for an answer, and nothing is lost that would not
 * be seen later anyway.
 */
#ifndef SLURMK8S_BASE_NOTIFY_H
#define SLURMK8S_BASE_NOTIFY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define NOTIFY_TEXT_MAX 1024
#define NOTIFY_CALLERS_MAX 64	/* that have not been heard yet */
#define NOTIFY_WAIT_MS 200	/* for what a caller has to say */
#define NOTIFY_WAITERS_MAX 4096 /* or what Linux's somaxconn allows */

/*
 * Listen under this name. A descriptor for poll(2), which the caller closes;
 * -EADDRINUSE while another one has the name, or another error. Who has it is
 * in the words, if there is `err`, and if he answers: he is called for that.
 */
int notify_listen(const char *name, struct err *err);

/*
 * The next message, with NUL. 1; 0: there is none. Waits NOTIFY_WAIT_MS at
 * most, for one whom it trusts.
 */
int notify_read(int fd, char text[NOTIFY_TEXT_MAX]);

/*
 * Does one whom we trust listen under this name? Never waits: also true if so
 * many call there that it cannot be asked.
 */
bool notify_is_heard(const char *name);

/*
 * Send one, not "". Never waits. No error is worth a word: -ECONNREFUSED:
 * nobody listens; -EPERM: a stranger does, and is told nothing; -EAGAIN: too
 * many are calling.
 */
int notify_ring(const char *name, const char *text);

/*
 * Hold a name until the descriptor is closed, as at the process's end: of many
 * who wait for the same thing one looks for it, and the others wait for him by
 * notify_await(). The descriptor, which the caller closes; -EADDRINUSE:
 * somebody holds it; or another error.
 */
int notify_hold(const char *name);

/*
 * Wait until this name is no longer held, `ms` at most. 0: so it is now;
 * -ETIMEDOUT: it is not, and *fd (-1 at first) is for the next call, or for the
 * caller to close: who waits keeps one place; -ECONNREFUSED: nobody holds it;
 * -EPERM: a stranger does, for whom nobody waits; -EAGAIN: too many wait
 * already; or another error.
 */
int notify_await(const char *name, int *fd, int64_t ms);

#endif

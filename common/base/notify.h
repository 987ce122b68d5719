/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A short message from our programs to the engine on the same host: over a
 * socket in Linux's abstract namespace (unix(7)), so that there is no file to
 * leave behind. Anybody may take a name there, or call it: the kernel says of
 * both ends whose they are, and only the same user, or root, is spoken to and
 * listened to. Nobody waits for an answer, and nothing is lost that would not
 * be seen later anyway. Any thread; a descriptor belongs to one thread at a
 * time.
 */
#ifndef SLURMK8S_BASE_NOTIFY_H
#define SLURMK8S_BASE_NOTIFY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define NOTIFY_TEXT_MAX 1024
#define NOTIFY_CALLERS_MAX 64	/* callers whose messages were not read yet */
#define NOTIFY_WAIT_MS 200	/* ms that a caller may take to send */
#define NOTIFY_WAITERS_MAX 4096 /* somaxconn of Linux may allow fewer */

/*
 * Listen under this name. A descriptor for poll(2), which the caller closes;
 * -EADDRINUSE while another process has the name, or another errno of socket(2)
 * and bind(2). With `err` that process is called, to name it in the words.
 */
int notify_listen(const char *name, struct err *err);

/*
 * Read the next message, which ends with NUL. 1; 0: there is none. Waits for
 * NOTIFY_WAIT_MS at most, and only for a caller that is trusted.
 */
int notify_read(int fd, char text[NOTIFY_TEXT_MAX]);

/*
 * True if a process that is trusted listens under this name, or so many are
 * calling there that it cannot be asked. Never waits.
 */
bool notify_is_heard(const char *name);

/*
 * Send a message, which is not "". Never waits. 0; -ECONNREFUSED: nobody
 * listens; -EPERM: an untrusted user's process does, and is told nothing;
 * -EAGAIN: too many are calling; or another errno. None of them needs a line in
 * a log: the engine sees later what it was not told.
 */
int notify_ring(const char *name, const char *text);

/*
 * Hold a name until the descriptor is closed, as the kernel does at the
 * process's end: of many processes that wait for one event one looks for it,
 * and the others wait for that one by notify_await(). A descriptor, which the
 * caller closes; -EADDRINUSE: another process holds it; or another errno.
 */
int notify_hold(const char *name);

/*
 * Wait until this name is no longer held, for `ms` at most. 0: it is free now;
 * -ETIMEDOUT: it is still held, and *fd (-1 at the first call) is for the next
 * call, or for the caller to close, so that each keeps one place in the queue;
 * -ECONNREFUSED: nobody held it; -EPERM: an untrusted user's process does, for
 * which nobody waits; -EAGAIN: too many wait already; or another errno.
 */
int notify_await(const char *name, int *fd, int64_t ms);

#endif

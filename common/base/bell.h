/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A short message from our programs to the engine on the same host: a
 * datagram to a socket in Linux's abstract namespace (unix(7)), so that there
 * is no file to leave behind. Only the same user, or root, is listened to.
 * Nobody waits, and nothing is lost that would not be seen later anyway.
 */
#ifndef SLURMK8S_BASE_BELL_H
#define SLURMK8S_BASE_BELL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

#define BELL_TEXT_MAX 1024

/*
 * Listen under this name. A descriptor for poll(2), which the caller closes;
 * -EADDRINUSE while another one does, or another error.
 */
int bell_listen(const char *name, struct err *err);

/* The next message, with NUL. 1; 0: there is none; never waits. */
int bell_read(int fd, char text[BELL_TEXT_MAX]);

/* Does anybody listen under this name? */
bool bell_is_heard(const char *name);

/* Send one. Nobody listening is no error worth a word: -ECONNREFUSED. */
int bell_ring(const char *name, const char *text);

#endif

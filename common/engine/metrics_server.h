/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The thread that answers GET /metrics by libmicrohttpd, with the text that it
 * was given last: a request costs neither slurmctld nor the engine any time.
 * One thread at a time.
 */
#ifndef SLURMK8S_ENGINE_METRICS_SERVER_H
#define SLURMK8S_ENGINE_METRICS_SERVER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct metrics_server;

/*
 * Answer at a socket that listens. `fd` is taken, also after an error. 0: the
 * caller stops it; -ENOMEM; -ENOTRECOVERABLE, libmicrohttpd has found itself
 * broken before; or an errno of fstat(2), eventfd(2) or pthread_create(3), with
 * words.
 */
int metrics_server_start(int fd, struct metrics_server **out, struct err *err);

/*
 * Tell this text from now on. 0; -ENOMEM, with words: the last one stays.
 */
int metrics_server_tell(struct metrics_server *s, const char *text, size_t len,
			struct err *err);

/*
 * False: libmicrohttpd, which is one for all of the process, has found itself
 * broken, and answers no more.
 */
bool metrics_server_works(void);

/*
 * Answer no more, and free it. The thread waits for nobody; one that does not
 * end for half a second keeps what it needs, and frees it should it ever end.
 */
void metrics_server_stop(struct metrics_server *s);

#endif

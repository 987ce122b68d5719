/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The socket that metrics are served at. One thread at a time, the engine's or
 * the one that ends the engine's metrics, for these functions do I/O; none
 * waits for anything but a file system.
 */
#ifndef SLURMK8S_ENGINE_METRICS_SOCKET_H
#define SLURMK8S_ENGINE_METRICS_SOCKET_H

#include <stdbool.h>
#include <sys/stat.h>

#include "base/err.h"

/*
 * Listen at an address as listen_address() reads it, without waiting
 * in accept(2). Anybody may connect to a unix socket: its folder's mode says
 * who comes so far. One that is left over, at which nobody listens, is replaced
 * (unix(7)); nothing else is. *ours: what is there under its path now; all zero
 * for a port. The caller closes it, and calls metrics_socket_remove(). The
 * number; or, with words, -EADDRINUSE; -EEXIST; -EINVAL, it is no address; or
 * another errno of socket(2), bind(2), lstat(2), connect(2), unlink(2),
 * open(2), chmod(2) or listen(2).
 */
int metrics_socket_open(const char *listen, struct stat *ours, struct err *err);

/* False only if the path of a unix socket is gone, or has become another's. */
bool metrics_socket_is_there(const char *listen, const struct stat *ours);

/* Remove the path of a unix socket, if *ours is still what is there. */
void metrics_socket_remove(const char *listen, const struct stat *ours);

#endif

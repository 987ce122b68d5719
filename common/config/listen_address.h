/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Addresses of this host only, as k8s.yaml(5) has them. Pure. Any thread. */
#ifndef SLURMK8S_CONFIG_LISTEN_ADDRESS_H
#define SLURMK8S_CONFIG_LISTEN_ADDRESS_H

#include <sys/socket.h>

/*
 * Read "127.0.0.1:PORT" or "[::1]:PORT", with a port of 1 to 65535, or
 * "unix:/PATH" (unix(7)). No other is taken, for what listens there has neither
 * TLS nor passwords. *out and *len are set. 0; -EINVAL: it is none of these.
 */
int listen_address(const char *text, struct sockaddr_storage *out,
		   socklen_t *len);

/* The path of "unix:/PATH", within `text`; NULL: it is a port. */
const char *listen_path(const char *text);

#endif

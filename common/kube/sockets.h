/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sockets that libcurl has open for a client. The client's thread only. */
#ifndef SLURMK8S_KUBE_SOCKETS_H
#define SLURMK8S_KUBE_SOCKETS_H

#include <curl/curl.h>
#include <stddef.h>

#define SOCKETS_MAX 16

struct sockets {
	curl_socket_t fds[SOCKETS_MAX];
	size_t n;
};

/* Have this handle's connections noted in `s`, which outlives them. */
void sockets_watch(struct sockets *s, CURL *easy);

/* Shut them all down: libcurl finds that out, and makes new ones. */
void sockets_hang_up(struct sockets *s);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kube/sockets.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

static int on_open(void *arg, curl_socket_t fd, curlsocktype purpose)
{
	struct sockets *s = arg;

	(void)purpose;
	if (s->n < SOCKETS_MAX)
		s->fds[s->n++] = fd;
	/* slurmctld forks scripts: they get none of our sockets */
	return fcntl(fd, F_SETFD, FD_CLOEXEC) ? CURL_SOCKOPT_ERROR
					      : CURL_SOCKOPT_OK;
}

static int on_close(void *arg, curl_socket_t fd)
{
	struct sockets *s = arg;

	for (size_t i = 0; i < s->n; i++)
		if (s->fds[i] == fd)
			s->fds[i] = s->fds[--s->n];
	return close(fd);
}

void sockets_watch(struct sockets *s, CURL *easy)
{
	curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, on_open);
	curl_easy_setopt(easy, CURLOPT_SOCKOPTDATA, s);
	curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, on_close);
	curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, s);
}

void sockets_hang_up(struct sockets *s)
{
	for (size_t i = 0; i < s->n; i++)
		shutdown(s->fds[i], SHUT_RDWR);
}

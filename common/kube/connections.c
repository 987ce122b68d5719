/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kube/connections.h"

#include <errno.h>
#include <fcntl.h>

/*
 * Over HTTP/2 one is enough. What speaks HTTP/1.1 only, as some proxies and API
 * servers do, needs one for each watch (the bridge has 14 with all kinds of
 * groups), and some for requests: without these no lease is renewed.
 */
#define HOST_CONNECTIONS 32L

/* (an API server allows 250 streams on a connection) */
static CURLM *new_multi(void)
{
	CURLM *m = curl_multi_init();

	if (!m)
		return NULL;
	curl_multi_setopt(m, CURLMOPT_PIPELINING, CURLPIPE_MULTIPLEX);
	curl_multi_setopt(m, CURLMOPT_MAX_HOST_CONNECTIONS, HOST_CONNECTIONS);
	curl_multi_setopt(m, CURLMOPT_MAX_CONCURRENT_STREAMS, 250L);
	return m;
}

int connections_init(struct connections *c)
{
	pthread_mutex_init(&c->lock, NULL);
	c->multi = new_multi();
	return c->multi ? 0 : -ENOMEM;
}

void connections_free(struct connections *c)
{
	if (c->multi)
		curl_multi_cleanup(c->multi);
	pthread_mutex_destroy(&c->lock);
	c->multi = NULL;
}

int connections_renew(struct connections *c)
{
	CURLM *new = new_multi(), *old = c->multi;

	if (!new)
		return -ENOMEM;
	/*
	 * A wakeup of the old one may be lost, and a multi handle that was made
	 * when descriptors were short cannot be woken.
	 */
	if (curl_multi_wakeup(new)) {
		curl_multi_cleanup(new);
		return -ENOMEM;
	}
	pthread_mutex_lock(&c->lock);
	c->multi = new;
	pthread_mutex_unlock(&c->lock);
	curl_multi_cleanup(old);
	return 0;
}

void connections_wakeup(struct connections *c)
{
	pthread_mutex_lock(&c->lock);
	curl_multi_wakeup(c->multi);
	pthread_mutex_unlock(&c->lock);
}

/* slurmctld forks scripts: they get none of our sockets */
static int on_open(void *arg, curl_socket_t fd, curlsocktype purpose)
{
	(void)arg;
	(void)purpose;
	return fcntl(fd, F_SETFD, FD_CLOEXEC) ? CURL_SOCKOPT_ERROR
					      : CURL_SOCKOPT_OK;
}

void connections_setup(CURL *easy)
{
	curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, on_open);
}

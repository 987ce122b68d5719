/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kube/connections.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

#include "kube/libcurl.h"

/* How long a server that does not acknowledge is waited for */
#define DEAD_MS 20000
/* How long nothing comes until the server is probed */
#define PROBE_IDLE_S 10L
#define PROBE_EACH_S 5L

/*
 * An API server allows 100 streams on a connection, and announces that. Source:
 * k8s.io/apiserver, secure_serving.go.
 */
static CURLM *new_multi(size_t most)
{
	CURLM *m = curl_multi_init();

	if (!m)
		return NULL;
	curl_multi_setopt(m, CURLMOPT_PIPELINING, CURLPIPE_MULTIPLEX);
	curl_multi_setopt(m, CURLMOPT_MAX_HOST_CONNECTIONS, (long)most);
	curl_multi_setopt(m, CURLMOPT_MAX_CONCURRENT_STREAMS, 100L);
	libcurl_quick_exit_all(m);
	return m;
}

/*
 * Make a place for connections: libcurl takes those of a transfer from its
 * share, where it has one, and not from the multi handle.
 */
static CURLSH *new_apart(void)
{
	CURLSH *s = curl_share_init();

	if (s &&
	    curl_share_setopt(s, CURLSHOPT_SHARE, CURL_LOCK_DATA_CONNECT)) {
		curl_share_cleanup(s);
		return NULL;
	}
	return s;
}

int connections_init(struct connections *c, size_t most)
{
	c->most = most;
	atomic_init(&c->woken, false);
	pthread_mutex_init(&c->lock, NULL);
	c->multi = new_multi(most);
	c->apart = new_apart();
	return c->multi && c->apart ? 0 : -ENOMEM;
}

void connections_free(struct connections *c)
{
	if (c->multi)
		curl_multi_cleanup(c->multi);
	if (c->apart)
		curl_share_cleanup(c->apart);
	pthread_mutex_destroy(&c->lock);
	c->multi = NULL;
	c->apart = NULL;
}

void connections_keep_apart(struct connections *c, CURL *easy)
{
	curl_easy_setopt(easy, CURLOPT_SHARE, c->apart);
}

/* curl_easy_reset() leaves a share as it is. */
void connections_let_go(CURL *easy)
{
	curl_easy_setopt(easy, CURLOPT_SHARE, NULL);
}

void connections_renew_apart(struct connections *c)
{
	CURLSH *new = new_apart();

	if (!new)
		return;
	/* curl_share_cleanup() fails while a transfer has the old share. */
	if (curl_share_cleanup(c->apart))
		curl_share_cleanup(new);
	else
		c->apart = new;
}

void connections_limit(struct connections *c, size_t most)
{
	if (c->most == most)
		return;
	c->most = most;
	curl_multi_setopt(c->multi, CURLMOPT_MAX_HOST_CONNECTIONS, (long)most);
}

int connections_renew(struct connections *c)
{
	CURLM *new = new_multi(c->most), *old = c->multi;

	if (!new)
		return -ENOMEM;
	/*
	 * A wakeup of the old multi handle may be lost, and one that was made
	 * when descriptors were short cannot be woken.
	 */
	if (curl_multi_wakeup(new)) {
		curl_multi_cleanup(new);
		return -ENOMEM;
	}
	pthread_mutex_lock(&c->lock);
	c->multi = new;
	pthread_mutex_unlock(&c->lock);
	atomic_store(&c->woken, true);
	curl_multi_cleanup(old);
	connections_renew_apart(c);
	return 0;
}

/*
 * curl_multi_poll() takes a wakeup away, also where it does not wait; for that
 * connections_wait() asks `woken` first.
 */
bool connections_are_drained(struct connections *c)
{
	long due_ms = -1;
	int n = 0;

	return !curl_multi_timeout(c->multi, &due_ms) && due_ms != 0 &&
	       !curl_multi_poll(c->multi, NULL, 0, 0, &n) && !n;
}

void connections_wait(struct connections *c, int timeout_ms)
{
	if (!atomic_load(&c->woken))
		curl_multi_poll(c->multi, NULL, 0, timeout_ms, NULL);
	atomic_store(&c->woken, false);
}

void connections_wakeup(struct connections *c)
{
	atomic_store(&c->woken, true);
	pthread_mutex_lock(&c->lock);
	curl_multi_wakeup(c->multi);
	pthread_mutex_unlock(&c->lock);
}

/*
 * slurmctld forks scripts: they get none of our sockets. A server that is gone
 * without a word is noticed in DEAD_MS, where it is sent something, by Linux'
 * TCP_USER_TIMEOUT; where not, it is the keepalive probes that are not
 * acknowledged, to which that applies, too (tcp(7)).
 */
static int on_open(void *arg, curl_socket_t fd, curlsocktype purpose)
{
	const unsigned int dead_ms = DEAD_MS;

	(void)arg;
	(void)purpose;
	/*
	 * Without this option the deadlines of the calls find a connection
	 * dead.
	 */
	(void)setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &dead_ms,
			 sizeof(dead_ms));
	return fcntl(fd, F_SETFD, FD_CLOEXEC) ? CURL_SOCKOPT_ERROR
					      : CURL_SOCKOPT_OK;
}

void connections_setup(CURL *easy)
{
	curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
	curl_easy_setopt(easy, CURLOPT_TCP_KEEPIDLE, PROBE_IDLE_S);
	curl_easy_setopt(easy, CURLOPT_TCP_KEEPINTVL, PROBE_EACH_S);
	curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, on_open);
}

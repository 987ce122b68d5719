/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libcurl's connections of one client. They are libcurl's alone: their numbers
 * are never kept, since libcurl does not always say when it has closed one
 * (7.88 does not after a TCP connect that timed out), and by then slurmctld may
 * have something else under that number. The client's thread only, but for
 * connections_wakeup().
 */
#ifndef SLURMK8S_KUBE_CONNECTIONS_H
#define SLURMK8S_KUBE_CONNECTIONS_H

#include <curl/curl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct connections {
	/* under the lock, but for the client's thread, which alone sets it */
	CURLM *multi;
	CURLSH *apart; /* the connections of calls that are kept apart */
	pthread_mutex_t lock;
	size_t most;
	atomic_bool woken; /* a wakeup that no wait has ended for yet */
};

/*
 * Begin with no connection; at most `most` are made. 0; -ENOMEM.
 * connections_free() may follow both, and a struct that is all zero.
 */
int connections_init(struct connections *c, size_t most);
void connections_free(struct connections *c);

/* Allow at most `most` connections from now on; none is closed for that. */
void connections_limit(struct connections *c, size_t most);

/*
 * Have this transfer, from its begin on, use connections that no transfer has
 * but those for which this was called. connections_let_go() undoes it when the
 * transfer has ended, before the handle is used for another one.
 */
void connections_keep_apart(struct connections *c, CURL *easy);
void connections_let_go(CURL *easy);

/*
 * Leave the connections that are kept apart, and begin with none. Does nothing
 * while one is used, or without memory. Does not block.
 */
void connections_renew_apart(struct connections *c);

/*
 * Leave all connections, dead as they may be, and begin with none. No transfer
 * may be under way. Does not block. 0; -ENOMEM: nothing has changed. The next
 * poll ends at once, as if it had been woken.
 */
int connections_renew(struct connections *c);

/*
 * True if there is nothing to be read or done at the moment: what has come by
 * then has been handed on. Does not wait.
 */
bool connections_are_drained(struct connections *c);

/*
 * Wait until something comes, or is to be done, for connections_wakeup(), or
 * for this time. It returns at once if it was woken since the last wait.
 */
void connections_wait(struct connections *c, int timeout_ms);

/* End the wait of the client's thread. Any thread. */
void connections_wakeup(struct connections *c);

/*
 * Set up how this transfer opens sockets: no child process gets them, and a
 * server that is gone without a word is noticed in 20 s.
 */
void connections_setup(CURL *easy);

#endif

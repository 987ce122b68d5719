/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libcurl's connections of one client. They are libcurl's alone: their numbers
 * are never kept, since libcurl does not always say when it has closed one
 * (7.88 does not after a TCP connect that timed out), and by then slurmctld
 * may have something else under that number.
 */
#ifndef SLURMK8S_KUBE_CONNECTIONS_H
#define SLURMK8S_KUBE_CONNECTIONS_H

#include <curl/curl.h>
#include <pthread.h>

struct connections {
	CURLM *multi; /* the client's thread may read it as it is */
	pthread_mutex_t lock;
	size_t most;
};

/*
 * With so many connections at most. 0 or -ENOMEM; connections_free() is right
 * after both, and after zeros.
 */
int connections_init(struct connections *c, size_t most);
void connections_free(struct connections *c);

/* From now on so many connections at most. The client's thread. */
void connections_limit(struct connections *c, size_t most);

/*
 * Leave all connections, dead as they may be, and begin with none. No transfer
 * may be under way. The client's thread; does not block. -ENOMEM: nothing has
 * changed. The next poll ends at once, as if it had been woken.
 */
int connections_renew(struct connections *c);

/* End the poll of the client's thread. Any thread. */
void connections_wakeup(struct connections *c);

/*
 * How this transfer opens sockets: no child process gets them, and a server
 * that is gone without a word is noticed in 20 s.
 */
void connections_setup(CURL *easy);

#endif

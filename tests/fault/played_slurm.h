/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A slurmctld that is played, for tests of the engine as a whole: the functions
 * of common/slurm/ctl*.h, over a few nodes and jobs in memory. Each call of
 * theirs that is an RPC is answered by one of several threads; another one
 * starts jobs, and powers nodes up and down.
 *
 * A real slurmctld is behind a socket: its answers order nothing that the
 * threads of the engine do. So ThreadSanitizer is told to see none of this, or
 * what two threads of the engine do without a lock would be hidden whenever
 * both ask for something in between.
 */
#ifndef SLURMK8S_TESTS_PLAYED_SLURM_H
#define SLURMK8S_TESTS_PLAYED_SLURM_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "slurm/ctl.h"
#include "slurm/ctl_placeholder_list.h"

#if defined(__SANITIZE_THREAD__)
#define PLAYED_UNDER_TSAN 1
#elif defined(__has_feature)
#define PLAYED_UNDER_TSAN __has_feature(thread_sanitizer)
#else
#define PLAYED_UNDER_TSAN 0
#endif

#define PLAYED_NODES_MAX 32
#define PLAYED_JOBS_MAX 64
#define PLAYED_TEXT_MAX 512
#define PLAYED_ID_MAX 2048
#define PLAYED_UID 1000

#define PLAYED_CPUS 4 /* of a node, and of a job */

/* Its user has made this job smaller than its pods while it waited. */
static inline bool played_is_smaller(uint32_t job_id)
{
	return job_id % 16 == 0;
}

struct played_node {
	struct ctl_node is; /* its texts are these: */
	char name[64], reason[PLAYED_TEXT_MAX], extra[PLAYED_TEXT_MAX],
		comment[PLAYED_TEXT_MAX], features[PLAYED_TEXT_MAX],
		active[PLAYED_TEXT_MAX];
	int64_t next_at; /* power saving looks at it again, usual ms */
};

struct played_job {
	uint32_t id; /* 0: free */
	bool placeholder;
	struct placed_status status;
	char node[64]; /* "": none yet */
	uint32_t restarts;
	char admin_comment[PLAYED_ID_MAX];
	int64_t since; /* usual ms */
};

struct played {
	pthread_mutex_t lock; /* slurmctld's, of all below */
	struct played_node nodes[PLAYED_NODES_MAX];
	size_t n_nodes;
	struct played_job jobs[PLAYED_JOBS_MAX];
	uint32_t last_job;
	uint64_t nodes_version, jobs_version;
	bool steady; /* placeholders end by the bridge only */
};
extern struct played played;

/* How often it was asked for what; any thread. */
struct played_counts {
	atomic_uint rpcs, updates;   /* these of nodes */
	atomic_uint submitted, over; /* placeholders; in whatever way */
	atomic_uint cancelled;	     /* by the bridge */
};
extern struct played_counts played_counts;

/* Between these slurmctld runs, with its threads. `cloud`: nodes cpu-N. */
void played_start(int cloud);
void played_stop(void);

/* The next answer that a thread of that name asks for takes so long (usual ms);
 * NULL: none does. Any thread. */
void played_be_slow(const char *thread, int ms);
/* True if that thread has asked since. Any thread. */
bool played_is_slow(void);

/*
 * The caller waits for serve(arg), which a thread calls under the lock. Now and
 * then there is no answer: negative, and words.
 */
int played_rpc(void (*serve)(void *arg), void *arg, struct err *err);

/* Under the lock. NULL: there is none. */
struct played_node *played_find_node(const char *name);
struct played_node *played_add_node(const char *name);
void played_drop_node(struct played_node *n);
struct played_job *played_find_job(uint32_t id);
struct played_job *played_add_job(void);

/* Call fn for each that a hostlist names and that is there. */
void played_each(const char *nodes,
		 void (*fn)(struct played_node *n, void *arg), void *arg);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "played_slurm.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "fast_clock.h"
#include "slurm/ctl_schedule.h"
#include "syntax/hostlist.h"

#define SERVERS 3
#define TURN_US 2000
#define LOST_ONE_OF 200
#define ENDED_ONE_OF 1000 /* of the looks at a job that runs, by Slurm */
#define SERVED_US 500	  /* an RPC, at most */
#define LASTS_MS 40	  /* a job of the cluster's own */
#define POWER_MS 60	  /* a cloud node stays as it is, at least */
#define NO_POD_MS 1000
#define KEPT_MS 200 /* a job that has ended */

struct played played = {.lock = PTHREAD_MUTEX_INITIALIZER};
struct played_counts played_counts;

struct rpc {
	void (*serve)(void *arg);
	void *arg;
	int64_t takes_us;
	bool lost, done;
	struct rpc *next;
};

static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t asked = PTHREAD_COND_INITIALIZER;
static pthread_cond_t answered = PTHREAD_COND_INITIALIZER;
static struct rpc *first, **last = &first;
static bool ending;
static const char *slow_thread; /* whose next RPC takes so long: */
static int slow_ms;
static pthread_t servers[SERVERS], turns;

/* --- unseen by ThreadSanitizer */

#if PLAYED_UNDER_TSAN
/* NOLINTBEGIN(readability-identifier-naming): the sanitizer's own names */
void AnnotateIgnoreReadsBegin(const char *file, int line);
void AnnotateIgnoreReadsEnd(const char *file, int line);
void AnnotateIgnoreSyncBegin(const char *file, int line);
void AnnotateIgnoreSyncEnd(const char *file, int line);
/* NOLINTEND(readability-identifier-naming) */

static void hide(void)
{
	AnnotateIgnoreReadsBegin(__FILE__, __LINE__); /* (and writes) */
	AnnotateIgnoreSyncBegin(__FILE__, __LINE__);
}

static void show(void)
{
	AnnotateIgnoreSyncEnd(__FILE__, __LINE__);
	AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
}
#else
static void hide(void)
{
}

static void show(void)
{
}
#endif

/* --- nodes and jobs */

struct played_node *played_find_node(const char *name)
{
	for (size_t i = 0; i < played.n_nodes; i++)
		if (!strcmp(played.nodes[i].name, name))
			return &played.nodes[i];
	return NULL;
}

struct played_node *played_add_node(const char *name)
{
	struct played_node *n = &played.nodes[played.n_nodes];

	if (played.n_nodes == PLAYED_NODES_MAX || played_find_node(name))
		return NULL;
	played.n_nodes++;
	*n = (struct played_node){
		.is = {.cpus = PLAYED_CPUS, .memory_mib = 4096}};
	str_copy(n->name, name, sizeof(n->name));
	played.nodes_version++;
	return n;
}

void played_drop_node(struct played_node *n)
{
	*n = played.nodes[--played.n_nodes];
	played.nodes_version++;
}

struct played_job *played_find_job(uint32_t id)
{
	for (size_t i = 0; id && i < PLAYED_JOBS_MAX; i++)
		if (played.jobs[i].id == id)
			return &played.jobs[i];
	return NULL;
}

struct played_job *played_add_job(void)
{
	for (size_t i = 0; i < PLAYED_JOBS_MAX; i++) {
		struct played_job *j = &played.jobs[i];

		if (j->id)
			continue;
		*j = (struct played_job){.id = ++played.last_job,
					 .since = fast_clock_real_ms()};
		played.jobs_version++;
		return j;
	}
	return NULL;
}

void played_each(const char *nodes,
		 void (*fn)(struct played_node *n, void *arg), void *arg)
{
	_cleanup_hostlist_ struct hostlist list = {0};

	if (hostlist_expand(nodes, &list, NULL))
		return;
	for (size_t i = 0; i < list.n; i++) {
		struct played_node *n = played_find_node(list.names[i]);

		if (n)
			fn(n, arg);
	}
}

/* --- what slurmctld does by itself; under its lock */

static struct played_node *free_node(bool external)
{
	for (size_t i = 0; i < played.n_nodes; i++) {
		struct played_node *n = &played.nodes[i];

		if (n->is.external == external && n->is.power == CTL_UP &&
		    !n->is.busy && !n->is.down && !n->is.drained &&
		    !n->is.ending)
			return n;
	}
	return NULL;
}

static void set_job(struct played_job *j, enum placed_state state,
		    enum placed_end end)
{
	j->status = (struct placed_status){.state = state, .end = end};
	j->since = fast_clock_real_ms();
	played.jobs_version++;
}

static void start_job(struct played_job *j)
{
	struct played_node *n = free_node(j->placeholder);

	if (!n)
		return;
	str_copy(j->node, n->name, sizeof(j->node));
	n->is.busy = true;
	n->is.last_busy_s = 0;
	played.nodes_version++;
	set_job(j, PLACED_RUNNING, PLACED_NOT_ENDED);
}

static void end_job(struct played_job *j)
{
	struct played_node *n = played_find_node(j->node);

	if (n)
		n->is.busy = false;
	played.nodes_version++;
	set_job(j, PLACED_ENDED, j->status.end);
	if (j->placeholder)
		atomic_fetch_add(&played_counts.over, 1);
}

/* Its user has it on other nodes than those that it was started on. */
static void move_job(struct played_job *j)
{
	struct played_node *from = played_find_node(j->node),
			   *to = free_node(true);

	if (!to)
		return;
	if (from)
		from->is.busy = false;
	to->is.busy = true;
	str_copy(j->node, to->name, sizeof(j->node));
	played.nodes_version++;
	played.jobs_version++;
}

/* It is preempted, or somebody cancels it, or it has taken its time. */
static void end_early(struct played_job *j)
{
	static const enum placed_end ends[] = {PLACED_CANCELLED, PLACED_TIMEOUT,
					       PLACED_NODE_FAIL};
	const size_t n = sizeof(ends) / sizeof(*ends);
	const size_t i = (size_t)random() % (n + 2);

	if (i < n) {
		set_job(j, PLACED_COMPLETING, ends[i]);
		return;
	}
	if (i > n) {
		move_job(j);
		return;
	}
	end_job(j);
	*j->node = '\0';
	set_job(j, PLACED_PENDING, PLACED_NOT_ENDED);
	j->restarts++;
}

static void go_on(struct played_job *j, int64_t now)
{
	switch (j->status.state) {
	case PLACED_PENDING:
		start_job(j);
		break;
	case PLACED_RUNNING:
		if (!j->placeholder && now > j->since + LASTS_MS)
			set_job(j, PLACED_COMPLETING, PLACED_COMPLETED);
		else if (j->placeholder && !played.steady &&
			 random() % ENDED_ONE_OF == 0)
			end_early(j);
		break;
	case PLACED_COMPLETING:
		end_job(j);
		break;
	case PLACED_ENDED:
		if (now > j->since + KEPT_MS) {
			j->id = 0;
			played.jobs_version++;
		}
		break;
	case PLACED_HELD:
	case PLACED_SUSPENDED:
	case PLACED_GONE:
		break;
	}
}

/* As if jobs came and went; each time with a job of its own. */
static void power(struct played_node *n, int64_t now)
{
	struct ctl_node *is = &n->is;

	if (!is->cloud || is->busy || now < n->next_at)
		return;
	n->next_at = now + POWER_MS + random() % POWER_MS;
	if (is->power == CTL_UP && (is->ending || random() % 2)) {
		is->power = CTL_POWERING_DOWN;
		is->ending = false;
	} else if (is->power == CTL_UP) {
		played_add_job();
	} else if (is->power == CTL_POWERING_DOWN) {
		is->power = CTL_POWERED_DOWN;
	} else if (is->power == CTL_POWERED_DOWN && !is->drained) {
		is->power = CTL_POWERING_UP;
		/* (the engine makes its pod if nobody does, later) */
		n->next_at += random() % 2 * NO_POD_MS;
	} else if (is->power == CTL_POWERING_UP && !is->drained) {
		is->power = CTL_UP;
	}
	played.nodes_version++;
}

static void turn(void)
{
	const int64_t now = fast_clock_real_ms();

	pthread_mutex_lock(&played.lock);
	for (size_t i = 0; i < PLAYED_JOBS_MAX; i++)
		if (played.jobs[i].id)
			go_on(&played.jobs[i], now);
	for (size_t i = 0; i < played.n_nodes; i++)
		power(&played.nodes[i], now);
	pthread_mutex_unlock(&played.lock);
}

static bool is_ending(void)
{
	bool is;

	pthread_mutex_lock(&queue_lock);
	is = ending;
	pthread_mutex_unlock(&queue_lock);
	return is;
}

static void *take_turns(void *arg)
{
	(void)arg;
	hide();
	while (!is_ending()) {
		turn();
		fast_clock_nap_us(TURN_US);
	}
	show();
	return NULL;
}

void ctl_schedule(void)
{
	hide();
	turn();
	show();
}

/* --- RPCs */

/* Under the lock of the queue. NULL: there are none, and will be none. */
static struct rpc *next_rpc(void)
{
	struct rpc *r;

	while (!first && !ending)
		pthread_cond_wait(&asked, &queue_lock);
	r = first;
	if (!r)
		return NULL;
	first = r->next;
	if (!first)
		last = &first;
	return r;
}

static void *serve(void *arg)
{
	struct rpc *r;

	(void)arg;
	hide();
	pthread_mutex_lock(&queue_lock);
	while ((r = next_rpc())) {
		pthread_mutex_unlock(&queue_lock);
		fast_clock_nap_us(r->takes_us);
		pthread_mutex_lock(&played.lock);
		if (!r->lost)
			r->serve(r->arg);
		pthread_mutex_unlock(&played.lock);
		pthread_mutex_lock(&queue_lock);
		r->done = true;
		pthread_cond_broadcast(&answered);
	}
	pthread_mutex_unlock(&queue_lock);
	show();
	return NULL;
}

/* Under the lock of the queue: how long the caller's RPC takes. */
static int64_t time_for_caller(void)
{
	char name[16];

	if (!slow_thread ||
	    pthread_getname_np(pthread_self(), name, sizeof(name)) ||
	    strcmp(name, slow_thread) != 0)
		return random() % SERVED_US;
	slow_thread = NULL;
	return slow_ms * INT64_C(1000);
}

int played_rpc(void (*fn)(void *arg), void *arg, struct err *err)
{
	struct rpc r = {.serve = fn, .arg = arg};

	hide();
	atomic_fetch_add(&played_counts.rpcs, 1);
	pthread_mutex_lock(&queue_lock);
	r.takes_us = time_for_caller();
	r.lost = random() % LOST_ONE_OF == 0;
	*last = &r;
	last = &r.next;
	pthread_cond_signal(&asked);
	while (!r.done)
		pthread_cond_wait(&answered, &queue_lock);
	pthread_mutex_unlock(&queue_lock);
	show();
	return r.lost ? err_set(err, -EIO, "slurmctld does not answer") : 0;
}

void played_be_slow(const char *thread, int ms)
{
	pthread_mutex_lock(&queue_lock);
	slow_thread = thread;
	slow_ms = ms;
	pthread_mutex_unlock(&queue_lock);
}

bool played_is_slow(void)
{
	bool taken;

	pthread_mutex_lock(&queue_lock);
	taken = !slow_thread;
	pthread_mutex_unlock(&queue_lock);
	return taken;
}

/* --- its life */

static void add_cloud(int i)
{
	struct played_node *n;
	char name[16];

	snprintf(name, sizeof(name), "cpu-%d", i);
	n = played_add_node(name);
	if (!n)
		return;
	n->is.cloud = true;
	n->is.power = CTL_POWERED_DOWN;
	str_copy(n->features, "rack1", sizeof(n->features));
}

void played_start(int cloud)
{
	for (int i = 0; i < cloud; i++)
		add_cloud(i);
	ending = false;
	if (pthread_create(&turns, NULL, take_turns, NULL))
		abort();
	for (int i = 0; i < SERVERS; i++)
		if (pthread_create(&servers[i], NULL, serve, NULL))
			abort();
}

void played_stop(void)
{
	pthread_mutex_lock(&queue_lock);
	ending = true;
	pthread_cond_broadcast(&asked);
	pthread_mutex_unlock(&queue_lock);
	for (int i = 0; i < SERVERS; i++)
		pthread_join(servers[i], NULL);
	pthread_join(turns, NULL);
}

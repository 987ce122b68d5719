/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cluster/cluster.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "cluster/freshness.h"
#include "cluster/kube_nodes.h"
#include "kube/lease.h"
#include "metrics/metrics.h"
#include "runtime/thread.h"
#include "syntax/names.h"
#include "syntax/wellknown.h"

#define STEP_MS 1000
#define STALE_MS 120000 /* nothing is decided by an older view of nodes */
#define RELEASE_MS 500	/* to give the lease back, at the end */
/*
 * The kubeconfig and the files that it names are read again: certificates, CA
 * and tokens in it are replaced in their time (client-go looks each 5 minutes)
 */
#define REREAD_MS 300000
#define DISTRUSTED_MS 60000 /* sooner, if the server refuses us */

struct part {
	const struct cluster_part_ops *ops;
	void *arg;
};

struct cluster {
	struct cluster_options opt;
	atomic_int owners; /* shares of the memory: thread, stopper, holders */
	char *slurm_cluster;
	char lease_name[DNS_LABEL_MAX + 1];
	pthread_t thread;
	atomic_bool stop;
	/*
	 * what is in view of nodes is as of this time (clock_boot_ms()); 0:
	 * none is in view
	 */
	_Atomic int64_t hosts_at;
	_Atomic int64_t beat_at; /* clock_ms(): last round of the thread */
	int64_t late_told_at;	 /* last line of cluster_tell_late() */
	atomic_bool connected;	 /* client and lease are there, and stay */
	pthread_mutex_t kube_lock;
	struct kube_config *kube; /* other threads read it under kube_lock */
	int64_t read_ms;
	char reread_words[ERR_MSG_MAX]; /* trouble that was logged last */
	struct kube_client *client;	/* NULL until the kubeconfig is read */
	struct informer *hosts_in;
	struct lease *lease; /* the holder acts; others only look */
	struct kube_nodes *hosts;
	struct part parts[CLUSTER_PARTS_MAX];
	size_t n_parts;
	const struct part *nodes_part; /* hears of nodes; or NULL */
};

void cluster_ring(void *cluster)
{
	struct cluster *l = cluster;

	l->opt.ring(l->opt.arg);
}

void cluster_wake(void *cluster)
{
	struct cluster *l = cluster;

	if (atomic_load(&l->connected))
		kube_client_wakeup(l->client);
}

/* --- who may act */

static void lease_changed(void *arg, enum lease_state state, const char *words)
{
	struct cluster *l = arg;
	const struct cluster_config *k = l->opt.cluster;

	switch (state) {
	case LEASE_OURS:
		metrics_count(METRIC_LEASE_ACQUIRED, 0, 0);
		log_info("cluster %s: the lease %s/%s is ours", k->name, k->ns,
			 l->lease_name);
		break;
	case LEASE_OTHERS:
		log_warn("cluster %s: another slurmctld (%s) holds the lease "
			 "%s/%s: waiting",
			 k->name, words, k->ns, l->lease_name);
		break;
	case LEASE_UNFENCED:
		log_warn("cluster %s: no lease keeps a second slurmctld from "
			 "acting: %s",
			 k->name, words);
		break;
	case LEASE_UNKNOWN:
		log_error("cluster %s: nothing is done without the lease "
			  "%s/%s: %s",
			  k->name, k->ns, l->lease_name, words);
		break;
	}
	cluster_ring(l);
}

static struct lease *fence(struct cluster *l)
{
	const struct lease_options opt = {
		.ns = l->opt.cluster->ns,
		.name = l->lease_name,
		.on_change = lease_changed,
		.arg = l,
	};

	return lease_new(l->client, &opt);
}

static bool is_stopped(const struct cluster *l)
{
	return atomic_load(&l->stop) ||
	       (l->opt.ending && atomic_load(l->opt.ending));
}

/*
 * False before the lease is there: the client asks then, too. A thread that was
 * late to stop, as its credential plugin hung, may have been given up: then the
 * next one has the same lease.
 */
bool cluster_may_act(void *cluster)
{
	struct cluster *l = cluster;

	return !is_stopped(l) && l->lease && lease_held(l->lease);
}

static void step_parts(struct cluster *l, bool held)
{
	for (size_t i = 0; i < l->n_parts; i++)
		l->parts[i].ops->step(l->parts[i].arg, l->client, held);
}

/* Give the lease back for the next slurmctld, which need not wait then. */
static void release(struct cluster *l)
{
	int64_t end = clock_ms() + RELEASE_MS, left;

	step_parts(l, false);
	lease_release(l->lease);
	while (!lease_released(l->lease) && (left = end - clock_ms()) > 0)
		kube_client_step(l->client, (int)left);
}

/* --- the thread */

static struct informer *inform_of_hosts(struct cluster *l)
{
	const struct part *p = l->nodes_part;
	struct informer_handler also;
	struct informer *in;

	if (!p)
		return informer_keep_fresh(
			kube_nodes_inform(l->hosts, l->client, NULL), STALE_MS);
	also = p->ops->nodes_handler(p->arg);
	in = kube_nodes_inform(l->hosts, l->client, &also);
	p->ops->nodes(p->arg, in);
	return in;
}

static int start_parts(struct cluster *l)
{
	int rc = 0;

	for (size_t i = 0; i < l->n_parts && !rc; i++)
		rc = l->parts[i].ops->start(l->parts[i].arg, l->client);
	return rc;
}

static int read_kubeconfig(const struct cluster_config *k,
			   struct kube_config **out, struct err *err)
{
	return k->in_cluster
		       ? kube_config_in_cluster(NULL, out, err)
		       : kube_config_load(k->kubeconfig, k->context, out, err);
}

static bool is_in_force(struct cluster *l, const struct kube_config *now)
{
	bool same;

	pthread_mutex_lock(&l->kube_lock);
	same = kube_config_same(l->kube, now);
	pthread_mutex_unlock(&l->kube_lock);
	return same;
}

/* Log it once for the same words: a file may just be being written. */
static void reread_failed(struct cluster *l, const struct err *err)
{
	if (strcmp(l->reread_words, err->msg))
		log_error("cluster %s: the kubeconfig in force stays: %s",
			  l->opt.cluster->name, err->msg);
	str_copy(l->reread_words, err->msg, sizeof(l->reread_words));
}

static void reread(struct cluster *l)
{
	struct kube_config *now = NULL, *old = l->kube;
	const int64_t pause_ms =
		kube_client_distrusted(l->client) ? DISTRUSTED_MS : REREAD_MS;
	struct err err = {0};
	int rc;

	if (clock_ms() - l->read_ms < pause_ms)
		return;
	l->read_ms = clock_ms();
	rc = read_kubeconfig(l->opt.cluster, &now, &err);
	if (!rc && kube_config_same(old, now)) {
		*l->reread_words = '\0';
		kube_config_free(now);
		return;
	}
	if (!rc)
		rc = kube_client_use(l->client, now, &err);
	if (rc) {
		reread_failed(l, &err);
		kube_config_free(now);
		return;
	}
	*l->reread_words = '\0';
	pthread_mutex_lock(&l->kube_lock);
	l->kube = now;
	pthread_mutex_unlock(&l->kube_lock);
	kube_config_free(old);
	log_info("cluster %s: the kubeconfig, or a file of it, has changed: "
		 "connecting anew",
		 l->opt.cluster->name);
}

bool cluster_is_current(struct cluster *l)
{
	_cleanup_(kube_config_freep) struct kube_config *now = NULL;
	struct err err = {0};

	if (!atomic_load(&l->connected))
		return true; /* no client yet: the thread reads until it can */
	if (!read_kubeconfig(l->opt.cluster, &now, &err))
		return is_in_force(l, now);
	log_error("cluster %s: the kubeconfig in force stays: %s",
		  l->opt.cluster->name, err.msg);
	return true;
}

static int connect_to(struct cluster *l, struct err *err)
{
	const struct cluster_config *k = l->opt.cluster;
	const struct kube_client_options opt = {
		.user_agent = WK_USER_AGENT,
		.max_calls = k->max_requests,
		.may_write = cluster_may_act,
		.may_arg = l,
	};
	int rc;

	atomic_store(&l->beat_at, clock_ms());
	rc = read_kubeconfig(k, &l->kube, err);
	l->read_ms = clock_ms();
	if (!rc)
		rc = kube_client_new(l->kube, &opt, &l->client, err);
	if (rc)
		return rc;
	l->lease = fence(l);
	l->hosts_in = inform_of_hosts(l);
	return l->lease && l->hosts_in && !start_parts(l) ? 0 : err_oom(err);
}

static void disconnect(struct cluster *l)
{
	atomic_store(&l->hosts_at, 0);
	informer_free(l->hosts_in);
	for (size_t i = 0; i < l->n_parts && l->client; i++)
		l->parts[i].ops->stop(l->parts[i].arg, l->client);
	lease_free(l->lease);
	kube_client_free(l->client);
	kube_config_free(l->kube);
	l->hosts_in = NULL;
	l->lease = NULL;
	l->client = NULL;
	l->kube = NULL;
}

static void look_at_engine(struct cluster *l)
{
	if (l->opt.engine)
		engine_beat_look(l->opt.engine);
}

/* A kubeconfig that cannot be read may be there later. */
static void connect_at_last(struct cluster *l)
{
	struct err err = {0};
	char last[sizeof(err.msg)] = "";

	while (!is_stopped(l) && connect_to(l, &err)) {
		if (strcmp(last, err.msg))
			log_error("cluster %s: %s", l->opt.cluster->name,
				  err.msg);
		str_copy(last, err.msg, sizeof(last));
		disconnect(l);
		look_at_engine(l);
		for (int i = 0; i < 50 && !is_stopped(l); i++)
			clock_nap(100);
	}
}

void cluster_free(struct cluster *l)
{
	if (!l)
		return;
	disconnect(l);
	for (size_t i = 0; i < l->n_parts; i++)
		l->parts[i].ops->free(l->parts[i].arg);
	kube_nodes_free(l->hosts);
	pthread_mutex_destroy(&l->kube_lock);
	free(l->slurm_cluster);
	config_free(l->opt.config);
	free(l);
}

/*
 * Let go of the memory; the last owner frees it. An abandoned thread does so
 * itself.
 */
void cluster_let_go(struct cluster *l)
{
	const struct cluster_options opt = l->opt;

	if (atomic_fetch_sub(&l->owners, 1) != 1)
		return;
	cluster_free(l);
	if (opt.gone)
		opt.gone(opt.arg);
}

void cluster_hold(struct cluster *l)
{
	atomic_fetch_add(&l->owners, 1);
}

static int64_t hosts_stale_ms(const struct cluster *l)
{
	const struct part *p = l->nodes_part;

	return p ? p->ops->nodes_stale_ms(p->arg) : STALE_MS;
}

static void step(struct cluster *l)
{
	atomic_store(&l->beat_at, clock_ms());
	look_at_engine(l);
	reread(l);
	informer_step(l->hosts_in);
	lease_step(l->lease);
	atomic_store(&l->hosts_at, view_at(l->hosts_in));
	step_parts(l, cluster_may_act(l));
	if (!kube_client_step(l->client, STEP_MS))
		kube_client_rest(l->client, 100);
}

static void run(void *arg)
{
	struct cluster *l = arg;

	connect_at_last(l);
	atomic_store(&l->connected, l->client != NULL);
	while (!is_stopped(l))
		step(l);
	if (l->client)
		release(l);
	cluster_let_go(l);
}

int cluster_new(const struct cluster_options *opt, struct cluster **out,
		struct err *err)
{
	struct cluster *l = calloc(1, sizeof(*l));

	if (!l)
		return err_oom(err);
	l->opt = *opt;
	config_share(opt->config);
	pthread_mutex_init(&l->kube_lock, NULL);
	name_lease_of(opt->slurm_cluster, l->lease_name);
	l->slurm_cluster = strdup(opt->slurm_cluster);
	l->hosts = kube_nodes_new(opt->cluster->name, cluster_ring, l);
	if (!l->slurm_cluster || !l->hosts) {
		cluster_free(l);
		return err_oom(err);
	}
	*out = l;
	return 0;
}

void cluster_attach(struct cluster *l, const struct cluster_part_ops *ops,
		    void *part)
{
	struct part *p = &l->parts[l->n_parts++];

	*p = (struct part){ops, part};
	if (ops->nodes_handler)
		l->nodes_part = p;
}

void *cluster_part(struct cluster *l, const struct cluster_part_ops *ops)
{
	for (size_t i = 0; i < l->n_parts; i++)
		if (l->parts[i].ops == ops)
			return l->parts[i].arg;
	return NULL;
}

const struct cluster_options *cluster_options(const struct cluster *l)
{
	return &l->opt;
}

int cluster_start(struct cluster *l, struct err *err)
{
	int rc;

	atomic_init(&l->owners, 2);
	rc = thread_start(&l->thread, "k8s-link", run, l, err);
	if (rc)
		cluster_free(l);
	return rc;
}

void cluster_ask_stop(struct cluster *l)
{
	atomic_store(&l->stop, true);
	cluster_wake(l);
}

bool cluster_stop(struct cluster *l, int64_t wait_ms)
{
	bool ended;

	cluster_ask_stop(l);
	ended = thread_join(l->thread, wait_ms);
	cluster_let_go(l);
	return ended;
}

const char *cluster_slurm_cluster(const struct cluster *l)
{
	return l->slurm_cluster;
}

bool cluster_held(struct cluster *l)
{
	return atomic_load(&l->connected) && cluster_may_act(l);
}

void cluster_tell_late(struct cluster *l)
{
	int64_t late;

	/* Where the bridge has a part in the cluster, its thread logs that. */
	if (l->nodes_part && atomic_load(&l->connected))
		return;
	late = heartbeat_late(&l->beat_at, &l->late_told_at);
	if (late)
		log_error("cluster %s: the thread that talks to the API server "
			  "has not come round for %" PRId64 " s: no pod is "
			  "made or deleted meanwhile (the kubeconfig, and the "
			  "files that it names, may be on a file system that "
			  "hangs)",
			  l->opt.cluster->name, late / 1000);
}

static bool hosts_are_fresh(struct cluster *l)
{
	return view_is_fresh(atomic_load(&l->hosts_at), hosts_stale_ms(l));
}

void cluster_host(struct cluster *l, const char *name,
		  struct kube_node_state *out)
{
	*out = (struct kube_node_state){0};
	if (*name && hosts_are_fresh(l))
		kube_nodes_find(l->hosts, name, out);
}

int64_t cluster_hosts_age(struct cluster *l)
{
	const int64_t at = atomic_load(&l->hosts_at);

	return at ? clock_boot_ms() - at : -1;
}

bool cluster_hosts(struct cluster *l, struct disruption_seen *out)
{
	return hosts_are_fresh(l) && kube_nodes_count(l->hosts, out);
}

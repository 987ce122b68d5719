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
#include "cluster/kube_nodes.h"
#include "cluster/pdb.h"
#include "kube/lease.h"
#include "objects/pod_event.h"
#include "runtime/thread.h"
#include "syntax/names.h"

#define STEP_MS 1000
#define STALE_MS 120000 /* nothing is decided by an older view */
#define RELIST_MS 10000 /* so seldom a view that lacks a pod is left */
#define RELEASE_MS 500	/* to give the lease back, at the end */
/*
 * The kubeconfig and the files that it names are read again: certificates, CA
 * and tokens in it are replaced in their time (client-go looks each 5 minutes)
 */
#define REREAD_MS 300000
#define DISTRUSTED_MS 60000 /* sooner, when the server refuses what we have */
#define WARNINGS_RETRY_MAX_MS 600000 /* not allowed to look: ask seldom */

struct cluster {
	struct cluster_options opt;
	atomic_int owners; /* of the memory: the thread, and who stops it */
	char *slurm_cluster, *selector;
	char lease_name[DNS_LABEL_MAX + 1];
	pthread_t thread;
	atomic_bool stop;
	/* what is in view is of then (clock_boot_ms()); 0: it is not */
	_Atomic int64_t pods_at, hosts_at;
	int64_t relist_at;	 /* not before; monotonic */
	bool relist;		 /* a pod is not there as it is in view */
	_Atomic int64_t beat_at; /* clock_ms(): the thread came round last */
	int64_t late_told_at;	 /* cluster_tell_late() */
	atomic_bool connected;	 /* client and lease are there, and stay */
	pthread_mutex_t kube_lock;
	struct kube_config *kube; /* others read it under the lock */
	int64_t read_ms;
	char reread_words[ERR_MSG_MAX]; /* of trouble that was told */
	struct kube_client *client;	/* NULL until the kubeconfig is read */
	struct informer *pods_in, *hosts_in, *warnings_in;
	struct lease *lease; /* who holds it acts; the others only look */
	struct worker_pods *pods;
	struct hosts *hosts;
	struct node_requests *work;
	struct pdb budget;
	struct bridge_session *bridge; /* or NULL */
};

static void ring(void *arg)
{
	struct cluster *l = arg;

	l->opt.ring(l->opt.arg);
}

static void wake(void *arg)
{
	struct cluster *l = arg;

	if (atomic_load(&l->connected))
		kube_client_wakeup(l->client);
}

/* --- pods in view */

static void pods_list(void *arg)
{
	struct cluster *l = arg;

	worker_pods_begin(l->pods);
}

static const char *container_of_pod(const struct cluster *l,
				    const json_object *pod)
{
	const char *name = jx_str(pod, "metadata", "labels", WK_LABEL_NODESET);
	const struct nodeset *set =
		name ? config_nodeset_named(l->opt.config, name) : NULL;

	return set ? set->container : WK_CONTAINER;
}

static void pods_object(void *arg, json_object *pod)
{
	struct cluster *l = arg;

	if (worker_pods_put(l->pods, pod, container_of_pod(l, pod)))
		ring(l);
}

static void pods_delete(void *arg, json_object *pod)
{
	struct cluster *l = arg;

	worker_pods_delete(l->pods, pod);
	ring(l);
}

static void pods_oversized(void *arg, const struct object_id *id, bool news)
{
	struct cluster *l = arg;
	const struct pod_view pod = {.name = id->name, .uid = id->uid};

	worker_pods_keep(l->pods, id->name, id->uid);
	if (news && *id->uid)
		node_requests_event(l->work, &pod, true, "Not read",
				    informer_why(id));
}

static void pods_synced(void *arg)
{
	struct cluster *l = arg;

	worker_pods_synced(l->pods);
	log_info("cluster %s: %zu pods in view", l->opt.cluster->name,
		 worker_pods_count(l->pods));
	ring(l);
}

static void pods_trouble(void *arg, int rc, const char *words)
{
	struct cluster *l = arg;

	if (rc)
		log_error("cluster %s: pods cannot be seen: %s",
			  l->opt.cluster->name, words);
	else
		log_info("cluster %s: pods can be seen again",
			 l->opt.cluster->name);
}

static struct informer *inform_of_pods(struct cluster *l)
{
	const struct informer_options opt = {
		.collection = {.api = KUBE_CORE_V1,
			       .ns = l->opt.cluster->ns,
			       .resource = "pods"},
		.select = {.labels = l->selector},
	};
	const struct informer_handler on = {
		.on_list = pods_list,
		.on_object = pods_object,
		.on_delete = pods_delete,
		.on_oversized = pods_oversized,
		.on_synced = pods_synced,
		.on_trouble = pods_trouble,
		.arg = l,
	};

	return informer_keep_fresh(informer_new(l->client, &opt, &on),
				   STALE_MS);
}

/* What was asked for by its name, as what is in view of it may be old. */
static void pod_looked(void *arg, const char *pod, const char *node,
		       int64_t asked_ms, const json_object *found)
{
	struct cluster *l = arg;

	if (worker_pods_looked(l->pods, pod, node, asked_ms, found))
		l->relist = true;
}

static void relist_pods(struct cluster *l)
{
	if (!l->relist || clock_ms() < l->relist_at)
		return;
	l->relist = false;
	l->relist_at = clock_ms() + RELIST_MS;
	log_info("cluster %s: what is in view of pods is old: they are listed "
		 "anew",
		 l->opt.cluster->name);
	informer_relist(l->pods_in);
}

/* --- what kubelet does not get done: no word of it in the pod's status */

static void warnings_object(void *arg, json_object *event)
{
	struct cluster *l = arg;
	const json_object *pod = jx_get(event, "involvedObject");
	const char *name = jx_str(pod, "name"), *uid = jx_str(pod, "uid");
	int64_t first, last;
	_cleanup_free_ char *words = pod_event_warning(event, &first, &last);

	if (name && uid && words &&
	    worker_pods_warn(l->pods, name, uid, words, first, last))
		ring(l);
}

static void warnings_trouble(void *arg, int rc, const char *words)
{
	struct cluster *l = arg;

	if (rc)
		log_warn(
			"cluster %s: Events cannot be seen, so that pods whose "
			"volumes cannot be mounted wait for ResumeTimeout: %s",
			l->opt.cluster->name, words);
}

static struct informer *inform_of_warnings(struct cluster *l)
{
	const struct informer_options opt = {
		.collection = {.api = KUBE_CORE_V1,
			       .ns = l->opt.cluster->ns,
			       .resource = "events"},
		.select = {.fields = POD_EVENT_WARNINGS},
		.retry_max_ms = WARNINGS_RETRY_MAX_MS,
	};
	const struct informer_handler on = {
		.on_object = warnings_object,
		.on_trouble = warnings_trouble,
		.arg = l,
	};

	return informer_new(l->client, &opt, &on);
}

/* --- who may act */

static void lease_changed(void *arg, enum lease_state state, const char *words)
{
	struct cluster *l = arg;
	const struct cluster_config *k = l->opt.cluster;

	switch (state) {
	case LEASE_OURS:
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
	ring(l);
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

/* (The client asks, too, before the lease is there.) */
static bool may_act(void *arg)
{
	struct cluster *l = arg;

	return l->lease && lease_held(l->lease);
}

/* For the next slurmctld, who need not wait then. */
static void release(struct cluster *l)
{
	int64_t end = clock_ms() + RELEASE_MS, left;

	node_requests_drop(l->work, l->client);
	if (l->bridge)
		bridge_session_step(l->bridge, l->client, false);
	lease_release(l->lease);
	while (!lease_released(l->lease) && (left = end - clock_ms()) > 0)
		kube_client_step(l->client, (int)left);
}

/* --- the thread */

static struct informer *inform_of_hosts(struct cluster *l)
{
	struct informer_handler also;
	struct informer *in;

	if (!l->bridge)
		return informer_keep_fresh(
			kube_nodes_inform(l->hosts, l->client, NULL), STALE_MS);
	bridge_session_host_handler(l->bridge, &also);
	in = kube_nodes_inform(l->hosts, l->client, &also);
	bridge_session_nodes(l->bridge, in);
	return in;
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

/* (a file that is just being written is read again later) */
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
		return true; /* it reads until it can */
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
		.may_write = may_act,
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
	l->budget = (struct pdb){.client = l->client,
				 .ns = k->ns,
				 .slurm_cluster = l->slurm_cluster,
				 .name = k->name};
	l->lease = fence(l);
	l->pods_in = inform_of_pods(l);
	l->hosts_in = inform_of_hosts(l);
	l->warnings_in = inform_of_warnings(l);
	if (l->bridge && bridge_session_start(l->bridge, l->client))
		return err_oom(err);
	return l->lease && l->pods_in && l->hosts_in && l->warnings_in
		       ? 0
		       : err_oom(err);
}

static void disconnect(struct cluster *l)
{
	atomic_store(&l->pods_at, 0);
	atomic_store(&l->hosts_at, 0);
	informer_free(l->pods_in);
	informer_free(l->hosts_in);
	informer_free(l->warnings_in);
	if (l->bridge && l->client)
		bridge_session_stop(l->bridge, l->client);
	lease_free(l->lease);
	kube_client_free(l->client);
	kube_config_free(l->kube);
	l->pods_in = l->hosts_in = l->warnings_in = NULL;
	l->lease = NULL;
	l->client = NULL;
	l->kube = NULL;
}

static bool is_stopped(const struct cluster *l)
{
	return atomic_load(&l->stop) ||
	       (l->opt.ending && atomic_load(l->opt.ending));
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
		for (int i = 0; i < 50 && !is_stopped(l); i++)
			clock_nap(100);
	}
}

static void link_free(struct cluster *l)
{
	disconnect(l);
	bridge_session_free(l->bridge);
	node_requests_free(l->work);
	kube_nodes_free(l->hosts);
	worker_pods_free(l->pods);
	pthread_mutex_destroy(&l->kube_lock);
	free(l->slurm_cluster);
	free(l->selector);
	config_free(l->opt.config);
	free(l);
}

/* The last one frees: an abandoned thread does so itself. */
void cluster_let_go(struct cluster *l)
{
	const struct cluster_options opt = l->opt;

	if (atomic_fetch_sub(&l->owners, 1) != 1)
		return;
	link_free(l);
	if (opt.gone)
		opt.gone(opt.arg);
}

void cluster_hold(struct cluster *l)
{
	atomic_fetch_add(&l->owners, 1);
}

/* Since when what it shows may be old; 0: no watch is under way. */
static int64_t fresh_at(const struct informer *f)
{
	return informer_live(f) ? informer_fresh_at(f) : 0;
}

static bool is_fresh(int64_t at, int64_t stale_ms)
{
	return at && clock_boot_ms() - at < stale_ms;
}

/* (the bridge sees to its Kubernetes nodes by a bound of its own) */
static int64_t hosts_stale_ms(const struct cluster *l)
{
	return l->bridge ? l->opt.config->bridge.stale_after_ms : STALE_MS;
}

static void note_age(struct cluster *l)
{
	const int64_t now = fresh_at(l->pods_in);

	atomic_store(&l->hosts_at, fresh_at(l->hosts_in));
	if (is_fresh(atomic_exchange(&l->pods_at, now), STALE_MS) !=
	    is_fresh(now, STALE_MS))
		ring(l);
}

static void step(struct cluster *l)
{
	atomic_store(&l->beat_at, clock_ms());
	reread(l);
	relist_pods(l);
	informer_step(l->pods_in);
	informer_step(l->hosts_in);
	informer_step(l->warnings_in);
	lease_step(l->lease);
	note_age(l);
	if (l->bridge)
		bridge_session_step(l->bridge, l->client, lease_held(l->lease));
	if (lease_held(l->lease)) {
		pdb_step(&l->budget);
		node_requests_begin(l->work, l->client);
	} else {
		node_requests_drop(l->work, l->client);
	}
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

static struct bridge_session *bridge_of(struct cluster *l)
{
	const struct bridge_session_options opt = {
		.config = &l->opt.config->bridge,
		.cluster = l->opt.cluster,
		.slurm_cluster = l->slurm_cluster,
		.waker = l->opt.bridge_waker,
		.nodes = l->opt.bridge_nodes,
		.asked = wake,
		.may = may_act,
		.arg = l,
	};

	return bridge_session_new(&opt);
}

static int fill(struct cluster *l, const struct cluster_options *opt)
{
	const struct node_requests_options work = {
		.cluster = opt->cluster,
		.slurm_cluster = l->slurm_cluster,
		.asked = wake,
		.done = ring,
		.may = may_act,
		.looked = pod_looked,
		.arg = l,
	};
	char label[DNS_LABEL_MAX + 1];

	name_label_of(opt->slurm_cluster, label);
	name_lease_of(opt->slurm_cluster, l->lease_name);
	l->selector = str_printf(WK_LABEL_CLUSTER "=%s", label);
	l->pods = worker_pods_new();
	l->hosts = kube_nodes_new(opt->cluster->name, ring, l);
	l->work = node_requests_new(&work);
	if (opt->bridged && !(l->bridge = bridge_of(l)))
		return -ENOMEM;
	return l->slurm_cluster && l->selector && l->pods && l->hosts && l->work
		       ? 0
		       : -ENOMEM;
}

int cluster_start(const struct cluster_options *opt, struct cluster **out,
		  struct err *err)
{
	struct cluster *l = calloc(1, sizeof(*l));
	int rc;

	if (!l)
		return err_oom(err);
	l->opt = *opt;
	config_share(opt->config);
	pthread_mutex_init(&l->kube_lock, NULL);
	l->slurm_cluster = strdup(opt->slurm_cluster);
	if (fill(l, opt)) {
		link_free(l);
		return err_oom(err);
	}
	atomic_init(&l->owners, 2);
	rc = thread_start(&l->thread, "k8s-link", run, l, err);
	if (rc) {
		link_free(l);
		return rc;
	}
	*out = l;
	return 0;
}

void cluster_ask_stop(struct cluster *l)
{
	atomic_store(&l->stop, true);
	wake(l);
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

struct worker_pods *cluster_pods(struct cluster *l)
{
	return l->pods;
}

struct bridge_session *cluster_bridge(struct cluster *l)
{
	return l->bridge;
}

struct node_requests *cluster_work(struct cluster *l)
{
	return l->work;
}

bool cluster_held(struct cluster *l)
{
	return atomic_load(&l->connected) && lease_held(l->lease);
}

bool cluster_live(struct cluster *l)
{
	return is_fresh(atomic_load(&l->pods_at), STALE_MS) && cluster_held(l);
}

void cluster_tell_late(struct cluster *l)
{
	int64_t late;

	/* (the bridge's thread says it of a link that is the bridge's) */
	if (l->bridge && atomic_load(&l->connected))
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
	return is_fresh(atomic_load(&l->hosts_at), hosts_stale_ms(l));
}

void cluster_host(struct cluster *l, const char *name,
		  struct kube_node_state *out)
{
	*out = (struct kube_node_state){0};
	if (*name && hosts_are_fresh(l))
		kube_nodes_find(l->hosts, name, out);
}

bool cluster_hosts(struct cluster *l, struct disruption_seen *out)
{
	return hosts_are_fresh(l) && kube_nodes_count(l->hosts, out);
}

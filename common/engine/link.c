/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/link.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/str.h"
#include "engine/thread.h"
#include "kube/informer.h"
#include "kube/lease.h"
#include "pods/pod_op.h"

#define STEP_MS 1000
#define OP_MS 30000
#define DELETE_MS 10000
#define RELEASE_MS 500		  /* to give the lease back, at the end */
#define NODES_RETRY_MAX_MS 600000 /* not allowed to look: ask seldom */

/* Something to do, then under way. */
struct job {
	UT_hash_handle hh; /* by the pod's name: one at a time */
	struct job *next;  /* not begun */
	struct link *link;
	int failed;
	bool create;
	bool begun;
	struct kube_call *deleting; /* begun, and not create */
	char pod[254];
	char uid[64];
	int64_t grace_s;
	struct pod_op op;
	char *node, *body;
};

struct host {
	UT_hash_handle hh;
	int failed;
	unsigned int generation;
	bool cordoned, ready;
	char name[];
};

struct link {
	struct link_options opt;
	atomic_int owners; /* of the memory: the thread, and who stops it */
	char *slurm_cluster, *selector;
	char lease_name[DNS_LABEL_MAX + 1];
	pthread_t thread;
	atomic_bool stop;
	atomic_bool live;
	atomic_bool hosts_live;
	atomic_bool connected; /* client is there, and stays */
	struct kube_config *kube;
	struct kube_client *client; /* NULL until the kubeconfig is read */
	struct informer *pods_in, *hosts_in;
	struct lease *lease; /* who holds it acts; the others only look */
	struct pod_cache *pods;

	pthread_mutex_t lock;	  /* of what follows */
	struct job *jobs;	  /* all, by pod */
	struct job *first, *last; /* not begun yet */
	struct host *hosts;
	unsigned int generation;
	bool hosts_known;
};

static void ring(struct link *l)
{
	l->opt.ring(l->opt.arg);
}

/* --- pods in view */

static void pods_list(void *arg)
{
	struct link *l = arg;

	pod_cache_begin(l->pods);
}

static const char *container_of_pod(const struct link *l,
				    const json_object *pod)
{
	const char *name = jx_str(pod, "metadata", "labels", WK_LABEL_NODESET);
	const struct nodeset *set =
		name ? config_nodeset_named(l->opt.config, name) : NULL;

	return set ? set->container : WK_CONTAINER;
}

static void pods_object(void *arg, json_object *pod)
{
	struct link *l = arg;

	if (pod_cache_put(l->pods, pod, container_of_pod(l, pod)))
		ring(l);
}

static void pods_delete(void *arg, json_object *pod)
{
	struct link *l = arg;

	pod_cache_delete(l->pods, pod);
	ring(l);
}

static void pods_synced(void *arg)
{
	struct link *l = arg;

	pod_cache_synced(l->pods);
	log_info("cluster %s: %zu pods in view", l->opt.cluster->name,
		 pod_cache_count(l->pods));
	ring(l);
}

static void pods_trouble(void *arg, int rc, const char *words)
{
	struct link *l = arg;

	if (rc)
		log_error("cluster %s: pods cannot be seen: %s",
			  l->opt.cluster->name, words);
	else
		log_info("cluster %s: pods can be seen again",
			 l->opt.cluster->name);
}

/* --- Kubernetes nodes in view */

static void hosts_list(void *arg)
{
	struct link *l = arg;

	pthread_mutex_lock(&l->lock);
	l->generation++;
	pthread_mutex_unlock(&l->lock);
}

static bool is_ready(const json_object *node)
{
	json_object *seq = jx_get(node, "status", "conditions");

	for (size_t i = 0;
	     jx_is(seq, json_type_array) && i < json_object_array_length(seq);
	     i++) {
		json_object *c = json_object_array_get_idx(seq, i);

		if (str_eq(jx_str(c, "type"), "Ready"))
			return str_eq(jx_str(c, "status"), "True");
	}
	return false;
}

/* Under the lock. True: it has changed. */
static bool put_host(struct link *l, const char *name, bool cordoned,
		     bool ready)
{
	size_t size = strlen(name) + 1;
	struct host *h;
	bool changed;

	HASH_FIND_STR(l->hosts, name, h);
	if (!h) {
		h = calloc(1, sizeof(*h) + size);
		if (!h)
			return false;
		memcpy(h->name, name, size);
		HASH_ADD_KEYPTR(hh, l->hosts, h->name, strlen(h->name), h);
		if (h->failed) {
			free(h);
			return false;
		}
		h->ready = !ready; /* is news */
	}
	changed = h->cordoned != cordoned || h->ready != ready;
	h->cordoned = cordoned;
	h->ready = ready;
	h->generation = l->generation;
	return changed;
}

static void hosts_object(void *arg, json_object *node)
{
	struct link *l = arg;
	const char *name = jx_str(node, "metadata", "name");
	bool cordoned =
		json_object_get_boolean(jx_get(node, "spec", "unschedulable"));
	bool changed;

	if (!name)
		return;
	pthread_mutex_lock(&l->lock);
	changed = put_host(l, name, cordoned, is_ready(node));
	pthread_mutex_unlock(&l->lock);
	if (changed)
		ring(l);
}

static void hosts_delete(void *arg, json_object *node)
{
	struct link *l = arg;
	const char *name = jx_str(node, "metadata", "name");
	struct host *h = NULL;

	pthread_mutex_lock(&l->lock);
	if (name)
		HASH_FIND_STR(l->hosts, name, h);
	if (h)
		h->ready = false;
	pthread_mutex_unlock(&l->lock);
	ring(l);
}

static void hosts_synced(void *arg)
{
	struct link *l = arg;
	struct host *h = NULL, *next = NULL;

	pthread_mutex_lock(&l->lock);
	HASH_ITER(hh, l->hosts, h, next)
	{
		if (h->generation == l->generation)
			continue;
		HASH_DELETE(hh, l->hosts, h);
		free(h);
	}
	l->hosts_known = true;
	pthread_mutex_unlock(&l->lock);
	ring(l);
}

static void hosts_trouble(void *arg, int rc, const char *words)
{
	struct link *l = arg;

	if (rc)
		log_warn("cluster %s: Kubernetes nodes cannot be seen, so that "
			 "cordons and lost nodes go unnoticed: %s",
			 l->opt.cluster->name, words);
}

/* --- who may act */

static void lease_changed(void *arg, enum lease_state state, const char *words)
{
	struct link *l = arg;
	const struct cluster *k = l->opt.cluster;

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

/* --- what there is to do */

static void job_free(struct job *j)
{
	free(j->node);
	free(j->body);
	free(j);
}

/* Any thread. Takes the job over; it is dropped if one is there already. */
static void submit(struct link *l, struct job *j)
{
	struct job *other;
	bool doubled;

	pthread_mutex_lock(&l->lock);
	HASH_FIND_STR(l->jobs, j->pod, other);
	doubled = other != NULL;
	if (!doubled) {
		HASH_ADD_KEYPTR(hh, l->jobs, j->pod, strlen(j->pod), j);
		doubled = j->failed;
	}
	if (!doubled) {
		if (l->last)
			l->last->next = j;
		else
			l->first = j;
		l->last = j;
	}
	pthread_mutex_unlock(&l->lock);
	if (doubled) {
		job_free(j);
	} else if (atomic_load(&l->connected)) {
		kube_client_wakeup(l->client);
	}
}

static void job_done(struct job *j)
{
	struct link *l = j->link;

	pthread_mutex_lock(&l->lock);
	HASH_DELETE(hh, l->jobs, j);
	pthread_mutex_unlock(&l->lock);
	job_free(j);
	ring(l);
}

static void deleted(void *arg, const struct kube_result *res)
{
	struct job *j = arg;

	if (!res->rc)
		log_debug("pod %s deleted, uid %s", j->pod, j->uid);
	else if (res->http != 404 && res->http != 409)
		log_error("pod %s cannot be deleted: %s", j->pod,
			  res->err->msg);
	job_done(j);
}

static void created(struct pod_op *op)
{
	struct job *j = op->arg;

	if (op->outcome == POD_OP_FAILED)
		log_error("%s: its pod cannot be created: %s", j->node,
			  op->err.msg);
	else
		log_info("%s: pod %s/%s %s, uid %s", j->node,
			 op->set->cluster->ns, op->pod,
			 pod_outcome_word(op->outcome), op->uid);
	job_done(j);
}

static void begin_delete(struct link *l, struct job *j)
{
	const struct kube_ref ref = {.api = KUBE_CORE_V1,
				     .ns = l->opt.cluster->ns,
				     .resource = "pods",
				     .name = j->pod};
	const struct kube_reply to = {.on_done = deleted,
				      .arg = j,
				      .deadline_ms = clock_ms() + DELETE_MS};

	j->deleting = kube_delete(l->client, &ref, j->uid, j->grace_s, &to);
	if (!j->deleting)
		job_done(j);
}

static void begin_create(struct link *l, struct job *j)
{
	j->op.client = l->client;
	j->op.node = j->node;
	j->op.cluster = l->slurm_cluster;
	j->op.body = j->body;
	j->op.body_len = strlen(j->body);
	j->op.since_ms = clock_real_ms();
	j->op.deadline_ms = clock_ms() + OP_MS;
	j->op.on_done = created;
	j->op.arg = j;
	pod_ensure(&j->op);
}

static void begin_jobs(struct link *l)
{
	struct job *j, *next;

	pthread_mutex_lock(&l->lock);
	j = l->first;
	l->first = l->last = NULL;
	pthread_mutex_unlock(&l->lock);
	for (; j; j = next) {
		next = j->next;
		j->begun = true;
		if (!lease_held(l->lease))
			job_done(j);
		else if (j->create)
			begin_create(l, j);
		else
			begin_delete(l, j);
	}
}

/*
 * Without the lease nothing goes on, not even what has begun: it would be sent
 * again, or go a step further. Who holds it will want the same.
 */
static void drop_jobs(struct link *l)
{
	struct job *j = NULL, *next = NULL;

	pthread_mutex_lock(&l->lock);
	l->first = l->last = NULL;
	HASH_ITER(hh, l->jobs, j, next)
	{
		HASH_DELETE(hh, l->jobs, j);
		if (j->begun && j->create)
			pod_op_cancel(&j->op);
		else if (j->begun)
			kube_client_cancel(l->client, j->deleting);
		job_free(j);
	}
	pthread_mutex_unlock(&l->lock);
}

/* --- the thread */

static struct informer *inform_of_pods(struct link *l)
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
		.on_synced = pods_synced,
		.on_trouble = pods_trouble,
		.arg = l,
	};

	return informer_new(l->client, &opt, &on);
}

static struct informer *inform_of_hosts(struct link *l)
{
	const struct informer_options opt = {
		.collection = {.api = KUBE_CORE_V1, .resource = "nodes"},
		.retry_max_ms = NODES_RETRY_MAX_MS,
	};
	const struct informer_handler on = {
		.on_list = hosts_list,
		.on_object = hosts_object,
		.on_delete = hosts_delete,
		.on_synced = hosts_synced,
		.on_trouble = hosts_trouble,
		.arg = l,
	};

	return informer_new(l->client, &opt, &on);
}

static struct lease *fence(struct link *l)
{
	const struct lease_options opt = {
		.ns = l->opt.cluster->ns,
		.name = l->lease_name,
		.on_change = lease_changed,
		.arg = l,
	};

	return lease_new(l->client, &opt);
}

static int connect_to(struct link *l, struct err *err)
{
	const struct cluster *k = l->opt.cluster;
	const struct kube_client_options opt = {
		.user_agent = WK_USER_AGENT,
		.max_calls = k->max_requests,
	};
	int rc = k->in_cluster ? kube_config_in_cluster(NULL, &l->kube, err)
			       : kube_config_load(k->kubeconfig, k->context,
						  &l->kube, err);

	if (!rc)
		rc = kube_client_new(l->kube, &opt, &l->client, err);
	if (rc)
		return rc;
	l->pods_in = inform_of_pods(l);
	l->hosts_in = inform_of_hosts(l);
	l->lease = fence(l);
	return l->pods_in && l->hosts_in && l->lease ? 0 : err_oom(err);
}

static void disconnect(struct link *l)
{
	atomic_store(&l->live, false);
	informer_free(l->pods_in);
	informer_free(l->hosts_in);
	lease_free(l->lease);
	kube_client_free(l->client);
	kube_config_free(l->kube);
	l->pods_in = l->hosts_in = NULL;
	l->lease = NULL;
	l->client = NULL;
	l->kube = NULL;
}

/* A kubeconfig that cannot be read may be there later. */
static void connect_at_last(struct link *l)
{
	struct err err = {0};
	char last[sizeof(err.msg)] = "";

	while (!atomic_load(&l->stop) && connect_to(l, &err)) {
		if (strcmp(last, err.msg))
			log_error("cluster %s: %s", l->opt.cluster->name,
				  err.msg);
		str_copy(last, err.msg, sizeof(last));
		disconnect(l);
		for (int i = 0; i < 50 && !atomic_load(&l->stop); i++)
			thread_nap(100);
	}
}

static void link_free(struct link *l)
{
	struct job *j = NULL, *next_job = NULL;
	struct host *h = NULL, *next_host = NULL;

	disconnect(l);
	HASH_ITER(hh, l->jobs, j, next_job)
	{
		HASH_DELETE(hh, l->jobs, j);
		job_free(j);
	}
	HASH_ITER(hh, l->hosts, h, next_host)
	{
		HASH_DELETE(hh, l->hosts, h);
		free(h);
	}
	pod_cache_free(l->pods);
	pthread_mutex_destroy(&l->lock);
	free(l->slurm_cluster);
	free(l->selector);
	free(l);
}

/* The last one frees: an abandoned thread does so itself. */
static void let_go(struct link *l)
{
	if (atomic_fetch_sub(&l->owners, 1) == 1)
		link_free(l);
}

/* For the next slurmctld, who need not wait then. */
static void release(struct link *l)
{
	int64_t end = clock_ms() + RELEASE_MS, left;

	drop_jobs(l);
	lease_release(l->lease);
	while (!lease_released(l->lease) && (left = end - clock_ms()) > 0)
		kube_client_step(l->client, (int)left);
}

static void run(void *arg)
{
	struct link *l = arg;

	connect_at_last(l);
	atomic_store(&l->connected, l->client != NULL);
	while (!atomic_load(&l->stop)) {
		informer_step(l->pods_in);
		informer_step(l->hosts_in);
		lease_step(l->lease);
		if (atomic_exchange(&l->live, informer_live(l->pods_in)) !=
		    informer_live(l->pods_in))
			ring(l);
		atomic_store(&l->hosts_live, informer_live(l->hosts_in));
		if (lease_held(l->lease))
			begin_jobs(l);
		else
			drop_jobs(l);
		if (!kube_client_step(l->client, STEP_MS))
			kube_client_rest(l->client, 100);
	}
	if (l->client)
		release(l);
	let_go(l);
}

int link_start(const struct link_options *opt, struct link **out,
	       struct err *err)
{
	struct link *l = calloc(1, sizeof(*l));
	char label[DNS_LABEL_MAX + 1];
	int rc;

	if (!l)
		return err_oom(err);
	pthread_mutex_init(&l->lock, NULL);
	l->opt = *opt;
	name_label_of(opt->slurm_cluster, label);
	name_lease_of(opt->slurm_cluster, l->lease_name);
	l->slurm_cluster = strdup(opt->slurm_cluster);
	l->selector = str_printf(WK_LABEL_CLUSTER "=%s", label);
	l->pods = pod_cache_new();
	if (!l->slurm_cluster || !l->selector || !l->pods) {
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

void link_ask_stop(struct link *l)
{
	atomic_store(&l->stop, true);
	if (atomic_load(&l->connected))
		kube_client_wakeup(l->client);
}

bool link_stop(struct link *l, int64_t wait_ms)
{
	bool ended;

	link_ask_stop(l);
	ended = thread_join(l->thread, wait_ms);
	let_go(l);
	return ended;
}

struct pod_cache *link_pods(struct link *l)
{
	return l->pods;
}

bool link_held(struct link *l)
{
	return atomic_load(&l->connected) && lease_held(l->lease);
}

bool link_live(struct link *l)
{
	return atomic_load(&l->live) && link_held(l);
}

void link_host(struct link *l, const char *name, struct plan_host *out)
{
	struct host *h = NULL;

	*out = (struct plan_host){0};
	if (!*name)
		return;
	pthread_mutex_lock(&l->lock);
	if (l->hosts_known && atomic_load(&l->hosts_live))
		HASH_FIND_STR(l->hosts, name, h);
	if (h)
		*out = (struct plan_host){.known = true,
					  .cordoned = h->cordoned,
					  .ready = h->ready};
	pthread_mutex_unlock(&l->lock);
}

void link_delete(struct link *l, const struct plan_pod *pod, int64_t grace_s)
{
	struct job *j = calloc(1, sizeof(*j));

	if (!j)
		return;
	j->link = l;
	j->grace_s = grace_s;
	str_copy(j->pod, pod->name, sizeof(j->pod));
	str_copy(j->uid, pod->uid, sizeof(j->uid));
	submit(l, j);
}

void link_create(struct link *l, const struct nodeset *set, const char *node,
		 char *body, const char *hash)
{
	struct job *j = body ? calloc(1, sizeof(*j)) : NULL;
	char name[DNS_LABEL_MAX + 1];

	if (!j || !(j->node = strdup(node))) {
		free(j);
		free(body);
		return;
	}
	name_pod_of_node(node, name);
	j->link = l;
	j->create = true;
	j->body = body;
	j->op.set = set;
	str_copy(j->pod, name, sizeof(j->pod));
	str_copy(j->op.hash, hash, sizeof(j->op.hash));
	submit(l, j);
}

bool link_busy(struct link *l, const char *pod)
{
	struct job *j;

	pthread_mutex_lock(&l->lock);
	HASH_FIND_STR(l->jobs, pod, j);
	pthread_mutex_unlock(&l->lock);
	return j != NULL;
}

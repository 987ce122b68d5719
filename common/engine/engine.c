/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/engine.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/notify.h"
#include "base/str.h"
#include "bridge/reconcile/bridge.h"
#include "bridge/session/bridge_session.h"
#include "engine/active_config.h"
#include "engine/site.h"
#include "nodes/dynamic/dynamic_nodes.h"
#include "nodes/features/feature_switch.h"
#include "nodes/jobs/jobs.h"
#include "nodes/reconcile/reconcile.h"
#include "nodes/watch/watch.h"
#include "runtime/thread.h"
#include "slurm/ctl_create.h"
#include "slurm/ctl_placeholder.h"
#include "slurm/ctl_plugin.h"
#include "slurm/nodes_again.h"
#include "slurm/nodes_pace.h"

#define HEAR_MAX 256
/* Somebody else has the name of the engine's socket: told after so long. */
#define NOTIFY_TAKEN_MS 30000
#define STEP_MIN_MS 20
#define FULL_MS 10000 /* all is looked at, at least so often */
#define RETRY_MS 1000 /* slurmctld does not answer */
#define STOP_MS 1900
#define BRIDGE_STOP_MS 300
#define LINK_STOP_MS 1500 /* only a credential plugin can take that long */

/* The engine: a thread in slurmctld. */
struct engine {
	pthread_t thread;
	/*
	 * Owners of the memory: the thread, the one who stops it, and each
	 * link.
	 */
	atomic_int owners;
	int waker;  /* an eventfd: something has happened in a thread of ours */
	int notify; /* our programs have something to say; -1: not yet */
	int64_t notify_at;     /* when to try to listen again */
	int64_t notify_since;  /* since when that fails; 0: it has not */
	bool notify_said;      /* the log says so */
	bool site_stale;       /* slurm.conf was read anew since `site` was */
	int64_t site_at;       /* it is not asked for before */
	struct bridge *bridge; /* or NULL: k8s.yaml has none */
	int bridge_waker;      /* -1: the same */
	bool cleared;	       /* what was said while no engine ran */
	int64_t links_at;      /* when to try to start them again */
	struct nodes nodes;
};

static void ring(void *arg)
{
	struct engine *e = arg;

	eventfd_write(e->waker, 1);
}

/* Until something happens, at most so long. */
static void rest(struct engine *e, int64_t ms)
{
	struct pollfd fds[2] = {{.fd = e->waker, .events = POLLIN},
				{.fd = e->notify, .events = POLLIN}};
	eventfd_t count;

	engine_beat_put(&e->nodes.beat, ms);
	if (poll(fds, 2, (int)ms) > 0)
		eventfd_read(e->waker, &count);
	engine_beat_put(&e->nodes.beat, 0);
}

static void let_go(void *arg);

/* --- what our programs say */

static void listen_to_programs(struct engine *e)
{
	const int64_t now = clock_ms();
	struct err err = {0};
	bool says;

	if (e->notify >= 0 || now < e->notify_at)
		return;
	e->notify_at = now + RETRY_MS;
	/* At first the slurmctld before this one may still have the name. */
	says = e->notify_since && !e->notify_said &&
	       now >= e->notify_since + NOTIFY_TAKEN_MS;
	e->notify =
		notify_listen(e->nodes.site.notify_name, says ? &err : NULL);
	if (e->notify >= 0) {
		if (e->notify_said)
			log_info("what k8s_resume says is heard again");
		return;
	}
	if (!e->notify_since)
		e->notify_since = now;
	if (!says)
		return;
	e->notify_said = true;
	log_warn("%s: what k8s_resume says is not heard, so it gives nodes "
		 "back alone, and their jobs may wait longer",
		 err.msg);
}

/* "refused NODE WORDS" */
static void hear(struct engine *e)
{
	char text[NOTIFY_TEXT_MAX], node[256], *words;
	const struct nodeset *set;
	bool sent_back = false;

	for (int i = 0;
	     i < HEAR_MAX && e->notify >= 0 && !atomic_load(&e->nodes.stop) &&
	     notify_read(e->notify, text);
	     i++) {
		words = NULL;
		if (sscanf(text, "refused %255s", node) == 1)
			words = strchr(text + strlen("refused "), ' ');
		set = words ? config_nodeset_of(e->nodes.config, node) : NULL;
		if (!set)
			continue;
		cooldown_refused(&e->nodes, set, node, words + 1);
		sent_back = true;
		e->nodes.nodes_stale = true;
		e->nodes.look_at = 0;
	}
	if (sent_back)
		requeued_sent_back(&e->nodes); /* by k8s_resume */
}

/* --- the configuration in force */

static void stop_bridge(struct engine *e)
{
	if (!e->bridge)
		return;
	if (!bridge_stop(e->bridge, BRIDGE_STOP_MS))
		log_info("the bridge stops when slurmctld's answer has come");
	e->bridge = NULL;
}

static void stop_links(struct engine *e)
{
	free(e->nodes.cooling);
	e->nodes.cooling = NULL;
	free(e->nodes.disrupted);
	e->nodes.disrupted = NULL;
	free(e->nodes.turns);
	e->nodes.turns = NULL;
	free(e->nodes.creating);
	e->nodes.creating = NULL;
	if (!e->nodes.links)
		return;
	if (e->bridge)
		bridge_ask_stop(e->bridge);
	for (size_t i = 0; i < e->nodes.config->n_clusters; i++)
		if (e->nodes.links[i])
			cluster_ask_stop(e->nodes.links[i]);
	stop_bridge(e);
	for (size_t i = 0; i < e->nodes.config->n_clusters; i++)
		if (e->nodes.links[i] &&
		    !cluster_stop(e->nodes.links[i], LINK_STOP_MS))
			log_error("cluster %s: its thread is stuck, abandoned",
				  e->nodes.config->clusters[i].name);
	free(e->nodes.links);
	e->nodes.links = NULL;
}

/* True if the bridge's section names this cluster. */
static bool is_bridged(const struct engine *e, size_t cluster)
{
	const struct bridge_config *b = &e->nodes.config->bridge;

	return b->wanted &&
	       !strcmp(e->nodes.config->clusters[cluster].name, b->cluster);
}

static int start_bridge(struct engine *e, struct err *err)
{
	struct bridge_options opt = {.config = e->nodes.config,
				     .waker = e->bridge_waker,
				     .kill_wait_s = e->nodes.site.kill_wait_s,
				     .max_jobs = e->nodes.site.max_jobs,
				     .min_job_age_s =
					     e->nodes.site.min_job_age_s};

	for (size_t i = 0; i < e->nodes.config->n_clusters; i++)
		if (is_bridged(e, i))
			opt.link = e->nodes.links[i];
	return opt.link ? bridge_start(&opt, &e->bridge, err) : 0;
}

static int start_link(struct engine *e, size_t i, struct err *err)
{
	const struct cluster_options opt = {
		.config = e->nodes.config,
		.cluster = &e->nodes.config->clusters[i],
		.slurm_cluster = e->nodes.site.cluster,
		.ring = ring,
		.gone = let_go,
		.arg = e,
		.ending = &e->nodes.stop,
		.engine = &e->nodes.beat,
	};
	struct cluster *l = NULL;
	int rc = cluster_new(&opt, &l, err);

	if (!rc && is_bridged(e, i))
		rc = bridge_session_attach(l, e->bridge_waker,
					   ctl_external_known(), err);
	if (!rc)
		rc = watch_attach(l, err);
	if (rc) {
		cluster_free(l);
		return rc;
	}
	rc = cluster_start(l, err);
	if (rc)
		return rc;
	atomic_fetch_add(&e->owners, 1);
	e->nodes.links[i] = l;
	return 0;
}

static void start_links(struct engine *e)
{
	struct err err = {0};
	int rc = 0;

	e->nodes.links =
		calloc(e->nodes.config->n_clusters, sizeof(struct cluster *));
	e->nodes.cooling = calloc(e->nodes.config->n_nodesets + 1,
				  sizeof(*e->nodes.cooling));
	e->nodes.creating = calloc(e->nodes.config->n_nodesets + 1,
				   sizeof(*e->nodes.creating));
	e->nodes.disrupted = calloc(e->nodes.config->n_clusters,
				    sizeof(*e->nodes.disrupted));
	e->nodes.turns =
		calloc(e->nodes.config->n_clusters, sizeof(*e->nodes.turns));
	e->nodes.create_at = 0;
	if (!e->nodes.links || !e->nodes.cooling || !e->nodes.creating ||
	    !e->nodes.disrupted || !e->nodes.turns)
		rc = err_oom(&err);
	if (e->nodes.config->bridge.wanted && e->bridge_waker < 0)
		e->bridge_waker = bridge_waker();
	for (size_t i = 0; !rc && i < e->nodes.config->n_clusters; i++)
		rc = start_link(e, i, &err);
	if (!rc)
		rc = start_bridge(e, &err);
	if (!rc)
		return;
	log_error("%s", err.msg);
	stop_links(e);
}

static void drop_memo(struct engine *e, struct node_state *m)
{
	HASH_DELETE(hh, e->nodes.memos, m);
	if (m->busy)
		e->nodes.n_busy--;
	if (m->power == NODE_UP)
		e->nodes.n_up--;
	e->nodes.n_missing -= m->missing;
	step_annotations_free(&m->steps);
	json_object_put(m->asked);
	buf_free(&m->jobs);
	buf_free(&m->users);
	buf_free(&m->accounts);
	free(m);
}

/* Nodes of no nodeset are not looked at any more. */
static void review_memos(struct engine *e)
{
	struct node_state *m = NULL, *next = NULL;

	HASH_ITER(hh, e->nodes.memos, m, next)
	{
		*m->hash = '\0';
		if (!config_nodeset_of(e->nodes.config, m->name))
			drop_memo(e, m);
	}
}

/*
 * k8s.yaml may be as it was while a kubeconfig that it names has another token
 * or certificate: each cluster looks at its own.
 */
static bool links_are_current(const struct engine *e)
{
	bool current = true;

	for (size_t i = 0; e->nodes.links && i < e->nodes.config->n_clusters;
	     i++)
		if (e->nodes.links[i])
			current = cluster_is_current(e->nodes.links[i]) &&
				  current;
	return current;
}

/*
 * Said only if there are nodesets: nodes of the bridge are up when its jobs
 * start.
 */
static void tell_of_prolog(const struct engine *e)
{
	if (!e->nodes.config->n_nodesets)
		return;
	if (e->nodes.site.prolog != CTL_PROLOG_NONE)
		site_tell_of_timeout(&e->nodes.site);
	if (e->nodes.site.prolog == CTL_PROLOG_OURS)
		return;
	if (e->nodes.site.prolog == CTL_PROLOG_NONE)
		log_warn("slurm.conf has no PrologSlurmctld: without "
			 "k8s_prolog a batch job whose nodes are powered up "
			 "starts up to 30 s after they are up");
	else
		log_info("PrologSlurmctld is not k8s_prolog: unless it calls "
			 "that, a batch job whose nodes are powered up starts "
			 "up to 30 s after they are up; see k8s_prolog(8)");
}

/*
 * Before Slurm 26.05 power saving takes external nodes down, and nothing can
 * power them up.
 */
static void tell_of_suspend(const struct engine *e)
{
	if (e->nodes.config->bridge.node_label &&
	    e->nodes.site.suspends_external)
		log_warn("slurm.conf has a SuspendProgram, and this Slurm "
			 "powers external nodes down, which nothing powers up: "
			 "it needs SuspendExcStates=EXTERNAL");
}

/*
 * slurm.conf, too, may say something else: later releases than 22.05 begin anew
 * then, and we with them.
 */
static void refresh_site(struct engine *e)
{
	const struct ctl_site before = e->nodes.site;
	struct err err = {0};
	int rc;

	if (!e->site_stale || clock_ms() < e->site_at)
		return;
	rc = site_reload(&e->nodes.site, &err);
	e->site_at = clock_ms() + RETRY_MS;
	e->site_stale = rc < 0;
	if (rc < 0)
		log_debug("%s", err.msg);
	if (rc <= 0)
		return;
	log_info("what slurm.conf says now is in force");
	if (e->nodes.site.prolog != before.prolog ||
	    e->nodes.site.prolog_timeout_s != before.prolog_timeout_s)
		tell_of_prolog(e);
	if (e->nodes.site.suspends_external != before.suspends_external)
		tell_of_suspend(e);
	if (e->bridge && site_changes_bridge(&before, &e->nodes.site)) {
		stop_links(e);
		start_links(e);
	}
	e->nodes.look_at = 0;
}

/* *fresh: NULL if what is in force stays. */
static int read_config(struct engine *e, struct config **fresh, struct err *err)
{
	int rc = config_load(e->nodes.config->path, fresh, err);

	if (!rc)
		rc = config_check_release(*fresh, ctl_creates_nodes(),
					  ctl_version(), err);
	if (rc ||
	    (config_same(e->nodes.config, *fresh) && links_are_current(e))) {
		config_free(*fresh);
		*fresh = NULL;
	}
	return rc;
}

static void reload(struct engine *e)
{
	struct config *fresh = NULL;
	struct err err = {0};
	int rc;

	atomic_store(&e->nodes.beat.waits, ENGINE_READS_FILES);
	rc = read_config(e, &fresh, &err);
	atomic_store(&e->nodes.beat.waits, ENGINE_WAITS_SLURMCTLD);
	if (rc)
		log_error("the configuration in force stays: %s", err.msg);
	if (!fresh)
		return;
	stop_links(e);
	config_free(e->nodes.config);
	e->nodes.config = fresh;
	active_config_set(fresh);
	review_memos(e);
	start_links(e);
	e->nodes.look_at = 0;
	log_info("%s is in force", e->nodes.config->path);
}

/* --- looking and acting */

/*
 * Slurm's power saving changes nodes without a change of their time stamp
 * (power_save.c), so "what has changed" is not enough: all of them, the more
 * seldom the more there are.
 */
static bool whole_is_due(const struct engine *e)
{
	return !e->nodes.slurm || e->nodes.nodes_stale ||
	       clock_ms() - e->nodes.nodes_whole_at >=
		       nodes_whole_ms(ctl_nodes_count(e->nodes.slurm));
}

/* The pause from one answer of slurmctld to the next question, in ms. */
static int64_t poll_ms(const struct engine *e)
{
	return nodes_pause_ms(ctl_nodes_count(e->nodes.slurm),
			      e->nodes.nodes_took,
			      e->nodes.slurm && e->nodes.nodes_stale);
}

/* now: whatever the pace is. True: there is an answer. */
static bool refresh(struct engine *e, bool now)
{
	struct ctl_nodes *whole = NULL;
	struct err err = {0};
	int64_t begin;
	int rc;

	if (!now && clock_ms() - e->nodes.nodes_at < poll_ms(e))
		return false;
	begin = clock_ms();
	if (whole_is_due(e)) {
		rc = ctl_nodes_load(&whole, &err);
		if (!rc) {
			ctl_nodes_free(e->nodes.slurm);
			e->nodes.slurm = whole;
			e->nodes.nodes_whole_at = clock_ms();
			rc = 1;
		}
	} else {
		rc = ctl_nodes_refresh(&e->nodes.slurm, &err);
	}
	e->nodes.nodes_at = clock_ms();
	if (rc > 0)
		e->nodes.nodes_took = e->nodes.nodes_at - begin;
	e->nodes.nodes_stale = false;
	if (rc < 0)
		log_debug("%s", err.msg);
	return rc > 0;
}

/*
 * What was seen of Kubernetes counts only beside a state of Slurm that was
 * read after it: Slurm changes its mind first, then come its programs. So each
 * plan is made twice, and followed only if it is the same again.
 */
/*
 * What is noted on pods need not be sure: it is noted again. Nor need a
 * question.
 */
static bool is_sure(const struct action *a)
{
	return (a->plan.kube == POD_NOTE || a->plan.kube == POD_LOOK) &&
	       a->plan.slurm == NODE_KEEP && !a->plan.failed;
}

/* The second plan for this node (NULL: it is gone). False: it is another one.
 */
static bool is_confirmed(struct engine *e, const struct action *a,
			 const struct ctl_node *node, struct actions *sure)
{
	const struct node_decision *again;
	size_t before = sure->n;

	if (node)
		node_observe(&e->nodes, node, sure);
	if (sure->n == before)
		return true; /* nothing is to be done any more */
	again = &sure->v[before].plan;
	if (again->slurm == a->plan.slurm && again->kube == a->plan.kube)
		return true;
	sure->n = before;
	return false;
}

static void confirm(struct engine *e, struct actions *a)
{
	_cleanup_(nodes_again_end) struct nodes_again now = {0};
	struct actions sure = {0};
	size_t n = 0;

	for (size_t i = 0; i < a->n; i++)
		n += !is_sure(&a->v[i]);
	if (n > NODES_SINGLE_MAX) {
		e->nodes.nodes_stale = true;
		if (!refresh(e, true)) { /* Slurm does not answer: do nothing */
			a->n = 0;
			return;
		}
	}
	nodes_again_begin(&now, n, n > NODES_SINGLE_MAX ? e->nodes.slurm : NULL,
			  NULL);
	for (size_t i = 0; i < a->n; i++) {
		const struct action *x = &a->v[i];
		struct ctl_node node;
		int found;

		/*
		 * Nodes that were read first would be old when they are acted
		 * on.
		 */
		if (sure.n && nodes_again_is_late(&now)) {
			e->nodes.nodes_stale = true;
			e->nodes.look_at = 0;
			break;
		}

		if (is_sure(x)) {
			actions_add(&sure, x);
			continue;
		}
		found = nodes_again_find(&now, x->memo->name, &node, NULL);
		if (found < 0)
			continue;
		if (!is_confirmed(e, x, found ? &node : NULL, &sure)) {
			e->nodes.nodes_stale = true;
			e->nodes.look_at = 0;
		}
	}
	free(a->v);
	*a = sure;
}

static void look_and_act(struct engine *e, struct actions *a)
{
	if (a->n) {
		/* The first nodes were looked at before all were counted. */
		disrupted_see(&e->nodes);
		confirm(e, a);
	}
	if (a->n && !atomic_load(&e->nodes.stop))
		nodes_apply(&e->nodes, a);
	free(a->v);
}

static void full_pass(struct engine *e)
{
	struct actions a = {0};

	e->nodes.look_at = clock_ms() + FULL_MS;
	nodes_observe(&e->nodes, &a);
	look_and_act(e, &a);
}

/*
 * Ask slurmctld for this node: it has a pod already, so it may well be powering
 * up by now.
 */
static void look_closer(const char *name, struct ctl_nodes **fresh,
			struct ctl_node *node)
{
	if (!ctl_nodes_load_one(name, fresh, NULL))
		ctl_nodes_find(*fresh, name, node);
}

/* The nodes whose pods have changed. False: too many, look at all. */
static bool pass_of(struct engine *e, struct cluster *l)
{
	char *names[POD_CACHE_DIRTY_MAX];
	int n = worker_pods_take_dirty(watch_pods(l), names);
	struct actions a = {0};
	struct ctl_node node;

	if (n < 0)
		return false;
	for (int i = 0; i < n; i++) {
		_cleanup_(ctl_nodes_freep) struct ctl_nodes *fresh = NULL;

		if (ctl_nodes_find(e->nodes.slurm, names[i], &node)) {
			if (node.power == CTL_POWERED_DOWN &&
			    n <= NODES_SINGLE_MAX)
				look_closer(names[i], &fresh, &node);
			node_observe(&e->nodes, &node, &a);
		}
		free(names[i]);
	}
	look_and_act(e, &a);
	return true;
}

static void look_at_steps(struct engine *e)
{
	struct actions a = {0};

	if (steps_step(&e->nodes))
		nodes_observe_steps(&e->nodes, &a);
	look_and_act(e, &a);
}

static void step(struct engine *e)
{
	struct err err = {0};
	bool all;

	listen_to_programs(e);
	if (!e->nodes.links && clock_ms() >= e->links_at) {
		e->links_at = clock_ms() + RETRY_MS;
		start_links(e); /* there was no memory, or no thread */
	}
	if (e->nodes.links)
		hear(e);
	all = refresh(e, false);
	if (!e->nodes.slurm || !e->nodes.links)
		return;
	if (!e->cleared && ctl_plugin_unsay(e->nodes.slurm, &err))
		log_warn("%s", err.msg);
	e->cleared = true;
	all = job_index_refresh(&e->nodes) || all;
	all = all || clock_ms() >= e->nodes.look_at;
	for (size_t i = 0; i < e->nodes.config->n_clusters; i++) {
		cluster_tell_late(e->nodes.links[i]);
		all = !pass_of(e, e->nodes.links[i]) || all;
	}
	if (all)
		full_pass(e);
	look_at_steps(e);
	dynamic_nodes_step(&e->nodes);
	feature_switch_step(&e->nodes);
	requeued_step(&e->nodes);
}

static int64_t next_step(const struct engine *e)
{
	int64_t now = clock_ms(), at = e->nodes.nodes_at + poll_ms(e);

	if (!e->nodes.slurm || !e->nodes.links)
		return RETRY_MS;
	if (e->nodes.look_at < at)
		at = e->nodes.look_at;
	if (steps_next(&e->nodes) < at)
		at = steps_next(&e->nodes);
	if (requeued_next(&e->nodes) < at)
		at = requeued_next(&e->nodes);
	return at > now + 10 ? at - now : 10;
}

/* At the first start slurmctld does not serve RPCs yet. */
static bool greet(struct engine *e)
{
	struct err err = {0};
	int tries = 0;

	while (!atomic_load(&e->nodes.stop) &&
	       ctl_site_load(&e->nodes.site, &err)) {
		if (++tries == 30)
			log_warn("slurmctld does not answer: %s", err.msg);
		rest(e, tries < 10 ? 100 : RETRY_MS);
	}
	return !atomic_load(&e->nodes.stop);
}

static void work(struct engine *e)
{
	if (!greet(e))
		return;
	start_links(e);
	tell_of_prolog(e);
	tell_of_suspend(e);
	if (e->nodes.site.has_stepmgr)
		log_info("steps are not noted on pods: with enable_stepmgr it "
			 "is not slurmctld that knows of them");
	log_info("engine " SLURMK8S_VERSION " runs: %zu clusters, %zu nodesets",
		 e->nodes.config->n_clusters, e->nodes.config->n_nodesets);
	while (!atomic_load(&e->nodes.stop)) {
		if (atomic_exchange(&e->nodes.reload, false)) {
			e->site_stale = true;
			reload(e);
		}
		refresh_site(e);
		step(e);
		clock_nap(STEP_MIN_MS); /* a burst of events is one step */
		rest(e, next_step(e));
	}
}

/* --- its life */

static void engine_free(struct engine *e)
{
	struct node_state *m = NULL, *next = NULL;

	if (e->notify >= 0)
		close(e->notify);
	if (e->bridge_waker >= 0)
		close(e->bridge_waker);
	HASH_ITER(hh, e->nodes.memos, m, next)
	{
		drop_memo(e, m);
	}
	user_names_forget(&e->nodes.user_names);
	node_jobs_forget(&e->nodes);
	steps_forget(&e->nodes);
	ctl_nodes_free(e->nodes.slurm);
	config_free(e->nodes.config);
	free(e->nodes.site.cluster);
	if (e->waker >= 0)
		close(e->waker);
	free(e);
}

/*
 * The last owner frees: the thread, the one who stops it, or a link that was
 * abandoned.
 */
static void let_go(void *arg)
{
	struct engine *e = arg;

	if (atomic_fetch_sub(&e->owners, 1) == 1)
		engine_free(e);
}

static void run(void *arg)
{
	struct engine *e = arg;

	work(e);
	stop_links(e);
	/* The name is for the next engine, though a link may keep the memory */
	if (e->notify >= 0)
		close(e->notify);
	e->notify = -1;
	let_go(e);
}

int engine_start(struct config *config, struct engine **out, struct err *err)
{
	struct engine *e = calloc(1, sizeof(*e));
	int rc;

	if (!e) {
		config_free(config);
		return err_oom(err);
	}
	e->nodes.config = config;
	e->notify = -1;
	e->bridge_waker = -1;
	e->waker = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	atomic_init(&e->owners, 2);
	rc = e->waker < 0
		     ? err_set(err, -errno, "no eventfd: %s", strerror(errno))
		     : thread_start(&e->thread, "k8s-engine", run, e, err);
	if (rc) {
		engine_free(e);
		return rc;
	}
	*out = e;
	return 0;
}

void engine_reload(struct engine *e)
{
	atomic_store(&e->nodes.reload, true);
	ring(e);
}

/*
 * When the engine's thread waits for slurmctld, the links end by `stop`, too.
 */
void engine_stop(struct engine *e)
{
	atomic_store(&e->nodes.stop, true);
	ring(e);
	if (thread_join(e->thread, STOP_MS))
		log_info("engine stopped");
	else
		log_info("engine stops when slurmctld's answer has come");
	let_go(e);
}

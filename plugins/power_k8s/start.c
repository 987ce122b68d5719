/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * 1. Every node gets its manifest; a node that is unknown or has no nodeset
 *    fails its gang before anything is created for it.
 * 2. All pods are made at once, as far as the client's window allows. From
 *    the first failure in a gang on nothing more is started for it.
 * 3. The job of a gang that failed goes back to the queue at once.
 * 4. Their pods are deleted by UID, unless another gang wants the node, or it
 *    is up, or slurmctld does not say.
 * 5. Their nodes become idle and powered down.
 */
#include "start.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/notify.h"
#include "base/str.h"
#include "gang.h"
#include "giveback.h"
#include "nodes/pod/manifest.h"
#include "slurm/ctl_resume.h"
#include "syntax/node_reason.h"

#define AHEAD 300	   /* ops started and not done, per cluster */
#define AFTERMATH_MS 45000 /* from the deadline to ResumeTimeout */
#define ROLLBACK_MS 30000  /* time to delete the pods of failed gangs */
#define GIVE_AGAIN_MS 2000 /* pause when slurmctld does not answer */
#define GIVE_FOR_MS 15000  /* time to give back when all else is done */
/*
 * How long a snapshot of Slurm's nodes and jobs is trusted, for nodes come up
 * and are drained meanwhile. Of a slow slurmctld it is twice the time that the
 * snapshot took (good_for()).
 */
#define GIVE_BY_MS 2000

struct start {
	struct power_run *run;
	struct gangs gangs;
	struct giveback *back; /* one per gang */
	size_t begun;	       /* gangs that failed and were given back */
	int64_t give_at;       /* monotonic: no gang is given back before */
	size_t failed;	       /* gangs that failed */
	struct pod_op *ops;    /* one per node */
	char **bodies;	     /* manifests as text, smaller than JSON objects */
	feature_set *active; /* per node: changeable features of its pod */
	bool *early;	     /* per node: the engine may be making its pod */
	size_t first;	     /* no node before it is still to be started */
	size_t open;	     /* ops under way */
	size_t *open_of;     /* per cluster: ops under way */
};

static size_t index_of(const struct start *s, const struct pod_op *op)
{
	return (size_t)(op - s->ops);
}

/* The cluster of an op, as an index. */
static size_t cluster_of(const struct start *s, const struct pod_op *op)
{
	return (size_t)(op->opt.set->cluster - s->run->config->clusters);
}

static void node_failed(struct start *s, struct pod_op *op)
{
	power_report(op);
	s->failed += gangs_fail(&s->gangs, index_of(s, op));
	for (size_t i = 0; i < s->run->nodes.n; i++)
		if (!gangs_want(&s->gangs, i))
			s->ops[i].give_up = true;
}

/*
 * The first failure of a gang. A node that was only given up, for another one
 * had failed, says nothing of why, and its nodeset has refused nothing.
 */
static const struct pod_op *first_failed(const struct start *s,
					 const struct gang *k)
{
	const struct pod_op *given_up = NULL;

	for (size_t i = 0; i < k->n; i++) {
		const struct pod_op *op = &s->ops[k->nodes[i]];

		if (op->err.code && op->err.code != -ECANCELED)
			return op;
		if (op->err.code && !given_up)
			given_up = op;
	}
	return given_up;
}

DEFINE_CLEANUP(struct giveback_kills, kills_freep, giveback_kills_free)

/* Note which job's gang failed, and what is known of its failure. */
static void describe(const struct start *s, const struct gang *k,
		     const struct pod_op *op, struct giveback *back)
{
	back->job_id = k->job_id;
	back->notify_name = s->run->site.notify_name;
	if (!op->opt.set)
		return;
	back->node = op->opt.node;
	back->refused = op->refused;
	back->what = (struct refusal){.rules = &op->opt.set->failover,
				      .nodes = k->n,
				      .active = s->active[index_of(s, op)],
				      .known = op->opt.set->known};
}

static int64_t good_for(int64_t took_ms)
{
	return took_ms > GIVE_BY_MS / 2 ? 2 * took_ms : GIVE_BY_MS;
}

/*
 * Give back the jobs of gangs that have failed since the last call; what takes
 * longer than a snapshot is trusted is left to the next call. Not to be called
 * from a callback: the RPCs hold up the connections. (When slurmctld does not
 * answer they take long, so it is asked again after a pause.) True: some were
 * given back.
 */
static bool give_back_jobs(struct start *s)
{
	_cleanup_(ctl_nodes_freep) struct ctl_nodes *nodes = NULL;
	_cleanup_(ctl_jobs_freep) struct ctl_jobs *jobs = NULL;
	_cleanup_(kills_freep) struct giveback_kills *kills = NULL;
	struct err err = {0};
	bool some = false;
	int64_t begin, until;

	if (s->begun == s->failed || clock_ms() < s->give_at)
		return false;
	begin = clock_ms();
	if (ctl_nodes_load(&nodes, &err) || ctl_jobs_load(&jobs, &err) ||
	    (!(kills = giveback_kills_of(jobs)) && err_oom(&err))) {
		log_error("%s", err.msg);
		s->give_at = clock_ms() + GIVE_AGAIN_MS;
		return false;
	}
	until = clock_ms() + good_for(clock_ms() - begin);
	for (size_t i = 0; i < s->gangs.n; i++) {
		const struct gang *k = &s->gangs.v[i];
		struct giveback *back = &s->back[i];
		const struct pod_op *op = first_failed(s, k);

		if (!k->failed || !op || back->nodes.n)
			continue;
		if (some && clock_ms() >= until)
			return true;
		describe(s, k, op, back);
		for (size_t j = 0; j < k->n; j++)
			if (!gangs_want(&s->gangs, k->nodes[j]))
				giveback_add(back,
					     s->run->nodes.names[k->nodes[j]]);
		giveback_begin(back,
			       *op->err.words ? op->err.words : op->err.msg,
			       nodes, jobs, kills);
		some |= back->nodes.n > 0;
	}
	s->begun = s->failed;
	return some;
}

/*
 * Give back the jobs of all failed gangs, for as long as some go back, but so
 * that there is time to roll back.
 */
static void give_back_the_rest(struct start *s)
{
	const int64_t last = s->run->deadline_ms + AFTERMATH_MS - ROLLBACK_MS;
	int64_t end = clock_ms() + GIVE_FOR_MS;

	s->give_at = 0;
	give_back_jobs(s);
	while (s->begun != s->failed && clock_ms() < end) {
		if (s->give_at > clock_ms())
			clock_nap(s->give_at - clock_ms());
		if (give_back_jobs(s) && end < last)
			end = clock_ms() + GIVE_FOR_MS;
	}
	if (s->begun != s->failed)
		log_error("slurmctld does not answer in time: jobs whose pods "
			  "were refused are left to ResumeTimeout");
}

static void refuse(struct start *s, struct pod_op *op, const struct err *why)
{
	pod_op_refuse(op, why);
	node_failed(s, op);
}

static void on_started(struct pod_op *op)
{
	struct start *s = op->opt.arg;

	s->open--;
	s->open_of[cluster_of(s, op)]--;
	if (op->outcome == POD_OP_FAILED)
		node_failed(s, op);
	else
		power_report(op);
}

/*
 * Clear the Comment that an earlier power-up has set on nodes that now have
 * their pods.
 */
static void clear_comments(struct start *s)
{
	_cleanup_free_ char **names = calloc(s->run->nodes.n, sizeof(*names));
	_cleanup_(ctl_nodes_freep) struct ctl_nodes *now = NULL;
	struct err err = {0};
	struct ctl_node node;
	size_t n = 0;

	for (size_t i = 0; names && i < s->run->nodes.n; i++)
		if (s->ops[i].outcome != POD_OP_FAILED &&
		    s->ops[i].outcome != POD_OP_NEW &&
		    ctl_nodes_find(s->run->slurm_nodes, s->run->nodes.names[i],
				   &node) &&
		    node_reason_is_ours(node.comment))
			names[n++] = s->run->nodes.names[i];
	/* Somebody may have set another Comment since the nodes were read. */
	if (n && (ctl_nodes_load(&now, &err) ||
		  ctl_nodes_comment(now, names, n, "", &err)))
		log_warn("%s", err.msg);
}

static int read_options(struct start *s, size_t i, bool fresh,
			struct pod_op_options *opt, struct err *err)
{
	struct power_run *run = s->run;
	const char *node = run->nodes.names[i];
	_cleanup_manifest_ struct manifest m = {0};
	struct ctl_node facts;
	const char *features, *text;
	int rc;

	opt->node = node;
	opt->set = config_nodeset_of(run->config, node);
	if (!opt->set)
		return err_set(err, -EINVAL,
			       WK_NODE_WORDS "%s is in no nodeset of %s", node,
			       run->config->path);
	if (!ctl_nodes_find(run->slurm_nodes, node, &facts))
		return err_set(err, -EINVAL, "Slurm has no node %s", node);
	features = run->features ? run->features : facts.features_active;
	if (opt->set->known)
		s->active[i] = features_of_list(opt->set->known, features);
	rc = manifest_make(run->site.cluster, opt->set,
			   &(struct node_facts){.name = node,
						.cpus = facts.cpus,
						.memory_mib = facts.memory_mib,
						.gres = facts.gres,
						.features = features},
			   &m, err);
	if (rc)
		return rc;
	if (run->dry_run) {
		text = manifest_text(&m);
		return text ? printf("%s\n", text), 0 : err_oom(err);
	}
	/* Without the engine nobody would see what becomes of the pod. */
	if (run->refused.code && !fresh)
		return err_copy(err, &run->refused);
	opt->client = power_client(run, opt->set, err);
	if (!opt->client)
		return err ? err->code : -EIO;
	opt->cluster = run->site.cluster;
	text = json_object_to_json_string_length(
		m.pod_json, JSON_C_TO_STRING_PLAIN, &opt->body_len);
	s->bodies[i] = text ? strdup(text) : NULL;
	if (!s->bodies[i])
		return err_oom(err);
	opt->body = s->bodies[i];
	str_copy(opt->hash, m.hash, sizeof(opt->hash));
	opt->since_ms = run->since_ms;
	opt->deadline_ms = run->deadline_ms;
	opt->node_up = facts.power == CTL_UP;
	opt->fresh = fresh;
	opt->look_first = s->early[i];
	opt->on_done = on_started;
	opt->arg = s;
	return 0;
}

static int prepare(struct start *s, size_t i, bool fresh, struct err *err)
{
	struct pod_op_options opt = {0};
	const int rc = read_options(s, i, fresh, &opt, err);

	pod_op_prepare(&s->ops[i], &opt);
	return rc;
}

/*
 * Start what may be started: for each cluster only a little ahead of the
 * wire, so that a gang refused early does not cost a POST for each of its
 * nodes. A cluster that does not answer holds up no other one. True while
 * something is left.
 */
static bool start_some(struct start *s)
{
	bool left = false;

	for (size_t i = s->first; i < s->run->nodes.n; i++) {
		struct pod_op *op = &s->ops[i];

		if (op->outcome != POD_OP_NEW || !gangs_want(&s->gangs, i)) {
			s->first += i == s->first;
			continue;
		}
		if (s->open_of[cluster_of(s, op)] >= AHEAD) {
			left = true;
			continue;
		}
		s->open++;
		s->open_of[cluster_of(s, op)]++;
		pod_ensure(op);
	}
	return left;
}

static void start_all(struct start *s)
{
	while (start_some(s) || s->open) {
		power_step(s->run);
		give_back_jobs(s);
	}
	give_back_the_rest(s);
}

static void on_rolled_back(struct pod_op *op)
{
	size_t *open = op->opt.arg;

	(*open)--;
	if (op->outcome == POD_OP_FAILED) {
		op->undecided = true;
		log_error("%s: cannot take its pod back: %s", op->opt.node,
			  op->err.msg);
	} else {
		log_info("%s: pod %s/%s taken back", op->opt.node,
			 op->opt.set->cluster->ns, op->pod);
	}
}

static bool has_pod(const struct pod_op *op)
{
	return op->outcome == POD_OP_CREATED ||
	       op->outcome == POD_OP_REPLACED || op->outcome == POD_OP_ADOPTED;
}

static enum ctl_node_power power_now(const struct ctl_nodes *nodes,
				     const char *name)
{
	struct ctl_node node;

	return nodes && ctl_nodes_find(nodes, name, &node) ? node.power
							   : CTL_POWERING_UP;
}

/*
 * The nodes as they are now; NULL if slurmctld does not say. When pods are to
 * be taken back it is asked for a while, unless it has been already.
 */
static struct ctl_nodes *nodes_now(const struct start *s)
{
	const bool waits = s->failed && s->begun == s->failed;
	const int64_t end = clock_ms() + (waits ? GIVE_FOR_MS : 0);
	struct ctl_nodes *now = NULL;
	struct err err = {0};

	while (ctl_nodes_load(&now, &err)) {
		log_warn("%s", err.msg);
		if (clock_ms() + GIVE_AGAIN_MS > end)
			return NULL;
		clock_nap(GIVE_AGAIN_MS);
	}
	return now;
}

/*
 * Nobody knows which nodes of the gangs that failed have come up, and jobs may
 * run there: all their pods stay. Each goes when Slurm powers its node down.
 */
static void leave_pods(struct start *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->run->nodes.n; i++) {
		struct pod_op *op = &s->ops[i];

		if (!has_pod(op) || gangs_want(&s->gangs, i))
			continue;
		op->outcome = POD_OP_FAILED;
		op->undecided = true;
		n++;
	}
	if (n)
		log_error("slurmctld does not answer: %zu pods are not taken "
			  "back, for their nodes may be up",
			  n);
}

/*
 * True if the pod is to be taken back: its gang has failed, and its node has
 * not come up meanwhile; or Slurm has powered the node down meanwhile.
 */
static bool is_superfluous(const struct start *s, size_t i,
			   const struct ctl_nodes *before,
			   const struct ctl_nodes *now)
{
	const char *name = s->run->nodes.names[i];
	enum ctl_node_power power = power_now(now, name);

	if (!has_pod(&s->ops[i]) || power == CTL_UP)
		return false;
	return !gangs_want(&s->gangs, i) ||
	       (power != CTL_POWERING_UP &&
		power_now(before, name) == CTL_POWERING_UP);
}

static void roll_back(struct start *s, struct pod_op *undo)
{
	_cleanup_(ctl_nodes_freep) struct ctl_nodes *now = nodes_now(s);
	struct pod_op_options opt;
	size_t open = 0;

	if (!now) {
		leave_pods(s);
		return;
	}
	for (size_t i = 0; i < s->run->nodes.n; i++) {
		if (!is_superfluous(s, i, s->run->slurm_nodes, now))
			continue;
		opt = s->ops[i].opt;
		opt.deadline_ms = clock_ms() + ROLLBACK_MS;
		opt.no_wait = true;
		opt.on_done = on_rolled_back;
		opt.arg = &open;
		undo[i] = s->ops[i];
		undo[i].give_up = false;
		pod_op_prepare(&undo[i], &opt);
		open++;
		pod_remove(&undo[i]);
	}
	power_loop(s->run, &open);
	for (size_t i = 0; i < s->run->nodes.n; i++) {
		if (undo[i].outcome == POD_OP_NEW)
			continue;
		s->ops[i].outcome = POD_OP_FAILED;
		s->ops[i].undecided = undo[i].outcome == POD_OP_FAILED;
	}
}

/* Make the nodes of failed gangs idle, once their pods are gone. */
static void give_back_nodes(struct start *s)
{
	for (size_t i = 0; i < s->gangs.n; i++) {
		const struct gang *k = &s->gangs.v[i];

		for (size_t j = 0; j < k->n; j++)
			s->back[i].undecided |= s->ops[k->nodes[j]].undecided;
	}
	giveback_end(s->back, s->gangs.n);
}

static int run_all(struct start *s, bool fresh)
{
	struct power_run *run = s->run;
	_cleanup_free_ struct pod_op *undo =
		calloc(run->nodes.n, sizeof(*undo));
	struct err err = {0};
	int rc = 0;

	if (!undo) {
		log_error("out of memory");
		return 1;
	}
	for (size_t i = 0; i < run->nodes.n; i++) {
		if (!prepare(s, i, fresh, &err))
			continue;
		refuse(s, &s->ops[i], &err);
		rc = 1;
	}
	if (run->dry_run)
		return rc;
	start_all(s);
	roll_back(s, undo);
	give_back_nodes(s);
	clear_comments(s);
	return power_summary(run, s->ops, run->nodes.n);
}

/* Note the nodes of which k8s_prolog has told the engine, if that listens. */
static void find_early(struct start *s)
{
	if (!s->run->site.starts_early ||
	    !notify_is_heard(s->run->site.notify_name))
		return;
	for (size_t i = 0; i < s->gangs.n; i++) {
		const struct gang *k = &s->gangs.v[i];

		for (size_t j = 0; k->n <= WK_EARLY_NODES_MAX && j < k->n; j++)
			s->early[k->nodes[j]] = true;
	}
}

static int make_all(struct start *s, struct err *err)
{
	int rc = gangs_make(&s->run->nodes, &s->run->file, &s->gangs, err);

	if (rc)
		return rc;
	s->ops = calloc(s->run->nodes.n, sizeof(*s->ops));
	s->bodies = calloc(s->run->nodes.n, sizeof(*s->bodies));
	s->active = calloc(s->run->nodes.n, sizeof(*s->active));
	s->early = calloc(s->run->nodes.n, sizeof(*s->early));
	s->back = calloc(s->gangs.n, sizeof(*s->back));
	s->open_of = calloc(s->run->config->n_clusters, sizeof(*s->open_of));
	if (!s->ops || !s->bodies || !s->active || !s->early || !s->back ||
	    !s->open_of)
		return err_oom(err);
	find_early(s);
	return 0;
}

/*
 * The deadline of the configuration, in ms, cut if ResumeTimeout needs it.
 * After ResumeTimeout Slurm gives a node up: rolling back and giving back,
 * which is done for all nodes together, must end before that of the first node.
 */
static int64_t bounded_deadline(const struct power_run *run, bool reboot)
{
	struct ctl_resume r = {.timeout_s = run->site.resume_timeout_s};
	const int64_t wanted = run->config->power.deadline_ms;
	struct err err = {0};
	int64_t limit;

	if (ctl_resume_shortest(run->nodes.names, run->nodes.n, reboot, &r,
				&err))
		log_warn("%s: ResumeTimeout is taken for %u s", err.msg,
			 r.timeout_s);
	limit = (int64_t)r.timeout_s * 1000;
	if (!limit) /* power saving is off */
		return wanted;
	limit = limit > 3 * AFTERMATH_MS / 2 ? limit - AFTERMATH_MS : limit / 3;
	if (wanted <= limit)
		return wanted;
	log_warn("deadline %lld s is cut to %lld s, for ResumeTimeout%s%s is "
		 "%u s",
		 (long long)wanted / 1000, (long long)limit / 1000,
		 r.node ? " of node " : "", r.node ? r.node : "", r.timeout_s);
	return limit;
}

int start_pods(struct power_run *run, bool fresh)
{
	struct start s = {.run = run};
	struct err err = {0};
	int rc = 1;

	if (!run->dry_run)
		run->deadline_ms = run->start_ms + bounded_deadline(run, fresh);
	if (make_all(&s, &err))
		log_error("%s", err.msg);
	else
		rc = run_all(&s, fresh);
	for (size_t i = 0; s.back && i < s.gangs.n; i++)
		giveback_clear(&s.back[i]);
	for (size_t i = 0; s.bodies && i < run->nodes.n; i++)
		free(s.bodies[i]);
	free(s.back);
	free(s.open_of);
	free(s.bodies);
	free(s.active);
	free(s.early);
	free(s.ops);
	gangs_clear(&s.gangs);
	return rc;
}

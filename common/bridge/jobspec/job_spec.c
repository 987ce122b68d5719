/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is asked of Slurm for a group of pods. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/digest.h"
#include "base/str.h"
#include "bridge/jobspec/job_spec.h"
#include "bridge/jobspec/placement.h"
#include "syntax/sbatch_text.h"

#define NO_LIMIT UINT32_MAX /* slurm.h, INFINITE */

_Static_assert(WORKLOAD_MEMBERS_MAX == PACK_PODS_MAX, "gangs can be bound");

/* 0; -ENOENT: no job can name the node; -EAGAIN: none can yet. */
static int check_place(struct job_specs *js, const struct inventory_node *x,
		       const char *node, struct err *err)
{
	/* A node that cannot be read may have another name in Slurm. */
	if (x && x->view.unread)
		return err_set(err, -EAGAIN,
			       "node %.100s, where it runs, cannot be read",
			       node);
	if (!x || !*x->slurm)
		return err_set(err, -ENOENT,
			       "node %.100s, where it runs, is none of Slurm's",
			       node);
	/*
	 * Nodes with the label are created by the bridge itself, a few at a
	 * time.
	 */
	if (x->bridge && !node_counts(js->external, x))
		return err_set(err, -EAGAIN,
			       "Slurm does not have node %.100s yet, where it "
			       "runs",
			       node);
	return 0;
}

int job_spec_places(struct job_specs *js, const struct pod_group *g, char **out,
		    struct err *err)
{
	_cleanup_buf_ struct buf all = BUF_INIT(PLACES_MAX);
	const struct inventory_node *last = NULL;
	int rc = 0;

	inventory_lock(js->inventory);
	for (struct group_pod *m = g->members; m && !rc; m = m->next) {
		const struct inventory_node *x;

		if (!pod_runs(m->pod))
			continue;
		x = inventory_find(js->inventory, m->pod->node);
		if (x && x == last)
			continue;
		rc = check_place(js, x, m->pod->node, err);
		if (!rc && buf_add_item(&all, x->slurm))
			rc = err_oom(err);
		last = x;
	}
	inventory_unlock(js->inventory);
	if (rc || !all.len)
		return rc;
	*out = strdup(all.data);
	return *out ? 0 : err_oom(err);
}

/* Find the nodes that fit all pods of the group, once for a spec. */
static int need_fit(struct job_specs *js, const struct pod_group *g,
		    struct job_spec *o, struct err *err)
{
	return o->fit ? 0 : node_fit_find(js, g, &o->fit, err);
}

/*
 * Set the nodes that the job is not to get: those of its options, and those
 * that do not fit each of its pods.
 */
static int set_exclude(struct job_specs *js, const struct pod_group *g,
		       struct job_spec *o, struct err *err)
{
	const char *asked = job_options_text(&o->options, JOB_OPTION_EXCLUDE);
	_cleanup_buf_ struct buf all = BUF_INIT(EXCLUDE_MAX);
	int rc = need_fit(js, g, o, err);

	if (rc)
		return rc;
	if (asked)
		rc = buf_add_item(&all, asked);
	if (!rc && *node_fit_exclude(o->fit))
		rc = buf_add_item(&all, node_fit_exclude(o->fit));
	if (rc == -EMSGSIZE)
		return err_set(err, -EHOSTUNREACH,
			       "the names of the nodes that it is not to get "
			       "are more than %d bytes: " EXCLUDE_CURE,
			       EXCLUDE_MAX);
	if (rc)
		return err_oom(err);
	o->exclude = all.len ? strdup(all.data) : NULL;
	o->p.exclude = o->exclude;
	return all.len && !o->exclude ? err_oom(err) : 0;
}

/*
 * Put a hash of the nodes that the job is not to get into the second half of
 * the digest, whose first half stays that of the options: when nodes have
 * changed a job that waits must be told other ones.
 */
static int digest_exclude(struct job_spec *o, struct err *err)
{
	_cleanup_free_ char *text = NULL;
	char hex[65];

	if (!o->exclude)
		return 0;
	text = str_printf("%s %s", o->id.options_digest, o->exclude);
	if (!text || sha256_hex(text, strlen(text), hex))
		return err_oom(err);
	str_copy(o->id.options_digest + JOB_OPTIONS_DIGEST_OWN, hex,
		 sizeof(o->id.options_digest) - JOB_OPTIONS_DIGEST_OWN);
	return 0;
}

/* --- how large */

static bool is_placed(const struct job_spec *o, const struct group_pod *m)
{
	return (pod_waits(m->pod) && !m->pod->gated) ||
	       (o->places && pod_runs(m->pod));
}

static size_t list_pods(const struct pod_group *g, const struct job_spec *o,
			struct job_size_pod *out)
{
	size_t n = 0;

	for (struct group_pod *m = g->members; m; m = m->next)
		if (is_placed(o, m))
			out[n++] =
				(struct job_size_pod){.need = &m->shape->need,
						      .ports = m->shape->ports};
	return n;
}

static bool differ(const struct job_size_pod *pods, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (pods[i].need != pods[0].need)
			return true;
	return false;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Count the nodes on which its pods run, and the most pods on one of them. */
static int count_running(const struct pod_group *g, struct job_size_ask *ask)
{
	_cleanup_free_ const char **names = calloc(g->n + 1, sizeof(*names));
	uint32_t same = 0;
	size_t n = 0;

	if (!names)
		return -ENOMEM;
	for (struct group_pod *m = g->members; m; m = m->next)
		if (pod_runs(m->pod))
			names[n++] = m->pod->node;
	if (n)
		qsort(names, n, sizeof(*names), by_name);
	for (size_t i = 0; i < n; i++) {
		same = i && !strcmp(names[i], names[i - 1]) ? same + 1 : 1;
		ask->on_nodes += same == 1;
		if (same > ask->on_one)
			ask->on_one = same;
	}
	return 0;
}

static int64_t sharing_of(const struct job_specs *js,
			  const struct job_options *w)
{
	return job_options_num(w, JOB_OPTION_EXCLUSIVE,
			       js->bridge->exclusive ? JOB_OPTION_SHARE_NONE
						     : JOB_OPTION_SHARE_ALL);
}

/*
 * What its size is made by, besides its pods; under the lock of the hosts. (By
 * no node at all a gang would be made for one that holds it.)
 */
static int look_at_nodes(struct job_specs *js, const struct pod_group *g,
			 const struct job_spec *o, struct job_size_ask *ask)
{
	int rc;

	ask->whole = sharing_of(js, &o->options) == JOB_OPTION_SHARE_NONE;
	if (o->places)
		return count_running(g, ask);
	if (ask->n < 2 || (!ask->whole && !differ(ask->pods, ask->n)))
		return 0;
	rc = node_sizes_find(js, o->fit, o->p.partition, &ask->nodes,
			     &ask->n_nodes);
	return rc == -ENXIO && !ask->whole ? 0 : rc;
}

static int make_size(struct job_specs *js, const struct pod_group *g,
		     struct job_spec *o, struct err *err)
{
	struct gresmap map[BRIDGE_RESOURCES_MAX];
	const struct label_pairs *pairs = &js->bridge->resources;
	_cleanup_free_ struct job_size_pod *pods =
		calloc(g->n + 1, sizeof(*pods));
	struct job_size_ask ask = {.options = &o->options,
				   .pods = pods,
				   .map = map,
				   .n_map = pairs->n};
	int rc;

	if (!pods)
		return err_oom(err);
	for (size_t i = 0; i < pairs->n && i < BRIDGE_RESOURCES_MAX; i++)
		map[i] = (struct gresmap){.resource = pairs->v[i].key,
					  .gres = pairs->v[i].value};
	ask.n = list_pods(g, o, pods);
	o->id.pods = (uint32_t)ask.n;
	if (ask.n > PACK_PODS_MAX) /* more could not be bound */
		return err_set(err, -E2BIG,
			       "a gang of %zu pods is too large: it may have "
			       "%d at most",
			       ask.n, PACK_PODS_MAX);
	if (!ask.n)
		return 0; /* all have schedulingGates: nothing is submitted */
	if (o->had_pods == ask.n) {
		ask.had_nodes = o->had_nodes;
		ask.had_cpus = o->had_cpus;
	}
	rc = o->places ? 0 : need_fit(js, g, o, err);
	if (rc)
		return rc;
	inventory_lock(js->inventory);
	rc = look_at_nodes(js, g, o, &ask);
	if (rc == -EAGAIN)
		err_set(err, rc, "nodes have just changed");
	else if (rc == -ENXIO)
		err_set(err, rc,
			"no node of its partition is known that fits its pods");
	else
		rc = rc ? err_oom(err) : job_size_make(&ask, &o->size, err);
	inventory_unlock(js->inventory);
	return rc;
}

static int set_size(struct job_specs *js, const struct pod_group *g,
		    struct job_spec *o, struct err *err)
{
	struct placeholder *p = &o->p;
	const struct job_size *s = &o->size;
	int rc = make_size(js, g, o, err);

	if (rc)
		return rc;
	o->id.nodes = s->nodes_each;
	o->id.cpus = s->cpus_each;
	p->tasks = s->tasks;
	p->cpus_per_task = s->cpus_per_task;
	p->tasks_per_node = s->tasks_per_node;
	if (p->node_cpus < s->node_cpus)
		p->node_cpus = s->node_cpus;
	p->memory_per_task = s->memory_per_task;
	p->memory_per_node = s->memory_per_node;
	p->min_nodes = s->min_nodes;
	p->max_nodes = s->max_nodes;
	p->tres_per_node = s->gres_node;
	p->tres_per_task = s->gres_task;
	return 0;
}

/* --- the rest */

static int set_date(const struct job_options *w, enum job_option_key key,
		    int64_t *out, struct err *err)
{
	const char *text = job_options_text(w, key);

	if (text && sbatch_date(text, clock_real_ms() / 1000, out))
		return err_set(err, -EINVAL, "%s: '%.100s' is no date",
			       job_option_name(key), text);
	return 0;
}

static void set_texts(struct job_spec *o)
{
	const struct job_options *w = &o->options;
	struct placeholder *p = &o->p;
	const char *name = job_options_text(w, JOB_OPTION_JOB_NAME);

	if (!name && o->id.of.kind == WORKLOAD_LWS)
		snprintf(o->name, sizeof(o->name), "%s-%s", o->id.of.name,
			 o->id.of.part);
	else
		str_copy(o->name, name ? name : o->id.of.name, sizeof(o->name));
	p->name = o->name;
	p->account = job_options_text(w, JOB_OPTION_ACCOUNT);
	p->partition = job_options_text(w, JOB_OPTION_PARTITION);
	p->qos = job_options_text(w, JOB_OPTION_QOS);
	p->reservation = job_options_text(w, JOB_OPTION_RESERVATION);
	p->features = job_options_text(w, JOB_OPTION_CONSTRAINTS);
	p->prefer = job_options_text(w, JOB_OPTION_PREFER);
	p->mcs_label = job_options_text(w, JOB_OPTION_MCS_LABEL);
	p->licenses = job_options_text(w, JOB_OPTION_LICENSES);
	p->wckey = job_options_text(w, JOB_OPTION_WCKEY);
	p->nodelist = job_options_text(w, JOB_OPTION_NODELIST);
	p->dependency = job_options_text(w, JOB_OPTION_DEPENDENCY);
	p->comment = job_options_text(w, JOB_OPTION_COMMENT);
}

static enum placeholder_exclusive exclusive_of(int64_t sharing)
{
	switch (sharing) {
	case JOB_OPTION_SHARE_ALL:
		return PLACEHOLDER_SHARED;
	case JOB_OPTION_SHARE_USER:
		return PLACEHOLDER_SHARED_USER;
	case JOB_OPTION_SHARE_MCS:
		return PLACEHOLDER_SHARED_MCS;
	}
	return PLACEHOLDER_EXCLUSIVE;
}

static void set_numbers(struct job_specs *js, struct job_spec *o)
{
	const struct job_options *w = &o->options;
	struct placeholder *p = &o->p;
	const int64_t limit = job_options_num(w, JOB_OPTION_TIMELIMIT, 0);
	const int64_t least = job_options_num(w, JOB_OPTION_TIME_MIN, 0);

	p->time_limit =
		limit == JOB_OPTION_UNLIMITED ? NO_LIMIT : (uint32_t)limit;
	p->time_min =
		least == JOB_OPTION_UNLIMITED ? NO_LIMIT : (uint32_t)least;
	p->priority = (uint32_t)job_options_num(w, JOB_OPTION_PRIORITY, 0);
	p->nice = (int32_t)job_options_num(w, JOB_OPTION_NICE, 0);
	/* sbatch(1): a priority of 0 holds the job, too. */
	if (job_options_num(w, JOB_OPTION_HOLD, 0) ||
	    !job_options_num(w, JOB_OPTION_PRIORITY, 1))
		p->hold = PLACEHOLDER_HOLD;
	p->exclusive = exclusive_of(sharing_of(js, w));
	p->no_requeue = !job_options_num(w, JOB_OPTION_REQUEUE, 1);
}

/* Set which nodes the job may have, and what of them. */
static void set_places(struct job_spec *o)
{
	const struct job_options *w = &o->options;
	struct placeholder *p = &o->p;
	const int64_t wait = job_options_num(w, JOB_OPTION_SWITCHES_WAIT, 0);

	p->contiguous = job_options_num(w, JOB_OPTION_CONTIGUOUS, 0);
	p->node_cpus = (uint16_t)job_options_num(w, JOB_OPTION_MINCPUS, 0);
	p->node_tmp = (uint32_t)job_options_num(w, JOB_OPTION_TMP, 0);
	p->switches = (uint32_t)job_options_num(w, JOB_OPTION_SWITCHES, 0);
	p->switches_wait_s =
		wait == JOB_OPTION_UNLIMITED ? NO_LIMIT : (uint32_t)wait * 60;
	if (w->given & JOB_OPTION_BIT(JOB_OPTION_KILL_ON_INVALID_DEP))
		p->invalid_dep =
			job_options_num(w, JOB_OPTION_KILL_ON_INVALID_DEP, 0)
				? PLACEHOLDER_DEP_KILL
				: PLACEHOLDER_DEP_KEEP;
}

/*
 * Ask for the nodes where its pods run; what the job was to wait for is past.
 */
static void set_running(struct job_spec *o)
{
	struct placeholder *p = &o->p;

	p->nodelist = o->places;
	p->dependency = NULL;
	p->begin = 0;
	p->hold = PLACEHOLDER_HOLD_AS_IS;
}

int job_spec_make(struct job_specs *js, const struct pod_group *g,
		  const struct namespace_config *ns, struct job_spec *o,
		  struct err *err)
{
	int rc;

	o->ns = ns;
	o->p = (struct placeholder){0};
	set_texts(o);
	set_numbers(js, o);
	set_places(o);
	rc = set_date(&o->options, JOB_OPTION_BEGIN, &o->p.begin, err);
	if (!rc)
		rc = set_date(&o->options, JOB_OPTION_DEADLINE, &o->p.deadline,
			      err);
	if (!rc && o->places)
		set_running(o);
	else if (!rc)
		rc = set_exclude(js, g, o, err);
	if (!rc)
		rc = set_size(js, g, o, err);
	if (!rc)
		rc = digest_exclude(o, err);
	if (rc)
		return rc;
	str_copy(o->id.cluster, js->bridge->cluster, sizeof(o->id.cluster));
	str_copy(o->id.scheduler, js->bridge->scheduler,
		 sizeof(o->id.scheduler));
	rc = job_identity_make(&o->id, o->admin_comment, err);
	o->p.admin_comment = o->admin_comment;
	o->p.slurm_cluster = js->slurm_cluster;
	return rc;
}

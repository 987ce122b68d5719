/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bridge/jobspec/job_size.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "bridge/jobspec/binpack.h"
#include "syntax/gres_request.h"
#include "syntax/quantity.h"

#define MIB ((int64_t)1024 * 1024)

/* The kinds of room of a task. */
enum dim { CPUS, MEMORY, PORTS, EXT };
_Static_assert(EXT + PODNEED_EXT_MAX == BINS_DIMS, "one for each kind");

struct sizing {
	const struct job_size_ask *ask;
	/* the most of each thing that any pod needs */
	struct pod_requests most;
	struct binpack_kind kinds[JOBSIZE_KINDS_MAX];
	size_t n_kinds; /* over JOBSIZE_KINDS_MAX: kinds are not told apart */
	int64_t cap[BINS_DIMS];
	int64_t sum[BINS_DIMS];
};

/* --- what the pods need */

/*
 * Whole CPUs, and at least one: Slurm counts no less, and kubelets count pods.
 */
static int64_t cpus_of(const struct sizing *s, const struct pod_requests *need)
{
	const int64_t n = quantity_units(need->cpu_milli);
	const int64_t asked =
		job_options_num(s->ask->options, JOB_OPTION_CPUS_PER_TASK, 1);

	return n > asked ? n : asked;
}

static struct binpack_kind kind_of(const struct sizing *s,
				   const struct job_size_pod *p)
{
	struct binpack_kind k = {.n = 1};

	k.need[CPUS] = cpus_of(s, p->need);
	k.need[MEMORY] = p->need->memory_bytes;
	k.need[PORTS] = p->ports;
	for (uint32_t i = 0; i < s->most.n_ext; i++)
		k.need[EXT + i] =
			pod_requests_count(p->need, s->most.ext[i].name);
	return k;
}

static void add_kind(struct sizing *s, const struct binpack_kind *k)
{
	size_t i = 0;

	for (int d = 0; d < BINS_DIMS; d++) {
		if (k->need[d] > s->cap[d])
			s->cap[d] = k->need[d];
		if (__builtin_add_overflow(s->sum[d], k->need[d], &s->sum[d]))
			s->sum[d] = INT64_MAX;
	}
	if (s->n_kinds > JOBSIZE_KINDS_MAX)
		return;
	while (i < s->n_kinds &&
	       memcmp(s->kinds[i].need, k->need, sizeof(k->need)) != 0)
		i++;
	if (i < s->n_kinds)
		s->kinds[i].n++;
	else if (s->n_kinds++ < JOBSIZE_KINDS_MAX)
		s->kinds[i] = *k;
}

static int look(struct sizing *s, struct err *err)
{
	const struct job_size_ask *ask = s->ask;
	int rc = 0;

	for (size_t i = 0; i < ask->n && !rc; i++)
		rc = pod_requests_raise(&s->most, ask->pods[i].need, err);
	for (size_t i = 0; i < ask->n && !rc; i++) {
		const struct binpack_kind k = kind_of(s, &ask->pods[i]);

		add_kind(s, &k);
	}
	return rc;
}

/* --- how many tasks */

static uint64_t mib_of(int64_t bytes)
{
	return (uint64_t)(bytes / MIB + !!(bytes % MIB));
}

/*
 * True if each node with the CPUs of `a` has those of `b`, too, and so with
 * memory.
 */
static bool is_had(const struct sizing *s, const int64_t *a, const int64_t *b)
{
	for (size_t i = 0; i < s->ask->n_nodes; i++) {
		const struct job_size_node *n = &s->ask->nodes[i];

		if (n->cpus >= a[CPUS] && n->cpus < b[CPUS])
			return false;
		if (n->memory_mib >= mib_of(a[MEMORY]) &&
		    n->memory_mib < mib_of(b[MEMORY]))
			return false;
	}
	return s->ask->n_nodes > 0;
}

/*
 * What so many tasks of this size take in all: of each thing as a multiple of
 * what the pods need, added up.
 */
static double price(const struct sizing *s, uint32_t tasks, const int64_t *cap)
{
	double sum = 0;

	for (int d = 0; d < BINS_DIMS; d++)
		if (s->sum[d] && d != PORTS)
			sum += (double)tasks * (double)cap[d] /
			       (double)s->sum[d];
	return sum;
}

/*
 * Share all pods out to `n` tasks of `least` each or more, if that takes less
 * in all.
 */
static int enlarge(struct sizing *s, const int64_t *least, uint32_t n,
		   uint32_t *tasks)
{
	int64_t cap[BINS_DIMS];
	int rc = binpack_enlarged(s->kinds, s->n_kinds, n, least, cap);

	if (rc)
		return rc == -ENOMEM ? rc : 0;
	/* Which nodes have more of ports or extended resources is not known. */
	if (memcmp(&cap[PORTS], &least[PORTS],
		   (BINS_DIMS - PORTS) * sizeof(*cap)) != 0)
		return 0;
	if (!is_had(s, least, cap) ||
	    price(s, n, cap) >= price(s, *tasks, s->cap))
		return 0;
	memcpy(s->cap, cap, sizeof(cap));
	*tasks = n;
	return 0;
}

static int pack_tasks(struct sizing *s, uint32_t *tasks)
{
	int64_t least[BINS_DIMS];
	int rc = binpack_count(s->kinds, s->n_kinds, s->cap, tasks);
	const uint32_t all = *tasks;

	memcpy(least, s->cap, sizeof(least));
	for (uint64_t n = binpack_least(s->kinds, s->n_kinds, least);
	     n < all && !rc; n *= 2)
		rc = enlarge(s, least, (uint32_t)n, tasks);
	return rc;
}

static int count_tasks(struct sizing *s, uint32_t *tasks, struct err *err)
{
	const job_option_set spread = JOB_OPTION_BIT(JOB_OPTION_MIN_NODES) |
				      JOB_OPTION_BIT(JOB_OPTION_TASKS_PER_NODE);
	int rc;

	*tasks = (uint32_t)s->ask->n;
	if (s->n_kinds < 2 || s->n_kinds > JOBSIZE_KINDS_MAX ||
	    (s->ask->options->given & spread))
		return 0;
	rc = pack_tasks(s, tasks);
	return rc ? err_oom(err) : 0;
}

/* --- in Slurm's terms */

static int set_cpus(const struct sizing *s, struct job_size *out,
		    struct err *err)
{
	if (s->cap[CPUS] > UINT16_MAX)
		return err_set(err, -EINVAL,
			       "%" PRId64 " CPUs are more than Slurm counts",
			       s->cap[CPUS]);
	out->cpus_per_task = (uint16_t)s->cap[CPUS];
	return 0;
}

/* --- whole nodes */

static uint32_t divided(uint32_t n, uint32_t by)
{
	return n / by + !!(n % by);
}

static int64_t had_of(const struct job_size_node *n, const char *name)
{
	for (size_t i = 0; i < n->n_ext; i++)
		if (!strcmp(n->ext[i].name, name))
			return n->ext[i].count;
	return 0;
}

static void lower(int64_t *most, int64_t has, int64_t need)
{
	if (need > 0 && has / need < *most)
		*most = has / need;
}

/* The number of tasks that have room on a node, at most `most`. */
static int64_t tasks_on(const struct sizing *s, const struct job_size_node *n,
			int64_t most)
{
	lower(&most, n->cpus, s->cap[CPUS]);
	lower(&most, (int64_t)n->memory_mib, (int64_t)mib_of(s->cap[MEMORY]));
	if (n->pods)
		lower(&most, n->pods, 1);
	for (uint32_t i = 0; i < s->most.n_ext; i++)
		lower(&most, had_of(n, s->most.ext[i].name), s->cap[EXT + i]);
	return most;
}

/*
 * The number of nodes with room for more than `least` tasks. *k: for how many
 * each of these has room, `most` at most.
 */
static uint64_t count_nodes(const struct sizing *s, int64_t least, int64_t most,
			    int64_t *k)
{
	uint64_t n = 0;

	*k = most;
	for (size_t i = 0; i < s->ask->n_nodes; i++) {
		const struct job_size_node *node = &s->ask->nodes[i];
		const int64_t on = tasks_on(s, node, most);

		if (on <= least)
			continue;
		n += 1 + (uint64_t)node->more;
		if (on < *k)
			*k = on;
	}
	return n;
}

/*
 * The number of tasks, at most `most`, that have room on each of the nodes.
 * While there are not enough nodes for that number, the smallest ones are left
 * out.
 */
static int64_t on_each(const struct sizing *s, uint32_t tasks, int64_t most)
{
	int64_t least = 0, k;

	for (;;) {
		const uint64_t n = count_nodes(s, least, most, &k);

		if (!n)
			return least ? least : most;
		if (divided(tasks, (uint32_t)k) <= n)
			return k;
		least = k;
	}
}

/* The number of tasks that are put on a node. */
static uint32_t share_of(const struct sizing *s, uint32_t tasks)
{
	const struct job_options *w = s->ask->options;
	const int64_t least = job_options_num(w, JOB_OPTION_MIN_NODES, 1);
	const int64_t most = job_options_num(w, JOB_OPTION_MAX_NODES, 0);
	int64_t k = tasks;

	if (s->ask->on_one)
		return s->ask->on_one < tasks ? s->ask->on_one : tasks;
	lower(&k, job_options_num(w, JOB_OPTION_TASKS_PER_NODE, k), 1);
	lower(&k, 1, s->cap[PORTS]);
	k = on_each(s, tasks, k);
	if (least > 1 && divided(tasks, (uint32_t)least) < k)
		k = divided(tasks, (uint32_t)least);
	if (most && divided(tasks, (uint32_t)most) > k)
		k = divided(tasks, (uint32_t)most);
	lower(&k, UINT16_MAX, s->cap[CPUS]);
	/* The fewest nodes, and then as little on each as that takes. */
	return divided(tasks, divided(tasks, k > 0 ? (uint32_t)k : 1));
}

/* Memory of each node is that of each task if it is too little for all. */
static void set_memory(const struct sizing *s, uint32_t share,
		       struct job_size *out)
{
	const struct job_options *w = s->ask->options;
	const int64_t need = (int64_t)mib_of(s->cap[MEMORY]);
	const int64_t node = job_options_num(w, JOB_OPTION_MEM_NODE, 0);
	const int64_t cpu = job_options_num(w, JOB_OPTION_MEM_CPU, 0);
	const uint32_t n = share ? share : out->tasks;
	int64_t task = need;

	if (w->given & JOB_OPTION_BIT(JOB_OPTION_MEM_NODE)) {
		if (!node || node / n >= need) {
			out->memory_per_node =
				node ? (uint64_t)node : JOBSIZE_ALL_MEMORY;
			return;
		}
		if (!share)
			task = node > need ? node : need;
	}
	if (cpu > 0 && cpu * out->cpus_per_task > task)
		task = cpu * out->cpus_per_task;
	if (!share)
		out->memory_per_task = (uint64_t)task;
	else if (__builtin_mul_overflow((uint64_t)task, share,
					&out->memory_per_node))
		out->memory_per_node = INT64_MAX; /* no node has so much */
}

/*
 * Set the Gres that `share` tasks need together, for a node; share 0: those of
 * one task, for each.
 */
static int set_gres(const struct sizing *s, uint32_t share,
		    struct job_size *out, struct err *err)
{
	_cleanup_free_ char *need = NULL;
	struct pod_requests most = s->most;
	int rc;

	for (uint32_t i = 0; share && i < most.n_ext; i++)
		if (__builtin_mul_overflow(most.ext[i].count, share,
					   &most.ext[i].count))
			return err_set(err, -ERANGE, "too much of %s",
				       most.ext[i].name);
	rc = pod_requests_gres(&most, s->ask->map, s->ask->n_map, &need, err);
	return rc ? rc
		  : gresmax(job_options_text(s->ask->options, JOB_OPTION_GRES),
			    need, share ? 1 : out->tasks, &out->gres_node,
			    &out->gres_task, err);
}

/*
 * Ask for whole nodes, each of which has what `share` tasks need. Slurm gives
 * as many as it has, up to the greatest number.
 */
static void set_nodes(const struct sizing *s, uint32_t share,
		      struct job_size *out)
{
	const uint32_t least = divided(out->tasks, share);

	if (s->ask->on_one) {
		out->min_nodes = out->max_nodes = s->ask->on_nodes;
		return;
	}
	if (out->min_nodes < least)
		out->min_nodes = least;
	if (!(s->ask->options->given & JOB_OPTION_BIT(JOB_OPTION_MAX_NODES)))
		out->max_nodes = out->min_nodes;
	if (out->tasks > 1)
		out->node_cpus = (uint16_t)(share * out->cpus_per_task);
}

/* --- a job that waits */

/* The number of nodes that have room for `tasks` tasks. */
static uint64_t nodes_with(const struct sizing *s, uint32_t tasks)
{
	int64_t k;

	return tasks ? count_nodes(s, (int64_t)tasks - 1, tasks, &k) : 0;
}

/*
 * The number of nodes with so many CPUs, for jobs without whole nodes. Tasks
 * are not counted: one size may have more of them on some nodes, and the other
 * size on others.
 */
static uint64_t nodes_of_cpus(const struct sizing *s, uint32_t cpus)
{
	uint64_t n = 0;

	for (size_t i = 0; i < s->ask->n_nodes; i++)
		if (s->ask->nodes[i].cpus >= cpus)
			n += 1 + (uint64_t)s->ask->nodes[i].more;
	return n;
}

static enum job_size_change compare(const struct sizing *s,
				    const struct job_size *now)
{
	const struct job_size_ask *ask = s->ask;
	uint64_t old, fresh;

	if (!ask->had_cpus || !now->cpus_each ||
	    !ask->had_nodes != !now->nodes_each ||
	    (ask->had_nodes == now->nodes_each &&
	     ask->had_cpus == now->cpus_each))
		return JOBSIZE_SAME;
	if (!now->nodes_each) {
		old = nodes_of_cpus(s, ask->had_cpus);
		return !old && nodes_of_cpus(s, now->cpus_each) ? JOBSIZE_LOST
								: JOBSIZE_SAME;
	}
	old = nodes_with(s, divided(ask->had_cpus, now->cpus_per_task));
	fresh = nodes_with(s, now->cpus_each / now->cpus_per_task);
	if (fresh < now->nodes_each) /* the new job would wait, too */
		return JOBSIZE_SAME;
	if (old < ask->had_nodes)
		return JOBSIZE_LOST;
	return fresh > old ? JOBSIZE_MORE : JOBSIZE_SAME;
}

/* Set what of the size would be otherwise with other nodes. */
static void set_each(const struct sizing *s, struct job_size *out)
{
	if (s->ask->on_one || !s->ask->n_nodes)
		return;
	if (s->ask->whole && out->node_cpus) {
		out->nodes_each = out->min_nodes;
		out->cpus_each = out->node_cpus;
	} else if (!s->ask->whole) {
		out->cpus_each = out->cpus_per_task;
	}
	out->change = compare(s, out);
}

/*
 * The pods of the job run on `n` nodes already. Slurm takes a NodeList of more
 * nodes than the job needs for one of which it may choose some.
 */
static void need_nodes(struct job_size *out, uint32_t n)
{
	if (out->min_nodes < n)
		out->min_nodes = n;
	if (out->max_nodes < out->min_nodes)
		out->max_nodes = out->min_nodes;
}

int job_size_make(const struct job_size_ask *ask, struct job_size *out,
		  struct err *err)
{
	_cleanup_free_ struct sizing *s = calloc(1, sizeof(*s));
	const struct job_options *w = ask->options;
	uint32_t share;
	int rc;

	*out = (struct job_size){0};
	if (!s)
		return err_oom(err);
	if (!ask->n || ask->n > UINT32_MAX)
		return err_set(err, -EINVAL, "no pod is to be placed");
	s->ask = ask;
	rc = look(s, err);
	if (!rc)
		rc = count_tasks(s, &out->tasks, err);
	if (out->tasks < ask->on_nodes) /* Slurm needs a task for each node */
		out->tasks = ask->on_nodes;
	if (!rc)
		rc = set_cpus(s, out, err);
	if (rc)
		return rc;
	out->min_nodes = (uint32_t)job_options_num(w, JOB_OPTION_MIN_NODES, 1);
	out->max_nodes =
		(uint32_t)job_options_num(w, JOB_OPTION_MAX_NODES, out->tasks);
	out->tasks_per_node =
		(uint16_t)job_options_num(w, JOB_OPTION_TASKS_PER_NODE, 0);
	/* One task is all that a node has of the job. */
	share = ask->whole || (out->tasks == 1 && out->min_nodes <= 1)
			? share_of(s, out->tasks)
			: 0;
	if (ask->whole)
		set_nodes(s, share, out);
	else if (ask->on_nodes)
		need_nodes(out, ask->on_nodes);
	set_each(s, out);
	set_memory(s, share, out);
	return set_gres(s, share, out, err);
}

void job_size_clear(struct job_size *s)
{
	free(s->gres_node);
	free(s->gres_task);
	*s = (struct job_size){0};
}

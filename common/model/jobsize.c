/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/jobsize.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "model/bins.h"
#include "model/gresmax.h"
#include "model/quantity.h"

#define MIB ((int64_t)1024 * 1024)

/* What a task has room of. */
enum dim { CPUS, MEMORY, PORTS, EXT };
_Static_assert(EXT + PODNEED_EXT_MAX == BINS_DIMS, "one for each kind");

struct sizing {
	const struct jobsize_ask *ask;
	struct podneed most; /* of each thing, of any pod */
	struct bins_kind kinds[JOBSIZE_KINDS_MAX];
	size_t n_kinds; /* more: they are not told apart */
	int64_t cap[BINS_DIMS];
	int64_t sum[BINS_DIMS];
};

/* --- what the pods need */

static int add_most(struct podneed *most, const struct podneed *need,
		    struct err *err)
{
	struct podneed more = {0};

	if (need->cpu_milli > most->cpu_milli)
		most->cpu_milli = need->cpu_milli;
	if (need->memory_bytes > most->memory_bytes)
		most->memory_bytes = need->memory_bytes;
	for (uint32_t i = 0; i < need->n_ext; i++) {
		const int64_t has = podneed_count(most, need->ext[i].name);

		if (need->ext[i].count <= has)
			continue;
		more.ext[more.n_ext] = need->ext[i];
		more.ext[more.n_ext++].count -= has;
	}
	return podneed_add(most, &more, err);
}

/* (whole CPUs, one at least: Slurm counts no less, and kubelets count pods) */
static int64_t cpus_of(const struct sizing *s, const struct podneed *need)
{
	const int64_t n = quantity_units(need->cpu_milli);
	const int64_t asked = jobwish_num(s->ask->wish, WISH_CPUS_PER_TASK, 1);

	return n > asked ? n : asked;
}

static struct bins_kind kind_of(const struct sizing *s,
				const struct jobsize_pod *p)
{
	struct bins_kind k = {.n = 1};

	k.need[CPUS] = cpus_of(s, p->need);
	k.need[MEMORY] = p->need->memory_bytes;
	k.need[PORTS] = p->ports;
	for (uint32_t i = 0; i < s->most.n_ext; i++)
		k.need[EXT + i] = podneed_count(p->need, s->most.ext[i].name);
	return k;
}

static void add_kind(struct sizing *s, const struct bins_kind *k)
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
	const struct jobsize_ask *ask = s->ask;
	int rc = 0;

	for (size_t i = 0; i < ask->n && !rc; i++)
		rc = add_most(&s->most, ask->pods[i].need, err);
	for (size_t i = 0; i < ask->n && !rc; i++) {
		const struct bins_kind k = kind_of(s, &ask->pods[i]);

		add_kind(s, &k);
	}
	return rc;
}

/* --- how many tasks */

/*
 * The fewest tasks that can do: of one thing, the pods of which no two fit
 * into one task.
 */
static uint32_t at_least(const struct sizing *s)
{
	uint32_t least = UINT32_MAX;

	for (int d = 0; d < BINS_DIMS; d++) {
		uint32_t n = 0;

		for (size_t i = 0; i < s->n_kinds; i++)
			if (s->kinds[i].need[d] > s->cap[d] / 2)
				n += s->kinds[i].n;
		if (s->cap[d] && n < least)
			least = n;
	}
	return least;
}

static uint64_t mib_of(int64_t bytes)
{
	return (uint64_t)(bytes / MIB + !!(bytes % MIB));
}

/* Can each node that can have `a` of it have `b`? */
static bool is_had(const struct sizing *s, const int64_t *a, const int64_t *b)
{
	for (size_t i = 0; i < s->ask->n_nodes; i++) {
		const struct jobsize_node *n = &s->ask->nodes[i];

		if (n->cpus >= a[CPUS] && n->cpus < b[CPUS])
			return false;
		if (n->memory_mib >= mib_of(a[MEMORY]) &&
		    n->memory_mib < mib_of(b[MEMORY]))
			return false;
	}
	return s->ask->n_nodes > 0;
}

/* How much of all things, beside what the pods need. */
static double price(const struct sizing *s, uint32_t tasks, const int64_t *cap)
{
	double sum = 0;

	for (int d = 0; d < BINS_DIMS; d++)
		if (s->sum[d] && d != PORTS)
			sum += (double)tasks * (double)cap[d] /
			       (double)s->sum[d];
	return sum;
}

/* All shared out to fewer tasks, `least` each or more: if that takes less. */
static int enlarge(struct sizing *s, const int64_t *least, uint32_t n,
		   uint32_t *tasks)
{
	int64_t cap[BINS_DIMS];
	int rc = bins_spread(s->kinds, s->n_kinds, n, least, cap);

	if (rc)
		return rc == -ENOMEM ? rc : 0;
	for (int d = 0; d < BINS_DIMS; d++) {
		if (cap[d] < least[d])
			cap[d] = least[d];
		/* (of these it is not known who has more) */
		if (d > MEMORY && cap[d] > least[d])
			return 0;
	}
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
	int rc = bins_count(s->kinds, s->n_kinds, s->cap, tasks);
	const uint32_t all = *tasks;

	memcpy(least, s->cap, sizeof(least));
	for (uint64_t n = at_least(s); n < all && !rc; n *= 2)
		rc = enlarge(s, least, (uint32_t)n, tasks);
	return rc;
}

static int count_tasks(struct sizing *s, uint32_t *tasks, struct err *err)
{
	const wish_set spread =
		WISH_BIT(WISH_MIN_NODES) | WISH_BIT(WISH_TASKS_PER_NODE);
	int rc;

	*tasks = (uint32_t)s->ask->n;
	if (s->n_kinds < 2 || s->n_kinds > JOBSIZE_KINDS_MAX ||
	    (s->ask->wish->given & spread))
		return 0;
	rc = pack_tasks(s, tasks);
	return rc ? err_oom(err) : 0;
}

/* --- in Slurm's terms */

static int set_cpus(const struct sizing *s, struct jobsize *out,
		    struct err *err)
{
	if (s->cap[CPUS] > UINT16_MAX)
		return err_set(err, -EINVAL,
			       "%" PRId64 " CPUs are more than Slurm counts",
			       s->cap[CPUS]);
	out->cpus_per_task = (uint16_t)s->cap[CPUS];
	return 0;
}

/* Memory of each node is that of each task if it is too little for all. */
static void set_memory(const struct sizing *s, struct jobsize *out)
{
	const struct jobwish *w = s->ask->wish;
	const int64_t need = (int64_t)mib_of(s->cap[MEMORY]);
	const int64_t node = jobwish_num(w, WISH_MEM_NODE, 0);
	const int64_t cpu = jobwish_num(w, WISH_MEM_CPU, 0);
	int64_t task = need;

	if (w->given & WISH_BIT(WISH_MEM_NODE)) {
		if (!node || node / out->tasks >= need) {
			out->memory_per_node =
				node ? (uint64_t)node : JOBSIZE_ALL_MEMORY;
			return;
		}
		task = node > need ? node : need;
	}
	if (cpu > 0 && cpu * out->cpus_per_task > task)
		task = cpu * out->cpus_per_task;
	out->memory_per_task = (uint64_t)task;
}

static int set_gres(const struct sizing *s, struct jobsize *out,
		    struct err *err)
{
	_cleanup_free_ char *need = NULL;
	int rc = podneed_gres(&s->most, s->ask->map, s->ask->n_map, &need, err);

	return rc ? rc
		  : gresmax(jobwish_text(s->ask->wish, WISH_GRES), need,
			    out->tasks, &out->gres_node, &out->gres_task, err);
}

int jobsize_make(const struct jobsize_ask *ask, struct jobsize *out,
		 struct err *err)
{
	_cleanup_free_ struct sizing *s = calloc(1, sizeof(*s));
	const struct jobwish *w = ask->wish;
	int rc;

	*out = (struct jobsize){0};
	if (!s)
		return err_oom(err);
	if (!ask->n || ask->n > UINT32_MAX)
		return err_set(err, -EINVAL, "no pod is to be placed");
	s->ask = ask;
	rc = look(s, err);
	if (!rc)
		rc = count_tasks(s, &out->tasks, err);
	if (!rc)
		rc = set_cpus(s, out, err);
	if (rc)
		return rc;
	set_memory(s, out);
	out->min_nodes = (uint32_t)jobwish_num(w, WISH_MIN_NODES, 1);
	out->max_nodes = (uint32_t)jobwish_num(w, WISH_MAX_NODES, out->tasks);
	out->tasks_per_node = (uint16_t)jobwish_num(w, WISH_TASKS_PER_NODE, 0);
	return set_gres(s, out, err);
}

void jobsize_clear(struct jobsize *s)
{
	free(s->gres_node);
	free(s->gres_task);
	*s = (struct jobsize){0};
}

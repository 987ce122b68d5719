/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bridge/jobspec/placement.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "bridge/jobspec/binpack.h"

#define MIB (1024 * 1024)
#define GRES_TEXT_MAX 1024
#define SHOWN 63
#define STEPS 200000 /* steps besides one for each pod at each node */

/* What is left of a node; less than 0 where bound pods have too much. */
struct room {
	int64_t cpu_milli, memory_bytes, pods;
	size_t taken; /* number of the group's pods there */
	size_t ports; /* number of these that want ports of the host */
	int64_t gres[PACK_GRES_MAX];
};

struct search {
	const struct placement_gres *gres;
	/* pods to be placed, the largest first */
	const struct placement_pod **todo;
	size_t n;
	struct room *rooms;
	size_t n_rooms;
	int32_t *at; /* the node of each of `todo` */
	size_t steps;
};

static struct room room_of(const struct placement_node *n)
{
	struct room r = {
		.cpu_milli = (int64_t)n->cpus * 1000,
		.memory_bytes =
			!n->memory_mib || n->memory_mib > INT64_MAX / MIB
				? INT64_MAX
				: (int64_t)(n->memory_mib * MIB),
		.pods = n->pods ? (int64_t)n->pods - n->other_pods : INT64_MAX,
	};

	memcpy(r.gres, n->gres, sizeof(r.gres));
	return r;
}

static bool fits(const struct search *s, const struct room *r,
		 const struct placement_pod *p)
{
	if (p->cpu_milli > r->cpu_milli || p->memory_bytes > r->memory_bytes ||
	    r->pods <= 0 || (p->ports && r->ports))
		return false;
	for (size_t g = 0; g < s->gres->n; g++)
		if (p->gres[g] > r->gres[g])
			return false;
	return true;
}

/* a - b without overflow: bound pods may need far more than there is. */
static int64_t minus(int64_t a, int64_t b)
{
	int64_t n;

	return __builtin_sub_overflow(a, b, &n) ? INT64_MIN : n;
}

static void take(struct room *r, const struct placement_pod *p)
{
	r->cpu_milli = minus(r->cpu_milli, p->cpu_milli);
	r->memory_bytes = minus(r->memory_bytes, p->memory_bytes);
	for (size_t g = 0; g < PACK_GRES_MAX; g++)
		r->gres[g] = minus(r->gres[g], p->gres[g]);
	r->pods--;
	r->taken++;
	r->ports += p->ports;
}

/* Undo take() of this pod. */
static void give_back(struct room *r, const struct placement_pod *p)
{
	r->cpu_milli += p->cpu_milli;
	r->memory_bytes += p->memory_bytes;
	for (size_t g = 0; g < PACK_GRES_MAX; g++)
		r->gres[g] += p->gres[g];
	r->pods++;
	r->taken--;
	r->ports -= p->ports;
}

static bool same_room(const struct room *a, const struct room *b)
{
	return a->cpu_milli == b->cpu_milli &&
	       a->memory_bytes == b->memory_bytes && a->pods == b->pods &&
	       !a->ports == !b->ports &&
	       !memcmp(a->gres, b->gres, sizeof(a->gres));
}

/*
 * Order by size, the larger one first: devices are the scarcest, then memory.
 */
static int compare_needs(const struct placement_pod *a,
			 const struct placement_pod *b)
{
	for (size_t g = 0; g < PACK_GRES_MAX; g++)
		if (a->gres[g] != b->gres[g])
			return a->gres[g] > b->gres[g] ? -1 : 1;
	if (a->memory_bytes != b->memory_bytes)
		return a->memory_bytes > b->memory_bytes ? -1 : 1;
	if (a->cpu_milli != b->cpu_milli)
		return a->cpu_milli > b->cpu_milli ? -1 : 1;
	if (a->ports != b->ports)
		return a->ports ? -1 : 1;
	return 0;
}

static int by_need(const void *a, const void *b)
{
	const struct placement_pod *x = *(const struct placement_pod *const *)a;
	const struct placement_pod *y = *(const struct placement_pod *const *)b;
	int c = compare_needs(x, y);

	return c ? c : x < y ? -1 : x > y; /* pointers into one array */
}

/*
 * Put each on the fitting node with the fewest pods: Slurm gave all nodes to be
 * used.
 */
static bool spread(struct search *s)
{
	for (size_t k = 0; k < s->n; k++) {
		struct room *best = NULL;

		for (size_t i = 0; i < s->n_rooms; i++) {
			struct room *r = &s->rooms[i];

			if (fits(s, r, s->todo[k]) &&
			    (!best || r->taken < best->taken))
				best = r;
		}
		if (!best) {
			while (k--)
				give_back(&s->rooms[s->at[k]], s->todo[k]);
			return false;
		}
		take(best, s->todo[k]);
		s->at[k] = (int32_t)(best - s->rooms);
	}
	return true;
}

/*
 * The next node for pod k, from `from` on; n_rooms: none. If nodes from `first`
 * on were tried before, no node with equal room is tried.
 */
static size_t next_node(struct search *s, size_t k, size_t from, size_t first)
{
	for (size_t i = from; i < s->n_rooms && s->steps; i++) {
		bool tried = false;

		s->steps--;
		if (!fits(s, &s->rooms[i], s->todo[k]))
			continue;
		for (size_t j = first; from > first && j < i && !tried; j++) {
			s->steps -= s->steps > 0;
			tried = same_room(&s->rooms[j], &s->rooms[i]);
		}
		if (!tried)
			return i;
	}
	return s->n_rooms;
}

/*
 * The first node to try: of two equal pods the second need not be tried before
 * the first one's.
 */
static size_t first_node(const struct search *s, size_t k)
{
	return k && !compare_needs(s->todo[k - 1], s->todo[k])
		       ? (size_t)s->at[k - 1]
		       : 0;
}

/*
 * Search depth first. *stuck: the pod that found no place deepest in the
 * search.
 */
static bool search(struct search *s, size_t *stuck)
{
	size_t k = 0, from = 0;

	*stuck = 0;
	while (k < s->n) {
		size_t first = first_node(s, k);
		size_t i = next_node(s, k, from > first ? from : first, first);

		if (i < s->n_rooms) {
			take(&s->rooms[i], s->todo[k]);
			s->at[k++] = (int32_t)i;
			from = 0;
			continue;
		}
		if (k > *stuck)
			*stuck = k;
		if (!k || !s->steps)
			return false;
		k--;
		give_back(&s->rooms[s->at[k]], s->todo[k]);
		from = (size_t)s->at[k] + 1;
	}
	return true;
}

/* --- as the job was made: see bridge/jobspec/job_size.h */

enum dim { CPUS, MEMORY, PORTS, GRES, DIMS = GRES + PACK_GRES_MAX };
_Static_assert(DIMS == BINS_DIMS, "one for each kind");

#define KINDS_MAX 64
#define SLOTS_MAX 1024

/* The nodes in parts, each as large as a task. */
struct slots {
	struct binpack_kind kinds[KINDS_MAX];
	size_t n_kinds;
	int64_t most[DIMS];
	int64_t room[SLOTS_MAX][DIMS];
	int32_t node[SLOTS_MAX];
	size_t n;
};

static struct binpack_kind kind_of(const struct placement_pod *p)
{
	struct binpack_kind k = {.n = 1};
	const int64_t cpus = p->cpu_milli / 1000 + !!(p->cpu_milli % 1000);

	k.need[CPUS] = cpus ? cpus : 1;
	k.need[MEMORY] = p->memory_bytes;
	k.need[PORTS] = p->ports;
	memcpy(&k.need[GRES], p->gres, sizeof(p->gres));
	return k;
}

static bool is_kind(const struct binpack_kind *a, const struct binpack_kind *b)
{
	return !memcmp(a->need, b->need, sizeof(a->need));
}

static bool find_kinds(const struct search *s, struct slots *t)
{
	for (size_t k = 0; k < s->n; k++) {
		const struct binpack_kind kind = kind_of(s->todo[k]);
		size_t i = 0;

		for (int d = 0; d < DIMS; d++)
			if (kind.need[d] > t->most[d])
				t->most[d] = kind.need[d];
		while (i < t->n_kinds && !is_kind(&t->kinds[i], &kind))
			i++;
		if (i == KINDS_MAX)
			return false;
		if (i < t->n_kinds)
			t->kinds[i].n++;
		else
			t->kinds[t->n_kinds++] = kind;
	}
	return true;
}

static bool has(const struct room *r, const int64_t *cap, int64_t times)
{
	if (cap[CPUS] > r->cpu_milli / 1000 / times ||
	    cap[MEMORY] > r->memory_bytes / times)
		return false;
	for (size_t g = 0; g < PACK_GRES_MAX; g++)
		if (cap[GRES + g] > r->gres[g] / times)
			return false;
	return true;
}

static void cut_nodes(const struct search *s, const int64_t *cap,
		      struct slots *t)
{
	t->n = 0;
	for (size_t i = 0; i < s->n_rooms; i++)
		for (int64_t times = 1;
		     t->n < SLOTS_MAX && times <= (int64_t)s->n &&
		     has(&s->rooms[i], cap, times);
		     times++) {
			memcpy(t->room[t->n], cap, sizeof(t->room[0]));
			t->node[t->n++] = (int32_t)i;
		}
}

/* Put pod k into the first slot with room for it. */
static bool put(struct search *s, struct slots *t, size_t k,
		const struct binpack_kind *kind)
{
	for (size_t i = 0; i < t->n; i++) {
		struct room *r = &s->rooms[t->node[i]];
		bool room = fits(s, r, s->todo[k]);

		for (int d = 0; d < DIMS && room; d++)
			room = kind->need[d] <= t->room[i][d];
		if (!room)
			continue;
		for (int d = 0; d < DIMS; d++)
			t->room[i][d] -= kind->need[d];
		take(r, s->todo[k]);
		s->at[k] = t->node[i];
		return true;
	}
	return false;
}

static bool fill(struct search *s, const int64_t *cap, struct slots *t)
{
	uint32_t n;
	bool all = !binpack_count(t->kinds, t->n_kinds, cap, &n);

	for (size_t k = 0; k < s->n; k++)
		s->at[k] = PACK_NONE;
	cut_nodes(s, cap, t);
	for (size_t i = 0; i < t->n_kinds && all; i++)
		for (size_t k = 0; k < s->n && all; k++) {
			const struct binpack_kind kind = kind_of(s->todo[k]);

			if (is_kind(&kind, &t->kinds[i]))
				all = put(s, t, k, &kind);
		}
	for (size_t k = 0; k < s->n && !all; k++)
		if (s->at[k] != PACK_NONE)
			give_back(&s->rooms[s->at[k]], s->todo[k]);
	return all;
}

/* Place the pods by tasks of each size that the job may have. */
static bool by_tasks(struct search *s)
{
	_cleanup_free_ struct slots *t = calloc(1, sizeof(*t));
	int64_t cap[DIMS];

	if (!t || !find_kinds(s, t))
		return false;
	if (fill(s, t->most, t))
		return true;
	for (uint64_t n = binpack_least(t->kinds, t->n_kinds, t->most);
	     n < s->n; n *= 2)
		if (!binpack_enlarged(t->kinds, t->n_kinds, (uint32_t)n,
				      t->most, cap) &&
		    fill(s, cap, t))
			return true;
	return false;
}

static bool is_negative(const struct placement_pod *p)
{
	for (size_t g = 0; g < PACK_GRES_MAX; g++)
		if (p->gres[g] < 0)
			return true;
	return p->cpu_milli < 0 || p->memory_bytes < 0;
}

static int check(size_t n_nodes, const struct placement_pod *pods,
		 size_t n_pods, struct err *err)
{
	if (n_nodes > PACK_NODES_MAX || n_pods > PACK_PODS_MAX)
		return err_set(err, -E2BIG,
			       "%zu pods on %zu nodes are too many", n_pods,
			       n_nodes);
	for (size_t i = 0; i < n_pods; i++)
		if (is_negative(&pods[i]) || pods[i].node < PACK_NONE ||
		    pods[i].node >= (int32_t)n_nodes)
			return err_set(err, -EINVAL, "pod %zu is impossible",
				       i);
	return 0;
}

static int refuse(const struct search *s, size_t stuck, size_t n_pods,
		  struct err *err)
{
	_cleanup_buf_ struct buf gres = BUF_INIT(GRES_TEXT_MAX);
	const struct placement_pod *p = s->todo[stuck];

	for (size_t g = 0; g < s->gres->n; g++)
		if (p->gres[g])
			(void)buf_addf(&gres, ", %lld %.*s",
				       (long long)p->gres[g], SHOWN,
				       s->gres->names[g]);
	return err_set(err, -ENOSPC,
		       "%zu pods do not fit on the %zu nodes of the job: no "
		       "room for one with %lld m of CPU, %lld MiB%s%s",
		       n_pods, s->n_rooms, (long long)p->cpu_milli,
		       (long long)(p->memory_bytes / MIB), buf_str(&gres),
		       p->ports ? " that has ports of its host" : "");
}

static int pack(struct search *s, const struct placement_node *nodes,
		struct placement_pod *pods, size_t n_pods, struct err *err)
{
	size_t stuck = 0;

	for (size_t i = 0; i < s->n_rooms; i++)
		s->rooms[i] = room_of(&nodes[i]);
	for (size_t i = 0; i < n_pods; i++) {
		if (pods[i].node == PACK_NONE)
			s->todo[s->n++] = &pods[i];
		else
			take(&s->rooms[pods[i].node], &pods[i]);
	}
	if (s->n)
		qsort(s->todo, s->n, sizeof(*s->todo), by_need);
	s->steps = STEPS + s->n * s->n_rooms;
	if (!spread(s) && !by_tasks(s) && !search(s, &stuck))
		return refuse(s, stuck, n_pods, err);
	for (size_t k = 0; k < s->n; k++)
		pods[s->todo[k] - pods].node = s->at[k];
	return 0;
}

int place_pods(const struct placement_gres *gres,
	       const struct placement_node *nodes, size_t n_nodes,
	       struct placement_pod *pods, size_t n_pods, struct err *err)
{
	_cleanup_free_ const struct placement_pod **todo = NULL;
	_cleanup_free_ struct room *rooms = NULL;
	_cleanup_free_ int32_t *at = NULL;
	struct search s = {.gres = gres, .n_rooms = n_nodes};
	int rc = check(n_nodes, pods, n_pods, err);

	if (rc)
		return rc;
	s.rooms = rooms = calloc(n_nodes + 1, sizeof(*rooms));
	s.todo = todo = calloc(n_pods + 1, sizeof(*todo));
	s.at = at = calloc(n_pods + 1, sizeof(*at));
	if (!rooms || !todo || !at)
		return err_oom(err);
	return pack(&s, nodes, pods, n_pods, err);
}

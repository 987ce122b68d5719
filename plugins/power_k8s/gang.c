/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gang.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

/* Index of a name in the list of nodes. */
struct place {
	UT_hash_handle hh;
	const char *name;
	size_t at;
	int failed;
};

struct places {
	struct place *all, *by_name;
};

static void places_clear(struct places *p)
{
	HASH_CLEAR(hh, p->by_name);
	free(p->all);
}

static int places_make(const struct hostlist *nodes, struct places *p)
{
	p->all = calloc(nodes->n + 1, sizeof(*p->all));
	if (!p->all)
		return -1;
	for (size_t i = 0; i < nodes->n; i++) {
		struct place *e = &p->all[i];

		e->name = nodes->names[i];
		e->at = i;
		HASH_ADD_KEYPTR(hh, p->by_name, e->name, strlen(e->name), e);
		if (e->failed)
			return -1;
	}
	return 0;
}

static int compare(const void *a, const void *b)
{
	size_t x = *(const size_t *)a, y = *(const size_t *)b;

	return x < y ? -1 : x > y;
}

static int add_job(const struct places *p, const struct resume_job *job,
		   struct gangs *g, struct err *err)
{
	struct gang *k = &g->v[g->n];
	_cleanup_hostlist_ struct hostlist h = {0};
	int rc = *job->nodes ? hostlist_expand(job->nodes, &h, err) : 0;
	size_t n = 0;

	if (rc)
		return err_wrap(err, rc, "resume file: job %u", job->job_id);
	k->nodes = calloc(h.n + 1, sizeof(*k->nodes));
	if (!k->nodes)
		return err_oom(err);
	g->n++;
	k->job_id = job->job_id;
	for (size_t i = 0; i < h.n; i++) {
		struct place *e;

		HASH_FIND_STR(p->by_name, h.names[i], e);
		if (e)
			k->nodes[n++] = e->at;
	}
	qsort(k->nodes, n, sizeof(*k->nodes), compare);
	for (size_t i = 0; i < n; i++) /* a name may be there twice */
		if (!i || k->nodes[i] != k->nodes[i - 1])
			k->nodes[k->n++] = k->nodes[i];
	for (size_t i = 0; i < k->n; i++)
		g->living[k->nodes[i]]++;
	return 0;
}

static int add_single(struct gangs *g, size_t node, struct err *err)
{
	struct gang *k = &g->v[g->n];

	k->nodes = calloc(1, sizeof(*k->nodes));
	if (!k->nodes)
		return err_oom(err);
	g->n++;
	k->nodes[k->n++] = node;
	g->living[node]++;
	return 0;
}

int gangs_make(const struct hostlist *nodes, const struct resumefile *file,
	       struct gangs *out, struct err *err)
{
	_cleanup_gangs_ struct gangs g = {.n_nodes = nodes->n};
	size_t jobs = file ? file->n_jobs : 0;
	struct places p = {0};
	int rc;

	g.v = calloc(jobs + nodes->n + 1, sizeof(*g.v));
	g.living = calloc(nodes->n + 1, sizeof(*g.living));
	rc = g.v && g.living && !places_make(nodes, &p) ? 0 : err_oom(err);
	for (size_t i = 0; !rc && i < jobs; i++)
		rc = add_job(&p, &file->jobs[i], &g, err);
	for (size_t i = 0; !rc && i < nodes->n; i++)
		if (!g.living[i])
			rc = add_single(&g, i, err);
	places_clear(&p);
	if (rc)
		return rc;
	*out = g;
	memset(&g, 0, sizeof(g));
	return 0;
}

static bool has(const struct gang *k, size_t node)
{
	return bsearch(&node, k->nodes, k->n, sizeof(node), compare) != NULL;
}

size_t gangs_fail(struct gangs *g, size_t node)
{
	size_t failed = 0;

	for (size_t i = 0; i < g->n; i++) {
		struct gang *k = &g->v[i];

		if (k->failed || !has(k, node))
			continue;
		k->failed = true;
		failed++;
		for (size_t j = 0; j < k->n; j++)
			g->living[k->nodes[j]]--;
	}
	return failed;
}

bool gangs_want(const struct gangs *g, size_t node)
{
	return g->living[node] > 0;
}

void gangs_clear(struct gangs *g)
{
	for (size_t i = 0; i < g->n; i++)
		free(g->v[i].nodes);
	free(g->v);
	free(g->living);
	memset(g, 0, sizeof(*g));
}

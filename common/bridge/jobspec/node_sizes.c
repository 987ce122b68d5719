/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The nodes by which gangs are sized: those of their partitions that fit their
 * pods, nodes of one kind together, as a cluster has thousands of nodes of a
 * few kinds. Found once in a pass for all gangs that ask for equal nodes, so
 * that a gang costs as much as there are kinds. Under the lock of `seen`.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/buf.h"
#include "bridge/jobspec/job_spec.h"
#include "syntax/hostlist.h"

#define KEY_MAX (64 * 1024)
#define PART_NAMES_MAX (4 * 1024 * 1024) /* bytes of a partition's nodes */
#define KINDS_MAX 256 /* kinds of nodes; others are not put together */

struct node_sizes {
	UT_hash_handle hh;
	int failed;
	struct job_size_node *v;
	size_t n, size;
	size_t len;
	char key[]; /* partitions and wants; "": not found again */
};

static void sizes_drop(struct job_specs *js, struct node_sizes *s)
{
	HASH_DELETE(hh, js->sizes, s);
	for (size_t i = 0; i < s->n; i++)
		free((void *)s->v[i].ext);
	free(s->v);
	free(s);
}

void node_sizes_free(struct job_specs *js)
{
	struct node_sizes *s = NULL, *next = NULL;

	HASH_ITER(hh, js->sizes, s, next)
	{
		sizes_drop(js, s);
	}
}

/* --- which nodes */

/*
 * The names of the partitions' nodes, sorted. *any: all nodes count, as Slurm
 * does not know a partition, which it will say itself, or as the names are too
 * long.
 */
static int find_names(struct job_specs *js, const char *partitions,
		      struct hostlist *out, bool *any)
{
	_cleanup_buf_ struct buf text = BUF_INIT(PART_NAMES_MAX);
	int rc = ctl_parts_nodes(js->parts, partitions, &text);

	*any = rc == -ENOENT || rc == -EMSGSIZE;
	if (!rc && text.len)
		rc = hostlist_expand(text.data, out, NULL);
	if (rc == -EINVAL || rc == -E2BIG)
		*any = true;
	if (!*any)
		hostlist_sort(out);
	return *any ? 0 : rc;
}

/* --- what they have */

/*
 * The number of pods that a node takes besides those of others; 0: as many as
 * can matter, or not known. (Each of ours has a CPU of Slurm's or more.)
 */
static int64_t pods_left(const struct inventory_node *x, uint32_t cpus)
{
	const int64_t left = x->view.pods - (int64_t)inventory_node_others(x);

	if (x->view.pods <= 0 || left >= cpus)
		return 0;
	/* bind.c says so when the node is to be given a pod. */
	return left > 0 ? left : 1;
}

static bool is_like(const struct job_size_node *a,
		    const struct job_size_node *b)
{
	if (a->cpus != b->cpus || a->memory_mib != b->memory_mib ||
	    a->pods != b->pods || a->n_ext != b->n_ext)
		return false;
	for (size_t i = 0; i < a->n_ext; i++)
		if (a->ext[i].count != b->ext[i].count ||
		    strcmp(a->ext[i].name, b->ext[i].name) != 0)
			return false;
	return true;
}

/* Copy a node's extended resources into one block. NULL: out of memory. */
static struct kube_extended *copy_ext(const struct job_size_node *n)
{
	size_t size = sizeof(struct kube_extended) * n->n_ext;
	struct kube_extended *copy;
	char *at;

	for (size_t i = 0; i < n->n_ext; i++)
		size += strlen(n->ext[i].name) + 1;
	copy = malloc(size + 1);
	at = copy ? (char *)(copy + n->n_ext) : NULL;
	for (size_t i = 0; copy && i < n->n_ext; i++) {
		const size_t len = strlen(n->ext[i].name) + 1;

		copy[i] = (struct kube_extended){
			memcpy(at, n->ext[i].name, len), n->ext[i].count};
		at += len;
	}
	return copy;
}

/* Count a node to its kind, or as the first of a new one. */
static int add_node(struct node_sizes *s, const struct job_size_node *node)
{
	struct job_size_node *more;

	for (size_t i = 0; i < s->n && i < KINDS_MAX; i++)
		if (is_like(&s->v[i], node)) {
			s->v[i].more++;
			return 0;
		}
	if (s->n == s->size) {
		const size_t size = s->size ? s->size * 2 : 16;

		more = realloc(s->v, size * sizeof(*more));
		if (!more)
			return -ENOMEM;
		s->v = more;
		s->size = size;
	}
	s->v[s->n] = *node;
	s->v[s->n].ext = copy_ext(node);
	return s->v[s->n].ext ? (s->n++, 0) : -ENOMEM;
}

/* Add a node, by what Kubernetes and Slurm both say that it has. */
static int look_at(struct job_specs *js, const struct inventory_node *x,
		   struct node_sizes *s)
{
	struct ctl_node node;

	if (!ctl_nodes_find(js->external->slurm.nodes, x->slurm, &node))
		return 0;
	if (x->view.cpu_milli / 1000 < node.cpus)
		node.cpus = (uint32_t)(x->view.cpu_milli / 1000);
	return add_node(s,
			&(struct job_size_node){.cpus = node.cpus,
						.memory_mib = node.memory_mib,
						.pods = pods_left(x, node.cpus),
						.ext = x->view.ext,
						.n_ext = x->view.n_ext});
}

static int fill(struct job_specs *js, const char *partitions,
		const struct node_fit *fit, struct node_sizes *s)
{
	_cleanup_hostlist_ struct hostlist names = {0};
	struct inventory_node *x = inventory_first(js->inventory);
	bool any = false;
	int rc = find_names(js, partitions, &names, &any);
	size_t i = 0;

	if (fit && !node_fit_is_of_now(js, fit))
		return -EAGAIN;
	for (; x && !rc; x = x->hh.next) {
		/* Nodes are counted as node_fit_has() counts them. */
		const bool fits = x->seen && (!fit || node_fit_has(fit, i));

		i += x->seen;
		if (fits && node_counts(js->external, x) &&
		    (any || hostlist_has(&names, x->slurm)))
			rc = look_at(js, x, s);
	}
	return rc;
}

/* --- kept for a pass */

/* *key stays empty if it is too long to be kept by. */
static int key_of(const char *partitions, const struct node_fit *fit,
		  struct buf *key)
{
	const int rc = buf_addf(key, "%s\n%s", partitions ? partitions : "",
				fit ? node_fit_key(fit) : "any");

	if (rc)
		buf_reset(key);
	return rc == -EMSGSIZE ? 0 : rc;
}

static struct node_sizes *sizes_new(struct job_specs *js, const struct buf *key)
{
	struct node_sizes *s = calloc(1, sizeof(*s) + key->len + 1);

	if (!s)
		return NULL;
	s->len = key->len;
	if (key->len)
		memcpy(s->key, key->data, key->len);
	HASH_ADD_KEYPTR(hh, js->sizes, s->key, s->len, s);
	if (!s->failed)
		return s;
	free(s);
	return NULL;
}

int node_sizes_find(struct job_specs *js, const struct node_fit *fit,
		    const char *partitions, const struct job_size_node **out,
		    size_t *n)
{
	_cleanup_buf_ struct buf key = BUF_INIT(KEY_MAX);
	struct node_sizes *s = NULL;
	int rc;

	*out = NULL;
	*n = 0;
	if (!js->parts)
		return -ENXIO;
	if (!js->sizes_known)
		node_sizes_free(js);
	js->sizes_known = true;
	rc = key_of(partitions, fit, &key);
	if (rc)
		return rc;
	HASH_FIND(hh, js->sizes, buf_str(&key), key.len, s);
	if (s && !key.len) {
		sizes_drop(js, s);
		s = NULL;
	}
	if (!s) {
		s = sizes_new(js, &key);
		rc = s ? fill(js, partitions, fit, s) : -ENOMEM;
		if (rc && s)
			sizes_drop(js, s);
		if (rc)
			return rc;
	}
	*out = s->v;
	*n = s->n;
	return s->n ? 0 : -ENXIO;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which nodes fit the waiting pods of a group: all of them, for a job is told
 * one list. It is found once for the same wants and the same nodes, and not
 * under the lock of the pods: 64 wants of 128 rules each, and thousands of
 * nodes, take seconds. That of the nodes is let go of again and again: the
 * link's thread renews the lease, and needs both.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/digest.h"
#include "bridge/jobspec/job_spec.h"
#include "config/features.h"
#include "syntax/hostlist.h"

#define WORDS_HOSTS 3  /* nodes that a refusal names */
#define WORDS_MAX 400  /* bytes that a refusal says of these */
#define FITS_MAX 1000  /* more: the one not asked for the longest is dropped */
#define SLICE_MS 5     /* how long the nodes are locked at once */
#define SLICE_HOSTS 16 /* the time is looked at after so many nodes */
#define LONGEST_MS 2000

/* Which nodes pods with these wants do not fit. */
struct node_fit {
	/* by key, in the order in which they were asked for */
	UT_hash_handle hh;
	int failed;
	uint64_t version; /* js->external->step.version, when it was found */
	uint64_t views;	  /* inventory_views(), when it was found */
	bool known, too_long;
	unsigned int slow; /* how often in a row it was not found in time */
	int64_t again_at;  /* monotonic: `too_long` is no answer any more */
	char *exclude;	   /* names in Slurm, with commas; NULL: too many */
	char *none;	   /* why no node fits; NULL: one does */
	uint8_t *bits;	   /* a bit for each host that is seen; 1: it fits */
	size_t n;
	bool several; /* the group has several wants */
	char key[PODWANT_SHA_MAX];
};

/* What node_fits_step() is to find out. */
struct node_fit_ask {
	struct node_fit *fit;
	size_t n;
	struct node_filter wants[FIT_WANTS_MAX];
};

static void ask_free(struct job_specs *js)
{
	struct node_fit_ask *a = js->fits.ask;

	js->fits.ask = NULL;
	for (size_t i = 0; a && i < a->n; i++)
		node_filter_clear(&a->wants[i]);
	free(a);
}

static void node_fit_clear(struct node_fit *f)
{
	free(f->exclude);
	free(f->none);
	free(f->bits);
	f->exclude = f->none = NULL;
	f->bits = NULL;
	f->n = 0;
	f->known = f->too_long = false;
}

static void node_fit_drop(struct job_specs *js, struct node_fit *f)
{
	HASH_DELETE(hh, js->fits.all, f);
	node_fit_clear(f);
	free(f);
}

void node_fits_free(struct job_specs *js)
{
	ask_free(js);
	while (js->fits.all)
		node_fit_drop(js, js->fits.all);
}

/* The entry of this key, made if there is none. NULL: out of memory. */
static struct node_fit *node_fit_of(struct job_specs *js,
				    const char key[PODWANT_SHA_MAX])
{
	struct node_fit *f = NULL;

	HASH_FIND_STR(js->fits.all, key, f);
	if (f) {
		HASH_DELETE(hh, js->fits.all, f);
	} else {
		if (HASH_COUNT(js->fits.all) >= FITS_MAX)
			node_fit_drop(js, js->fits.all);
		f = calloc(1, sizeof(*f));
		if (!f)
			return NULL;
		memcpy(f->key, key, sizeof(f->key));
	}
	f->failed = 0;
	HASH_ADD_STR(js->fits.all, key, f);
	if (!f->failed)
		return f;
	node_fit_clear(f);
	free(f);
	return NULL;
}

/* --- what the pods of a group want */

struct wants {
	const struct node_filter *v[FIT_WANTS_MAX];
	size_t n;
};

static bool has_want(const struct wants *w, const struct node_filter *want)
{
	for (size_t i = w->n; i-- > 0;)
		if (w->v[i]->hash == want->hash &&
		    !strcmp(w->v[i]->sha, want->sha))
			return true;
	return false;
}

/* Collect the wants of pods that wait. -E2BIG: they are too many. */
static int collect(const struct pod_group *g, struct wants *w)
{
	const struct node_filter *last = NULL;

	w->n = 0;
	for (const struct group_pod *m = g->members; m; m = m->next) {
		const struct node_filter *want = &m->shape->want;

		/* A bound pod fits its own node only. */
		if (!pod_waits(m->pod) || want == last)
			continue;
		last = want;
		if (has_want(w, want))
			continue;
		if (w->n == FIT_WANTS_MAX)
			return -E2BIG;
		w->v[w->n++] = want;
	}
	return 0;
}

static int by_sha(const void *a, const void *b)
{
	return strcmp((*(const struct node_filter *const *)a)->sha,
		      (*(const struct node_filter *const *)b)->sha);
}

/* A key that depends on the set of wants, and not on their order. */
static int key_of(struct wants *w, char key[PODWANT_SHA_MAX])
{
	_cleanup_buf_ struct buf all =
		BUF_INIT((size_t)FIT_WANTS_MAX * PODWANT_SHA_MAX + 1);
	int rc = 0;

	if (w->n < 2) {
		memset(key, 0, PODWANT_SHA_MAX);
		if (w->n)
			memcpy(key, w->v[0]->sha, PODWANT_SHA_MAX);
		return 0;
	}
	qsort(w->v, w->n, sizeof(w->v[0]), by_sha);
	for (size_t i = 0; i < w->n && !rc; i++)
		rc = buf_addf(&all, "%s,", w->v[i]->sha);
	return rc || sha256_hex(all.data, all.len, key) ? -ENOMEM : 0;
}

static int copy_want(const struct node_filter *from, struct node_filter *to)
{
	*to = *from;
	to->text = from->len ? malloc(from->len) : NULL;
	if (to->text)
		memcpy(to->text, from->text, from->len);
	return from->len && !to->text ? -ENOMEM : 0;
}

/* Note what node_fits_step() is to find out. -EAGAIN, or -ENOMEM. */
static int ask(struct job_specs *js, struct node_fit *f, const struct wants *w)
{
	struct node_fit_ask *a;

	ask_free(js);
	js->fits.ask = a = calloc(1, sizeof(*a));
	if (!a)
		return -ENOMEM;
	a->fit = f;
	f->several = w->n > 1;
	for (size_t i = 0; i < w->n; i++) {
		a->n++;
		if (copy_want(w->v[i], &a->wants[i])) {
			ask_free(js);
			return -ENOMEM;
		}
	}
	return -EAGAIN;
}

static int answer(const struct node_fit *f, struct err *err)
{
	if (f->too_long)
		return err_set(err, -ETIME,
			       "which nodes fit its pods cannot be found in %d "
			       "s: they ask for too much of these",
			       LONGEST_MS / 1000);
	if (f->none)
		return err_set(
			err, -EHOSTUNREACH, "no node of Slurm's fits %s: %s",
			f->several ? "all its pods" : "the pod", f->none);
	if (!f->exclude)
		return err_set(err, -EHOSTUNREACH,
			       "the names of the nodes that do not fit are "
			       "more than %d bytes: " EXCLUDE_CURE,
			       EXCLUDE_MAX);
	return 0;
}

static bool is_known(struct job_specs *js, const struct node_fit *f)
{
	return f->known && f->version == js->external->step.version &&
	       f->views == inventory_views(js->inventory) &&
	       !(f->too_long && clock_ms() >= f->again_at);
}

int node_fit_find(struct job_specs *js, const struct pod_group *g,
		  const struct node_fit **out, struct err *err)
{
	char key[PODWANT_SHA_MAX];
	struct wants w;
	struct node_fit *f;

	ask_free(js); /* what it asks about may be freed below */
	if (!js->external->slurm.nodes || !inventory_ready(js->inventory))
		return err_set(err, -EAGAIN, "the nodes are not known yet");
	if (collect(g, &w))
		return err_set(err, -E2BIG,
			       "its pods ask for nodes in more than %d "
			       "different ways",
			       FIT_WANTS_MAX);
	f = key_of(&w, key) ? NULL : node_fit_of(js, key);
	if (!f)
		return err_oom(err);
	if (!is_known(js, f))
		return ask(js, f, &w) == -EAGAIN
			       ? err_set(err, -EAGAIN,
					 "which nodes fit is not known yet")
			       : err_oom(err);
	*out = f;
	return answer(f, err);
}

bool node_fit_has(const struct node_fit *f, size_t i)
{
	return i < f->n && (f->bits[i / 8] & (1u << (i % 8)));
}

const char *node_fit_exclude(const struct node_fit *f)
{
	return f->exclude;
}

bool node_fit_is_of_now(struct job_specs *js, const struct node_fit *f)
{
	return f->views == inventory_views_locked(js->inventory);
}

const char *node_fit_key(const struct node_fit *f)
{
	return f->key;
}

/* --- looking at the nodes */

/* The result as far as it has been found out. */
struct run {
	struct job_specs *js;
	const struct node_fit_ask *ask;
	uint64_t views;
	size_t at, all; /* hosts looked at; hosts of these that count */
	size_t n;	/* number of hosts that `bits` is for */
	uint8_t *bits;
	char **exclude;
	size_t n_exclude;
	struct buf words;
};

static void run_clear(struct run *r)
{
	for (size_t i = 0; i < r->n_exclude; i++)
		free(r->exclude[i]);
	free(r->exclude);
	free(r->bits);
	buf_free(&r->words);
}

/*
 * Begin to look at all hosts. Under the lock of the hosts, as all up to look().
 */
static int begin(struct run *r)
{
	struct inventory_node *x = inventory_first(r->js->inventory);

	run_clear(r);
	*r = (struct run){.js = r->js,
			  .ask = r->ask,
			  .words = BUF_INIT(WORDS_MAX),
			  .views = inventory_views_locked(r->js->inventory),
			  .n = HASH_COUNT(x)};
	r->bits = calloc(r->n / 8 + 1, 1);
	r->exclude = calloc(r->n + 1, sizeof(*r->exclude));
	return r->bits && r->exclude ? 0 : -ENOMEM;
}

static bool fits_all(const struct node_fit_ask *a, const struct kube_node *view,
		     struct err *why)
{
	for (size_t i = 0; i < a->n; i++)
		if (!node_filter_fits(&a->wants[i], view, why))
			return false;
	return true;
}

/*
 * True if a pod on the node does not end. A node with the label is drained in
 * Slurm for that; for others only the jobs of pods can be told.
 */
static bool is_kept(const struct inventory_node *x, struct err *why)
{
	if (!x->kept_by || x->bridge)
		return false;
	if (why)
		err_set(why, -EBUSY,
			"Kubernetes node %s still runs a pod whose job has "
			"ended: %s",
			x->view.name, x->kept_by);
	return true;
}

static int look_at(struct run *r, const struct inventory_node *x)
{
	const bool named = r->n_exclude < WORDS_HOSTS;
	struct err why = {0};

	if (!node_counts(r->js->external, x))
		return 0;
	r->all++;
	if (!is_kept(x, named ? &why : NULL) &&
	    fits_all(r->ask, &x->view, named ? &why : NULL)) {
		r->bits[r->at / 8] |= (uint8_t)(1u << (r->at % 8));
		return 0;
	}
	if (named)
		buf_addf(&r->words, "%s%.*s", r->words.len ? "; " : "",
			 WORDS_MAX / WORDS_HOSTS - 2, why.msg);
	r->exclude[r->n_exclude] = strdup(x->slurm);
	return r->exclude[r->n_exclude++] ? 0 : -ENOMEM;
}

/*
 * Look at hosts for SLICE_MS. 0: all have been looked at; -EAGAIN: some have;
 * -ENOMEM.
 */
static int look(struct run *r)
{
	const int64_t end = clock_ms() + SLICE_MS;
	size_t i = 0;
	int rc = 0;

	if (!r->bits || r->views != inventory_views_locked(r->js->inventory))
		rc = begin(r);
	for (struct inventory_node *x = inventory_first(r->js->inventory);
	     x && !rc; x = x->hh.next) {
		if (!x->seen || i++ < r->at)
			continue;
		if (r->at == r->n)
			break;
		rc = look_at(r, x);
		r->at++;
		if (!rc && !(r->at % SLICE_HOSTS) && clock_ms() >= end)
			rc = -EAGAIN;
	}
	return rc;
}

static void keep(struct run *r, struct node_fit *f)
{
	_cleanup_buf_ struct buf text = BUF_INIT(EXCLUDE_MAX);
	int rc;

	node_fit_clear(f);
	f->slow = 0;
	f->version = r->js->external->step.version;
	f->views = r->views;
	if (r->all && r->n_exclude == r->all) {
		f->none = strdup(buf_str(&r->words));
		f->known = f->none != NULL;
		return;
	}
	rc = hostlist_compress((const char **)r->exclude, r->n_exclude, &text);
	f->exclude = rc ? NULL : strdup(buf_str(&text));
	f->bits = steal_ptr(r->bits);
	f->n = r->n;
	f->known = f->exclude || rc == -EMSGSIZE;
}

/*
 * Note that the nodes were not found in time. A single time may be due to a
 * slurmctld that was stopped (a debugger, a paused machine): only twice in a
 * row is an answer, and not for ever.
 */
static void give_up(struct run *r, struct node_fit *f)
{
	node_fit_clear(f);
	f->version = r->js->external->step.version;
	f->views = r->views;
	f->again_at = clock_ms() + FIT_SLOW_MS;
	f->known = f->too_long = ++f->slow > 1;
}

bool node_fits_step(struct job_specs *js)
{
	const int64_t end = clock_ms() + LONGEST_MS;
	struct run r = {.js = js, .ask = js->fits.ask};
	struct node_fit *f;
	int rc;

	if (!js->fits.ask)
		return false;
	f = js->fits.ask->fit;
	do {
		inventory_lock(js->inventory);
		rc = look(&r);
		inventory_unlock(js->inventory);
		if (rc == -EAGAIN) /* a mutex is not fair: let others have it */
			clock_nap(1);
	} while (rc == -EAGAIN && clock_ms() < end && !atomic_load(js->stop));
	if (!rc)
		keep(&r, f);
	else if (rc == -EAGAIN && !atomic_load(js->stop))
		give_up(&r, f);
	run_clear(&r);
	ask_free(js);
	return f->known;
}

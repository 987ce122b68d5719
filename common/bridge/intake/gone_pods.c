/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bridge/intake/gone_pods.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"

#define MORE_MS 5000 /* from a kubelet's deadline until it has killed */
#define UNSEEN_MAX_MS 60000

void gone_pods_drop(struct gone_pods **all, struct gone_pods *x)
{
	HASH_DELETE(hh, *all, x);
	free(x);
}

static struct gone_pods *find(struct gone_pods *all, const char *node)
{
	struct gone_pods *x;

	HASH_FIND_STR(all, node, x);
	return x;
}

static struct gone_pods *add(struct gone_pods **all, const char *node)
{
	const size_t size = strlen(node) + 1;
	struct gone_pods *x = HASH_COUNT(*all) < GONE_PODS_MAX
				      ? calloc(1, sizeof(*x) + size)
				      : NULL;

	if (!x)
		return NULL;
	memcpy(x->node, node, size);
	HASH_ADD_KEYPTR(hh, *all, x->node, size - 1, x);
	if (!x->failed)
		return x;
	free(x);
	return NULL;
}

void gone_pods_see(struct gone_pods **all, const struct bridged_pod *p,
		   int64_t *ends_at)
{
	struct gone_pods *x = *p->node ? find(*all, p->node) : NULL;

	if (x && !strcmp(x->uid, p->uid))
		gone_pods_drop(all, x);
	if (p->deleting && p->deadline_ms >= 0) {
		const int64_t at =
			clock_boot_ms() + p->deadline_ms - clock_real_ms();

		/*
		 * A kubelet that stops a container already waits for as long as
		 * it was told at first.
		 */
		if (at > *ends_at)
			*ends_at = at;
	}
}

/*
 * True if containers of a pod that is gone may run. An orderly kubelet removes
 * a pod when all its containers have ended, and has said so before; or when it
 * never began to start one. `by`: see gone_pods_note().
 */
static bool may_run(const struct bridged_pod *p, const char *by)
{
	return *p->node && p->job_id && !p->ended &&
	       (p->begun || !p->deleting) &&
	       (!by || !*p->by || !strcmp(p->by, by));
}

void gone_pods_note(struct gone_pods **all, const struct bridged_pod *p,
		    int64_t ends_at, bool seen, const char *by)
{
	const int64_t now = clock_boot_ms(),
		      grace = (int64_t)p->own_grace_s * 1000;
	int64_t probe = (int64_t)p->probe_grace_s * 1000, left = ends_at - now;
	struct gone_pods *x;
	int64_t until;

	if (!may_run(p, by))
		return;
	if (!ends_at)
		left = seen || grace < UNSEEN_MAX_MS ? grace : UNSEEN_MAX_MS;
	if (left < 0) /* overdue: the kubelet may be away, see mind_absence() */
		left = 0;
	/* The kubelet may have begun to stop a container for a failed probe. */
	if (!seen && probe > UNSEEN_MAX_MS)
		probe = UNSEEN_MAX_MS;
	if (left < probe)
		left = probe;
	left += MORE_MS;
	until = now + (left < GONE_PODS_MAX_MS ? left : GONE_PODS_MAX_MS);
	x = find(*all, p->node);
	if ((x && x->until >= until) || (!x && !(x = add(all, p->node))))
		return;
	x->until = until;
	x->grace_ms = (grace > probe ? grace : probe) + MORE_MS;
	x->told = false;
	str_copy(x->ns, p->ns, sizeof(x->ns));
	str_copy(x->name, p->name, sizeof(x->name));
	str_copy(x->uid, p->uid, sizeof(x->uid));
}

void gone_pods_free(struct gone_pods **all)
{
	struct gone_pods *x = NULL, *next = NULL;

	HASH_ITER(hh, *all, x, next)
	{
		gone_pods_drop(all, x);
	}
}

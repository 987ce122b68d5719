/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is to be done about a Kubernetes node in Slurm. */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "config/features.h"
#include "external/external_node.h"
#include "external/external_size.h"

static const char *text_or_none(const char *s)
{
	return s ? s : "";
}

static bool has_our_reason(const struct extnode_view *v)
{
	return v->reason && str_starts(v->reason, WK_REASON_PREFIX);
}

/* Somebody else has taken it out of use. */
static bool is_an_administrators(const struct extnode_view *v)
{
	return (v->drained || v->down) && !has_our_reason(v);
}

static struct extnode_plan keep(void)
{
	return (struct extnode_plan){EXTNODE_KEEP, ""};
}

static struct extnode_plan plan(enum extnode_do what, const char *words)
{
	struct extnode_plan p = {what, ""};

	str_shorten(p.words, words, sizeof(p.words));
	str_sanitize(p.words);
	return p;
}

/* With a Reason: "k8s: Kubernetes node is cordoned" */
static struct extnode_plan away(enum extnode_do what, const char *why,
				const char *more)
{
	char words[1024];

	snprintf(words, sizeof(words), WK_REASON_PREFIX "Kubernetes node %s%s",
		 why, text_or_none(more));
	return plan(what, words);
}

static struct extnode_plan drain(const struct extnode_view *v, const char *why,
				 const char *more)
{
	return v->drained || is_an_administrators(v)
		       ? keep()
		       : away(EXTNODE_DRAIN, why, more);
}

static struct extnode_plan down(const struct extnode_view *v, const char *why)
{
	return v->down || is_an_administrators(v)
		       ? keep()
		       : away(EXTNODE_DOWN, why, NULL);
}

/* (it may be back in seconds: a kubelet registers its Node anew, too) */
static struct extnode_plan lost(const struct extnode_view *v, const char *why,
				int64_t patience_ms)
{
	if (v->down)
		return keep();
	return v->unready_ms >= patience_ms ? down(v, why)
					    : drain(v, why, NULL);
}

static struct extnode_plan undrain(const struct extnode_view *v)
{
	return (v->drained || v->down) && has_our_reason(v)
		       ? plan(EXTNODE_UNDRAIN, "")
		       : keep();
}

static struct extnode_plan plan_unknown(const struct extnode_view *v)
{
	if (!v->host || !v->host->external)
		return keep();
	if (!v->shape)
		return plan(EXTNODE_KEEP, text_or_none(v->why_not));
	/* (a new one is idle at once) */
	if (v->host->closed || !v->host->ready)
		return keep();
	return plan(EXTNODE_CREATE, "");
}

/*
 * slurmctld was killed after it had saved that the node is allocated, and
 * before it saved by which job. No slurmd is there to tell it better. It is
 * drained first: then no job starts there after what we saw.
 */
static struct extnode_plan plan_emptied(const struct extnode_view *v)
{
	return away(v->drained ? EXTNODE_IDLE : EXTNODE_DRAIN,
		    "has no job in truth", NULL);
}

/*
 * (Slurm takes a node that is deleted out of all reservations, also those to
 * come, and ends one that has none left: not for a kubelet that registers
 * anew. And it takes no change any more of jobs that name the node: these are
 * told others first, see external/node_removal.c.)
 */
static bool may_go(const struct extnode_view *v)
{
	return v->idle && !v->reserved && v->unready_ms >= EXTNODE_GONE_MS;
}

static struct extnode_plan plan_unwanted(const struct extnode_view *v)
{
	if (may_go(v))
		return plan(EXTNODE_DELETE, "");
	if (v->emptied && has_our_reason(v))
		return plan_emptied(v);
	return v->host ? drain(v, "has no label " WK_HOST_EXTERNAL, NULL)
		       : lost(v, "is gone", EXTNODE_GONE_MS);
}

/*
 * By so much that no new job should come. (Nothing is bound that does not fit,
 * see bridge/binding/overcommit.c; and a DaemonSet's new image, with a few MiB
 * more than the last one, must not drain each node that is busy.)
 */
static bool has_shrunk(const struct extnode_view *v)
{
	const struct extnode_shape *s = v->shape;

	return (s->cpus < v->cpus && extsize_is_notable(v->cpus, s->cpus)) ||
	       (s->memory_mib < v->memory_mib &&
		extsize_is_notable(v->memory_mib, s->memory_mib)) ||
	       extsize_has_fewer(text_or_none(v->gres), s->gres);
}

static bool has_another_size(const struct extnode_view *v)
{
	const char *gres = text_or_none(v->gres);

	return v->shape->cpus != v->cpus ||
	       v->shape->memory_mib != v->memory_mib ||
	       !extsize_has_same_counts(v->shape->gres, gres) ||
	       !extsize_has_same_counts(gres, v->shape->gres);
}

static bool has_other_words(const struct extnode_view *v)
{
	return !features_same_list(v->shape->features, v->features) ||
	       strcmp(v->shape->topology, text_or_none(v->topology)) != 0;
}

static struct extnode_plan plan_closed(const struct extnode_view *v)
{
	if (strcmp(v->host->closed, "node.kubernetes.io/unschedulable") != 0)
		return drain(v, "has the taint ", v->host->closed);
	return drain(v, "is cordoned", NULL);
}

static struct extnode_plan plan_ours(const struct extnode_view *v)
{
	if (!v->host->ready)
		return lost(v, "is not ready", EXTNODE_DOWN_MS);
	if (v->host->closed)
		return plan_closed(v);
	if (!v->shape)
		return drain(v, "cannot be one of Slurm: ", v->why_not);
	if (v->emptied && !is_an_administrators(v))
		return plan_emptied(v);
	/* (Slurm refuses to delete one that is reserved, each time anew) */
	if (v->idle && !v->reserved && !is_an_administrators(v)) {
		/* (a job there was signalled: nobody is there to answer) */
		if (v->lost)
			return plan(EXTNODE_RENEW, "Slurm took it for lost");
		if (has_another_size(v))
			return plan(EXTNODE_RENEW, "its size has changed");
		/* (Slurm puts a node into partitions when it is created) */
		if (v->settled && v->relabelled)
			return plan(EXTNODE_RENEW, "its features have changed");
	}
	/* (drained it becomes idle and is renewed, which a reserved one is not)
	 */
	if (!v->reserved && has_shrunk(v))
		return drain(v, "has less room than Slurm believes", NULL);
	if ((v->drained || v->down) && has_our_reason(v))
		return undrain(v);
	return has_other_words(v) ? plan(EXTNODE_UPDATE, "") : keep();
}

/* Did plan_hybrid() say so? (A node of a nodeset is told its host's name.) */
static bool has_hybrids_reason(const struct extnode_view *v)
{
	static const char *const words[] = {
		WK_REASON_PREFIX "Kubernetes node is ",
		WK_REASON_PREFIX "Kubernetes node has the taint ",
	};

	for (size_t i = 0; v->reason && i < sizeof(words) / sizeof(*words); i++)
		if (str_starts(v->reason, words[i]))
			return true;
	return false;
}

/*
 * Its machine has left Kubernetes, or lost the label: whether it is well is
 * slurmd's to say again. (A kubelet that registers its Node anew does so in
 * seconds.)
 */
static struct extnode_plan plan_left(const struct extnode_view *v)
{
	if (!v->drained || !has_hybrids_reason(v) ||
	    v->unready_ms < EXTNODE_GONE_MS)
		return keep();
	return plan(EXTNODE_UNDRAIN, "");
}

int64_t extnode_twice_ms(const struct extnode_view *v)
{
	if (!v->slurmd || !v->drained || v->down || !v->idle ||
	    !str_eq(v->reason, WK_REASON_DUPLICATE))
		return -1;
	return v->reason_for_ms < EXTNODE_TWICE_MS
		       ? EXTNODE_TWICE_MS - v->reason_for_ms
		       : 0;
}

/* slurmd speaks for it: what Kubernetes loses only takes no new jobs. */
static struct extnode_plan plan_hybrid(const struct extnode_view *v)
{
	if (!v->host)
		return plan_left(v);
	if (!v->host->ready)
		return drain(v, "is not ready", NULL);
	return v->host->closed ? plan_closed(v) : undrain(v);
}

struct extnode_plan extnode_plan(const struct extnode_view *view)
{
	bool wanted = view->host && view->host->external;

	if (!view->known)
		return plan_unknown(view);
	if (view->host && view->host->ready && !view->host->closed &&
	    extnode_twice_ms(view) == 0)
		return plan(EXTNODE_UNDRAIN, "");
	if (!view->external && view->hybrid)
		return plan_hybrid(view);
	if (!view->external || !features_list_has(text_or_none(view->features),
						  WK_FEATURE_EXTERNAL))
		return wanted ? plan(EXTNODE_KEEP,
				     "Slurm has a node of that name that is "
				     "not ours")
			      : keep();
	return wanted ? plan_ours(view) : plan_unwanted(view);
}

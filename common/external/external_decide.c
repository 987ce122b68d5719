/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is to be done about a Kubernetes node in Slurm. */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "config/features.h"
#include "external/external_node.h"
#include "external/external_size.h"
#include "syntax/node_reason.h"

#define KEPT "still runs a pod whose job has ended: "
#define KEPT_REASON WK_REASON_PREFIX "Kubernetes node " KEPT

static const char *text_or_none(const char *s)
{
	return s ? s : "";
}

static bool has_our_reason(const struct external_node_view *v)
{
	return node_reason_is_ours(v->reason);
}

/* True if an administrator, or Slurm, has drained it or set it down. */
static bool is_an_administrators(const struct external_node_view *v)
{
	return (v->drained || v->down) && !has_our_reason(v);
}

static struct external_decision keep(void)
{
	return (struct external_decision){EXTERNAL_NODE_KEEP, "", false};
}

static struct external_decision plan(enum external_node_do what,
				     const char *words)
{
	struct external_decision p = {what, "", false};

	str_shorten(p.words, words, sizeof(p.words));
	str_sanitize(p.words);
	return p;
}

/* An action with a Reason: "k8s: Kubernetes node is cordoned". */
static struct external_decision away(enum external_node_do what,
				     const char *why, const char *more)
{
	char words[1024];

	snprintf(words, sizeof(words), WK_REASON_PREFIX "Kubernetes node %s%s",
		 why, text_or_none(more));
	return plan(what, words);
}

static struct external_decision drain(const struct external_node_view *v,
				      const char *why, const char *more)
{
	return v->drained || is_an_administrators(v)
		       ? keep()
		       : away(EXTERNAL_NODE_DRAIN, why, more);
}

static struct external_decision down(const char *why)
{
	return away(EXTERNAL_NODE_DOWN, why, NULL);
}

/*
 * Decide about a node that is not ready, or gone. It may be back in seconds: a
 * kubelet registers its Node anew, too. Of one that an administrator has
 * drained only the jobs are ended: it is DOWN for his Reason, until he resumes
 * it.
 */
static struct external_decision lost(const struct external_node_view *v,
				     const char *why, int64_t patience_ms)
{
	char words[128];

	if (v->down)
		return keep();
	if (v->unready_ms < patience_ms)
		return drain(v, why, NULL);
	if (!is_an_administrators(v))
		return down(why);
	if (v->idle || v->emptied)
		return keep();
	snprintf(words, sizeof(words),
		 "Kubernetes node %s. State=RESUME ends both (UNDRAIN leaves "
		 "it DOWN)",
		 why);
	return plan(EXTERNAL_NODE_DOWN_ONLY, words);
}

static struct external_decision undrain(const struct external_node_view *v)
{
	return (v->drained || v->down) && has_our_reason(v)
		       ? plan(EXTERNAL_NODE_UNDRAIN, "")
		       : keep();
}

static struct external_decision
decide_unknown(const struct external_node_view *v)
{
	if (!v->host || !v->host->external)
		return keep();
	if (!v->shape)
		return plan(EXTERNAL_NODE_KEEP, text_or_none(v->why_not));
	/*
	 * A node that is created is idle at once, so it is not created before
	 * it is ready.
	 */
	if (v->host->closed || !v->host->ready)
		return keep();
	return plan(EXTERNAL_NODE_CREATE, "");
}

/*
 * Decide about a node that seems allocated, and has no job. slurmctld was
 * killed after it had saved that the node is allocated, and before it saved by
 * which job. No slurmd is there to tell it better. The node is drained first:
 * then no job starts there after what we saw.
 */
static struct external_decision
decide_emptied(const struct external_node_view *v)
{
	return away(v->drained ? EXTERNAL_NODE_IDLE : EXTERNAL_NODE_DRAIN,
		    "has no job in truth", NULL);
}

/*
 * True if the node may be deleted. Slurm takes a deleted node out of all
 * reservations, also those to come, and ends one that has none left: that must
 * not happen for a kubelet that registers anew. And it takes no change any more
 * of jobs that name the node: their lists are changed first, see
 * external/node_removal.c.
 */
static bool may_go(const struct external_node_view *v)
{
	return v->idle && !v->reserved &&
	       v->unready_ms >= EXTERNAL_NODE_GONE_MS;
}

/*
 * Whoever has drained a node says by that that no job is to start on its
 * machine: deleted, and created anew when its kubelet registers anew, it would
 * be idle. So it stays, which is said once.
 */
static struct external_decision decide_going(const struct external_node_view *v)
{
	if (is_an_administrators(v))
		return plan(EXTERNAL_NODE_KEEP,
			    "is not deleted in Slurm though Kubernetes has no "
			    "such node with the label, as an administrator has "
			    "drained it, or set it down: scontrol delete it, "
			    "or update it to State=RESUME");
	return plan(EXTERNAL_NODE_DELETE, "");
}

static struct external_decision
decide_unwanted(const struct external_node_view *v)
{
	if (may_go(v))
		return decide_going(v);
	if (v->emptied && has_our_reason(v))
		return decide_emptied(v);
	return v->host ? drain(v, "has no label " WK_HOST_EXTERNAL, NULL)
		       : lost(v, "is gone", EXTERNAL_NODE_GONE_MS);
}

/*
 * True if the node has so much less than Slurm believes that no new job should
 * come. (Nothing is bound that does not fit, see bridge/binding/overcommit.c;
 * and a DaemonSet's new image, with a few MiB more than the last one, must not
 * drain each node that is busy.)
 */
static bool has_shrunk(const struct external_node_view *v)
{
	const struct external_node_shape *s = v->shape;

	return (s->cpus < v->cpus &&
		external_size_is_notable(v->cpus, s->cpus)) ||
	       (s->memory_mib < v->memory_mib &&
		external_size_is_notable(v->memory_mib, s->memory_mib)) ||
	       external_size_has_fewer(text_or_none(v->gres), s->gres);
}

static bool has_another_size(const struct external_node_view *v)
{
	const char *gres = text_or_none(v->gres);

	return v->shape->cpus != v->cpus ||
	       v->shape->memory_mib != v->memory_mib ||
	       !external_size_has_same_counts(v->shape->gres, gres) ||
	       !external_size_has_same_counts(gres, v->shape->gres);
}

static bool has_other_words(const struct external_node_view *v)
{
	return !features_same_list(v->shape->features, v->features) ||
	       strcmp(v->shape->topology, text_or_none(v->topology)) != 0;
}

/*
 * True if a pod there does not end. For how long is known since we began only,
 * but whoever was here before us may have drained the node for it.
 */
static bool is_kept(const struct external_node_view *v)
{
	return v->kept_by || (v->overdue && v->drained && v->reason &&
			      str_starts(v->reason, KEPT_REASON));
}

static struct external_decision
decide_closed(const struct external_node_view *v)
{
	if (strcmp(v->host->closed, "node.kubernetes.io/unschedulable") != 0)
		return drain(v, "has the taint ", v->host->closed);
	return drain(v, "is cordoned", NULL);
}

static struct external_decision
if_not_promised(const struct external_node_view *v, struct external_decision d)
{
	d.if_not_promised = !v->promised;
	return d;
}

/*
 * Renew a node that Slurm takes for lost. No job starts there any more, in a
 * reservation either, and nothing else ends that: so it is made anew also if a
 * reservation to come has it, by RPCs of its own. Slurm takes it out of that
 * only if it looks at its reservations right between the two.
 */
static struct external_decision renew_lost(const struct external_node_view *v)
{
	char words[256] = "Slurm took it for lost";

	if (v->promised)
		snprintf(words, sizeof(words),
			 "Slurm took it for lost; see whether reservation "
			 "%.100s has it still",
			 v->promised);
	return plan(EXTERNAL_NODE_RENEW, words);
}

static struct external_decision
renew_changed(const struct external_node_view *v)
{
	char words[256];

	/* Slurm puts a node into partitions only when it is created. */
	if (!has_another_size(v) && !(v->settled && v->relabelled))
		return keep();
	if (!v->promised)
		return plan(EXTERNAL_NODE_RENEW,
			    has_another_size(v) ? "its size has changed"
						: "its features have changed");
	snprintf(words, sizeof(words),
		 "keeps its size and partitions while reservation %.100s has "
		 "it, which would lose it",
		 v->promised);
	return plan(EXTERNAL_NODE_KEEP, words);
}

static struct external_decision decide_ours(const struct external_node_view *v)
{
	struct external_decision stays = keep();

	if (!v->host->ready)
		return lost(v, "is not ready", EXTERNAL_NODE_DOWN_MS);
	if (v->host->closed)
		return decide_closed(v);
	if (is_kept(v))
		return drain(v, KEPT, v->kept_by);
	if (!v->shape)
		return drain(v, "cannot be one of Slurm: ", v->why_not);
	if (v->emptied && !is_an_administrators(v))
		return decide_emptied(v);
	/* Slurm refuses to delete a reserved node, each time anew. */
	if (v->idle && !v->reserved && !is_an_administrators(v)) {
		/* A job there was signalled, and nobody is there to answer. */
		if (v->lost)
			return if_not_promised(v, renew_lost(v));
		stays = renew_changed(v);
		if (stays.what == EXTERNAL_NODE_RENEW)
			return if_not_promised(v, stays);
	}
	/*
	 * A drained node becomes idle, and is renewed; one that a reservation
	 * has is not, so it is not drained for this.
	 */
	if (!v->reserved && !v->promised && !is_an_administrators(v) &&
	    has_shrunk(v))
		return if_not_promised(
			v, drain(v, "has less room than Slurm believes", NULL));
	if ((v->drained || v->down) && has_our_reason(v))
		return undrain(v);
	return has_other_words(v) ? plan(EXTERNAL_NODE_UPDATE, "") : stays;
}

/*
 * True if the Reason is one of decide_hybrid(). That of a node of a nodeset has
 * its host's name.
 */
static bool has_hybrids_reason(const struct external_node_view *v)
{
	static const char *const words[] = {
		WK_REASON_PREFIX "Kubernetes node is ",
		WK_REASON_PREFIX "Kubernetes node has the taint ",
		KEPT_REASON,
	};

	for (size_t i = 0; v->reason && i < sizeof(words) / sizeof(*words); i++)
		if (str_starts(v->reason, words[i]))
			return true;
	return false;
}

/*
 * We drain such a node by FAIL. That it has DRAIN, too, says that Slurm (an
 * Epilog has failed, say: pods of the job may run there yet) or somebody has
 * drained it meanwhile, though the Reason is ours still. (RESUME, which ends
 * FAIL, would end a reboot or a power-down as well. It ends DOWN, too: with our
 * Reason Slurm itself has set it so, as the machine was rebooted while it was
 * cordoned and ReturnToService is not 2, or as slurmd did not respond. Now it
 * does.)
 */
static struct external_decision
undrain_hybrid(const struct external_node_view *v)
{
	if (!v->drained || v->changing || !has_our_reason(v) ||
	    (v->down && v->lost))
		return keep();
	return v->failing ? plan(EXTERNAL_NODE_UNDRAIN, "")
			  : plan(EXTERNAL_NODE_KEEP,
				 "stays drained, as Slurm (has its Epilog "
				 "failed?) or somebody has drained it, too: "
				 "scontrol update it to State=RESUME when it "
				 "is well");
}

/*
 * Decide about a hybrid node whose machine has left Kubernetes, or lost the
 * label: whether it is well is slurmd's to say again. (A kubelet that registers
 * its Node anew does so in seconds.)
 */
static struct external_decision decide_left(const struct external_node_view *v)
{
	if (!v->drained || !has_hybrids_reason(v) ||
	    v->unready_ms < EXTERNAL_NODE_GONE_MS)
		return keep();
	return undrain_hybrid(v);
}

int64_t external_node_twice_ms(const struct external_node_view *v)
{
	if (!v->slurmd || !v->drained || v->down || !v->idle ||
	    !str_eq(v->reason, WK_REASON_DUPLICATE))
		return -1;
	return v->reason_for_ms < EXTERNAL_NODE_TWICE_MS
		       ? EXTERNAL_NODE_TWICE_MS - v->reason_for_ms
		       : 0;
}

/*
 * Decide about a hybrid node. Its slurmd speaks for it: what Kubernetes loses
 * only takes no new jobs.
 */
static struct external_decision
decide_hybrid(const struct external_node_view *v)
{
	if (!v->host)
		return decide_left(v);
	if (!v->host->ready)
		return drain(v, "is not ready", NULL);
	if (v->host->closed)
		return decide_closed(v);
	return is_kept(v) ? drain(v, KEPT, v->kept_by) : undrain_hybrid(v);
}

struct external_decision external_decide(const struct external_node_view *view)
{
	bool wanted = view->host && view->host->external;

	if (!view->known)
		return decide_unknown(view);
	if (view->host && view->host->ready && !view->host->closed &&
	    external_node_twice_ms(view) == 0)
		return plan(EXTERNAL_NODE_UNDRAIN, "");
	if (!view->external && view->hybrid)
		return decide_hybrid(view);
	if (!view->external || !features_list_has(text_or_none(view->features),
						  WK_FEATURE_EXTERNAL))
		return wanted ? plan(EXTERNAL_NODE_KEEP,
				     "Slurm has a node of that name that is "
				     "not ours")
			      : keep();
	return wanted ? decide_ours(view) : decide_unwanted(view);
}

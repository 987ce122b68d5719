/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nodes/reconcile/node_look.h"

#include <string.h>

#include "base/str.h"
#include "syntax/node_reason.h"

#define TOLD_MS 10000	 /* how late what is looked at may be */
#define SETTLED_MS 10000 /* after that a pod's words are about this uptime */

struct power_news look_power(struct seen_power *m,
			     const struct slurm_node *node, int64_t whole_at,
			     int64_t now_ms)
{
	const enum node_power power = node->power;
	struct power_news news = {.changed = power != m->now,
				  .since = m->since};
	const bool first = !m->looked;

	m->looked = true;
	if (power == NODE_POWERED_DOWN || power == NODE_POWERING_DOWN)
		m->down_at = whole_at;
	if (!news.changed)
		return news;
	/* A power-up that was given up looks like up until Slurm ends it. */
	news.came_up = power == NODE_UP && !node->down &&
		       !slurm_node_ends(node) && !node->no_respond && !first;
	news.started = news.came_up && m->now == NODE_POWERING_UP;
	news.up = (power == NODE_UP) - (m->now == NODE_UP);
	m->since = now_ms;
	if (power == NODE_UP || power == NODE_POWERING_UP)
		m->was_up = power == NODE_UP && !slurm_node_ends(node);
	m->now = power;
	return news;
}

#define SLURMS_OWN "drained by Slurm" /* not ours: the drain stays */

void look_reason(struct seen_reason *m, struct slurm_node *node, int64_t now_ms)
{
	const bool ours = node_reason_is_ours(node->reason);

	if (!node->down && !node->drained) {
		m->old_ms = ours ? node->reason_ms : 0;
		m->others_at = 0;
		return;
	}
	if (!ours || !m->old_ms)
		return;
	if (!m->others_at && node->reason_ms == m->old_ms)
		m->others_at = now_ms;
	if (!m->others_at)
		return;
	node->reason = node->drained ? SLURMS_OWN : WK_REASON_SILENT;
	node->reason_ms = m->others_at;
}

void look_drain(struct seen_reason *m, struct slurm_node *node, int64_t now_ms)
{
	const bool theirs =
		node_reason_is_admins(node->drained, node->down, node->reason);
	const bool told = m->told_at && now_ms - m->told_at < TOLD_MS;

	if (node->power == NODE_POWERING_DOWN) {
		/* A drain that has been set again may be ended by anybody. */
		m->then_drained &= !node->drained;
		node->undrained =
			m->then_drained && !node->down &&
			node_reason_is_admins(true, false, node->reason);
		return;
	}
	m->was_free = node->ending && node->power != NODE_POWERING_UP &&
		      (m->was_free || told || !theirs);
	m->then_drained =
		m->was_free && theirs && (m->then_drained || !node->busy);
}

int64_t look_lost(struct seen_host *m, const struct slurm_node *node,
		  const struct kube_node_state *host, int64_t now_ms)
{
	const bool same = node->drained == m->drained;

	m->drained = node->drained;
	if (!host->known || host->ready || !node->no_respond)
		m->lost_since = 0;
	else if (!m->lost_since || !same)
		m->lost_since = now_ms;
	return m->lost_since;
}

uint32_t look_restarts(struct seen_pod *m, const struct seen_power *power,
		       bool busy, uint32_t sum, uint32_t restarts,
		       int64_t now_ms)
{
	if (power->now == NODE_UP && busy && sum == m->sum &&
	    now_ms - power->since >= SETTLED_MS)
		return m->restarts;
	m->sum = sum;
	m->restarts = restarts;
	return restarts;
}

int64_t look_absent(struct seen_pod *m, bool has, bool in_view, bool elsewhere,
		    int64_t now_ms)
{
	m->has = has;
	m->in_view = in_view;
	if (has || !in_view || elsewhere)
		m->absent_since = 0;
	else if (!m->absent_since)
		m->absent_since = now_ms;
	return m->absent_since;
}

bool look_is_gone(const struct seen_power *m, const struct slurm_node *node,
		  int64_t gone_ms, int64_t born_ms)
{
	return gone_ms >= m->since || (node->power == NODE_UP &&
				       !node->ending && born_ms >= m->down_at);
}

/*
 * True if no slurmd could tell which features the pod has, and there is no job.
 */
static bool is_bare(const struct features_seen *f,
		    const struct slurm_node *node)
{
	return !node->busy && (node->power == NODE_POWERED_DOWN ||
			       (node->power == NODE_POWERING_DOWN && !f->pod));
}

enum features_look look_features(const struct features_seen *f,
				 const struct slurm_node *node,
				 char out[NODE_WORDS_MAX])
{
	const feature_set has = features_of_list(f->known, f->available);
	feature_set active = 0;
	bool right;
	size_t n;

	if (node->power == NODE_UP && f->pod && strcmp(f->pod, "?") != 0)
		active = features_of_list(f->known, f->pod);
	else if (!is_bare(f, node))
		return FEATURES_STAY;
	if (active & ~has)
		return FEATURES_STAY;
	if (features_replace(f->known, f->available, active, out,
			     NODE_WORDS_MAX))
		return FEATURES_TOO_LONG;
	right = features_same_list(out, f->active);
	if (!features_repeat(f->available))
		return right ? FEATURES_STAY : FEATURES_CHANGE;
	n = strlen(out);
	if (n + 2 <= NODE_WORDS_MAX &&
	    !features_replace(f->known, f->available, has, out + n + 1,
			      NODE_WORDS_MAX - n - 1)) {
		out[n] = ' ';
		return FEATURES_CHANGE;
	}
	return right ? FEATURES_TOO_LONG : FEATURES_CHANGE_TOO_LONG;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is never done with a Kubernetes node that is Slurm's, whatever is known
 * of it.
 */
#include <string.h>

#include "base/str.h"
#include "config/features.h"
#include "external/external_node.h"
#include "property.h"

typedef bool (*property_fn)(const struct external_node_view *v,
			    const struct external_decision *d);

static bool has_our_reason(const struct external_node_view *v)
{
	return v->reason && str_starts(v->reason, WK_REASON_PREFIX);
}

static bool is_admins(const struct external_node_view *v)
{
	return (v->drained || v->down) && !has_our_reason(v);
}

static bool is_ours(const struct external_node_view *v)
{
	return v->external && v->features &&
	       features_list_has(v->features, WK_FEATURE_EXTERNAL);
}

static bool is_hybrid(const struct external_node_view *v)
{
	return v->known && !v->external && v->hybrid;
}

static bool is_wanted(const struct external_node_view *v)
{
	return v->host && v->host->external;
}

/* Slurm gave a number twice: the one drain that is not ours and ends. */
static bool is_twice(const struct external_node_view *v)
{
	return v->slurmd && v->drained && !v->down && v->idle && v->reason &&
	       !strcmp(v->reason, WK_REASON_DUPLICATE) &&
	       v->reason_for_ms >= EXTERNAL_NODE_TWICE_MS && v->host &&
	       v->host->ready && !v->host->closed;
}

static bool ends(const struct external_decision *d)
{
	return d->what == EXTERNAL_NODE_DELETE ||
	       d->what == EXTERNAL_NODE_RENEW;
}

static bool
what_is_missing_is_created_when_it_is_ready(const struct external_node_view *v,
					    const struct external_decision *d)
{
	return (d->what == EXTERNAL_NODE_CREATE) ==
	       (!v->known && is_wanted(v) && v->shape && v->host->ready &&
		!v->host->closed);
}

static bool nodes_of_others_are_left(const struct external_node_view *v,
				     const struct external_decision *d)
{
	return !v->known || is_ours(v) || is_hybrid(v) || is_twice(v) ||
	       d->what == EXTERNAL_NODE_KEEP;
}

static bool a_node_with_a_slurmd_is_only_drained_and_undrained(
	const struct external_node_view *v, const struct external_decision *d)
{
	return !is_hybrid(v) || d->what == EXTERNAL_NODE_KEEP ||
	       d->what == EXTERNAL_NODE_DRAIN ||
	       d->what == EXTERNAL_NODE_UNDRAIN;
}

static bool an_administrators_drain_stays(const struct external_node_view *v,
					  const struct external_decision *d)
{
	return !v->known || !is_admins(v) || is_twice(v) ||
	       d->what == EXTERNAL_NODE_KEEP ||
	       d->what == EXTERNAL_NODE_UPDATE ||
	       d->what == EXTERNAL_NODE_DOWN_ONLY;
}

static bool only_our_drain_ends(const struct external_node_view *v,
				const struct external_decision *d)
{
	return d->what != EXTERNAL_NODE_UNDRAIN || has_our_reason(v) ||
	       is_twice(v);
}

static bool
what_slurm_has_drained_besides_stays(const struct external_node_view *v,
				     const struct external_decision *d)
{
	return !is_hybrid(v) || d->what != EXTERNAL_NODE_UNDRAIN ||
	       v->failing || is_twice(v);
}

static bool what_is_to_reboot_stays_drained(const struct external_node_view *v,
					    const struct external_decision *d)
{
	return !is_hybrid(v) || d->what != EXTERNAL_NODE_UNDRAIN ||
	       !v->changing || is_twice(v);
}

static bool what_slurmd_has_lost_stays_down(const struct external_node_view *v,
					    const struct external_decision *d)
{
	return !is_hybrid(v) || d->what != EXTERNAL_NODE_UNDRAIN || !v->down ||
	       !v->lost;
}

/* And that of a nodeset's node, which is not for its machine, does so, too. */
static bool a_drain_outlasts_a_machine_that_registers_anew(
	const struct external_node_view *v, const struct external_decision *d)
{
	return !is_hybrid(v) || v->host || d->what != EXTERNAL_NODE_UNDRAIN ||
	       (v->unready_ms >= EXTERNAL_NODE_GONE_MS &&
		strcmp(v->reason, WK_REASON_PREFIX "x") != 0);
}

static bool a_kept_node_stays_drained(const struct external_node_view *v,
				      const struct external_decision *d)
{
	return d->what != EXTERNAL_NODE_UNDRAIN || !v->host || !v->kept_by ||
	       is_twice(v);
}

static bool reservations_are_asked_before_a_node_is_made_anew(
	const struct external_node_view *v, const struct external_decision *d)
{
	return d->what != EXTERNAL_NODE_RENEW || v->promised ||
	       d->if_not_promised;
}

static bool no_drain_is_written_over(const struct external_node_view *v,
				     const struct external_decision *d)
{
	return d->what != EXTERNAL_NODE_DRAIN || !v->drained;
}

static bool no_node_in_use_is_deleted(const struct external_node_view *v,
				      const struct external_decision *d)
{
	return !ends(d) || (v->idle && !v->reserved);
}

static bool
no_reservation_loses_a_node_for_its_size(const struct external_node_view *v,
					 const struct external_decision *d)
{
	return d->what != EXTERNAL_NODE_RENEW || !v->promised || v->lost;
}

static bool a_node_goes_when_it_is_long_gone(const struct external_node_view *v,
					     const struct external_decision *d)
{
	return d->what != EXTERNAL_NODE_DELETE ||
	       (!is_wanted(v) && v->unready_ms >= EXTERNAL_NODE_GONE_MS);
}

static bool
jobs_end_when_their_machine_is_long_away(const struct external_node_view *v,
					 const struct external_decision *d)
{
	if (d->what != EXTERNAL_NODE_DOWN && d->what != EXTERNAL_NODE_DOWN_ONLY)
		return true;
	return v->host ? !v->host->ready &&
				 v->unready_ms >= EXTERNAL_NODE_DOWN_MS
		       : v->unready_ms >= EXTERNAL_NODE_GONE_MS;
}

static bool
what_we_write_as_a_reason_is_ours(const struct external_node_view *v,
				  const struct external_decision *d)
{
	(void)v;
	return (d->what != EXTERNAL_NODE_DRAIN &&
		d->what != EXTERNAL_NODE_DOWN &&
		d->what != EXTERNAL_NODE_IDLE) ||
	       str_starts(d->words, WK_REASON_PREFIX);
}

static bool
a_node_is_set_idle_only_if_no_job_is_there(const struct external_node_view *v,
					   const struct external_decision *d)
{
	return d->what != EXTERNAL_NODE_IDLE || (v->emptied && v->drained);
}

static const struct {
	const char *name;
	property_fn holds;
} properties[] = {
	P(what_is_missing_is_created_when_it_is_ready),
	P(nodes_of_others_are_left),
	P(a_node_with_a_slurmd_is_only_drained_and_undrained),
	P(an_administrators_drain_stays),
	P(only_our_drain_ends),
	P(what_slurm_has_drained_besides_stays),
	P(what_is_to_reboot_stays_drained),
	P(what_slurmd_has_lost_stays_down),
	P(a_drain_outlasts_a_machine_that_registers_anew),
	P(a_kept_node_stays_drained),
	P(reservations_are_asked_before_a_node_is_made_anew),
	P(no_drain_is_written_over),
	P(no_node_in_use_is_deleted),
	P(no_reservation_loses_a_node_for_its_size),
	P(a_node_goes_when_it_is_long_gone),
	P(jobs_end_when_their_machine_is_long_away),
	P(what_we_write_as_a_reason_is_ours),
	P(a_node_is_set_idle_only_if_no_job_is_there),
};

/* --- views */

static const char *a_reason(void)
{
	static const char *const reasons[] = {
		NULL,
		"",
		"a disk",
		WK_REASON_SILENT,
		WK_REASON_DUPLICATE,
		WK_REASON_PREFIX "x",
		WK_REASON_PREFIX "Kubernetes node is cordoned",
		WK_REASON_PREFIX "Kubernetes node has the taint x",
		WK_REASON_PREFIX
		"Kubernetes node still runs a pod whose job has ended: x",
	};

	return ONE_OF(reasons);
}

static const struct kube_node *a_host(struct kube_node *out)
{
	static const char *const taints[] = {
		NULL, "node.kubernetes.io/unschedulable", "x"};

	*out = (struct kube_node){
		.name = "h",
		.external = coin(),
		.ready = coin(),
		.closed = ONE_OF(taints),
	};
	return seldom(4) ? NULL : out;
}

static const struct external_node_shape *
a_shape(struct external_node_shape *out)
{
	*out = (struct external_node_shape){
		.name = "h",
		.cpus = 4 - up_to(2),
		.memory_mib = 4096 - (coin() ? 0 : 2048),
		.features = WK_FEATURE_EXTERNAL,
	};
	if (coin())
		str_copy(out->gres, "gpu:1", sizeof(out->gres));
	if (seldom(4))
		str_copy(out->topology, "t:a", sizeof(out->topology));
	return seldom(8) ? NULL : out;
}

/* What Slurm says of it. */
static void draw_slurm(struct external_node_view *v)
{
	static const char *const features[] = {
		NULL, "fast", WK_FEATURE_EXTERNAL, WK_FEATURE_EXTERNAL,
		"fast," WK_FEATURE_EXTERNAL};

	v->external = coin();
	v->hybrid = coin();
	v->slurmd = !v->external && coin();
	v->idle = coin();
	v->reserved = seldom(4);
	v->promised = seldom(4) ? "maint" : NULL;
	v->emptied = !v->idle && coin();
	v->drained = coin();
	v->down = seldom(3);
	v->failing = coin();
	v->changing = seldom(4);
	v->relabelled = seldom(4);
	v->lost = seldom(3);
	v->reason = a_reason();
	v->reason_for_ms = around(EXTERNAL_NODE_TWICE_MS);
	v->features = ONE_OF(features);
	v->topology = seldom(4) ? "t:b" : NULL;
	v->gres = coin() ? "gpu:1" : NULL;
	v->cpus = 4;
	v->memory_mib = 4096;
}

static void draw_view(struct external_node_view *v, struct kube_node *host,
		      struct external_node_shape *shape)
{
	*v = (struct external_node_view){
		.host = a_host(host),
		.shape = a_shape(shape),
		.why_not = "no",
		.settled = coin(),
		.kept_by = seldom(4) ? "ns/p" : NULL,
		.overdue = seldom(4),
		.known = !seldom(8),
	};
	if (!v->host || !v->host->ready || !v->host->external)
		v->unready_ms = around(coin() ? EXTERNAL_NODE_DOWN_MS
					      : EXTERNAL_NODE_GONE_MS);
	if (v->known)
		draw_slurm(v);
}

static void each_decision_has_each_property(void)
{
	unsigned int violated[T_COUNT(properties)] = {0}, seen = 0;
	struct external_node_shape shape;
	struct external_node_view v;
	struct external_decision d;
	struct kube_node host;

	for (unsigned int i = 0; i < PROPERTY_VIEWS; i++) {
		draw_view(&v, &host, &shape);
		d = external_decide(&v);
		seen |= 1u << d.what;
		for (size_t k = 0; k < T_COUNT(properties); k++)
			if (!properties[k].holds(&v, &d) && !violated[k]++)
				printf("%s: view %u, decision %d: %s\n",
				       properties[k].name, i, d.what, d.words);
	}
	printf("%u views\n", PROPERTY_VIEWS);
	for (size_t k = 0; k < T_COUNT(properties); k++) {
		t_row("%s", properties[k].name);
		T_INT(violated[k], 0);
	}
	t_row("each was seen");
	T_INT(seen, (1u << (EXTERNAL_NODE_IDLE + 1)) - 1);
}

T_MAIN("external_properties", T(each_decision_has_each_property))

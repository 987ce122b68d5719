/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bridge/intake/unsupported.h"

#include <errno.h>

#include "base/str.h"
#include "objects/bridged_pod.h"

static size_t length(const json_object *seq)
{
	return jx_is(seq, json_type_array) ? json_object_array_length(seq) : 0;
}

static int no(struct err *err, const char *what, const char *why)
{
	return err_set(err, -EOPNOTSUPP, "%s: %s", what, why);
}

/*
 * Refuse a constraint that must be kept; without `whenUnsatisfiable` it must.
 */
static int check_spread(const json_object *seq, struct err *err)
{
	for (size_t i = 0; i < length(seq); i++) {
		json_object *c = json_object_array_get_idx(seq, i);

		if (!str_eq(jx_str(c, "whenUnsatisfiable"), "ScheduleAnyway"))
			return no(err, "topologySpreadConstraints",
				  "Slurm does not spread pods; "
				  "whenUnsatisfiable: ScheduleAnyway is "
				  "accepted");
	}
	return 0;
}

static int check_affinity(const json_object *affinity, struct err *err)
{
	static const char *const kinds[] = {"podAffinity", "podAntiAffinity"};
	static const char *const words[] = {
		"affinity.podAffinity",
		"affinity.podAntiAffinity",
	};

	for (int i = 0; i < 2; i++)
		if (length(jx_get(
			    affinity, kinds[i],
			    "requiredDuringSchedulingIgnoredDuringExecution")))
			return no(err, words[i],
				  "Slurm does not look at which pods run on a "
				  "node; only preferred terms are accepted");
	return 0;
}

/*
 * Refuse probes by which a container gets more to end than a pod may: nobody
 * can make that shorter, and its node is kept from others for so long.
 */
static int check_probes(const json_object *pod, struct err *err)
{
	const char *kind = NULL;

	if (bridged_pod_probe_grace(pod, &kind) <=
	    BRIDGED_POD_PROBE_GRACE_MAX_S)
		return 0;
	return no(err, kind,
		  "terminationGracePeriodSeconds: a container that fails its "
		  "probe gets 3600 seconds to end at most");
}

int bridged_pod_unsupported(const json_object *pod, struct err *err)
{
	json_object *spec = jx_get(pod, "spec");
	int rc;

	if (length(jx_get(spec, "resourceClaims")))
		return no(err, "resourceClaims",
			  "Slurm does not allocate resource claims (DRA); ask "
			  "for the device plugin's resource, such as "
			  "nvidia.com/gpu");
	rc = check_spread(jx_get(spec, "topologySpreadConstraints"), err);
	if (!rc)
		rc = check_affinity(jx_get(spec, "affinity"), err);
	return rc ? rc : check_probes(pod, err);
}

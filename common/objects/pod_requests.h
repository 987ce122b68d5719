/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a pod requests of its node, by the arithmetic of the kubelet and of
 * kube-scheduler (k8s.io/component-helpers/resource, PodRequests; KEP 753):
 * if ours were less, the kubelet would turn the pod away. Pure. Any thread.
 */
#ifndef SLURMK8S_OBJECTS_POD_REQUESTS_H
#define SLURMK8S_OBJECTS_POD_REQUESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "json/json.h"

#define PODNEED_EXT_MAX 8   /* kinds besides cpu and memory */
#define PODNEED_NAME_MAX 63 /* letters of a kind's name */
/* containers of one pod, with init containers; pods of others may have more */
#define PODNEED_CONTAINERS_MAX 200
/*
 * Objects, lists and commas in a list of containers, or of their states,
 * without what is not looked at: as many as each may have that names all kinds
 * which a site may count (held_pod.h), three times.
 */
#define PODNEED_CONTAINERS_VALUES_MAX (115 * PODNEED_CONTAINERS_MAX)
#define PODNEED_KINDS_MAX 64 /* named in one container's requests */

struct pod_requests {
	int64_t cpu_milli; /* thousandths of a CPU */
	int64_t memory_bytes;
	uint32_t n_ext;
	/* Extended resources and huge pages; each count is more than 0. */
	struct {
		char name[PODNEED_NAME_MAX + 1]; /* "nvidia.com/gpu" */
		int64_t count;			 /* huge pages: bytes */
	} ext[PODNEED_EXT_MAX];
};

/*
 * What a pod that is to be placed asks for: a pod's JSON, or one with its
 * `spec` alone. A limit without a request counts as a request, as the API
 * server sets it. ephemeral-storage is left out: Slurm has no count of it. 0;
 * with words: -EINVAL, -ERANGE, -E2BIG; then *out is 0.
 */
int pod_requests_of(const json_object *pod, struct pod_requests *out,
		    struct err *err);

/*
 * The most that pod_requests_roughly() gives: no node has so much, and the sum
 * for as many pods as a job may have does not overflow.
 */
#define PODNEED_ROUGHLY_MAX (INT64_MAX >> 13)

/*
 * The cpu and memory of a pod for which pod_requests_of() fails, as well as
 * they can be reckoned: more than PODNEED_ROUGHLY_MAX counts as that, and what
 * is no amount as 0. *out has no other kinds: how many of them a pod asks for
 * cannot change once it is bound, and pod_requests_of() has not failed for
 * these when we bound it.
 */
void pod_requests_roughly(const json_object *pod, struct pod_requests *out);

/*
 * What a pod holds of the node that it is on, which differs while it is resized
 * in place: what the kubelet and the container runtime still have for it
 * counts, too, by the pod's status; where releases of Kubernetes differ, the
 * greater. *out has cpu and memory only; counts[i] is of kinds[i], `n` names of
 * at most PODNEED_NAME_MAX letters. Other kinds do not count, however many and
 * however named they are: a pod that its author has bound may request what no
 * node has. For that reason more of a kind than can be counted is INT64_MAX,
 * and no error, and it may have any number of containers. 0; with words:
 * -EINVAL, -ERANGE, -E2BIG, -ENOMEM; then *out and counts are 0.
 */
int pod_requests_held_of(const json_object *pod, const char *const *kinds,
			 size_t n, struct pod_requests *out, int64_t *counts,
			 struct err *err);

/*
 * True if it wants ports of its host, also by hostNetwork. The kubelet turns
 * away the second pod that wants a port.
 */
bool pod_requests_ports(const json_object *pod);

/*
 * *sum += *more. 0; with words: -ERANGE: it is over what can be counted;
 * -E2BIG: over PODNEED_EXT_MAX kinds; then *sum is as before.
 */
int pod_requests_add(struct pod_requests *sum, const struct pod_requests *more,
		     struct err *err);

/*
 * Raise each thing of *most to that of *need, where this is more. Results as of
 * pod_requests_add().
 */
int pod_requests_raise(struct pod_requests *most,
		       const struct pod_requests *need, struct err *err);

/* The amount of an extended resource; 0: none. */
int64_t pod_requests_count(const struct pod_requests *need, const char *name);

/* True if it is memory in huge pages ("hugepages-2Mi"). */
bool pod_requests_is_pages(const char *resource);

/* Which gres of Slurm an extended resource is. */
struct gresmap {
	const char *resource; /* "nvidia.com/gpu" */
	const char *gres;     /* "gpu", or "gpu:a100" */
};

/*
 * How much of a resource is one of its gres: bytes of a page for
 * "hugepages-2Mi", of which a gres counts pages, so that 1Gi are 512; 1 for
 * anything else.
 */
int64_t pod_requests_unit(const char *resource);

/*
 * Write the extended resources as Slurm's TRES, "gres/gpu:3,gres/fpga:1", one
 * entry a gres, in the order of `map`. The caller frees *out; NULL: there are
 * none. 0; with words: -EOPNOTSUPP: `map` lacks one; -ERANGE; -ENOMEM.
 */
int pod_requests_gres(const struct pod_requests *need,
		      const struct gresmap *map, size_t n_map, char **out,
		      struct err *err);

/* How many of the gres of that kind ("gpu": of every type) it needs. */
int64_t pod_requests_gres_count(const struct pod_requests *need,
				const struct gresmap *map, size_t n_map,
				const char *kind);

#endif

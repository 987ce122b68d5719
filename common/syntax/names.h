/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names: Slurm's nodes, Kubernetes' objects. Pure. Any thread. */
#ifndef SLURMK8S_SYNTAX_NAMES_H
#define SLURMK8S_SYNTAX_NAMES_H

#include <stdbool.h>

#define DNS_LABEL_MAX 63
#define CLAIM_LEASE_MAX 128 /* "NAMESPACE/NAME" of a Lease, both labels */

/* RFC 1123 label: [a-z0-9]([-a-z0-9]*[a-z0-9])?, at most 63 characters. */
bool name_is_dns_label(const char *s);

/* RFC 1123 subdomain: such labels of any length, with dots; at most 253. */
bool name_is_subdomain(const char *s);

/* Kubernetes' label value: empty, or [A-Za-z0-9] ends, "-_." inside, 63. */
bool name_is_label_value(const char *s);

/*
 * The pod of a Slurm node: the node's own name where Kubernetes allows it,
 * else made lower-case and cut, with a hash of the whole name at its end.
 */
void name_pod_of_node(const char *node, char out[DNS_LABEL_MAX + 1]);

/* The same for a label's value (case and "_." stay). */
void name_label_of(const char *name, char out[DNS_LABEL_MAX + 1]);

/* The Lease of a Slurm cluster's engine; as a pod's name. */
void name_lease_of(const char *cluster, char out[DNS_LABEL_MAX + 1]);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of Slurm's nodes and of Kubernetes' objects. Pure. Any thread. */
#ifndef SLURMK8S_SYNTAX_NAMES_H
#define SLURMK8S_SYNTAX_NAMES_H

#include <stdbool.h>

#define DNS_LABEL_MAX 63
#define CLAIM_LEASE_MAX 128 /* "NAMESPACE/NAME" of a Lease, both labels */

/*
 * True for an RFC 1123 label: letters a-z, digits and, inside, '-'; 63 at most.
 */
bool name_is_dns_label(const char *s);

/*
 * True for an RFC 1123 subdomain: labels of letters a-z, digits and, inside,
 * '-', of any length, with dots between them, 253 characters at most.
 */
bool name_is_subdomain(const char *s);

/*
 * True for Kubernetes' label value: empty, or at most 63 of [-_.A-Za-z0-9] that
 * begin and end with a letter or digit.
 */
bool name_is_label_value(const char *s);

/*
 * The name of a Slurm node's pod: the node's own name where Kubernetes allows
 * it, else made lower-case and cut, with a hash of the whole name at its end.
 */
void name_pod_of_node(const char *node, char out[DNS_LABEL_MAX + 1]);

/*
 * The label value for a name: the name itself where Kubernetes allows it, else
 * cut, with a hash of the whole at its end. Case and "_." stay.
 */
void name_label_of(const char *name, char out[DNS_LABEL_MAX + 1]);

/*
 * The name of the Lease of a Slurm cluster's engine, made as a pod's name is.
 */
void name_lease_of(const char *cluster, char out[DNS_LABEL_MAX + 1]);

#endif

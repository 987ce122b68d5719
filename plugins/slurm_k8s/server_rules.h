/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an API server's first answer tells of it: its clock, its certificate,
 * its release. Pure. Any thread.
 */
#ifndef SLURMK8S_TOOL_SERVER_RULES_H
#define SLURMK8S_TOOL_SERVER_RULES_H

#include <stdint.h>

#include "findings.h"
#include "kube/client.h"

/* Texts are borrowed. Times are in ms since the epoch, by our own clock. */
struct server_facts {
	const char *cluster;	 /* the cluster's name in k8s.yaml */
	const char *version;	 /* "v1.33.2+k3s1"; NULL: it does not tell */
	int64_t sent_ms, now_ms; /* the answer came in between */
	struct kube_peer peer;
	/* validity of the kubeconfig's CAs; see certificate.h */
	struct kube_validity ca;
};

/*
 * Add findings: one of the clock, and what is wrong, or soon will be, with
 * certificates and release.
 */
void server_rules(const struct server_facts *f, struct findings *out);

/* Write "3 days", for people, into `out`, which is returned. */
const char *server_duration(int64_t ms, char out[32]);

#endif

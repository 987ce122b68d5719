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
	const char *cluster;	 /* its name in k8s.yaml */
	const char *version;	 /* "v1.33.2+k3s1"; NULL: it does not tell */
	int64_t sent_ms, now_ms; /* the answer came in between */
	struct kube_peer peer;
	struct kube_validity
		ca; /* of the kubeconfig's CAs; see certificate.h */
};

/*
 * Add findings: one of the clock, and what is wrong, or soon will be, with the
 * others.
 */
void server_rules(const struct server_facts *f, struct findings *out);

/* "3 days", for people. Of `out`, which is returned. */
const char *server_duration(int64_t ms, char out[32]);

#endif

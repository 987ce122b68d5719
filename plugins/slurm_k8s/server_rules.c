/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "server_rules.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "nodes/pod/adoption.h"

#define DAY_MS (24LL * 3600 * 1000)
#define SOON_MS (30 * DAY_MS)
#define OLDEST_MINOR 33 /* oldest Kubernetes is 1.33 (docs/support.md) */

const char *server_duration(int64_t ms, char out[32])
{
	const int64_t minutes = ms / 60000;

	if (minutes < 120)
		snprintf(out, 32, "%" PRId64 " minutes", minutes);
	else if (minutes < 2880)
		snprintf(out, 32, "%" PRId64 " hours", minutes / 60);
	else
		snprintf(out, 32, "%" PRId64 " days", minutes / 1440);
	return out;
}

/*
 * Compare clocks. The server's Date has whole seconds, and is of some moment
 * between question and answer.
 */
static void clocks(const struct server_facts *f, struct findings *out)
{
	const int64_t at = f->peer.date_ms;
	const bool ahead = at > f->now_ms + POD_CLOCK_SLACK_MS;

	if (at < 0)
		findings_add(out, FINDING_SKIPPED, "clock", NULL,
			     "cluster %s: its answer has no Date", f->cluster);
	else if (ahead || at + 1000 < f->sent_ms - POD_CLOCK_SLACK_MS)
		findings_add(out, FINDING_WRONG, "clock",
			     "let both follow the same time server (chrony)",
			     "cluster %s: its clock is %" PRId64
			     " s %s this machine's",
			     f->cluster,
			     (ahead ? at - f->now_ms : f->sent_ms - at) / 1000,
			     ahead ? "ahead of" : "behind");
	else
		findings_add(out, FINDING_OK, "clock", NULL,
			     "cluster %s: as this machine's", f->cluster);
}

/*
 * True within 30 days of a certificate's end, or within a quarter of its life,
 * which is less with certificates that are made to be renewed often. This
 * machine's clock counts; clocks() tells of another one.
 */
static bool ends_soon(const struct kube_validity *v, int64_t now_ms)
{
	const int64_t quarter = (v->to_ms - v->from_ms) / 4;

	return v->to_ms != INT64_MAX &&
	       v->to_ms - now_ms < (quarter < SOON_MS ? quarter : SOON_MS);
}

static void certificates(const struct server_facts *f, struct findings *out)
{
	const struct kube_validity *own = &f->peer.cert;
	char text[32];

	if (ends_soon(own, f->now_ms))
		findings_add(out, FINDING_WARN, "API server",
			     "renew it as your Kubernetes does (kubeadm: "
			     "kubeadm certs renew apiserver, and restart "
			     "kube-apiserver)",
			     "cluster %s: its certificate expires in %s",
			     f->cluster,
			     server_duration(own->to_ms - f->now_ms, text));
	if (ends_soon(&f->ca, f->now_ms))
		findings_add(out, FINDING_WARN, "API server",
			     "renew the cluster's CA, and write it into "
			     "certificate-authority of the kubeconfig",
			     "cluster %s: the kubeconfig's CA expires in %s",
			     f->cluster,
			     server_duration(f->ca.to_ms - f->now_ms, text));
}

/* "v1.32.9-eks-1" is older than 1.33; what is no such text is not judged. */
static bool is_old(const char *version)
{
	char *end;
	long major, minor;

	if (!version || *version != 'v')
		return false;
	major = strtol(version + 1, &end, 10);
	if (*end != '.')
		return false;
	minor = strtol(end + 1, NULL, 10);
	return major < 1 || (major == 1 && minor < OLDEST_MINOR);
}

void server_rules(const struct server_facts *f, struct findings *out)
{
	certificates(f, out);
	if (is_old(f->version))
		findings_add(out, FINDING_WARN, "API server",
			     "update Kubernetes: docs/support.md",
			     "cluster %s: Kubernetes %s is older than 1.%d, "
			     "the oldest release that slurm-k8s is tested with",
			     f->cluster, f->version, OLDEST_MINOR);
	clocks(f, out);
}

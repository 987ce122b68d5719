/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A Kubernetes node's JSON, and the line for Slurm that is made of it. */
#include <ctype.h>
#include <string.h>

#include "base/cleanup.h"
#include "external/external_node.h"
#include "fuzz.h"

static const char *const labels[] = {"topology.kubernetes.io/zone", "gpu-model",
				     "a", ""};
static const struct gresmap map[] = {{"nvidia.com/gpu", "gpu"},
				     {"amd.com/gpu", "gpu"}};
static const struct external_node_rules rules = {map, 2, labels, 4};

static void only(const char *text, const char *more)
{
	for (; *text; text++)
		PROMISE((unsigned char)*text < 0x80 &&
			(isalnum((unsigned char)*text) || strchr(more, *text)));
}

/* Nothing of a node's JSON adds a word to the line. */
static void check_line(const struct external_node_shape *s)
{
	_cleanup_free_ char *line = external_node_line(s);
	size_t blanks = 0;

	only(s->name, "-_.");
	only(s->features, "_.=-,");
	only(s->topology, "_.:,-");
	only(s->gres, ":,");
	PROMISE(line && *s->name && s->cpus && s->memory_mib);
	promise_clean(line);
	for (const char *p = line; *p; p++)
		blanks += *p == ' ';
	PROMISE(blanks == 6u + (*s->gres ? 2u : 0u) + (*s->topology ? 1u : 0u));
}

static void check_plan(const struct kube_node *h,
		       const struct external_node_shape *s, const char *why_not,
		       unsigned int bits)
{
	struct external_node_view v = {
		.host = bits & 1 ? h : NULL,
		.shape = s,
		.why_not = why_not,
		.settled = bits & 2,
		.known = bits & 4,
		.external = bits & 8,
		.idle = bits & 16,
		.drained = bits & 32,
		.reason = bits & 64 ? WK_REASON_PREFIX "x" : "x",
		.features = WK_FEATURE_EXTERNAL,
		.cpus = 4,
		.memory_mib = 1};
	struct external_decision p = external_decide(&v);

	promise_clean(p.words);
	PROMISE(p.what != EXTERNAL_NODE_CREATE || (s && !v.known));
	PROMISE(p.what != EXTERNAL_NODE_RENEW || (s && v.idle));
	PROMISE(p.what != EXTERNAL_NODE_DELETE || (v.external && v.idle));
	PROMISE(p.what != EXTERNAL_NODE_DRAIN ||
		!strncmp(p.words, WK_REASON_PREFIX, strlen(WK_REASON_PREFIX)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static const struct pod_requests used = {.cpu_milli = 100,
						 .memory_bytes = 1 << 20};
	_cleanup_json_ json_object *node = NULL;
	_cleanup_hostview_ struct kube_node h = {0};
	struct external_node_shape s;
	struct err err = {0};
	int rc;

	if (jx_parse((const char *)data, len, &node, NULL))
		return 0;
	rc = kube_node_of(node, &h, &err);
	promise_err(rc, &err);
	PROMISE(!h.block == (rc != 0));
	if (rc)
		return 0;
	for (size_t i = 0; i < h.n_labels; i++)
		PROMISE(kube_node_label(&h, h.labels[i].key));
	rc = external_node_shape_of(&h, &used, &rules, &s, &err);
	promise_err(rc, &err);
	if (!rc)
		check_line(&s);
	for (unsigned int bits = 0; bits < 128; bits++)
		check_plan(&h, rc ? NULL : &s, err.msg, bits);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A pod for the bridge: what it needs, as gres, and whether it fits a node. */
#include <string.h>

#include "base/cleanup.h"
#include "bridge/intake/unsupported.h"
#include "fuzz.h"
#include "objects/node_filter.h"
#include "objects/pod_requests.h"

static const char node[] =
	"{\"metadata\":{\"name\":\"n1\",\"uid\":\"u\",\"labels\":{\"zone\":"
	"\"west\",\"gen\":\"7\"}},\"spec\":{\"taints\":[{\"key\":\"gpu\","
	"\"effect\":\"NoSchedule\"},{\"key\":\"a\",\"value\":\"b\","
	"\"effect\":\"NoExecute\"}]}}";

static const struct gresmap map[] = {{"nvidia.com/gpu", "gpu"},
				     {"amd.com/gpu", "gpu"}};

static void check_gres(const struct pod_requests *need)
{
	_cleanup_free_ char *gres = NULL;
	struct pod_requests twice = {0};
	struct err err = {0};
	int rc = pod_requests_gres(need, map, 2, &gres, &err);

	promise_err(rc, &err);
	if (gres)
		promise_clean(gres);
	PROMISE(!pod_requests_add(&twice, need, NULL));
	PROMISE(!memcmp(&twice, need, sizeof(*need)));
}

/* What it holds is what it asks for, unless its status says otherwise. */
static void check_held(const json_object *pod, int rc,
		       const struct pod_requests *asked)
{
	static const char *const kinds[] = {"nvidia.com/gpu", "hugepages-2Mi"};
	int64_t counts[2];
	struct pod_requests held;
	struct err err = {0};
	int rc_held = pod_requests_held_of(pod, kinds, 2, &held, counts, &err);

	promise_err(rc_held, &err);
	PROMISE(held.cpu_milli >= 0 && held.memory_bytes >= 0 && !held.n_ext);
	for (int i = 0; i < 2; i++)
		PROMISE(counts[i] >= 0);
	if (rc || jx_get(pod, "status"))
		return;
	PROMISE(!rc_held && held.cpu_milli == asked->cpu_milli &&
		held.memory_bytes == asked->memory_bytes);
	for (int i = 0; i < 2; i++)
		PROMISE(counts[i] == pod_requests_count(asked, kinds[i]));
}

static int64_t at_most(int64_t n)
{
	return n < PODNEED_ROUGHLY_MAX ? n : PODNEED_ROUGHLY_MAX;
}

static void check_roughly(const json_object *pod, int rc,
			  const struct pod_requests *asked)
{
	struct pod_requests need;

	pod_requests_roughly(pod, &need);
	PROMISE(!need.n_ext && need.cpu_milli >= 0 && need.memory_bytes >= 0 &&
		need.cpu_milli <= PODNEED_ROUGHLY_MAX &&
		need.memory_bytes <= PODNEED_ROUGHLY_MAX);
	PROMISE(rc || (need.cpu_milli == at_most(asked->cpu_milli) &&
		       need.memory_bytes == at_most(asked->memory_bytes)));
}

static void check_need(const json_object *pod)
{
	struct pod_requests asked;
	struct err err = {0};
	int rc = pod_requests_of(pod, &asked, &err);

	promise_err(rc, &err);
	check_held(pod, rc, &asked);
	check_roughly(pod, rc, &asked);
	PROMISE(asked.cpu_milli >= 0 && asked.memory_bytes >= 0);
	PROMISE(asked.n_ext <= PODNEED_EXT_MAX);
	for (uint32_t k = 0; k < asked.n_ext; k++)
		PROMISE(asked.ext[k].count > 0 && *asked.ext[k].name);
	if (!rc)
		check_gres(&asked);
}

static void check_want(const json_object *pod, const struct kube_node *host)
{
	_cleanup_podwant_ struct node_filter w = {0}, again = {0};
	struct err err = {0}, why = {0};
	int rc = node_filter_of(pod, &w, &err);

	promise_err(rc, &err);
	PROMISE(w.len <= WANT_TEXT_MAX && !w.text == !w.len);
	if (rc)
		return;
	PROMISE(node_filter_fits(&w, host, &why) == !why.code);
	promise_err(why.code, &why);
	PROMISE(!node_filter_of(pod, &again, NULL) && w.hash == again.hash &&
		!strcmp(w.sha, again.sha));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static struct kube_node host;
	_cleanup_json_ json_object *pod = NULL;
	struct err err = {0};

	if (!host.block) {
		_cleanup_json_ json_object *o = NULL;

		PROMISE(!jx_parse(node, strlen(node), &o, NULL));
		PROMISE(!kube_node_of(o, &host, NULL));
	}
	if (jx_parse((const char *)data, len, &pod, NULL))
		return 0;
	promise_err(bridged_pod_unsupported(pod, &err), &err);
	pod_requests_ports(pod);
	check_need(pod);
	check_want(pod, &host);
	return 0;
}

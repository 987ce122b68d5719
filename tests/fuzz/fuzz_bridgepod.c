/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A pod for the bridge: what it needs, as gres, and whether it fits a node. */
#include <string.h>

#include "base/cleanup.h"
#include "fuzz.h"
#include "model/bpod_unsupported.h"
#include "model/hostfit.h"
#include "model/podneed.h"

static const char node[] =
	"{\"metadata\":{\"name\":\"n1\",\"uid\":\"u\",\"labels\":{\"zone\":"
	"\"west\",\"gen\":\"7\"}},\"spec\":{\"taints\":[{\"key\":\"gpu\","
	"\"effect\":\"NoSchedule\"},{\"key\":\"a\",\"value\":\"b\","
	"\"effect\":\"NoExecute\"}]}}";

static void check_gres(const struct podneed *need)
{
	_cleanup_free_ char *gres = NULL;
	struct podneed twice = {0};
	struct err err = {0};
	int rc = podneed_gres(need, gresmap_default, GRESMAP_DEFAULT_N, &gres,
			      &err);

	promise_err(rc, &err);
	if (gres)
		promise_clean(gres);
	PROMISE(!podneed_add(&twice, need, NULL));
	PROMISE(!memcmp(&twice, need, sizeof(*need)));
}

/* Of some kinds what is counted of all, if that can be. */
static void check_some(const json_object *pod, int rc,
		       const struct podneed *all)
{
	static const char *const kinds[] = {"nvidia.com/gpu", "hugepages-2Mi"};
	int64_t counts[2];
	struct podneed some;
	struct err err = {0};
	int rc_some = podneed_held_of(pod, kinds, 2, &some, counts, &err);

	promise_err(rc_some, &err);
	PROMISE(!some.n_ext && (rc || !rc_some));
	for (int i = 0; i < 2; i++)
		PROMISE(rc ? counts[i] >= 0
			   : counts[i] == podneed_count(all, kinds[i]));
	PROMISE(rc || (some.cpu_milli == all->cpu_milli &&
		       some.memory_bytes == all->memory_bytes));
}

static int64_t at_most(int64_t n)
{
	return n < PODNEED_ROUGHLY_MAX ? n : PODNEED_ROUGHLY_MAX;
}

static void check_roughly(const json_object *pod, int rc,
			  const struct podneed *asked)
{
	struct podneed need;

	podneed_roughly(pod, &need);
	PROMISE(!need.n_ext && need.cpu_milli >= 0 && need.memory_bytes >= 0 &&
		need.cpu_milli <= PODNEED_ROUGHLY_MAX &&
		need.memory_bytes <= PODNEED_ROUGHLY_MAX);
	PROMISE(rc || (need.cpu_milli == at_most(asked->cpu_milli) &&
		       need.memory_bytes == at_most(asked->memory_bytes)));
}

static void check_need(const json_object *pod)
{
	struct podneed asked, held;
	struct err err[2] = {{0}};
	int rc = podneed_of(pod, &asked, &err[0]);
	int rc_held = podneed_held(pod, &held, &err[1]);

	promise_err(rc, &err[0]);
	promise_err(rc_held, &err[1]);
	check_some(pod, rc_held, &held);
	check_roughly(pod, rc, &asked);
	for (int i = 0; i < 2; i++) {
		const struct podneed *need = i ? &held : &asked;

		PROMISE(need->cpu_milli >= 0 && need->memory_bytes >= 0);
		PROMISE(need->n_ext <= PODNEED_EXT_MAX);
		for (uint32_t k = 0; k < need->n_ext; k++)
			PROMISE(need->ext[k].count > 0 && *need->ext[k].name);
	}
	if (!rc)
		check_gres(&asked);
	if (!jx_get(pod, "status"))
		PROMISE(rc == rc_held && !memcmp(&asked, &held, sizeof(held)));
}

static void check_want(const json_object *pod, const struct hostview *host)
{
	_cleanup_podwant_ struct podwant w = {0}, again = {0};
	struct err err = {0}, why = {0};
	int rc = podwant_of(pod, &w, &err);

	promise_err(rc, &err);
	PROMISE(w.len <= WANT_TEXT_MAX && !w.text == !w.len);
	if (rc)
		return;
	PROMISE(hostfit(&w, host, &why) == !why.code);
	promise_err(why.code, &why);
	PROMISE(!podwant_of(pod, &again, NULL) && podwant_equal(&w, &again) &&
		podwant_hash(&w) == podwant_hash(&again));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static struct hostview host;
	_cleanup_json_ json_object *pod = NULL;
	struct err err = {0};

	if (!host.block) {
		_cleanup_json_ json_object *o = NULL;

		PROMISE(!jx_parse(node, strlen(node), &o, NULL));
		PROMISE(!hostview_of(o, &host, NULL));
	}
	if (jx_parse((const char *)data, len, &pod, NULL))
		return 0;
	promise_err(bpod_unsupported(pod, &err), &err);
	podneed_ports(pod);
	check_need(pod);
	check_want(pod, &host);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* JSON as the API server might send it, as a pod. */
#include "fuzz.h"
#include "objects/worker_pod.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	_cleanup_json_ json_object *o = NULL;
	struct worker_pod v;
	struct err err = {0};
	int rc = jx_parse((const char *)data, len, &o, &err);

	promise_err(rc, &err);
	if (rc || worker_pod_of(o, "slurmd", &v))
		return 0;
	PROMISE(*v.name && *v.uid);
	promise_clean(v.name);
	promise_clean(v.node);
	promise_clean(v.words);
	PROMISE(!v.terminated || !v.slurmd_running);
	return 0;
}

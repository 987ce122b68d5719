/* SPDX-License-Identifier: GPL-2.0-or-later */
/* JSON as the API server might send it: a bridged pod, and what it belongs to.
 */
#include <string.h>

#include "bridge/requests/pod_read.h"
#include "cluster/claim_lease.h"
#include "fuzz.h"
#include "objects/bridged_pod.h"
#include "objects/workload.h"

#define JOB_ID_MAX 0xfffffffdu /* slurm.h: above are NO_VAL and INFINITE */

/* What is told of who bound it: nothing where nobody of ours did. */
static void check_binder(const struct bridged_pod *p, const json_object *o)
{
	promise_clean(p->group);
	promise_clean(p->by);
	PROMISE(strlen(p->group) < BPOD_GROUP_MAX);
	PROMISE(strlen(p->by) < CLAIM_LEASE_MAX);
	PROMISE((!*p->group && !*p->by) || (*p->node && p->job_id));
	PROMISE(p->job_id <= JOB_ID_MAX &&
		bridged_pod_bound_by(o) <= JOB_ID_MAX);
	PROMISE(!*p->node || p->job_id == bridged_pod_bound_by(o));
	PROMISE(!p->disowned || (!p->job_id && !p->sure && !p->elsewhere));
}

static void check_pod(const json_object *o)
{
	_cleanup_(bridged_pod_freep) struct bridged_pod *p = bridged_pod_of(o);

	if (!p)
		return;
	PROMISE(*p->name && *p->ns && *p->uid);
	promise_clean(p->name);
	promise_clean(p->ns);
	promise_clean(p->uid);
	promise_clean(p->node);
	check_binder(p, o);
	PROMISE(p->exit_code >= 0 && p->exit_code <= 255);
	PROMISE(p->grace_s <= 86400);
	PROMISE(*p->node || p->ended);
}

static void check_workload(const struct workload *w)
{
	char text[WORKLOAD_TEXT_MAX];

	PROMISE(*w->ns && *w->name && w->members <= WORKLOAD_MEMBERS_MAX);
	PROMISE(w->kind != WORKLOAD_POD || (*w->uid && w->members == 1));
	workload_text(w, text);
	promise_clean(text);
	promise_clean(w->uid);
	promise_clean(w->top_name);
	promise_clean(w->group);
}

/* What a GET of one pod shows: only what names it can be its. */
static void check_look(const json_object *o)
{
	const enum pod_read any = pod_read_of(o, "1-2", "", 7),
			    at = pod_read_of(o, "1-2", "n1", 7);

	PROMISE(any <= POD_READ_OTHERS && at <= POD_READ_OTHERS);
	PROMISE((any == POD_READ_FREE) == (at == POD_READ_FREE));
	PROMISE(any == POD_READ_GONE ||
		!strcmp(jx_str(o, "metadata", "uid"), "1-2"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	_cleanup_json_ json_object *o = NULL;
	struct workload w;
	struct err err = {0};
	int rc = jx_parse((const char *)data, len, &o, &err);

	promise_err(rc, &err);
	if (rc)
		return 0;
	check_pod(o);
	check_look(o);
	rc = workload_of(o, &w, &err);
	promise_err(rc, &err);
	if (!rc)
		check_workload(&w);
	rc = workload_besides(o, &w, NULL);
	if (!rc)
		check_workload(&w);
	return 0;
}

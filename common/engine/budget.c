/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * policy/v1 is Kubernetes 1.21's, policy/v1beta1 ended with 1.25: ask which
 * one the server prefers (kubernetes.io, "API concepts", discovery).
 */
#include "engine/budget.h"

#include <errno.h>
#include <string.h>

#include "base/backoff.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "kube/verbs.h"
#include "model/names.h"
#include "model/podnotes.h"

#define TRY_MS 10000
#define AGAIN_MS 300000
#define RETRY_MIN_MS 5000
#define RETRY_MAX_MS 600000

/*
 * It may be only a moment's trouble, a right that has just been given for one.
 * (Once it was there it most likely still is.)
 */
static void failed(struct budget *b, const char *trouble)
{
	const int64_t min = b->retry_ms ? b->retry_ms : RETRY_MIN_MS;
	const int64_t wait = backoff_doubled(min, b->failures++, RETRY_MAX_MS);

	b->at = clock_ms() + wait;
	if (b->failures == 1 || wait == RETRY_MAX_MS)
		log_warn("cluster %s: busy pods are not protected from "
			 "eviction: %s",
			 b->name, trouble);
}

static void end(struct budget *b, const char *trouble)
{
	b->trying = false;
	if (trouble && !b->done) {
		failed(b, trouble);
		return;
	}
	if (trouble)
		log_debug("%s", trouble);
	else if (b->failures)
		log_info("cluster %s: busy pods are protected from eviction",
			 b->name);
	b->failures = 0;
	b->at = clock_ms() + (b->again_ms ? b->again_ms : AGAIN_MS);
}

static void made(void *arg, const struct kube_result *res)
{
	struct budget *b = arg;

	if (!res->rc && b->done)
		log_warn("cluster %s: the PodDisruptionBudget of busy pods had "
			 "been deleted, and is made again",
			 b->name);
	b->done = b->done || !res->rc || res->rc == -EEXIST;
	end(b, res->rc && res->rc != -EEXIST ? res->err->msg : NULL);
}

static void make(struct budget *b, const char *api_version)
{
	_cleanup_free_ char *api = str_printf("apis/%s", api_version);
	char name[DNS_LABEL_MAX + 1], label[DNS_LABEL_MAX + 1];
	const struct kube_ref ref = {
		.api = api, .ns = b->ns, .resource = "poddisruptionbudgets"};
	const struct kube_reply to = {
		.on_done = made, .arg = b, .deadline_ms = clock_ms() + TRY_MS};
	_cleanup_json_ json_object *o = NULL;
	_cleanup_free_ char *whole = NULL;
	const char *text;

	name_label_of(b->slurm_cluster, label);
	name_pod_of_node(b->slurm_cluster, name);
	whole = str_printf("slurm-k8s-%s", name);
	o = whole ? podnotes_budget(api_version, whole, label) : NULL;
	text = o ? json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN)
		 : NULL;
	if (!api || !text ||
	    !kube_create(b->client, &ref, text, strlen(text), &to))
		end(b, "out of memory");
}

static void discovered(void *arg, const struct kube_result *res)
{
	struct budget *b = arg;
	_cleanup_json_ json_object *o = NULL;
	const char *version;

	if (res->rc) {
		end(b, res->err->msg);
		return;
	}
	if (jx_parse(res->body, res->len, &o, NULL))
		o = NULL;
	version = jx_str(o, "preferredVersion", "groupVersion");
	if (str_eq(version, "policy/v1") || str_eq(version, "policy/v1beta1"))
		make(b, version);
	else
		end(b, "the API server has neither policy/v1 nor "
		       "policy/v1beta1");
}

void budget_step(struct budget *b)
{
	const struct kube_ref ref = {.api = "apis", .resource = "policy"};
	const struct kube_reply to = {.on_done = discovered,
				      .arg = b,
				      .deadline_ms = clock_ms() + TRY_MS};

	if (b->trying || clock_ms() < b->at)
		return;
	b->trying = true;
	if (!kube_get(b->client, &ref, &to))
		end(b, "out of memory");
}

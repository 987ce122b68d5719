/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cluster/pdb.h"

#include <errno.h>
#include <string.h>

#include "base/backoff.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "kube/verbs.h"
#include "objects/disruption_budget.h"
#include "syntax/names.h"

#define TRY_MS 10000
#define AGAIN_MS 300000
#define RETRY_MIN_MS 5000
#define RETRY_MAX_MS 600000

/*
 * Try again later, soon at first: the trouble may be only a moment's, as with a
 * right that has just been given. (Once the budget was there it most likely
 * still is.)
 */
static void failed(struct pdb *b, const char *trouble)
{
	const int64_t min = b->retry_ms ? b->retry_ms : RETRY_MIN_MS;
	const int64_t wait = backoff_doubled(min, b->failures++, RETRY_MAX_MS);

	b->at = clock_ms() + wait;
	if (b->failures == 1 || wait == RETRY_MAX_MS)
		log_warn("cluster %s: busy pods are not protected from "
			 "eviction: %s",
			 b->name, trouble);
}

static void end(struct pdb *b, const char *trouble)
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
	struct pdb *b = arg;

	if (!res->rc && b->done)
		log_warn("cluster %s: the PodDisruptionBudget of busy pods had "
			 "been deleted, and is made again",
			 b->name);
	b->done = b->done || !res->rc || res->rc == -EEXIST;
	end(b, res->rc && res->rc != -EEXIST ? res->err->msg : NULL);
}

void pdb_step(struct pdb *b)
{
	char name[DNS_LABEL_MAX + 1], label[DNS_LABEL_MAX + 1];
	const struct kube_ref ref = {.api = "apis/policy/v1",
				     .ns = b->ns,
				     .resource = "poddisruptionbudgets"};
	const struct kube_reply to = {
		.on_done = made, .arg = b, .deadline_ms = clock_ms() + TRY_MS};
	_cleanup_free_ char *whole = NULL, *text = NULL;

	if (b->trying || clock_ms() < b->at)
		return;
	b->trying = true;
	name_label_of(b->slurm_cluster, label);
	name_pod_of_node(b->slurm_cluster, name);
	whole = str_printf("slurm-k8s-%s", name);
	text = whole ? jx_take_text(disruption_budget_make(whole, label))
		     : NULL;
	if (!text || !kube_create(b->client, &ref, text, strlen(text), &to))
		end(b, "out of memory");
}

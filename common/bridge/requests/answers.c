/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the API server answered, in the log; and what it forbids for now. */
#include <stdio.h>
#include <string.h>

#include "base/backoff.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "bridge/requests/bridge_requests_internal.h"
#include "bridge/requests/workload_log.h"
#include "metrics/metrics.h"

_Static_assert(KINDS == METRICS_REQUEST_KINDS, "kinds of requests");

#define FORBIDDEN_MS 600000
#define FORBIDDEN_MIN_MS 5000 /* an API server that starts refuses, too */

bool request_is_forbidden(struct bridge_requests *w,
			  enum bridge_request_what what, const char *ns)
{
	const int64_t now = clock_ms();
	const struct forbidden *f = w->forbidden;
	const struct forbidden *const end = f + FORBIDDEN_MAX;
	bool found = false;

	pthread_mutex_lock(&w->lock);
	for (; f < end && !found; f++)
		found = now < f->until && f->what == what && !strcmp(f->ns, ns);
	pthread_mutex_unlock(&w->lock);
	return found;
}

/*
 * Under the lock. The entry of this kind and namespace: one that is there, or
 * else a free one or that which will be free first.
 */
static struct forbidden *forbidden_of(struct bridge_requests *w,
				      const struct bridge_request *d)
{
	struct forbidden *f = w->forbidden, *x = f;
	struct forbidden *const end = f + FORBIDDEN_MAX;

	for (; x < end; x++) {
		if (x->until && x->what == d->base.kind &&
		    !strcmp(x->ns, d->ns))
			return x;
		if (x->until < f->until)
			f = x;
	}
	*f = (struct forbidden){.what = d->base.kind};
	str_copy(f->ns, d->ns, sizeof(f->ns));
	return f;
}

/* Note that a kind is forbidden in this namespace for a while. */
static void forbid(struct bridge_requests *w, const struct bridge_request *d)
{
	struct forbidden *f;

	pthread_mutex_lock(&w->lock);
	f = forbidden_of(w, d);
	f->until = backoff_until(clock_ms(), f->until, &f->n, FORBIDDEN_MIN_MS,
				 FORBIDDEN_MS);
	pthread_mutex_unlock(&w->lock);
}

static void tell_forbidden(struct bridge_requests *w,
			   const struct bridge_request *d,
			   const struct kube_result *res)
{
	static const char *const words[KINDS] = {
		[BRIDGE_REQUEST_DELETE] = "pods of jobs that ended stay",
		[BRIDGE_REQUEST_BIND] = "pods do not get to their nodes",
		[BRIDGE_REQUEST_NOTE] = "pods do not say why they wait",
		[BRIDGE_REQUEST_GROUP] =
			"PodGroups do not say whether they run",
		[BRIDGE_REQUEST_EVENT] = "no Events on bridged pods",
	};

	forbid(w, d);
	if (clock_due(&w->told_forbidden[d->base.kind], FORBIDDEN_MS))
		log_warn("cluster %s: %s: %s", w->opt.cluster,
			 words[d->base.kind], res->err->msg);
}

/* What cannot matter any more: the pod is gone, or has its node already. */
bool bridge_request_is_past(const struct kube_result *res)
{
	return res->http == 404 || res->http == 409;
}

/* Log that a binding or deletion was not done; it is tried again. */
static void tell_undone(struct bridge_requests *w,
			const struct bridge_request *d,
			const struct kube_result *res)
{
	struct workload of = {.kind = WORKLOAD_POD, .top = WORKLOAD_POD};
	char words[ERR_MSG_MAX + 64];

	str_copy(of.ns, d->ns, sizeof(of.ns));
	str_copy(of.name, d->name, sizeof(of.name));
	snprintf(words, sizeof(words), "it cannot be %s: %s",
		 d->base.kind == BRIDGE_REQUEST_BIND ? "bound" : "deleted",
		 res->err->msg);
	log_workload(&w->says, LOG_LEVEL_ERROR, &of, words);
}

void bridge_request_tell(const struct bridge_request *d,
			 const struct kube_result *res)
{
	struct bridge_requests *w = d->work;

	metrics_count(METRIC_BRIDGE_REQUESTS, d->base.kind,
		      !res->rc			    ? METRICS_DONE
		      : bridge_request_is_past(res) ? METRICS_PAST
						    : METRICS_FAILED);
	if (!res->rc) {
		log_debug("%s %s/%s: %s",
			  d->base.kind == BRIDGE_REQUEST_GROUP ? "PodGroup"
							       : "pod",
			  d->ns, d->name,
			  d->base.kind == BRIDGE_REQUEST_BIND	  ? "bound"
			  : d->base.kind == BRIDGE_REQUEST_DELETE ? "deleted"
								  : "told");
		return;
	}
	if (res->http == 403)
		tell_forbidden(w, d, res);
	else if (d->base.kind <= BRIDGE_REQUEST_BIND &&
		 !bridge_request_is_past(res))
		tell_undone(w, d, res);
	else
		log_debug("%s", res->err->msg);
}

void bridge_request_tell_unread(struct bridge_request *d,
				const struct kube_result *res)
{
	struct bridge_requests *w = d->work;

	if (res->http != 403 || !clock_due(&w->tell_look_at, FORBIDDEN_MS)) {
		log_debug("pod %s/%s is not known: %s", d->ns, d->name,
			  res->err ? res->err->msg : "no pod was answered");
		return;
	}
	log_warn("cluster %s: pods cannot be looked at one by one; the right "
		 "to get pods is in etc/kubernetes/bridge.yaml: %s",
		 w->opt.cluster, res->err->msg);
}

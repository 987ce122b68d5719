/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "need_checks.h"

#include <stdlib.h>

#include "base/buf.h"
#include "pod_needs.h"

#define METADATA "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"
#define UNSEEN_MAX 512 /* bytes of the names that were not looked at */

/* HTTP's status of its metadata; 0: there was no answer, with words in `a`. */
static int look(struct api_server *api, const struct pod_need *need,
		struct api_answer *a)
{
	const struct kube_ref ref = {.api = KUBE_CORE_V1,
				     .ns = api->k->ns,
				     .resource = need->resource,
				     .name = need->name};
	_cleanup_free_ char *path = kube_path(&ref, NULL);
	struct kube_request req;

	if (!path)
		return err_oom(&a->err), 0;
	req = api_request("GET", path, a);
	req.accept = METADATA;
	api_ask(api, &req, a);
	free(a->body);
	a->body = NULL;
	return a->http;
}

static void is_missing(const struct api_server *api,
		       const struct pod_need *need, struct findings *out)
{
	char fix[512];

	snprintf(fix, sizeof(fix),
		 "make the %s %s in namespace %s, or mend its name in the pod "
		 "template, then: scontrol reconfigure",
		 need->kind, need->name, api->k->ns);
	if (need->to_pull) {
		findings_add(out, FINDING_WARN, need->kind, fix,
			     "nodeset %s: namespace %s has no %s %s "
			     "(imagePullSecrets): an image of a private "
			     "registry cannot be pulled",
			     need->nodeset, api->k->ns, need->kind, need->name);
		return;
	}
	findings_add(
		out, FINDING_WRONG, need->kind, fix,
		"nodeset %s: namespace %s has no %s %s, so its pods do not "
		"start",
		need->nodeset, api->k->ns, need->kind, need->name);
}

void need_checks(struct api_server *api, const struct config *config,
		 struct findings *out)
{
	_cleanup_buf_ struct buf unseen = BUF_INIT(UNSEEN_MAX);
	struct pod_needs needs = {0};
	size_t seen = 0;

	for (size_t i = 0; i < config->n_nodesets; i++)
		if (config->nodesets[i].cluster == api->k)
			pod_needs_add(&needs, config->nodesets[i].template,
				      config->nodesets[i].name);
	for (size_t i = 0; i < needs.n; i++) {
		const struct pod_need *need = &needs.v[i];
		struct api_answer a = {0};
		const int http = look(api, need, &a);

		if (http == 404)
			is_missing(api, need, out);
		else if (http == 403) /* what has no room is left out */
			(void)buf_addf(&unseen, "%s%s %s",
				       unseen.len ? ", " : "", need->kind,
				       need->name);
		else if (a.err.code)
			findings_add(out, FINDING_UNKNOWN, need->kind, NULL,
				     "cluster %s: %s", api->k->name, a.err.msg);
		else
			seen++;
	}
	if (unseen.len)
		findings_add(out, FINDING_SKIPPED, "volumes", NULL,
			     "cluster %s: %s: could not be looked at, for this "
			     "account may not get it",
			     api->k->name, buf_str(&unseen));
	if (seen)
		findings_add(out, FINDING_OK, "volumes", NULL,
			     "cluster %s: %zu of what the templates name is "
			     "there",
			     api->k->name, seen);
}

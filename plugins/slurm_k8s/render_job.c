/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render_job.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/str.h"
#include "nodes/features/constraint.h"
#include "nodes/pod/patch.h"
#include "nodes/pod/pod_annotations.h"
#include "user_name.h"

#define SHOWN 200 /* bytes of a constraint in words */

int render_job_features(const struct config *c, const struct nodeset *set,
			const char *node, const struct ctl_job *job,
			char out[FEATURES_TEXT_MAX], struct err *err)
{
	struct constraint asks;
	struct err why = {0};

	*out = '\0';
	if (!*job->features ||
	    constraint_parse(&c->features, job->features, &asks, &why) ||
	    !constraint_is_ours(&asks))
		return 0;
	if (constraint_choose(c, job->features, node, out))
		return 1;
	return err_set(err, -EINVAL,
		       "nodeset %s does not offer what job %" PRIu32
		       " asks for: %.*s",
		       set->name, job->id, SHOWN, job->features);
}

int render_job_write(const struct config *c, const struct ctl_job *job,
		     struct manifest *m)
{
	_cleanup_json_ json_object *asked =
		pod_metadata_read(&c->jobs, job->admin_comment);
	_cleanup_json_ json_object *patch = NULL;
	char id[16];
	const struct pod_jobs jobs = {
		.busy = true,
		.ids = id,
		.users = user_name(job->user, job->uid),
		.accounts = job->account,
		.rules = &c->jobs,
		.asked = asked,
	};

	snprintf(id, sizeof(id), "%" PRIu32, job->id);
	patch = pod_annotations_patch("", &jobs);
	if (!patch)
		return -ENOMEM;
	/* the pod that runs has one; this one does not run */
	json_object_object_del(jx_get(patch, "metadata"), "uid");
	return patch_apply(m->pod_json, patch);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bridge/intake/pod_reading.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bridge/intake/pod_groups.h"
#include "objects/partial_pod.h"

/* The numbers are those of objects/partial_pod.c and JX_PARTS_MAX. */
#define NOT_WHOLE                                                              \
	"it cannot be read as a whole (more than 2,800 values are in its "     \
	"tolerations, node affinity or annotations for Slurm, or 23,000 in "   \
	"its containers, or its JSON has more than 50,000 objects and lists, " \
	"or is no UTF-8)"

/*
 * Find its group, and the one that it is in besides. Words of refusal are about
 * both.
 */
static int read_groups(const json_object *pod, struct pod_reading *r,
		       struct err *err)
{
	int rc = workload_of(pod, &r->of, err);

	if (rc || !workload_is_built_in(&r->of))
		return rc;
	r->besides = malloc(sizeof(*r->besides));
	return r->besides ? workload_besides(pod, r->besides, err)
			  : err_oom(err);
}

static bool is_marked_as(const struct bridged_pod *p, const struct workload *of)
{
	char key[BRIDGE_KEY_MAX], mark[BRIDGE_KEY_MAX];

	if (!of)
		return false;
	pod_group_key(of, key);
	pod_groups_mark(key, mark);
	return !strcmp(p->group, mark);
}

/*
 * A pod that we have bound is of the group by whose job that was, as its
 * condition says, whatever has become of its labels and owners while no engine
 * ran, just as it stays in its group while one runs. (A Job deleted with
 * --cascade=orphan is no owner of its pods any more.) True: r->of is that group
 * now.
 */
static bool stays_as_marked(const json_object *pod, struct pod_reading *r)
{
	const struct bridged_pod *p = r->pod;

	if (!*p->node || !p->job_id || is_marked_as(p, &r->of) ||
	    is_marked_as(p, r->besides) ||
	    !workload_of_mark(p->group, pod, &r->of))
		return false;
	free(r->besides);
	r->besides = NULL;
	return true;
}

/* `refusal`: why the pod cannot be placed, whatever it asks for; or NULL. */
static int read_pod(const json_object *pod, const char *refusal,
		    struct pod_reading *r)
{
	struct err err = {0};
	int rc;

	r->pod = bridged_pod_of(pod);
	if (!r->pod)
		return -EINVAL;
	rc = read_groups(pod, r, &err);
	if (rc && rc != -ENOMEM) {
		free(r->besides);
		r->besides = NULL;
		rc = workload_alone(pod, &r->of, NULL);
	}
	if (rc)
		return rc;
	if (stays_as_marked(pod, r))
		err.code = 0; /* labels and owners decide nothing */
	if (!refusal && err.code)
		refusal = err.msg;
	r->shape = pod_class_of(pod, refusal);
	return r->shape ? 0 : -ENOMEM;
}

int pod_reading_of(const json_object *pod, struct pod_reading *out)
{
	*out = (struct pod_reading){0};
	return read_pod(pod, NULL, out);
}

int pod_reading_of_part(const struct object_id *id, struct pod_reading *out)
{
	_cleanup_json_ json_object *part = NULL;
	int rc;

	*out = (struct pod_reading){.part = true};
	if (!id->text)
		return -EBADMSG;
	rc = partial_pod_read(id->text, id->text_len, &part, NULL);
	return rc ? rc : read_pod(part, NOT_WHOLE, out);
}

void pod_reading_clear(struct pod_reading *r)
{
	bridged_pod_free(r->pod);
	pod_class_free(r->shape);
	free(r->besides);
	*r = (struct pod_reading){0};
}

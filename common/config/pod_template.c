/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/pod_template.h"

#include <string.h>

#include "base/str.h"
#include "syntax/wellknown.h"

static int check_kind(const struct yaml *y, ynode t, struct err *err)
{
	ynode api = yaml_get(y, t, "apiVersion"), kind = yaml_get(y, t, "kind");
	const char *a = "v1", *k = "Pod";
	int rc = yaml_string(y, api, "apiVersion", &a, err);

	if (!rc)
		rc = yaml_string(y, kind, "kind", &k, err);
	if (!rc && strcmp(a, "v1"))
		rc = yaml_error(y, api, err, "apiVersion must be v1");
	if (!rc && strcmp(k, "Pod"))
		rc = yaml_error(y, kind, err, "kind must be Pod");
	return rc;
}

static int check_own_prefix(const struct yaml *y, ynode meta, const char *what,
			    struct err *err)
{
	ynode map = yaml_get(y, meta, what), k, v;
	int rc = map ? yaml_want_map(y, map, what, err) : 0;

	for (size_t i = 0; !rc && i < yaml_len(map); i++) {
		const char *key = NULL;

		yaml_pair(y, map, i, &k, &v);
		rc = yaml_string(y, k, what, &key, err);
		if (!rc && key && str_starts(key, WK_PREFIX))
			rc = yaml_error(y, k, err,
					"%s under " WK_PREFIX
					" are set by slurm-k8s",
					what);
	}
	return rc;
}

static int check_metadata(const struct yaml *y, ynode m, struct err *err)
{
	static const char *const keys[] = {
		"labels", "annotations", "finalizers", "ownerReferences", NULL};
	int rc;

	if (!m)
		return 0;
	rc = yaml_only_keys(y, m, "the template's metadata", keys, err);
	if (!rc)
		rc = check_own_prefix(y, m, "labels", err);
	return rc ? rc : check_own_prefix(y, m, "annotations", err);
}

static int check_containers(const struct yaml *y, ynode spec,
			    const char *container, struct err *err)
{
	ynode seq = yaml_get(y, spec, "containers");
	int rc = seq ? yaml_want_seq(y, seq, "containers", err)
		     : yaml_error(y, spec, err, "containers is missing");

	if (rc)
		return rc;
	for (size_t i = 0; i < yaml_len(seq); i++) {
		ynode e = yaml_at(y, seq, i);
		const char *name = NULL;

		rc = yaml_want_map(y, e, "a container", err);
		if (!rc)
			rc = yaml_string(y, yaml_get(y, e, "name"), "name",
					 &name, err);
		if (rc)
			return rc;
		if (str_eq(name, container))
			return 0;
	}
	return yaml_error(y, seq, err,
			  "there is no container '%s', which is to run slurmd",
			  container);
}

int template_check(const struct yaml *y, ynode t, const char *container,
		   struct err *err)
{
	static const char *const keys[] = {"apiVersion", "kind", "metadata",
					   "spec", NULL};
	int rc = yaml_only_keys(y, t, "a pod template", keys, err);
	ynode spec;

	if (!rc)
		rc = check_kind(y, t, err);
	if (!rc)
		rc = check_metadata(y, yaml_get(y, t, "metadata"), err);
	if (rc)
		return rc;
	spec = yaml_get(y, t, "spec");
	if (!spec)
		return yaml_error(y, t, err, "spec is missing");
	rc = yaml_want_map(y, spec, "spec", err);
	return rc ? rc : check_containers(y, spec, container, err);
}

int template_check_patch(const struct yaml *y, ynode patch, struct err *err)
{
	static const char *const keys[] = {"metadata", "spec", NULL};
	int rc = yaml_only_keys(y, patch, "a patch", keys, err);
	ynode spec = yaml_get(y, patch, "spec");

	if (!rc)
		rc = check_metadata(y, yaml_get(y, patch, "metadata"), err);
	return rc || !spec ? rc : yaml_want_map(y, spec, "spec", err);
}

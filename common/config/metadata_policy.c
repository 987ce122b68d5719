/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/metadata_policy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "syntax/label_key.h"
#include "syntax/wellknown.h"

#define ANNOTATIONS "annotations"
#define LABELS "labels"

bool pod_metadata_allows(const struct pod_metadata_keys *k, const char *key,
			 size_t len)
{
	for (size_t i = 0; i < k->n; i++)
		if (k->v[i] && strlen(k->v[i]) == len &&
		    !memcmp(k->v[i], key, len))
			return true;
	return false;
}

/*
 * Keys that are not a job's to set: our own, and those that autoscalers go by,
 * which say whether jobs run there.
 */
static bool is_ours(const char *key)
{
	return str_starts(key, WK_PREFIX) ||
	       str_starts(key, "app.kubernetes.io/") ||
	       !strcmp(key, WK_SCALE_SAFE) || !strcmp(key, WK_SCALE_KEEP);
}

static int check_key(const struct yaml *y, ynode at, const char *key,
		     const struct pod_metadata_keys *before, struct err *err)
{
	if (!label_key_is(key, strlen(key)))
		return yaml_error(y, at, err,
				  "'%s' is no key of a label or an annotation",
				  key);
	if (is_ours(key))
		return yaml_error(y, at, err,
				  "'%s' is ours: jobs may not set it", key);
	if (pod_metadata_allows(before, key, strlen(key)))
		return yaml_error(y, at, err, "'%s' is there twice", key);
	return 0;
}

static int read_keys(const struct yaml *y, ynode map, const char *name,
		     struct pod_metadata_keys *out, struct err *err)
{
	ynode seq = yaml_get(y, map, name), at;
	const char *key;
	size_t n;
	int rc;

	if (!seq)
		return 0;
	rc = yaml_want_seq(y, seq, name, err);
	if (rc)
		return rc;
	n = yaml_len(seq);
	if (n > POD_METADATA_KEYS_MAX)
		return yaml_error(y, seq, err,
				  "%s must have at most %d entries", name,
				  POD_METADATA_KEYS_MAX);
	out->v = calloc(n + 1, sizeof(*out->v));
	if (!out->v)
		return err_oom(err);
	for (size_t i = 0; i < n; i++) {
		at = yaml_at(y, seq, i);
		key = NULL;
		rc = yaml_string(y, at, "a key", &key, err);
		if (!rc && !key)
			return yaml_error(y, at, err, "a key is missing");
		if (!rc)
			rc = check_key(y, at, key, out, err);
		if (rc)
			return rc;
		out->v[i] = strdup(key);
		if (!out->v[i])
			return err_oom(err);
		out->n = i + 1;
	}
	return 0;
}

int pod_metadata_rules_read(const struct yaml *y, ynode map,
			    struct pod_metadata_rules *out, struct err *err)
{
	static const char *const keys[] = {"annotations", "labels", NULL};
	int rc;

	if (!map)
		return 0;
	rc = yaml_only_keys(y, map, "jobs", keys, err);
	if (!rc)
		rc = read_keys(y, map, ANNOTATIONS, &out->annotations, err);
	return rc ? rc : read_keys(y, map, LABELS, &out->labels, err);
}

static void keys_clear(struct pod_metadata_keys *k)
{
	for (size_t i = 0; i < k->n; i++)
		free(k->v[i]);
	free(k->v);
	*k = (struct pod_metadata_keys){0};
}

void pod_metadata_rules_clear(struct pod_metadata_rules *r)
{
	keys_clear(&r->annotations);
	keys_clear(&r->labels);
}

static const char *clash(const struct pod_metadata_keys *k,
			 const json_object *map)
{
	for (size_t i = 0; i < k->n; i++)
		if (jx_get(map, k->v[i]))
			return k->v[i];
	return NULL;
}

const char *pod_metadata_rules_clash(const struct pod_metadata_rules *r,
				     const json_object *pod)
{
	const json_object *meta = jx_get(pod, "metadata");
	const char *key = clash(&r->annotations, jx_get(meta, ANNOTATIONS));

	return key ? key : clash(&r->labels, jx_get(meta, LABELS));
}

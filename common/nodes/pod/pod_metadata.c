/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nodes/pod/pod_metadata.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/str.h"
#include "syntax/label_key.h"
#include "syntax/wellknown.h"

#define ANNOTATIONS "annotations"
#define LABELS "labels"

/* --- items */

static void name_keys(const struct pod_metadata_keys *k, struct buf *b)
{
	for (size_t i = 0; i < k->n; i++)
		buf_addf(b, "%s%s", b->len ? ", " : "", k->v[i]);
}

static int refuse_key(const struct pod_metadata_keys *k, const char *kind,
		      const char *key, size_t len, struct err *err)
{
	_cleanup_buf_ struct buf b = BUF_INIT(400);

	name_keys(k, &b);
	return err_set(err, -EACCES,
		       "--k8s-%s: jobs may not set %.*s; k8s.yaml allows %s",
		       kind, (int)len, key, b.len ? buf_str(&b) : "none");
}

static int take(const struct pod_metadata_keys *k, const char *kind,
		const char *item, json_object *into, struct err *err)
{
	const char *words = label_key_wrong(item, !strcmp(kind, WK_ASK_LABEL));
	char key[PODKEY_KEY_MAX + 1];
	size_t len;

	if (words)
		return err_set(err, -EINVAL, "--k8s-%s=%.300s %s", kind, item,
			       words);
	len = strcspn(item, "=");
	if (!pod_metadata_allows(k, item, len))
		return refuse_key(k, kind, item, len, err);
	memcpy(key, item, len);
	key[len] = '\0';
	return jx_set_str(into, key, item + len + 1) ? err_oom(err) : 0;
}

static int take_all(const struct pod_metadata_rules *r,
		    const char *const items[], size_t n, json_object *ask,
		    struct err *err)
{
	json_object *notes = jx_need(ask, ANNOTATIONS, json_type_object);
	json_object *labels = jx_need(ask, LABELS, json_type_object);
	const char *item;
	int rc = notes && labels ? 0 : err_oom(err);

	for (size_t i = 0; !rc && i < n; i++) {
		item = label_key_behind(items[i], WK_ASK_ANNOTATION);
		if (item)
			rc = take(&r->annotations, WK_ASK_ANNOTATION, item,
				  notes, err);
		item = label_key_behind(items[i], WK_ASK_LABEL);
		if (!rc && item)
			rc = take(&r->labels, WK_ASK_LABEL, item, labels, err);
	}
	return rc;
}

/* --- the carrier */

/* How much of an AdminComment is before what is ours. */
static size_t head_len(const char *comment)
{
	const char *at = comment ? strstr(comment, WK_ASK_CARRIER) : NULL;

	return at ? (size_t)(at - comment) : comment ? strlen(comment) : 0;
}

static bool is_nothing(const json_object *ask)
{
	return !json_object_object_length(jx_get(ask, ANNOTATIONS)) &&
	       !json_object_object_length(jx_get(ask, LABELS));
}

int pod_metadata_carry(const struct pod_metadata_rules *r,
		       const char *const items[], size_t n, const char *comment,
		       char out[POD_METADATA_CARRIER_MAX], struct err *err)
{
	_cleanup_json_ json_object *ask = json_object_new_object();
	size_t head = head_len(comment);
	const char *text;
	int rc, len;

	if (!ask)
		return err_oom(err);
	rc = take_all(r, items, n, ask, err);
	if (rc || is_nothing(ask))
		return rc;
	text = json_object_to_json_string_ext(
		ask, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);
	if (!text)
		return err_oom(err);
	while (head && comment[head - 1] == ' ')
		head--;
	len = snprintf(out, POD_METADATA_CARRIER_MAX,
		       "%.*s%s" WK_ASK_CARRIER "%s", (int)head,
		       comment ? comment : "", head ? " " : "", text);
	if (len < 0 || len >= POD_METADATA_CARRIER_MAX)
		return err_set(err, -EMSGSIZE,
			       "--k8s-annotation, --k8s-label: too much: more "
			       "than %d bytes in all",
			       POD_METADATA_CARRIER_MAX);
	return 1;
}

/*
 * Copy the items of `from` that are allowed, as strings, in the rules' order.
 */
static int copy_allowed(const struct pod_metadata_keys *k, const char *kind,
			const json_object *from, json_object *to)
{
	const bool label = !strcmp(kind, WK_ASK_LABEL);

	for (size_t i = 0; i < k->n; i++) {
		const char *value = jx_str(from, k->v[i]);
		_cleanup_free_ char *item =
			value ? str_printf("%s=%s", k->v[i], value) : NULL;

		if (!item || label_key_wrong(item, label))
			continue;
		if (jx_set_str(to, k->v[i], value))
			return -ENOMEM;
	}
	return 0;
}

json_object *pod_metadata_read(const struct pod_metadata_rules *r,
			       const char *comment)
{
	_cleanup_json_ json_object *seen = NULL;
	_cleanup_json_ json_object *ask = NULL;
	const char *at = comment ? strstr(comment, WK_ASK_CARRIER) : NULL;
	json_object *notes, *labels;

	if (!at || (!r->annotations.n && !r->labels.n))
		return NULL;
	at += strlen(WK_ASK_CARRIER);
	if (strlen(at) >= POD_METADATA_CARRIER_MAX ||
	    jx_parse(at, strlen(at), &seen, NULL))
		return NULL;
	ask = json_object_new_object();
	notes = ask ? jx_need(ask, ANNOTATIONS, json_type_object) : NULL;
	labels = notes ? jx_need(ask, LABELS, json_type_object) : NULL;
	if (!labels ||
	    copy_allowed(&r->annotations, WK_ASK_ANNOTATION,
			 jx_get(seen, ANNOTATIONS), notes) ||
	    copy_allowed(&r->labels, WK_ASK_LABEL, jx_get(seen, LABELS),
			 labels) ||
	    is_nothing(ask))
		return NULL;
	return steal_ptr(ask);
}

static int merge(json_object *into, const json_object *more, const char *map)
{
	json_object *to = jx_need(into, map, json_type_object);
	json_object *from = jx_get(more, map);

	if (!to)
		return -ENOMEM;
	if (!from)
		return 0;
	json_object_object_foreach(from, key, value)
	{
		if (!jx_get(to, key) &&
		    jx_set_str(to, key, json_object_get_string(value)))
			return -ENOMEM;
	}
	return 0;
}

int pod_metadata_merge(json_object *into, const json_object *more)
{
	int rc = merge(into, more, ANNOTATIONS);

	return rc ? rc : merge(into, more, LABELS);
}

uint32_t pod_metadata_sum(const json_object *ask)
{
	uint32_t sum =
		ask ? str_sum(json_object_to_json_string_ext(
			      (json_object *)ask, JSON_C_TO_STRING_PLAIN))
		    : 0;

	/* UINT32_MAX is left for one that cannot be read. */
	return sum == UINT32_MAX ? 1 : sum;
}

/* --- features */

/*
 * True if the constraint is only names that must all be there, so that a
 * feature can be added.
 */
static bool is_plain(const char *constraint)
{
	return !constraint[strcspn(constraint, "|[]()*!")];
}

static bool names(const char *constraint, const char *feature)
{
	size_t len = strlen(feature), part;

	for (; *constraint; constraint += part + (constraint[part] != '\0')) {
		part = strcspn(constraint, "&,");
		if (part == len && !memcmp(constraint, feature, len))
			return true;
	}
	return false;
}

/* Slurm lets a constraint end with an operator. */
static bool needs_and(const char *constraint)
{
	const size_t len = strlen(constraint);

	return len && !strchr("&,", constraint[len - 1]);
}

static int refuse_feature(const struct features *known, const char *feature,
			  struct err *err)
{
	_cleanup_buf_ struct buf b = BUF_INIT(400);

	for (size_t i = 0; i < known->n; i++)
		buf_addf(&b, "%s%s", b.len ? ", " : "", known->v[i].name);
	return err_set(err, -EINVAL,
		       "--k8s-feature: there is no %.64s; k8s.yaml has %s",
		       feature, b.len ? buf_str(&b) : "none");
}

int pod_metadata_constrain(const struct features *known,
			   const char *const items[], size_t n,
			   const char *constraint, char out[FEATURES_TEXT_MAX],
			   struct err *err)
{
	_cleanup_buf_ struct buf b = BUF_INIT(FEATURES_TEXT_MAX - 1);
	const char *name;
	int any = 0;

	/* No feature can be added to so long a constraint. */
	if (constraint && *constraint && buf_addf(&b, "%s", constraint))
		constraint = "|";
	for (size_t i = 0; i < n; i++) {
		name = label_key_behind(items[i], WK_ASK_FEATURE);
		if (!name)
			continue;
		if (features_find(known, name, strlen(name)) < 0)
			return refuse_feature(known, name, err);
		if (constraint && !is_plain(constraint))
			return err_set(err, -EINVAL,
				       "--k8s-feature cannot be added to this "
				       "--constraint: name %s there",
				       name);
		any = 1;
		if (!names(buf_str(&b), name) &&
		    buf_addf(&b, "%s%s", needs_and(buf_str(&b)) ? "&" : "",
			     name))
			return err_set(err, -EMSGSIZE,
				       "--k8s-feature: too many");
	}
	if (any)
		str_copy(out, buf_str(&b), FEATURES_TEXT_MAX);
	return any;
}

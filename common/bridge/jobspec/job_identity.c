/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bridge/jobspec/job_identity.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "syntax/names.h"
#include "json/json.h"

#define HEX "0123456789abcdef"

/* The one way to write it; NULL: out of memory. */
static json_object *write_id(const struct job_identity *id)
{
	_cleanup_json_ json_object *top = json_object_new_object();
	json_object *o = jx_need(top, "k8s", json_type_object);

	if (!o || jx_set_str(o, "cluster", id->cluster) ||
	    (*id->scheduler && jx_set_str(o, "scheduler", id->scheduler)) ||
	    workload_write(&id->of, o) ||
	    jx_set(o, "pods", json_object_new_int64(id->pods)) ||
	    (*id->options_digest &&
	     jx_set_str(o, "wish", id->options_digest)) ||
	    (id->nodes &&
	     jx_set(o, "nodes", json_object_new_int64(id->nodes))) ||
	    (id->cpus && jx_set(o, "cpus", json_object_new_int64(id->cpus))) ||
	    (id->again && jx_set(o, "again", json_object_new_boolean(true))))
		return NULL;
	return steal_ptr(top);
}

static const char *text_of(json_object *o)
{
	return json_object_to_json_string_ext(
		o, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);
}

/* A text of 1 to size - 1 bytes, clean. */
static bool take(const json_object *o, const char *key, char *dst, size_t size)
{
	const char *text = jx_str(o, key);

	if (!text || !*text || strlen(text) >= size)
		return false;
	str_copy(dst, text, size);
	str_sanitize(dst);
	return !strcmp(dst, text);
}
#define TAKE(o, key, field) take(o, key, field, sizeof(field))

/* 0: none, or out of bounds (then it is not what we write) */
static uint32_t count_of(const json_object *o, const char *key)
{
	const int64_t n = jx_int(jx_get(o, key), 0);

	return n > 0 && n <= BRIDGE_ID_PODS_MAX ? (uint32_t)n : 0;
}

static bool is_true(const json_object *o)
{
	return jx_is(o, json_type_boolean) && json_object_get_boolean(o);
}

static bool read_id(const json_object *o, struct job_identity *id)
{
	int64_t pods = jx_int(jx_get(o, "pods"), 0);

	if (!workload_read(o, &id->of) || !TAKE(o, "cluster", id->cluster) ||
	    pods < 1 || pods > BRIDGE_ID_PODS_MAX)
		return false;
	if (jx_get(o, "scheduler") && (!TAKE(o, "scheduler", id->scheduler) ||
				       !name_is_subdomain(id->scheduler)))
		return false;
	if (jx_get(o, "wish") && !TAKE(o, "wish", id->options_digest))
		return false;
	id->pods = (uint32_t)pods;
	id->nodes = count_of(o, "nodes");
	id->cpus = count_of(o, "cpus");
	id->again = is_true(jx_get(o, "again"));
	return !*id->options_digest ||
	       (strlen(id->options_digest) == JOB_OPTIONS_DIGEST_MAX - 1 &&
		strspn(id->options_digest, HEX) == strlen(id->options_digest));
}

bool job_identity_parse(const char *text, struct job_identity *out)
{
	_cleanup_json_ json_object *top = NULL, *again = NULL;

	*out = (struct job_identity){0};
	if (!text || strnlen(text, BRIDGE_ID_MAX) >= BRIDGE_ID_MAX ||
	    jx_parse(text, strlen(text), &top, NULL) ||
	    !read_id(jx_get(top, "k8s"), out))
		return false;
	again = write_id(out);
	return again && !strcmp(text_of(again), text);
}

int job_identity_make(const struct job_identity *id, char out[BRIDGE_ID_MAX],
		      struct err *err)
{
	_cleanup_json_ json_object *top = write_id(id);
	const char *text = top ? text_of(top) : NULL;
	struct job_identity again;

	if (!text)
		return err_oom(err);
	/* A text that could not be read back is not written. */
	if (!job_identity_parse(text, &again))
		return err_set(err, -EINVAL, "%s %s/%s cannot be told in a job",
			       workload_api(id->of.kind)->kind, id->of.ns,
			       id->of.name);
	str_copy(out, text, BRIDGE_ID_MAX);
	return 0;
}

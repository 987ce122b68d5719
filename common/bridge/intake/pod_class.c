/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bridge/intake/pod_class.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/digest.h"
#include "base/str.h"
#include "bridge/intake/unsupported.h"
#include "syntax/wellknown.h"

#define KEY_MAX (128 * 1024)

/* What has been read so far. */
struct reading {
	struct pod_requests need;
	struct node_filter want;
	bool ports;
	int64_t deadline_s; /* 0: none */
	char *notes;
	struct err err; /* why the pod cannot be placed; code 0: it can */
};

bool pod_class_asks(const char *key)
{
	return str_starts(key, WK_ASK) || str_starts(key, WK_ASK_SLINKY);
}

/*
 * Read the annotations that are for us into *out, as JSON; without any it stays
 * as it is. 0, -E2BIG or -ENOMEM.
 */
static int read_notes(const json_object *pod, char **out, struct err *err)
{
	json_object *notes = jx_get(pod, "metadata", "annotations");
	_cleanup_json_ json_object *ours = json_object_new_object();
	const char *text;

	if (!ours)
		return err_oom(err);
	if (!jx_is(notes, json_type_object))
		return 0;
	json_object_object_foreach(notes, key, val)
	{
		if (pod_class_asks(key) && jx_is(val, json_type_string) &&
		    jx_set_str(ours, key, json_object_get_string(val)))
			return err_oom(err);
	}
	if (!json_object_object_length(ours))
		return 0;
	text = json_object_to_json_string_ext(ours, JSON_C_TO_STRING_PLAIN);
	if (!text)
		return err_oom(err);
	if (strlen(text) > BRIDGE_NOTES_MAX)
		return err_set(err, -E2BIG,
			       "its annotations have more than %d bytes",
			       BRIDGE_NOTES_MAX);
	*out = strdup(text);
	return *out ? 0 : err_oom(err);
}

/* The pod's activeDeadlineSeconds; 0: it has none (API: from 1 to 2^31 - 1). */
static int64_t read_deadline(const json_object *pod)
{
	const int64_t s =
		jx_int(jx_get(pod, "spec", "activeDeadlineSeconds"), 0);

	return s > 0 && s <= INT32_MAX ? s : 0;
}

/* Where words are to be put: only the first of several reasons is kept. */
static struct err *words_of(struct reading *r)
{
	return r->err.code ? NULL : &r->err;
}

/*
 * 0: the class may have words of why its pods cannot be placed; -ENOMEM. The
 * pod is read even with such words: a user who may change its labels and
 * annotations can have it refused when it runs, and what it has of its node and
 * its job would count as nothing.
 */
static int read_pod(const json_object *pod, const char *words,
		    struct reading *r)
{
	int rc;

	if (words)
		err_set(&r->err, -EINVAL, "%s", words);
	bridged_pod_unsupported(pod, words_of(r));
	if (pod_requests_of(pod, &r->need, words_of(r)))
		pod_requests_roughly(pod, &r->need);
	r->ports = pod_requests_ports(pod);
	r->deadline_s = read_deadline(pod);
	rc = node_filter_of(pod, &r->want, words_of(r));
	if (rc != -ENOMEM)
		rc = read_notes(pod, &r->notes, words_of(r));
	return rc == -ENOMEM ? rc : 0;
}

/* The text is a row of C strings: each NUL is written as another byte. */
static int write_want(struct buf *b, const struct node_filter *want)
{
	int bad = buf_addf(b, "\n%u ", want->len);

	for (uint32_t i = 0; i < want->len; i++) {
		const char c = want->text[i] ? want->text[i] : '\1';

		bad |= buf_add(b, &c, 1);
	}
	return bad;
}

/* All that tells shapes apart, as text. */
static int write_key(struct buf *b, const struct reading *r)
{
	int bad = buf_addf(b, "%d %" PRId64 " %" PRId64 " %" PRId64, r->ports,
			   r->deadline_s, r->need.cpu_milli,
			   r->need.memory_bytes);

	for (uint32_t i = 0; i < r->need.n_ext; i++)
		bad |= buf_addf(b, " %s=%" PRId64, r->need.ext[i].name,
				r->need.ext[i].count);
	bad |= write_want(b, &r->want);
	bad |= buf_addf(b, "\n%s\n%s", r->notes ? r->notes : "",
			r->err.code ? r->err.msg : "");
	return bad;
}

static struct pod_class *make(struct reading *r)
{
	_cleanup_buf_ struct buf text = BUF_INIT(KEY_MAX);
	struct pod_class *s;

	if (write_key(&text, r))
		return NULL;
	s = calloc(1, sizeof(*s));
	if (!s)
		return NULL;
	*s = (struct pod_class){.need = r->need,
				.want = r->want,
				.ports = r->ports,
				.deadline_s = r->deadline_s,
				.notes = r->notes};
	if (sha256_hex(text.data, text.len, s->key)) {
		free(s);
		return NULL;
	}
	s->refusal = r->err.code ? strdup(r->err.msg) : NULL;
	if (r->err.code && !s->refusal) {
		free(s);
		return NULL;
	}
	return s;
}

struct pod_class *pod_class_of(const json_object *pod, const char *words)
{
	struct reading r = {0};
	struct pod_class *s = NULL;

	if (!read_pod(pod, words, &r))
		s = make(&r);
	if (!s) {
		node_filter_clear(&r.want);
		free(r.notes);
	}
	return s;
}

void pod_class_free(struct pod_class *s)
{
	if (!s)
		return;
	node_filter_clear(&s->want);
	free(s->notes);
	free(s->refusal);
	free(s);
}

struct pod_class *pod_class_intern(struct pod_class **set, struct pod_class *s)
{
	struct pod_class *there = NULL;

	HASH_FIND_STR(*set, s->key, there);
	if (there) {
		pod_class_free(s);
		there->refs++;
		return there;
	}
	s->refs = 1;
	HASH_ADD_KEYPTR(hh, *set, s->key, strlen(s->key), s);
	if (!s->failed)
		return s;
	pod_class_free(s);
	return NULL;
}

/* Only these change when a pod is resized. */
static bool same_need(const struct pod_requests *a,
		      const struct pod_requests *b)
{
	return a->cpu_milli == b->cpu_milli &&
	       a->memory_bytes == b->memory_bytes;
}

struct pod_class *pod_class_keep(struct pod_class **set,
				 struct pod_class *there, struct pod_class *s)
{
	if (!same_need(&there->need, &s->need))
		return pod_class_intern(set, s);
	pod_class_free(s);
	there->refs++;
	return there;
}

void pod_class_release(struct pod_class **set, struct pod_class *s)
{
	if (--s->refs)
		return;
	HASH_DELETE(hh, *set, s);
	pod_class_free(s);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "objects/node_filter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/digest.h"
#include "base/str.h"
#include "syntax/wellknown.h"

#define KUBE_KEYS "node.kubernetes.io/"
#define CLOUD_KEYS "node.cloudprovider.kubernetes.io/"
#define SHOWN 100 /* letters of a foreign text */

/*
 * A want's text is a row of C strings. A rule is one letter and a key, then
 * its values, each behind a '='.
 */
enum rule_kind {
	R_HOST = 'h',	  /* nodeName: the key is the name */
	R_SELECTOR = 's', /* the label has the value */
	R_AFFINITY = 'a', /* begin of the terms */
	R_TERM = 't',
	/* rules of a term, about a label */
	R_IN = 'i',
	R_NOT_IN = 'n',
	R_EXISTS = 'e',
	R_ABSENT = 'd',
	R_GREATER = 'g',
	R_LESS = 'l',
	/* rules of a term, about the node's name */
	R_NAME_IN = 'I',
	R_NAME_NOT_IN = 'N',
	R_TOLERATION = 'o', /* values: operator, value, effect */
};

struct rule {
	enum rule_kind kind;
	const char *key;
	const char *values, *end; /* strings that begin with '=' */
};

/* --- reading a pod */

struct writer {
	struct buf b;
	size_t rules;
	struct err *err;
};

static int put(struct writer *w, char letter, const char *text)
{
	char first = letter;
	int rc = buf_add(&w->b, &first, 1);

	if (!rc)
		rc = buf_add(&w->b, text, strlen(text) + 1);
	if (rc == -EMSGSIZE)
		return err_set(w->err, -E2BIG,
			       "it says more than %d bytes of its node",
			       WANT_TEXT_MAX);
	return rc ? err_oom(w->err) : 0;
}

static int put_rule(struct writer *w, enum rule_kind kind, const char *key)
{
	if (w->rules++ == WANT_RULES_MAX)
		return err_set(w->err, -E2BIG,
			       "it has more than %d rules about its node",
			       WANT_RULES_MAX);
	return put(w, (char)kind, key);
}

static const char *text_or(const char *text, const char *otherwise)
{
	return text ? text : otherwise;
}

static int wrong(struct writer *w, const char *what, const char *text)
{
	return err_set(w->err, -EINVAL, "%s '%.*s' is not known", what, SHOWN,
		       text);
}

static size_t length(const json_object *seq)
{
	return jx_is(seq, json_type_array) ? json_object_array_length(seq) : 0;
}

static int read_selector(struct writer *w, const json_object *map)
{
	int rc = 0;

	if (!jx_is(map, json_type_object))
		return 0;
	json_object_object_foreach((json_object *)map, key, value)
	{
		if (rc)
			continue;
		if (!jx_is(value, json_type_string))
			rc = wrong(w, "nodeSelector", key);
		if (!rc)
			rc = put_rule(w, R_SELECTOR, key);
		if (!rc)
			rc = put(w, '=', json_object_get_string(value));
	}
	return rc;
}

static enum rule_kind kind_of(const char *op)
{
	static const struct {
		const char *name;
		enum rule_kind kind;
	} known[] = {
		{"In", R_IN},	      {"NotIn", R_NOT_IN},
		{"Exists", R_EXISTS}, {"DoesNotExist", R_ABSENT},
		{"Gt", R_GREATER},    {"Lt", R_LESS},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (str_eq(op, known[i].name))
			return known[i].kind;
	return R_TERM;
}

static int read_values(struct writer *w, const json_object *seq)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < length(seq); i++) {
		json_object *v = json_object_array_get_idx(seq, i);

		rc = jx_is(v, json_type_string)
			     ? put(w, '=', json_object_get_string(v))
			     : wrong(w, "a value of", "nodeAffinity");
	}
	return rc;
}

static int read_expression(struct writer *w, const json_object *e, bool field)
{
	const char *key = text_or(jx_str(e, "key"), "");
	const char *op = text_or(jx_str(e, "operator"), "");
	enum rule_kind kind = kind_of(op);
	int rc;

	if (field) {
		if (strcmp(key, "metadata.name"))
			return wrong(w, "nodeAffinity: field", key);
		kind = kind == R_IN	  ? R_NAME_IN
		       : kind == R_NOT_IN ? R_NAME_NOT_IN
					  : R_TERM;
	}
	if (kind == R_TERM)
		return wrong(w, "nodeAffinity: operator", op);
	rc = put_rule(w, kind, key);
	return rc ? rc : read_values(w, jx_get(e, "values"));
}

static int read_term(struct writer *w, const json_object *term)
{
	json_object *labels = jx_get(term, "matchExpressions");
	json_object *fields = jx_get(term, "matchFields");
	int rc = put_rule(w, R_TERM, "");

	for (size_t i = 0; !rc && i < length(labels); i++)
		rc = read_expression(w, json_object_array_get_idx(labels, i),
				     false);
	for (size_t i = 0; !rc && i < length(fields); i++)
		rc = read_expression(w, json_object_array_get_idx(fields, i),
				     true);
	return rc;
}

static int read_affinity(struct writer *w, const json_object *required)
{
	json_object *terms = jx_get(required, "nodeSelectorTerms");
	int rc;

	if (!jx_is(required, json_type_object))
		return 0;
	rc = put_rule(w, R_AFFINITY, "");
	for (size_t i = 0; !rc && i < length(terms); i++)
		rc = read_term(w, json_object_array_get_idx(terms, i));
	return rc;
}

static int read_toleration(struct writer *w, const json_object *t)
{
	const char *key = text_or(jx_str(t, "key"), "");
	const char *effect = text_or(jx_str(t, "effect"), "");
	int rc;

	if (str_starts(key, KUBE_KEYS) || str_starts(key, CLOUD_KEYS) ||
	    !strcmp(effect, "PreferNoSchedule"))
		return 0;
	rc = put_rule(w, R_TOLERATION, key);
	if (!rc)
		rc = put(w, '=', text_or(jx_str(t, "operator"), "Equal"));
	if (!rc)
		rc = put(w, '=', text_or(jx_str(t, "value"), ""));
	return rc ? rc : put(w, '=', effect);
}

static int read_pod(struct writer *w, const json_object *spec)
{
	const char *host = jx_str(spec, "nodeName");
	json_object *seq = jx_get(spec, "tolerations");
	int rc = host && *host ? put_rule(w, R_HOST, host) : 0;

	if (!rc)
		rc = read_selector(w, jx_get(spec, "nodeSelector"));
	if (!rc)
		rc = read_affinity(
			w, jx_get(spec, "affinity", "nodeAffinity",
				  "requiredDuringSchedulingIgnoredDuring"
				  "Execution"));
	for (size_t i = 0; !rc && i < length(seq); i++)
		rc = read_toleration(w, json_object_array_get_idx(seq, i));
	return rc;
}

int node_filter_of(const json_object *pod, struct node_filter *out,
		   struct err *err)
{
	struct writer w = {.b = BUF_INIT(WANT_TEXT_MAX), .err = err};
	int rc = read_pod(&w, jx_get(pod, "spec"));

	*out = (struct node_filter){0};
	if (!rc && w.b.len) {
		out->text = malloc(w.b.len); /* a buf may have spare room */
		rc = out->text ? 0 : err_oom(err);
	}
	if (!rc && w.b.len) {
		memcpy(out->text, w.b.data, w.b.len);
		out->len = (uint32_t)w.b.len;
		out->hash = str_hash(STR_HASH, out->text, out->len);
		if (sha256_hex(out->text, out->len, out->sha)) {
			node_filter_clear(out);
			rc = err_oom(err);
		}
	}
	buf_free(&w.b);
	return rc;
}

void node_filter_clear(struct node_filter *w)
{
	free(w->text);
	*w = (struct node_filter){0};
}

/* --- fitting */

/* The rule at *at, which is moved behind it; false: there is no more. */
static bool next_rule(const char **at, const char *end, struct rule *r)
{
	const char *p = *at;

	if (p >= end)
		return false;
	r->kind = (enum rule_kind) * p;
	r->key = p + 1;
	p += strlen(p) + 1;
	r->values = p;
	while (p < end && *p == '=')
		p += strlen(p) + 1;
	r->end = *at = p;
	return true;
}

static bool has_value(const struct rule *r, const char *value)
{
	for (const char *p = r->values; p < r->end; p += strlen(p) + 1)
		if (!strcmp(p + 1, value))
			return true;
	return false;
}

/* Read a number as Go's ParseInt(text, 10, 64) does. */
static bool whole_number(const char *text, long long *n)
{
	char *end;

	if (!*text ||
	    strspn(text + (*text == '-' || *text == '+'), "0123456789") !=
		    strlen(text + (*text == '-' || *text == '+')))
		return false;
	errno = 0;
	*n = strtoll(text, &end, 10);
	return !errno && !*end && end != text;
}

static bool compares(const struct rule *r, const char *value)
{
	long long have, bound;

	if (!value || r->values == r->end ||
	    r->values + strlen(r->values) + 1 != r->end ||
	    !whole_number(value, &have) || !whole_number(r->values + 1, &bound))
		return false;
	return r->kind == R_GREATER ? have > bound : have < bound;
}

static bool rule_holds(const struct rule *r, const struct kube_node *host)
{
	const char *value = kube_node_label(host, r->key);

	switch (r->kind) {
	case R_SELECTOR:
	case R_IN:
		return value && has_value(r, value);
	case R_NOT_IN:
		return !value || !has_value(r, value);
	case R_EXISTS:
		return value != NULL;
	case R_ABSENT:
		return value == NULL;
	case R_GREATER:
	case R_LESS:
		return compares(r, value);
	case R_NAME_IN:
		return has_value(r, host->name);
	case R_NAME_NOT_IN:
		return !has_value(r, host->name);
	case R_HOST:
		return !strcmp(r->key, host->name);
	case R_AFFINITY:
	case R_TERM:
	case R_TOLERATION:
		break;
	}
	return true;
}

static bool no(struct err *why, const struct kube_node *host, const char *what,
	       const char *key, const char *value)
{
	err_set(why, -EHOSTUNREACH, "Kubernetes node %s: %s%.*s%s%.*s",
		host->name, what, SHOWN, key, value ? "=" : "", SHOWN,
		value ? value : "");
	return false;
}

static bool selector_fits(const struct node_filter *w,
			  const struct kube_node *host, struct err *why)
{
	const char *at = w->text, *end = at + w->len;
	struct rule r;

	while (next_rule(&at, end, &r)) {
		if (r.kind == R_HOST && !rule_holds(&r, host))
			return no(why, host, "nodeName is ", r.key, NULL);
		if (r.kind == R_SELECTOR && !rule_holds(&r, host))
			return no(why, host, "it has no label ", r.key,
				  r.values + 1);
	}
	return true;
}

/* One term suffices, if all its rules hold; one without rules does not. */
static bool affinity_fits(const struct node_filter *w,
			  const struct kube_node *host, struct err *why)
{
	const char *at = w->text, *end = at + w->len;
	bool asked = false, term = false, holds = false;
	size_t rules = 0;
	struct rule r;

	while (next_rule(&at, end, &r)) {
		if (r.kind == R_TERM || r.kind == R_TOLERATION) {
			if (term && rules && holds)
				return true;
			term = r.kind == R_TERM;
			holds = true;
			rules = 0;
		} else if (r.kind == R_AFFINITY) {
			asked = true;
		} else if (term) {
			rules++;
			holds = holds && rule_holds(&r, host);
		}
	}
	if (!asked || (term && rules && holds))
		return true;
	return no(why, host, "no term of the node affinity fits", "", NULL);
}

static bool tolerates(const struct rule *r, const struct kube_taint *t)
{
	const char *op = r->values + 1;
	const char *value = op + strlen(op) + 2;
	const char *effect = value + strlen(value) + 2;

	if ((*effect && strcmp(effect, t->effect)) ||
	    (*r->key && strcmp(r->key, t->key)))
		return false;
	/*
	 * Kubernetes 1.35 has other operators, which we do not promise to know.
	 */
	if (!strcmp(op, "Exists"))
		return true;
	return (!*op || !strcmp(op, "Equal")) && !strcmp(value, t->value);
}

static bool is_tolerated(const struct node_filter *w,
			 const struct kube_taint *t)
{
	const char *at = w->text, *end = at + w->len;
	struct rule r;

	while (next_rule(&at, end, &r))
		if (r.kind == R_TOLERATION && tolerates(&r, t))
			return true;
	return false;
}

static bool keeps_away(const struct kube_taint *t)
{
	return strcmp(t->effect, "PreferNoSchedule") != 0 &&
	       !str_starts(t->key, KUBE_KEYS) &&
	       !str_starts(t->key, CLOUD_KEYS);
}

bool node_filter_fits(const struct node_filter *want,
		      const struct kube_node *host, struct err *why)
{
	static const struct node_filter nothing = {.text = (char *)""};
	const struct node_filter *w = want->text ? want : &nothing;

	if (host->unread)
		return no(why, host, "it cannot be read", "", NULL);
	if (!selector_fits(w, host, why) || !affinity_fits(w, host, why))
		return false;
	for (size_t i = 0; i < host->n_taints; i++)
		if (keeps_away(&host->taints[i]) &&
		    !is_tolerated(w, &host->taints[i]))
			return no(why, host, "not tolerated: taint ",
				  host->taints[i].key, host->taints[i].value);
	return true;
}

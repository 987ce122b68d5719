/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/bridge_config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "syntax/label_key.h"
#include "syntax/names.h"
#include "syntax/wellknown.h"

#define SLURM_NAME_MAX 255 /* bytes of an account's or a partition's name */
#define LABEL_KEY_MAX 317  /* bytes of a prefix, '/', and a name of 63 */
#define RESIZE_MIN_MS 1000
#define RESIZE_MAX_MS 86400000

#define ALNUM "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
#define COUNT(array) (sizeof(array) / sizeof(*(array)))

struct reader {
	const struct yaml *y;
	struct bridge_config *b;
	struct err *err;
};

/*
 * Take a copy of a text of 1 to `max` letters, digits and characters of
 * `extra`.
 */
static int take_text(struct reader *r, ynode at, const char *what,
		     const char *extra, size_t max, char **out)
{
	const char *text = NULL;
	size_t good = 0;
	int rc = yaml_string(r->y, at, what, &text, r->err);

	if (rc || !text)
		return rc;
	while (text[good] &&
	       (strchr(ALNUM, text[good]) || strchr(extra, text[good])))
		good++;
	if (text[good] || good > max)
		return yaml_error(r->y, at, r->err,
				  "%s must be letters, digits and any of %s, "
				  "at most %zu",
				  what, extra, max);
	*out = strdup(text);
	return *out ? 0 : err_oom(r->err);
}

#define SLURM_NAME "_.@+-"
#define SLURM_NAMES "_.@+-,"
#define LABEL_KEY "_.-/"

static int slurm_name(struct reader *r, ynode map, const char *key, char **out)
{
	return take_text(r, yaml_get(r->y, map, key), key, SLURM_NAME,
			 SLURM_NAME_MAX, out);
}

static int slurm_names(struct reader *r, ynode map, const char *key, char **out)
{
	return take_text(r, yaml_get(r->y, map, key), key, SLURM_NAMES,
			 SLURM_NAME_MAX, out);
}

static int read_names(struct reader *r, ynode seq, const char *what,
		      const char *extra, size_t max, size_t most,
		      struct config_names *out)
{
	size_t n = yaml_len(seq);
	int rc = seq ? yaml_want_seq(r->y, seq, what, r->err) : 0;

	if (rc || !seq || !n)
		return rc;
	if (n > most)
		return yaml_error(r->y, seq, r->err, "more than %zu %s", most,
				  what);
	out->v = calloc(n, sizeof(*out->v));
	if (!out->v)
		return err_oom(r->err);
	for (size_t i = 0; !rc && i < n; i++) {
		ynode at = yaml_at(r->y, seq, i);

		out->n = i + 1;
		rc = take_text(r, at, what, extra, max, &out->v[i]);
	}
	return rc;
}

/* Read a mapping of names to names. */
static int read_pairs(struct reader *r, ynode map, const char *what,
		      const char *extra, size_t most, struct label_pairs *out)
{
	size_t n = yaml_len(map);
	ynode key, value;
	int rc = yaml_want_map(r->y, map, what, r->err);

	if (rc || !n)
		return rc;
	if (n > most)
		return yaml_error(r->y, map, r->err,
				  "%s has more than %zu entries", what, most);
	out->v = calloc(n, sizeof(*out->v));
	if (!out->v)
		return err_oom(r->err);
	for (size_t i = 0; !rc && i < n; i++) {
		struct label_pair *p = &out->v[i];

		out->n = i + 1;
		yaml_pair(r->y, map, i, &key, &value);
		rc = take_text(r, key, what, LABEL_KEY, LABEL_KEY_MAX, &p->key);
		if (!rc)
			rc = take_text(r, value, what, extra, DNS_LABEL_MAX,
				       &p->value);
	}
	return rc;
}

/*
 * Read a set of annotations' names (`options`: of sbatch's options). None may
 * be among those that are `denied`.
 */
static int read_set(struct reader *r, ynode map, const char *what,
		    job_option_set denied, job_option_set *out)
{
	const ynode seq = yaml_get(r->y, map, what);
	const bool options = !strcmp(what, "options");
	int rc = seq ? yaml_want_seq(r->y, seq, what, r->err) : 0;

	for (size_t i = 0; !rc && i < yaml_len(seq); i++) {
		ynode at = yaml_at(r->y, seq, i);
		const char *text = "";
		const struct job_option_option *option;
		job_option_set bits;
		int key;

		rc = yaml_string(r->y, at, what, &text, r->err);
		if (rc)
			return rc;
		option = options ? job_option_option(text, strlen(text)) : NULL;
		key = options ? -1 : job_option_of_note(text);
		if (option)
			key = (int)option->key;
		if (key < 0)
			return yaml_error(
				r->y, at, r->err, "%s: '%s' is no %s", what,
				text,
				options ? "option of sbatch that the bridge "
					  "knows"
					: "annotation that the bridge knows");
		bits = JOB_OPTION_BIT(key);
		if (option && !strcmp(option->name, "nodes")) /* "2-4" */
			bits |= JOB_OPTION_BIT(JOB_OPTION_MAX_NODES);
		if (bits & denied)
			return yaml_error(r->y, at, r->err,
					  "%s: '%s' is denied by 'deny'", what,
					  text);
		*out |= bits;
	}
	return rc;
}

static int read_rights(struct reader *r, ynode map, struct namespace_config *ns)
{
	int rc = read_set(r, map, "deny", 0, &ns->deny);

	if (!rc)
		rc = read_set(r, map, "allow", ns->deny, &ns->allow);
	if (!rc)
		rc = read_set(r, map, "options", ns->deny, &ns->options);
	ns->allow |= JOB_OPTION_HARMLESS & ~ns->deny;
	if (!rc)
		rc = read_names(r, yaml_get(r->y, map, "users"), "users",
				SLURM_NAME, SLURM_NAME_MAX, BRIDGE_NAMES_MAX,
				&ns->users);
	if (!rc)
		rc = read_names(r, yaml_get(r->y, map, "groups"), "groups",
				SLURM_NAME, SLURM_NAME_MAX, BRIDGE_NAMES_MAX,
				&ns->groups);
	if (rc)
		return rc;
	/*
	 * `allow` without a list of names would give no right to anybody: a
	 * mistake of the site's.
	 */
	if (((ns->allow | ns->options) & JOB_OPTION_BIT(JOB_OPTION_USER)) &&
	    !ns->users.n)
		return yaml_error(r->y, map, r->err,
				  "allow: user-id needs users, a list of whom "
				  "a pod may name");
	if (((ns->allow | ns->options) & JOB_OPTION_BIT(JOB_OPTION_GROUP)) &&
	    !ns->groups.n)
		return yaml_error(r->y, map, r->err,
				  "allow: group-id needs groups, a list of "
				  "what a pod may name");
	return 0;
}

static int read_caps(struct reader *r, ynode map, struct namespace_config *ns)
{
	uint64_t jobs = BRIDGE_JOBS_DEFAULT, pods = BRIDGE_PODS_DEFAULT,
		 submits = BRIDGE_SUBMITS_DEFAULT;
	int rc = yaml_uint(r->y, yaml_get(r->y, map, "maxJobs"), "maxJobs", 1,
			   BRIDGE_QUEUE_MAX, &jobs, r->err);

	if (!rc)
		rc = yaml_uint(r->y, yaml_get(r->y, map, "maxPods"), "maxPods",
			       1, BRIDGE_QUEUE_MAX, &pods, r->err);
	if (!rc)
		rc = yaml_uint(r->y, yaml_get(r->y, map, "submitsPerSecond"),
			       "submitsPerSecond", 1, BRIDGE_SUBMITS_MAX,
			       &submits, r->err);
	ns->max_jobs = (uint32_t)jobs;
	ns->max_pods = (uint32_t)pods;
	ns->submits_per_s = (uint32_t)submits;
	return rc;
}

/* The keys that a namespace and a selector both have. */
#define NAMESPACE_KEYS                                                         \
	"user", "account", "partition", "qos", "reservation", "mcsLabel",      \
		"allow", "deny", "options", "users", "groups", "maxJobs",      \
		"maxPods", "submitsPerSecond"

/* Read what a namespace and a selector both have. */
static int read_identity(struct reader *r, ynode map, const char *what,
			 struct namespace_config *ns)
{
	int rc = slurm_name(r, map, "user", &ns->user);

	if (!rc && !ns->user)
		return yaml_error(
			r->y, map, r->err,
			"%s needs user, the Slurm user whose jobs its "
			"pods become",
			what);
	if (!rc)
		rc = slurm_name(r, map, "account", &ns->account);
	if (!rc)
		rc = slurm_names(r, map, "partition", &ns->partition);
	if (!rc)
		rc = slurm_name(r, map, "qos", &ns->qos);
	if (!rc)
		rc = slurm_names(r, map, "reservation", &ns->reservation);
	if (!rc)
		rc = slurm_name(r, map, "mcsLabel", &ns->mcs_label);
	if (!rc)
		rc = read_caps(r, map, ns);
	return rc ? rc : read_rights(r, map, ns);
}

static int read_namespace(struct reader *r, ynode name, ynode map,
			  struct namespace_config *ns)
{
	static const char *const keys[] = {NAMESPACE_KEYS, NULL};
	const char *text = NULL;
	int rc = yaml_string(r->y, name, "a namespace's name", &text, r->err);

	if (rc)
		return rc;
	if (!text || !name_is_dns_label(text))
		return yaml_error(r->y, name, r->err,
				  "a namespace's name must be lower-case "
				  "letters, digits and '-', at most 63");
	rc = yaml_only_keys(r->y, map, "a namespace", keys, r->err);
	if (rc)
		return rc;
	ns->name = strdup(text);
	return ns->name ? read_identity(r, map, "a namespace", ns)
			: err_oom(r->err);
}

static const char *const operators[] = {
	[LABEL_IN] = "In",
	[LABEL_NOT_IN] = "NotIn",
	[LABEL_EXISTS] = "Exists",
	[LABEL_DOES_NOT_EXIST] = "DoesNotExist",
};

static int read_operator(struct reader *r, ynode map, enum label_operator *out)
{
	ynode at = yaml_get(r->y, map, "operator");
	const char *text = NULL;
	int rc = yaml_string(r->y, at, "operator", &text, r->err);

	if (rc)
		return rc;
	for (size_t i = 0; text && i < COUNT(operators); i++)
		if (!strcmp(text, operators[i])) {
			*out = (enum label_operator)i;
			return 0;
		}
	return yaml_error(r->y, at ? at : map, r->err,
			  "an expression needs operator: In, NotIn, Exists or "
			  "DoesNotExist");
}

static int read_expression(struct reader *r, ynode map,
			   struct label_expression *out)
{
	static const char *const keys[] = {"key", "operator", "values", NULL};
	int rc = yaml_want_map(r->y, map, "an expression", r->err);
	bool wants_values;

	if (!rc)
		rc = yaml_only_keys(r->y, map, "an expression", keys, r->err);
	if (!rc)
		rc = take_text(r, yaml_get(r->y, map, "key"), "key", LABEL_KEY,
			       LABEL_KEY_MAX, &out->key);
	/* A wrong key would be the label of no namespace: NotIn fits all. */
	if (!rc && (!out->key || !label_key_is(out->key, strlen(out->key))))
		rc = yaml_error(r->y, map, r->err,
				"an expression needs key, a label's");
	if (!rc)
		rc = read_operator(r, map, &out->op);
	if (!rc)
		rc = read_names(r, yaml_get(r->y, map, "values"), "values",
				"_.-", DNS_LABEL_MAX, BRIDGE_VALUES_MAX,
				&out->values);
	for (size_t i = 0; !rc && i < out->values.n; i++)
		if (!name_is_label_value(out->values.v[i]))
			rc = yaml_error(r->y, map, r->err,
					"'%s' is no label's value",
					out->values.v[i]);
	wants_values = out->op == LABEL_IN || out->op == LABEL_NOT_IN;
	if (!rc && wants_values != (out->values.n > 0))
		rc = yaml_error(r->y, map, r->err,
				wants_values ? "%s needs values"
					     : "%s has no values",
				operators[out->op]);
	return rc;
}

static int read_expressions(struct reader *r, ynode seq,
			    struct label_expressions *out)
{
	const size_t n = yaml_len(seq);
	int rc = seq ? yaml_want_seq(r->y, seq, "matchExpressions", r->err) : 0;

	if (rc || !n)
		return rc;
	if (n > BRIDGE_LABELS_MAX)
		return yaml_error(r->y, seq, r->err,
				  "more than %d matchExpressions",
				  BRIDGE_LABELS_MAX);
	out->v = calloc(n, sizeof(*out->v));
	if (!out->v)
		return err_oom(r->err);
	while (!rc && out->n < n) {
		rc = read_expression(r, yaml_at(r->y, seq, out->n),
				     &out->v[out->n]);
		out->n++;
	}
	return rc;
}

static int read_selector(struct reader *r, ynode map,
			 struct namespace_config *ns)
{
	static const char *const keys[] = {"matchLabels", "matchExpressions",
					   NAMESPACE_KEYS, NULL};
	ynode labels;
	int rc = yaml_only_keys(r->y, map, "a selector", keys, r->err);

	if (rc)
		return rc;
	labels = yaml_get(r->y, map, "matchLabels");
	if (labels)
		rc = read_pairs(r, labels, "matchLabels", "_.-",
				BRIDGE_LABELS_MAX, &ns->labels);
	if (!rc)
		rc = read_expressions(r,
				      yaml_get(r->y, map, "matchExpressions"),
				      &ns->expressions);
	if (rc)
		return rc;
	/* a selector without either would match all */
	if (!ns->labels.n && !ns->expressions.n)
		return yaml_error(r->y, map, r->err,
				  "a selector needs matchLabels or "
				  "matchExpressions, with at least one entry");
	return read_identity(r, map, "a selector", ns);
}

static int by_name(const void *a, const void *b)
{
	const struct namespace_config *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static int read_namespaces(struct reader *r, ynode map)
{
	struct bridge_config *b = r->b;
	ynode key, value;
	int rc = 0;

	for (size_t i = 0; !rc && i < yaml_len(map); i++) {
		yaml_pair(r->y, map, i, &key, &value);
		rc = read_namespace(r, key, value, &b->ns[b->n_ns++]);
	}
	if (rc)
		return rc;
	b->n_named = b->n_ns;
	qsort(b->ns, b->n_named, sizeof(*b->ns), by_name);
	return 0;
}

static int read_who(struct reader *r, ynode map)
{
	ynode names = yaml_get(r->y, map, "namespaces");
	ynode selectors = yaml_get(r->y, map, "selectors");
	size_t n_names = yaml_len(names), n_selectors = yaml_len(selectors);
	int rc = 0;

	if (names)
		rc = yaml_want_map(r->y, names, "namespaces", r->err);
	if (!rc && selectors)
		rc = yaml_want_seq(r->y, selectors, "selectors", r->err);
	if (rc)
		return rc;
	if (!(n_names + n_selectors) || n_names > BRIDGE_NAMESPACES_MAX ||
	    n_selectors > BRIDGE_SELECTORS_MAX)
		return yaml_error(
			r->y, map, r->err,
			"bridge needs namespaces (at most %d) or "
			"selectors (at most %d): nobody else may enter",
			BRIDGE_NAMESPACES_MAX, BRIDGE_SELECTORS_MAX);
	r->b->ns = calloc(n_names + n_selectors, sizeof(*r->b->ns));
	if (!r->b->ns)
		return err_oom(r->err);
	rc = read_namespaces(r, names);
	for (size_t i = 0; !rc && i < n_selectors; i++)
		rc = read_selector(r, yaml_at(r->y, selectors, i),
				   &r->b->ns[r->b->n_ns++]);
	return rc;
}

static int default_resources(struct reader *r)
{
	static const char *const pairs[][2] = {{"nvidia.com/gpu", "gpu"},
					       {"amd.com/gpu", "gpu"}};
	struct label_pairs *p = &r->b->resources;

	p->v = calloc(COUNT(pairs), sizeof(*p->v));
	if (!p->v)
		return err_oom(r->err);
	for (; p->n < COUNT(pairs); p->n++) {
		p->v[p->n].key = strdup(pairs[p->n][0]);
		p->v[p->n].value = strdup(pairs[p->n][1]);
		if (!p->v[p->n].key || !p->v[p->n].value) {
			p->n++;
			return err_oom(r->err);
		}
	}
	return 0;
}

static int read_nodes(struct reader *r, ynode map)
{
	static const char *const keys[] = {"label", "features", "resizeAfter",
					   NULL};
	int rc =
		map ? yaml_only_keys(r->y, map, "nodes of bridge", keys, r->err)
		    : 0;

	if (!rc && map)
		rc = take_text(r, yaml_get(r->y, map, "label"), "label",
			       LABEL_KEY, LABEL_KEY_MAX, &r->b->node_label);
	if (!rc && map)
		rc = read_names(r, yaml_get(r->y, map, "features"), "features",
				LABEL_KEY, LABEL_KEY_MAX, BRIDGE_FEATURES_MAX,
				&r->b->features);
	r->b->resize_after_ms = BRIDGE_RESIZE_MS;
	if (!rc && map)
		rc = yaml_duration(r->y, yaml_get(r->y, map, "resizeAfter"),
				   "resizeAfter", RESIZE_MIN_MS, RESIZE_MAX_MS,
				   &r->b->resize_after_ms, r->err);
	if (!rc && !r->b->node_label &&
	    !(r->b->node_label = strdup(WK_HOST_EXTERNAL)))
		rc = err_oom(r->err);
	return rc;
}

static int read_scheduler(struct reader *r, ynode at)
{
	const char *text = WK_BRIDGE_SCHEDULER;
	int rc = yaml_string(r->y, at, "schedulerName", &text, r->err);

	if (rc)
		return rc;
	if (!name_is_subdomain(text) || !strcmp(text, "default-scheduler"))
		return yaml_error(r->y, at, r->err,
				  "schedulerName must be lower-case letters, "
				  "digits, '-' and '.', and not "
				  "default-scheduler");
	r->b->scheduler = strdup(text);
	return r->b->scheduler ? 0 : err_oom(r->err);
}

int bridge_config_read(const struct yaml *y, ynode map,
		       struct bridge_config *out, struct err *err)
{
	static const char *const keys[] = {"cluster",	 "schedulerName",
					   "exclusive",	 "partition",
					   "staleAfter", "nodes",
					   "resources",	 "namespaces",
					   "selectors",	 NULL};
	struct reader r = {.y = y, .b = out, .err = err};
	ynode resources;
	int rc;

	if (!map)
		return 0;
	rc = yaml_only_keys(y, map, "bridge", keys, err);
	if (!rc && !yaml_get(y, map, "cluster"))
		rc = yaml_error(y, map, err, "bridge needs cluster");
	if (!rc)
		rc = slurm_name(&r, map, "cluster", &out->cluster);
	if (!rc)
		rc = read_scheduler(&r, yaml_get(y, map, "schedulerName"));
	out->exclusive = true;
	if (!rc)
		rc = yaml_bool(y, yaml_get(y, map, "exclusive"), "exclusive",
			       &out->exclusive, err);
	if (!rc)
		rc = slurm_names(&r, map, "partition", &out->partition);
	out->stale_after_ms = BRIDGE_STALE_MS;
	if (!rc)
		rc = yaml_duration(y, yaml_get(y, map, "staleAfter"),
				   "staleAfter", BRIDGE_STALE_MIN_MS,
				   BRIDGE_STALE_MAX_MS, &out->stale_after_ms,
				   err);
	resources = yaml_get(y, map, "resources");
	if (!rc)
		rc = resources
			     ? read_pairs(&r, resources, "resources", "_:.-",
					  BRIDGE_RESOURCES_MAX, &out->resources)
			     : default_resources(&r);
	if (!rc)
		rc = read_nodes(&r, yaml_get(y, map, "nodes"));
	if (!rc)
		rc = read_who(&r, map);
	out->wanted = !rc;
	return rc;
}

static void pairs_clear(struct label_pairs *p)
{
	for (size_t i = 0; i < p->n; i++) {
		free(p->v[i].key);
		free(p->v[i].value);
	}
	free(p->v);
}

static void names_clear(struct config_names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free(names->v[i]);
	free(names->v);
}

static void ns_clear(struct namespace_config *ns)
{
	free(ns->name);
	free(ns->user);
	free(ns->account);
	free(ns->partition);
	free(ns->qos);
	free(ns->reservation);
	free(ns->mcs_label);
	pairs_clear(&ns->labels);
	for (size_t i = 0; i < ns->expressions.n; i++) {
		free(ns->expressions.v[i].key);
		names_clear(&ns->expressions.v[i].values);
	}
	free(ns->expressions.v);
	names_clear(&ns->users);
	names_clear(&ns->groups);
}

void bridge_config_clear(struct bridge_config *b)
{
	for (size_t i = 0; i < b->n_ns; i++)
		ns_clear(&b->ns[i]);
	free(b->ns);
	free(b->cluster);
	free(b->scheduler);
	free(b->partition);
	free(b->node_label);
	pairs_clear(&b->resources);
	names_clear(&b->features);
	*b = (struct bridge_config){0};
}

static bool labels_match(const struct label_pairs *want,
			 const json_object *labels)
{
	for (size_t i = 0; i < want->n; i++)
		if (!str_eq(jx_str(labels, want->v[i].key), want->v[i].value))
			return false;
	return true;
}

static bool is_true(const struct label_expression *x, const json_object *labels)
{
	const char *value = jx_str(labels, x->key);

	switch (x->op) {
	case LABEL_IN:
		return value && config_names_has(&x->values, value);
	case LABEL_NOT_IN:
		return !value || !config_names_has(&x->values, value);
	case LABEL_EXISTS:
		return value;
	case LABEL_DOES_NOT_EXIST:
	default:
		return !value;
	}
}

static bool are_true(const struct label_expressions *all,
		     const json_object *labels)
{
	for (size_t i = 0; i < all->n; i++)
		if (!is_true(&all->v[i], labels))
			return false;
	return true;
}

const struct namespace_config *
namespace_config_find(const struct bridge_config *b, const char *name,
		      const json_object *labels)
{
	size_t low = 0, high = b->n_named;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		int order = strcmp(name, b->ns[mid].name);

		if (!order)
			return &b->ns[mid];
		if (order < 0)
			high = mid;
		else
			low = mid + 1;
	}
	for (size_t i = b->n_named; labels && i < b->n_ns; i++)
		if (labels_match(&b->ns[i].labels, labels) &&
		    are_true(&b->ns[i].expressions, labels))
			return &b->ns[i];
	return NULL;
}

bool config_names_has(const struct config_names *names, const char *name)
{
	for (size_t i = 0; i < names->n; i++)
		if (!strcmp(names->v[i], name))
			return true;
	return false;
}

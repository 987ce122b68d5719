/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/features.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/str.h"
#include "config/pod_template.h"
#include "syntax/names.h"

bool features_is_name(const char *s)
{
	size_t n = strlen(s);

	if (!n || n > DNS_LABEL_MAX || !isalpha((unsigned char)*s))
		return false;
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)s[i] >= 0x80 ||
		    (!isalnum((unsigned char)s[i]) && !strchr("_.-", s[i])))
			return false;
	return true;
}

static int read_name(const struct yaml *y, ynode map, const char *key,
		     char **out, struct err *err)
{
	ynode at = yaml_get(y, map, key);
	const char *s = NULL;
	int rc = yaml_string(y, at, key, &s, err);

	if (rc || !s)
		return rc;
	if (!features_is_name(s))
		return yaml_error(y, at, err,
				  "%s '%s' must be a letter, and letters, "
				  "digits, '_', '.' and '-', at most %d",
				  key, s, DNS_LABEL_MAX);
	*out = strdup(s);
	return *out ? 0 : err_oom(err);
}

static int read_feature(const struct yaml *y, ynode n, struct feature *f,
			struct err *err)
{
	static const char *const keys[] = {"name", "group", "patch", NULL};
	ynode patch;
	int rc = yaml_only_keys(y, n, "a feature", keys, err);

	if (!rc)
		rc = read_name(y, n, "name", &f->name, err);
	if (!rc && !f->name)
		rc = yaml_error(y, n, err, "name is missing");
	if (!rc)
		rc = read_name(y, n, "group", &f->group, err);
	if (rc)
		return rc;
	patch = yaml_get(y, n, "patch");
	if (!patch)
		return yaml_error(y, n, err, "feature '%s' has no patch",
				  f->name);
	rc = template_check_patch(y, patch, err);
	return rc ? rc : yaml_to_json(y, patch, &f->patch, err);
}

static bool is_there_before(const struct features *all, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (str_eq(all->v[i].name, all->v[at].name))
			return true;
	return false;
}

int features_read(const struct yaml *y, ynode seq, struct features *out,
		  struct err *err)
{
	size_t n = yaml_len(seq);
	int rc;

	if (!seq)
		return 0;
	rc = yaml_want_seq(y, seq, "features", err);
	if (rc)
		return rc;
	if (n > FEATURES_MAX)
		return yaml_error(y, seq, err,
				  "features must have at most %d entries",
				  FEATURES_MAX);
	out->v = calloc(n + 1, sizeof(*out->v));
	if (!out->v)
		return err_oom(err);
	for (size_t i = 0; i < n; i++) {
		struct feature *f = &out->v[i];
		ynode e = yaml_at(y, seq, i);

		out->n = i + 1;
		rc = read_feature(y, e, f, err);
		if (rc)
			return rc;
		if (is_there_before(out, i))
			return yaml_error(y, e, err,
					  "feature '%s' is there twice",
					  f->name);
	}
	return 0;
}

void features_clear(struct features *f)
{
	for (size_t i = 0; i < f->n; i++) {
		free(f->v[i].name);
		free(f->v[i].group);
		json_object_put(f->v[i].patch);
	}
	free(f->v);
	*f = (struct features){0};
}

static feature_set bit(size_t i)
{
	return (feature_set)1 << i;
}

int features_read_names(const struct yaml *y, ynode seq,
			const struct features *all, feature_set *out,
			struct err *err)
{
	int rc;

	*out = 0;
	for (size_t i = 0; !seq && i < all->n; i++)
		*out |= bit(i);
	if (!seq)
		return 0;
	rc = yaml_want_seq(y, seq, "features", err);
	for (size_t i = 0; !rc && i < yaml_len(seq); i++) {
		ynode e = yaml_at(y, seq, i);
		const char *name = NULL;
		int at;

		rc = yaml_string(y, e, "a feature", &name, err);
		if (rc)
			return rc;
		at = name ? features_find(all, name, strlen(name)) : -1;
		if (at < 0)
			return yaml_error(y, e, err, "there is no feature '%s'",
					  name ? name : "");
		*out |= bit((size_t)at);
	}
	return rc;
}

int features_find(const struct features *all, const char *name, size_t len)
{
	for (size_t i = 0; i < all->n; i++)
		if (strlen(all->v[i].name) == len &&
		    !memcmp(all->v[i].name, name, len))
			return (int)i;
	return -1;
}

feature_set features_of_list(const struct features *all, const char *list)
{
	feature_set set = 0;
	size_t len;

	for (; (len = str_next_item(&list)); list += len) {
		int at = features_find(all, list, len);

		if (at >= 0)
			set |= bit((size_t)at);
	}
	return set;
}

void features_to_list(const struct features *all, feature_set set,
		      char out[FEATURES_TEXT_MAX])
{
	char *to = out;

	*to = '\0';
	for (size_t i = 0; i < all->n; i++) {
		if (!(set & bit(i)))
			continue;
		if (to > out)
			*to++ = ',';
		to = stpcpy(to, all->v[i].name);
	}
}

int features_check(const struct features *all, feature_set set, struct err *err)
{
	for (size_t i = 0; i < all->n; i++)
		for (size_t j = i + 1; j < all->n; j++) {
			const struct feature *a = &all->v[i], *b = &all->v[j];

			if ((set & bit(i)) && (set & bit(j)) && a->group &&
			    str_eq(a->group, b->group))
				return err_set(err, -EINVAL,
					       "features %s and %s exclude "
					       "each other (group %s)",
					       a->name, b->name, a->group);
		}
	return 0;
}

static int add_item(char *out, size_t size, const char *item, size_t len)
{
	size_t have = strlen(out);

	if (have + len + 2 > size)
		return -ENOSPC;
	if (have)
		out[have++] = ',';
	memcpy(out + have, item, len);
	out[have + len] = '\0';
	return 0;
}

int features_replace(const struct features *all, const char *list,
		     feature_set set, char *out, size_t size)
{
	size_t len;
	int rc = 0;

	*out = '\0';
	for (; !rc && (len = str_next_item(&list)); list += len)
		if (features_find(all, list, len) < 0 &&
		    !str_list_has(out, list, len))
			rc = add_item(out, size, list, len);
	for (size_t i = 0; !rc && i < all->n; i++)
		if (set & bit(i))
			rc = add_item(out, size, all->v[i].name,
				      strlen(all->v[i].name));
	return rc;
}

bool features_list_has(const char *list, const char *name)
{
	return str_list_has(list, name, strlen(name));
}

bool features_repeat(const char *list)
{
	size_t len;

	for (; (len = str_next_item(&list)); list += len)
		if (str_list_has(list + len, list, len))
			return true;
	return false;
}

static bool has_all(const char *list, const char *items)
{
	size_t len;

	for (; (len = str_next_item(&items)); items += len)
		if (!str_list_has(list, items, len))
			return false;
	return true;
}

bool features_same_list(const char *a, const char *b)
{
	return has_all(a, b) && has_all(b, a);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "asks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "syntax/label_key.h"

#define ITEM_MAX (PODKEY_KEY_MAX + PODKEY_VALUE_MAX + 32)
#define FEATURE_MAX 63

static const char feature_letters[] = "abcdefghijklmnopqrstuvwxyz"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789-_.=";

static const char *wrong(const char *kind, const char *value)
{
	if (strcmp(kind, WK_ASK_FEATURE) != 0)
		return label_key_wrong(value, !strcmp(kind, WK_ASK_LABEL));
	if (!*value || strlen(value) > FEATURE_MAX ||
	    value[strspn(value, feature_letters)])
		return "is not the name of one feature";
	return NULL;
}

/* How much of an item tells what it is about: up to "=", or all of it. */
static size_t key_len(const char *item)
{
	return label_key_behind(item, WK_ASK_FEATURE) ? strlen(item)
						      : strcspn(item, "=");
}

static size_t find(const struct asks *a, const char *item)
{
	size_t len = key_len(item), i;

	for (i = 0; i < a->n; i++)
		if (key_len(a->v[i]) == len && !memcmp(a->v[i], item, len))
			break;
	return i;
}

const char *asks_add(struct asks *a, const char *kind, const char *value)
{
	const char *words = wrong(kind, value);
	char item[ITEM_MAX], *copy;
	size_t i;

	if (words)
		return words;
	snprintf(item, sizeof(item), "%s %s", kind, value);
	i = find(a, item);
	if (i == WK_ASKS_MAX)
		return "is one too many: 32 of them at most";
	copy = strdup(item);
	if (!copy)
		return "needs more memory than there is";
	if (i < a->n)
		free(a->v[i]);
	else
		a->n++;
	a->v[i] = copy;
	return NULL;
}

bool asks_has(const struct asks *a, const char *kind, const char *value)
{
	for (size_t i = 0; i < a->n; i++) {
		const char *has = label_key_behind(a->v[i], kind);

		if (has && !strcmp(has, value))
			return true;
	}
	return false;
}

void asks_name(size_t i, char out[32])
{
	snprintf(out, 32, WK_ASK_VARIABLE "%zu", i);
}

static void take_over(struct asks *a, const char *item)
{
	static const char *const kinds[] = {WK_ASK_ANNOTATION, WK_ASK_LABEL,
					    WK_ASK_FEATURE};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		const char *value = label_key_behind(item, kinds[i]);

		if (value)
			asks_add(a, kinds[i], value);
	}
}

void asks_inherit(struct asks *a, char *const env[], const char *prefix)
{
	const size_t p = strlen(prefix), v = sizeof(WK_ASK_VARIABLE) - 1;

	for (; *env; env++) {
		const char *eq = strchr(*env, '=');

		if (eq && !strncmp(*env, prefix, p) &&
		    !strncmp(*env + p, WK_ASK_VARIABLE, v))
			take_over(a, eq + 1);
	}
}

bool job_submit_is_loaded(const char *plugins)
{
	static const char prefix[] = "job_submit/";
	size_t len;

	for (; plugins && *plugins; plugins += len + (plugins[len] == ',')) {
		len = strcspn(plugins, ",");
		if (!strncmp(plugins, prefix, sizeof(prefix) - 1)) {
			plugins += sizeof(prefix) - 1;
			len -= sizeof(prefix) - 1;
		}
		if (len == 3 && !memcmp(plugins, "k8s", 3))
			return true;
	}
	return false;
}

void asks_clear(struct asks *a)
{
	for (size_t i = 0; i < a->n; i++)
		free(a->v[i]);
	a->n = 0;
}

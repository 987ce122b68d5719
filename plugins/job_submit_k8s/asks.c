/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "asks.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

#include "engine/slurmk8s.h"
#include "library.h"
#include "syntax/wellknown.h"
#include "words.h"

#define WHO "job_submit/k8s"

static int (*carry)(const char *const items[], size_t n, const char *comment,
		    char *out, char *words);
static int (*constrain)(const char *const items[], size_t n,
			const char *constraint, char *out, char *words);
static char *(*slurms_xstrdup)(const char *text);
static void (*slurms_xfree)(void **text);

void asks_init(void)
{
	void *so = library_ours(WHO);

	if (so &&
	    library_need(WHO, RTLD_DEFAULT, "slurm_xstrdup", &slurms_xstrdup) &&
	    library_need(WHO, RTLD_DEFAULT, "slurm_xfree", &slurms_xfree) &&
	    library_need(WHO, so, "slurmk8s_asks_carry", &carry) &&
	    library_need(WHO, so, "slurmk8s_asks_constrain", &constrain))
		return;
	carry = NULL;
	slurm_error(WHO ": jobs that ask something of their pods are refused");
}

/* The item behind "K8S_ASK_3="; NULL: it is another variable. */
static const char *item_of(const char *entry)
{
	const char *eq = entry ? strchr(entry, '=') : NULL;

	return eq && !strncmp(entry, WK_ASK_VARIABLE,
			      sizeof(WK_ASK_VARIABLE) - 1)
		       ? eq + 1
		       : NULL;
}

static void replace(char **old, const char *text)
{
	slurms_xfree((void **)old);
	*old = slurms_xstrdup(text);
}

static enum asks_fate take(const char *const items[], size_t n, char **comment,
			   char **constraint, char **words)
{
	char text[SLURMK8S_LIST_MAX], why[SLURMK8S_WORDS_MAX];
	int rc = carry(items, n, *comment, text, why);

	if (rc < 0) {
		words_refuse(why, words);
		return ASKS_FORBIDDEN;
	}
	if (rc)
		replace(comment, text);
	rc = constrain(items, n, *constraint, text, why);
	if (rc < 0) {
		words_refuse(why, words);
		return ASKS_NO_FEATURE;
	}
	if (rc)
		replace(constraint, text);
	return ASKS_FINE;
}

enum asks_fate asks_take(char *const env[], uint32_t n, char **comment,
			 char **constraint, char **words)
{
	const char *items[WK_ASKS_MAX];
	size_t n_items = 0;

	for (uint32_t i = 0; env && i < n; i++) {
		const char *item = item_of(env[i]);

		if (!item)
			continue;
		if (n_items == WK_ASKS_MAX) {
			words_refuse("more than 32 of --k8s-annotation, "
				     "--k8s-label and --k8s-feature",
				     words);
			return ASKS_FORBIDDEN;
		}
		items[n_items++] = item;
	}
	if (!n_items)
		return ASKS_FINE;
	if (carry)
		return take(items, n_items, comment, constraint, words);
	words_refuse("slurmctld has no " LIBRARY_NAME " that could look at "
		     "this job",
		     words);
	return ASKS_FORBIDDEN;
}

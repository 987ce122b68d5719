/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The changeable features of k8s.yaml: with which of them a node can boot. A
 * set of them is a bit mask, in the order of the file. Pure. Any thread.
 */
#ifndef SLURMK8S_CONFIG_FEATURES_H
#define SLURMK8S_CONFIG_FEATURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "json/json.h"
#include "json/yaml.h"

#define FEATURES_MAX 64
#define FEATURES_TEXT_MAX 4160 /* all of them as a list */

typedef uint64_t feature_set; /* bit i: the i-th feature */

struct feature {
	char *name;
	char *group;	    /* those of one exclude each other; or NULL */
	json_object *patch; /* of the pod template */
};

struct features {
	struct feature *v;
	size_t n;
};

/*
 * Read the list under `features`; NULL: there are none. The caller clears
 * *out, also on failure.
 */
int features_read(const struct yaml *y, ynode seq, struct features *out,
		  struct err *err);
void features_clear(struct features *f);

/* Read a nodeset's list of names; NULL: all of them. */
int features_read_names(const struct yaml *y, ynode seq,
			const struct features *all, feature_set *out,
			struct err *err);

/* Its index, or -1. `name` need not end with NUL. */
int features_find(const struct features *all, const char *name, size_t len);

/* Those of a comma-separated list (NULL: none); what is not ours is skipped. */
feature_set features_of_list(const struct features *all, const char *list);

/* "a,b" in the order of the file. */
void features_to_list(const struct features *all, feature_set set,
		      char out[FEATURES_TEXT_MAX]);

/* Do two of the set exclude each other? Then -EINVAL with words. */
int features_check(const struct features *all, feature_set set,
		   struct err *err);

/*
 * What of a comma-separated list is not ours, and `set` behind it, each once:
 * the features that a node with these has. -ENOSPC if `size` does not
 * suffice.
 */
int features_replace(const struct features *all, const char *list,
		     feature_set set, char *out, size_t size);

/* A name that Slurm does not take for an expression, at most 63 letters. */
bool features_is_name(const char *s);

/* Is the name in a comma-separated list? */
bool features_list_has(const char *list, const char *name);

/* Is a name in it twice? */
bool features_repeat(const char *list);

/* Do two comma-separated lists name the same, in whatever order? */
bool features_same_list(const char *a, const char *b);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The changeable features of k8s.yaml, of which each nodeset says with which
 * its nodes can boot. A set of them is a bit mask, in the order of the file.
 * Pure. Any thread.
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
#define FEATURES_TEXT_MAX 4160 /* bytes of a list of all of them */

typedef uint64_t feature_set; /* bit i: the i-th feature */

struct feature {
	char *name;
	char *group; /* features of one group exclude each other; or NULL */
	json_object *patch; /* change of the pod template */
};

struct features {
	struct feature *v;
	size_t n;
};

/*
 * Read the list under `features`; NULL: there are none. 0; -EINVAL with
 * file:line:column; -ENOMEM. The caller clears *out in any case.
 */
int features_read(const struct yaml *y, ynode seq, struct features *out,
		  struct err *err);
/* Free what it owns. */
void features_clear(struct features *f);

/*
 * Read a nodeset's list of names; NULL: all of them. 0, or -EINVAL with
 * file:line:column.
 */
int features_read_names(const struct yaml *y, ynode seq,
			const struct features *all, feature_set *out,
			struct err *err);

/*
 * The index of the feature with this name, or -1. `name` need not end with NUL.
 */
int features_find(const struct features *all, const char *name, size_t len);

/*
 * The features of a comma-separated list (NULL: none); names that k8s.yaml does
 * not have are skipped.
 */
feature_set features_of_list(const struct features *all, const char *list);

/* Write "a,b", in the order of the file. */
void features_to_list(const struct features *all, feature_set set,
		      char out[FEATURES_TEXT_MAX]);

/*
 * Check that no two features of the set exclude each other. 0, or -EINVAL with
 * words.
 */
int features_check(const struct features *all, feature_set set,
		   struct err *err);

/*
 * The features that a node has when `set` is active: the names of `list` that
 * k8s.yaml does not have, then those of `set`, each once, with commas. 0;
 * -ENOSPC: `size` does not suffice.
 */
int features_replace(const struct features *all, const char *list,
		     feature_set set, char *out, size_t size);

/*
 * True for a name that Slurm does not take for an expression, of at most 63
 * letters.
 */
bool features_is_name(const char *s);

/* True if the name is in a comma-separated list. */
bool features_list_has(const char *list, const char *name);

/* True if a name is in the list twice. */
bool features_repeat(const char *list);

/*
 * True if two comma-separated lists have equal sets of names, in whatever
 * order.
 */
bool features_same_list(const char *a, const char *b);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a pod that runs has otherwise than the one that its template makes
 * today. Pure. Any thread.
 */
#ifndef SLURMK8S_TOOL_MANIFEST_DIFF_H
#define SLURMK8S_TOOL_MANIFEST_DIFF_H

#include "json/json.h"

/*
 * A difference: `path` is "spec.containers[slurmd].image"; what stands there
 * now, NULL: nothing; and what is wanted. Borrowed during the call. Non-zero
 * ends the comparison.
 */
typedef int (*manifest_change_fn)(void *arg, const char *path,
				  const json_object *now,
				  const json_object *wanted);

/*
 * Call `on_change` for each difference between a pod as the API server has it
 * and one of manifest_make(), but for the hash, which follows from the rest.
 * Only what is wanted is looked at, for the API server and admission add
 * members and elements of their own: what was taken out of a template is not
 * found. What the server leaves out where it is said, as "", false or {}, is no
 * difference, but false and 0 are where the server keeps them, as runAsUser;
 * amounts and numbers are compared by their value. Objects in a list are found
 * by "name" where all have one of their own, else by their place. 0; what
 * on_change gave; -EMSGSIZE: a path is too long; -ENOMEM.
 */
int manifest_diff(const json_object *live, const json_object *wanted,
		  manifest_change_fn on_change, void *arg);

#endif

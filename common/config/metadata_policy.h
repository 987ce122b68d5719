/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `jobs` of k8s.yaml: which annotations and labels jobs may set on their pods.
 * Pure. Any thread.
 */
#ifndef SLURMK8S_CONFIG_METADATA_POLICY_H
#define SLURMK8S_CONFIG_METADATA_POLICY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "json/json.h"
#include "json/yaml.h"

#define POD_METADATA_KEYS_MAX 64 /* keys in one list of k8s.yaml */

/* The keys that jobs may set. */
struct pod_metadata_keys {
	char **v;
	size_t n;
};

/* True if the key, of `len` bytes, is one of them. */
bool pod_metadata_allows(const struct pod_metadata_keys *k, const char *key,
			 size_t len);

struct pod_metadata_rules {
	struct pod_metadata_keys annotations, labels;
};

/*
 * Read `jobs` of k8s.yaml; NULL: nothing is allowed. 0; -EINVAL with
 * file:line:column; -ENOMEM. The caller clears *out in any case.
 */
int pod_metadata_rules_read(const struct yaml *y, ynode map,
			    struct pod_metadata_rules *out, struct err *err);
/* Free what it owns. */
void pod_metadata_rules_clear(struct pod_metadata_rules *r);

/*
 * A key that jobs may set, and a pod template, or a patch of one, sets itself:
 * the job's end would take it away. Borrowed; NULL: there is none.
 */
const char *pod_metadata_rules_clash(const struct pod_metadata_rules *r,
				     const json_object *pod);

#endif

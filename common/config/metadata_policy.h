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

#define PODASK_KEYS_MAX 64 /* of each list in k8s.yaml */

/* The keys that jobs may set. */
struct podask_keys {
	char **v;
	size_t n;
};

/* Is it one of them? `len`: of the key, which need not end there. */
bool podask_allows(const struct podask_keys *k, const char *key, size_t len);

struct podask_rules {
	struct podask_keys annotations, labels;
};

/*
 * Read `jobs` of k8s.yaml; NULL: nothing is allowed. The caller clears *out,
 * also on failure.
 */
int podask_rules_read(const struct yaml *y, ynode map, struct podask_rules *out,
		      struct err *err);
void podask_rules_clear(struct podask_rules *r);

/*
 * A key of theirs that a pod template, or a patch of one, sets itself: the
 * job's end would take it away. Borrowed; NULL: there is none.
 */
const char *podask_rules_clash(const struct podask_rules *r,
			       const json_object *pod);

#endif

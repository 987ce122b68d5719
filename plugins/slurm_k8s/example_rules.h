/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Addresses of our examples that were left where a site's own belong. Pure. Any
 * thread.
 */
#ifndef SLURMK8S_TOOL_EXAMPLE_RULES_H
#define SLURMK8S_TOOL_EXAMPLE_RULES_H

#include <stdbool.h>

#include "config/config.h"
#include "findings.h"

#define EXAMPLE_MAX 256

/*
 * The first address in a text that RFC 5737 keeps for documents (192.0.2.0/24,
 * 198.51.100.0/24, 203.0.113.0/24), or name below example.org or example.com
 * (RFC 2606); a longer one is cut. False, with out "": there is none.
 */
bool example_find(const char *text, char out[EXAMPLE_MAX]);

/*
 * Add a finding for the first one in slurm.conf, of which `conf_text` is the
 * text (NULL: it could not be read), without comments and what it includes; and
 * in the pod template of each nodeset and the patch of each feature (`config`
 * NULL: there are none), where these name hosts.
 */
void example_rules(const struct config *config, const char *conf_text,
		   struct findings *out);

#endif

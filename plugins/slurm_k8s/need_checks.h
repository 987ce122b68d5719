/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether what pod templates name is in their namespace. Only metadata is asked
 * for, never what a Secret holds (kubernetes.io "API concepts", Metadata-only
 * fetches). I/O: main thread, as api_server.h says.
 */
#ifndef SLURMK8S_TOOL_NEED_CHECKS_H
#define SLURMK8S_TOOL_NEED_CHECKS_H

#include "api_server.h"
#include "config/config.h"
#include "findings.h"

/*
 * Add a finding for each Secret, ConfigMap and PersistentVolumeClaim that the
 * templates of this API server's nodesets name and that is not there, and one
 * for all that we may not look at. At most POD_NEEDS_MAX requests.
 */
void need_checks(struct api_server *api, const struct config *config,
		 struct findings *out);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the engine of this host serves at metrics.listen of k8s.yaml. Main
 * thread.
 */
#ifndef SLURMK8S_TOOL_SERVED_METRICS_H
#define SLURMK8S_TOOL_SERVED_METRICS_H

#include "base/err.h"

/*
 * Ask the engine for its metrics, for two seconds at most. `listen` is an
 * address as listen_address() reads it. *out is METRICS_TEXT_MAX bytes long at
 * most, and the caller's to free. 0; -ECONNREFUSED: nobody listens there;
 * -EACCES: not for this user; -EPROTO: what answers are no metrics; -ENOMEM; or
 * -EIO, with libcurl's words.
 */
int served_metrics_read(const char *listen, char **out, struct err *err);

#endif

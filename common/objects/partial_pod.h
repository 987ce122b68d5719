/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Of a pod whose JSON is more than is read of one: who it is, what it belongs
 * to, where it is, who has bound it, what has become of it, and what it holds
 * there. Whoever creates a pod decides how long its lists are, so this must not
 * need the others of them. Pure. Any thread.
 */
#ifndef SLURMK8S_OBJECTS_PARTIAL_POD_H
#define SLURMK8S_OBJECTS_PARTIAL_POD_H

#include <stddef.h>

#include "json/json.h"

/*
 * For bridged_pod_of(), workload_of() and its like, pod_requests_of() and
 * pod_requests_held_of(), and for nothing else: what these do not look at is
 * not there. (Messages of conditions, labels and annotations are whole.) The
 * caller puts *out. -EBADMSG or -ENOMEM.
 */
int partial_pod_read(const char *text, size_t len, json_object **out,
		     struct err *err);

#endif

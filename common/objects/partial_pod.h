/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is read of a pod whose JSON is more than is read of one: its identity,
 * its group, its node, the binder, its end, and what it holds of the node. The
 * author of a pod decides how long its lists are, so this must not need the
 * lists that are not wanted. Pure. Any thread.
 */
#ifndef SLURMK8S_OBJECTS_PARTIAL_POD_H
#define SLURMK8S_OBJECTS_PARTIAL_POD_H

#include <stddef.h>

#include "json/json_only.h"

/*
 * A worker's pod without what is long and read by nobody here. Whoever reads
 * another member of one takes it out of this table.
 */
extern const struct jx_only whole_pod[];

/*
 * What is read of a bridged pod, for pod_class_of() and all that
 * partial_pod_read() is for. Of tolerations and other lists that an author may
 * make as long as he likes no more is read than anybody needs: a pod with more
 * cannot be read by this table, and is read in part. Whoever reads another
 * member of one adds it here.
 */
extern const struct jx_only bridged_pod_table[];

/*
 * Read a pod for bridged_pod_of(), workload_of(), workload_besides(),
 * workload_alone(), pod_requests_of() and pod_requests_roughly(), and for
 * nothing else: members that these do not look at are not there. Messages of
 * conditions are whole. The caller puts *out. 0; -EBADMSG; -ENOMEM.
 */
int partial_pod_read(const char *text, size_t len, json_object **out,
		     struct err *err);

/*
 * Read a pod for bridged_pod_bound_by(), and for nothing else: none of the
 * lists that its author writes is needed. Else as partial_pod_read().
 */
int partial_pod_read_binder(const char *text, size_t len, json_object **out,
			    struct err *err);

#endif

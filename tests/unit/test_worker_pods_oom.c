/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pods in view when memory is short. Linked with --wrap for allocations. */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "fake_malloc.h"
#include "nodes/watch/worker_pods.h"
#include "t.h"

#define PODS 330 /* the next ones want a larger hash table */

/* `after`: so many allocations go well, then one fails; -1: none does. */
static void list(struct worker_pods *c, long after)
{
	worker_pods_begin(c);
	for (int i = 0; i < PODS; i++) {
		_cleanup_free_ char *text = str_printf(
			"{\"metadata\": {\"name\": \"p%d\", \"uid\": \"u%d\","
			" \"labels\": {\"slurm-k8s.io/node\": \"n\"}}}",
			i, i);
		_cleanup_json_ json_object *pod = t_parse(text);

		left = after;
		worker_pods_put(c, pod, "slurmd");
		left = -1;
	}
	worker_pods_synced(c);
}

static void a_pod_that_was_listed_is_not_gone_for_want_of_memory(void)
{
	for (long after = 0; after < 3; after++) {
		struct worker_pods *c = worker_pods_new();

		t_row("%ld allocations", after);
		T_NEED(c != NULL);
		list(c, -1);
		T_INT(worker_pods_count(c), PODS);
		list(c, after);
		T_INT(worker_pods_count(c), PODS);
		worker_pods_free(c);
	}
}

T_MAIN("worker_pods_oom",
       T(a_pod_that_was_listed_is_not_gone_for_want_of_memory))

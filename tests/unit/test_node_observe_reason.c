/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whose drain it is that has a Reason of ours. */
#include "node_observe_fixture.h"

#define CORDONED "k8s: Kubernetes node worker-7 is cordoned"

/* (slurmctld 23.11 to 25.11 without slurmdbd keeps a Reason, and its time) */
static void a_drain_of_slurms_with_our_old_reason_is_its_own(void)
{
	begin();
	show("1", "Running", false);
	node.reason = CORDONED;
	node.reason_ms = 1000;
	NOTHING(FULL_MS);
	node.drained = true; /* as its Prolog failed */
	for (int i = 0; i < 3; i++)
		NOTHING(FULL_MS);
	node.down = node.no_respond = true;
	node.reason = CORDONED " : Not responding";
	node.reason_ms = 3000;
	for (int i = 0; i < 12; i++)
		NOTHING(FULL_MS);
	node.down = node.drained = node.no_respond = false;
	NOTHING(FULL_MS);
	node.drained = true; /* by us, after that */
	node.reason = CORDONED;
	node.reason_ms = 5000;
	LOOK(FULL_MS, NODE_UNDRAIN, POD_LEAVE, "host is back");
	end();
}

/* Slurm powers it down some time, drained as it is. */
static void nor_does_it_end_with_the_node(void)
{
	_cleanup_json_ json_object *pod = pod_json("1", "Running", false);

	begin();
	show("1", "Running", false);
	node.reason = CORDONED;
	node.reason_ms = 1000;
	NOTHING(FULL_MS);
	node.drained = true;
	NOTHING(FULL_MS);
	node.busy = false;
	node.power = CTL_POWERING_DOWN;
	worker_pods_delete(pods, pod);
	for (int i = 0; i < 3; i++)
		NOTHING(FULL_MS);
	end();
}

/* (the same releases up to 24.05 write nothing behind it, either) */
static void nor_is_a_node_with_it_down_by_us(void)
{
	begin();
	show("1", "Running", false);
	node.reason = CORDONED;
	node.reason_ms = 1000;
	NOTHING(0);
	NOTHING(10 * MINUTE_MS);
	node.down = node.no_respond = true;
	NOTHING(0);
	NOTHING(FULL_MS);
	end();
}

T_MAIN("node_observe_reason",
       T(a_drain_of_slurms_with_our_old_reason_is_its_own),
       T(nor_does_it_end_with_the_node), T(nor_is_a_node_with_it_down_by_us))

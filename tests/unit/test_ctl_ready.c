/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What k8s_prolog asks slurmctld for, and when it has waited enough. The
 * answers are the test's.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "slurm/ctl_ready.h"
#include "slurm/release.h"
#include "t.h"

#define COMING                                                                 \
	(NODE_STATE_ALLOCATED | NODE_STATE_CLOUD | NODE_STATE_POWERING_UP |    \
	 NODE_STATE_NO_RESPOND)
#define UP (NODE_STATE_ALLOCATED | NODE_STATE_CLOUD)

int64_t __wrap_clock_ms(void);
int __wrap_slurm_job_node_ready(uint32_t job_id);
int __wrap_slurm_load_job(job_info_msg_t **out, uint32_t job_id,
			  uint16_t flags);
void __wrap_slurm_free_job_info_msg(job_info_msg_t *msg);
int __wrap_slurm_load_node_single(node_info_msg_t **out, char *name,
				  uint16_t flags);
void __wrap_slurm_free_node_info_msg(node_info_msg_t *msg);
void __wrap_slurm_xfree(void **text);

static struct {
	int64_t now;
	int ready;	 /* what is said of the job by itself */
	uint32_t job;	 /* its state */
	char nodes[64];	 /* the job's */
	uint32_t n[4];	 /* states of n1, ... */
	int answer;	 /* errno; 0: it is there */
	bool no_node;	 /* nothing is said of nodes */
	int rpcs, asked; /* all, and those about the job */
	int messages;	 /* those not freed */
} played;

static job_info_t job = {.job_id = 7, .nodes = played.nodes};
static job_info_msg_t job_message = {.record_count = 1, .job_array = &job};
static char name[64];
static node_info_t node = {.name = name};
static node_info_msg_t node_message = {.record_count = 1, .node_array = &node};

int64_t __wrap_clock_ms(void)
{
	return played.now;
}

int __wrap_slurm_job_node_ready(uint32_t job_id)
{
	T_INT(job_id, 7);
	played.rpcs++;
	errno = played.answer;
	return played.ready;
}

int __wrap_slurm_load_job(job_info_msg_t **out, uint32_t job_id, uint16_t flags)
{
	T_INT(job_id, 7);
	T_OK(flags & SHOW_LOCAL);
	played.rpcs++;
	played.asked++;
	if (played.answer) {
		errno = played.answer;
		return -1;
	}
	job.job_state = played.job;
	played.messages++;
	*out = &job_message;
	return 0;
}

void __wrap_slurm_free_job_info_msg(job_info_msg_t *msg)
{
	T_OK(msg == &job_message);
	played.messages--;
}

int __wrap_slurm_load_node_single(node_info_msg_t **out, char *of,
				  uint16_t flags)
{
	(void)flags;
	played.rpcs++;
	if (played.answer || played.no_node) {
		errno = played.answer ? played.answer
				      : ESLURM_INVALID_NODE_NAME;
		return -1;
	}
	T_OK(of[0] == 'n' && of[1] >= '1' && of[1] <= '4' && !of[2]);
	strcpy(name, of);
	node.node_state = played.n[of[1] - '1'];
	played.messages++;
	*out = &node_message;
	return 0;
}

void __wrap_slurm_free_node_info_msg(node_info_msg_t *msg)
{
	T_OK(msg == &node_message);
	played.messages--;
}

/* (those of the test are in no memory of Slurm's) */
void __wrap_slurm_xfree(void **text)
{
	*text = NULL;
}

/* Job 7, on n1 to n3, which are powering up. */
static void begin(void)
{
	memset(&played, 0, sizeof(played));
	played.now = 1000000;
	played.ready = READY_JOB_ERROR;
	played.job = JOB_RUNNING | JOB_CONFIGURING;
	strcpy(played.nodes, "n[1-3]");
	for (size_t i = 0; i < T_COUNT(played.n); i++)
		played.n[i] = COMING;
}

/* Asks once more, a second later: so many RPCs, of which so many for the job */
static bool waits(struct ctl_ready *seen, int rpcs, int asked)
{
	bool yes;

	played.now += 1000;
	played.rpcs = played.asked = 0;
	yes = ctl_job_is_waiting(7, seen);
	T_INT(played.rpcs, rpcs);
	T_INT(played.asked, asked);
	T_INT(played.messages, 0);
	return yes;
}

static void a_look_costs_one_rpc(void)
{
	struct ctl_ready seen = {0};

	begin();
	T_OK(waits(&seen, 3, 1)); /* what the job is, and has */
	for (int i = 0; i < 10; i++)
		T_OK(waits(&seen, 1, 0));
	played.n[0] = UP;
	T_OK(waits(&seen, 2, 0));
	T_OK(waits(&seen, 1, 0));
	played.n[1] = played.n[2] = UP;
	T_OK(!waits(&seen, 2, 0));
	ctl_ready_clear(&seen);
	T_OK(!seen.nodes);
}

/* (Slurm 22.05.8) */
static void who_is_told_of_the_job_asks_for_no_nodes(void)
{
	struct ctl_ready seen = {0};

	begin();
	played.ready = READY_JOB_STATE;
	for (int i = 0; i < 30; i++)
		T_OK(waits(&seen, 1, 0));
	played.ready = READY_JOB_STATE | READY_NODE_STATE;
	T_OK(!waits(&seen, 1, 0));
	played.ready = READY_JOB_FATAL;
	T_OK(!waits(&seen, 1, 0));
	T_OK(!seen.nodes);
}

static void a_job_that_has_gone_is_not_waited_for(void)
{
	static const uint32_t states[] = {JOB_PENDING, JOB_CANCELLED,
					  JOB_CANCELLED | JOB_COMPLETING,
					  JOB_NODE_FAIL};
	static const uint32_t nodes[] = {
		NODE_STATE_IDLE | NODE_STATE_POWERING_UP,
		NODE_STATE_IDLE | NODE_STATE_POWERED_DOWN,
		NODE_STATE_DOWN | NODE_STATE_POWERED_DOWN,
		COMING | NODE_STATE_DRAIN,
		COMING | NODE_STATE_FAIL,
	};

	for (size_t i = 0; i < T_COUNT(states); i++) {
		for (size_t k = 0; k < T_COUNT(nodes); k++) {
			struct ctl_ready seen = {0};

			t_row("%zu, %zu", i, k);
			begin();
			T_OK(waits(&seen, 3, 1));
			T_OK(waits(&seen, 1, 0));
			/* the node looks so, and the job runs still */
			played.n[0] = nodes[k];
			T_OK(waits(&seen, 2, 1));
			played.job = states[i];
			T_OK(!waits(&seen, 2, 1));
			ctl_ready_clear(&seen);
		}
	}
}

/* Its node went to another job at once, or it has others. */
static void the_job_is_looked_at_now_and_then(void)
{
	struct ctl_ready seen = {0};
	int i;

	begin();
	T_OK(waits(&seen, 3, 1));
	played.job = JOB_PENDING;
	for (i = 0; i < 14; i++)
		T_OK(waits(&seen, 1, 0));
	T_OK(!waits(&seen, 2, 1));
	ctl_ready_clear(&seen);
	begin();
	played.n[1] = UP;
	T_OK(waits(&seen, 3, 1));
	strcpy(played.nodes, "n[2-3]"); /* n1 was lost: --no-kill */
	for (i = 0; i < 14; i++)
		T_OK(waits(&seen, 1, 0));
	T_OK(waits(&seen, 4, 1));
	T_OK(waits(&seen, 1, 0));
	played.n[2] = UP;
	T_OK(!waits(&seen, 1, 0));
	ctl_ready_clear(&seen);
}

static void who_does_not_answer_is_waited_for(void)
{
	struct ctl_ready seen = {0};

	begin();
	played.answer = ECONNREFUSED;
	T_OK(waits(&seen, 2, 1));
	T_OK(waits(&seen, 1, 1));
	played.answer = 0;
	T_OK(waits(&seen, 2, 1));
	played.no_node = true;
	T_OK(waits(&seen, 2, 1));
	played.answer = ESLURM_INVALID_JOB_ID;
	T_OK(!waits(&seen, 2, 1));
	ctl_ready_clear(&seen);
	T_OK(!waits(&seen, 1, 0));
}

static void a_job_may_have_no_nodes(void)
{
	struct ctl_ready seen = {0};

	begin();
	played.nodes[0] = '\0';
	T_OK(!waits(&seen, 2, 1));
	ctl_ready_clear(&seen);
	job.nodes = NULL;
	T_OK(!waits(&seen, 2, 1));
	job.nodes = played.nodes;
	ctl_ready_clear(&seen);
}

T_MAIN("ctl_ready", T(a_look_costs_one_rpc),
       T(who_is_told_of_the_job_asks_for_no_nodes),
       T(a_job_that_has_gone_is_not_waited_for),
       T(the_job_is_looked_at_now_and_then),
       T(who_does_not_answer_is_waited_for), T(a_job_may_have_no_nodes))

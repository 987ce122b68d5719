/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurm/ctl_queue.h"

#include <string.h>

#include "base/str.h"
#include "slurm/ctl.h"
#include "slurm/ctl_reader.h"
#include "slurm/release.h"
#include "slurm/rpc.h"

struct ctl_queue {
	struct ctl_jobs *all;
	const job_info_msg_t *jobs; /* the message of `all` */
	partition_info_msg_t *parts;
	release_hostlist *nodes_of; /* the nodes of each partition */
	/*
	 * The --nodelist and --exclude of the job that was asked about last,
	 * parsed once for all nodes: its user may have named thousands.
	 */
	bool has_lists;
	uint32_t lists_of; /* the job's index */
	release_hostlist only, except;
};

bool ctl_queue_is_slurms(void)
{
	return SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(23, 2, 0);
}

static void drop_lists(struct ctl_queue *q)
{
	if (q->only)
		slurm_hostlist_destroy(q->only);
	if (q->except)
		slurm_hostlist_destroy(q->except);
	q->only = q->except = NULL;
	q->has_lists = false;
}

void ctl_queue_free(struct ctl_queue *q)
{
	if (!q)
		return;
	drop_lists(q);
	for (uint32_t i = 0; q->nodes_of && i < q->parts->record_count; i++)
		if (q->nodes_of[i])
			slurm_hostlist_destroy(q->nodes_of[i]);
	free(q->nodes_of);
	if (q->parts)
		release_free_partitions(q->parts);
	ctl_jobs_free(q->all);
	free(q);
}

int ctl_queue_load(struct ctl_reader *r, struct ctl_queue **out,
		   struct err *err)
{
	_cleanup_(ctl_queue_freep) struct ctl_queue *q = calloc(1, sizeof(*q));
	struct ctl_read read;
	int rc;

	if (!q)
		return err_oom(err);
	rc = ctl_reader_jobs(r, &q->all, &read, err);
	if (rc)
		return rc;
	q->jobs = q->all->msg;
	if (slurm_load_partitions(0, &q->parts, SHOW_ALL))
		return rpc_err(err,
			       "cannot read slurmctld's jobs and partitions");
	q->nodes_of = calloc(q->parts->record_count + 1, sizeof(*q->nodes_of));
	if (!q->nodes_of)
		return err_oom(err);
	for (uint32_t i = 0; i < q->parts->record_count; i++) {
		const char *nodes = q->parts->partition_array[i].nodes;

		q->nodes_of[i] = slurm_hostlist_create(nodes ? nodes : "");
	}
	*out = steal_ptr(q);
	return 0;
}

static bool waits_for_nodes(const job_info_t *job)
{
	if ((job->job_state & JOB_STATE_BASE) != JOB_PENDING ||
	    !job->features || !*job->features)
		return false;
	if (job->state_reason == FAIL_BAD_CONSTRAINTS)
		return job->req_nodes && *job->req_nodes;
	return job->priority && (job->state_reason == WAIT_RESOURCES ||
				 job->state_reason == WAIT_NODE_NOT_AVAIL);
}

/*
 * The CPUs that a job wants on each node: slurmctld has --ntasks-per-node and
 * --cpus-per-task in pn_min_cpus. What a job wants in all is only sure to be on
 * each node when there may be but one.
 */
static uint32_t cpus_of(const job_info_t *job)
{
	const uint32_t each =
		job->pn_min_cpus == NO_VAL16 ? 0 : job->pn_min_cpus;
	const uint32_t all = job->max_nodes == 1 && job->num_cpus < NO_VAL
				     ? job->num_cpus
				     : 0;

	return each > all ? each : all;
}

static uint64_t memory_of(const job_info_t *job, uint32_t cpus)
{
	const uint64_t mib = job->pn_min_memory & ~MEM_PER_CPU;
	uint64_t all;

	if (job->pn_min_memory == NO_VAL64 || job->pn_min_memory == INFINITE64)
		return 0;
	if (!(job->pn_min_memory & MEM_PER_CPU) || !cpus)
		return mib;
	return __builtin_mul_overflow(mib, cpus, &all) ? UINT64_MAX : all;
}

bool ctl_queue_next(const struct ctl_queue *q, uint32_t *at,
		    struct ctl_waiting *out)
{
	for (; *at < q->jobs->record_count; ++*at) {
		const job_info_t *job = &q->jobs->job_array[*at];

		if (!waits_for_nodes(job))
			continue;
		*out = (struct ctl_waiting){
			.job_id = release_job_id(job),
			.n_nodes = job->num_nodes ? job->num_nodes : 1,
			.cpus = cpus_of(job),
			.memory_mib = memory_of(job, cpus_of(job)),
			.gres = job->tres_per_node,
			.features = job->features,
			.held = job->state_reason == FAIL_BAD_CONSTRAINTS,
			.index = (*at)++};
		return true;
	}
	return false;
}

/* Any update of a job has slurmctld look at it again (_update_job()). */
int ctl_queue_release(uint32_t job_id, struct err *err)
{
	job_desc_msg_t desc;

	slurm_init_job_desc_msg(&desc);
	release_set_job_id(&desc, job_id);
	return rpc_update_job(&desc, err);
}

static bool is_given(const char *list)
{
	return list && *list;
}

static void take_lists(struct ctl_queue *q, uint32_t index)
{
	const job_info_t *job = &q->jobs->job_array[index];

	if (q->has_lists && q->lists_of == index)
		return;
	drop_lists(q);
	if (is_given(job->req_nodes))
		q->only = slurm_hostlist_create(job->req_nodes);
	if (is_given(job->exc_nodes))
		q->except = slurm_hostlist_create(job->exc_nodes);
	q->lists_of = index;
	q->has_lists = true;
}

static bool is_listed(release_hostlist list, const char *node)
{
	return list && slurm_hostlist_find(list, node) >= 0;
}

/* A job may name several reservations; of a node's Slurm tells at most one. */
static bool in_reservation(const job_info_t *job, const struct ctl_node *node)
{
	if (!job->resv_name || !*job->resv_name)
		return !node->reserved;
	return node->reserved && node->reservation &&
	       str_list_has(job->resv_name, node->reservation,
			    strlen(node->reservation));
}

bool ctl_queue_may_use(struct ctl_queue *q, const struct ctl_waiting *w,
		       const struct ctl_node *node)
{
	const job_info_t *job = &q->jobs->job_array[w->index];

	if (!in_reservation(job, node))
		return false;
	take_lists(q, w->index);
	if ((is_given(job->req_nodes) && !is_listed(q->only, node->name)) ||
	    is_listed(q->except, node->name))
		return false;
	for (uint32_t i = 0; i < q->parts->record_count; i++) {
		const char *name = q->parts->partition_array[i].name;

		if (q->nodes_of[i] && name &&
		    str_list_has(job->partition, name, strlen(name)) &&
		    slurm_hostlist_find(q->nodes_of[i], node->name) >= 0)
			return true;
	}
	return false;
}

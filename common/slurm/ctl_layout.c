/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a placeholder has on each of its nodes. */
#include <errno.h>
#include <string.h>

#include "slurm/ctl_placeholder_list.h"
#include "slurm/release.h"
#include "slurm/rpc.h"
#include "slurm/share.h"

struct ctl_layout {
	struct placed_node *nodes;
	size_t n;
};

void ctl_layout_free(struct ctl_layout *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->n; i++) {
		free((char *)l->nodes[i].name);
		free((char *)l->nodes[i].gres);
	}
	free(l->nodes);
	free(l);
}

size_t ctl_layout_count(const struct ctl_layout *l)
{
	return l->n;
}

const struct placed_node *ctl_layout_at(const struct ctl_layout *l, size_t i)
{
	return i < l->n ? &l->nodes[i] : NULL;
}

static const job_info_t *find(const job_info_msg_t *msg, uint32_t job_id)
{
	for (uint32_t i = 0; i < msg->record_count; i++)
		if (release_job_id(&msg->job_array[i]) == job_id)
			return &msg->job_array[i];
	return NULL;
}

/* The number of CPUs on node i, of a text like "2(x3),4". */
static uint32_t cpus_at(const resource_allocation_response_msg_t *a, size_t i)
{
	for (uint32_t g = 0; g < a->num_cpu_groups; g++) {
		if (i < a->cpu_count_reps[g])
			return a->cpus_per_node[g];
		i -= a->cpu_count_reps[g];
	}
	return 0;
}

/* What slurmctld says of the gres on node i. */
static const char *gres_at(const job_info_t *job, size_t i)
{
	const bool said = job->gres_detail_str && i < job->gres_detail_cnt &&
			  job->gres_detail_str[i];

	return said ? job->gres_detail_str[i] : "";
}

static int add(struct ctl_layout *l, const char *name, const job_info_t *job,
	       const resource_allocation_response_msg_t *a)
{
	struct placed_node *node = &l->nodes[l->n];

	*node = (struct placed_node){
		.name = strdup(name),
		.cpus = cpus_at(a, l->n),
		.gres = strdup(gres_at(job, l->n)),
	};
	node->memory_mib = share_memory(a->pn_min_memory, node->cpus);
	l->n++;
	return node->name && node->gres ? 0 : -ENOMEM;
}

static int fill(struct ctl_layout *l, const job_info_t *job,
		const resource_allocation_response_msg_t *a)
{
	release_hostlist list = slurm_hostlist_create(a->node_list);
	const int n = list ? slurm_hostlist_count(list) : 0;
	char *name;
	int rc = 0;

	l->nodes = calloc((size_t)(n > 0 ? n : 0) + 1, sizeof(*l->nodes));
	if (!list || !l->nodes)
		rc = -ENOMEM;
	while (!rc && l->n < (size_t)n && (name = slurm_hostlist_shift(list))) {
		rc = add(l, name, job, a);
		free(name);
	}
	if (list)
		slurm_hostlist_destroy(list);
	return rc;
}

/* The number of nodes in ranges like [0, 3, 7, 7, -1]. */
static int count_of(const int32_t *ranges)
{
	int n = 0;

	for (; ranges && ranges[0] >= 0 && ranges[1] >= ranges[0]; ranges += 2)
		n += ranges[1] - ranges[0] + 1;
	return n;
}

/* True if the job has as much on each node as on the first. */
static bool are_alike(const struct ctl_layout *l)
{
	for (size_t i = 1; i < l->n; i++)
		if (l->nodes[i].cpus != l->nodes[0].cpus ||
		    strcmp(l->nodes[i].gres, l->nodes[0].gres) != 0)
			return false;
	return true;
}

/* Give node i this name; another one, which has it, gets node i's. */
static bool take_name(struct ctl_layout *l, size_t i, const char *name)
{
	for (size_t at = i; at < l->n; at++) {
		const char *had = l->nodes[at].name;

		if (strcmp(had, name) != 0)
			continue;
		l->nodes[at].name = l->nodes[i].name;
		l->nodes[i].name = had;
		return true;
	}
	return false;
}

/* False: the table has other nodes there than the job has. */
static bool take_names(struct ctl_layout *l, const int32_t *ranges,
		       const node_info_msg_t *table)
{
	size_t n = 0;

	for (; ranges[0] >= 0; ranges += 2) {
		for (int32_t at = ranges[0]; at <= ranges[1]; at++) {
			const char *name = (uint32_t)at < table->record_count
						   ? table->node_array[at].name
						   : NULL;

			if (!name || !take_name(l, n++, name))
				return false;
		}
	}
	return true;
}

static int two_moments(struct err *err)
{
	return err_set(err, -ESTALE, "the job's nodes have just changed");
}

/*
 * slurmctld sorts the names of a job that has become smaller
 * (excise_node_from_job() of its job_mgr.c). CPUs and gres stay in the order of
 * its table of nodes, which is not the names' where nodes were created while it
 * ran: the job's node_inx has that order. A job that was never resized has its
 * names in it, too, and the table, which may be large, is not asked for.
 */
static int put_in_order(struct ctl_layout *l, const job_info_t *job,
			struct err *err)
{
	node_info_msg_t *table = NULL;
	bool same;

	if (l->n != (size_t)count_of(job->node_inx))
		return two_moments(err);
	if (!job->resize_time || are_alike(l))
		return 0;
	if (slurm_load_node(0, &table, SHOW_ALL))
		return rpc_err(err, "cannot read slurmctld's nodes");
	same = take_names(l, job->node_inx, table);
	release_free_nodes(table);
	return same ? 0 : two_moments(err);
}

static bool is_gone(int code)
{
	return code == ESLURM_INVALID_JOB_ID || code == ESLURM_ALREADY_DONE ||
	       code == ESLURM_JOB_PENDING;
}

static int failed(int code, struct err *err)
{
	errno = code;
	return is_gone(code) ? err_set(err, -ENOENT, "the job does not run")
			     : rpc_err(err, "cannot read the job's nodes");
}

/*
 * After kill -9 of slurmctld a slurmd may have a batch script of a job that
 * runs anew by now. What slurmd says at that one's end takes the node from the
 * job, which runs on without (make_node_idle() of slurmctld's node_mgr.c).
 * slurmctld then writes what is not its own when it is asked for the job's
 * allocation (build_job_info_resp()), and crashes: so it must not be asked.
 */
static int check_nodes(const job_info_t *job, struct err *err)
{
	release_hostlist list = slurm_hostlist_create(job->nodes);
	const int n = list ? slurm_hostlist_count(list) : 0;

	if (list)
		slurm_hostlist_destroy(list);
	if (!n || n == count_of(job->node_inx))
		return 0;
	return err_set(err, -EAGAIN, "slurmctld has lost nodes of the job");
}

/*
 * Check that the job runs, and that slurmctld has all its nodes. 0; -ENOENT;
 * -EAGAIN.
 */
static int check(const job_info_t *job, struct err *err)
{
	const uint32_t state = job ? job->job_state & JOB_STATE_BASE : 0;
	const bool runs = job && job->nodes && *job->nodes &&
			  (state == JOB_RUNNING || state == JOB_SUSPENDED);

	return runs ? check_nodes(job, err)
		    : err_set(err, -ENOENT, "the job does not run");
}

static int load(uint32_t job_id, const job_info_t *job, struct ctl_layout *l,
		struct err *err)
{
	resource_allocation_response_msg_t *a = NULL;
	int rc = check(job, err);

	if (rc)
		return rc;
	errno = 0;
	if (release_allocation(job_id, &a) || !a)
		return failed(errno, err);
	rc = a->node_list ? fill(l, job, a)
			  : err_set(err, -ENOENT, "the job does not run");
	if (!rc)
		rc = put_in_order(l, job, err);
	slurm_free_resource_allocation_response_msg(a);
	return rc == -ENOMEM ? err_oom(err) : rc;
}

int ctl_layout_load(uint32_t job_id, struct ctl_layout **out, struct err *err)
{
	_cleanup_(ctl_layout_freep) struct ctl_layout *l =
		calloc(1, sizeof(*l));
	job_info_msg_t *msg = NULL;
	int rc;

	if (!l)
		return err_oom(err);
	errno = 0;
	if (release_load_details(&msg, job_id))
		return failed(errno, err);
	rc = load(job_id, find(msg, job_id), l, err);
	release_free_jobs(msg);
	if (!rc)
		*out = steal_ptr(l);
	return rc;
}

int ctl_layout_names(uint32_t job_id, char **out, struct placed_share *has,
		     struct err *err)
{
	job_info_msg_t *msg = NULL;
	const job_info_t *job;
	int rc;

	errno = 0;
	if (release_load_job(&msg, job_id))
		return failed(errno, err);
	job = find(msg, job_id);
	rc = check(job, err);
	if (!rc) {
		*out = strdup(job->nodes);
		has->cpus = job->num_cpus;
		has->memory_mib =
			share_memory(job->pn_min_memory, job->num_cpus);
		rc = *out ? 0 : err_oom(err);
	}
	release_free_jobs(msg);
	return rc;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurm/ctl_placeholder.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "slurm/job_advice.h"
#include "slurm/release.h"
#include "slurm/rpc.h"

bool ctl_external_known(void)
{
	return release_external();
}

static void set_texts(job_desc_msg_t *desc, const struct placeholder *p)
{
	desc->name = (char *)p->name;
	desc->account = (char *)p->account;
	desc->partition = (char *)p->partition;
	desc->qos = (char *)p->qos;
	desc->reservation = (char *)p->reservation;
	desc->features = (char *)p->features;
	desc->prefer = (char *)p->prefer;
	desc->mcs_label = (char *)p->mcs_label;
	desc->licenses = (char *)p->licenses;
	desc->wckey = (char *)p->wckey;
	desc->req_nodes = (char *)p->nodelist;
	desc->exc_nodes = (char *)p->exclude;
	desc->dependency = (char *)p->dependency;
	desc->comment = (char *)p->comment;
	desc->admin_comment = (char *)p->admin_comment;
}

/*
 * Slurm knows memory per node and per CPU. Per task is per CPU, rounded up: a
 * node with several tasks gets as much as they need together.
 */
static uint64_t memory_of(const struct placeholder *p)
{
	const uint64_t cpus = p->cpus_per_task ? p->cpus_per_task : 1;

	if (p->memory_per_node)
		return p->memory_per_node == UINT64_MAX ? 0
							: p->memory_per_node;
	return (p->memory_per_task / cpus + !!(p->memory_per_task % cpus)) |
	       MEM_PER_CPU;
}

static void set_sizes(job_desc_msg_t *desc, const struct placeholder *p)
{
	if (p->min_nodes)
		desc->min_nodes = p->min_nodes;
	if (p->max_nodes)
		desc->max_nodes = p->max_nodes;
	if (p->tasks) {
		desc->num_tasks = p->tasks;
		desc->bitflags |= JOB_NTASKS_SET;
	}
	if (p->tasks_per_node)
		desc->ntasks_per_node = p->tasks_per_node;
	if (p->cpus_per_task) {
		desc->cpus_per_task = p->cpus_per_task;
		desc->bitflags |= JOB_CPUS_SET;
	}
	if (p->tasks)
		desc->min_cpus =
			p->tasks * (p->cpus_per_task ? p->cpus_per_task : 1);
	if (p->memory_per_node || p->memory_per_task)
		desc->pn_min_memory = memory_of(p);
}

static void set_places(job_desc_msg_t *desc, const struct placeholder *p)
{
	if (p->node_cpus)
		desc->pn_min_cpus = p->node_cpus;
	if (p->node_tmp)
		desc->pn_min_tmp_disk = p->node_tmp;
	if (p->contiguous)
		desc->contiguous = 1;
	if (p->switches)
		desc->req_switch = p->switches;
	if (p->switches_wait_s)
		desc->wait4switch = p->switches_wait_s;
}

static void set_times(job_desc_msg_t *desc, const struct placeholder *p)
{
	if (p->time_limit)
		desc->time_limit = p->time_limit;
	if (p->time_min)
		desc->time_min = p->time_min;
	if (p->begin)
		desc->begin_time = p->begin;
	if (p->deadline)
		desc->deadline = p->deadline;
	if (p->priority)
		desc->priority = p->priority;
	if (p->nice)
		desc->nice = NICE_OFFSET + (uint32_t)p->nice;
	if (p->hold == PLACEHOLDER_HOLD)
		desc->priority = 0;
}

/* A request, and the texts that it owns. */
struct constraint {
	job_desc_msg_t desc;
	char *tres_per_node, *tres_per_task;
};

static void constraint_free(struct constraint *r)
{
	free(r->tres_per_node);
	free(r->tres_per_task);
}
#define _cleanup_request_ _cleanup_(constraint_free)

/* "gres/gpu:2,gres/nic:1" in this release's words; NULL: out of memory. */
static char *gres_of(const char *text)
{
	char *copy = strdup(text), *at = copy;

	while (at && *at) {
		if (str_starts(at, "gres/"))
			at[sizeof("gres") - 1] = RELEASE_GRES_SEPARATOR;
		at += strcspn(at, ",");
		at += *at == ',';
	}
	return copy;
}

static int set_gres(struct constraint *r, const struct placeholder *p)
{
	if (p->tres_per_node)
		r->tres_per_node = gres_of(p->tres_per_node);
	if (p->tres_per_task)
		r->tres_per_task = gres_of(p->tres_per_task);
	r->desc.tres_per_node = r->tres_per_node;
	r->desc.tres_per_task = r->tres_per_task;
	return (p->tres_per_node && !r->tres_per_node) ||
			       (p->tres_per_task && !r->tres_per_task)
		       ? -ENOMEM
		       : 0;
}

static int describe(struct constraint *r, const struct placeholder *p)
{
	slurm_init_job_desc_msg(&r->desc);
	set_texts(&r->desc, p);
	set_sizes(&r->desc, p);
	set_places(&r->desc, p);
	set_times(&r->desc, p);
	return set_gres(r, p);
}

static void set_sharing(job_desc_msg_t *desc, enum placeholder_exclusive e)
{
	switch (e) {
	case PLACEHOLDER_EXCLUSIVE_AS_IS:
		break;
	case PLACEHOLDER_EXCLUSIVE:
		desc->shared = JOB_SHARED_NONE;
		break;
	case PLACEHOLDER_SHARED:
		desc->shared = JOB_SHARED_OK;
		break;
	case PLACEHOLDER_SHARED_USER:
		desc->shared = JOB_SHARED_USER;
		break;
	case PLACEHOLDER_SHARED_MCS:
		desc->shared = JOB_SHARED_MCS;
		break;
	}
}

/* What only a submission says. */
static void describe_new(job_desc_msg_t *desc, const struct placeholder *p)
{
	desc->user_id = p->uid;
	desc->group_id = p->gid;
	desc->work_dir = (char *)(p->workdir ? p->workdir : "/");
	desc->clusters = (char *)p->slurm_cluster;
	if (!p->min_nodes)
		desc->min_nodes = 1;
	set_sharing(desc, p->exclusive);
	if (p->invalid_dep == PLACEHOLDER_DEP_KILL)
		desc->bitflags |= KILL_INV_DEP;
	else if (p->invalid_dep == PLACEHOLDER_DEP_KEEP)
		desc->bitflags |= NO_KILL_INV_DEP;
	desc->requeue = p->no_requeue ? 0 : 1;
	/* As with sbatch: a node's failure ends the job, or puts it back. */
	desc->kill_on_node_fail = 1;
}

/* True if Slurm takes no more jobs for now, of this user or of anybody. */
static bool is_full(int code)
{
	return code == ESLURM_ACCOUNTING_POLICY || code == EAGAIN ||
	       code == RELEASE_MAX_JOB_COUNT;
}

/* True if the request may succeed a little later as it is. */
static bool is_passing(int code)
{
	switch (code) {
	/* a limit on submitted jobs is reached */
	case ESLURM_ACCOUNTING_POLICY:
	case ESLURM_SUBMISSIONS_DISABLED:
	case ESLURM_IN_STANDBY_MODE:
	case ESLURM_IN_STANDBY_USE_BACKUP:
	case ESLURM_DB_CONNECTION:
	case ESLURM_ALREADY_DONE:
	case ESLURM_JOB_NOT_PENDING: /* the next list shows that it runs */
	case ESLURM_JOB_FINISHED:    /* the next list shows its end */
	case ESLURM_INVALID_JOB_ID:
	case ESLURM_TRANSITION_STATE_NO_UPDATE:
	case ESLURM_NODES_BUSY:
	case ESLURM_RESERVATION_BUSY:
	case ESLURM_PROLOG_RUNNING:
	case SLURMCTLD_COMMUNICATIONS_CONNECTION_ERROR:
	case SLURMCTLD_COMMUNICATIONS_SEND_ERROR:
	case SLURMCTLD_COMMUNICATIONS_RECEIVE_ERROR:
	case SLURMCTLD_COMMUNICATIONS_SHUTDOWN_ERROR:
	case SLURM_PROTOCOL_SOCKET_IMPL_TIMEOUT: /* no answer in MessageTimeout
						  */
	case SLURM_PROTOCOL_SOCKET_ZERO_BYTES_SENT:
		return true;
	default:
		/*
		 * errno values (EAGAIN: MaxJobCount), and codes of the
		 * transport
		 */
		return code >= 0 && code < ESLURM_INVALID_PARTITION_NAME;
	}
}

/*
 * The code SLURM_ERROR comes from a job_submit plugin, as job_submit/lua's
 * slurm.ERROR: it has no words here. `rc`: the result; 0: by Slurm's code.
 */
static int refused(struct err *err, int rc, const char *what)
{
	const int code = errno;
	const char *advice = job_advice_for_error(code);

	if (!rc)
		rc = is_passing(code) ? -EAGAIN : -EINVAL;
	if (code == SLURM_ERROR)
		return err_set(err, rc,
			       "%s: it breaks a rule of this site; which one "
			       "is in slurmctld's log",
			       what);
	return err_set(err, rc, "%s: %s%s%s", what, slurm_strerror(code),
		       advice ? "; " : "", advice ? advice : "");
}

int ctl_placeholder_submit(const struct placeholder *p, uint32_t *job_id,
			   struct err *err)
{
	_cleanup_request_ struct constraint r = {0};

	*job_id = 0;
	if (describe(&r, p))
		return err_oom(err);
	describe_new(&r.desc, p);
	errno = 0;
	if (release_submit(&r.desc, job_id))
		return refused(err, is_full(errno) ? -EDQUOT : 0,
			       "Slurm refuses the job");
	if (!*job_id)
		return err_set(err, -EAGAIN,
			       "Slurm has not said which job it is");
	return 0;
}

static int update(uint32_t job_id, const struct placeholder *p, struct err *err)
{
	_cleanup_request_ struct constraint r = {0};

	if (describe(&r, p))
		return err_oom(err);
	release_set_job_id(&r.desc, job_id);
	/* As with sbatch --hold: the job's user may end the hold. */
	if (p->hold == PLACEHOLDER_HOLD)
		r.desc.alloc_sid = ALLOC_SID_USER_HOLD;
	errno = 0;
	if (!slurm_update_job(&r.desc))
		return 0;
	return refused(err, errno == ESLURM_INVALID_NODE_NAME ? -ENODEV : 0,
		       "Slurm refuses the update of the job");
}

int ctl_placeholder_update(uint32_t job_id, const struct placeholder *p,
			   struct err *err)
{
	const struct placeholder last = {.priority = p->priority,
					 .hold = p->hold};
	struct placeholder first = *p;
	int rc;

	/*
	 * 22.05 forgets a priority, also that of a hold, beside a nice value.
	 */
	if (!p->nice || (!p->priority && !p->hold))
		return update(job_id, p, err);
	first.priority = 0;
	first.hold = PLACEHOLDER_HOLD_AS_IS;
	rc = update(job_id, &first, err);
	return rc ? rc : update(job_id, &last, err);
}

/* True if the job has ended already, and Slurm may have forgotten it. */
static bool is_over(int code)
{
	return code == ESLURM_ALREADY_DONE || code == ESLURM_INVALID_JOB_ID ||
	       code == ESLURM_JOB_FINISHED;
}

int ctl_placeholder_end(uint32_t job_id, uint32_t wait_status, struct err *err)
{
	errno = 0;
	if (!release_complete_job(job_id, wait_status) || is_over(errno))
		return 0;
	return refused(err, 0, "Slurm refuses to end the job");
}

int ctl_placeholder_cancel(uint32_t job_id, struct err *err)
{
	errno = 0;
	if (!release_kill_job(job_id, SIGKILL) || is_over(errno))
		return 0;
	return refused(err, 0, "Slurm refuses to cancel the job");
}

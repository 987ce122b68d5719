/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slurmctld through its public API (slurm/slurm.h). This folder is the only one
 * that includes <slurm/...>.
 *
 * A function that loads, waits, updates or says "RPC" does RPCs, each of which
 * may block for MessageTimeout and more: never from a plugin callback; any
 * other thread. It gives 0, -EIO with Slurm's words, or -ENOMEM, where nothing
 * else is said. All others only read a snapshot, which does not change: any
 * thread. Loading again costs slurmctld one pass over its table under a lock.
 */
#ifndef SLURMK8S_SLURM_CTL_H
#define SLURMK8S_SLURM_CTL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "syntax/wellknown.h"

/*
 * Read slurm.conf. Once in a program, before the rest; never inside slurmctld.
 * Ends the process if there is no slurm.conf.
 */
void ctl_init(void);

/*
 * How long a PrologSlurmctld may run, in seconds, by the slurm.conf that
 * ctl_init() has read; slurmctld may not have read that one yet. 0: for ever,
 * or it is not known. No RPC.
 */
uint32_t ctl_prolog_timeout_s(void);

/* the release that this was built for: "22.05.8" */
const char *ctl_version(void);

/* Which PrologSlurmctld there is: see k8s_prolog(8). */
enum ctl_prolog {
	CTL_PROLOG_NONE,
	CTL_PROLOG_OTHER, /* another program, which may call k8s_prolog */
	CTL_PROLOG_OURS,
};

/* What slurm.conf says. */
struct ctl_site {
	char *cluster; /* ClusterName; the caller frees */
	uint32_t resume_timeout_s, kill_wait_s;
	uint32_t max_jobs;	   /* MaxJobCount */
	uint32_t min_job_age_s;	   /* MinJobAge */
	uint32_t prolog_timeout_s; /* limit of PrologSlurmctld; 0: none */
	uint32_t requeue_delay_s;  /* wait of a requeued job */
	bool expedites; /* users may ask not to wait: --requeue=expedite */
	char notify_name[64];	/* where our programs find the engine:
				   base/notify.h */
	bool has_features;	/* NodeFeaturesPlugins has node_features/k8s */
	bool has_stepmgr;	/* slurmctld leaves steps to the nodes */
	bool suspends_external; /* power saving would take external nodes */
	/*
	 * A node may register before power saving has looked at it, once a job
	 * has it (ReturnToService=2; else slurmctld takes it for rebooted, and
	 * ends its job), and no ResumeRate bounds how many start.
	 */
	bool starts_early;
	/*
	 * Memory is not counted (SelectTypeParameters), so a node with nothing
	 * but suspended jobs seems idle: ctl_node.busy
	 */
	bool hides_suspended;
	enum ctl_prolog prolog;
};
/*
 * Read slurmctld's configuration. One RPC. -EIO, too, if it has no ClusterName.
 * The caller frees out->cluster, also on failure.
 */
int ctl_site_load(struct ctl_site *out, struct err *err);

enum ctl_node_power {
	CTL_POWERED_DOWN,
	CTL_POWERING_UP,
	CTL_UP, /* registered, or believed to be */
	CTL_POWERING_DOWN,
};

struct ctl_node {
	const char *name;
	enum ctl_node_power power;
	bool down;    /* base state DOWN */
	bool drained; /* DRAIN or FAIL */
	bool failing; /* FAIL, and not DRAIN */
	/* allocated or completing, or a suspended job has memory there */
	bool busy;
	bool emptied; /* allocated, but none of its CPUs; from 25.05 on */
	bool no_respond;
	bool dynamic;	   /* not named in slurm.conf */
	bool cloud;	   /* State=CLOUD */
	bool external;	   /* State=EXTERNAL: slurm/ctl_external.h */
	bool rebooting;	   /* scontrol reboot, requested or issued */
	bool reboot_asked; /* a reboot is requested, and not issued */
	bool ending;	   /* a power-down was asked for, and has not begun */
	bool starting;	   /* a power-up was asked for, and has not begun */
	bool reserved;	   /* in a reservation that has begun */
	/* the reservation's name; only 23.02 and later tell */
	const char *reservation;
	int64_t last_busy_s; /* epoch: when its last job ended; 0: not known */
	/* epoch, by its host's clock: when the slurmd that registered last, or
	   tried to, was started; 0: not known */
	int64_t slurmd_start_s;
	const char *reason;
	int64_t reason_ms; /* epoch */
	/*
	 * epoch: when Slurm is to resume the node (ResumeAfter=, from 23.02
	 * on); 0: never
	 */
	int64_t resume_at_s;
	/*
	 * idle seconds after which the node is powered down; INT64_MAX: never;
	 * -1: not known, before 26.05
	 */
	int64_t suspend_time_s;
	const char *extra;
	uint32_t cpus;
	uint64_t memory_mib;
	const char *gres;
	const char *comment;
	const char *features; /* available, "rack1,pytorch,jax" */
	const char *features_active;
	/*
	 * place in Slurm's topology, from 25.05 on; NULL: as topology.yaml says
	 */
	const char *topology;
};

/*
 * A snapshot of all nodes. One RPC. The caller frees *out; a NULL may be freed,
 * too. It may get more owners (slurm/shared.h), each of which frees it.
 */
struct ctl_nodes;
int ctl_nodes_load(struct ctl_nodes **out, struct err *err);
void ctl_nodes_free(struct ctl_nodes *n);
DEFINE_CLEANUP(struct ctl_nodes, ctl_nodes_freep, ctl_nodes_free)

/*
 * Load anew if any node has changed since *nodes (NULL: never) was loaded. One
 * RPC. 1: *nodes is another snapshot, and the old one is freed; 0: nothing has
 * changed; or an error, and *nodes is as before.
 */
int ctl_nodes_refresh(struct ctl_nodes **nodes, struct err *err);

/* The number of nodes; 0 for NULL. */
size_t ctl_nodes_count(const struct ctl_nodes *n);

/*
 * True if nothing that is known of any node differs, nor their order. Neither
 * is NULL.
 */
bool ctl_nodes_same(const struct ctl_nodes *a, const struct ctl_nodes *b);

/*
 * Load only this node: a snapshot with one record, or with none if Slurm does
 * not know it. One RPC. The caller frees *out.
 */
int ctl_nodes_load_one(const char *name, struct ctl_nodes **out,
		       struct err *err);

/*
 * The i-th node, in no order; texts are borrowed from `n`. False: there are not
 * so many.
 */
bool ctl_nodes_at(const struct ctl_nodes *n, size_t i, struct ctl_node *out);

/*
 * Wait until every node of the list is powering down or down; nodes that Slurm
 * does not know count as such. An RPC each 0.3 s. -ETIMEDOUT: not all of them
 * are.
 */
int ctl_wait_powering_down(char *const names[], size_t n, int64_t timeout_ms,
			   struct err *err);

/*
 * The node of this name; texts are borrowed from `n`. False: Slurm does not
 * know it.
 */
bool ctl_nodes_find(const struct ctl_nodes *n, const char *name,
		    struct ctl_node *out);

/*
 * A snapshot of all jobs. One RPC. The caller frees *out; a NULL may be freed,
 * too. It may get more owners (slurm/shared.h), each of which frees it.
 */
struct ctl_jobs;
int ctl_jobs_load(struct ctl_jobs **out, struct err *err);
void ctl_jobs_free(struct ctl_jobs *j);
DEFINE_CLEANUP(struct ctl_jobs, ctl_jobs_freep, ctl_jobs_free)

/*
 * True if Slurm may put this job back in the queue: it is a batch job without
 * --no-requeue, or is gone.
 */
bool ctl_job_requeueable(const struct ctl_jobs *j, uint32_t job_id);

/*
 * Call `fn` for each node with a job that Slurm would end, not requeue, when
 * the node is drained while it powers up, or forced to power down; once for
 * each such job. `node` is borrowed during the call.
 */
void ctl_jobs_drain_kills(const struct ctl_jobs *j,
			  void (*fn)(void *arg, const char *node), void *arg);

/* The job's AdminComment, borrowed from `j`; NULL: it has none. */
const char *ctl_job_says(const struct ctl_jobs *j, uint32_t job_id);

/* The number of jobs in the snapshot. */
size_t ctl_jobs_count(const struct ctl_jobs *j);

/* A running (or suspended) job on one of its nodes. */
struct ctl_occupant {
	const char *node;
	uint32_t job_id;
	bool requeueable;
	uint32_t uid;
	const char *user; /* NULL: Slurm does not say */
	const char *account;
	const char *admin_comment; /* NULL: none */
	uint32_t restarts;	   /* how often it has been requeued */
	bool held; /* running, and held for the time after a requeue */
};

/*
 * Call `fn` for each pair of a job that runs, or is suspended, and one of its
 * nodes. *o is borrowed during the call.
 */
typedef void (*ctl_on_node_fn)(void *arg, const struct ctl_occupant *o);
void ctl_jobs_on_nodes(const struct ctl_jobs *j, ctl_on_node_fn fn, void *arg);

/*
 * After a requeue Slurm sets a begin time when COMPLETING ends, by default two
 * minutes ahead: AuthInfo=cred_expire=, or, from 25.11 on,
 * SchedulerParameters=requeue_delay= (slurm.conf(5)); with --requeue=expedite
 * none. This is how far a job has come.
 */
enum ctl_job_wait {
	/* Slurm has not set the begin time: look again later */
	CTL_JOB_ENDING,
	CTL_JOB_DELAYED,  /* pending with such a begin time */
	CTL_JOB_ELIGIBLE, /* has run before, and may begin again now */
	/*
	 * A job that has run before and is held: whoever holds it decides when
	 * it begins again.
	 */
	CTL_JOB_HELD,
	CTL_JOB_FREE, /* any other job, and one that is gone */
};

/*
 * Call `fn` for each job that went back to the queue with words of ours
 * (AdminComment) and is ENDING, DELAYED or ELIGIBLE (of one that is the last,
 * the words may be old). `words`, with "k8s: ", are borrowed during the call.
 * `back_s`: when it went, epoch; now, if it is still on its way. `delay_s`: the
 * site's requeue_delay_s, here and below.
 */
typedef void (*ctl_sent_back_fn)(void *arg, uint32_t job_id, const char *words,
				 enum ctl_job_wait wait, int64_t back_s);
void ctl_jobs_sent_back(const struct ctl_jobs *j, uint32_t delay_s,
			ctl_sent_back_fn fn, void *arg);

/*
 * Ask for one job. One RPC; CTL_JOB_ENDING, too, when slurmctld does not
 * answer.
 */
enum ctl_job_wait ctl_job_wait(uint32_t job_id, uint32_t delay_s);

/*
 * Call `fn` for each job of a snapshot. A job that is not there is
 * CTL_JOB_FREE.
 */
void ctl_jobs_each_wait(const struct ctl_jobs *j, uint32_t delay_s,
			void (*fn)(void *arg, uint32_t job_id,
				   enum ctl_job_wait wait),
			void *arg);

/*
 * Make a pending job eligible at `at_s` (epoch, seconds), or now if that is
 * past. One RPC.
 */
int ctl_job_begin(uint32_t job_id, int64_t at_s, struct err *err);

/* Hold a pending job so that its user may release it. One RPC. */
int ctl_job_hold(uint32_t job_id, struct err *err);

#define CTL_ENDS_MAX 64 /* nodes in one RPC of those that end jobs */

/*
 * Updates, `nodes` a hostlist (scontrol(1) update NodeName). `text` is the
 * Reason (or the Comment, or Extra, where these are set); NULL leaves it as it
 * is.
 *
 * Slurm keeps a Reason only on nodes that are DOWN, DRAIN or FAIL: any other
 * update clears it (accounting_storage, clusteracct_storage_g_node_up). What is
 * to be read on an idle or powering up node goes into its Comment. From 23.11
 * to 25.11 without slurmdbd slurmctld keeps the Reason, and takes it for that
 * of a later drain of its own: there RESUME, UNDRAIN and IDLE with NULL write
 * "Not responding" over it, which slurmctld replaces then. With "" they leave
 * it, too: for nodes whose Reason is not ours.
 *
 * One RPC; for updates that end jobs one for every CTL_ENDS_MAX nodes: all are
 * sent, and the first error of any is returned.
 */
enum ctl_node_update {
	CTL_SET_COMMENT,
	CTL_DRAIN, /* on a node that is powering up: requeues its jobs */
	CTL_POWER_DOWN_FORCE, /* takes effect at the next power saving scan */
	/*
	 * CTL_POWER_DOWN_FORCE for nodes that have not registered since they
	 * were powered up. Until Slurm powers them down it may look up what it
	 * knows as their address, which is their name, in vain and with locks
	 * held; so they get one that needs no looking up, until they are
	 * powered down. For State=CLOUD only: others would keep it.
	 */
	CTL_POWER_DOWN_NEW,
	CTL_RESUME,	/* powering down or down -> powered down, idle */
	CTL_UNDRAIN,	/* undrain, and ask slurmd to register */
	CTL_IDLE,	/* undrain, or up again, without asking slurmd */
	CTL_FAIL,	/* as CTL_DRAIN, but CTL_RESUME does not ask slurmd */
	CTL_DOWN,	/* jobs there are requeued, or end with NODE_FAIL */
	CTL_POWER_DOWN, /* an idle node */
	/*
	 * For nodes that are powered down. One that powers up already would
	 * begin anew, with another ResumeProgram (node_mgr.c, update_node()).
	 */
	CTL_POWER_UP,
	CTL_SET_EXTRA,
};
int ctl_node_update(const char *nodes, enum ctl_node_update what,
		    const char *text, struct err *err);

/*
 * Set their active features, and the available ones unless NULL. One RPC. An
 * error is logged and returned.
 */
int ctl_node_features(const char *nodes, const char *active,
		      const char *available);

/* ctl_node_update(), but an error is logged. */
int ctl_node_try(const char *nodes, enum ctl_node_update what,
		 const char *text);

/*
 * CTL_DOWN or CTL_DRAIN for the Reason that the nodes have. Where Slurm is to
 * resume them (ResumeAfter=) it still is: update_node() takes that back with
 * any other state that is set without it. `nodes` is a list of names with
 * commas; those that `now` does not have are left alone. One RPC, and one for
 * each row of nodes that have such a time. 0; an error is logged, and the first
 * one is returned.
 */
int ctl_nodes_keep(const struct ctl_nodes *now, const char *nodes,
		   enum ctl_node_update what);

/*
 * CTL_POWER_DOWN_NEW for those that are of State=CLOUD, CTL_POWER_DOWN_FORCE
 * for the others. `nodes` is a list of names with commas; those that `now` does
 * not have are left alone. RPCs as of ctl_node_update(). 0; an error is logged,
 * and the first one is returned.
 */
int ctl_nodes_power_down_new(const struct ctl_nodes *now, const char *nodes);

/*
 * Write "k8s: " and the words, without their middle if they are longer than a
 * Reason should be (str_shorten()). No RPC.
 */
void ctl_reason(const char *words, char out[WK_REASON_MAX]);

/*
 * Set a node's Comment, "" to clear it, unless somebody else has written one:
 * ours begin with WK_REASON_PREFIX ("k8s: ").
 */
int ctl_node_comment(const struct ctl_nodes *n, const char *node,
		     const char *text, struct err *err);

/*
 * Set the Comment of many nodes as ctl_node_comment() does, in one RPC; none if
 * all have it.
 */
int ctl_nodes_comment(const struct ctl_nodes *n, char *const *nodes,
		      size_t count, const char *text, struct err *err);

/*
 * Set a job's AdminComment as ctl_node_comment() does a Comment; what the job
 * asks of its pods stays at its end (nodes/pod/pod_metadata.h). One RPC, or
 * none.
 */
int ctl_job_comment(const struct ctl_jobs *j, uint32_t job_id, const char *text,
		    struct err *err);

/*
 * slurm.conf's directory: from SLURM_CONF or the usual place. The caller frees.
 * NULL: out of memory. No RPC.
 */
char *ctl_conf_dir(void);

#endif

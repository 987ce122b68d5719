/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slurmctld through its public API (slurm/slurm.h). Every call is an RPC and
 * may block for MessageTimeout and more: never from a plugin callback. Any
 * other thread. This folder is the only one that includes <slurm/...>.
 */
#ifndef SLURMK8S_SLURM_CTL_H
#define SLURMK8S_SLURM_CTL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "syntax/wellknown.h"

/* Once in a program, before the rest. Never inside slurmctld. */
void ctl_init(void);

const char *ctl_version(void); /* that this was built for: "22.05.8" */

/* Which PrologSlurmctld there is: see k8s_prolog(8). */
enum ctl_prolog {
	CTL_PROLOG_NONE,
	CTL_PROLOG_OTHER, /* it may call ours */
	CTL_PROLOG_OURS,
};

/* What slurm.conf says. */
struct ctl_site {
	char *cluster; /* ClusterName; the caller frees */
	uint32_t resume_timeout_s, kill_wait_s;
	uint32_t prolog_timeout_s; /* of a PrologSlurmctld; 0: none */
	char notify_name[64];	   /* where our programs find the engine:
				      base/notify.h */
	bool has_features;	/* NodeFeaturesPlugins has node_features/k8s */
	bool has_stepmgr;	/* slurmctld leaves steps to the nodes */
	bool suspends_external; /* power saving would take external nodes */
	enum ctl_prolog prolog;
};
int ctl_site_load(struct ctl_site *out, struct err *err);

enum ctl_node_power {
	CTL_POWERED_DOWN,
	CTL_POWERING_UP,
	CTL_UP, /* registered, or thought to be */
	CTL_POWERING_DOWN,
};

struct ctl_node {
	const char *name;
	enum ctl_node_power power;
	bool down;    /* its base state is DOWN */
	bool drained; /* DRAIN or FAIL */
	bool failing; /* FAIL, and not DRAIN */
	bool busy;    /* allocated or completing */
	bool emptied; /* allocated, but no CPU of it is (told by 26.05) */
	bool no_respond;
	bool dynamic;		 /* not of slurm.conf */
	bool cloud;		 /* State=CLOUD */
	bool external;		 /* State=EXTERNAL: slurm/ctl_external.h */
	bool rebooting;		 /* scontrol reboot, requested or issued */
	bool reboot_asked;	 /* the first of these */
	bool ending;		 /* a power-down was asked for, not begun */
	bool reserved;		 /* in a reservation that has begun */
	const char *reservation; /* its name, told by 23.02 and later */
	int64_t last_busy_s; /* epoch: when its last job ended; 0: not known */
	const char *reason;
	int64_t reason_ms; /* epoch */
	const char *extra;
	uint32_t cpus;
	uint64_t memory_mib;
	const char *gres;
	const char *comment;
	const char *features; /* available, "rack1,pytorch,jax" */
	const char *features_active;
	const char *topology; /* of an external node, from 25.05 on */
};

/* A snapshot of all nodes. */
struct ctl_nodes;
int ctl_nodes_load(struct ctl_nodes **out, struct err *err);
void ctl_nodes_free(struct ctl_nodes *n);
DEFINE_CLEANUP(struct ctl_nodes, ctl_nodes_freep, ctl_nodes_free)

/*
 * Load anew if anything has changed since *nodes (may be NULL) was loaded: 1
 * and *nodes is another one; 0: nothing has; or an error.
 */
int ctl_nodes_refresh(struct ctl_nodes **nodes, struct err *err);

size_t ctl_nodes_count(const struct ctl_nodes *n); /* NULL: none */

/* Only this node: a snapshot with one record, or none. */
int ctl_nodes_load_one(const char *name, struct ctl_nodes **out,
		       struct err *err);

/* All of them, in no order. False: i is behind the last. */
bool ctl_nodes_at(const struct ctl_nodes *n, size_t i, struct ctl_node *out);

/*
 * Wait until every node of the list is powering down or down. Polls each
 * 0.3 s. 0, -ETIMEDOUT, or another error.
 */
int ctl_wait_powering_down(char *const names[], size_t n, int64_t timeout_ms,
			   struct err *err);

/* False: Slurm does not know the node. Texts are borrowed from `n`. */
bool ctl_nodes_find(const struct ctl_nodes *n, const char *name,
		    struct ctl_node *out);

/* A snapshot of all jobs. */
struct ctl_jobs;
int ctl_jobs_load(struct ctl_jobs **out, struct err *err);
void ctl_jobs_free(struct ctl_jobs *j);
DEFINE_CLEANUP(struct ctl_jobs, ctl_jobs_freep, ctl_jobs_free)

/*
 * May Slurm put this job back in the queue? (A batch job without
 * --no-requeue; or one that is gone.)
 */
bool ctl_job_requeueable(const struct ctl_jobs *j, uint32_t job_id);

/*
 * Each node with a job that Slurm would end, not requeue, when the node is
 * drained while it powers up, or forced to power down; once for each such job.
 * `node` is borrowed during the call.
 */
void ctl_jobs_drain_kills(const struct ctl_jobs *j,
			  void (*fn)(void *arg, const char *node), void *arg);

/* Its AdminComment, borrowed from `j`; NULL: it has none. */
const char *ctl_job_says(const struct ctl_jobs *j, uint32_t job_id);

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
	bool held;		   /* it runs, and shall not once more */
};

/* Each pair of such a job and a node. Borrowed during the call. */
typedef void (*ctl_on_node_fn)(void *arg, const struct ctl_occupant *o);
void ctl_jobs_on_nodes(const struct ctl_jobs *j, ctl_on_node_fn fn, void *arg);

/*
 * The jobs that went back to the queue with words of ours (AdminComment) and
 * are not eligible yet. The words, with "k8s: ", are borrowed during the call.
 * `back_s`: when they went, epoch; now, if they are still on their way.
 */
typedef void (*ctl_sent_back_fn)(void *arg, uint32_t job_id, const char *words,
				 int64_t back_s);
void ctl_jobs_sent_back(const struct ctl_jobs *j, ctl_sent_back_fn fn,
			void *arg);

/*
 * After a requeue Slurm sets a begin time two minutes ahead, when COMPLETING
 * ends. Has it done so, or is the job past that?
 */
enum ctl_job_wait {
	CTL_JOB_ENDING,	 /* not yet: ask again */
	CTL_JOB_DELAYED, /* pending with such a begin time */
	CTL_JOB_HELD,	 /* so, and somebody holds it: he decides */
	CTL_JOB_FREE,	 /* anything else, also gone */
};
enum ctl_job_wait ctl_job_wait(uint32_t job_id);

/* The same of each job of a snapshot. (One that is not there is gone.) */
void ctl_jobs_each_wait(const struct ctl_jobs *j,
			void (*fn)(void *arg, uint32_t job_id,
				   enum ctl_job_wait wait),
			void *arg);

/* Make a pending job eligible from then on: epoch, seconds; past: now. */
int ctl_job_begin(uint32_t job_id, int64_t at_s, struct err *err);

/* Hold a pending job, as its user would: he may release it. */
int ctl_job_hold(uint32_t job_id, struct err *err);

#define CTL_ENDS_MAX 64 /* nodes in one RPC of those that end jobs */

/*
 * Updates, `nodes` a hostlist (scontrol(1) update NodeName). `text` is the
 * Reason (or the Comment, for that one); NULL leaves it as it is.
 *
 * Slurm keeps a Reason only on nodes that are DOWN, DRAIN or FAIL: any other
 * update clears it (accounting_storage, clusteracct_storage_g_node_up). What
 * is to be read on an idle or powering up node goes into its Comment. (Not so
 * from 23.11 to 25.11 without slurmdbd: slurmctld keeps it, and takes it for
 * that of a later drain of its own. There RESUME, UNDRAIN and IDLE with NULL
 * write "Not responding" over it, which slurmctld replaces then. With "" they
 * leave it, too: for nodes of which it is no Reason of ours.)
 *
 * One RPC; for those that end jobs one for every CTL_ENDS_MAX nodes, and the
 * first error of any is what is returned when all were sent.
 */
enum ctl_node_update {
	CTL_SET_COMMENT,
	CTL_DRAIN, /* on a node that is powering up: requeues its jobs */
	CTL_POWER_DOWN_FORCE, /* takes effect at the next power saving scan */
	/*
	 * The same, for nodes that have not registered since they were powered
	 * up. Until Slurm powers them down it may look up what it knows as
	 * their address, which is their name, in vain and with locks held; so
	 * they get one that needs no looking up, until they are powered down.
	 */
	CTL_POWER_DOWN_NEW,
	CTL_RESUME,	/* powering down or down -> powered down, idle */
	CTL_UNDRAIN,	/* and ask slurmd to register */
	CTL_IDLE,	/* undrain, or up again, without asking slurmd */
	CTL_FAIL,	/* as CTL_DRAIN, but CTL_RESUME does not ask slurmd */
	CTL_DOWN,	/* jobs there are requeued, or end with NODE_FAIL */
	CTL_POWER_DOWN, /* an idle node */
	CTL_SET_EXTRA,
};
int ctl_node_update(const char *nodes, enum ctl_node_update what,
		    const char *text, struct err *err);

/* Set their active features, and the available ones unless NULL. Logs. */
int ctl_node_features(const char *nodes, const char *active,
		      const char *available);

/* As ctl_node_update(); an error is logged. */
int ctl_node_try(const char *nodes, enum ctl_node_update what,
		 const char *text);

/*
 * "k8s: " and the words, without their middle if they are longer than a Reason
 * should be (str_shorten()).
 */
void ctl_reason(const char *words, char out[WK_REASON_MAX]);

/*
 * Set a node's Comment, "" to clear it, unless somebody else has written one:
 * ours begin with WK_REASON_PREFIX ("k8s: ").
 */
int ctl_node_comment(const struct ctl_nodes *n, const char *node,
		     const char *text, struct err *err);

/* The same for many, in one RPC; none if all have it. */
int ctl_nodes_comment(const struct ctl_nodes *n, char *const *nodes,
		      size_t count, const char *text, struct err *err);

/*
 * The same for a job's AdminComment; what the job asks of its pods stays at its
 * end (nodes/pod/pod_metadata.h).
 */
int ctl_job_comment(const struct ctl_jobs *j, uint32_t job_id, const char *text,
		    struct err *err);

/* slurm.conf's directory: from SLURM_CONF or the usual place. Caller frees. */
char *ctl_conf_dir(void);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is known of a Slurm node and its pod, by which node_decide() says what
 * is to be done, and what that says. Texts are borrowed.
 */
#ifndef SLURMK8S_NODES_WATCH_NODE_VIEW_H
#define SLURMK8S_NODES_WATCH_NODE_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "objects/kube_node_state.h"
#include "objects/worker_pod.h"
#include "syntax/wellknown.h"

enum node_power {
	NODE_POWERED_DOWN,
	NODE_POWERING_UP,
	NODE_UP,
	NODE_POWERING_DOWN,
};

/* Slurm's side. */
struct slurm_node {
	enum node_power power;
	bool down;	   /* base state DOWN */
	bool drained;	   /* DRAIN or FAIL */
	bool busy;	   /* has jobs, or is completing some */
	bool no_respond;   /* slurmd does not answer */
	bool rebooting;	   /* scontrol reboot, requested or issued */
	bool reboot_asked; /* a reboot is requested, and not issued */
	bool ending;	   /* a power-down was asked for, and has not begun */
	bool undrained;	   /* by Slurm, as that began: see look_drain() */
	const char *reason;
	const char *extra;
	int64_t reason_ms;    /* epoch */
	int64_t last_busy_ms; /* epoch: when its last job ended; 0: not known */
	/* epoch, by its host: start of the slurmd that registered last, or
	   tried to; 0: not known */
	int64_t slurmd_start_ms;
	int64_t power_for; /* ms in this power state, as far as we saw it */
};

/*
 * True if a power-down was asked for, and no job holds it up. (One of a node
 * with jobs may be for later: by PowerDownOnIdle=YES of its partition, which
 * says so at each allocation, or by an administrator.) Unless the node powers
 * up Slurm begins it at its next look.
 */
static inline bool slurm_node_ends(const struct slurm_node *n)
{
	return n->ending && !n->busy;
}

struct node_view {
	struct slurm_node node;
	const struct pod_view *pod; /* NULL: there is none */
	int64_t pod_for;	    /* ms that we have seen it */
	int64_t ending_for; /* ms that it is seen to be deleted; 0: it is not */
	uint32_t restarts;  /* of slurmd's container before its jobs came */
	int64_t busy_ms;    /* when its jobs came, as far as we saw it; epoch */
	bool live;	    /* the pods are known, and changes are seen */
	bool gone;	    /* its deletion was seen */
	bool elsewhere;	    /* it is up in a pod in another cluster yet */
	int64_t absent_for; /* ms without a pod while live */
	/*
	 * ms without a pod while live, except those in which so many nodes that
	 * are up had lost theirs, and nobody saw how, that the wrong cluster is
	 * likely to have been asked (cluster/disruption.h).
	 */
	int64_t calm_for;
	/*
	 * Kubernetes, asked for it by its name in this power state, has none;
	 * or has this one, and it has ended. What is in view may be old.
	 */
	bool absent, ended;
	int64_t left_for; /* ms since it went with its slurmd running; or 0 */
	const char *last_words; /* of the pod that is gone; may be NULL */
	/* k8s_prolog said just now that a job has got it, it may register
	   before Slurm powers it up, and our files are k8s_resume's */
	bool allocated;
	struct kube_node_state host;
	/*
	 * ms that the host is not ready and slurmd does not respond, without a
	 * break, and without a change of DRAIN; 0: it is not so. None counts in
	 * which so many hosts were not ready that it means nothing.
	 */
	int64_t lost_for;
	const char *ns;	  /* namespace of the pods */
	const char *hash; /* of the pod as it should be; NULL: not known */
	const char *jobs; /* the ids of those there; NULL: not known */
	bool steps_known; /* so are the steps there */
	uint32_t steps;	  /* str_sum() of what is to be noted */
	uint32_t asked;	  /* pod_metadata_sum(); counts if `jobs` are known */
	/*
	 * What its features should be: "active", or "active available", both
	 * in fewer than NODE_WORDS_MAX bytes; NULL: as they are.
	 */
	const char *set_features;
	bool features_tried; /* in this power state */
	bool cooling;	     /* it is, or its nodeset, and why */
	const char *cool_words;
	const struct failover *rules;
	int64_t now_ms; /* epoch */
};

/* What to do in Slurm, in this order. */
enum node_action {
	NODE_KEEP,
	NODE_REQUEUE, /* the power-up has failed: jobs back, power down */
	NODE_DOWN,    /* the running node is lost: jobs back, power down */
	NODE_POWER_OFF,
	NODE_DOWN_ONLY,	   /* as NODE_DOWN, of a node that an administrator has
			      drained: it is not powered down, its Reason stays */
	NODE_RESUME,	   /* to idle~ at once */
	NODE_DRAIN,	   /* no new jobs; those there go on */
	NODE_DRAIN_AGAIN,  /* for the Reason that it has */
	NODE_UNDRAIN,	   /* of a node that is up */
	NODE_IDLE,	   /* of one that is powered down */
	NODE_COOL,	   /* drain: it, or its nodeset, cools down */
	NODE_RECYCLE,	   /* power down: its pod is of an old template */
	NODE_SET_FEATURES, /* correct its features to the words */
	/* the last one, as not all are done in one pass */
	NODE_RECORD, /* say in its Extra which pod it is in, or none */
};

/* What to do in Kubernetes. */
enum pod_action {
	POD_LEAVE,
	POD_CREATE,
	POD_DELETE,
	POD_NOTE, /* note on it who runs there */
	POD_LOOK, /* ask for it by its name: none is in view, or an old one */
};

#define NODE_WORDS_MAX 1000 /* an Event's message has 1024 */

struct node_decision {
	enum node_action slurm;
	enum pod_action kube;
	bool failed; /* others of the nodeset would fail as well: cool down */
	bool clears_reason; /* NODE_RESUME: one of ours, or of Slurm's */
	bool if_free;	    /* NODE_DRAIN: only while no job is there */
	bool if_silent;	    /* NODE_DOWN: only while slurmd does not respond */
	bool early;	    /* POD_CREATE: before k8s_resume comes */
	const char *row;    /* which case: for logs and tests */
	/* why, whole, without "k8s: "; a Reason has less room: ctl_reason() */
	char words[NODE_WORDS_MAX];
	int64_t again_ms; /* look again so soon even if nothing changes; 0 */
};

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is known of a Slurm node and its pod, by which node_decide() says what
 * is to be done, and what node_decide() says. Texts are borrowed. Pure. Any
 * thread, one at a time for a struct.
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
	bool undrained;	   /* Slurm ended the drain for that: look_drain() */
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
	int64_t pod_for;	    /* ms since the pod was first seen */
	int64_t ending_for; /* ms since its deletion was seen; 0: none */
	uint32_t restarts;  /* restarts of slurmd before its jobs came */
	int64_t busy_ms;    /* when its jobs came, as far as we saw it; epoch */
	bool live;	    /* the pods are known, and changes are seen */
	bool gone;	    /* the deletion of its pod was seen */
	bool elsewhere;	    /* the node is up in a pod in another cluster yet */
	int64_t absent_for; /* ms without a pod while live */
	/*
	 * ms without a pod while live, except those in which so many nodes that
	 * are up had lost theirs, and nobody saw how, that the wrong cluster is
	 * likely to have been asked (cluster/disruption.h).
	 */
	int64_t calm_for;
	/*
	 * What Kubernetes said, in this power state, when it was asked for the
	 * pod by its name, as what is in view may be old. absent: there is
	 * none; ended: it has the pod in view, which has ended.
	 */
	bool absent, ended;
	int64_t left_for; /* ms since its pod went while slurmd ran; or 0 */
	const char *last_words; /* words of the pod that is gone; may be NULL */
	/*
	 * k8s_prolog said just now that a job has got the node; slurmd may
	 * register before Slurm powers the node up; and our k8s.yaml is the one
	 * that k8s_resume would read
	 */
	bool allocated;
	struct kube_node_state host;
	/*
	 * ms that the host is not ready and slurmd does not respond, without a
	 * break, and without a change of DRAIN; 0: it is not so. Times of a
	 * disruption (cluster/disruption.h) do not count.
	 */
	int64_t lost_for;
	const char *ns;	  /* namespace of the pods */
	const char *hash; /* hash of the pod as it should be; NULL: not known */
	const char *jobs; /* ids of the jobs there; NULL: not known */
	bool steps_known; /* `steps` is known */
	uint32_t steps;	  /* str_sum() of the steps to be noted */
	uint32_t asked;	  /* pod_metadata_sum(); counts if `jobs` are known */
	/*
	 * What its features should be: "active", or "active available", both
	 * in fewer than NODE_WORDS_MAX bytes; NULL: as they are.
	 */
	const char *set_features;
	bool features_tried; /* tried in this power state */
	/*
	 * minRunning keeps it up, or may: the engine before said so in Extra,
	 * and this one has not looked yet
	 */
	bool kept_up;
	bool cooling; /* the node, or its nodeset, rests; cool_words: why */
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
	NODE_RESUME,	   /* end a power-down, or DOWN: to idle~ at once */
	NODE_DRAIN,	   /* no new jobs; those there go on */
	NODE_DRAIN_AGAIN,  /* drain anew, for the Reason that the node has */
	NODE_UNDRAIN,	   /* end our drain of a node that is up */
	NODE_IDLE,	   /* end a drain of a node that is powered down */
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
	POD_NOTE, /* note on the pod who runs there */
	POD_LOOK, /* GET the pod by its name: none is in view, or an old one */
};

#define NODE_WORDS_MAX 1000 /* an Event's message has 1024 */

struct node_decision {
	enum node_action slurm;
	enum pod_action kube;
	bool failed; /* others of the nodeset would fail as well: cool down */
	bool clears_reason; /* NODE_RESUME: the Reason is ours, or Slurm's */
	bool if_free;	    /* NODE_DRAIN: only while no job is there */
	bool if_silent;	    /* NODE_DOWN: only while slurmd does not respond */
	bool early;	    /* POD_CREATE: before k8s_resume comes */
	const char *row;    /* which case: for logs and tests */
	/* why, whole, without "k8s: "; a Reason has less room: ctl_reason() */
	char words[NODE_WORDS_MAX];
	int64_t again_ms; /* ms until the next look, if nothing changes; or 0 */
};

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What we keep of a worker pod: a small struct, made from the API's JSON at
 * once; the JSON is not kept. Pure. Any thread.
 */
#ifndef SLURMK8S_OBJECTS_WORKER_POD_H
#define SLURMK8S_OBJECTS_WORKER_POD_H

#include <stdbool.h>
#include <stdint.h>

#include "json/json.h"

enum pod_phase {
	POD_UNKNOWN,
	POD_PENDING,
	POD_RUNNING,
	POD_SUCCEEDED,
	POD_FAILED,
};

/* True for a phase that a pod never leaves. */
static inline bool phase_is_end(enum pod_phase phase)
{
	return phase == POD_FAILED || phase == POD_SUCCEEDED;
}

/* The cause why a pod does not run, as far as its status tells. */
enum pod_trouble {
	POD_FINE,
	POD_UNSCHEDULABLE, /* no node has room now; one may later */
	POD_CANNOT_START,  /* image, configuration, crash loop... */
};

/*
 * Whether its machine may be taken away, as its annotations tell autoscalers.
 */
enum pod_scale {
	POD_SCALE_OTHER, /* no annotation, or another text */
	POD_SCALE_KEEP,	 /* the machine may not be taken away */
	POD_SCALE_DOWN,	 /* the machine may be taken away */
};

#define PODVIEW_WORDS_MAX 960

struct worker_pod {
	char name[254];
	char uid[64];
	char cluster[64]; /* our labels; "" where absent */
	char node[64];
	char nodeset[64];
	char hash[64];
	/*
	 * changeable features that the pod was made with; "?": not told, or too
	 * long
	 */
	char features[256];
	char kube_node[254]; /* spec.nodeName */
	char jobs[256];	     /* the annotation of ours */
	uint32_t steps;	     /* str_sum() of the annotation of its steps */
	uint32_t asked;	     /* pod_metadata_sum(), as its annotation says */
	enum pod_phase phase;
	bool deleting;	 /* has a deletionTimestamp */
	bool terminated; /* every container has ended */
	bool slurmd_running;
	bool displaced; /* Kubernetes has ended it, not for what it used */
	bool busy;	/* our label WK_LABEL_BUSY is on it */
	enum pod_scale scale;
	int64_t created_ms;   /* epoch; -1: unknown */
	int64_t scheduled_ms; /* epoch; -1: unknown, or it is not */
	/* epoch: slurmd's container runs since; -1: it does not */
	int64_t running_ms;
	/* epoch: since when; -1: unknown, or it is not */
	int64_t unschedulable_ms;
	uint32_t restarts; /* restarts of slurmd's container */
	enum pod_trouble trouble;
	/* why it does not run, in Kubernetes' words */
	char words[PODVIEW_WORDS_MAX];
};

/* The phase by its name; POD_UNKNOWN: NULL, or another text. */
enum pod_phase worker_pod_phase(const char *text);

/*
 * Read a pod whose slurmd runs in `container`. 0; -EINVAL: it is no pod with a
 * name and a uid.
 */
int worker_pod_of(const json_object *pod, const char *container,
		  struct worker_pod *out);

/* What decisions go by of a pod. Borrowed; texts never NULL. */
struct pod_view {
	const char *name, *uid, *node, *nodeset, *hash, *kube_node, *words;
	const char *warning; /* the kubelet's, about what it fails to do */
	int64_t warned_ms, warned_last_ms; /* epoch: its first and last time */
	const char *jobs;		   /* job ids as noted on it */
	bool busy;
	enum pod_scale scale; /* as autoscalers are told */
	uint32_t steps;	      /* str_sum() of the noted steps */
	uint32_t asked;	      /* pod_metadata_sum() */
	/* changeable features that the pod was made with; "?": not known */
	const char *features;
	enum pod_phase phase;
	enum pod_trouble trouble;
	bool deleting, terminated, running;
	bool displaced;			      /* ended, but not by itself */
	int64_t running_ms, unschedulable_ms; /* epoch, or -1 */
	int64_t created_ms, scheduled_ms;     /* epoch, or -1 */
	uint32_t restarts; /* restarts of slurmd's container */
};

#endif

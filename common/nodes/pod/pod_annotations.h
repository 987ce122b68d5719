/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What we write on a pod for those who look at it with kubectl: who runs there,
 * and that it is not to be evicted while it is busy; and when it is written.
 * Pure: no clock; times are monotonic, ms. Any thread, one at a time for a
 * struct.
 */
#ifndef SLURMK8S_NODES_POD_POD_ANNOTATIONS_H
#define SLURMK8S_NODES_POD_POD_ANNOTATIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "nodes/pod/pod_metadata.h"
#include "json/json.h"

/* Comma-separated lists; NULL or "": none. */
struct pod_jobs {
	bool busy;
	const char *ids, *users, *accounts;
	/* by nodes/pod/step_annotations.h; NULL: unchanged; "": none */
	const char *steps, *steps_label;
	/*
	 * What the rules allow (nodes/pod/pod_metadata.h) is set to what
	 * `asked` says, or taken away. Counts only if ids are given; rules
	 * NULL: it stays as it is.
	 */
	const struct pod_metadata_rules *rules;
	const json_object *asked; /* NULL: nothing */
};

/*
 * Make a merge patch (RFC 7396) for the pod with this uid: the label by which
 * busy pods are told, what autoscalers go by, and annotations. The API server
 * answers 409 when the pod of this name is another one by now. ids NULL: who
 * runs there stays. The caller puts it. NULL: out of memory.
 */
json_object *pod_annotations_patch(const char *uid,
				   const struct pod_jobs *jobs);

/*
 * Take what autoscalers go by out of such a patch: admission may forbid these
 * annotations, and the label must not depend on them.
 */
void pod_annotations_drop_scale(json_object *patch);

/*
 * When the same note on the same pod may be sent again: the pause doubles from
 * 10 s to 10 min, for admission may refuse the note, or take a part of it away,
 * for ever. Another note may be sent at once. Zeroed: nothing was sent yet.
 */
struct note_pace {
	uint32_t sum; /* checksum of the note that was sent last */
	unsigned int times;
	int64_t after; /* when it may be sent again; monotonic, ms */
};

/* True if a note with this checksum may be sent now. */
bool pod_annotations_may_send(const struct note_pace *p, uint32_t sum,
			      int64_t now_ms);

/*
 * Remember that a note with this checksum was sent. `taken` false: it was
 * dropped before it was sent, so the pause does not grow.
 */
void pod_annotations_sent(struct note_pace *p, uint32_t sum, int64_t now_ms,
			  bool taken);

/*
 * When each of many pods may be noted, if that is not urgent: 20 a second in
 * all, and 40 at once after a pause, in the order in which they ask. Zeroed:
 * nobody has asked yet. One for all pods of a Kubernetes cluster.
 */
#define POD_ANNOTATIONS_TURN_MS 50
#define POD_ANNOTATIONS_AT_ONCE 40
struct note_turns {
	int64_t next; /* the next turn that is free; monotonic, ms */
};

/*
 * Give the caller a turn for one note: the time (monotonic, ms, more than 0)
 * before which it is not to be sent.
 */
int64_t pod_annotations_turn(struct note_turns *t, int64_t now_ms);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is to be done to bridged pods: asked for by the bridge's thread, done
 * by the link's. A pod is bound in two requests: the first one writes by which
 * job (see struct bridged_pod), so that each pod that we have bound says so,
 * whenever slurmctld may be killed. Deletions go first, then bindings, and
 * Events last; while there are bindings a quarter of what may be under way is
 * not for deletions, and then, and a moment longer, only one note or Event is
 * under way. Of a kind the namespace that has the fewest under way is next:
 * what hangs in one does not keep the others waiting. Asking for the same again
 * while it is under way is no second request; a newer note takes the place of
 * one that has not been sent. Notes and Events that the API server forbids in a
 * namespace are left out there for 5 s, doubling to ten minutes.
 */
#ifndef SLURMK8S_BRIDGE_REQUESTS_BRIDGE_REQUESTS_H
#define SLURMK8S_BRIDGE_REQUESTS_BRIDGE_REQUESTS_H

#include <stdbool.h>
#include <stdint.h>

#include "bridge/requests/pod_patches.h"
#include "bridge/requests/pod_read.h"
#include "bridge/requests/sent_bindings.h"
#include "kube/client.h"

#define BRIDGE_WORK_MAX 60000 /* things to do, under way ones included */
/* bindings without an answer for so long stall */
#define BRIDGE_STALL_MS 10000
#define BRIDGE_EVENTS_MAX 2000 /* Events among them; more are left out */

/* The most important comes first. */
enum bridge_request_what {
	BRIDGE_REQUEST_DELETE,
	BRIDGE_REQUEST_BIND,
	BRIDGE_REQUEST_NOTE,
	BRIDGE_REQUEST_GROUP,
	BRIDGE_REQUEST_EVENT
};

struct bridge_requests_options {
	const char *cluster;	  /* name in k8s.yaml, for the log; borrowed */
	unsigned int at_once;	  /* most requests under way at a time */
	int64_t stale_after_ms;	  /* most age of the view; 0: any */
	void (*asked)(void *arg); /* something is to be sent; any thread */
	/* true: we may act; asked before each request; the link's thread */
	bool (*may)(void *arg);
	void *arg;
	/*
	 * Called when a failure can be taken (bridge_requests_take()); the
	 * link's thread, or that which gave a note that is forbidden.
	 */
	void (*failed)(void *told);
	void *told;
};

struct bridge_requests;

/* A queue without requests. *opt is copied. NULL: out of memory. */
struct bridge_requests *
bridge_requests_new(const struct bridge_requests_options *opt);

/*
 * Free it and all requests, after the client that it was given has been freed
 * and when no thread uses it any more. NULL: nothing.
 */
void bridge_requests_free(struct bridge_requests *w);

/*
 * --- any thread; each takes the lock for a moment, and copies what it is
 * given. The link's thread sends, one request for each but where another number
 * is named. False: there is no room, or no memory; ask again later.
 */

/*
 * Bind the pod to the node, by two requests; its conditions tell its group, and
 * that this job does it. keeps: autoscalers are to leave its machine. False,
 * too, while the pod is on its way to another node, or by another job.
 */
bool bridge_requests_bind(struct bridge_requests *w, const struct pod_ref *pod,
			  const char *node, uint32_t job_id, bool keeps);

/*
 * Take back the bindings by this job, which does not run any more: those that
 * were not sent. Of one whose first request is under way the second is not
 * sent.
 */
void bridge_requests_unbind(struct bridge_requests *w, uint32_t job_id);

/*
 * Delete the pod with this UID. grace_s: how long it has to end, in s; of one
 * that is being deleted it can only get shorter. At least 1 is sent: with 0 the
 * API server forgets the pod at once, though its containers run on, and Slurm
 * would give their CPUs away. When the API server has done it an Event says
 * why; reason: static, or NULL: no Event. While a deletion of this pod is under
 * way another one is ignored. One that waits gets the shorter time of both, and
 * that the pod is read first (bridge_requests_end()) only if both say so.
 */
bool bridge_requests_delete(struct bridge_requests *w,
			    const struct pod_ref *pod, int64_t grace_s,
			    const char *reason, const char *words);

/*
 * Delete as bridge_requests_delete() does, after the pod's condition
 * DisruptionTarget has got the words: its end is Slurm's doing. Where that
 * cannot be written the pod is deleted nevertheless. Two requests.
 */
bool bridge_requests_disrupt(struct bridge_requests *w,
			     const struct pod_ref *pod, int64_t grace_s,
			     const char *reason, const char *words);

/* What is to be done to a pod of a job that does not run any more. */
struct pod_deletion {
	uint32_t job_id;
	int64_t grace_s;   /* as of bridge_requests_delete() */
	const char *words; /* for the Event of a pod that is deleted */
	bool disrupts;	   /* as of bridge_requests_disrupt() */
};

/*
 * Read the pod by a GET, and delete it as bridge_requests_delete() does if it
 * is still there, not being deleted, and bound to `node`; "": to any, if by
 * this job. Else nothing is done.
 */
bool bridge_requests_end(struct bridge_requests *w, const struct pod_ref *pod,
			 const char *node, const struct pod_deletion *job);

/*
 * Write on the pod what the note says (pod_patch_patch()); it takes the place
 * of one that was not sent. True, too, where the API server forbids it: then
 * nothing is sent, and that is a failure.
 */
bool bridge_requests_note(struct bridge_requests *w, const struct pod_ref *pod,
			  const struct pod_patch *note);

/*
 * Write an Event about the pod, as a Warning or as Normal. `reason` is in any
 * words. It is left out where there is no room or memory, or where the API
 * server forbids it.
 */
void bridge_requests_event(struct bridge_requests *w, const struct pod_ref *pod,
			   bool warning, const char *reason,
			   const char *message);

/*
 * Patch a PodGroup's status (scheduling.k8s.io, of this version). The patch is
 * put in any case. True, too, where the API server forbids it: then nothing is
 * sent.
 */
bool bridge_requests_group(struct bridge_requests *w,
			   const struct pod_ref *group, const char *version,
			   json_object *patch);

/* True if such a request of the pod waits or is under way; not of Events. */
bool bridge_requests_has(struct bridge_requests *w,
			 enum bridge_request_what what, const char *uid);

/*
 * Ask `keep` of each binding that was sent and may not be in view yet (see
 * sent_bindings.h). One of which it is false is forgotten. `keep` runs under
 * the lock, and must not call these functions.
 */
void bridge_requests_each_sent(struct bridge_requests *w,
			       bool (*keep)(void *arg,
					    const struct sent_binding *one),
			       void *arg);

/*
 * Call `look` for each binding on its way, once for a pod: for those of
 * bridge_requests_each_sent(), and for those that are to be sent (`at` and
 * `until` are 0). It runs under the lock, and must not call these functions.
 */
void bridge_requests_each_way(struct bridge_requests *w,
			      void (*look)(void *arg,
					   const struct sent_binding *one),
			      void *arg);

/*
 * True if the pod's binding by this job is on its way, as of
 * bridge_requests_each_way(). Then `node`, of `size` bytes with NUL, gets the
 * name of its node; NULL: it is not asked for.
 */
bool bridge_requests_way(struct bridge_requests *w, const char *uid,
			 uint32_t job_id, char *node, size_t size);

/* A binding, deletion or note that the API server did not take. */
struct bridge_request_failure {
	enum bridge_request_what what;
	uint32_t job_id; /* the job of a binding */
	char uid[64];
	int http; /* 0: no answer until the deadline */
	/*
	 * What a GET has shown after a binding was answered with 409:
	 * POD_READ_OTHERS, the pod is somebody else's now; POD_READ_EARLIER, it
	 * is ours, where an earlier binding has put it; POD_READ_FREE, it is to
	 * be tried again. POD_READ_GONE: no GET was sent.
	 */
	enum pod_read look;
	char words[256]; /* the API server's, safe to log */
};

/*
 * Take the oldest of the last 256 failures; while 128 are there a failure of a
 * note is not kept. False: there is none.
 */
bool bridge_requests_take(struct bridge_requests *w,
			  struct bridge_request_failure *out);

/* --- the link's thread, always with the same client */

/*
 * Send what may be sent now (opt.may is asked before each), and look for a
 * stall of bindings, which ends in new connections. Called again and again;
 * does not block, and kube_client_step() takes the answers. `client` is kept
 * until another call gives another one.
 */
void bridge_requests_begin(struct bridge_requests *w,
			   struct kube_client *client);

/*
 * Send and try bindings until this time only (monotonic, ms); later they wait
 * for another call of this. 0: no bound.
 */
void bridge_requests_bind_until(struct bridge_requests *w, int64_t until);

/*
 * Drop all requests, also those under way, of which the answer is not looked
 * at: they are not ours to send any more.
 */
void bridge_requests_drop(struct bridge_requests *w,
			  struct kube_client *client);

#endif

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
 * namespace are left out there for ten minutes.
 */
#ifndef SLURMK8S_BRIDGE_REQUESTS_BRIDGE_REQUESTS_H
#define SLURMK8S_BRIDGE_REQUESTS_BRIDGE_REQUESTS_H

#include <stdbool.h>
#include <stdint.h>

#include "bridge/requests/pod_patches.h"
#include "bridge/requests/pod_read.h"
#include "bridge/requests/sent_bindings.h"
#include "kube/client.h"

#define BRIDGE_WORK_MAX 60000  /* things to do, under way ones included */
#define BRIDGE_STALL_MS 10000  /* bindings that nobody answers: it is said */
#define BRIDGE_EVENTS_MAX 2000 /* Events among them; more are left out */

/* (in order of importance) */
enum bridge_request_what {
	BRIDGE_REQUEST_DELETE,
	BRIDGE_REQUEST_BIND,
	BRIDGE_REQUEST_NOTE,
	BRIDGE_REQUEST_GROUP,
	BRIDGE_REQUEST_EVENT
};

struct bridge_requests_options {
	const char *cluster;	  /* its name, for the log; borrowed */
	unsigned int at_once;	  /* requests under way */
	void (*asked)(void *arg); /* something is to do; any thread */
	bool (*may)(void *arg);	  /* asked before each; the link's thread */
	void *arg;
	void (*failed)(void *told); /* see bridge_requests_take(); the same */
	void *told;
};

struct bridge_requests;
struct bridge_requests *
bridge_requests_new(const struct bridge_requests_options *opt);

/* After the client that it was given has been freed. */
void bridge_requests_free(struct bridge_requests *w);

/* --- any thread. False: there is no room, or no memory; ask again later. */

/*
 * keeps: autoscalers are to leave its machine. The pod is told its group. False
 * also while it is on its way to another node, or by another job.
 */
bool bridge_requests_bind(struct bridge_requests *w, const struct pod_ref *pod,
			  const char *node, uint32_t job_id, bool keeps);

/* The job does not run any more: take back what has not been sent of it. */
void bridge_requests_unbind(struct bridge_requests *w, uint32_t job_id);

/*
 * By UID. grace_s: to end, in s; of one that is being deleted it can only get
 * shorter. At least 1 is sent: with 0 the API server forgets the pod at once,
 * though its containers run on, and Slurm would give their CPUs away. When the
 * API server has done it an Event says why; reason: static, or NULL: no Event.
 */
bool bridge_requests_delete(struct bridge_requests *w,
			    const struct pod_ref *pod, int64_t grace_s,
			    const char *reason, const char *words);

/* Of a job that does not run any more. */
struct pod_deletion {
	uint32_t job_id;
	int64_t grace_s;   /* as above */
	const char *words; /* for the Event of a pod that is deleted */
};

/*
 * The same, but after a GET: only if it is still there, not being deleted, and
 * bound to `node`; "": to any, if by this job. Else nothing is done.
 */
bool bridge_requests_end(struct bridge_requests *w, const struct pod_ref *pod,
			 const char *node, const struct pod_deletion *job);

bool bridge_requests_note(struct bridge_requests *w, const struct pod_ref *pod,
			  const struct pod_patch *note);

/* Best effort. `reason` in any words. */
void bridge_requests_event(struct bridge_requests *w, const struct pod_ref *pod,
			   bool warning, const char *reason,
			   const char *message);

/* A patch of a PodGroup's status (scheduling.k8s.io), which is put. */
bool bridge_requests_group(struct bridge_requests *w,
			   const struct pod_ref *group, const char *version,
			   json_object *patch);

/* Is it waiting or under way? */
bool bridge_requests_has(struct bridge_requests *w,
			 enum bridge_request_what what, const char *uid);

/*
 * Bindings that were sent, and may not be in view yet: see sent_bindings.h. It
 * is forgotten unless `keep` says so, which must not call these functions.
 */
void bridge_requests_each_sent(struct bridge_requests *w,
			       bool (*keep)(void *arg,
					    const struct sent_binding *one),
			       void *arg);

/*
 * All bindings on their way: those, and what is to be sent; each pod once.
 * `look` must not call these functions.
 */
void bridge_requests_each_way(struct bridge_requests *w,
			      void (*look)(void *arg,
					   const struct sent_binding *one),
			      void *arg);

/*
 * Is the pod's binding by this job on its way, as above? Then it is to `node`,
 * of which so many bytes are kept, with NUL; or that is NULL.
 */
bool bridge_requests_way(struct bridge_requests *w, const char *uid,
			 uint32_t job_id, char *node, size_t size);

/* A binding or deletion that the API server refused. */
struct bridge_request_failure {
	enum bridge_request_what what;
	uint32_t job_id; /* of a binding */
	char uid[64];
	int http; /* 0: no answer until the deadline */
	/*
	 * Of a binding that was answered with 409: POD_READ_OTHERS, the pod is
	 * somebody else's now; POD_READ_EARLIER, it is ours, where an earlier
	 * binding has put it; POD_READ_FREE, it is to be tried again. Else
	 * POD_READ_GONE, which says nothing.
	 */
	enum pod_read look;
	char words[256]; /* the API server's, safe to log */
};

/* The oldest of the last 256; false: there is none. */
bool bridge_requests_take(struct bridge_requests *w,
			  struct bridge_request_failure *out);

/* --- the link's thread, always with the same client */

void bridge_requests_begin(struct bridge_requests *w,
			   struct kube_client *client);

/*
 * From then on (monotonic) no binding is sent, and none is tried again: they
 * wait for another call of this. 0: no bound.
 */
void bridge_requests_bind_until(struct bridge_requests *w, int64_t until);

/* Drop all, also what is under way: it is not ours to do any more. */
void bridge_requests_drop(struct bridge_requests *w,
			  struct kube_client *client);

#endif

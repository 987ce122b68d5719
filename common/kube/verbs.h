/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kubernetes' verbs (kubernetes.io "API concepts") over a client. All are
 * asynchronous: they start one call, whose result on_done gets, and return NULL
 * only when out of memory. Texts and bodies are copied. The client's thread
 * only. Each costs one request and its retries; a list one for each page.
 */
#ifndef SLURMK8S_KUBE_VERBS_H
#define SLURMK8S_KUBE_VERBS_H

#include "kube/client.h"
#include "kube/skim.h"
#include "json/json.h"

#define KUBE_CORE_V1 "api/v1"
#define KUBE_COORDINATION_V1 "apis/coordination.k8s.io/v1"

/* An object or (name NULL) a collection. Texts need no escaping. */
struct kube_ref {
	const char *api; /* KUBE_CORE_V1 ... */
	const char *ns;	 /* NULL: not namespaced, or all namespaces */
	const char *resource;
	const char *name;
	const char *sub; /* subresource or NULL */
};

/* Where the answer goes. */
struct kube_reply {
	kube_done_fn on_done;
	void *arg;
	/* From here on as in struct kube_request. */
	int64_t not_before_ms;
	int64_t deadline_ms;
	bool no_retry;
	bool conflict_is_final;
	bool failure_is_final;
	bool urgent;
};

/*
 * The path of a ref with a query (may be NULL). The caller frees. NULL: out of
 * memory.
 */
char *kube_path(const struct kube_ref *ref, const char *query);

/* Percent-encode one query value. The caller frees. NULL: out of memory. */
char *kube_escape(const char *text);

/* Read an object. */
struct kube_call *kube_get(struct kube_client *c, const struct kube_ref *ref,
			   const struct kube_reply *to);

/*
 * Create. The answer has only the object's metadata (kubernetes.io "API
 * concepts", Metadata-only fetches), if the server can do so.
 */
struct kube_call *kube_create(struct kube_client *c,
			      const struct kube_ref *collection,
			      const void *body, size_t len,
			      const struct kube_reply *to);

/* Replace; 409 when body's metadata.resourceVersion is not the newest. */
struct kube_call *kube_replace(struct kube_client *c,
			       const struct kube_ref *ref, const void *body,
			       size_t len, const struct kube_reply *to);

/*
 * Delete; `uid` (may be NULL) is sent as a precondition, so that a newer
 * object of the same name is never hit (409 then). grace_s < 0: the object's
 * own grace period.
 */
struct kube_call *kube_delete(struct kube_client *c, const struct kube_ref *ref,
			      const char *uid, int64_t grace_s,
			      const struct kube_reply *to);

enum kube_patch_type {
	KUBE_PATCH_MERGE,     /* RFC 7396 */
	KUBE_PATCH_STRATEGIC, /* Kubernetes' own */
};

/* Patch; `manager` is the field manager; NULL: the server's own. */
struct kube_call *kube_patch(struct kube_client *c, const struct kube_ref *ref,
			     enum kube_patch_type type, const char *manager,
			     const void *body, size_t len,
			     const struct kube_reply *to);

/* Selectors in kubectl's syntax; NULL: all. */
struct kube_select {
	const char *labels;
	const char *fields;
};

struct kube_list_reply {
	/* One item of the list; borrowed. Non-zero ends the listing. */
	int (*on_item)(void *arg, json_object *item);
	/*
	 * Called for an item over FRAME_MAX, or one that cannot be read, of
	 * which no more is known; NULL: nobody wants it.
	 */
	void (*on_oversized)(void *arg, const struct object_id *id);
	/* The continue token expired: forget the items seen so far. */
	void (*on_restart)(void *arg);
	/* The end; resource_version is set when res->rc is 0. */
	void (*on_done)(void *arg, const struct kube_result *res,
			const char *resource_version);
	void *arg;
	/*
	 * Deadline of the whole list (clock_ms()), and time for one page; the
	 * earlier one ends it; 0: no bound.
	 */
	int64_t deadline_ms;
	int64_t page_ms;
	unsigned int pages; /* pages at most; 0: LIST_PAGES_MAX */
	bool no_retry;	    /* an error of the first page ends the list */
	/* What is read of an item: see object_parse(); static, or NULL. */
	const struct jx_only *only;
};

struct kube_listing;

/*
 * Bound of pages: a server that always has a next page must not keep us for
 * ever.
 */
#define LIST_PAGES_MAX 100000

/*
 * List in pages of `limit` (0: 500), fewer where they are too long for the
 * client (see max_answer) or for their time, down to one item, and one item
 * that is still too long in pieces. NULL: out of memory, and no callback. What
 * it returns is for kube_list_cancel() only, and not after on_done.
 */
struct kube_listing *kube_list(struct kube_client *c,
			       const struct kube_ref *ref,
			       const struct kube_select *sel,
			       unsigned int limit,
			       const struct kube_list_reply *to);

/* End the listing without on_done. Not from on_item. */
void kube_list_cancel(struct kube_listing *l);

#endif

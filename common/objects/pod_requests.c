/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "objects/pod_requests.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/str.h"
#include "syntax/quantity.h"

#define SHOWN 80 /* letters of a foreign name */

enum { CPU, MEMORY, EXT }; /* indexes of an amount; from EXT on: extended */
#define KINDS (EXT + PODNEED_EXT_MAX)

/*
 * Amounts in thousandths, which is exact until all is summed. None is negative.
 */
struct amounts {
	uint32_t named; /* bits of the kinds that are named, also with 0 */
	quantity_milli v[KINDS];
};

/* Which of a container's amounts */
enum which {
	ASKED,	   /* what its spec asks for */
	ALLOCATED, /* what the kubelet allocated, as 1.37 reads it */
	ACTUATED,  /* what the container runtime has, as 1.37 reads it */
	MOST,	   /* the most of the three, as 1.33 reads it */
};

struct reader {
	char names[PODNEED_EXT_MAX][PODNEED_NAME_MAX + 1];
	uint32_t n;
	bool only;		   /* no kinds besides `names` */
	bool held;		   /* what it holds, not what it asks for */
	bool roughly;		   /* what cannot be reckoned is passed over */
	const json_object *status; /* the pod's status */
	/* container statuses, by the containers' names */
	json_object *statuses;
	bool infeasible; /* a resize that the node has no room for, ever */
	struct err *err;
};

/* The index of a kind; -1: it has none yet. */
static int index_of(const struct reader *r, const char *name)
{
	if (!strcmp(name, "cpu"))
		return CPU;
	if (!strcmp(name, "memory"))
		return MEMORY;
	for (uint32_t i = 0; i < r->n; i++)
		if (!strcmp(name, r->names[i]))
			return EXT + (int)i;
	return -1;
}

/* The index of a kind; -1: it is not counted; -E2BIG */
static int need_index(struct reader *r, const char *name)
{
	int at = index_of(r, name);

	if (at >= 0 || (!strchr(name, '/') && !pod_requests_is_pages(name)))
		return at;
	if (strlen(name) > PODNEED_NAME_MAX)
		return err_set(r->err, -E2BIG,
			       "the name of resource %.*s... is longer than %d",
			       SHOWN, name, PODNEED_NAME_MAX);
	if (r->n == PODNEED_EXT_MAX)
		return err_set(r->err, -E2BIG,
			       "more than %d kinds of extended resources",
			       PODNEED_EXT_MAX);
	str_copy(r->names[r->n], name, sizeof(r->names[r->n]));
	return EXT + (int)r->n++;
}

/* The sum cannot overflow: see syntax/quantity.h. */
static void add(struct amounts *sum, const struct amounts *more)
{
	for (int i = 0; i < KINDS; i++)
		sum->v[i] += more->v[i];
	sum->named |= more->named;
}

static void keep_max(struct amounts *most, const struct amounts *a)
{
	for (int i = 0; i < KINDS; i++)
		if (a->v[i] > most->v[i])
			most->v[i] = a->v[i];
	most->named |= a->named;
}

static int read_amount(struct reader *r, const char *name,
		       const json_object *quantity, struct amounts *out)
{
	quantity_milli milli = 0;
	int at, rc;

	rc = quantity_of(quantity, &milli, r->err);
	if (rc && !r->roughly)
		return err_wrap(r->err, rc, "resource %.*s", SHOWN, name);
	if (rc || (milli < 0 && r->roughly))
		milli = rc == -ERANGE ? QUANTITY_MAX : 0;
	if (milli < 0)
		return err_set(r->err, -EINVAL, "resource %.*s is negative",
			       SHOWN, name);
	/* An amount of 0 takes no place among the kinds. */
	at = milli ? need_index(r, name) : index_of(r, name);
	if (at >= 0) {
		out->v[at] = milli;
		out->named |= 1u << at;
	}
	return at < -1 ? at : 0;
}

/* Kinds are found by their names: there may be very many others. */
static int read_only(struct reader *r, const json_object *list,
		     const json_object *but, struct amounts *out)
{
	int rc = 0;

	for (uint32_t i = 0; i < EXT + r->n && !rc; i++) {
		const char *name = i == CPU	 ? "cpu"
				   : i == MEMORY ? "memory"
						 : r->names[i - EXT];
		const json_object *quantity = jx_get(list, name);

		if (quantity && !jx_get(but, name))
			rc = read_amount(r, name, quantity, out);
	}
	return rc;
}

/* A mapping of amounts, those of `but` left out. No mapping: nothing. */
static int read_list(struct reader *r, const json_object *list,
		     const json_object *but, struct amounts *out)
{
	int rc = 0;

	*out = (struct amounts){0};
	if (!jx_is(list, json_type_object))
		return 0;
	if (r->only)
		return read_only(r, list, but, out);
	if (json_object_object_length(list) > PODNEED_KINDS_MAX)
		return err_set(r->err, -E2BIG,
			       "more than %d kinds of resources",
			       PODNEED_KINDS_MAX);
	json_object_object_foreach((json_object *)list, name, quantity)
	{
		if (!rc && !jx_get(but, name))
			rc = read_amount(r, name, quantity, out);
	}
	return rc;
}

/* Read what a container requests. A limit without a request is one. */
static int read_requests(struct reader *r, const json_object *resources,
			 struct amounts *out)
{
	json_object *requests = jx_get(resources, "requests");
	struct amounts limits;
	int rc = read_list(r, requests, NULL, out);

	if (!rc)
		rc = read_list(r, jx_get(resources, "limits"), requests,
			       &limits);
	if (!rc)
		add(out, &limits);
	return rc;
}

/* --- containers */

static bool is_sidecar(const json_object *container)
{
	return str_eq(jx_str(container, "restartPolicy"), "Always");
}

/*
 * Index statuses by name. Where two have one name the first counts; containers
 * come before init containers.
 */
static int index_statuses(json_object *by_name, const json_object *seq)
{
	int rc = 0;

	if (!jx_is(seq, json_type_array))
		return 0;
	for (size_t i = 0; i < json_object_array_length(seq) && !rc; i++) {
		json_object *one = json_object_array_get_idx(seq, i);
		const char *name = jx_str(one, "name");

		if (name && !jx_get(by_name, name))
			rc = jx_set(by_name, name, json_object_get(one));
	}
	return rc;
}

static int read_statuses(struct reader *r)
{
	int rc;

	r->statuses = json_object_new_object();
	if (!r->statuses)
		return err_oom(r->err);
	rc = index_statuses(r->statuses,
			    jx_get(r->status, "containerStatuses"));
	if (!rc)
		rc = index_statuses(r->statuses,
				    jx_get(r->status, "initContainerStatuses"));
	return rc ? err_oom(r->err) : 0;
}

static const json_object *status_of(const struct reader *r,
				    const json_object *container)
{
	const char *name = jx_str(container, "name");

	return name ? jx_get(r->statuses, name) : NULL;
}

/*
 * Read by the rule of 1.33: where the runtime's resources are known, the most
 * of all; for init containers that end, what they ask for.
 */
static int read_most(struct reader *r, const json_object *container,
		     const json_object *status, bool ends, struct amounts *out)
{
	json_object *resources = jx_get(status, "resources");
	struct amounts other;
	int rc = read_requests(r, jx_get(container, "resources"), out);

	if (rc || ends || !resources)
		return rc;
	if (r->infeasible)
		*out = (struct amounts){0};
	rc = read_list(r, jx_get(resources, "requests"), NULL, &other);
	if (rc)
		return rc;
	keep_max(out, &other);
	rc = read_list(r, jx_get(status, "allocatedResources"), NULL, &other);
	if (!rc)
		keep_max(out, &other);
	return rc;
}

/* Read by the rule of 1.37: the first list that is there. */
static int read_status(struct reader *r, const json_object *container,
		       const json_object *status, enum which which,
		       struct amounts *out)
{
	json_object *actuated = jx_get(status, "resources", "requests");
	json_object *allocated = jx_get(status, "allocatedResources");

	*out = (struct amounts){0};
	if (which == ACTUATED && actuated)
		return read_list(r, actuated, NULL, out);
	if (allocated)
		return read_list(r, allocated, NULL, out);
	return r->infeasible
		       ? 0
		       : read_requests(r, jx_get(container, "resources"), out);
}

static int read_container(struct reader *r, const json_object *container,
			  enum which which, bool ends, struct amounts *out)
{
	const json_object *status =
		which == ASKED ? NULL : status_of(r, container);
	const char *name = jx_str(container, "name");
	int rc;

	if (which == ASKED)
		rc = read_requests(r, jx_get(container, "resources"), out);
	else if (which == MOST)
		rc = read_most(r, container, status, ends, out);
	else
		rc = read_status(r, container, status, which, out);
	return rc ? err_wrap(r->err, rc, "container %.*s", SHOWN,
			     name ? name : "?")
		  : 0;
}

/*
 * While an init container runs, so do the sidecars before it. Sidecars go on
 * beside the containers, whose sum is in *sum.
 */
static int read_init_containers(struct reader *r, const json_object *seq,
				enum which which, struct amounts *sum)
{
	struct amounts one, sidecars = {0}, most = {0};
	int rc = 0;

	for (size_t i = 0; i < json_object_array_length(seq); i++) {
		json_object *c = json_object_array_get_idx(seq, i);
		const bool ends = !is_sidecar(c);

		rc = read_container(r, c, which, ends, &one);
		if (rc)
			return rc;
		if (ends) {
			add(&one, &sidecars);
		} else {
			add(sum, &one);
			add(&sidecars, &one);
			one = sidecars;
		}
		keep_max(&most, &one);
	}
	keep_max(sum, &most);
	return 0;
}

static int read_containers(struct reader *r, const json_object *spec,
			   enum which which, struct amounts *sum)
{
	json_object *seq = jx_get(spec, "containers");
	json_object *init = jx_get(spec, "initContainers");
	struct amounts one;
	int rc = 0;

	*sum = (struct amounts){0};
	for (size_t i = 0; seq && i < json_object_array_length(seq); i++) {
		rc = read_container(r, json_object_array_get_idx(seq, i), which,
				    false, &one);
		if (rc)
			return rc;
		add(sum, &one);
	}
	return init ? read_init_containers(r, init, which, sum) : 0;
}

/*
 * The bound on containers is not for pods of others, whose author may make them
 * with any number: all of those count.
 */
static int check_lists(const json_object *spec, bool any_number,
		       struct err *err)
{
	static const char *const lists[] = {"containers", "initContainers"};
	size_t n = 0;

	if (!jx_is(spec, json_type_object))
		return err_set(err, -EINVAL, "it has no spec");
	for (int i = 0; i < 2; i++) {
		json_object *seq = jx_get(spec, lists[i]);

		if (seq && !jx_is(seq, json_type_array))
			return err_set(err, -EINVAL, "its %s are no list",
				       lists[i]);
		n += seq ? json_object_array_length(seq) : 0;
	}
	return n > PODNEED_CONTAINERS_MAX && !any_number
		       ? err_set(err, -E2BIG,
				 "it has %zu containers, more than %d", n,
				 PODNEED_CONTAINERS_MAX)
		       : 0;
}

/* --- the pod's own resources */

/* Bits of cpu, memory and huge pages: a pod itself can have no other kinds. */
static uint32_t of_pods(const struct reader *r)
{
	uint32_t bits = 1u << CPU | 1u << MEMORY;

	for (uint32_t i = 0; i < r->n; i++)
		if (pod_requests_is_pages(r->names[i]))
			bits |= 1u << (EXT + i);
	return bits;
}

/*
 * Put the amounts of `by`, of kinds that a pod itself can have, in the place of
 * those of `sum`.
 */
static void replace(const struct reader *r, struct amounts *sum,
		    const struct amounts *by)
{
	const uint32_t bits = by->named & of_pods(r);

	for (int i = 0; i < KINDS; i++)
		if (bits & 1u << i)
			sum->v[i] = by->v[i];
	sum->named |= bits;
}

/*
 * Read the pod's own resources. A limit without a request is one, of cpu and
 * memory only if no container (their sum: `sum`) asks for any.
 */
static int read_pod_level(struct reader *r, const json_object *resources,
			  const struct amounts *sum, struct amounts *out)
{
	json_object *requests = jx_get(resources, "requests");
	struct amounts limits;
	int rc = read_list(r, requests, NULL, out);

	if (!rc)
		rc = read_list(r, jx_get(resources, "limits"), requests,
			       &limits);
	if (rc)
		return err_wrap(r->err, rc, "the pod's resources");
	limits.named &= ~(sum->named & (1u << CPU | 1u << MEMORY));
	replace(r, out, &limits);
	return 0;
}

/* Read what a pod asks for that has no node yet. */
static int read_asked(struct reader *r, const json_object *spec,
		      struct amounts *sum)
{
	struct amounts own;
	int rc = read_containers(r, spec, ASKED, sum);

	if (!rc)
		rc = read_pod_level(r, jx_get(spec, "resources"), sum, &own);
	if (!rc)
		replace(r, sum, &own);
	return rc;
}

/* --- what it holds */

/*
 * Read what is allocated and what is in effect. Where the pod's status has both
 * lists, 1.37 takes them in place of its containers'.
 */
static int read_sums(struct reader *r, const json_object *spec,
		     struct amounts *allocated, struct amounts *actuated)
{
	json_object *a = jx_get(r->status, "allocatedResources");
	json_object *b = jx_get(r->status, "resources", "requests");
	const bool known = a && b;
	int rc = known ? read_list(r, a, NULL, allocated)
		       : read_containers(r, spec, ALLOCATED, allocated);

	if (rc)
		return rc;
	return known ? read_list(r, b, NULL, actuated)
		     : read_containers(r, spec, ACTUATED, actuated);
}

static bool names_pages(const json_object *list)
{
	if (!jx_is(list, json_type_object))
		return false;
	json_object_object_foreach((json_object *)list, name, quantity)
	{
		(void)quantity;
		if (pod_requests_is_pages(name))
			return true;
	}
	return false;
}

/*
 * True if the pod has resources of its own, also if these are only pages of a
 * size that the reader does not keep.
 */
static bool has_own(const struct reader *r, const json_object *resources,
		    const struct amounts *asked)
{
	return asked->named & of_pods(r) ||
	       names_pages(jx_get(resources, "requests")) ||
	       names_pages(jx_get(resources, "limits"));
}

/* Read what 1.37 takes of the pod's own resources, with those of its status. */
static int read_own(struct reader *r, const json_object *spec,
		    const struct amounts *asked, struct amounts *own)
{
	json_object *resources = jx_get(r->status, "resources");
	struct amounts other;
	int rc;

	*own = *asked;
	if (!resources || !has_own(r, jx_get(spec, "resources"), asked))
		return 0;
	if (r->infeasible)
		*own = (struct amounts){0};
	rc = read_list(r, jx_get(resources, "requests"), NULL, &other);
	if (rc)
		return rc;
	keep_max(own, &other);
	rc = read_list(r, jx_get(r->status, "allocatedResources"), NULL,
		       &other);
	if (!rc)
		keep_max(own, &other);
	return rc;
}

/*
 * Releases differ while a pod is resized: 1.33 to 1.36 take the most of each
 * container, 1.37 the most of the sums. Of which release scheduler and kubelet
 * are the pod does not tell: the greater of both is never too little. (1.35 and
 * 1.36 take the status of the pod's own, too, but never more than 1.37.)
 */
static int read_held(struct reader *r, const json_object *spec,
		     struct amounts *held)
{
	struct amounts asked, own, sum, allocated, actuated;
	int rc = read_containers(r, spec, ASKED, &sum);

	if (!rc)
		rc = read_containers(r, spec, MOST, held);
	if (!rc)
		rc = read_sums(r, spec, &allocated, &actuated);
	/*
	 * The pod's own resources are read last: `asked` has a 0 for each kind
	 * that is known by then.
	 */
	if (!rc)
		rc = read_pod_level(r, jx_get(spec, "resources"), &sum, &asked);
	if (!rc)
		rc = read_own(r, spec, &asked, &own);
	if (rc)
		return rc;
	replace(r, held, &asked);
	keep_max(&allocated, &actuated);
	if (!r->infeasible)
		keep_max(&allocated, &sum);
	replace(r, &allocated, &own);
	keep_max(held, &allocated);
	return 0;
}

static bool is_infeasible(const json_object *status)
{
	json_object *seq = jx_get(status, "conditions");

	if (!jx_is(seq, json_type_array))
		return false;
	for (size_t i = 0; i < json_object_array_length(seq); i++) {
		json_object *c = json_object_array_get_idx(seq, i);

		if (str_eq(jx_str(c, "type"), "PodResizePending"))
			return str_eq(jx_str(c, "reason"), "Infeasible");
	}
	return false;
}

/* --- the result */

/*
 * A kubelet admits any number of devices that its node does not have, so that a
 * sum may be over the bound.
 */
static void cap_ext(struct amounts *sum)
{
	for (int i = EXT; i < KINDS; i++)
		if (sum->v[i] > QUANTITY_MAX)
			sum->v[i] = QUANTITY_MAX;
}

static void cap_all(struct amounts *sum)
{
	for (int i = 0; i < KINDS; i++) {
		const quantity_milli most =
			i == CPU ? PODNEED_ROUGHLY_MAX
				 : PODNEED_ROUGHLY_MAX * (quantity_milli)1000;

		if (sum->v[i] > most)
			sum->v[i] = most;
	}
}

static int settle(const struct reader *r, struct amounts *sum,
		  struct pod_requests *out)
{
	if (r->roughly)
		cap_all(sum);
	else if (r->only)
		cap_ext(sum);
	for (int i = 0; i < KINDS; i++)
		if (sum->v[i] > (i == CPU ? INT64_MAX : QUANTITY_MAX))
			return err_set(r->err, -ERANGE,
				       "the pod requests too much");
	out->cpu_milli = (int64_t)sum->v[CPU];
	out->memory_bytes = quantity_units(sum->v[MEMORY]);
	for (uint32_t i = 0; i < r->n; i++) {
		if (!sum->v[EXT + i])
			continue;
		str_copy(out->ext[out->n_ext].name, r->names[i],
			 sizeof(out->ext[0].name));
		out->ext[out->n_ext++].count = quantity_units(sum->v[EXT + i]);
	}
	return 0;
}

static int read_pod(struct reader *r, const json_object *pod,
		    struct pod_requests *out)
{
	json_object *spec = jx_get(pod, "spec");
	struct amounts sum, overhead;
	int rc = check_lists(spec, r->only, r->err);

	memset(out, 0, sizeof(*out));
	r->status = jx_get(pod, "status");
	r->infeasible = is_infeasible(r->status);
	if (!rc && r->held)
		rc = read_statuses(r);
	if (!rc)
		rc = r->held ? read_held(r, spec, &sum)
			     : read_asked(r, spec, &sum);
	json_object_put(r->statuses);
	r->statuses = NULL;
	if (rc)
		return rc;
	rc = read_list(r, jx_get(spec, "overhead"), NULL, &overhead);
	if (rc)
		return err_wrap(r->err, rc, "the pod's overhead");
	add(&sum, &overhead);
	return settle(r, &sum, out);
}

int pod_requests_of(const json_object *pod, struct pod_requests *out,
		    struct err *err)
{
	struct reader r = {.err = err};

	return read_pod(&r, pod, out);
}

void pod_requests_roughly(const json_object *pod, struct pod_requests *out)
{
	struct reader r = {.only = true, .roughly = true};

	if (read_pod(&r, pod, out))
		*out = (struct pod_requests){0}; /* the pod has no containers */
}

/*
 * A reader has room for some kinds: it reads once for each so many, and once if
 * there are none.
 */
int pod_requests_held_of(const json_object *pod, const char *const *kinds,
			 size_t n, struct pod_requests *out, int64_t *counts,
			 struct err *err)
{
	size_t at = 0;

	do {
		struct reader r = {.only = true, .held = true, .err = err};
		int rc;

		for (size_t i = at; i < n && r.n < PODNEED_EXT_MAX; i++)
			str_copy(r.names[r.n++], kinds[i], sizeof(r.names[0]));
		rc = read_pod(&r, pod, out);
		if (rc) {
			memset(counts, 0, n * sizeof(*counts));
			return rc;
		}
		for (uint32_t i = 0; i < r.n; i++)
			counts[at + i] = pod_requests_count(out, r.names[i]);
		at += r.n;
	} while (at < n);
	out->n_ext = 0;
	return 0;
}

static bool has_host_port(const json_object *container)
{
	json_object *ports = jx_get(container, "ports");

	if (!jx_is(ports, json_type_array))
		return false;
	for (size_t i = 0; i < json_object_array_length(ports); i++)
		if (jx_int(jx_get(json_object_array_get_idx(ports, i),
				  "hostPort"),
			   0))
			return true;
	return false;
}

bool pod_requests_ports(const json_object *pod)
{
	static const char *const lists[] = {"containers", "initContainers"};

	for (int l = 0; l < 2; l++) {
		json_object *seq = jx_get(pod, "spec", lists[l]);

		if (!jx_is(seq, json_type_array))
			continue;
		for (size_t i = 0; i < json_object_array_length(seq); i++)
			if (has_host_port(json_object_array_get_idx(seq, i)))
				return true;
	}
	return false;
}

static int add_ext(struct pod_requests *sum, const char *name, int64_t count,
		   struct err *err)
{
	uint32_t i = 0;

	while (i < sum->n_ext && strcmp(sum->ext[i].name, name))
		i++;
	if (i == PODNEED_EXT_MAX)
		return err_set(err, -E2BIG,
			       "more than %d kinds of extended resources",
			       PODNEED_EXT_MAX);
	if (i == sum->n_ext) {
		str_copy(sum->ext[i].name, name, sizeof(sum->ext[i].name));
		sum->ext[i].count = 0;
		sum->n_ext++;
	}
	return __builtin_add_overflow(sum->ext[i].count, count,
				      &sum->ext[i].count)
		       ? err_set(err, -ERANGE, "together too much %s", name)
		       : 0;
}

int pod_requests_add(struct pod_requests *sum, const struct pod_requests *more,
		     struct err *err)
{
	struct pod_requests s = *sum;
	int rc = 0;

	if (__builtin_add_overflow(s.cpu_milli, more->cpu_milli,
				   &s.cpu_milli) ||
	    __builtin_add_overflow(s.memory_bytes, more->memory_bytes,
				   &s.memory_bytes))
		return err_set(err, -ERANGE, "together too much cpu or memory");
	for (uint32_t i = 0; !rc && i < more->n_ext; i++)
		rc = add_ext(&s, more->ext[i].name, more->ext[i].count, err);
	if (!rc)
		*sum = s;
	return rc;
}

int pod_requests_raise(struct pod_requests *most,
		       const struct pod_requests *need, struct err *err)
{
	struct pod_requests more = {0};

	if (need->cpu_milli > most->cpu_milli)
		most->cpu_milli = need->cpu_milli;
	if (need->memory_bytes > most->memory_bytes)
		most->memory_bytes = need->memory_bytes;
	for (uint32_t i = 0; i < need->n_ext; i++) {
		const int64_t has = pod_requests_count(most, need->ext[i].name);

		if (need->ext[i].count <= has)
			continue;
		more.ext[more.n_ext] = need->ext[i];
		more.ext[more.n_ext++].count -= has;
	}
	return pod_requests_add(most, &more, err);
}

int64_t pod_requests_count(const struct pod_requests *need, const char *name)
{
	for (uint32_t i = 0; i < need->n_ext; i++)
		if (!strcmp(need->ext[i].name, name))
			return need->ext[i].count;
	return 0;
}

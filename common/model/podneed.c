/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/podneed.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/str.h"
#include "model/quantity.h"

#define GRES_TEXT_MAX 2048
#define SHOWN 80 /* of a foreign name */

enum { CPU, MEMORY, EXT }; /* indexes of an amount; from EXT on: extended */

/* Thousandths, until all is summed: that is exact. */
struct amounts {
	int64_t v[EXT + PODNEED_EXT_MAX];
};

struct reader {
	char names[PODNEED_EXT_MAX][PODNEED_NAME_MAX + 1];
	uint32_t n;
	struct err *err;
};

const struct gresmap gresmap_default[GRESMAP_DEFAULT_N] = {
	{"nvidia.com/gpu", "gpu"},
	{"amd.com/gpu", "gpu"},
};

static bool is_huge_pages(const char *name)
{
	return str_starts(name, "hugepages-");
}

/* The index of a kind; -1: it is not counted; -E2BIG */
static int index_of(struct reader *r, const char *name)
{
	if (!strcmp(name, "cpu"))
		return CPU;
	if (!strcmp(name, "memory"))
		return MEMORY;
	if (!strchr(name, '/') && !is_huge_pages(name))
		return -1;
	for (uint32_t i = 0; i < r->n; i++)
		if (!strcmp(name, r->names[i]))
			return EXT + (int)i;
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

static int add(struct reader *r, int64_t *sum, int64_t more)
{
	return __builtin_add_overflow(*sum, more, sum)
		       ? err_set(r->err, -ERANGE, "the pod requests too much")
		       : 0;
}

static int add_all(struct reader *r, struct amounts *sum,
		   const struct amounts *more)
{
	int rc = 0;

	for (int i = 0; !rc && i < EXT + PODNEED_EXT_MAX; i++)
		rc = add(r, &sum->v[i], more->v[i]);
	return rc;
}

static void keep_max(struct amounts *most, const struct amounts *a)
{
	for (int i = 0; i < EXT + PODNEED_EXT_MAX; i++)
		if (a->v[i] > most->v[i])
			most->v[i] = a->v[i];
}

static int read_amount(struct reader *r, const char *name,
		       const json_object *quantity, struct amounts *out)
{
	int64_t milli = 0;
	int at = 0, rc;

	rc = quantity_of(quantity, &milli, r->err);
	if (rc)
		return err_wrap(r->err, rc, "resource %.*s", SHOWN, name);
	if (milli < 0)
		return err_set(r->err, -EINVAL, "resource %.*s is negative",
			       SHOWN, name);
	if (milli)
		at = index_of(r, name);
	if (milli && at >= 0)
		out->v[at] = milli;
	return at < -1 ? at : 0;
}

/* A mapping of amounts, those of `but` left out. NULL: nothing. */
static int read_list(struct reader *r, const json_object *list,
		     const json_object *but, struct amounts *out)
{
	int rc = 0;

	if (!jx_is(list, json_type_object))
		return 0;
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

static int read_container(struct reader *r, const json_object *container,
			  struct amounts *out)
{
	json_object *requests = jx_get(container, "resources", "requests");
	const char *name = jx_str(container, "name");
	int rc;

	*out = (struct amounts){0};
	rc = read_list(r, requests, NULL, out);
	if (!rc)
		rc = read_list(r, jx_get(container, "resources", "limits"),
			       requests, out);
	return rc ? err_wrap(r->err, rc, "container %.*s", SHOWN,
			     name ? name : "?")
		  : 0;
}

static int read_containers(struct reader *r, const json_object *seq,
			   struct amounts *sum)
{
	struct amounts one;
	int rc = 0;

	for (size_t i = 0; !rc && i < json_object_array_length(seq); i++) {
		rc = read_container(r, json_object_array_get_idx(seq, i), &one);
		if (!rc)
			rc = add_all(r, sum, &one);
	}
	return rc;
}

/*
 * While one of them runs, so do the sidecars before it. Sidecars go on beside
 * the containers, whose sum is in *sum.
 */
static int read_init_containers(struct reader *r, const json_object *seq,
				struct amounts *sum)
{
	struct amounts one, sidecars = {0}, most = {0};
	int rc = 0;

	for (size_t i = 0; !rc && i < json_object_array_length(seq); i++) {
		json_object *c = json_object_array_get_idx(seq, i);

		rc = read_container(r, c, &one);
		if (!rc && str_eq(jx_str(c, "restartPolicy"), "Always")) {
			rc = add_all(r, sum, &one);
			if (!rc)
				rc = add_all(r, &sidecars, &one);
			one = sidecars;
		} else if (!rc) {
			rc = add_all(r, &one, &sidecars);
		}
		if (!rc)
			keep_max(&most, &one);
	}
	keep_max(sum, &most);
	return rc;
}

/* Replaces the containers' sum of cpu, memory and huge pages. */
static int read_pod_level(struct reader *r, const json_object *resources,
			  struct amounts *sum)
{
	json_object *requests = jx_get(resources, "requests");
	json_object *limits = jx_get(resources, "limits");
	struct amounts wanted = {0}, limited = {0};
	int rc = read_list(r, requests, NULL, &wanted);

	if (!rc)
		rc = read_list(r, limits, requests, &limited);
	if (rc)
		return err_wrap(r->err, rc, "the pod's resources");
	for (uint32_t i = 0; i < EXT + r->n; i++) {
		const char *name = i == CPU	 ? "cpu"
				   : i == MEMORY ? "memory"
						 : r->names[i - EXT];

		if (i >= EXT && !is_huge_pages(name))
			continue;
		if (jx_get(requests, name))
			sum->v[i] = wanted.v[i];
		else if (!sum->v[i])
			sum->v[i] = limited.v[i];
	}
	return 0;
}

static int check_lists(const json_object *spec, struct err *err)
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
	return n > PODNEED_CONTAINERS_MAX
		       ? err_set(err, -E2BIG,
				 "it has %zu containers, more than %d", n,
				 PODNEED_CONTAINERS_MAX)
		       : 0;
}

static void settle(const struct reader *r, const struct amounts *sum,
		   struct podneed *out)
{
	out->cpu_milli = sum->v[CPU];
	out->memory_bytes = quantity_units(sum->v[MEMORY]);
	for (uint32_t i = 0; i < r->n; i++) {
		if (!sum->v[EXT + i])
			continue;
		str_copy(out->ext[out->n_ext].name, r->names[i],
			 sizeof(out->ext[0].name));
		out->ext[out->n_ext++].count = quantity_units(sum->v[EXT + i]);
	}
}

int podneed_of(const json_object *pod, struct podneed *out, struct err *err)
{
	json_object *spec = jx_get(pod, "spec");
	struct reader r = {.err = err};
	struct amounts sum = {0}, overhead = {0};
	int rc = check_lists(spec, err);

	memset(out, 0, sizeof(*out));
	if (!rc && jx_get(spec, "containers"))
		rc = read_containers(&r, jx_get(spec, "containers"), &sum);
	if (!rc && jx_get(spec, "initContainers"))
		rc = read_init_containers(&r, jx_get(spec, "initContainers"),
					  &sum);
	if (!rc)
		rc = read_pod_level(&r, jx_get(spec, "resources"), &sum);
	if (!rc) {
		rc = read_list(&r, jx_get(spec, "overhead"), NULL, &overhead);
		if (rc)
			err_wrap(err, rc, "the pod's overhead");
	}
	if (!rc)
		rc = add_all(&r, &sum, &overhead);
	if (!rc)
		settle(&r, &sum, out);
	return rc;
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

bool podneed_ports(const json_object *pod)
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

static int add_ext(struct podneed *sum, const char *name, int64_t count,
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

int podneed_add(struct podneed *sum, const struct podneed *more,
		struct err *err)
{
	struct podneed s = *sum;
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

int64_t podneed_count(const struct podneed *need, const char *name)
{
	for (uint32_t i = 0; i < need->n_ext; i++)
		if (!strcmp(need->ext[i].name, name))
			return need->ext[i].count;
	return 0;
}

static int check_known(const struct podneed *need, const struct gresmap *map,
		       size_t n_map, struct err *err)
{
	for (uint32_t i = 0; i < need->n_ext; i++) {
		size_t k = 0;

		while (k < n_map && strcmp(map[k].resource, need->ext[i].name))
			k++;
		if (k == n_map)
			return err_set(err, -EOPNOTSUPP,
				       "no gres of Slurm is named for the "
				       "resource %s",
				       need->ext[i].name);
	}
	return 0;
}

static bool is_first(const struct gresmap *map, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (!strcmp(map[i].gres, map[at].gres))
			return false;
	return true;
}

/*
 * Of all resources that are this gres; with `types`: or a type of it. -1:
 * that is too much.
 */
static int64_t sum_of(const struct podneed *need, const struct gresmap *map,
		      size_t n_map, const char *gres, bool types)
{
	size_t len = strlen(gres);
	int64_t sum = 0;

	for (size_t i = 0; i < n_map; i++) {
		const char *have = map[i].gres;

		if (strncmp(have, gres, len) ||
		    (have[len] && !(types && have[len] == ':')))
			continue;
		if (__builtin_add_overflow(
			    sum, podneed_count(need, map[i].resource), &sum))
			return -1;
	}
	return sum;
}

int podneed_gres(const struct podneed *need, const struct gresmap *map,
		 size_t n_map, char **out, struct err *err)
{
	_cleanup_buf_ struct buf list = BUF_INIT(GRES_TEXT_MAX);
	int rc = check_known(need, map, n_map, err);

	*out = NULL;
	for (size_t i = 0; !rc && i < n_map; i++) {
		int64_t n = sum_of(need, map, n_map, map[i].gres, false);

		if (!is_first(map, i))
			continue;
		if (n < 0)
			return err_set(err, -ERANGE, "too many %s",
				       map[i].gres);
		if (n && buf_addf(&list, "%sgres/%s:%lld", list.len ? "," : "",
				  map[i].gres, (long long)n))
			return err_set(err, -E2BIG,
				       "its extended resources are too many");
	}
	if (!rc && list.len)
		*out = strdup(buf_str(&list));
	return rc || !list.len || *out ? rc : err_oom(err);
}

int64_t podneed_gres_count(const struct podneed *need,
			   const struct gresmap *map, size_t n_map,
			   const char *kind)
{
	int64_t n = sum_of(need, map, n_map, kind, true);

	return n < 0 ? INT64_MAX : n;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Slurm's Gres of what a pod requests. */
#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/str.h"
#include "objects/pod_requests.h"
#include "syntax/quantity.h"

#define GRES_TEXT_MAX 2048

#define HUGE_PAGES "hugepages-"

bool pod_requests_is_pages(const char *resource)
{
	return str_starts(resource, HUGE_PAGES);
}

static int check_known(const struct pod_requests *need,
		       const struct gresmap *map, size_t n_map, struct err *err)
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

int64_t pod_requests_unit(const char *resource)
{
	quantity_milli milli;

	if (!pod_requests_is_pages(resource) ||
	    quantity_parse(resource + strlen(HUGE_PAGES), &milli, NULL) ||
	    milli < 1000)
		return 1;
	return quantity_units(milli);
}

/* A page that is begun counts whole; the API server admits whole pages only. */
static int64_t units_of(const struct pod_requests *need, const char *resource)
{
	const int64_t n = pod_requests_count(need, resource);
	const int64_t unit = pod_requests_unit(resource);

	return n / unit + !!(n % unit);
}

static bool is_first(const struct gresmap *map, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (!strcmp(map[i].gres, map[at].gres))
			return false;
	return true;
}

/*
 * The sum of all resources that are this gres or, with `types`, a type of it.
 * -1: that is too much.
 */
static int64_t sum_of(const struct pod_requests *need,
		      const struct gresmap *map, size_t n_map, const char *gres,
		      bool types)
{
	size_t len = strlen(gres);
	int64_t sum = 0;

	for (size_t i = 0; i < n_map; i++) {
		const char *have = map[i].gres;

		if (strncmp(have, gres, len) ||
		    (have[len] && !(types && have[len] == ':')))
			continue;
		if (__builtin_add_overflow(sum, units_of(need, map[i].resource),
					   &sum))
			return -1;
	}
	return sum;
}

int pod_requests_gres(const struct pod_requests *need,
		      const struct gresmap *map, size_t n_map, char **out,
		      struct err *err)
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

int64_t pod_requests_gres_count(const struct pod_requests *need,
				const struct gresmap *map, size_t n_map,
				const char *kind)
{
	int64_t n = sum_of(need, map, n_map, kind, true);

	return n < 0 ? INT64_MAX : n;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pods.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "clean.h"
#include "job_id.h"
#include "syntax/names.h"
#include "syntax/wellknown.h"

#define POD_ROWS_MAX 200000

#define NOTE_MAX 300

enum column { STATUS, AGE, HOST };

static void row_clear(struct pod_row *r)
{
	free(r->ns);
	free(r->name);
	free(r->node);
	free(r->status);
	free(r->age);
	free(r->host);
	free(r->note);
	free(r->uid);
	free(r->manager);
	free(r->probe);
}

/* A text of Kubernetes, to be shown; NULL: out of memory. */
static char *copy(const char *text)
{
	return clean_copy(text && strcmp(text, "<none>") != 0 ? text : "");
}

static char *copy_note(const json_object *metadata)
{
	const char *note = jx_str(metadata, "annotations", WK_BRIDGE_NOTE);
	char cut[NOTE_MAX];

	str_shorten(cut, note ? note : "", sizeof(cut));
	return copy(cut);
}

/* How long a probe may be needed, in seconds; 0: that is not known. */
static int64_t probe_seconds(const json_object *metadata)
{
	const char *text =
		jx_str(metadata, "annotations", WK_ANNOTATION_PROBE_SECONDS);
	char *end;
	long long n = text ? strtoll(text, &end, 10) : 0;

	return n > 0 && !*end && n <= INT32_MAX ? n : 0;
}

static int on_row(void *arg, const char *const cells[],
		  const json_object *metadata)
{
	struct pod_rows *out = arg;
	const char *created = jx_str(metadata, "creationTimestamp");
	struct pod_row *v,
		r = {
			.ns = copy(jx_str(metadata, "namespace")),
			.name = copy(jx_str(metadata, "name")),
			.node = copy(jx_str(metadata, "labels", WK_LABEL_NODE)),
			.status = copy(cells[STATUS]),
			.age = copy(cells[AGE]),
			.host = copy(cells[HOST]),
			.note = copy_note(metadata),
			.deleting =
				jx_get(metadata, "deletionTimestamp") != NULL,
			.uid = copy(jx_str(metadata, "uid")),
			.manager = copy(jx_str(metadata, "labels",
					       WK_LABEL_APP_MANAGED_BY)),
			.probe = copy(
				jx_str(metadata, "labels", WK_LABEL_PROBE)),
			.created_ms =
				created ? clock_parse_rfc3339(created) : -1,
			.job = job_id_of(
				jx_str(metadata, "labels", WK_BRIDGE_JOB_ID)),
			.probe_s = probe_seconds(metadata),
		};

	v = out->n < POD_ROWS_MAX ? reallocarray(out->v, out->n + 1, sizeof(*v))
				  : NULL;
	if (!v || !r.ns || !r.name || !r.node || !r.status || !r.age ||
	    !r.host || !r.note || !r.uid || !r.manager || !r.probe) {
		out->v = v ? v : out->v;
		row_clear(&r);
		return -ENOMEM;
	}
	out->v = v;
	out->v[out->n++] = r;
	return 0;
}

static int pods_list(struct api_server *s, const char *ns, const char *labels,
		     const char *fields, struct pod_rows *out, struct err *err)
{
	const struct api_table table = {
		.ref = {.api = KUBE_CORE_V1, .ns = ns, .resource = "pods"},
		.labels = labels,
		.fields = fields,
		.columns =
			{[STATUS] = "Status", [AGE] = "Age", [HOST] = "Node"},
		.metadata = true,
		.on_row = on_row,
		.arg = out,
	};
	int rc = api_list(s, &table, err);

	return rc == -ENOMEM ? err_oom(err) : rc;
}

char *pods_worker_labels(const char *slurm_cluster)
{
	char value[DNS_LABEL_MAX + 1];

	name_label_of(slurm_cluster, value);
	return str_printf(WK_LABEL_CLUSTER "=%s," WK_LABEL_NODE, value);
}

int pods_of_workers(struct api_server *s, const char *slurm_cluster,
		    struct pod_rows *out, struct err *err)
{
	_cleanup_free_ char *labels = pods_worker_labels(slurm_cluster);

	return labels ? pods_list(s, s->k->ns, labels, NULL, out, err)
		      : err_oom(err);
}

int pods_of_probes(struct api_server *s, const char *slurm_cluster,
		   struct pod_rows *out, struct err *err)
{
	_cleanup_free_ char *labels = NULL;
	char value[DNS_LABEL_MAX + 1];

	name_label_of(slurm_cluster, value);
	labels = str_printf(WK_LABEL_PROBE "=%s,!" WK_LABEL_NODE, value);
	return labels ? pods_list(s, s->k->ns, labels, NULL, out, err)
		      : err_oom(err);
}

int pods_of_scheduler(struct api_server *s, const char *scheduler,
		      struct pod_rows *out, struct err *err)
{
	_cleanup_free_ char *fields =
		str_printf("spec.schedulerName=%s," PODS_NOT_ENDED, scheduler);
	const size_t first = out->n;
	int rc = fields ? pods_list(s, NULL, NULL, fields, out, err)
			: err_oom(err);

	/* a label that is no more than their author's word */
	for (size_t i = first; i < out->n; i++)
		*out->v[i].node = '\0';
	return rc;
}

static int by_node(const void *a, const void *b)
{
	const struct pod_row *x = a, *y = b;
	int rc = strcmp(x->node, y->node);

	if (!rc && x->job != y->job)
		rc = x->job < y->job ? -1 : 1;
	if (!rc)
		rc = strcmp(x->ns, y->ns);
	return rc ? rc : strcmp(x->name, y->name);
}

void pods_sort(struct pod_rows *p)
{
	if (p->n)
		qsort(p->v, p->n, sizeof(*p->v), by_node);
}

void pods_clear(struct pod_rows *p)
{
	for (size_t i = 0; i < p->n; i++)
		row_clear(&p->v[i]);
	free(p->v);
	*p = (struct pod_rows){0};
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "status_read.h"

#include <errno.h>
#include <stdlib.h>

#include "api_server.h"
#include "base/str.h"
#include "slurm/ctl_config.h"

#define NAMES_MAX 1000	/* names that are asked for, each a hostlist */
#define NOTES_MAX 65536 /* bytes of status.notes */

/* --- Kubernetes */

/*
 * Read a cluster's pods, and then the Lease of its engine. Without an answer
 * about the pods the Lease is not asked for.
 */
static void read_cluster(struct status *s, const struct cluster_config *k,
			 struct cluster_view *c)
{
	const struct bridge_config *b = &s->site.config->bridge;
	_cleanup_api_ struct api_server api = {0};

	*c = (struct cluster_view){.name = k->name};
	engine_lease_of(NULL, 0, &c->engine);
	if (api_open(&api, k, &c->err) ||
	    pods_of_workers(&api, s->cluster, &s->view.workers, &c->err))
		return;
	if (b->wanted && str_eq(b->cluster, k->name) &&
	    pods_of_scheduler(&api, b->scheduler, &s->view.queued, &c->err))
		return;
	engine_lease_read(&api, s->cluster, &c->engine);
}

static void read_kubernetes(struct status *s)
{
	const struct config *config = s->site.config;

	s->clusters = calloc(config->n_clusters + 1, sizeof(*s->clusters));
	if (!s->clusters)
		return;
	s->n_clusters = config->n_clusters;
	s->view.pods_known = true;
	for (size_t i = 0; i < s->n_clusters; i++) {
		read_cluster(s, &config->clusters[i], &s->clusters[i]);
		s->view.pods_known &= !s->clusters[i].err.code;
		s->incomplete |= s->clusters[i].engine.err.code != 0;
	}
	pods_sort(&s->view.workers);
	pods_sort(&s->view.queued);
}

/* --- what was asked for */

struct search {
	struct status *s;
	const struct job_ref *ref;
	bool found;
	struct err *err;
};

static int on_job(void *arg, const struct ctl_job *job)
{
	struct search *search = arg;

	if (!job_ref_is(search->ref, job))
		return 0;
	search->found = true;
	return *job->nodes ? hostlist_expand(job->nodes, &search->s->only,
					     search->err)
			   : 0;
}

/* Add a job that is asked for: its nodes, and its own row. */
static int add_job(struct status *s, const char *name, struct err *err)
{
	const struct job_ref *ref = &s->jobs[s->view.n_only_jobs++];
	struct search search = {.s = s, .ref = ref, .err = err};
	int rc;

	if (!s->site.jobs) {
		s->incomplete = true;
		(void)buf_addf(
			&s->notes,
			"slurm-k8s: which nodes job %s has is not known\n",
			name);
		return 0;
	}
	rc = ctl_jobs_each(s->site.jobs, on_job, &search);
	if (!rc && !search.found)
		(void)buf_addf(&s->notes, "slurm-k8s: Slurm has no job %s\n",
			       name);
	return rc;
}

static int add_name(struct status *s, const char *name, struct err *err)
{
	const size_t first = s->only.n;
	struct ctl_node node;
	int rc = 0;

	if (!s->site.nodes || !ctl_nodes_find(s->site.nodes, name, &node))
		rc = job_ref_of(name, &s->jobs[s->view.n_only_jobs], err);
	if (rc)
		return rc > 0 ? add_job(s, name, err) : rc;
	rc = hostlist_expand(name, &s->only, err);
	for (size_t i = first; !rc && s->site.nodes && i < s->only.n; i++)
		if (!ctl_nodes_find(s->site.nodes, s->only.names[i], &node))
			(void)buf_addf(&s->notes,
				       "slurm-k8s: Slurm has no node %s\n",
				       s->only.names[i]);
	return rc;
}

static int read_names(struct status *s, char *const names[], struct err *err)
{
	size_t n = 0;
	int rc = 0;

	while (names[n])
		n++;
	if (!n)
		return 0;
	if (n > NAMES_MAX)
		return err_set(err, -EINVAL, "more than %d names", NAMES_MAX);
	s->jobs = calloc(n, sizeof(*s->jobs));
	if (!s->jobs)
		return err_oom(err);
	for (size_t i = 0; !rc && i < n; i++)
		rc = add_name(s, names[i], err);
	hostlist_sort(&s->only);
	s->view.only = &s->only;
	s->view.only_jobs = s->jobs;
	return rc;
}

int status_read(struct status *s, const char *file, char *const names[],
		bool all, struct err *err)
{
	int rc;

	*s = (struct status){.pass_ms = -1, .notes = BUF_INIT(NOTES_MAX)};
	site_load(&s->site, file);
	s->view.config = s->site.config;
	s->view.nodes = s->site.nodes;
	s->view.jobs = s->site.jobs;
	s->view.all = all;
	rc = read_names(s, names, err);
	if (rc)
		return rc;
	s->unasked = ctl_config_cluster();
	s->cluster = s->site.slurm.cluster ? s->site.slurm.cluster : s->unasked;
	if (s->site.config)
		s->pass_ms =
			last_pass_read(&s->site.config->metrics, s->pass_words);
	if (s->site.config && s->cluster)
		read_kubernetes(s);
	s->incomplete |= s->site.slurm_err.code || s->site.config_err.code ||
			 !s->view.pods_known;
	return 0;
}

void status_clear(struct status *s)
{
	pods_clear(&s->view.workers);
	pods_clear(&s->view.queued);
	hostlist_clear(&s->only);
	buf_free(&s->notes);
	site_clear(&s->site);
	free(s->jobs);
	free(s->clusters);
	free(s->unasked);
}

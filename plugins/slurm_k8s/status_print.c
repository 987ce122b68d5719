/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "status_print.h"

#include <errno.h>
#include <inttypes.h>

#include "base/clock.h"
#include "clean.h"

struct tables {
	struct sheet nodes, jobs;
	size_t left_out; /* nodes that are not in the table */
};

/* --- for people */

static void print_cluster(const struct cluster_view *c, const char *now,
			  FILE *out)
{
	char engine[ENGINE_WORDS_MAX];

	engine_lease_words(&c->engine, engine);
	if (c->err.code)
		fprintf(out, "Kubernetes cluster %s: not known: %s\n", c->name,
			c->err.msg);
	else
		fprintf(out,
			"Kubernetes cluster %s: as its API server has it at "
			"%s; %s\n",
			c->name, now, engine);
}

static void print_heads(const struct status *s, FILE *out)
{
	char now[CLOCK_RFC3339_MAX];

	clock_write_rfc3339(clock_real_ms(), now);
	if (s->site.slurm_err.code)
		fprintf(out, "Slurm: not known: %s\n", s->site.slurm_err.msg);
	else
		fprintf(out, "Slurm cluster %s: as slurmctld has it at %s\n",
			s->site.slurm.cluster, now);
	if (s->site.config_err.code)
		fprintf(out, "Kubernetes was not asked: %s\n",
			s->site.config_err.msg);
	else if (!s->cluster)
		fprintf(out,
			"Kubernetes was not asked: ClusterName is not known\n");
	for (size_t i = 0; i < s->n_clusters; i++)
		print_cluster(&s->clusters[i], now, out);
	if (*s->pass_words)
		fprintf(out, "Engine: %s\n", s->pass_words);
}

static void print_text(const struct status *s, const struct tables *t,
		       FILE *out)
{
	print_heads(s, out);
	if (t->nodes.n) {
		fprintf(out, "\n");
		sheet_print(&t->nodes, out);
	}
	if (t->left_out)
		fprintf(out,
			"%s%zu nodes are powered down%s (--all prints "
			"them)\n",
			t->nodes.n ? "" : "\n", t->left_out,
			s->view.pods_known ? ", and have no pod" : "");
	if (t->jobs.n) {
		fprintf(out, "\n");
		sheet_print(&t->jobs, out);
	}
}

/* --- for programs */

static int set_ago(json_object *o, const char *key, int64_t ms)
{
	return ms < 0 ? 0 : jx_set(o, key, json_object_new_int64(ms / 1000));
}

static int add_cluster(json_object *list, const struct cluster_view *c)
{
	const struct engine_lease *e = &c->engine;
	const bool had = *e->holder && e->renewed_ms >= 0;
	json_object *o = json_object_new_object();

	if (jx_append(list, o))
		return -ENOMEM;
	return jx_set_str(o, "name", c->name) |
	       (c->err.code ? jx_set_str(o, "error", c->err.msg) : 0) |
	       (e->err.code ? jx_set_str(o, "leaseError", e->err.msg) : 0) |
	       jx_set(o, "active",
		      json_object_new_boolean(engine_lease_acts(e))) |
	       (had ? jx_set_str(o, "holder", e->holder) |
				set_ago(o, "renewedSecondsAgo", e->renewed_ms)
		    : 0);
}

static int add_engine(json_object *all, const struct status *s)
{
	json_object *o;

	if (!*s->pass_words)
		return 0;
	o = jx_need(all, "engine", json_type_object);
	if (!o)
		return -ENOMEM;
	return set_ago(o, "lastPassSecondsAgo", s->pass_ms) |
	       (s->pass_ms < 0 ? jx_set_str(o, "error", s->pass_words) : 0);
}

static int add_heads(json_object *all, const struct status *s)
{
	json_object *slurm = jx_need(all, "slurm", json_type_object);
	json_object *list = jx_need(all, "clusters", json_type_array);
	char now[CLOCK_RFC3339_MAX];
	int bad = 0;

	if (!slurm || !list)
		return -ENOMEM;
	clock_write_rfc3339(clock_real_ms(), now);
	bad |= jx_set_str(all, "time", now);
	if (s->site.slurm.cluster)
		bad |= jx_set_str(slurm, "cluster", s->site.slurm.cluster);
	if (s->site.slurm_err.code)
		bad |= jx_set_str(slurm, "error", s->site.slurm_err.msg);
	if (s->site.config_err.code)
		bad |= jx_set_str(all, "error", s->site.config_err.msg);
	for (size_t i = 0; i < s->n_clusters; i++)
		bad |= add_cluster(list, &s->clusters[i]);
	return bad | add_engine(all, s);
}

static int print_json(const struct status *s, const struct tables *t, FILE *out)
{
	_cleanup_json_ json_object *all = json_object_new_object();
	int bad;

	if (!all)
		return -ENOMEM;
	bad = add_heads(all, s) | jx_set(all, "nodes", sheet_json(&t->nodes)) |
	      jx_set(all, "jobs", sheet_json(&t->jobs)) |
	      jx_set(all, "nodesLeftOut",
		     json_object_new_int64((int64_t)t->left_out)) |
	      jx_set(all, "exit", json_object_new_int(s->incomplete ? 2 : 0));
	return bad ? -ENOMEM : clean_print_json(all, CLEAN_LINE, out);
}

void status_print(struct status *s, bool json, FILE *out)
{
	struct tables t = {0};

	t.left_out = status_nodes(&s->view, &t.nodes);
	status_jobs(&s->view, &t.jobs);
	s->incomplete |= t.nodes.incomplete || t.jobs.incomplete;
	if (!json)
		print_text(s, &t, out);
	else if (print_json(s, &t, out))
		s->incomplete = true;
	sheet_clear(&t.nodes);
	sheet_clear(&t.jobs);
}

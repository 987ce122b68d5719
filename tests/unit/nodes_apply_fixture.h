/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What common/nodes/reconcile/apply.c calls of the engine, for its tests:
 * nothing is done.
 */
#ifndef SLURMK8S_TESTS_ACT_FIXTURE_H
#define SLURMK8S_TESTS_ACT_FIXTURE_H

#include "base/str.h"
#include "lease_fixture.h"
#include "nodes/reconcile/reconcile.h"
#include "own_lists.h"
#include "t.h"

void requeued_sent_back(struct nodes *e)
{
	(void)e;
}

struct cluster *cluster_of(struct nodes *e, const struct nodeset *set)
{
	(void)e, (void)set;
	return NULL;
}

struct node_requests *requests_of(struct nodes *e, const struct nodeset *set)
{
	(void)e, (void)set;
	return NULL;
}

int manifest_of(struct nodes *e, const struct nodeset *set,
		const struct ctl_node *node, struct manifest *out,
		struct err *err)
{
	(void)e, (void)set, (void)node, (void)out;
	return err_oom(err);
}

/* Of a test that is linked with --wrap for it */
static unsigned int deleted; /* pods */

void __wrap_node_requests_delete(struct node_requests *w,
				 const struct pod_view *pod);
void __wrap_node_requests_delete(struct node_requests *w,
				 const struct pod_view *pod)
{
	(void)w, (void)pod;
	deleted++;
}

/* The features that nodes have got last; NULL: as they are */
static char set_features[2][NODE_WORDS_MAX];

int ctl_node_features(const char *nodes, const char *active,
		      const char *available)
{
	(void)nodes;
	str_copy(set_features[0], active, sizeof(set_features[0]));
	str_copy(set_features[1], available ? available : "NULL",
		 sizeof(set_features[1]));
	return 0;
}

int ctl_node_comment(const struct ctl_nodes *n, const char *node,
		     const char *text, struct err *err)
{
	(void)n, (void)node, (void)text, (void)err;
	return 0;
}

int ctl_node_update(const char *nodes, enum ctl_node_update what,
		    const char *text, struct err *err)
{
	(void)err;
	return ctl_node_try(nodes, what, text);
}

int ctl_nodes_keep(const struct ctl_nodes *now, const char *nodes,
		   enum ctl_node_update what)
{
	(void)now;
	return ctl_node_try(nodes, what, NULL);
}

int ctl_nodes_power_down_new(const struct ctl_nodes *now, const char *nodes)
{
	(void)now;
	return ctl_node_try(nodes, CTL_POWER_DOWN_NEW, NULL);
}

/* What slurmctld says of each node: as `node_is`, and as the test wants it. */
static struct ctl_node node_is = {.power = CTL_POWERING_UP};

static bool see_node(const char *name, struct ctl_node *out)
	__attribute__((unused));

static bool see_node(const char *name, struct ctl_node *out)
{
	*out = node_is;
	out->name = name;
	return true;
}

static bool asked_for_one; /* by the last question */

int ctl_nodes_load(struct ctl_nodes **out, struct err *err)
{
	(void)err;
	asked_for_one = false;
	*out = (struct ctl_nodes *)&node_is;
	return 0;
}

int ctl_nodes_load_one(const char *name, struct ctl_nodes **out,
		       struct err *err)
{
	const int rc = ctl_nodes_load(out, err);

	(void)name;
	asked_for_one = true;
	return rc;
}

size_t ctl_jobs_count(const struct ctl_jobs *j)
{
	(void)j;
	return 1;
}

void ctl_nodes_free(struct ctl_nodes *n)
{
	(void)n;
}

/* What became of jobs and nodesets; each test sets them back. */
static uint32_t held;	   /* this job */
static feature_set failed; /* with these features */
static unsigned int refused;
static char refused_node[64];

void ctl_jobs_free(struct ctl_jobs *j)
{
	(void)j;
}

void requeued_hold(struct nodes *e, uint32_t job_id)
{
	(void)e;
	held = job_id;
}

void cooldown_failure(struct nodes *e, const struct nodeset *set,
		      feature_set active, const char *words)
{
	(void)e, (void)set, (void)words;
	failed = active;
}

void cooldown_refused(struct nodes *e, const struct nodeset *set,
		      const char *node, const char *words)
{
	(void)e, (void)set, (void)words;
	str_copy(refused_node, node, sizeof(refused_node));
	refused++;
}

/* (REQUEUED_NOW where the pod has no feature) */
int64_t cooldown_begin_s(struct nodes *e, const struct nodeset *set,
			 feature_set active)
{
	(void)e, (void)set;
	return (int64_t)active * 100;
}

#endif

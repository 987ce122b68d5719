/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render_node.h"

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/str.h"
#include "node_facts.h"
#include "syntax/wellknown.h"

#define LIST_MAX 600 /* bytes of names in an error */
#define SHOWN 100    /* bytes of a name that somebody typed */

int render_no_nodeset(const struct config *c, const char *name, struct err *err)
{
	_cleanup_buf_ struct buf sets = BUF_INIT(LIST_MAX);
	bool all = true;

	for (size_t i = 0; all && i < c->n_nodesets; i++)
		all = !buf_addf(&sets, "%s%s (%.*s)", i ? ", " : "",
				c->nodesets[i].name, SHOWN,
				c->nodesets[i].nodes);
	return err_set(err, -EINVAL,
		       WK_NODE_WORDS "%.*s is in no nodeset of %s; %s%s%s",
		       SHOWN, name, c->path,
		       sets.len ? "there are " : "there is none",
		       buf_str(&sets), all ? "" : ", ...");
}

/* Refuse features that k8s.yaml does not have, which would be ignored. */
static int check_features(const struct nodeset *set, const char *list,
			  struct err *err)
{
	char all[FEATURES_TEXT_MAX];
	size_t len;

	for (; (len = str_next_item(&list)); list += len) {
		if (features_find(set->known, list, len) >= 0)
			continue;
		features_to_list(set->known, set->features, all);
		return err_set(err, -EINVAL,
			       "k8s.yaml has no feature %.*s; nodeset %s "
			       "offers %.*s",
			       len < SHOWN ? (int)len : SHOWN, list, set->name,
			       LIST_MAX, *all ? all : "none");
	}
	return 0;
}

static int not_told(const struct render *r, const char *what, struct err *err)
{
	return err_set(err, -EIO,
		       "%s is not known, for slurmctld does not "
		       "answer: %s",
		       what, r->silent);
}

static int find_facts(const struct render *r, const struct nodeset *set,
		      struct node_facts *facts, struct err *err)
{
	struct ctl_node node;

	if (!facts_of_node(set, r->nodes, r->node, facts) && !r->nodes)
		return not_told(r, "what the node has", err);
	if (r->nodes && !set->create.wanted &&
	    !ctl_nodes_find(r->nodes, r->node, &node))
		return err_set(err, -EINVAL, "Slurm has no node %.*s", SHOWN,
			       r->node);
	if (!r->nodes && set->features && !r->features)
		return not_told(r, "which features the node has (--features)",
				err);
	if (r->features)
		facts->features = r->features;
	return 0;
}

/* Features that the job asks for take the place of the node's. */
static int choose_features(const struct render *r, const struct nodeset *set,
			   char chosen[FEATURES_TEXT_MAX],
			   struct node_facts *facts, struct err *err)
{
	int rc = r->job && !r->features
			 ? render_job_features(r->config, set, r->node, r->job,
					       chosen, err)
			 : 0;

	if (rc > 0)
		facts->features = chosen;
	return rc < 0 ? rc : 0;
}

static int make(const struct render *r, const struct nodeset *set,
		const struct node_facts *facts, struct manifest *out,
		struct err *err)
{
	int rc = manifest_make(r->cluster, set, facts, out, err);

	if (rc || !r->job || !render_job_write(r->config, r->job, out))
		return rc;
	manifest_clear(out);
	return err_oom(err);
}

int render_node(const struct render *r, struct manifest *out, struct err *err)
{
	const struct nodeset *set = config_nodeset_of(r->config, r->node);
	char chosen[FEATURES_TEXT_MAX];
	struct node_facts facts;
	int rc = 0;

	if (!set)
		return render_no_nodeset(r->config, r->node, err);
	if (r->features)
		rc = check_features(set, r->features, err);
	if (!rc && !r->cluster)
		rc = not_told(r, "ClusterName", err);
	if (!rc)
		rc = find_facts(r, set, &facts, err);
	if (!rc)
		rc = choose_features(r, set, chosen, &facts, err);
	return rc ? rc : make(r, set, &facts, out, err);
}

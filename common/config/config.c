/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/config.h"

#include <errno.h>
#include <string.h>

#include "base/digest.h"
#include "base/fs.h"
#include "base/log.h"
#include "base/str.h"
#include "config/node_index.h"
#include "config/pod_template.h"
#include "syntax/hostlist.h"
#include "syntax/names.h"
#include "syntax/wellknown.h"
#include "json/yaml.h"

#define CLUSTERS_MAX 64
#define NODESETS_MAX 1024
#define DEFAULT_NAMESPACE "slurm"
#define DEFAULT_DEADLINE_MS 60000
#define DEFAULT_REQUESTS 100
#define DEFAULT_DELEGATE "backfill"
#define HOUR_MS 3600000

struct reader {
	struct yaml *y;
	struct config *c;
	size_t n_nodes;		  /* nodes of all nodesets read so far */
	struct failover failover; /* defaults of nodesets */
	struct err *err;
};

static int get_string(struct reader *r, ynode map, const char *key, char **out)
{
	const char *s = NULL;
	int rc = yaml_string(r->y, yaml_get(r->y, map, key), key, &s, r->err);

	if (rc || !s)
		return rc;
	*out = strdup(s);
	return *out ? 0 : err_oom(r->err);
}

static int get_path(struct reader *r, ynode map, const char *key, char **out)
{
	const char *s = NULL;
	int rc = yaml_string(r->y, yaml_get(r->y, map, key), key, &s, r->err);

	if (rc || !s)
		return rc;
	*out = fs_relative_to(r->c->path, s);
	return *out ? 0 : err_oom(r->err);
}

/* Read a name that also serves as a label's value in Kubernetes. */
static int get_name(struct reader *r, ynode map, const char *key, char **out)
{
	int rc = get_string(r, map, key, out);

	if (rc)
		return rc;
	if (!*out)
		return yaml_error(r->y, map, r->err, "%s is missing", key);
	if (!name_is_dns_label(*out))
		return yaml_error(r->y, yaml_get(r->y, map, key), r->err,
				  "%s '%s' must be lower-case letters, digits "
				  "and '-', at most 63",
				  key, *out);
	return 0;
}

static int read_access(struct reader *r, ynode n, struct cluster_config *k)
{
	ynode in = yaml_get(r->y, n, "inCluster");
	int rc = get_path(r, n, "kubeconfig", &k->kubeconfig);

	if (!rc)
		rc = get_string(r, n, "context", &k->context);
	if (!rc)
		rc = yaml_bool(r->y, in, "inCluster", &k->in_cluster, r->err);
	if (rc)
		return rc;
	if (!k->kubeconfig == !k->in_cluster)
		return yaml_error(r->y, n, r->err,
				  "cluster '%s' needs either kubeconfig or "
				  "inCluster: true",
				  k->name);
	if (k->context && !k->kubeconfig)
		return yaml_error(r->y, yaml_get(r->y, n, "context"), r->err,
				  "context goes with kubeconfig");
	return 0;
}

static int read_cluster(struct reader *r, ynode n, struct cluster_config *k)
{
	static const char *const keys[] = {
		"name",	     "kubeconfig",  "context", "inCluster",
		"namespace", "maxRequests", NULL};
	ynode ns = yaml_get(r->y, n, "namespace");
	uint64_t max = DEFAULT_REQUESTS;
	int rc = yaml_only_keys(r->y, n, "a cluster", keys, r->err);

	if (!rc)
		rc = get_name(r, n, "name", &k->name);
	if (!rc)
		rc = read_access(r, n, k);
	if (!rc && ns)
		rc = get_name(r, n, "namespace", &k->ns);
	if (!rc)
		rc = yaml_uint(r->y, yaml_get(r->y, n, "maxRequests"),
			       "maxRequests", 1, 250, &max, r->err);
	if (rc)
		return rc;
	k->max_requests = (unsigned int)max;
	if (!k->ns && !(k->ns = strdup(DEFAULT_NAMESPACE)))
		return err_oom(r->err);
	return 0;
}

static struct cluster_config *find_cluster(struct config *c, const char *name)
{
	for (size_t i = 0; i < c->n_clusters; i++)
		if (str_eq(c->clusters[i].name, name))
			return &c->clusters[i];
	return NULL;
}

/*
 * True if k8s.yaml names one place for both. Whether two kubeconfigs lead to
 * one place it does not tell.
 */
static bool same_place(const struct cluster_config *a,
		       const struct cluster_config *b)
{
	if (strcmp(a->ns, b->ns) || a->in_cluster != b->in_cluster)
		return false;
	if (a->in_cluster)
		return true;
	return !strcmp(a->kubeconfig, b->kubeconfig) &&
	       !a->context == !b->context &&
	       (!a->context || !strcmp(a->context, b->context));
}

/*
 * Refuse a cluster that is the place of an earlier one: both would hold one
 * lease, as one process, and each would see the other's pods.
 */
static int check_place(struct reader *r, ynode n,
		       const struct cluster_config *k)
{
	for (size_t i = 0; i < r->c->n_clusters; i++)
		if (same_place(&r->c->clusters[i], k))
			return yaml_error(r->y, n, r->err,
					  "clusters '%s' and '%s' are the same "
					  "namespace of the same Kubernetes "
					  "cluster: one is enough",
					  r->c->clusters[i].name, k->name);
	return 0;
}

static int read_clusters(struct reader *r, ynode seq)
{
	size_t n = yaml_len(seq);
	int rc = yaml_want_seq(r->y, seq, "clusters", r->err);

	if (rc)
		return rc;
	if (!n || n > CLUSTERS_MAX)
		return yaml_error(r->y, seq, r->err,
				  "clusters must have 1 to %d entries",
				  CLUSTERS_MAX);
	r->c->clusters = calloc(n, sizeof(*r->c->clusters));
	if (!r->c->clusters)
		return err_oom(r->err);
	for (size_t i = 0; i < n; i++) {
		struct cluster_config *k = &r->c->clusters[i];
		ynode e = yaml_at(r->y, seq, i);

		rc = read_cluster(r, e, k);
		if (!rc && find_cluster(r->c, k->name))
			rc = yaml_error(r->y, e, r->err,
					"cluster '%s' is there twice", k->name);
		if (!rc)
			rc = check_place(r, e, k);
		r->c->n_clusters = i + 1;
		if (rc)
			return rc;
	}
	return 0;
}

static int read_resources(struct reader *r, ynode n, struct nodeset *s)
{
	ynode at = yaml_get(r->y, n, "resources");
	const char *mode = "fromNode";
	int rc = yaml_string(r->y, at, "resources", &mode, r->err);

	if (rc)
		return rc;
	if (!strcmp(mode, "fromNode"))
		s->resources = RESOURCES_FROM_NODE;
	else if (!strcmp(mode, "template"))
		s->resources = RESOURCES_TEMPLATE;
	else
		return yaml_error(r->y, at, r->err,
				  "resources must be fromNode or template");
	return 0;
}

static int read_gres(struct reader *r, ynode n, struct nodeset *s)
{
	ynode map = yaml_get(r->y, n, "gresResources"), k, v;
	int rc;

	if (!map) {
		s->gres = json_object_new_object();
		return s->gres && !jx_set_str(s->gres, "gpu", "nvidia.com/gpu")
			       ? 0
			       : err_oom(r->err);
	}
	rc = yaml_want_map(r->y, map, "gresResources", r->err);
	if (rc)
		return rc;
	for (size_t i = 0; i < yaml_len(map); i++) {
		const char *text = NULL;

		yaml_pair(r->y, map, i, &k, &v);
		rc = yaml_string(r->y, v, "a Kubernetes resource name", &text,
				 r->err);
		if (rc)
			return rc;
	}
	return yaml_to_json(r->y, map, &s->gres, r->err);
}

/* Read the template, inline or from its own file, as JSON, checked. */
static int read_template(struct reader *r, ynode n, struct nodeset *s)
{
	_cleanup_free_ char *path = NULL;
	_cleanup_yaml_ struct yaml *file = NULL;
	ynode at = yaml_get(r->y, n, "podTemplate");
	const struct yaml *y = r->y;
	int rc = get_path(r, n, "podTemplateFile", &path);

	if (rc)
		return rc;
	if (!at == !path)
		return yaml_error(r->y, n, r->err,
				  "nodeset '%s' needs either podTemplate or "
				  "podTemplateFile",
				  s->name);
	if (path) {
		fs_stamp_take(path, &s->template_stamp);
		rc = yaml_parse_file(path, &file, r->err);
		if (rc)
			return err_wrap(r->err, rc,
					"podTemplateFile of nodeset '%s'",
					s->name);
		y = file;
		at = yaml_root(file);
		s->template_file = steal_ptr(path);
	}
	rc = template_check(y, at, s->container, r->err);
	return rc ? rc : yaml_to_json(y, at, &s->template, r->err);
}

/*
 * Read maxUnavailable, like a Deployment's (apps/v1 API reference): a number,
 * or part of `n_nodes`.
 */
static int read_max_unavailable(struct reader *r, ynode n, size_t n_nodes,
				size_t *out)
{
	ynode at = yaml_get(r->y, n, "maxUnavailable");
	const char *text = NULL;
	unsigned long value;
	char *end = NULL;
	int rc = yaml_string(r->y, at, "maxUnavailable", &text, r->err);

	*out = n_nodes;
	if (rc || !text)
		return rc;
	value = *text >= '0' && *text <= '9' ? strtoul(text, &end, 10) : 0;
	if (!value || value > HOSTLIST_MAX ||
	    (*end && (strcmp(end, "%") || value > 100)))
		return yaml_error(r->y, at, r->err,
				  "maxUnavailable must be a number of nodes "
				  "from 1, or a part from 1%% to 100%%");
	*out = *end ? n_nodes * value / 100 : value;
	if (!*out)
		*out = 1;
	return 0;
}

static int claim_nodes(struct reader *r, ynode n, struct nodeset *s)
{
	ynode at = yaml_get(r->y, n, "nodes");
	_cleanup_hostlist_ struct hostlist h = {0};
	const struct nodeset *other;
	int rc = get_string(r, n, "nodes", &s->nodes);

	if (rc)
		return rc;
	if (!s->nodes)
		return yaml_error(r->y, n, r->err, "nodeset '%s' has no nodes",
				  s->name);
	rc = hostlist_expand(s->nodes, &h, r->err);
	if (rc)
		return yaml_error(r->y, at, r->err, "%s",
				  r->err ? r->err->msg : "bad hostlist");
	r->n_nodes += h.n;
	if (r->n_nodes > HOSTLIST_MAX)
		return yaml_error(r->y, at, r->err,
				  "more than %d nodes in all nodesets",
				  HOSTLIST_MAX);
	for (size_t i = 0; i < h.n; i++) {
		rc = node_index_add(r->c->index, h.names[i], s, &other);
		if (rc == -EEXIST)
			return yaml_error(r->y, at, r->err,
					  "node '%s' is claimed twice: by "
					  "nodeset '%s' and by '%s'",
					  h.names[i], other->name, s->name);
		if (rc)
			return err_oom(r->err);
	}
	rc = read_max_unavailable(r, n, h.n, &s->max_unavailable);
	return rc ? rc
		  : min_running_read(r->y, n, s->name, h.n, &s->min_running,
				     r->err);
}

static const struct failover default_failover = {
	.unschedulable_after_ms = 60000,
	.not_started_after_ms = 30000,
	.register_within_ms = 60000,
	.cool_down_ms = 30000,
	.cool_down_max_ms = 600000,
};

/* Read failover; members that are not given stay as they are. */
static int read_failover(struct reader *r, ynode n, struct failover *f)
{
	const struct {
		const char *key;
		int64_t *value;
		int64_t min, max;
	} keys[] = {
		{"unschedulableAfter", &f->unschedulable_after_ms, 0,
		 24 * HOUR_MS},
		{"notStartedAfter", &f->not_started_after_ms, 0, 24 * HOUR_MS},
		{"registerWithin", &f->register_within_ms, 1000, 24 * HOUR_MS},
		{"coolDown", &f->cool_down_ms, 0, HOUR_MS},
		{"coolDownMax", &f->cool_down_max_ms, 0, 24 * HOUR_MS},
	};
	const char *names[sizeof(keys) / sizeof(*keys) + 1] = {NULL};
	const size_t n_keys = sizeof(keys) / sizeof(*keys);
	int rc;

	if (!n)
		return 0;
	for (size_t i = 0; i < n_keys; i++)
		names[i] = keys[i].key;
	rc = yaml_only_keys(r->y, n, "failover", names, r->err);
	for (size_t i = 0; !rc && i < n_keys; i++)
		rc = yaml_duration(r->y, yaml_get(r->y, n, keys[i].key),
				   keys[i].key, keys[i].min, keys[i].max,
				   keys[i].value, r->err);
	return rc;
}

static int read_nodeset(struct reader *r, ynode n, struct nodeset *s)
{
	static const char *const keys[] = {
		"name",		  "cluster",	     "nodes",
		"resources",	  "gresResources",   "container",
		"podTemplate",	  "podTemplateFile", "failover",
		"maxUnavailable", "minRunning",	     "minRunningSchedule",
		"features",	  "create",	     NULL};
	_cleanup_free_ char *cluster = NULL;
	int rc = yaml_only_keys(r->y, n, "a nodeset", keys, r->err);

	if (!rc)
		rc = get_name(r, n, "name", &s->name);
	if (!rc)
		rc = get_name(r, n, "cluster", &cluster);
	if (rc)
		return rc;
	s->cluster = find_cluster(r->c, cluster);
	if (!s->cluster)
		return yaml_error(r->y, yaml_get(r->y, n, "cluster"), r->err,
				  "there is no cluster '%s'", cluster);
	rc = get_string(r, n, "container", &s->container);
	if (!rc && !s->container && !(s->container = strdup(WK_CONTAINER)))
		rc = err_oom(r->err);
	if (!rc)
		rc = read_resources(r, n, s);
	if (!rc)
		rc = read_gres(r, n, s);
	if (!rc)
		rc = read_template(r, n, s);
	s->failover = r->failover;
	if (!rc)
		rc = read_failover(r, yaml_get(r->y, n, "failover"),
				   &s->failover);
	s->known = &r->c->features;
	if (!rc)
		rc = features_read_names(r->y, yaml_get(r->y, n, "features"),
					 s->known, &s->features, r->err);
	if (!rc)
		rc = create_nodes_read(r->y, yaml_get(r->y, n, "create"),
				       s->name, &s->create, r->err);
	return rc ? rc : claim_nodes(r, n, s);
}

static int read_nodesets(struct reader *r, ynode seq)
{
	size_t n = yaml_len(seq);
	int rc = yaml_want_seq(r->y, seq, "nodesets", r->err);

	if (rc)
		return rc;
	if (!n || n > NODESETS_MAX)
		return yaml_error(r->y, seq, r->err,
				  "nodesets must have 1 to %d entries",
				  NODESETS_MAX);
	r->c->nodesets = calloc(n, sizeof(*r->c->nodesets));
	if (!r->c->nodesets)
		return err_oom(r->err);
	for (size_t i = 0; i < n; i++) {
		struct nodeset *s = &r->c->nodesets[i];
		ynode e = yaml_at(r->y, seq, i);

		r->c->n_nodesets = i + 1;
		rc = read_nodeset(r, e, s);
		if (rc)
			return rc;
		if (config_nodeset_named(r->c, s->name) != s)
			return yaml_error(r->y, e, r->err,
					  "nodeset '%s' is there twice",
					  s->name);
	}
	return 0;
}

static int read_power(struct reader *r, ynode n)
{
	static const char *const keys[] = {"deadline", "logFile", "logLevel",
					   NULL};
	struct power *p = &r->c->power;
	const char *level = "info";
	ynode at;
	int rc;

	p->deadline_ms = DEFAULT_DEADLINE_MS;
	p->log_level = LOG_LEVEL_INFO;
	if (!n)
		return 0;
	rc = yaml_only_keys(r->y, n, "power", keys, r->err);
	if (!rc)
		rc = yaml_duration(r->y, yaml_get(r->y, n, "deadline"),
				   "deadline", 1000, 3600000, &p->deadline_ms,
				   r->err);
	if (!rc)
		rc = get_path(r, n, "logFile", &p->log_file);
	at = yaml_get(r->y, n, "logLevel");
	if (!rc)
		rc = yaml_string(r->y, at, "logLevel", &level, r->err);
	if (rc)
		return rc;
	p->log_level = log_level_parse(level);
	if (p->log_level < 0)
		return yaml_error(
			r->y, at, r->err,
			"logLevel must be error, warning, info or debug");
	return 0;
}

/*
 * Read the delegate, a name that becomes part of a file's: it has no slashes.
 */
static int read_scheduler(struct reader *r, ynode n)
{
	static const char *const keys[] = {"delegate", NULL};
	int rc = 0;

	if (n)
		rc = yaml_only_keys(r->y, n, "scheduler", keys, r->err);
	if (!rc && n && yaml_get(r->y, n, "delegate"))
		rc = get_name(r, n, "delegate", &r->c->delegate);
	if (rc)
		return rc;
	if (str_eq(r->c->delegate, "bridge"))
		return yaml_error(r->y, n, r->err,
				  "delegate: bridge cannot wrap itself");
	if (!r->c->delegate && !(r->c->delegate = strdup(DEFAULT_DELEGATE)))
		return err_oom(r->err);
	return 0;
}

static int read_bridge(struct reader *r, ynode n)
{
	struct bridge_config *b = &r->c->bridge;
	int rc = bridge_config_read(r->y, n, b, r->err);

	if (rc || !b->wanted || find_cluster(r->c, b->cluster))
		return rc;
	return yaml_error(r->y, yaml_get(r->y, n, "cluster"), r->err,
			  "there is no cluster '%s'", b->cluster);
}

static int clash(struct reader *r, ynode n, const char *what, const char *name,
		 const json_object *pod)
{
	const char *key = pod_metadata_rules_clash(&r->c->jobs, pod);

	return key ? yaml_error(r->y, n, r->err,
				"%s is set by the %s '%s': jobs may not set it",
				key, what, name)
		   : 0;
}

static int read_jobs(struct reader *r, ynode n)
{
	const struct features *f = &r->c->features;
	int rc = pod_metadata_rules_read(r->y, n, &r->c->jobs, r->err);

	for (size_t i = 0; !rc && i < r->c->n_nodesets; i++)
		rc = clash(r, n, "nodeset", r->c->nodesets[i].name,
			   r->c->nodesets[i].template);
	for (size_t i = 0; !rc && i < f->n; i++)
		rc = clash(r, n, "feature", f->v[i].name, f->v[i].patch);
	return rc;
}

static int read_root(struct reader *r)
{
	static const char *const keys[] = {
		"clusters", "nodesets", "failover", "power",   "scheduler",
		"features", "bridge",	"jobs",	    "metrics", NULL};
	ynode root = yaml_root(r->y), nodesets;
	int rc = yaml_only_keys(r->y, root, WK_CONFIG_FILE, keys, r->err);

	if (rc)
		return rc;
	nodesets = yaml_get(r->y, root, "nodesets");
	if (!yaml_get(r->y, root, "clusters"))
		rc = yaml_error(r->y, root, r->err, "clusters is missing");
	/* The bridge needs no nodeset. */
	if (!rc && !nodesets && !yaml_get(r->y, root, "bridge"))
		rc = yaml_error(r->y, root, r->err, "nodesets is missing");
	if (!rc)
		rc = read_clusters(r, yaml_get(r->y, root, "clusters"));
	r->failover = default_failover;
	if (!rc)
		rc = read_failover(r, yaml_get(r->y, root, "failover"),
				   &r->failover);
	if (!rc)
		rc = features_read(r->y, yaml_get(r->y, root, "features"),
				   &r->c->features, r->err);
	if (!rc && nodesets)
		rc = read_nodesets(r, nodesets);
	if (!rc)
		rc = read_jobs(r, yaml_get(r->y, root, "jobs"));
	if (!rc)
		rc = read_scheduler(r, yaml_get(r->y, root, "scheduler"));
	if (!rc)
		rc = read_bridge(r, yaml_get(r->y, root, "bridge"));
	if (!rc)
		rc = metrics_config_read(r->y, yaml_get(r->y, root, "metrics"),
					 &r->c->metrics, r->err);
	return rc ? rc : read_power(r, yaml_get(r->y, root, "power"));
}

int config_parse(const char *path, const char *text, size_t len,
		 struct config **out, struct err *err)
{
	_cleanup_(config_freep) struct config *c = calloc(1, sizeof(*c));
	_cleanup_yaml_ struct yaml *y = NULL;
	struct err ignored; /* some errors are built on the words of others */
	struct reader r;
	int rc;

	if (!c || !(c->path = strdup(path)) || !(c->index = node_index_new()))
		return err_oom(err);
	rc = yaml_parse(path, text, len, &y, err);
	if (rc)
		return rc;
	r = (struct reader){.y = y, .c = c, .err = err ? err : &ignored};
	rc = read_root(&r);
	if (rc)
		return rc;
	if (sha256_hex(text, len, c->digest))
		return err_oom(err);
	*out = steal_ptr(c);
	return 0;
}

int config_load(const char *path, struct config **out, struct err *err)
{
	_cleanup_free_ char *text = NULL;
	struct fs_stamp stamp;
	size_t len;
	int rc;

	fs_stamp_take(path, &stamp);
	rc = fs_read_file(path, YAML_SIZE_MAX, &text, &len, err);
	if (!rc)
		rc = config_parse(path, text, len, out, err);
	if (!rc)
		(*out)->stamp = stamp;
	return rc;
}

void config_restamp(struct config *c, const struct config *fresh)
{
	c->stamp = fresh->stamp;
	for (size_t i = 0; i < c->n_nodesets && i < fresh->n_nodesets; i++)
		c->nodesets[i].template_stamp =
			fresh->nodesets[i].template_stamp;
}

bool config_is_current(const struct config *c, const struct nodeset *set)
{
	return fs_stamp_is(c->path, &c->stamp) &&
	       (!set->template_file ||
		fs_stamp_is(set->template_file, &set->template_stamp));
}

static void cluster_clear(struct cluster_config *k)
{
	free(k->name);
	free(k->kubeconfig);
	free(k->context);
	free(k->ns);
}

static void nodeset_clear(struct nodeset *s)
{
	free(s->name);
	free(s->nodes);
	free(s->container);
	free(s->template_file);
	create_nodes_clear(&s->create);
	min_running_clear(&s->min_running);
	json_object_put(s->template);
	json_object_put(s->gres);
}

void config_free(struct config *c)
{
	if (!c || atomic_fetch_sub(&c->shares, 1))
		return;
	for (size_t i = 0; i < c->n_clusters; i++)
		cluster_clear(&c->clusters[i]);
	for (size_t i = 0; i < c->n_nodesets; i++)
		nodeset_clear(&c->nodesets[i]);
	features_clear(&c->features);
	bridge_config_clear(&c->bridge);
	metrics_config_clear(&c->metrics);
	pod_metadata_rules_clear(&c->jobs);
	node_index_free(c->index);
	free(c->clusters);
	free(c->nodesets);
	free(c->power.log_file);
	free(c->delegate);
	free(c->path);
	free(c);
}

struct config *config_share(struct config *c)
{
	atomic_fetch_add(&c->shares, 1);
	return c;
}

bool config_same(const struct config *a, const struct config *b)
{
	if (strcmp(a->digest, b->digest) || a->n_nodesets != b->n_nodesets)
		return false;
	for (size_t i = 0; i < a->n_nodesets; i++)
		if (!json_object_equal(a->nodesets[i].template,
				       b->nodesets[i].template))
			return false;
	return true;
}

int config_check_release(const struct config *c,
			 const struct slurm_abilities *slurm, struct err *err)
{
	for (size_t i = 0; i < c->n_nodesets; i++) {
		const struct nodeset *s = &c->nodesets[i];

		if (s->create.wanted && !slurm->creates_nodes)
			return err_set(err, -EOPNOTSUPP,
				       "%s needs Slurm 26.05 or later, this is "
				       "%s: name these nodes in slurm.conf",
				       s->create.where, slurm->version);
		if (s->min_running.where && !slurm->keeps_nodes_up)
			return err_set(err, -EOPNOTSUPP,
				       "%s needs Slurm 23.11 or later, this is "
				       "%s: name nodes that are to stay up in "
				       "SuspendExcNodes of slurm.conf",
				       s->min_running.where, slurm->version);
	}
	return 0;
}

const struct nodeset *config_nodeset_named(const struct config *c,
					   const char *name)
{
	for (size_t i = 0; i < c->n_nodesets; i++)
		if (str_eq(c->nodesets[i].name, name))
			return &c->nodesets[i];
	return NULL;
}

const struct nodeset *config_nodeset_of(const struct config *c,
					const char *node)
{
	return node_index_find(c->index, node);
}

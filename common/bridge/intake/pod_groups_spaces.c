/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Namespaces come and go, and change their labels, if it depends on these which
 * pods may enter. The link's thread.
 */
#include <string.h>

#include "base/log.h"
#include "base/str.h"
#include "bridge/intake/pod_groups_internal.h"

#define LABELS_MAX (64 * 1024)

bool pod_groups_may_enter(struct pod_groups *v, const char *ns)
{
	const struct namespace *s;

	if (namespace_config_find(v->opt.config, ns, NULL))
		return true;
	s = store_find(&v->spaces, ns);
	return s && s->enters;
}

bool pod_groups_enters(struct pod_groups *v, const char *ns)
{
	bool enters;

	pthread_mutex_lock(&v->lock);
	enters = pod_groups_may_enter(v, ns);
	pthread_mutex_unlock(&v->lock);
	return enters;
}

static void spaces_list(void *arg)
{
	struct pod_groups *v = arg;

	pthread_mutex_lock(&v->lock);
	store_list_begins(&v->spaces);
	pthread_mutex_unlock(&v->lock);
}

/* Under the lock: the namespace's pods are looked at again. */
static void touch_space(struct pod_groups *v, const char *name)
{
	for (struct pod_group *g = v->groups.all; g; g = g->hh.next) {
		if (strcmp(g->of.ns, name) != 0)
			continue;
		group_index_mark(&v->groups, g);
		for (struct group_pod *m = g->members; m; m = m->next)
			pod_groups_sort(v, m);
	}
}

/* Under the lock. `text`: the labels as JSON; NULL: none, or too long. */
static void label_space(struct pod_groups *v, struct namespace *s,
			const json_object *labels, const char *text)
{
	const bool entered = s->enters;

	free(s->labels);
	s->labels = text ? strdup(text) : NULL;
	s->enters = namespace_config_find(v->opt.config, s->name,
					  s->labels ? labels : NULL) != NULL;
	/* The namespace's pods may be among those that were left out. */
	v->relist |= s->enters && !entered && v->bounds.full[PODS_OUTSIDE];
	if (s->enters && !entered && v->opt.entered)
		v->opt.entered(v->opt.arg);
	touch_space(v, s->name);
}

static void spaces_object(void *arg, json_object *object)
{
	struct pod_groups *v = arg;
	const char *name = jx_str(object, "metadata", "name");
	json_object *labels = jx_get(object, "metadata", "labels");
	const char *text = labels ? json_object_to_json_string_ext(
					    labels, JSON_C_TO_STRING_PLAIN)
				  : NULL;
	struct namespace *s;
	bool known;

	if (!name)
		return;
	if (text && strlen(text) > LABELS_MAX)
		text = NULL;
	pthread_mutex_lock(&v->lock);
	known = store_find(&v->spaces, name);
	s = namespaces_see(&v->spaces, name);
	if (s && (!known || !str_eq(s->labels, text)))
		label_space(v, s, labels, text);
	pthread_mutex_unlock(&v->lock);
	v->opt.ring(v->opt.arg);
}

static void spaces_delete(void *arg, json_object *object)
{
	struct pod_groups *v = arg;
	const char *name = jx_str(object, "metadata", "name");
	struct namespace *s;

	pthread_mutex_lock(&v->lock);
	s = name ? store_find(&v->spaces, name) : NULL;
	if (s)
		namespaces_drop(&v->spaces, s);
	pthread_mutex_unlock(&v->lock);
}

static void spaces_oversized(void *arg, const struct object_id *id, bool news)
{
	struct pod_groups *v = arg;

	(void)news;
	pthread_mutex_lock(&v->lock);
	store_keep(&v->spaces, id->name);
	pthread_mutex_unlock(&v->lock);
}

static void spaces_synced(void *arg)
{
	struct pod_groups *v = arg;

	pthread_mutex_lock(&v->lock);
	store_list_ends(&v->spaces, namespaces_drop, &v->spaces);
	pthread_mutex_unlock(&v->lock);
	v->opt.ring(v->opt.arg);
}

static void spaces_trouble(void *arg, int rc, const char *words)
{
	struct pod_groups *v = arg;

	if (rc)
		log_error("cluster %s: namespaces cannot be seen, so that no "
			  "pod is let in: %s",
			  v->opt.cluster, words);
}

struct informer_handler pod_groups_spaces_handler(struct pod_groups *v)
{
	return (struct informer_handler){
		.on_list = spaces_list,
		.on_object = spaces_object,
		.on_delete = spaces_delete,
		.on_oversized = spaces_oversized,
		.on_synced = spaces_synced,
		.on_trouble = spaces_trouble,
		.arg = v,
	};
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pod_diffs.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "clean.h"

#define VALUE_MAX 300 /* bytes of a value in a line */
#define COMPACT (JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE)

static void pod_diff_clear(struct pod_diff *p)
{
	for (size_t i = 0; i < p->n; i++) {
		free(p->changes[i].path);
		json_object_put(p->changes[i].now);
		json_object_put(p->changes[i].wanted);
	}
	free(p->changes);
	free(p->node);
	free(p->pod);
	free(p->ns);
	free(p->cluster);
	free(p->nodeset);
	free(p->words);
}

struct pod_diff *pod_diffs_add(struct pod_diffs *d, const struct pod_id *id)
{
	struct pod_diff *v = reallocarray(d->v, d->n + 1, sizeof(*v));
	struct pod_diff p = {.node = clean_copy(id->node),
			     .pod = clean_copy(id->pod),
			     .ns = clean_copy(id->ns),
			     .cluster = clean_copy(id->cluster),
			     .nodeset = id->nodeset ? clean_copy(id->nodeset)
						    : NULL,
			     .busy = id->busy};

	if (v)
		d->v = v;
	if (!v || !p.node || !p.pod || !p.ns || !p.cluster ||
	    (id->nodeset && !p.nodeset)) {
		d->incomplete = true;
		pod_diff_clear(&p);
		return NULL;
	}
	d->v[d->n] = p;
	return &d->v[d->n++];
}

void pod_diff_is(struct pod_diff *p, enum pod_state state, const char *words)
{
	free(p->words);
	p->words = words ? clean_copy(words) : NULL;
	p->state = state;
}

int pod_diff_change(void *arg, const char *path, const json_object *now,
		    const json_object *wanted)
{
	struct pod_diff *p = arg;
	struct pod_change *v = reallocarray(p->changes, p->n + 1, sizeof(*v));
	char *copy = clean_copy(path);

	if (v)
		p->changes = v;
	if (!v || !copy) {
		free(copy);
		return -ENOMEM;
	}
	p->changes[p->n++] = (struct pod_change){
		.path = copy,
		.now = json_object_get((json_object *)now),
		.wanted = json_object_get((json_object *)wanted)};
	return 0;
}

void pod_diffs_problem(struct pod_diffs *d, const char *fmt, ...)
{
	char **v = reallocarray(d->problems, d->n_problems + 1, sizeof(*v));
	char *text = NULL;
	va_list ap;

	if (v)
		d->problems = v;
	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	if (!v || !text) {
		d->incomplete = true;
		free(text);
		return;
	}
	str_sanitize(text);
	d->problems[d->n_problems++] = text;
}

static size_t count(const struct pod_diffs *d, enum pod_state state)
{
	size_t n = 0;

	for (size_t i = 0; i < d->n; i++)
		n += d->v[i].state == state;
	return n;
}

int pod_diffs_exit_code(const struct pod_diffs *d)
{
	if (count(d, POD_DIFFERS))
		return 1;
	return count(d, POD_NOT_SEEN) || d->n_problems || d->incomplete ? 2 : 0;
}

static int by_node(const void *a, const void *b)
{
	const struct pod_diff *x = a, *y = b;
	int rc = strcmp(x->node, y->node);

	return rc ? rc : strcmp(x->pod, y->pod);
}

static void sort(struct pod_diffs *d)
{
	if (d->n)
		qsort(d->v, d->n, sizeof(*d->v), by_node);
}

/* --- for people */

/* A text stands there as it is, anything else as JSON. */
static void print_value(const json_object *o, FILE *out)
{
	json_object *v = (json_object *)o;
	const char *text = json_object_to_json_string_ext(v, COMPACT);
	char shown[VALUE_MAX];

	if (!o)
		text = "(nothing)";
	else if (jx_is(o, json_type_string) && json_object_get_string_len(o))
		text = json_object_get_string(v);
	str_shorten(shown, text ? text : "", sizeof(shown));
	str_sanitize(shown);
	fputs(shown, out);
}

static void print_pod(const struct pod_diff *p, FILE *out)
{
	fprintf(out, "%s: pod %s/%s of cluster %s, %s%s, %s", p->node, p->ns,
		p->pod, p->cluster, p->nodeset ? "nodeset " : "no nodeset",
		p->nodeset ? p->nodeset : "", p->busy ? "busy" : "idle");
	fprintf(out, "%s%s\n", p->words ? ": " : "", p->words ? p->words : "");
	for (size_t i = 0; i < p->n; i++) {
		fprintf(out, "    %s: ", p->changes[i].path);
		print_value(p->changes[i].now, out);
		fputs(" -> ", out);
		print_value(p->changes[i].wanted, out);
		fputc('\n', out);
	}
}

static void print_end(const struct pod_diffs *d, FILE *out)
{
	const size_t differ = count(d, POD_DIFFERS);
	const size_t unseen = count(d, POD_NOT_SEEN);
	const size_t good = d->as_made + count(d, POD_AS_MADE);

	if (pod_diffs_exit_code(d))
		fprintf(out, "%zu of %zu pods are not as their templates",
			differ, differ + good + unseen);
	else
		fprintf(out, "all %zu pods are as their templates", good);
	if (unseen)
		fprintf(out, ", %zu could not be compared", unseen);
	fputc('\n', out);
	if (d->incomplete)
		fprintf(out, "out of memory: this is not all\n");
}

void pod_diffs_print(struct pod_diffs *d, FILE *out)
{
	sort(d);
	for (size_t i = 0; i < d->n; i++)
		if (d->v[i].state != POD_AS_MADE)
			print_pod(&d->v[i], out);
	for (size_t i = 0; i < d->n_problems; i++)
		fprintf(out, "%s\n", d->problems[i]);
	print_end(d, out);
}

/* --- JSON */

static int add_change(json_object *list, const struct pod_change *c)
{
	json_object *o = json_object_new_object();

	if (jx_append(list, o))
		return -ENOMEM;
	return jx_set_str(o, "path", c->path) |
	       (c->now ? jx_set(o, "now", json_object_get(c->now)) : 0) |
	       (c->wanted ? jx_set(o, "template", json_object_get(c->wanted))
			  : 0);
}

static int add_pod(json_object *list, const struct pod_diff *p)
{
	json_object *o = json_object_new_object(), *changes;
	int bad = 0;

	if (jx_append(list, o) ||
	    !(changes = jx_need(o, "changes", json_type_array)))
		return -ENOMEM;
	bad |= jx_set_str(o, "node", p->node);
	bad |= jx_set_str(o, "pod", p->pod);
	bad |= jx_set_str(o, "namespace", p->ns);
	bad |= jx_set_str(o, "cluster", p->cluster);
	if (p->nodeset)
		bad |= jx_set_str(o, "nodeset", p->nodeset);
	bad |= jx_set(o, "busy", json_object_new_boolean(p->busy));
	bad |= jx_set_str(o, "state",
			  p->state == POD_DIFFERS ? "differs" : "unknown");
	if (p->words)
		bad |= jx_set_str(o, "words", p->words);
	for (size_t i = 0; i < p->n; i++)
		bad |= add_change(changes, &p->changes[i]);
	return bad;
}

static int fill(const struct pod_diffs *d, json_object *all)
{
	json_object *pods = jx_need(all, "pods", json_type_array);
	json_object *problems = jx_need(all, "problems", json_type_array);
	const size_t good = d->as_made + count(d, POD_AS_MADE);
	int bad = 0;

	if (!pods || !problems)
		return -ENOMEM;
	for (size_t i = 0; i < d->n; i++)
		if (d->v[i].state != POD_AS_MADE)
			bad |= add_pod(pods, &d->v[i]);
	for (size_t i = 0; i < d->n_problems; i++)
		bad |= jx_append(problems,
				 json_object_new_string(d->problems[i]));
	bad |= jx_set(all, "asTemplate", json_object_new_int64((int64_t)good));
	bad |= jx_set(all, "exit", json_object_new_int(pod_diffs_exit_code(d)));
	return bad;
}

int pod_diffs_print_json(struct pod_diffs *d, FILE *out)
{
	_cleanup_json_ json_object *all = json_object_new_object();

	sort(d);
	if (!all || fill(d, all))
		return -ENOMEM;
	return clean_print_json(all, CLEAN_LINE, out);
}

void pod_diffs_clear(struct pod_diffs *d)
{
	for (size_t i = 0; i < d->n; i++)
		pod_diff_clear(&d->v[i]);
	for (size_t i = 0; i < d->n_problems; i++)
		free(d->problems[i]);
	free(d->v);
	free(d->problems);
	*d = (struct pod_diffs){0};
}

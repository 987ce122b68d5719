/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The verbs on objects, as a real API server takes them. */
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "live.h"

#define ITEMS 5 /* configmaps "item-N" */
#define MANY 200
#define STREAMS 100 /* of a connection, by kube-apiserver's default */

static void objects_are_made_and_read(void)
{
	struct kube_ref all = live_ref("configmaps", NULL);
	struct kube_ref one = live_ref("configmaps", "made");
	_cleanup_got_ struct got g = {0};
	_cleanup_link_ struct live_link l = live_link(NULL);

	T_INT(live_create(l.client, &all, &g,
			  "{'metadata':{'name':'made'},'data':{'a':'1'}}"),
	      0);
	T_INT(g.http, 201);
	T_INT(live_get(l.client, &one, &g), 0);
	T_JSON(jx_get(g.o, "data"), "{\"a\":\"1\"}");
	T_OK(jx_str(g.o, "metadata", "uid"));
}

static void refusals_have_their_code_and_words(void)
{
	struct kube_ref all = live_ref("configmaps", NULL);
	struct kube_ref none = live_ref("configmaps", "none");
	_cleanup_got_ struct got g = {0};
	_cleanup_link_ struct live_link l = live_link(NULL);

	T_INT(live_create(l.client, &all, &g, "{'metadata':{'name':'twice'}}"),
	      0);
	T_ERR(live_create(l.client, &all, &g, "{'metadata':{'name':'twice'}}"),
	      &g.err, -EEXIST,
	      "409 AlreadyExists: configmaps \"twice\" already exists");
	T_INT(g.http, 409);
	T_STR(g.err.reason, "AlreadyExists");
	T_INT(g.attempts, 1);
	T_ERR(live_get(l.client, &none, &g), &g.err, -ENOENT,
	      "404 NotFound: configmaps \"none\" not found");
	T_ERR(live_create(l.client, &all, &g, "{'metadata':{'name':'N_o'}}"),
	      &g.err, -EINVAL, "422 Invalid: ConfigMap \"N_o\" is invalid");
	T_ERR(live_create(l.client, &all, &g, "{'metadata':[]}"), &g.err,
	      -EINVAL, "400 BadRequest");
}

/* --- lists */

struct listed {
	int seen[ITEMS]; /* of each item */
	int others, restarts, rc;
	bool done, compact; /* compact: etcd forgets after the first item */
	struct err err;
	char version[32];
};

static int on_item(void *arg, json_object *item)
{
	const char *name = jx_str(item, "metadata", "name");
	struct listed *s = arg;
	int n = -1;

	if (!name || sscanf(name, "item-%d", &n) != 1 || n < 0 || n >= ITEMS)
		s->others++;
	else
		s->seen[n]++;
	if (s->compact) {
		struct live_link l = live_link(NULL);

		s->compact = false;
		live_compact(l.client);
		live_unlink(&l);
	}
	return 0;
}

static void on_restart(void *arg)
{
	struct listed *s = arg;

	s->restarts++;
	memset(s->seen, 0, sizeof(s->seen));
	s->others = 0;
}

static void on_listed(void *arg, const struct kube_result *res,
		      const char *version)
{
	struct listed *s = arg;

	s->done = true;
	s->rc = res->rc;
	if (res->err)
		s->err = *res->err;
	str_copy(s->version, version ? version : "", sizeof(s->version));
}

static void list(struct kube_client *c, const struct kube_select *sel,
		 unsigned int limit, struct listed *s)
{
	struct kube_ref all = live_ref("configmaps", NULL);
	const struct kube_list_reply to = {
		.on_item = on_item,
		.on_restart = on_restart,
		.on_done = on_listed,
		.arg = s,
		.deadline_ms = clock_ms() + WAIT_MS,
	};

	T_OK(kube_list(c, &all, sel, limit, &to) != NULL);
	live_await(c, &s->done);
	T_INT(s->rc, 0);
	T_OK(*s->version);
}

/* Exactly these items, each once: a bit for each. */
static void saw(const struct listed *s, unsigned int bits)
{
	for (int i = 0; i < ITEMS; i++)
		T_INT(s->seen[i], bits >> i & 1);
	T_INT(s->others, 0);
}

/* The items, made by the first test that needs them. */
static void make_items(struct kube_client *c)
{
	struct kube_ref all = live_ref("configmaps", NULL);
	_cleanup_got_ struct got g = {0};

	for (int i = 0; i < ITEMS; i++) {
		int rc = live_create(c, &all, &g,
				     "{'metadata':{'name':'item-%d','labels':{"
				     "'is':'item','half':'%d'}}}",
				     i, i % 2);

		T_OK(!rc || rc == -EEXIST);
	}
}

static void pages_hold_every_item_once(void)
{
	const struct kube_select items = {.labels = "is=item"};
	struct kube_counters before, after;
	struct listed s = {0};
	_cleanup_link_ struct live_link l = live_link(NULL);

	make_items(l.client);
	kube_client_counters(l.client, &before);
	list(l.client, &items, 2, &s);
	kube_client_counters(l.client, &after);
	saw(&s, 0x1f);
	T_INT(s.restarts, 0);
	T_INT(after.requests - before.requests, 3);
}

static void selectors_choose(void)
{
	static const struct {
		const char *labels, *fields;
		unsigned int bits;
	} rows[] = {
		{"is=item,half=1", NULL, 0x0a},
		{"is=item,half in (0,2),!none", NULL, 0x15},
		{NULL, "metadata.name=item-3", 0x08},
		{"is=item", "metadata.name!=item-3", 0x17},
		{"is=nothing", NULL, 0},
	};
	_cleanup_link_ struct live_link l = live_link(NULL);

	make_items(l.client);
	for (size_t i = 0; i < T_COUNT(rows); i++) {
		const struct kube_select sel = {.labels = rows[i].labels,
						.fields = rows[i].fields};
		struct listed s = {0};

		t_row("%s %s", sel.labels ? sel.labels : "",
		      sel.fields ? sel.fields : "");
		list(l.client, &sel, 0, &s);
		saw(&s, rows[i].bits);
	}
}

/* 410 for the continue token: the list begins again. */
static void a_list_outlives_compaction(void)
{
	const struct kube_select items = {.labels = "is=item"};
	struct listed s = {.compact = true};
	_cleanup_link_ struct live_link l = live_link(NULL);

	make_items(l.client);
	list(l.client, &items, 2, &s);
	T_INT(s.restarts, 1);
	saw(&s, 0x1f);
}

/* --- delete */

/* No kubelet will ever end this pod. */
static void a_delete_hits_only_the_uid_it_means(void)
{
	struct kube_ref all = live_ref("pods", NULL);
	struct kube_ref pod = live_ref("pods", "stuck");
	_cleanup_free_ char *uid = NULL;
	_cleanup_got_ struct got g = {0};
	_cleanup_link_ struct live_link l = live_link(NULL);

	T_NEED(!live_create(l.client, &all, &g,
			    "{'metadata':{'name':'stuck'},'spec':{"
			    "'nodeName':'no-such','containers':[{'name':'c',"
			    "'image':'localhost/none'}]}}"));
	uid = strdup(jx_str(g.o, "metadata", "uid"));
	T_ERR(live_delete(l.client, &pod, "another-uid", 0, &g), &g.err,
	      -ESTALE, "409 Conflict");
	T_HAS(g.err.words, "another-uid");
	T_INT(g.attempts, 1);
	/* its own grace period: it stays, and is ending */
	T_INT(live_delete(l.client, &pod, uid, -1, &g), 0);
	T_INT(live_get(l.client, &pod, &g), 0);
	T_OK(jx_str(g.o, "metadata", "deletionTimestamp"));
	T_STR(jx_str(g.o, "metadata", "uid"), uid);
	/* none: it is gone */
	T_INT(live_delete(l.client, &pod, uid, 0, &g), 0);
	T_INT(live_get(l.client, &pod, &g), -ENOENT);
	T_INT(live_delete(l.client, &pod, uid, 0, &g), -ENOENT);
}

/* --- patch */

static int patch(struct kube_client *c, const struct kube_ref *ref,
		 enum kube_patch_type type, const char *manager,
		 const char *text, struct got *g)
{
	_cleanup_free_ char *body = live_json("%s", text);
	struct kube_reply to = live_reply(g);

	T_OK(kube_patch(c, ref, type, manager, body, strlen(body), &to) !=
	     NULL);
	live_await(c, &g->done);
	return g->rc;
}

static void a_merge_patch_sets_and_removes(void)
{
	struct kube_ref all = live_ref("configmaps", NULL);
	struct kube_ref one = live_ref("configmaps", "merged");
	_cleanup_got_ struct got g = {0};
	_cleanup_link_ struct live_link l = live_link(NULL);

	T_NEED(!live_create(l.client, &all, &g,
			    "{'metadata':{'name':'merged'},"
			    "'data':{'a':'1','b':'2'}}"));
	T_INT(patch(l.client, &one, KUBE_PATCH_MERGE, "us",
		    "{'data':{'a':null,'c':'3'}}", &g),
	      0);
	T_JSON(jx_get(g.o, "data"), "{\"b\":\"2\",\"c\":\"3\"}");
	T_INT(patch(l.client, &one, KUBE_PATCH_MERGE, "us",
		    "{'metadata':{'resourceVersion':'1'},'data':{'b':'4'}}",
		    &g),
	      -ESTALE);
	T_STR(g.err.reason, "Conflict");
}

/* Lists are merged by their key, which RFC 7396 would not do. */
static void a_strategic_patch_merges_lists(void)
{
	struct kube_ref all = live_ref("services", NULL);
	struct kube_ref one = live_ref("services", "s");
	_cleanup_got_ struct got g = {0};
	_cleanup_link_ struct live_link l = live_link(NULL);
	json_object *ports;

	T_NEED(!live_create(l.client, &all, &g,
			    "{'metadata':{'name':'s'},'spec':{'clusterIP':"
			    "'None','ports':[{'name':'a','port':1}]}}"));
	T_INT(patch(l.client, &one, KUBE_PATCH_STRATEGIC, NULL,
		    "{'spec':{'ports':[{'name':'b','port':2}]}}", &g),
	      0);
	ports = jx_get(g.o, "spec", "ports");
	T_OK(jx_by_name(ports, "a") && jx_by_name(ports, "b"));
	T_INT(patch(l.client, &one, KUBE_PATCH_MERGE, NULL,
		    "{'spec':{'ports':[{'name':'b','port':2}]}}", &g),
	      0);
	ports = jx_get(g.o, "spec", "ports");
	T_OK(!jx_by_name(ports, "a") && jx_by_name(ports, "b"));
}

/* --- one connection */

/* So many GETs at once, all answered. */
static void get_many(struct kube_client *c, const struct kube_ref *ref, int n)
{
	struct got *got = calloc((size_t)n, sizeof(*got));

	T_NEED(got != NULL);
	for (int i = 0; i < n; i++) {
		struct kube_reply to = live_reply(&got[i]);

		T_OK(kube_get(c, ref, &to) != NULL);
	}
	for (int i = 0; i < n; i++) {
		live_await(c, &got[i].done);
		T_INT(got[i].http, 200);
		got_clear(&got[i]);
	}
	free(got);
}

/* The connections that MANY calls take, so many of them at once. */
static unsigned long connections_of(unsigned int at_once)
{
	const struct kube_client_options options = {.max_calls = at_once};
	struct kube_ref ref = live_ref("configmaps", "shared");
	struct kube_ref all = live_ref("configmaps", NULL);
	struct kube_counters count;
	_cleanup_got_ struct got g = {0};
	_cleanup_link_ struct live_link admin = live_link(NULL);
	_cleanup_link_ struct live_link l = live_link(&options);

	live_create(admin.client, &all, &g, "{'metadata':{'name':'shared'}}");
	get_many(l.client, &ref, MANY);
	kube_client_counters(l.client, &count);
	T_OK(count.requests >= MANY);
	return (unsigned long)count.connections;
}

/* HTTP/2 multiplexes them, as far as the server grants streams. */
static void many_calls_share_one_connection(void)
{
	T_INT(connections_of(STREAMS), 1);
}

/* What is more than one connection takes goes over others, a few. */
static void more_calls_take_a_few_connections(void)
{
	T_OK(connections_of(MANY) <= 8); /* see LONE_CALLS */
}

const struct t_case live_objects[] = {
	T(objects_are_made_and_read),
	T(refusals_have_their_code_and_words),
	T(pages_hold_every_item_once),
	T(selectors_choose),
	T(a_list_outlives_compaction),
	T(a_delete_hits_only_the_uid_it_means),
	T(a_merge_patch_sets_and_removes),
	T(a_strategic_patch_merges_lists),
	T(many_calls_share_one_connection),
	T(more_calls_take_a_few_connections),
	{NULL, NULL},
};

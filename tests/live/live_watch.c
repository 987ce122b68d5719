/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Watches, as a real API server feeds and ends them. */
#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/str.h"
#include "kube/watch.h"
#include "live.h"

#define LONG_S 300
#define SHORT_S 4 /* the server sends a bookmark 2 s before the end */
#define EVENTS_MAX 65536

/* What came, as "ADDED name=value;" texts in a row. */
struct seen {
	struct kube_watch *watch;
	struct buf events;
	int bookmarks;
	bool enough; /* `until` came */
	bool ended;
	int rc;
	struct err err;
	const char *until;
	char version[32];
};

static void seen_clear(struct seen *s)
{
	if (s->watch && !s->ended)
		kube_watch_stop(s->watch);
	buf_free(&s->events);
	*s = (struct seen){.events = BUF_INIT(EVENTS_MAX)};
}
#define _cleanup_seen_ __attribute__((cleanup(seen_clear)))
#define SEEN                                                                   \
	{                                                                      \
		.events = BUF_INIT(EVENTS_MAX)                                 \
	}

static void on_event(void *arg, enum kube_event type, json_object *o)
{
	static const char *const words[] = {[KUBE_ADDED] = "ADDED",
					    [KUBE_MODIFIED] = "MODIFIED",
					    [KUBE_DELETED] = "DELETED",
					    [KUBE_BOOKMARK] = "BOOKMARK"};
	const char *name = jx_str(o, "metadata", "name");
	const char *value = jx_str(o, "data", "v");
	struct seen *s = arg;

	T_STR(kube_watch_version(s->watch),
	      jx_str(o, "metadata", "resourceVersion"));
	str_copy(s->version, kube_watch_version(s->watch), sizeof(s->version));
	if (type == KUBE_BOOKMARK) {
		T_STR(jx_str(o, "kind"), "ConfigMap");
		s->bookmarks++;
		return;
	}
	T_NEED(type <= KUBE_BOOKMARK);
	buf_addf(&s->events, "%s %s=%s;", words[type], name ? name : "",
		 value ? value : "");
	s->enough = s->until && strstr(buf_str(&s->events), s->until);
}

static void on_end(void *arg, int rc, const struct err *err)
{
	struct seen *s = arg;

	T_OK(!s->ended);
	s->ended = true;
	s->rc = rc;
	if (err)
		s->err = *err;
}

static bool start(struct kube_client *c, const char *resource,
		  const char *labels, const char *version, unsigned int secs,
		  struct seen *s)
{
	const struct kube_ref ref = live_ref(resource, NULL);
	const struct kube_select sel = {.labels = labels};
	const struct kube_watch_reply to = {
		.on_event = on_event, .on_end = on_end, .arg = s};

	s->watch = kube_watch_start(c, &ref, &sel, version, secs, &to);
	return T_OK(s->watch != NULL);
}

/* The version of the collection now. */
static void version_of(struct kube_client *c, const char *resource, char *out,
		       size_t size)
{
	const struct kube_ref ref = live_ref(resource, NULL);
	_cleanup_got_ struct got g = {0};

	T_INT(live_get(c, &ref, &g), 0);
	str_copy(out, jx_str(g.o, "metadata", "resourceVersion"), size);
}

static void make(struct kube_client *c, const char *name, const char *label)
{
	struct kube_ref all = live_ref("configmaps", NULL);
	_cleanup_got_ struct got g = {0};

	T_INT(live_create(c, &all, &g,
			  "{'metadata':{'name':'%s','labels':{'w':'%s'}},"
			  "'data':{'v':'1'}}",
			  name, label),
	      0);
}

static void change(struct kube_client *c, const char *name, const char *value)
{
	struct kube_ref one = live_ref("configmaps", name);
	_cleanup_got_ struct got g = {0};

	T_INT(live_merge(c, &one, &g, "{'data':{'v':'%s'}}", value), 0);
}

static void destroy(struct kube_client *c, const char *name)
{
	struct kube_ref one = live_ref("configmaps", name);
	_cleanup_got_ struct got g = {0};

	T_INT(live_delete(c, &one, NULL, -1, &g), 0);
}

/* The watch and the other calls are on the same client, as in earnest. */
static void events_come_in_order_with_their_objects(void)
{
	_cleanup_link_ struct live_link l = live_link(NULL);
	_cleanup_seen_ struct seen s = SEEN;
	struct kube_counters count;
	char version[32] = "";

	version_of(l.client, "configmaps", version, sizeof(version));
	s.until = "DELETED w1";
	T_NEED(start(l.client, "configmaps", "w=yes", version, LONG_S, &s));
	make(l.client, "w1", "yes");
	make(l.client, "unseen", "no");
	change(l.client, "w1", "2");
	destroy(l.client, "w1");
	live_await(l.client, &s.enough);
	T_STR(buf_str(&s.events), "ADDED w1=1;MODIFIED w1=2;DELETED w1=2;");
	T_OK(!s.ended);
	kube_client_counters(l.client, &count);
	T_INT(count.connections, 1);
}

/* What leaves the selector is deleted for the watch. */
static void a_label_that_changes_comes_and_goes(void)
{
	_cleanup_link_ struct live_link l = live_link(NULL);
	_cleanup_seen_ struct seen s = SEEN;
	_cleanup_got_ struct got g = {0};
	struct kube_ref one = live_ref("configmaps", "w2");
	char version[32] = "";

	version_of(l.client, "configmaps", version, sizeof(version));
	s.until = "DELETED w2";
	T_NEED(start(l.client, "configmaps", "w=in", version, LONG_S, &s));
	make(l.client, "w2", "out");
	live_merge(l.client, &one, &g, "{'metadata':{'labels':{'w':'in'}}}");
	live_merge(l.client, &one, &g, "{'metadata':{'labels':{'w':'out'}}}");
	live_await(l.client, &s.enough);
	T_STR(buf_str(&s.events), "ADDED w2=1;DELETED w2=1;");
}

static void a_watch_goes_on_where_another_stopped(void)
{
	_cleanup_link_ struct live_link l = live_link(NULL);
	_cleanup_seen_ struct seen a = SEEN, b = SEEN;
	char version[32] = "";

	version_of(l.client, "configmaps", version, sizeof(version));
	a.until = "ADDED w3";
	T_NEED(start(l.client, "configmaps", "w=on", version, LONG_S, &a));
	make(l.client, "w3", "on");
	live_await(l.client, &a.enough);
	str_copy(version, kube_watch_version(a.watch), sizeof(version));
	kube_watch_stop(a.watch);
	a.watch = NULL;
	change(l.client, "w3", "2");
	destroy(l.client, "w3");
	b.until = "DELETED w3";
	T_NEED(start(l.client, "configmaps", "w=on", version, LONG_S, &b));
	live_await(l.client, &b.enough);
	T_STR(buf_str(&a.events), "ADDED w3=1;");
	T_STR(buf_str(&b.events), "MODIFIED w3=2;DELETED w3=2;");
}

/* Nothing that is selected happens, and the version moves all the same. */
static void a_bookmark_moves_the_version_before_the_end(void)
{
	_cleanup_link_ struct live_link l = live_link(NULL);
	_cleanup_seen_ struct seen s = SEEN;
	char version[32] = "", after[32] = "";

	version_of(l.client, "configmaps", version, sizeof(version));
	T_NEED(start(l.client, "configmaps", "w=never", version, SHORT_S, &s));
	make(l.client, "w4", "other");
	version_of(l.client, "configmaps", after, sizeof(after));
	live_await(l.client, &s.ended);
	T_INT(s.rc, 0);
	T_OK(s.bookmarks >= 1);
	T_STR(buf_str(&s.events), "");
	T_OK(strcmp(s.version, version) != 0);
}

/* Events are in no cache of the API server: what etcd forgot is gone. */
static void a_forgotten_version_is_stale(void)
{
	_cleanup_link_ struct live_link l = live_link(NULL);
	_cleanup_seen_ struct seen s = SEEN;
	char version[32] = "";

	version_of(l.client, "events", version, sizeof(version));
	live_compact(l.client);
	T_NEED(start(l.client, "events", NULL, version, LONG_S, &s));
	live_await(l.client, &s.ended);
	T_ERR(s.rc, &s.err, -ESTALE, "410");
	T_STR(buf_str(&s.events), "");
}

const struct t_case live_watch[] = {
	T(events_come_in_order_with_their_objects),
	T(a_label_that_changes_comes_and_goes),
	T(a_watch_goes_on_where_another_stopped),
	T(a_bookmark_moves_the_version_before_the_end),
	T(a_forgotten_version_is_stale),
	{NULL, NULL},
};

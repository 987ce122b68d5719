/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists in pages and watches against a server that fails on demand. */
#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "fault.h"
#include "kube/watch.h"

static const struct kube_ref pods = {
	.api = KUBE_CORE_V1, .ns = "ns", .resource = "pods"};

/* --- lists */

struct listed {
	size_t items, restarts;
	struct buf names;
	int stop_at;	    /* the item that on_item refuses; 0: none */
	unsigned int pages; /* at most; 0: as many as there are */
	int64_t page_ms;    /* for each; 0: as long as the whole */
	bool no_retry;
	char version[32];
	struct got end;
};

static int on_item(void *arg, json_object *item)
{
	struct listed *l = arg;

	l->items++;
	buf_addf(&l->names, "%s ", jx_str(item, "metadata", "name"));
	return l->stop_at && (size_t)l->stop_at == l->items ? -ECANCELED : 0;
}

static void on_restart(void *arg)
{
	struct listed *l = arg;

	l->restarts++;
	l->items = 0;
	buf_reset(&l->names);
}

static void on_listed(void *arg, const struct kube_result *res,
		      const char *version)
{
	struct listed *l = arg;

	snprintf(l->version, sizeof(l->version), "%s", version ? version : "");
	got_done(&l->end, res);
}

static void listed_clear(struct listed *l)
{
	buf_free(&l->names);
	got_clear(&l->end);
	*l = (struct listed){.names = BUF_INIT(1 << 20)};
}

static void list(struct kube_client *c, unsigned int limit, int64_t ms,
		 struct listed *l)
{
	const struct listed was = *l;
	const struct kube_list_reply to = {
		.on_item = on_item,
		.on_restart = on_restart,
		.on_done = on_listed,
		.deadline_ms = clock_ms() + ms,
		.page_ms = was.page_ms,
		.no_retry = was.no_retry,
		.pages = was.pages,
		.arg = l,
	};

	listed_clear(l);
	l->stop_at = was.stop_at;
	l->page_ms = was.page_ms;
	l->no_retry = was.no_retry;
	if (!kube_list(c, &pods, NULL, limit, &to))
		abort();
	fault_await(c, &l->end.done);
}

/* 25 pods n10..n34, and these rules. */
static void script_list(const char *rules)
{
	_cleanup_buf_ struct buf b = BUF_INIT(1 << 16);

	for (int i = 10; i < 35; i++)
		buf_addf(&b, "%s{'metadata':{'name':'n%d'}}", i > 10 ? "," : "",
			 i);
	fault_script("'pods':[%s],'rules':[%s]", buf_str(&b), rules);
}

static void check_whole(const struct listed *l)
{
	T_INT(l->end.rc, 0);
	T_INT(l->items, 25);
	T_OK(!strncmp(buf_str(&l->names), "n10 n11 n12 ", 12));
	T_HAS(buf_str(&l->names), "n33 n34 ");
	T_STR(l->version, "1025");
}

static void a_list_comes_in_pages(void)
{
	struct listed l = {0};
	_cleanup_link_ struct fault_link k = fault_link(NULL);

	script_list("");
	list(k.client, 10, WAIT_MS, &l);
	check_whole(&l);
	T_INT(l.restarts, 0);
	T_INT(fault_requests("GET", "limit=10"), 3);
	T_INT(fault_requests("GET", "&continue="), 2);
	listed_clear(&l);
}

/* (a lease is renewed between pages, and a million objects take a second) */
static void a_page_of_too_many_objects_comes_in_smaller_ones(void)
{
	_cleanup_buf_ struct buf b = BUF_INIT(1 << 16);
	struct listed l = {0};
	_cleanup_link_ struct fault_link k = fault_link(NULL);

	for (int i = 10; i < 35; i++)
		buf_addf(&b, "%s{'parts':45000,'metadata':{'name':'n%d'}}",
			 i > 10 ? "," : "", i);
	fault_script("'pods':[%s]", buf_str(&b));
	list(k.client, 25, WAIT_MS, &l);
	check_whole(&l);
	T_INT(fault_requests("GET", "limit=25"), 1);
	T_INT(fault_requests("GET", "limit=3"), 9);
	T_INT(fault_requests("GET", "limit="), 10);
	listed_clear(&l);
}

/* (here four of 1 MiB are too long, as four of 9 MiB are otherwise) */
static void little_is_fetched_for_nothing(void)
{
	enum { MANY = 36 };
	const struct kube_client_options small = {.max_answer = 4u << 20};
	_cleanup_link_ struct fault_link k = fault_link(&small);
	_cleanup_buf_ struct buf b = BUF_INIT(1 << 16);
	struct listed l = {0};
	size_t too_long;

	for (int i = 10; i < 10 + MANY; i++)
		buf_addf(&b, "%s{'mib':1,'metadata':{'name':'n%d'}}",
			 i > 10 ? "," : "", i);
	fault_script("'pods':[%s]", buf_str(&b));
	list(k.client, 7, WAIT_MS, &l);
	T_INT(l.end.rc, 0);
	T_INT(l.items, MANY);
	too_long = fault_requests("GET", "limit=7") +
		   fault_requests("GET", "limit=4");
	T_OK(4 * too_long <= MANY / 2);
	T_OK(fault_requests("GET", "limit=2") > 0);
	listed_clear(&l);
}

static void a_list_has_so_many_pages_at_most(void)
{
	struct listed l = {.pages = 2};
	_cleanup_link_ struct fault_link k = fault_link(NULL);

	script_list("");
	list(k.client, 10, WAIT_MS, &l);
	T_INT(l.end.rc, -ETIMEDOUT);
	T_HAS(l.end.err.msg, "the list has too many pages");
	T_INT(fault_requests("GET", "limit=10"), 2);
	l.pages = 3;
	script_list("");
	list(k.client, 10, WAIT_MS, &l);
	check_whole(&l);
	listed_clear(&l);
}

static void faults_between_pages_lose_no_item(void)
{
	struct listed l = {0};
	_cleanup_link_ struct fault_link k = fault_link(NULL);

	script_list("{'do':'status','code':500,'path':'continue','times':2},"
		    "{'do':'half','skip':1},{'do':'reset','skip':1},"
		    "{'do':'lost','path':'continue'}");
	list(k.client, 7, WAIT_MS, &l);
	check_whole(&l);
	T_INT(l.restarts, 0);
	listed_clear(&l);
}

/* (such a list of 10,000 pods would hardly ever end) */
static void a_page_is_asked_for_again_where_a_list_is_not(void)
{
	struct listed l = {.no_retry = true};
	_cleanup_link_ struct fault_link k = fault_link(NULL);

	script_list("{'do':'status','code':429,'path':'continue','skip':1,"
		    "'times':3}");
	list(k.client, 7, WAIT_MS, &l);
	check_whole(&l);
	T_INT(l.restarts, 0);
	T_INT(fault_requests("GET", "limit=7"), 4 + 3);
	script_list("{'do':'status','code':503}");
	list(k.client, 7, WAIT_MS, &l);
	T_INT(l.end.rc, -EIO);
	T_INT(fault_requests("GET", "limit=7"), 1);
	listed_clear(&l);
}

/* A slow link: 25 pods at once take minutes, but for the first of all. */
static void a_page_that_takes_too_long_comes_in_smaller_ones(void)
{
	struct listed l = {.no_retry = true, .page_ms = 1500};
	_cleanup_link_ struct fault_link k = fault_link(NULL);

	script_list("{'path':'limit=2.&','do':'drip','piece':4,'ms':100,"
		    "'times':100},"
		    "{'path':'limit=2.$','do':'drip','piece':4,'ms':100,"
		    "'times':100}");
	list(k.client, 25, WAIT_MS, &l);
	check_whole(&l);
	T_OK(fault_requests("GET", "limit=25") >= 1);
	/* a server that does not answer at all is no slow link */
	l.page_ms = 1000;
	script_list("{'do':'hang','s':20}");
	list(k.client, 25, WAIT_MS, &l);
	T_INT(l.end.rc, -ETIMEDOUT);
	T_INT(fault_requests("GET", "limit="), 1);
	listed_clear(&l);
}

/* A try ends when nothing comes, not in the middle of what does. */
static void a_page_that_comes_slowly_is_read_to_its_end(void)
{
	const struct kube_client_options quick = {.attempt_ms = 1000};
	struct listed l = {0};
	_cleanup_link_ struct fault_link k = fault_link(&quick);

	script_list("{'do':'drip','piece':100,'ms':100}");
	list(k.client, 25, WAIT_MS, &l);
	check_whole(&l);
	T_INT(fault_requests("GET", "limit="), 1);
	script_list("{'do':'hang','s':60}");
	list(k.client, 25, WAIT_MS, &l);
	check_whole(&l);
	T_INT(fault_requests("GET", "limit="), 2);
	listed_clear(&l);
}

static void an_expired_page_starts_the_list_anew(void)
{
	struct listed l = {0};
	_cleanup_link_ struct fault_link k = fault_link(NULL);

	script_list("{'do':'status','code':410,'path':'continue','skip':1}");
	list(k.client, 10, WAIT_MS, &l);
	check_whole(&l);
	T_INT(l.restarts, 1);
	T_INT(fault_requests("GET", "limit=10"), 6);
	listed_clear(&l);
}

static void pages_that_always_expire_end_the_list(void)
{
	struct listed l = {0};
	_cleanup_link_ struct fault_link k = fault_link(NULL);

	script_list("{'do':'status','code':410,'path':'continue',"
		    "'times':1000}");
	list(k.client, 10, WAIT_MS, &l);
	T_ERR(l.end.rc, &l.end.err, -ESTALE, "410 Expired");
	T_OK(l.restarts >= 1);
	T_STR(l.version, "");
	listed_clear(&l);
}

static void a_list_that_is_none_is_an_error(void)
{
	static const char *const rules[] = {
		"{'do':'garbage'}",
		"{'do':'garbage','path':'continue'}",
		"{'do':'raw','code':200,'body':'[]'}",
		"{'do':'raw','code':200,'body':'{}'}",
		"{'do':'raw','code':200,'body':'null'}",
	};
	struct listed l = {0};
	_cleanup_link_ struct fault_link k = fault_link(NULL);

	for (size_t i = 0; i < T_COUNT(rules); i++) {
		t_row("%s", rules[i]);
		script_list(rules[i]);
		list(k.client, 10, WAIT_MS, &l);
		T_ERR(l.end.rc, &l.end.err, -EBADMSG, "is not a list");
		T_HAS(l.end.err.msg, "GET " PODS);
	}
	listed_clear(&l);
}

static void a_list_without_rights_names_them(void)
{
	struct listed l = {0};
	_cleanup_link_ struct fault_link k = fault_link(NULL);

	script_list("{'do':'status','code':403,'message':'User \\\"u\\\" "
		    "cannot list resource \\\"pods\\\"'}");
	list(k.client, 10, WAIT_MS, &l);
	T_ERR(l.end.rc, &l.end.err, -EACCES, "cannot list resource \"pods\"");
	T_INT(l.items, 0);
	listed_clear(&l);
}

static void the_reader_may_end_a_list(void)
{
	struct listed l = {.stop_at = 12};
	_cleanup_link_ struct fault_link k = fault_link(NULL);

	script_list("");
	list(k.client, 10, WAIT_MS, &l);
	T_INT(l.end.rc, -ECANCELED);
	T_INT(l.items, 12);
	T_INT(fault_requests("GET", "limit=10"), 2);
	listed_clear(&l);
}

/* --- watches */

struct seen {
	struct kube_watch *w;
	struct buf events; /* "+n1@7 " */
	char version[32];  /* at the last event */
	bool some;
	struct got end;
};

static void on_event(void *arg, enum kube_event type, json_object *object)
{
	static const char marks[] = {[KUBE_ADDED] = '+',
				     [KUBE_MODIFIED] = '~',
				     [KUBE_DELETED] = '-',
				     [KUBE_BOOKMARK] = '='};
	const char *name = jx_str(object, "metadata", "name");
	struct seen *s = arg;

	s->some = true;
	buf_addf(&s->events, "%c%s@%s ", marks[type], name ? name : "",
		 jx_str(object, "metadata", "resourceVersion"));
	snprintf(s->version, sizeof(s->version), "%s",
		 kube_watch_version(s->w));
}

static void on_end(void *arg, int rc, const struct err *err)
{
	struct seen *s = arg;

	s->w = NULL;
	s->end.rc = rc;
	s->end.done = true;
	if (err)
		s->end.err = *err;
}

static void seen_clear(struct seen *s)
{
	buf_free(&s->events);
	got_clear(&s->end);
	*s = (struct seen){.events = BUF_INIT(1 << 20)};
}

static void watch(struct kube_client *c, const char *version,
		  unsigned int timeout_s, struct seen *s)
{
	const struct kube_watch_reply to = {
		.on_event = on_event, .on_end = on_end, .arg = s};

	seen_clear(s);
	s->w = kube_watch_start(c, &pods, NULL, version, timeout_s, &to);
	if (!s->w)
		abort();
}

/* A watch of one scripted stream, to its end. */
static void watch_steps(const char *steps, struct seen *s)
{
	_cleanup_link_ struct fault_link k = fault_link(NULL);

	fault_script("'rules':[{'do':'stream','steps':[%s]}]", steps);
	watch(k.client, "5", 60, s);
	fault_await(k.client, &s->end.done);
	T_INT(fault_requests("GET", "watch=1&allowWatchBookmarks=true"), 1);
}

static void events_come_as_they_happen(void)
{
	struct seen s = {0};
	_cleanup_got_ struct got g = {0};
	_cleanup_link_ struct fault_link k = fault_link(NULL);
	struct kube_request post = {.method = "POST",
				    .path = PODS,
				    .body = "{\"metadata\":{\"name\":\"n1\"}}"};
	struct kube_request del = {.method = "DELETE",
				   .path = PODS "/n1",
				   .body = "{\"gracePeriodSeconds\":0}"};

	fault_script("%s", "");
	watch(k.client, "1000", 60, &s);
	fault_call(k.client, &post, &g);
	T_NEED(fault_await(k.client, &s.some));
	T_STR(buf_str(&s.events), "+n1@1001 ");
	T_STR(s.version, "1001");
	s.some = false;
	fault_call(k.client, &del, &g);
	T_NEED(fault_await(k.client, &s.some));
	T_STR(buf_str(&s.events), "+n1@1001 -n1@1002 ");
	T_OK(!s.end.done);
	kube_watch_stop(s.w);
	T_INT(kube_client_step(k.client, 0), 0);
	T_OK(!s.end.done); /* stopped: no on_end */
	seen_clear(&s);
}

static void a_watch_ends_in_good_order(void)
{
	struct seen s = {0};
	_cleanup_link_ struct fault_link k = fault_link(NULL);

	fault_script("'pods':[{'metadata':{'name':'n1'}}]");
	watch(k.client, "1000", 1, &s);
	fault_await(k.client, &s.end.done);
	T_INT(s.end.rc, 0);
	T_STR(s.version, "1001");
	seen_clear(&s);
}

static void bookmarks_move_the_version(void)
{
	struct seen s = {0};

	watch_steps("{'pod':'n1','rv':'6'},{'bookmark':'19'},"
		    "{'bookmark':'20'}",
		    &s);
	T_INT(s.end.rc, 0);
	T_STR(buf_str(&s.events), "+n1@6 =@19 =@20 ");
	T_STR(s.version, "20");
	seen_clear(&s);
}

static void only_bookmarks_are_fine_too(void)
{
	struct seen s = {0};

	watch_steps("{'bookmark':'8'},{'ms':50},{'bookmark':'9'}", &s);
	T_INT(s.end.rc, 0);
	T_STR(s.version, "9");
	seen_clear(&s);
}

static void events_twice_are_handed_on_twice(void)
{
	struct seen s = {0};

	watch_steps("{'pod':'n1','rv':'6'},{'pod':'n1','rv':'6'},"
		    "{'pod':'n1','rv':'7','type':'MODIFIED'},"
		    "{'pod':'n1','rv':'7','type':'DELETED'}",
		    &s);
	T_INT(s.end.rc, 0);
	T_STR(buf_str(&s.events), "+n1@6 +n1@6 ~n1@7 -n1@7 ");
	seen_clear(&s);
}

static void frames_may_come_in_any_pieces(void)
{
	struct seen s = {0};

	watch_steps(
		"{'pod':'n1','rv':'6'},"
		"{'text':'{\\\"type\\\":\\\"ADDED\\\",\\\"obj'},{'ms':30},"
		"{'text':'ect\\\":{\\\"metadata\\\":{\\\"name\\\":\\\"n2\\\"'},"
		"{'ms':30},{'text':',\\\"resourceVersion\\\":\\\"9\\\"}}}'},"
		"{'ms':30},{'text':'\\n\\n  \\n'},{'pod':'n3','rv':'10'}",
		&s);
	T_INT(s.end.rc, 0);
	T_STR(buf_str(&s.events), "+n1@6 +n2@9 +n3@10 ");
	seen_clear(&s);
}

static void a_half_frame_at_the_end_is_no_event(void)
{
	struct seen s = {0};

	watch_steps("{'pod':'n1','rv':'6'},{'text':'{\\\"type\\\":\\\"ADD'}",
		    &s);
	T_STR(buf_str(&s.events), "+n1@6 ");
	T_STR(s.version, "6");
	seen_clear(&s);
	watch_steps("{'pod':'n1','rv':'6'},{'text':'{\\\"type\\\":\\\"ADD'},"
		    "{'cut':true}",
		    &s);
	T_INT(s.end.rc, -EIO);
	T_STR(buf_str(&s.events), "+n1@6 ");
	seen_clear(&s);
}

static void gone_comes_in_two_ways(void)
{
	struct seen s = {0};
	_cleanup_link_ struct fault_link k = fault_link(NULL);

	watch_steps("{'pod':'n1','rv':'6'},{'gone':true},"
		    "{'pod':'n2','rv':'7'}",
		    &s);
	T_ERR(s.end.rc, &s.end.err, -ESTALE, "too old resource version");
	T_STR(buf_str(&s.events), "+n1@6 ");
	seen_clear(&s);

	fault_script("'rules':[{'do':'status','code':410}]");
	watch(k.client, "1", 60, &s);
	fault_await(k.client, &s.end.done);
	T_ERR(s.end.rc, &s.end.err, -ESTALE, "410 Expired");
	T_INT(fault_requests("GET", "watch"), 1);
	seen_clear(&s);
}

static void frames_that_are_no_events_end_the_watch(void)
{
	static const struct {
		const char *steps;
		int rc;
	} rows[] = {
		{"{'text':'<html>\\n'}", -EBADMSG},
		{"{'text':'{}\\n'}", -EBADMSG},
		{"{'event':{'type':'PARTY','object':{}}}", -EBADMSG},
		{"{'event':{'type':'ADDED','object':[]}}", -EBADMSG},
		{"{'event':{'type':'ERROR','object':{}}}", -EIO},
		{"{'event':{'type':'ERROR','object':{'kind':'Status',"
		 "'code':500,'message':'etcd'}}}",
		 -EIO},
		{"{'frame_mb':20}", -EMSGSIZE},
	};
	struct seen s = {0};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%s", rows[i].steps);
		watch_steps(rows[i].steps, &s);
		T_ERR(s.end.rc, &s.end.err, rows[i].rc, "");
		T_OK(*s.end.err.msg);
		T_STR(buf_str(&s.events), "");
		seen_clear(&s);
	}
}

static void a_watch_that_fails_is_not_retried_by_itself(void)
{
	static const struct {
		const char *rule;
		int rc;
	} rows[] = {
		{"'do':'status','code':500", -EIO},
		{"'do':'status','code':403", -EACCES},
		{"'do':'status','code':429", -EAGAIN},
		{"'do':'reset'", -EIO},
		{"'do':'stream','steps':[{'cut':true}]", -EIO},
	};
	struct seen s = {0};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_link_ struct fault_link k = fault_link(NULL);

		t_row("%s", rows[i].rule);
		fault_script("'rules':[{%s}]", rows[i].rule);
		watch(k.client, "5", 60, &s);
		fault_await(k.client, &s.end.done);
		T_ERR(s.end.rc, &s.end.err, rows[i].rc, "GET " PODS "?watch");
		T_INT(fault_requests("GET", "watch"), 1);
		seen_clear(&s);
	}
}

/* Stopping one watch from another one's event. */
struct killer {
	struct seen *victim;
	struct got end;
};

static void kill_on_event(void *arg, enum kube_event type, json_object *object)
{
	struct killer *k = arg;

	(void)type, (void)object;
	if (k->victim->w)
		kube_watch_stop(k->victim->w);
	k->victim->w = NULL;
}

static void killer_end(void *arg, int rc, const struct err *err)
{
	struct killer *k = arg;

	(void)err;
	k->end.rc = rc;
	k->end.done = true;
}

static void a_watch_may_stop_another(void)
{
	struct seen s = {0};
	struct killer x = {.victim = &s};
	const struct kube_watch_reply to = {
		.on_event = kill_on_event, .on_end = killer_end, .arg = &x};
	_cleanup_link_ struct fault_link k = fault_link(NULL);

	fault_script("'rules':[{'do':'stream','path':'Version=5','steps':["
		     "{'pod':'n1','rv':'6'},{'silent':60}]},"
		     "{'do':'stream','steps':[{'pod':'k','rv':'1'}]}]");
	watch(k.client, "5", 60, &s);
	T_NEED(fault_await(k.client, &s.some));
	if (!kube_watch_start(k.client, &pods, NULL, "1", 60, &to))
		abort();
	fault_await(k.client, &x.end.done);
	T_INT(x.end.rc, 0);
	T_OK(!s.w && !s.end.done);
	T_INT(kube_client_step(k.client, 0), 0);
	seen_clear(&s);
}

/* (four of 15 MiB fit into ANSWERS_MAX) */
static void many_long_answers_wait_for_each_other(void)
{
	enum { MANY = 6 };
	const struct kube_request get = {.method = "GET", .path = PODS};
	_cleanup_link_ struct fault_link l = fault_link(NULL);
	struct got got[MANY] = {0};
	unsigned int tries = 0;

	fault_script("'rules':[{'do':'big','mb':15,'s':1,'times':100}]");
	for (int i = 0; i < MANY; i++)
		fault_start(l.client, &get, &got[i]);
	for (int i = 0; i < MANY; i++) {
		T_NEED(fault_await(l.client, &got[i].done));
		T_INT(got[i].rc, 0);
		T_INT(strlen(got[i].body), 15 << 20);
		tries += got[i].attempts;
		got_clear(&got[i]);
	}
	T_OK(tries > MANY);
}

T_MAIN("fault_stream", T(many_long_answers_wait_for_each_other),
       T(a_list_comes_in_pages),
       T(a_page_of_too_many_objects_comes_in_smaller_ones),
       T(little_is_fetched_for_nothing), T(a_list_has_so_many_pages_at_most),
       T(faults_between_pages_lose_no_item),
       T(a_page_is_asked_for_again_where_a_list_is_not),
       T(a_page_that_takes_too_long_comes_in_smaller_ones),
       T(a_page_that_comes_slowly_is_read_to_its_end),
       T(an_expired_page_starts_the_list_anew),
       T(pages_that_always_expire_end_the_list),
       T(a_list_that_is_none_is_an_error), T(a_list_without_rights_names_them),
       T(the_reader_may_end_a_list), T(events_come_as_they_happen),
       T(a_watch_ends_in_good_order), T(bookmarks_move_the_version),
       T(only_bookmarks_are_fine_too), T(events_twice_are_handed_on_twice),
       T(frames_may_come_in_any_pieces), T(a_half_frame_at_the_end_is_no_event),
       T(gone_comes_in_two_ways), T(frames_that_are_no_events_end_the_watch),
       T(a_watch_that_fails_is_not_retried_by_itself),
       T(a_watch_may_stop_another))

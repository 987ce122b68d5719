/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A collection kept in view through all that can go wrong on the way. */
#include <stdarg.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "fault.h"
#include "kube/informer.h"

#define LISTED "[+n1@1001 ]" /* what script() leaves in the list */
#define QUIET "{'silent':60}"
#define SILENT "-110: silent for 16000 ms\n0\n"
#define HALF "{'text':'{\\\"type\\\":\\\"ADDED\\\",\\\"obj'}"

/* What the handler was told. */
struct view {
	struct fault_link link;
	struct informer *f;
	struct buf seen;     /* "[" list, "+n1@7 ", "-n1@8 ", "]" synced;
				"!n1@9 ": too big */
	struct buf troubles; /* "rc: last of the words\n" */
	bool live_early;     /* informer_live() when on_list or on_synced ran */
};

static void note(struct view *v, char mark, json_object *object)
{
	buf_addf(&v->seen, "%c%s@%s ", mark, jx_str(object, "metadata", "name"),
		 jx_str(object, "metadata", "resourceVersion"));
}

static void on_list(void *arg)
{
	struct view *v = arg;

	v->live_early |= v->f && informer_live(v->f);
	buf_addf(&v->seen, "[");
}

static void on_synced(void *arg)
{
	struct view *v = arg;

	v->live_early |= informer_live(v->f);
	buf_addf(&v->seen, "]");
}

static void on_object(void *arg, json_object *object)
{
	note(arg, '+', object);
}

static void on_delete(void *arg, json_object *object)
{
	note(arg, '-', object);
}

static void on_oversized(void *arg, const struct object_id *id, bool news)
{
	struct view *v = arg;

	buf_addf(&v->seen, "%s%s@%s ", news ? "!" : "!?", id->name,
		 id->version);
}

static void on_trouble(void *arg, int rc, const char *words)
{
	const char *colon = strrchr(words, ':');
	struct view *v = arg;

	buf_addf(&v->troubles, "%d%s\n", rc, colon ? colon : words);
}

/* Look at the pods, with these options and short back-off. */
static void look_with(struct view *v, struct informer_options opt,
		      const struct kube_client_options *client)
{
	const struct informer_handler to = {.on_list = on_list,
					    .on_object = on_object,
					    .on_delete = on_delete,
					    .on_oversized = on_oversized,
					    .on_synced = on_synced,
					    .on_trouble = on_trouble,
					    .arg = v};

	*v = (struct view){.link = fault_link(client),
			   .seen = BUF_INIT(1 << 20),
			   .troubles = BUF_INIT(1 << 20)};
	opt.collection = (struct kube_ref){
		.api = KUBE_CORE_V1, .ns = "ns", .resource = "pods"};
	if (!opt.retry_min_ms)
		opt.retry_min_ms = opt.retry_max_ms = 50;
	v->f = informer_new(v->link.client, &opt, &to);
	if (!v->f)
		abort();
}

static void look(struct view *v)
{
	look_with(v, (struct informer_options){0}, NULL);
}

static void look_away(struct view *v)
{
	informer_free(v->f);
	fault_unlink(&v->link);
	buf_free(&v->seen);
	buf_free(&v->troubles);
}
#define _cleanup_view_ __attribute__((cleanup(look_away)))

static void step(struct view *v)
{
	informer_step(v->f);
	kube_client_step(v->link.client, 20);
}

/* Until this text was added to a record of the view. */
static bool until(struct view *v, const struct buf *record, const char *text)
{
	int64_t end = clock_ms() + WAIT_MS;

	while (!strstr(buf_str(record), text) && clock_ms() < end)
		step(v);
	return T_HAS(buf_str(record), text);
}

static bool until_live(struct view *v)
{
	int64_t end = clock_ms() + WAIT_MS;

	while (!informer_live(v->f) && clock_ms() < end)
		step(v);
	return informer_live(v->f);
}

/* Until the server got the n-th request whose path holds `part`. */
static bool until_asked(struct view *v, const char *part, size_t n)
{
	int64_t end = clock_ms() + WAIT_MS;
	size_t is;

	while ((is = fault_requests("GET", part)) < n && clock_ms() < end)
		step(v);
	return T_INT(is, n);
}

static void add_step(struct buf *b, const char *word)
{
	static const char *const types[128] = {
		['+'] = "ADDED", ['~'] = "MODIFIED", ['-'] = "DELETED"};
	const char *type = types[*word & 127];

	if (type) /* names have two letters */
		buf_addf(b, "{'pod':'%.2s','rv':'%s','type':'%s'}", word + 1,
			 word + 4, type);
	else if (*word == '=')
		buf_addf(b, "{'bookmark':'%s'}", word + 1);
	else
		buf_addf(b, "%s", word);
}

/*
 * The pod n1, these rules, and what watches are answered, in pairs up to
 * NULL: from which version, and steps: +n2@7 ~n2@8 -n2@9 =10 or JSON.
 */
static void __attribute__((sentinel)) script(const char *rules, ...)
{
	_cleanup_buf_ struct buf b = BUF_INIT(1 << 16);
	const char *from;
	va_list ap;

	buf_addf(&b, "%s", rules);
	va_start(ap, rules);
	while ((from = va_arg(ap, const char *))) {
		_cleanup_free_ char *steps = strdup(va_arg(ap, const char *));
		char *rest = steps, *word;

		buf_addf(&b, "%s{'do':'stream','path':'Version=%s','steps':[",
			 b.len ? "," : "", from);
		while ((word = strsep(&rest, " "))) {
			add_step(&b, word);
			buf_addf(&b, "%s", rest ? "," : "]}");
		}
	}
	va_end(ap);
	fault_script("'pods':[{'metadata':{'name':'n1'}}],'rules':[%s]",
		     buf_str(&b));
}

/* All that was told (troubles NULL: not looked at), and the requests. */
static void check(const struct view *v, const char *seen, const char *troubles,
		  size_t lists, size_t watches)
{
	T_STR(buf_str(&v->seen), seen);
	if (troubles)
		T_STR(buf_str(&v->troubles), troubles);
	T_INT(fault_requests("GET", "limit="), lists);
	T_INT(fault_requests("GET", "watch=1"), watches);
}

/* --- when all is well */

static void a_list_in_pages_then_a_watch_from_its_version(void)
{
	_cleanup_view_ struct view v;

	fault_script("'pods':[{'metadata':{'name':'n1'}},"
		     "{'metadata':{'name':'n2'}},{'metadata':{'name':'n3'}}]");
	look_with(&v,
		  (struct informer_options){.page = 2, .select.labels = "a=b"},
		  NULL);
	T_NEED(until_asked(&v, "watch=1", 1));
	check(&v, "[+n1@1001 +n2@1002 +n3@1003 ]", "", 2, 1);
	T_INT(fault_requests("GET", "limit=2&labelSelector=a%3Db"), 2);
	T_INT(fault_requests("GET", "timeoutSeconds=300&resourceVersion=1003"
				    "&labelSelector=a%3Db"),
	      1);
}

static void changes_reach_the_handler_as_they_happen(void)
{
	_cleanup_view_ struct view v;
	_cleanup_got_ struct got g = {0};
	struct kube_request del = {.method = "DELETE",
				   .path = PODS "/n1",
				   .body = "{\"gracePeriodSeconds\":0}"};

	script("", NULL);
	look(&v);
	T_NEED(until_asked(&v, "watch=1", 1));
	fault_change("'pods':[{'metadata':{'name':'n2'}}]");
	T_NEED(until(&v, &v.seen, LISTED "+n2@1002 "));
	fault_call(v.link.client, &del, &g);
	T_NEED(until(&v, &v.seen, "+n2@1002 -n1@1003 "));
}

static void added_modified_and_deleted_come_in_order(void)
{
	_cleanup_view_ struct view v;

	script("", "1001",
	       "+n2@2001 ~n1@2002 +n3@2003 -n2@2004 +n2@2005 " QUIET, NULL);
	look(&v);
	T_NEED(until(&v, &v.seen, "n2@2005 "));
	check(&v, LISTED "+n2@2001 +n1@2002 +n3@2003 -n2@2004 +n2@2005 ", "", 1,
	      1);
}

static void it_watches_on_from_the_newest_version(void)
{
	_cleanup_view_ struct view v;

	script("", "1001", "+n2@2001", "2001", "+n3@2002 =3000", "3000",
	       "+n4@3001 " QUIET, NULL);
	look(&v);
	T_NEED(until(&v, &v.seen, "n4@3001 "));
	check(&v, LISTED "+n2@2001 +n3@2002 +n4@3001 ", "", 1, 3);
}

static void a_watch_that_lasted_is_followed_by_the_next(void)
{
	_cleanup_view_ struct view v;

	script("", NULL);
	look_with(&v, (struct informer_options){.watch_s = 1}, NULL);
	T_NEED(until_asked(&v, "timeoutSeconds=1&resourceVersion=1001", 3));
	check(&v, LISTED, "", 1, 3);
}

static void events_twice_and_late_are_handed_on_without_harm(void)
{
	_cleanup_view_ struct view v;

	script("", "1001", "+n2@2001 +n2@2001 ~n2@2002 ~n2@2001", "2001",
	       "~n2@2002 -n2@2003 -n2@2003", NULL);
	look(&v);
	T_NEED(until_asked(&v, "resourceVersion=2003", 1));
	check(&v,
	      LISTED "+n2@2001 +n2@2001 +n2@2002 +n2@2001 "
		     "+n2@2002 -n2@2003 -n2@2003 ",
	      "", 1, 3);
}

/* --- objects that are too big */

static void a_watch_goes_on_past_an_object_that_is_too_big(void)
{
	_cleanup_view_ struct view v;

	script("", "1001",
	       "+n2@2001 {'pod':'n2','rv':'2002','type':'MODIFIED','mib':17} "
	       "+n3@2003 {'pod':'n2','rv':'2004','type':'DELETED','mib':17} "
	       "{'pod':'n4','rv':'2005','mib':15} " QUIET,
	       NULL);
	look(&v);
	T_NEED(until(&v, &v.seen, "n4@2005 "));
	check(&v,
	      LISTED "+n2@2001 !n2@2002 +n3@2003 -n2@2004 "
		     "+n4@2005 ",
	      "", 1, 1);
}

static void the_next_watch_begins_behind_one_that_is_too_big(void)
{
	_cleanup_view_ struct view v;

	script("", "1001", "{'pod':'n2','rv':'2001','mib':17}", "2001",
	       "+n3@2002 " QUIET, NULL);
	look(&v);
	T_NEED(until(&v, &v.seen, "n3@2002 "));
	check(&v, LISTED "!n2@2001 +n3@2002 ", "", 1, 2);
}

/* Each is named, and none again within a minute. */
static void of_two_that_are_too_big_each_is_told_once(void)
{
	_cleanup_view_ struct view v;

	script("", "1001",
	       "{'pod':'n2','rv':'2001','mib':17} "
	       "{'pod':'n3','rv':'2002','mib':17} "
	       "{'pod':'n2','rv':'2003','mib':17} "
	       "{'pod':'n3','rv':'2004','mib':17} +n4@2005 " QUIET,
	       NULL);
	look(&v);
	T_NEED(until(&v, &v.seen, "n4@2005 "));
	check(&v, LISTED "!n2@2001 !n3@2002 !?n2@2003 !?n3@2004 +n4@2005 ", "",
	      1, 1);
}

/* A watch from the same version would end there again, and again. */
static void one_that_does_not_say_its_name_lists_anew(void)
{
	_cleanup_view_ struct view v;
	int64_t lists[2];

	script("", "1001", "+n2@2001 {'frame_mb':17}", "1001",
	       "+n3@2002 " QUIET, NULL);
	look(&v);
	T_NEED(until(&v, &v.seen, "n3@2002 "));
	check(&v, LISTED "+n2@2001 " LISTED "+n3@2002 ", NULL, 2, 2);
	T_STR(buf_str(&v.troubles), "-90: all are listed anew\n0\n");
	lists[0] = fault_when("GET", "limit=", 1);
	lists[1] = fault_when("GET", "limit=", 2);
	T_OK(lists[1] - lists[0] >= 5000);
}

static void a_list_goes_on_past_an_object_that_is_too_big(void)
{
	_cleanup_view_ struct view v;

	fault_script("'pods':[{'metadata':{'name':'n1'}},{'mib':17,"
		     "'metadata':{'name':'n2'}},{'metadata':{'name':'n3'}}]");
	look(&v);
	T_NEED(until_asked(&v, "watch=1", 1));
	check(&v, "[+n1@1001 !n2@1002 +n3@1003 ]", "", 1, 1);
}

/* Nested deeper than is read, of bytes that are no UTF-8, or too much. */
static void a_watch_goes_on_past_objects_that_cannot_be_read(void)
{
	_cleanup_view_ struct view v;

	script("", "1001",
	       "+n2@2001 {'pod':'n2','rv':'2002','type':'MODIFIED','deep':120} "
	       "{'pod':'n3','rv':'2003','type':'ADDED','byte':1} "
	       "{'pod':'n2','rv':'2004','type':'DELETED','deep':120} "
	       "{'pod':'n4','rv':'2005','deep':90} "
	       "{'pod':'n5','rv':'2006','parts':40000} "
	       "{'pod':'n6','rv':'2007','parts':60000}",
	       "2007", "+n7@2008 " QUIET, NULL);
	t_log_clear();
	look(&v);
	T_NEED(until(&v, &v.seen, "n7@2008 "));
	check(&v,
	      LISTED "+n2@2001 !n2@2002 !n3@2003 -n2@2004 +n4@2005 +n5@2006 "
		     "!n6@2007 +n7@2008 ",
	      "", 1, 2);
	T_HAS(t_log(), "pods: n3: it cannot be read (its JSON has more than");
}

static void a_list_goes_on_past_objects_that_cannot_be_read(void)
{
	/* (1 MiB is too long then: the page comes in pieces at last) */
	const struct kube_client_options small = {.max_answer = 1u << 20};

	for (int i = 0; i < 2; i++) {
		_cleanup_view_ struct view v;

		fault_script("'pods':[{'metadata':{'name':'n1'}},"
			     "{'deep':120,'metadata':{'name':'n2'}},"
			     "{'mib':1,'metadata':{'name':'n3'}},"
			     "{'byte':1,'metadata':{'name':'n4'}},"
			     "{'parts':60000,'metadata':{'name':'n5'}},"
			     "{'metadata':{'name':'n6'}}]");
		look_with(&v, (struct informer_options){0}, i ? &small : NULL);
		T_NEED(until_asked(&v, "watch=1", 1));
		T_STR(buf_str(&v.seen),
		      "[+n1@1001 !n2@1002 +n3@1003 !n4@1004 !n5@1005 +n6@1006 "
		      "]");
		T_STR(buf_str(&v.troubles), "");
	}
}

static void pages_that_are_too_long_come_in_parts(void)
{
	/* (here 2 MiB are too long, which is 32 MiB otherwise) */
	const struct kube_client_options small = {.max_answer = 2u << 20};
	_cleanup_view_ struct view v;

	fault_script("'pods':[{'metadata':{'name':'n1'}},"
		     "{'mib':1,'metadata':{'name':'n2'}},"
		     "{'mib':1,'metadata':{'name':'n3'}},"
		     "{'mib':1,'metadata':{'name':'n4'}},"
		     "{'metadata':{'name':'n5'}},{'metadata':{'name':'n6'}}]");
	look_with(&v, (struct informer_options){.page = 40}, &small);
	T_NEED(until_asked(&v, "watch=1", 1));
	T_STR(buf_str(&v.seen), "[+n1@1001 +n2@1002 +n3@1003 +n4@1004 "
				"+n5@1005 +n6@1006 ]");
	T_STR(buf_str(&v.troubles), "");
	T_INT(fault_requests("GET", "limit=40"), 1);
	T_OK(fault_requests("GET", "limit=1&") >= 1);
}

static void one_that_is_too_long_for_any_page_comes_in_pieces(void)
{
	const struct kube_client_options small = {.max_answer = 1u << 20};
	_cleanup_view_ struct view v;

	fault_script("'pods':[{'metadata':{'name':'n1'}},"
		     "{'mib':1,'metadata':{'name':'n2'}},"
		     "{'metadata':{'name':'n3'}}]");
	look_with(&v, (struct informer_options){0}, &small);
	T_NEED(until_asked(&v, "watch=1", 1));
	T_STR(buf_str(&v.seen), "[+n1@1001 +n2@1002 +n3@1003 ]");
	T_STR(buf_str(&v.troubles), "");
}

/* It is passed over by name, as one that the client could hold. */
static void a_list_goes_on_past_one_that_is_too_long_for_any_page(void)
{
	_cleanup_view_ struct view v;

	fault_script("'pods':[{'metadata':{'name':'n1'}},"
		     "{'mib':33,'metadata':{'name':'n2'}},"
		     "{'metadata':{'name':'n3'}}]");
	look(&v);
	T_NEED(until_asked(&v, "watch=1", 1));
	T_STR(buf_str(&v.seen), "[+n1@1001 !n2@1002 +n3@1003 ]");
	T_STR(buf_str(&v.troubles), "");
}

static void one_that_never_ends_ends_the_list(void)
{
	const struct kube_client_options small = {.max_answer = 1u << 20};
	_cleanup_view_ struct view v;

	fault_script("'pods':[{'mib':1,'metadata':{'name':'n1'}}],'rules':["
		     "{'path':'limit=1&|limit=1$','skip':1,'times':1,'do':"
		     "'drip','piece':16384,'ms':50}]");
	look_with(&v, (struct informer_options){.list_ms = 2000}, &small);
	T_NEED(until(&v, &v.troubles, "\n"));
	T_HAS(buf_str(&v.troubles), "-110");
}

/* --- list anew */

static void a_refusal_of_the_watch_with_410_lists_anew(void)
{
	_cleanup_view_ struct view v;

	script("{'do':'status','code':410,'path':'watch=1','times':2}", NULL);
	look(&v);
	T_NEED(until_asked(&v, "watch=1", 3));
	check(&v, LISTED LISTED LISTED, "", 3, 3);
}

static void a_410_inside_the_stream_lists_anew(void)
{
	_cleanup_view_ struct view v;

	script("", "1001", "+n2@2001 {'gone':true} +n3@2002 " QUIET, NULL);
	look(&v);
	T_NEED(until_asked(&v, "resourceVersion=1001", 2));
	check(&v, LISTED "+n2@2001 " LISTED, "", 2, 2);
}

/* (it may wait in our own client, or in the server) */
static void a_watch_that_is_not_answered_shows_nothing(void)
{
	_cleanup_view_ struct view v;

	fault_script("'rules':["
		     "{'path':'watch=1','do':'delay','ms':60000}]");
	look(&v);
	T_NEED(until_asked(&v, "watch=1", 1));
	for (int i = 0; i < 20; i++)
		step(&v);
	T_OK(!informer_live(v.f));
}

static void it_lists_anew_when_it_is_asked_to(void)
{
	_cleanup_view_ struct view v;

	script("{'do':'delay','ms':100,'path':'limit='}", "1001",
	       "+n2@2001 " QUIET, NULL);
	look(&v);
	informer_relist(v.f); /* (it is at it) */
	T_NEED(until(&v, &v.seen, "n2@2001 "));
	T_OK(informer_live(v.f));
	informer_relist(v.f);
	T_OK(!informer_live(v.f));
	T_NEED(until_asked(&v, "watch=1", 2));
	check(&v, LISTED "+n2@2001 " LISTED, "", 2, 2);
	T_OK(until_live(&v));
}

/* Lists, restarts, deletions, and trouble come all the same. */
/* (each page comes in time) */
static void a_list_that_has_always_a_next_page_ends(void)
{
	_cleanup_view_ struct view v;

	fault_script("'rules':[{'do':'raw','path':'limit=','times':1000000,"
		     "'code':200,'body':'{\\\"metadata\\\":{"
		     "\\\"resourceVersion\\\":\\\"1\\\","
		     "\\\"continue\\\":\\\"t\\\"},\\\"items\\\":[]}'}]");
	look_with(&v, (struct informer_options){.list_ms = 300}, NULL);
	/* (between two pages, or in one) */
	T_NEED(until(&v, &v.seen, "[["));
	T_HAS(buf_str(&v.troubles), "-110:");
}

static void a_handler_may_be_interested_in_objects_alone(void)
{
	_cleanup_view_ struct view v;
	const struct informer_handler to = {.on_object = on_object, .arg = &v};
	struct informer_options opt = {.retry_min_ms = 50, .retry_max_ms = 50};

	script("", "1001", "-n1@1001 +n2@1002 {'status':410}", NULL);
	look(&v);
	opt.collection = (struct kube_ref){
		.api = KUBE_CORE_V1, .ns = "ns", .resource = "pods"};
	informer_free(v.f);
	v.f = informer_new(v.link.client, &opt, &to);
	T_NEED(v.f);
	T_NEED(until(&v, &v.seen, "+n2@1002 "));
	T_NEED(until_asked(&v, "watch=1", 2));
}

static void a_list_that_breaks_off_begins_anew(void)
{
	static const struct {
		int code;
		const char *troubles;
	} rows[] = {{403, "-13: scripted\n0\n"}, {410, ""}};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_view_ struct view v;

		t_row("%d", rows[i].code);
		fault_script("'pods':[{'metadata':{'name':'n1'}},"
			     "{'metadata':{'name':'n2'}}],'rules':[{'do':"
			     "'status','code':%d,'path':'continue'}]",
			     rows[i].code);
		look_with(&v, (struct informer_options){.page = 1}, NULL);
		T_NEED(until(&v, &v.seen, "]"));
		check(&v, "[+n1@1001 [+n1@1001 +n2@1002 ]", rows[i].troubles, 4,
		      0);
	}
}

/* --- trouble */

static void a_frame_cut_in_half_loses_nothing(void)
{
	_cleanup_view_ struct view v;

	script("", "1001", "+n2@2001 " HALF " {'cut':true}", "2001",
	       "+n3@2002 " QUIET, NULL);
	look(&v);
	T_NEED(until(&v, &v.seen, "n3@2002 "));
	check(&v, LISTED "+n2@2001 +n3@2002 ", NULL, 1, 2);
	T_OK(!strncmp(buf_str(&v.troubles), "-5: ", 4));
	T_STR(strchr(buf_str(&v.troubles), '\n'), "\n0\n");
}

static void what_happens_between_two_watches_is_not_lost(void)
{
	_cleanup_view_ struct view v;

	script("{'do':'reset','path':'watch=1','times':6}", NULL);
	look(&v);
	T_NEED(until(&v, &v.troubles, "-5: "));
	fault_change("'pods':[{'metadata':{'name':'n2'}}]");
	T_NEED(until(&v, &v.seen, "n2@1002 "));
	check(&v, LISTED "+n2@1002 ", NULL, 1, 7);
}

static void a_server_error_is_told_once_and_its_end(void)
{
	/* a client that leaves trying again to the informer */
	const struct kube_client_options once = {.retry_base_ms = 400000,
						 .retry_max_ms = 400000};
	const struct informer_options opt = {.retry_min_ms = 100,
					     .retry_max_ms = 400};
	static const int64_t least[] = {0, 49, 99, 199, 199}; /* half of it */
	_cleanup_view_ struct view v;

	script("{'do':'status','code':500,'times':4,'message':'etcd is ill'}",
	       NULL);
	look_with(&v, opt, &once);
	T_NEED(until(&v, &v.troubles, "-5"));
	T_STR(buf_str(&v.troubles), "-5: etcd is ill\n");
	T_NEED(until(&v, &v.seen, "]"));
	check(&v, "[[[[" LISTED, "-5: etcd is ill\n0\n", 5, 0);
	for (size_t n = 1; n < T_COUNT(least); n++) {
		t_row("wait %zu", n);
		T_OK(fault_when("GET", "limit=", n + 1) >=
		     fault_when("GET", "limit=", n) + least[n]);
	}
}

static void kubernetes_words_are_repeated_only_when_they_change(void)
{
	_cleanup_view_ struct view v;

	script("{'do':'status','code':403,'path':'limit=','times':3,"
	       "'message':'u cannot list pods'},"
	       "{'do':'status','code':403,'path':'limit=','times':2,"
	       "'message':'u is no one'},"
	       "{'do':'status','code':403,'path':'watch=1','times':3,"
	       "'message':'u cannot watch pods'}",
	       "1001", "+n2@2001 " QUIET, NULL);
	look(&v);
	T_NEED(until(&v, &v.seen, "n2@2001 "));
	check(&v, "[[[[[" LISTED "+n2@2001 ",
	      "-13: u cannot list pods\n-13: u is no one\n0\n"
	      "-13: u cannot watch pods\n0\n",
	      6, 4);
}

static void a_silent_watch_is_given_up_and_tried_again(void)
{
	_cleanup_view_ struct view v;

	script("", "1001", QUIET, "1001", "+n2@2001 " QUIET, NULL);
	look_with(&v, (struct informer_options){.watch_s = 1}, NULL);
	T_NEED(until_asked(&v, "watch=1", 1));
	T_OK(until_live(&v));
	T_NEED(until(&v, &v.seen, "n2@2001 "));
	check(&v, LISTED "+n2@2001 ", SILENT, 1, 2);
}

/* --- its life */

static void it_is_not_live_during_a_list(void)
{
	_cleanup_view_ struct view v;

	script("{'do':'delay','ms':100,'path':'limit='},"
	       "{'do':'status','code':410,'path':'watch=1'}",
	       "1001", "+n2@2001 " QUIET, NULL);
	look(&v);
	T_OK(!informer_live(v.f));
	T_NEED(until_asked(&v, "limit=", 1));
	T_OK(!informer_live(v.f));
	T_NEED(until(&v, &v.seen, "n2@2001 "));
	check(&v, LISTED LISTED "+n2@2001 ", "", 2, 2);
	T_OK(!v.live_early);
	T_OK(informer_live(v.f));
}

static void it_is_not_live_while_it_waits_to_try_again(void)
{
	_cleanup_view_ struct view v;

	script("", "1001", "+n2@2001 {'ms':200} {'cut':true}", NULL);
	look_with(&v,
		  (struct informer_options){.retry_min_ms = 60000,
					    .retry_max_ms = 60000},
		  NULL);
	T_NEED(until(&v, &v.troubles, "-5: "));
	T_OK(!informer_live(v.f));
	informer_step(v.f); /* not due */
	T_OK(!informer_live(v.f));
	T_INT(kube_client_step(v.link.client, 0), 0);
	check(&v, LISTED "+n2@2001 ", NULL, 1, 1);
}

/* (the next one is asked for at once, and may take a while to be answered) */
static void it_stays_live_where_a_watch_ends_in_good_order(void)
{
	_cleanup_view_ struct view v;

	fault_script("'rules':[{'path':'watch=1','do':'stream','steps':["
		     "{'pod':'n2','rv':'2001'},{'ms':1500},"
		     "{'bookmark':'2002'}]},"
		     "{'path':'watch=1','do':'delay','ms':60000}]");
	look(&v);
	T_NEED(until(&v, &v.seen, "n2@2001 "));
	T_OK(informer_live(v.f));
	T_NEED(until_asked(&v, "watch=1", 2));
	T_OK(informer_live(v.f));
}

/* Free it; nothing is under way then that could call back. */
static void free_it(struct view *v)
{
	_cleanup_free_ char *before = strdup(buf_str(&v->seen));
	_cleanup_free_ char *troubles = strdup(buf_str(&v->troubles));

	informer_free(v->f);
	v->f = NULL;
	T_INT(kube_client_step(v->link.client, 0), 0);
	fault_change("'pods':[{'metadata':{'name':'late'}}]");
	T_INT(kube_client_step(v->link.client, 20), 0);
	T_STR(buf_str(&v->seen), before);
	T_STR(buf_str(&v->troubles), troubles);
}

static void it_may_be_freed_during_a_list(void)
{
	static const char *const rules[] = {
		"{'do':'hang','s':60}",
		"{'do':'hang','s':60,'path':'continue'}",
		"{'do':'status','code':503,'times':1000}",
	};

	for (size_t i = 0; i < T_COUNT(rules); i++) {
		_cleanup_view_ struct view v;

		t_row("%s", rules[i]);
		fault_script("'pods':[{'metadata':{'name':'n1'}},"
			     "{'metadata':{'name':'n2'}}],'rules':[%s]",
			     rules[i]);
		look_with(&v, (struct informer_options){.page = 1}, NULL);
		T_NEED(until_asked(&v, i == 1 ? "continue" : "limit=", 1));
		free_it(&v);
		T_LACKS(buf_str(&v.seen), "]");
	}
}

static void it_may_be_freed_during_a_watch(void)
{
	static const char *const steps[] = {"+n2@2001 " QUIET,
					    "+n2@2001 " HALF " " QUIET};

	for (size_t i = 0; i < T_COUNT(steps); i++) {
		_cleanup_view_ struct view v;

		t_row("%s", steps[i]);
		script("", "1001", steps[i], NULL);
		look(&v);
		T_NEED(until(&v, &v.seen, "n2@2001 "));
		step(&v); /* perhaps what follows it */
		T_OK(informer_live(v.f));
		free_it(&v);
	}
	informer_free(NULL);
}

T_MAIN("fault_informer", T(a_list_in_pages_then_a_watch_from_its_version),
       T(changes_reach_the_handler_as_they_happen),
       T(added_modified_and_deleted_come_in_order),
       T(it_watches_on_from_the_newest_version),
       T(a_watch_that_lasted_is_followed_by_the_next),
       T(events_twice_and_late_are_handed_on_without_harm),
       T(a_watch_goes_on_past_an_object_that_is_too_big),
       T(the_next_watch_begins_behind_one_that_is_too_big),
       T(of_two_that_are_too_big_each_is_told_once),
       T(one_that_does_not_say_its_name_lists_anew),
       T(a_watch_goes_on_past_objects_that_cannot_be_read),
       T(a_list_goes_on_past_objects_that_cannot_be_read),
       T(a_list_goes_on_past_an_object_that_is_too_big),
       T(pages_that_are_too_long_come_in_parts),
       T(one_that_is_too_long_for_any_page_comes_in_pieces),
       T(a_list_goes_on_past_one_that_is_too_long_for_any_page),
       T(one_that_never_ends_ends_the_list),
       T(a_refusal_of_the_watch_with_410_lists_anew),
       T(a_410_inside_the_stream_lists_anew),
       T(a_watch_that_is_not_answered_shows_nothing),
       T(it_lists_anew_when_it_is_asked_to),
       T(a_list_that_has_always_a_next_page_ends),
       T(a_handler_may_be_interested_in_objects_alone),
       T(a_list_that_breaks_off_begins_anew),
       T(a_frame_cut_in_half_loses_nothing),
       T(what_happens_between_two_watches_is_not_lost),
       T(a_server_error_is_told_once_and_its_end),
       T(kubernetes_words_are_repeated_only_when_they_change),
       T(a_silent_watch_is_given_up_and_tried_again),
       T(it_is_not_live_during_a_list),
       T(it_is_not_live_while_it_waits_to_try_again),
       T(it_stays_live_where_a_watch_ends_in_good_order),
       T(it_may_be_freed_during_a_list), T(it_may_be_freed_during_a_watch))

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is taken back while it is under way, and what is said of deletions. */
#include "base/log.h"
#include "bridge/requests/bridge_requests_internal.h"
#include "fault_bindings.h"

static struct bridge_requests *w;

/* Its job ends in the very moment in which the pod is marked. */
static void on_line(enum log_level level, const char *line)
{
	(void)level;
	if (strstr(line, ": marked"))
		bridge_requests_unbind(w, 7);
}

static void nothing_escapes_its_recall(void)
{
	_cleanup_link_ struct fault_link l = fault_link(NULL);

	w = requests_of(10);
	fault_script("'rules':[{'path':'binding|status|events','do':'raw',"
		     "'code':201,'body':'{}','times':99}]");
	log_set_level(LOG_LEVEL_DEBUG);
	log_set_sink(on_line);
	T_OK(bridge_requests_bind(w, &one, "w-1", 7, true));
	do_all(w, l.client);
	T_INT(fault_requests("PATCH", "p1/status"), 1);
	T_INT(fault_requests("POST", "p1/binding"), 0);
	T_OK(!bridge_requests_has(w, BRIDGE_REQUEST_BIND, "u1"));
	t_log_clear();
	bridge_requests_free(w);
}

/* An Event says that a pod was deleted, and not that it was tried. */
static void a_deletion_is_told_when_it_was_done(void)
{
	static const struct {
		int code, events;
		const char *words;
	} rows[] = {
		{200, 1, ""},
		{404, 0, ""},
		{403, 0, "pods of jobs that ended stay"},
		{422, 0, "it cannot be deleted"},
		/* (a webhook that fails: it is asked for again later) */
		{500, 0, "it cannot be deleted"},
		{503, 0, "it cannot be deleted"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_link_ struct fault_link l = fault_link(NULL);
		const bool fails = *rows[i].words;
		struct bridge_request_failure f = {0};

		t_row("%d", rows[i].code);
		t_log_clear();
		w = requests_of(10);
		fault_script("'rules':[{'method':'DELETE','path':'p1','do':"
			     "'%s','code':%d,'body':'{}','times':9},{'path':"
			     "'events','do':'raw','code':201,'body':'{}',"
			     "'times':99}]",
			     rows[i].code == 200 ? "raw" : "status",
			     rows[i].code);
		T_OK(bridge_requests_delete(w, &one, 5, "Slurm job ended",
					    "job 7 has ended"));
		do_all(w, l.client);
		T_INT(fault_requests("DELETE", "p1"), 1);
		T_INT(fault_requests("POST", "/events"), rows[i].events);
		T_INT(told, fails);
		T_INT(bridge_requests_take(w, &f), fails);
		T_INT(f.what, BRIDGE_REQUEST_DELETE);
		T_STR(f.uid, fails ? "u1" : "");
		T_HAS(t_log(), rows[i].words);
		bridge_requests_free(w);
	}
}

static size_t deleted_before;

/* The pod has its condition, or cannot get it. */
static void on_mark(enum log_level level, const char *line)
{
	(void)level;
	if (strstr(line, ": marked"))
		deleted_before = fault_requests("DELETE", "p1");
}

static void a_disruption_is_written_before_the_pod_is_deleted(void)
{
	static const struct {
		const char *rule;
		bool again; /* it is tried again, for a while */
	} rows[] = {
		{"'do':'raw','code':200,'body':'{}'", false},
		{"'do':'status','code':403", false},
		{"'do':'status','code':404", false},
		{"'do':'status','code':409", false},
		{"'do':'status','code':422", false},
		{"'do':'status','code':500", true},
		{"'do':'status','code':429,'headers':{'Retry-After':'1'}",
		 true},
		{"'do':'hang','s':60", false},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_link_ struct fault_link l = fault_link(NULL);
		const int64_t begin = clock_ms();

		t_row("%s", rows[i].rule);
		w = requests_of(10);
		deleted_before = 7;
		log_set_level(LOG_LEVEL_DEBUG);
		log_set_sink(on_mark);
		fault_script("'rules':[{'method':'PATCH','path':'p1/status',"
			     "'times':99,%s},{'path':'p1|events','do':'raw',"
			     "'code':200,'body':'{}','times':99}]",
			     rows[i].rule);
		T_OK(bridge_requests_disrupt(w, &one, 5, "Slurm job ended",
					     "job 7 was preempted"));
		do_all(w, l.client);
		T_INT(deleted_before, 0);
		T_OK(fault_requests("PATCH", "p1/status") >= 1);
		T_OK(rows[i].again ||
		     fault_requests("PATCH", "p1/status") == 1);
		T_INT(fault_requests("DELETE", "p1"), 1);
		T_INT(fault_requests("POST", "/events"), 1);
		T_OK(clock_ms() - begin < 10000);
		T_OK(!told);
		t_log_clear();
		bridge_requests_free(w);
	}
}

/* A deletion that waits is told what a later one has to say. */
static void a_deletion_that_waits_gets_the_words_of_a_later_one(void)
{
	_cleanup_link_ struct fault_link l = fault_link(NULL);

	w = requests_of(10);
	fault_script("'rules':[{'path':'p1','do':'raw','code':200,'body':'{}',"
		     "'times':99}]");
	T_OK(bridge_requests_delete(w, &one, 5, NULL, NULL));
	T_OK(bridge_requests_disrupt(w, &one, 5, NULL, "job 7 was preempted"));
	do_all(w, l.client);
	T_INT(fault_requests("PATCH", "p1/status"), 1);
	T_INT(fault_requests("DELETE", "p1"), 1);
	bridge_requests_free(w);
}

/* (the API server asks for it, or something between has broken) */
static void a_deletion_that_can_be_sent_again_is(void)
{
	static const char *const rules[] = {
		"'do':'status','code':429,'headers':{'Retry-After':'0'}",
		"'do':'reset'",
	};

	for (size_t i = 0; i < T_COUNT(rules); i++) {
		_cleanup_link_ struct fault_link l = fault_link(NULL);

		t_row("%s", rules[i]);
		w = requests_of(10);
		fault_script("'rules':[{'method':'DELETE',%s},{'method':"
			     "'DELETE','do':'raw','code':200,'body':'{}'}]",
			     rules[i]);
		T_OK(bridge_requests_delete(w, &one, 5, NULL, NULL));
		do_all(w, l.client);
		T_INT(fault_requests("DELETE", "p1"), 2);
		T_OK(!told);
		bridge_requests_free(w);
	}
}

/* --- who gets what may be under way */

#define HANGS "'rules':[{'do':'hang','s':60,'times':99}]"

static void ask(enum bridge_request_what what, const char *ns, unsigned int n)
{
	char name[16], uid[80];

	for (unsigned int i = 0; i < n; i++) {
		const struct pod_ref ref = {ns, name, uid};

		snprintf(name, sizeof(name), "p%u", i);
		snprintf(uid, sizeof(uid), "%s %u", ns, i);
		T_OK(what == BRIDGE_REQUEST_BIND
			     ? bridge_requests_bind(w, &ref, "w-1", 7, true)
			     : bridge_requests_delete(w, &ref, 5, NULL, NULL));
	}
}

/* So many requests have come. */
static void begin(struct kube_client *c, size_t n)
{
	const int64_t end = clock_ms() + WAIT_MS;

	bridge_requests_begin(w, c);
	while (fault_requests(NULL, "/api/v1/") < n && clock_ms() < end)
		kube_client_step(c, 10);
	T_INT(fault_requests(NULL, "/api/v1/"), n);
}

static void deletions_that_hang_do_not_keep_bindings_from_being_sent(void)
{
	static const struct {
		unsigned int at_once, binds, deletes, marks;
	} rows[] = {
		{4, 1, 3, 1}, {4, 9, 3, 1}, {4, 0, 3, 0},
		{8, 9, 6, 2}, {2, 1, 1, 1}, {1, 1, 1, 0},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_link_ struct fault_link l = fault_link(NULL);

		t_row("%zu", i);
		w = requests_of(rows[i].at_once);
		fault_script(HANGS);
		ask(BRIDGE_REQUEST_DELETE, "ns", 6);
		ask(BRIDGE_REQUEST_BIND, "ns", rows[i].binds);
		begin(l.client, rows[i].deletes + rows[i].marks);
		T_INT(fault_requests("DELETE", "ns/pods"), rows[i].deletes);
		T_INT(fault_requests("PATCH", "ns/pods"), rows[i].marks);
		bridge_requests_drop(w, l.client);
		bridge_requests_free(w);
	}
}

static unsigned int lane(const char *ns)
{
	return hash_bytes(ns, strlen(ns)) % REQUEST_LANES;
}

/* One that has turns of its own: hashes have a new secret in each process. */
static const char *namespace_beside(const char *ns)
{
	static const char *const names[] = {"b", "c", "d", "e", "f", "g"};
	size_t i = 0;

	while (i < T_COUNT(names) - 1 && lane(names[i]) == lane(ns))
		i++;
	return names[i];
}

/* A webhook may fail, or hang, in one namespace. */
static void what_hangs_in_a_namespace_does_not_keep_others_waiting(void)
{
	static const enum bridge_request_what rows[] = {BRIDGE_REQUEST_DELETE,
							BRIDGE_REQUEST_BIND};
	const char *const beside = namespace_beside("a");
	char pods[16];

	snprintf(pods, sizeof(pods), "/%s/pods", beside);
	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_link_ struct fault_link l = fault_link(NULL);
		/* (a quarter is kept from deletions, for bindings that come) */
		const size_t most = rows[i] == BRIDGE_REQUEST_DELETE ? 3 : 4;

		t_row("%d", rows[i]);
		w = requests_of(4);
		fault_script("'rules':[{'path':'/a/','do':'hang','s':60,"
			     "'times':99},{'do':'raw','code':201,'body':'{}',"
			     "'times':99}]");
		ask(rows[i], "a", 2);
		begin(l.client, 2);
		ask(rows[i], "a", 6);
		ask(rows[i], beside, 6);
		begin(l.client, most);
		T_INT(fault_requests(NULL, "/a/pods"), 2);
		T_INT(fault_requests(NULL, pods), most - 2);
		/* and when all of them have been sent they may be more */
		for (int k = 0; k < 200; k++) {
			kube_client_step(l.client, 10);
			bridge_requests_begin(w, l.client);
			if (fault_requests(NULL, "/a/pods") == most)
				break;
		}
		T_INT(fault_requests(NULL, "/a/pods"), most);
		T_INT(fault_requests(rows[i] == BRIDGE_REQUEST_BIND ? "POST"
								    : "DELETE",
				     pods),
		      6);
		bridge_requests_drop(w, l.client);
		bridge_requests_free(w);
	}
}

T_MAIN("deeds", T(a_deletion_is_told_when_it_was_done),
       T(a_disruption_is_written_before_the_pod_is_deleted),
       T(a_deletion_that_waits_gets_the_words_of_a_later_one),
       T(a_deletion_that_can_be_sent_again_is),
       T(deletions_that_hang_do_not_keep_bindings_from_being_sent),
       T(what_hangs_in_a_namespace_does_not_keep_others_waiting),
       T(nothing_escapes_its_recall))

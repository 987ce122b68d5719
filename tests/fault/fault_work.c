/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Notes on pods that the API server does not take as they are. */
#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "fault.h"
#include "nodes/watch/node_requests.h"
#include "syntax/wellknown.h"

#define SCALE "cluster-autoscaler.kubernetes.io/safe-to-evict"
#define KEEP_MS 600000 /* what is forbidden is not tried for so long */
#define FIRST_MS 5000
#define PATCH "'path':'" PODS "/n1','method':'PATCH'"
#define TAKEN "{" PATCH ",'do':'raw','code':200,'times':99,'body':'{}'}"
#define REFUSED(more)                                                          \
	"{" PATCH ",'do':'status','times':99,'message':'denied by site'," more \
	"}"
/* (as the API server says it itself: kube/status.h) */
#define NO_RIGHT(method, path, what)                                           \
	"{'path':'" path "','method':'" method "','do':'status','times':99,"   \
	"'code':403,'message':'" what " is forbidden: User \\\"u\\\" "         \
	"cannot change resource \\\"" what "\\\" in API group'}"

static int64_t later; /* ms that the clock is ahead: pauses are skipped */

int64_t __real_clock_ms(void);
int64_t __wrap_clock_ms(void);
int64_t __wrap_clock_ms(void)
{
	return __real_clock_ms() + later;
}

static void nothing(void *arg)
{
	(void)arg;
}

static bool always(void *arg)
{
	(void)arg;
	return true;
}

static void ignore(void *arg, const char *name, const char *node,
		   int64_t asked_ms, const json_object *found)
{
	(void)arg;
	(void)name;
	(void)node;
	(void)asked_ms;
	(void)found;
}

static const struct cluster_config cluster = {
	.name = (char *)"c", .ns = (char *)"ns", .max_requests = 8};
static const struct pod_view pod = {.name = "n1", .uid = "u1"};

struct bench {
	struct fault_link l;
	struct node_requests *w;
};

static void open_bench(struct bench *b)
{
	const struct node_requests_options opt = {.cluster = &cluster,
						  .slurm_cluster = "test",
						  .asked = nothing,
						  .done = nothing,
						  .looked = ignore,
						  .may = always};

	t_log_clear();
	b->l = fault_link(NULL);
	b->w = node_requests_new(&opt);
}

static void close_bench(struct bench *b)
{
	node_requests_drop(b->w, b->l.client);
	fault_unlink(&b->l);
	node_requests_free(b->w);
}

/* One note to its end; how many requests were that? */
static size_t note_of(struct bench *b, const struct pod_jobs *jobs)
{
	const size_t before = fault_requests("PATCH", "n1");
	const int64_t end = __real_clock_ms() + WAIT_MS;

	T_OK(node_requests_note(b->w, &pod, jobs, false));
	node_requests_begin(b->w, b->l.client);
	while (node_requests_busy(b->w, "n1") && __real_clock_ms() < end)
		kube_client_step(b->l.client, 20);
	T_OK(!node_requests_busy(b->w, "n1"));
	return fault_requests("PATCH", "n1") - before;
}

static size_t note(struct bench *b)
{
	return note_of(b, &(struct pod_jobs){.busy = true, .ids = "7"});
}

/* A job of a user who asks for the label team=evil */
static size_t note_evil(struct bench *b)
{
	static char *team[] = {(char *)"team"};
	static const struct pod_metadata_rules rules = {.labels = {team, 1}};
	_cleanup_json_ json_object *asked =
		t_parse("{\"labels\": {\"team\": \"evil\"}}");

	return note_of(b, &(struct pod_jobs){.busy = true,
					     .ids = "7",
					     .rules = &rules,
					     .asked = asked});
}

static size_t times(const char *log, const char *words)
{
	size_t n = 0;

	for (; (log = strstr(log, words)); log++)
		n++;
	return n;
}

static void a_note_is_one_request(void)
{
	struct bench b;

	open_bench(&b);
	fault_script("'rules':[" TAKEN "]");
	T_INT(note(&b), 1);
	T_INT(note(&b), 1);
	close_bench(&b);
}

/* Webhooks with a code and without, and a ValidatingAdmissionPolicy. */
static void the_label_does_not_depend_on_what_autoscalers_go_by(void)
{
	static const int codes[] = {403, 400, 422};

	for (size_t i = 0; i < T_COUNT(codes); i++) {
		struct bench b;

		t_row("%zu", i);
		open_bench(&b);
		fault_script("'rules':[" REFUSED("'holds':'" SCALE "',"
						 "'code':%d") "," TAKEN "]",
			     codes[i]);
		T_INT(note(&b), 2);
		T_INT(note(&b), 1); /* (at once without it) */
		T_OK(node_requests_may_note(b.w));
		T_INT(times(t_log(), "autoscalers are not told"), 1);
		T_HAS(t_log(), "denied by site");
		later += KEEP_MS;
		T_INT(note(&b), 2);
		T_INT(times(t_log(), "autoscalers are not told"), 1);
		fault_change("'rules':[" TAKEN "]");
		later += KEEP_MS;
		T_INT(note(&b), 1);
		fault_change("'rules':[" REFUSED("'holds':'" SCALE
						 "','code':403") "," TAKEN "]");
		T_INT(note(&b), 2); /* (it was whole before) */
		T_INT(times(t_log(), "autoscalers are not told"), 2);
		T_OK(!strstr(t_log(), "nor are these protected"));
		close_bench(&b);
	}
}

static void notes_that_are_forbidden_are_tried_again_later(void)
{
	struct bench b;

	open_bench(&b);
	fault_script("'rules':[" NO_RIGHT("PATCH", PODS "/n1", "pods") "]");
	T_OK(node_requests_may_note(b.w));
	T_INT(note(&b), 2);
	T_OK(!node_requests_may_note(b.w));
	T_INT(times(t_log(), "nor are these protected from eviction"), 1);
	T_OK(!strstr(t_log(), "autoscalers"));
	/* (an API server that starts refuses for a moment) */
	later += FIRST_MS;
	T_OK(node_requests_may_note(b.w));
	T_INT(note(&b), 2);
	later += FIRST_MS;
	T_OK(!node_requests_may_note(b.w));
	later += FIRST_MS;
	T_OK(node_requests_may_note(b.w));
	for (int i = 0; i < 9; i++) {
		T_INT(note(&b), 2);
		later += KEEP_MS;
		T_OK(node_requests_may_note(b.w));
	}
	fault_change("'rules':[" TAKEN "]");
	T_INT(note(&b), 1); /* whole again */
	T_OK(node_requests_may_note(b.w));
	close_bench(&b);
}

/* It may be this pod's only: others are noted on. */
static void a_note_that_admission_refuses_forbids_no_others(void)
{
	static const int codes[] = {403, 400, 422};

	for (size_t i = 0; i < T_COUNT(codes); i++) {
		struct bench b;

		t_row("%d", codes[i]);
		open_bench(&b);
		fault_script("'rules':[" REFUSED("'code':%d") "]", codes[i]);
		T_INT(note(&b), 2);
		T_INT(note(&b), 2);
		T_OK(node_requests_may_note(b.w));
		T_INT(times(t_log(), "nor are these protected"), 1);
		T_HAS(t_log(), "pod n1: ");
		later += KEEP_MS;
		close_bench(&b);
	}
}

#define EVIL "'holds':'evil','code':403"
#define WITHOUT_EVIL(what)                                                     \
	"{" PATCH ",'do':'raw','code':200,'times':99,"                         \
	"'holds':'" what "','body':'{}'}"

/* What is taken has the rest, also what autoscalers go by. */
static void what_a_user_asks_for_keeps_no_pod_from_being_busy(void)
{
	struct bench b;

	open_bench(&b);
	fault_script("'rules':[" REFUSED(EVIL) "," WITHOUT_EVIL(SCALE) "]");
	T_INT(note_evil(&b), 2);
	T_OK(node_requests_may_note(b.w));
	T_INT(times(t_log(), "is not set on pod n1: "), 1);
	T_HAS(t_log(), "denied by site");
	T_INT(note(&b), 1);
	T_INT(note_evil(&b), 2);
	T_INT(times(t_log(), "is not set on pod n1: "), 1);
	T_OK(!strstr(t_log(), "autoscalers"));
	T_OK(!strstr(t_log(), "nor are these protected"));
	later += KEEP_MS;
	T_INT(note_evil(&b), 2);
	T_INT(times(t_log(), "is not set on pod n1: "), 2);
	close_bench(&b);
}

static void nor_does_it_where_autoscalers_are_not_told(void)
{
	struct bench b;

	open_bench(&b);
	fault_script("'rules':[" REFUSED(EVIL) "," REFUSED(
		"'holds':'" SCALE "','code':403") "," TAKEN "]");
	T_INT(note_evil(&b), 3);
	T_INT(times(t_log(), "autoscalers are not told"), 1);
	T_INT(note_evil(&b), 2);
	T_INT(times(t_log(), "is not set on pod n1: "), 1);
	T_INT(note(&b), 1);
	T_OK(node_requests_may_note(b.w));
	T_INT(times(t_log(), "autoscalers are not told"), 1);
	later += KEEP_MS;
	close_bench(&b);
}

/* Is an Event sent? (The log has a line of each answer.) */
static bool is_sent(struct bench *b, int64_t wait_ms)
{
	const size_t before = fault_requests("POST", "events");
	const size_t len = strlen(t_log());
	const int64_t end = __real_clock_ms() + wait_ms;

	node_requests_event(b->w, &pod, true, "Lost", "why");
	node_requests_begin(b->w, b->l.client);
	while (!strstr(t_log() + len, "403") && __real_clock_ms() < end)
		kube_client_step(b->l.client, 20);
	return fault_requests("POST", "events") > before;
}

static void only_who_lacks_the_right_sends_no_more_events(void)
{
	struct bench b;

	open_bench(&b);
	log_set_level(LOG_LEVEL_DEBUG);
	fault_script("'rules':[{'path':'/events','method':'POST','do':'status',"
		     "'times':99,'code':403,'message':'denied by site'}]");
	T_OK(is_sent(&b, WAIT_MS));
	T_OK(is_sent(&b, WAIT_MS));
	T_OK(!strstr(t_log(), "no Events on pods"));
	fault_change("'rules':[" NO_RIGHT("POST", "/events", "events") "]");
	T_OK(is_sent(&b, WAIT_MS));
	T_INT(times(t_log(), "no Events on pods"), 1);
	T_OK(!is_sent(&b, 300));
	later += FIRST_MS;
	T_OK(is_sent(&b, WAIT_MS));
	later += FIRST_MS;
	T_OK(!is_sent(&b, 300));
	later += FIRST_MS;
	T_OK(is_sent(&b, WAIT_MS));
	T_INT(times(t_log(), "no Events on pods"), 1);
	log_set_level(LOG_LEVEL_INFO);
	close_bench(&b);
}

/* (a user may start any number of steps) */
static void notes_on_steps_leave_room_for_those_that_protect(void)
{
	struct bench b = {0};
	const struct pod_jobs jobs = {.busy = true, .ids = "7"};
	size_t steps = 0, busy = 0;
	char name[16];
	const struct pod_view many = {.name = name, .uid = "u"};

	open_bench(&b);
	for (int i = 0; i < 2000; i++) {
		snprintf(name, sizeof(name), "n%d", i);
		if (i < 1000)
			steps += node_requests_note(b.w, &many, &jobs, true);
		else
			busy += node_requests_note(b.w, &many, &jobs, false);
	}
	T_INT(steps, 750);
	T_INT(busy, 250);
	close_bench(&b);
}

/* Steps until so many requests have come, but no longer than a second. */
static size_t come(struct bench *b, const char *method, size_t n)
{
	const int64_t end = __real_clock_ms() + 1000;

	while (fault_requests(method, "ns/pods") < n &&
	       __real_clock_ms() < end) {
		node_requests_begin(b->w, b->l.client);
		kube_client_step(b->l.client, 10);
	}
	return fault_requests(method, "ns/pods");
}

/* Of n0, n1, ...: so many. */
static void delete_pods(struct bench *b, int n)
{
	char name[16];
	const struct pod_view many = {.name = name, .uid = "u"};

	for (int i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "n%d", i);
		node_requests_delete(b->w, &many);
	}
}

/* A webhook for changes of pods may be reached, and never answer. */
static void notes_that_hang_keep_nothing_else_waiting(void)
{
	struct bench b = {0};
	const struct pod_jobs jobs = {.busy = true, .ids = "7"};
	char name[16];
	const struct pod_view many = {.name = name, .uid = "u"};

	open_bench(&b);
	fault_script("'rules':[{'method':'PATCH','do':'hang','s':60,'times':"
		     "99},{'do':'raw','code':200,'body':'{}','times':99}]");
	for (int i = 0; i < 12; i++) {
		snprintf(name, sizeof(name), "n%d", i);
		T_OK(node_requests_note(b.w, &many, &jobs, false));
		node_requests_event(b.w, &many, true, "Lost", "why");
	}
	T_INT(come(&b, "PATCH", 3), 2); /* a quarter of 8 */
	T_INT(fault_requests("POST", "events"), 0);
	node_requests_look(b.w, "n20");
	T_INT(come(&b, "GET", 1), 1);
	/* also of a pod whose note has not been sent; one that has is in the
	 * way */
	snprintf(name, sizeof(name), "n5");
	T_OK(!node_requests_busy(b.w, name));
	node_requests_delete(b.w, &many);
	T_INT(come(&b, "DELETE", 1), 1);
	snprintf(name, sizeof(name), "n0");
	T_OK(node_requests_busy(b.w, name));
	node_requests_delete(b.w, &many);
	T_INT(come(&b, "DELETE", 2), 1);
	close_bench(&b);
}

/* (nor do deletions, which a webhook may hold up, too) */
static void deletions_that_hang_keep_nothing_else_waiting(void)
{
	struct bench b = {0};
	const struct pod_jobs jobs = {.busy = true, .ids = "7"};
	const struct pod_view other = {.name = "n20", .uid = "u"};

	open_bench(&b);
	fault_script("'rules':[{'method':'DELETE','do':'hang','s':60,'times':"
		     "99},{'do':'raw','code':200,'body':'{}','times':99}]");
	delete_pods(&b, 12);
	T_INT(come(&b, "DELETE", 3), 2);
	T_OK(node_requests_note(b.w, &other, &jobs, false));
	T_INT(come(&b, "PATCH", 1), 1);
	close_bench(&b);
}

/* (its node may have been powered down and up since, with other features) */
static void what_could_not_be_sent_in_time_is_decided_anew(void)
{
	struct bench b = {0};
	const struct pod_view last = {.name = "n3", .uid = "u"};

	open_bench(&b);
	fault_script("'rules':[{'method':'DELETE','do':'hang','s':60,'times':"
		     "99}]");
	delete_pods(&b, 4);
	T_INT(come(&b, "DELETE", 3), 2);
	T_OK(node_requests_busy(b.w, "n3"));
	later += 10000;
	T_INT(come(&b, "DELETE", 3), 2);
	T_OK(!node_requests_busy(b.w, "n3"));
	node_requests_delete(b.w, &last);
	T_INT(come(&b, "DELETE", 3), 3);
	close_bench(&b);
}

static void a_newer_note_takes_the_place_of_one_that_was_not_sent(void)
{
	struct bench b = {0};
	const struct pod_jobs jobs = {.busy = true, .ids = "7"};
	char name[16];
	const struct pod_view many = {.name = name, .uid = "u"};

	open_bench(&b);
	fault_script(
		"'rules':[{'do':'raw','code':200,'body':'{}','times':99}]");
	for (int i = 0; i < 12; i++) {
		snprintf(name, sizeof(name), "n%d", i % 6);
		T_OK(node_requests_note(b.w, &many, &jobs, false));
	}
	T_INT(come(&b, "PATCH", 7), 6);
	close_bench(&b);
}

/*
 * k8s_resume has made it while the API server refused our creation, by a
 * k8s.yaml that is newer than ours.
 */
static void a_pod_that_was_made_meanwhile_is_not_replaced(void)
{
	static const struct nodeset set = {
		.name = (char *)"s",
		.cluster = (struct cluster_config *)&cluster};
	const int64_t end = __real_clock_ms() + WAIT_MS;
	struct bench b;

	open_bench(&b);
	fault_script("'pods':[{'metadata':{'name':'n1','uid':'old','labels':{"
		     "'" WK_LABEL_CLUSTER "':'test','" WK_LABEL_NODE
		     "':'n1','" WK_LABEL_HASH
		     "':'feed'}},'spec':{'containers':[{'name':"
		     "'slurmd'}]},'status':{'phase':'Running'}}]");
	node_requests_create(b.w, &set, "n1",
			     strdup("{\"metadata\":{\"name\":\"n1\"}}"), "beef",
			     0, false);
	node_requests_begin(b.w, b.l.client);
	while (node_requests_busy(b.w, "n1") && __real_clock_ms() < end)
		kube_client_step(b.l.client, 20);
	T_OK(!node_requests_busy(b.w, "n1"));
	T_INT(fault_requests("POST", PODS), 0); /* it would count in a quota */
	T_INT(fault_requests("DELETE", PODS), 0);
	close_bench(&b);
}

T_MAIN("work", T(a_note_is_one_request),
       T(a_pod_that_was_made_meanwhile_is_not_replaced),
       T(notes_that_hang_keep_nothing_else_waiting),
       T(deletions_that_hang_keep_nothing_else_waiting),
       T(what_could_not_be_sent_in_time_is_decided_anew),
       T(a_newer_note_takes_the_place_of_one_that_was_not_sent),
       T(the_label_does_not_depend_on_what_autoscalers_go_by),
       T(notes_that_are_forbidden_are_tried_again_later),
       T(a_note_that_admission_refuses_forbids_no_others),
       T(what_a_user_asks_for_keeps_no_pod_from_being_busy),
       T(nor_does_it_where_autoscalers_are_not_told),
       T(only_who_lacks_the_right_sends_no_more_events),
       T(notes_on_steps_leave_room_for_those_that_protect))

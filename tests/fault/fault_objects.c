/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is known of the objects above bridged pods, and what is not. */
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "bridge/intake/owners.h"
#include "fault.h"

#define RAW(path, body)                                                        \
	"{'path':'" path "','do':'raw','code':200,'times':9,'body':'" body "'" \
	"}"
#define Q "\\\""
#define PAIR(key, value) Q key Q ":" Q value Q
/* Discovery: a group's versions, and what is in one. */
#define HAS(version) "{" PAIR("version", version) "}"
#define GROUP_HAS(group, versions)                                             \
	RAW("/apis/" group "$", "{" Q "versions" Q ":[" versions "]}")
#define VERSION_HAS(version, kinds)                                            \
	RAW("/apis/" version "$", "{" Q "resources" Q ":[" kinds "]}")
#define KIND(name) "{" PAIR("name", name) "}"
#define JOBS "/apis/batch/v1/jobs"
#define FOUND                                                                  \
	GROUP_HAS("batch", HAS("v1"))                                          \
	"," VERSION_HAS("batch/v1", KIND("cronjobs") "," KIND("jobs"))
#define LISTS(path, more)                                                      \
	RAW(path "\\\\?limit",                                                 \
	    "{" Q "metadata" Q                                                 \
	    ":{" PAIR("resourceVersion",                                       \
		      "5") "}," Q "items" Q ":[{" Q "metadata" Q               \
			   ":{" PAIR("name", "j") "," PAIR(                    \
				   "namespace",                                \
				   "ns") "," PAIR("uid", "u") "}" more "}]}")
#define LIST                                                                   \
	LISTS(JOBS, "," Q "spec" Q ":{" Q "completions" Q ":4}," Q "status" Q  \
		    ":{" Q "succeeded" Q ":3," Q "active" Q ":1}")

static int64_t later; /* ms that the clock is ahead: pauses are skipped */

int64_t __real_clock_ms(void);
int64_t __wrap_clock_ms(void);
int64_t __wrap_clock_ms(void)
{
	return __real_clock_ms() + later;
}

static void asked(void *arg)
{
	(void)arg;
}

static void changed(void *told, enum workload_kind kind, const char *ns,
		    const char *name)
{
	(void)told;
	(void)kind;
	(void)ns;
	(void)name;
}

struct view {
	bool told;
	bool closed; /* namespace "ns" does not enter */
	struct owners *o;
};

static void known(void *told)
{
	((struct view *)told)->told = true;
}

static bool enters(void *told, const char *ns)
{
	const struct view *v = told;

	return !(v->closed && !strcmp(ns, "ns"));
}

/* At most so many objects; 0: as many as ever. */
static void look_at(struct view *v, size_t max)
{
	const struct owners_options opt = {.cluster = "c",
					   .max = max,
					   .asked = asked,
					   .changed = changed,
					   .known = known,
					   .enters = enters,
					   .told = v};

	v->told = v->closed = false;
	v->o = owners_new(&opt);
}

static void look(struct view *v)
{
	look_at(v, 0);
}

/* Until something is known of a kind anew. */
static void wait_told(struct view *v, const struct fault_link *l)
{
	const int64_t end = __real_clock_ms() + WAIT_MS;

	v->told = false;
	while (!v->told && __real_clock_ms() < end) {
		owners_step(v->o, l->client);
		if (!kube_client_step(l->client, 20))
			later += 500;
	}
	T_OK(v->told);
}

static void look_away(struct view *v, const struct fault_link *l)
{
	owners_stop(v->o, l->client);
	owners_free(v->o);
}

/* Asks until something is known; what is the answer then? */
static int ask_for(enum workload_kind kind, const char *rules,
		   json_object **out, struct err *err)
{
	_cleanup_link_ struct fault_link l = fault_link(NULL);
	struct view v;
	int rc;

	look(&v);
	fault_script("'rules':[%s]", rules);
	T_INT(owners_get(v.o, kind, "ns", "j", out, err), -EAGAIN);
	wait_told(&v, &l);
	rc = owners_get(v.o, kind, "ns", "j", out, err);
	look_away(&v, &l);
	return rc;
}

static int ask(const char *rules, json_object **out, struct err *err)
{
	return ask_for(WORKLOAD_JOB, rules, out, err);
}

/* (a refusal cancels jobs that wait: only what is certain is one) */
static void what_is_not_seen_may_be_there(void)
{
	static const struct {
		const char *rules;
		int rc;
		const char *words;
	} rows[] = {
		{"{'path':'/apis/batch','do':'status','code':404,'times':9}",
		 -EOPNOTSUPP, "the API server does not know them"},
		{"{'path':'/apis/batch','do':'status','code':403,'times':9}",
		 -EAGAIN, "Jobs cannot be seen"},
		{RAW("/apis/batch$", "{}"), -EOPNOTSUPP,
		 "the API server does not know them"},
		{RAW("/apis/batch$", "{"), -EAGAIN, "Jobs cannot be seen"},
		{GROUP_HAS("batch", HAS("v2")), -EOPNOTSUPP,
		 "the API server does not know them"},
		{GROUP_HAS("batch", HAS("v1")) "," VERSION_HAS("batch/v1",
							       KIND("x")),
		 -EOPNOTSUPP, "the API server does not know them"},
		{GROUP_HAS("batch", HAS("v1")) ",{'path':'/apis/batch/v1',"
					       "'do':'status','code':404,"
					       "'times':9}",
		 -EOPNOTSUPP, "the API server does not know them"},
		{GROUP_HAS("batch", HAS("v1")) ",{'path':'/apis/batch/v1',"
					       "'do':'status','code':403,"
					       "'times':9}",
		 -EAGAIN, "Jobs cannot be seen"},
		{FOUND ",{'path':'" JOBS "','do':'status','code':403,"
		       "'times':9}",
		 -EAGAIN, "Jobs cannot be seen"},
		{FOUND ",{'path':'" JOBS "','do':'status','code':404,"
		       "'times':9}",
		 -EAGAIN, "Jobs cannot be seen"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_json_ json_object *o = NULL;
		struct err err = {0};

		t_row("%zu", i);
		T_INT(ask(rows[i].rules, &o, &err), rows[i].rc);
		T_HAS(err.msg, rows[i].words);
		T_OK(!o);
	}
}

static void what_a_job_has_done_is_kept(void)
{
	_cleanup_json_ json_object *o = NULL;
	struct err err = {0};

	T_INT(ask(FOUND "," LIST, &o, &err), 0);
	T_JSON(o, "{\"metadata\":{\"name\":\"j\",\"namespace\":\"ns\","
		  "\"uid\":\"u\"},\"spec\":{\"completions\":4},"
		  "\"status\":{\"succeeded\":3}}");
}

#define BUILT_IN "scheduling.k8s.io"
#define PATH(version) "/apis/" BUILT_IN "/" version

#define FIELD(key, value) Q key Q ":" value
#define OBJECT(members) "{" members "}"
#define SCHEDULED "PodGroupInitiallyScheduled"
/* (a key of managedFields has quotes in it) */
#define QQ "\\\\\\\""
#define CONDITION_KEY "k:{" QQ "type" QQ ":" QQ SCHEDULED QQ "}"
#define OWNED_CONDITION FIELD(CONDITION_KEY, "{}")
#define OWNED_CONDITIONS FIELD("f:conditions", OBJECT(OWNED_CONDITION))
#define OWNED_STATUS FIELD("f:status", OBJECT(OWNED_CONDITIONS))
#define MANAGER                                                                \
	PAIR("manager", "kube-scheduler")                                      \
	"," FIELD("fieldsV1", OBJECT(OWNED_STATUS))
#define CONDITION                                                              \
	PAIR("type", SCHEDULED)                                                \
	"," PAIR("status", "False") "," PAIR("reason", "r") "," PAIR(          \
		"message", "m") "," FIELD("observedGeneration", "2")
#define GROUP_META                                                             \
	PAIR("name", "j")                                                      \
	"," PAIR("namespace", "ns") "," PAIR("uid", "u") "," FIELD(            \
		"generation", "3") "," FIELD("managedFields",                  \
					     "[" OBJECT(MANAGER) "]")
#define GROUP_STATUS FIELD("conditions", "[" OBJECT(CONDITION) "]")
#define GROUP                                                                  \
	OBJECT(FIELD("metadata", OBJECT(GROUP_META)) "," FIELD(                \
		"status", OBJECT(GROUP_STATUS)))
#define GROUP_LIST                                                             \
	OBJECT(FIELD("metadata", OBJECT(PAIR("resourceVersion",                \
					     "5"))) "," FIELD("items",         \
							      "[" GROUP "]"))

/* A PodGroup's generation, and who says what of whether it was scheduled. */
static void what_a_podgroup_says_of_itself_is_kept(void)
{
	_cleanup_json_ json_object *o = NULL;
	struct err err = {0};

	T_INT(ask_for(WORKLOAD_GROUP,
		      GROUP_HAS(BUILT_IN, HAS("v1alpha3")) "," VERSION_HAS(
			      BUILT_IN "/v1alpha3",
			      KIND("podgroups")) "," RAW("/podgroups\\\\?limit",
							 GROUP_LIST),
		      &o, &err),
	      0);
	T_JSON(o, "{\"apiVersion\":\"scheduling.k8s.io/v1alpha3\","
		  "\"metadata\":{\"name\":\"j\",\"namespace\":\"ns\","
		  "\"uid\":\"u\",\"generation\":3},\"status\":{\"manager\":"
		  "\"kube-scheduler\",\"status\":\"False\",\"reason\":\"r\","
		  "\"message\":\"m\",\"observedGeneration\":2}}");
}

#define FULL_META                                                              \
	PAIR("name", "j")                                                      \
	"," PAIR("namespace", "ns") "," PAIR("uid", "u") "," PAIR(             \
		"resourceVersion",                                             \
		"7") "," FIELD("labels",                                       \
			       MEMBER_A) "," FIELD("ownerReferences",          \
						   "[" MEMBER_A                \
						   "]") "," FIELD("annotation" \
								  "s",         \
								  OBJECT(ANNOTATIONS))
#define MEMBER_A OBJECT(PAIR("a", "b"))
#define ANNOTATIONS                                                            \
	PAIR("a", "b")                                                         \
	"," PAIR("job.slurm-k8s.io/qos", "q") "," PAIR(                        \
		"slurmjob.slinky.slurm.net/account", "x") "," PAIR("c", "d")
#define FULL_SPEC                                                              \
	FIELD("completions", "4")                                              \
	"," FIELD("template", OBJECT(FIELD("metadata", MEMBER_A) "," FIELD(    \
				      "spec", OBJECT(PAIR("x", "y")))))
#define FULL                                                                   \
	OBJECT(FIELD("metadata",                                               \
		     OBJECT(FULL_META)) "," FIELD("spec", OBJECT(FULL_SPEC)))
#define FULL_LIST                                                              \
	OBJECT(FIELD("metadata", OBJECT(PAIR("resourceVersion",                \
					     "5"))) "," FIELD("items",         \
							      "[" FULL "]"))

/* (50,000 Jobs with large annotations of anything took gigabytes) */
static void what_nobody_reads_of_an_object_is_not_kept(void)
{
	_cleanup_json_ json_object *o = NULL;
	struct err err = {0};

	T_INT(ask(FOUND "," RAW(JOBS "\\\\?limit", FULL_LIST), &o, &err), 0);
	T_JSON(o, "{\"metadata\":{\"name\":\"j\",\"namespace\":\"ns\","
		  "\"uid\":\"u\",\"annotations\":{"
		  "\"job.slurm-k8s.io/qos\":\"q\","
		  "\"slurmjob.slinky.slurm.net/account\":\"x\"}},"
		  "\"spec\":{\"completions\":4}}");
}

/* The API server is slow to tell of one that has just been made. */
static void a_new_kind_is_looked_for_again(void)
{
	_cleanup_json_ json_object *o = NULL;
	struct err err = {0};

	T_INT(ask("{'path':'/apis/"
		  "batch','do':'status','code':404,'times':1}," FOUND "," LIST,
		  &o, &err),
	      0);
	T_OK(o);
}

/* (v1, which the server prefers, has PriorityClasses only) */
static void one_version_is_read_the_first_that_has_the_kind(void)
{
	static const struct {
		enum workload_kind kind;
		const char *rules;
		const char *api; /* where it is; NULL: nowhere */
	} rows[] = {
		/* 1.37; PriorityClass has had a v1beta1 before */
		{WORKLOAD_GROUP,
		 GROUP_HAS(BUILT_IN, HAS("v1") "," HAS("v1beta1")) "," VERSION_HAS(
			 BUILT_IN "/v1beta1",
			 KIND("workloads") "," KIND("podgroups") "," KIND(
				 "podgroups/status")),
		 PATH("v1beta1/podgroups")},
		{WORKLOAD_WORKLOAD,
		 GROUP_HAS(
			 BUILT_IN,
			 HAS("v1") "," HAS("v1alpha3") "," HAS(
				 "v1b"
				 "eta"
				 "1")) "," VERSION_HAS(BUILT_IN "/v1beta1",
						       KIND("priorityclasse"
							    "s")) "," VERSION_HAS(BUILT_IN
										  "/v1alpha3",
										  KIND("workloa"
										       "ds")),
		 PATH("v1alpha3/workloads")},
		/* 1.36 */
		{WORKLOAD_GROUP,
		 GROUP_HAS(BUILT_IN,
			   HAS("v1") "," HAS(
				   "v1alpha2")) "," VERSION_HAS(BUILT_IN
								"/v1alpha2",
								KIND("podgroup"
								     "s")),
		 PATH("v1alpha2/podgroups")},
		/* 1.35 */
		{WORKLOAD_WORKLOAD,
		 GROUP_HAS(BUILT_IN,
			   HAS("v1") "," HAS(
				   "v1alpha1")) "," VERSION_HAS(BUILT_IN
								"/v1alpha1",
								KIND("workload"
								     "s")),
		 PATH("v1alpha1/workloads")},
		{WORKLOAD_GROUP,
		 GROUP_HAS(BUILT_IN,
			   HAS("v1") "," HAS(
				   "v1alpha1")) "," VERSION_HAS(BUILT_IN
								"/v1alpha1",
								KIND("podgroup"
								     "s")),
		 NULL},
		/* it ends while it is looked up */
		{WORKLOAD_GROUP,
		 GROUP_HAS(
			 BUILT_IN,
			 HAS("v1beta1") "," HAS(
				 "v1alpha3")) ","
					      "{'path':'" PATH(
						      "v1bet"
						      "a1") "$','do':'status','"
							    "code':404}"
							    "," VERSION_HAS(
								    BUILT_IN
								    "/v"
								    "1a"
								    "lp"
								    "ha"
								    "3",
								    KIND("podgr"
									 "oup"
									 "s")),
		 PATH("v1alpha3/podgroups")},
		/* with no feature gate */
		{WORKLOAD_GROUP,
		 GROUP_HAS(BUILT_IN, HAS("v1")) "," VERSION_HAS(
			 BUILT_IN "/v1", KIND("priorityclasses")),
		 NULL},
		/* hostile */
		{WORKLOAD_GROUP,
		 GROUP_HAS(BUILT_IN, "[]," Q "v1beta1" Q "," HAS("../x")),
		 NULL},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_json_ json_object *o = NULL;
		_cleanup_free_ char *rules =
			str_printf("%s,%s", rows[i].rules,
				   LISTS("/(podgroups|workloads)", ""));
		struct err err = {0};

		t_row("%zu", i);
		T_INT(ask_for(rows[i].kind, rules, &o, &err),
		      rows[i].api ? 0 : -EOPNOTSUPP);
		T_INT(fault_requests("GET", "?limit="), rows[i].api ? 1 : 0);
		if (rows[i].api)
			T_INT(fault_requests("GET", rows[i].api), 1);
	}
}

/* An upgrade: 1.36's v1alpha2 is gone in 1.37, which has v1beta1. */
static void another_version_is_looked_up_when_its_own_has_ended(void)
{
	_cleanup_link_ struct fault_link l = fault_link(NULL);
	struct view v;
	_cleanup_json_ json_object *o = NULL;
	struct err err = {0};

	look(&v);
	fault_script(
		"'rules':[%s]",
		"{'path':'/apis/" BUILT_IN
		"$','do':'raw','code':200,'body':'{" Q "versions" Q
		":[" HAS("v1alpha2") "]}'}," VERSION_HAS(BUILT_IN "/v1alpha2", KIND("podgroups")) "," LISTS(
			"/v1alpha2/podgroups",
			"") ","
			    "{'path':'v1alpha2/podgroups.*watch','do':'status',"
			    "'code':404,'times':9}," GROUP_HAS(
				    BUILT_IN,
				    HAS("v"
					"1"
					"b"
					"e"
					"t"
					"a"
					"1")) "," VERSION_HAS(BUILT_IN
							      "/v1beta1",
							      KIND("podgroup"
								   "s")) "," LISTS("/v1beta1/"
										   "podgroups",
										   "," Q
										   "spec" Q
										   ":{" Q
										   "x" Q
										   ":1}"));
	owners_get(v.o, WORKLOAD_GROUP, "ns", "j", &o, &err);
	wait_told(&v, &l);
	T_INT(owners_get(v.o, WORKLOAD_GROUP, "ns", "j", &o, &err), 0);
	T_OK(!jx_get(o, "spec"));
	wait_told(&v, &l); /* (what was seen is known meanwhile) */
	json_object_put(o);
	T_INT(owners_get(v.o, WORKLOAD_GROUP, "ns", "j", &o, &err), 0);
	T_OK(jx_get(o, "spec"));
	T_INT(fault_requests("GET", PATH("v1beta1/podgroups?limit")), 1);
	look_away(&v, &l);
}

/* Until so much time has gone, as the clock has it. */
static void go_on_for(struct view *v, const struct fault_link *l, int64_t ms)
{
	const int64_t until = clock_ms() + ms;
	const int64_t end = __real_clock_ms() + WAIT_MS;

	while (clock_ms() < until && __real_clock_ms() < end) {
		owners_step(v->o, l->client);
		if (!kube_client_step(l->client, 5))
			later += 500;
	}
	T_OK(clock_ms() >= until);
}

#define NOT_LISTED "{'path':'" JOBS "','do':'status','code':404,'times':9999}"

/* How often was the group's document asked for? */
static size_t looked_up(void)
{
	return fault_requests("GET", "/apis/batch") -
	       fault_requests("GET", "/apis/batch/v1");
}

/* Two API servers: one finds it, the other does not have it. */
static void versions_that_go_at_once_are_looked_up_more_and_more_seldom(void)
{
	_cleanup_link_ struct fault_link l = fault_link(NULL);
	_cleanup_json_ json_object *o = NULL;
	struct err err = {0};
	struct view v;
	size_t n;

	look(&v);
	t_log_clear();
	fault_script("'rules':[" FOUND "," NOT_LISTED "]");
	owners_get(v.o, WORKLOAD_JOB, "ns", "j", &o, &err);
	go_on_for(&v, &l, 100000);
	n = looked_up();
	T_OK(n >= 4 && n <= 6); /* after 0, 3, 9, 21, 45, 93 s */
	T_HAS(t_log(), "Jobs are not in apis/batch/v1 any more");
	/* one version lasts for a while: then it ends as if at first */
	fault_change("'rules':[" FOUND "," LIST ",{'path':'" JOBS ".*watch',"
		     "'do':'hang','s':1,'times':9999}]");
	wait_told(&v, &l);
	later += 660000;
	n = looked_up();
	fault_change("'rules':[" FOUND "," NOT_LISTED "]");
	go_on_for(&v, &l, 20000);
	T_OK(looked_up() > n);
	look_away(&v, &l);
}

/* --- for what there is no room, and what is not asked for */

#define IN(ns, name, more)                                                     \
	"{" Q "metadata" Q ":{" PAIR("name", name) "," PAIR(                   \
		"namespace", ns) "," PAIR("uid", name) "}" more "}"
#define WITH(items)                                                            \
	RAW(JOBS "\\\\?limit",                                                 \
	    "{" Q "metadata" Q                                                 \
	    ":{" PAIR("resourceVersion", "5") "}," Q "items" Q ":[" items      \
					      "]}")
#define WATCH(events)                                                          \
	"{'path':'" JOBS ".*watch','do':'raw','code':200,'body':'" events "'}"
/* (it is answered: only then is a kind listed anew) */
#define QUIET                                                                  \
	"{'path':'" JOBS ".*watch','do':'stream','times':9999,"                \
	"'steps':[{'ms':2000}]}"
#define EVENT(type, object)                                                    \
	"{" PAIR("type", type) "," Q "object" Q ":" object "}\\n"
#define ENDED(how)                                                             \
	"," Q "status" Q ":{" Q "conditions" Q                                 \
	":[{" PAIR("type", how) "," PAIR("status", "True") "}]}"

static int get(const struct view *v, const char *ns, const char *name,
	       struct err *err)
{
	json_object *o = NULL;
	int rc;

	*err = (struct err){0};
	rc = owners_get(v->o, WORKLOAD_JOB, ns, name, &o, err);
	json_object_put(o);
	return rc;
}

/* Until that is the answer. */
static void wait_for(struct view *v, const struct fault_link *l, const char *ns,
		     const char *name, int rc)
{
	const int64_t end = __real_clock_ms() + WAIT_MS;
	struct err err;

	while (get(v, ns, name, &err) != rc && __real_clock_ms() < end) {
		owners_step(v->o, l->client);
		if (!kube_client_step(l->client, 20))
			later += 500;
	}
	T_INT(get(v, ns, name, &err), rc);
}

static void what_was_left_out_is_seen_when_there_is_room(void)
{
	_cleanup_link_ struct fault_link l = fault_link(NULL);
	struct err err;
	struct view v;

	look_at(&v, 1);
	fault_script("'rules':[" FOUND "," WITH(
		IN("ns", "a", "") "," IN("ns", "b", "")) "," QUIET "]");
	T_INT(get(&v, "ns", "b", &err), -EAGAIN);
	wait_told(&v, &l);
	T_INT(get(&v, "ns", "a", &err), 0);
	/* (it may be there: it is not said that it is not) */
	T_INT(get(&v, "ns", "b", &err), -EDQUOT);
	T_HAS(err.msg, "not all Jobs are in view");
	later += 60000;
	for (int i = 0; i < 20; i++) {
		owners_step(v.o, l.client);
		kube_client_step(l.client, 20);
	}
	T_INT(fault_requests("GET", JOBS "?limit="), 1);
	fault_change("'rules':[" FOUND "," WITH(IN("ns", "b", "")) "," WATCH(
		EVENT("DELETED", IN("ns", "a", ""))) "," QUIET "]");
	wait_for(&v, &l, "ns", "b", 0);
	T_INT(get(&v, "ns", "a", &err), -ENOENT);
	T_INT(fault_requests("GET", JOBS "?limit="), 2);
	look_away(&v, &l);
}

static int times(const char *words)
{
	int n = 0;

	for (const char *at = t_log(); (at = strstr(at, words)); at++)
		n++;
	return n;
}

/* (those of one came first, and nobody else's were seen) */
static void a_namespace_with_many_leaves_room_for_others(void)
{
	_cleanup_link_ struct fault_link l = fault_link(NULL);
	struct err err;
	struct view v;

	look_at(&v, 4);
	t_log_clear();
	fault_script("'rules':[" FOUND "," WITH(
		IN("hog", "a", "") "," IN("hog", "b", "") "," IN(
			"hog", "c",
			"") "," IN("hog", "d",
				   "") "," IN("hog", "e",
					      "") "," IN("ns", "x",
							 "")) "," QUIET "]");
	T_INT(get(&v, "ns", "x", &err), -EAGAIN);
	wait_told(&v, &l);
	T_INT(get(&v, "ns", "x", &err), 0);
	T_INT(get(&v, "hog", "a", &err), 0);
	T_INT(get(&v, "hog", "e", &err), -EDQUOT);
	T_HAS(err.msg, "as its namespace has too many");
	/* of the other one all is known */
	T_INT(get(&v, "ns", "y", &err), -ENOENT);
	T_INT(times("of namespace hog, which has the most"), 1);
	/* it goes on making them, and the other one gets what it makes */
	fault_change("'rules':[" WATCH(
		EVENT("ADDED", IN("hog", "f", "")) EVENT("ADDED",
							 IN("ns", "y", ""))
			EVENT("ADDED", IN("hog", "g", ""))) "," QUIET "]");
	wait_for(&v, &l, "ns", "y", 0);
	T_INT(get(&v, "ns", "x", &err), 0);
	T_INT(get(&v, "hog", "a", &err), 0);
	T_INT(get(&v, "hog", "g", &err), -EDQUOT);
	T_INT(times("of namespace hog, which has the most"), 1);
	look_away(&v, &l);
}

static void jobs_that_have_ended_take_no_room(void)
{
	_cleanup_link_ struct fault_link l = fault_link(NULL);
	struct err err;
	struct view v;

	look_at(&v, 1);
	fault_script("'rules':[" FOUND "," WITH(
		IN("ns", "a", ENDED("Complete")) "," IN(
			"ns", "b", ENDED("Failed")) "," IN("ns", "c",
							   "")) "," QUIET "]");
	T_INT(get(&v, "ns", "c", &err), -EAGAIN);
	wait_told(&v, &l);
	T_INT(get(&v, "ns", "c", &err), 0);
	T_INT(get(&v, "ns", "a", &err), -ENOENT);
	fault_change("'rules':[" WATCH(
		EVENT("MODIFIED", IN("ns", "c", ENDED("Complete")))
			EVENT("ADDED", IN("ns", "d", ""))) "," QUIET "]");
	wait_for(&v, &l, "ns", "d", 0);
	T_INT(get(&v, "ns", "c", &err), -ENOENT);
	look_away(&v, &l);
}

static void only_namespaces_that_enter_take_room(void)
{
	_cleanup_link_ struct fault_link l = fault_link(NULL);
	struct err err;
	struct view v;

	look_at(&v, 1);
	v.closed = true;
	fault_script("'rules':[" FOUND "," WITH(
		IN("ns", "a", "") "," IN("open", "b", "")) "," QUIET "]");
	T_INT(get(&v, "ns", "a", &err), -EAGAIN);
	wait_told(&v, &l);
	T_INT(get(&v, "open", "b", &err), 0);
	T_INT(get(&v, "ns", "a", &err), -ENOENT);
	look_away(&v, &l);
}

static void a_namespace_that_enters_later_is_seen_then(void)
{
	_cleanup_link_ struct fault_link l = fault_link(NULL);
	struct err err;
	struct view v;

	look(&v);
	v.closed = true;
	fault_script("'rules':[" FOUND "," WITH(
		IN("ns", "a", "") "," IN("open", "b", "")) "," QUIET "]");
	T_INT(get(&v, "ns", "a", &err), -EAGAIN);
	wait_told(&v, &l);
	T_INT(get(&v, "ns", "a", &err), -ENOENT);
	v.closed = false;
	owners_entered(v.o);
	T_INT(get(&v, "ns", "a", &err), -EAGAIN);
	wait_for(&v, &l, "ns", "a", 0);
	/* what is in view stays, though its namespace does not enter now */
	v.closed = true;
	fault_change("'rules':[" WATCH(
		EVENT("MODIFIED", IN("ns", "a", ENDED("Suspended")))
			EVENT("ADDED", IN("open", "z", ""))) "," QUIET "]");
	wait_for(&v, &l, "open", "z", 0);
	T_INT(get(&v, "ns", "a", &err), 0);
	look_away(&v, &l);
}

/* So long as its text is the same; then the new one. */
static void an_object_is_parsed_once(void)
{
	_cleanup_json_ json_object *first = NULL, *again = NULL, *other = NULL;
	_cleanup_link_ struct fault_link l = fault_link(NULL);
	struct err err;
	struct view v;

	look(&v);
	fault_script("'rules':[" FOUND "," WITH(IN("ns", "a", "")) "," QUIET
								   "]");
	T_INT(get(&v, "ns", "a", &err), -EAGAIN);
	wait_for(&v, &l, "ns", "a", 0);
	T_INT(owners_get(v.o, WORKLOAD_JOB, "ns", "a", &first, &err), 0);
	fault_change("'rules':[" WATCH(
		EVENT("MODIFIED", IN("ns", "a", ""))
			EVENT("ADDED", IN("ns", "b", ""))) "," QUIET "]");
	wait_for(&v, &l, "ns", "b", 0);
	T_INT(owners_get(v.o, WORKLOAD_JOB, "ns", "a", &again, &err), 0);
	T_OK(first == again);
	fault_change("'rules':[" WATCH(
		EVENT("MODIFIED",
		      IN("ns", "a",
			 "," Q "spec" Q ":{" Q "completions" Q ":3}"))
			EVENT("ADDED", IN("ns", "c", ""))) "," QUIET "]");
	wait_for(&v, &l, "ns", "c", 0);
	T_INT(owners_get(v.o, WORKLOAD_JOB, "ns", "a", &other, &err), 0);
	T_OK(other != first && !jx_get(first, "spec"));
	T_INT(jx_int(jx_get(other, "spec", "completions"), 0), 3);
	look_away(&v, &l);
}

static void a_large_object_that_changes_is_named_once_a_minute(void)
{
	_cleanup_link_ struct fault_link l = fault_link(NULL);
	_cleanup_free_ char *x = malloc(BRIDGE_OBJECT_TEXT_MAX + 1);
	struct err err;
	struct view v;

	memset(x, 'x', BRIDGE_OBJECT_TEXT_MAX);
	x[BRIDGE_OBJECT_TEXT_MAX] = '\0';
	look(&v);
	t_log_clear();
	fault_script(
		"'rules':[" FOUND
		"," WITH("") ","
			     "{'path':'" JOBS
			     ".*watch','do':'raw','code':200,'body':'" EVENT(
				     "ADDED",
				     IN("ns", "a", "," PAIR("spec", "%s")))
				     EVENT("MODIFIED",
					   IN("ns", "a",
					      "," PAIR("spec", "y%s")))
					     EVENT("MODIFIED",
						   IN("ns", "a",
						      "," PAIR("spec", "%s")))
						     EVENT("ADDED",
							   IN("ns", "z",
							      "")) "'}," QUIET
								   "]",
		x, x, x);
	T_INT(get(&v, "ns", "z", &err), -EAGAIN);
	wait_for(&v, &l, "ns", "z", 0);
	T_INT(times("ns/a has more than"), 1);
	look_away(&v, &l);
}

T_MAIN("objects", T(what_is_not_seen_may_be_there),
       T(a_new_kind_is_looked_for_again), T(what_a_job_has_done_is_kept),
       T(what_a_podgroup_says_of_itself_is_kept),
       T(what_nobody_reads_of_an_object_is_not_kept),
       T(one_version_is_read_the_first_that_has_the_kind),
       T(another_version_is_looked_up_when_its_own_has_ended),
       T(versions_that_go_at_once_are_looked_up_more_and_more_seldom),
       T(what_was_left_out_is_seen_when_there_is_room),
       T(a_namespace_with_many_leaves_room_for_others),
       T(jobs_that_have_ended_take_no_room),
       T(only_namespaces_that_enter_take_room),
       T(a_namespace_that_enters_later_is_seen_then),
       T(an_object_is_parsed_once),
       T(a_large_object_that_changes_is_named_once_a_minute))

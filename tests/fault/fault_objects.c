/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is known of the objects above bridged pods, and what is not. */
#include <errno.h>

#include "base/clock.h"
#include "engine/bridge_objects.h"
#include "fault.h"

#define GROUP "/apis/batch"
#define JOBS "/apis/batch/v1/jobs"
#define VERSION                                                                \
	"{'path':'" GROUP "$','do':'raw','code':200,'times':9,'body':"         \
	"'{\\\"preferredVersion\\\":{\\\"groupVersion\\\":\\\"batch/"          \
	"v1\\\"}}'}"
#define LIST                                                                   \
	"{'path':'" JOBS "\\\\?limit','do':'raw','code':200,'body':"           \
	"'{\\\"metadata\\\":{\\\"resourceVersion\\\":\\\"5\\\"},"              \
	"\\\"items\\\":[{"                                                     \
	"\\\"metadata\\\":{\\\"name\\\":\\\"j\\\",\\\"namespace\\\":"          \
	"\\\"ns\\\","                                                          \
	"\\\"uid\\\":\\\"u\\\"},\\\"spec\\\":{\\\"completions\\\":4},"         \
	"\\\"status\\\":{\\\"succeeded\\\":3,\\\"active\\\":1}}]}'}"

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

static void known(void *told, enum workload_kind kind)
{
	(void)kind;
	*(bool *)told = true;
}

/* Asks until something is known; what is the answer then? */
static int ask(const char *rules, json_object **out, struct err *err)
{
	_cleanup_link_ struct fault_link l = fault_link(NULL);
	const int64_t end = clock_ms() + WAIT_MS;
	bool told = false;
	const struct bridge_objects_options opt = {.cluster = "c",
						   .asked = asked,
						   .changed = changed,
						   .known = known,
						   .told = &told};
	struct bridge_objects *o = bridge_objects_new(&opt);
	int rc;

	fault_script("'rules':[%s]", rules);
	T_INT(bridge_objects_get(o, WORKLOAD_JOB, "ns", "j", out, err),
	      -EAGAIN);
	while (!told && clock_ms() < end) {
		bridge_objects_step(o, l.client);
		kube_client_step(l.client, 20);
	}
	T_OK(told);
	rc = bridge_objects_get(o, WORKLOAD_JOB, "ns", "j", out, err);
	bridge_objects_stop(o, l.client);
	bridge_objects_free(o);
	return rc;
}

/* (a refusal cancels jobs that wait: only what is certain is one) */
static void what_is_not_seen_may_be_there(void)
{
	static const struct {
		const char *rules;
		int rc;
		const char *words;
	} rows[] = {
		{"{'path':'" GROUP "','do':'status','code':404,'times':9}",
		 -EOPNOTSUPP, "the API server does not know them"},
		{"{'path':'" GROUP "','do':'status','code':403,'times':9}",
		 -EAGAIN, "Jobs cannot be seen"},
		{"{'path':'" GROUP "$','do':'raw','code':200,'body':'{}'}",
		 -EAGAIN, "does not tell its version"},
		{VERSION ",{'path':'" JOBS
			 "','do':'status','code':403,'times':9}",
		 -EAGAIN, "Jobs cannot be seen"},
		{VERSION ",{'path':'" JOBS
			 "','do':'status','code':404,'times':9}",
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

	T_INT(ask(VERSION "," LIST, &o, &err), 0);
	T_JSON(o, "{\"metadata\":{\"name\":\"j\",\"namespace\":\"ns\","
		  "\"uid\":\"u\"},\"spec\":{\"completions\":4},"
		  "\"status\":{\"succeeded\":3}}");
}

/* The API server is slow to tell of one that has just been made. */
static void a_new_kind_is_looked_for_again(void)
{
	_cleanup_json_ json_object *o = NULL;
	struct err err = {0};

	T_INT(ask("{'path':'" GROUP
		  "','do':'status','code':404,'times':1}," VERSION "," LIST,
		  &o, &err),
	      0);
	T_OK(o);
}

T_MAIN("objects", T(what_is_not_seen_may_be_there),
       T(a_new_kind_is_looked_for_again), T(what_a_job_has_done_is_kept))

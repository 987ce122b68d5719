/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/cleanup.h"
#include "base/str.h"
#include "bridge/requests/pod_read.h"
#include "t.h"

/* (with it goes the condition; whoever forges it does not have that) */
#define ID "\"annotations\": {\"slurm-k8s.io/job-id\": \"7\"}"
#define FORGED "\"labels\": {}, " ID
#define CONDITION                                                              \
	", \"conditions\": [{\"type\": \"slurm-k8s.io/job\", "                 \
	"\"status\": \"True\", \"message\": \"7\"}]"
#define LATE "\"annotations\": {\"slinky.slurm.net/slurm-node\": \"n2\"}"
#define MARKED                                                                 \
	", \"conditions\": [{\"type\": \"slurm-k8s.io/job\", "                 \
	"\"status\": \"True\", \"message\": \"7\"}, {\"type\": "               \
	"\"slurm-k8s.io/node\", \"status\": \"True\", \"message\": \"n1\"}]"
#define GOING "\"deletionTimestamp\": \"2026-01-01T00:00:00Z\""

static void a_pod_tells_what_became_of_it(void)
{
	static const struct {
		const char *uid, *meta, *spec, *status;
		enum pod_read to_n1, to_any;
	} rows[] = {
		{"u1", "", "", "Pending", POD_READ_FREE, POD_READ_FREE},
		{"u1", ID, "", "Pending", POD_READ_FREE, POD_READ_FREE},
		{"u1", "", "\"schedulingGates\": [{\"name\": \"g\"}]",
		 "Pending", POD_READ_FREE, POD_READ_FREE},
		{"u1", GOING, "", "Pending", POD_READ_ENDING, POD_READ_ENDING},
		{"u1", "", "", "Failed", POD_READ_GONE, POD_READ_GONE},
		{"u2", ID, "\"nodeName\": \"n1\"", "Running", POD_READ_GONE,
		 POD_READ_GONE},
		{"u1", ID, "\"nodeName\": \"n1\"", "Pending", POD_READ_BOUND,
		 POD_READ_BOUND},
		{"u1", ID, "\"nodeName\": \"n2\"", "Running", POD_READ_OTHERS,
		 POD_READ_BOUND},
		{"u1", "", "\"nodeName\": \"n1\"", "Running", POD_READ_BOUND,
		 POD_READ_OTHERS},
		{"u1", FORGED, "\"nodeName\": \"n2\"", "Running",
		 POD_READ_OTHERS, POD_READ_OTHERS},
		/* (the label is its author's to write) */
		{"u1", "\"labels\": {\"slurm-k8s.io/job-id\": \"7\"}",
		 "\"nodeName\": \"n2\"", "Running", POD_READ_OTHERS,
		 POD_READ_OTHERS},
		/* (an earlier binding; the last one was to n1) */
		{"u1", LATE, "\"nodeName\": \"n2\"", "Running",
		 POD_READ_EARLIER, POD_READ_BOUND},
		{"u1", LATE, "\"nodeName\": \"n3\"", "Running", POD_READ_OTHERS,
		 POD_READ_OTHERS},
		{"u1", ID ", " GOING, "\"nodeName\": \"n1\"", "Running",
		 POD_READ_ENDING, POD_READ_ENDING},
		{"u1", ID, "\"nodeName\": \"n1\"", "Succeeded", POD_READ_GONE,
		 POD_READ_GONE},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_free_ char *text = str_printf(
			"{\"metadata\": {\"name\": \"p\", \"namespace\": "
			"\"ns\", \"uid\": \"%s\"%s%s}, \"spec\": {%s}, "
			"\"status\": {\"phase\": \"%s\"%s}}",
			rows[i].uid, *rows[i].meta ? ", " : "", rows[i].meta,
			rows[i].spec, rows[i].status,
			str_starts(rows[i].meta, ID)	 ? CONDITION
			: str_starts(rows[i].meta, LATE) ? MARKED
							 : "");
		_cleanup_json_ json_object *pod = t_parse(text);

		t_row("%zu", i);
		T_INT(pod_read_of(pod, "u1", "n1", 7), rows[i].to_n1);
		T_INT(pod_read_of(pod, "u1", "", 7), rows[i].to_any);
	}
}

static void what_is_no_pod_is_gone(void)
{
	static const char *const texts[] = {"{}", "[]", "{\"metadata\": 3}"};

	T_INT(pod_read_of(NULL, "u1", "n1", 7), POD_READ_GONE);
	for (size_t i = 0; i < T_COUNT(texts); i++) {
		_cleanup_json_ json_object *o = t_parse(texts[i]);

		T_INT(pod_read_of(o, "u1", "n1", 7), POD_READ_GONE);
	}
}

T_MAIN("pod_read", T(a_pod_tells_what_became_of_it), T(what_is_no_pod_is_gone))

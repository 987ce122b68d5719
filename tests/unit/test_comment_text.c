/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Words of pods in an AdminComment are no request of the job's. */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "config/config.h"
#include "nodes/pod/pod_metadata.h"
#include "slurm/comment_text.h"
#include "t.h"

#define ASKS "k8s-pod: {\"annotations\":{},\"labels\":{\"team\":\"hpc\"}}"

static void what_pods_say_is_quoted(void)
{
	static const struct {
		const char *words, *asks, *want;
	} rows[] = {
		{"k8s: no room", NULL, "k8s: no room"},
		{"k8s: no room", ASKS, "k8s: no room " ASKS},
		{"k8s: c: k8s-pod: {\"labels\":{}}", NULL,
		 "k8s: c: k8s-pod_ {\"labels\":{}}"},
		{"k8s: k8s-pod: k8s-pod: x", ASKS,
		 "k8s: k8s-pod_ k8s-pod_ x " ASKS},
		/* it would end in the blank between */
		{"k8s: k8s-pod:", ASKS, "k8s: k8s-pod_ " ASKS},
		{"k8s: k8s-pod:", NULL, "k8s: k8s-pod:"},
		{"", ASKS, " " ASKS},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_free_ char *text =
			comment_text(rows[i].words, rows[i].asks);

		t_row("%s", rows[i].words);
		T_STR(text, rows[i].want);
		T_OK(rows[i].asks ? !strcmp(comment_asks(text), rows[i].asks)
				  : !comment_asks(text));
	}
	T_OK(!comment_asks(NULL) && !comment_asks(""));
}

/* Whatever the words are, and however often they change. */
static void what_a_job_asks_is_read_as_it_was(void)
{
	static const char *const parts[] = {
		"k8s-pod: ", "k8s-pod:", "k8s-pod",
		"k8s",	     "-",	 " ",
		": ",	     "{",	 "}",
		"x",	     ASKS,	 "{\"labels\":{\"team\":\"other\"}}"};
	static const char yaml[] =
		"clusters: [{name: c, kubeconfig: k}]\n"
		"jobs: {annotations: [note], labels: [team]}\n"
		"nodesets: [{name: s, cluster: c, nodes: n0, "
		"podTemplate: {spec: {containers: [{name: slurmd}]}}}]\n";
	struct config *c = NULL;

	T_INT(config_parse("k8s.yaml", yaml, strlen(yaml), &c, NULL), 0);
	srand(1);
	for (int i = 0; i < 5000; i++) {
		_cleanup_free_ char *first = NULL, *second = NULL;
		json_object *ask;
		_cleanup_buf_ struct buf b = BUF_INIT(512);
		const char *words;

		buf_addf(&b, "k8s: ");
		for (int k = rand() % 6; k; k--)
			buf_addf(&b, "%s", parts[rand() % T_COUNT(parts)]);
		words = buf_str(&b);
		t_row("%s", words);
		first = comment_text(words, NULL);
		ask = pod_metadata_read(&c->jobs, first);
		T_OK(!ask);
		json_object_put(ask);
		free(first);
		first = comment_text(words, ASKS);
		second = comment_text(words, comment_asks(first));
		T_STR(second, first);
		ask = pod_metadata_read(&c->jobs, second);
		T_STR(jx_str(jx_get(ask, "labels"), "team"), "hpc");
		json_object_put(ask);
	}
	config_free(c);
}

T_MAIN("comment_text", T(what_pods_say_is_quoted),
       T(what_a_job_asks_is_read_as_it_was))

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "bridge/jobspec/job_identity.h"
#include "t.h"

static const struct job_identity job = {
	.cluster = "prod",
	.of = {.kind = WORKLOAD_JOB,
	       .ns = "team-a",
	       .name = "train.1",
	       .uid = "6ba7b810-9dad"},
	.pods = 4,
	.options_digest = "0123456789abcdef",
};

#define HEAD                                                                   \
	"{\"k8s\":{\"cluster\":\"prod\",\"kind\":\"Job\","                     \
	"\"namespace\":\"team-a\",\"name\":\"train.1\","
#define FOR(scheduler)                                                         \
	"{\"k8s\":{\"cluster\":\"prod\",\"scheduler\":" scheduler ","          \
	"\"kind\":\"Job\",\"namespace\":\"team-a\",\"name\":\"train.1\","
#define TAIL "\"uid\":\"6ba7b810-9dad\",\"pods\":4"
#define DIGEST ",\"wish\":\"0123456789abcdef\""

static void same(const struct workload *a, const struct workload *b)
{
	T_INT(a->kind, b->kind);
	T_STR(a->ns, b->ns);
	T_STR(a->name, b->name);
	T_STR(a->part, b->part);
}

static void it_is_one_text_both_ways(void)
{
	struct job_identity id = job, got;
	char text[BRIDGE_ID_MAX];

	T_INT(job_identity_make(&id, text, NULL), 0);
	T_STR(text, HEAD TAIL DIGEST "}}");
	T_OK(job_identity_parse(text, &got));
	T_STR(got.cluster, "prod");
	same(&got.of, &id.of);
	T_STR(got.of.uid, id.of.uid);
	T_INT(got.pods, 4);
	T_STR(got.options_digest, id.options_digest);

	id.of.kind = WORKLOAD_LWS;
	strcpy(id.of.part, "3");
	*id.options_digest = '\0';
	T_INT(job_identity_make(&id, text, NULL), 0);
	T_HAS(text, "\"name\":\"train.1\",\"part\":\"3\",\"uid\"");
	T_LACKS(text, "wish");
	T_OK(job_identity_parse(text, &got));
	same(&got.of, &id.of);
	T_STR(got.options_digest, "");
}

static void that_its_pods_get_another_job_is_part_of_it(void)
{
	struct job_identity id = job, got;
	char text[BRIDGE_ID_MAX];

	id.again = true;
	T_INT(job_identity_make(&id, text, NULL), 0);
	T_STR(text, HEAD TAIL DIGEST ",\"again\":true}}");
	T_OK(job_identity_parse(text, &got));
	T_OK(got.again && got.pods == 4);
	T_OK(job_identity_parse(HEAD TAIL DIGEST "}}", &got));
	T_OK(!got.again);
}

static void what_it_asks_of_nodes_is_part_of_it(void)
{
	struct job_identity id = job, got;
	char text[BRIDGE_ID_MAX];

	id.nodes = 3;
	id.cpus = 16;
	id.again = true;
	T_INT(job_identity_make(&id, text, NULL), 0);
	T_STR(text,
	      HEAD TAIL DIGEST ",\"nodes\":3,\"cpus\":16,\"again\":true}}");
	T_OK(job_identity_parse(text, &got));
	T_INT(got.nodes, 3);
	T_INT(got.cpus, 16);
	id.nodes = 0;
	T_INT(job_identity_make(&id, text, NULL), 0);
	T_OK(job_identity_parse(text, &got));
	T_INT(got.nodes, 0);
	T_INT(got.cpus, 16);
	id.cpus = BRIDGE_ID_PODS_MAX + 1;
	T_INT(job_identity_make(&id, text, NULL), -EINVAL);
}

static void for_which_scheduler_it_was_made_is_part_of_it(void)
{
	struct job_identity id = job, got;
	char text[BRIDGE_ID_MAX];

	strcpy(id.scheduler, "slurm.bridge-2");
	T_INT(job_identity_make(&id, text, NULL), 0);
	T_STR(text, FOR("\"slurm.bridge-2\"") TAIL DIGEST "}}");
	T_OK(job_identity_parse(text, &got));
	T_STR(got.scheduler, "slurm.bridge-2");
	T_STR(got.cluster, "prod");
	/* an earlier build does not tell */
	T_OK(job_identity_parse(HEAD TAIL DIGEST "}}", &got));
	T_STR(got.scheduler, "");
	/* (k8s.yaml cannot have such a one) */
	strcpy(id.scheduler, "Slurm");
	T_INT(job_identity_make(&id, text, NULL), -EINVAL);
}

static void the_longest_names_fit(void)
{
	struct job_identity id = job;
	char text[BRIDGE_ID_MAX];

	id.of.kind = WORKLOAD_WORKLOAD;
	memset(id.cluster, 'c', sizeof(id.cluster) - 1);
	memset(id.scheduler, 's', sizeof(id.scheduler) - 1);
	memset(id.of.ns, 'n', sizeof(id.of.ns) - 1);
	memset(id.of.name, 'm', sizeof(id.of.name) - 1);
	memset(id.of.part, 'p', sizeof(id.of.part) - 1);
	memset(id.of.uid, '1', sizeof(id.of.uid) - 1);
	id.pods = BRIDGE_ID_PODS_MAX;
	T_INT(job_identity_make(&id, text, NULL), 0);
	T_OK(strlen(text) < BRIDGE_ID_MAX / 2);
}

static void what_could_not_be_read_back_is_not_written(void)
{
	struct job_identity id = job;
	char text[BRIDGE_ID_MAX];
	struct err err = {0};

	id.pods = 0;
	T_ERR(job_identity_make(&id, text, &err), &err, -EINVAL,
	      "Job team-a/train.1 cannot be told in a job");
	id = job;
	*id.of.uid = '\0';
	T_INT(job_identity_make(&id, text, NULL), -EINVAL);
	id = job;
	id.of.name[0] = '\n';
	T_INT(job_identity_make(&id, text, NULL), -EINVAL);
}

static void nothing_else_is_believed(void)
{
	static const char *const rows[] = {
		"",
		"x",
		"null",
		"[]",
		"{}",
		"{\"k8s\":{}}",
		"{\"k8s\":[]}",
		"{\"k8s\":\"Job\"}",
		/* more, less, twice, or in another order */
		HEAD TAIL DIGEST "},\"x\":1}",
		HEAD TAIL DIGEST ",\"x\":1}}",
		HEAD TAIL ",\"pods\":5" DIGEST "}}",
		HEAD "\"pods\":4}}",
		HEAD TAIL DIGEST "}} ",
		" " HEAD TAIL DIGEST "}}",
		HEAD " " TAIL DIGEST "}}",
		HEAD DIGEST TAIL "}}",
		/* of another type, or out of bounds */
		HEAD "\"uid\":\"1\",\"pods\":\"4\"}}",
		HEAD "\"uid\":\"1\",\"pods\":0}}",
		HEAD "\"uid\":\"1\",\"pods\":-1}}",
		HEAD "\"uid\":\"1\",\"pods\":65537}}",
		HEAD "\"uid\":\"1\",\"pods\":4.0}}",
		HEAD "\"uid\":1,\"pods\":4}}",
		HEAD "\"uid\":\"\",\"pods\":4}}",
		HEAD "\"uid\":\"a\\nb\",\"pods\":4}}",
		HEAD TAIL ",\"nodes\":0}}",
		HEAD TAIL ",\"cpus\":65537}}",
		HEAD TAIL ",\"cpus\":\"4\"}}",
		HEAD TAIL ",\"cpus\":4,\"nodes\":4}}",
		HEAD TAIL ",\"again\":false}}",
		HEAD TAIL ",\"again\":1}}",
		HEAD TAIL ",\"again\":true" DIGEST "}}",
		HEAD TAIL ",\"wish\":\"\"}}",
		HEAD TAIL ",\"wish\":\"0123\"}}",
		HEAD TAIL ",\"wish\":\"0123456789ABCDEF\"}}",
		FOR("\"\"") TAIL "}}",
		FOR("7") TAIL "}}",
		FOR("null") TAIL "}}",
		FOR("[\"s\"]") TAIL "}}",
		FOR("\"S\"") TAIL "}}",
		FOR("\"a\\nb\"") TAIL "}}",
		FOR("\"a b\"") TAIL "}}",
		FOR("\"s\",\"scheduler\":\"s\"") TAIL "}}",
		HEAD "\"scheduler\":\"s\"," TAIL "}}",
		"{\"k8s\":{\"cluster\":\"prod\",\"kind\":\"Deployment\","
		"\"namespace\":\"team-a\",\"name\":\"train\"," TAIL "}}",
		"{\"k8s\":{\"cluster\":\"prod\",\"kind\":\"Job\","
		"\"namespace\":\"Team\",\"name\":\"train\"," TAIL "}}",
		"{\"k8s\":{\"cluster\":\"prod\",\"kind\":\"Job\","
		"\"namespace\":\"team-a\",\"name\":\"tr/ain\"," TAIL "}}",
	};
	_cleanup_free_ char *huge = t_repeat(" ", BRIDGE_ID_MAX);
	_cleanup_free_ char *name = t_repeat("s", WORKLOAD_NAME_MAX);
	_cleanup_free_ char *longer = str_printf(FOR("\"%s\"") TAIL "}}", name);
	struct job_identity got;

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%s", rows[i]);
		T_OK(!job_identity_parse(rows[i], &got));
	}
	t_row("the bounds");
	T_OK(!job_identity_parse(NULL, &got));
	T_OK(!job_identity_parse(huge, &got));
	T_OK(!job_identity_parse(longer, &got));
	T_OK(job_identity_parse(HEAD TAIL "}}",
				&got)); /* (the rows are near) */
}

T_MAIN("job_identity", T(it_is_one_text_both_ways),
       T(what_it_asks_of_nodes_is_part_of_it),
       T(for_which_scheduler_it_was_made_is_part_of_it),
       T(that_its_pods_get_another_job_is_part_of_it), T(the_longest_names_fit),
       T(what_could_not_be_read_back_is_not_written),
       T(nothing_else_is_believed))

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "config/config.h"
#include "nodes/pod/pod_metadata.h"
#include "t.h"

#define _cleanup_config_ _cleanup_(config_freep)

#define REST                                                                   \
	"clusters: [{name: main, kubeconfig: k}]\n"                            \
	"features:\n"                                                          \
	"  - {name: jax, patch: {metadata: {labels: {from-jax: x}}}}\n"        \
	"  - {name: fast, patch: {}}\n"                                        \
	"nodesets: [{name: s, cluster: main, nodes: n0, podTemplate: "         \
	"{metadata: {annotations: {own: x}}, "                                 \
	"spec: {containers: [{name: slurmd}]}}}]\n"
#define RULES "jobs: {annotations: [note, e.org/x], labels: [team, tier]}\n"

static int parse(const char *text, struct config **c, struct err *err)
{
	return config_parse("k8s.yaml", text, strlen(text), c, err);
}

static struct config *config_of(const char *text)
{
	struct config *c = NULL;
	struct err err = {0};

	T_INT(parse(text, &c, &err), 0);
	T_STR(err.msg, "");
	return c;
}

static void what_is_asked_for_is_carried_by_the_admin_comment(void)
{
	static const char *const items[] = {"label team=hpc", "feature jax",
					    "annotation note=say \"hi\" = 1",
					    "label tier="};
	static const char want[] =
		"k8s-pod: {\"annotations\":{\"note\":\"say \\\"hi\\\" = 1\"},"
		"\"labels\":{\"team\":\"hpc\",\"tier\":\"\"}}";
	static const struct {
		const char *before, *head;
	} rows[] = {
		{NULL, ""},
		{"", ""},
		{"k8s: no room", "k8s: no room "},
		{"the site's ", "the site's "},
		{"x k8s-pod: {\"labels\":{\"team\":\"old\"}}", "x "},
	};
	_cleanup_config_ struct config *c = config_of(REST RULES);
	char out[POD_METADATA_CARRIER_MAX];
	struct err err = {0};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%s", rows[i].before ? rows[i].before : "none");
		T_INT(pod_metadata_carry(&c->jobs, items, T_COUNT(items),
					 rows[i].before, out, &err),
		      1);
		T_OK(str_starts(out, rows[i].head));
		T_STR(out + strlen(rows[i].head), want);
	}
	t_row("nothing is asked for");
	T_INT(pod_metadata_carry(&c->jobs, items + 1, 1, "x", out, &err), 0);
}

static void and_read_again(void)
{
	_cleanup_config_ struct config *c = config_of(REST RULES);
	static const char *const items[] = {"label team=hpc",
					    "annotation e.org/x=1"};
	char out[POD_METADATA_CARRIER_MAX];
	json_object *ask;

	T_INT(pod_metadata_carry(&c->jobs, items, 2, "k8s: why", out, NULL), 1);
	ask = pod_metadata_read(&c->jobs, out);
	T_JSON(ask, "{\"annotations\": {\"e.org/x\": \"1\"},"
		    " \"labels\": {\"team\": \"hpc\"}}");
	json_object_put(ask);
}

static void what_the_rules_do_not_allow_is_refused_with_words(void)
{
	static const struct {
		const char *item;
		int code;
		const char *words;
	} rows[] = {
		{"label note=x", -EACCES,
		 "--k8s-label: jobs may not set note; k8s.yaml allows team, "
		 "tier"},
		{"annotation team=x", -EACCES,
		 "--k8s-annotation: jobs may not set team; k8s.yaml allows "
		 "note, e.org/x"},
		{"label tea=x", -EACCES, "may not set tea;"},
		{"label team", -EINVAL, "--k8s-label=team is not KEY=VALUE"},
		{"label team=a b", -EINVAL, "no label may have"},
		{"annotation note=\n", -EINVAL, "printable"},
	};
	_cleanup_config_ struct config *c = config_of(REST RULES);
	_cleanup_config_ struct config *none = config_of(REST);
	const char *some = "label team=x";
	char out[POD_METADATA_CARRIER_MAX];
	struct err err = {0};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%s", rows[i].item);
		err = (struct err){0};
		T_ERR(pod_metadata_carry(&c->jobs, &rows[i].item, 1, NULL, out,
					 &err),
		      &err, rows[i].code, rows[i].words);
		T_LACKS(err.msg, "\n");
	}
	t_row("no rules");
	T_ERR(pod_metadata_carry(&none->jobs, &some, 1, NULL, out, &err), &err,
	      -EACCES, "k8s.yaml allows none");
}

static void a_carrier_is_bounded(void)
{
	_cleanup_free_ char *head =
		t_repeat("x", POD_METADATA_CARRIER_MAX - 40);
	_cleanup_config_ struct config *c = config_of(REST RULES);
	const char *item = "label team=hpc";
	char out[POD_METADATA_CARRIER_MAX];
	struct err err = {0};

	T_ERR(pod_metadata_carry(&c->jobs, &item, 1, head, out, &err), &err,
	      -EMSGSIZE, "more than 4096 bytes");
}

/* Whoever wrote it: it is not believed. */
static void what_is_not_allowed_is_not_read(void)
{
	static const struct {
		const char *comment, *want;
	} rows[] = {
		{NULL, NULL},
		{"", NULL},
		{"k8s: no room", NULL},
		{"k8s-pod: ", NULL},
		{"k8s-pod: {", NULL},
		{"k8s-pod: 7", NULL},
		{"k8s-pod: {\"labels\":{\"a\":\"b\"}}", NULL},
		{"k8s-pod: {\"labels\":{\"team\":7}}", NULL},
		{"k8s-pod: {\"labels\":{\"team\":\"a b\"}}", NULL},
		{"k8s-pod: {\"labels\":[]}", NULL},
		{"k8s-pod: {\"annotations\":{\"team\":\"x\"}}", NULL},
		{"k8s-pod: {\"labels\":{\"team\":\"x\",\"b\":\"c\"}}",
		 "{\"annotations\": {}, \"labels\": {\"team\": \"x\"}}"},
	};
	_cleanup_config_ struct config *c = config_of(REST RULES);
	_cleanup_config_ struct config *none = config_of(REST);

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_json_ json_object *ask =
			pod_metadata_read(&c->jobs, rows[i].comment);

		t_row("%s", rows[i].comment ? rows[i].comment : "none");
		if (rows[i].want)
			T_JSON(ask, rows[i].want);
		else
			T_OK(!ask);
		T_OK(!pod_metadata_read(&none->jobs, rows[i].comment));
	}
}

static void of_two_jobs_the_first_one_wins(void)
{
	json_object *a = t_parse("{\"labels\": {\"team\": \"x\"}}");
	json_object *b = t_parse("{\"annotations\": {\"note\": \"n\"},"
				 " \"labels\": {\"team\": \"y\","
				 "  \"tier\": \"z\"}}");

	T_OK(pod_metadata_sum(a) != pod_metadata_sum(b));
	T_INT(pod_metadata_merge(a, b), 0);
	T_JSON(a, "{\"annotations\": {\"note\": \"n\"},"
		  " \"labels\": {\"team\": \"x\", \"tier\": \"z\"}}");
	T_INT(pod_metadata_sum(NULL), 0);
	json_object_put(a);
	json_object_put(b);
}

static void features_become_a_constraint(void)
{
	static const struct {
		const char *items[2];
		const char *before, *want;
	} rows[] = {
		{{"feature jax", "label team=x"}, NULL, "jax"},
		{{"feature jax", "feature fast"}, "", "jax&fast"},
		{{"feature jax", "feature jax"}, "cpu", "cpu&jax"},
		{{"feature jax", "feature fast"}, "jax,rack", "jax,rack&fast"},
		{{"feature jax", "feature fast"}, "rack,", "rack,jax&fast"},
	};
	_cleanup_config_ struct config *c = config_of(REST RULES);
	char out[FEATURES_TEXT_MAX];
	struct err err = {0};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%s", rows[i].want);
		T_INT(pod_metadata_constrain(&c->features, rows[i].items, 2,
					     rows[i].before, out, &err),
		      1);
		T_STR(out, rows[i].want);
	}
	t_row("none");
	T_INT(pod_metadata_constrain(&c->features, &rows[0].items[1], 1, "a|b",
				     out, &err),
	      0);
}

static void features_that_cannot_be_are_refused(void)
{
	_cleanup_config_ struct config *c = config_of(REST RULES);
	const char *jax = "feature jax", *other = "feature other";
	char out[FEATURES_TEXT_MAX];
	struct err err = {0};

	T_ERR(pod_metadata_constrain(&c->features, &other, 1, NULL, out, &err),
	      &err, -EINVAL, "there is no other; k8s.yaml has jax, fast");
	T_ERR(pod_metadata_constrain(&c->features, &jax, 1, "a|b", out, &err),
	      &err, -EINVAL, "cannot be added");
	T_ERR(pod_metadata_constrain(&c->features, &jax, 1, "[a*2&b]", out,
				     &err),
	      &err, -EINVAL, "cannot be added");
}

static void rules_that_cannot_be_are_refused(void)
{
	static const struct {
		const char *rules, *words;
	} rows[] = {
		{"jobs: {label: [a]}\n", "jobs"},
		{"jobs: {labels: a}\n", "labels"},
		{"jobs: {labels: [{a: b}]}\n", "a key"},
		{"jobs: {labels: [a b]}\n", "is no key"},
		{"jobs: {labels: [a, a]}\n", "twice"},
		{"jobs: {labels: [slurm-k8s.io/busy]}\n", "is ours"},
		{"jobs: {labels: [app.kubernetes.io/name]}\n", "is ours"},
		{"jobs: {annotations: [cluster-autoscaler.kubernetes.io/"
		 "safe-to-evict]}\n",
		 "is ours"},
		{"jobs: {annotations: [karpenter.sh/do-not-disrupt]}\n",
		 "is ours"},
		{"jobs: {annotations: [own]}\n",
		 "own is set by the nodeset 's'"},
		{"jobs: {labels: [from-jax]}\n",
		 "from-jax is set by the feature 'jax'"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_free_ char *text =
			str_printf("%s%s", REST, rows[i].rules);
		_cleanup_config_ struct config *c = NULL;
		struct err err = {0};

		t_row("%s", rows[i].rules);
		T_ERR(parse(text, &c, &err), &err, -EINVAL, rows[i].words);
	}
}

T_MAIN("pod_metadata", T(what_is_asked_for_is_carried_by_the_admin_comment),
       T(and_read_again), T(what_the_rules_do_not_allow_is_refused_with_words),
       T(a_carrier_is_bounded), T(what_is_not_allowed_is_not_read),
       T(of_two_jobs_the_first_one_wins), T(features_become_a_constraint),
       T(features_that_cannot_be_are_refused),
       T(rules_that_cannot_be_are_refused))

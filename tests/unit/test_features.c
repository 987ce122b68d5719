/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "config/config.h"
#include "config/features.h"
#include "t.h"

#define _cleanup_config_ _cleanup_(config_freep)

#define AT "/etc/slurm/k8s.yaml:"
#define CLUSTERS "clusters: [{name: main, kubeconfig: k}]\n"
#define POD "podTemplate: {spec: {containers: [{name: slurmd}]}}"
#define NODESETS                                                               \
	"nodesets:\n"                                                          \
	"- {name: cpu, cluster: main, nodes: cpu-1, features: [jax, big],"     \
	" " POD "}\n"                                                          \
	"- {name: gpu, cluster: main, nodes: gpu-1, " POD "}\n"
#define FEATURES                                                               \
	"features:\n"                                                          \
	"- {name: pytorch, group: image, patch: {spec: {a: 1}}}\n"             \
	"- {name: jax, group: image, patch: {metadata: {labels: {x: y}}}}\n"   \
	"- {name: big, patch: {}}\n"

static int parse(const char *text, struct config **out, struct err *err)
{
	return config_parse("/etc/slurm/k8s.yaml", text, strlen(text), out,
			    err);
}

static struct config *config_of_all(void)
{
	struct config *c = NULL;
	struct err err = {0};

	T_INT(parse(CLUSTERS NODESETS FEATURES, &c, &err), 0);
	T_STR(err.msg, "");
	return c;
}

static void nodesets_offer_what_they_name_or_all(void)
{
	_cleanup_config_ struct config *c = config_of_all();

	T_NEED(c && c->features.n == 3);
	T_STR(c->features.v[0].name, "pytorch");
	T_STR(c->features.v[0].group, "image");
	T_JSON(c->features.v[0].patch, "{\"spec\": {\"a\": 1}}");
	T_STR(c->features.v[2].group, NULL);
	T_INT(c->nodesets[0].features, 6);
	T_INT(c->nodesets[1].features, 7);
}

static void mistakes_are_refused_with_file_line_and_column(void)
{
	static const struct {
		const char *text, *words;
	} rows[] = {
		{"features: {a: 1}\n", AT "5:11: features must be a list"},
		{"features: [a]\n", AT "5:12: a feature must be a mapping"},
		{"features: [{patch: {}}]\n", AT "5:12: name is missing"},
		{"features: [{name: a}]\n",
		 AT "5:12: feature 'a' has no patch"},
		{"features: [{name: a, patch: {}, x: 1}]\n",
		 AT "5:33: unknown key 'x' in a feature"},
		{"features: [{name: 'a&b', patch: {}}]\n",
		 AT "5:19: name 'a&b' must be a letter, and letters"},
		{"features: [{name: 2a, patch: {}}]\n",
		 AT "5:19: name '2a' must be a letter"},
		{"features: [{name: a, group: 'x y', patch: {}}]\n",
		 AT "5:29: group 'x y' must be a letter"},
		{"features: [{name: a, patch: {}}, {name: a, patch: {}}]\n",
		 AT "5:34: feature 'a' is there twice"},
		{"features: [{name: a, patch: {kind: Pod}}]\n",
		 AT "5:30: unknown key 'kind' in a patch"},
		{"features: [{name: a, patch: {metadata: {name: x}}}]\n",
		 AT "5:41: unknown key 'name' in the template's metadata"},
		{"features: [{name: a, patch: {metadata: {labels: "
		 "{slurm-k8s.io/node: x}}}}]\n",
		 AT "5:50: labels under slurm-k8s.io/ are set by slurm-k8s"},
		{"features: [{name: a, patch: {spec: x}}]\n",
		 AT "5:36: spec must be a mapping"},
		{"features: [{name: a, patch: x}]\n",
		 AT "5:29: a patch must be a mapping"},
		{"features: [{name: pytorch, patch: {}}]\n",
		 AT "3:55: there is no feature 'jax'"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		char text[2048];
		struct config *c = NULL;
		struct err err = {0};

		t_row("%s", rows[i].text);
		snprintf(text, sizeof(text), "%s%s%s", CLUSTERS, NODESETS,
			 rows[i].text);
		T_ERR(parse(text, &c, &err), &err, -EINVAL, rows[i].words);
		config_free(c);
	}
}

static void more_features_than_there_are_bits_are_refused(void)
{
	char text[8192] = CLUSTERS NODESETS "features:\n";
	struct config *c = NULL;
	struct err err = {0};

	for (int i = 0; i <= FEATURES_MAX; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
			 "- {name: f%d, patch: {}}\n", i);
	T_ERR(parse(text, &c, &err), &err, -EINVAL,
	      "features must have at most 64 entries");
	config_free(c);
}

static void lists_become_sets_and_back(void)
{
	_cleanup_config_ struct config *c = config_of_all();
	char list[FEATURES_TEXT_MAX], small[12];

	T_NEED(c != NULL);
	T_INT(features_of_list(&c->features, NULL), 0);
	T_INT(features_of_list(&c->features, ""), 0);
	T_INT(features_of_list(&c->features, "rack,big,,pytorch,Jax"), 5);
	features_to_list(&c->features, 5, list);
	T_STR(list, "pytorch,big");
	features_to_list(&c->features, 0, list);
	T_STR(list, "");
	T_INT(features_replace(&c->features, "rack,big,fast", 2, list,
			       sizeof(list)),
	      0);
	T_STR(list, "rack,fast,jax");
	T_INT(features_replace(&c->features, "rack,rack1,rack,rack1,big,big", 2,
			       list, sizeof(list)),
	      0);
	T_STR(list, "rack,rack1,jax");
	T_OK(!features_repeat(list));
	T_INT(features_replace(&c->features, NULL, 0, list, sizeof(list)), 0);
	T_STR(list, "");
	T_INT(features_replace(&c->features, "rack,fast1", 2, small,
			       sizeof(small)),
	      -ENOSPC);
}

static void lists_are_the_same_in_any_order(void)
{
	T_OK(features_same_list("a,b", "b,a"));
	T_OK(features_same_list("a,b,a", ",b,a"));
	T_OK(features_same_list(NULL, ""));
	T_OK(!features_same_list("a,b", "a"));
	T_OK(!features_same_list("a", "ab"));
	T_OK(!features_same_list(NULL, "a"));
	T_OK(features_repeat("a,b,a"));
	T_OK(!features_repeat("a,ab,b"));
	T_OK(!features_repeat(NULL));
	T_OK(features_list_has("a,b", "b"));
	T_OK(!features_list_has("a,bc", "b"));
	T_OK(!features_list_has(NULL, "b"));
}

static void those_of_one_group_exclude_each_other(void)
{
	_cleanup_config_ struct config *c = config_of_all();
	struct err err = {0};

	T_NEED(c != NULL);
	T_INT(features_check(&c->features, 0, &err), 0);
	T_INT(features_check(&c->features, 5, &err), 0);
	T_INT(features_check(&c->features, 6, &err), 0);
	T_ERR(features_check(&c->features, 3, &err), &err, -EINVAL,
	      "features pytorch and jax exclude each other (group image)");
}

static void a_shared_configuration_lives_until_the_last_one_lets_go(void)
{
	struct config *c = config_of_all();
	struct config *two;

	T_NEED(c != NULL);
	two = config_share(c);
	config_free(c);
	T_STR(two->features.v[1].name, "jax");
	config_free(two);
}

T_MAIN("features", T(nodesets_offer_what_they_name_or_all),
       T(mistakes_are_refused_with_file_line_and_column),
       T(more_features_than_there_are_bits_are_refused),
       T(lists_become_sets_and_back), T(lists_are_the_same_in_any_order),
       T(those_of_one_group_exclude_each_other),
       T(a_shared_configuration_lives_until_the_last_one_lets_go))

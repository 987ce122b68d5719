/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/cleanup.h"
#include "pod_diffs.h"
#include "t.h"

static char *printed(struct pod_diffs *d, bool json)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		abort();
	if (json)
		T_INT(pod_diffs_print_json(d, out), 0);
	else
		pod_diffs_print(d, out);
	fclose(out);
	return text;
}

static struct pod_diff *add(struct pod_diffs *d, const char *node, bool busy)
{
	return pod_diffs_add(d, &(struct pod_id){.node = node,
						 .pod = node,
						 .ns = "slurm",
						 .cluster = "main",
						 .nodeset = "cpu",
						 .busy = busy});
}

static void all_pods_may_be_as_their_templates(void)
{
	_cleanup_free_ char *text = NULL, *json = NULL;
	struct pod_diffs d = {.as_made = 3};
	struct pod_diff *p = add(&d, "cpu-1", false);

	T_NEED(p);
	pod_diff_is(p, POD_AS_MADE, NULL);
	text = printed(&d, false);
	json = printed(&d, true);
	T_STR(text, "all 4 pods are as their templates\n");
	T_STR(json, "{\"pods\":[],\"problems\":[],\"asTemplate\":4,\"exit\":"
		    "0}\n");
	T_INT(pod_diffs_exit_code(&d), 0);
	pod_diffs_clear(&d);
}

static void differences_are_lines_below_their_pod(void)
{
	_cleanup_json_ json_object *old = json_object_new_string("a\033[1m:1");
	_cleanup_json_ json_object *new = json_object_new_string("a:2");
	_cleanup_json_ json_object *list = t_parse("[\"x\",\"y/z\"]");
	_cleanup_json_ json_object *empty = json_object_new_string("");
	_cleanup_free_ char *text = NULL, *json = NULL;
	struct pod_diffs d = {.as_made = 1};
	struct pod_diff *p = add(&d, "cpu-1", true);

	T_NEED(p);
	T_INT(pod_diff_change(p, "spec.image", old, new), 0);
	T_INT(pod_diff_change(p, "spec.args", NULL, list), 0);
	T_INT(pod_diff_change(p, "spec.value", list, empty), 0);
	p = add(&d, "cpu-0", false);
	T_NEED(p);
	pod_diff_is(p, POD_DIFFERS, "its\nnode is gone");
	text = printed(&d, false);
	T_STR(text,
	      "cpu-0: pod slurm/cpu-0 of cluster main, nodeset cpu, idle: its "
	      "node is gone\n"
	      "cpu-1: pod slurm/cpu-1 of cluster main, nodeset cpu, busy\n"
	      "    spec.image: a [1m:1 -> a:2\n"
	      "    spec.args: (nothing) -> [\"x\",\"y/z\"]\n"
	      "    spec.value: [\"x\",\"y/z\"] -> \"\"\n"
	      "2 of 3 pods are not as their templates\n");
	json = printed(&d, true);
	T_HAS(json, "{\"path\":\"spec.args\",\"template\":[\"x\",\"y");
	T_HAS(json, "\"busy\":true,\"state\":\"differs\"");
	T_HAS(json, "\"exit\":1}");
	T_INT(pod_diffs_exit_code(&d), 1);
	pod_diffs_clear(&d);
	T_INT(d.n, 0);
}

static void what_could_not_be_looked_at_is_said(void)
{
	_cleanup_free_ char *text = NULL, *json = NULL;
	struct pod_diffs d = {0};
	struct pod_diff *p = add(&d, "cpu-0", false);

	T_NEED(p);
	pod_diff_is(p, POD_NOT_SEEN, "no answer");
	pod_diffs_problem(&d, "cluster %s: \001no", "main");
	text = printed(&d, false);
	T_STR(text,
	      "cpu-0: pod slurm/cpu-0 of cluster main, nodeset cpu, idle: no "
	      "answer\n"
	      "cluster main:  no\n"
	      "0 of 1 pods are not as their templates, 1 could not be "
	      "compared\n");
	json = printed(&d, true);
	T_HAS(json, "\"state\":\"unknown\",\"words\":\"no answer\"");
	T_HAS(json, "\"problems\":[\"cluster main:  no\"]");
	T_INT(pod_diffs_exit_code(&d), 2);
	pod_diffs_clear(&d);
	pod_diffs_problem(&d, "x");
	T_INT(pod_diffs_exit_code(&d), 2);
	pod_diffs_clear(&d);
}

T_MAIN("pod_diffs", T(all_pods_may_be_as_their_templates),
       T(differences_are_lines_below_their_pod),
       T(what_could_not_be_looked_at_is_said))

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/str.h"
#include "config/config.h"
#include "manifest_diff.h"
#include "t.h"

static int note(void *arg, const char *path, const json_object *now,
		const json_object *wanted)
{
	return buf_addf(arg, "%s: %s -> %s\n", path,
			now ? json_object_to_json_string_ext(
				      (json_object *)now,
				      JSON_C_TO_STRING_PLAIN |
					      JSON_C_TO_STRING_NOSLASHESCAPE)
			    : "none",
			json_object_to_json_string_ext(
				(json_object *)wanted,
				JSON_C_TO_STRING_PLAIN |
					JSON_C_TO_STRING_NOSLASHESCAPE));
}

struct row {
	const char *live, *wanted, *changes;
};

static void differ(const struct row *r, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		_cleanup_json_ json_object *live = t_parse(r[i].live);
		_cleanup_json_ json_object *wanted = t_parse(r[i].wanted);
		_cleanup_buf_ struct buf out = BUF_INIT(10000);

		t_row("%s, %s", r[i].live, r[i].wanted);
		T_INT(manifest_diff(live, wanted, note, &out), 0);
		T_STR(buf_str(&out), r[i].changes);
	}
}

static void only_what_is_wanted_counts(void)
{
	static const struct row rows[] = {
		{"{'a': 1, 'b': 2}", "{'a': 1}", ""},
		{"{'a': 1}", "{'a': 2}", "a: 1 -> 2\n"},
		{"{'a': '1'}", "{'a': 1}", "a: \"1\" -> 1\n"},
		{"{'a': {'b': {'c': true}}}", "{'a': {'b': {'c': false}}}",
		 "a.b.c: true -> false\n"},
		{"{'a': 1}", "{'a': {'b': 1}}", "a: 1 -> {\"b\":1}\n"},
		{"{}", "{'a': {'b': 1}}", "a: none -> {\"b\":1}\n"},
		{"{'a': 1}", "{'a': null}", ""},
	};

	differ(rows, T_COUNT(rows));
}

static void labels_are_named_in_brackets_and_the_hash_does_not_count(void)
{
	static const struct row rows[] = {
		{"{'metadata': {'labels': {'slurm-k8s.io/template-hash': 'a', "
		 "'example.org/x.y': 'a', 'team': 'a'}}}",
		 "{'metadata': {'labels': {'slurm-k8s.io/template-hash': 'b', "
		 "'example.org/x.y': 'b', 'team': 'b'}}}",
		 "metadata.labels[example.org/x.y]: \"a\" -> \"b\"\n"
		 "metadata.labels.team: \"a\" -> \"b\"\n"},
	};

	differ(rows, T_COUNT(rows));
}

static void objects_in_lists_are_found_by_name(void)
{
	static const struct row rows[] = {
		{"{'c': [{'name': 'x', 'image': '1'}, {'name': 'y', 'image': "
		 "'1'}]}",
		 "{'c': [{'name': 'y', 'image': '2'}]}",
		 "c[y].image: \"1\" -> \"2\"\n"},
		{"{'c': [{'name': 'x'}]}",
		 "{'c': [{'name': 'x'}, {'name': 'y', 'v': 1}]}",
		 "c[y]: none -> {\"name\":\"y\",\"v\":1}\n"},
		{"{}", "{'c': [{'name': 'x'}]}",
		 "c: none -> [{\"name\":\"x\"}]\n"},
		/* one volume, mounted twice */
		{"{'m': [{'name': 'v', 'at': '/a'}, {'name': 'v', 'at': '/b'}, "
		 "{'name': 'token', 'at': '/c'}]}",
		 "{'m': [{'name': 'v', 'at': '/a'}, {'name': 'v', 'at': "
		 "'/c'}]}",
		 "m[1].at: \"/b\" -> \"/c\"\n"},
		{"{'t': [{'key': 'a'}, {'key': 'server'}]}",
		 "{'t': [{'key': 'b'}]}", "t[0].key: \"a\" -> \"b\"\n"},
		{"{'t': [{'key': 'a'}]}", "{'t': [{'key': 'a'}, {'key': 'b'}]}",
		 "t[1]: none -> {\"key\":\"b\"}\n"},
	};

	differ(rows, T_COUNT(rows));
}

/* The API server has decimal numbers, whatever the template's YAML says. */
static void a_number_is_the_same_however_it_is_written(void)
{
	static const struct {
		const char *yaml, *live, *changes;
	} rows[] = {
		{"0644", "420", ""},
		{"0o644", "420", ""},
		{"0x1a4", "420", ""},
		{"420", "420", ""},
		{"4.2e2", "420", ""},
		{"644", "420", "spec.volumes[v].mode: 420 -> 644\n"},
		{"420.5", "420", "spec.volumes[v].mode: 420 -> 420.5\n"},
		{"\"0644\"", "420", "spec.volumes[v].mode: 420 -> \"0644\"\n"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_free_ char *text = str_printf(
			"clusters: [{name: main, kubeconfig: k}]\n"
			"nodesets: [{name: a, cluster: main, nodes: a, "
			"podTemplate: {spec: {containers: [{name: slurmd}], "
			"volumes: [{name: v, mode: %s}]}}}]\n",
			rows[i].yaml);
		_cleanup_free_ char *pod = str_printf(
			"{\"spec\": {\"containers\": [{\"name\": \"slurmd\"}], "
			"\"volumes\": [{\"name\": \"v\", \"mode\": %s}]}}",
			rows[i].live);
		_cleanup_(config_freep) struct config *c = NULL;
		_cleanup_json_ json_object *live = NULL;
		_cleanup_buf_ struct buf out = BUF_INIT(10000);
		struct err err = {0};

		T_NEED(text && pod);
		live = t_parse(pod);
		t_row("%s", rows[i].yaml);
		T_INT(config_parse("k8s.yaml", text, strlen(text), &c, &err),
		      0);
		T_STR(err.msg, "");
		T_NEED(c);
		T_INT(manifest_diff(live, c->nodesets[0].template, note, &out),
		      0);
		T_STR(buf_str(&out), rows[i].changes);
	}
}

static void other_lists_are_one_value(void)
{
	static const struct row rows[] = {
		{"{'args': ['a', 'b']}", "{'args': ['a', 'b']}", ""},
		{"{'args': ['a', 'b']}", "{'args': ['a']}",
		 "args: [\"a\",\"b\"] -> [\"a\"]\n"},
		{"{'args': ['a', 'b']}", "{'args': ['b', 'a']}",
		 "args: [\"a\",\"b\"] -> [\"b\",\"a\"]\n"},
		{"{'args': ['a']}", "{'args': []}", "args: [\"a\"] -> []\n"},
	};

	differ(rows, T_COUNT(rows));
}

static void amounts_are_compared_by_value(void)
{
	static const struct row rows[] = {
		{"{'limits': {'cpu': '1', 'memory': '100Gi', 'x/y': '2'}}",
		 "{'limits': {'cpu': '1000m', 'memory': '102400Mi', 'x/y': 2}}",
		 ""},
		{"{'requests': {'cpu': '2'}}", "{'requests': {'cpu': 1.5}}",
		 "requests.cpu: \"2\" -> 1.5\n"},
		{"{'requests': {'cpu': '2'}}", "{'requests': {'cpu': 'two'}}",
		 "requests.cpu: \"2\" -> \"two\"\n"},
		{"{'limits': {}}", "{'limits': {'example.org/gpu': '1'}}",
		 "limits[example.org/gpu]: none -> \"1\"\n"},
		{"{'emptyDir': {'sizeLimit': '1Gi'}}",
		 "{'emptyDir': {'sizeLimit': '1024Mi'}}", ""},
		{"{'env': [{'name': 'a', 'value': '1'}]}",
		 "{'env': [{'name': 'a', 'value': '1000m'}]}",
		 "env[a].value: \"1\" -> \"1000m\"\n"},
	};

	differ(rows, T_COUNT(rows));
}

static void what_the_server_leaves_out_is_no_difference(void)
{
	static const struct row rows[] = {
		{"{'env': [{'name': 'a'}]}",
		 "{'env': [{'name': 'a', 'value': ''}]}", ""},
		{"{}",
		 "{'tty': false, 'n': 0, 'args': [], 'labels': {}, "
		 "'nodeSelector': {}, 'x': null}",
		 ""},
		{"{'volumes': [{'name': 'a', 'hostPath': {'path': '/'}}]}",
		 "{'volumes': [{'name': 'a', 'emptyDir': {}}]}",
		 "volumes[a].emptyDir: none -> {}\n"},
		/* false and 0 that it keeps */
		{"{'spec': {}}",
		 "{'spec': {'hostUsers': false, 'hostNetwork': false, "
		 "'terminationGracePeriodSeconds': 0}}",
		 "spec.hostUsers: none -> false\n"
		 "spec.terminationGracePeriodSeconds: none -> 0\n"},
		{"{'securityContext': {'privileged': false}}",
		 "{'securityContext': {'privileged': false, 'runAsUser': 0, "
		 "'runAsGroup': null}}",
		 "securityContext.runAsUser: none -> 0\n"},
	};

	differ(rows, T_COUNT(rows));
}

static int stop(void *arg, const char *path, const json_object *now,
		const json_object *wanted)
{
	(void)path;
	(void)now;
	(void)wanted;
	++*(int *)arg;
	return -ECANCELED;
}

static void the_walk_ends_when_it_is_told_so_and_paths_are_bounded(void)
{
	_cleanup_json_ json_object *live = t_parse("{'a': [{'name': 'x'}]}");
	_cleanup_json_ json_object *wanted =
		t_parse("{'a': [{'name': 'x', 'v': 1}, {'name': 'y'}], 'b': "
			"1}");
	_cleanup_json_ json_object *odd = json_object_new_object();
	_cleanup_free_ char *name = t_repeat("x", 5000);
	int n = 0;

	T_INT(manifest_diff(live, wanted, stop, &n), -ECANCELED);
	T_INT(n, 1);
	T_INT(jx_set_str(odd, name, "x"), 0);
	T_INT(manifest_diff(live, odd, stop, &n), -EMSGSIZE);
	T_INT(n, 1);
}

T_MAIN("manifest_diff", T(only_what_is_wanted_counts),
       T(labels_are_named_in_brackets_and_the_hash_does_not_count),
       T(objects_in_lists_are_found_by_name),
       T(a_number_is_the_same_however_it_is_written),
       T(other_lists_are_one_value), T(amounts_are_compared_by_value),
       T(what_the_server_leaves_out_is_no_difference),
       T(the_walk_ends_when_it_is_told_so_and_paths_are_bounded))

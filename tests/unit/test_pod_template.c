/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "config/pod_template.h"
#include "t.h"

static int check(const char *text, struct err *err)
{
	_cleanup_yaml_ struct yaml *y = NULL;
	int rc = yaml_parse("pod.yaml", text, strlen(text), &y, err);

	return rc ? rc : template_check(y, yaml_root(y), "slurmd", err);
}

#define SPEC "spec: {containers: [{name: slurmd}]}\n"

static void a_pod_with_the_slurmd_container_is_a_template(void)
{
	static const char *const rows[] = {
		SPEC,
		"apiVersion: v1\nkind: Pod\n" SPEC,
		"metadata: {labels: {a: b}, annotations: {c: d},"
		" finalizers: [x], ownerReferences: []}\n" SPEC,
		"metadata:\n" SPEC,
		"metadata: {labels: ~}\n" SPEC,
		"spec: {containers: [{name: log}, {name: slurmd}],"
		" anythingElse: {of: [the, API]}}\n",
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct err err = {0};

		t_row("%s", rows[i]);
		T_INT(check(rows[i], &err), 0);
		T_STR(err.msg, "");
	}
}

static void what_is_no_template_is_refused_with_its_place(void)
{
	static const struct {
		const char *text, *words;
	} rows[] = {
		{"", "pod.yaml: a pod template must be a mapping"},
		{"- a\n", "pod.yaml:1:1: a pod template must be a mapping"},
		{"apiVersion: apps/v1\n" SPEC,
		 "pod.yaml:1:13: apiVersion must be v1"},
		{"kind: Deployment\n" SPEC, "pod.yaml:1:7: kind must be Pod"},
		{"status: {}\n" SPEC,
		 "pod.yaml:1:1: unknown key 'status' in a pod template"},
		{"metadata: {name: x}\n" SPEC,
		 "pod.yaml:1:12: unknown key 'name' in the template's "
		 "metadata"},
		{"metadata: {namespace: x}\n" SPEC, "unknown key 'namespace'"},
		{"metadata: {generateName: x}\n" SPEC,
		 "unknown key 'generateName'"},
		{"metadata: []\n" SPEC, "metadata must be a mapping"},
		{"metadata: {labels: [a]}\n" SPEC, "labels must be a mapping"},
		{"metadata:\n  labels:\n    slurm-k8s.io/node: x\n" SPEC,
		 "pod.yaml:3:5: labels under slurm-k8s.io/ are set by "
		 "slurm-k8s"},
		{"metadata: {annotations: {slurm-k8s.io/x: y}}\n" SPEC,
		 "annotations under slurm-k8s.io/ are set by slurm-k8s"},
		{"kind: Pod\n", "pod.yaml:1:1: spec is missing"},
		{"spec:\n", "pod.yaml:1:1: spec is missing"},
		{"spec: []\n", "pod.yaml:1:7: spec must be a mapping"},
		{"spec: {}\n", "pod.yaml:1:7: containers is missing"},
		{"spec: {containers: x}\n", "containers must be a list"},
		{"spec: {containers: [x]}\n", "a container must be a mapping"},
		{"spec: {containers: [{name: [x]}]}\n", "name must be a text"},
		{"spec: {containers: []}\n", "there is no container 'slurmd'"},
		{"spec:\n  containers:\n  - name: sidecar\n",
		 "pod.yaml:3:3: there is no container 'slurmd', which is to "
		 "run slurmd"},
		{"spec: {initContainers: [{name: slurmd}], containers: []}\n",
		 "there is no container 'slurmd'"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct err err = {0};

		t_row("%s", rows[i].text);
		T_ERR(check(rows[i].text, &err), &err, -EINVAL, rows[i].words);
	}
}

T_MAIN("pod_template", T(a_pod_with_the_slurmd_container_is_a_template),
       T(what_is_no_template_is_refused_with_its_place))

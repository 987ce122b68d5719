/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "nodes/pod/adoption.h"
#include "nodes/pod/manifest.h"
#include "probe_pod.h"
#include "probe_script.h"
#include "syntax/wellknown.h"
#include "t.h"

static const char template[] =
	"{metadata: {labels: {team: hpc}, finalizers: [example.org/keep], "
	"annotations: {note: x}}, spec: {nodeSelector: {gpu: \"yes\"}, "
	"restartPolicy: Always, priorityClassName: high, "
	"initContainers: [{name: init, image: i:1}], "
	"containers: [{name: log, image: l:1, command: [log]}, "
	"{name: slurmd, image: s:1, command: [run], args: [fast], "
	"livenessProbe: {exec: {command: [scontrol]}}, "
	"lifecycle: {preStop: {exec: {command: [bye]}}}, "
	"env: [{name: SLURM_CONF_SERVER, value: 'ctl:6817'}], "
	"securityContext: {runAsUser: 0}, "
	"volumeMounts: [{name: m, mountPath: /run/secrets/munge}]}], "
	"volumes: [{name: m, secret: {secretName: munge}}]}}";

static struct config *config_of(void)
{
	_cleanup_free_ char *text = str_printf(
		"clusters: [{name: main, kubeconfig: k, namespace: jobs}]\n"
		"nodesets: [{name: gpu, cluster: main, nodes: n0, resources: "
		"fromNode, podTemplate: %s}]\n",
		template);
	struct config *c = NULL;
	struct err err = {0};

	T_INT(config_parse("k8s.yaml", text, strlen(text), &c, &err), 0);
	T_STR(err.msg, "");
	return c;
}

static struct probe_plan plan_of(const char *conf)
{
	static const char env[] =
		"{\"env\": [{\"name\": \"SLURM_CONF_SERVER\", "
		"\"value\": \"ctl:6817\"}]}";
	_cleanup_json_ json_object *container = t_parse(env);
	_cleanup_(site_config_freep) struct site_config *c =
		site_config_read(conf);
	struct probe_plan plan = {.slurm_cluster = "Site",
				  .container = "slurmd",
				  .needed_s = 360};

	probe_name(&plan, "gpu", 0x1234);
	probe_plan_conf(&plan, c, container);
	/* the text of `conf` is the test's, and stays */
	plan.auth = strstr(conf, "auth/slurm") ? "slurm" : "munge";
	return plan;
}

static const char conf[] = "SlurmctldHost[0] = ctl(192.0.2.1)\n"
			   "SlurmctldPort = 6817\nSlurmdPort = 6818\n"
			   "AuthType = auth/munge\nAuthInfo = "
			   "ttl=9,socket=/run/m.sock,x=y\n"
			   "PluginDir = /a:/b\nProlog = /s/prolog\n"
			   "SlurmctldParameters = enable_configless\n";

/* The pod of n0, and the same as a probe's. */
static void both(struct manifest *node, struct manifest *probe,
		 struct probe_plan *plan)
{
	static const struct node_facts facts = {
		.name = "n0", .cpus = 4, .memory_mib = 1000};
	_cleanup_(config_freep) struct config *c = config_of();
	struct err err = {0};

	T_INT(manifest_make("Site", &c->nodesets[0], &facts, node, &err), 0);
	T_INT(manifest_make("Site", &c->nodesets[0], &facts, probe, &err), 0);
	*plan = plan_of(conf);
	T_INT(probe_pod(probe->pod_json, plan, &err), 0);
	T_STR(err.msg, "");
}

static json_object *slurmd_of(const struct manifest *m)
{
	return jx_by_name(jx_get(m->pod_json, "spec", "containers"), "slurmd");
}

static void nobody_takes_it_for_a_nodes(void)
{
	_cleanup_manifest_ struct manifest node = {0}, probe = {0};
	struct probe_plan plan;
	struct worker_pod pod;

	both(&node, &probe, &plan);
	T_STR(jx_str(probe.pod_json, "metadata", "name"),
	      "slurm-k8s-probe-gpu-0000000000001234");
	T_STR(jx_str(probe.pod_json, "metadata", "namespace"), "jobs");
	T_STR(jx_str(probe.pod_json, "metadata", "annotations",
		     WK_ANNOTATION_PROBE_SECONDS),
	      "360");
	T_STR(jx_str(probe.pod_json, "metadata", "labels", WK_LABEL_PROBE),
	      "Site");
	jx_set_str(jx_get(probe.pod_json, "metadata"), "uid", "u");
	jx_set_str(jx_get(node.pod_json, "metadata"), "uid", "u");
	T_INT(worker_pod_of(node.pod_json, "slurmd", &pod), 0);
	T_OK(pod_is_ours(&pod, "Site", "n0"));
	T_INT(worker_pod_of(probe.pod_json, "slurmd", &pod), 0);
	T_OK(!pod_is_ours(&pod, "Site", "n0"));
	/* what the engine and gc list pods by */
	T_STR(pod.cluster, "");
	T_STR(pod.node, "");
	T_STR(pod.hash, "");
	T_OK(!jx_get(probe.pod_json, "metadata", "finalizers"));
	T_OK(!jx_get(probe.pod_json, "spec", "hostname"));
}

static void all_else_is_as_a_nodes(void)
{
	static const char *const gone[] = {"command",
					   "args",
					   "livenessProbe",
					   "lifecycle",
					   "terminationMessagePath",
					   "terminationMessagePolicy"};
	_cleanup_manifest_ struct manifest node = {0}, probe = {0};
	struct probe_plan plan;
	json_object *metas[2];

	both(&node, &probe, &plan);
	T_STR(jx_str(probe.pod_json, "spec", "restartPolicy"), "Never");
	T_STR(jx_str(slurmd_of(&probe), "terminationMessagePath"),
	      "/dev/termination-log");
	for (size_t i = 0; i < T_COUNT(gone); i++) {
		json_object_object_del(slurmd_of(&probe), gone[i]);
		json_object_object_del(slurmd_of(&node), gone[i]);
	}
	metas[0] = jx_get(node.pod_json, "metadata");
	metas[1] = jx_get(probe.pod_json, "metadata");
	for (int i = 0; i < 2; i++) {
		json_object *l = jx_get(metas[i], "labels");

		json_object_object_del(metas[i], "name");
		json_object_object_del(metas[i], "finalizers");
		json_object_object_del(l, WK_LABEL_CLUSTER);
		json_object_object_del(l, WK_LABEL_NODE);
		json_object_object_del(l, WK_LABEL_HASH);
		json_object_object_del(l, WK_LABEL_PROBE);
		json_object_object_del(jx_get(metas[i], "annotations"),
				       WK_ANNOTATION_PROBE_SECONDS);
	}
	json_object_object_del(jx_get(node.pod_json, "spec"), "hostname");
	json_object_object_del(jx_get(node.pod_json, "spec"), "restartPolicy");
	json_object_object_del(jx_get(probe.pod_json, "spec"), "restartPolicy");
	T_JSON(probe.pod_json, json_object_to_json_string(node.pod_json));
}

static void its_container_gets_what_to_look_at(void)
{
	static const char *const args[] = {"/dev/termination-log",
					   "slurm-k8s-probe-0000000000001234",
					   "6818",
					   "30",
					   "munge",
					   "/run/m.sock",
					   "",
					   "192.0.2.1",
					   "6817",
					   "ctl",
					   "6817",
					   "--",
					   "folder",
					   "/a",
					   "folder",
					   "/b",
					   "program",
					   "/s/prolog"};
	_cleanup_manifest_ struct manifest node = {0}, probe = {0};
	struct probe_plan plan;
	json_object *list;

	both(&node, &probe, &plan);
	list = jx_get(slurmd_of(&probe), "command");
	T_NEED(jx_is(list, json_type_array));
	T_INT(json_object_array_length(list), 4 + T_COUNT(args));
	T_STR(json_object_get_string(json_object_array_get_idx(list, 2)),
	      probe_script);
	for (size_t i = 0; i < T_COUNT(args); i++)
		T_STR(json_object_get_string(
			      json_object_array_get_idx(list, 4 + i)),
		      args[i]);
	T_OK(!jx_get(slurmd_of(&probe), "args"));
	T_OK(plan.configless);
	/* Kubernetes makes one of two (its command's "$(NAME)" syntax) */
	T_LACKS(probe_script, "$$");
}

static void a_path_of_slurmd_is_handed_on(void)
{
	_cleanup_free_ char *longest = t_repeat("/x", PROBE_PROGRAM_MAX / 2);
	_cleanup_free_ char *endless = str_printf("[\"%s/slurmd\"]", longest);
	const struct {
		const char *command, *want;
	} rows[] = {
		{"[\"/opt/s/sbin/slurmd\", \"-D\"]", "/opt/s/sbin/slurmd"},
		{"[\"slurmd\", \"-D\"]", ""},
		{"[\"/entrypoint\", \"/usr/sbin/slurmd\"]", ""},
		{"[\"bin/slurmd\"]", ""},
		{"[]", ""},
		{"[3]", ""},
		{"{}", ""},
		{endless, ""},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_(site_config_freep) struct site_config *c =
			site_config_read("");
		_cleanup_free_ char *text =
			str_printf("{\"command\": %s}", rows[i].command);
		_cleanup_json_ json_object *container = t_parse(text);
		struct probe_plan plan = {0};

		t_row("%zu", i);
		probe_plan_conf(&plan, c, container);
		T_STR(plan.slurmd, rows[i].want);
	}
}

static void names_stay_names(void)
{
	_cleanup_free_ char *set = t_repeat("Very_Long.", 30);
	struct probe_plan plan = {0};

	probe_name(&plan, set, UINT64_MAX);
	T_OK(name_is_dns_label(plan.name));
	T_OK(str_starts(plan.name, PROBE_NAME_PREFIX));
	T_STR(plan.hello, "slurm-k8s-probe-ffffffffffffffff");
}

static void targets_are_those_of_slurmd(void)
{
	static const struct {
		const char *conf, *server, *want;
	} rows[] = {
		{"SlurmctldHost[0] = a\nSlurmctldHost[1] = b(10.0.0.1)\n", NULL,
		 "a:6817 10.0.0.1:6817 "},
		{"SlurmctldHost = a\nSlurmctldPort = 7000-7003\n", "a",
		 "a:7000 "},
		{"SlurmctldHost = a\n", "c:1,d", "a:6817 c:1 d:6817 "},
		{"SlurmctldHost = a\n", "[fd00::1]:7,fd00::2,[fd00::3]",
		 "a:6817 fd00::1:7 fd00::2:6817 fd00::3:6817 "},
		{"SlurmctldHost = a(fd00::1)\n", NULL, "fd00::1:6817 "},
		/* what two controllers share stands for both */
		{"SlurmctldHost[0] = a\nSlurmctldHost[1] = b\n"
		 "SlurmctldAddr = virtual\n",
		 "c", "virtual:6817 c:6817 "},
		{"SlurmctldHost = a\nSlurmctldAddr = (null)\n", NULL,
		 "a:6817 "},
		/* nothing that a program takes for an option, or cannot be */
		{"SlurmctldHost = -e(-e)\n", "x y,$(id),c:0,c:65536,:7,[,[]",
		 ""},
		{"", NULL, ""},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_(site_config_freep) struct site_config *c =
			site_config_read(rows[i].conf);
		_cleanup_json_ json_object *container = t_parse(
			"{\"env\": [{\"name\": \"SLURM_CONF_SERVER\"}]}");
		struct probe_targets t;
		char got[512] = "";

		t_row("%zu", i);
		if (rows[i].server)
			jx_set_str(jx_by_name(jx_get(container, "env"),
					      "SLURM_CONF_SERVER"),
				   "value", rows[i].server);
		probe_targets(c, container, &t);
		for (size_t n = 0; n < t.n; n++)
			snprintf(got + strlen(got), sizeof(got) - strlen(got),
				 "%s:%u ", t.v[n].host,
				 (unsigned int)t.v[n].port);
		T_STR(got, rows[i].want);
	}
}

static void targets_are_few(void)
{
	_cleanup_free_ char *many = t_repeat("a,b,c,d,", 100);
	_cleanup_free_ char *longest = t_repeat("x", 256);
	_cleanup_free_ char *text = str_printf("SlurmctldHost = %s\n", longest);
	_cleanup_(site_config_freep) struct site_config *c =
		site_config_read(text);
	_cleanup_json_ json_object *container =
		t_parse("{\"env\": [{\"name\": \"SLURM_CONF_SERVER\"}]}");
	struct probe_targets t;

	jx_set_str(jx_by_name(jx_get(container, "env"), "SLURM_CONF_SERVER"),
		   "value", many);
	probe_targets(c, container, &t);
	T_INT(t.n, 4);
	jx_set_str(jx_by_name(jx_get(container, "env"), "SLURM_CONF_SERVER"),
		   "value", "a,b,c,d,e,f,g,h");
	probe_targets(c, container, &t);
	T_INT(t.n, PROBE_TARGETS_MAX);
}

static void a_template_without_slurmd_is_refused(void)
{
	_cleanup_json_ json_object *pod =
		t_parse("{\"metadata\": {}, \"spec\": {\"containers\": []}}");
	struct probe_plan plan = plan_of("AuthType = auth/slurm\n");
	struct err err = {0};

	T_ERR(probe_pod(pod, &plan, &err), &err, -EINVAL,
	      "no container slurmd");
	T_INT(plan.slurmd_port, 6818);
	T_STR(plan.munge_socket, "/run/munge/munge.socket.2");
}

T_MAIN("probe_pod", T(nobody_takes_it_for_a_nodes), T(all_else_is_as_a_nodes),
       T(its_container_gets_what_to_look_at), T(a_path_of_slurmd_is_handed_on),
       T(names_stay_names), T(targets_are_those_of_slurmd), T(targets_are_few),
       T(a_template_without_slurmd_is_refused))

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probe_pod.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "probe_script.h"
#include "syntax/wellknown.h"

#define SLURMD_PORT 6818	       /* slurm.conf(5) */
#define MESSAGE "/dev/termination-log" /* kubelet's own choice */
#define NODESET_SHOWN 24

void probe_name(struct probe_plan *plan, const char *nodeset, uint64_t number)
{
	char part[NODESET_SHOWN + 1], name[128];

	str_copy(part, nodeset, sizeof(part));
	snprintf(name, sizeof(name), PROBE_NAME_PREFIX "%s-%016" PRIx64, part,
		 number);
	name_pod_of_node(name, plan->name);
	snprintf(plan->hello, sizeof(plan->hello),
		 PROBE_NAME_PREFIX "%016" PRIx64, number);
}

/* The path of slurmd, if the container's command is one; else "". */
static void find_slurmd(const json_object *container,
			char out[PROBE_PROGRAM_MAX])
{
	json_object *list = jx_get(container, "command"), *first = NULL;
	const char *path = NULL;

	if (jx_is(list, json_type_array))
		first = json_object_array_get_idx(list, 0);
	if (jx_is(first, json_type_string))
		path = json_object_get_string(first);
	if (!path || *path != '/' || !str_ends(path, "/slurmd") ||
	    strlen(path) >= PROBE_PROGRAM_MAX)
		path = "";
	str_copy(out, path, PROBE_PROGRAM_MAX);
}

void probe_plan_conf(struct probe_plan *plan, const struct site_config *conf,
		     const json_object *container)
{
	const char *auth = site_config_get(conf, "AuthType");
	int64_t port = site_config_number(conf, "SlurmdPort");

	plan->slurmd_port =
		port > 0 && port <= UINT16_MAX ? (uint16_t)port : SLURMD_PORT;
	plan->auth =
		auth && str_starts(auth, "auth/") ? auth + strlen("auth/") : "";
	site_config_munge_socket(conf, plan->munge_socket,
				 sizeof(plan->munge_socket));
	find_slurmd(container, plan->slurmd);
	probe_targets(conf, container, &plan->targets);
	probe_needs(conf, &plan->needs);
	plan->configless = site_config_has(conf, "SlurmctldParameters",
					   "enable_configless");
}

static int set_labels(json_object *meta, const char *slurm_cluster)
{
	static const char *const of_nodes[] = {WK_LABEL_CLUSTER, WK_LABEL_NODE,
					       WK_LABEL_HASH, WK_LABEL_BUSY};
	json_object *l = jx_need(meta, "labels", json_type_object);
	char value[DNS_LABEL_MAX + 1];

	if (!l)
		return -ENOMEM;
	for (size_t i = 0; i < sizeof(of_nodes) / sizeof(*of_nodes); i++)
		json_object_object_del(l, of_nodes[i]);
	name_label_of(slurm_cluster, value);
	return jx_set_str(l, WK_LABEL_PROBE, value);
}

/* Note how long the pod may be needed: slurm-k8s gc spares it for so long. */
static int set_seconds(json_object *meta, int64_t needed_s)
{
	json_object *notes = jx_need(meta, "annotations", json_type_object);
	char text[24];

	snprintf(text, sizeof(text), "%" PRId64, needed_s);
	return notes ? jx_set_str(notes, WK_ANNOTATION_PROBE_SECONDS, text)
		     : -ENOMEM;
}

static int add_text(json_object *list, const char *text)
{
	return jx_append(list, json_object_new_string(text));
}

static int add_number(json_object *list, unsigned int n)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", n);
	return add_text(list, text);
}

static int add_needs(json_object *list, const struct probe_needs *needs)
{
	int bad = needs->n ? add_text(list, "--") : 0;

	for (size_t i = 0; i < needs->n; i++) {
		bad |= add_text(list, needs->v[i].folder   ? "folder"
				      : needs->v[i].plugin ? "plugin"
							   : "program");
		bad |= add_text(list, needs->v[i].path);
	}
	return bad;
}

/* The usage of probe.sh, after "sh -c SCRIPT sh" */
static int set_command(json_object *c, const struct probe_plan *plan)
{
	json_object *list;
	int bad;

	json_object_object_del(c, "command");
	json_object_object_del(c, "args");
	list = jx_need(c, "command", json_type_array);
	if (!list)
		return -ENOMEM;
	bad = add_text(list, "/bin/sh");
	bad |= add_text(list, "-c");
	bad |= add_text(list, probe_script);
	bad |= add_text(list, "probe.sh");
	bad |= add_text(list, MESSAGE);
	bad |= add_text(list, plan->hello);
	bad |= add_number(list, plan->slurmd_port);
	bad |= add_number(list, PROBE_LISTEN_S);
	bad |= add_text(list, plan->auth);
	bad |= add_text(list, plan->munge_socket);
	bad |= add_text(list, plan->slurmd);
	for (size_t i = 0; i < plan->targets.n; i++) {
		bad |= add_text(list, plan->targets.v[i].host);
		bad |= add_number(list, plan->targets.v[i].port);
	}
	return bad | add_needs(list, &plan->needs);
}

/*
 * Take out of slurmd's container what judges slurmd, or asks something of it:
 * the probe's runs none.
 */
static int set_container(json_object *c, const struct probe_plan *plan)
{
	static const char *const of_slurmd[] = {
		"livenessProbe", "readinessProbe",
		"startupProbe",	 "lifecycle",
		"tty",		 "stdin",
		"restartPolicy", "workingDir"};

	for (size_t i = 0; i < sizeof(of_slurmd) / sizeof(*of_slurmd); i++)
		json_object_object_del(c, of_slurmd[i]);
	return set_command(c, plan) |
	       jx_set_str(c, "terminationMessagePath", MESSAGE) |
	       jx_set_str(c, "terminationMessagePolicy",
			  "FallbackToLogsOnError");
}

int probe_pod(json_object *pod, const struct probe_plan *plan, struct err *err)
{
	json_object *meta = jx_get(pod, "metadata"),
		    *spec = jx_get(pod, "spec");
	json_object *c =
		jx_by_name(jx_get(spec, "containers"), plan->container);
	int bad;

	if (!meta || !c)
		return err_set(err, -EINVAL, "the template has no container %s",
			       plan->container);
	if (str_eq(jx_str(spec, "hostname"), jx_str(meta, "name")))
		json_object_object_del(spec, "hostname");
	/* a deleted probe is to go at once */
	json_object_object_del(meta, "finalizers");
	bad = jx_set_str(meta, "name", plan->name);
	bad |= set_labels(meta, plan->slurm_cluster);
	bad |= set_seconds(meta, plan->needed_s);
	bad |= jx_set_str(spec, "restartPolicy", "Never");
	bad |= set_container(c, plan);
	return bad ? err_oom(err) : 0;
}

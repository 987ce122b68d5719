/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "check.h"

#include <errno.h>
#include <getopt.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/log.h"
#include "base/str.h"
#include "colour.h"
#include "config/config.h"
#include "example_rules.h"
#include "file_rules.h"
#include "findings.h"
#include "installed.h"
#include "kube_checks.h"
#include "node_rules.h"
#include "other_nodes.h"
#include "part_rules.h"
#include "probe.h"
#include "progress.h"
#include "site.h"
#include "site_config.h"
#include "slurm/ctl.h"
#include "slurm/ctl_config.h"
#include "slurm/ctl_part_list.h"
#include "slurm/ctl_plugin.h"
#include "slurm_rules.h"
#include "slurm_user.h"
#include "syntax/hostlist.h"
#include "syntax/wellknown.h"
#include "template_rules.h"

#define SLURM_CONF_MAX (16 * 1024 * 1024)
#define PLUGSTACK_MAX (1024 * 1024)

struct check {
	struct findings found;
	struct config *config;	  /* NULL: it cannot be read */
	struct site_config *conf; /* NULL: no slurmctld, nor `nodes` */
	struct ctl_site site;
	struct ctl_nodes *nodes;
	char *conf_text; /* text of slurm.conf; NULL: it could not be read */
};

void check_usage(FILE *f)
{
	fprintf(f,
		"usage: slurm-k8s check [--config FILE] [--json] [--problems]\n"
		"                       [--probe[=NODESET,...]] "
		"[--probe-timeout SECONDS]\n"
		"\n"
		"Look at slurm.conf, k8s.yaml and Kubernetes for what keeps "
		"pods from coming.\n\n"
		"  --config FILE  configuration (default: " WK_CONFIG_FILE
		" beside slurm.conf)\n"
		"  --json         print JSON\n"
		"  --problems     do not print what is in order\n"
		"  --probe        start a pod of each nodeset, or of these, "
		"for a moment\n"
		"  --probe-timeout SECONDS\n"
		"                 how long to wait for it (300; 10 to 3600)\n"
		"  --help         print this\n"
		"\n"
		"Exit code: 0: nothing is wrong; 1: something is; 2: not all "
		"could be looked at.\n");
}

static void read_config(struct check *c, const char *file)
{
	struct err err = {0};

	site_config_load(file, &c->config, &err);
	if (err.code)
		findings_add(&c->found, FINDING_WRONG, "k8s.yaml", NULL, "%s",
			     err.msg);
	else
		findings_add(&c->found, FINDING_OK, "k8s.yaml", NULL,
			     "%s: %zu nodesets in %zu clusters",
			     c->config->path, c->config->n_nodesets,
			     c->config->n_clusters);
}

/* Become SlurmUser. False, with a finding: another user runs this. */
static bool become_slurm_user(struct check *c)
{
	struct err err = {0};

	if (slurm_user_become(&err))
		findings_add(&c->found, FINDING_UNKNOWN, "SlurmUser",
			     "run this as SlurmUser",
			     "%s: k8s.yaml and the rest were not looked at",
			     err.msg);
	return !err.code;
}

/* why_not() of struct file_facts. This process is SlurmUser by now. */
static int why_not(void *arg, const char *path)
{
	struct stat st;

	(void)arg;
	if (stat(path, &st))
		return errno;
	return access(path, S_ISDIR(st.st_mode) ? W_OK | X_OK : W_OK) ? errno
								      : 0;
}

static void check_files(struct check *c)
{
	const struct passwd *user = getpwuid(geteuid());
	const struct group *group = user ? getgrgid(user->pw_gid) : NULL;
	const struct file_facts facts = {
		.user = user ? user->pw_name : "SlurmUser",
		.group = group ? group->gr_name : "SlurmUser's group",
		.why_not = why_not,
	};

	file_rules(c->config, &facts, &c->found);
}

static void read_slurm(struct check *c)
{
	_cleanup_free_ char *text = NULL;
	struct err err = {0};
	int rc = ctl_config_text(&text, &err);

	if (!rc)
		rc = ctl_site_load(&c->site, &err);
	if (!rc)
		rc = ctl_nodes_load(&c->nodes, &err);
	if (!rc && !(c->conf = site_config_read(text)))
		err_oom(&err);
	if (err.code) {
		findings_add(&c->found, FINDING_UNKNOWN, "slurmctld",
			     "start slurmctld, and see its log",
			     "%s: slurm.conf was not looked at", err.msg);
		return;
	}
	findings_add(&c->found, FINDING_OK, "slurmctld", NULL,
		     "answers, cluster %s, %zu nodes", c->site.cluster,
		     ctl_nodes_count(c->nodes));
}

/* Whether slurmctld takes our plugins at all: they are of one micro release. */
static void version(struct check *c)
{
	static const char fix[] = "install the slurm-k8s that is built for "
				  "this Slurm, then restart slurmctld";
	const char *has = site_config_get(c->conf, "SLURM_VERSION");
	struct err why = {0};

	if (ctl_plugin_refused(&why))
		findings_add(&c->found, FINDING_WRONG, "version", fix, "%s",
			     why.msg);
	else if (has && strcmp(has, ctl_version()) != 0)
		findings_add(&c->found, FINDING_WRONG, "version", fix,
			     "slurmctld is %s, and this was built for %s", has,
			     ctl_version());
	else
		findings_add(&c->found, FINDING_OK, "version", NULL,
			     "slurm-k8s %s, built for Slurm %s",
			     SLURMK8S_VERSION, ctl_version());
}

/*
 * program_fault() of struct slurm_facts, as Slurm judges a program. This
 * process is SlurmUser by now.
 */
static const char *program_fault(void *arg, const char *path, bool strict)
{
	struct stat st;

	(void)arg;
	if (stat(path, &st))
		return errno == EACCES ? "cannot be looked at by SlurmUser"
				       : PROGRAM_MISSING;
	if (!S_ISREG(st.st_mode))
		return "is no file";
	if (strict && st.st_mode & (S_IWGRP | S_IWOTH))
		return "may be written by others, so Slurm does not run it";
	return access(path, X_OK) ? "may not be executed by SlurmUser" : NULL;
}

/* The release of a version: "22.05.8" is 2205; 0: it is none. */
static int release_of(const char *version)
{
	char *minor;
	long major = strtol(version, &minor, 10);

	return *minor == '.' ? (int)(major * 100 + strtol(minor + 1, NULL, 10))
			     : 0;
}

/* Nodes of `create` that Slurm does not have yet. */
static size_t still_to_create(const struct nodeset *set,
			      const struct ctl_nodes *nodes)
{
	_cleanup_hostlist_ struct hostlist h = {0};
	struct ctl_node node;
	struct err err;
	size_t n = 0;

	if (!set->create.wanted || hostlist_expand(set->nodes, &h, &err))
		return 0;
	for (size_t i = 0; i < h.n; i++)
		n += !ctl_nodes_find(nodes, h.names[i], &node);
	return n;
}

static void facts_of_templates(const struct config *c,
			       const struct ctl_nodes *nodes,
			       struct slurm_facts *f)
{
	f->nodes_wanted = f->nodes;
	f->have_dns_names = c->n_nodesets > 0;
	for (size_t i = 0; i < c->n_nodesets; i++) {
		const struct nodeset *set = &c->nodesets[i];
		const json_object *spec = jx_get(set->template, "spec");
		const json_object *slurmd =
			jx_by_name(jx_get(spec, "containers"), set->container);
		int64_t grace = jx_int(
			jx_get(spec, "terminationGracePeriodSeconds"), 30);

		f->grace_s = grace > f->grace_s ? grace : f->grace_s;
		f->creates_nodes |= set->create.wanted;
		f->have_dns_names &= jx_str(spec, "subdomain") != NULL;
		f->nodes_wanted += still_to_create(set, nodes);
		f->unprivileged |= !json_object_get_boolean(
			jx_get(slurmd, "securityContext", "privileged"));
	}
}

/* Which folder slurmctld takes its scheduler from: the first that has it. */
static void find_scheduler(const struct site_config *conf,
			   struct slurm_facts *f, char dir[PATH_MAX])
{
	const char *type = site_config_get(conf, "SchedulerType");
	const char *dirs = site_config_get(conf, "PluginDir");
	const char *name = type ? strchr(type, '/') : NULL;

	for (size_t len; name && dirs && *dirs; dirs += len + !!dirs[len]) {
		_cleanup_free_ char *file = NULL, *there = NULL, *ours = NULL;

		len = strcspn(dirs, ":");
		snprintf(dir, PATH_MAX, "%.*s", (int)len, dirs);
		file = str_printf("%s/sched_%s.so", dir, name + 1);
		if (!file || access(file, R_OK))
			continue;
		there = realpath(dir, NULL);
		ours = realpath(f->plugin_dir, NULL);
		f->scheduler_dir = dir;
		f->scheduler_is_ours = there && ours && !strcmp(there, ours);
		return;
	}
}

/*
 * Check the partitions. `parts` NULL: they are not known, with words in `err`.
 */
static void check_partitions(struct check *c, const struct ctl_part_list *parts,
			     const struct err *err)
{
	struct suspend_times all = {
		.idle_s = site_config_number(c->conf, "SuspendTime"),
		.timeout_s = site_config_number(c->conf, "SuspendTimeout"),
		.spared = site_config_get(c->conf, "SuspendExcNodes"),
	};

	if (!c->config)
		return;
	if (all.idle_s < 0)
		all.idle_s = INT64_MAX;
	if (all.timeout_s < 0 || all.timeout_s == INT64_MAX)
		all.timeout_s = 0; /* Slurm prints 0 as NONE */
	if (parts)
		part_rules(c->config, c->nodes, parts, &all, &c->found);
	else
		findings_add(&c->found, FINDING_UNKNOWN, "partition",
			     "see slurmctld's log", "%s", err->msg);
}

/* slurm.conf, if SlurmUser can read it; the caller frees. NULL: he cannot. */
static char *slurm_conf_text(void)
{
	_cleanup_free_ char *dir = ctl_conf_dir();
	_cleanup_free_ char *usual =
		dir ? str_printf("%s/slurm.conf", dir) : NULL;
	const char *path = getenv("SLURM_CONF");
	struct err err;
	char *text = NULL;
	size_t len;

	path = path ? path : usual;
	if (!path || fs_read_file(path, SLURM_CONF_MAX, &text, &len, &err))
		return NULL;
	return text;
}

static void check_slurm(struct check *c)
{
	_cleanup_free_ char *libexec = installed(SLURMK8S_LIBEXEC);
	_cleanup_free_ char *plugins = installed(SLURMK8S_PLUGIN_DIR);
	char scheduler_dir[PATH_MAX], spare[SPARE_MAX];
	struct slurm_facts facts = {
		.conf_text = c->conf_text,
		.release = release_of(ctl_version()),
		.nodes = ctl_nodes_count(c->nodes),
		.libexec = libexec,
		.plugin_dir = plugins,
		.suspends_external = c->site.suspends_external,
		.has_config = c->config != NULL,
		.program_fault = program_fault,
	};
	_cleanup_(ctl_part_list_freep) struct ctl_part_list *parts = NULL;
	struct err err = {0};

	if (!libexec || !plugins) {
		c->found.incomplete = true;
		return;
	}
	version(c);
	find_scheduler(c->conf, &facts, scheduler_dir);
	facts.partitions_known = !ctl_part_list_load(&parts, &err);
	facts.partition_suspends = parts && part_suspends(parts);
	facts.node_suspends = node_suspends(c->nodes);
	if (c->config) {
		facts.has_nodesets = c->config->n_nodesets > 0;
		facts.has_features = c->config->features.n > 0;
		facts.has_bridge = c->config->bridge.wanted;
		facts_of_templates(c->config, c->nodes, &facts);
		facts.others = other_nodes_count(c->config, c->nodes);
		facts.spare = other_nodes_spare(
			c->config, c->nodes,
			site_config_get(c->conf, "SuspendExcNodes"), NULL,
			spare);
	}
	slurm_rules(c->conf, &facts, &c->found);
	check_partitions(c, parts, &err);
	if (!facts.has_nodesets)
		return;
	node_rules(c->config, c->nodes, c->conf, &c->found);
	template_rules(c->config, c->conf, facts.release, &c->found);
	resume_rules(c->config, c->site.resume_timeout_s, &c->found);
}

static void check_kubernetes(struct check *c)
{
	struct kube_facts facts = {
		.config = c->config,
		.slurm_cluster = c->site.cluster,
		.nodes = c->nodes,
		.has_backup =
			c->conf && site_config_get(c->conf, "SlurmctldHost[1]"),
	};

	for (size_t i = 0; i < c->config->n_clusters; i++)
		kube_checks(&facts, &c->config->clusters[i], &c->found);
}

/*
 * plugstack.conf, which pods get with slurm.conf; the caller frees. NULL: there
 * is none, or it cannot be read.
 */
static char *plugstack_text(void)
{
	_cleanup_free_ char *dir = ctl_conf_dir();
	_cleanup_free_ char *path =
		dir ? str_printf("%s/plugstack.conf", dir) : NULL;
	struct err err;
	char *text = NULL;
	size_t len;

	if (!path || fs_read_file(path, PLUGSTACK_MAX, &text, &len, &err))
		return NULL;
	return text;
}

/* Probe the nodesets of `list`; NULL: all. */
static void check_pods(struct check *c, const char *list, int64_t timeout_s)
{
	_cleanup_free_ char *plugstack = plugstack_text();
	const struct probe_facts facts = {
		.config = c->config,
		.conf = c->conf,
		.nodes = c->nodes,
		.slurm_cluster = c->site.cluster,
		.resume_timeout_s = c->site.resume_timeout_s,
		.nodesets = list,
		.plugstack = plugstack,
		.timeout_s = timeout_s,
	};

	if (c->config && c->conf)
		probe_nodesets(&facts, &c->found);
	else
		findings_add(&c->found, FINDING_SKIPPED, "probe", NULL,
			     "no pod was started: %s",
			     c->config ? "slurmctld does not answer"
				       : "k8s.yaml cannot be read");
}

static void check_free(struct check *c)
{
	findings_clear(&c->found);
	config_free(c->config);
	site_config_free(c->conf);
	ctl_nodes_free(c->nodes);
	free(c->site.cluster);
	free(c->conf_text);
}

struct options {
	const char *file;
	bool json, all, probe, colour;
	const char *nodesets; /* to probe; NULL: all */
	int64_t probe_s;
};

/* All checks, printed; returns the exit code. */
static int check(void *arg)
{
	const struct options *opt = arg;
	struct check c = {0};
	int rc;

	log_set_level(LOG_LEVEL_WARN); /* warnings go to standard error */
	progress_begin(opt->json);
	ctl_init();
	read_slurm(&c);
	if (become_slurm_user(&c)) {
		read_config(&c, opt->file);
		c.conf_text = slurm_conf_text();
		example_rules(c.config, c.conf_text, &c.found);
		if (c.config)
			check_files(&c);
		if (c.conf)
			check_slurm(&c);
		if (c.config)
			check_kubernetes(&c);
		if (opt->probe)
			check_pods(&c, opt->nodesets, opt->probe_s);
	}
	if (!opt->probe)
		findings_add(&c.found, FINDING_SKIPPED, "probe", NULL,
			     "--probe starts a pod of each nodeset, and looks "
			     "around there");
	progress_end();
	if (!opt->json)
		findings_print(&c.found, stdout, opt->colour, opt->all);
	else if (findings_print_json(&c.found, stdout))
		c.found.incomplete = true;
	rc = findings_exit_code(&c.found);
	check_free(&c);
	return rc;
}

static bool read_seconds(const char *text, int64_t *out)
{
	char *end;

	*out = strtoll(text, &end, 10);
	return *text && !*end && *out >= PROBE_TIMEOUT_MIN_S &&
	       *out <= PROBE_TIMEOUT_MAX_S;
}

/* False for an empty list, which is a mistake: it would find nothing wrong. */
static bool has_item(const char *list)
{
	return !list || str_next_item(&list);
}

int check_command(int argc, char **argv)
{
	static const struct option options[] = {
		{"config", required_argument, NULL, 'c'},
		{"json", no_argument, NULL, 'j'},
		{"probe", optional_argument, NULL, 'P'},
		{"probe-timeout", required_argument, NULL, 't'},
		{"problems", no_argument, NULL, 'p'},
		{"help", no_argument, NULL, 'h'},
		{0}};
	struct options opt = {.all = true, .probe_s = PROBE_TIMEOUT_S};
	int o;

	while ((o = getopt_long(argc, argv, "c:jph", options, NULL)) != -1) {
		if (o == 'c')
			opt.file = optarg;
		else if (o == 'j')
			opt.json = true;
		else if (o == 'p')
			opt.all = false;
		else if (o == 'P' && has_item(optarg)) {
			opt.probe = true;
			opt.nodesets = optarg;
		} else if (o != 't' || !read_seconds(optarg, &opt.probe_s))
			return check_usage(o == 'h' ? stdout : stderr),
			       o == 'h' ? 0 : 2;
	}
	if (optind != argc)
		return check_usage(stderr), 2;
	opt.colour = colour_wanted(STDOUT_FILENO);
	return opt.probe ? slurm_user_run_to_end(check, &opt)
			 : slurm_user_run(check, &opt);
}

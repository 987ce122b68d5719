/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurm_rules.h"

#include <inttypes.h>
#include <string.h>

#include "base/str.h"
#include "other_nodes.h"
#include "power_action.h"

#define RESTART ", then restart slurmctld"
#define FIX_MAX 1024

/* Words for a fix that changes other nodes, too. */
static const char *whose(const struct slurm_facts *facts)
{
	return facts->others ? " (for all nodes, also those that are no pods)"
			     : "";
}

static void plugin_dir(const struct site_config *conf,
		       const struct slurm_facts *facts, struct findings *out)
{
	const char *dirs = site_config_get(conf, "PluginDir");
	char fix[FIX_MAX];

	snprintf(fix, sizeof(fix), "slurm.conf: PluginDir=%s:%s" RESTART,
		 facts->plugin_dir, dirs ? dirs : "");
	if (facts->scheduler_is_ours)
		findings_add(out, FINDING_OK, "PluginDir", NULL, "%s", dirs);
	else if (dirs && strstr(dirs, facts->plugin_dir))
		findings_add(out, FINDING_WRONG, "PluginDir",
			     "slurm.conf: put our folder first in "
			     "PluginDir" RESTART,
			     "%s: slurmctld takes its scheduler from %s, and "
			     "the engine does not run",
			     dirs,
			     facts->scheduler_dir ? facts->scheduler_dir
						  : "none of them");
	else
		findings_add(out, FINDING_WRONG, "PluginDir", fix,
			     "%s does not have %s: the engine does not run",
			     dirs ? dirs : "it", facts->plugin_dir);
}

/* True if SchedulerType can be ours; only then it counts where it is found. */
static bool scheduler(const struct site_config *conf, struct findings *out)
{
	const char *type = site_config_get(conf, "SchedulerType");
	bool ours = type && (!strcmp(type, "sched/backfill") ||
			     !strcmp(type, "sched/bridge"));

	if (ours)
		findings_add(out, FINDING_OK, "SchedulerType", NULL, "%s",
			     type);
	else
		findings_add(out, FINDING_WRONG, "SchedulerType",
			     "slurm.conf: SchedulerType=sched/backfill" RESTART,
			     "%s: the engine does not run",
			     type ? type : "none");
	return ours;
}

struct program_rule {
	const char *key, *program;
	enum finding_state missing;
	const char *without;
	bool strict; /* power_save.c, _valid_prog(), in all releases */
};

static const struct program_rule programs[] = {
	{"ResumeProgram", "k8s_resume", FINDING_WRONG, "no pod is ever created",
	 true},
	{"SuspendProgram", "k8s_suspend", FINDING_WRONG,
	 "no pod is ever deleted, and Slurm has no power saving", true},
	{"ResumeFailProgram", "k8s_resume_fail", FINDING_WARN,
	 "a node whose pod does not start stays DOWN", true},
	{"RebootProgram", "k8s_reboot", FINDING_WARN,
	 "scontrol reboot replaces no pod", false},
	{"PrologSlurmctld", "k8s_prolog", FINDING_WARN,
	 "a batch job starts up to 30 s after its nodes are up", false},
};

/* The path of a program, without what follows it. */
static void path_of(const char *value, char path[FIX_MAX])
{
	const char *slash = strchr(value, '/');

	str_copy(path, slash ? slash : value, FIX_MAX);
	path[strcspn(path, " ,")] = '\0';
}

/*
 * The value of a key; of several (PrologSlurmctld[0], [1]) the one with our
 * program, else the first.
 */
static const char *program_value(const struct program_rule *r,
				 const struct site_config *conf)
{
	for (int i = 0; i < 10; i++) {
		char key[64];
		const char *value;

		snprintf(key, sizeof(key), "%s[%d]", r->key, i);
		value = site_config_get(conf, key);
		if (value && str_ends(value, r->program))
			return value;
	}
	return site_config_get(conf, r->key);
}

/*
 * From 26.05 on a program may be the name of a PowerAction: then `path` becomes
 * the program that it runs. False: no more is to be said.
 */
static bool take_action(const struct program_rule *r,
			const struct slurm_facts *facts, const char *fix,
			char path[FIX_MAX], struct findings *out)
{
	struct power_action action;

	if (facts->release < 2605 || strchr(path, '/'))
		return true;
	switch (facts->conf_text
			? power_action_find(facts->conf_text, path, &action)
			: POWER_ACTION_UNKNOWN) {
	case POWER_ACTION_UNKNOWN:
		findings_add(out, FINDING_OK, r->key, NULL,
			     "the PowerAction %s, which is not looked at",
			     path);
		return false;
	case POWER_ACTION_NONE:
		findings_add(out, FINDING_WRONG, r->key, fix,
			     "slurm.conf has no PowerAction %s: %s", path,
			     r->without);
		return false;
	case POWER_ACTION_FOUND:
		break;
	}
	if (action.in_slurmd) {
		findings_add(out, FINDING_WRONG, r->key,
			     "slurm.conf: Location=slurmctld in the line of "
			     "that PowerAction" RELOAD,
			     "the PowerAction %s runs in the pods, not here: "
			     "%s",
			     path, r->without);
		return false;
	}
	str_copy(path, action.program, FIX_MAX);
	return true;
}

static bool has_name(const char *path, const char *name)
{
	const char *slash = strrchr(path, '/');

	return str_eq(slash ? slash + 1 : path, name);
}

/*
 * True if slurmctld runs our program for this key; false, too, if that is not
 * known.
 */
static bool runs_ours(const char *key, const struct site_config *conf,
		      const struct slurm_facts *facts)
{
	struct power_action action;
	char path[FIX_MAX];

	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++) {
		const struct program_rule *r = &programs[i];
		const char *value = program_value(r, conf);

		if (!str_eq(r->key, key) || !value)
			continue;
		path_of(value, path);
		if (has_name(path, r->program))
			return true;
		return facts->release >= 2605 && facts->conf_text &&
		       power_action_find(facts->conf_text, path, &action) ==
			       POWER_ACTION_FOUND &&
		       !action.in_slurmd &&
		       has_name(action.program, r->program);
	}
	return false;
}

/* What mends a program that cannot be run. */
static void program_fix(const struct program_rule *r,
			const struct slurm_facts *facts, const char *path,
			const char *fault, char fix[FIX_MAX])
{
	char own[FIX_MAX / 2];

	snprintf(own, sizeof(own), "%s/%s", facts->libexec, r->program);
	if (!has_name(path, r->program))
		str_copy(fix,
			 "make it a program that SlurmUser may run, and nobody "
			 "else may write",
			 FIX_MAX);
	else if (!str_eq(path, own))
		snprintf(fix, FIX_MAX, "slurm.conf: %s=%s" RELOAD, r->key, own);
	else if (str_eq(fault, PROGRAM_MISSING))
		str_copy(fix, "install slurm-k8s again, which has it", FIX_MAX);
	else
		snprintf(fix, FIX_MAX,
			 "chmod 755 %s; or install slurm-k8s again", own);
}

static void program(const struct program_rule *r,
		    const struct site_config *conf,
		    const struct slurm_facts *facts, struct findings *out)
{
	const char *value = program_value(r, conf), *fault;
	char fix[FIX_MAX], path[FIX_MAX];

	snprintf(fix, sizeof(fix), "slurm.conf: %s=%s/%s" RELOAD, r->key,
		 facts->libexec, r->program);
	if (!value) {
		findings_add(out, r->missing, r->key, fix, "not set: %s",
			     r->without);
		return;
	}
	path_of(value, path);
	if (!take_action(r, facts, fix, path, out))
		return;
	fault = facts->program_fault(facts->arg, path, r->strict);
	if (fault) {
		program_fix(r, facts, path, fault, fix);
		findings_add(out, FINDING_WRONG, r->key, fix, "%s %s: %s", path,
			     fault, r->without);
	} else if (!has_name(path, r->program))
		findings_add(out, FINDING_WARN, r->key, NULL,
			     "%s is not %s: make sure that it calls it", path,
			     r->program);
	else
		findings_add(out, FINDING_OK, r->key, NULL, "%s", path);
}

/* A word that a comma-separated setting has to have. */
struct word_rule {
	const char *key, *word;
	int before; /* release that needs it no more; 0: none */
	enum finding_state missing;
	const char *without;
	/* checked only where this key has our program; NULL: always */
	const char *with;
	bool in_slurmd; /* the word changes what all slurmds do */
};

static const struct word_rule words[] = {
	{"SlurmctldParameters", "cloud_reg_addrs", 2311, FINDING_WRONG,
	 "slurmctld does not learn the pods' addresses"},
	{"SlurmctldParameters", "enable_configless", 0, FINDING_WARN,
	 "slurmd in a pod gets no slurm.conf, unless the image has it"},
	{"SlurmctldParameters", "reboot_from_controller", 0, FINDING_WARN,
	 "scontrol reboot runs RebootProgram in the pod, not here",
	 .with = "RebootProgram"},
	{"SlurmctldParameters", "power_save_interval=1", 0, FINDING_WARN,
	 "slurmctld looks only each 10 s for nodes to start"},
	{"SlurmdParameters", "config_overrides", 0, FINDING_WARN,
	 "a pod with fewer CPUs than its machine registers as invalid",
	 .in_slurmd = true},
	{"PrivateData", "cloud", 2302, FINDING_WARN,
	 "sinfo does not show nodes that are powered down"},
};

static void word(const struct word_rule *r, const struct site_config *conf,
		 const struct slurm_facts *facts, struct findings *out)
{
	char fix[FIX_MAX];

	if ((r->before && facts->release >= r->before) ||
	    (r->with && !runs_ours(r->with, conf, facts)))
		return;
	snprintf(fix, sizeof(fix), "slurm.conf: add %s to %s%s" RESTART,
		 r->word, r->key, r->in_slurmd ? whose(facts) : "");
	if (site_config_has(conf, r->key, r->word))
		findings_add(out, FINDING_OK, r->key, NULL, "has %s", r->word);
	else
		findings_add(out, r->missing, r->key, fix, "has no %s: %s",
			     r->word, r->without);
}

/* A word that a comma-separated setting must not have. */
struct unwanted_rule {
	const char *key, *word;
	enum finding_state state;
	const char *with;
	bool dns; /* the word is fine where pods have names in DNS */
};

static const struct unwanted_rule unwanted[] = {
	{"SlurmctldParameters", "cloud_dns", FINDING_WARN,
	 "srun and slurmd look up nodes' names, which pods have in no name "
	 "server, unless the site sees to it, and do not ask slurmctld for the "
	 "pods' addresses",
	 .dns = true},
	{"SlurmctldParameters", "idle_on_node_suspend", FINDING_WARN,
	 "a node that somebody has drained or set down is idle again once its "
	 "pod has gone"},
};

static void unwanted_word(const struct unwanted_rule *r,
			  const struct site_config *conf,
			  const struct slurm_facts *facts, struct findings *out)
{
	char fix[FIX_MAX];

	if (!site_config_has(conf, r->key, r->word) ||
	    (r->dns && facts->have_dns_names))
		return;
	snprintf(fix, sizeof(fix), "slurm.conf: take %s out of %s" RESTART,
		 r->word, r->key);
	findings_add(out, r->state, r->key, fix, "has %s: %s", r->word,
		     r->with);
}

/*
 * A number that has to be at least `least`. INFINITE is; one that is not known
 * is not checked.
 */
struct least_rule {
	const char *key;
	int64_t least, fix;
	const char *unit, *below;
};

static const struct least_rule least[] = {
	{"BatchStartTimeout", 30, 60, " s",
	 "a batch job whose pod is slow counts as lost"},
	{"MessageTimeout", 10, 10, " s",
	 "a pod that is busy counts as one that does not answer"},
	{"SlurmdTimeout", 1, 300, " s", "nobody notices a slurmd that hangs"},
	{"JobRequeue", 1, 1, "",
	 "a job whose pods do not come ends, and does not go back to the "
	 "queue, unless it asks for that (--requeue)"},
};

static void least_number(const struct least_rule *r,
			 const struct site_config *conf, struct findings *out)
{
	const int64_t value = site_config_number(conf, r->key);
	char fix[FIX_MAX];

	if (value < 0)
		return;
	snprintf(fix, sizeof(fix), "slurm.conf: %s=%" PRId64 RELOAD, r->key,
		 r->fix);
	if (value < r->least)
		findings_add(out, FINDING_WARN, r->key, fix,
			     "%" PRId64 "%s: %s", value, r->unit, r->below);
	else
		findings_add(out, FINDING_OK, r->key, NULL, "%s",
			     site_config_get(conf, r->key));
}

/* What runs PrologSlurmctld. Plugins have the prefix of their class, or none.
 */
static void prep(const struct site_config *conf, struct findings *out)
{
	const char *plugins = site_config_get(conf, "PrEpPlugins");
	char fix[FIX_MAX];

	if (!plugins || site_config_has(conf, "PrEpPlugins", "prep/script") ||
	    site_config_has(conf, "PrEpPlugins", "script"))
		return;
	snprintf(fix, sizeof(fix),
		 "slurm.conf: PrEpPlugins=%s,prep/script" RESTART, plugins);
	findings_add(out, FINDING_WARN, "PrEpPlugins", fix,
		     "%s: nobody runs PrologSlurmctld, so a batch job starts "
		     "up to 30 s after its nodes are up",
		     plugins);
}

static void idle_time(const struct site_config *conf,
		      const struct slurm_facts *facts, struct findings *out)
{
	int64_t idle = site_config_number(conf, "SuspendTime");
	char fix[TIME_FIX_MAX];

	suspend_time_fix(NULL, facts->spare, fix);
	if ((idle < 0 || idle == INT64_MAX) && !facts->partitions_known)
		findings_add(out, FINDING_UNKNOWN, "SuspendTime", NULL,
			     "not set, and slurmctld does not tell what "
			     "partitions have");
	else if ((idle < 0 || idle == INT64_MAX) && facts->partition_suspends)
		findings_add(out, FINDING_OK, "SuspendTime", NULL,
			     "that of partitions");
	else if ((idle < 0 || idle == INT64_MAX) && facts->node_suspends)
		findings_add(out, FINDING_OK, "SuspendTime", NULL,
			     "that of NodeName lines");
	else if (idle < 0 || idle == INT64_MAX)
		findings_add(out, FINDING_WRONG, "SuspendTime", fix,
			     "not set, nor in any partition: Slurm has no "
			     "power saving, and no pod comes or goes");
	else
		findings_add(out, FINDING_OK, "SuspendTime", NULL,
			     "%" PRId64 " s", idle);
}

/* Check SuspendTimeout, unless part_rules() does, for each partition. */
static void time_to_end(const struct site_config *conf,
			const struct slurm_facts *facts, struct findings *out)
{
	int64_t down = site_config_number(conf, "SuspendTimeout");
	char fix[FIX_MAX];

	if (facts->partitions_known)
		return;
	if (down == INT64_MAX)
		down = 0; /* Slurm prints 0 as NONE */
	snprintf(fix, sizeof(fix), "slurm.conf: SuspendTimeout=%" PRId64 RELOAD,
		 facts->grace_s);
	if (down < facts->grace_s)
		findings_add(out, FINDING_WARN, "SuspendTimeout", fix,
			     "%" PRId64 " s: a pod has %" PRId64
			     " s to end (terminationGracePeriodSeconds)",
			     down, facts->grace_s);
	else
		findings_add(out, FINDING_OK, "SuspendTimeout", NULL,
			     "%" PRId64 " s", down);
}

static void rates(const struct site_config *conf, struct findings *out)
{
	static const char *const keys[] = {"ResumeRate", "SuspendRate"};

	for (size_t i = 0; i < 2; i++) {
		int64_t rate = site_config_number(conf, keys[i]);
		char fix[64];

		snprintf(fix, sizeof(fix), "slurm.conf: %s=0" RELOAD, keys[i]);
		if (rate > 0 && rate != INT64_MAX)
			findings_add(out, FINDING_WARN, keys[i], fix,
				     "%" PRId64 " nodes a minute at most",
				     rate);
		else
			findings_add(out, FINDING_OK, keys[i], NULL,
				     "no limit");
	}
}

static void nodes(const struct site_config *conf,
		  const struct slurm_facts *facts, struct findings *out)
{
	int64_t width = site_config_number(conf, "TreeWidth");
	char fix[FIX_MAX];

	snprintf(fix, sizeof(fix), "slurm.conf: ReturnToService=2%s" RELOAD,
		 whose(facts));
	if (site_config_number(conf, "ReturnToService") == 2)
		findings_add(out, FINDING_OK, "ReturnToService", NULL, "2");
	else
		findings_add(out, FINDING_WARN, "ReturnToService", fix,
			     "not 2: a node that was DOWN stays so when its "
			     "new pod registers");
	if (facts->release >= 2311)
		return;
	if (width >= 0 && (uint64_t)width < facts->nodes)
		findings_add(out, FINDING_WRONG, "TreeWidth",
			     "slurm.conf: TreeWidth=65533" RELOAD,
			     "%" PRId64
			     " with %zu nodes: slurmds pass messages "
			     "on to pods whose addresses they do not know",
			     width, facts->nodes);
	else
		findings_add(out, FINDING_OK, "TreeWidth", NULL, "%" PRId64,
			     width);
}

/* What a slurmd in an unprivileged pod cannot do. */
static void containment(const struct site_config *conf,
			const struct slurm_facts *facts, struct findings *out)
{
	static const char *const rules[][2] = {
		{"ProctrackType", "proctrack/linuxproc"},
		{"TaskPlugin", "task/none"},
		{"JobAcctGatherType", "jobacct_gather/linux"},
	};
	bool wrong = false;

	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++) {
		const char *value = site_config_get(conf, rules[i][0]);
		char fix[FIX_MAX];

		if (!facts->unprivileged || !value || !strstr(value, "cgroup"))
			continue;
		wrong = true;
		snprintf(fix, sizeof(fix),
			 "slurm.conf: %s=%s%s when no job runs, then restart "
			 "slurmctld and all slurmds; or make the pods "
			 "privileged (k8s.yaml)",
			 rules[i][0], rules[i][1], whose(facts));
		findings_add(out, FINDING_WARN, rules[i][0], fix,
			     "%s: slurmd does not start with it in an "
			     "unprivileged pod, unless it may write its "
			     "cgroups",
			     value);
	}
	if (!wrong)
		findings_add(out, FINDING_OK, "ProctrackType", NULL,
			     "with TaskPlugin and JobAcctGatherType: as the "
			     "pods can do it");
}

/*
 * Check for plugins that mount folders of a job's own, which takes
 * CAP_SYS_ADMIN.
 */
static void job_folders(const struct site_config *conf,
			const struct slurm_facts *facts, struct findings *out)
{
	static const char *const keys[] = {"JobContainerType", "NamespaceType"};

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		const char *value = site_config_get(conf, keys[i]);
		char fix[FIX_MAX];

		if (!facts->unprivileged || !value || strstr(value, "none"))
			continue;
		snprintf(fix, sizeof(fix),
			 "slurm.conf: take %s out%s" RESTART
			 " and all slurmds; or make the pods privileged "
			 "(k8s.yaml)",
			 keys[i], whose(facts));
		findings_add(out, FINDING_WARN, keys[i], fix,
			     "%s: it mounts, which slurmd in an unprivileged "
			     "pod may not",
			     value);
	}
}

static void features(const struct site_config *conf,
		     const struct slurm_facts *facts, struct findings *out)
{
	const char *plugins = site_config_get(conf, "NodeFeaturesPlugins");
	const char *submit = site_config_get(conf, "JobSubmitPlugins");
	bool ours = plugins && strstr(plugins, "node_features/k8s");
	char fix[FIX_MAX];

	snprintf(
		fix, sizeof(fix),
		"slurm.conf: NodeFeaturesPlugins=%s%snode_features/k8s" RESTART,
		plugins ? plugins : "", plugins ? "," : "");
	if (facts->has_features && !ours)
		findings_add(out, FINDING_WRONG, "NodeFeaturesPlugins", fix,
			     "%s: the features of k8s.yaml choose no pod",
			     plugins ? plugins : "none");
	else if (ours && !facts->has_features)
		findings_add(out, FINDING_WARN, "NodeFeaturesPlugins",
			     "slurm.conf: take node_features/k8s out of "
			     "NodeFeaturesPlugins" RESTART,
			     "node_features/k8s, but k8s.yaml has no features");
	else
		findings_add(out, FINDING_OK, "NodeFeaturesPlugins", NULL, "%s",
			     plugins ? plugins : "none, and no features");
	if (facts->has_features && (!submit || !strstr(submit, "k8s")))
		findings_add(out, FINDING_WARN, "JobSubmitPlugins",
			     "slurm.conf: add job_submit/k8s to "
			     "JobSubmitPlugins" RESTART,
			     "no job_submit/k8s: users are not told why a "
			     "request is refused");
}

static void selection(const struct site_config *conf,
		      const struct slurm_facts *facts, struct findings *out)
{
	const char *type = site_config_get(conf, "SelectType");
	const int64_t room = site_config_number(conf, "MaxNodeCount");
	char fix[FIX_MAX];

	if (!facts->creates_nodes)
		return;
	snprintf(fix, sizeof(fix), "slurm.conf: MaxNodeCount=%zu" RESTART,
		 facts->nodes_wanted);
	if (room >= 0 && room < (int64_t)facts->nodes_wanted)
		findings_add(out, FINDING_WRONG, "MaxNodeCount", fix,
			     "%" PRId64 ", and with those that k8s.yaml "
			     "creates there are %zu nodes: Slurm takes no more",
			     room, facts->nodes_wanted);
	else
		findings_add(out, FINDING_OK, "MaxNodeCount", NULL,
			     "room for %zu nodes", facts->nodes_wanted);
	if (type && strstr(type, "cons_tres"))
		findings_add(out, FINDING_OK, "SelectType", NULL, "%s", type);
	else
		findings_add(out, FINDING_WRONG, "SelectType",
			     "slurm.conf: SelectType=select/cons_tres, with an "
			     "empty queue (Slurm loses all jobs), then restart "
			     "slurmctld and all slurmds",
			     "%s: create of k8s.yaml needs select/cons_tres",
			     type ? type : "none");
}

static void external(const struct slurm_facts *facts, struct findings *out)
{
	if (facts->has_bridge && facts->suspends_external)
		findings_add(
			out, FINDING_WRONG, "SuspendExcStates",
			"slurm.conf: add EXTERNAL to SuspendExcStates" RELOAD,
			"Slurm powers external nodes down, and nothing "
			"powers them up");
}

static bool is_loopback(const char *host)
{
	const char *address = strchr(host, '(');

	address = address ? address + 1 : host;
	return str_starts(address, "127.") || str_starts(address, "::1") ||
	       str_starts(address, "localhost");
}

/* True if a SlurmctldHost, "name(address)", has an IPv6 address. */
static bool is_ipv6(const char *host)
{
	const char *address = strchr(host, '(');

	return address && strchr(address, ':');
}

/* Check each SlurmctldHost, "name(address)". */
static void hosts(const struct site_config *conf, struct findings *out)
{
	char key[] = "SlurmctldHost[0]";
	const char *value;

	for (; key[14] <= '9' && (value = site_config_get(conf, key));
	     key[14]++)
		if (is_loopback(value))
			findings_add(
				out, FINDING_WRONG, "SlurmctldHost",
				"slurm.conf: SlurmctldHost=NAME(an address "
				"that pods can reach)" RESTART,
				"%s: pods cannot reach slurmctld there", value);
		else if (is_ipv6(value) &&
			 !site_config_has(conf, "CommunicationParameters",
					  "EnableIPv6"))
			findings_add(out, FINDING_WRONG,
				     "CommunicationParameters",
				     "slurm.conf: add EnableIPv6 to "
				     "CommunicationParameters" RESTART,
				     "has no EnableIPv6: slurmctld cannot be "
				     "reached at %s",
				     value);
		else
			findings_add(out, FINDING_OK, "SlurmctldHost", NULL,
				     "%s", value);
}

/* Apply the rules that only matter where Slurm nodes are pods. */
static void pod_rules(const struct site_config *conf,
		      const struct slurm_facts *facts, struct findings *out)
{
	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++)
		program(&programs[i], conf, facts, out);
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		word(&words[i], conf, facts, out);
	for (size_t i = 0; i < sizeof(unwanted) / sizeof(*unwanted); i++)
		unwanted_word(&unwanted[i], conf, facts, out);
	for (size_t i = 0; i < sizeof(least) / sizeof(*least); i++)
		least_number(&least[i], conf, out);
	prep(conf, out);
	idle_time(conf, facts, out);
	time_to_end(conf, facts, out);
	rates(conf, out);
	nodes(conf, facts, out);
	containment(conf, facts, out);
	job_folders(conf, facts, out);
	features(conf, facts, out);
	selection(conf, facts, out);
}

void slurm_rules(const struct site_config *conf,
		 const struct slurm_facts *facts, struct findings *out)
{
	hosts(conf, out);
	if (scheduler(conf, out))
		plugin_dir(conf, facts, out);
	if (!facts->has_config)
		findings_add(out, FINDING_SKIPPED, "slurm.conf", NULL,
			     "the rest depends on k8s.yaml");
	else if (facts->has_nodesets)
		pod_rules(conf, facts, out);
	if (facts->has_config)
		external(facts, out);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "base/str.h"
#include "slurm_rules.h"
#include "t.h"

#define OURS "/usr/lib/x86_64-linux-gnu/slurm-k8s"

/* As "scontrol show config" prints a site where nothing is wrong. */
#define GOOD                                                                   \
	"Configuration data as of 2026-11-28T20:00:00\n"                       \
	"BatchStartTimeout       = 60 sec\n"                                   \
	"CommunicationParameters = (null)\n"                                   \
	"JobAcctGatherType       = jobacct_gather/none\n"                      \
	"JobContainerType        = job_container/none\n"                       \
	"JobRequeue              = 1\n"                                        \
	"MaxNodeCount            = 100\n"                                      \
	"MessageTimeout          = 10 sec\n"                                   \
	"NodeFeaturesPlugins     = (null)\n"                                   \
	"PluginDir               = " OURS ":/usr/lib/slurm\n"                  \
	"PrEpPlugins             = prep/script\n"                              \
	"PrivateData             = cloud\n"                                    \
	"ProctrackType           = proctrack/linuxproc\n"                      \
	"PrologSlurmctld         = /usr/libexec/slurm-k8s/k8s_prolog\n"        \
	"RebootProgram           = /usr/libexec/slurm-k8s/k8s_reboot\n"        \
	"ResumeFailProgram       = /usr/libexec/slurm-k8s/k8s_resume_fail\n"   \
	"ResumeProgram           = /usr/libexec/slurm-k8s/k8s_resume\n"        \
	"ResumeRate              = 0 nodes/min\n"                              \
	"ResumeTimeout           = 300 sec\n"                                  \
	"ReturnToService         = 2\n"                                        \
	"SchedulerType           = sched/backfill\n"                           \
	"SelectType              = select/cons_tres\n"                         \
	"SlurmctldHost[0]        = controller(192.0.2.1)\n"                    \
	"SlurmctldParameters     = enable_configless,cloud_reg_addrs,"         \
	"power_save_interval=1,reboot_from_controller\n"                       \
	"SlurmdTimeout           = 300 sec\n"                                  \
	"SlurmdParameters        = config_overrides\n"                         \
	"SuspendProgram          = /usr/libexec/slurm-k8s/k8s_suspend\n"       \
	"SuspendRate             = 0 nodes/min\n"                              \
	"SuspendTime             = 300 sec\n"                                  \
	"SuspendTimeout          = 30 sec\n"                                   \
	"TaskPlugin              = task/none\n"                                \
	"TreeWidth               = 65533\n"

static const char *no_fault(void *arg, const char *path, bool strict)
{
	if (arg)
		return arg;
	if (strstr(path, "open"))
		return strict ? "may be written by others" : NULL;
	return strstr(path, "gone") ? "is not there" : NULL;
}

static const struct slurm_facts usual = {
	.release = 2205,
	.nodes = 100,
	.nodes_wanted = 100,
	.libexec = "/usr/libexec/slurm-k8s",
	.plugin_dir = OURS,
	.scheduler_dir = OURS,
	.scheduler_is_ours = true,
	.has_config = true,
	.has_nodesets = true,
	.partitions_known = true,
	.unprivileged = true,
	.grace_s = 5,
	.program_fault = no_fault,
};

/* The site with `line` in the place of that which has its key. */
static struct site_config *site_with(const char *line)
{
	char key[64], text[4096] = "";
	const char *rest = GOOD;
	struct site_config *c;

	snprintf(key, sizeof(key), "%.*s", (int)strcspn(line, " ["), line);
	while (*rest) {
		int len = (int)strcspn(rest, "\n") + 1;

		if (!str_starts(rest, key) || !strchr(" [", rest[strlen(key)]))
			snprintf(text + strlen(text),
				 sizeof(text) - strlen(text), "%.*s", len,
				 rest);
		rest += len;
	}
	snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s\n",
		 line);
	c = site_config_read(text);
	if (!c)
		abort();
	return c;
}

static const struct finding *first_bad(const struct findings *f)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->v[i].state != FINDING_OK)
			return &f->v[i];
	return NULL;
}

static void a_good_site_has_nothing(void)
{
	_cleanup_(site_config_freep) struct site_config *conf =
		site_config_read(GOOD);
	struct findings f = {0};
	const struct finding *bad;

	slurm_rules(conf, &usual, &f);
	bad = first_bad(&f);
	T_STR(bad ? bad->text : NULL, NULL);
	T_OK(f.n > 20);
	T_INT(findings_exit_code(&f), 0);
	findings_clear(&f);
}

static const struct {
	const char *line;
	enum finding_state state;
	const char *check, *text, *fix;
} mistakes[] = {
	{"SlurmctldHost[0] = controller(127.0.0.1)", FINDING_WRONG,
	 "SlurmctldHost", "pods cannot reach", "SlurmctldHost=NAME"},
	{"SlurmctldHost[0] = localhost", FINDING_WRONG, "SlurmctldHost",
	 "pods cannot reach", "SlurmctldHost=NAME"},
	{"SchedulerType = sched/builtin", FINDING_WRONG, "SchedulerType",
	 "the engine does not run", "SchedulerType=sched/backfill"},
	{"ResumeProgram = (null)", FINDING_WRONG, "ResumeProgram", "not set",
	 "ResumeProgram=/usr/libexec/slurm-k8s/k8s_resume"},
	{"ResumeProgram = /gone/k8s_resume", FINDING_WRONG, "ResumeProgram",
	 "/gone/k8s_resume is not there",
	 "ResumeProgram=/usr/libexec/slurm-k8s/k8s_resume"},
	{"ResumeProgram = /site/resume", FINDING_WARN, "ResumeProgram",
	 "/site/resume is not k8s_resume", NULL},
	{"SuspendProgram = (null)", FINDING_WRONG, "SuspendProgram", "not set",
	 "SuspendProgram="},
	{"ResumeFailProgram = (null)", FINDING_WARN, "ResumeFailProgram",
	 "stays DOWN", "ResumeFailProgram="},
	{"RebootProgram = (null)", FINDING_WARN, "RebootProgram",
	 "replaces no pod", "RebootProgram="},
	{"PrologSlurmctld = (null)", FINDING_WARN, "PrologSlurmctld", "30 s",
	 "PrologSlurmctld="},
	{"SlurmctldParameters = enable_configless,cloud_reg_addrs,"
	 "power_save_interval=1",
	 FINDING_WARN, "SlurmctldParameters", "reboot_from_controller",
	 "add reboot_from_controller to SlurmctldParameters, then "
	 "restart"},
	{"SlurmctldParameters = "
	 "enable_configless,power_save_interval=1,"
	 "reboot_from_controller",
	 FINDING_WRONG, "SlurmctldParameters",
	 "does not learn the pods' addresses", "cloud_reg_addrs"},
	{"SlurmdParameters = (null)", FINDING_WARN, "SlurmdParameters",
	 "config_overrides", "add config_overrides to SlurmdParameters"},
	{"PrivateData = none", FINDING_WARN, "PrivateData", "sinfo",
	 "add cloud to PrivateData"},
	{"SuspendTime = INFINITE", FINDING_WRONG, "SuspendTime",
	 "no power saving", "SuspendTime=300"},
	{"SuspendTime = NONE", FINDING_WRONG, "SuspendTime", "no power saving",
	 "SuspendTime=300"},
	{"ResumeRate = 300 nodes/min", FINDING_WARN, "ResumeRate",
	 "300 nodes a minute", "ResumeRate=0"},
	{"SuspendRate = 60 nodes/min", FINDING_WARN, "SuspendRate",
	 "60 nodes a minute", "SuspendRate=0"},
	{"ReturnToService = 0", FINDING_WARN, "ReturnToService",
	 "DOWN stays so", "ReturnToService=2"},
	{"TreeWidth = 50", FINDING_WRONG, "TreeWidth", "100 nodes",
	 "TreeWidth=65533"},
	{"ProctrackType = proctrack/cgroup", FINDING_WARN, "ProctrackType",
	 "unprivileged", "proctrack/linuxproc"},
	{"TaskPlugin = task/cgroup,task/affinity", FINDING_WARN, "TaskPlugin",
	 "unprivileged", "slurm.conf: TaskPlugin=task/none when no job runs"},
	{"ResumeProgram = /usr/libexec/slurm-k8s/k8s_resume_fail", FINDING_WARN,
	 "ResumeProgram", "is not k8s_resume", NULL},
	{"SlurmctldHost[0] = controller(::1)", FINDING_WRONG, "SlurmctldHost",
	 "controller(::1)", "SlurmctldHost=NAME"},
	{"JobAcctGatherType = jobacct_gather/cgroup", FINDING_WARN,
	 "JobAcctGatherType", "unprivileged", "jobacct_gather/linux"},
	{"NodeFeaturesPlugins = node_features/k8s", FINDING_WARN,
	 "NodeFeaturesPlugins", "no features",
	 "take node_features/k8s out of NodeFeaturesPlugins"},
	{"SlurmctldParameters = enable_configless,cloud_reg_addrs,"
	 "power_save_interval=1,reboot_from_controller,cloud_dns",
	 FINDING_WARN, "SlurmctldParameters", "has cloud_dns",
	 "take cloud_dns out of SlurmctldParameters, then restart"},
	{"SlurmctldParameters = idle_on_node_suspend,enable_configless,"
	 "cloud_reg_addrs,power_save_interval=1,reboot_from_controller",
	 FINDING_WARN, "SlurmctldParameters",
	 "has idle_on_node_suspend: a node that somebody has drained",
	 "take idle_on_node_suspend out of SlurmctldParameters"},
	{"BatchStartTimeout = 10 sec", FINDING_WARN, "BatchStartTimeout",
	 "10 s: a batch job whose pod is slow",
	 "BatchStartTimeout=60, then: scontrol reconfigure"},
	{"MessageTimeout = 5 sec", FINDING_WARN, "MessageTimeout",
	 "5 s: a pod that is busy", "MessageTimeout=10"},
	{"SlurmdTimeout = 0 sec", FINDING_WARN, "SlurmdTimeout",
	 "nobody notices a slurmd that hangs", "SlurmdTimeout=300"},
	{"JobRequeue = 0", FINDING_WARN, "JobRequeue",
	 "does not go back to the queue", "JobRequeue=1"},
	{"PrEpPlugins = prep/site", FINDING_WARN, "PrEpPlugins",
	 "prep/site: nobody runs PrologSlurmctld",
	 "PrEpPlugins=prep/site,prep/script, then restart"},
	{"JobContainerType = job_container/tmpfs", FINDING_WARN,
	 "JobContainerType", "job_container/tmpfs: it mounts",
	 "take JobContainerType out"},
	{"NamespaceType = namespace/linux", FINDING_WARN, "NamespaceType",
	 "namespace/linux: it mounts", "take NamespaceType out"},
	{"SlurmctldHost[0] = controller(2001:db8::1)", FINDING_WRONG,
	 "CommunicationParameters",
	 "cannot be reached at controller(2001:db8::1)",
	 "add EnableIPv6 to CommunicationParameters"},
};

static void one_mistake_is_one_finding(void)
{
	for (size_t i = 0; i < T_COUNT(mistakes); i++) {
		_cleanup_(site_config_freep) struct site_config *conf =
			site_with(mistakes[i].line);
		const struct finding *bad;
		struct findings f = {0};
		size_t n = 0;

		t_row("%s", mistakes[i].line);
		slurm_rules(conf, &usual, &f);
		bad = first_bad(&f);
		if (T_OK(bad != NULL)) {
			T_INT(bad->state, mistakes[i].state);
			T_STR(bad->check, mistakes[i].check);
			T_HAS(bad->text, mistakes[i].text);
			if (mistakes[i].fix)
				T_HAS(bad->fix, mistakes[i].fix);
			else
				T_STR(bad->fix, NULL);
		}
		for (size_t k = 0; k < f.n; k++)
			n += f.v[k].state != FINDING_OK;
		T_INT(n, 1);
		T_INT(findings_exit_code(&f),
		      mistakes[i].state == FINDING_WRONG ? 1 : 0);
		findings_clear(&f);
	}
}

/* Settings that matter for what k8s.yaml has, or for older releases only. */
static void what_does_not_matter_is_not_told(void)
{
	static const struct {
		const char *line;
		int release;
		bool privileged, features, creates;
		const char *check; /* what is bad then; NULL: nothing */
	} rows[] = {
		{"TreeWidth = 50", 2311, false, false, false, NULL},
		{"PrivateData = none", 2605, false, false, false, NULL},
		{"SlurmctldParameters = "
		 "enable_configless,power_save_interval=1,"
		 "reboot_from_controller",
		 2411, false, false, false, NULL},
		{"ProctrackType = proctrack/cgroup", 2205, true, false, false,
		 NULL},
		{"SelectType = select/linear", 2605, false, false, false, NULL},
		{"SelectType = select/linear", 2605, false, false, true,
		 "SelectType"},
		{"NodeFeaturesPlugins = (null)", 2205, false, true, false,
		 "NodeFeaturesPlugins"},
		{"NodeFeaturesPlugins = node_features/k8s", 2205, false, true,
		 false, "JobSubmitPlugins"},
		{"PrologSlurmctld[0] = /site/k8s_prolog", 2605, false, false,
		 false, NULL},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_(site_config_freep) struct site_config *conf =
			site_with(rows[i].line);
		struct slurm_facts facts = usual;
		const struct finding *bad;
		struct findings f = {0};

		t_row("%zu: %s", i, rows[i].line);
		facts.release = rows[i].release;
		facts.unprivileged = !rows[i].privileged;
		facts.has_features = rows[i].features;
		facts.creates_nodes = rows[i].creates;
		slurm_rules(conf, &facts, &f);
		bad = first_bad(&f);
		T_STR(bad ? bad->check : NULL, rows[i].check);
		findings_clear(&f);
	}
}

static const struct finding *named(const struct findings *f, const char *check)
{
	for (size_t i = 0; i < f->n; i++)
		if (!strcmp(f->v[i].check, check))
			return &f->v[i];
	return NULL;
}

/* What slurm_rules() finds of one check, where the site has this line. */
static void finds(const struct slurm_facts *facts, const char *line,
		  const char *check, int state, const char *text,
		  const char *fix)
{
	_cleanup_(site_config_freep) struct site_config *conf = site_with(line);
	struct findings f = {0};
	const struct finding *v;

	slurm_rules(conf, facts, &f);
	v = named(&f, check);
	if (state < 0)
		T_OK(v == NULL);
	else if (T_OK(v != NULL)) {
		T_INT(v->state, state);
		T_HAS(v->text, text);
		T_HAS(v->fix ? v->fix : "", fix);
	}
	findings_clear(&f);
}

static void the_scheduler_is_taken_from_the_first_folder_that_has_it(void)
{
	struct slurm_facts facts = usual;

	facts.scheduler_is_ours = false;
	facts.scheduler_dir = "/usr/lib/slurm";
	finds(&facts, "PluginDir = /usr/lib/slurm:" OURS, "PluginDir",
	      FINDING_WRONG, "takes its scheduler from /usr/lib/slurm",
	      "put our folder first");
	finds(&facts, "PluginDir = /usr/lib/slurm", "PluginDir", FINDING_WRONG,
	      "does not have " OURS, "PluginDir=" OURS ":/usr/lib/slurm");
	facts.scheduler_is_ours = true;
	finds(&facts, "PluginDir = /site/plugins:" OURS "/:/usr/lib/slurm",
	      "PluginDir", FINDING_OK, "/site/plugins", "");
}

static void partitions_and_nodes_have_times_of_their_own(void)
{
	struct slurm_facts facts = usual;

	facts.partition_suspends = true;
	finds(&facts, "SuspendTime = INFINITE", "SuspendTime", FINDING_OK,
	      "partitions", "");
	facts.partition_suspends = false;
	facts.node_suspends = true;
	finds(&facts, "SuspendTime = INFINITE", "SuspendTime", FINDING_OK,
	      "NodeName", "");
	facts.node_suspends = false;
	facts.release = 2605;
	finds(&facts, "SuspendTime = INFINITE", "SuspendTime", FINDING_WRONG,
	      "no power saving", "SuspendTime=300");
	finds(&facts, "ResumeProgram = pods_up", "ResumeProgram", FINDING_OK,
	      "PowerAction pods_up", "");
	facts.conf_text = "PowerAction=pods_up Location=slurmctld "
			  "Program=\"/usr/libexec/slurm-k8s/k8s_resume -v\"\n"
			  "PowerAction=there Location=slurmd Program=/a\n"
			  "PowerAction=lost Location=slurmctld "
			  "Program=/gone/k8s_resume\n";
	finds(&facts, "ResumeProgram = pods_up", "ResumeProgram", FINDING_OK,
	      "/usr/libexec/slurm-k8s/k8s_resume", "");
	finds(&facts, "ResumeProgram = pods_down", "ResumeProgram",
	      FINDING_WRONG,
	      "slurm.conf has no PowerAction pods_down: no pod is ever created",
	      "ResumeProgram=/usr/libexec/slurm-k8s/k8s_resume");
	finds(&facts, "ResumeProgram = there", "ResumeProgram", FINDING_WRONG,
	      "the PowerAction there runs in the pods, not here",
	      "Location=slurmctld in the line");
	finds(&facts, "ResumeProgram = lost", "ResumeProgram", FINDING_WRONG,
	      "/gone/k8s_resume is not there", "");
	facts.release = 2411;
	finds(&facts, "ResumeProgram = gone", "ResumeProgram", FINDING_WRONG,
	      "is not there", "");
}

/* Done to the letter, the fix does not power nodes down that are no pods. */
static void metal_is_spared_when_power_saving_begins(void)
{
	struct slurm_facts facts = usual;

	facts.spare = "metal-[0-9]";
	finds(&facts, "SuspendTime = NONE", "SuspendTime", FINDING_WRONG,
	      "no power saving",
	      "slurm.conf: SuspendTime=300 and SuspendExcNodes=metal-[0-9], "
	      "then: scontrol reconfigure");
	facts.spare = NULL;
	finds(&facts, "SuspendTime = NONE", "SuspendTime", FINDING_WRONG,
	      "no power saving",
	      "slurm.conf: SuspendTime=300, then: scontrol reconfigure");
}

static void programs_of_the_site_are_not_to_be_replaced(void)
{
	finds(&usual, "ResumeProgram = /open/resume", "ResumeProgram",
	      FINDING_WRONG, "may be written by others",
	      "nobody else may write");
	finds(&usual, "ResumeProgram = /open/k8s_resume", "ResumeProgram",
	      FINDING_WRONG, "may be written by others",
	      "ResumeProgram=/usr/libexec/slurm-k8s/k8s_resume");
	/* Slurm runs this one all the same */
	finds(&usual, "PrologSlurmctld = /open/k8s_prolog", "PrologSlurmctld",
	      FINDING_OK, "/open/k8s_prolog", "");
}

/* How often reboot_from_controller is told of, where this is RebootProgram. */
static size_t reboot_words(const struct slurm_facts *facts, const char *reboot)
{
	char line[512];
	_cleanup_(site_config_freep) struct site_config *conf = NULL;
	struct findings f = {0};
	size_t n = 0;

	snprintf(line, sizeof(line),
		 "SlurmctldParameters = enable_configless,cloud_reg_addrs,"
		 "power_save_interval=1\nRebootProgram = %s",
		 reboot);
	conf = site_config_read(line);
	slurm_rules(conf, facts, &f);
	for (size_t i = 0; i < f.n; i++)
		n += strstr(f.v[i].text, "reboot_from_controller") != NULL;
	findings_clear(&f);
	return n;
}

/* With a program of the site's own it would run on the controller. */
static void reboots_are_the_controllers_only_with_our_program(void)
{
	static const struct {
		const char *program;
		size_t told;
	} rows[] = {
		{"/usr/libexec/slurm-k8s/k8s_reboot", 1},
		{"/sbin/reboot", 0},
		{"(null)", 0},
		{"ours", 1},
		{"sites", 0},
		{"there", 0},
		{"unknown", 0},
	};
	struct slurm_facts facts = usual;

	facts.release = 2605;
	facts.conf_text = "PowerAction=ours Location=slurmctld "
			  "Program=/usr/libexec/slurm-k8s/k8s_reboot\n"
			  "PowerAction=sites Location=slurmctld "
			  "Program=/sbin/reboot\n"
			  "PowerAction=there Location=slurmd "
			  "Program=/usr/libexec/slurm-k8s/k8s_reboot\n";
	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%s", rows[i].program);
		T_INT(reboot_words(&facts, rows[i].program), rows[i].told);
	}
}

/* To set it to the path that it has would mend nothing. */
static void our_program_in_its_place_is_mended_there(void)
{
	struct slurm_facts facts = usual;
	char mode[] = "may not be executed by SlurmUser";
	char missing[] = PROGRAM_MISSING;

	facts.arg = mode;
	finds(&facts, "SuspendProgram = /usr/libexec/slurm-k8s/k8s_suspend",
	      "SuspendProgram", FINDING_WRONG, "may not be executed",
	      "chmod 755 /usr/libexec/slurm-k8s/k8s_suspend; or install");
	finds(&facts, "SuspendProgram = /old/k8s_suspend", "SuspendProgram",
	      FINDING_WRONG, "may not be executed",
	      "SuspendProgram=/usr/libexec/slurm-k8s/k8s_suspend, then");
	facts.arg = missing;
	finds(&facts, "SuspendProgram = /usr/libexec/slurm-k8s/k8s_suspend",
	      "SuspendProgram", FINDING_WRONG, "is not there",
	      "install slurm-k8s again");
}

/* Who has other nodes reads what they will do before it is done. */
static void what_holds_for_all_nodes_says_so(void)
{
	static const struct {
		const char *line, *fix;
		bool slurmctlds; /* and no slurmd reads it */
	} rows[] = {
		{"ProctrackType = proctrack/cgroup",
		 "ProctrackType=proctrack/linuxproc"},
		{"TaskPlugin = task/cgroup", "TaskPlugin=task/none"},
		{"JobAcctGatherType = jobacct_gather/cgroup",
		 "JobAcctGatherType=jobacct_gather/linux"},
		{"JobContainerType = job_container/tmpfs",
		 "take JobContainerType out"},
		{"ReturnToService = 0", "ReturnToService=2"},
		{"SlurmdParameters = (null)",
		 "add config_overrides to SlurmdParameters"},
		{"ResumeRate = 300", "ResumeRate=0", true},
	};

	for (size_t i = 0; i < 2 * T_COUNT(rows); i++) {
		_cleanup_(site_config_freep) struct site_config *conf =
			site_with(rows[i / 2].line);
		struct slurm_facts facts = usual;
		const struct finding *bad;
		struct findings f = {0};
		char fix[256];

		t_row("%s, %zu other nodes", rows[i / 2].line, i % 2);
		facts.others = i % 2;
		slurm_rules(conf, &facts, &f);
		bad = first_bad(&f);
		snprintf(fix, sizeof(fix), "slurm.conf: %s%s", rows[i / 2].fix,
			 facts.others && !rows[i / 2].slurmctlds
				 ? " (for all nodes, also those that are no "
				   "pods)"
				 : "");
		T_HAS(bad ? bad->fix : "", fix);
		if (!facts.others || rows[i / 2].slurmctlds)
			T_LACKS(bad ? bad->fix : "", "for all nodes");
		findings_clear(&f);
	}
}

static void what_is_not_known_is_not_wrong(void)
{
	struct slurm_facts facts = usual;

	facts.partitions_known = false;
	finds(&facts, "SuspendTime = INFINITE", "SuspendTime", FINDING_UNKNOWN,
	      "does not tell", "");
	facts.scheduler_is_ours = false;
	finds(&facts, "SchedulerType = sched/builtin", "PluginDir", -1, NULL,
	      NULL);
	finds(&usual, "SlurmctldParameters = power_save_interval",
	      "SlurmctldParameters", FINDING_WRONG, "cloud_reg_addrs", "add");
	finds(&usual, "TreeWidth = 100", "TreeWidth", FINDING_OK, "100", "");
}

static void part_rules_has_the_time_to_end_where_partitions_are_known(void)
{
	struct slurm_facts facts = usual;

	finds(&facts, "SuspendTimeout = 3 sec", "SuspendTimeout", -1, NULL,
	      NULL);
	facts.partitions_known = false;
	finds(&facts, "SuspendTimeout = 3 sec", "SuspendTimeout", FINDING_WARN,
	      "5 s to end", "SuspendTimeout=5");
	finds(&facts, "SuspendTimeout = NONE", "SuspendTimeout", FINDING_WARN,
	      "5 s to end", "SuspendTimeout=5");
	finds(&facts, "SuspendTimeout = 5 sec", "SuspendTimeout", FINDING_OK,
	      "5 s", "");
}

static void features_are_added_to_what_a_site_has(void)
{
	struct slurm_facts facts = usual;

	facts.has_features = true;
	finds(&facts, "NodeFeaturesPlugins = node_features/helpers",
	      "NodeFeaturesPlugins", FINDING_WRONG, "choose no pod",
	      "NodeFeaturesPlugins=node_features/helpers,node_features/k8s");
	finds(&facts, "JobSubmitPlugins = lua", "JobSubmitPlugins",
	      FINDING_WARN, "not told why", "job_submit/k8s");
	finds(&facts, "JobSubmitPlugins = lua,job_submit/k8s",
	      "JobSubmitPlugins", -1, NULL, NULL);
}

static void a_site_without_nodesets_needs_no_power_saving(void)
{
	struct slurm_facts facts = usual;

	facts.has_nodesets = false;
	facts.has_bridge = true;
	finds(&facts, "SuspendProgram = (null)", "SuspendProgram", -1, NULL,
	      NULL);
	finds(&facts, "SuspendTime = INFINITE", "SuspendTime", -1, NULL, NULL);
	finds(&facts, "SuspendTime = 300", "SuspendExcStates", -1, NULL, NULL);
	facts.suspends_external = true;
	finds(&facts, "SuspendTime = 300", "SuspendExcStates", FINDING_WRONG,
	      "external nodes", "add EXTERNAL to SuspendExcStates");
	facts.has_config = false;
	finds(&facts, "SuspendProgram = (null)", "SuspendProgram", -1, NULL,
	      NULL);
	finds(&facts, "SuspendProgram = (null)", "slurm.conf", FINDING_SKIPPED,
	      "depends on k8s.yaml", "");
}

static void pods_may_have_names_in_dns(void)
{
	static const char line[] =
		"SlurmctldParameters = enable_configless,cloud_reg_addrs,"
		"power_save_interval=1,reboot_from_controller,cloud_dns";
	struct slurm_facts facts = usual;
	_cleanup_(site_config_freep) struct site_config *conf = site_with(line);
	struct findings f = {0};

	facts.have_dns_names = true;
	slurm_rules(conf, &facts, &f);
	T_OK(first_bad(&f) == NULL);
	findings_clear(&f);
}

static void created_nodes_need_room(void)
{
	struct slurm_facts facts = usual;

	facts.nodes_wanted = 101;
	finds(&facts, "MaxNodeCount = 100", "MaxNodeCount", -1, NULL, NULL);
	facts.creates_nodes = true;
	finds(&facts, "MaxNodeCount = 100", "MaxNodeCount", FINDING_WRONG,
	      "100, and with those that k8s.yaml creates there are 101 nodes",
	      "slurm.conf: MaxNodeCount=101, then restart slurmctld");
	finds(&facts, "MaxNodeCount = 101", "MaxNodeCount", FINDING_OK,
	      "room for 101", "");
}

static void what_is_good_enough_is_not_told(void)
{
	finds(&usual, "BatchStartTimeout = INFINITE", "BatchStartTimeout",
	      FINDING_OK, "INFINITE", "");
	finds(&usual, "BatchStartTimeout = 30 sec", "BatchStartTimeout",
	      FINDING_OK, "30 sec", "");
	finds(&usual, "MessageTimeout = (null)", "MessageTimeout", -1, NULL,
	      NULL);
	finds(&usual, "PrEpPlugins = script,site", "PrEpPlugins", -1, NULL,
	      NULL);
	finds(&usual, "CommunicationParameters = EnableIPv6",
	      "CommunicationParameters", -1, NULL, NULL);
}

static void settings_are_found_by_name(void)
{
	_cleanup_(site_config_freep) struct site_config *c = site_config_read(
		"no setting\nKey = a,b=2,c\n  Spaced\t=  x y \nNone = (null)\n"
		"Na = N/A\nEmpty =\nList[0] = first\nList[1] = second\n"
		"Keys = other\nInf = INFINITE\nSec = 30 sec\nWord = x\n"
		"Below = -1");

	T_STR(site_config_get(c, "key"), "a,b=2,c");
	T_STR(site_config_get(c, "Spaced"), "x y");
	T_STR(site_config_get(c, "None"), NULL);
	T_STR(site_config_get(c, "Na"), NULL);
	T_STR(site_config_get(c, "Empty"), NULL);
	T_STR(site_config_get(c, "List"), "first");
	T_STR(site_config_get(c, "missing"), NULL);
	T_OK(site_config_has(c, "Key", "b") && site_config_has(c, "Key", "a"));
	T_OK(!site_config_has(c, "Key", "B2") &&
	     !site_config_has(c, "Key", ""));
	T_OK(!site_config_has(c, "None", "null"));
	T_OK(site_config_has(c, "Key", "b=7") &&
	     !site_config_has(c, "Key", "a=7"));
	T_INT(site_config_number(c, "Inf"), INT64_MAX);
	T_INT(site_config_number(c, "Sec"), 30);
	T_INT(site_config_number(c, "Word"), -1);
	T_INT(site_config_number(c, "Below"), -1);
	T_INT(site_config_number(c, "missing"), -1);
}

T_MAIN("slurm_rules", T(a_good_site_has_nothing), T(one_mistake_is_one_finding),
       T(what_does_not_matter_is_not_told),
       T(the_scheduler_is_taken_from_the_first_folder_that_has_it),
       T(partitions_and_nodes_have_times_of_their_own),
       T(metal_is_spared_when_power_saving_begins),
       T(programs_of_the_site_are_not_to_be_replaced),
       T(reboots_are_the_controllers_only_with_our_program),
       T(our_program_in_its_place_is_mended_there),
       T(what_holds_for_all_nodes_says_so), T(what_is_not_known_is_not_wrong),
       T(part_rules_has_the_time_to_end_where_partitions_are_known),
       T(features_are_added_to_what_a_site_has),
       T(a_site_without_nodesets_needs_no_power_saving),
       T(pods_may_have_names_in_dns), T(created_nodes_need_room),
       T(what_is_good_enough_is_not_told), T(settings_are_found_by_name))

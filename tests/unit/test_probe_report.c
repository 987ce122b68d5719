/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "probe_findings.h"
#include "t.h"

#define HELLO "slurm-k8s-probe-0000000000000001"
#define BEGIN "probe " HELLO "\n"

static const char good[] = BEGIN "version slurm-wlm 22.05.8 \n"
				 "key ok /run/secrets/munge/munge.key\n"
				 "name 0 ok 192.0.2.1\nport 0 ok\nlisten ok\n"
				 "end\n";

static void lines_are_read(void)
{
	struct probe_report r;

	probe_report_read(&r, good, HELLO);
	T_OK(r.begun && r.whole);
	T_INT(r.version.answer, PROBE_OK);
	T_STR(r.version.words, "slurm-wlm 22.05.8");
	T_INT(r.key.answer, PROBE_OK);
	T_INT(r.name[0].answer, PROBE_OK);
	T_STR(r.name[0].words, "192.0.2.1");
	T_INT(r.name[1].answer, PROBE_UNTOLD);
	T_INT(r.port[0].answer, PROBE_OK);
	T_INT(r.listen.answer, PROBE_OK);
}

static void another_text_is_no_report(void)
{
	static const char *const texts[] = {"",
					    "\n",
					    "probe",
					    "probe \n",
					    "probe other\nend\n",
					    "probe " HELLO "x\nend\n",
					    "end\n" BEGIN,
					    "\033[2J"};
	struct probe_report r;

	for (size_t i = 0; i < T_COUNT(texts); i++) {
		t_row("%zu", i);
		probe_report_read(&r, texts[i], HELLO);
		T_OK(!r.begun && !r.whole);
		T_INT(r.version.answer, PROBE_UNTOLD);
	}
}

static void a_hostile_report_is_bounded(void)
{
	_cleanup_free_ char *junk = t_repeat("\033[2Jx\377", 1000);
	_cleanup_free_ char *text = str_printf(
		BEGIN "version %s\nname 0 fail %s\nname 6 ok\nname -1 ok\n"
		      "name 00 ok\nname  ok\nport 9 ok\nkey maybe\nlisten\n"
		      "file 16 ok\nfile 1x ok\nfile 015 ok\nfile 07 ok\n"
		      "name 0 ok again\nnothing of all this\n\n",
		junk, junk);
	struct probe_report r;

	probe_report_read(&r, text, HELLO);
	T_OK(r.begun && !r.whole);
	T_INT(strlen(r.version.words), PROBE_WORDS_MAX - 1);
	T_LACKS(r.version.words, "\033");
	T_LACKS(r.version.words, "\377");
	T_INT(r.name[0].answer, PROBE_FAIL);
	T_LACKS(r.name[0].words, "\033");
	for (size_t i = 1; i < PROBE_TARGETS_MAX; i++)
		T_INT(r.name[i].answer, PROBE_UNTOLD);
	for (size_t i = 0; i < PROBE_NEEDS_MAX; i++)
		T_INT(r.file[i].answer, PROBE_UNTOLD);
	T_INT(r.key.answer, PROBE_UNTOLD);
	T_INT(r.listen.answer, PROBE_UNTOLD);
}

static void releases_have_an_order(void)
{
	static const struct {
		const char *words;
		int release, micro;
	} rows[] = {
		{"slurm 26.05.5", 2605, 5},
		{"slurm-wlm 22.05.8", 2205, 8},
		{"slurm 26.11.0-0rc1", 2611, 0},
		{"slurm 26.05", 2605, -1},
		{"", 0, -1},
		{"slurmd: error", 0, -1},
		{"26.5.1", 0, -1},
		{"slurm 26.05.99999999999999999999", 2605, -2},
	};
	int micro;

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%s", rows[i].words);
		T_INT(probe_release(rows[i].words, &micro), rows[i].release);
		if (rows[i].micro != -2)
			T_INT(micro, rows[i].micro);
	}
	T_INT(probe_releases_behind(2205, 2302), 1);
	T_INT(probe_releases_behind(2108, 2205), 1);
	T_INT(probe_releases_behind(2011, 2205), 2);
	T_OK(probe_releases_behind(1905, 2205) > 2);
	T_INT(probe_releases_behind(2302, 2405), 2);
	T_INT(probe_releases_behind(2411, 2605), 3);
	T_INT(probe_releases_behind(2605, 2605), 0);
	T_INT(probe_releases_behind(2611, 2605), -1);
}

/* --- findings */

static struct config *config;

static const struct nodeset *nodeset(void)
{
	static const char text[] =
		"clusters: [{name: main, kubeconfig: k}]\n"
		"nodesets: [{name: cpu, cluster: main, nodes: n0, "
		"podTemplate: {spec: {hostAliases: [{ip: 192.0.2.9, "
		"hostnames: [a, b]}, {ip: 192.0.2.8}], containers: [{name: "
		"slurmd}]}}}]\n";
	struct err err = {0};

	if (!config)
		T_INT(config_parse("k8s.yaml", text, strlen(text), &config,
				   &err),
		      0);
	return &config->nodesets[0];
}

struct case_of {
	struct probe_seen seen;
	struct probe_reach reach;
	struct probe_plan plan;
	struct probe_result result;
	struct findings found;
};

/* A pod that started after 3 s; the controller has reached it. */
static struct case_of *case_with(const char *message)
{
	struct case_of *c = calloc(1, sizeof(*c));

	if (!c)
		abort();
	probe_seen_begin(&c->seen, 1000);
	c->seen.scheduled_ms = 2000;
	c->seen.started_ms = 4000;
	c->seen.ended = true;
	c->seen.events_known = true;
	str_copy(c->seen.kube_node, "k-1", sizeof(c->seen.kube_node));
	str_copy(c->seen.ip, "10.0.0.9", sizeof(c->seen.ip));
	str_copy(c->seen.message, message, sizeof(c->seen.message));
	c->reach.tried = c->reach.reached = true;
	c->plan.auth = "munge";
	c->plan.slurmd_port = 6818;
	str_copy(c->plan.hello, HELLO, sizeof(c->plan.hello));
	c->plan.targets.n = 1;
	c->plan.targets.v[0] = (struct probe_target){
		.host = "ctl", .port = 6817, .from = "SlurmctldHost"};
	c->result = (struct probe_result){.set = nodeset(),
					  .plan = &c->plan,
					  .seen = &c->seen,
					  .reach = &c->reach,
					  .ended_ms = 61000,
					  .resume.timeout_s = 60,
					  .slurm_version = "22.05.8"};
	return c;
}

static void case_free(struct case_of *c)
{
	findings_clear(&c->found);
	free(c);
}
DEFINE_CLEANUP(struct case_of, case_freep, case_free)
#define _cleanup_case_ _cleanup_(case_freep)

/* The only finding that is not in order. */
static const struct finding *only(const struct case_of *c)
{
	static const struct finding none = {.check = "none", .text = NULL};
	const struct finding *f = &none;
	size_t n = 0;

	for (size_t i = 0; i < c->found.n; i++)
		if (c->found.v[i].state != FINDING_OK) {
			f = &c->found.v[i];
			n++;
		}
	T_INT(n, 1);
	return f;
}

static void finds(struct case_of *c, enum finding_state state,
		  const char *check, const char *words)
{
	const struct finding *f;

	probe_findings(&c->result, &c->found);
	f = only(c);
	T_INT(f->state, state);
	T_STR(f->check, check);
	T_HAS(f->text, words);
}

static void all_is_well(void)
{
	static const char *const checks[] = {
		"probe",	 "ResumeTimeout", "image",     "key",
		"SlurmctldHost", "SlurmctldPort", "SlurmdPort"};
	_cleanup_case_ struct case_of *c = case_with(good);

	probe_findings(&c->result, &c->found);
	T_INT(c->found.n, T_COUNT(checks));
	for (size_t i = 0; i < c->found.n && i < T_COUNT(checks); i++) {
		T_STR(c->found.v[i].check, checks[i]);
		T_INT(c->found.v[i].state, FINDING_OK);
	}
	T_STR(c->found.v[0].text,
	      "nodeset cpu: its pod started after 3 s on k-1: scheduled after "
	      "1 s, its image was there already");
}

static void a_pull_that_nobody_tells_of_is_not_known(void)
{
	_cleanup_case_ struct case_of *c = case_with(good);
	_cleanup_case_ struct case_of *pulled = case_with(good);

	c->seen.events_known = false;
	probe_findings(&c->result, &c->found);
	T_HAS(c->found.v[0].text,
	      "1 s, how long its image was pulled is not known");
	pulled->seen.pull_s = 7;
	probe_findings(&pulled->result, &pulled->found);
	T_HAS(pulled->found.v[0].text, "its image pulled in 7 s");
}

static void what_the_pod_says_is_found(void)
{
	static const struct {
		const char *from, *to;
		enum finding_state state;
		const char *check, *words;
	} rows[] = {
		{"slurm-wlm 22.05.8", "slurm 22.05.9", FINDING_WARN, "image",
		 "its image has slurm 22.05.9, and slurmctld is 22.05.8"},
		{"slurm-wlm 22.05.8", "slurm 26.05.5", FINDING_WRONG, "image",
		 "its image has slurm 26.05.5, which slurmctld 22.05.8 does "
		 "not talk to"},
		{"slurm-wlm 22.05.8", "", FINDING_UNKNOWN, "image",
		 "its image has no slurmd in PATH"},
		{"slurm-wlm 22.05.8", "slurmd: libmunge.so.2 is missing",
		 FINDING_WRONG, "image",
		 "its slurmd does not tell its release: slurmd: libmunge"},
		{"key ok", "key missing", FINDING_WARN, "key",
		 "auth/munge: /run/secrets/munge/munge.key is not there"},
		{"key ok", "key unreadable", FINDING_WRONG, "key",
		 "is empty, or cannot be read"},
		{"name 0 ok 192.0.2.1\nport 0 ok", "name 0 fail", FINDING_WRONG,
		 "SlurmctldHost", "pods find no address of ctl"},
		{"name 0 ok", "name 0 unknown no getent", FINDING_UNKNOWN,
		 "SlurmctldHost", "no getent"},
		{"port 0 ok", "port 0 fail Connection timed out", FINDING_WRONG,
		 "SlurmctldPort",
		 "pods do not reach ctl port 6817 (SlurmctldHost): Connection "
		 "timed out"},
		{"port 0 ok", "port 0 unknown no perl", FINDING_UNKNOWN,
		 "SlurmctldPort", "could not be looked at: no perl"},
		{"end\n", "", FINDING_UNKNOWN, "probe", "did not say"},
		{BEGIN, "sh: not found\n", FINDING_UNKNOWN, "probe",
		 "did not say what it has seen: sh: not found"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		const char *at = strstr(good, rows[i].from);
		_cleanup_free_ char *text =
			str_printf("%.*s%s%s", (int)(at - good), good,
				   rows[i].to, at + strlen(rows[i].from));
		_cleanup_case_ struct case_of *c = case_with(text);

		t_row("%zu", i);
		finds(c, rows[i].state, rows[i].check, rows[i].words);
	}
}

static void an_older_slurmd_is_a_warning_as_far_as_slurm_goes(void)
{
	static const struct {
		const char *version, *slurmctld;
		enum finding_state state;
	} rows[] = {
		{"slurm 24.11.5", "26.05.5", FINDING_WARN},
		{"slurm 24.05.5", "26.05.5", FINDING_WRONG},
		{"slurm 23.02.1", "24.05.1", FINDING_WARN},
		{"slurm 22.05.1", "24.05.1", FINDING_WRONG},
		{"slurm 24.11.1", "24.05.1", FINDING_WRONG},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_free_ char *text = str_printf(
			BEGIN "version %s\nlisten ok\nend\n", rows[i].version);
		_cleanup_case_ struct case_of *c = case_with(text);

		t_row("%zu", i);
		c->result.slurm_version = rows[i].slurmctld;
		finds(c, rows[i].state, "image", rows[i].version);
	}
}

static void what_slurm_conf_names_is_missed(void)
{
	static const struct {
		const char *line;
		struct probe_need need;
		bool own_conf;
		enum finding_state state;
		const char *words;
	} rows[] = {
		{"missing",
		 {.path = "/p/d", .folder = true, .key = "PluginDir"},
		 false,
		 FINDING_WRONG,
		 "nodeset cpu: pods have no folder /p/d: with this PluginDir"},
		{"missing",
		 {.path = "/p/d", .folder = true, .key = "PluginDir"},
		 true,
		 FINDING_WARN,
		 "pods have no folder /p/d"},
		{"missing",
		 {.path = "/s/prolog", .key = "Prolog"},
		 false,
		 FINDING_WRONG,
		 "nodeset cpu: /s/prolog is not there in pods, so each job "
		 "fails there, and its nodes drain"},
		{"unreadable",
		 {.path = "/s/epilog", .key = "Epilog"},
		 false,
		 FINDING_WRONG,
		 "/s/epilog may not be executed in pods, so each node drains "
		 "once a job there has ended"},
		{"missing",
		 {.path = "/s/p", .key = "TaskProlog"},
		 false,
		 FINDING_WRONG,
		 "each task ends at once"},
		{"missing",
		 {.path = "/s/p", .key = "TaskProlog"},
		 true,
		 FINDING_WARN,
		 "each task ends at once"},
		{"missing",
		 {.path = "/s/p", .key = "TaskEpilog"},
		 false,
		 FINDING_WARN,
		 "nothing runs when a task has ended"},
		{"missing",
		 {.path = "x.so", .plugin = true, .key = "PlugStackConfig"},
		 false,
		 FINDING_WRONG,
		 "pods have no x.so, which plugstack.conf requires, so slurmd "
		 "does not start"},
		{"missing",
		 {.path = "/s/h", .key = "HealthCheckProgram"},
		 false,
		 FINDING_WARN,
		 "nothing looks at the nodes' health"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_free_ char *text = str_printf(
			BEGIN "listen ok\nfile 0 %s\nend\n", rows[i].line);
		_cleanup_case_ struct case_of *c = case_with(text);

		t_row("%zu", i);
		c->plan.configless = !rows[i].own_conf;
		c->plan.needs.n = 1;
		c->plan.needs.v[0] = rows[i].need;
		finds(c, rows[i].state, rows[i].need.key, rows[i].words);
		T_HAS(only(c)->fix, rows[i].need.path);
	}
}

/* What the template says of an address is looked at before a firewall. */
static void an_alias_may_have_the_wrong_address(void)
{
	static const struct {
		const char *host, *fix;
	} rows[] = {
		{"ctl", "let TCP through"},
		{"b", "see that slurmctld is at 192.0.2.9, where hostAliases "
		      "of the pod template have b; if so let TCP through"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_case_ struct case_of *c =
			case_with(BEGIN "port 0 fail timed out\nlisten ok\n"
					"end\n");

		t_row("%s", rows[i].host);
		str_copy(c->plan.targets.v[0].host, rows[i].host,
			 sizeof(c->plan.targets.v[0].host));
		finds(c, FINDING_WRONG, "SlurmctldPort", "pods do not reach");
		T_OK(str_starts(only(c)->fix, rows[i].fix));
	}
}

static void its_port_as_seen_from_here(void)
{
	static const struct {
		const char *listen;
		int code; /* of connect(); 0: not tried */
		enum finding_state state;
		const char *words;
	} rows[] = {
		{"silent", -ETIMEDOUT, FINDING_WRONG, "is not reached"},
		{"silent", -ECONNREFUSED, FINDING_WRONG, "is not reached"},
		{"silent", 0, FINDING_UNKNOWN, "was not looked at"},
		{"fail Address already in use", -ECONNREFUSED, FINDING_UNKNOWN,
		 "cannot listen on port 6818: Address already in use"},
		{"unknown no perl", -ECONNREFUSED, FINDING_UNKNOWN, "no perl"},
		{"unknown no perl", -ETIMEDOUT, FINDING_WRONG,
		 "is not reached"},
		{"ok", -EPROTO, FINDING_WRONG, "is not reached"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_free_ char *text =
			str_printf(BEGIN "listen %s\nend\n", rows[i].listen);
		_cleanup_case_ struct case_of *c = case_with(text);

		t_row("%zu", i);
		c->reach.reached = false;
		c->reach.tried = rows[i].code != 0;
		c->reach.err.code = rows[i].code;
		finds(c, rows[i].state, "SlurmdPort", rows[i].words);
	}
}

static void a_slow_start_is_compared_with_resume_timeout(void)
{
	_cleanup_case_ struct case_of *c = case_with(good);
	_cleanup_case_ struct case_of *never = case_with("");

	c->result.resume.timeout_s = 3;
	finds(c, FINDING_WRONG, "ResumeTimeout",
	      "after 3 s Slurm gives a node up, and the probe's start took 3 "
	      "s");
	T_STR(only(c)->fix,
	      "slurm.conf: ResumeTimeout=33, then: scontrol reconfigure");
	/* where a partition's own one counts, that of all heals nothing */
	findings_clear(&c->found);
	c->result.resume.node = "n0";
	finds(c, FINDING_WRONG, "ResumeTimeout", "after 3 s");
	T_HAS(only(c)->fix, "ResumeTimeout=33 of the partition of node n0,");
	findings_clear(&c->found);
	str_copy(c->result.resume.partition, "slow",
		 sizeof(c->result.resume.partition));
	finds(c, FINDING_WRONG, "ResumeTimeout", "after 3 s");
	T_HAS(only(c)->fix, "ResumeTimeout=33 of PartitionName=slow,");
	/* not started in time is known, too, when it has not started at all */
	never->seen.started_ms = -1;
	never->seen.ended = false;
	never->result.resume.timeout_s = 60;
	probe_findings(&never->result, &never->found);
	T_NEED(never->found.n == 2);
	T_STR(never->found.v[1].check, "ResumeTimeout");
	T_HAS(never->found.v[1].text, "took more than 60 s");
	/* but where something is wrong its time says nothing */
	findings_clear(&never->found);
	never->seen.trouble = POD_CANNOT_START;
	finds(never, FINDING_WRONG, "probe", "did not start");
	findings_clear(&never->found);
	never->seen.trouble = POD_FINE;
	never->seen.scheduled_ms = -1;
	finds(never, FINDING_WRONG, "probe", "no scheduler");
}

static void why_it_does_not_start_is_told(void)
{
	_cleanup_case_ struct case_of *c = case_with("");
	_cleanup_case_ struct case_of *all_up = case_with("");
	_cleanup_case_ struct case_of *gone = case_with("");
	_cleanup_case_ struct case_of *no_shell = case_with("");

	c->seen.started_ms = -1;
	c->result.resume.timeout_s = 600;
	str_copy(c->seen.words, "slurmd: ImagePullBackOff: no such image",
		 sizeof(c->seen.words));
	finds(c, FINDING_WRONG, "probe",
	      "did not start within 60 s (scheduled to k-1): slurmd: "
	      "ImagePullBackOff: no such image");
	T_HAS(only(c)->fix, "image's name and tag");

	no_shell->seen.started_ms = -1;
	no_shell->result.resume.timeout_s = 600;
	str_copy(no_shell->seen.words,
		 "slurmd: StartError, exit code 128: exec: \"/bin/sh\": stat "
		 "/bin/sh: no such file or directory",
		 sizeof(no_shell->seen.words));
	finds(no_shell, FINDING_WRONG, "probe", "StartError");
	T_HAS(only(no_shell)->fix, "put a shell into the image");

	all_up->seen.started_ms = all_up->seen.scheduled_ms = -1;
	all_up->result.resume.timeout_s = 600;
	all_up->result.all_up = true;
	str_copy(all_up->seen.words, "Unschedulable: Insufficient cpu",
		 sizeof(all_up->seen.words));
	finds(all_up, FINDING_WARN, "probe", "(not scheduled)");

	gone->seen.started_ms = -1;
	gone->seen.gone = true;
	gone->result.resume.timeout_s = 600;
	finds(gone, FINDING_UNKNOWN, "probe", "somebody has deleted");
	config_free(config);
	config = NULL;
}

T_MAIN("probe_report", T(lines_are_read), T(another_text_is_no_report),
       T(a_hostile_report_is_bounded), T(releases_have_an_order),
       T(all_is_well), T(a_pull_that_nobody_tells_of_is_not_known),
       T(what_the_pod_says_is_found),
       T(an_older_slurmd_is_a_warning_as_far_as_slurm_goes),
       T(what_slurm_conf_names_is_missed),
       T(an_alias_may_have_the_wrong_address), T(its_port_as_seen_from_here),
       T(a_slow_start_is_compared_with_resume_timeout),
       T(why_it_does_not_start_is_told))

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "bridge/jobspec/job_options.h"
#include "syntax/sbatch_text.h"
#include "t.h"

#define SLINKY "slurmjob.slinky.slurm.net/"
#define OURS "job.slurm-k8s.io/"
#define OPTIONS OURS "sbatch-options"
#define ALL (((job_option_set)1 << JOB_OPTION_N) - 1)

/* (the configuration owns its texts: they are not const) */
static char alice[] = "alice", bob[] = "bob", number[] = "1001";
static char chem[] = "chem", high[] = "high", r1[] = "r1", k8s[] = "k8s",
	    blue[] = "blue";
static char *names[] = {bob, number};

static struct namespace_config ns_all(void)
{
	return (struct namespace_config){.user = alice,
					 .allow = ALL,
					 .options = ALL,
					 .users = {names, 2},
					 .groups = {names, 2}};
}

static const struct bridge_config site = {
	.wanted = true, .exclusive = true, .partition = k8s};

/* Texts that were copied: a list of nodes that is expanded copies each name. */
static size_t copied;

char *__real_strdup(const char *text);
char *__wrap_strdup(const char *text);
char *__wrap_strdup(const char *text)
{
	copied++;
	return __real_strdup(text);
}

/* What these annotations (NULL: none) come to. */
static int make_of(const struct namespace_config *ns, const char *notes,
		   int64_t deadline_s, struct job_options *w, struct err *err)
{
	_cleanup_json_ json_object *o = notes ? t_parse(notes) : NULL;
	const json_object *list[] = {o};
	const struct job_options_ask ask = {.bridge = &site,
					    .ns = ns,
					    .notes = list,
					    .n_notes = 1,
					    .deadline_s = deadline_s};

	return job_options_make(&ask, w, err);
}

/* One annotation. */
static int make(const struct namespace_config *ns, const char *name,
		const char *value, struct job_options *w, struct err *err)
{
	_cleanup_json_ json_object *o = json_object_new_object();

	jx_set_str(o, name, value);
	return make_of(ns, json_object_to_json_string(o), 0, w, err);
}

/* A key as text, whatever it is. */
static const char *shown(const struct job_options *w, enum job_option_key key,
			 char out[32])
{
	if (job_option_is_text(key))
		return job_options_text(w, key);
	snprintf(out, 32, "%lld", (long long)job_options_num(w, key, -99));
	return out;
}

static void the_site_s_own_settings_hold_without_annotations(void)
{
	const struct namespace_config ns = {.user = alice,
					    .account = chem,
					    .qos = high,
					    .reservation = r1,
					    .mcs_label = blue,
					    .allow = JOB_OPTION_HARMLESS};
	_cleanup_job_options_ struct job_options w = {0};

	T_INT(make_of(&ns, NULL, 0, &w, NULL), 0);
	T_STR(job_options_text(&w, JOB_OPTION_USER), "alice");
	T_STR(job_options_text(&w, JOB_OPTION_ACCOUNT), "chem");
	T_STR(job_options_text(&w, JOB_OPTION_QOS), "high");
	T_STR(job_options_text(&w, JOB_OPTION_RESERVATION), "r1");
	T_STR(job_options_text(&w, JOB_OPTION_MCS_LABEL), "blue");
	T_STR(job_options_text(&w, JOB_OPTION_PARTITION), "k8s");
	T_INT(job_options_num(&w, JOB_OPTION_EXCLUSIVE, -99),
	      JOB_OPTION_SHARE_NONE);
	T_INT(job_options_num(&w, JOB_OPTION_TIMELIMIT, -99), -99);
	T_STR(job_options_text(&w, JOB_OPTION_GROUP), NULL);
}

static void each_annotation_is_read_under_both_prefixes(void)
{
	static const struct {
		const char *name, *value;
		enum job_option_key key;
		const char *want;
	} rows[] = {
		{"account", "phys", JOB_OPTION_ACCOUNT, "phys"},
		{"comment", "for the paper", JOB_OPTION_COMMENT,
		 "for the paper"},
		{"constraints", "a&(b|c)", JOB_OPTION_CONSTRAINTS, "a&(b|c)"},
		{"cpu-per-task", "2", JOB_OPTION_CPUS_PER_TASK, "2"},
		{"cpu-per-task", "1500m", JOB_OPTION_CPUS_PER_TASK, "2"},
		{"exclusive", "false", JOB_OPTION_EXCLUSIVE, "0"},
		{"exclusive", "true", JOB_OPTION_EXCLUSIVE, "1"},
		{"exclusive", "False", JOB_OPTION_EXCLUSIVE, "1"},
		{"exclusive", "user", JOB_OPTION_EXCLUSIVE, "1"},
		{"gres", "gpu:2", JOB_OPTION_GRES, "gpu:2"},
		{"gres", "gres/gpu=2,gres:gpu:a100:1,shard", JOB_OPTION_GRES,
		 "gpu:2,gpu:a100:1,shard"},
		{"group-id", "1001", JOB_OPTION_GROUP, "1001"},
		{"job-name", "my job \u00e4", JOB_OPTION_JOB_NAME,
		 "my job \u00e4"},
		{"licenses", "matlab@db:2,ansys", JOB_OPTION_LICENSES,
		 "matlab@db:2,ansys"},
		{"max-nodes", "4", JOB_OPTION_MAX_NODES, "4"},
		{"min-nodes", "2", JOB_OPTION_MIN_NODES, "2"},
		{"mem-per-node", "2Gi", JOB_OPTION_MEM_NODE, "2048"},
		{"mem-per-node", "1", JOB_OPTION_MEM_NODE, "1"},
		{"mem-per-node", "1048577", JOB_OPTION_MEM_NODE, "2"},
		{"partition", "a,b", JOB_OPTION_PARTITION, "a,b"},
		{"priority", "100", JOB_OPTION_PRIORITY, "100"},
		{"qos", "low", JOB_OPTION_QOS, "low"},
		{"reservation", "res", JOB_OPTION_RESERVATION, "res"},
		{"timelimit", "90", JOB_OPTION_TIMELIMIT, "90"},
		{"timelimit", "1-0", JOB_OPTION_TIMELIMIT, "1440"},
		{"timelimit", "0", JOB_OPTION_TIMELIMIT, "-1"},
		{"user-id", "bob", JOB_OPTION_USER, "bob"},
		{"user-id", "alice", JOB_OPTION_USER, "alice"},
		{"wckey", "w", JOB_OPTION_WCKEY, "w"},
	};
	const struct namespace_config ns = ns_all();

	for (size_t i = 0; i < T_COUNT(rows) * 2; i++) {
		const char *prefix = i % 2 ? SLINKY : OURS;
		_cleanup_free_ char *name =
			str_printf("%s%s", prefix, rows[i / 2].name);
		_cleanup_job_options_ struct job_options w = {0};
		struct err err = {0};
		char text[32];

		t_row("%s: %s", name, rows[i / 2].value);
		T_INT(make(&ns, name, rows[i / 2].value, &w, &err), 0);
		T_STR(err.msg, "");
		T_STR(shown(&w, rows[i / 2].key, text), rows[i / 2].want);
	}
}

static void each_option_is_read_in_each_form(void)
{
	static const struct {
		const char *options;
		enum job_option_key key;
		const char *want;
	} rows[] = {
		{"--account=x", JOB_OPTION_ACCOUNT, "x"},
		{"--account x", JOB_OPTION_ACCOUNT, "x"},
		{"-A x", JOB_OPTION_ACCOUNT, "x"},
		{"-Ax", JOB_OPTION_ACCOUNT, "x"},
		{"-b now+1hour", JOB_OPTION_BEGIN, "now+1hour"},
		{"--begin=2026-01-31T12:30", JOB_OPTION_BEGIN,
		 "2026-01-31T12:30"},
		{"--comment='two words'", JOB_OPTION_COMMENT, "two words"},
		{"-C 'a|b'", JOB_OPTION_CONSTRAINTS, "a|b"},
		{"--contiguous", JOB_OPTION_CONTIGUOUS, "1"},
		{"-c4", JOB_OPTION_CPUS_PER_TASK, "4"},
		{"--deadline now+2days", JOB_OPTION_DEADLINE, "now+2days"},
		{"-d afterok:12:13,singleton", JOB_OPTION_DEPENDENCY,
		 "afterok:12:13,singleton"},
		{"-x n[1-3]", JOB_OPTION_EXCLUDE, "n[1-3]"},
		{"--exclusive", JOB_OPTION_EXCLUSIVE, "1"},
		{"--exclusive=user", JOB_OPTION_EXCLUSIVE, "2"},
		{"--exclusive=mcs", JOB_OPTION_EXCLUSIVE, "3"},
		{"--gid=1001", JOB_OPTION_GROUP, "1001"},
		{"--gpus-per-node=2", JOB_OPTION_GRES, "gpu:2"},
		{"--gpus-per-node a100:2", JOB_OPTION_GRES, "gpu:a100:2"},
		{"--gres gpu:2", JOB_OPTION_GRES, "gpu:2"},
		{"--hold", JOB_OPTION_HOLD, "1"},
		{"-H", JOB_OPTION_HOLD, "1"},
		{"-HJx", JOB_OPTION_JOB_NAME, "x"},
		{"-J \"a b\"", JOB_OPTION_JOB_NAME, "a b"},
		{"--kill-on-invalid-dep=no", JOB_OPTION_KILL_ON_INVALID_DEP,
		 "0"},
		{"-L lic:1", JOB_OPTION_LICENSES, "lic:1"},
		{"--mcs-label=k", JOB_OPTION_MCS_LABEL, "k"},
		{"--mem=4G", JOB_OPTION_MEM_NODE, "4096"},
		{"--mem 0", JOB_OPTION_MEM_NODE, "0"},
		{"--mem-per-cpu=512", JOB_OPTION_MEM_CPU, "512"},
		{"--mincpus=2", JOB_OPTION_MINCPUS, "2"},
		{"--nice", JOB_OPTION_NICE, "100"},
		{"--nice=5", JOB_OPTION_NICE, "5"},
		{"--nice=-5", JOB_OPTION_NICE, "-5"},
		{"--no-requeue", JOB_OPTION_REQUEUE, "0"},
		{"--requeue", JOB_OPTION_REQUEUE, "1"},
		{"-w n1,n2", JOB_OPTION_NODELIST, "n1,n2"},
		{"-N2", JOB_OPTION_MIN_NODES, "2"},
		{"-N2", JOB_OPTION_MAX_NODES, "2"},
		{"-N 2-4", JOB_OPTION_MIN_NODES, "2"},
		{"-N 2-4", JOB_OPTION_MAX_NODES, "4"},
		{"--ntasks-per-node=3", JOB_OPTION_TASKS_PER_NODE, "3"},
		{"-p batch", JOB_OPTION_PARTITION, "batch"},
		{"--prefer=fast", JOB_OPTION_PREFER, "fast"},
		{"--priority=7", JOB_OPTION_PRIORITY, "7"},
		{"-q low", JOB_OPTION_QOS, "low"},
		{"--reservation=r", JOB_OPTION_RESERVATION, "r"},
		{"--switches=1", JOB_OPTION_SWITCHES, "1"},
		{"--switches=1@2:00:00", JOB_OPTION_SWITCHES_WAIT, "120"},
		{"-t 1:00:00", JOB_OPTION_TIMELIMIT, "60"},
		{"--time=unlimited", JOB_OPTION_TIMELIMIT, "-1"},
		{"--time-min=10", JOB_OPTION_TIME_MIN, "10"},
		{"--tmp=1G", JOB_OPTION_TMP, "1024"},
		{"--uid=bob", JOB_OPTION_USER, "bob"},
		{"--wckey=w", JOB_OPTION_WCKEY, "w"},
		{"--nice=1 --nice=2", JOB_OPTION_NICE, "2"},
		{"-x n1 --exclude=n2", JOB_OPTION_EXCLUDE, "n2"},
		{"--exclude=/ --exclude=n2", JOB_OPTION_EXCLUDE, "n2"},
		{"--gres gpu:1 --gpus-per-node=2", JOB_OPTION_GRES, "gpu:2"},
		{"--gpus-per-node=2 --gres gpu:1", JOB_OPTION_GRES, "gpu:1"},
		{"--switches=1@60 --switches=2", JOB_OPTION_SWITCHES_WAIT,
		 "-99"},
	};
	const struct namespace_config ns = ns_all();

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_job_options_ struct job_options w = {0};
		struct err err = {0};
		char text[32];

		t_row("%s", rows[i].options);
		T_INT(make(&ns, OPTIONS, rows[i].options, &w, &err), 0);
		T_STR(err.msg, "");
		T_STR(shown(&w, rows[i].key, text), rows[i].want);
	}
}

static void what_is_no_value_is_refused_with_words(void)
{
	static const struct {
		const char *name, *value, *words;
	} rows[] = {
		{SLINKY "account", "", "account: there is no value"},
		{SLINKY "account", "a b", "'a b' is not a name"},
		{OURS "account", "a\nb", "'a b' is not a name"},
		{OURS "job-name", "a\x1b[31m", "is not a line of text"},
		{OURS "constraints", "a;b", "is not features"},
		{OURS "cpu-per-task", "1e400", "is not a whole number"},
		{OURS "cpu-per-task", "-1", "is not from 1 to 65535"},
		{OURS "cpu-per-task", "1e9", "is not from 1 to 65535"},
		{OURS "mem-per-node", "-1Gi", "is not from 0 to"},
		{OURS "mem-per-node", "much", "is not a size"},
		{OURS "gres", "gpu:", "is not Gres"},
		{OURS "gres", "2", "is not Gres"},
		{OURS "gres", ",", "is not Gres"},
		{OURS "gres", "a/b", "is not Gres"},
		{OURS "gres", "gpu 2", "is not Gres"},
		{OURS "min-nodes", "1.5", "is not a whole number"},
		{OURS "max-nodes", "0", "is not from 1 to"},
		{OURS "priority", "4294967295", "is not from 0 to 4294967293"},
		{OURS "timelimit", "soon", "is not a time"},
		{OURS "timelimit", "999999999", "is not from 1 to"},
		{OURS "colour", "red",
		 "annotation job.slurm-k8s.io/colour: the bridge does not "
		 "know it"},
		{SLINKY "colour", "red", "the bridge does not know it"},
		{OURS "", "x", "the bridge does not know it"},
		{OPTIONS, "--array=1-3", "--array is no option that"},
		{OPTIONS, "--acc=x", "--acc is no option that"},
		{OPTIONS, "-Z", "-Z is no option that"},
		{OPTIONS, "-HZ", "-HZ is no option that"},
		{OPTIONS, "run.sh", "'run.sh' is no option; pods have no "},
		{OPTIONS, "--hold run.sh", "'run.sh' is no option"},
		{OPTIONS, "--", "'--' is no option"},
		{OPTIONS, "-", "'-' is no option"},
		{OPTIONS, "''", "'' is no option"},
		{OPTIONS, "--=x", "-- is no option"},
		{OPTIONS, "--hold=yes", "--hold takes no value"},
		{OPTIONS, "--time", "--time needs a value"},
		{OPTIONS, "-t", "--time needs a value"},
		{OPTIONS, "--time=", "--time: '' is not a time"},
		{OPTIONS, "--account=", "--account: there is no value"},
		{OPTIONS, "--begin=tomorrow", "--begin: 'tomorrow' is not a"},
		{OPTIONS, "--begin=now;x", "is not a date"},
		{OPTIONS, "-w /etc/passwd", "is not a list of nodes"},
		{OPTIONS, "-w n[1-99999999]", "is not a list of nodes"},
		{OPTIONS, "-d 'afterok:1;x'", "is not dependencies"},
		{OPTIONS, "--exclusive=false", "is not one of its values"},
		{OPTIONS, "--kill-on-invalid-dep=maybe",
		 "is not one of its values"},
		{OPTIONS, "--nice=9999999999", "is not from -2147483645"},
		{OPTIONS, "-N 4-2", "min-nodes is greater than max-nodes"},
		{OPTIONS, "-N 1,3", "is not a whole number"},
		{OPTIONS, "--switches=1@x", "--switches: 'x' is not a time"},
		{OPTIONS, "--gpus-per-node=a:1,b:1", "use --gres"},
		{OPTIONS, "--mem=1G --mem-per-cpu=1G",
		 "mem-per-node and mem-per-cpu exclude each other"},
		{OPTIONS, "-t 5 --time-min=6", "time-min is longer"},
		{OPTIONS, "-t 5 --time-min=infinite", "time-min is longer"},
		{OPTIONS, "--comment 'x", "sbatch-options: a ' without its"},
		{OPTIONS, "a\x07", "a control character at byte 1"},
	};
	const struct namespace_config ns = ns_all();

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_job_options_ struct job_options w = {0};
		struct err err = {0};

		t_row("%s: %s", rows[i].name, rows[i].value);
		T_ERR(make(&ns, rows[i].name, rows[i].value, &w, &err), &err,
		      -EINVAL, rows[i].words);
	}
}

static void what_a_namespace_may_not_is_refused_with_the_place(void)
{
	static const struct {
		job_option_set allow, options;
		const char *name, *value, *words; /* NULL: it may */
	} rows[] = {
		{0, 0, OURS "qos", "high",
		 "annotation job.slurm-k8s.io/qos: pods of this namespace may "
		 "not choose it; an administrator can add qos to its 'allow' "
		 "in k8s.yaml, section bridge"},
		{0, 0, SLINKY "qos", "high", "slinky.slurm.net/qos: pods of"},
		{0, 0, OURS "account", "chem", NULL}, /* its own */
		{0, 0, OURS "account", "phys", "add account to its 'allow'"},
		{0, 0, OURS "partition", "k8s", NULL},
		{0, 0, OURS "partition", "k8s,x", "add partition to its"},
		{0, 0, OURS "user-id", "alice", NULL},
		{0, 0, OURS "user-id", "bob", "add user-id to its 'allow'"},
		{0, 0, OURS "user-id", "root", "add user-id to its 'allow'"},
		{JOB_OPTION_BIT(JOB_OPTION_USER), 0, OURS "user-id", "bob",
		 NULL},
		{JOB_OPTION_BIT(JOB_OPTION_USER), 0, OURS "user-id", "root",
		 "'root' is not among the 'users' of this namespace"},
		{JOB_OPTION_BIT(JOB_OPTION_USER), 0, OURS "user-id", "0",
		 "'0' is not"},
		{JOB_OPTION_BIT(JOB_OPTION_USER), 0, OURS "group-id", "bob",
		 "add group-id"},
		{JOB_OPTION_BIT(JOB_OPTION_GROUP), 0, OURS "group-id", "wheel",
		 "'wheel' is not among the 'groups'"},
		{JOB_OPTION_HARMLESS, 0, OURS "timelimit", "5", NULL},
		{JOB_OPTION_HARMLESS, 0, OURS "priority", "5", "add priority"},
		{JOB_OPTION_HARMLESS, 0, OPTIONS, "-t 5", NULL},
		{0, JOB_OPTION_BIT(JOB_OPTION_TIMELIMIT), OPTIONS, "-t 5",
		 NULL},
		{0, JOB_OPTION_BIT(JOB_OPTION_TIMELIMIT), OURS "timelimit", "5",
		 "add timelimit to its 'allow'"},
		{0, 0, OPTIONS, "--nice=1",
		 "sbatch-options: --nice: pods of this namespace may not "
		 "choose it; an administrator can add nice to its 'options'"},
		{0, JOB_OPTION_BIT(JOB_OPTION_NICE), OPTIONS, "--nice=1", NULL},
		{0, JOB_OPTION_BIT(JOB_OPTION_NICE), OPTIONS, "--nice=-1",
		 "add priority to its 'allow'"},
		{JOB_OPTION_BIT(JOB_OPTION_PRIORITY),
		 JOB_OPTION_BIT(JOB_OPTION_NICE), OPTIONS, "--nice=-1", NULL},
		{0, JOB_OPTION_BIT(JOB_OPTION_USER), OPTIONS, "--uid=root",
		 "'root' is not among"},
		{JOB_OPTION_BIT(JOB_OPTION_MIN_NODES), 0, OPTIONS, "-N 1",
		 "add max-nodes to its 'allow'"},
		{0, JOB_OPTION_BIT(JOB_OPTION_NICE), OPTIONS, "--nice --hold",
		 "add hold to its 'options'"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct namespace_config ns = ns_all();
		_cleanup_job_options_ struct job_options w = {0};
		struct err err = {0};
		int rc;

		ns.account = chem;
		ns.allow = rows[i].allow;
		ns.options = rows[i].options;
		t_row("%s: %s", rows[i].name, rows[i].value);
		rc = make(&ns, rows[i].name, rows[i].value, &w, &err);
		if (rows[i].words)
			T_ERR(rc, &err, -EPERM, rows[i].words);
		else
			T_INT(rc, 0);
	}
}

static void what_is_denied_is_refused_with_the_list_that_has_it(void)
{
	static const char *const asks[][2] = {{OURS "timelimit", "5"},
					      {OPTIONS, "-t 5"}};

	for (size_t i = 0; i < T_COUNT(asks); i++) {
		struct namespace_config ns = ns_all();
		_cleanup_job_options_ struct job_options w = {0};
		struct err err = {0};

		ns.deny = JOB_OPTION_BIT(JOB_OPTION_TIMELIMIT);
		ns.allow = JOB_OPTION_HARMLESS & ~ns.deny;
		ns.options = 0;
		t_row("%s", asks[i][0]);
		T_ERR(make(&ns, asks[i][0], asks[i][1], &w, &err), &err, -EPERM,
		      "pods of this namespace may not choose it; its 'deny' in "
		      "k8s.yaml, section bridge, has timelimit");
	}
}

static void the_stronger_one_wins(void)
{
	static const struct {
		const char *notes;
		int64_t deadline_s;
		const char *qos;
		int64_t minutes;
	} rows[] = {
		{"{}", 0, NULL, -99},
		{"{}", 61, NULL, 2},
		{"{}", 60, NULL, 1},
		{"{}", -5, NULL, -99},
		{"{}", INT64_MAX, NULL, 52560000},
		{"{\"" SLINKY "timelimit\": \"9\"}", 61, NULL, 9},
		{"{\"" OURS "qos\": \"a\", \"" SLINKY "qos\": \"b\"}", 0, "a",
		 -99},
		{"{\"" SLINKY "qos\": \"b\", \"" OURS "qos\": \"a\"}", 0, "a",
		 -99},
		{"{\"" OPTIONS "\": \"-q c\", \"" OURS "qos\": \"a\"}", 0, "c",
		 -99},
		{"{\"" OURS "gang\": \"true\", \"" OURS "gang-size\": \"2\"}",
		 0, NULL, -99},
		{"{\"other.org/qos\": \"a\"}", 0, NULL, -99},
	};
	const struct namespace_config ns = ns_all();

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_job_options_ struct job_options w = {0};

		t_row("%s", rows[i].notes);
		T_INT(make_of(&ns, rows[i].notes, rows[i].deadline_s, &w, NULL),
		      0);
		T_STR(job_options_text(&w, JOB_OPTION_QOS), rows[i].qos);
		T_INT(job_options_num(&w, JOB_OPTION_TIMELIMIT, -99),
		      rows[i].minutes);
	}
}

/* (the partition's time is not known here) */
static void a_deadline_is_no_way_to_more_time(void)
{
	struct namespace_config ns = {.user = (char *)"alice"};
	_cleanup_job_options_ struct job_options no = {0}, none = {0},
						 by_option = {0};
	char digest[JOB_OPTIONS_DIGEST_MAX], plain[JOB_OPTIONS_DIGEST_MAX];

	T_INT(make_of(&ns, "{}", 86400, &no, NULL), 0);
	T_INT(job_options_num(&no, JOB_OPTION_TIMELIMIT, -99), -99);
	T_INT(no.most_minutes, 1440);
	T_INT(make_of(&ns, "{}", 0, &none, NULL), 0);
	T_INT(none.most_minutes, 0);
	/* (a job of its own for each) */
	T_INT(job_options_digest(&no, digest), 0);
	T_INT(job_options_digest(&none, plain), 0);
	T_OK(strcmp(digest, plain) != 0);
	ns.options = JOB_OPTION_BIT(JOB_OPTION_TIMELIMIT);
	T_INT(make_of(&ns, "{}", 86400, &by_option, NULL), 0);
	T_INT(job_options_num(&by_option, JOB_OPTION_TIMELIMIT, -99), 1440);
	T_INT(by_option.most_minutes, 0);
}

static void of_two_objects_the_later_one_wins(void)
{
	_cleanup_json_ json_object *weak =
		t_parse("{\"" OURS "qos\": \"a\", \"" OURS "wckey\": \"w\"}");
	_cleanup_json_ json_object *strong =
		t_parse("{\"" SLINKY "qos\": \"b\"}");
	const json_object *notes[] = {weak, NULL, strong};
	const struct namespace_config ns = ns_all();
	const struct job_options_ask ask = {
		.bridge = &site, .ns = &ns, .notes = notes, .n_notes = 3};
	_cleanup_job_options_ struct job_options w = {0};

	T_INT(job_options_make(&ask, &w, NULL), 0);
	T_STR(job_options_text(&w, JOB_OPTION_QOS), "b");
	T_STR(job_options_text(&w, JOB_OPTION_WCKEY), "w");
}

static void texts_have_bounds(void)
{
	_cleanup_free_ char *name = t_repeat("x", 256);
	_cleanup_free_ char *words = t_repeat("x", JOB_OPTIONS_TEXT_MAX + 1);
	_cleanup_free_ char *comment =
		str_printf("--comment=%.*s", JOB_OPTIONS_TEXT_MAX, words);
	_cleanup_job_options_ struct job_options w = {0};
	const struct namespace_config ns = ns_all();
	struct err err = {0};

	T_ERR(make(&ns, OURS "account", name, &w, &err), &err, -EINVAL,
	      "is not a name");
	T_ERR(make(&ns, OURS "gres", words, &w, &err), &err, -EINVAL,
	      "is not Gres");
	T_ERR(make(&ns, OURS "constraints", words, &w, &err), &err, -EINVAL,
	      "is not features");
	job_options_clear(&w);
	T_INT(make(&ns, OPTIONS, comment, &w, NULL), 0);
	T_INT(strlen(job_options_text(&w, JOB_OPTION_COMMENT)),
	      JOB_OPTIONS_TEXT_MAX);
}

/* All the words that an annotation may have, each with as many nodes. */
static void of_lists_of_nodes_no_name_is_made(void)
{
	static const struct {
		const char *list, *words; /* NULL: it is taken */
	} rows[] = {
		{"a[0-65534]",
		 "--exclude: 'a[0-65534]' has more than 8192 names"},
		{"a[0-8191]", NULL},
		{"a[0-8192]", "has more than 8192 names"},
		{"a[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]",
		 "has more than 8192 names"},
	};
	const struct namespace_config ns = ns_all();

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_free_ char *one = str_printf("-x%s ", rows[i].list);
		size_t n = (SBATCH_TEXT_MAX - 1) / strlen(one);
		_cleanup_free_ char *all = t_repeat(
			one, n < SBATCH_WORDS_MAX ? n : SBATCH_WORDS_MAX);
		_cleanup_job_options_ struct job_options w = {0};
		struct err err = {0};
		int rc;

		t_row("%s", rows[i].list);
		copied = 0;
		rc = make(&ns, OPTIONS, all, &w, &err);
		if (rows[i].words)
			T_ERR(rc, &err, -E2BIG, rows[i].words);
		else
			T_INT(rc, 0);
		/* Those of k8s.yaml are, and one list. */
		T_OK(copied < 10);
	}
}

static void what_differs_is_told_and_the_digest_with_it(void)
{
	static const struct {
		const char *a, *b;
		job_option_set differs;
	} rows[] = {
		{"--qos=a", "-q a", 0},
		{"--qos=a", "-q b", JOB_OPTION_BIT(JOB_OPTION_QOS)},
		{"--qos=a", "", JOB_OPTION_BIT(JOB_OPTION_QOS)},
		{"-t 60", "-t 1:00:00", 0},
		{"-t 60", "-t 61 --hold",
		 JOB_OPTION_BIT(JOB_OPTION_TIMELIMIT) |
			 JOB_OPTION_BIT(JOB_OPTION_HOLD)},
		{"--no-requeue", "", JOB_OPTION_BIT(JOB_OPTION_REQUEUE)},
		{"--switches=2@60", "--switches=2",
		 JOB_OPTION_BIT(JOB_OPTION_SWITCHES_WAIT)},
	};
	const struct namespace_config ns = ns_all();

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_job_options_ struct job_options a = {0}, b = {0};
		char x[JOB_OPTIONS_DIGEST_MAX], y[JOB_OPTIONS_DIGEST_MAX];

		t_row("%s, %s", rows[i].a, rows[i].b);
		T_INT(make(&ns, OPTIONS, rows[i].a, &a, NULL), 0);
		T_INT(make(&ns, OPTIONS, rows[i].b, &b, NULL), 0);
		T_INT(job_options_digest(&a, x), 0);
		T_INT(job_options_digest(&b, y), 0);
		T_INT(strlen(x), 16);
		T_OK(!strcmp(x, y) == !rows[i].differs);
	}
}

/* (each key can be named to people, and an option leads to a key with it) */
static void the_tables_agree(void)
{
	for (int k = 0; k < JOB_OPTION_N; k++) {
		enum job_option_key key = (enum job_option_key)k;
		const char *name = job_option_name(key);
		const struct job_option_option *o =
			job_option_option(name, strlen(name));

		t_row("%s", name);
		if (job_option_spec(key)->note)
			T_INT(job_option_of_note(name), k);
		else
			T_OK(o && (o->key == key ||
				   key == JOB_OPTION_SWITCHES_WAIT));
		T_OK(job_option_is_text(key) ==
		     (job_option_spec(key)->kind <= JOB_OPTION_DATE));
	}
	T_INT(job_option_of_note("nice"), -1);
	T_OK(!job_option_option("nic", 3));
	T_OK(!job_option_option_letter(0));
	T_OK(JOB_OPTION_N < 64);
}

T_MAIN("job_options", T(the_site_s_own_settings_hold_without_annotations),
       T(each_annotation_is_read_under_both_prefixes),
       T(each_option_is_read_in_each_form),
       T(what_is_no_value_is_refused_with_words),
       T(what_a_namespace_may_not_is_refused_with_the_place),
       T(what_is_denied_is_refused_with_the_list_that_has_it),
       T(the_stronger_one_wins), T(a_deadline_is_no_way_to_more_time),
       T(of_two_objects_the_later_one_wins), T(texts_have_bounds),
       T(of_lists_of_nodes_no_name_is_made),
       T(what_differs_is_told_and_the_digest_with_it), T(the_tables_agree))

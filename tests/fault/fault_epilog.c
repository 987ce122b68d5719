/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * k8s_epilog, as slurmd runs it: as root. (Run by another user these tests see
 * that it stays that user.)
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/spawn.h"
#include "base/str.h"
#include "fault.h"

#define OWNER 12345 /* a user that nobody knows */
#define NOBODY 65534
#define MOST_MS 60000 /* for one run */
#define NO_PODS                                                                \
	"'rules':[{'path':'^/api/v1/pods','times':9,'do':'raw','code':200,"    \
	"'body':'{\\\"kind\\\":\\\"PodList\\\",\\\"metadata\\\":{"             \
	"\\\"resourceVersion\\\":\\\"1\\\"},\\\"items\\\":[]}'}]"

/* Folders that its user may enter, and write into. */
static void open_doors(void)
{
	char dir[512];

	str_copy(dir, t_path("x"), sizeof(dir));
	*strrchr(dir, '/') = '\0';
	if (chmod(dir, 0711) ||
	    (mkdir(t_path("out"), 0777) && errno != EEXIST) ||
	    chmod(t_path("out"), 0777))
		T_STR("folders", "ready");
}

/* A kubeconfig of that owner, whose user has these members. */
static const char *kubeconfig(const char *user, uid_t owner, mode_t mode)
{
	_cleanup_free_ char *text = str_printf(
		"{current-context: c, contexts: [{name: c, context: {cluster: "
		"c, user: c}}], clusters: [{name: c, cluster: {server: "
		"'https://127.0.0.1:%d', certificate-authority: ca.pem}}], "
		"users: [{name: c, user: {%s}}]}\n",
		fault()->port, user);
	_cleanup_free_ char *ca = NULL;
	size_t len = 0;
	const char *path;

	T_OK(!fs_read_file(fault()->ca, 1 << 20, &ca, &len, NULL));
	T_OK(!chmod(t_write("ca.pem", ca), 0644));
	path = t_write("kubeconfig", text);
	T_OK(!chmod(path, mode) && (geteuid() || !chown(path, owner, 0)));
	return path;
}

/* 0: it ended well; the cluster is as it was scripted. */
static int epilog_waits(const char *kubeconfig, const char *wait_s,
			struct err *err)
{
	char *argv[] = {(char *)FAULT_EPILOG, (char *)"--kubeconfig",
			(char *)kubeconfig,   (char *)"--wait",
			(char *)wait_s,	      NULL};
	char *env[] = {(char *)"SLURM_JOB_ID=7", (char *)"SLURMD_NODENAME=n1",
		       (char *)"PATH=/usr/bin:/bin", NULL};
	struct spawn *s = NULL;
	char *out = NULL;
	size_t len = 0;
	int rc = spawn_begin(argv, env, MOST_MS, 4096, &s, err);

	if (!rc)
		do
			rc = spawn_poll(s, MOST_MS, &out, &len, err);
		while (rc == -EINPROGRESS);
	free(out);
	return rc;
}

static int epilog_of(const char *kubeconfig, struct err *err)
{
	return epilog_waits(kubeconfig, "1", err);
}

static int epilog(const char *kubeconfig, struct err *err)
{
	fault_script(NO_PODS);
	return epilog_of(kubeconfig, err);
}

/* A credential plugin that says who it is. */
static const char *plugin(void)
{
	static char text[1024];

	snprintf(text, sizeof(text),
		 "#!/bin/sh\n(id -u; id -g; id -G) >'%s'\n"
		 "printf '{\"apiVersion\":\"client.authentication.k8s.io/v1\","
		 "\"kind\":\"ExecCredential\",\"status\":{\"token\":\"t\"}}'\n",
		 t_path("out/who"));
	t_script("plugin", text);
	snprintf(text, sizeof(text),
		 "exec: {apiVersion: client.authentication.k8s.io/v1, "
		 "command: ./plugin}");
	return text;
}

static void the_plugin_is_run_by(uid_t owner, uid_t want)
{
	_cleanup_free_ char *got = NULL, *words = NULL;
	struct err err = {0};
	size_t len = 0;

	t_row("kubeconfig of %u", owner);
	unlink(t_path("out/who"));
	T_INT(epilog(kubeconfig(plugin(), owner, 0600), &err), 0);
	T_STR(err.msg, "");
	T_NEED(!fs_read_file(t_path("out/who"), 100, &got, &len, NULL));
	words = str_printf("%u\n%u\n%u\n", want, NOBODY, NOBODY);
	if (geteuid())
		T_OK(atoi(got) == (int)geteuid());
	else
		T_STR(got, words);
}

static void no_plugin_is_run_as_root(void)
{
	open_doors();
	the_plugin_is_run_by(OWNER, OWNER);
	the_plugin_is_run_by(0, NOBODY);
}

#define TOKEN_FILE "tokenFile: token"

static const char *token_file(void)
{
	T_OK(!chmod(t_write("token", "t\n"), 0600));
	return TOKEN_FILE;
}

static void what_roots_kubeconfig_names_is_read_as_root(void)
{
	struct err err = {0};

	open_doors();
	T_INT(epilog(kubeconfig(token_file(), 0, 0600), &err), 0);
	T_STR(err.msg, "");
}

static void what_anothers_kubeconfig_names_is_not(void)
{
	struct err err = {0};
	int rc;

	open_doors();
	rc = epilog(kubeconfig(token_file(), OWNER, 0600), &err);
	if (geteuid())
		return;
	T_ERR(rc, &err, -EPROTO, "exit code");
	T_HAS(t_log(), "token: Permission denied");
	T_INT(fault_requests(NULL, ""), 0);
}

static void roots_kubeconfig_that_others_may_write_is_refused(void)
{
	struct err err = {0};
	int rc;

	open_doors();
	rc = epilog(kubeconfig("token: t", 0, 0620), &err);
	if (geteuid())
		return;
	T_ERR(rc, &err, -EPROTO, "exit code");
	T_HAS(t_log(), "others may write it");
	T_INT(fault_requests(NULL, ""), 0);
}

#define FIFTY "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["
#define YTFIF "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]"
/* A list with a pod whose conditions are nested deeper than is read. */
#define UNREAD(path)                                                           \
	"{'path':'" path "','times':99,'do':'raw','code':200,'body':'"         \
	"{\\\"kind\\\":\\\"PodList\\\",\\\"metadata\\\":{"                     \
	"\\\"resourceVersion\\\":\\\"1\\\"},\\\"items\\\":[{"                  \
	"\\\"metadata\\\":{\\\"namespace\\\":\\\"a\\\",\\\"uid\\\":\\\"u\\\"," \
	"\\\"resourceVersion\\\":\\\"1\\\",\\\"name\\\":"                      \
	"\\\"deep\\\"},\\\"status\\\":{\\\"conditions\\\":" FIFTY FIFTY FIFTY  \
		YTFIF YTFIF YTFIF "}}]}'}"
#define NO_ITEMS(path)                                                         \
	"{'path':'" path "','times':99,'do':'raw','code':200,'body':'"         \
	"{\\\"kind\\\":\\\"PodList\\\",\\\"metadata\\\":{"                     \
	"\\\"resourceVersion\\\":\\\"1\\\"},\\\"items\\\":[]}'}"
#define LABELLED "labelSelector=slurm-k8s.io.*job-id.*7"

/* It may be another's, whom nobody waits for: its label says so. */
static void a_pod_that_cannot_be_read_is_waited_for_by_its_label(void)
{
	const char *config = kubeconfig("token: t", 0, 0600);
	struct err err = {0};
	int rc;

	open_doors();
	fault_script("'rules':[" UNREAD(LABELLED) "," UNREAD("/pods") "]");
	rc = epilog_of(config, &err);
	T_OK(rc != 0);
	T_HAS(t_log(), "pod a/deep cannot be read");
	fault_script("'rules':[" NO_ITEMS(LABELLED) "," UNREAD("/pods") "]");
	err = (struct err){0};
	T_INT(epilog_of(config, &err), 0);
	T_STR(err.msg, "");
	T_OK(fault_requests(NULL, "labelSelector") > 0);
}

#define TOLERATIONS 50001 /* with them it has more than is read of a pod */
#define CONDITION(type, message)                                               \
	"{\\\"type\\\":\\\"slurm-k8s.io/" type "\\\",\\\"status\\\":"          \
	"\\\"True\\\",\\\"message\\\":\\\"" message "\\\"}"

/*
 * Lists with a pod that runs on n1, by that job, and has so much in this list
 * of its spec. It is among those with the label of job 7, too, or not.
 */
static void script_large_pod(unsigned int job_id, const char *list,
			     bool labelled)
{
	_cleanup_free_ char *many = malloc(3 * TOLERATIONS);

	T_NEED(many);
	for (size_t i = 0; i < TOLERATIONS; i++)
		memcpy(many + 3 * i, "{},", 3);
	many[3 * TOLERATIONS - 1] = '\0';
	fault_script(
		"'rules':[%s{'path':'/pods','times':99,'do':'raw','code':200,"
		"'body':'{\\\"kind\\\":\\\"PodList\\\",\\\"metadata\\\":"
		"{\\\"resourceVersion\\\":\\\"1\\\"},\\\"items\\\":["
		"{\\\"metadata\\\":{\\\"namespace\\\":\\\"a\\\","
		"\\\"uid\\\":\\\"u\\\",\\\"resourceVersion\\\":\\\"1\\\","
		"\\\"name\\\":\\\"large\\\"},\\\"spec\\\":{"
		"\\\"nodeName\\\":\\\"n1\\\",\\\"%s\\\":[%s]},"
		"\\\"status\\\":{\\\"phase\\\":\\\"Running\\\","
		"\\\"conditions\\\":[" CONDITION("job", "%u") "," CONDITION(
			"node", "n1") "],\\\"containerStatuses\\\":[{"
				      "\\\"name\\\":\\\"c\\\",\\\"state\\\":{"
				      "\\\"running\\\":"
				      "{}}}]}}]}'}]",
		labelled ? "" : NO_ITEMS(LABELLED) ",", list, many, job_id);
}

/* Whoever makes it so large takes its label away, too. */
static void a_pod_that_is_read_in_part_is_waited_for_by_its_conditions(void)
{
	const char *config = kubeconfig("token: t", 0, 0600);
	struct err err = {0};
	int rc;

	open_doors();
	script_large_pod(7, "tolerations", false);
	rc = epilog_of(config, &err);
	T_OK(rc != 0);
	T_HAS(t_log(), "pod a/large still runs");
	script_large_pod(8, "tolerations", false);
	err = (struct err){0};
	T_INT(epilog_of(config, &err), 0);
	T_STR(err.msg, "");
	T_INT(fault_requests(NULL, "labelSelector"), 0);
}

/*
 * Its author has made it so that no part of it can be read, and has given it
 * the label of somebody else's job.
 */
static void nor_does_the_label_count_where_only_conditions_can_be_read(void)
{
	const char *config = kubeconfig("token: t", 0, 0600);
	struct err err = {0};

	open_doors();
	script_large_pod(8, "containers", true);
	T_INT(epilog_of(config, &err), 0);
	T_STR(err.msg, "");
	script_large_pod(7, "containers", true);
	T_OK(epilog_of(config, &err) != 0);
	T_HAS(t_log(), "pod a/large cannot be read");
}

#define NOT_ENDED                                                              \
	"fieldSelector=spec.nodeName.*n1.*status.phase.*Succeeded.*"           \
	"status.phase.*Failed"

/* There may be any number of them, of 1.4 MB each, and a list of all never
 * ends. */
static void pods_that_have_ended_are_not_asked_for(void)
{
	const char *config = kubeconfig("token: t", 0, 0600);
	struct err err = {0};

	open_doors();
	fault_script("'rules':[" NO_ITEMS(NOT_ENDED) ",{'path':'/pods',"
						     "'times':99,'do':'hang',"
						     "'s':60}]");
	T_INT(epilog_of(config, &err), 0);
	T_STR(err.msg, "");
	T_INT(fault_requests(NULL, "/pods"), 1);
}

#define SLOW_PAGE(at, next)                                                    \
	"{'path':'" at "','times':99,'do':'raw','ms':4000,'code':200,"         \
	"'body':'{\\\"kind\\\":\\\"PodList\\\",\\\"metadata\\\":{"             \
	"\\\"resourceVersion\\\":\\\"1\\\"" next "},\\\"items\\\":[]}'}"
#define GOES_ON(token) ",\\\"continue\\\":\\\"" token "\\\""

/* Twelve seconds, with an answer each four. */
static void a_long_list_that_gets_on_has_all_of_its_wait(void)
{
	const char *config = kubeconfig("token: t", 0, 0600);
	struct err err = {0};

	open_doors();
	fault_script("'rules':[" SLOW_PAGE("continue=two", "") "," SLOW_PAGE(
		"continue=one",
		GOES_ON("two")) "," SLOW_PAGE("/pods", GOES_ON("one")) "]");
	T_INT(epilog_waits(config, "40", &err), 0);
	T_STR(err.msg, "");
	T_INT(fault_requests(NULL, "/pods"), 3);
}

T_MAIN("fault_epilog", T(pods_that_have_ended_are_not_asked_for),
       T(a_long_list_that_gets_on_has_all_of_its_wait),
       T(no_plugin_is_run_as_root),
       T(a_pod_that_cannot_be_read_is_waited_for_by_its_label),
       T(a_pod_that_is_read_in_part_is_waited_for_by_its_conditions),
       T(nor_does_the_label_count_where_only_conditions_can_be_read),
       T(what_roots_kubeconfig_names_is_read_as_root),
       T(what_anothers_kubeconfig_names_is_not),
       T(roots_kubeconfig_that_others_may_write_is_refused))

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What gc asks of slurmctld, and what it deletes. Both servers are the test's.
 */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "api_fixture.h"
#include "base/clock.h"
#include "gc.h"
#include "pods.h"
#include "site.h"
#include "slurm_user.h"
#include "t.h"
#include "terminal_fixture.h"

#define NOW_MS 1000000000

/* --- slurmctld: what it says at first, and what later */

static struct ctl_node early[4], late[4];
static size_t n_early, n_late;
static bool is_away; /* from the first answer on */
static bool is_silent;
static bool two_clusters; /* of k8s.yaml, with the same pods */
static size_t lists, singles;
static int64_t now_ms;

/* A snapshot is one of the tables. */
static struct ctl_nodes *table(struct ctl_node *v)
{
	return (struct ctl_nodes *)(void *)v;
}

int64_t __wrap_clock_ms(void);
int64_t __wrap_clock_ms(void)
{
	return now_ms;
}

int64_t __wrap_clock_real_ms(void);
int64_t __wrap_clock_real_ms(void)
{
	return NOW_MS;
}

void __wrap_ctl_init(void);
void __wrap_ctl_init(void)
{
}

/* Whether it is run as it is for users: of root's in a child of its own. */
static bool as_for_users;

int __real_slurm_user_run(int (*command)(void *arg), void *arg);
int __wrap_slurm_user_run(int (*command)(void *arg), void *arg);
int __wrap_slurm_user_run(int (*command)(void *arg), void *arg)
{
	return as_for_users ? __real_slurm_user_run(command, arg)
			    : command(arg);
}

void __wrap_site_load(struct site *s, const char *file);
void __wrap_site_load(struct site *s, const char *file)
{
	char text[400];

	(void)file;
	snprintf(text, sizeof(text),
		 "clusters: [{name: main, kubeconfig: k, namespace: slurm}%s]\n"
		 "nodesets: [{name: cpu, cluster: main, nodes: 'cpu-[0-9]', "
		 "podTemplate: {spec: {containers: [{name: slurmd}]}}}]\n",
		 two_clusters
			 ? ", {name: other, kubeconfig: o, namespace: slurm}"
			 : "");
	*s = (struct site){.nodes = table(early)};
	T_INT(config_parse("k8s.yaml", text, strlen(text), &s->config,
			   &s->config_err),
	      0);
	s->slurm.cluster = strdup("site");
	if (is_silent)
		err_set(&s->slurm_err, -EIO, "no answer");
}

void __wrap_ctl_nodes_free(struct ctl_nodes *n);
void __wrap_ctl_nodes_free(struct ctl_nodes *n)
{
	(void)n;
}

int __wrap_ctl_nodes_load(struct ctl_nodes **out, struct err *err);
int __wrap_ctl_nodes_load(struct ctl_nodes **out, struct err *err)
{
	lists++;
	if (is_away)
		return err_set(err, -EIO, "no answer");
	*out = table(late);
	return 0;
}

int __wrap_ctl_nodes_load_one(const char *name, struct ctl_nodes **out,
			      struct err *err);
int __wrap_ctl_nodes_load_one(const char *name, struct ctl_nodes **out,
			      struct err *err)
{
	(void)name;
	singles++;
	if (is_away)
		return err_set(err, -EIO, "no answer");
	*out = table(late);
	return 0;
}

bool __wrap_ctl_nodes_at(const struct ctl_nodes *n, size_t i,
			 struct ctl_node *out);
bool __wrap_ctl_nodes_at(const struct ctl_nodes *n, size_t i,
			 struct ctl_node *out)
{
	const struct ctl_node *v = (const void *)n;
	const bool is = i < (v == early ? n_early : n_late);

	if (is)
		*out = v[i];
	return is;
}

bool __wrap_ctl_nodes_find(const struct ctl_nodes *n, const char *name,
			   struct ctl_node *out);
bool __wrap_ctl_nodes_find(const struct ctl_nodes *n, const char *name,
			   struct ctl_node *out)
{
	struct ctl_node node;

	for (size_t i = 0; __wrap_ctl_nodes_at(n, i, &node); i++)
		if (!strcmp(node.name, name))
			return *out = node, true;
	return false;
}

/* --- Kubernetes */

static const char *pods[4]; /* a node's name each; up to NULL */
#define DELETED_MAX 100
static char *deleted;	 /* shared with children */
static int64_t takes_ms; /* a deletion */

void __wrap_api_wait(struct api_server *s);
void __wrap_api_wait(struct api_server *s)
{
	(void)s;
}

int __wrap_pods_of_workers(struct api_server *s, const char *slurm_cluster,
			   struct pod_rows *out, struct err *err);
int __wrap_pods_of_workers(struct api_server *s, const char *slurm_cluster,
			   struct pod_rows *out, struct err *err)
{
	(void)s;
	(void)err;
	T_STR(slurm_cluster, "site");
	out->v = calloc(T_COUNT(pods), sizeof(*out->v));
	for (; out->v && pods[out->n]; out->n++)
		out->v[out->n] = (struct pod_row){
			.ns = strdup("slurm"),
			.name = strdup(pods[out->n]),
			.node = strdup(pods[out->n]),
			.age = strdup("1h"),
			.uid = strdup("u"),
			.manager = strdup("slurm-k8s"),
			.created_ms = NOW_MS - 3600000,
		};
	return 0;
}

int __wrap_pods_of_probes(struct api_server *s, const char *slurm_cluster,
			  struct pod_rows *out, struct err *err);
int __wrap_pods_of_probes(struct api_server *s, const char *slurm_cluster,
			  struct pod_rows *out, struct err *err)
{
	(void)s;
	(void)slurm_cluster;
	(void)out;
	(void)err;
	return 0;
}

struct kube_call *__wrap_kube_delete(struct kube_client *c,
				     const struct kube_ref *ref,
				     const char *uid, int64_t grace_s,
				     const struct kube_reply *to);
struct kube_call *__wrap_kube_delete(struct kube_client *c,
				     const struct kube_ref *ref,
				     const char *uid, int64_t grace_s,
				     const struct kube_reply *to)
{
	const struct kube_result res = {.http = 200};

	(void)c;
	T_STR(uid, "u");
	T_INT(grace_s, -1);
	T_OK(to->no_retry);
	strncat(deleted, ref->name, DELETED_MAX - strlen(deleted) - 1);
	strncat(deleted, " ", DELETED_MAX - strlen(deleted) - 1);
	now_ms += takes_ms;
	to->on_done(to->arg, &res);
	return (struct kube_call *)(void *)deleted;
}

/* --- the cases */

static int gc(const char *option)
{
	char *argv[] = {(char *)"gc", (char *)option, NULL};

	optind = 1;
	lists = singles = 0;
	*deleted = '\0';
	now_ms = 5000;
	return gc_command(2, argv);
}

static void site_has(const struct ctl_node *first, const struct ctl_node *then)
{
	if (!deleted)
		deleted = mmap(NULL, DELETED_MAX, PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (deleted == MAP_FAILED)
		abort();
	*deleted = '\0';
	n_early = n_late = 1;
	early[0] = *first;
	late[0] = *then;
	is_away = is_silent = two_clusters = false;
	takes_ms = 10;
	memset(pods, 0, sizeof(pods));
	pods[0] = "cpu-0";
}

static const struct ctl_node down = {.name = "cpu-0"};
static const struct ctl_node boots = {.name = "cpu-0",
				      .power = CTL_POWERING_UP};
static const struct ctl_node busy = {.name = "cpu-0", .busy = true};

static void a_pod_of_a_node_that_is_powered_down_is_deleted(void)
{
	site_has(&down, &down);
	T_INT(gc("--yes"), 0);
	T_STR(deleted, "cpu-0 ");
	T_INT(lists, 0);
	T_INT(singles, 1);
	T_INT(gc("--dry-run"), 0);
	T_STR(deleted, "");
	T_INT(singles, 0);
}

static void what_is_needed_by_now_is_left_alone(void)
{
	site_has(&down, &boots);
	T_INT(gc("--yes"), 0);
	T_STR(deleted, "");
	site_has(&down, &busy);
	T_INT(gc("--yes"), 0);
	T_STR(deleted, "");
	site_has(&boots, &down);
	T_INT(gc("--yes"), 0);
	T_STR(deleted, "");
	T_INT(singles, 0);
}

static void nothing_is_deleted_while_slurmctld_does_not_answer(void)
{
	site_has(&down, &down);
	is_silent = true;
	T_INT(gc("--yes"), 2);
	T_STR(deleted, "");
	site_has(&down, &down);
	is_away = true;
	pods[1] = "gone-1";
	T_INT(gc("--yes"), 2);
	T_STR(deleted, "");
	T_INT(singles, 1);
}

static void nodes_that_slurm_does_not_have_cost_a_list_each_two_seconds(void)
{
	site_has(&down, &down);
	pods[0] = "gone-0";
	pods[1] = "gone-1";
	pods[2] = "gone-2";
	T_INT(gc("--yes"), 0);
	T_STR(deleted, "gone-0 gone-1 gone-2 ");
	T_INT(lists, 0);
	takes_ms = 1500;
	T_INT(gc("--yes"), 0);
	T_STR(deleted, "gone-0 gone-1 gone-2 ");
	T_INT(lists, 1);
	/* one has come back when it is asked for again */
	late[0] = (struct ctl_node){.name = "gone-2", .power = CTL_UP};
	T_INT(gc("--yes"), 0);
	T_STR(deleted, "gone-0 gone-1 ");
}

/* gc on a terminal of its own, up to the question. */
static void ask(struct terminal *t, bool of_two_clusters)
{
	site_has(&down, &down);
	pods[1] = "cpu-1";
	two_clusters = of_two_clusters;
	if (terminal_begin(t)) {
		int code;

		as_for_users = true;
		code = gc("--older-than=20");
		(void)fflush(stdout);
		_exit(code);
	}
}

static void pods_are_deleted_only_after_a_yes(void)
{
	static const struct {
		const char *typed;
		bool yes;
	} rows[] = {
		{"y\n", true},	 {"Y\n", true},	      {"yes\n", true},
		{"n\n", false},	 {"N\n", false},      {"\n", false},
		{" y\n", false}, {"ny\n", false},     {"0\n", false},
		{CTRL_D, false}, {"nay, y\n", false},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		static struct terminal t;
		int status;

		t_row("'%s'", rows[i].typed);
		ask(&t, false);
		T_NEED(t.pid > 0);
		T_OK(terminal_see(&t, "delete 2 pods? [y/N] "));
		T_HAS(t.seen, "slurm/cpu-0  1h old  ");
		T_STR(deleted, "");
		terminal_type(&t, rows[i].typed);
		status = terminal_end(&t);
		T_OK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
		T_STR(deleted, rows[i].yes ? "cpu-0 cpu-1 " : "");
		T_OK(rows[i].yes == !strstr(t.seen, "none was deleted"));
	}
}

static void ctrl_c_at_the_question_deletes_none(void)
{
	static struct terminal t;
	int status;

	ask(&t, false);
	T_NEED(t.pid > 0);
	T_OK(terminal_see(&t, "delete 2 pods? [y/N] "));
	terminal_type(&t, CTRL_C);
	status = terminal_end(&t);
	T_OK(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
	T_STR(deleted, "");
}

/* A line longer than an answer has no rest that answers the next one. */
static void a_line_answers_one_question(void)
{
	static struct terminal t;

	ask(&t, true);
	T_NEED(t.pid > 0);
	T_OK(terminal_see(&t, "[y/N] "));
	terminal_type(&t, "nnnnnnny\n");
	T_OK(terminal_see(&t, "none was deleted"));
	t.n = 0;
	T_OK(terminal_see(&t, "[y/N] "));
	terminal_type(&t, "n\n");
	T_INT(terminal_end(&t), 0);
	T_HAS(t.seen, "none was deleted");
	T_STR(deleted, "");
}

/* What stands on standard error meanwhile; the caller frees. */
static char *refused(const char *option)
{
	int fds[2], saved = dup(STDERR_FILENO);
	char words[4096];
	ssize_t n;

	if (saved < 0 || pipe(fds) || dup2(fds[1], STDERR_FILENO) < 0)
		abort();
	close(fds[1]);
	T_INT(gc(option), 2);
	(void)fflush(stderr);
	dup2(saved, STDERR_FILENO);
	close(saved);
	n = read(fds[0], words, sizeof(words));
	close(fds[0]);
	return strndup(words, n > 0 ? (size_t)n : 0);
}

static void nobody_is_asked_without_a_terminal(void)
{
	char *words;
	int fds[2];

	T_NEED(!pipe(fds) && dup2(fds[0], STDIN_FILENO) >= 0);
	T_NEED(write(fds[1], "y\n", 2) == 2);
	site_has(&down, &down);
	words = refused("--older-than=20");
	T_HAS(words, "nobody can be asked here: give --dry-run or --yes");
	T_STR(deleted, "");
	free(words);
	words = refused("--older-than=19");
	T_HAS(words, "usage: slurm-k8s gc");
	free(words);
	close(fds[0]);
	close(fds[1]);
}

T_MAIN("gc", T(a_pod_of_a_node_that_is_powered_down_is_deleted),
       T(what_is_needed_by_now_is_left_alone),
       T(nothing_is_deleted_while_slurmctld_does_not_answer),
       T(nodes_that_slurm_does_not_have_cost_a_list_each_two_seconds),
       T(pods_are_deleted_only_after_a_yes), T(a_line_answers_one_question),
       T(ctrl_c_at_the_question_deletes_none),
       T(nobody_is_asked_without_a_terminal))

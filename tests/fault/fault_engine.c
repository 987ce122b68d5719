/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All threads of ours in slurmctld at once, as its plugins start and stop them:
 * the engine's, those of two clusters, the bridge's, and slurmctld's own, which
 * come with callbacks meanwhile. A slurmctld is played (played_slurm.h), and a
 * cluster whose pods run and end and that fails now and then
 * (playedcluster.py).
 *
 * Each round: the engine is started, stopped at any moment, and started again;
 * pods go through Slurm's queue; Kubernetes nodes are cordoned; k8s.yaml is
 * read again as it was, and changed; somebody else takes the lease, and goes;
 * the engine is stopped.
 *
 * FAULT_ROUNDS=N: so many, instead of some that take about two minutes of the
 * processor under ThreadSanitizer. FAULT_LOG=1: what is logged, on standard
 * error.
 */
#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "base/log.h"
#include "base/notify.h"
#include "base/str.h"
#include "engine/slurmk8s.h"
#include "fast_clock.h"
#include "fault.h"
#include "played_slurm.h"
#include "slurm/ctl_log.h"
#include "syntax/wellknown.h"

#define ROUNDS (PLAYED_UNDER_TSAN ? 200 : 40)
#define CALLERS 3 /* threads of slurmctld with callbacks */
#define CALL_US 2000
#define HELD_MS 3000 /* until the lease is ours, as a rule */
#define BELL "slurm-k8s-test/engine"
#define LEASE "slurm-k8s-test"

static void nap(int most_ms)
{
	fast_clock_nap_us(random() % (most_ms * 1000L));
}

/* --- slurmctld, as far as plugins see it */

char *ctl_conf_dir(void)
{
	char *dir = strdup(t_path("k8s.yaml"));

	if (dir)
		*strrchr(dir, '/') = '\0';
	return dir;
}

const char *ctl_version(void)
{
	return "26.05.0";
}

void ctl_log_use(void)
{
}

static void serve_site(void *arg)
{
	struct ctl_site *s = arg;

	*s = (struct ctl_site){.cluster = strdup("test"),
			       .notify_name = BELL,
			       .has_features = true,
			       .starts_early = true,
			       .prolog = CTL_PROLOG_OURS};
}

int ctl_site_load(struct ctl_site *out, struct err *err)
{
	return played_rpc(serve_site, out, err);
}

/* --- what is logged: counted, without a lock */

enum { OURS, OTHERS, IN_FORCE, STOPPED, OTHER_SCHEDULER, WAITS, LINES };
static const char *const lines[LINES] = {
	[OURS] = "cluster prod: the lease ns/" LEASE " is ours",
	[OTHERS] = "cluster prod: another slurmctld",
	[IN_FORCE] = "k8s.yaml is in force",
	[STOPPED] = "engine stopped",
	[OTHER_SCHEDULER] =
		"jobs were made for pods with another schedulerName",
	[WAITS] = "the engine has waited for an answer of slurmctld for ",
};
static atomic_uint seen[LINES];
static atomic_uint held, lost; /* now; so often by somebody else */
static atomic_bool shown;

static void count(int line)
{
	unsigned int was;

	atomic_fetch_add_explicit(&seen[line], 1, memory_order_relaxed);
	if (line == OTHER_SCHEDULER || line == WAITS)
		return;
	was = atomic_exchange_explicit(&held, line == OURS,
				       memory_order_relaxed);
	if (line == OTHERS)
		atomic_fetch_add_explicit(&lost, was, memory_order_relaxed);
}

/* "bridge: job 12: 2 pods bound" */
#define BOUND "bridge: job "
static atomic_uint bound, bound_too_many; /* jobs; and smaller ones */

static void count_bound(const char *line)
{
	const char *at = strstr(line, BOUND),
		   *end = strstr(line, " pods bound");
	const uint32_t id =
		at ? (uint32_t)strtoul(at + strlen(BOUND), NULL, 10) : 0;

	if (!id || !end || end[-1] == '0')
		return;
	atomic_fetch_add_explicit(played_is_smaller(id) ? &bound_too_many
							: &bound,
				  1, memory_order_relaxed);
}

static void count_line(enum log_level level, const char *line)
{
	count_bound(line);
	for (int i = 0; i < LINES; i++)
		if (strstr(line, lines[i]))
			count(i);
	if (shown)
		fprintf(stderr, "%lld %s: %s\n",
			(long long)fast_clock_real_ms(), log_level_name(level),
			line);
}

static unsigned int seen_of(int line)
{
	return atomic_load_explicit(&seen[line], memory_order_relaxed);
}

/* --- k8s.yaml: the n-th one */

static const char *scheduler = WK_BRIDGE_SCHEDULER;
static bool bridge_only; /* no nodes of Slurm are pods */

/* NULL: out of memory. */
static char *nodesets(int n)
{
	if (bridge_only)
		return strdup("");
	return str_printf(
		"nodesets:\n"
		"- {name: cpu, cluster: prod, nodes: 'cpu-[0-3]', features: "
		"[f0],\n"
		"   podTemplate: {spec: {containers: [{name: slurmd, image: "
		"i%d}]}}}\n"
		"- {name: dyn, cluster: prod, nodes: 'dyn-[0-%d]',\n"
		"   create: {cpus: 4, memory: 4096},\n"
		"   podTemplate: {spec: {containers: [{name: slurmd}]}}}\n",
		n % 7, n % 2);
}

static char metrics_at[80]; /* before any thread */

/* Where metrics are written and served, and nothing else. */
static const char *metrics_folder(void)
{
	if (!*metrics_at) {
		str_copy(metrics_at, t_path("metrics"), sizeof(metrics_at));
		mkdir(metrics_at, 0755);
	}
	return metrics_at;
}

static void write_config(int n)
{
	static const char *const far[] = {
		"", "- {name: far, kubeconfig: other, namespace: ns2}\n", "",
		"- {name: far, kubeconfig: missing, namespace: ns2}\n"};
	_cleanup_free_ char *sets = nodesets(n);
	/*
	 * They are removed, and written and served under another name, again
	 * and again.
	 */
	_cleanup_free_ char *file =
		n % 3 ? str_printf("metrics: {file: %s/%d.prom, listen: "
				   "'unix:%s/%d.sock', interval: 5s, "
				   "slurm: 15s}\n",
				   metrics_folder(), n % 2, metrics_folder(),
				   n % 2)
		      : strdup("");
	_cleanup_free_ char *text = str_printf(
		"clusters:\n"
		"- {name: prod, kubeconfig: %s, namespace: ns}\n"
		"%s"
		"jobs: {labels: [team], annotations: [example.org/note]}\n"
		"features:\n"
		"- {name: f0, patch: {metadata: {labels: {wears: f0}}}}\n"
		"- {name: f%d, patch: {metadata: {labels: {wears: f%d}}}}\n"
		"bridge:\n"
		"  cluster: prod\n"
		"  schedulerName: %s\n"
		"  staleAfter: 30s\n"
		"  nodes: {label: slurm, resizeAfter: 1s}\n"
		"  namespaces: {team-a: {user: alice}}\n"
		"  selectors: [{matchLabels: {slurm: 'yes'}, matchExpressions: "
		"[{key: away, operator: DoesNotExist}], user: guest}]\n"
		"%s%s",
		fault()->kubeconfig, far[n % 4], n, n, scheduler,
		sets ? sets : "", file ? file : "");

	if (!text)
		abort();
	t_write("k8s.yaml", text);
}

/* --- slurmctld's own threads */

static atomic_bool quits;
static atomic_int feature; /* f0, and this one, are known by now */

static atomic_uint told; /* so often somebody has got metrics */

/* Somebody asks where the engine listens, if it does. */
static void ask_for_metrics(unsigned int n)
{
	static const char request[] = "GET /metrics HTTP/1.0\r\n\r\n";
	const struct timeval most = {.tv_sec = 1};
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	_cleanup_close_ int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	char part[64];
	bool ours = false;
	ssize_t len;

	snprintf(at.sun_path, sizeof(at.sun_path), "%s/%u.sock", metrics_at,
		 n % 2);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof(most));
	if (connect(fd, (struct sockaddr *)&at, sizeof(at)) ||
	    send(fd, request, strlen(request), MSG_NOSIGNAL) < 0)
		return;
	while ((len = recv(fd, part, sizeof(part), 0)) > 0)
		ours |= len >= 12 && !memcmp(part, "HTTP/1.1 200", 12);
	atomic_fetch_add_explicit(&told, ours, memory_order_relaxed);
}

static void call_back(unsigned int n)
{
	static const char *const items[] = {"label team=hpc",
					    "annotation example.org/note=x"};
	char words[SLURMK8S_WORDS_MAX], list[SLURMK8S_LIST_MAX];
	char constraint[32];

	snprintf(constraint, sizeof(constraint), "f0|f%d",
		 atomic_load_explicit(&feature, memory_order_relaxed));
	slurmk8s_feature_known(constraint + 3);
	slurmk8s_request_check(constraint, n % 2, words);
	slurmk8s_request_choose(constraint, n % 2 ? "cpu-[0-1]" : NULL, list);
	slurmk8s_asks_carry(items, T_COUNT(items), "words", list, words);
	slurmk8s_asks_constrain(items, T_COUNT(items), constraint, list, words);
	if (n % 31 == 0)
		ask_for_metrics(n);
	if (n % 97 == 0)
		slurmk8s_reload();
	if (n % 211 == 0)
		notify_ring(BELL, WK_SAY_REFUSED "cpu-1 no such image");
	if (n % 53 == 0)
		notify_ring(BELL, n % 2 ? WK_SAY_ALLOCATED "cpu-[0-31]"
					: WK_SAY_ALLOCATED "cpu-1,other");
}

static void *calls(void *arg)
{
	unsigned int n = (unsigned int)(uintptr_t)arg;

	while (!atomic_load_explicit(&quits, memory_order_relaxed)) {
		call_back(n++);
		fast_clock_nap_us(CALL_US);
	}
	return NULL;
}

/* --- the cluster: see playedcluster.py */

static void set_cluster(int n)
{
	fault_script("'play':['begin',%d,%d]", n, FAST);
}

static void change_cluster(int n)
{
	fault_change("'play':['change',%d]", n);
	nap(20);
	fault_change("'play':['restore',%d]", n);
}

#define TAKER "ctl-2_7_8_0123abcd_9"
#define TAKEN                                                                  \
	"'leases':[{'kind':'Lease','metadata':{'name':'" LEASE "'},'spec':{"   \
	"'holderIdentity':'" TAKER "','leaseDurationSeconds':60}}]"

/* --- rounds */

static bool comes(bool (*is)(int n), int n, int64_t most_ms)
{
	const int64_t end = fast_clock_real_ms() + most_ms;

	while (!is(n) && fast_clock_real_ms() < end)
		fast_clock_nap_us(1000);
	return is(n);
}
#define AWAIT(is, n) t_ok(T_HERE, comes(is, (int)(n), WAIT_MS), #is)

/* As the API server has it: held by a process of this engine. */
static bool is_ours(int n)
{
	_cleanup_json_ json_object *all = fault_stats();
	const char *holder =
		jx_str(all, "leases", LEASE, "spec", "holderIdentity");

	(void)n;
	return holder && *holder && strcmp(holder, TAKER) != 0;
}

static bool is_held(int n)
{
	return (int)atomic_load_explicit(&held, memory_order_relaxed) == n;
}

static bool is_others(int n)
{
	return (int)seen_of(OTHERS) >= n;
}

static bool is_of_other_scheduler(int n)
{
	return (int)seen_of(OTHER_SCHEDULER) >= n;
}

static bool is_in_force(int n)
{
	return (int)seen_of(IN_FORCE) >= n;
}

static bool has_waited(int n)
{
	return (int)seen_of(WAITS) >= n;
}

static bool has_feature(int n)
{
	char name[16];

	snprintf(name, sizeof(name), "f%d", n);
	return slurmk8s_feature_known(name);
}

static bool is_over(int n)
{
	return (int)atomic_load_explicit(&played_counts.over,
					 memory_order_relaxed) >= n;
}

static bool has_updated(int n)
{
	return (int)atomic_load_explicit(&played_counts.updates,
					 memory_order_relaxed) >= n;
}

static bool start(void)
{
	char name[SLURMK8S_NAME_MAX], words[SLURMK8S_WORDS_MAX] = "";
	bool good;

	good = !slurmk8s_configure(name, words) && !slurmk8s_start(words);
	if (!good)
		fprintf(stderr, "%s\n", words);
	return T_OK(good);
}

/* (it reads its k8s.yaml and waits for nothing: so at once) */
static bool reload(int n)
{
	const unsigned int before = seen_of(IN_FORCE);

	slurmk8s_reload();
	nap(10);
	write_config(n);
	slurmk8s_reload();
	if (!AWAIT(is_in_force, before + 1) || !AWAIT(has_feature, n))
		return false;
	atomic_store_explicit(&feature, n, memory_order_relaxed);
	return true;
}

/*
 * Somebody takes it, and goes. (It is ours first, for else nothing is lost. The
 * link of a k8s.yaml that was in force until just now may be the one that sees
 * it, and its follower never misses the lease: so none has to log its return.)
 */
static bool lose_lease(void)
{
	const unsigned int others = seen_of(OTHERS);

	comes(is_held, 1, HELD_MS);
	fault_change(TAKEN);
	if (!AWAIT(is_others, others + 1))
		return false;
	fault_change("'no_lease':'" LEASE "'");
	return AWAIT(is_ours, 0);
}

static bool round_of(int n)
{
	const unsigned int over = played_counts.over;
	const unsigned int updates = played_counts.updates;

	t_row("round %d", n);
	set_cluster(n);
	if (!start())
		return false;
	nap(60);
	slurmk8s_stop();
	if (!start())
		return false;
	if (n % 4 == 0 && !AWAIT(is_over, over + 1))
		return false;
	if (n % 8 == 0 && !AWAIT(has_updated, updates + 8))
		return false;
	change_cluster(n);
	if (n % 8 == 4)
		played_be_slow("k8s-bridge", 600);
	if (!reload(n + 2) || !lose_lease())
		return false;
	if (n % 8 == 6)
		played_be_slow("k8s-bridge", 600);
	if (n % 32 == 14)
		played_be_slow("k8s-engine", 2500);
	nap(20);
	slurmk8s_stop();
	return true;
}

/* Also those that were abandoned have ended. */
static bool threads_are_gone(int n)
{
	DIR *all = opendir("/proc/self/task");
	struct dirent *one;

	n = 0;
	while (all && (one = readdir(all))) {
		_cleanup_free_ char *path =
			str_printf("/proc/self/task/%s/comm", one->d_name);
		_cleanup_fclose_ FILE *f = path ? fopen(path, "r") : NULL;
		char name[16] = "";

		if (f && fgets(name, sizeof(name), f))
			n += !strncmp(name, "k8s-", 4);
	}
	if (all)
		closedir(all);
	return all && !n;
}

static int rounds(void)
{
	const char *text = getenv("FAULT_ROUNDS");
	const int n = text ? (int)strtol(text, NULL, 10) : 0;

	return n > 0 ? n : ROUNDS;
}

/* --- another schedulerName in k8s.yaml, and back */

#define LASTS_MS 1500 /* of the usual ones: half a minute of theirs */
#define GROUPS 3      /* of pods, as playedcluster.py has them */

struct queue {
	int run, wait; /* placeholders */
	bool drained;  /* an external node */
};

static struct queue queue_now(void)
{
	struct queue q = {0};

	pthread_mutex_lock(&played.lock);
	for (size_t i = 0; i < PLAYED_JOBS_MAX; i++) {
		const struct played_job *j = &played.jobs[i];

		if (!j->id || !j->placeholder)
			continue;
		q.run += j->status.state == PLACED_RUNNING;
		q.wait += j->status.state == PLACED_PENDING;
	}
	for (size_t i = 0; i < played.n_nodes; i++) {
		const struct ctl_node *n = &played.nodes[i].is;

		q.drained |= n->external && (n->drained || n->down);
	}
	pthread_mutex_unlock(&played.lock);
	return q;
}

static bool is_queue_empty(int n)
{
	const struct queue q = queue_now();

	return q.run + q.wait == n;
}

/* Two external nodes have a job each, whose pods run there; one waits. */
static bool is_settled(int n)
{
	const struct queue q = queue_now();
	_cleanup_json_ json_object *all = fault_stats();

	return q.run == 2 && q.wait == n - 2 && !q.drained &&
	       jx_int(jx_get(all, "cluster", "bound"), 0) >= 2;
}

/* For a while the same jobs wait and run on the same nodes. */
static void nothing_happens(void)
{
	const unsigned int submitted = played_counts.submitted;
	const unsigned int cancelled = played_counts.cancelled;
	const unsigned int over = played_counts.over;
	struct queue q;

	fast_clock_nap_us(LASTS_MS * 1000);
	q = queue_now();
	T_INT(q.run, 2);
	T_INT(q.wait, GROUPS - 2);
	T_OK(!q.drained);
	T_INT(played_counts.submitted, submitted);
	T_INT(played_counts.cancelled, cancelled);
	T_INT(played_counts.over, over);
}

static void be_steady(bool steady)
{
	pthread_mutex_lock(&played.lock);
	played.steady = steady;
	pthread_mutex_unlock(&played.lock);
}

/* So many groups wait, or run, as the file for Prometheus says. */
static bool is_counted(int n)
{
	_cleanup_free_ char *path = str_printf("%s/1.prom", metrics_folder());
	_cleanup_free_ char *text = NULL;
	int all = 0, one;
	size_t len;

	if (!path || fs_read_file(path, 1000000, &text, &len, NULL) ||
	    !strstr(text, "\nslurm_k8s_lease_held{cluster=\"prod\"} 1\n"))
		return false;
	for (const char *at = text;
	     (at = strstr(at, "\nslurm_k8s_bridge_groups{")); at++)
		if (sscanf(at, "%*[^}]} %d", &one) == 1)
			all += one;
	return all == n;
}

/*
 * Whoever mistypes it has no pods in view: their jobs go on, and so they do
 * when it is put right.
 */
static void another_name_of_the_scheduler_ends_nothing(void)
{
	shown = getenv("FAULT_LOG");
	log_set_sink(count_line);
	bridge_only = true;
	write_config(1);
	be_steady(true);
	played_start(0);
	set_cluster(0);
	fault_change("'rules':[],'cluster':{'run_ms':0}");
	if (start() && AWAIT(is_settled, GROUPS)) {
		T_INT(seen_of(OTHER_SCHEDULER), 0);
		AWAIT(is_counted, GROUPS);
		scheduler = "slumr";
		T_OK(reload(2));
		AWAIT(is_of_other_scheduler, 1);
		nothing_happens();
		T_INT(seen_of(OTHER_SCHEDULER), 1);
		scheduler = WK_BRIDGE_SCHEDULER;
		T_OK(reload(3));
		nothing_happens();
		T_INT(seen_of(OTHER_SCHEDULER), 1);
		/*
		 * Pods end in place of being deleted: on a slow machine a
		 * watch may be between two lists, and no job is cancelled
		 * for pods that nobody saw deleted.
		 */
		fault_change("'cluster':{'run_ms':5}");
		AWAIT(is_queue_empty, 0);
	}
	slurmk8s_stop();
	AWAIT(threads_are_gone, 0);
	played_stop();
	be_steady(false);
	bridge_only = false;
}

/* (of both clusters' threads one says so) */
static void slurmctld_that_takes_its_time_is_said(void)
{
	const unsigned int waits = seen_of(WAITS);

	shown = getenv("FAULT_LOG");
	log_set_sink(count_line);
	write_config(1);
	played_start(4);
	set_cluster(0);
	if (start() && AWAIT(is_ours, 0)) {
		played_be_slow("k8s-engine", 14000 / FAST);
		AWAIT(has_waited, waits + 1);
		T_INT(seen_of(WAITS), waits + 1);
	}
	slurmk8s_stop();
	AWAIT(threads_are_gone, 0);
	played_stop();
}

static bool waits_for_slurmctld(int n)
{
	return played_is_slow() == (n != 0);
}

static bool is_there(const char *name)
{
	_cleanup_free_ char *path = str_printf("%s/%s", metrics_folder(), name);

	return path && !access(path, F_OK);
}

static bool are_metrics_there(int n)
{
	return is_there("1.prom") == (n != 0) && is_there("1.sock") == (n != 0);
}

/*
 * At its end slurmctld answers nobody: what tells of the past goes
 * nevertheless, before the process does.
 */
static void metrics_go_while_the_engine_waits_for_slurmctld(void)
{
	log_set_sink(count_line);
	write_config(1);
	played_start(4);
	set_cluster(0);
	if (start() && AWAIT(is_ours, 0) && AWAIT(are_metrics_there, 1)) {
		played_be_slow("k8s-engine", 6000);
		AWAIT(waits_for_slurmctld, 1);
	}
	slurmk8s_stop();
	T_OK(are_metrics_there(0));
	AWAIT(threads_are_gone, 0);
	played_stop();
}

static void many_times_from_start_to_stop(void)
{
	pthread_t callers[CALLERS];
	const int all = rounds();
	int n = 0;

	shown = getenv("FAULT_LOG");
	log_set_sink(count_line);
	log_set_level(LOG_LEVEL_DEBUG);
	if (symlink(fault()->kubeconfig, t_path("other")))
		abort();
	write_config(1);
	played_start(4);
	for (uintptr_t i = 0; i < CALLERS; i++)
		if (pthread_create(&callers[i], NULL, calls, (void *)(i * 31)))
			abort();
	while (n < all && round_of(n))
		n++;
	T_INT(n, all);
	T_OK(lost > 0 && played_counts.over > 0 && bound > 0 && told > 0);
	T_INT(bound_too_many, 0);
	slurmk8s_stop();
	atomic_store_explicit(&quits, true, memory_order_relaxed);
	for (int i = 0; i < CALLERS; i++)
		pthread_join(callers[i], NULL);
	AWAIT(threads_are_gone, 0);
	played_stop();
	T_INT(rmdir(metrics_folder()), 0); /* no file is left there */
	printf("\n%d rounds: %u RPCs, %u jobs, %u over, %u updates of nodes; "
	       "the lease was lost %u times; %u reloads, %u stops\n",
	       n, played_counts.rpcs, played_counts.submitted,
	       played_counts.over, played_counts.updates, lost,
	       seen_of(IN_FORCE), seen_of(STOPPED));
}

T_MAIN("engine", T(another_name_of_the_scheduler_ends_nothing),
       T(slurmctld_that_takes_its_time_is_said),
       T(metrics_go_while_the_engine_waits_for_slurmctld),
       T(many_times_from_start_to_stop))

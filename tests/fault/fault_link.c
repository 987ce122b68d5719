/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A cluster's thread: it acts while it holds the lease, and only then. */
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/str.h"
#include "fault.h"
#include "nodes/watch/watch.h"
#include "syntax/wellknown.h"

#define LEASE "slurm-k8s-test"

static struct cluster_config cluster = {.name = (char *)"c",
					.ns = (char *)"ns"};
static struct config config = {.clusters = &cluster, .n_clusters = 1};
static struct nodeset set = {
	.name = (char *)"s",
	.cluster = &cluster,
	.container = (char *)WK_CONTAINER,
};
static const struct pod_view pod = {.name = "n1", .uid = "u1"};

static atomic_llong later; /* ms that the clock is ahead */

int64_t __real_clock_ms(void);
int64_t __wrap_clock_ms(void);
int64_t __wrap_clock_ms(void)
{
	return __real_clock_ms() + atomic_load(&later);
}

static atomic_bool hangs, hung; /* the link's thread, in ring() */

static void ring(void *arg)
{
	(void)arg;
	while (atomic_load(&hangs)) {
		atomic_store(&hung, true);
		clock_nap(10);
	}
}

static atomic_int gone; /* links whose memory is freed */

static void count_gone(void *arg)
{
	(void)arg;
	atomic_fetch_add(&gone, 1);
}

static atomic_bool ending;
static struct engine_beat beat;

static struct cluster *start_by(const char *kubeconfig)
{
	const struct cluster_options opt = {.config = &config,
					    .cluster = &cluster,
					    .slurm_cluster = "test",
					    .ring = ring,
					    .gone = count_gone,
					    .ending = &ending,
					    .engine = &beat};
	struct cluster *l = NULL;
	struct err err = {0};

	cluster.kubeconfig = (char *)kubeconfig;
	if (cluster_new(&opt, &l, &err) || watch_attach(l, &err) ||
	    cluster_start(l, &err)) {
		fprintf(stderr, "%s\n", err.msg);
		abort();
	}
	return l;
}

static struct cluster *start(void)
{
	return start_by(fault()->kubeconfig);
}

static void nap(int64_t ms)
{
	const struct timespec t = {.tv_sec = ms / 1000,
				   .tv_nsec = ms % 1000 * 1000000};

	nanosleep(&t, NULL);
}

static bool until(bool (*is)(struct cluster *l), struct cluster *l, bool wanted)
{
	int64_t end = clock_ms() + WAIT_MS;

	while (is(l) != wanted && clock_ms() < end)
		nap(10);
	return T_INT(is(l), wanted);
}

static bool sees(struct cluster *l)
{
	return worker_pods_count(watch_pods(l)) > 0;
}

static bool busy(struct cluster *l)
{
	return node_requests_busy(watch_requests(l), "n1") ||
	       node_requests_busy(watch_requests(l), "n2");
}

/* (it looks again when it has told that somebody else has it) */
static bool waits(struct cluster *l)
{
	(void)l;
	return fault_requests("GET", LEASE) > 1;
}

static bool deletes(struct cluster *l)
{
	(void)l;
	return fault_requests("DELETE", PODS "/n1") > 0;
}

#define POD                                                                    \
	"'pods':[{'metadata':{'name':'n1','uid':'u1','labels':{"               \
	"'" WK_LABEL_CLUSTER "':'test','" WK_LABEL_NODE "':'n1'}}}]"
#define OTHERS                                                                 \
	"'leases':[{'kind':'Lease','metadata':{'name':'" LEASE "'},'spec':{"   \
	"'holderIdentity':'ctl-2_7_8_0123abcd_9','leaseDurationSeconds':60}}]"

static void ask_for_both(struct cluster *l)
{
	node_requests_delete(watch_requests(l), &pod);
	node_requests_create(
		watch_requests(l), &set, "n2",
		strdup("{\"metadata\":{\"name\":\"n2\"},\"spec\":{}}"), "h",
		clock_real_ms(), false);
}

static const char *holder(json_object **stats)
{
	*stats = fault_stats();
	return jx_str(*stats, "leases", LEASE, "spec", "holderIdentity");
}

static bool holds(struct cluster *l)
{
	_cleanup_json_ json_object *o = NULL;
	const char *is = holder(&o);

	(void)l;
	return is && *is;
}

static void with_the_lease_it_acts_and_at_the_end_gives_it_back(void)
{
	_cleanup_json_ json_object *before = NULL, *after = NULL;
	struct cluster *l;
	const char *is;

	t_log_clear();
	fault_script("%s", POD);
	l = start();
	T_OK(until(watch_is_live, l, true));
	T_OK(until(sees, l, true));
	ask_for_both(l);
	T_OK(until(busy, l, false));
	T_INT(fault_count("creates", "n2"), 1);
	T_INT(fault_count("deletes", "n1"), 1);
	is = holder(&before);
	T_OK(is && *is);
	T_OK(cluster_stop(l, WAIT_MS));
	T_OK(until(holds, NULL, false)); /* (it need not wait for the answer) */
	T_STR(holder(&after), "");
	T_HAS(t_log(), "cluster c: the lease ns/" LEASE " is ours");
}

/* k8s_resume has made it, its slurmd runs, and the watch lagged behind. */
static void a_pod_of_this_power_up_is_not_replaced(void)
{
	const char body[] = "{\"metadata\":{\"name\":\"n2\"}}";
	struct cluster *l;

	for (int older = 0; older < 2; older++) {
		t_row("%d", older);
		fault_script("'pods':[{'metadata':{'name':'n2','uid':'u2',"
			     "'labels':{"
			     "'" WK_LABEL_CLUSTER "':'test',"
			     "'" WK_LABEL_NODE "':'n2','" WK_LABEL_HASH
			     "':'h'}},'status':{'phase':'Running',"
			     "'containerStatuses':[{'name':'" WK_CONTAINER
			     "','state':{'running':{}}}]},'ageSeconds':15}]");
		l = start();
		T_OK(until(watch_is_live, l, true));
		T_OK(until(cluster_held, l, true));
		node_requests_create(
			watch_requests(l), &set, "n2", strdup(body), "h",
			clock_real_ms() - (older ? 0 : 20000), false);
		T_OK(until(busy, l, false));
		T_INT(fault_count("deletes", "n2"), older);
		T_OK(cluster_stop(l, WAIT_MS));
		T_OK(until(holds, NULL, false));
	}
}

/* Who is to stop it may wait for slurmctld, and slurmctld may exit then. */
static void it_ends_with_its_engine(void)
{
	struct cluster *l;

	fault_script("%s", POD);
	l = start();
	T_OK(until(watch_is_live, l, true));
	atomic_store(&ending, true);
	T_OK(until(holds, NULL, false)); /* the last thing that it does */
	T_OK(!cluster_held(l));
	T_OK(cluster_stop(l, WAIT_MS));
	atomic_store(&ending, false);
}

static void without_it_it_looks_but_does_nothing(void)
{
	struct cluster *l;

	t_log_clear();
	fault_script("%s," OTHERS, POD);
	l = start();
	T_OK(until(sees, l, true));
	T_OK(until(waits, l, true));
	T_OK(!watch_is_live(l) && !cluster_held(l));
	ask_for_both(l);
	T_OK(until(busy, l, false)); /* dropped */
	T_OK(cluster_stop(l, WAIT_MS));
	T_INT(fault_requests("POST", PODS), 0);
	T_INT(fault_requests("DELETE", PODS), 0);
	T_HAS(t_log(), "cluster c: another slurmctld (ctl-2, pid 7) holds the "
		       "lease ns/" LEASE ": waiting");
}

static bool is_gone(struct cluster *l)
{
	(void)l;
	return atomic_load(&gone);
}

/* Whoever stopped it does not wait, and others have its memory still. */
static void what_is_abandoned_ends_by_itself(void)
{
	struct cluster *l;

	fault_script("%s", POD);
	l = start();
	T_OK(until(watch_is_live, l, true));
	fault_change("'rules':[{'path':'leases','do':'hang','s':60,"
		     "'times':100}]");
	atomic_store(&gone, 0);
	cluster_hold(l);
	T_OK(!cluster_stop(l, 0));
	/* (the next one has the same lease) */
	T_OK(!cluster_held(l) && !cluster_may_act(l));
	T_INT(atomic_load(&config.shares), 1); /* (beside this one) */
	T_OK(!is_gone(l) && watch_pods(l));
	cluster_let_go(l);
	T_OK(until(is_gone, l, true));
	T_INT(atomic_load(&config.shares), 0);
}

static size_t tries(void)
{
	return fault_requests("POST", PODS) + fault_requests("DELETE", PODS);
}

/* They are tried again and again when somebody else takes the lease. */
static void what_is_under_way_ends_with_it(void)
{
	int64_t end;
	size_t n;
	struct cluster *l;

	fault_script("'rules':[{'path':'pods/n1','method':'DELETE','do':"
		     "'status','code':500,'times':10000},{'path':'pods$',"
		     "'method':'POST','do':'status','code':500,"
		     "'times':10000}]," POD);
	l = start();
	T_OK(until(watch_is_live, l, true));
	ask_for_both(l);
	T_OK(until(deletes, l, true));
	T_OK(node_requests_busy(watch_requests(l), "n1") &&
	     node_requests_busy(watch_requests(l), "n2"));
	fault_change("%s", OTHERS);
	T_OK(until(cluster_held, l, false));
	T_OK(until(busy, l, false));
	/* (the last may not have come there yet) */
	end = clock_ms() + WAIT_MS;
	do {
		n = tries();
		nap(500);
	} while (tries() != n && clock_ms() < end);
	nap(6000); /* longer than the longest pause between tries */
	T_INT(tries(), n);
	T_OK(cluster_stop(l, WAIT_MS));
}

/* Of 10,000 nodes that become busy at once: the planner asks again. */
static void only_so_many_notes_wait(void)
{
	const struct pod_jobs jobs = {.busy = true, .ids = "1"};
	struct pod_view one = {.uid = "u1"};
	size_t asked = 0;
	char name[16];
	struct cluster *l;

	fault_script("'rules':[{'path':'pods/','method':'PATCH','do':'hang',"
		     "'s':60,'times':100000}]," POD);
	l = start();
	T_OK(until(watch_is_live, l, true));
	one.name = name;
	for (int i = 0; i < 3000; i++) {
		snprintf(name, sizeof(name), "p%d", i);
		asked += node_requests_note(watch_requests(l), &one, &jobs,
					    false);
	}
	T_INT(asked, 1000);
	ask_for_both(l); /* what matters more has room, and is answered */
	T_OK(until(busy, l, false));
	T_INT(fault_count("creates", "n2"), 1);
	T_INT(fault_count("deletes", "n1"), 1);
	T_OK(cluster_stop(l, WAIT_MS));
}

static bool ends_in_time(void)
{
	struct cluster *l;
	int64_t at;

	fault_script("%s", POD);
	l = start();
	T_OK(until(watch_is_live, l, true));
	fault_change("'rules':[{'path':'leases','do':'hang','s':60,"
		     "'times':100}]");
	at = clock_ms();
	return cluster_stop(l, 1500) && clock_ms() - at < 1500;
}

/* (once of three times: the machine may be busy) */
static void a_server_that_hangs_does_not_delay_the_end(void)
{
	bool in_time = ends_in_time();

	for (int i = 0; i < 2 && !in_time; i++)
		in_time = ends_in_time();
	T_OK(in_time);
}

static bool is_hung(struct cluster *l)
{
	(void)l;
	return atomic_load(&hung);
}

/* (reads of files may do so: what a link rings for is played here) */
static void a_thread_that_hangs_is_said_once_a_minute(void)
{
	struct cluster *l;

	fault_script(POD);
	l = start();
	T_OK(until(watch_is_live, l, true));
	atomic_store(&hangs, true);
	fault_change("'pods':[{'metadata':{'name':'n2','uid':'u2','labels':{"
		     "'" WK_LABEL_CLUSTER "':'test','" WK_LABEL_NODE
		     "':'n2'}}}]");
	until(is_hung, l, true);
	t_log_clear();
	cluster_tell_late(l);
	T_STR(t_log(), "");
	atomic_fetch_add(&later, 12000);
	cluster_tell_late(l);
	T_HAS(t_log(), "cluster c: the thread that talks to the API server has "
		       "not come round for 1");
	t_log_clear();
	cluster_tell_late(l);
	T_STR(t_log(), "");
	atomic_fetch_add(&later, 60000);
	cluster_tell_late(l);
	T_HAS(t_log(), "has not come round for 7");
	atomic_store(&hangs, false);
	T_OK(until(watch_is_live, l, true));
	T_OK(cluster_stop(l, 60000));
}

static void late_by(struct engine_beat *b, int64_t ms, const char *wanted)
{
	t_log_clear();
	engine_beat_look(b);
	T_STR(t_log(), "");
	atomic_fetch_add(&later, ms);
	engine_beat_look(b);
	T_HAS(t_log(), wanted);
	t_log_clear();
	engine_beat_look(b);
	T_STR(t_log(), "");
}

static void an_engine_that_waits_is_said_once_a_minute(void)
{
	struct engine_beat b = {0};

	t_log_clear();
	atomic_fetch_add(&later, 60000);
	engine_beat_look(&b); /* it has not begun */
	T_STR(t_log(), "");
	engine_beat_put(&b, 9000); /* that long it rests on purpose */
	atomic_fetch_add(&later, 18000);
	late_by(&b, 3000,
		"the engine has waited for an answer of slurmctld for 12 s: "
		"meanwhile nodes whose pods are lost, or do not start, are "
		"left as they are");
	atomic_store(&b.waits, ENGINE_READS_FILES);
	late_by(&b, 60000, "on a file system that hangs, for 72 s: ");
	atomic_store(&b.waits, ENGINE_NAMES);
	late_by(&b, 60000, "the name service of slurmctld's host for 132 s: ");
	engine_beat_put(&b, 0);
	atomic_fetch_add(&later, 61000);
	engine_beat_put(&b, 0);
	engine_beat_look(&b);
	T_STR(t_log(), "");
}

static bool is_told(struct cluster *l)
{
	(void)l;
	return atomic_load(&beat.told_at) != 0;
}

static void looks_at_the_engine(struct cluster *l)
{
	T_OK(until(is_told, l, true));
	T_OK(cluster_stop(l, 60000));
	T_HAS(t_log(), "the engine has waited for an answer of slurmctld for ");
	atomic_store(&beat.told_at, 0);
	t_log_clear();
}

static void each_cluster_looks_at_the_engine(void)
{
	fault_script(POD);
	t_log_clear();
	engine_beat_put(&beat, -12000);
	looks_at_the_engine(start());
	/* nor is it forgotten where there is no kubeconfig */
	looks_at_the_engine(start_by("/nonexistent"));
	atomic_store(&beat.at, 0);
}

/* --- what the kubeconfig says changes */

static void write_kubeconfig(const char *token)
{
	_cleanup_free_ char *text = str_printf(
		"{apiVersion: v1, kind: Config, current-context: c,\n"
		"contexts: [{name: c, context: {cluster: c, user: u}}],\n"
		"clusters: [{name: c, cluster: {\n"
		"  server: 'https://127.0.0.1:%d',\n"
		"  certificate-authority: ca.crt}}],\n"
		"users: [{name: u, user: {token: %s}}]}\n",
		fault()->port, token);

	t_write("kubeconfig", text);
}

static void write_ca(const char *from)
{
	_cleanup_free_ char *text = NULL;
	size_t len;

	if (fs_read_file(from, 1 << 16, &text, &len, NULL))
		abort();
	t_write("ca.crt", text);
}

static bool is_refused(struct cluster *l)
{
	(void)l;
	return fault_count("fired", NULL) > 0;
}

static bool watches(struct cluster *l)
{
	(void)l;
	return fault_requests("GET", PODS "?watch=1") > 0;
}

static bool watches_again(struct cluster *l)
{
	(void)l;
	return fault_requests("GET", PODS "?watch=1") > 1;
}

static bool sees_both(struct cluster *l)
{
	return worker_pods_count(watch_pods(l)) == 2;
}

static struct cluster *start_with(const char *token, const char *ca)
{
	struct cluster *l;

	write_kubeconfig(token);
	write_ca(ca);
	l = start_by(t_path("kubeconfig"));
	return l;
}

static void a_token_that_is_replaced_is_read_when_the_old_one_is_refused(void)
{
	struct cluster *l;

	fault_script(POD ",'rules':[{'do':'auth','token':'second'}]");
	l = start_with("first", fault()->ca);
	until(is_refused, l, true);
	write_kubeconfig("second");
	atomic_fetch_add(&later, 61000);
	until(sees, l, true);
	until(cluster_held, l, true);
	T_OK(cluster_is_current(l));
	T_OK(cluster_stop(l, 60000));
}

static void a_ca_that_is_replaced_is_read_when_the_server_is_not_trusted(void)
{
	struct cluster *l;

	fault_script(POD);
	l = start_with("first", fault()->other_ca);
	nap(500); /* (most times it has read the old one by then) */
	write_ca(fault()->ca);
	atomic_fetch_add(&later, 61000);
	until(sees, l, true);
	until(cluster_held, l, true);
	T_OK(cluster_stop(l, 60000));
}

/* (before a certificate ends, for one) */
static void what_is_replaced_is_read_in_a_while(void)
{
	struct cluster *l;

	fault_script(POD);
	l = start_with("first", fault()->ca);
	until(watches, l, true);
	until(cluster_held, l, true);
	write_kubeconfig("second");
	fault_change("'rules':[{'do':'auth','token':'second'}],"
		     "'pods':[{'metadata':{'name':'n2','uid':'u2','labels':{"
		     "'" WK_LABEL_CLUSTER "':'test','" WK_LABEL_NODE
		     "':'n2'}}}]");
	atomic_fetch_add(&later, 301000);
	until(watches_again, l, true);
	until(sees_both, l, true);
	until(cluster_held, l, true);
	T_OK(cluster_stop(l, 60000));
}

T_MAIN("link", T(with_the_lease_it_acts_and_at_the_end_gives_it_back),
       T(a_pod_of_this_power_up_is_not_replaced), T(it_ends_with_its_engine),
       T(without_it_it_looks_but_does_nothing),
       T(what_is_abandoned_ends_by_itself), T(what_is_under_way_ends_with_it),
       T(only_so_many_notes_wait),
       T(a_server_that_hangs_does_not_delay_the_end),
       T(a_thread_that_hangs_is_said_once_a_minute),
       T(an_engine_that_waits_is_said_once_a_minute),
       T(each_cluster_looks_at_the_engine),
       T(a_token_that_is_replaced_is_read_when_the_old_one_is_refused),
       T(a_ca_that_is_replaced_is_read_when_the_server_is_not_trusted),
       T(what_is_replaced_is_read_in_a_while))

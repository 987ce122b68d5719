/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two Slurm clusters that want the same namespaces and nodes. */
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "cluster/claims.h"
#include "fault.h"

#define LEASES "/apis/coordination.k8s.io/v1/namespaces/ns/leases"
#define NAME "slurm-k8s-claim.s"
#define NODE "/api/v1/nodes/n1"
#define OURS "slurm/slurm-k8s-blue"
#define FREE_NODE                                                              \
	"{'path':'nodes/n1','method':'GET','times':%d,'do':'raw','code':200,"  \
	"'body':'{\\\"metadata\\\":{\\\"name\\\":\\\"n1\\\","                  \
	"\\\"resourceVersion\\\":\\\"7\\\"}}'}"

struct party {
	struct fault_link link;
	struct claims *claims;
	unsigned int changes;
	char words[CLAIM_WORDS_MAX];
};

static void nothing(void *arg)
{
	(void)arg;
}

static void changed(void *arg)
{
	struct party *p = arg;

	p->changes++;
}

static int64_t later; /* ms that the clock is ahead; it does not go back */

int64_t __real_clock_ms(void);
int64_t __wrap_clock_ms(void);
int64_t __wrap_clock_ms(void)
{
	return __real_clock_ms() + later;
}

static int64_t wanted_ms = WAIT_MS, lasts_ms = 50;

static void join_of(struct party *p, const char *slurm, const char *ns)
{
	const struct claims_options opt = {.cluster = "c",
					   .slurm_cluster = slurm,
					   .ns = ns,
					   .scheduler = "s",
					   .again_ms = 100,
					   .wanted_ms = wanted_ms,
					   .others_ms = 100,
					   .refused_ms = 100,
					   .lasts_ms = lasts_ms,
					   .retry_ms = 1,
					   .asked = nothing,
					   .changed = changed,
					   .told = p};

	*p = (struct party){.link = fault_link(NULL)};
	p->claims = claims_new(&opt);
	if (!p->claims)
		abort();
}

static void join(struct party *p, const char *slurm)
{
	join_of(p, slurm, "slurm");
	T_HAS(claims_by(p->claims), "slurm/slurm-k8s-");
}

static void part(struct party *p)
{
	claims_stop(p->claims, p->link.client);
	claims_free(p->claims);
	fault_unlink(&p->link);
}
#define _cleanup_party_ __attribute__((cleanup(part)))

static enum claims_is ns_of(struct party *p)
{
	return claims_namespace(p->claims, "ns", p->words);
}

static void step(struct party *p)
{
	claims_step(p->claims, p->link.client, true);
	if (!kube_client_step(p->link.client, 5))
		kube_client_rest(p->link.client, 1);
}

static bool until(struct party *p, enum claims_is is)
{
	const int64_t end = clock_ms() + WAIT_MS;

	while (ns_of(p) != is && clock_ms() < end)
		step(p);
	return T_INT(ns_of(p), is);
}

/* False: there is none. */
static bool holder(char out[64])
{
	_cleanup_json_ json_object *o = fault_stats();
	const char *text = jx_str(o, "leases", NAME, "spec", "holderIdentity");

	str_copy(out, text ? text : "", 64);
	return text != NULL;
}

static void stands(const char *wanted)
{
	char text[64];

	T_OK(holder(text));
	T_STR(text, wanted);
}

/* --- asking for a node */

static void ask_node(struct party *p, const char *method, size_t times)
{
	const int64_t end = clock_ms() + WAIT_MS;
	char words[CLAIM_WORDS_MAX];

	while (fault_requests(method, NODE) < times && clock_ms() < end) {
		claims_node(p->claims, "n1", NULL, NULL, words);
		step(p);
	}
	for (int i = 0; i < 20; i++)
		kube_client_step(p->link.client, 5);
	T_OK(fault_requests(method, NODE) >= times);
}

/* No label names whose it is. */
static bool until_node(struct party *p, const char *node, enum claims_is is)
{
	const int64_t end = clock_ms() + WAIT_MS;
	char words[CLAIM_WORDS_MAX];

	while (claims_node(p->claims, node, NULL, NULL, words) != is &&
	       clock_ms() < end)
		step(p);
	return T_INT(claims_node(p->claims, node, NULL, NULL, words), is);
}

/* --- namespaces */

static void of_two_who_start_together_exactly_one_has_it(void)
{
	for (int i = 0; i < 20; i++) {
		_cleanup_party_ struct party p, q;
		bool first;

		t_row("round %d", i);
		fault_script("%s", "");
		join(&p, "blue");
		join(&q, "green");
		T_INT(ns_of(&p), CLAIMS_UNKNOWN);
		T_INT(ns_of(&q), CLAIMS_UNKNOWN);
		while (ns_of(&p) == CLAIMS_UNKNOWN ||
		       ns_of(&q) == CLAIMS_UNKNOWN) {
			step(i % 2 ? &p : &q);
			step(i % 2 ? &q : &p);
		}
		first = ns_of(&p) == CLAIMS_OURS;
		T_INT(ns_of(&p), first ? CLAIMS_OURS : CLAIMS_OTHERS);
		T_INT(ns_of(&q), first ? CLAIMS_OTHERS : CLAIMS_OURS);
		stands(first ? "blue" : "green");
		T_HAS(first ? q.words : p.words,
		      first ? "namespace ns is claimed by Slurm cluster blue "
			      "since "
			    : "namespace ns is claimed by Slurm cluster green "
			      "since ");
		T_HAS(first ? q.words : p.words,
		      "kubectl -n ns delete lease " NAME);
		T_INT(fault_requests("PUT", LEASES), 0);
	}
}

static void it_is_ours_again_after_a_restart(void)
{
	fault_script("%s", "");
	for (int i = 0; i < 2; i++) {
		_cleanup_party_ struct party p;

		join(&p, "blue");
		T_OK(until(&p, CLAIMS_OURS));
		T_INT(p.changes, 1);
		stands("blue");
	}
}

/* (their engines have two Leases, so neither keeps the other from acting) */
static void of_two_of_one_name_exactly_one_has_it(void)
{
	_cleanup_party_ struct party p, q;
	int64_t end;

	fault_script("%s", "");
	join(&p, "blue");
	join_of(&q, "blue", "other");
	T_OK(until(&p, CLAIMS_OURS));
	T_OK(until(&q, CLAIMS_OTHERS));
	T_HAS(q.words,
	      "claimed by Slurm cluster blue of the lease " OURS " since ");
	for (end = clock_ms() + 300; clock_ms() < end;) {
		step(&p);
		step(&q);
		T_INT(ns_of(&p), CLAIMS_OURS);
		T_INT(ns_of(&q), CLAIMS_OTHERS);
	}
	fault_change("'no_lease':'" NAME "'");
	T_OK(until(&q, CLAIMS_OURS));
	T_OK(until(&p, CLAIMS_OTHERS));
}

/* Nobody is taken for dead: only an administrator takes a claim away. */
static void a_stale_claim_stays_until_it_is_deleted(void)
{
	_cleanup_party_ struct party p;
	int64_t end;

	fault_script("%s", "");
	fault_change("'leases':[{'kind':'Lease','metadata':{'name':'" NAME
		     "'},'spec':{'holderIdentity':'old','acquireTime':"
		     "'2020-01-01T00:00:00.000000Z'}}]");
	join(&p, "blue");
	T_OK(until(&p, CLAIMS_OTHERS));
	T_HAS(p.words, "Slurm cluster old since 2020-01-01T00:00:00");
	for (end = clock_ms() + 400; clock_ms() < end;) {
		step(&p);
		T_INT(ns_of(&p), CLAIMS_OTHERS);
	}
	stands("old");
	fault_change("'no_lease':'" NAME "'");
	T_OK(until(&p, CLAIMS_OURS));
	stands("blue");
}

/* Somebody has deleted ours, and another one was faster. */
static void a_claim_that_was_taken_away_is_noticed(void)
{
	_cleanup_party_ struct party p, q;

	fault_script("%s", "");
	join(&p, "blue");
	T_OK(until(&p, CLAIMS_OURS));
	fault_change("'no_lease':'" NAME "'");
	join(&q, "green");
	T_OK(until(&q, CLAIMS_OURS));
	T_OK(until(&p, CLAIMS_OTHERS));
	stands("green");
}

static void without_the_right_it_is_ours_with_a_warning(void)
{
	_cleanup_party_ struct party p;
	char text[64];
	int64_t end;

	t_log_clear();
	fault_script("'rules':[{'path':'leases','do':'status','code':403,"
		     "'times':1000}]");
	join(&p, "blue");
	T_OK(until(&p, CLAIMS_OURS));
	T_HAS(t_log(), "cluster c: namespace ns cannot be claimed: no other "
		       "Slurm cluster is kept from it: ");
	t_log_clear();
	for (end = clock_ms() + 300; clock_ms() < end;)
		step(&p);
	T_STR(t_log(), "");
	/* (the ClusterRole of this version was applied) */
	fault_change("'rules':[]");
	while (!holder(text) && clock_ms() < end + WAIT_MS)
		step(&p);
	stands("blue");
}

/* An API server that starts refuses what it will let pass. */
static void what_is_refused_for_a_moment_is_not_believed(void)
{
	_cleanup_party_ struct party p;
	const int64_t end = clock_ms() + WAIT_MS;

	fault_script("'rules':[{'path':'leases','do':'status','code':403,"
		     "'times':1000},{'path':'nodes','do':'status','code':403,"
		     "'times':1000}]");
	lasts_ms = 10 * WAIT_MS;
	join(&p, "blue");
	lasts_ms = 50;
	T_INT(ns_of(&p), CLAIMS_UNKNOWN);
	ask_node(&p, "GET", 3);
	while (fault_requests("GET", LEASES) < 3 && clock_ms() < end)
		step(&p);
	T_OK(fault_requests("GET", LEASES) >= 3);
	T_INT(ns_of(&p), CLAIMS_UNKNOWN);
	T_OK(until_node(&p, "n1", CLAIMS_UNKNOWN));
	fault_change("'rules':[]");
	T_OK(until(&p, CLAIMS_OURS));
	stands("blue");
}

/* Steps until it has been asked for once more, and answered. */
static void asks(struct party *p, const char *method)
{
	const size_t before = fault_requests(method, LEASES);
	const int64_t end = clock_ms() + WAIT_MS;

	while (fault_requests(method, LEASES) <= before + 1 && clock_ms() < end)
		step(p);
	T_OK(fault_requests(method, LEASES) > before + 1);
}

#define WITHOUT_A_RIGHT                                                        \
	"'rules':[{'path':'leases','do':'status','code':403,'times':1000}]"

/* One that comes and goes and comes again refuses for two moments. */
static void only_refusals_in_a_row_last(void)
{
	_cleanup_party_ struct party p;

	fault_script(WITHOUT_A_RIGHT);
	lasts_ms = 60000;
	join(&p, "blue");
	lasts_ms = 50;
	T_INT(ns_of(&p), CLAIMS_UNKNOWN);
	asks(&p, "GET");
	fault_change("'rules':[{'path':'leases','do':'status','code':500,"
		     "'times':1000}]");
	asks(&p, "POST");
	later += 60000;
	asks(&p, "POST");
	fault_change(WITHOUT_A_RIGHT);
	asks(&p, "GET");
	T_INT(ns_of(&p), CLAIMS_UNKNOWN);
	later += 60000;
	T_OK(until(&p, CLAIMS_OURS));
}

/* However long: nobody has seen that he has given it back. */
static void another_ones_stays_so_without_the_right_to_look(void)
{
	_cleanup_party_ struct party p;
	int64_t end;

	fault_script("%s", "");
	fault_change("'leases':[{'kind':'Lease','metadata':{'name':'" NAME
		     "'},'spec':{'holderIdentity':'green'}}]");
	join(&p, "blue");
	T_OK(until(&p, CLAIMS_OTHERS));
	fault_change("'rules':[{'path':'leases','do':'status','code':403,"
		     "'times':1000}]");
	for (end = clock_ms() + 500; clock_ms() < end;) {
		step(&p);
		T_NEED(T_INT(ns_of(&p), CLAIMS_OTHERS));
	}
	T_HAS(p.words, "claimed by Slurm cluster green");
	fault_change("'rules':[],'no_lease':'" NAME "'");
	T_OK(until(&p, CLAIMS_OURS));
}

/* (as in a namespace that is being deleted) */
static void another_ones_is_known_without_the_right_to_create(void)
{
	_cleanup_party_ struct party p;

	fault_script("%s", "");
	fault_change("'leases':[{'kind':'Lease','metadata':{'name':'" NAME
		     "'},'spec':{'holderIdentity':'green'}}],'rules':[{"
		     "'path':'leases','method':'POST','do':'status','code':403,"
		     "'times':1000,'message':'leases is forbidden: User "
		     "\\\"u\\\" cannot create resource \\\"leases\\\"'}]");
	join(&p, "blue");
	T_OK(until(&p, CLAIMS_OTHERS));
	/* (and there is none: it is anybody's) */
	fault_change("'no_lease':'" NAME "'");
	T_OK(until(&p, CLAIMS_OURS));
	T_HAS(t_log(), "no other Slurm cluster is kept from it");
}

/* Whoever's claim it is, admission is asked before it is looked for one. */
static void what_admission_refuses_is_neither_ours_nor_taken(void)
{
	static const struct {
		int code;
		const char *words;
	} rows[] = {
		{403, "admission webhook w denied the request: no"},
		{400, "admission webhook w denied the request: no"},
		{422, "leases is forbidden: ValidatingAdmissionPolicy p "
		      "denied request: an owner is missing"},
		{403, "leases is forbidden: exceeded quota: q, requested: "
		      "count/leases=1"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_party_ struct party p;

		t_row("%zu", i);
		t_log_clear();
		fault_script("%s", "");
		fault_change("'leases':[{'kind':'Lease','metadata':{'name':"
			     "'" NAME "'},'spec':{'holderIdentity':'green'}}],"
			     "'rules':[{'path':'leases','method':'POST',"
			     "'do':'status','code':%d,'times':1000,"
			     "'message':'%s'}]",
			     rows[i].code, rows[i].words);
		join(&p, "blue");
		T_OK(until(&p, CLAIMS_OTHERS));
		T_HAS(p.words, "claimed by Slurm cluster green");
		fault_change("'no_lease':'" NAME "'");
		T_OK(until(&p, CLAIMS_UNKNOWN));
		T_HAS(p.words, rows[i].words);
		T_HAS(t_log(), "namespace ns cannot be claimed, and its pods "
			       "wait: POST ");
		fault_change("'rules':[]");
		T_OK(until(&p, CLAIMS_OURS));
	}
}

static void a_namespace_that_is_gone_is_not_asked_for_any_more(void)
{
	_cleanup_party_ struct party p;
	int64_t end;

	fault_script("'rules':[{'path':'leases','method':'POST','do':'status',"
		     "'code':404,'times':1000}]");
	join(&p, "blue");
	T_INT(ns_of(&p), CLAIMS_UNKNOWN);
	for (end = clock_ms() + WAIT_MS;
	     !fault_requests("POST", LEASES) && clock_ms() < end;)
		step(&p);
	for (end = clock_ms() + 300; clock_ms() < end;)
		step(&p);
	T_INT(fault_requests("POST", LEASES), 1);
	fault_change("'rules':[]");
	T_OK(until(&p, CLAIMS_OURS)); /* (it is there again, and has a pod) */
}

/*
 * k8s.yaml does not let it enter any more, and an administrator gives it to
 * another Slurm cluster by deleting our claim.
 */
static void a_namespace_that_nobody_asks_for_is_not_claimed_again(void)
{
	_cleanup_party_ struct party p;
	char text[64];
	size_t before;
	int64_t end;

	fault_script("%s", "");
	wanted_ms = 50;
	join(&p, "blue");
	wanted_ms = WAIT_MS;
	T_OK(until(&p, CLAIMS_OURS));
	for (end = clock_ms() + 300; clock_ms() < end;)
		step(&p);
	fault_change("'no_lease':'" NAME "'");
	before = fault_requests("POST", LEASES);
	p.changes = 0;
	for (end = clock_ms() + WAIT_MS; !p.changes && clock_ms() < end;)
		step(&p);
	for (end = clock_ms() + 300; clock_ms() < end;)
		step(&p);
	T_INT(fault_requests("POST", LEASES), before);
	T_INT(p.changes, 1); /* (whoever waits there is looked at) */
	T_OK(!holder(text));
	T_OK(until(&p, CLAIMS_OURS)); /* (it enters again) */
	stands("blue");
}

static void what_fails_is_asked_again_and_nothing_is_believed(void)
{
	static const char *const rules[] = {
		"{'do':'status','code':500,'times':3}",
		"{'do':'status','code':429,'times':3}",
		"{'do':'lost','times':3}",
		"{'method':'GET','do':'garbage'},"
		"{'method':'POST','do':'status','code':409,"
		"'reason':'AlreadyExists','times':1}",
	};

	for (size_t i = 0; i < T_COUNT(rules); i++) {
		_cleanup_party_ struct party p;

		t_row("%s", rules[i]);
		fault_script("'rules':[%s]", rules[i]);
		join(&p, "blue");
		while (!fault_requests(NULL, LEASES)) {
			T_INT(ns_of(&p), CLAIMS_UNKNOWN);
			step(&p);
		}
		T_OK(until(&p, CLAIMS_OURS));
		stands("blue");
		T_INT(p.changes, 1);
	}
}

/* --- nodes */

/* The API server refuses a patch of what was changed since it was read. */
static void a_node_is_patched_by_what_was_read_and_read_again(void)
{
	_cleanup_party_ struct party p;
	char words[CLAIM_WORDS_MAX];

	fault_script("'rules':[" FREE_NODE ",{'path':'nodes/n1','method':"
		     "'PATCH','times':1,'do':'status','code':409,'reason':"
		     "'Conflict'},{'path':'nodes/n1','method':'PATCH',"
		     "'times':1,'do':'raw','code':200,'body':'{}'}]",
		     2);
	join(&p, "blue");
	T_INT(claims_node(p.claims, "n1", NULL, NULL, words), CLAIMS_UNKNOWN);
	ask_node(&p, "PATCH", 2);
	T_OK(fault_requests("GET", NODE) >= 2);
	/* (what the watch says then) */
	T_INT(claims_node(p.claims, "n1", "blue", OURS, words), CLAIMS_OURS);
	T_INT(claims_node(p.claims, "n1", "green", NULL, words), CLAIMS_OTHERS);
	T_HAS(words, "claimed by Slurm cluster green; if that is no more: "
		     "kubectl label node n1 slurm-k8s.io/cluster-");
}

/* One that does not want it would take the other's label away. */
static void a_node_is_given_back_by_who_has_it_only(void)
{
	_cleanup_party_ struct party p, q;
	char words[CLAIM_WORDS_MAX];

	fault_script("%s", "");
	join(&p, "blue");
	join_of(&q, "blue", "other");
	T_INT(claims_node(p.claims, "n1", "blue", OURS, words), CLAIMS_OURS);
	T_INT(claims_node(q.claims, "n1", "blue", OURS, words), CLAIMS_OTHERS);
	claims_give_back(q.claims, "n1", "blue", OURS);
	claims_give_back(q.claims, "n1", "blue", NULL);
	for (int i = 0; i < 20; i++) {
		step(&p);
		step(&q);
	}
	T_INT(fault_requests(NULL, NODE), 0);
	claims_give_back(p.claims, "n1", "blue", OURS);
	ask_node(&p, "GET", 1);
	/* (an older release's: it is marked as ours) */
	T_INT(claims_node(p.claims, "n1", "blue", NULL, words), CLAIMS_OURS);
}

static void another_ones_node_is_not_patched(void)
{
	_cleanup_party_ struct party p;

	fault_script(
		"'rules':[{'path':'nodes/n1','method':'GET','times':100,"
		"'do':'raw','code':200,'body':'{\\\"metadata\\\":{"
		"\\\"name\\\":\\\"n1\\\",\\\"resourceVersion\\\":\\\"7\\\","
		"\\\"labels\\\":{\\\"slurm-k8s.io/cluster\\\":"
		"\\\"green\\\"}}}'}]");
	join(&p, "blue");
	ask_node(&p, "GET", 3);
	T_INT(fault_requests("PATCH", NODE), 0);
}

static void without_the_right_nodes_are_ours_with_one_warning(void)
{
	_cleanup_party_ struct party p;
	char words[CLAIM_WORDS_MAX];

	t_log_clear();
	fault_script("'rules':[{'path':'nodes','do':'status','code':403,"
		     "'times':1000}]");
	join(&p, "blue");
	T_OK(until_node(&p, "n1", CLAIMS_OURS));
	T_HAS(t_log(), "cluster c: node n1 cannot be claimed: no other Slurm "
		       "cluster is kept from it");
	t_log_clear();
	claims_node(p.claims, "n2", NULL, NULL, words);
	for (int i = 0; i < 50; i++)
		step(&p);
	T_STR(t_log(), "");
	T_INT(claims_node(p.claims, "n1", "green", NULL, words), CLAIMS_OTHERS);
}

#define PATCHED(who, code, words)                                              \
	"{'path':'nodes/" who "','method':'PATCH','times':1000,'do':'status'," \
	"'code':" #code ",'message':'" words "'}"
#define FREE_N2                                                                \
	"{'path':'nodes/n2','method':'GET','times':1000,'do':'raw',"           \
	"'code':200,'body':'{\\\"metadata\\\":{\\\"name\\\":\\\"n2\\\","       \
	"\\\"resourceVersion\\\":\\\"7\\\"}}'}"
#define PATCH_N2                                                               \
	"{'path':'nodes/n2','method':'PATCH','times':1000,'do':'raw',"         \
	"'code':200,'body':'{}'}"

static void one_that_a_webhook_refuses_is_left_out_alone(void)
{
	static const char *const rules[] = {
		PATCHED("n1", 403,
			"admission webhook w denied the request: no"),
		PATCHED("n1", 400,
			"admission webhook w denied the request: no"),
		PATCHED("n1", 422, "nodes n1 is invalid"),
		PATCHED("n1", 403,
			"nodes n1 is forbidden: ValidatingAdmissionPolicy p "
			"denied request: User x cannot patch it"),
	};

	for (size_t i = 0; i < T_COUNT(rules); i++) {
		_cleanup_party_ struct party p;
		char words[CLAIM_WORDS_MAX];
		int64_t end;

		t_row("%s", rules[i]);
		t_log_clear();
		fault_script("'rules':[" FREE_NODE ",%s," FREE_N2 "," PATCH_N2
			     "]",
			     1000, rules[i]);
		join(&p, "blue");
		ask_node(&p, "PATCH", 2);
		T_INT(claims_node(p.claims, "n1", NULL, NULL, words),
		      CLAIMS_UNKNOWN);
		T_INT(claims_node(p.claims, "n2", NULL, NULL, words),
		      CLAIMS_UNKNOWN);
		for (end = clock_ms() + WAIT_MS;
		     !fault_requests("PATCH", "nodes/n2") && clock_ms() < end;)
			step(&p);
		T_OK(fault_requests("PATCH", "nodes/n2"));
		T_HAS(t_log(), "cluster c: node n1 cannot be claimed, and is "
			       "left out: PATCH " NODE);
		T_LACKS(t_log(), "node n2");
		t_log_clear();
		ask_node(&p, "PATCH", 3);
		T_STR(t_log(), "");
	}
}

static void without_the_right_to_patch_all_are_ours(void)
{
	_cleanup_party_ struct party p;
	char words[CLAIM_WORDS_MAX];

	t_log_clear();
	fault_script("'rules':[" FREE_NODE "," PATCHED(
			     "n1", 403,
			     "nodes \\\"n1\\\" is forbidden: User "
			     "\\\"system:serviceaccount:slurm:slurmctld\\\" "
			     "cannot patch resource \\\"nodes\\\" in API group "
			     "\\\"\\\" at the cluster scope") "]",
		     1000);
	join(&p, "blue");
	T_OK(until_node(&p, "n1", CLAIMS_OURS));
	T_INT(claims_node(p.claims, "n2", NULL, NULL, words), CLAIMS_OURS);
	T_HAS(t_log(), "no other Slurm cluster is kept from it");
}

/* (a webhook, say; each request is given up after some seconds) */
static void namespaces_that_hang_keep_no_other_waiting_for_long(void)
{
	_cleanup_party_ struct party p;
	int64_t begin;

	fault_script("'rules':[{'path':'namespaces/bad','do':'hang','s':60,"
		     "'times':100000}]");
	join(&p, "blue");
	for (int i = 0; i < 30; i++) {
		char ns[16];

		snprintf(ns, sizeof(ns), "bad%d", i);
		claims_namespace(p.claims, ns, NULL);
	}
	while (!fault_requests(NULL, "bad"))
		step(&p);
	begin = clock_ms();
	T_OK(until(&p, CLAIMS_OURS));
	T_OK(clock_ms() - begin < 60000); /* (it takes eight) */
	T_OK(fault_requests("POST", "bad") >= 8);
}

/* A few requests at a time, and some are due again as soon as they have failed.
 */
static void each_has_its_turn_whoever_fails(void)
{
	_cleanup_party_ struct party p;
	const int64_t end = clock_ms() + WAIT_MS;

	fault_script("'rules':[{'path':'namespaces/bad','do':'status','code':"
		     "500,'times':100000}]");
	join(&p, "blue");
	for (int i = 0; i < 20; i++) {
		char ns[16];

		snprintf(ns, sizeof(ns), "bad%d", i);
		claims_namespace(p.claims, ns, NULL);
	}
	for (int i = 0; i < 100 && ns_of(&p) != CLAIMS_OURS; i++)
		for (size_t n = fault_requests(NULL, "bad");
		     fault_requests(NULL, "bad") < n + 2 &&
		     ns_of(&p) != CLAIMS_OURS && clock_ms() < end;)
			step(&p);
	T_INT(ns_of(&p), CLAIMS_OURS);
}

/* (else another Slurm cluster's namespaces would be served, too) */
static void nodes_that_may_not_be_patched_take_no_namespaces_place(void)
{
	_cleanup_party_ struct party a;
	char name[32];

	join(&a, "blue");
	for (unsigned int i = 0; i <= CLAIMS_MAX; i++) {
		snprintf(name, sizeof(name), "n%u", i);
		T_INT(claims_node(a.claims, name, NULL, NULL, a.words),
		      i < CLAIMS_MAX - 1 ? CLAIMS_UNKNOWN : CLAIMS_OURS);
	}
	T_INT(ns_of(&a), CLAIMS_UNKNOWN);
}

T_MAIN("claims", T(nodes_that_may_not_be_patched_take_no_namespaces_place),
       T(one_that_a_webhook_refuses_is_left_out_alone),
       T(without_the_right_to_patch_all_are_ours),
       T(each_has_its_turn_whoever_fails),
       T(namespaces_that_hang_keep_no_other_waiting_for_long),
       T(of_two_who_start_together_exactly_one_has_it),
       T(it_is_ours_again_after_a_restart),
       T(of_two_of_one_name_exactly_one_has_it),
       T(a_stale_claim_stays_until_it_is_deleted),
       T(a_claim_that_was_taken_away_is_noticed),
       T(without_the_right_it_is_ours_with_a_warning),
       T(what_is_refused_for_a_moment_is_not_believed),
       T(only_refusals_in_a_row_last),
       T(another_ones_stays_so_without_the_right_to_look),
       T(another_ones_is_known_without_the_right_to_create),
       T(what_admission_refuses_is_neither_ours_nor_taken),
       T(a_namespace_that_is_gone_is_not_asked_for_any_more),
       T(a_namespace_that_nobody_asks_for_is_not_claimed_again),
       T(what_fails_is_asked_again_and_nothing_is_believed),
       T(a_node_is_patched_by_what_was_read_and_read_again),
       T(a_node_is_given_back_by_who_has_it_only),
       T(another_ones_node_is_not_patched),
       T(without_the_right_nodes_are_ours_with_one_warning))

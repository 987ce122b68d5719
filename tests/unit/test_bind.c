/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pods to the nodes of their job; the rest of the bridge is the test's. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "bridge/reconcile/reconcile.h"
#include "t.h"

static char bound[256]; /* "u1@n1 u2@n2 " */
static char refusal[256];
static uint32_t others;	       /* pods that n1 has */
static struct placed_node has; /* what a job has on a node, if that is known */
static const char *taint;      /* of n1; or NULL */
static bool n1_unread;
static struct pod_class shape;
static struct group_pod member = {.shape = &shape};

int allocation_nodes(const struct queue_entry *q, struct hostlist *out)
{
	return hostlist_expand(q->nodes.names, out, NULL);
}

void group_given_back(struct bridge *b, struct queue_entry *q,
		      const struct group_observation *j, const char *words)
{
	(void)b, (void)q, (void)j;
	snprintf(refusal, sizeof(refusal), "%s", words);
}

static int64_t later; /* ms */

void queue_entry_later(struct bridge *b, struct queue_entry *q, int64_t ms)
{
	(void)b, (void)q;
	later = ms;
}

static char told[512]; /* "u2: words; " */

void write_conditions(struct bridge *b, struct queue_entry *q,
		      const struct group_observation *j,
		      const struct pod_selection *pods)
{
	(void)b;
	q->told.sum++;
	T_INT(j->plan.action, GROUP_WAIT);
	T_STR(j->plan.row, "bind");
	for (size_t i = 0; i < pods->n; i++)
		snprintf(told + strlen(told), sizeof(told) - strlen(told),
			 "%s: %s; ", pods->v[i].uid, j->plan.words);
}

static int given_up; /* what becomes of that */

int end_to_begin_anew(struct bridge *b, struct queue_entry *q, struct err *err)
{
	(void)b, (void)q;
	return given_up ? err_set(err, given_up, "not now") : 0;
}

const struct placed_node *ctl_layout_at(const struct ctl_layout *l, size_t i)
{
	(void)l;
	(void)i;
	return &has;
}

static bool under_way;	/* bindings are */
static size_t not_seen; /* pods that were bound */

bool bridge_requests_has(struct bridge_requests *w,
			 enum bridge_request_what what, const char *uid)
{
	(void)w;
	(void)uid;
	return what == BRIDGE_REQUEST_BIND && under_way;
}

/* The pods that are on their way: a uid and a node in turn; or NULL */
static const char *const *ways;

bool bridge_requests_way(struct bridge_requests *w, const char *uid,
			 uint32_t job_id, char *node, size_t size)
{
	(void)w;
	(void)job_id;
	for (const char *const *at = ways; at && *at; at += 2)
		if (!strcmp(*at, uid)) {
			if (node)
				str_copy(node, at[1], size);
			return true;
		}
	return false;
}

void view_bindings_unseen(struct bridge *b, uint32_t job_id, size_t pods)
{
	(void)b;
	(void)job_id;
	not_seen += pods;
}

void pod_groups_lock(struct pod_groups *v)
{
	(void)v;
}

void pod_groups_unlock(struct pod_groups *v)
{
	(void)v;
}

struct group_pod *pod_groups_pod(struct pod_groups *v, const char *uid)
{
	(void)v;
	(void)uid;
	return &member;
}

uint32_t overcommit_pods(struct bridge *b, const struct inventory_node *x)
{
	(void)b;
	return strcmp(x->name, "n1") ? 0 : others;
}

static char counted[256]; /* by whom asks for room next: "u1@n1 " */

void overcommit_bound(struct bridge *b, const char *uid, const char *node,
		      const struct pod_requests *need)
{
	const size_t n = strlen(counted);

	(void)b;
	(void)need;
	snprintf(counted + n, sizeof(counted) - n, "%s@%s ", uid, node);
}

bool bridge_requests_bind(struct bridge_requests *w, const struct pod_ref *pod,
			  const char *node, uint32_t job_id, bool keeps)
{
	const size_t n = strlen(bound);

	(void)w;
	(void)job_id;
	snprintf(bound + n, sizeof(bound) - n, "%s@%s%s ", pod->uid, node,
		 keeps ? "" : "!");
	T_STR(pod->group, "Pod"); /* (the key is "") */
	T_STR(pod->by, "slurm/a");
	return true;
}

/* --- */

static void ring(void *arg)
{
	(void)arg;
}

/* What else is to happen, if anything */
static void (*again)(struct bridge *b, struct queue_entry *q,
		     const struct group_observation *j,
		     const struct pod_selection *pods);

#define PAIR(resource, gres)                                                   \
	{                                                                      \
		(char *)resource, (char *)gres                                 \
	}
static struct label_pair pairs[] = {
	PAIR("nvidia.com/gpu", "gpu"),
	PAIR("x/a100", "gpu:a100"),
	PAIR("hugepages-2Mi", "huge"),
	PAIR("x/kvm", "kvm"),
	PAIR("x/1", "g1"),
	PAIR("x/2", "g2"),
	PAIR("x/3", "g3"),
	PAIR("x/4", "g4"),
	PAIR("x/5", "g5"),
};

static bool others_unlisted; /* other pods: not yet, after a start */

/* Two pods to a job's nodes of Slurm, s1 and s2, which are n1 and n2. */
static const char *bind(const char *nodes, bool ports)
{
	const struct bridge_config config = {
		.resources = {pairs, T_COUNT(pairs)}};
	const struct inventory_options opt = {.cluster = "c",
					      .label = "l",
					      .scheduler = "s",
					      .ring = ring,
					      .count_others = others_unlisted};
	const struct cluster_config cluster = {.name = (char *)"c"};
	struct bridge b = {
		.bridge = &config, .cluster = &cluster, .bound_by = "slurm/a"};
	struct queue_entry *q = calloc(1, sizeof(*q) + 1);
	struct group_observation j = {
		.plan = {.action = GROUP_BIND, .row = "bind", .n = 2}};
	struct selected_pod v[2] = {
		{.uid = "u1", .ports = ports, .waiting = true},
		{.uid = "u2", .ports = ports, .waiting = true}};
	const struct pod_selection pods = {.v = v, .n = 2};
	struct informer_handler on;

	b.inventory = inventory_new(&opt);
	on = inventory_handler(b.inventory);
	for (int i = 1; i <= 2; i++) {
		_cleanup_json_ json_object *node = NULL;
		char text[512];

		snprintf(text, sizeof(text),
			 "{\"metadata\":{\"name\":\"n%d\",\"uid\":\"u%d\","
			 "\"labels\":{\"slurm-k8s.io/slurm-nodename\":"
			 "\"s%d\"}},\"spec\":{%s},"
			 "\"status\":{\"allocatable\":{\"cpu\":\"8\","
			 "\"memory\":\"8Gi\",\"pods\":\"110\"}}}",
			 i, i, i, taint && i == 1 ? taint : "");
		node = t_parse(text);
		on.on_object(on.arg, node);
	}
	on.on_synced(on.arg);
	inventory_find(b.inventory, "n1")->view.unread = n1_unread;
	*bound = *refusal = *counted = '\0';
	q->nodes.names = strdup(nodes);
	if (!job_has_one_node(q))
		q->nodes.layout = (struct ctl_layout *)&has;
	bind_pods(&b, q, &j, &pods);
	if (again)
		again(&b, q, &j, &pods);
	free(q->nodes.names);
	free(q);
	workload_logs_free(b.says);
	inventory_free(b.inventory);
	return bound;
}

static void pods_with_one_port_get_nodes_of_their_own(void)
{
	T_STR(bind("s1", false), "u1@n1 u2@n1 ");
	T_STR(bind("s1", true), "");
	T_OK(*refusal);
	T_STR(bind("s[1-2]", true), "u1@n1 u2@n2 ");
	T_STR(counted, bound);
	T_STR(refusal, "");
}

static void nodes_take_so_many_pods(void)
{
	others = 109;
	T_STR(bind("s[1-2]", false), "u1@n1 u2@n2 ");
	others = 110;
	T_STR(bind("s[1-2]", false), "u1@n2 u2@n2 ");
	others = 0;
}

/* (the room that they hold is not known) */
static void nothing_is_bound_before_other_pods_are_listed(void)
{
	others_unlisted = true;
	T_STR(bind("s[1-2]", false), "");
	T_STR(refusal, "");
	others_unlisted = false;
	T_STR(bind("s[1-2]", false), "u1@n1 u2@n2 ");
}

static void a_node_that_kubernetes_does_not_have_is_refused(void)
{
	T_STR(bind("s[1-3]", false), "");
	T_HAS(refusal, "s3, which is no node of Kubernetes cluster c");
	/* (its pods are told when their job goes, see job_end.c) */
	given_up = -EAGAIN;
	T_STR(bind("s[1-3]", false), "");
	T_STR(refusal, "");
	given_up = 0;
}

static void bind_again(struct bridge *b, struct queue_entry *q,
		       const struct group_observation *j,
		       const struct pod_selection *pods)
{
	const struct pod_selection first = {.v = pods->v, .n = 1};

	bind_pods(b, q, j, pods); /* (not in view yet) */
	T_STR(bound, "u1@n1 u2@n1 ");
	bind_pods(b, q, j, &first); /* others than before */
	T_STR(bound, "u1@n1 u2@n1 u1@n1 ");
	q->bound.until = 0; /* refused */
	bind_pods(b, q, j, &first);
	T_STR(bound, "u1@n1 u2@n1 u1@n1 u1@n1 ");
}

static int64_t denied_for;

static void deny(struct queue_entry *q)
{
	free(q->bound.denied);
	q->bound.denied = strdup("Kubernetes refuses to bind it: no");
	q->bound.denied_at = clock_ms() - denied_for;
	q->bound.refused = true;
	q->bound.until = 0;
}

/* (RBAC of the bridge is not whole, or a webhook is against it) */
static void bind_denied(struct bridge *b, struct queue_entry *q,
			const struct group_observation *j,
			const struct pod_selection *pods)
{
	const struct pod_selection first = {.v = pods->v, .n = 1};

	/* it may pass: authorisation may just begin, say */
	denied_for = BRIDGE_DENIED_MS - 1000;
	for (int i = 0; i < 2; i++) {
		deny(q);
		bind_pods(b, q, j, pods);
		T_OK(!q->bound.denied);
	}
	T_STR(bound, "u1@n1 u2@n1 u1@n1 u2@n1 u1@n1 u2@n1 ");
	T_STR(refusal, "");
	/* other pods are tried anew */
	denied_for = BRIDGE_DENIED_MS;
	deny(q);
	bind_pods(b, q, j, &first);
	T_STR(refusal, "");
	T_INT(q->bound.denied_at, 0);
	*bound = '\0';
	deny(q);
	bind_pods(b, q, j, &first);
	T_STR(bound, "");
	T_STR(refusal, "Kubernetes refuses to bind it: no");
	/* where others run, the job stays, and who waits is told */
	*refusal = *told = '\0';
	pods->v[0].waiting = false;
	str_copy(pods->v[0].node, "n1", sizeof(pods->v[0].node));
	bind_pods(b, q, j, pods);
	deny(q);
	*bound = '\0';
	bind_pods(b, q, j, pods);
	T_STR(bound, "u2@n1 ");
	T_STR(refusal, "");
	T_STR(told, "u2: job 0 has no place for it now: Kubernetes refuses to "
		    "bind it: no; ");
	*told = '\0';
	free(q->bound.denied);
}

static void a_job_whose_pods_kubernetes_does_not_bind_is_given_back(void)
{
	again = bind_denied;
	bind("s1", false);
	again = NULL;
}

static void what_is_on_its_way_is_not_sent_again(void)
{
	again = bind_again;
	bind("s1", false);
	again = NULL;
}

/* The API server said that they are, and its watch does not. */
static void bind_unseen(struct bridge *b, struct queue_entry *q,
			const struct group_observation *j,
			const struct pod_selection *pods)
{
	static const struct {
		bool under_way, refused;
		unsigned int tries;
		size_t not_seen;
		const char *bound;
	} rows[] = {{false, false, 0, 2, ""},
		    {false, false, 1, 2, "u1@n1 u2@n1 "},
		    {true, false, 0, 0, "u1@n1 u2@n1 "},
		    {false, true, 0, 0, "u1@n1 u2@n1 "}};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%zu", i);
		under_way = rows[i].under_way;
		q->bound.refused = rows[i].refused;
		q->bound.tries = rows[i].tries;
		not_seen = 0;
		*bound = '\0';
		q->bound.until = 1; /* (it is over) */
		bind_pods(b, q, j, pods);
		T_STR(bound, rows[i].bound);
		T_INT(not_seen, rows[i].not_seen);
	}
	under_way = false;
}

static void what_was_bound_and_is_not_seen_is_listed_anew(void)
{
	not_seen = 0;
	again = bind_unseen;
	bind("s1", false);
	again = NULL;
}

/*
 * Its owner has made it smaller while it waited (scontrol update NumCPUs=1,
 * MinMemoryNode=1, Gres=): the rest of its node may be somebody else's.
 */
static void bind_by_less(struct bridge *b, struct queue_entry *q,
			 const struct group_observation *j,
			 const struct pod_selection *pods)
{
	static const struct {
		struct placed_share has;
		const char *words; /* NULL: it is bound */
	} rows[] = {
		{{.cpus = 2, .memory_mib = 64}, NULL},
		{{.cpus = 2}, NULL}, /* (all of its memory) */
		{{.cpus = 8, .memory_mib = 64}, NULL},
		{{.cpus = 1, .memory_mib = 64}, "2000 m of CPU"},
		{{.cpus = 2, .memory_mib = 63}, "64 MiB"},
	};
	const struct pod_selection one = {.v = pods->v, .n = 1};

	pods->v[0].need = (struct pod_requests){.cpu_milli = 2000,
						.memory_bytes = 64 << 20};
	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%zu", i);
		*bound = *refusal = '\0';
		q->bound.until = 0;
		q->nodes.has = rows[i].has;
		bind_pods(b, q, j, &one);
		T_STR(bound, rows[i].words ? "" : "u1@n1 ");
		if (rows[i].words)
			T_HAS(refusal, rows[i].words);
		else
			T_STR(refusal, "");
	}
}

static void by_a_job_that_was_made_smaller_nothing_is_bound(void)
{
	again = bind_by_less;
	bind("s1", false);
	again = NULL;
}

static void bind_with_devices(struct bridge *b, struct queue_entry *q,
			      const struct group_observation *j,
			      const struct pod_selection *pods)
{
	const struct pod_selection one = {.v = pods->v, .n = 1};
	struct pod_requests *need = &pods->v[0].need;

	*bound = *refusal = '\0';
	q->bound.until = 0;
	q->nodes.has = (struct placed_share){.cpus = 8};
	need->n_ext = 1;
	strcpy(need->ext[0].name, "x/1");
	need->ext[0].count = 2;
	bind_pods(b, q, j, &one); /* how many its job has is not known yet */
	T_STR(bound, "");
	T_STR(refusal, "");
	q->nodes.layout = (struct ctl_layout *)&has;
	q->job.id = 7;
	has = (struct placed_node){.name = "s1", .cpus = 8, .gres = "g1:1"};
	bind_pods(b, q, j, &one);
	T_STR(bound, "");
	T_HAS(refusal, "2 g1");
	has.gres = "g1(CNT:2)";
	bind_pods(b, q, j, &one);
	T_STR(bound, "u1@n1 ");
	q->nodes.layout = NULL;
}

static void a_pod_is_bound_to_devices_that_its_job_has(void)
{
	again = bind_with_devices;
	bind("s1", false);
	again = NULL;
}

/* Its owner has taken its ExcNodeList away; no kubelet looks at NoSchedule. */
static void a_pod_is_not_bound_to_a_node_that_it_does_not_tolerate(void)
{
	taint = "\"taints\":[{\"key\":\"team\",\"value\":\"b\","
		"\"effect\":\"NoSchedule\"}]";
	T_STR(bind("s1", false), "");
	T_HAS(refusal, "not tolerated: taint team");
	T_STR(bind("s2", false), "u1@n2 u2@n2 ");
	T_STR(refusal, "");
	taint = "\"taints\":[{\"key\":\"team\",\"value\":\"b\","
		"\"effect\":\"PreferNoSchedule\"}]";
	T_STR(bind("s1", false), "u1@n1 u2@n1 ");
	taint = NULL;
	n1_unread = true;
	T_STR(bind("s1", false), "");
	T_HAS(refusal, "n1: it cannot be read");
	n1_unread = false;
}

/* (the next one would start there, too, as long as it has not been told) */
static void bind_by_an_old_list(struct bridge *b, struct queue_entry *q,
				const struct group_observation *j,
				const struct pod_selection *pods)
{
	static const struct {
		bool waits, same;
		int64_t ms;
		bool gives_back;
	} rows[] = {{true, false, 0, false},
		    {true, true, 0, true},
		    {false, false, 0, true},
		    {true, false, 601000, true}};
	struct queue_entry other = {0};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%zu", i);
		b->updates.waiting = rows[i].waits ? &other : NULL;
		q->job.options_digest[0] = rows[i].same ? '\0' : 'x';
		q->job.state_at = clock_ms() - rows[i].ms;
		q->did.acted_until = 0;
		*refusal = '\0';
		later = 0;
		bind_pods(b, q, j, pods);
		T_STR(bound, "");
		T_INT(*refusal != '\0', rows[i].gives_back);
		T_OK(rows[i].gives_back || later == 2000);
	}
	b->updates.waiting = NULL;
}

static void while_others_are_told_other_nodes_who_started_too_early_stays(void)
{
	taint = "\"taints\":[{\"key\":\"team\",\"value\":\"b\","
		"\"effect\":\"NoSchedule\"}]";
	again = bind_by_an_old_list;
	T_STR(bind("s1", false), "");
	again = NULL;
	taint = NULL;
}

/*
 * One of a gang's pods runs, and the one that takes another's place is too
 * large (or its node is gone): nothing was said of that, each second.
 */
static void bind_beside(struct bridge *b, struct queue_entry *q,
			const struct group_observation *j,
			const struct pod_selection *pods)
{
	struct selected_pod *first = &pods->v[0];

	first->waiting = false;
	strcpy(first->node, "n1");
	first->need.cpu_milli = pods->v[1].need.cpu_milli = 1000;
	q->nodes.layout = (struct ctl_layout *)&has;
	q->job.id = 7;
	q->bound.until = 0;
	*bound = *refusal = *told = '\0';
	bind_pods(b, q, j, pods);
	T_STR(bound, "");
	T_STR(refusal, ""); /* (the job stays) */
	T_STR(told, "u2: job 7 has no place for it now: 2 pods do not fit on "
		    "the 1 nodes of the job: no room for one with 1000 m of "
		    "CPU, 0 MiB; ");
	T_OK(later >= 10000);
	T_INT(q->did.acted_until, 0); /* (and at once when one ends) */
	has.cpus = 2;
	*told = '\0';
	bind_pods(b, q, j, pods);
	T_STR(bound, "u2@n1 ");
	free(q->nodes.names);
	q->nodes.names = strdup("s[1-3]");
	q->bound.until = 0;
	*bound = '\0';
	bind_pods(b, q, j, pods);
	T_STR(bound, "");
	T_HAS(told, "u2: job 7 has no place for it now: Slurm gave it the node "
		    "s3, which is no node of Kubernetes cluster c; ");
	T_STR(refusal, "");
	q->nodes.layout = NULL;
}

static void a_pod_that_finds_no_room_beside_its_gang_is_told_so(void)
{
	has = (struct placed_node){.name = "s1", .cpus = 1, .gres = ""};
	again = bind_beside;
	bind("s1", false);
	again = NULL;
}

/*
 * Each node has room for two of a gang's four pods. All were to be bound, and
 * none is in view with its node yet; the first one was deleted, and made anew.
 */
static void bind_meanwhile(struct bridge *b, struct queue_entry *q,
			   const struct group_observation *j,
			   const struct pod_selection *pods)
{
	static const char *const on_way[] = {"u2", "n2", "u3", "n2",
					     "u4", "n1", NULL};
	static const char *const uids[] = {"u2", "u3", "u4", "u5"};
	struct selected_pod v[4];
	const struct pod_selection four = {.v = v, .n = 4};

	q->job.id = 7;
	for (int i = 0; i < 4; i++) {
		v[i] = pods->v[0];
		strcpy(v[i].uid, uids[i]);
		v[i].need.cpu_milli = 1000;
	}
	*bound = '\0';
	ways = on_way;
	bind_pods(b, q, j, &four);
	T_STR(bound, "u2@n2 u3@n2 u4@n1 u5@n1 ");
	/* it is too large: the job of the others stays, and they are not told
	 */
	v[3].need.cpu_milli = 2000;
	q->bound.until = 0;
	*bound = *told = '\0';
	bind_pods(b, q, j, &four);
	T_STR(bound, "");
	T_STR(refusal, "");
	T_HAS(told, "u5: job 7 has no place for it now");
	T_OK(!strstr(told, "u4"));
	/* a node that takes two pods, or so many and the others' */
	v[3].need.cpu_milli = 0;
	others = 109; /* (u4 is one of them) */
	bind_pods(b, q, j, &four);
	T_STR(bound, "u2@n2 u3@n2 u4@n1 u5@n1 ");
	others = 0;
	/* one that is sent to a node that the job does not have any more */
	ways = (const char *const[]){"u2", "n9", NULL};
	q->bound.until = 0;
	*bound = '\0';
	bind_pods(b, q, j, &four);
	T_HAS(bound, "u2@n1 ");
	ways = NULL;
}

static void what_is_on_its_way_keeps_its_place(void)
{
	has = (struct placed_node){.name = "s1", .cpus = 2, .gres = ""};
	again = bind_meanwhile;
	bind("s[1-2]", false);
	again = NULL;
}

static void bind_one(struct bridge *b, struct queue_entry *q,
		     const struct group_observation *j,
		     const struct pod_selection *pods)
{
	const struct pod_selection one = {.v = pods->v, .n = 1};
	struct group_observation gang = *j;

	gang.order.id.of.kind = WORKLOAD_PODGROUP;
	*bound = *refusal = '\0';
	pods->v[0].need.cpu_milli = 2000;
	q->nodes.has.cpus = 2;
	q->bound.until = 0;
	bind_pods(b, q, j, &one); /* for itself: its job was made for it */
	T_STR(bound, "u1@n1 ");
	*bound = '\0';
	q->bound.until = 0;
	bind_pods(b, q, &gang, &one); /* maybe for another one */
	T_STR(bound, "");
	T_STR(refusal, "");
	q->nodes.layout = (struct ctl_layout *)&has;
	bind_pods(b, q, &gang, &one);
	T_STR(bound, "");
	T_HAS(refusal, "no room for one with 2000 m of CPU");
	*refusal = '\0';
	bind_pods(b, q, j, &one);
	T_STR(bound, "");
	T_HAS(refusal, "no room for one with 2000 m of CPU");
	*refusal = '\0';
	pods->v[0].need.cpu_milli = 1000;
	pods->v[0].scale_told = true; /* its author's word stands */
	bind_pods(b, q, j, &one);
	T_STR(bound, "u1@n1! ");
	T_STR(refusal, "");
	*bound = '\0';
	q->bound.until = 0;
	bind_pods(b, q, &gang, &one);
	T_STR(bound, "u1@n1! ");
	q->nodes.layout = NULL;
}

static void a_pod_that_its_job_is_too_small_for_is_not_bound(void)
{
	has = (struct placed_node){.name = "s1", .cpus = 1, .gres = ""};
	again = bind_one;
	bind("s1", false);
	again = NULL;
}

#define PAGES(n)                                                               \
	{                                                                      \
		"hugepages-2Mi", (n) * (2ll << 20)                             \
	}

/* One runs; the other was deleted, and made anew with larger requests. */
static void bind_replaced(struct bridge *b, struct queue_entry *q,
			  const struct group_observation *j,
			  const struct pod_selection *pods)
{
	static const struct {
		const char *gres; /* that the job has there */
		struct pod_requests runs, replaced;
		const char *refused; /* NULL: it is bound */
	} rows[] = {
		{"", {0}, {0}, NULL},
		{"gpu:2(IDX:0-1)",
		 {.n_ext = 1, .ext = {{"nvidia.com/gpu", 1}}},
		 {.n_ext = 1, .ext = {{"nvidia.com/gpu", 1}}},
		 NULL},
		{"gpu:2(IDX:0-1)",
		 {.n_ext = 1, .ext = {{"nvidia.com/gpu", 1}}},
		 {.n_ext = 1, .ext = {{"nvidia.com/gpu", 2}}},
		 "1 gpu"},
		{"huge(CNT:512)",
		 {.n_ext = 1, .ext = {PAGES(256)}},
		 {.n_ext = 1, .ext = {PAGES(256)}},
		 NULL},
		{"huge(CNT:512)",
		 {.n_ext = 1, .ext = {PAGES(256)}},
		 {.n_ext = 1, .ext = {PAGES(257)}},
		 "256 huge"},
		{"huge(CNT:512)",
		 {.n_ext = 1, .ext = {PAGES(256)}},
		 {.n_ext = 2, .ext = {PAGES(256), {"x/1", 1}}},
		 "1 g1"},
		{"gpu:a100:2(IDX:0-1),gpu:h100:2(IDX:2-3)",
		 {.n_ext = 1, .ext = {{"x/a100", 1}}},
		 {.n_ext = 2, .ext = {{"x/a100", 1}, {"nvidia.com/gpu", 2}}},
		 NULL},
		{"gpu:a100:2(IDX:0-1),gpu:h100:2(IDX:2-3)",
		 {.n_ext = 1, .ext = {{"x/a100", 1}}},
		 {.n_ext = 1, .ext = {{"x/a100", 2}}},
		 "1 gpu:a100"},
		{"kvm(CNT:0)", /* (no_consume) */
		 {.n_ext = 1, .ext = {{"x/kvm", 1}}},
		 {.n_ext = 1, .ext = {{"x/kvm", 1}}},
		 NULL},
		{"gpu:9,huge:9,kvm:9,g1:9,g2:9,g3:9,g4:9,g5:9",
		 {.n_ext = 4,
		  .ext = {{"x/a100", 1}, {"x/1", 1}, {"x/2", 1}, {"x/3", 1}}},
		 {.n_ext = 5,
		  .ext = {{"nvidia.com/gpu", 1},
			  PAGES(1),
			  {"x/kvm", 1},
			  {"x/4", 1},
			  {"x/5", 1}}},
		 "more than 8 kinds of gres"},
	};
	struct group_observation gang = *j;

	gang.order.id.of.kind = WORKLOAD_PODGROUP;
	q->nodes.layout = (struct ctl_layout *)&has;
	for (size_t i = 0; i < 2 * T_COUNT(rows); i++) {
		const bool runs = i % 2; /* one of them does already */

		t_row("%zu %s", i, rows[i / 2].gres);
		has.gres = rows[i / 2].gres;
		*bound = *refusal = '\0';
		q->bound.until = 0;
		pods->v[0].need = rows[i / 2].runs;
		pods->v[1].need = rows[i / 2].replaced;
		pods->v[0].waiting = !runs;
		strcpy(pods->v[0].node, runs ? "n1" : "");
		bind_pods(b, q, &gang, pods);
		T_STR(bound, rows[i / 2].refused ? ""
			     : runs		 ? "u2@n1 "
						 : "u1@n1 u2@n1 ");
		/* (the job of one that runs stays) */
		if (rows[i / 2].refused && !runs)
			T_HAS(refusal, rows[i / 2].refused);
		else
			T_STR(refusal, "");
	}
	q->nodes.layout = NULL;
}

static void every_kind_that_a_replaced_pod_asks_for_is_compared(void)
{
	has = (struct placed_node){.name = "s1", .cpus = 8};
	again = bind_replaced;
	bind("s1", false);
	again = NULL;
}

T_MAIN("bind", T(a_job_whose_pods_kubernetes_does_not_bind_is_given_back),
       T(what_is_on_its_way_keeps_its_place),
       T(while_others_are_told_other_nodes_who_started_too_early_stays),
       T(a_pod_that_finds_no_room_beside_its_gang_is_told_so),
       T(by_a_job_that_was_made_smaller_nothing_is_bound),
       T(a_pod_is_bound_to_devices_that_its_job_has),
       T(a_pod_is_not_bound_to_a_node_that_it_does_not_tolerate),
       T(what_was_bound_and_is_not_seen_is_listed_anew),
       T(nothing_is_bound_before_other_pods_are_listed),
       T(pods_with_one_port_get_nodes_of_their_own), T(nodes_take_so_many_pods),
       T(a_node_that_kubernetes_does_not_have_is_refused),
       T(what_is_on_its_way_is_not_sent_again),
       T(a_pod_that_its_job_is_too_small_for_is_not_bound),
       T(every_kind_that_a_replaced_pod_asks_for_is_compared))

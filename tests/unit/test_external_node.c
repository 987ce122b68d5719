/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "external/external_node.h"
#include "t.h"

#define GI (1024ll * 1024 * 1024)

static const char *const labels[] = {"topology.kubernetes.io/zone", "gpu-model",
				     "absent/x", "bare/"};
static const struct gresmap map[] = {
	{"nvidia.com/gpu", "gpu"},
	{"amd.com/gpu", "gpu"},
	{"nvidia.com/mig-1g.5gb", "gpu:1g.5gb"},
	{"example.com/fpga", "fpga"},
	{"hugepages-2Mi", "huge"},
};
static const struct external_node_rules rules = {map, T_COUNT(map), labels,
						 T_COUNT(labels)};

static const struct kube_extended ext[] = {{"nvidia.com/gpu", 4},
					   {"amd.com/gpu", 1},
					   {"nvidia.com/mig-1g.5gb", 7},
					   {"example.com/fpga", 2},
					   {"example.com/other", 9}};
static const struct kube_label some_labels[] = {
	{"gpu-model", "A100 (80,GB)|x&y*[z]"},
	{"topology.kubernetes.io/zone", "west-1"}};

#define BOTH ". State=RESUME ends both (UNDRAIN leaves it DOWN)"

static struct kube_node host(void)
{
	return (struct kube_node){.name = "n1.example",
				  .uid = "u",
				  .cpu_milli = 7910,
				  .memory_bytes = 32 * GI + 1,
				  .ready = true,
				  .external = true};
}

static struct external_node_shape shape_of(const struct kube_node *h,
					   const struct pod_requests *used)
{
	struct external_node_shape s;
	struct err err = {0};

	T_INT(external_node_shape_of(h, used, &rules, &s, &err), 0);
	T_STR(err.msg, "");
	return s;
}

static void names_are_hosts_or_refused(void)
{
	static const struct {
		const char *name, *label, *out; /* NULL: refused */
	} rows[] = {
		{"n1", NULL, "n1"},
		{"ip-10-0-0-1.ec2.internal", NULL, "ip-10-0-0-1.ec2.internal"},
		{"n1", "Slurm_1", "Slurm_1"},
		{"n1", "", NULL},
		{"n1", "a b", NULL},
		{"n1", "a,b", NULL},
		{"n1", "a[1-9]", NULL},
		{"n1", "x State=DOWN", NULL},
		{"n1", "x\nNodeName=y", NULL},
		{"n1", "-x", NULL},
		{"n1", "x.", NULL},
		{"n1", "\xc3\xa4", NULL},
		{"all", NULL, NULL},
		{"default", NULL, NULL},
		{"n1", "None", NULL},
		{"allin", NULL, "allin"},
	};
	_cleanup_free_ char *longest =
		t_repeat("x", EXTERNAL_NODE_NAME_MAX + 1);
	char out[EXTERNAL_NODE_NAME_MAX + 1];
	struct kube_node h = {.name = longest};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct kube_node n = {.name = rows[i].name,
				      .slurm_node = rows[i].label};
		struct err err = {0};
		int rc = external_node_name(&n, out, &err);

		t_row("%s %s", rows[i].name, rows[i].label);
		if (rows[i].out)
			T_STR(out, rows[i].out);
		else
			T_ERR(rc, &err, -EINVAL,
			      "cannot be the name of a Slurm node");
	}
	t_row("%s", "longest");
	T_INT(external_node_name(&h, out, NULL), -EINVAL);
	longest[EXTERNAL_NODE_NAME_MAX] = '\0';
	T_INT(external_node_name(&h, out, NULL), 0);
	T_STR(out, longest);
}

static void a_plain_node_is_what_other_pods_leave(void)
{
	struct kube_node h = host();
	struct pod_requests none = {0};
	struct pod_requests used = {.cpu_milli = 911, .memory_bytes = 2 * GI};
	struct external_node_shape s = shape_of(&h, &none);
	_cleanup_free_ char *line = external_node_line(&s);

	T_STR(line, "NodeName=n1.example CPUs=7 Sockets=1 "
		    "CoresPerSocket=7 ThreadsPerCore=1 RealMemory=32768 "
		    "Feature=k8s-external");
	s = shape_of(&h, &used);
	T_INT(s.cpus, 6);
	T_INT(s.memory_mib, 30720);
}

static void gpus_labels_partitions_and_topology_are_told(void)
{
	struct kube_node h = host();
	struct pod_requests used = {
		.n_ext = 2,
		.ext = {{"nvidia.com/gpu", 1}, {"example.com/fpga", 5}}};
	struct external_node_shape s;
	_cleanup_free_ char *line = NULL;

	h.ext = ext;
	h.n_ext = T_COUNT(ext);
	h.labels = some_labels;
	h.n_labels = T_COUNT(some_labels);
	h.partitions = "bridge,gpu,,bridge,k8s-external";
	h.topology = "topo-switch:s1,topo-block:b1";
	s = shape_of(&h, &used);
	T_STR(s.gres, "gpu:4,gpu:1g.5gb:7");
	T_STR(s.features, "k8s-external,bridge,gpu,zone=west-1,"
			  "gpu-model=A100__80_GB__x_y__z_");
	line = external_node_line(&s);
	T_HAS(line, " Gres=gpu:4,gpu:1g.5gb:7 "
		    "GresConf=count=4,name=gpu+count=7,name=gpu,type=1g.5gb "
		    "Topology=topo-switch:s1,topo-block:b1");
}

static void huge_pages_are_counted_in_pages(void)
{
	static const struct kube_extended pages[] = {{"hugepages-2Mi", 8 * GI}};
	struct kube_node h = host();
	struct pod_requests used = {.n_ext = 1, .ext = {{"hugepages-2Mi", GI}}};
	struct external_node_shape s;

	h.ext = pages;
	h.n_ext = 1;
	s = shape_of(&h, &used);
	T_STR(s.gres, "huge:3584");
}

static void too_little_and_unusable_are_refused(void)
{
	_cleanup_free_ char *word =
		t_repeat("x", EXTERNAL_NODE_FEATURE_MAX + 1);
	_cleanup_free_ char *topo =
		t_repeat("t", EXTERNAL_NODE_TOPOLOGY_MAX + 1);
	struct {
		const char *what;
		struct kube_node h;
		struct pod_requests used;
		int code;
		const char *words;
	} rows[] = {
		{"no CPU",
		 host(),
		 {.cpu_milli = 6911},
		 -ENOSPC,
		 "other pods leave no whole CPU or no memory"},
		{"no memory",
		 host(),
		 {.memory_bytes = 32 * GI},
		 -ENOSPC,
		 "leave no whole CPU or no memory"},
		{"more than there is",
		 host(),
		 {.cpu_milli = INT64_MAX},
		 -ENOSPC,
		 "leave no whole CPU or no memory"},
		{"name",
		 host(),
		 {0},
		 -EINVAL,
		 "'x y' cannot be the name of a Slurm node"},
		{"partition",
		 host(),
		 {0},
		 -EINVAL,
		 "'a State=UP' cannot be a partition of it"},
		{"partition",
		 host(),
		 {0},
		 -EINVAL,
		 "'k8s-created' cannot be a partition"},
		{"partition", host(), {0}, -EINVAL, "xxx' cannot be a partit"},
		{"topology",
		 host(),
		 {0},
		 -EINVAL,
		 "its topology 'a:b c' is none for Slurm"},
		{"topology", host(), {0}, -EINVAL, "is none for Slurm"},
	};

	T_NEED(word && topo);
	rows[3].h.slurm_node = "x y";
	rows[4].h.partitions = "ok,a State=UP";
	rows[5].h.partitions = "k8s-created";
	rows[6].h.partitions = word;
	rows[7].h.topology = "a:b c";
	rows[8].h.topology = topo;
	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct external_node_shape s, none = {0};
		struct err err = {0};

		t_row("%zu %s", i, rows[i].what);
		T_ERR(external_node_shape_of(&rows[i].h, &rows[i].used, &rules,
					     &s, &err),
		      &err, rows[i].code, rows[i].words);
		if (rows[i].code != -ENOSPC) {
			T_OK(!memcmp(&s, &none, sizeof(s)));
			continue;
		}
		/* (what Slurm is told of it besides its size is known) */
		T_INT(s.cpus, 0);
		T_INT(s.memory_mib, 0);
		T_STR(s.name, "n1.example");
		T_STR(s.features, "k8s-external");
	}
}

static void features_and_sizes_are_bounded(void)
{
	char partitions[4096] = "";
	struct kube_node h = host();
	struct pod_requests none = {0};
	struct kube_extended many = {"nvidia.com/gpu", INT64_MAX};
	struct external_node_shape s;
	struct err err = {0};

	h.cpu_milli = h.memory_bytes = INT64_MAX;
	h.ext = &many;
	h.n_ext = 1;
	s = shape_of(&h, &none);
	T_INT(s.cpus, 65533);
	T_INT(s.memory_mib, 1ll << 40);
	T_STR(s.gres, "gpu:1048576");
	for (int i = 0; i < 200; i++)
		snprintf(partitions + strlen(partitions),
			 sizeof(partitions) - strlen(partitions),
			 "partition-%05d,", i);
	h.partitions = partitions;
	T_ERR(external_node_shape_of(&h, &none, &rules, &s, &err), &err, -E2BIG,
	      "its features are longer than 2047 letters");
}

/* --- the plan: one row each */

#define OURS "k8s-external,zone=west"
#define CORDON "k8s: Kubernetes node is cordoned"

static const struct external_node_shape good = {.name = "n1",
						.cpus = 8,
						.memory_mib = 1000,
						.gres = "gpu:2",
						.features = OURS,
						.topology = "t:s1"};

/* Kubernetes and Slurm agree, and nothing runs. */
static struct external_node_view agreed(const struct kube_node *h)
{
	return (struct external_node_view){.host = h,
					   .shape = &good,
					   .settled = true,
					   .known = true,
					   .external = true,
					   .idle = true,
					   .features = "zone=west,k8s-external",
					   .topology = "t:s1",
					   .gres = "gpu:2",
					   .cpus = 8,
					   .memory_mib = 1000};
}

struct row {
	const char *what;
	struct kube_node h;
	struct external_node_view v;
	enum external_node_do want;
	const char *words;
};

static void check(const struct row *r)
{
	struct external_decision p = external_decide(&r->v);

	t_row("%s", r->what);
	T_INT(p.what, r->want);
	T_STR(p.words, r->words ? r->words : "");
}

/* In each row `v` begins as agreed(), with `h` as its host. */
#define ROW(text, what, said, ...)                                             \
	do {                                                                   \
		struct row r = {text, host(), {0}, what, said};                \
		struct kube_node *h = &r.h;                                    \
		struct external_node_view *v = &r.v;                           \
                                                                               \
		*v = agreed(h);                                                \
		__VA_ARGS__;                                                   \
		check(&r);                                                     \
	} while (0)

#define UNKNOWN                                                                \
	*v = (struct external_node_view)                                       \
	{                                                                      \
		.host = h, .shape = &good, .settled = true                     \
	}

static void unknown_nodes_are_created_when_they_can_work(void)
{
	ROW("new", EXTERNAL_NODE_CREATE, "", UNKNOWN);
	ROW("no label", EXTERNAL_NODE_KEEP, "", UNKNOWN; h->external = false);
	ROW("nowhere", EXTERNAL_NODE_KEEP, "", UNKNOWN; v->host = NULL);
	ROW("cordoned", EXTERNAL_NODE_KEEP, "", UNKNOWN;
	    h->closed = "node.kubernetes.io/unschedulable");
	ROW("not ready", EXTERNAL_NODE_KEEP, "", UNKNOWN; h->ready = false);
	ROW("impossible", EXTERNAL_NODE_KEEP, "no room", UNKNOWN;
	    v->shape = NULL; v->why_not = "no room");
}

static void what_is_not_ours_is_left_alone(void)
{
	ROW("of slurm.conf", EXTERNAL_NODE_KEEP,
	    "Slurm has a node of that name that is not ours",
	    v->external = false);
	ROW("somebody's external", EXTERNAL_NODE_KEEP,
	    "Slurm has a node of that name that is not ours",
	    v->features = "zone=west");
	ROW("somebody's, features unknown", EXTERNAL_NODE_KEEP,
	    "Slurm has a node of that name that is not ours",
	    v->features = NULL);
	ROW("not ours, gone", EXTERNAL_NODE_KEEP, "", v->features = "x";
	    v->host = NULL);
	ROW("of slurm.conf, cordoned, no label", EXTERNAL_NODE_KEEP, "",
	    v->external = h->external = false;
	    h->closed = "node.kubernetes.io/unschedulable");
}

static void a_node_that_agrees_is_kept(void)
{
	ROW("agreed", EXTERNAL_NODE_KEEP, "", (void)v);
	ROW("busy", EXTERNAL_NODE_KEEP, "", v->idle = false);
	ROW("drained by somebody", EXTERNAL_NODE_KEEP, "", v->drained = true;
	    v->reason = "disk");
	ROW("drained, no reason", EXTERNAL_NODE_KEEP, "", v->drained = true);
	ROW("down by somebody", EXTERNAL_NODE_KEEP, "", v->down = true;
	    v->reason = "disk");
}

/* (slurmctld was killed, and has saved half of what was so) */
static void what_only_seems_allocated_is_drained_and_then_idle(void)
{
#define EMPTIED "k8s: Kubernetes node has no job in truth"
	ROW("seems allocated", EXTERNAL_NODE_DRAIN, EMPTIED, v->idle = false;
	    v->emptied = true);
	ROW("and drained", EXTERNAL_NODE_IDLE, EMPTIED, v->idle = false;
	    v->emptied = v->drained = true; v->reason = EMPTIED);
	ROW("a job was faster", EXTERNAL_NODE_UNDRAIN, "", v->idle = false;
	    v->drained = true; v->reason = EMPTIED);
	ROW("idle now", EXTERNAL_NODE_UNDRAIN, "", v->drained = true;
	    v->reason = EMPTIED);
	ROW("drained by somebody", EXTERNAL_NODE_KEEP, "", v->idle = false;
	    v->emptied = v->drained = true; v->reason = "disk");
	ROW("cordoned", EXTERNAL_NODE_DRAIN, CORDON, v->idle = false;
	    v->emptied = true; h->closed = "node.kubernetes.io/unschedulable");
#undef EMPTIED
}

#define KEPT "k8s: Kubernetes node still runs a pod whose job has ended: a/b"

static void cordons_and_loss_drain_or_down_and_come_back(void)
{
	ROW("cordoned", EXTERNAL_NODE_DRAIN, CORDON,
	    h->closed = "node.kubernetes.io/unschedulable");
	ROW("cordoned, drained", EXTERNAL_NODE_KEEP, "",
	    h->closed = "node.kubernetes.io/unschedulable";
	    v->drained = true; v->reason = CORDON);
	ROW("cordoned, drained by somebody", EXTERNAL_NODE_KEEP, "",
	    h->closed = "node.kubernetes.io/unschedulable";
	    v->drained = true; v->reason = "disk");
	ROW("pressure", EXTERNAL_NODE_DRAIN,
	    "k8s: Kubernetes node has the taint "
	    "node.kubernetes.io/disk-pressure",
	    h->closed = "node.kubernetes.io/disk-pressure");
	ROW("open again", EXTERNAL_NODE_UNDRAIN, "", v->drained = true;
	    v->reason = CORDON);
	ROW("open again, busy", EXTERNAL_NODE_UNDRAIN, "", v->drained = true;
	    v->idle = false; v->reason = CORDON);
	ROW("not ready", EXTERNAL_NODE_DRAIN,
	    "k8s: Kubernetes node is not ready", h->ready = false;
	    v->unready_ms = EXTERNAL_NODE_DOWN_MS - 1);
	ROW("lost", EXTERNAL_NODE_DOWN, "k8s: Kubernetes node is not ready",
	    h->ready = false;
	    v->unready_ms = EXTERNAL_NODE_DOWN_MS);
	ROW("lost after a drain of ours", EXTERNAL_NODE_DOWN,
	    "k8s: Kubernetes node is not ready", h->ready = false;
	    v->unready_ms = EXTERNAL_NODE_DOWN_MS; v->drained = true;
	    v->reason = CORDON);
	ROW("lost and down", EXTERNAL_NODE_KEEP, "", h->ready = false;
	    v->unready_ms = EXTERNAL_NODE_DOWN_MS; v->down = true;
	    v->reason = "k8s: Kubernetes node is not ready");
	ROW("lost and down, seen for less", EXTERNAL_NODE_KEEP, "",
	    h->ready = false;
	    v->unready_ms = 1; v->down = true;
	    v->reason = "k8s: Kubernetes node is not ready");
	ROW("lost, drained by somebody", EXTERNAL_NODE_KEEP, "",
	    h->ready = false;
	    v->idle = true; v->unready_ms = EXTERNAL_NODE_DOWN_MS;
	    v->drained = true; v->reason = "disk");
	ROW("lost, drained by somebody, with jobs", EXTERNAL_NODE_DOWN_ONLY,
	    "Kubernetes node is not ready" BOTH, h->ready = false;
	    v->idle = false; v->unready_ms = EXTERNAL_NODE_DOWN_MS;
	    v->drained = true; v->reason = "disk");
	ROW("not ready, drained by somebody, with jobs", EXTERNAL_NODE_KEEP, "",
	    h->ready = false;
	    v->idle = false; v->unready_ms = EXTERNAL_NODE_DOWN_MS - 1;
	    v->drained = true; v->reason = "disk");
	ROW("lost and down, drained by somebody", EXTERNAL_NODE_KEEP, "",
	    h->ready = false;
	    v->idle = false; v->unready_ms = EXTERNAL_NODE_DOWN_MS;
	    v->drained = v->down = true; v->reason = "disk");
	ROW("kept by a pod", EXTERNAL_NODE_DRAIN, KEPT, v->kept_by = "a/b");
	ROW("kept by a pod, busy", EXTERNAL_NODE_DRAIN, KEPT,
	    v->kept_by = "a/b";
	    v->idle = false);
	ROW("kept by a pod, drained", EXTERNAL_NODE_KEEP, "",
	    v->kept_by = "a/b";
	    v->drained = true; v->reason = KEPT);
	ROW("kept by a pod, drained by somebody", EXTERNAL_NODE_KEEP, "",
	    v->kept_by = "a/b";
	    v->drained = true; v->reason = "disk");
	ROW("kept by none any more", EXTERNAL_NODE_UNDRAIN, "",
	    v->drained = true;
	    v->reason = KEPT);
	/* (a new engine does not know since when) */
	ROW("kept when we began", EXTERNAL_NODE_KEEP, "", v->overdue = true;
	    v->drained = true; v->reason = KEPT);
	ROW("overdue, not for long", EXTERNAL_NODE_KEEP, "", v->overdue = true);
	ROW("found again", EXTERNAL_NODE_UNDRAIN, "", v->down = true;
	    v->reason = "k8s: Kubernetes node is not ready");
	ROW("found again but cordoned", EXTERNAL_NODE_DRAIN, CORDON,
	    v->down = true;
	    h->closed = "node.kubernetes.io/unschedulable";
	    v->reason = "k8s: Kubernetes node is not ready");
	ROW("impossible", EXTERNAL_NODE_DRAIN,
	    "k8s: Kubernetes node cannot be one of Slurm: no room",
	    v->shape = NULL;
	    v->why_not = "no room");
	ROW("foreign words are cleaned", EXTERNAL_NODE_DRAIN,
	    "k8s: Kubernetes node cannot be one of Slurm: a b", v->shape = NULL;
	    v->why_not = "a\nb");
}

#define SIZE "its size has changed"
#define LOST "Slurm took it for lost"

static void another_size_needs_an_idle_node(void)
{
	ROW("grown", EXTERNAL_NODE_RENEW, SIZE, v->cpus = 4);
	ROW("shrunk", EXTERNAL_NODE_RENEW, SIZE, v->cpus = 16);
	ROW("other memory", EXTERNAL_NODE_RENEW, SIZE, v->memory_mib = 999);
	ROW("other gres", EXTERNAL_NODE_RENEW, SIZE, v->gres = NULL);
	ROW("fewer GPUs", EXTERNAL_NODE_RENEW, SIZE, v->gres = "gpu:1(S:0)");
	ROW("another kind", EXTERNAL_NODE_RENEW, SIZE,
	    v->gres = "gpu:2,fpga:1");
	ROW("Slurm's own way to say it", EXTERNAL_NODE_KEEP, "",
	    v->gres = "gpu:2(S:0,1)");
	ROW("drained by us", EXTERNAL_NODE_RENEW, SIZE, v->cpus = 4;
	    v->drained = true; v->reason = CORDON);
	ROW("shrunk, while its pods change", EXTERNAL_NODE_RENEW, SIZE,
	    v->cpus = 16;
	    v->settled = false);
	ROW("grown, busy", EXTERNAL_NODE_KEEP, "", v->cpus = 4;
	    v->idle = false);
	ROW("shrunk, busy", EXTERNAL_NODE_DRAIN,
	    "k8s: Kubernetes node has less room than Slurm believes",
	    v->cpus = 16;
	    v->idle = false);
	ROW("less memory, busy", EXTERNAL_NODE_DRAIN,
	    "k8s: Kubernetes node has less room than Slurm believes",
	    v->memory_mib = 1067;
	    v->idle = false);
	ROW("a little less memory, busy", EXTERNAL_NODE_KEEP, "",
	    v->memory_mib = 1060;
	    v->idle = false);
	ROW("a little less memory, idle", EXTERNAL_NODE_RENEW, SIZE,
	    v->memory_mib = 1001);
	ROW("fewer devices, busy", EXTERNAL_NODE_DRAIN,
	    "k8s: Kubernetes node has less room than Slurm believes",
	    v->gres = "gpu:3(S:0)";
	    v->idle = false);
	ROW("shrunk, busy, drained", EXTERNAL_NODE_KEEP, "", v->cpus = 16;
	    v->idle = false; v->drained = true;
	    v->reason = "k8s: Kubernetes node has less room than Slurm "
			"believes");
	ROW("drained by somebody", EXTERNAL_NODE_KEEP, "", v->cpus = 4;
	    v->drained = true; v->reason = "disk");
}

static void what_slurm_has_lost_is_made_anew_when_idle(void)
{
	ROW("lost", EXTERNAL_NODE_RENEW, LOST, v->lost = true);
	ROW("not settled", EXTERNAL_NODE_RENEW, LOST, v->lost = true;
	    v->settled = false);
	ROW("busy", EXTERNAL_NODE_KEEP, "", v->lost = true; v->idle = false);
	ROW("drained by us", EXTERNAL_NODE_RENEW, LOST, v->lost = true;
	    v->drained = true; v->reason = CORDON);
	ROW("drained by somebody", EXTERNAL_NODE_KEEP, "", v->lost = true;
	    v->drained = true; v->reason = "disk");
	ROW("down by somebody", EXTERNAL_NODE_KEEP, "", v->lost = true;
	    v->down = true; v->reason = "disk");
	ROW("cordoned", EXTERNAL_NODE_DRAIN, CORDON, v->lost = true;
	    h->closed = "node.kubernetes.io/unschedulable");
	ROW("not ready", EXTERNAL_NODE_DRAIN,
	    "k8s: Kubernetes node is not ready", v->lost = true;
	    h->ready = false; v->unready_ms = 1);
	ROW("not ours", EXTERNAL_NODE_KEEP, "", v->lost = true;
	    v->external = false; h->external = false);
}

/* (Slurm deletes no node whose reservation has begun) */
static void what_is_reserved_is_neither_renewed_nor_deleted(void)
{
	ROW("agreed", EXTERNAL_NODE_KEEP, "", v->reserved = true);
	ROW("grown", EXTERNAL_NODE_KEEP, "", v->reserved = true; v->cpus = 4);
	/* (nor is it drained in order to be renewed) */
	ROW("shrunk", EXTERNAL_NODE_KEEP, "", v->reserved = true; v->cpus = 16);
	ROW("shrunk, busy", EXTERNAL_NODE_KEEP, "", v->reserved = true;
	    v->cpus = 16; v->idle = false);
	ROW("fewer devices", EXTERNAL_NODE_KEEP, "", v->reserved = true;
	    v->gres = "gpu:3(S:0)");
	ROW("shrunk, drained for it", EXTERNAL_NODE_UNDRAIN, "",
	    v->reserved = true;
	    v->cpus = 16; v->drained = true;
	    v->reason = "k8s: Kubernetes node has less room than Slurm "
			"believes");
	ROW("shrunk, drained by somebody", EXTERNAL_NODE_KEEP, "",
	    v->reserved = true;
	    v->cpus = 16; v->drained = true; v->reason = "disk");
	ROW("shrunk, cordoned", EXTERNAL_NODE_DRAIN, CORDON, v->reserved = true;
	    v->cpus = 16; h->closed = "node.kubernetes.io/unschedulable");
	ROW("lost", EXTERNAL_NODE_KEEP, "", v->reserved = v->lost = true);
	ROW("relabelled", EXTERNAL_NODE_KEEP, "",
	    v->reserved = v->relabelled = true);
	ROW("other features", EXTERNAL_NODE_UPDATE, "", v->reserved = true;
	    v->features = "k8s-external");
	ROW("open again", EXTERNAL_NODE_UNDRAIN, "", v->reserved = true;
	    v->drained = true; v->reason = CORDON);
	ROW("unlabelled", EXTERNAL_NODE_DRAIN,
	    "k8s: Kubernetes node has no label slurm-k8s.io/external-node",
	    v->reserved = true;
	    h->external = false);
	ROW("gone", EXTERNAL_NODE_DRAIN, "k8s: Kubernetes node is gone",
	    v->reserved = true;
	    v->host = NULL);
	ROW("gone for long", EXTERNAL_NODE_DOWN, "k8s: Kubernetes node is gone",
	    v->reserved = true;
	    v->host = NULL; v->unready_ms = EXTERNAL_NODE_GONE_MS);
	ROW("gone for long, and down", EXTERNAL_NODE_KEEP, "",
	    v->reserved = true;
	    v->host = NULL; v->unready_ms = EXTERNAL_NODE_GONE_MS;
	    v->down = true; v->reason = "k8s: Kubernetes node is gone");
}

static void features_and_topology_are_updated(void)
{
	ROW("features", EXTERNAL_NODE_UPDATE, "", v->features = "k8s-external";
	    v->idle = false);
	ROW("a feature too many", EXTERNAL_NODE_UPDATE, "",
	    v->features = OURS ",x");
	ROW("topology", EXTERNAL_NODE_UPDATE, "", v->topology = NULL);
	ROW("drained by somebody", EXTERNAL_NODE_UPDATE, "",
	    v->topology = "t:s2";
	    v->drained = true; v->reason = "disk");
	ROW("size first", EXTERNAL_NODE_RENEW, SIZE, v->topology = NULL;
	    v->cpus = 1);
	ROW("relabelled", EXTERNAL_NODE_RENEW, "its features have changed",
	    v->relabelled = true);
	ROW("relabelled, busy", EXTERNAL_NODE_KEEP, "", v->relabelled = true;
	    v->idle = false);
	ROW("relabelled, perhaps once more", EXTERNAL_NODE_KEEP, "",
	    v->relabelled = true;
	    v->settled = false);
	ROW("relabelled, drained by somebody", EXTERNAL_NODE_KEEP, "",
	    v->relabelled = true;
	    v->drained = true; v->reason = "disk");
}

#define STAYS_DRAINED                                                          \
	"is not deleted in Slurm though Kubernetes has no such node with the " \
	"label, as an administrator has drained it, or set it down: scontrol " \
	"delete it, or update it to State=RESUME"

static void what_is_gone_or_unlabelled_is_deleted(void)
{
	ROW("gone", EXTERNAL_NODE_DRAIN, "k8s: Kubernetes node is gone",
	    v->host = NULL;
	    v->shape = NULL; v->unready_ms = EXTERNAL_NODE_GONE_MS - 1);
	ROW("gone, drained for it", EXTERNAL_NODE_KEEP, "", v->host = NULL;
	    v->drained = true; v->reason = "k8s: Kubernetes node is gone";
	    v->unready_ms = EXTERNAL_NODE_GONE_MS - 1);
	ROW("gone for long", EXTERNAL_NODE_DELETE, "", v->host = NULL;
	    v->shape = NULL; v->unready_ms = EXTERNAL_NODE_GONE_MS);
	ROW("unlabelled", EXTERNAL_NODE_DRAIN,
	    "k8s: Kubernetes node has no label slurm-k8s.io/external-node",
	    h->external = false;
	    v->unready_ms = EXTERNAL_NODE_GONE_MS - 1);
	ROW("unlabelled, drained for it", EXTERNAL_NODE_KEEP, "",
	    h->external = false;
	    v->drained = true; v->reason = "k8s: Kubernetes node has no label";
	    v->unready_ms = EXTERNAL_NODE_GONE_MS - 1);
	ROW("unlabelled for long", EXTERNAL_NODE_DELETE, "",
	    h->external = false;
	    v->unready_ms = EXTERNAL_NODE_GONE_MS);
	ROW("gone, drained by somebody", EXTERNAL_NODE_KEEP, "", v->host = NULL;
	    v->drained = true; v->reason = "disk");
	ROW("gone for long, drained by somebody", EXTERNAL_NODE_KEEP,
	    STAYS_DRAINED, v->host = NULL;
	    v->drained = true; v->reason = "disk";
	    v->unready_ms = EXTERNAL_NODE_GONE_MS);
	ROW("gone for long, down by somebody", EXTERNAL_NODE_KEEP,
	    STAYS_DRAINED, v->host = NULL;
	    v->down = true; v->reason = "disk";
	    v->unready_ms = EXTERNAL_NODE_GONE_MS);
	ROW("gone for long, drained with no reason", EXTERNAL_NODE_KEEP,
	    STAYS_DRAINED, v->host = NULL;
	    v->drained = true; v->unready_ms = EXTERNAL_NODE_GONE_MS);
	ROW("gone for long, drained by us", EXTERNAL_NODE_DELETE, "",
	    v->host = NULL;
	    v->drained = true; v->reason = CORDON;
	    v->unready_ms = EXTERNAL_NODE_GONE_MS);
	ROW("unlabelled for long, drained by somebody", EXTERNAL_NODE_KEEP,
	    STAYS_DRAINED, h->external = false;
	    v->drained = true; v->reason = "disk";
	    v->unready_ms = EXTERNAL_NODE_GONE_MS);
	ROW("gone, drained by somebody, reserved", EXTERNAL_NODE_KEEP, "",
	    v->host = NULL;
	    v->reserved = v->drained = true; v->reason = "disk";
	    v->unready_ms = EXTERNAL_NODE_GONE_MS);
	ROW("gone for long, down", EXTERNAL_NODE_DELETE, "", v->host = NULL;
	    v->down = true; v->reason = "k8s: Kubernetes node is gone";
	    v->unready_ms = EXTERNAL_NODE_GONE_MS);
	ROW("registered anew, idle", EXTERNAL_NODE_UNDRAIN, "",
	    v->drained = true;
	    v->reason = "k8s: Kubernetes node is gone");
	ROW("gone, busy", EXTERNAL_NODE_DRAIN, "k8s: Kubernetes node is gone",
	    v->host = NULL;
	    v->idle = false; v->unready_ms = EXTERNAL_NODE_GONE_MS - 1);
	ROW("gone, busy, drained for it", EXTERNAL_NODE_KEEP, "",
	    v->host = NULL;
	    v->idle = false; v->drained = true;
	    v->reason = "k8s: Kubernetes node is gone");
	ROW("gone for long, busy", EXTERNAL_NODE_DOWN,
	    "k8s: Kubernetes node is gone", v->host = NULL;
	    v->idle = false; v->drained = true;
	    v->reason = "k8s: Kubernetes node is gone";
	    v->unready_ms = EXTERNAL_NODE_GONE_MS);
	ROW("the same, busy", EXTERNAL_NODE_DOWN_ONLY,
	    "Kubernetes node is gone" BOTH, v->host = NULL;
	    v->idle = false; v->drained = true; v->reason = "disk";
	    v->unready_ms = EXTERNAL_NODE_GONE_MS);
	ROW("registered anew", EXTERNAL_NODE_UNDRAIN, "", v->idle = false;
	    v->drained = true; v->reason = "k8s: Kubernetes node is gone");
	ROW("gone, busy, down", EXTERNAL_NODE_KEEP, "", v->host = NULL;
	    v->idle = false; v->down = true;
	    v->reason = "k8s: Kubernetes node is gone");
	ROW("unlabelled, busy", EXTERNAL_NODE_DRAIN,
	    "k8s: Kubernetes node has no label slurm-k8s.io/external-node",
	    h->external = false;
	    v->idle = false);
}

#define HYBRID                                                                 \
	v->external = false;                                                   \
	v->hybrid = true

#define TWICE                                                                  \
	HYBRID;                                                                \
	v->slurmd = true;                                                      \
	v->drained = true;                                                     \
	v->reason = "Duplicate jobid";                                         \
	v->reason_for_ms = EXTERNAL_NODE_TWICE_MS

#define FAILED                                                                 \
	HYBRID;                                                                \
	v->drained = v->failing = true;                                        \
	v->reason = CORDON

#define STAYS                                                                  \
	"stays drained, as Slurm (has its Epilog failed?) or somebody has "    \
	"drained it, too: scontrol update it to State=RESUME when it is well"

#define LEFT(why)                                                              \
	HYBRID;                                                                \
	v->host = NULL;                                                        \
	v->drained = v->failing = true;                                        \
	v->reason = (why);                                                     \
	v->unready_ms = EXTERNAL_NODE_GONE_MS

static void hybrid_nodes_are_only_drained_and_undrained(void)
{
	ROW("other size and features", EXTERNAL_NODE_KEEP, "", HYBRID;
	    v->cpus = 1; v->features = NULL);
	ROW("cordoned", EXTERNAL_NODE_DRAIN, CORDON, HYBRID;
	    h->closed = "node.kubernetes.io/unschedulable");
	ROW("kept by a pod", EXTERNAL_NODE_DRAIN, KEPT, HYBRID;
	    v->kept_by = "a/b");
	ROW("kept by a pod, no node any more", EXTERNAL_NODE_UNDRAIN, "",
	    LEFT(KEPT));
	ROW("open again", EXTERNAL_NODE_UNDRAIN, "", FAILED);
	ROW("the same, and Slurm has drained it, too", EXTERNAL_NODE_KEEP,
	    STAYS, FAILED;
	    v->failing = false);
	ROW("just so, and cordoned yet", EXTERNAL_NODE_KEEP, "", FAILED;
	    v->failing = false; h->closed = "node.kubernetes.io/unschedulable");
	ROW("open again, and down: rebooted meanwhile", EXTERNAL_NODE_UNDRAIN,
	    "", FAILED;
	    v->down = true);
	ROW("the same, and it does not respond yet", EXTERNAL_NODE_KEEP, "",
	    FAILED;
	    v->down = v->lost = true);
	ROW("down by somebody", EXTERNAL_NODE_KEEP, "", FAILED; v->down = true;
	    v->reason = "disk");
	ROW("open again, and it is to reboot", EXTERNAL_NODE_KEEP, "", FAILED;
	    v->changing = true);
	ROW("drained by somebody", EXTERNAL_NODE_KEEP, "", HYBRID;
	    v->drained = true; v->reason = "disk");
	ROW("drained by Slurm for a job that it had forgotten",
	    EXTERNAL_NODE_UNDRAIN, "", TWICE);
	ROW("just so", EXTERNAL_NODE_KEEP, "", TWICE;
	    v->reason_for_ms = EXTERNAL_NODE_TWICE_MS - 1);
	ROW("the same, with a job", EXTERNAL_NODE_KEEP, "", TWICE;
	    v->idle = false);
	ROW("the same, without the label", EXTERNAL_NODE_UNDRAIN, "", TWICE;
	    v->hybrid = h->external = false);
	ROW("the same, of a pod", EXTERNAL_NODE_KEEP, "", TWICE;
	    v->slurmd = false);
	ROW("the same, and cordoned", EXTERNAL_NODE_KEEP, "", TWICE;
	    h->closed = "node.kubernetes.io/unschedulable");
	ROW("lost", EXTERNAL_NODE_DRAIN, "k8s: Kubernetes node is not ready",
	    HYBRID;
	    h->ready = false; v->unready_ms = EXTERNAL_NODE_GONE_MS);
	ROW("gone", EXTERNAL_NODE_KEEP, "", LEFT(CORDON); v->drained = false);
	ROW("gone, drained by us", EXTERNAL_NODE_UNDRAIN, "", LEFT(CORDON));
	ROW("the same, for a taint", EXTERNAL_NODE_UNDRAIN, "",
	    LEFT("k8s: Kubernetes node has the taint a/b"));
	ROW("the same, but only just", EXTERNAL_NODE_KEEP, "", LEFT(CORDON);
	    v->unready_ms--);
	ROW("gone, drained by us and by Slurm", EXTERNAL_NODE_KEEP, STAYS,
	    LEFT(CORDON);
	    v->failing = false);
	ROW("gone, drained by somebody", EXTERNAL_NODE_KEEP, "", LEFT("disk"));
	ROW("gone, drained as a node of a nodeset", EXTERNAL_NODE_KEEP, "",
	    LEFT("k8s: Kubernetes node worker-7 is cordoned"));
	ROW("no label of external nodes", EXTERNAL_NODE_KEEP, "", HYBRID;
	    h->external = false);
}

T_MAIN("external_node", T(names_are_hosts_or_refused),
       T(a_plain_node_is_what_other_pods_leave),
       T(gpus_labels_partitions_and_topology_are_told),
       T(huge_pages_are_counted_in_pages),
       T(too_little_and_unusable_are_refused),
       T(features_and_sizes_are_bounded),
       T(unknown_nodes_are_created_when_they_can_work),
       T(what_is_not_ours_is_left_alone), T(a_node_that_agrees_is_kept),
       T(what_only_seems_allocated_is_drained_and_then_idle),
       T(cordons_and_loss_drain_or_down_and_come_back),
       T(another_size_needs_an_idle_node),
       T(what_slurm_has_lost_is_made_anew_when_idle),
       T(what_is_reserved_is_neither_renewed_nor_deleted),
       T(features_and_topology_are_updated),
       T(what_is_gone_or_unlabelled_is_deleted),
       T(hybrid_nodes_are_only_drained_and_undrained))

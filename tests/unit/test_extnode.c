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
static const struct extnode_rules rules = {map, T_COUNT(map), labels,
					   T_COUNT(labels)};

static const struct hostext ext[] = {{"nvidia.com/gpu", 4},
				     {"amd.com/gpu", 1},
				     {"nvidia.com/mig-1g.5gb", 7},
				     {"example.com/fpga", 2},
				     {"example.com/other", 9}};
static const struct hostlabel some_labels[] = {
	{"gpu-model", "A100 (80,GB)|x&y*[z]"},
	{"topology.kubernetes.io/zone", "west-1"}};

static struct hostview host(void)
{
	return (struct hostview){.name = "n1.example",
				 .uid = "u",
				 .cpu_milli = 7910,
				 .memory_bytes = 32 * GI + 1,
				 .ready = true,
				 .external = true};
}

static struct extnode_shape shape_of(const struct hostview *h,
				     const struct podneed *used)
{
	struct extnode_shape s;
	struct err err = {0};

	T_INT(extnode_shape_of(h, used, &rules, &s, &err), 0);
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
	_cleanup_free_ char *longest = t_repeat("x", EXTNODE_NAME_MAX + 1);
	char out[EXTNODE_NAME_MAX + 1];
	struct hostview h = {.name = longest};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct hostview n = {.name = rows[i].name,
				     .slurm_node = rows[i].label};
		struct err err = {0};
		int rc = extnode_name(&n, out, &err);

		t_row("%s %s", rows[i].name, rows[i].label);
		if (rows[i].out)
			T_STR(out, rows[i].out);
		else
			T_ERR(rc, &err, -EINVAL,
			      "cannot be the name of a Slurm node");
	}
	t_row("%s", "longest");
	T_INT(extnode_name(&h, out, NULL), -EINVAL);
	longest[EXTNODE_NAME_MAX] = '\0';
	T_INT(extnode_name(&h, out, NULL), 0);
	T_STR(out, longest);
}

static void a_plain_node_is_what_other_pods_leave(void)
{
	struct hostview h = host();
	struct podneed none = {0};
	struct podneed used = {.cpu_milli = 911, .memory_bytes = 2 * GI};
	struct extnode_shape s = shape_of(&h, &none);
	_cleanup_free_ char *line = extnode_line(&s);

	T_STR(line, "NodeName=n1.example CPUs=7 Sockets=1 "
		    "CoresPerSocket=7 ThreadsPerCore=1 RealMemory=32768 "
		    "Feature=k8s-external");
	s = shape_of(&h, &used);
	T_INT(s.cpus, 6);
	T_INT(s.memory_mib, 30720);
}

static void gpus_labels_partitions_and_topology_are_told(void)
{
	struct hostview h = host();
	struct podneed used = {
		.n_ext = 2,
		.ext = {{"nvidia.com/gpu", 1}, {"example.com/fpga", 5}}};
	struct extnode_shape s;
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
	line = extnode_line(&s);
	T_HAS(line, " Gres=gpu:4,gpu:1g.5gb:7 "
		    "GresConf=count=4,name=gpu+count=7,name=gpu,type=1g.5gb "
		    "Topology=topo-switch:s1,topo-block:b1");
}

static void huge_pages_are_counted_in_pages(void)
{
	static const struct hostext pages[] = {{"hugepages-2Mi", 8 * GI}};
	struct hostview h = host();
	struct podneed used = {.n_ext = 1, .ext = {{"hugepages-2Mi", GI}}};
	struct extnode_shape s;

	h.ext = pages;
	h.n_ext = 1;
	s = shape_of(&h, &used);
	T_STR(s.gres, "huge:3584");
}

static void too_little_and_too_strange_are_refused(void)
{
	_cleanup_free_ char *word = t_repeat("x", EXTNODE_FEATURE_MAX + 1);
	_cleanup_free_ char *topo = t_repeat("t", EXTNODE_TOPOLOGY_MAX + 1);
	struct {
		const char *what;
		struct hostview h;
		struct podneed used;
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
		struct extnode_shape s, none = {0};
		struct err err = {0};

		t_row("%zu %s", i, rows[i].what);
		T_ERR(extnode_shape_of(&rows[i].h, &rows[i].used, &rules, &s,
				       &err),
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
	struct hostview h = host();
	struct podneed none = {0};
	struct hostext many = {"nvidia.com/gpu", INT64_MAX};
	struct extnode_shape s;
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
	T_ERR(extnode_shape_of(&h, &none, &rules, &s, &err), &err, -E2BIG,
	      "its features are longer than 2047 letters");
}

/* --- the plan: one row each */

#define OURS "k8s-external,zone=west"
#define CORDON "k8s: Kubernetes node is cordoned"

static const struct extnode_shape good = {.name = "n1",
					  .cpus = 8,
					  .memory_mib = 1000,
					  .gres = "gpu:2",
					  .features = OURS,
					  .topology = "t:s1"};

/* Kubernetes and Slurm agree, and nothing runs. */
static struct extnode_view agreed(const struct hostview *h)
{
	return (struct extnode_view){.host = h,
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
	struct hostview h;
	struct extnode_view v;
	enum extnode_do want;
	const char *words;
};

static void check(const struct row *r)
{
	struct extnode_plan p = extnode_plan(&r->v);

	t_row("%s", r->what);
	T_INT(p.what, r->want);
	T_STR(p.words, r->words ? r->words : "");
}

/* In each row `v` begins as agreed(), with `h` as its host. */
#define ROW(text, what, said, ...)                                             \
	do {                                                                   \
		struct row r = {text, host(), {0}, what, said};                \
		struct hostview *h = &r.h;                                     \
		struct extnode_view *v = &r.v;                                 \
                                                                               \
		*v = agreed(h);                                                \
		__VA_ARGS__;                                                   \
		check(&r);                                                     \
	} while (0)

#define UNKNOWN                                                                \
	*v = (struct extnode_view)                                             \
	{                                                                      \
		.host = h, .shape = &good, .settled = true                     \
	}

static void unknown_nodes_are_created_when_they_can_work(void)
{
	ROW("new", EXTNODE_CREATE, "", UNKNOWN);
	ROW("no label", EXTNODE_KEEP, "", UNKNOWN; h->external = false);
	ROW("nowhere", EXTNODE_KEEP, "", UNKNOWN; v->host = NULL);
	ROW("cordoned", EXTNODE_KEEP, "", UNKNOWN;
	    h->closed = "node.kubernetes.io/unschedulable");
	ROW("not ready", EXTNODE_KEEP, "", UNKNOWN; h->ready = false);
	ROW("impossible", EXTNODE_KEEP, "no room", UNKNOWN; v->shape = NULL;
	    v->why_not = "no room");
}

static void what_is_not_ours_is_left_alone(void)
{
	ROW("of slurm.conf", EXTNODE_KEEP,
	    "Slurm has a node of that name that is not ours",
	    v->external = false);
	ROW("somebody's external", EXTNODE_KEEP,
	    "Slurm has a node of that name that is not ours",
	    v->features = "zone=west");
	ROW("somebody's, features unknown", EXTNODE_KEEP,
	    "Slurm has a node of that name that is not ours",
	    v->features = NULL);
	ROW("not ours, gone", EXTNODE_KEEP, "", v->features = "x";
	    v->host = NULL);
	ROW("of slurm.conf, cordoned, no label", EXTNODE_KEEP, "",
	    v->external = h->external = false;
	    h->closed = "node.kubernetes.io/unschedulable");
}

static void a_node_that_agrees_is_kept(void)
{
	ROW("agreed", EXTNODE_KEEP, "", (void)v);
	ROW("busy", EXTNODE_KEEP, "", v->idle = false);
	ROW("drained by somebody", EXTNODE_KEEP, "", v->drained = true;
	    v->reason = "disk");
	ROW("drained, no reason", EXTNODE_KEEP, "", v->drained = true);
	ROW("down by somebody", EXTNODE_KEEP, "", v->down = true;
	    v->reason = "disk");
}

/* (slurmctld was killed, and has saved half of what was so) */
static void what_only_seems_allocated_is_drained_and_then_idle(void)
{
#define EMPTIED "k8s: Kubernetes node has no job in truth"
	ROW("seems allocated", EXTNODE_DRAIN, EMPTIED, v->idle = false;
	    v->emptied = true);
	ROW("and drained", EXTNODE_IDLE, EMPTIED, v->idle = false;
	    v->emptied = v->drained = true; v->reason = EMPTIED);
	ROW("a job was faster", EXTNODE_UNDRAIN, "", v->idle = false;
	    v->drained = true; v->reason = EMPTIED);
	ROW("idle now", EXTNODE_UNDRAIN, "", v->drained = true;
	    v->reason = EMPTIED);
	ROW("drained by somebody", EXTNODE_KEEP, "", v->idle = false;
	    v->emptied = v->drained = true; v->reason = "disk");
	ROW("cordoned", EXTNODE_DRAIN, CORDON, v->idle = false;
	    v->emptied = true; h->closed = "node.kubernetes.io/unschedulable");
#undef EMPTIED
}

static void cordons_and_loss_drain_or_down_and_come_back(void)
{
	ROW("cordoned", EXTNODE_DRAIN, CORDON,
	    h->closed = "node.kubernetes.io/unschedulable");
	ROW("cordoned, drained", EXTNODE_KEEP, "",
	    h->closed = "node.kubernetes.io/unschedulable";
	    v->drained = true; v->reason = CORDON);
	ROW("cordoned, drained by somebody", EXTNODE_KEEP, "",
	    h->closed = "node.kubernetes.io/unschedulable";
	    v->drained = true; v->reason = "disk");
	ROW("pressure", EXTNODE_DRAIN,
	    "k8s: Kubernetes node has the taint "
	    "node.kubernetes.io/disk-pressure",
	    h->closed = "node.kubernetes.io/disk-pressure");
	ROW("open again", EXTNODE_UNDRAIN, "", v->drained = true;
	    v->reason = CORDON);
	ROW("open again, busy", EXTNODE_UNDRAIN, "", v->drained = true;
	    v->idle = false; v->reason = CORDON);
	ROW("not ready", EXTNODE_DRAIN, "k8s: Kubernetes node is not ready",
	    h->ready = false;
	    v->unready_ms = EXTNODE_DOWN_MS - 1);
	ROW("lost", EXTNODE_DOWN, "k8s: Kubernetes node is not ready",
	    h->ready = false;
	    v->unready_ms = EXTNODE_DOWN_MS);
	ROW("lost after a drain of ours", EXTNODE_DOWN,
	    "k8s: Kubernetes node is not ready", h->ready = false;
	    v->unready_ms = EXTNODE_DOWN_MS; v->drained = true;
	    v->reason = CORDON);
	ROW("lost and down", EXTNODE_KEEP, "", h->ready = false;
	    v->unready_ms = EXTNODE_DOWN_MS; v->down = true;
	    v->reason = "k8s: Kubernetes node is not ready");
	ROW("lost and down, seen for less", EXTNODE_KEEP, "", h->ready = false;
	    v->unready_ms = 1; v->down = true;
	    v->reason = "k8s: Kubernetes node is not ready");
	ROW("lost, drained by somebody", EXTNODE_KEEP, "", h->ready = false;
	    v->unready_ms = EXTNODE_DOWN_MS; v->drained = true;
	    v->reason = "disk");
	ROW("found again", EXTNODE_UNDRAIN, "", v->down = true;
	    v->reason = "k8s: Kubernetes node is not ready");
	ROW("found again but cordoned", EXTNODE_DRAIN, CORDON, v->down = true;
	    h->closed = "node.kubernetes.io/unschedulable";
	    v->reason = "k8s: Kubernetes node is not ready");
	ROW("impossible", EXTNODE_DRAIN,
	    "k8s: Kubernetes node cannot be one of Slurm: no room",
	    v->shape = NULL;
	    v->why_not = "no room");
	ROW("foreign words are cleaned", EXTNODE_DRAIN,
	    "k8s: Kubernetes node cannot be one of Slurm: a b", v->shape = NULL;
	    v->why_not = "a\nb");
}

#define SIZE "its size has changed"
#define LOST "Slurm took it for lost"

static void another_size_needs_an_idle_node(void)
{
	ROW("grown", EXTNODE_RENEW, SIZE, v->cpus = 4);
	ROW("shrunk", EXTNODE_RENEW, SIZE, v->cpus = 16);
	ROW("other memory", EXTNODE_RENEW, SIZE, v->memory_mib = 999);
	ROW("other gres", EXTNODE_RENEW, SIZE, v->gres = NULL);
	ROW("fewer GPUs", EXTNODE_RENEW, SIZE, v->gres = "gpu:1(S:0)");
	ROW("another kind", EXTNODE_RENEW, SIZE, v->gres = "gpu:2,fpga:1");
	ROW("Slurm's own way to say it", EXTNODE_KEEP, "",
	    v->gres = "gpu:2(S:0,1)");
	ROW("drained by us", EXTNODE_RENEW, SIZE, v->cpus = 4;
	    v->drained = true; v->reason = CORDON);
	ROW("shrunk, while its pods change", EXTNODE_RENEW, SIZE, v->cpus = 16;
	    v->settled = false);
	ROW("grown, busy", EXTNODE_KEEP, "", v->cpus = 4; v->idle = false);
	ROW("shrunk, busy", EXTNODE_DRAIN,
	    "k8s: Kubernetes node has less room than Slurm believes",
	    v->cpus = 16;
	    v->idle = false);
	ROW("less memory, busy", EXTNODE_DRAIN,
	    "k8s: Kubernetes node has less room than Slurm believes",
	    v->memory_mib = 1067;
	    v->idle = false);
	ROW("a little less memory, busy", EXTNODE_KEEP, "",
	    v->memory_mib = 1060;
	    v->idle = false);
	ROW("a little less memory, idle", EXTNODE_RENEW, SIZE,
	    v->memory_mib = 1001);
	ROW("fewer devices, busy", EXTNODE_DRAIN,
	    "k8s: Kubernetes node has less room than Slurm believes",
	    v->gres = "gpu:3(S:0)";
	    v->idle = false);
	ROW("shrunk, busy, drained", EXTNODE_KEEP, "", v->cpus = 16;
	    v->idle = false; v->drained = true;
	    v->reason = "k8s: Kubernetes node has less room than Slurm "
			"believes");
	ROW("drained by somebody", EXTNODE_KEEP, "", v->cpus = 4;
	    v->drained = true; v->reason = "disk");
}

static void what_slurm_has_lost_is_made_anew_when_idle(void)
{
	ROW("lost", EXTNODE_RENEW, LOST, v->lost = true);
	ROW("not settled", EXTNODE_RENEW, LOST, v->lost = true;
	    v->settled = false);
	ROW("busy", EXTNODE_KEEP, "", v->lost = true; v->idle = false);
	ROW("drained by us", EXTNODE_RENEW, LOST, v->lost = true;
	    v->drained = true; v->reason = CORDON);
	ROW("drained by somebody", EXTNODE_KEEP, "", v->lost = true;
	    v->drained = true; v->reason = "disk");
	ROW("down by somebody", EXTNODE_KEEP, "", v->lost = true;
	    v->down = true; v->reason = "disk");
	ROW("cordoned", EXTNODE_DRAIN, CORDON, v->lost = true;
	    h->closed = "node.kubernetes.io/unschedulable");
	ROW("not ready", EXTNODE_DRAIN, "k8s: Kubernetes node is not ready",
	    v->lost = true;
	    h->ready = false; v->unready_ms = 1);
	ROW("not ours", EXTNODE_KEEP, "", v->lost = true; v->external = false;
	    h->external = false);
}

/* (Slurm deletes no node whose reservation has begun) */
static void what_is_reserved_is_neither_renewed_nor_deleted(void)
{
	ROW("agreed", EXTNODE_KEEP, "", v->reserved = true);
	ROW("grown", EXTNODE_KEEP, "", v->reserved = true; v->cpus = 4);
	/* (nor is it drained in order to be renewed) */
	ROW("shrunk", EXTNODE_KEEP, "", v->reserved = true; v->cpus = 16);
	ROW("shrunk, busy", EXTNODE_KEEP, "", v->reserved = true; v->cpus = 16;
	    v->idle = false);
	ROW("fewer devices", EXTNODE_KEEP, "", v->reserved = true;
	    v->gres = "gpu:3(S:0)");
	ROW("shrunk, drained for it", EXTNODE_UNDRAIN, "", v->reserved = true;
	    v->cpus = 16; v->drained = true;
	    v->reason = "k8s: Kubernetes node has less room than Slurm "
			"believes");
	ROW("shrunk, drained by somebody", EXTNODE_KEEP, "", v->reserved = true;
	    v->cpus = 16; v->drained = true; v->reason = "disk");
	ROW("shrunk, cordoned", EXTNODE_DRAIN, CORDON, v->reserved = true;
	    v->cpus = 16; h->closed = "node.kubernetes.io/unschedulable");
	ROW("lost", EXTNODE_KEEP, "", v->reserved = v->lost = true);
	ROW("relabelled", EXTNODE_KEEP, "", v->reserved = v->relabelled = true);
	ROW("other features", EXTNODE_UPDATE, "", v->reserved = true;
	    v->features = "k8s-external");
	ROW("open again", EXTNODE_UNDRAIN, "", v->reserved = true;
	    v->drained = true; v->reason = CORDON);
	ROW("unlabelled", EXTNODE_DRAIN,
	    "k8s: Kubernetes node has no label slurm-k8s.io/external-node",
	    v->reserved = true;
	    h->external = false);
	ROW("gone", EXTNODE_DRAIN, "k8s: Kubernetes node is gone",
	    v->reserved = true;
	    v->host = NULL);
	ROW("gone for long", EXTNODE_DOWN, "k8s: Kubernetes node is gone",
	    v->reserved = true;
	    v->host = NULL; v->unready_ms = EXTNODE_GONE_MS);
	ROW("gone for long, and down", EXTNODE_KEEP, "", v->reserved = true;
	    v->host = NULL; v->unready_ms = EXTNODE_GONE_MS; v->down = true;
	    v->reason = "k8s: Kubernetes node is gone");
}

static void features_and_topology_are_updated(void)
{
	ROW("features", EXTNODE_UPDATE, "", v->features = "k8s-external";
	    v->idle = false);
	ROW("a feature too many", EXTNODE_UPDATE, "", v->features = OURS ",x");
	ROW("topology", EXTNODE_UPDATE, "", v->topology = NULL);
	ROW("drained by somebody", EXTNODE_UPDATE, "", v->topology = "t:s2";
	    v->drained = true; v->reason = "disk");
	ROW("size first", EXTNODE_RENEW, SIZE, v->topology = NULL; v->cpus = 1);
	ROW("relabelled", EXTNODE_RENEW, "its features have changed",
	    v->relabelled = true);
	ROW("relabelled, busy", EXTNODE_KEEP, "", v->relabelled = true;
	    v->idle = false);
	ROW("relabelled, perhaps once more", EXTNODE_KEEP, "",
	    v->relabelled = true;
	    v->settled = false);
	ROW("relabelled, drained by somebody", EXTNODE_KEEP, "",
	    v->relabelled = true;
	    v->drained = true; v->reason = "disk");
}

static void what_is_gone_or_unlabelled_is_deleted(void)
{
	ROW("gone", EXTNODE_DRAIN, "k8s: Kubernetes node is gone",
	    v->host = NULL;
	    v->shape = NULL; v->unready_ms = EXTNODE_GONE_MS - 1);
	ROW("gone, drained for it", EXTNODE_KEEP, "", v->host = NULL;
	    v->drained = true; v->reason = "k8s: Kubernetes node is gone";
	    v->unready_ms = EXTNODE_GONE_MS - 1);
	ROW("gone for long", EXTNODE_DELETE, "", v->host = NULL;
	    v->shape = NULL; v->unready_ms = EXTNODE_GONE_MS);
	ROW("unlabelled", EXTNODE_DRAIN,
	    "k8s: Kubernetes node has no label slurm-k8s.io/external-node",
	    h->external = false;
	    v->unready_ms = EXTNODE_GONE_MS - 1);
	ROW("unlabelled, drained for it", EXTNODE_KEEP, "", h->external = false;
	    v->drained = true; v->reason = "k8s: Kubernetes node has no label";
	    v->unready_ms = EXTNODE_GONE_MS - 1);
	ROW("unlabelled for long", EXTNODE_DELETE, "", h->external = false;
	    v->unready_ms = EXTNODE_GONE_MS);
	ROW("gone, drained by somebody", EXTNODE_KEEP, "", v->host = NULL;
	    v->drained = true; v->reason = "disk");
	ROW("gone for long, drained by somebody", EXTNODE_DELETE, "",
	    v->host = NULL;
	    v->drained = true; v->reason = "disk";
	    v->unready_ms = EXTNODE_GONE_MS);
	ROW("gone for long, down", EXTNODE_DELETE, "", v->host = NULL;
	    v->down = true; v->reason = "k8s: Kubernetes node is gone";
	    v->unready_ms = EXTNODE_GONE_MS);
	ROW("registered anew, idle", EXTNODE_UNDRAIN, "", v->drained = true;
	    v->reason = "k8s: Kubernetes node is gone");
	ROW("gone, busy", EXTNODE_DRAIN, "k8s: Kubernetes node is gone",
	    v->host = NULL;
	    v->idle = false; v->unready_ms = EXTNODE_GONE_MS - 1);
	ROW("gone, busy, drained for it", EXTNODE_KEEP, "", v->host = NULL;
	    v->idle = false; v->drained = true;
	    v->reason = "k8s: Kubernetes node is gone");
	ROW("gone for long, busy", EXTNODE_DOWN, "k8s: Kubernetes node is gone",
	    v->host = NULL;
	    v->idle = false; v->drained = true;
	    v->reason = "k8s: Kubernetes node is gone";
	    v->unready_ms = EXTNODE_GONE_MS);
	ROW("the same, busy", EXTNODE_KEEP, "", v->host = NULL; v->idle = false;
	    v->drained = true; v->reason = "disk";
	    v->unready_ms = EXTNODE_GONE_MS);
	ROW("registered anew", EXTNODE_UNDRAIN, "", v->idle = false;
	    v->drained = true; v->reason = "k8s: Kubernetes node is gone");
	ROW("gone, busy, down", EXTNODE_KEEP, "", v->host = NULL;
	    v->idle = false; v->down = true;
	    v->reason = "k8s: Kubernetes node is gone");
	ROW("unlabelled, busy", EXTNODE_DRAIN,
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
	v->reason_for_ms = EXTNODE_TWICE_MS

#define LEFT(why)                                                              \
	HYBRID;                                                                \
	v->host = NULL;                                                        \
	v->drained = true;                                                     \
	v->reason = (why);                                                     \
	v->unready_ms = EXTNODE_GONE_MS

static void hybrid_nodes_are_only_drained_and_undrained(void)
{
	ROW("other size and features", EXTNODE_KEEP, "", HYBRID; v->cpus = 1;
	    v->features = NULL);
	ROW("cordoned", EXTNODE_DRAIN, CORDON, HYBRID;
	    h->closed = "node.kubernetes.io/unschedulable");
	ROW("open again", EXTNODE_UNDRAIN, "", HYBRID; v->drained = true;
	    v->reason = CORDON);
	ROW("drained by somebody", EXTNODE_KEEP, "", HYBRID; v->drained = true;
	    v->reason = "disk");
	ROW("drained by Slurm for a job that it had forgotten", EXTNODE_UNDRAIN,
	    "", TWICE);
	ROW("just so", EXTNODE_KEEP, "", TWICE;
	    v->reason_for_ms = EXTNODE_TWICE_MS - 1);
	ROW("the same, with a job", EXTNODE_KEEP, "", TWICE; v->idle = false);
	ROW("the same, without the label", EXTNODE_UNDRAIN, "", TWICE;
	    v->hybrid = h->external = false);
	ROW("the same, of a pod", EXTNODE_KEEP, "", TWICE; v->slurmd = false);
	ROW("the same, and cordoned", EXTNODE_KEEP, "", TWICE;
	    h->closed = "node.kubernetes.io/unschedulable");
	ROW("lost", EXTNODE_DRAIN, "k8s: Kubernetes node is not ready", HYBRID;
	    h->ready = false; v->unready_ms = EXTNODE_GONE_MS);
	ROW("gone", EXTNODE_KEEP, "", LEFT(CORDON); v->drained = false);
	ROW("gone, drained by us", EXTNODE_UNDRAIN, "", LEFT(CORDON));
	ROW("the same, for a taint", EXTNODE_UNDRAIN, "",
	    LEFT("k8s: Kubernetes node has the taint a/b"));
	ROW("the same, but only just", EXTNODE_KEEP, "", LEFT(CORDON);
	    v->unready_ms--);
	ROW("gone, drained by somebody", EXTNODE_KEEP, "", LEFT("disk"));
	ROW("gone, drained as a node of a nodeset", EXTNODE_KEEP, "",
	    LEFT("k8s: Kubernetes node worker-7 is cordoned"));
	ROW("no label of external nodes", EXTNODE_KEEP, "", HYBRID;
	    h->external = false);
}

T_MAIN("extnode", T(names_are_hosts_or_refused),
       T(a_plain_node_is_what_other_pods_leave),
       T(gpus_labels_partitions_and_topology_are_told),
       T(huge_pages_are_counted_in_pages),
       T(too_little_and_too_strange_are_refused),
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

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kubernetes nodes n0, n1, ... that are to be external nodes of Slurm; Slurm,
 * the lease and the clock are the test's. What is read of Slurm's nodes is a
 * copy, as it is in truth. Each file uses a part of it.
 */
#ifndef SLURMK8S_TESTS_UNIT_NODES_FIXTURE_H
#define SLURMK8S_TESTS_UNIT_NODES_FIXTURE_H

#pragma GCC diagnostic ignored "-Wunused-function"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "config/config.h"
#include "external/external_memo.h"
#include "external/external_nodes.h"
#include "slurm/ctl_external.h"
#include "slurm/ctl_placeholder.h"
#include "slurm/ctl_placeholder_names.h"
#include "slurm/ctl_reserved.h"
#include "t.h"

#define HOSTS 500
#define BATCHES (HOSTS / 100) /* so many at a time are made, or deleted */
#define MINUTE 60000

static int64_t now;
static struct fake {
	char name[16], gres[32];
	bool is, busy, drained, down, admins, shared, others, hybrid, reserved;
	bool emptied, failing, lost;
	bool promised;	  /* to a reservation that has not begun */
	bool suspended;	  /* a job there is, and its memory is not counted */
	bool unexplained; /* drained or down without a Reason */
	char reason[64];  /* of a hybrid one */
	uint32_t cpus;
	unsigned long long memory_mib;
} slurm[HOSTS];
static unsigned int creations, deletions; /* RPCs */
static const char *unresumable_node;
static const char *refused_node; /* neither created nor deleted */
static int refused_nodes;	 /* so many of the first ones are not created */
static bool refuses_all;	 /* creations: MaxNodeCount, say */
static unsigned int refused_cpus; /* those of nodes of this size */
static bool deletion_breaks;	  /* the first creation after one is refused */
static bool fails_next;
static bool answers_late; /* it creates the nodes, and its answer is lost */
static unsigned int settlings;
static const char *unsettled_node; /* not that either */
static bool slurmctld_answers;
/* How long RPCs take that read nodes, and the others. */
static int64_t loading_ms, updating_ms;
static unsigned int loads; /* RPCs; of one node, too */
static unsigned int drains, downs, resumes;
static int load_rc;		     /* they fail */
static void (*after_load)(void);     /* somebody acts then; or NULL */
static const char *undrainable_node; /* its RPC is refused */

int64_t __wrap_clock_ms(void);
int64_t __wrap_clock_ms(void)
{
	return now;
}

const struct nodeset *__wrap_config_nodeset_of(const struct config *c,
					       const char *node);
const struct nodeset *__wrap_config_nodeset_of(const struct config *c,
					       const char *node)
{
	(void)c;
	(void)node;
	return NULL;
}

static bool lease_ends; /* with the next deletion */
static bool lease_is_lost;

bool cluster_held(struct cluster *l)
{
	(void)l;
	return !lease_is_lost;
}

static uint32_t
	job_with_nodes; /* see struct external_nodes; 0: there is none */

static bool has_nodes(void *arg, uint32_t job_id)
{
	(void)arg;
	return job_id == job_with_nodes;
}

static atomic_bool stop;

static struct ctl_nodes *copy_of(const struct fake *from, size_t n)
{
	struct fake *copy = calloc(HOSTS, sizeof(*copy));

	memcpy(copy, from, n * sizeof(*copy));
	return (struct ctl_nodes *)copy;
}

static int load(const struct fake *from, size_t n, struct ctl_nodes **out,
		struct err *err)
{
	loads++;
	now += loading_ms;
	if (load_rc)
		return err_set(err, load_rc, "it is busy");
	*out = copy_of(from, n);
	return 0;
}

int ctl_nodes_refresh(struct ctl_nodes **nodes, struct err *err)
{
	struct ctl_nodes *old = *nodes;
	int rc = load(slurm, HOSTS, nodes, err);

	if (rc)
		return rc;
	free(old);
	if (after_load)
		after_load();
	return 1;
}

int ctl_nodes_load(struct ctl_nodes **out, struct err *err)
{
	return load(slurm, HOSTS, out, err);
}

void ctl_nodes_free(struct ctl_nodes *n)
{
	free(n);
}

static const struct fake *nodes_in(const struct ctl_nodes *n)
{
	return (const struct fake *)n;
}

/* (no other thread reads here; that of jobs is one of what Slurm has) */
static int jobs_rc;
static unsigned int jobs_read;

int ctl_jobs_load(struct ctl_jobs **out, struct err *err)
{
	jobs_read++;
	if (jobs_rc)
		return err_set(err, jobs_rc, "no jobs");
	*out = (struct ctl_jobs *)copy_of(slurm, HOSTS);
	return 0;
}

void ctl_jobs_free(struct ctl_jobs *j)
{
	free(j);
}

void ctl_jobs_on_nodes(const struct ctl_jobs *j, ctl_on_node_fn fn, void *arg)
{
	const struct fake *f = (const struct fake *)j;

	for (size_t i = 0; i < HOSTS; i++) {
		const struct ctl_occupant o = {.node = f[i].name, .job_id = 7};

		if (f[i].is && (f[i].busy || f[i].suspended))
			fn(arg, &o);
	}
}

/* Reservations, all of which are to come; so may one be that has begun. */
static int reserved_rc;
static unsigned int reserved_read;

int ctl_reserved_load(struct ctl_reserved **out, struct err *err)
{
	reserved_read++;
	if (reserved_rc)
		return err_set(err, reserved_rc, "it is busy");
	*out = (struct ctl_reserved *)copy_of(slurm, HOSTS);
	return 0;
}

void ctl_reserved_free(struct ctl_reserved *r)
{
	free(r);
}

bool ctl_nodes_same(const struct ctl_nodes *a, const struct ctl_nodes *b)
{
	return !memcmp(a, b, sizeof(slurm));
}

size_t ctl_nodes_count(const struct ctl_nodes *n)
{
	size_t count = 0;

	for (size_t k = 0; n && k < HOSTS; k++)
		count += nodes_in(n)[k].is;
	return count;
}

/* (the i-th of those that Slurm has) */
bool ctl_nodes_at(const struct ctl_nodes *n, size_t i, struct ctl_node *out)
{
	for (size_t k = 0; k < HOSTS; k++)
		if (nodes_in(n)[k].is && !i--)
			return ctl_nodes_find(n, nodes_in(n)[k].name, out);
	return false;
}

static const struct fake *find_in(const struct fake *nodes, const char *name)
{
	for (size_t i = 0; i < HOSTS; i++)
		if (nodes[i].is && !strcmp(nodes[i].name, name))
			return &nodes[i];
	return NULL;
}

const char *ctl_reserved_by(const struct ctl_reserved *r, const char *node)
{
	const struct fake *f = find_in((const struct fake *)r, node);

	return f && f->promised ? "maint" : NULL;
}

static struct fake *find(const char *name)
{
	return (struct fake *)find_in(slurm, name);
}

int ctl_nodes_load_one(const char *name, struct ctl_nodes **out,
		       struct err *err)
{
	const struct fake *f = find(name);

	return load(f ? f : slurm, f ? 1 : 0, out, err);
}

static int updates;
static bool updated_topology; /* by the last one */
static bool is_relabelled;    /* Slurm's nodes have one feature more */
static char placed[16];	      /* what Slurm says of each one's topology */

bool ctl_nodes_find(const struct ctl_nodes *n, const char *name,
		    struct ctl_node *out)
{
	const struct fake *f = find_in(nodes_in(n), name);

	if (!f)
		return false;
	*out = (struct ctl_node){
		.name = f->name,
		.power = CTL_UP,
		.external = !f->hybrid,
		.busy = f->busy,
		.emptied = f->emptied,
		.reserved = f->reserved,
		.drained = f->drained,
		.failing = f->failing,
		.down = f->down,
		.no_respond = f->lost,
		.reason = !f->drained && !f->down   ? ""
			  : f->unexplained	    ? NULL
			  : f->admins		    ? "disk"
			  : f->hybrid || *f->reason ? f->reason
						    : WK_REASON_PREFIX,
		.features = f->others	    ? "x"
			    : is_relabelled ? WK_FEATURE_EXTERNAL ",old"
					    : WK_FEATURE_EXTERNAL,
		.topology = *placed ? placed : NULL,
		.gres = f->gres,
		.cpus = f->cpus,
		.memory_mib = f->memory_mib};
	return true;
}

bool ctl_external_known(void)
{
	return true;
}

static bool names_refused(const char *names)
{
	return refused_node &&
	       str_list_has(names, refused_node, strlen(refused_node));
}

static bool names_first(const char *names)
{
	bool is = false;

	for (size_t len; (len = str_next_item(&names)); names += len)
		is |= atoi(names + 1) < refused_nodes;
	return is;
}

int ctl_external_create(const char *line, struct err *err)
{
	char names[1024];
	const char *item = names, *gres = strstr(line, " Gres=");
	size_t len;
	struct fake like = {.is = true};

	creations++;
	now += updating_ms;
	T_INT(sscanf(line, "NodeName=%1023s CPUs=%u", names, &like.cpus), 2);
	T_INT(sscanf(strstr(line, "RealMemory="), "RealMemory=%llu",
		     &like.memory_mib),
	      1);
	if (gres)
		sscanf(gres, " Gres=%31s", like.gres);
	if (refuses_all || like.cpus == refused_cpus || fails_next ||
	    names_refused(names) || names_first(names)) {
		fails_next = false;
		return err_set(err, -EIO, "no");
	}
	for (; (len = str_next_item(&item)); item += len) {
		size_t i = (size_t)atoi(item + 1);

		if (slurm[i].is) { /* (as Slurm has it) */
			slurm[i].is = false;
			return err_set(err, -EEXIST, "it is there");
		}
		slurm[i] = like;
		snprintf(slurm[i].name, sizeof(slurm[i].name), "%.*s", (int)len,
			 item);
	}
	return answers_late ? err_set(err, -ETIMEDOUT, "no answer") : 0;
}

int ctl_external_delete(const char *nodes, struct err *err)
{
	size_t len;
	int rc = 0;

	deletions++;
	fails_next = deletion_breaks;
	lease_is_lost = lease_ends;
	now += updating_ms;
	for (; (len = str_next_item(&nodes)); nodes += len) {
		char name[16];

		snprintf(name, sizeof(name), "%.*s", (int)len, nodes);
		if (names_refused(name) || find(name)->reserved)
			rc = err_set(err, -EIO, "failed to delete %s", name);
		else if (find(name)->suspended)
			T_STR("", "deleted under a suspended job");
		else
			find(name)->is = false;
	}
	return rc;
}

/* Each of a list; what is refused of one keeps the others not. */
static int each(const char *nodes, int (*fn)(struct fake *f, const char *text),
		const char *text, struct err *err)
{
	size_t len;
	int rc = 0;

	now += updating_ms;
	for (; (len = str_next_item(&nodes)); nodes += len) {
		char name[16];

		snprintf(name, sizeof(name), "%.*s", (int)len, nodes);
		if (!find(name) || fn(find(name), text))
			rc = err_set(err, -EIO, "%s is wrong", name);
	}
	return rc;
}

/* (Slurm replaces the Reason of one that is drained, too) */
static int drain(struct fake *f, const char *reason)
{
	if (undrainable_node && !strcmp(f->name, undrainable_node))
		return -1;
	f->drained = true;
	f->admins = false;
	str_copy(f->reason, reason, sizeof(f->reason));
	return 0;
}

int ctl_external_drain(const char *nodes, const char *reason, struct err *err)
{
	drains++;
	return each(nodes, drain, reason, err);
}

/* (as Slurm has it: neither drained nor down is no valid transition) */
static int resume(struct fake *f, const char *text)
{
	(void)text;
	if ((!f->drained && !f->down) ||
	    (unresumable_node && !strcmp(f->name, unresumable_node)))
		return -1;
	f->drained = f->down = f->emptied = f->failing = false;
	return 0;
}

/* (it takes DRAIN away, as State=DRAIN does FAIL) */
static int fail(struct fake *f, const char *reason)
{
	f->failing = true;
	return drain(f, reason);
}

/* (FAIL stays) */
static int undrain(struct fake *f, const char *text)
{
	return f->failing ? 0 : resume(f, text);
}

static void (*on_resume)(void); /* a job starts, say; or NULL */

int ctl_external_resume(const char *nodes, struct err *err)
{
	int rc = each(nodes, resume, NULL, err);

	resumes++;
	if (on_resume)
		on_resume();
	return rc;
}

int ctl_external_settle(const char *node, struct err *err)
{
	settlings++;
	now += updating_ms;
	if (!slurmctld_answers ||
	    (unsettled_node && !strcmp(node, unsettled_node)))
		return err_set(err, -EIO, "it is busy");
	T_OK(find(node)->is);
	find(node)->shared = true;
	return 0;
}

static const char *named_node; /* by a job that waits */
static bool named_by_running;  /* or by one that runs */
static int names_rc;	       /* or Slurm does not say which are */
static unsigned int names_asked;

int ctl_placeholders_name(struct ctl_reader *r, const char *const *nodes,
			  size_t n, enum ctl_named *named, struct err *err)
{
	(void)r;
	names_asked++;
	for (size_t i = 0; i < n && !names_rc; i++)
		named[i] = !named_node || strcmp(nodes[i], named_node) != 0
				   ? CTL_NAMED_BY_NONE
			   : named_by_running ? CTL_NAMED_BY_RUNNING
					      : CTL_NAMED_BY_WAITING;
	return names_rc ? err_set(err, names_rc, "it is busy") : 0;
}

/* (what these tests have no use for) */
int ctl_external_update(const char *nodes, const char *features,
			const char *topology, struct err *err)
{
	(void)nodes;
	(void)features;
	(void)err;
	updates++;
	updated_topology = topology != NULL;
	return 0;
}

/* (its jobs are completing then) */
static int set_down(struct fake *f, const char *reason)
{
	f->down = true;
	f->busy &= !f->emptied;
	f->emptied = false;
	str_copy(f->reason, reason, sizeof(f->reason));
	return 0;
}

int ctl_external_down(const char *nodes, const char *reason, struct err *err)
{
	downs++;
	return each(nodes, set_down, reason, err);
}

static int set_down_only(struct fake *f, const char *reason)
{
	(void)reason;
	f->down = true;
	return 0;
}

int ctl_nodes_keep(const struct ctl_nodes *then, const char *nodes,
		   enum ctl_node_update what)
{
	struct err err;

	(void)then;
	T_INT(what, CTL_DOWN);
	downs++;
	return each(nodes, set_down_only, NULL, &err);
}

static int is_hybrid(struct fake *f, const char *text)
{
	(void)text;
	return f->hybrid ? 0 : -1;
}

int ctl_node_update(const char *nodes, enum ctl_node_update what,
		    const char *text, struct err *err)
{
	T_OK(!each(nodes, is_hybrid, NULL, err));
	T_OK(what == CTL_FAIL || what == CTL_RESUME || what == CTL_UNDRAIN);
	return each(nodes,
		    what == CTL_FAIL	 ? fail
		    : what == CTL_RESUME ? resume
					 : undrain,
		    text, err);
}

/* --- Kubernetes */

static void ring(void *arg)
{
	(void)arg;
}

static void put(struct external_nodes *b, int i, const char *labels,
		const char *spec, int cpus, int gpus, bool ready)
{
	struct informer_handler on;
	char text[400];
	_cleanup_json_ json_object *node = NULL;

	snprintf(text, sizeof(text),
		 "{\"metadata\":{\"name\":\"n%d\",\"uid\":\"u%d\","
		 "\"labels\":{%s}},\"spec\":{%s},\"status\":{\"allocatable\":"
		 "{\"cpu\":\"%d\",\"memory\":\"64Gi\",\"nvidia.com/gpu\":"
		 "\"%d\"},\"conditions\":[{\"type\":\"Ready\",\"status\":"
		 "\"%s\"}]}}",
		 i, i, labels, spec, cpus, gpus, ready ? "True" : "Unknown");
	node = t_parse(text);
	on = inventory_handler(b->inventory);
	on.on_object(on.arg, node);
}

static void put_node(struct external_nodes *b, int i, int cpus, int gpus,
		     bool ready)
{
	put(b, i, "\"l\":\"\"", "", cpus, gpus, ready);
}

static void put_host(struct external_nodes *b, int i, int cpus, int gpus)
{
	put_node(b, i, cpus, gpus, true);
}

static void delete_host(struct external_nodes *b, int i)
{
	struct informer_handler on;
	_cleanup_json_ json_object *node = NULL;
	char text[80];

	snprintf(text, sizeof(text),
		 "{\"metadata\":{\"name\":\"n%d\",\"uid\":\"u%d\"}}", i, i);
	node = t_parse(text);
	on = inventory_handler(b->inventory);
	on.on_delete(on.arg, node);
}

/*
 * A pod on node i that is not ours, which a bridge has bound by that job (NULL:
 * somebody else has).
 */
static json_object *pod_on(int i, const char *containers, const char *job_id)
{
	_cleanup_free_ char *condition =
		job_id ? str_printf("{\"type\":\"" WK_BRIDGE_CONDITION "\","
				    "\"status\":\"True\",\"message\":\"%s\"}",
				    job_id)
		       : NULL;
	_cleanup_free_ char *text = str_printf(
		"{\"metadata\":{\"name\":\"d\",\"namespace\":\"x\",\"uid\":"
		"\"o%d\"},\"spec\":{\"nodeName\":\"n%d\",\"containers\":%s}"
		",\"status\":{\"conditions\":[%s]}}",
		i, i, containers, condition ? condition : "");

	return t_parse(text);
}

/* A pod of somebody else on node i; NULL: it goes. */
static void put_foreign(struct external_nodes *b, int i, const char *containers)
{
	_cleanup_json_ json_object *pod =
		pod_on(i, containers ? containers : "[]", NULL);
	struct informer_handler on;

	on = inventory_others_handler(b->inventory);
	if (containers)
		on.on_object(on.arg, pod);
	else
		on.on_delete(on.arg, pod);
}

#define CONTAINER(requests) "[{\"resources\":{\"requests\":{" requests "}}}]"

/* One of a DaemonSet. */
static void put_other(struct external_nodes *b, int i, bool is)
{
	put_foreign(b, i, is ? CONTAINER("\"cpu\":\"8\"") : NULL);
}

/* One that a bridge of another schedulerName has bound. */
static void put_bound(struct external_nodes *b, int i, const char *job_id)
{
	_cleanup_json_ json_object *pod =
		pod_on(i, CONTAINER("\"cpu\":\"8\""), job_id);
	struct informer_handler on;

	on = inventory_others_handler(b->inventory);
	on.on_object(on.arg, pod);
}

#define KIND(n)                                                                \
	{                                                                      \
		(char *)"a.b/" n, (char *)"g" n                                \
	}
static struct label_pair pairs[] = {
	{(char *)"nvidia.com/gpu", (char *)"gpu"},
	KIND("1"),
	KIND("2"),
	KIND("3"),
	KIND("4"),
	KIND("5"),
	KIND("6"),
	KIND("7"),
	KIND("8"),
	KIND("9"),
};
static const struct bridge_config bridge = {
	.node_label = (char *)"l",
	.resources = {pairs, T_COUNT(pairs)},
	.resize_after_ms = BRIDGE_RESIZE_MS};
static const struct inventory_options options = {.cluster = "c",
						 .label = "l",
						 .scheduler = "s",
						 .resources = &bridge.resources,
						 .count_others = true,
						 .ring = ring};
static const struct config config;

/* `n` hosts of 64 CPUs with 8 GPUs; each second for `ms` the bridge looks. */
static void begin(struct external_nodes *b, int n)
{
	struct informer_handler on;

	*b = (struct external_nodes){.inventory = inventory_new(&options),
				     .bridge = &bridge,
				     .config = &config,
				     .stop = &stop,
				     .job_has_nodes = has_nodes};
	job_with_nodes = 0;
	memset(slurm, 0, sizeof(slurm));
	now = 1000000;
	creations = deletions = 0;
	refused_node = unsettled_node = unresumable_node = NULL;
	settlings = 0;
	slurmctld_answers = true;
	loading_ms = updating_ms = 0;
	loads = drains = downs = resumes = 0;
	load_rc = jobs_rc = reserved_rc = 0;
	jobs_read = reserved_read = refused_cpus = 0;
	refuses_all = lease_ends = lease_is_lost = false;
	after_load = on_resume = NULL;
	undrainable_node = NULL;
	t_log_clear();
	for (int i = 0; i < n; i++)
		put_host(b, i, 64, 8);
	on = inventory_handler(b->inventory);
	on.on_synced(on.arg);
	on = inventory_others_handler(b->inventory);
	on.on_synced(on.arg);
}

static void pass(struct external_nodes *b, int64_t ms)
{
	for (const int64_t until = now + ms; now < until; now += 1000)
		external_nodes_step(b);
}

static void end(struct external_nodes *b)
{
	external_nodes_free(b);
	inventory_free(b->inventory);
}

static unsigned int in_slurm(uint32_t cpus)
{
	unsigned int n = 0;

	for (size_t i = 0; i < HOSTS; i++)
		n += slurm[i].is && slurm[i].cpus == cpus;
	return n;
}

static unsigned int are_drained(void)
{
	unsigned int n = 0;

	for (size_t i = 0; i < HOSTS; i++)
		n += slurm[i].is && slurm[i].drained;
	return n;
}

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kubernetes nodes n0, n1, ... that are to be external nodes of Slurm; Slurm,
 * the lease and the clock are the test's. Each file uses a part of it.
 */
#ifndef SLURMK8S_TESTS_UNIT_NODES_FIXTURE_H
#define SLURMK8S_TESTS_UNIT_NODES_FIXTURE_H

#pragma GCC diagnostic ignored "-Wunused-function"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "engine/bridge_internal.h"
#include "engine/bridge_nodes_memo.h"
#include "model/config.h"
#include "slurm/ctl_external.h"
#include "slurm/ctl_placeholder_names.h"
#include "t.h"

#define HOSTS 500
#define BATCHES (HOSTS / 100) /* so many at a time are made, or deleted */
#define MINUTE 60000

static int64_t now;
static struct fake {
	char name[16], gres[32];
	bool is, busy, drained, down, admins, shared, others, hybrid, reserved;
	char reason[64]; /* of a hybrid one */
	uint32_t cpus;
	unsigned long long memory_mib;
} slurm[HOSTS];
static unsigned int creations, deletions; /* RPCs */
static const char *refused_node;	  /* neither created nor deleted */
static unsigned int settlings;
static const char *unsettled_node; /* not that either */
static bool slurmctld_answers;

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

bool link_held(struct link *l)
{
	(void)l;
	return true;
}

void queued_touch(struct bridge_thread *b, struct queued *q)
{
	(void)b;
	(void)q;
}

static struct queued *job; /* a placeholder; NULL: there is none */

struct queued *jobs_queued_of(struct bridge_thread *b, uint32_t job_id)
{
	(void)b;
	return job && job->job_id == job_id ? job : NULL;
}

int ctl_nodes_refresh(struct ctl_nodes **nodes, struct err *err)
{
	(void)err;
	*nodes = (struct ctl_nodes *)slurm;
	return 1;
}

int ctl_nodes_load(struct ctl_nodes **nodes, struct err *err)
{
	return ctl_nodes_refresh(nodes, err) - 1;
}

void ctl_nodes_free(struct ctl_nodes *n)
{
	(void)n;
}

/* (the i-th of those that Slurm has) */
bool ctl_nodes_at(const struct ctl_nodes *n, size_t i, struct ctl_node *out)
{
	for (size_t k = 0; k < HOSTS; k++)
		if (slurm[k].is && !i--)
			return ctl_nodes_find(n, slurm[k].name, out);
	return false;
}

static struct fake *find(const char *name)
{
	for (size_t i = 0; i < HOSTS; i++)
		if (slurm[i].is && !strcmp(slurm[i].name, name))
			return &slurm[i];
	return NULL;
}

bool ctl_nodes_find(const struct ctl_nodes *n, const char *name,
		    struct ctl_node *out)
{
	const struct fake *f = find(name);

	(void)n;
	if (!f)
		return false;
	*out = (struct ctl_node){.name = f->name,
				 .power = CTL_UP,
				 .external = !f->hybrid,
				 .busy = f->busy,
				 .reserved = f->reserved,
				 .drained = f->drained,
				 .down = f->down,
				 .reason = !f->drained && !f->down ? ""
					   : f->admins		   ? "disk"
					   : f->hybrid		   ? f->reason
						       : WK_REASON_PREFIX,
				 .features =
					 f->others ? "x" : WK_FEATURE_EXTERNAL,
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

int ctl_external_create(const char *line, struct err *err)
{
	char names[1024];
	const char *item = names, *gres = strstr(line, " Gres=");
	size_t len;
	struct fake like = {.is = true};

	creations++;
	T_INT(sscanf(line, "NodeName=%1023s CPUs=%u", names, &like.cpus), 2);
	T_INT(sscanf(strstr(line, "RealMemory="), "RealMemory=%llu",
		     &like.memory_mib),
	      1);
	if (gres)
		sscanf(gres, " Gres=%31s", like.gres);
	if (names_refused(names))
		return err_set(err, -EIO, "no");
	for (; (len = str_next_item(&item)); item += len) {
		size_t i = (size_t)atoi(item + 1);

		slurm[i] = like;
		snprintf(slurm[i].name, sizeof(slurm[i].name), "%.*s", (int)len,
			 item);
	}
	return 0;
}

int ctl_external_delete(const char *nodes, struct err *err)
{
	size_t len;
	int rc = 0;

	deletions++;
	for (; (len = str_next_item(&nodes)); nodes += len) {
		char name[16];

		snprintf(name, sizeof(name), "%.*s", (int)len, nodes);
		if (names_refused(name) || find(name)->reserved)
			rc = err_set(err, -EIO, "failed to delete %s", name);
		else
			find(name)->is = false;
	}
	return rc;
}

int ctl_external_drain(const char *nodes, const char *reason, struct err *err)
{
	(void)reason;
	(void)err;
	find(nodes)->drained = true;
	return 0;
}

int ctl_external_resume(const char *nodes, struct err *err)
{
	(void)err;
	find(nodes)->drained = find(nodes)->down = false;
	return 0;
}

int ctl_external_settle(const char *node, struct err *err)
{
	settlings++;
	if (!slurmctld_answers ||
	    (unsettled_node && !strcmp(node, unsettled_node)))
		return err_set(err, -EIO, "it is busy");
	T_OK(find(node)->is);
	find(node)->shared = true;
	return 0;
}

static const char *named_node; /* by a job that waits */
static int names_rc;	       /* or Slurm does not say which are */
static unsigned int names_asked;

int ctl_placeholders_name(const char *const *nodes, size_t n, bool *named,
			  struct err *err)
{
	names_asked++;
	for (size_t i = 0; i < n && !names_rc; i++)
		named[i] = named_node && !strcmp(nodes[i], named_node);
	return names_rc ? err_set(err, names_rc, "it is busy") : 0;
}

/* (what these tests have no use for) */
int ctl_external_update(const char *nodes, const char *features,
			const char *topology, struct err *err)
{
	(void)nodes;
	(void)features;
	(void)topology;
	(void)err;
	return 0;
}

int ctl_external_down(const char *nodes, const char *reason, struct err *err)
{
	(void)reason;
	(void)err;
	find(nodes)->down = true;
	return 0;
}

int ctl_node_update(const char *nodes, enum ctl_node_update what,
		    const char *text, struct err *err)
{
	struct fake *f = find(nodes);

	(void)err;
	T_OK(f->hybrid);
	f->drained = what == CTL_DRAIN;
	str_copy(f->reason, f->drained ? text : "", sizeof(f->reason));
	return 0;
}

/* --- Kubernetes */

static void ring(void *arg)
{
	(void)arg;
}

static void put(struct bridge_thread *b, int i, const char *labels,
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
	bridge_hosts_handler(b->hosts, &on);
	on.on_object(on.arg, node);
}

static void put_node(struct bridge_thread *b, int i, int cpus, int gpus,
		     bool ready)
{
	put(b, i, "\"l\":\"\"", "", cpus, gpus, ready);
}

static void put_host(struct bridge_thread *b, int i, int cpus, int gpus)
{
	put_node(b, i, cpus, gpus, true);
}

static void delete_host(struct bridge_thread *b, int i)
{
	struct informer_handler on;
	_cleanup_json_ json_object *node = NULL;
	char text[80];

	snprintf(text, sizeof(text),
		 "{\"metadata\":{\"name\":\"n%d\",\"uid\":\"u%d\"}}", i, i);
	node = t_parse(text);
	bridge_hosts_handler(b->hosts, &on);
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
static void put_foreign(struct bridge_thread *b, int i, const char *containers)
{
	_cleanup_json_ json_object *pod =
		pod_on(i, containers ? containers : "[]", NULL);
	struct informer_handler on;

	bridge_hosts_others_handler(b->hosts, &on);
	if (containers)
		on.on_object(on.arg, pod);
	else
		on.on_delete(on.arg, pod);
}

#define CONTAINER(requests) "[{\"resources\":{\"requests\":{" requests "}}}]"

/* One of a DaemonSet. */
static void put_other(struct bridge_thread *b, int i, bool is)
{
	put_foreign(b, i, is ? CONTAINER("\"cpu\":\"8\"") : NULL);
}

/* One that a bridge of another schedulerName has bound. */
static void put_bound(struct bridge_thread *b, int i, const char *job_id)
{
	_cleanup_json_ json_object *pod =
		pod_on(i, CONTAINER("\"cpu\":\"8\""), job_id);
	struct informer_handler on;

	bridge_hosts_others_handler(b->hosts, &on);
	on.on_object(on.arg, pod);
}

#define KIND(n)                                                                \
	{                                                                      \
		(char *)"a.b/" n, (char *)"g" n                                \
	}
static struct bridge_pair pairs[] = {
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
static const struct bridge bridge = {.node_label = (char *)"l",
				     .resources = {pairs, T_COUNT(pairs)},
				     .resize_after_ms = EXTSIZE_LASTS_MS};
static const struct bridge_hosts_options options = {.cluster = "c",
						    .label = "l",
						    .scheduler = "s",
						    .resources =
							    &bridge.resources,
						    .count_others = true,
						    .ring = ring};
static const struct config config;

/* `n` hosts of 64 CPUs with 8 GPUs; each second for `ms` the bridge looks. */
static void begin(struct bridge_thread *b, int n)
{
	struct informer_handler on;

	*b = (struct bridge_thread){.hosts = bridge_hosts_new(&options),
				    .bridge = &bridge,
				    .config = &config};
	memset(slurm, 0, sizeof(slurm));
	now = 1000000;
	creations = deletions = 0;
	refused_node = unsettled_node = NULL;
	settlings = 0;
	slurmctld_answers = true;
	t_log_clear();
	for (int i = 0; i < n; i++)
		put_host(b, i, 64, 8);
	bridge_hosts_handler(b->hosts, &on);
	on.on_synced(on.arg);
	bridge_hosts_others_handler(b->hosts, &on);
	on.on_synced(on.arg);
}

static void pass(struct bridge_thread *b, int64_t ms)
{
	for (const int64_t until = now + ms; now < until; now += 1000)
		nodes_step(b);
}

static void end(struct bridge_thread *b)
{
	nodes_free(b);
	bridge_hosts_free(b->hosts);
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

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the programs of power_k8s meet: a configuration with one nodeset, which
 * has all nodes, a client of Kubernetes, and a slurmctld that answers as the
 * test says. For one file of a program that is linked with --wrap for them
 * ("fake_power" of meson.build).
 */
#ifndef SLURMK8S_TESTS_UNIT_FAKE_POWER_H
#define SLURMK8S_TESTS_UNIT_FAKE_POWER_H

#include <string.h>

#include "base/str.h"
#include "power.h"
#include "t.h"

static struct {
	int64_t now;	       /* passes while slurmctld does not answer */
	unsigned int refusals; /* so often slurmctld does not answer first */
	unsigned int answers;  /* and so often it does before that; 0: never */
	unsigned int loads;    /* of nodes */
	int64_t load_ms;       /* that each of these takes */
	unsigned int updates;  /* RPCs that change nodes */
	int64_t update_ms;     /* that each of these takes */
	enum ctl_node_update last; /* of these, the latest one */
	enum ctl_node_update seen; /* by who loaded the nodes last */
	size_t drained;
	char drain[64];		    /* the first list */
	char reason[WK_REASON_MAX]; /* of the last one */
	char down[64];		    /* the last list of each of these */
	char undrain[64];
	char resume[64];	     /* without waiting for SuspendProgram */
	size_t commented;	     /* nodes */
	char comment[WK_REASON_MAX]; /* of the last ones */
} slurm;

static struct cluster_config cluster = {.name = (char *)"c",
					.ns = (char *)"ns"};
static struct nodeset set = {.name = (char *)"s", .cluster = &cluster};
static struct config config = {.clusters = &cluster, .n_clusters = 1};

const struct nodeset *__wrap_config_nodeset_of(const struct config *c,
					       const char *node);
struct kube_client *__wrap_power_client(struct power_run *run,
					const struct nodeset *k,
					struct err *err);
void __wrap_power_loop(struct power_run *run, const size_t *open);
int __wrap_ctl_nodes_load(struct ctl_nodes **out, struct err *err);
void __wrap_ctl_nodes_free(struct ctl_nodes *n);
int __wrap_ctl_nodes_comment(const struct ctl_nodes *n, char *const *nodes,
			     size_t count, const char *text, struct err *err);
int __wrap_ctl_node_try(const char *nodes, enum ctl_node_update what,
			const char *text);

const struct nodeset *__wrap_config_nodeset_of(const struct config *c,
					       const char *node)
{
	(void)c, (void)node;
	return &set;
}

struct kube_client *__wrap_power_client(struct power_run *run,
					const struct nodeset *k,
					struct err *err)
{
	(void)run, (void)k, (void)err;
	return (struct kube_client *)&slurm;
}

/* (what is played is done at once) */
void __wrap_power_loop(struct power_run *run, const size_t *open)
{
	(void)run;
	T_INT(*open, 0);
}

int __wrap_ctl_nodes_load(struct ctl_nodes **out, struct err *err)
{
	slurm.loads++;
	slurm.now += slurm.load_ms;
	if (slurm.answers) {
		slurm.answers--;
	} else if (slurm.refusals) {
		slurm.refusals--;
		slurm.now += 3000;
		return err_set(err, -EIO, "timed out");
	}
	slurm.seen = slurm.last;
	*out = (struct ctl_nodes *)&slurm;
	return 0;
}

void __wrap_ctl_nodes_free(struct ctl_nodes *n)
{
	(void)n;
}

/* Every node has another Comment, and of no nodes nothing is sent. */
int __wrap_ctl_nodes_comment(const struct ctl_nodes *n, char *const *nodes,
			     size_t count, const char *text, struct err *err)
{
	(void)n, (void)nodes, (void)err;
	if (!count)
		return 0;
	slurm.updates++;
	slurm.commented += count;
	str_copy(slurm.comment, text, sizeof(slurm.comment));
	return 0;
}

int __wrap_ctl_node_try(const char *nodes, enum ctl_node_update what,
			const char *text)
{
	slurm.updates++;
	slurm.now += slurm.update_ms;
	slurm.last = what;
	if (what == CTL_DRAIN) {
		if (!slurm.drained++)
			str_copy(slurm.drain, nodes, sizeof(slurm.drain));
		str_copy(slurm.reason, text, sizeof(slurm.reason));
	}
	if (what == CTL_POWER_DOWN_NEW)
		str_copy(slurm.down, nodes, sizeof(slurm.down));
	if (what == CTL_UNDRAIN)
		str_copy(slurm.undrain, nodes, sizeof(slurm.undrain));
	if (what == CTL_RESUME)
		str_copy(slurm.resume, nodes, sizeof(slurm.resume));
	return 0;
}

#endif

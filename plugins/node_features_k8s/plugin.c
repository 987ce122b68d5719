/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * node_features/k8s: a feature of a node is what its pod is made with. Only the
 * symbols that Slurm asks for, those of 22.05 to 26.05 (src/common or
 * src/interfaces/node_features.c); the rest is in control.c.
 *
 * slurmctld calls with locks held; slurmd loads it, too, and must start even
 * where nothing of this works.
 */
#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>
#include <stdbool.h>
#include <sys/types.h>

#include "control.h"
#include "library.h"

#define EXPORT __attribute__((visibility("default")))

/* Arguments and values that differ by Slurm's release. */
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(23, 2, 0)
#define JOB_VALID_ARGS char *constraint, void *list
#define JOB_XLATE_ARGS char *constraint, void *list, void *nodes
#define JOB_NODES ((void)list, nodes)
#define JOB_LIST ((void)list)
#define ONE_ONLY false
#else
#define JOB_VALID_ARGS char *constraint
#define JOB_XLATE_ARGS char *constraint
#define JOB_NODES NULL
#define JOB_LIST ((void)0)
#define ONE_ONLY true /* Slurm before 23.02 names no nodes to choose for */
#endif
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(24, 5, 0)
#define NODE_SET_ARGS char *active, bool *need_reboot
#define SET_NEED_REBOOT (*need_reboot = true)
#else
#define NODE_SET_ARGS char *active
#define SET_NEED_REBOOT ((void)0)
#endif

#define BOOT_TIME_S 60 /* for plans of the backfill scheduler */

EXPORT const char plugin_name[] = "Features that are those of a node's pod";
EXPORT const char plugin_type[] = "node_features/k8s";
EXPORT const uint32_t plugin_version = SLURM_VERSION_NUMBER;
const uint32_t library_slurm_version = SLURM_VERSION_NUMBER;

EXPORT int init(void);
EXPORT int fini(void);
EXPORT uint32_t node_features_p_boot_time(void);
EXPORT bool node_features_p_changeable_feature(char *feature);
EXPORT int node_features_p_get_node(char *nodes);
EXPORT int node_features_p_job_valid(JOB_VALID_ARGS);
EXPORT char *node_features_p_job_xlate(JOB_XLATE_ARGS);
EXPORT void *node_features_p_get_node_bitmap(void);
EXPORT int node_features_p_overlap(void *active);
EXPORT bool node_features_p_node_power(void);
EXPORT int node_features_p_node_set(NODE_SET_ARGS);
EXPORT void node_features_p_node_state(char **available, char **current);
EXPORT int node_features_p_node_update(char *active, void *nodes);
EXPORT bool node_features_p_node_update_valid(void *node, void *update);
EXPORT char *node_features_p_node_xlate(char *fresh, char *old, char *available,
					int node);
EXPORT char *node_features_p_node_xlate2(char *fresh);
EXPORT void node_features_p_step_config(bool mem_sort, void *numa);
EXPORT uint32_t node_features_p_reboot_weight(void);
EXPORT int node_features_p_reconfig(void);
EXPORT bool node_features_p_user_update(uid_t uid);
EXPORT void node_features_p_get_config(void *config);
EXPORT bool node_features_p_job_features_need_reboot(char *features);

/* NOLINTBEGIN(readability-non-const-parameter): these are Slurm's types */

int init(void)
{
	control_init();
	return SLURM_SUCCESS;
}

int fini(void)
{
	return SLURM_SUCCESS;
}

/* --- jobs */

int node_features_p_job_valid(JOB_VALID_ARGS)
{
	JOB_LIST;
	return control_valid(constraint, ONE_ONLY) ? SLURM_SUCCESS
						   : ESLURM_INVALID_FEATURE;
}

char *node_features_p_job_xlate(JOB_XLATE_ARGS)
{
	return control_choose(constraint, JOB_NODES);
}

/* Always true: other features need another pod. */
bool node_features_p_job_features_need_reboot(char *features)
{
	(void)features;
	return true;
}

/* --- nodes, in slurmctld */

bool node_features_p_changeable_feature(char *feature)
{
	return control_changeable(feature);
}

char *node_features_p_node_xlate(char *fresh, char *old, char *available,
				 int node)
{
	(void)available;
	(void)node;
	return control_merge(fresh, old);
}

char *node_features_p_node_xlate2(char *fresh)
{
	return control_copy(fresh);
}

void *node_features_p_get_node_bitmap(void)
{
	return control_all_nodes();
}

int node_features_p_overlap(void *active)
{
	return control_count(active);
}

/* Everybody may choose the pod of his job. */
bool node_features_p_user_update(uid_t uid)
{
	(void)uid;
	return true;
}

uint32_t node_features_p_boot_time(void)
{
	return BOOT_TIME_S;
}

/* Slurm 22.05: nodes that need a reboot into other features come last. */
uint32_t node_features_p_reboot_weight(void)
{
	return INFINITE - 1;
}

int node_features_p_reconfig(void)
{
	control_reload();
	return SLURM_SUCCESS;
}

/* true would end a slurmctld whose power saving is not configured. */
bool node_features_p_node_power(void)
{
	return false;
}

int node_features_p_get_node(char *nodes)
{
	(void)nodes;
	return SLURM_SUCCESS;
}

int node_features_p_node_update(char *active, void *nodes)
{
	(void)active;
	(void)nodes;
	return SLURM_SUCCESS;
}

bool node_features_p_node_update_valid(void *node, void *update)
{
	(void)node;
	(void)update;
	return true;
}

/* Nothing is set: Slurm's structs for this are not public. */
void node_features_p_get_config(void *config)
{
	(void)config;
}

/* --- in slurmd */

/* What is available stands in slurm.conf. */
void node_features_p_node_state(char **available, char **current)
{
	(void)available;
	if (current)
		control_report(current);
}

int node_features_p_node_set(NODE_SET_ARGS)
{
	(void)active;
	SET_NEED_REBOOT;
	return SLURM_SUCCESS;
}

void node_features_p_step_config(bool mem_sort, void *numa)
{
	(void)mem_sort;
	(void)numa;
}

/* NOLINTEND(readability-non-const-parameter) */

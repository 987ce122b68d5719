/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurm/ctl.h"

#include <errno.h>
#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>
#include <string.h>

#define HASH_NONFATAL_OOM 1
#define uthash_nonfatal_oom(e) ((e)->failed = 1)
#include <uthash.h>

#include "base/str.h"

#define DEFAULT_CONF_DIR "/etc/slurm"

struct entry {
	UT_hash_handle hh;
	const node_info_t *info;
	int failed;
};

struct ctl_nodes {
	node_info_msg_t *msg;
	struct entry *entries; /* one for each record of msg */
	struct entry *by_name;
};

void ctl_init(void)
{
	slurm_init(NULL);
}

const char *ctl_version(void)
{
	static char text[32];
	long v = slurm_api_version();

	snprintf(text, sizeof(text), "%ld.%02ld.%ld", SLURM_VERSION_MAJOR(v),
		 SLURM_VERSION_MINOR(v), SLURM_VERSION_MICRO(v));
	return text;
}

static int rpc_err(struct err *err, const char *what)
{
	int code = errno;

	return err_set(err, -EIO, "%s: %s", what, slurm_strerror(code));
}

int ctl_cluster_name(char **out, struct err *err)
{
	slurm_conf_t *conf = NULL;

	if (slurm_load_ctl_conf(0, &conf))
		return rpc_err(err, "cannot read slurmctld's configuration");
	*out = conf->cluster_name ? strdup(conf->cluster_name) : NULL;
	slurm_free_ctl_conf(conf);
	return *out ? 0 : err_set(err, -EIO, "slurmctld has no ClusterName");
}

int ctl_nodes_load(struct ctl_nodes **out, struct err *err)
{
	_cleanup_(ctl_nodes_freep) struct ctl_nodes *n = calloc(1, sizeof(*n));

	if (!n)
		return err_oom(err);
	if (slurm_load_node(0, &n->msg, SHOW_ALL))
		return rpc_err(err, "cannot read slurmctld's nodes");
	n->entries = calloc(n->msg->record_count + 1, sizeof(*n->entries));
	if (!n->entries)
		return err_oom(err);
	for (uint32_t i = 0; i < n->msg->record_count; i++) {
		struct entry *e = &n->entries[i];

		e->info = &n->msg->node_array[i];
		if (!e->info->name)
			continue;
		HASH_ADD_KEYPTR(hh, n->by_name, e->info->name,
				strlen(e->info->name), e);
		if (e->failed)
			return err_oom(err);
	}
	*out = steal_ptr(n);
	return 0;
}

void ctl_nodes_free(struct ctl_nodes *n)
{
	if (!n)
		return;
	HASH_CLEAR(hh, n->by_name);
	free(n->entries);
	slurm_free_node_info_msg(n->msg);
	free(n);
}

static enum ctl_node_power power_of(uint32_t state)
{
	if (state & NODE_STATE_POWERING_DOWN)
		return CTL_POWERING_DOWN;
	if (state & NODE_STATE_POWERED_DOWN)
		return CTL_POWERED_DOWN;
	if (state & (NODE_STATE_POWERING_UP | NODE_STATE_REBOOT_ISSUED))
		return CTL_POWERING_UP;
	return CTL_UP;
}

bool ctl_nodes_find(const struct ctl_nodes *n, const char *name,
		    struct ctl_node *out)
{
	struct entry *e;

	HASH_FIND_STR(n->by_name, name, e);
	if (!e)
		return false;
	*out = (struct ctl_node){
		.name = e->info->name,
		.power = power_of(e->info->node_state),
		.cpus = e->info->cpus,
		.memory_mib = e->info->real_memory,
		.gres = e->info->gres,
		.reason = e->info->reason,
	};
	return true;
}

int ctl_job_requeueable(uint32_t job_id, struct err *err)
{
	job_info_msg_t *msg = NULL;
	int yes = 0;

	if (slurm_load_job(&msg, job_id, SHOW_ALL)) {
		if (errno == ESLURM_INVALID_JOB_ID)
			return err_set(err, -ENOENT, "there is no job %u",
				       job_id);
		return rpc_err(err, "cannot read the job");
	}
	if (msg->record_count)
		yes = msg->job_array[0].batch_flag &&
		      msg->job_array[0].requeue == 1;
	slurm_free_job_info_msg(msg);
	return yes;
}

static uint32_t state_of(enum ctl_node_update what)
{
	switch (what) {
	case CTL_SET_REASON:
		return NO_VAL;
	case CTL_DRAIN:
		return NODE_STATE_DRAIN;
	case CTL_POWER_DOWN_FORCE:
		return NODE_STATE_POWER_DOWN | NODE_STATE_POWERED_DOWN;
	case CTL_RESUME:
		return NODE_RESUME;
	case CTL_UNDRAIN:
		return NODE_STATE_UNDRAIN;
	}
	return NO_VAL;
}

int ctl_node_update(const char *nodes, enum ctl_node_update what,
		    const char *reason, struct err *err)
{
	update_node_msg_t msg;

	slurm_init_update_node_msg(&msg);
	msg.node_names = (char *)nodes;
	msg.node_state = state_of(what);
	msg.reason = (char *)reason;
	if (reason)
		msg.reason_uid = getuid();
	if (slurm_update_node(&msg))
		return rpc_err(err,
			       "slurmctld refuses the update of its nodes");
	return 0;
}

char *ctl_conf_dir(void)
{
	const char *conf = getenv("SLURM_CONF");
	const char *slash = conf ? strrchr(conf, '/') : NULL;

	if (slash && slash > conf)
		return strndup(conf, (size_t)(slash - conf));
	return strdup(DEFAULT_CONF_DIR);
}

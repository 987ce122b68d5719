/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Snapshots of slurmctld's nodes. Slurm's own message has some 900 bytes a node
 * in a dozen pieces; what we need of it is copied into one piece, and the
 * message is freed at once: the engine has an old snapshot and a new one at the
 * same time.
 */
#include "slurm/ctl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/str.h"
#include "slurm/release.h"
#include "slurm/rpc.h"
#include "slurm/shared.h"

struct ctl_nodes {
	struct ctl_shared shared;
	time_t last_update;
	size_t n;
	struct ctl_node *v;
	struct ctl_node **by_name; /* sorted */
	/*
	 * the texts that v points to; v, by_name and texts lie in the memory
	 * behind this struct
	 */
	char *texts;
};

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

static int64_t suspend_time(const node_info_t *info)
{
	const uint32_t s = release_suspend_time(info);

	if (s == NO_VAL)
		return -1;
	return s == INFINITE ? INT64_MAX : s;
}

/* Fill *out from `info`, whose texts it borrows. */
static void take_node(const node_info_t *info, struct ctl_node *out)
{
	uint32_t state = info->node_state, base = state & NODE_STATE_BASE;

	*out = (struct ctl_node){
		.name = info->name,
		.power = power_of(state),
		.down = base == NODE_STATE_DOWN,
		.drained = state & (NODE_STATE_DRAIN | NODE_STATE_FAIL),
		.failing = (state & NODE_STATE_FAIL) &&
			   !(state & NODE_STATE_DRAIN),
		.last_busy_s = info->last_busy,
		.slurmd_start_s = info->slurmd_start_time,
		.busy = base == NODE_STATE_ALLOCATED ||
			base == NODE_STATE_MIXED ||
			(state & NODE_STATE_COMPLETING) ||
			release_has_memory_allocated(info),
		.emptied = base == NODE_STATE_ALLOCATED &&
			   !(state & NODE_STATE_COMPLETING) &&
			   release_has_no_cpus_allocated(info),
		.no_respond = state & NODE_STATE_NO_RESPOND,
		.dynamic = state & NODE_STATE_DYNAMIC_NORM,
		.cloud = state & NODE_STATE_CLOUD,
		.external = release_is_external_node(state),
		.rebooting = state & (NODE_STATE_REBOOT_REQUESTED |
				      NODE_STATE_REBOOT_ISSUED),
		.reboot_asked = (state & NODE_STATE_REBOOT_REQUESTED) &&
				!(state & NODE_STATE_REBOOT_ISSUED),
		.ending = state &
			  (NODE_STATE_POWER_DOWN | NODE_STATE_POWER_DRAIN),
		.starting = state & NODE_STATE_POWER_UP,
		.reserved = state & (NODE_STATE_RES | NODE_STATE_MAINT),
		.reservation = release_reservation(info),
		.reason = info->reason,
		.reason_ms = (int64_t)info->reason_time * 1000,
		.resume_at_s = release_resume_at(info),
		.suspend_time_s = suspend_time(info),
		.extra = info->extra,
		.cpus = info->cpus,
		.memory_mib = info->real_memory,
		.gres = info->gres,
		.comment = info->comment,
		.features = info->features,
		.features_active = info->features_act,
		.topology = release_topology(info),
	};
}

static size_t size_of(const char *text)
{
	return text ? strlen(text) + 1 : 0;
}

static size_t texts_of(const node_info_t *info)
{
	return size_of(info->name) + size_of(info->reason) +
	       size_of(info->extra) + size_of(info->gres) +
	       size_of(info->comment) + size_of(info->features) +
	       size_of(info->features_act) + size_of(release_topology(info)) +
	       size_of(release_reservation(info));
}

static void own(char **to, const char **text)
{
	char *at = *to;

	if (!*text)
		return;
	*to = stpcpy(at, *text) + 1;
	*text = at;
}

/* Every text that take_node() takes is in texts_of() too. */
static void own_texts(char **to, struct ctl_node *node)
{
	own(to, &node->name);
	own(to, &node->reason);
	own(to, &node->extra);
	own(to, &node->gres);
	own(to, &node->comment);
	own(to, &node->features);
	own(to, &node->features_active);
	own(to, &node->topology);
	own(to, &node->reservation);
}

static int by_name(const void *a, const void *b)
{
	const struct ctl_node *const *x = a, *const *y = b;

	return strcmp((*x)->name, (*y)->name);
}

/*
 * A snapshot with room for `n` nodes and `texts` bytes of text. NULL: out of
 * memory.
 */
static struct ctl_nodes *new_nodes(size_t n, size_t texts)
{
	struct ctl_nodes *out =
		malloc(sizeof(*out) +
		       n * (sizeof(*out->v) + sizeof(*out->by_name)) + texts);

	if (!out)
		return NULL;
	atomic_init(&out->shared.more, 0);
	out->n = n;
	out->v = (struct ctl_node *)(out + 1);
	out->by_name = (struct ctl_node **)(out->v + n);
	out->texts = (char *)(out->by_name + n);
	return out;
}

/* A hidden node is without a name in the answer, and is left out. */
static struct ctl_nodes *copy_nodes(const node_info_msg_t *msg)
{
	size_t n = 0, texts = 0;
	struct ctl_nodes *out;
	char *to;

	for (uint32_t i = 0; i < msg->record_count; i++) {
		if (!msg->node_array[i].name)
			continue;
		n++;
		texts += texts_of(&msg->node_array[i]);
	}
	out = new_nodes(n, texts);
	if (!out)
		return NULL;
	out->last_update = msg->last_update;
	to = out->texts;
	n = 0;
	for (uint32_t i = 0; i < msg->record_count; i++) {
		if (!msg->node_array[i].name)
			continue;
		take_node(&msg->node_array[i], &out->v[n]);
		own_texts(&to, &out->v[n]);
		out->by_name[n] = &out->v[n];
		n++;
	}
	qsort(out->by_name, n, sizeof(*out->by_name), by_name);
	return out;
}

/* Frees the message. */
static int take_message(node_info_msg_t *msg, struct ctl_nodes **out,
			struct err *err)
{
	struct ctl_nodes *n = copy_nodes(msg);

	release_free_nodes(msg);
	if (!n)
		return err_oom(err);
	*out = n;
	return 0;
}

int ctl_nodes_load(struct ctl_nodes **out, struct err *err)
{
	node_info_msg_t *msg = NULL;

	if (slurm_load_node(0, &msg, SHOW_ALL))
		return rpc_err(err, "cannot read slurmctld's nodes");
	return take_message(msg, out, err);
}

int ctl_nodes_refresh(struct ctl_nodes **nodes, struct err *err)
{
	time_t since = rpc_since(*nodes ? (*nodes)->last_update : 0);
	struct ctl_nodes *fresh = NULL;
	node_info_msg_t *msg = NULL;
	int rc;

	errno = 0;
	if (slurm_load_node(since, &msg, SHOW_ALL))
		return errno == SLURM_NO_CHANGE_IN_DATA
			       ? 0
			       : rpc_err(err, "cannot read slurmctld's nodes");
	rc = take_message(msg, &fresh, err);
	if (rc)
		return rc;
	ctl_nodes_free(*nodes);
	*nodes = fresh;
	return 1;
}

int ctl_nodes_load_one(const char *name, struct ctl_nodes **out,
		       struct err *err)
{
	node_info_msg_t *msg = NULL;

	if (slurm_load_node_single(&msg, (char *)name, SHOW_ALL))
		return rpc_err(err, "cannot read a node of slurmctld");
	return take_message(msg, out, err);
}

void ctl_nodes_free(struct ctl_nodes *n)
{
	if (n && ctl_shared_last(&n->shared))
		free(n);
}

size_t ctl_nodes_count(const struct ctl_nodes *n)
{
	return n ? n->n : 0;
}

static bool same_flags(const struct ctl_node *x, const struct ctl_node *y)
{
	return x->down == y->down && x->drained == y->drained &&
	       x->failing == y->failing && x->busy == y->busy &&
	       x->emptied == y->emptied && x->no_respond == y->no_respond &&
	       x->dynamic == y->dynamic && x->cloud == y->cloud &&
	       x->external == y->external && x->rebooting == y->rebooting &&
	       x->reboot_asked == y->reboot_asked && x->ending == y->ending &&
	       x->starting == y->starting && x->reserved == y->reserved;
}

static bool same_numbers(const struct ctl_node *x, const struct ctl_node *y)
{
	return x->power == y->power && x->last_busy_s == y->last_busy_s &&
	       x->reason_ms == y->reason_ms &&
	       x->resume_at_s == y->resume_at_s && x->cpus == y->cpus &&
	       x->slurmd_start_s == y->slurmd_start_s &&
	       x->suspend_time_s == y->suspend_time_s &&
	       x->memory_mib == y->memory_mib;
}

static bool same_texts(const struct ctl_node *x, const struct ctl_node *y)
{
	return str_eq(x->name, y->name) && str_eq(x->reason, y->reason) &&
	       str_eq(x->reservation, y->reservation) &&
	       str_eq(x->extra, y->extra) && str_eq(x->gres, y->gres) &&
	       str_eq(x->comment, y->comment) &&
	       str_eq(x->features, y->features) &&
	       str_eq(x->features_active, y->features_active) &&
	       str_eq(x->topology, y->topology);
}

bool ctl_nodes_same(const struct ctl_nodes *a, const struct ctl_nodes *b)
{
	bool same = a->n == b->n;

	for (size_t i = 0; i < a->n && same && a != b; i++)
		same = same_flags(&a->v[i], &b->v[i]) &&
		       same_numbers(&a->v[i], &b->v[i]) &&
		       same_texts(&a->v[i], &b->v[i]);
	return same;
}

bool ctl_nodes_find(const struct ctl_nodes *n, const char *name,
		    struct ctl_node *out)
{
	const struct ctl_node key = {.name = name}, *at = &key;
	struct ctl_node **found =
		bsearch(&at, n->by_name, n->n, sizeof(*n->by_name), by_name);

	if (found)
		*out = **found;
	return found != NULL;
}

bool ctl_nodes_at(const struct ctl_nodes *n, size_t i, struct ctl_node *out)
{
	if (i >= n->n)
		return false;
	*out = n->v[i];
	return true;
}

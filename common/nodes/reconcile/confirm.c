/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nodes/reconcile/confirm.h"

#include "nodes/reconcile/node_decide.h"
#include "syntax/node_reason.h"

bool confirm_powers_up(const struct ctl_node *node)
{
	return node->power == CTL_POWERING_UP;
}

/*
 * What an administrator has drained or set down, which may have come meanwhile,
 * stays so.
 */
static bool is_nobodys(const struct ctl_node *node)
{
	return !node_reason_is_admins(node->drained, node->down, node->reason);
}

/*
 * Our Reason would take the place of an administrator's, and be undone later.
 * So would his DRAIN be lost, by a power-down (_do_power_work()).
 */
static bool is_undrained(const struct ctl_node *node)
{
	return !node->drained && is_nobodys(node);
}

bool confirm_is_free(const struct ctl_node *node)
{
	return !node->busy && is_undrained(node);
}

/*
 * True if a drain is to be restored: only while the node powers down, as DRAIN
 * would end a job that gets it later.
 */
static bool has_lost_its_drain(const struct ctl_node *node)
{
	return node->power == CTL_POWERING_DOWN && !node->drained &&
	       !node->down && node_reason_is_admins(true, false, node->reason);
}

static bool is_silent(const struct ctl_node *node)
{
	return node->no_respond;
}

static bool is_silent_and_nobodys(const struct ctl_node *node)
{
	return is_silent(node) && is_nobodys(node);
}

/* The administrator who drained the node may have resumed it meanwhile. */
static bool is_drained(const struct ctl_node *node)
{
	return node->drained;
}

static bool is_silent_and_drained(const struct ctl_node *node)
{
	return is_silent(node) && is_drained(node);
}

/* A job may run on a node that has come up, and would be left drained. */
static bool is_to_go_back(const struct ctl_node *node)
{
	return confirm_powers_up(node) && is_nobodys(node);
}

/*
 * An administrator may have resumed the node, and a job may run there, which
 * POWER_DOWN_FORCE would end. Drained nodes get no jobs, and while one powers
 * up its jobs are on their way back.
 */
static bool is_to_power_off(const struct ctl_node *node)
{
	if (node->down)
		return node_reason_is_ours(node->reason) ||
		       node_reason_is_slurms(node->reason);
	return node->drained && node_reason_is_ours(node->reason) &&
	       (!node->busy || confirm_powers_up(node));
}

/*
 * A job may have ended since it was looked at: whether its Epilog has failed
 * Slurm does not say (see node_may_undrain()). Nor does it say that somebody
 * has asked for POWER_DOWN_ASAP.
 */
static bool is_to_undrain(const struct ctl_node *node)
{
	return is_nobodys(node) && !node->ending &&
	       node_may_undrain(node->busy, node->last_busy_s * 1000,
				node->reason_ms);
}

/* The list of jobs that is asked for before NODE_DOWN may take seconds. */
node_is_fn confirm_of(const struct node_decision *p)
{
	switch (p->slurm) {
	case NODE_IDLE:
	case NODE_RESUME:
		return is_nobodys;
	case NODE_UNDRAIN:
		return is_to_undrain;
	case NODE_DRAIN:
		return p->if_free ? confirm_is_free : is_undrained;
	case NODE_RECYCLE:
		return is_undrained;
	case NODE_DRAIN_AGAIN:
		return has_lost_its_drain;
	case NODE_DOWN:
		return p->if_silent ? is_silent_and_nobodys : is_nobodys;
	case NODE_DOWN_ONLY:
		return p->if_silent ? is_silent_and_drained : is_drained;
	case NODE_REQUEUE:
		return is_to_go_back;
	case NODE_POWER_OFF:
		return is_to_power_off;
	case NODE_KEEP:
	case NODE_COOL:
	case NODE_RECORD:
	case NODE_SET_FEATURES:
		return NULL;
	}
	return NULL;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whose Reason a node has, by its words: ours, Slurm's own, or an
 * administrator's. Pure. Any thread. NULL and "" are no Reason.
 */
#ifndef SLURMK8S_SYNTAX_NODE_REASON_H
#define SLURMK8S_SYNTAX_NODE_REASON_H

#include <stdbool.h>

/*
 * The text between two Reasons: from 24.11 on Slurm puts its own behind others.
 */
#define NODE_REASON_BETWEEN " : "

/*
 * True if the text begins with "k8s: ", as each Reason, Comment and Extra that
 * we write does.
 */
bool node_reason_is_ours(const char *reason);

/*
 * True if all of the Reason is Slurm's own, about what our pods cause, or what
 * is done with them. With an administrator's words before Slurm's it is his.
 */
bool node_reason_is_slurms(const char *reason);

/*
 * True if all of the Reason is Slurm's own, and `word` is the latest part of
 * it.
 */
bool node_reason_is_slurms_last(const char *reason, const char *word);

/*
 * True if an administrator has drained the node, or set it down, so that it is
 * to stay so. slurmctld takes a drain without a Reason, which slurmrestd and
 * the API send; Slurm itself drains with words. It frees a Reason and leaves
 * DRAIN when a node is powered up (22.05 to 23.11.1), or registers while it is
 * powered down: then nobody can tell whose the drain was, and it stays. A DOWN
 * without words may be Slurm's own.
 */
bool node_reason_is_admins(bool drained, bool down, const char *reason);

/*
 * True if this Extra of a node says that the engine keeps it in SuspendExcNodes
 * for minRunning: so a name there is ours, or else an administrator's.
 */
bool node_extra_is_kept(const char *extra);

#endif

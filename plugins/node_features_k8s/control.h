/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions behind Slurm's node_features calls. In slurmctld any thread
 * makes them, with its locks held: nothing here waits or does I/O, but for
 * control_init(), which reads k8s.yaml. Texts returned are Slurm's to xfree.
 */
#ifndef SLURMK8S_NODE_FEATURES_CONTROL_H
#define SLURMK8S_NODE_FEATURES_CONTROL_H

#include <stdbool.h>

/*
 * In slurmctld: open libslurmk8s.so and read k8s.yaml. An error is logged, and
 * then no feature is changeable. In other daemons it does nothing.
 */
void control_init(void);

/* Have the engine read k8s.yaml again. Returns at once. */
void control_reload(void);

/* True for a changeable feature of k8s.yaml. NULL: false. */
bool control_changeable(const char *feature);

/*
 * True if pods can be made for a constraint. NULL: true. `one_only`: this Slurm
 * cannot choose among alternatives. The words of a refusal go to the log.
 */
bool control_valid(const char *constraint, bool one_only);

/*
 * The features that the nodes of a job are to boot with; NULL: none, or the
 * constraint has no changeable ones. `nodes` is a bitmap of Slurm's, or NULL.
 */
char *control_choose(const char *constraint, void *nodes);

/*
 * A node's features, when the changeable ones in `fresh` become its active ones
 * in place of those in `old`. NULL: none.
 */
char *control_merge(const char *fresh, const char *old);

/* A copy in Slurm's memory; NULL: `text` is NULL, or out of memory. */
char *control_copy(const char *text);

/*
 * All nodes, as a bitmap that Slurm frees; the number of nodes in one. NULL,
 * and 0: not inside slurmctld.
 */
void *control_all_nodes(void);
int control_count(void *nodes);

/* In slurmd: add the features that this pod was made with to *current. */
void control_report(char **current);

#endif

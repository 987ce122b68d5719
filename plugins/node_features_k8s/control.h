/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What stands behind Slurm's node_features calls. In slurmctld they are made
 * with its locks held: nothing here waits or does I/O, but for control_init(),
 * which reads k8s.yaml. Texts returned are Slurm's to xfree.
 */
#ifndef SLURMK8S_NODE_FEATURES_CONTROL_H
#define SLURMK8S_NODE_FEATURES_CONTROL_H

#include <stdbool.h>

/*
 * In slurmctld: open libslurmk8s.so and read k8s.yaml. What goes wrong is
 * logged, and then no feature is changeable. Elsewhere: nothing.
 */
void control_init(void);

/* k8s.yaml is to be read again, soon. */
void control_reload(void);

bool control_changeable(const char *feature);

/* Can pods be made for it? The words of a refusal go to the log. */
bool control_valid(const char *constraint, bool one_only);

/*
 * The features that the nodes of a job are to boot with; NULL: none, or it is
 * not about ours. `nodes` is a bitmap of Slurm's, or NULL.
 */
char *control_choose(const char *constraint, void *nodes);

/* A node's features when these of ours become its active ones. */
char *control_merge(const char *fresh, const char *old);

char *control_copy(const char *text);

/* All nodes, as a bitmap that Slurm frees; how many are in one. */
void *control_all_nodes(void);
int control_count(void *nodes);

/* In slurmd: add what this pod was made with to *current. */
void control_report(char **current);

#endif

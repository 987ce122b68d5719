/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether slurmctld loads our scheduler plugin. It loads none that was built
 * for another version of Slurm, down to the micro release, takes the next file
 * of that name in PluginDir, and says so in one line of its log, at "info"
 * (common/plugin.c, _verify_syms and plugin_load_and_link). Any thread but that
 * of a plugin callback: a function is an RPC, or reads files.
 */
#ifndef SLURMK8S_SLURM_CTL_PLUGIN_H
#define SLURMK8S_SLURM_CTL_PLUGIN_H

#include <stdbool.h>

#include "base/err.h"

/*
 * True, with words, if the first plugin of slurmctld's SchedulerType in its
 * PluginDir is ours, and was built for another version than slurmctld says it
 * has, and so is each of ours behind it that Slurm would come to. One RPC, and
 * reads files of this host, which the words name: so it is false where no
 * SlurmctldHost is this one, as for a program that is run by hand elsewhere.
 * False also when slurmctld does not answer, or when files cannot be read.
 */
bool ctl_plugin_refused(struct err *why);

/*
 * For an engine that runs: take the Comment away that says that none does, as
 * nodes that are never powered up would keep it for ever. One RPC, or none. 0;
 * or an error of ctl_node_update(); -ENOMEM.
 */
struct ctl_nodes;
int ctl_plugin_unsay(const struct ctl_nodes *n, struct err *err);

/*
 * True if this Comment is ours, and says that no engine runs as slurmctld
 * refuses the plugin. NULL: false.
 */
bool ctl_plugin_says(const char *comment);

/*
 * ctl_plugin_refused() with what slurmctld has said as arguments. No RPC; reads
 * files. For ctl_plugin.c and tests.
 */
bool ctl_plugin_refused_by(const char *plugin_dir, const char *scheduler,
			   const char *version, struct err *why);

#endif

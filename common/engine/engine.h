/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The engine: keeps Slurm's nodes and Kubernetes' pods in step. Lives between
 * init and fini of the scheduler plugin, which is exactly as long as this
 * slurmctld is the active one.
 *
 * One thread reads and writes Slurm through the public API and plans; one for
 * each Kubernetes cluster does what there is to do there. All that they know
 * can be lost at any moment: it is read again from Slurm and Kubernetes.
 *
 * These functions may be called from a plugin's callbacks: they do no RPC. One
 * thread at a time starts and stops an engine.
 */
#ifndef SLURMK8S_ENGINE_ENGINE_H
#define SLURMK8S_ENGINE_ENGINE_H

#include "base/err.h"
#include "config/config.h"

struct engine;

/*
 * Start the engine's thread, which owns `config`, also on failure. 0: the
 * caller stops *out; -ENOMEM; or an errno of eventfd(2) and pthread_create(3).
 */
int engine_start(struct config *config, struct engine **out, struct err *err);

/*
 * Have the engine's thread read the configuration's file again; when that is
 * bad the one in force stays. Returns at once. Any thread.
 */
void engine_reload(struct engine *e);

/*
 * Stop, and give `e` back: returns within 2 s. Slurm answers no RPC any more
 * when this is called: a thread that waits for an answer is abandoned, with all
 * that it uses; it frees that when it ends.
 */
void engine_stop(struct engine *e);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is measured when metrics are written. The engine's thread only, but
 * where it says more.
 */
#ifndef SLURMK8S_ENGINE_MEASURE_H
#define SLURMK8S_ENGINE_MEASURE_H

#include "engine/engine_internal.h"

/*
 * Measure what no event tells, such as ages, and write and serve the metrics,
 * if k8s.yaml has a file or an address for them and it is time. I/O; two RPCs,
 * if it has metrics.slurm and it is time for that.
 */
void measure_step(struct engine *e);

/*
 * In how many ms measure_step() is due; INT64_MAX: there is nothing to write.
 */
int64_t measure_next(struct engine *e);

/*
 * Remove the file and the socket, for good. Any thread, when `stop` of the
 * engine is set; waits while the engine's thread is at them. I/O.
 */
void measure_end(struct engine *e);

#endif

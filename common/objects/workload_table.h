/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is read of objects above pods, of each kind, for objects/workload.h and
 * objects/scheduling_group.h: their pod templates, and whatever else may be
 * long, are not. Whoever reads another member adds it here. Constant: any
 * thread.
 */
#ifndef SLURMK8S_OBJECTS_WORKLOAD_TABLE_H
#define SLURMK8S_OBJECTS_WORKLOAD_TABLE_H

#include "json/json_only.h"

extern const struct jx_only workload_table[];

/*
 * With who wrote a PodGroup's condition, as its managedFields say; unless these
 * are what cannot be read (see object_parse()).
 */
extern const struct jx_only workload_group_table[];

#endif

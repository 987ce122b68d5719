/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A patch of a pod template, as kubectl's strategic merge where users rely on
 * it: containers, initContainers, volumes and env are merged by their names
 * (an element with "$patch: delete" goes); all else is a JSON merge patch
 * (RFC 7396). Pure. Any thread.
 */
#ifndef SLURMK8S_NODES_POD_PATCH_H
#define SLURMK8S_NODES_POD_PATCH_H

#include "json/json.h"

/*
 * Apply `patch`, an object that is copied from, to the object `target`, in
 * place. 0; -ENOMEM: it is half done.
 */
int patch_apply(json_object *target, const json_object *patch);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Check a pod template while its YAML still knows line and column. Pure. Any
 * thread. Each gives 0, or -EINVAL with file:line:column.
 */
#ifndef SLURMK8S_CONFIG_POD_TEMPLATE_H
#define SLURMK8S_CONFIG_POD_TEMPLATE_H

#include "json/yaml.h"

/*
 * A template is a Pod without a name of its own, in which `container` is the
 * one that runs slurmd. What it says beyond that is the API server's to judge.
 */
int template_check(const struct yaml *y, ynode t, const char *container,
		   struct err *err);

/* Check what a feature changes of a template: metadata and spec only. */
int template_check_patch(const struct yaml *y, ynode patch, struct err *err);

#endif

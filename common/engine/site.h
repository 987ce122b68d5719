/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What slurm.conf says */
#ifndef SLURMK8S_ENGINE_SITE_H
#define SLURMK8S_ENGINE_SITE_H

#include "base/err.h"
#include "slurm/ctl.h"

/*
 * site.c: what slurm.conf says now; ClusterName and notify_name stay as they
 * were. An RPC. 1: it is something else; 0: it is the same; or an error, and
 * nothing has changed.
 */
int site_reload(struct ctl_site *site, struct err *err);

#endif

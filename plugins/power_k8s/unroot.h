/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A kubeconfig, for a program that slurmd runs as root. Programs of one thread
 * only.
 */
#ifndef SLURMK8S_PLUGINS_POWER_K8S_UNROOT_H
#define SLURMK8S_PLUGINS_POWER_K8S_UNROOT_H

#include "base/err.h"
#include "kube/kubeconfig.h"

#define UNROOT_NOBODY 65534 /* the kernel's overflow uid and gid */

/*
 * Read the kubeconfig `path`, and be root no longer: nothing is asked of the
 * network, and no credential plugin is run, as root. The owner of the file
 * chooses what is read and run, so we become that user before it is parsed. If
 * that is root, what it names is read as root (a token file once, now), and
 * then we are UNROOT_NOBODY. For good: all the user's ids, and the groups. A
 * process that is not root stays who it is.
 *
 * The caller frees *out. 0; -EPERM: it is root's, and others may write it, or
 * we cannot become another user; or an error of kube_config_load().
 */
int unroot_load(const char *path, struct kube_config **out, struct err *err);

#endif

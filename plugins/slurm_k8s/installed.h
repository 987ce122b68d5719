/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where files of ours are on this machine. I/O. Any thread. */
#ifndef SLURMK8S_TOOL_INSTALLED_H
#define SLURMK8S_TOOL_INSTALLED_H

#include <limits.h>

/*
 * Where a folder of ours is: an installation may stand below another root
 * (DESTDIR), as this program does then. The caller frees. NULL: out of memory.
 */
char *installed(const char *folder);

/*
 * The folder with the manifests for kubectl, as it stands in a line that
 * somebody is to type: where the packages have put it, if it is there; else
 * "etc/kubernetes" of the source.
 */
void installed_manifests(char out[PATH_MAX]);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "installed.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/str.h"

char *installed(const char *folder)
{
	static const char own[] = SLURMK8S_SBIN "/slurm-k8s";
	char self[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

	self[len > 0 ? len : 0] = '\0';
	if (!str_ends(self, own))
		return strdup(folder);
	self[strlen(self) - strlen(own)] = '\0';
	return str_printf("%s%s", self, folder);
}

void installed_manifests(char out[PATH_MAX])
{
	_cleanup_free_ char *folder = installed(SLURMK8S_DATA "/kubernetes");

	str_copy(out,
		 folder && !access(folder, R_OK) ? folder : "etc/kubernetes",
		 PATH_MAX);
}

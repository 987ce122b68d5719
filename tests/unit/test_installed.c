/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where this program is, and which folders there are, is the test's. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "installed.h"
#include "t.h"

static const char *self, *there;

ssize_t __wrap_readlink(const char *path, char *buf, size_t size);
ssize_t __wrap_readlink(const char *path, char *buf, size_t size)
{
	const size_t len = strlen(self);

	T_STR(path, "/proc/self/exe");
	T_OK(len < size);
	memcpy(buf, self, len);
	return (ssize_t)len;
}

int __wrap_access(const char *path, int mode);
int __wrap_access(const char *path, int mode)
{
	T_INT(mode, R_OK);
	if (there && !strcmp(path, there))
		return 0;
	errno = ENOENT;
	return -1;
}

static void manifests_are_where_somebody_finds_them(void)
{
	static const struct {
		const char *self, *there, *want;
	} rows[] = {
		{SLURMK8S_SBIN "/slurm-k8s", SLURMK8S_DATA "/kubernetes",
		 SLURMK8S_DATA "/kubernetes"},
		{SLURMK8S_SBIN "/slurm-k8s", NULL, "etc/kubernetes"},
		/* below another root, as DESTDIR makes it */
		{"/r" SLURMK8S_SBIN "/slurm-k8s",
		 "/r" SLURMK8S_DATA "/kubernetes",
		 "/r" SLURMK8S_DATA "/kubernetes"},
		{"/r" SLURMK8S_SBIN "/slurm-k8s", SLURMK8S_DATA "/kubernetes",
		 "etc/kubernetes"},
		/* in a folder of a build */
		{"/b/slurm-k8s", SLURMK8S_DATA "/kubernetes",
		 SLURMK8S_DATA "/kubernetes"},
	};
	char folder[PATH_MAX];

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%zu", i);
		self = rows[i].self;
		there = rows[i].there;
		installed_manifests(folder);
		T_STR(folder, rows[i].want);
	}
}

T_MAIN("installed", T(manifests_are_where_somebody_finds_them))

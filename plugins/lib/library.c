/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int library_beside(const void *symbol, const char *name, char out[PATH_MAX])
{
	char real[PATH_MAX], *slash;
	Dl_info info;

	if (!dladdr(symbol, &info) || !realpath(info.dli_fname, real))
		return -1;
	slash = strrchr(real, '/');
	if (!slash)
		return -1;
	*slash = '\0';
	return snprintf(out, PATH_MAX, "%s/%s", real, name) < PATH_MAX ? 0 : -1;
}

static void *open_object(const char *who, const char *path, int more)
{
	void *so = dlopen(path, RTLD_LAZY | RTLD_LOCAL | more);

	if (!so)
		slurm_error("%s: %s", who, dlerror());
	return so;
}

void *library_load(const char *who, const char *path)
{
	return open_object(who, path, RTLD_NODELETE);
}

void *library_open(const char *who, const char *path)
{
	return open_object(who, path, 0);
}

void library_close(const char *who, void *so)
{
	if (dlclose(so))
		slurm_error("%s: %s", who, dlerror());
}

bool library_need(const char *who, void *so, const char *name, void *into)
{
	void *symbol = dlsym(so, name);

	memcpy(into, &symbol, sizeof(symbol));
	if (!symbol)
		slurm_error("%s: %s", who, dlerror());
	return symbol != NULL;
}

#define BUILD_MAX 64

/* "slurm-k8s 0.1.0 for Slurm 26.05.3" */
static void build_words(const char *version, uint32_t slurm,
			char out[BUILD_MAX])
{
	snprintf(out, BUILD_MAX, "slurm-k8s %.20s for Slurm %u.%02u.%u",
		 version, slurm >> 16, slurm >> 8 & 0xff, slurm & 0xff);
}

bool library_fits(const char *who, void *so, const char *path)
{
	const uint32_t *slurm = dlsym(so, "slurmk8s_slurm_version");
	const char *version = dlsym(so, "slurmk8s_version");
	char own[BUILD_MAX], its[BUILD_MAX] = "an old slurm-k8s";

	if (slurm && version) {
		if (*slurm == library_slurm_version &&
		    !strcmp(version, SLURMK8S_VERSION))
			return true;
		build_words(version, *slurm, its);
	}
	build_words(SLURMK8S_VERSION, library_slurm_version, own);
	slurm_error("%s: %s is of %s, this plugin of %s: it is not used; "
		    "install all of slurm-k8s for this Slurm again, and "
		    "restart slurmctld",
		    who, path, its, own);
	return false;
}

void *library_ours(const char *who)
{
	char path[PATH_MAX];
	void *so;

	if (library_beside((const void *)library_ours, LIBRARY_NAME, path)) {
		slurm_error("%s: " LIBRARY_NAME " is not found", who);
		return NULL;
	}
	so = library_load(who, path);
	return so && library_fits(who, so, path) ? so : NULL;
}

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

void *library_ours(const char *who)
{
	char path[PATH_MAX];

	if (library_beside((const void *)library_ours, LIBRARY_NAME, path)) {
		slurm_error("%s: " LIBRARY_NAME " is not found", who);
		return NULL;
	}
	return library_load(who, path);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How our plugins find other objects inside a daemon of Slurm. Errors go to its
 * log, behind the plugin's name `who`. Links nothing but libc. Slurm's main
 * thread, in init and fini.
 */
#ifndef SLURMK8S_PLUGINS_LIBRARY_H
#define SLURMK8S_PLUGINS_LIBRARY_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#define LIBRARY_NAME "libslurmk8s.so"

/*
 * Declared in slurm/spank.h, too, which only plugin.c and common/slurm may
 * include.
 */
extern void slurm_info(const char *format, ...)
	__attribute__((format(printf, 1, 2)));
extern void slurm_error(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

/*
 * The path of `name` in the directory of the object that `symbol` is in. 0; -1:
 * it cannot be found out, or is too long.
 */
int library_beside(const void *symbol, const char *name, char out[PATH_MAX]);

/*
 * Load an object of ours. NULL: it cannot be loaded. It is never closed: its
 * threads may live on. RTLD_LOCAL: names of ours and of Slurm's plugins do not
 * meet.
 */
void *library_load(const char *who, const char *path);

/*
 * Load a plugin of Slurm's. NULL: it cannot be loaded. library_close() unloads
 * it after its fini, as Slurm itself does: such plugins begin anew only when
 * they are loaded anew, as nothing else sets their static variables back.
 */
void *library_open(const char *who, const char *path);
void library_close(const char *who, void *so);

/*
 * Look a function up and put it into *into, which is a pointer to it. False:
 * `so` has none, and *into is NULL.
 */
bool library_need(const char *who, void *so, const char *name, void *into);

/*
 * SLURM_VERSION_NUMBER that the plugin was built for; each plugin.c defines it.
 */
extern const uint32_t library_slurm_version;

/*
 * Open libslurmk8s.so, which lies beside this plugin. NULL: there is none, or
 * it is of another build (an upgrade that was not finished, a file that was
 * copied). Slurm compares only the plugin's version with its own, and that
 * library would hand structs of another size to slurmctld.
 */
void *library_ours(const char *who);

/*
 * True if `so`, loaded from `path`, is of this plugin's slurm-k8s, and was
 * built for its Slurm.
 */
bool library_fits(const char *who, void *so, const char *path);

#endif

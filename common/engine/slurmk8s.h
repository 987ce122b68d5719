/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What libslurmk8s.so offers to our plugins in slurmctld: one engine a process.
 * Any thread. All may be called from plugin callbacks: no RPC, no waiting
 * beyond what each says. Plugins look these up with dlsym; they change
 * together. `words` says in text what an error is.
 */
#ifndef SLURMK8S_ENGINE_SLURMK8S_H
#define SLURMK8S_ENGINE_SLURMK8S_H

#include <stdbool.h>
#include <stddef.h>

#define SLURMK8S_API __attribute__((visibility("default")))

#define SLURMK8S_WORDS_MAX 1024
#define SLURMK8S_NAME_MAX 64
#define SLURMK8S_LIST_MAX 4160

/*
 * Read k8s.yaml beside slurm.conf: I/O of files, so in a plugin's init or
 * reconfigure only. `delegate` gets the name of the scheduler to wrap,
 * "backfill" also when this fails. 0; 1 and `words`: the file is bad, and what
 * this process has had in force before is used again; or, when there is
 * nothing such, an error of config_load() or config_check_release().
 */
SLURMK8S_API int slurmk8s_configure(char delegate[SLURMK8S_NAME_MAX],
				    char words[SLURMK8S_WORDS_MAX]);

/*
 * Start the engine with what slurmk8s_configure() has found; if it runs, have
 * it read k8s.yaml again. 0; -EINVAL: it found nothing; or an error of
 * engine_start().
 */
SLURMK8S_API int slurmk8s_start(char words[SLURMK8S_WORDS_MAX]);

/*
 * Have the engine read k8s.yaml again. Returns at once; without an engine it
 * does nothing.
 */
SLURMK8S_API void slurmk8s_reload(void);

/* Stop the engine, within 2 s. Without one it does nothing. */
SLURMK8S_API void slurmk8s_stop(void);

/*
 * The functions below read the configuration of the last slurmk8s_configure()
 * or reload that was good; without one there are no changeable features.
 */

/* True for a changeable feature of k8s.yaml. */
SLURMK8S_API bool slurmk8s_feature_known(const char *name);

/*
 * Whether pods can be made for a job's --constraint: 0; or negative and
 * `words`, which end with the constraint, fit for a log. `one_only`: see
 * constraint_check().
 */
SLURMK8S_API int slurmk8s_request_check(const char *constraint, bool one_only,
					char words[SLURMK8S_WORDS_MAX]);

/*
 * The changeable features, "a,b", that these nodes (a hostlist; NULL: not
 * known) are to have for the constraint. False: none.
 */
SLURMK8S_API bool slurmk8s_request_choose(const char *constraint,
					  const char *nodes,
					  char out[SLURMK8S_LIST_MAX]);

/*
 * What a job asks of its pods, `n` items "label KEY=VALUE"
 * (nodes/pod/pod_metadata.h). 1: `out` is the AdminComment, or the constraint,
 * that the job is to have; 0: it stays as it is; negative and `words`: the job
 * may not ask for it.
 */
SLURMK8S_API int slurmk8s_asks_carry(const char *const items[], size_t n,
				     const char *comment,
				     char out[SLURMK8S_LIST_MAX],
				     char words[SLURMK8S_WORDS_MAX]);
SLURMK8S_API int slurmk8s_asks_constrain(const char *const items[], size_t n,
					 const char *constraint,
					 char out[SLURMK8S_LIST_MAX],
					 char words[SLURMK8S_WORDS_MAX]);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * job_submit/k8s: says why node_features/k8s refuses a constraint, which has
 * no way to tell; and takes what jobs ask of their pods by the options of
 * spank/k8s. Only the symbols that Slurm asks for (src/slurmctld or
 * src/interfaces/job_submit.c); the rest is in words.c and asks.c.
 */
#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>

#include "asks.h"
#include "library.h"
#include "words.h"

#define EXPORT __attribute__((visibility("default")))

/* What differs by release. */
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(23, 2, 0)
#define MODIFY_ARGS                                                            \
	job_desc_msg_t *desc, void *job, uint32_t uid, char **err_msg
#define MODIFY_WORDS err_msg
#define ONE_ONLY false
#else
#define MODIFY_ARGS job_desc_msg_t *desc, void *job, uint32_t uid
#define MODIFY_WORDS NULL
#define ONE_ONLY true
#endif

EXPORT const char plugin_name[] = "Words for refused features of pods";
EXPORT const char plugin_type[] = "job_submit/k8s";
EXPORT const uint32_t plugin_version = SLURM_VERSION_NUMBER;
const uint32_t library_slurm_version = SLURM_VERSION_NUMBER;

EXPORT int init(void);
EXPORT int fini(void);
EXPORT int job_submit(job_desc_msg_t *desc, uint32_t uid, char **err_msg);
EXPORT int job_modify(MODIFY_ARGS);

int init(void)
{
	words_init();
	asks_init();
	return SLURM_SUCCESS;
}

int fini(void)
{
	return SLURM_SUCCESS;
}

static int judge(const job_desc_msg_t *desc, char **err_msg)
{
	if (!words_valid(desc->features, ONE_ONLY, err_msg))
		return ESLURM_INVALID_FEATURE;
	if (!words_valid(desc->prefer, ONE_ONLY, err_msg))
		return ESLURM_INVALID_PREFER;
	return SLURM_SUCCESS;
}

int job_submit(job_desc_msg_t *desc, uint32_t uid, char **err_msg)
{
	(void)uid;
	switch (asks_take(desc->spank_job_env, desc->spank_job_env_size,
			  &desc->admin_comment, &desc->features, err_msg)) {
	case ASKS_FORBIDDEN:
		return ESLURM_ACCESS_DENIED;
	case ASKS_NO_FEATURE:
		return ESLURM_INVALID_FEATURE;
	case ASKS_FINE:
		break;
	}
	return judge(desc, err_msg);
}

int job_modify(MODIFY_ARGS)
{
	(void)job;
	(void)uid;
	return judge(desc, MODIFY_WORDS);
}

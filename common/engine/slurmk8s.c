/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/slurmk8s.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "engine/active_config.h"
#include "engine/engine.h"
#include "nodes/features/constraint.h"
#include "nodes/pod/pod_metadata.h"
#include "slurm/ctl.h"
#include "slurm/ctl_abilities.h"
#include "slurm/ctl_log.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct config *config; /* configured, not in use yet */
static struct engine *engine;

static int read_config(struct config **out, struct err *err)
{
	const struct slurm_abilities slurm = ctl_abilities();
	_cleanup_free_ char *dir = ctl_conf_dir();
	_cleanup_free_ char *path =
		dir ? str_printf("%s/" WK_CONFIG_FILE, dir) : NULL;
	int rc = path ? config_load(path, out, err) : err_oom(err);

	if (!rc)
		rc = config_check_release(*out, &slurm, err);
	if (rc) {
		config_free(*out);
		*out = NULL;
	}
	return rc;
}

/*
 * A bad file is no reason to have none: when a reconfiguration fails, for that
 * very file it may be, the old slurmctld goes on and loads our plugins anew,
 * and this library is still as it was.
 */
int slurmk8s_configure(char delegate[SLURMK8S_NAME_MAX],
		       char words[SLURMK8S_WORDS_MAX])
{
	struct config *found = NULL;
	struct err err = {0};
	int rc;

	ctl_log_use();
	str_copy(delegate, "backfill", SLURMK8S_NAME_MAX);
	rc = read_config(&found, &err);
	if (rc) {
		found = active_config_get();
		if (found)
			err_wrap(&err, rc, "the configuration in force stays");
		str_copy(words, err.msg, SLURMK8S_WORDS_MAX);
	}
	if (!found)
		return rc;
	str_copy(delegate, found->delegate, SLURMK8S_NAME_MAX);
	pthread_mutex_lock(&lock);
	config_free(config);
	config = found;
	active_config_set(found);
	pthread_mutex_unlock(&lock);
	return rc ? 1 : 0;
}

int slurmk8s_start(char words[SLURMK8S_WORDS_MAX])
{
	struct err err = {0};
	int rc = 0;

	pthread_mutex_lock(&lock);
	if (engine)
		engine_reload(engine);
	else if (config)
		rc = engine_start(steal_ptr(config), &engine, &err);
	else
		rc = err_set(&err, -EINVAL, "not configured");
	pthread_mutex_unlock(&lock);
	if (rc)
		str_copy(words, err.msg, SLURMK8S_WORDS_MAX);
	return rc;
}

void slurmk8s_reload(void)
{
	pthread_mutex_lock(&lock);
	if (engine)
		engine_reload(engine);
	pthread_mutex_unlock(&lock);
}

void slurmk8s_stop(void)
{
	struct engine *old;

	pthread_mutex_lock(&lock);
	old = engine;
	engine = NULL;
	pthread_mutex_unlock(&lock);
	if (old)
		engine_stop(old);
}

bool slurmk8s_feature_known(const char *name)
{
	_cleanup_(config_freep) struct config *c = active_config_get();

	return c && features_find(&c->features, name, strlen(name)) >= 0;
}

int slurmk8s_request_check(const char *constraint, bool one_only,
			   char words[SLURMK8S_WORDS_MAX])
{
	_cleanup_(config_freep) struct config *c = active_config_get();
	struct err err = {0};
	int rc = c ? constraint_check(c, constraint, one_only, &err) : 0;

	str_copy(words, err.msg, SLURMK8S_WORDS_MAX);
	return rc;
}

bool slurmk8s_request_choose(const char *constraint, const char *nodes,
			     char out[SLURMK8S_LIST_MAX])
{
	_cleanup_(config_freep) struct config *c = active_config_get();

	_Static_assert(SLURMK8S_LIST_MAX >= FEATURES_TEXT_MAX, "room");
	*out = '\0';
	return c && constraint_choose(c, constraint, nodes, out);
}

static int no_config(char words[SLURMK8S_WORDS_MAX])
{
	str_copy(words, WK_CONFIG_FILE " could not be read",
		 SLURMK8S_WORDS_MAX);
	return -EINVAL;
}

int slurmk8s_asks_carry(const char *const items[], size_t n,
			const char *comment, char out[SLURMK8S_LIST_MAX],
			char words[SLURMK8S_WORDS_MAX])
{
	_cleanup_(config_freep) struct config *c = active_config_get();
	struct err err = {0};
	int rc;

	_Static_assert(SLURMK8S_LIST_MAX >= POD_METADATA_CARRIER_MAX, "room");
	if (!c)
		return no_config(words);
	rc = pod_metadata_carry(&c->jobs, items, n, comment, out, &err);
	str_copy(words, err.msg, SLURMK8S_WORDS_MAX);
	return rc;
}

int slurmk8s_asks_constrain(const char *const items[], size_t n,
			    const char *constraint, char out[SLURMK8S_LIST_MAX],
			    char words[SLURMK8S_WORDS_MAX])
{
	_cleanup_(config_freep) struct config *c = active_config_get();
	struct err err = {0};
	int rc;

	if (!c)
		return no_config(words);
	rc = pod_metadata_constrain(&c->features, items, n, constraint, out,
				    &err);
	str_copy(words, err.msg, SLURMK8S_WORDS_MAX);
	return rc;
}

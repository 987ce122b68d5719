/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "prolog.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/notify.h"
#include "base/str.h"
#include "config/config.h"
#include "logfile.h"
#include "slurm/ctl.h"
#include "slurm/ctl_plugin.h"
#include "syntax/hostlist.h"

#define NAME "k8s_prolog"

static int read_config(struct config **out, struct err *err)
{
	_cleanup_free_ char *dir = ctl_conf_dir();
	_cleanup_free_ char *path =
		dir ? str_printf("%s/%s", dir, WK_CONFIG_FILE) : NULL;

	return path ? config_load(path, out, err) : err_oom(err);
}

/*
 * Set the Comment of the job's nodes that are in a nodeset; returns how many
 * these are.
 */
static size_t comment_ours(const struct config *c, const char *words)
{
	_cleanup_(ctl_nodes_freep) struct ctl_nodes *nodes = NULL;
	const char *list = getenv("SLURM_JOB_NODELIST");
	_cleanup_hostlist_ struct hostlist h = {0};
	struct err err = {0};
	_cleanup_free_ char **ours = NULL;
	size_t n = 0;

	if (!list || hostlist_expand(list, &h, &err) ||
	    ctl_nodes_load(&nodes, &err)) {
		log_warn("%s", list ? err.msg : "no SLURM_JOB_NODELIST");
		return 0;
	}
	ours = calloc(h.n, sizeof(*ours));
	for (size_t i = 0; ours && i < h.n; i++)
		if (config_nodeset_of(c, h.names[i]))
			ours[n++] = h.names[i];
	if (ctl_nodes_comment(nodes, ours, n, words, &err))
		log_warn("%s", err.msg);
	return n;
}

static bool send_back(const struct config *c, uint32_t job_id,
		      const struct err *why)
{
	_cleanup_(ctl_jobs_freep) struct ctl_jobs *jobs = NULL;
	char words[WK_REASON_MAX];
	struct err err = {0};

	ctl_reason(why->msg, words);
	if (!comment_ours(c, words))
		return false;
	log_error("job %u: %s", job_id, why->msg);
	logfile_syslog(NAME, why->msg);
	if (ctl_jobs_load(&jobs, &err) ||
	    ctl_job_comment(jobs, job_id, words, &err))
		log_warn("job %u: %s", job_id, err.msg);
	return jobs && ctl_job_requeueable(jobs, job_id);
}

bool prolog_sends_back(uint32_t job_id, const char *notify_name)
{
	struct config *c = NULL;
	struct err why = {0}, err = {0};
	bool sent = false;

	if (notify_is_heard(notify_name) || !ctl_plugin_refused(&why))
		return false;
	if (read_config(&c, &err)) {
		logfile_syslog(NAME, err.msg);
		return false;
	}
	logfile_open(NAME, c->power.log_file);
	sent = send_back(c, job_id, &why);
	logfile_close();
	config_free(c);
	return sent;
}

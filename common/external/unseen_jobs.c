/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Jobs that a node's state does not show: suspended ones, where slurmctld
 * counts no memory. It would delete the node under them.
 */
#include <errno.h>
#include <string.h>

#include "external/external_actions.h"
#include "external/external_nodes.h"

struct search {
	struct external_nodes *e;
	struct external_actions *actions;
	bool (*is)(const struct external_action *d);
};

static void stays(void *arg, const struct ctl_occupant *job)
{
	const struct search *s = arg;
	struct err err = {0};

	for (size_t i = 0; i < s->actions->n; i++) {
		struct external_action *d = &s->actions->v[i];

		if (!s->is(d) || strcmp(d->name, job->node) != 0)
			continue;
		err_set(&err, -EBUSY,
			"is neither deleted nor made anew, as job %u is there, "
			"suspended or just begun",
			job->job_id);
		external_action_finish(s->e, d, -EBUSY, &err);
	}
}

void external_actions_keep_used(struct external_nodes *e,
				struct external_actions *actions,
				bool (*is)(const struct external_action *d))
{
	_cleanup_(ctl_jobs_freep) struct ctl_jobs *jobs = NULL;
	struct search s = {e, actions, is};
	struct err err = {0};
	struct ctl_read read;
	bool some = false;
	int rc;

	for (size_t i = 0; i < actions->n; i++)
		some |= is(&actions->v[i]);
	if (!e->hides_suspended || !some)
		return;
	rc = ctl_reader_jobs(e->reader, &jobs, &read, &err);
	if (!rc)
		ctl_jobs_on_nodes(jobs, stays, &s);
	for (size_t i = 0; rc && i < actions->n; i++)
		if (is(&actions->v[i]))
			external_action_finish(e, &actions->v[i], rc, &err);
}

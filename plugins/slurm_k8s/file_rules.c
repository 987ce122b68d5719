/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "file_rules.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "base/str.h"
#include "config/listen_address.h"

#define FIX_MAX (2 * PATH_MAX + 512)
/* What slurmctld's unit of systemd lets it write is not looked at. */
#define MAY "%s: SlurmUser may write it, unless slurmctld.service forbids it"

/* The folder of a file, cut if it is longer than a path can be. */
static void folder_of(const char *path, char out[PATH_MAX])
{
	const char *slash = strrchr(path, '/');
	const int len = slash && slash > path ? (int)(slash - path) : 1;

	snprintf(out, PATH_MAX, "%.*s", len, slash ? path : ".");
}

/*
 * How SlurmUser may write into a folder. Its owner stays, for others may use
 * it.
 */
static void folder_fix(const struct file_facts *facts, const char *folder,
		       int why, char fix[FIX_MAX])
{
	if (why == ENOENT)
		snprintf(fix, FIX_MAX, "install -d -o %s -g %s -m 755 %s",
			 facts->user, facts->group, folder);
	else if (why == EACCES)
		snprintf(fix, FIX_MAX, "chgrp %s %s && chmod g+wx %s",
			 facts->group, folder, folder);
	else
		snprintf(fix, FIX_MAX,
			 "make %s a folder that SlurmUser may write to",
			 folder);
}

static void metrics(const char *path, const struct file_facts *facts,
		    struct findings *out)
{
	char folder[PATH_MAX], fix[FIX_MAX];
	int why;

	folder_of(path, folder);
	why = facts->why_not(facts->arg, folder);
	if (!why) {
		findings_add(out, FINDING_OK, "metrics", NULL, MAY, path);
		return;
	}
	folder_fix(facts, folder, why, fix);
	findings_add(out, FINDING_WARN, "metrics", fix,
		     "SlurmUser may not create files in %s: %s, so there are "
		     "no metrics while this host's slurmctld is in control",
		     folder, strerror(why));
}

static void log_file(const char *path, const struct file_facts *facts,
		     struct findings *out)
{
	char folder[PATH_MAX], fix[FIX_MAX];
	int why = facts->why_not(facts->arg, path);

	snprintf(fix, sizeof(fix), "chown %s %s && chmod u+w %s", facts->user,
		 path, path);
	if (why == ENOENT) {
		folder_of(path, folder);
		why = facts->why_not(facts->arg, folder);
		if (why == EACCES) /* the folder may be /var/log */
			snprintf(fix, sizeof(fix),
				 "install -o %s -g %s -m 640 /dev/null %s",
				 facts->user, facts->group, path);
		else
			folder_fix(facts, folder, why, fix);
	}
	if (why)
		findings_add(out, FINDING_WARN, "logFile", fix,
			     "SlurmUser may not write %s: %s, so k8s_resume "
			     "and its like have no log on this host",
			     path, strerror(why));
	else
		findings_add(out, FINDING_OK, "logFile", NULL, MAY, path);
}

void file_rules(const struct config *config, const struct file_facts *facts,
		struct findings *out)
{
	const char *listen = config->metrics.listen;
	const char *socket = listen ? listen_path(listen) : NULL;

	if (config->metrics.file)
		metrics(config->metrics.file, facts, out);
	if (socket)
		metrics(socket, facts, out);
	if (config->power.log_file)
		log_file(config->power.log_file, facts, out);
}

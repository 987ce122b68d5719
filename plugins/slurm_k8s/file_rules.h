/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether SlurmUser may write the files that k8s.yaml names. Pure but for what
 * it asks. Any thread.
 */
#ifndef SLURMK8S_TOOL_FILE_RULES_H
#define SLURMK8S_TOOL_FILE_RULES_H

#include "config/config.h"
#include "findings.h"

/* What the rules have to know besides k8s.yaml. Texts are borrowed. */
struct file_facts {
	const char *user, *group; /* SlurmUser, and his own group */
	/*
	 * 0 if SlurmUser may write this file, or create files in this folder;
	 * else the errno that he would get.
	 */
	int (*why_not)(void *arg, const char *path);
	void *arg;
};

/*
 * Add a finding for the file of `metrics`, which is renamed into its folder,
 * and for power.logFile, which is appended to. Without them the engine and the
 * programs work, and say no more than a line of a log.
 */
void file_rules(const struct config *config, const struct file_facts *facts,
		struct findings *out);

#endif

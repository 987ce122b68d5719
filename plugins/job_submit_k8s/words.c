/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "words.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "engine/slurmk8s.h"
#include "library.h"

#define WHO "job_submit/k8s"

static int (*check)(const char *constraint, bool one_only, char *words);
static char *(*slurms_xstrdup)(const char *text);

void words_init(void)
{
	void *symbol = dlsym(RTLD_DEFAULT, "slurm_xstrdup");
	void *so = library_ours(WHO);

	memcpy(&slurms_xstrdup, &symbol, sizeof(symbol));
	if (!symbol || !so ||
	    !library_need(WHO, so, "slurmk8s_request_check", &check))
		slurm_error(WHO ": refusals carry no words");
}

void words_refuse(const char *why, char **words)
{
	char text[SLURMK8S_WORDS_MAX + 8];

	snprintf(text, sizeof(text), "k8s: %s", why);
	slurm_info(WHO ": %s", text);
	if (words && !*words && slurms_xstrdup)
		*words = slurms_xstrdup(text);
}

bool words_valid(const char *constraint, bool one_only, char **words)
{
	char why[SLURMK8S_WORDS_MAX];

	if (!constraint || !check || !check(constraint, one_only, why))
		return true;
	words_refuse(why, words);
	return false;
}

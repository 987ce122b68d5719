/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "control.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/slurmk8s.h"
#include "library.h"
#include "merge.h"
#include "syntax/wellknown.h"

#define WHO "node_features/k8s"

/* Functions of libslurmk8s.so; all NULL: no feature is changeable. */
static struct {
	int (*configure)(char *delegate, char *words);
	void (*reload)(void);
	bool (*known)(const char *name);
	int (*check)(const char *constraint, bool one_only, char *words);
	bool (*choose)(const char *constraint, const char *nodes, char *out);
} ours;

/*
 * Functions of Slurm that no public header declares. They are looked up, not
 * linked: a release without one must still be able to start.
 */
static struct {
	char *(*xstrdup)(const char *text);
	void (*xfree)(void **text);
	void *(*all_nodes)(void);
	int (*count)(void *bitmap);
	char *(*node_names)(void *bitmap); /* NULL in some releases */
} slurms;

static bool find(const char *name, void *into)
{
	void *symbol = dlsym(RTLD_DEFAULT, name);

	memcpy(into, &symbol, sizeof(symbol));
	return symbol != NULL;
}

static bool need(const char *name, void *into)
{
	bool found = find(name, into);

	if (!found)
		slurm_error(WHO ": this Slurm has no %s", name);
	return found;
}

static bool find_slurms(void)
{
	if (!find("bitmap2node_name", &slurms.node_names))
		find("slurm_bitmap2node_name", &slurms.node_names);
	return need("slurm_xstrdup", &slurms.xstrdup) &&
	       need("slurm_xfree", &slurms.xfree) &&
	       need("node_conf_get_active_bitmap", &slurms.all_nodes) &&
	       need("slurm_bit_set_count", &slurms.count);
}

static bool open_ours(void)
{
	void *so = library_ours(WHO);

	return so &&
	       library_need(WHO, so, "slurmk8s_configure", &ours.configure) &&
	       library_need(WHO, so, "slurmk8s_reload", &ours.reload) &&
	       library_need(WHO, so, "slurmk8s_feature_known", &ours.known) &&
	       library_need(WHO, so, "slurmk8s_request_check", &ours.check) &&
	       library_need(WHO, so, "slurmk8s_request_choose", &ours.choose);
}

static bool in_slurmctld(void)
{
	return !strcmp(program_invocation_short_name, "slurmctld");
}

void control_init(void)
{
	char delegate[SLURMK8S_NAME_MAX], words[SLURMK8S_WORDS_MAX];

	if (!in_slurmctld())
		return;
	if (!find_slurms() || !open_ours()) {
		memset(&ours, 0, sizeof(ours));
		slurm_error(WHO ": no feature is changeable");
	} else if (ours.configure(delegate, words)) {
		slurm_error(WHO ": %s", words);
	}
}

void control_reload(void)
{
	if (ours.reload)
		ours.reload();
}

bool control_changeable(const char *feature)
{
	return feature && ours.known && ours.known(feature);
}

bool control_valid(const char *constraint, bool one_only)
{
	char words[SLURMK8S_WORDS_MAX];

	if (!constraint || !ours.check ||
	    !ours.check(constraint, one_only, words))
		return true;
	slurm_info(WHO ": refused: %s", words);
	return false;
}

char *control_choose(const char *constraint, void *nodes)
{
	char list[SLURMK8S_LIST_MAX], *names = NULL, *out = NULL;

	if (!constraint || !ours.choose)
		return NULL;
	if (nodes && slurms.node_names)
		names = slurms.node_names(nodes);
	if (ours.choose(constraint, names, list))
		out = slurms.xstrdup(list);
	if (names)
		slurms.xfree((void **)&names);
	return out;
}

char *control_copy(const char *text)
{
	return text && slurms.xstrdup ? slurms.xstrdup(text) : NULL;
}

char *control_merge(const char *fresh, const char *old)
{
	char *merged = merge_features(old, fresh, control_changeable);
	char *out = merged && *merged ? control_copy(merged) : NULL;

	free(merged);
	return out;
}

void *control_all_nodes(void)
{
	return slurms.all_nodes ? slurms.all_nodes() : NULL;
}

int control_count(void *nodes)
{
	return nodes && slurms.count ? slurms.count(nodes) : 0;
}

void control_report(char **current)
{
	const char *active = getenv(WK_ENV_FEATURES);
	char *merged, *copy;

	if (!active || !*active || !find("slurm_xstrdup", &slurms.xstrdup) ||
	    !find("slurm_xfree", &slurms.xfree))
		return;
	merged = merge_lists(*current, active);
	copy = merged ? slurms.xstrdup(merged) : NULL;
	free(merged);
	if (!copy)
		return;
	if (*current)
		slurms.xfree((void **)current);
	*current = copy;
}

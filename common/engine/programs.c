/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/programs.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/notify.h"
#include "base/str.h"
#include "nodes/reconcile/reconcile.h"
#include "syntax/hostlist.h"

#define HEAR_MAX 256
/* Somebody else has the name of the socket: the log says so after so long. */
#define TAKEN_MS 30000
#define RETRY_MS 1000

void programs_listen(struct programs *p, const char *name)
{
	const int64_t now = clock_ms();
	struct err err = {0};
	bool says;

	if (p->fd >= 0 || now < p->try_at)
		return;
	p->try_at = now + RETRY_MS;
	/* At first the slurmctld before this one may still have the name. */
	says = p->since && !p->told && now >= p->since + TAKEN_MS;
	p->fd = notify_listen(name, says ? &err : NULL);
	if (p->fd >= 0) {
		if (p->told)
			log_info("what k8s_resume says is heard again");
		return;
	}
	if (!p->since)
		p->since = now;
	if (!says)
		return;
	p->told = true;
	log_warn("%s: what k8s_resume says is not heard, so it gives nodes "
		 "back alone, and their jobs may wait longer",
		 err.msg);
}

/* Hear "NODE WORDS". True: a job went back. */
static bool read_refused(struct nodes *nodes, const char *text)
{
	const struct nodeset *set;
	const char *words;
	char node[256];

	if (sscanf(text, "%255s", node) != 1)
		return false;
	words = strchr(text, ' ');
	set = words ? config_nodeset_of(nodes->config, node) : NULL;
	if (!set)
		return false;
	cooldown_refused(nodes, set, node, words + 1);
	nodes_ask_again(nodes);
	nodes_look_now(nodes);
	return true;
}

/* Hear a hostlist. */
static void read_allocated(struct nodes *nodes, const char *text)
{
	_cleanup_hostlist_ struct hostlist h = {0};
	struct err err = {0};

	if (!nodes->site.starts_early || !nodes->slurm.all)
		return;
	if (hostlist_expand(text, &h, &err)) {
		log_debug("k8s_prolog: %s", err.msg);
		return;
	}
	for (size_t i = 0; i < h.n; i++)
		if (config_nodeset_of(nodes->config, h.names[i]))
			node_states_allocated(nodes, h.names[i]);
}

void programs_read(struct programs *p, struct nodes *nodes)
{
	char text[NOTIFY_TEXT_MAX];
	bool sent_back = false;

	for (int i = 0; i < HEAR_MAX && p->fd >= 0 &&
			!atomic_load(&nodes->stop) && notify_read(p->fd, text);
	     i++) {
		if (str_starts(text, WK_SAY_REFUSED))
			sent_back |= read_refused(
				nodes, text + strlen(WK_SAY_REFUSED));
		else if (str_starts(text, WK_SAY_ALLOCATED))
			read_allocated(nodes, text + strlen(WK_SAY_ALLOCATED));
	}
	if (sent_back)
		requeued_sent_back(nodes); /* jobs that k8s_resume sent back */
}

void programs_end(struct programs *p)
{
	if (p->fd >= 0)
		close(p->fd);
	p->fd = -1;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pause.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/log.h"
#include "base/str.h"
#include "paused.h"
#include "site.h"
#include "slurm_user.h"
#include "syntax/hostlist.h"

#define LIST_MAX (1024 * 1024) /* bytes of a hostlist */

struct pause {
	const char *file, *nodeset, *why;
	bool pause; /* false: resume */
	struct site site;
	struct ctl_nodes *now; /* nodes as they are just before the change */
	const char **names;    /* nodes to be changed; borrowed from `now` */
	size_t n, theirs, later;
};

void pause_usage(FILE *f)
{
	fprintf(f, "usage: slurm-k8s pause [--reason TEXT] [--config FILE] "
		   "NODESET\n"
		   "\n"
		   "Drain the nodes of a nodeset: jobs there go on, and no pod "
		   "is made for new ones.\n\n"
		   "  --reason TEXT  for the nodes' Reason\n"
		   "  --config FILE  configuration (default: k8s.yaml beside "
		   "slurm.conf)\n"
		   "  --help         print this\n"
		   "\n"
		   "Exit code: 0; 1: some nodes could not be drained; 2: none "
		   "was.\n");
}

void resume_usage(FILE *f)
{
	fprintf(f, "usage: slurm-k8s resume [--config FILE] NODESET\n"
		   "\n"
		   "Undo slurm-k8s pause; nodes that somebody else has drained "
		   "stay so.\n\n"
		   "  --config FILE  configuration (default: k8s.yaml beside "
		   "slurm.conf)\n"
		   "  --help         print this\n"
		   "\n"
		   "Exit code: 0; 2: nothing was done.\n");
}

/* Choose the nodes to be changed. False: out of memory. */
static bool choose(struct pause *p, const struct nodeset *set)
{
	const size_t n = ctl_nodes_count(p->now);
	struct ctl_node node;

	p->names = calloc(n + 1, sizeof(*p->names));
	for (size_t i = 0; p->names && ctl_nodes_at(p->now, i, &node); i++) {
		enum pause_verdict what =
			paused_judge(p->site.config, set, &node, p->pause);

		p->theirs += what == PAUSE_THEIRS;
		p->later += what == PAUSE_LATER;
		if (what == PAUSE_DRAIN || what == PAUSE_UNDRAIN)
			p->names[p->n++] = node.name;
	}
	return p->names != NULL;
}

static int change(struct pause *p, struct err *err)
{
	_cleanup_buf_ struct buf list = BUF_INIT(LIST_MAX);
	_cleanup_free_ char *reason =
		str_printf("%s%s%s", PAUSED_REASON, p->why ? ": " : "",
			   p->why ? p->why : "");
	int rc;

	if (!p->n)
		return 0;
	if (!reason || hostlist_compress(p->names, p->n, &list))
		return err_oom(err);
	rc = p->pause ? ctl_node_update(buf_str(&list), CTL_DRAIN, reason, err)
		      : ctl_node_update(buf_str(&list), CTL_UNDRAIN, NULL, err);
	if (!rc)
		printf("%s %s\n",
		       p->pause ? "drained:" : "resumed:", buf_str(&list));
	return rc;
}

static int pause_nodes(struct pause *p)
{
	const struct nodeset *set =
		config_nodeset_named(p->site.config, p->nodeset);
	struct err err = {0};

	if (!set)
		return site_refuse("k8s.yaml has no such nodeset");
	if (ctl_nodes_load(&p->now, &err))
		return site_refuse(err.msg);
	if (!choose(p, set))
		return site_refuse("out of memory");
	if (change(p, &err))
		return site_refuse(err.msg);
	if (!p->n && !p->theirs && !p->later)
		printf("nothing to do\n");
	if (p->theirs)
		printf("left alone: %zu nodes that somebody has drained\n",
		       p->theirs);
	if (p->later)
		printf("left alone: %zu nodes that are not up yet for their "
		       "job, which would end: give the command again\n",
		       p->later);
	return p->later ? 1 : 0;
}

static int pause_run(void *arg)
{
	struct pause *p = arg;
	int rc;

	log_set_level(LOG_LEVEL_ERROR); /* errors go to standard error */
	ctl_init();
	site_load(&p->site, p->file);
	rc = p->site.slurm_err.code    ? site_refuse(p->site.slurm_err.msg)
	     : p->site.config_err.code ? site_refuse(p->site.config_err.msg)
				       : pause_nodes(p);
	free(p->names);
	ctl_nodes_free(p->now);
	site_clear(&p->site);
	return rc;
}

static int command(struct pause *p, int argc, char **argv,
		   void (*usage)(FILE *f))
{
	static const struct option options[] = {
		{"config", required_argument, NULL, 'c'},
		{"reason", required_argument, NULL, 'r'},
		{"help", no_argument, NULL, 'h'},
		{0}};
	int o;

	while ((o = getopt_long(argc, argv, "c:r:h", options, NULL)) != -1) {
		if (o == 'c')
			p->file = optarg;
		else if (o == 'r' && p->pause)
			p->why = optarg;
		else
			return usage(o == 'h' ? stdout : stderr),
			       o == 'h' ? 0 : 2;
	}
	if (optind + 1 != argc)
		return usage(stderr), 2;
	p->nodeset = argv[optind];
	return slurm_user_run(pause_run, p);
}

int pause_command(int argc, char **argv)
{
	struct pause p = {.pause = true};

	return command(&p, argc, argv, pause_usage);
}

int resume_command(int argc, char **argv)
{
	struct pause p = {0};

	return command(&p, argc, argv, resume_usage);
}

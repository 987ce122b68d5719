/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render.h"

#include <errno.h>
#include <getopt.h>

#include "base/log.h"
#include "clean.h"
#include "job_id.h"
#include "render_node.h"
#include "site.h"
#include "slurm/ctl_config.h"
#include "slurm_user.h"
#include "syntax/wellknown.h"

struct options {
	const char *node, *features, *file;
	const char *job; /* as somebody has written it; NULL: none */
};

void render_usage(FILE *f)
{
	fprintf(f,
		"usage: slurm-k8s render [--config FILE] [--features LIST] "
		"[--job JOBID] NODE\n"
		"\n"
		"Print the pod that a node would get now, as JSON.\n\n"
		"  --config FILE    configuration (default: " WK_CONFIG_FILE
		" beside slurm.conf)\n"
		"  --features LIST  with these changeable features, not with "
		"those of the node\n"
		"  --job JOBID      as it is while this job runs there, with "
		"the features that the\n"
		"                   job asks for\n"
		"  --help           print this\n"
		"\n"
		"Exit code: 0: printed; 1: there can be no such pod; 2: not "
		"all could be read.\n");
}

/* Results as of render_node(). What is printed is SlurmUser's own, as JSON. */
static int print_pod(const struct options *opt, const struct site *site,
		     const struct ctl_job *job, struct err *err)
{
	_cleanup_free_ char *unasked =
		site->slurm.cluster ? NULL : ctl_config_cluster();
	const struct render r = {.config = site->config,
				 .cluster = unasked ? unasked
						    : site->slurm.cluster,
				 .nodes = site->nodes,
				 .silent = site->slurm_err.msg,
				 .node = opt->node,
				 .features = opt->features,
				 .job = job};
	_cleanup_manifest_ struct manifest m = {0};
	int rc = render_node(&r, &m, err);
	const char *text = rc ? NULL : manifest_text(&m);

	if (!rc && !text)
		return err_oom(err);
	if (text) {
		clean_print_json_text(text, stdout);
		putchar('\n');
	}
	return rc;
}

struct search {
	const struct options *opt;
	const struct site *site;
	struct job_ref ref;
	size_t n;
	bool print; /* false: only count the jobs */
	struct err *err;
};

static int on_job(void *arg, const struct ctl_job *job)
{
	struct search *s = arg;

	if (!job_ref_is(&s->ref, job))
		return 0;
	s->n++;
	return s->print ? print_pod(s->opt, s->site, job, s->err) : 0;
}

/*
 * Print the pod for the job of --job, whose record lives during a callback
 * only. Results as of render_node().
 */
static int print_for_job(const struct options *opt, const struct site *site,
			 struct err *err)
{
	struct search s = {.opt = opt, .site = site, .err = err};
	int rc = job_ref_of(opt->job, &s.ref, err);

	if (rc < 0)
		return rc;
	if (!rc)
		return err_set(err, -EINVAL, "%s is no job id", opt->job);
	if (!site->jobs)
		return err_set(err, -EIO,
			       "what job %s asks for is not known, for "
			       "slurmctld does not answer: %s",
			       opt->job, site->slurm_err.msg);
	ctl_jobs_each(site->jobs, on_job, &s);
	if (!s.n)
		return err_set(err, -EINVAL, "Slurm has no job %s", opt->job);
	if (s.n > 1)
		return err_set(err, -EINVAL,
			       "%s means %zu jobs: give one of them", opt->job,
			       s.n);
	s.print = true;
	return ctl_jobs_each(site->jobs, on_job, &s);
}

static int render(void *arg)
{
	const struct options *opt = arg;
	struct site site;
	struct err err;
	int rc, code = 2;

	log_set_level(LOG_LEVEL_WARN); /* warnings go to standard error */
	ctl_init();
	site_load(&site, opt->file);
	err = site.config_err;
	rc = err.code;
	if (!rc) {
		rc = opt->job ? print_for_job(opt, &site, &err)
			      : print_pod(opt, &site, NULL, &err);
		code = rc == -EINVAL ? 1 : rc ? 2 : 0;
	}
	if (rc)
		fprintf(stderr, "slurm-k8s: %s\n", err.msg);
	site_clear(&site);
	return code;
}

int render_command(int argc, char **argv)
{
	static const struct option options[] = {
		{"config", required_argument, NULL, 'c'},
		{"features", required_argument, NULL, 'f'},
		{"job", required_argument, NULL, 'j'},
		{"help", no_argument, NULL, 'h'},
		{0}};
	struct options opt = {0};
	int o;

	while ((o = getopt_long(argc, argv, "c:f:j:h", options, NULL)) != -1) {
		if (o == 'c')
			opt.file = optarg;
		else if (o == 'f')
			opt.features = optarg;
		else if (o == 'j')
			opt.job = optarg;
		else
			return render_usage(o == 'h' ? stdout : stderr),
			       o == 'h' ? 0 : 2;
	}
	if (optind + 1 != argc)
		return render_usage(stderr), 2;
	opt.node = argv[optind];
	return slurm_user_run(render, &opt);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "power.h"

#include <getopt.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/log.h"
#include "base/notify.h"
#include "base/str.h"
#include "logfile.h"
#include "process.h"
#include "slurm/ctl_abilities.h"
#include "slurm/ctl_plugin.h"
#include "syntax/wellknown.h"

static void usage(const struct program *p, FILE *f)
{
	fprintf(f,
		"usage: %s [--config FILE] [--dry-run] [--verbose] %s\n\n%s\n\n"
		"  --config FILE  configuration (default: " WK_CONFIG_FILE
		" beside slurm.conf)\n"
		"  --dry-run      print what would be done, change nothing\n"
		"  --verbose      log more\n"
		"  --version      print the version\n"
		"  --help         print this\n",
		p->name, p->usage, p->about);
}

struct arguments {
	const char *config;
	const char *nodes;
	const char *features;
	bool dry_run;
	bool verbose;
};

/* 1: go on; 0: done well; -1: wrong use */
static int read_arguments(const struct program *p, int argc, char **argv,
			  struct arguments *a)
{
	static const struct option options[] = {
		{"config", required_argument, NULL, 'c'},
		{"dry-run", no_argument, NULL, 'n'},
		{"verbose", no_argument, NULL, 'v'},
		{"version", no_argument, NULL, 'V'},
		{"help", no_argument, NULL, 'h'},
		{0}};
	int o;

	while ((o = getopt_long(argc, argv, "c:nvVh", options, NULL)) != -1) {
		switch (o) {
		case 'c':
			a->config = optarg;
			break;
		case 'n':
			a->dry_run = true;
			break;
		case 'v':
			a->verbose = true;
			break;
		case 'V':
			printf("%s %s (Slurm %s)\n", p->name, SLURMK8S_VERSION,
			       ctl_version());
			return 0;
		case 'h':
			usage(p, stdout);
			return 0;
		default:
			usage(p, stderr);
			return -1;
		}
	}
	if (optind + 1 != argc && !(p->takes_features && optind + 2 == argc)) {
		usage(p, stderr);
		return -1;
	}
	a->nodes = argv[optind];
	if (optind + 2 == argc && *argv[optind + 1])
		a->features = argv[optind + 1];
	return 1;
}

/*
 * The file lives only as long as slurmctld does: read it before all else. One
 * that is of no use costs gangs their being all or none, not all jobs their
 * nodes, which are in the arguments.
 */
static int read_resume_file(struct power_run *run, struct err *err)
{
	const char *path = getenv("SLURM_RESUME_FILE");
	_cleanup_free_ char *text = NULL;
	size_t len;
	int rc;

	if (!path || !*path)
		return 0;
	rc = fs_read_file(path, RESUMEFILE_MAX, &text, &len, err);
	if (!rc)
		rc = resumefile_parse(text, len, &run->file, err);
	return rc ? err_wrap(err, rc, "SLURM_RESUME_FILE %s", path) : 0;
}

/*
 * Slurm runs ResumeProgram with features, and no file, when a job wants nodes
 * with other features (22.05): they are this job's.
 */
static int note_job(struct power_run *run, const struct arguments *a,
		    struct err *err)
{
	const char *text = getenv("SLURM_JOB_ID");
	struct resume_job *job;
	unsigned long id;

	if (!a->features || run->file.jobs || !text ||
	    !run->program->reads_resume_file)
		return 0;
	id = strtoul(text, NULL, 10);
	if (!id || id > UINT32_MAX)
		return 0;
	job = calloc(1, sizeof(*job));
	if (!job || !(job->nodes = strdup(a->nodes))) {
		free(job);
		return err_oom(err);
	}
	job->job_id = (uint32_t)id;
	run->file.jobs = job;
	run->file.n_jobs = 1;
	return 0;
}

static int read_nodes(struct power_run *run, const char *text, struct err *err)
{
	struct hostlist *h = &run->nodes;
	size_t n = 0;
	int rc = hostlist_expand(text, h, err);

	if (rc)
		return rc;
	hostlist_sort(h);
	for (size_t i = 0; i < h->n; i++) {
		if (n && !strcmp(h->names[i], h->names[n - 1]))
			free(h->names[i]);
		else
			h->names[n++] = h->names[i];
	}
	h->n = n;
	return 0;
}

static int read_config(struct power_run *run, const char *file, struct err *err)
{
	const struct slurm_abilities slurm = ctl_abilities();
	_cleanup_free_ char *dir = ctl_conf_dir();
	_cleanup_free_ char *path = NULL;
	int rc;

	if (file)
		path = strdup(file);
	else if (dir)
		path = str_printf("%s/%s", dir, WK_CONFIG_FILE);
	if (!path)
		return err_oom(err);
	rc = config_load(path, &run->config, err);
	if (!rc)
		rc = config_check_release(run->config, &slurm, err);
	if (rc)
		return rc;
	run->kube = calloc(run->config->n_clusters, sizeof(*run->kube));
	run->clients = calloc(run->config->n_clusters, sizeof(*run->clients));
	return run->kube && run->clients ? 0 : err_oom(err);
}

static int read_slurm(struct power_run *run, struct err *err)
{
	int rc;

	ctl_init();
	rc = ctl_site_load(&run->site, err);
	if (!rc)
		rc = ctl_nodes_load(&run->slurm_nodes, err);
	return rc;
}

/*
 * Note, and log, that slurmctld does not load the engine: it does not open a
 * plugin of another version, and looks healthy without. (A slurmctld with an
 * engine loads the engine's file anew at its next start only: there is no word
 * of a newer file until then.)
 */
static void note_refused(struct power_run *run)
{
	if (notify_is_heard(run->site.notify_name) ||
	    !ctl_plugin_refused(&run->refused))
		return;
	log_error("%s", run->refused.msg);
	logfile_syslog(run->program->name, run->refused.msg);
}

int power_start(const struct program *p, int argc, char **argv,
		struct power_run *run, int *exit_code)
{
	struct arguments a = {0};
	struct err err = {0}, unread = {0};
	int rc;

	process_setup();
	/*
	 * Answers come and go: memory is not given back to the kernel for each.
	 */
	mallopt(M_TRIM_THRESHOLD, 64 << 20);
	*run = (struct power_run){.program = p,
				  .start_ms = clock_ms(),
				  .since_ms = clock_real_ms()};
	*exit_code = 1;
	if (p->reads_resume_file)
		read_resume_file(run, &unread);
	rc = read_arguments(p, argc, argv, &a);
	if (rc <= 0) {
		*exit_code = rc ? 2 : 0;
		return -1;
	}
	rc = note_job(run, &a, &err);
	if (!rc)
		rc = read_config(run, a.config, &err);
	if (run->config) {
		logfile_open(p->name, run->config->power.log_file);
		log_set_level(
			a.verbose
				? LOG_LEVEL_DEBUG
				: (enum log_level)run->config->power.log_level);
	}
	if (unread.code)
		log_error("%s: each node stands alone", unread.msg);
	if (!rc)
		rc = read_nodes(run, a.nodes, &err);
	if (!rc)
		rc = read_slurm(run, &err);
	if (rc) {
		log_error("%s", err.msg);
		if (!run->config) /* slurmctld throws standard error away */
			logfile_syslog(p->name, err.msg);
		return -1;
	}
	note_refused(run);
	run->dry_run = a.dry_run;
	run->features = a.features;
	run->deadline_ms = run->start_ms + run->config->power.deadline_ms;
	return 0;
}

void power_end(struct power_run *run)
{
	for (size_t i = 0; run->config && i < run->config->n_clusters; i++) {
		if (run->clients)
			kube_client_free(run->clients[i]);
		if (run->kube)
			kube_config_free(run->kube[i]);
	}
	free(run->clients);
	free(run->kube);
	ctl_nodes_free(run->slurm_nodes);
	hostlist_clear(&run->nodes);
	resumefile_clear(&run->file);
	config_free(run->config);
	free(run->site.cluster);
	logfile_close();
}

struct kube_client *power_client(struct power_run *run,
				 const struct nodeset *set, struct err *err)
{
	const struct cluster_config *k = set->cluster;
	size_t i = (size_t)(k - run->config->clusters);
	struct kube_client_options opt = {
		.user_agent = WK_USER_AGENT,
		.max_calls = k->max_requests,
	};
	int rc = 0;

	if (run->clients[i])
		return run->clients[i];
	if (!run->kube[i])
		rc = k->in_cluster
			     ? kube_config_in_cluster(NULL, &run->kube[i], err)
			     : kube_config_load(k->kubeconfig, k->context,
						&run->kube[i], err);
	if (!rc)
		rc = kube_client_new(run->kube[i], &opt, &run->clients[i], err);
	if (rc) {
		err_wrap(err, rc, "cluster %s", k->name);
		return NULL;
	}
	return run->clients[i];
}

void power_step(struct power_run *run)
{
	size_t n = 0;
	int nap;

	for (size_t i = 0; i < run->config->n_clusters; i++)
		n += run->clients[i] != NULL;
	nap = n > 1 ? 5 : 1000; /* no client holds up another */
	for (size_t i = 0; i < run->config->n_clusters; i++)
		if (run->clients[i])
			kube_client_step(run->clients[i], nap);
}

void power_loop(struct power_run *run, const size_t *open)
{
	while (*open)
		power_step(run);
}

bool power_wants_pod(const struct ctl_nodes *now, const char *node)
{
	struct ctl_node facts;

	if (!ctl_nodes_find(now, node, &facts) || facts.down)
		return false;
	/* The node has been given to a job, and the engine has made its pod. */
	if (facts.power == CTL_POWERED_DOWN)
		return facts.busy && !facts.ending;
	return facts.power == CTL_UP || facts.power == CTL_POWERING_UP;
}

void power_report(const struct pod_op *op)
{
	double s = (double)op->took_ms / 1000;

	if (op->outcome == POD_OP_FAILED)
		log_error("%s: %s after %.2f s: %s", op->opt.node,
			  op->refused ? "refused" : "failed", s, op->err.msg);
	else if (op->outcome != POD_OP_NEW)
		log_info("%s: pod %s/%s %s in %.2f s%s%s", op->opt.node,
			 op->opt.set->cluster->ns, op->pod,
			 pod_outcome_word(op->outcome), s,
			 *op->uid ? ", uid " : "", op->uid);
}

int power_summary(const struct power_run *run, const struct pod_op *ops,
		  size_t n)
{
	size_t count[POD_OP_FAILED + 1] = {0}, good = 0;
	char text[256] = "";

	for (size_t i = 0; i < n; i++)
		count[ops[i].outcome]++;
	for (int o = POD_OP_NEW; o <= POD_OP_FAILED; o++) {
		size_t len = strlen(text);

		if (count[o])
			snprintf(text + len, sizeof(text) - len, "%s%zu %s",
				 len ? ", " : "", count[o],
				 pod_outcome_word((enum pod_outcome)o));
		if (o > POD_OP_RUNNING && o < POD_OP_FAILED)
			good += count[o];
	}
	log_info("%zu nodes in %.2f s: %s", n,
		 (double)(clock_ms() - run->start_ms) / 1000, text);
	return good == n ? 0 : 1;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "events.h"

#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/str.h"
#include "event_line.h"
#include "job_numbers.h"
#include "site.h"
#include "slurm/ctl_config.h"
#include "slurm_user.h"

#define TAIL_MAX (256L * 1024 * 1024) /* bytes of a log that are read */
#define LINE_BYTES 65536	      /* bytes of a line that are read */

struct events {
	const char *file, *what;
	struct event_topic topic;
	struct job_numbers jobs;
	size_t n;
	bool incomplete;
};

void events_usage(FILE *f)
{
	fprintf(f, "usage: slurm-k8s events [--config FILE] "
		   "[NODE|JOBID|NAMESPACE/POD]\n"
		   "\n"
		   "Print what slurm-k8s did, as the logs of slurmctld and of "
		   "k8s_resume and the\nother programs have it; of one node, "
		   "job or pod.\n\n"
		   "  --config FILE  configuration (default: k8s.yaml beside "
		   "slurm.conf)\n"
		   "  --help         print this\n"
		   "\n"
		   "Exit code: 0; 1: there is no such line; 2: a log could not "
		   "be read.\n");
}

/*
 * The next line, without its end; the first LINE_BYTES of a longer one, whose
 * rest is skipped. A NUL, as of a log that was cut, is a space. False: there is
 * none.
 */
static bool read_line(FILE *log, char line[LINE_BYTES + 1])
{
	size_t n = 0;
	int c;

	while ((c = getc_unlocked(log)) != EOF && c != '\n')
		if (n < LINE_BYTES)
			line[n++] = c ? (char)c : ' ';
	line[n] = '\0';
	return n || c != EOF;
}

static void read_lines(struct events *e, FILE *log, bool whole)
{
	_cleanup_free_ char *line = malloc(LINE_BYTES + 1);

	if (!line) {
		fprintf(stderr, "slurm-k8s: out of memory\n");
		e->incomplete = true;
		return;
	}
	/*
	 * Skip the rest of a line that begins before the log's last TAIL_MAX.
	 */
	if (!whole && !read_line(log, line))
		return;
	while (read_line(log, line)) {
		if (!event_line_is_about(line, &e->topic))
			continue;
		str_sanitize(line);
		printf("%s\n", line);
		e->n++;
	}
}

static void read_log(struct events *e, const char *path)
{
	FILE *log = fopen(path, "re");
	struct stat st;
	bool whole;

	if (!log || fstat(fileno(log), &st)) {
		fprintf(stderr, "slurm-k8s: %s: %s\n", path, strerror(errno));
		e->incomplete = true;
	} else {
		whole = st.st_size <= TAIL_MAX ||
			fseek(log, -TAIL_MAX, SEEK_END);
		read_lines(e, log, whole);
	}
	if (log)
		fclose(log);
}

/*
 * Logs have slurmctld's own numbers of jobs. Without slurmctld that number
 * alone is looked for, and nothing can be said of tasks and components.
 */
static int find_jobs(struct events *e, struct err *err)
{
	_cleanup_(ctl_jobs_freep) struct ctl_jobs *all = NULL;
	struct job_ref ref;
	struct err silent = {0};
	int rc = e->what ? job_ref_of(e->what, &ref, err) : 0;

	if (rc <= 0) {
		e->topic.name = e->what;
		return rc;
	}
	ctl_jobs_load(&all, &silent);
	if (!all && ref.part != JOB_ANY)
		return err_set(err, -EIO,
			       "which jobs %s are is not known, for slurmctld "
			       "does not answer: %s",
			       e->what, silent.msg);
	if (!all)
		fprintf(stderr,
			"slurm-k8s: only job %s itself is looked for: %s\n",
			e->what, silent.msg);
	if (job_numbers_of(all, &ref, &e->jobs))
		return err_oom(err);
	if (!e->jobs.n)
		return err_set(err, -ENOENT,
			       "slurmctld has no job %s, or none any more: "
			       "give its own number, as logs have it",
			       e->what);
	e->topic.jobs = e->jobs.v;
	e->topic.n_jobs = e->jobs.n;
	return 0;
}

static int events(void *arg)
{
	struct events *e = arg;
	_cleanup_(config_freep) struct config *config = NULL;
	_cleanup_free_ char *log = NULL;
	struct err err = {0};
	int rc;

	log_set_level(LOG_LEVEL_ERROR); /* errors go to standard error */
	ctl_init();
	log = ctl_config_log_file();
	rc = find_jobs(e, &err);
	if (rc) {
		fprintf(stderr, "slurm-k8s: %s\n", err.msg);
		return rc == -ENOENT ? 1 : 2;
	}
	if (slurm_user_become(&err) ||
	    site_config_load(e->file, &config, &err)) {
		fprintf(stderr, "slurm-k8s: %s\n", err.msg);
		return 2;
	}
	if (log) {
		read_log(e, log);
	} else {
		fprintf(stderr,
			"slurm-k8s: slurm.conf has no SlurmctldLogFile: "
			"see syslog\n");
		e->incomplete = true;
	}
	if (config->power.log_file && !str_eq(config->power.log_file, log) &&
	    !access(config->power.log_file, F_OK))
		read_log(e, config->power.log_file);
	return e->incomplete ? 2 : e->n ? 0 : 1;
}

int events_command(int argc, char **argv)
{
	static const struct option options[] = {
		{"config", required_argument, NULL, 'c'},
		{"help", no_argument, NULL, 'h'},
		{0}};
	struct events e = {0};
	int o, rc;

	while ((o = getopt_long(argc, argv, "c:h", options, NULL)) != -1) {
		if (o == 'c')
			e.file = optarg;
		else
			return events_usage(o == 'h' ? stdout : stderr),
			       o == 'h' ? 0 : 2;
	}
	if (optind + 1 < argc)
		return events_usage(stderr), 2;
	e.what = optind < argc ? argv[optind] : NULL;
	rc = slurm_user_run(events, &e);
	job_numbers_clear(&e.jobs);
	return rc;
}

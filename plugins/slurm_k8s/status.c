/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "status.h"

#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/str.h"
#include "progress.h"
#include "screen.h"
#include "slurm_user.h"
#include "status_print.h"

#define WATCH_S 5
#define WATCH_MAX_S 3600
#define WORDS_MAX 1024 /* bytes of last_words */

struct options {
	const char *file;
	char *const *names; /* ends with NULL */
	bool json, all;
	bool screen; /* the tables replace each other on a terminal */
	/*
	 * With `screen`: why the command ends, to be printed when the terminal
	 * has been given back; shared with slurm_user_run()'s child. NULL:
	 * without `screen`, or out of memory.
	 */
	char *last_words;
	unsigned int watch_s; /* pause between two looks; 0: look once */
};

void status_usage(FILE *f)
{
	fprintf(f,
		"usage: slurm-k8s status [--all] [--json] [--watch[=SECONDS]] "
		"[--config FILE] [NODE|JOBID...]\n"
		"\n"
		"Print Slurm's nodes and jobs beside their pods; of these "
		"nodes, "
		"or jobs' nodes.\n\n"
		"  --all          print powered down nodes without a pod, too\n"
		"  --json         print JSON\n"
		"  --watch        print it again every 5 s, or so many\n"
		"  --config FILE  configuration (default: k8s.yaml beside "
		"slurm.conf)\n"
		"  --help         print this\n"
		"\n"
		"Exit code: 0; 2: not all could be looked at.\n");
}

/* Look once, and print. False, with words: the names are wrong. */
static bool look(const struct options *opt, FILE *out, int *code)
{
	struct status s;
	struct err err = {0};
	int rc;

	if (!opt->screen)
		progress_begin(opt->json);
	rc = status_read(&s, opt->file, opt->names, opt->all, &err);
	progress_end();
	*code = 2;
	if (rc && opt->last_words) {
		str_copy(opt->last_words, err.msg, WORDS_MAX);
	} else if (rc) {
		fprintf(stderr, "slurm-k8s: %s\n", err.msg);
	} else {
		fputs(buf_str(&s.notes), opt->screen ? out : stderr);
		status_print(&s, opt->json, out);
		*code = s.incomplete ? 2 : 0;
	}
	status_clear(&s);
	return !rc;
}

/* Look, and show the whole text at once. False: it is of no use to go on. */
static bool print_screen(const struct options *opt, int *code)
{
	_cleanup_free_ char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	bool good = out && look(opt, out, code);

	if (out && fclose(out))
		good = false;
	return good && !screen_show(text);
}

static bool print_lines(const struct options *opt, int *code)
{
	const bool good = look(opt, stdout, code);

	if (!fflush(stdout))
		return good;
	fprintf(stderr, "slurm-k8s: standard output: %s\n", strerror(errno));
	*code = 2;
	return false;
}

static int status(void *arg)
{
	const struct options *opt = arg;
	int code = 2;

	log_set_level(LOG_LEVEL_ERROR); /* errors go to standard error */
	ctl_init();
	while ((opt->screen ? print_screen(opt, &code)
			    : print_lines(opt, &code)) &&
	       opt->watch_s)
		sleep(opt->watch_s);
	return code;
}

static bool read_watch(const char *text, unsigned int *out)
{
	char *end = NULL;
	unsigned long n = text ? strtoul(text, &end, 10) : WATCH_S;

	*out = (unsigned int)n;
	return n && n <= WATCH_MAX_S && (!end || !*end);
}

/* Run status() on a terminal, which is given back at the end. */
static int on_screen(struct options *opt)
{
	char *shared = mmap(NULL, WORDS_MAX, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	char words[WORDS_MAX] = "";
	int rc;

	opt->last_words = shared == MAP_FAILED ? NULL : shared;
	rc = slurm_user_run(status, opt);
	screen_end();
	/* SlurmUser's child has written the words, for root's terminal. */
	if (opt->last_words)
		memcpy(words, shared, sizeof(words) - 1);
	str_sanitize(words);
	if (*words)
		fprintf(stderr, "slurm-k8s: %s\n", words);
	return rc;
}

int status_command(int argc, char **argv)
{
	static const struct option options[] = {
		{"all", no_argument, NULL, 'a'},
		{"config", required_argument, NULL, 'c'},
		{"json", no_argument, NULL, 'j'},
		{"watch", optional_argument, NULL, 'w'},
		{"help", no_argument, NULL, 'h'},
		{0}};
	struct options opt = {0};
	int o;

	while ((o = getopt_long(argc, argv, "ac:jw::h", options, NULL)) != -1) {
		if (o == 'a')
			opt.all = true;
		else if (o == 'c')
			opt.file = optarg;
		else if (o == 'j')
			opt.json = true;
		else if (o != 'w' || !read_watch(optarg, &opt.watch_s))
			return status_usage(o == 'h' ? stdout : stderr),
			       o == 'h' ? 0 : 2;
	}
	opt.names = argv + optind;
	opt.screen = opt.watch_s && !opt.json && screen_begin();
	return opt.screen ? on_screen(&opt) : slurm_user_run(status, &opt);
}

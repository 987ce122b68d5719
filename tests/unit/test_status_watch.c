/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What status says of wrong names, and where: slurmctld is the test's. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "base/str.h"
#include "screen.h"
#include "site.h"
#include "slurm_user.h"
#include "status.h"
#include "status_print.h"
#include "t.h"

/* --- slurmctld: it has one node */

static const char nodes; /* is not looked into */

void __wrap_site_load(struct site *s, const char *file);
void __wrap_site_load(struct site *s, const char *file)
{
	(void)file;
	*s = (struct site){.nodes = (struct ctl_nodes *)(void *)&nodes};
}

void __wrap_site_clear(struct site *s);
void __wrap_site_clear(struct site *s)
{
	(void)s;
}

bool __wrap_ctl_nodes_find(const struct ctl_nodes *n, const char *name,
			   struct ctl_node *out);
bool __wrap_ctl_nodes_find(const struct ctl_nodes *n, const char *name,
			   struct ctl_node *out)
{
	(void)n;
	*out = (struct ctl_node){.name = name};
	return str_eq(name, "cpu-0");
}

char *__wrap_ctl_config_cluster(void);
char *__wrap_ctl_config_cluster(void)
{
	return NULL;
}

void __wrap_ctl_init(void);
void __wrap_ctl_init(void)
{
}

void __wrap_status_print(const struct status *s, bool json, FILE *out);
void __wrap_status_print(const struct status *s, bool json, FILE *out)
{
	(void)s;
	(void)json;
	fputs("the rows\n", out);
}

/* --- the terminal */

#define SHOWN_MAX 4096

static bool is_terminal;
static char *shown; /* shared with the child */
static char *err_file;
static bool was_silent; /* until the terminal was given back */

static char *said(void)
{
	char *text = NULL;
	struct err err;
	size_t len;

	(void)fflush(stderr);
	T_INT(fs_read_file(err_file, 65536, &text, &len, &err), 0);
	return text;
}

bool __wrap_screen_begin(void);
bool __wrap_screen_begin(void)
{
	return is_terminal;
}

void __wrap_screen_end(void);
void __wrap_screen_end(void)
{
	_cleanup_free_ char *text = said();

	was_silent = text && !*text;
}

/* It ends then: nobody would end the watching here. */
int __wrap_screen_show(const char *text);
int __wrap_screen_show(const char *text)
{
	str_copy(shown, text, SHOWN_MAX);
	return -EIO;
}

/* In a child, as for root: what it writes into its memory is lost. */
int __wrap_slurm_user_run(int (*command)(void *arg), void *arg);
int __wrap_slurm_user_run(int (*command)(void *arg), void *arg)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		int code = command(arg);

		(void)fflush(stderr);
		_exit(code);
	}
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status)
		       ? WEXITSTATUS(status)
		       : -1;
}

/* status --watch NAME; the caller frees what stands on standard error then. */
static char *watched(const char *name, int *code)
{
	char *argv[] = {(char *)"status", (char *)"--watch", (char *)name,
			NULL};
	int saved = dup(STDERR_FILENO), fd;
	char *text;

	free(err_file);
	err_file = strdup(t_path("stderr"));
	fd = open(err_file, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
	if (fd < 0 || saved < 0 || dup2(fd, STDERR_FILENO) < 0)
		abort();
	close(fd);
	shown = mmap(NULL, SHOWN_MAX, PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shown == MAP_FAILED)
		abort();
	was_silent = false;
	optind = 0; /* getopt_long() begins anew */
	*code = status_command(3, argv);
	text = said();
	dup2(saved, STDERR_FILENO);
	close(saved);
	return text;
}

static void why_it_ends_is_said_when_the_terminal_is_back(void)
{
	_cleanup_free_ char *text = NULL;
	int code;

	is_terminal = true;
	text = watched("2+y", &code);
	T_INT(code, 2);
	T_OK(was_silent);
	T_STR(shown, "");
	T_HAS(text, "slurm-k8s: 2+y is no job id");
}

static void what_slurm_does_not_have_is_on_the_screen(void)
{
	_cleanup_free_ char *text = NULL;
	int code;

	is_terminal = true;
	text = watched("cpu-9", &code);
	T_STR(text, "");
	T_STR(shown, "slurm-k8s: Slurm has no node cpu-9\nthe rows\n");
}

T_MAIN("status_watch", T(why_it_ends_is_said_when_the_terminal_is_back),
       T(what_slurm_does_not_have_is_on_the_screen))

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What runs in a probe's pod, run here, and tcp_reach() from outside. */
#include <arpa/inet.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/fs.h"
#include "base/str.h"
#include "probe_report.h"
#include "probe_script.h"
#include "t.h"
#include "tcp_reach.h"

#define HELLO "slurm-k8s-probe-0123456789abcdef"
#define WAIT_MS 20000

/* A port of the loopback where this process listens; *fd is the caller's. */
static uint16_t listening(int *fd)
{
	struct sockaddr_in a = {.sin_family = AF_INET,
				.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(a);

	*fd = socket(AF_INET, SOCK_STREAM, 0);
	if (*fd < 0 || bind(*fd, (struct sockaddr *)&a, len) ||
	    listen(*fd, 5) || getsockname(*fd, (struct sockaddr *)&a, &len))
		abort();
	return ntohs(a.sin_port);
}

static uint16_t free_port(void)
{
	uint16_t port;
	int fd;

	port = listening(&fd);
	close(fd);
	return port;
}

/* A program that is this shell script, in that folder. */
static void add_script(const char *dir, const char *name, const char *text)
{
	_cleanup_free_ char *path = str_printf("%s/%s", dir, name);
	FILE *f = fopen(path, "we");

	if (!f || fprintf(f, "#!/bin/sh\n%s\n", text) < 0 || fclose(f) ||
	    chmod(path, 0700))
		abort();
}

/*
 * A folder in which there are these programs, by links, and what every image
 * has. PATH is that folder then.
 */
static const char *path_with(const char *name, const char *const programs[])
{
	static const char *const all[] = {"cut", "tr",	  "timeout", "getent",
					  "cat", "sleep", NULL};
	static const char *const where[] = {"/usr/bin", "/bin"};
	static char dir[4096];
	const char *const *lists[] = {all, programs};

	str_copy(dir, t_path(name), sizeof(dir));
	if (mkdir(dir, 0700))
		abort();
	for (size_t l = 0; l < T_COUNT(lists); l++)
		for (size_t i = 0; lists[l][i]; i++)
			for (size_t w = 0; w < T_COUNT(where); w++) {
				_cleanup_free_ char *from = str_printf(
					"%s/%s", where[w], lists[l][i]);
				_cleanup_free_ char *to =
					str_printf("%s/%s", dir, lists[l][i]);

				if (!access(from, X_OK) && symlink(from, to) &&
				    errno != EEXIST)
					abort();
			}
	return dir;
}

struct run {
	const char *path; /* NULL: as here */
	uint16_t own_port;
	const char *seconds, *auth, *socket;
	const char *host;
	uint16_t port;
	const char *slurmd; /* NULL: the template does not say where it is */
	/* where the container's environment says that keys are; NULL: not set
	 */
	const char *munge_key, *slurm_key, *sack_key, *sack_jwks;
	const char *plugin_dir; /* alike: what the entrypoint makes */
	const char *needs[12];	/* kinds and paths; ends with NULL */
};

/* Nobody comes, and there is no slurmctld. */
#define ALONE                                                                  \
	.own_port = free_port(), .seconds = "1", .socket = "",                 \
	.host = "127.0.0.1", .port = 1

static void set(const char *name, const char *value)
{
	if (value)
		setenv(name, value, 1);
	else
		unsetenv(name);
}

static pid_t begin(const struct run *r, const char *file)
{
	char own[8], port[8];
	const char *args[40] = {"/bin/sh",
				"-c",
				probe_script,
				"probe.sh",
				file,
				HELLO,
				own,
				r->seconds,
				r->auth,
				r->socket,
				r->slurmd ? r->slurmd : "",
				r->host,
				port,
				r->needs[0] ? "--" : NULL};
	pid_t pid = fork();

	if (pid)
		return pid;
	for (size_t i = 0; r->needs[i]; i++)
		args[14 + i] = r->needs[i];
	snprintf(own, sizeof(own), "%u", (unsigned int)r->own_port);
	snprintf(port, sizeof(port), "%u", (unsigned int)r->port);
	if (r->path)
		setenv("PATH", r->path, 1);
	set("MUNGE_KEY_FILE", r->munge_key);
	set("SLURM_KEY_FILE", r->slurm_key);
	set("SLURM_SACK_KEY", r->sack_key);
	set("SLURM_SACK_JWKS", r->sack_jwks);
	set("SLURM_K8S_PLUGIN_DIR", r->plugin_dir);
	execv("/bin/sh", (char **)args);
	_exit(127);
}

/* The script listens a moment after it has begun. */
static int reach_soon(const char *address, uint16_t port)
{
	const int64_t end = clock_ms() + WAIT_MS;
	struct err err = {0};
	int rc;

	while ((rc = tcp_reach(address, port, HELLO, 1000, &err)) &&
	       clock_ms() < end)
		clock_nap(20);
	return rc;
}

static void report_of(pid_t pid, const char *file, struct probe_report *r)
{
	_cleanup_free_ char *text = NULL;
	struct err err = {0};
	size_t len;
	int status = -1;

	T_INT(waitpid(pid, &status, 0), pid);
	T_INT(status, 0);
	T_INT(fs_read_file(file, 4096, &text, &len, &err), 0);
	probe_report_read(r, text ? text : "", HELLO);
	T_OK(r->begun && r->whole);
}

/* With this PATH the controller comes, and slurmctld is there. */
static void all_is_seen(const char *path)
{
	_cleanup_close_ int fd = -1;
	_cleanup_free_ char *file = strdup(t_path("report"));
	_cleanup_free_ char *key = strdup(t_write("munge.key", "secret"));
	struct run run = {.path = path,
			  .own_port = free_port(),
			  .seconds = "20",
			  .auth = "munge",
			  .socket = "",
			  .host = "localhost",
			  .port = listening(&fd),
			  .munge_key = key};
	struct probe_report r;
	pid_t pid = begin(&run, file);

	T_INT(reach_soon("127.0.0.1", run.own_port), 0);
	report_of(pid, file, &r);
	T_INT(r.listen.answer, PROBE_OK);
	T_INT(r.name[0].answer, PROBE_OK);
	T_INT(r.port[0].answer, PROBE_OK);
	T_INT(r.key.answer, PROBE_OK);
	T_STR(r.key.words, key);
}

static void perl_and_python_do_alike(void)
{
	static const char *const perl[] = {"perl", NULL};
	static const char *const python[] = {"python3", NULL};

	if (!access("/usr/bin/perl", X_OK))
		all_is_seen(path_with("perl", perl));
	if (!access("/usr/bin/python3", X_OK))
		all_is_seen(path_with("python", python));
}

/* As of a minimal image: it is there, and cannot open a connection. */
static void a_perl_without_its_module_is_none(void)
{
	static const char *const none[] = {NULL};
	static const char *const python[] = {"python3", NULL};
	static const char perl[] = "echo no IO/Socket/IP.pm >&2; exit 2";
	_cleanup_free_ char *file = strdup(t_path("report"));
	const char *path = path_with("only_perl", none);
	struct run run = {.path = path,
			  .own_port = free_port(),
			  .seconds = "20",
			  .auth = "",
			  .socket = "",
			  .host = "127.0.0.1",
			  .port = free_port()};
	struct probe_report r;

	add_script(path, "perl", perl);
	report_of(begin(&run, file), file, &r);
	T_INT(r.listen.answer, PROBE_UNKNOWN);
	T_INT(r.port[0].answer, PROBE_UNKNOWN);
	if (access("/usr/bin/python3", X_OK))
		return;
	path = path_with("perl_and_python", python);
	add_script(path, "perl", perl);
	all_is_seen(path);
}

static bool has_slurmd_where_it_usually_is(void)
{
	return !access("/usr/sbin/slurmd", X_OK) ||
	       !access("/usr/local/sbin/slurmd", X_OK) ||
	       !access("/opt/slurm/sbin/slurmd", X_OK);
}

static void slurmd_is_found_where_the_template_has_it(void)
{
	static const char *const none[] = {NULL};
	_cleanup_free_ char *file = strdup(t_path("report"));
	_cleanup_free_ char *dir = strdup(path_with("site_build", none));
	_cleanup_free_ char *slurmd = str_printf("%s/slurmd", dir);
	struct run run = {.path = path_with("no_slurmd", none),
			  ALONE,
			  .auth = "",
			  .slurmd = slurmd};
	struct probe_report r;

	add_script(dir, "slurmd", "echo slurm 99.05.1");
	report_of(begin(&run, file), file, &r);
	T_INT(r.version.answer, PROBE_OK);
	T_STR(r.version.words, "slurm 99.05.1");
	/* the template names one that the image does not have */
	run.slurmd = "/nowhere/slurmd";
	run.path = dir;
	report_of(begin(&run, file), file, &r);
	T_STR(r.version.words, "slurm 99.05.1");
}

static void keys_are_those_that_slurm_reads(void)
{
	_cleanup_free_ char *file = strdup(t_path("report"));
	_cleanup_free_ char *jwks = strdup(t_write("slurm.jwks", "many"));
	_cleanup_free_ char *key = strdup(t_write("slurm.key", "one"));
	_cleanup_free_ char *own = strdup(t_write("own.key", "one"));
	const struct {
		const char *slurm_key, *sack_key, *sack_jwks;
		enum probe_answer answer;
		const char *words;
	} rows[] = {
		{key, NULL, NULL, PROBE_OK, key},
		{key, own, NULL, PROBE_OK, own},
		{key, own, jwks, PROBE_OK, jwks},
		{NULL, NULL, jwks, PROBE_OK, jwks},
		{key, "/nowhere/key", NULL, PROBE_MISSING, "/nowhere/key"},
		{key, NULL, "/nowhere/jwks", PROBE_OK, key},
	};
	struct run run = {ALONE, .auth = "slurm"};
	struct probe_report r;

	if (!access("/etc/slurm/slurm.jwks", F_OK))
		return;
	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%zu", i);
		run.slurm_key = rows[i].slurm_key;
		run.sack_key = rows[i].sack_key;
		run.sack_jwks = rows[i].sack_jwks;
		report_of(begin(&run, file), file, &r);
		T_INT(r.key.answer, rows[i].answer);
		T_STR(r.key.words, rows[i].words);
	}
}

/* Its socket is made while the script sleeps for it. */
static void a_munged_beside_it_may_be_late(void)
{
	static const char *const none[] = {NULL};
	_cleanup_close_ int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	_cleanup_free_ char *file = strdup(t_path("report"));
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	const char *path = path_with("late_munged", none);
	_cleanup_free_ char *link = str_printf("%s/sleep", path);
	_cleanup_free_ char *begun = str_printf("%s/begun", path);
	_cleanup_free_ char *text =
		str_printf(": >%s; exec /bin/sleep \"$@\"", begun);
	struct run run = {.path = path,
			  .own_port = free_port(),
			  .seconds = "20",
			  .auth = "munge",
			  .socket = a.sun_path, /* is filled in below */
			  .host = "127.0.0.1",
			  .port = 1,
			  .munge_key = "/nowhere/munge.key"};
	const int64_t end = clock_ms() + WAIT_MS;
	struct probe_report r;
	pid_t pid;

	str_copy(a.sun_path, t_path("munge.socket"), sizeof(a.sun_path));
	T_NEED(!unlink(link));
	add_script(path, "sleep", text);
	pid = begin(&run, file);
	while (access(begun, F_OK) && clock_ms() < end)
		clock_nap(20);
	T_INT(bind(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	report_of(pid, file, &r);
	T_INT(r.key.answer, PROBE_OK);
	T_STR(r.key.words, a.sun_path);
}

static void what_the_image_lacks_is_said(void)
{
	static const char *const none[] = {NULL};
	static const char *const bash[] = {"bash", NULL};
	_cleanup_close_ int fd = -1;
	_cleanup_free_ char *file = strdup(t_path("report"));
	struct run run = {.path = path_with("none", none),
			  .own_port = free_port(),
			  .seconds = "20",
			  .auth = "slurm",
			  .socket = "",
			  .host = "127.0.0.1",
			  .port = listening(&fd)};
	struct probe_report r;

	report_of(begin(&run, file), file, &r);
	T_INT(r.version.answer,
	      has_slurmd_where_it_usually_is() ? PROBE_OK : PROBE_MISSING);
	T_INT(r.listen.answer, PROBE_UNKNOWN);
	T_STR(r.listen.words,
	      "the image has neither perl (with IO::Socket::IP) nor python3");
	T_INT(r.port[0].answer, PROBE_UNKNOWN);
	if (access("/usr/bin/bash", X_OK) && access("/bin/bash", X_OK))
		return;
	run.path = path_with("bash", bash);
	report_of(begin(&run, file), file, &r);
	T_INT(r.port[0].answer, PROBE_OK);
}

static void what_is_wrong_is_said(void)
{
	_cleanup_free_ char *file = strdup(t_path("report"));
	_cleanup_free_ char *key = strdup(t_write("empty.key", ""));
	_cleanup_free_ char *gone = strdup(t_path("no.key"));
	struct run run = {.own_port = free_port(),
			  .seconds = "1",
			  .auth = "munge",
			  .socket = "/nowhere",
			  .host = "127.0.0.1",
			  .port = free_port(),
			  .munge_key = key};
	struct probe_report r;
	_cleanup_close_ int fd = -1;

	report_of(begin(&run, file), file, &r);
	T_INT(r.listen.answer, PROBE_SILENT);
	T_INT(r.port[0].answer, PROBE_FAIL);
	T_HAS(r.port[0].words, "refused");
	T_INT(r.key.answer, PROBE_UNREADABLE);

	run.host = "no-such-host.invalid";
	run.own_port = listening(&fd);
	run.munge_key = gone;
	report_of(begin(&run, file), file, &r);
	T_INT(r.name[0].answer, PROBE_FAIL);
	T_INT(r.port[0].answer, PROBE_UNTOLD);
	T_INT(r.listen.answer, PROBE_FAIL);
	T_HAS(r.listen.words, "in use");
}

/* Where each program that is run leaves a trace, which there is none of. */
static void what_slurm_conf_names_is_looked_at_and_not_run(void)
{
	static const char *const none[] = {NULL};
	_cleanup_free_ char *file = strdup(t_path("report"));
	_cleanup_free_ char *dir = strdup(path_with("prologs", none));
	_cleanup_free_ char *trace = str_printf("%s/trace", dir);
	_cleanup_free_ char *text = str_printf(": >'%s'", trace);
	_cleanup_free_ char *good = str_printf("%s/a b.sh", dir);
	_cleanup_free_ char *all = str_printf("%s/*.sh", dir);
	_cleanup_free_ char *odd = str_printf("%s/$(touch trace)", dir);
	_cleanup_free_ char *plain = strdup(t_write("plain", "no program"));
	struct run run = {ALONE, .auth = "",
			  .needs = {"program", good, "program", all, "program",
				    odd, "folder", dir, "folder", good}};
	static const enum probe_answer wanted[] = {
		PROBE_OK, PROBE_OK, PROBE_MISSING, PROBE_OK, PROBE_MISSING};
	struct probe_report r;

	add_script(dir, "a b.sh", text);
	add_script(dir, "c.sh", text);
	report_of(begin(&run, file), file, &r);
	for (size_t i = 0; i < T_COUNT(wanted); i++) {
		t_row("%zu", i);
		T_INT(r.file[i].answer, wanted[i]);
	}
	T_INT(r.file[T_COUNT(wanted)].answer, PROBE_UNTOLD);
	T_OK(access(trace, F_OK));
	/* root, too, may run only what somebody may */
	run.needs[1] = plain;
	run.needs[2] = NULL;
	report_of(begin(&run, file), file, &r);
	T_INT(r.file[0].answer, PROBE_UNREADABLE);
}

/* A relative one is in a folder of PluginDir, in any. */
static void plugins_are_where_slurm_looks_for_them(void)
{
	static const char *const none[] = {NULL};
	_cleanup_free_ char *file = strdup(t_path("report"));
	_cleanup_free_ char *dir = strdup(path_with("plugins", none));
	_cleanup_free_ char *own = str_printf("%s/own.so", dir);
	struct run run = {ALONE, .auth = "",
			  .needs = {"folder", "/nowhere", "folder", dir,
				    "plugin", "own.so", "plugin", own, "plugin",
				    "other.so"}};
	static const enum probe_answer wanted[] = {
		PROBE_MISSING, PROBE_OK, PROBE_OK, PROBE_OK, PROBE_MISSING};
	struct probe_report r;

	add_script(dir, "own.so", "");
	report_of(begin(&run, file), file, &r);
	for (size_t i = 0; i < T_COUNT(wanted); i++) {
		t_row("%zu", i);
		T_INT(r.file[i].answer, wanted[i]);
	}
}

static void what_the_entrypoint_makes_is_not_missing(void)
{
	_cleanup_free_ char *file = strdup(t_path("report"));
	struct run run = {
		ALONE, .auth = "", .plugin_dir = "/nowhere/made/",
		.needs = {"folder", "/nowhere/made", "folder", "/nowhere"}};
	struct probe_report r;

	report_of(begin(&run, file), file, &r);
	T_INT(r.file[0].answer, PROBE_OK);
	T_INT(r.file[1].answer, PROBE_MISSING);
}

/* Someone who listens there, and gives this answer. */
static pid_t stranger(int fd, const char *answer)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	for (;;) {
		int peer = accept(fd, NULL, NULL);
		char heard[64];

		if (peer < 0 || read(peer, heard, sizeof(heard)) < 0 ||
		    write(peer, answer, strlen(answer)) < 0)
			_exit(1);
		if (*answer)
			close(peer);
	}
}

static void only_ones_own_pod_is_reached(void)
{
	_cleanup_close_ int fd = -1;
	const uint16_t port = listening(&fd);
	struct err err = {0};
	pid_t pid = stranger(fd, "SSH-2.0-OpenSSH_9.2p1 Debian-2+deb12u3\r\n");

	T_ERR(tcp_reach("127.0.0.1", port, HELLO, WAIT_MS, &err), &err, -EPROTO,
	      "somebody else answers");
	t_end(pid);
	pid = stranger(fd, "");
	T_ERR(tcp_reach("127.0.0.1", port, HELLO, 50, &err), &err, -ETIMEDOUT,
	      "timed out");
	t_end(pid);
	T_ERR(tcp_reach("127.0.0.1", free_port(), HELLO, WAIT_MS, &err), &err,
	      -ECONNREFUSED, "refused");
	T_ERR(tcp_reach("localhost", port, HELLO, WAIT_MS, &err), &err, -EINVAL,
	      "is no address");
	T_ERR(tcp_reach("", port, HELLO, WAIT_MS, &err), &err, -EINVAL,
	      "is no address");
}

/* Whoever does not know the word learns nothing, and ends nothing. */
static void a_scanner_is_no_controller(void)
{
	_cleanup_free_ char *file = strdup(t_path("report"));
	struct run run = {.own_port = free_port(),
			  .seconds = "20",
			  .auth = "",
			  .socket = "",
			  .host = "127.0.0.1",
			  .port = 1};
	const int64_t end = clock_ms() + WAIT_MS;
	pid_t pid = begin(&run, file);
	struct probe_report r;
	struct err err;
	int rc;

	do {
		clock_nap(20);
		rc = tcp_reach("127.0.0.1", run.own_port, "GET /", 5000, &err);
	} while (rc == -ECONNREFUSED && clock_ms() < end);
	T_INT(rc, -EPROTO);
	T_INT(reach_soon("127.0.0.1", run.own_port), 0);
	report_of(pid, file, &r);
	T_INT(r.listen.answer, PROBE_OK);
	T_INT(r.key.answer, PROBE_UNTOLD);
}

T_MAIN("probe_script", T(perl_and_python_do_alike),
       T(a_perl_without_its_module_is_none),
       T(slurmd_is_found_where_the_template_has_it),
       T(keys_are_those_that_slurm_reads), T(a_munged_beside_it_may_be_late),
       T(what_the_image_lacks_is_said), T(what_is_wrong_is_said),
       T(what_slurm_conf_names_is_looked_at_and_not_run),
       T(what_the_entrypoint_makes_is_not_missing),
       T(plugins_are_where_slurm_looks_for_them),
       T(only_ones_own_pod_is_reached), T(a_scanner_is_no_controller))

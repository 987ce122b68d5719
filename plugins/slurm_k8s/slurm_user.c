/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurm_user.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/str.h"
#include "slurm/ctl_config.h"

#define N_KEPT 4 /* variables of the environment that are kept */

static pid_t parent; /* process that has the terminal; 0: there is none */
static int end_signal = SIGKILL;
static volatile pid_t child; /* in the parent: its child, once there is one */

/*
 * Have the kernel send end_signal to this process at the end of its parent,
 * which ^C ends: a command that has something to clean up gets SIGTERM, others
 * SIGKILL. setresuid(2) undoes this. False: the parent has ended by now.
 */
static bool end_with_parent(void)
{
	return !parent ||
	       (!prctl(PR_SET_PDEATHSIG, end_signal) && getppid() == parent);
}

/*
 * Keep only the variables of root's environment that say where things are, for
 * programs of SlurmUser's. PATH, HOME and the user's names are filled in where
 * a program is run (kube/plugin.c).
 */
static bool keep_environment(void)
{
	static const char *const kept[N_KEPT] = {
		"SLURM_CONF", "KUBERNETES_SERVICE_HOST",
		"KUBERNETES_SERVICE_PORT", "LANG"};
	static char *own[N_KEPT + 1];
	size_t n = 0;

	for (size_t i = 0; i < N_KEPT; i++) {
		const char *value = getenv(kept[i]);

		if (!value)
			continue;
		own[n] = str_printf("%s=%s", kept[i], value);
		if (!own[n++])
			return false;
	}
	environ = own;
	return true;
}

static int drop_root(const struct passwd *user)
{
	if (!keep_environment())
		return -ENOMEM;
	if (user->pw_uid &&
	    (initgroups(user->pw_name, user->pw_gid) ||
	     setresgid(user->pw_gid, user->pw_gid, user->pw_gid) ||
	     setresuid(user->pw_uid, user->pw_uid, user->pw_uid)))
		return -errno;
	return end_with_parent() ? 0 : -ECANCELED;
}

int slurm_user_become(struct err *err)
{
	const struct passwd *user = NULL;
	uid_t uid = 0;
	int rc;

	if (ctl_config_slurm_uid(&uid))
		user = getpwuid(uid);
	if (!user)
		return err_set(err, -EPERM, "it is not known who SlurmUser is");
	if (geteuid() && geteuid() != uid)
		return err_set(err, -EPERM,
			       "this is another user than %s, who alone reads "
			       "k8s.yaml and its kubeconfigs",
			       user->pw_name);
	rc = geteuid() ? 0 : drop_root(user);
	return rc ? err_set(err, rc, "cannot become %s: %s", user->pw_name,
			    strerror(-rc))
		  : 0;
}

static int run_child(int (*command)(void *arg), void *arg)
{
	setsid();
	return end_with_parent() ? command(arg) : 2;
}

static int wait_for_child(pid_t pid)
{
	siginfo_t end;
	int status;

	while (waitid(P_PID, (id_t)pid, &end, WEXITED | WNOWAIT) < 0)
		if (errno != EINTR)
			return 2;
	child = 0; /* waitpid() frees the number for another process */
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status)
		       ? WEXITSTATUS(status)
		       : 2;
}

int slurm_user_run(int (*command)(void *arg), void *arg)
{
	pid_t pid;

	if (geteuid())
		return command(arg);
	parent = getpid();
	pid = fork();
	if (pid < 0) {
		perror("slurm-k8s: fork");
		return 2;
	}
	if (!pid)
		return run_child(command, arg);
	child = pid;
	return wait_for_child(pid);
}

static void hand_on(int sig)
{
	const pid_t pid = child;

	(void)sig;
	if (pid > 0)
		kill(pid, SIGTERM);
}

/* Signals that come before there is a child wait until there is one. */
int slurm_user_run_to_end(int (*command)(void *arg), void *arg)
{
	struct sigaction action = {.sa_handler = hand_on};
	sigset_t mine, before;

	if (geteuid())
		return command(arg);
	parent = getpid();
	end_signal = SIGTERM;
	sigemptyset(&mine);
	sigaddset(&mine, SIGINT);
	sigaddset(&mine, SIGTERM);
	sigaddset(&mine, SIGHUP);
	sigprocmask(SIG_BLOCK, &mine, &before);
	child = fork();
	if (child < 0) {
		sigprocmask(SIG_SETMASK, &before, NULL);
		perror("slurm-k8s: fork");
		return 2;
	}
	if (!child) {
		sigprocmask(SIG_SETMASK, &before, NULL);
		return run_child(command, arg);
	}
	sigemptyset(&action.sa_mask);
	(void)sigaction(SIGINT, &action, NULL);
	(void)sigaction(SIGTERM, &action, NULL);
	(void)sigaction(SIGHUP, &action, NULL);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return wait_for_child(child);
}

void slurm_user_end_child(void)
{
	const pid_t pid = child;

	if (pid <= 0)
		return;
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

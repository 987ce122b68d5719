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

#define N_KEPT 4 /* of the environment */

static pid_t parent; /* which has the terminal; 0: there is none */

/*
 * ^C ends the parent, and this process with it: whatever else it would have
 * done is not done. setresuid(2) clears it. False: the parent has ended by now.
 */
static bool end_with_parent(void)
{
	return !parent ||
	       (!prctl(PR_SET_PDEATHSIG, SIGKILL) && getppid() == parent);
}

/*
 * Of root's environment a program of SlurmUser's gets where things are, and
 * nothing else; PATH, HOME and the user's names are filled in where it is run
 * (kube/plugin.c).
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
		return err_set(err, -EPERM, "this is another user than %s",
			       user->pw_name);
	rc = geteuid() ? 0 : drop_root(user);
	return rc ? err_set(err, rc, "cannot become %s: %s", user->pw_name,
			    strerror(-rc))
		  : 0;
}

int slurm_user_run(int (*command)(void *arg), void *arg)
{
	pid_t pid;
	int status;

	if (geteuid())
		return command(arg);
	parent = getpid();
	pid = fork();
	if (pid < 0) {
		perror("slurm-k8s: fork");
		return 2;
	}
	if (!pid) {
		setsid();
		return end_with_parent() ? command(arg) : 2;
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return 2;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 2;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* SuspendExcNodes, as scontrol changes it. slurmctld's answers are the test's.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "slurm/ctl_suspend_exc.h"
#include "slurm/release.h"
#include "t.h"

int __wrap_slurm_load_ctl_conf(time_t since, slurm_conf_t **out);
void __wrap_slurm_free_ctl_conf(slurm_conf_t *conf);
void __wrap_slurm_free_conf(slurm_conf_t *conf);

static slurm_conf_t conf;
static int messages, answer;

int __wrap_slurm_load_ctl_conf(time_t since, slurm_conf_t **out)
{
	T_INT(since, 0);
	if (answer) {
		errno = answer;
		return -1;
	}
	messages++;
	*out = &conf;
	return 0;
}

void __wrap_slurm_free_ctl_conf(slurm_conf_t *c)
{
	T_OK(c == &conf);
	messages--;
}

void __wrap_slurm_free_conf(slurm_conf_t *c)
{
	__wrap_slurm_free_ctl_conf(c);
}

static void the_names_in_force_are_read(void)
{
	struct ctl_suspend_exc exc = {0};
	struct err err = {0};

	T_INT(ctl_suspend_exc_load(&exc, &err), 0);
	T_STR(exc.names, "");
	free(exc.names);
	conf.suspend_exc_nodes = (char *)"n[1-8]:2";
	T_INT(ctl_suspend_exc_load(&exc, &err), 0);
	T_STR(exc.names, "n[1-8]:2");
	free(exc.names);
	answer = EACCES;
	T_ERR(ctl_suspend_exc_load(&exc, &err), &err, -EIO,
	      "cannot read slurmctld's SuspendExcNodes: ");
	T_INT(messages, 0);
	answer = 0;
}

static enum ctl_suspend_exc_from from(void)
{
	struct ctl_suspend_exc exc = {0};

	T_INT(ctl_suspend_exc_load(&exc, NULL), 0);
	free(exc.names);
	return exc.from;
}

static void a_backup_has_inherited_its_names(void)
{
	char host[256] = "";
	char *hosts[] = {host, (char *)"other.example.org"};

	T_INT(gethostname(host, sizeof(host) - 1), 0);
	conf.control_machine = hosts;
	conf.control_cnt = 2;
	T_INT(from(), CTL_EXC_READ);
	hosts[0] = hosts[1];
	T_INT(from(), CTL_EXC_INHERITED);
	setenv("SLURMCTLD_RECONF", "1", 1);
	T_INT(from(), CTL_EXC_UNKNOWN);
	unsetenv("SLURMCTLD_RECONF");
	/* one SlurmctldHost with several names, which is none of a backup */
	hosts[0] = (char *)"a,b";
	conf.control_cnt = 1;
	T_INT(from(), CTL_EXC_READ);
	conf.control_machine = NULL;
	T_INT(from(), CTL_EXC_READ);
}

static void a_release_that_cannot_change_them_says_so(void)
{
	struct err err = {0};

	if (ctl_keeps_nodes_up())
		return; /* then tests/e2e/min_running.bats does it */
	T_ERR(ctl_suspend_exc_add("n1", &err), &err, -EOPNOTSUPP,
	      "does not change SuspendExcNodes");
	err = (struct err){0};
	T_ERR(ctl_suspend_exc_remove("n1", &err), &err, -EOPNOTSUPP,
	      "does not change SuspendExcNodes");
}

T_MAIN("ctl_suspend_exc", T(the_names_in_force_are_read),
       T(a_backup_has_inherited_its_names),
       T(a_release_that_cannot_change_them_says_so))

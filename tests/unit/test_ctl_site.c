/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What slurm.conf says. slurmctld's answer is ours. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "slurm/ctl.h"
#include "slurm/release.h"
#include "t.h"

int __wrap_slurm_load_ctl_conf(time_t since, slurm_conf_t **out);
void __wrap_slurm_free_ctl_conf(slurm_conf_t *conf);

static slurm_conf_t conf = {
	.cluster_name = (char *)"c", .max_job_cnt = 10000, .min_job_age = 300};
static int messages;

int __wrap_slurm_load_ctl_conf(time_t since, slurm_conf_t **out)
{
	(void)since;
	messages++;
	*out = &conf;
	return 0;
}

void __wrap_slurm_free_ctl_conf(slurm_conf_t *c)
{
	(void)c;
	messages--;
}

static void who_ends_the_wait_of_batch_jobs_is_known(void)
{
	static const struct {
		const char *program;
		enum ctl_prolog want;
	} rows[] = {
		{NULL, CTL_PROLOG_NONE},
		{"", CTL_PROLOG_NONE},
		{"/usr/libexec/slurm-k8s/k8s_prolog", CTL_PROLOG_OURS},
		{"k8s_prolog", CTL_PROLOG_OURS},
		{"/etc/slurm/prolog", CTL_PROLOG_OTHER},
		{"/etc/slurm/k8s_prolog.sh", CTL_PROLOG_OTHER},
		{"/etc/slurm/k8s_prolog/mine", CTL_PROLOG_OTHER},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct ctl_site site = {0};

		t_row("%zu", i);
		conf.prolog_slurmctld = (char *)rows[i].program;
		T_INT(ctl_site_load(&site, NULL), 0);
		T_INT(site.prolog, rows[i].want);
		free(site.cluster);
	}
	T_INT(messages, 0);
}

static void how_many_jobs_slurm_keeps_is_known(void)
{
	struct ctl_site site = {0};

	T_INT(ctl_site_load(&site, NULL), 0);
	T_INT(site.max_jobs, 10000);
	T_INT(site.min_job_age_s, 300);
	free(site.cluster);
}

static void how_long_it_may_run_is_known(void)
{
	static const struct {
		uint16_t says;
		uint32_t want;
	} rows[] = {{NO_VAL16, 0}, {0, 0}, {10, 10}, {65533, 65533}};
	slurm_conf_t *file = dlsym(RTLD_DEFAULT, "slurm_conf"); /* libslurm's */

	T_NEED(file != NULL);

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct ctl_site site = {0};

		t_row("%zu", i);
		conf.prolog_epilog_timeout = rows[i].says;
		file->prolog_epilog_timeout = rows[i].says;
		T_INT(ctl_prolog_timeout_s(), rows[i].want);
		T_INT(ctl_site_load(&site, NULL), 0);
		T_INT(site.prolog_timeout_s, rows[i].want);
		free(site.cluster);
	}
}

static void how_long_a_requeued_job_waits_is_known(void)
{
	static const struct {
		const char *auth, *sched;
		uint32_t want, before; /* before: up to 25.05 */
	} rows[] = {
		{NULL, NULL, 120, 120},
		{"", "", 120, 120},
		{"cred_expire=10", NULL, 10, 10},
		{"socket=/run/m,cred_expire=600", "bf_interval=5", 600, 600},
		{"cred_expire=4", NULL, 120, 120},
		{"cred_expire=600", "bf_interval=5,requeue_delay=7", 7, 600},
		{NULL, "requeue_delay=0", 0, 120},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct ctl_site site = {0};

		t_row("%zu", i);
		conf.authinfo = (char *)rows[i].auth;
		conf.sched_params = (char *)rows[i].sched;
		T_INT(ctl_site_load(&site, NULL), 0);
		T_INT(site.requeue_delay_s, release_has_requeue_delay()
						    ? rows[i].want
						    : rows[i].before);
		T_OK(!site.expedites);
		free(site.cluster);
	}
	conf.authinfo = conf.sched_params = NULL;
}

static void whether_users_may_expedite_is_known(void)
{
	struct ctl_site site = {0};

	conf.slurmctld_params =
		(char *)"enable_configless,enable_expedited_requeue";
	T_INT(ctl_site_load(&site, NULL), 0);
	T_OK(site.expedites);
	free(site.cluster);
	conf.slurmctld_params = NULL;
}

/* A partition's SelectTypeParameters are not looked at. */
static void whether_memory_is_counted_is_known(void)
{
	static const struct {
		uint16_t says;
		bool hides;
	} rows[] = {{0x4, true},
		    {0x14, false},
		    {0x10, false},
		    {0x1, true},
		    {0, true}};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct ctl_site site = {0};

		t_row("%zu", i);
		conf.select_type_param = rows[i].says;
		T_INT(ctl_site_load(&site, NULL), 0);
		T_INT(site.hides_suspended, rows[i].hides);
		free(site.cluster);
	}
}

/* Else slurmctld ends the job whose node registers before it is powered up. */
static void whether_nodes_may_start_early_is_known(void)
{
	static const struct {
		uint16_t ret2service, rate;
		bool early;
	} rows[] = {
		{2, 0, true}, {1, 0, false}, {0, 0, false}, {2, 300, false}};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct ctl_site site = {0};

		t_row("%zu", i);
		conf.ret2service = rows[i].ret2service;
		conf.resume_rate = rows[i].rate;
		T_INT(ctl_site_load(&site, NULL), 0);
		T_INT(site.starts_early, rows[i].early);
		free(site.cluster);
	}
}

T_MAIN("ctl_site", T(whether_nodes_may_start_early_is_known),
       T(whether_memory_is_counted_is_known),
       T(how_long_a_requeued_job_waits_is_known),
       T(whether_users_may_expedite_is_known),
       T(who_ends_the_wait_of_batch_jobs_is_known),
       T(how_many_jobs_slurm_keeps_is_known), T(how_long_it_may_run_is_known))

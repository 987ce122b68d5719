/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What of slurm.h differs between releases, as far as common/slurm and the
 * plugins use it: so much of each type, in its own order. RELEASE is 2511 for
 * 25.11. All else is the installed slurm.h's, in which the names that are
 * declared here have others (tests/tools/check_releases.py). It is only
 * compiled. A member that is missing here, and is in all releases: add it. One
 * that is not: ask for it in common/slurm/meson.build, and say here since when.
 */

/* --- types */

#if RELEASE >= 2311
typedef struct hostlist hostlist_t;
#define HOSTLIST hostlist_t *
#else
typedef struct hostlist *hostlist_t;
#define HOSTLIST hostlist_t
#endif

#if RELEASE >= 2511
typedef struct {
	uint64_t sluid;
	uint32_t job_id, step_het_comp, step_id;
} slurm_step_id_t;
#define SLURM_STEP_ID_INITIALIZER                                              \
	{                                                                      \
		.job_id = NO_VAL, .step_het_comp = NO_VAL, .step_id = NO_VAL   \
	}
#else
typedef struct {
	uint32_t job_id, step_het_comp, step_id;
} slurm_step_id_t;
#endif

typedef struct {
#if RELEASE >= 2511
	slurm_step_id_t step_id;
#else
	uint32_t job_id;
#endif
	char *account, *admin_comment, *array_task_str, *cluster_features;
	char *cronspec, *exc_nodes, *features, *nodes, *partition, *prefer,
		*req_nodes, *resv_name;
	char *state_desc, *system_comment, *tres_per_node, *user_name;
#if RELEASE >= 2405
	char *resv_ports;
#endif
#if RELEASE >= 2505
	char *licenses_allocated;
#endif
	char **gres_detail_str;
	uint32_t array_job_id, array_task_id, het_job_id, het_job_offset;
	uint32_t gres_detail_cnt, exit_code, job_state, max_nodes, num_cpus;
	uint32_t num_nodes, priority, state_reason, time_limit, user_id;
	int32_t *node_inx;
	uint16_t batch_flag, pn_min_cpus, requeue, restart_cnt;
	uint64_t bitflags, pn_min_memory;
	time_t eligible_time, end_time, resize_time, start_time, submit_time;
} job_info_t;

typedef struct {
	time_t last_update;
	uint32_t record_count;
	job_info_t *job_array;
} job_info_msg_t;

typedef struct {
#if RELEASE >= 2511
	slurm_step_id_t step_id;
#else
	uint32_t job_id;
#endif
	char *account, *admin_comment, *comment, *dependency, *exc_nodes;
	char *features, *licenses, *mcs_label, *name, *partition, *prefer, *qos;
	char *req_nodes, *reservation, *script, *std_err, *std_in, *std_out;
	char *clusters, *tres_per_node, *tres_per_task, *wckey, *work_dir;
	char **environment, **spank_job_env;
	uint32_t alloc_sid, env_size, group_id, max_nodes, min_cpus, min_nodes;
	uint32_t nice, num_tasks, pn_min_tmp_disk, priority, req_switch;
	uint32_t spank_job_env_size, time_limit, time_min, user_id, wait4switch;
	uint16_t contiguous, cpus_per_task, immediate, kill_on_node_fail;
	uint16_t ntasks_per_node, other_port, pn_min_cpus, requeue, shared;
	uint64_t bitflags, pn_min_memory;
	time_t begin_time, deadline;
} job_desc_msg_t;

typedef struct {
#if RELEASE >= 2511
	slurm_step_id_t step_id;
#else
	uint32_t job_id, step_id;
#endif
} submit_response_msg_t;

typedef struct {
#if RELEASE >= 2511
	slurm_step_id_t step_id;
#else
	uint32_t job_id;
#endif
	char *node_list;
	uint32_t num_cpu_groups, *cpu_count_reps;
	uint16_t *cpus_per_node;
	uint64_t pn_min_memory;
} resource_allocation_response_msg_t;

typedef struct {
	slurm_step_id_t step_id;
	char *cpus_per_tres, *name, *nodes, *submit_line;
	uint32_t num_tasks, state, user_id;
	time_t start_time;
} job_step_info_t;

typedef struct {
	time_t last_update;
	uint32_t job_step_count;
	job_step_info_t *job_steps;
} job_step_info_response_msg_t;

typedef struct {
	char *bcast_address, *comment, *extra, *features, *features_act, *gres;
	char *name, *reason;
#if RELEASE >= 2302
	char *resv_name;
	time_t resume_after;
#endif
#if RELEASE >= 2311
	char *instance_type;
#endif
#if RELEASE >= 2405
	char *gpu_spec;
#endif
#if RELEASE >= 2511
	char *parameters;
#endif
#if RELEASE >= 2605
	uint32_t suspend_time;
#endif
	uint32_t node_state;
	uint16_t cpus;
	uint64_t real_memory;
	time_t last_busy, reason_time, slurmd_start_time;
#if RELEASE >= 2505
	uint16_t alloc_cpus;
	uint64_t alloc_memory;
	char *topology_str;
#else
	dynamic_plugin_data_t *select_nodeinfo;
#endif
} node_info_t;

typedef struct {
	time_t last_update;
	uint32_t record_count;
	node_info_t *node_array;
} node_info_msg_t;

typedef struct {
	char *comment, *extra, *features, *features_act, *node_addr;
	char *node_names, *reason;
	uint32_t node_state;
#if RELEASE >= 2505
	char *topology_str;
#endif
#if RELEASE >= 2302
	uint32_t resume_after;
#endif
#if RELEASE < 2605
	uint32_t reason_uid;
#endif
} update_node_msg_t;

typedef struct {
	char *cluster_name, *job_submit_plugins, *node_features_plugins;
	char *authinfo, *plugindir, *sched_params, *schedtype;
	char *slurm_user_name, *slurmctld_logfile, *slurmctld_params, *version;
	uint32_t slurm_user_id;
	char **control_machine;
	uint32_t control_cnt, slurmctld_port;
	uint32_t max_job_cnt, min_job_age;
	uint16_t kill_wait, resume_timeout, resume_rate, ret2service;
	uint16_t select_type_param;
	char *suspend_exc_nodes;
#if RELEASE >= 2505
	uint16_t prolog_timeout;
	char *suspend_program, *suspend_exc_parts, *suspend_exc_states;
	uint32_t suspend_time;
#else
	uint16_t prolog_epilog_timeout;
#endif
#if RELEASE >= 2405
	char **prolog_slurmctld;
	uint32_t prolog_slurmctld_cnt;
#else
	char *prolog_slurmctld;
#endif
} slurm_conf_t;

typedef struct {
	slurm_step_id_t step_id;
	uint32_t array_task_id, het_job_offset;
} slurm_selected_step_t;

#if RELEASE >= 2311
typedef struct {
	uint32_t job_id, state;
} job_state_response_job_t;

typedef struct {
	uint32_t jobs_count;
	job_state_response_job_t *jobs;
} job_state_response_msg_t;
#endif

/* --- constants */

#undef SLURM_VERSION_NUMBER
#define SLURM_VERSION_NUMBER SLURM_VERSION_NUM(RELEASE / 100, RELEASE % 100, 0)
#if RELEASE >= 2505
#define EXTERNAL_JOB (1 << 24)
#if RELEASE < 2511
#define CR_MEMORY 0x0010
#else
enum { SELECT_MEMORY = 1 << 4 };
#endif
#define NODE_STATE_EXTERNAL (1 << 4)
#define SELECT_NODEDATA_MEM_ALLOC gone_with_25_05
#endif

/* --- functions that differ */

#if RELEASE >= 2605
int slurm_load_job(job_info_msg_t **, slurm_step_id_t, uint16_t);
int slurm_job_node_ready(slurm_step_id_t);
int slurm_kill_job(slurm_step_id_t, uint16_t, uint16_t);
int slurm_requeue(slurm_step_id_t, uint32_t);
int slurm_allocation_lookup(slurm_step_id_t,
			    resource_allocation_response_msg_t **);
void slurm_free_conf(slurm_conf_t *);
#else
int slurm_load_job(job_info_msg_t **, uint32_t, uint16_t);
int slurm_job_node_ready(uint32_t);
int slurm_kill_job(uint32_t, uint16_t, uint16_t);
int slurm_requeue(uint32_t, uint32_t);
int slurm_allocation_lookup(uint32_t, resource_allocation_response_msg_t **);
void slurm_free_ctl_conf(slurm_conf_t *);
#endif
#if RELEASE >= 2511
int slurm_complete_job(slurm_step_id_t *, uint32_t);
int slurm_get_job_steps(slurm_step_id_t *, job_step_info_response_msg_t **,
			uint16_t);
#else
int slurm_complete_job(uint32_t, uint32_t);
int slurm_get_job_steps(time_t, uint32_t, uint32_t,
			job_step_info_response_msg_t **, uint16_t);
#endif
#if RELEASE >= 2311
int slurm_load_job_state(int, slurm_selected_step_t *,
			 job_state_response_msg_t **);
void slurm_free_job_state_response_msg(job_state_response_msg_t *);
#endif
#if RELEASE < 2505
int slurm_get_select_nodeinfo(dynamic_plugin_data_t *,
			      enum select_nodedata_type, enum node_states,
			      void *);
#endif

/* --- functions of these types */

int slurm_load_ctl_conf(time_t, slurm_conf_t **);
#if RELEASE >= 2302
typedef enum { UPDATE_SET, UPDATE_ADD, UPDATE_REMOVE } update_mode_t;
int slurm_update_suspend_exc_nodes(char *, update_mode_t);
#endif
void slurm_print_ctl_conf(FILE *, slurm_conf_t *);
int slurm_load_jobs(time_t, job_info_msg_t **, uint16_t);
void slurm_free_job_info_msg(job_info_msg_t *);
void slurm_init_job_desc_msg(job_desc_msg_t *);
int slurm_update_job(job_desc_msg_t *);
int slurm_submit_batch_job(job_desc_msg_t *, submit_response_msg_t **);
void slurm_free_submit_response_response_msg(submit_response_msg_t *);
int slurm_allocate_resources(job_desc_msg_t *,
			     resource_allocation_response_msg_t **);
void slurm_free_resource_allocation_response_msg(
	resource_allocation_response_msg_t *);
void slurm_free_job_step_info_response_msg(job_step_info_response_msg_t *);
slurm_step_layout_t *slurm_job_step_layout_get(slurm_step_id_t *);
int slurm_load_node(time_t, node_info_msg_t **, uint16_t);
int slurm_load_node_single(node_info_msg_t **, char *, uint16_t);
void slurm_free_node_info_msg(node_info_msg_t *);
void slurm_init_update_node_msg(update_node_msg_t *);
int slurm_update_node(update_node_msg_t *);
int slurm_create_node(update_node_msg_t *);
int slurm_delete_node(update_node_msg_t *);
HOSTLIST slurm_hostlist_create(const char *);
int slurm_hostlist_count(HOSTLIST);
void slurm_hostlist_destroy(HOSTLIST);
int slurm_hostlist_find(HOSTLIST, const char *);
int slurm_hostlist_push_host(HOSTLIST, const char *);
ssize_t slurm_hostlist_ranged_string(HOSTLIST, size_t, char *);
char *slurm_hostlist_shift(HOSTLIST);

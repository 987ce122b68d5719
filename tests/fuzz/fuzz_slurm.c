/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slurmctld's answers: jobs, steps, nodes, partitions, and what a job has. A
 * line each, fields with '|': the first is 'J', 'S', 'N', 'P' or 'A'. Libslurm
 * itself is not here: what it would have read from the wire is made of that.
 */
#include <string.h>

#include "base/cleanup.h"
#include "bridge/jobspec/job_identity.h"
#include "fuzz.h"
#include "slurm/ctl.h"
#include "slurm/ctl_placeholder_list.h"
#include "slurm/ctl_queue.h"
#include "slurm/ctl_required.h"
#include "slurm/ctl_steps.h"
#include "slurm/rpc.h"
#include "syntax/gres_text.h"
#include "syntax/hostlist.h"

#define FIELDS 15
#define MOST 64 /* of each */

static struct {
	job_info_t jobs[MOST];
	char *gres[MOST][4];
	int32_t inx[MOST][3];
	job_step_info_t steps[MOST];
	node_info_t nodes[MOST];
	partition_info_t parts[MOST];
	uint32_t n_jobs, n_steps, n_nodes, n_parts;
	resource_allocation_response_msg_t has;
	uint16_t cpus[4];
	uint32_t reps[4];
	job_info_msg_t job_msg;
	job_step_info_response_msg_t step_msg;
	node_info_msg_t node_msg;
	partition_info_msg_t part_msg;
} said;

/* --- libslurm, as far as it is called */

int slurm_load_jobs(time_t since, job_info_msg_t **out, uint16_t show)
{
	(void)since, (void)show;
	said.job_msg = (job_info_msg_t){.last_update = 7,
					.record_count = said.n_jobs,
					.job_array = said.jobs};
	*out = &said.job_msg;
	return 0;
}

int slurm_load_job(job_info_msg_t **out, uint32_t job_id, uint16_t show)
{
	(void)job_id;
	return slurm_load_jobs(0, out, show);
}

int slurm_load_node(time_t since, node_info_msg_t **out, uint16_t show)
{
	(void)since, (void)show;
	said.node_msg = (node_info_msg_t){.last_update = 7,
					  .record_count = said.n_nodes,
					  .node_array = said.nodes};
	*out = &said.node_msg;
	return 0;
}

int slurm_load_node_single(node_info_msg_t **out, char *name, uint16_t show)
{
	(void)name;
	return slurm_load_node(0, out, show);
}

int slurm_load_partitions(time_t since, partition_info_msg_t **out,
			  uint16_t show)
{
	(void)since, (void)show;
	said.part_msg = (partition_info_msg_t){.record_count = said.n_parts,
					       .partition_array = said.parts};
	*out = &said.part_msg;
	return 0;
}

int slurm_get_job_steps(time_t since, uint32_t job, uint32_t step,
			job_step_info_response_msg_t **out, uint16_t show)
{
	(void)since, (void)job, (void)step, (void)show;
	said.step_msg = (job_step_info_response_msg_t){
		.job_step_count = said.n_steps, .job_steps = said.steps};
	*out = &said.step_msg;
	return 0;
}

int slurm_allocation_lookup(uint32_t job_id,
			    resource_allocation_response_msg_t **out)
{
	(void)job_id;
	*out = &said.has;
	return 0;
}

void slurm_free_job_info_msg(job_info_msg_t *msg)
{
	PROMISE(msg == &said.job_msg);
}

void slurm_free_node_info_msg(node_info_msg_t *msg)
{
	PROMISE(msg == &said.node_msg);
}

void slurm_free_partition_info_msg(partition_info_msg_t *msg)
{
	PROMISE(msg == &said.part_msg);
}

void slurm_free_job_step_info_response_msg(job_step_info_response_msg_t *msg)
{
	PROMISE(msg == &said.step_msg);
}

void slurm_free_resource_allocation_response_msg(
	resource_allocation_response_msg_t *msg)
{
	PROMISE(msg == &said.has);
}

int slurm_get_select_nodeinfo(dynamic_plugin_data_t *nodeinfo,
			      enum select_nodedata_type type,
			      enum node_states state, void *data)
{
	(void)nodeinfo, (void)type, (void)state, (void)data;
	return -1;
}

/* (slurm.h names a struct hostlist, too, and does not say what is in it) */
struct shifted {
	struct hostlist names; /* first */
	size_t at;
};

hostlist_t slurm_hostlist_create(const char *text)
{
	struct shifted *l = calloc(1, sizeof(*l));

	PROMISE(l && text);
	if (*text &&
	    (hostlist_expand(text, &l->names, NULL) || l->names.n > 1000)) {
		hostlist_clear(&l->names);
		free(l);
		return NULL;
	}
	return &l->names;
}

int slurm_hostlist_count(hostlist_t l)
{
	return (int)l->n;
}

char *slurm_hostlist_shift(hostlist_t l)
{
	struct shifted *s = (struct shifted *)l;

	return s->at < l->n ? strdup(l->names[s->at++]) : NULL;
}

int slurm_hostlist_find(hostlist_t l, const char *name)
{
	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->names[i], name))
			return (int)i;
	return -1;
}

void slurm_hostlist_destroy(hostlist_t l)
{
	hostlist_clear(l);
	free(l);
}

slurm_step_layout_t *slurm_job_step_layout_get(slurm_step_id_t *id)
{
	(void)id;
	return NULL;
}

void slurm_job_step_layout_free(slurm_step_layout_t *layout)
{
	(void)layout;
}

void slurm_init_job_desc_msg(job_desc_msg_t *desc)
{
	memset(desc, 0, sizeof(*desc));
}

time_t rpc_since(time_t last_update)
{
	return last_update;
}

int rpc_err(struct err *err, const char *what)
{
	return err_set(err, -5, "%s", what);
}

int rpc_update_job(job_desc_msg_t *desc, struct err *err)
{
	(void)desc, (void)err;
	return 0;
}

/* --- the input */

/* "": Slurm sends none. */
static char *text_or_null(char *field)
{
	return field && *field ? field : NULL;
}

static uint32_t number(const char *field)
{
	return field ? (uint32_t)strtoul(field, NULL, 0) : 0;
}

/* As slurmctld has them: as many as the list names. */
static int32_t *nodes_of(const char *names, int32_t inx[3])
{
	hostlist_t list = names ? slurm_hostlist_create(names) : NULL;
	const int n = list ? slurm_hostlist_count(list) : 0;

	if (list)
		slurm_hostlist_destroy(list);
	inx[0] = n > 0 ? 0 : -1;
	inx[1] = n - 1;
	inx[2] = -1;
	return inx;
}

static void take_job(char *f[FIELDS])
{
	job_info_t *j = &said.jobs[said.n_jobs];
	char **gres = said.gres[said.n_jobs], *save = NULL;

	j->job_id = number(f[1]);
	j->job_state = number(f[2]);
	j->state_reason = (uint16_t)number(f[3]);
	j->priority = number(f[4]);
	j->state_desc = text_or_null(f[5]);
	j->nodes = text_or_null(f[6]);
	j->node_inx = nodes_of(j->nodes, said.inx[said.n_jobs]);
	j->admin_comment = text_or_null(f[7]);
	j->features = text_or_null(f[8]);
	j->req_nodes = text_or_null(f[9]);
	j->partition = text_or_null(f[10]);
	for (char *at = f[11] ? strtok_r(f[11], ";", &save) : NULL;
	     at && j->gres_detail_cnt < 4; at = strtok_r(NULL, ";", &save))
		gres[j->gres_detail_cnt++] = at;
	j->gres_detail_str = gres;
	j->num_cpus = number(f[12]);
	j->pn_min_memory = number(f[13]);
	j->resize_time = number(f[14]);
	said.n_jobs++;
}

static void take_step(char *f[FIELDS])
{
	job_step_info_t *s = &said.steps[said.n_steps++];

	s->step_id.job_id = number(f[1]);
	s->step_id.step_id = number(f[2]);
	s->step_id.step_het_comp = number(f[3]);
	s->state = number(f[4]);
	s->name = text_or_null(f[5]);
	s->nodes = text_or_null(f[6]);
}

static void take_node(char *f[FIELDS])
{
	node_info_t *n = &said.nodes[said.n_nodes++];

	n->name = text_or_null(f[1]);
	n->node_state = number(f[2]);
	n->reason = text_or_null(f[3]);
	n->extra = text_or_null(f[4]);
	n->gres = text_or_null(f[5]);
	n->comment = text_or_null(f[6]);
	n->features = text_or_null(f[7]);
	n->features_act = text_or_null(f[8]);
}

/* "A|nodes|memory|CPUs|times|CPUs|times" */
static void take_allocation(char *f[FIELDS])
{
	said.has.node_list = text_or_null(f[1]);
	said.has.pn_min_memory = number(f[2]);
	said.has.cpus_per_node = said.cpus;
	said.has.cpu_count_reps = said.reps;
	said.has.num_cpu_groups = 0;
	for (int i = 0; i < 4 && f[3 + 2 * i]; i++) {
		said.cpus[i] = (uint16_t)number(f[3 + 2 * i]);
		said.reps[i] = number(f[4 + 2 * i]);
		said.has.num_cpu_groups++;
	}
}

static void take_line(char *line)
{
	char *f[FIELDS] = {0};

	for (int i = 0; line && i < FIELDS; i++)
		f[i] = strsep(&line, "|");
	switch (f[0] ? *f[0] : 0) {
	case 'J':
		if (said.n_jobs < MOST)
			take_job(f);
		break;
	case 'S':
		if (said.n_steps < MOST)
			take_step(f);
		break;
	case 'N':
		if (said.n_nodes < MOST)
			take_node(f);
		break;
	case 'P':
		if (said.n_parts < MOST) {
			said.parts[said.n_parts].name = text_or_null(f[1]);
			said.parts[said.n_parts++].nodes = text_or_null(f[2]);
		}
		break;
	default:
		take_allocation(f);
	}
}

/* --- what is made of it */

static void check_jobs(void)
{
	struct ctl_placeholders *s = NULL;
	struct job_identity id;

	PROMISE(ctl_placeholders_load(NULL, &s, NULL, NULL) == 1);
	PROMISE(ctl_placeholders_count(s) <= said.n_jobs);
	for (size_t i = 0; i < ctl_placeholders_count(s); i++) {
		const struct placed *p = ctl_placeholders_at(s, i);

		promise_clean(p->reason);
		PROMISE(p->nodes && p->admin_comment);
		PROMISE(p->status.state < PLACED_GONE);
		(void)job_identity_parse(p->admin_comment, &id);
	}
	ctl_placeholders_free(s);
}

static void check_required(void)
{
	struct ctl_required *r = NULL;
	struct err err = {0};
	const char *by;
	int rc = ctl_required_load(NULL, &r, &err);

	promise_err(rc, &err);
	PROMISE(!rc == (r != NULL));
	by = r ? ctl_required_by(r, "n1") : NULL;
	PROMISE(!by || !strncmp(by, "job ", 4));
	ctl_required_free(r);
}

static void check_layout(void)
{
	struct ctl_layout *l = NULL;
	char *names = NULL;
	struct placed_share has = {0};
	struct err err = {0};
	const uint32_t job = said.n_jobs ? said.jobs[0].job_id : 1;
	int rc = ctl_layout_load(job, &l, &err);

	promise_err(rc, &err);
	for (size_t i = 0; !rc && i < ctl_layout_count(l); i++) {
		const struct placed_node *n = ctl_layout_at(l, i);

		PROMISE(*n->name && n->gres);
		PROMISE(gres_text_room(n->gres, "gpu") >= 0);
		PROMISE(gres_text_room(n->gres, "gpu:a100") >= 0);
	}
	PROMISE(rc || !ctl_layout_at(l, ctl_layout_count(l)));
	ctl_layout_free(l);
	if (!ctl_layout_names(job, &names, &has, NULL))
		PROMISE(*names);
	free(names);
}

static void each(void *arg, const char *node)
{
	PROMISE(*node);
	++*(size_t *)arg;
}

static void check_steps(void)
{
	struct ctl_steps *s = NULL;
	struct ctl_step step;
	char name[64];
	size_t n = 0;

	PROMISE(ctl_steps_refresh(&s, NULL) == 1);
	for (size_t i = 0; ctl_steps_at(s, i, &step); i++) {
		ctl_step_name(&step, name, sizeof(name));
		PROMISE(*name && step.name);
		if (step.nodes)
			ctl_hostlist_each(step.nodes, each, &n);
	}
	ctl_steps_free(s);
}

static void check_nodes(void)
{
	struct ctl_nodes *n = NULL;
	struct ctl_node node, same;

	PROMISE(ctl_nodes_refresh(&n, NULL) == 1);
	for (size_t i = 0; ctl_nodes_at(n, i, &node); i++) {
		PROMISE(ctl_nodes_find(n, node.name, &same));
		PROMISE(!strcmp(node.name, same.name));
	}
	ctl_nodes_free(n);
}

static void check_queue(void)
{
	struct ctl_queue *q = NULL;
	struct ctl_waiting w;
	uint32_t at = 0;

	PROMISE(!ctl_queue_load(NULL, &q, NULL));
	while (ctl_queue_next(q, &at, &w)) {
		PROMISE(*w.features && w.index < at);
		(void)ctl_queue_may_use(q, &w,
					&(struct ctl_node){.name = "n1"});
	}
	ctl_queue_free(q);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	_cleanup_free_ char *text = text_of(data, len);
	char *rest = text;

	memset(&said, 0, sizeof(said));
	while (rest)
		take_line(strsep(&rest, "\n"));
	check_jobs();
	check_required();
	check_layout();
	check_steps();
	check_nodes();
	check_queue();
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When nodes of ours are deleted, as they are of another size than k8s.yaml
 * says: again and again. Slurm, the clock, the log and the nodeset are the
 * test's; no node has a pod.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/str.h"
#include "nodes/dynamic/dynamic_nodes.h"
#include "slurm/ctl_create.h"
#include "slurm/ctl_required.h"
#include "slurm/ctl_reserved.h"
#include "t.h"

#define HOUR_MS 3600000

static int64_t now_ms = 1000000;

int64_t __wrap_clock_ms(void);
int64_t __wrap_clock_ms(void)
{
	return now_ms;
}

static char logged[1000]; /* the last line */
static int lines;

static void sink(enum log_level level, const char *line)
{
	(void)level;
	lines++;
	str_copy(logged, line, sizeof(logged));
}

static struct nodeset set = {.name = (char *)"s", .nodes = (char *)"n[1-2]"};
static struct config config = {.nodesets = &set, .n_nodesets = 1};
static bool homeless; /* the nodes are in no nodeset */

const struct nodeset *__wrap_config_nodeset_of(const struct config *c,
					       const char *node);
const struct nodeset *__wrap_config_nodeset_of(const struct config *c,
					       const char *node)
{
	(void)c, (void)node;
	return homeless ? NULL : &set;
}

struct cluster *cluster_of(struct nodes *e, const struct nodeset *of)
{
	(void)e, (void)of;
	return NULL;
}

bool cluster_held(struct cluster *l)
{
	(void)l;
	return true;
}

/* (there is no cluster whose pods could be looked at) */
bool watch_is_live(struct cluster *l)
{
	(void)l;
	return false;
}

struct worker_pods *watch_pods(struct cluster *l)
{
	(void)l;
	return NULL;
}

/* --- Slurm */

static struct ctl_node nodes[2];
static char deleted[64]; /* what it was asked to delete */
static bool refuses;

bool ctl_creates_nodes(void)
{
	return true;
}

size_t ctl_nodes_count(const struct ctl_nodes *n)
{
	(void)n;
	return T_COUNT(nodes);
}

bool ctl_nodes_at(const struct ctl_nodes *n, size_t i, struct ctl_node *out)
{
	(void)n;
	if (i < T_COUNT(nodes))
		*out = nodes[i];
	return i < T_COUNT(nodes);
}

bool ctl_nodes_find(const struct ctl_nodes *n, const char *name,
		    struct ctl_node *out)
{
	(void)n;
	for (size_t i = 0; i < T_COUNT(nodes); i++)
		if (!strcmp(nodes[i].name, name)) {
			*out = nodes[i];
			return true;
		}
	return false;
}

int ctl_nodes_load_one(const char *name, struct ctl_nodes **out,
		       struct err *err)
{
	(void)name, (void)err;
	*out = (struct ctl_nodes *)nodes;
	return 0;
}

void ctl_nodes_free(struct ctl_nodes *n)
{
	(void)n;
}

char *ctl_hostlist_of(char *const names[], size_t n)
{
	return str_printf("%s%s%s", names[0], n > 1 ? "," : "",
			  n > 1 ? names[1] : "");
}

static bool untried;		 /* Slurm has created none of this size yet */
static bool missing, takes_none; /* n1 is missing; Slurm creates none */

int ctl_nodes_create(const char *line, struct err *err)
{
	T_OK(missing);
	T_HAS(line, "n1");
	if (takes_none)
		return err_set(err, -EIO, "no such size");
	nodes[0].name = "n1";
	missing = false;
	return 0;
}

int ctl_nodes_delete(const char *names, struct err *err)
{
	str_copy(deleted, names, sizeof(deleted));
	return refuses ? err_set(err, -EIO, "no") : 0;
}

static const char *promised; /* the one node that a reservation names */
static bool mute;	     /* it does not say which that is */
static int loads, snapshots; /* these: not freed */

int ctl_reserved_load(struct ctl_reserved **out, struct err *err)
{
	loads++;
	if (mute)
		return err_set(err, -EIO, "no answer");
	snapshots++;
	*out = (struct ctl_reserved *)nodes;
	return 0;
}

void ctl_reserved_free(struct ctl_reserved *r)
{
	snapshots -= r != NULL;
}

const char *ctl_reserved_by(const struct ctl_reserved *r, const char *node)
{
	(void)r;
	return promised && !strcmp(node, promised) ? "maint" : NULL;
}

static const char *required; /* the one node that a job requires */
static bool jobs_mute;
static int jobs_loads;
static int64_t jobs_take;

int ctl_required_load(struct ctl_reader *reader, struct ctl_required **out,
		      struct err *err)
{
	(void)reader;
	jobs_loads++;
	now_ms += jobs_take;
	if (jobs_mute)
		return err_set(err, -EIO, "no jobs");
	snapshots++;
	*out = (struct ctl_required *)nodes;
	return 0;
}

void ctl_required_free(struct ctl_required *r)
{
	snapshots -= r != NULL;
}

const char *ctl_required_by(const struct ctl_required *r, const char *node)
{
	(void)r;
	return required && !strcmp(node, required) ? "job 12" : NULL;
}

/* --- */

static struct nodes *engine;
static struct create_backoff creating[2];

static void remember(const char *name)
{
	struct node_state *m = calloc(1, sizeof(*m) + strlen(name) + 1);

	if (!m)
		abort();
	memcpy(m->name, name, strlen(name) + 1);
	HASH_ADD_KEYPTR(hh, engine->memos, m->name, strlen(m->name), m);
}

/* Both are powered down, and are of 2 CPUs and 256 MiB, and stay so. */
static void begin(void)
{
	const struct ctl_node node = {.power = CTL_POWERED_DOWN,
				      .dynamic = true,
				      .cloud = true,
				      .cpus = 2,
				      .memory_mib = 256,
				      .features = "k8s-created"};

	nodes[0] = nodes[1] = node;
	nodes[0].name = "n1";
	nodes[1].name = "n2";
	set.create = (struct create_nodes){
		.wanted = true, .cpus = 2, .memory_mib = 256};
	memset(creating, 0, sizeof(creating));
	refuses = mute = homeless = missing = takes_none = untried = false;
	promised = required = NULL;
	jobs_mute = false;
	loads = jobs_loads = 0;
	jobs_take = 0;
	log_set_sink(sink);
	engine = calloc(1, sizeof(*engine));
	if (!engine)
		abort();
	engine->config = &config;
	engine->dynamic.backoff = creating;
	engine->slurm.all = (struct ctl_nodes *)nodes;
	remember("n1");
	remember("n2");
}

static void end(void)
{
	struct node_state *m, *next;

	HASH_ITER(hh, engine->memos, m, next)
	{
		HASH_DELETE(hh, engine->memos, m);
		free(m);
	}
	free(engine);
	T_INT(snapshots, 0);
	log_set_sink(NULL);
}

static const char *step_after(int64_t ms)
{
	*deleted = *logged = '\0';
	lines = 0;
	now_ms += ms;
	if (!untried) {
		creating[0].cpus = set.create.cpus;
		creating[0].memory_mib = set.create.memory_mib;
	}
	engine->slurm.stale = false;
	dynamic_nodes_step(engine);
	return deleted;
}

static const char *step(void)
{
	return step_after(HOUR_MS);
}

static void nodes_of_another_size_are_replaced_once_for_it(void)
{
	begin();
	T_STR(step(), "");
	set.create.cpus = 4;
	T_STR(step(), "n1,n2");
	T_STR(step(), ""); /* though Slurm says that they are of 2 still */
	set.create.memory_mib = 512;
	T_STR(step(), "n1,n2");
	T_STR(step(), "");
	set.create.cpus = 8;
	T_STR(step(), "n1,n2");
	end();
}

/* (gres.conf may not be of it) */
static void a_new_size_is_tried_with_one_node_first(void)
{
	for (int takes = 0; takes < 2; takes++) {
		t_row("%d", takes);
		begin();
		untried = true;
		takes_none = !takes;
		set.create.cpus = 4;
		T_STR(step(), "n1");
		nodes[0].name = "gone";
		missing = true;
		T_STR(step(), takes ? "n2" : "");
		T_STR(step(), "");
		if (!takes) {
			takes_none = false;
			T_STR(step(), "n2");
		}
		end();
	}
}

static void one_that_is_there_whoever_made_it_is_not_refused(void)
{
	begin();
	untried = true;
	creating[0].failures = 3; /* an answer was lost */
	set.create.cpus = 4;
	T_STR(step(), "n1");
	T_INT(creating[0].failures, 0);
	end();
}

static void what_slurm_refuses_is_tried_again(void)
{
	begin();
	set.create.cpus = 4;
	refuses = true;
	T_STR(step(), "n1,n2");
	T_STR(step(), "n1,n2");
	refuses = false;
	T_STR(step(), "n1,n2");
	T_STR(step(), "");
	end();
}

static void one_in_a_reservation_keeps_no_other_one(void)
{
	begin();
	nodes[0].reserved = true;
	set.create.cpus = 4;
	T_STR(step(), "n2");
	T_STR(step(), "");
	nodes[0].reserved = false;
	T_STR(step(), "n1");
	T_STR(step(), "");
	end();
}

/* (Slurm would take it out of it) */
static void one_that_a_reservation_to_come_names_stays(void)
{
	begin();
	T_STR(step(), "");
	T_INT(loads, 0); /* there is no need to know */
	set.create.cpus = 4;
	promised = "n1";
	T_STR(step(), "n2");
	T_INT(loads, 1);
	T_INT(lines, 2); /* that n2 was deleted, and: */
	promised = "n2";
	T_STR(step(), "n1");
	promised = NULL;
	T_STR(step(), "");
	end();
}

static void the_log_says_once_what_a_reservation_keeps(void)
{
	begin();
	set.create.cpus = 4;
	nodes[1].busy = true;
	promised = "n1";
	T_STR(step(), "");
	T_INT(lines, 1);
	T_HAS(logged, "node n1: of another size");
	T_HAS(logged, "while reservation maint names it");
	T_STR(step(), "");
	T_INT(lines, 0);
	nodes[1].busy = false;
	T_STR(step(), "n2");
	T_STR(step(), "");
	T_INT(lines, 0);
	promised = NULL;
	T_STR(step(), "n1");
	end();
}

static void what_no_nodeset_has_stays_for_a_reservation_too(void)
{
	begin();
	homeless = true;
	promised = "n1";
	T_STR(step(), "n2");
	T_STR(step(), "n2");
	T_INT(lines, 1);
	promised = NULL;
	T_STR(step(), "n1,n2");
	end();
}

static void nothing_is_replaced_when_reservations_are_not_known(void)
{
	begin();
	set.create.cpus = 4;
	mute = true;
	T_STR(step(), "");
	T_INT(loads, 1);
	T_INT(lines, 1);
	T_HAS(logged, "no answer");
	T_STR(step(), "");
	T_INT(loads, 2);
	T_INT(lines, 0);
	mute = false;
	T_STR(step(), "n1,n2");
	end();
}

/*
 * (Slurm would end it, though it runs on another one, when it is started or
 * reads slurm.conf again)
 */
static void one_that_a_job_requires_stays(void)
{
	for (int of = 0; of < 2; of++) {
		t_row("%d", of);
		begin();
		T_STR(step(), "");
		T_INT(jobs_loads, 0); /* there is no need to know */
		homeless = of;
		set.create.cpus = 4;
		required = "n1";
		nodes[1].busy = true;
		T_STR(step(), "");
		T_INT(lines, 1);
		T_HAS(logged, of ? "node n1: in no nodeset"
				 : "node n1: of another size");
		T_HAS(logged, "while job 12 has it in its ReqNodeList");
		T_STR(step(), "");
		T_INT(lines, 0);
		nodes[1].busy = false;
		T_STR(step(), "n2");
		required = NULL;
		T_STR(step(), of ? "n1,n2" : "n1");
		end();
	}
}

/* Else none of a new size would ever be tried. */
static void the_one_that_is_tried_first_is_one_that_no_job_requires(void)
{
	begin();
	untried = true;
	set.create.cpus = 4;
	required = "n1";
	T_STR(step(), "n2");
	end();
}

static void nothing_is_replaced_when_jobs_are_not_known(void)
{
	begin();
	set.create.cpus = 4;
	jobs_mute = true;
	T_STR(step(), "");
	T_INT(lines, 1);
	T_HAS(logged, "no jobs");
	jobs_mute = false;
	T_STR(step(), "n1,n2");
	end();
}

/* (slurmctld holds its lock of jobs for the answer) */
static void jobs_are_asked_for_a_part_of_the_time(void)
{
	begin();
	set.create.cpus = 4;
	required = "n1";
	nodes[1].busy = true;
	jobs_take = 30000;
	T_STR(step(), "");
	T_INT(jobs_loads, 1);
	nodes[1].busy = false;
	T_STR(step_after(599000), "");
	T_INT(jobs_loads, 1);
	T_STR(step_after(11000), "n2");
	T_INT(jobs_loads, 2);
	end();
}

static void while_one_keeps_a_node_jobs_are_asked_for_each_minute(void)
{
	begin();
	set.create.cpus = 4;
	required = "n1";
	T_STR(step(), "n2");
	T_STR(step_after(10000), "");
	T_STR(step_after(40000), "");
	T_INT(jobs_loads, 1);
	required = NULL;
	T_STR(step_after(11000), "n1");
	T_INT(jobs_loads, 2);
	end();
}

static void those_that_follow_go_at_once(void)
{
	begin();
	set.create.cpus = 4;
	nodes[1].busy = true;
	T_STR(step(), "n1");
	nodes[1].busy = false;
	T_STR(step_after(10000), "n2");
	T_INT(jobs_loads, 2);
	end();
}

static void of_what_a_reservation_keeps_no_job_is_asked(void)
{
	begin();
	set.create.cpus = 4;
	nodes[1].busy = true;
	promised = "n1";
	T_STR(step(), "");
	T_STR(step(), "");
	T_INT(loads, 2);
	T_INT(jobs_loads, 0);
	end();
}

T_MAIN("dynamic_nodes",
       T(while_one_keeps_a_node_jobs_are_asked_for_each_minute),
       T(those_that_follow_go_at_once),
       T(of_what_a_reservation_keeps_no_job_is_asked),
       T(one_that_a_job_requires_stays),
       T(the_one_that_is_tried_first_is_one_that_no_job_requires),
       T(nothing_is_replaced_when_jobs_are_not_known),
       T(jobs_are_asked_for_a_part_of_the_time),
       T(one_that_a_reservation_to_come_names_stays),
       T(the_log_says_once_what_a_reservation_keeps),
       T(what_no_nodeset_has_stays_for_a_reservation_too),
       T(nothing_is_replaced_when_reservations_are_not_known),
       T(nodes_of_another_size_are_replaced_once_for_it),
       T(a_new_size_is_tried_with_one_node_first),
       T(one_that_is_there_whoever_made_it_is_not_refused),
       T(what_slurm_refuses_is_tried_again),
       T(one_in_a_reservation_keeps_no_other_one))

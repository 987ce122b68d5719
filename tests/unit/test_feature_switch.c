/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which idle nodes are powered down for a job that waits for a feature. Slurm,
 * the clock and k8s.yaml are the test's: all nodes are of one nodeset.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "nodes/features/feature_switch.h"
#include "slurm/ctl_queue.h"
#include "t.h"

static int64_t clock_now = 1000000;

int64_t __wrap_clock_ms(void);
int64_t __wrap_clock_ms(void)
{
	return clock_now;
}

static struct feature offered[] = {{.name = (char *)"pytorch"},
				   {.name = (char *)"jax"}};
static struct nodeset set;
static struct config config = {.features = {offered, T_COUNT(offered)}};

const struct nodeset *__wrap_config_nodeset_of(const struct config *c,
					       const char *node);
const struct nodeset *__wrap_config_nodeset_of(const struct config *c,
					       const char *node)
{
	(void)c, (void)node;
	return &set;
}

struct cluster *cluster_of(struct nodes *e, const struct nodeset *of)
{
	(void)e, (void)of;
	return NULL;
}

bool watch_is_live(struct cluster *l)
{
	(void)l;
	return true;
}

bool cooldown_now(struct nodes *e, const struct nodeset *of)
{
	(void)e, (void)of;
	return false;
}

/* --- Slurm */

static struct ctl_node nodes[4];
static size_t n_nodes;
static struct ctl_waiting job; /* the only one that waits */
static const char *may_not;    /* be used by it */
static char down[64];	       /* those that are powered down */

size_t ctl_nodes_count(const struct ctl_nodes *n)
{
	(void)n;
	return n_nodes;
}

bool ctl_nodes_at(const struct ctl_nodes *n, size_t i, struct ctl_node *out)
{
	(void)n;
	if (i < n_nodes)
		*out = nodes[i];
	return i < n_nodes;
}

int ctl_node_try(const char *names, enum ctl_node_update what, const char *text)
{
	(void)text;
	T_INT(what, CTL_POWER_DOWN);
	str_copy(down, names, sizeof(down));
	return 0;
}

static const char *drained; /* this one is by now; NULL: none */

int ctl_nodes_load_one(const char *name, struct ctl_nodes **out,
		       struct err *err)
{
	(void)name, (void)err;
	*out = (struct ctl_nodes *)nodes;
	return 0;
}

int ctl_nodes_load(struct ctl_nodes **out, struct err *err)
{
	return ctl_nodes_load_one("", out, err);
}

void ctl_nodes_free(struct ctl_nodes *n)
{
	(void)n;
}

bool ctl_nodes_find(const struct ctl_nodes *n, const char *name,
		    struct ctl_node *out)
{
	(void)n;
	for (size_t i = 0; i < n_nodes; i++)
		if (!strcmp(nodes[i].name, name)) {
			*out = nodes[i];
			out->drained = drained && !strcmp(name, drained);
			return true;
		}
	return false;
}

bool ctl_queue_is_slurms(void)
{
	return false;
}

int ctl_queue_load(struct ctl_reader *r, struct ctl_queue **out,
		   struct err *err)
{
	(void)r;
	(void)err;
	*out = (struct ctl_queue *)down;
	return 0;
}

void ctl_queue_free(struct ctl_queue *q)
{
	(void)q;
}

bool ctl_queue_next(const struct ctl_queue *q, uint32_t *at,
		    struct ctl_waiting *out)
{
	(void)q;
	*out = job;
	return !(*at)++;
}

static int releases; /* of held jobs */

int ctl_queue_release(uint32_t job_id, struct err *err)
{
	(void)job_id, (void)err;
	releases++;
	return 0;
}

bool ctl_queue_may_use(struct ctl_queue *q, const struct ctl_waiting *w,
		       const struct ctl_node *node)
{
	(void)q, (void)w;
	return !may_not || strcmp(may_not, node->name) != 0;
}

/* --- */

/* n1 is powered down; n2 and n3 are idle with pytorch. */
static void begin(void)
{
	const struct ctl_node node = {.power = CTL_UP,
				      .cpus = 4,
				      .memory_mib = 400,
				      .gres = "gpu:2",
				      .features = "pytorch,jax",
				      .features_active = "pytorch"};

	n_nodes = 3;
	for (size_t i = 0; i < n_nodes; i++)
		nodes[i] = node;
	nodes[0].name = "n1";
	nodes[0].power = CTL_POWERED_DOWN;
	nodes[0].features_active = "";
	nodes[1].name = "n2";
	nodes[2].name = "n3";
	set.known = &config.features;
	set.features = 3;
	job = (struct ctl_waiting){
		.job_id = 7, .n_nodes = 1, .features = "jax"};
	may_not = NULL;
}

static const char *powered_down(void)
{
	struct nodes *e = calloc(1, sizeof(*e));

	if (!e)
		abort();
	e->config = &config;
	e->site.has_features = true;
	*down = '\0';
	feature_switch_step(e);
	free(e);
	return down;
}

static void as_many_as_the_job_lacks(void)
{
	begin();
	T_STR(powered_down(), "");
	job.n_nodes = 2;
	T_STR(powered_down(), "n2");
	job.n_nodes = 3;
	T_STR(powered_down(), "n2,n3");
	job.n_nodes = 4;
	T_STR(powered_down(), "");
}

/* (the power-down would take the drain away) */
static void none_that_an_administrator_has_drained_meanwhile(void)
{
	begin();
	job.n_nodes = 3;
	drained = "n2";
	T_STR(powered_down(), "n3");
	job.n_nodes = 2;
	T_STR(powered_down(), "");
	drained = NULL;
}

static void none_that_the_job_may_not_use(void)
{
	begin();
	may_not = "n1";
	T_STR(powered_down(), "n2");
	job.n_nodes = 2;
	may_not = "n2";
	T_STR(powered_down(), "n3");
}

/* Nor does one that is powered down count then. */
static void none_that_is_too_small_for_the_job(void)
{
	static const struct {
		uint32_t cpus;
		uint64_t memory_mib;
		const char *gres;
	} rows[] = {{5, 0, NULL}, {1, 401, NULL}, {1, 0, "gres/gpu:3"}};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%zu", i);
		begin();
		job.cpus = rows[i].cpus;
		job.memory_mib = rows[i].memory_mib;
		job.gres = rows[i].gres;
		T_STR(powered_down(), "");
		nodes[2].cpus = 8;
		nodes[2].memory_mib = 800;
		nodes[2].gres = "gpu:4";
		T_STR(powered_down(), "n3");
		job.n_nodes = 2;
		T_STR(powered_down(), "");
	}
}

/* Each release is an RPC that has slurmctld look at the job. */
static void a_held_job_is_released_once_a_minute(void)
{
	struct nodes *e = calloc(1, sizeof(*e));

	if (!e)
		abort();
	begin();
	job.held = true;
	e->config = &config;
	e->site.has_features = true;
	releases = 0;
	for (int i = 0; i < 10; i++) {
		feature_switch_step(e);
		clock_now += 5500;
	}
	T_INT(releases, 1);
	clock_now += 5500;
	feature_switch_step(e);
	T_INT(releases, 2);
	free(e);
}

T_MAIN("feature_switch", T(a_held_job_is_released_once_a_minute),
       T(as_many_as_the_job_lacks),
       T(none_that_an_administrator_has_drained_meanwhile),
       T(none_that_the_job_may_not_use), T(none_that_is_too_small_for_the_job))

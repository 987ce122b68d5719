/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is done to external nodes, in which order, with each release: which one
 * it is, and what slurmctld answers, is the test's.
 */
#define SLURMK8S_SLURM_RELEASE_H /* instead of release.h: */
#include <stdbool.h>

#include "slurm/rpc.h"

static bool drains, shares, gres_conf = true; /* as the release does */

static inline bool release_external(void)
{
	return true;
}

static inline bool release_external_drains(void)
{
	return drains;
}

static inline bool release_external_shares(void)
{
	return shares;
}

static inline bool release_gres_conf(void)
{
	return gres_conf;
}

static inline void release_set_topology(update_node_msg_t *msg,
					const char *topology)
{
	(void)msg;
	(void)topology;
}

#define RELEASE_EXTERNAL_NODE ""
#include "../../common/slurm/ctl_external.c"
#include "t.h"

static char done[500];	  /* the calls, each with a blank behind it */
static bool busy;	  /* has a job started on a new node? */
static const char *fails; /* the call that slurmctld refuses */
static char created[500]; /* the line of the last node */

static int call(const char *name, struct err *err)
{
	str_copy(done + strlen(done), name, sizeof(done) - strlen(done));
	str_copy(done + strlen(done), " ", sizeof(done) - strlen(done));
	return fails && !strcmp(fails, name) ? err_set(err, -EIO, "refused")
					     : 0;
}

int ctl_nodes_create(const char *line, struct err *err)
{
	str_copy(created, line, sizeof(created));
	return call("create", err);
}

int ctl_nodes_delete(const char *nodes, struct err *err)
{
	(void)nodes;
	return call("delete", err);
}

int ctl_node_update(const char *nodes, enum ctl_node_update what,
		    const char *text, struct err *err)
{
	static const char *const names[] = {[CTL_DRAIN] = "drain",
					    [CTL_FAIL] = "fail",
					    [CTL_DOWN] = "down",
					    [CTL_IDLE] = "idle",
					    [CTL_RESUME] = "resume"};

	(void)nodes;
	if (what != CTL_IDLE && what != CTL_RESUME)
		T_HAS(text, WK_REASON_PREFIX);
	return call(names[what], err);
}

int ctl_nodes_load_one(const char *name, struct ctl_nodes **out,
		       struct err *err)
{
	(void)name;
	*out = NULL;
	return call("look", err);
}

bool ctl_nodes_find(const struct ctl_nodes *n, const char *name,
		    struct ctl_node *out)
{
	(void)n;
	*out = (struct ctl_node){.name = name, .busy = busy};
	return true;
}

void ctl_nodes_free(struct ctl_nodes *n)
{
	(void)n;
}

char *rpc_no_addresses(const char *nodes)
{
	(void)nodes;
	return strdup("127.0.0.1");
}

const char *ctl_version(void)
{
	return "25.05.0";
}

int rpc_err(struct err *err, const char *what)
{
	return err_set(err, -EIO, "%s", what);
}

void slurm_init_update_node_msg(update_node_msg_t *msg)
{
	memset(msg, 0, sizeof(*msg));
}

int slurm_update_node(update_node_msg_t *msg)
{
	(void)msg;
	return 0;
}

static void a_new_node_can_be_shared(void)
{
	const struct {
		const char *release;
		bool drains, shares, busy;
		const char *fails, *done;
		int rc;
	} rows[] = {
		{"26.05.3", true, true, false, NULL, "create ", 0},
		{"25.11.6", true, false, false, NULL,
		 "create drain look down idle ", 0},
		{"25.05", false, false, false, NULL,
		 "create fail look down idle ", 0},
		/* an exclusive job was quicker: it is not killed */
		{"25.11.6", true, false, true, NULL,
		 "create drain look resume ", 0},
		{"25.05", false, false, true, "idle",
		 "create fail look idle resume ", 0},
		{"25.05", false, false, false, "create", "create ", -EIO},
		{"25.05", false, false, false, "fail", "create fail ", -EIO},
		{"25.05", false, false, false, "look", "create fail look ",
		 -EIO},
		{"25.05", false, false, false, "down", "create fail look down ",
		 -EIO},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct err err = {0};
		int rc;

		t_row("%s %s", rows[i].release, rows[i].done);
		*done = '\0';
		drains = rows[i].drains;
		shares = rows[i].shares;
		busy = rows[i].busy;
		fails = rows[i].fails;
		rc = ctl_external_create("NodeName=a CPUs=1", &err);
		T_INT(rc ? rc : ctl_external_settle("a", &err), rows[i].rc);
		T_STR(done, rows[i].done);
	}
}

static void a_drained_node_comes_back(void)
{
	const struct {
		bool drains;
		const char *fails, *done;
		int rc;
	} rows[] = {
		{true, NULL, "drain resume ", 0},
		{true, "resume", "drain resume ", -EIO},
		{false, NULL, "fail idle ", 0},
		/* (a job is there) */
		{false, "idle", "fail idle resume ", 0},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct err err = {0};

		t_row("%s", rows[i].done);
		*done = '\0';
		drains = rows[i].drains;
		fails = rows[i].fails;
		T_INT(ctl_external_drain("a", WK_REASON_PREFIX "x", &err), 0);
		T_INT(ctl_external_resume("a", &err), rows[i].rc);
		T_STR(done, rows[i].done);
	}
}

static void a_release_gets_the_words_that_it_knows(void)
{
	static const struct {
		bool gres_conf;
		const char *line, *created;
	} rows[] = {
		{true, "NodeName=a Gres=x:2 GresConf=count=2,name=x Topology=t",
		 "NodeName=a Gres=x:2 GresConf=count=2,name=x Topology=t "},
		{false,
		 "NodeName=a Gres=x:2 GresConf=count=2,name=x Topology=t",
		 "NodeName=a Gres=x:2 Topology=t "},
		{false, "NodeName=a Gres=x:2 GresConf=count=2,name=x",
		 "NodeName=a Gres=x:2 "},
		{false, "NodeName=a CPUs=1", "NodeName=a CPUs=1 "},
	};

	struct err err = {0};

	fails = NULL;
	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_free_ char *line = NULL;

		t_row("%s", rows[i].line);
		*done = '\0';
		gres_conf = rows[i].gres_conf;
		T_INT(ctl_external_create(rows[i].line, &err), 0);
		line = str_printf("%sNodeAddr=127.0.0.1 State=EXTERNAL",
				  rows[i].created);
		T_STR(created, line);
	}
	fails = "create";
	T_INT(ctl_external_create("NodeName=a Gres=x:2", &err), -EIO);
	T_STR(err.msg, "refused");
	T_INT(ctl_external_create("NodeName=a Gres=gpu:2", &err), -EIO);
	T_HAS(err.msg, "must be in slurmctld's gres.conf");
	fails = NULL;
	gres_conf = true;
}

T_MAIN("ctl_external", T(a_new_node_can_be_shared),
       T(a_drained_node_comes_back), T(a_release_gets_the_words_that_it_knows))

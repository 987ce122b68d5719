/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * common/slurm's placeholder jobs, external nodes and users, from the command
 * line: for tests/slurm, as SlurmUser.
 *
 *   placeholder submit KEY=VALUE...      the job's number
 *   placeholder whole|shared PODS,CPUS,MIB,NODE_CPUS,NODE_MIB KEY=VALUE...
 *                                        likewise, for equal pods, where all
 *                                        nodes are alike
 *   placeholder update JOB KEY=VALUE...
 *   placeholder end JOB WAIT_STATUS
 *   placeholder cancel|layout|names JOB
 *   placeholder list [AGAIN]             twice with AGAIN: what has changed?
 *   placeholder states JOB...
 *   placeholder create LINE | delete NODES | resume NODES
 *   placeholder drain|down|features NODES TEXT
 *   placeholder user NAME
 *   placeholder shorten PARTITION MINUTES  its time limit, by a deadline
 *   placeholder closed PARTITION         may pods have that partition?
 *   placeholder nodes PARTITION          which it has
 *   placeholder many N KEY=VALUE...      N submissions, how many a second
 *   placeholder looks N                  bytes that N looks at nodes, jobs and
 *                                        partitions have left allocated
 *
 * Exit code: 0; 1: refused, with "EINVAL: words"; 2: wrong usage.
 */
#include <errno.h>
#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "bridge/jobspec/job_size.h"
#include "slurm/ctl.h"
#include "slurm/ctl_external.h"
#include "slurm/ctl_parts.h"
#include "slurm/ctl_placeholder.h"
#include "slurm/ctl_placeholder_list.h"
#include "slurm/ctl_steps.h"
#include "slurm/ctl_users.h"
#include "slurm/release.h"
#include "syntax/gres_text.h"

static struct err err;

static int done(int rc)
{
	if (rc < 0)
		printf("%s: %s\n", strerrorname_np(-rc), err.msg);
	return rc < 0;
}

static int usage(const char *word)
{
	fprintf(stderr, "placeholder: wrong usage at %s\n", word);
	return 2;
}

static uint32_t number(const char *text)
{
	return (uint32_t)strtoul(text, NULL, 10);
}

static bool set_text(struct placeholder *p, const char *key, const char *value)
{
	const struct {
		const char *key;
		const char **to;
	} texts[] = {
		{"name", &p->name},
		{"account", &p->account},
		{"partition", &p->partition},
		{"qos", &p->qos},
		{"reservation", &p->reservation},
		{"features", &p->features},
		{"licenses", &p->licenses},
		{"wckey", &p->wckey},
		{"tres_per_node", &p->tres_per_node},
		{"tres_per_task", &p->tres_per_task},
		{"nodelist", &p->nodelist},
		{"exclude", &p->exclude},
		{"dependency", &p->dependency},
		{"comment", &p->comment},
		{"admin_comment", &p->admin_comment},
		{"workdir", &p->workdir},
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (!strcmp(texts[i].key, key)) {
			*texts[i].to = value;
			return true;
		}
	return false;
}

static bool set_number(struct placeholder *p, const char *key,
		       const char *value)
{
	const long long n = strtoll(value, NULL, 10);

#define SET(name)                                                              \
	if (!strcmp(key, #name))                                               \
	return p->name = (__typeof__(p->name))n, true
	SET(uid);
	SET(gid);
	SET(min_nodes);
	SET(max_nodes);
	SET(tasks);
	SET(tasks_per_node);
	SET(cpus_per_task);
	SET(node_cpus);
	SET(memory_per_node);
	SET(memory_per_task);
	SET(time_limit);
	SET(priority);
	SET(nice);
	SET(begin);
	SET(deadline);
	SET(exclusive);
	SET(hold);
	SET(no_requeue);
#undef SET
	return false;
}

static bool parse(struct placeholder *p, char **words)
{
	for (; *words; words++) {
		char *value = strchr(*words, '=');

		if (!value)
			return false;
		*value++ = '\0';
		if (!set_text(p, *words, value) &&
		    !set_number(p, *words, value))
			return false;
	}
	return true;
}

static int do_submit(const struct placeholder *p)
{
	uint32_t job_id;
	int rc = ctl_placeholder_submit(p, &job_id, &err);

	if (!rc)
		printf("%u\n", job_id);
	return done(rc);
}

/* What common/bridge/jobspec/job_spec.c makes of a group of pods. */
static int set_size(const char *text, struct placeholder *p)
{
	static struct job_size_pod pods[100];
	static const struct job_options options;
	uint32_t v[5]; /* PODS,CPUS,MIB,NODE_CPUS,NODE_MIB */
	struct job_size_node node = {0};
	struct pod_requests need = {0};
	struct job_size s;
	char *end = (char *)text;
	int rc;

	for (int i = 0; i < 5; i++, end += *end == ',')
		v[i] = (uint32_t)strtoul(end, &end, 10);
	if (*end || v[0] > sizeof(pods) / sizeof(*pods))
		return -EINVAL;
	need.cpu_milli = (int64_t)v[1] * 1000;
	need.memory_bytes = (int64_t)v[2] << 20;
	node.cpus = v[3];
	node.memory_mib = v[4];
	for (uint32_t i = 0; i < v[0]; i++)
		pods[i].need = &need;
	rc = job_size_make(
		&(struct job_size_ask){.options = &options,
				       .pods = pods,
				       .n = v[0],
				       .nodes = &node,
				       .n_nodes = 1,
				       .whole = p->exclusive ==
						PLACEHOLDER_EXCLUSIVE},
		&s, &err);
	p->tasks = s.tasks;
	p->cpus_per_task = s.cpus_per_task;
	p->node_cpus = s.node_cpus;
	p->memory_per_node = s.memory_per_node;
	p->memory_per_task = s.memory_per_task;
	p->min_nodes = s.min_nodes;
	p->max_nodes = s.max_nodes;
	job_size_clear(&s);
	return rc;
}

static int do_sized(const char *text, bool shared, char **rest)
{
	struct placeholder p = {.exclusive = shared ? PLACEHOLDER_SHARED
						    : PLACEHOLDER_EXCLUSIVE};
	int rc = set_size(text, &p);

	if (rc)
		return done(rc);
	return parse(&p, rest) ? do_submit(&p) : usage(text);
}

static int do_many(uint32_t n, const struct placeholder *p)
{
	const int64_t began = clock_ms();
	uint32_t job_id;
	int rc = 0;

	for (uint32_t i = 0; i < n && !rc; i++)
		rc = ctl_placeholder_submit(p, &job_id, &err);
	if (!rc)
		printf("%" PRId64 "\n",
		       (int64_t)n * 1000 / (clock_ms() - began + 1));
	return done(rc);
}

static const char *const STATES[] = {"PENDING",	  "HELD",	"RUNNING",
				     "SUSPENDED", "COMPLETING", "ENDED",
				     "GONE"};
static const char *const ENDS[] = {"-",		"COMPLETED", "FAILED",
				   "CANCELLED", "TIMEOUT",   "PREEMPTED",
				   "NODE_FAIL", "DEADLINE",  "OTHER"};

/* How it ended, as from wait(2): 0, too, when Slurm does not say. */
static uint32_t wait_status_of(uint32_t job_id)
{
	job_info_msg_t *msg = NULL;
	uint32_t status = 0;

	if (!release_load_job(&msg, job_id) && msg->record_count)
		status = msg->job_array[0].exit_code;
	release_free_jobs(msg);
	return status;
}

static void print(const struct placed *p)
{
	printf("%u %s %s status=%u uid=%u restarts=%u external=%d start=%d "
	       "nodes=%s reason=%s id=%s\n",
	       p->job_id, STATES[p->status.state], ENDS[p->status.end],
	       wait_status_of(p->job_id), p->uid, p->restarts, p->external,
	       p->start > 0, p->nodes, p->reason, p->admin_comment);
}

static int do_list(bool again)
{
	_cleanup_(ctl_placeholders_freep) struct ctl_placeholders *s = NULL;
	int rc = ctl_placeholders_load(NULL, &s, NULL, &err);

	for (size_t i = 0; i < ctl_placeholders_count(s); i++)
		print(ctl_placeholders_at(s, i));
	if (again && rc >= 0) {
		rc = ctl_placeholders_load(NULL, &s, NULL, &err);
		printf("changed: %d, %zu jobs\n", rc,
		       ctl_placeholders_count(s));
	}
	return done(rc);
}

static int do_states(char **words)
{
	struct placed_status status[100];
	uint32_t ids[100];
	size_t n = 0;
	int rc;

	for (; words[n] && n < 100; n++)
		ids[n] = number(words[n]);
	rc = ctl_placeholder_states(ids, n, status, &err);
	for (size_t i = 0; !rc && i < n; i++)
		printf("%u %s %s\n", ids[i], STATES[status[i].state],
		       ENDS[status[i].end]);
	return done(rc);
}

static int do_layout(uint32_t job_id)
{
	_cleanup_(ctl_layout_freep) struct ctl_layout *l = NULL;
	int rc = ctl_layout_load(job_id, &l, &err);

	for (size_t i = 0; !rc && i < ctl_layout_count(l); i++) {
		const struct placed_node *n = ctl_layout_at(l, i);

		printf("%s cpus=%u memory=%" PRIu64 " gpus=%" PRId64
		       " gres=%s\n",
		       n->name, n->cpus, n->memory_mib,
		       gres_text_room(n->gres, "gpu"), n->gres);
	}
	return done(rc);
}

static int do_names(uint32_t job_id)
{
	_cleanup_free_ char *names = NULL;
	struct placed_share has;
	int rc = ctl_layout_names(job_id, &names, &has, &err);

	if (!rc)
		printf("%s cpus=%u memory=%" PRIu64 "\n", names, has.cpus,
		       has.memory_mib);
	return done(rc);
}

/* What the list of all jobs says that it has. */
static int do_has(uint32_t job_id)
{
	_cleanup_(ctl_placeholders_freep) struct ctl_placeholders *s = NULL;
	int rc = ctl_placeholders_load(NULL, &s, NULL, &err);

	for (size_t i = 0; i < ctl_placeholders_count(s); i++) {
		const struct placed *p = ctl_placeholders_at(s, i);

		if (p->job_id == job_id)
			printf("cpus=%u memory=%" PRIu64 "\n", p->has.cpus,
			       p->has.memory_mib);
	}
	return done(rc < 0 ? rc : 0);
}

static int do_user(const char *name)
{
	_cleanup_(ctl_users_freep) struct ctl_users *u = ctl_users_new();
	uint32_t uid, gid;
	int rc = u ? ctl_users_find(u, name, &uid, &gid, &err) : -ENOMEM;

	if (!rc)
		printf("%u %u\n", uid, gid);
	return done(rc);
}

static int do_closed(const char *asked)
{
	_cleanup_(ctl_parts_freep) struct ctl_parts *p = NULL;
	int rc = ctl_parts_refresh(&p, &err);

	return done(rc ? rc : ctl_parts_check(p, asked, NULL, &err));
}

static int do_part_nodes(const char *asked)
{
	_cleanup_(ctl_parts_freep) struct ctl_parts *p = NULL;
	_cleanup_buf_ struct buf out = BUF_INIT(100000);
	int rc = ctl_parts_refresh(&p, &err);

	if (!rc)
		rc = ctl_parts_nodes(p, asked, &out);
	if (!rc)
		printf("%s\n", buf_str(&out));
	return done(rc);
}

static int do_shorten(const char *asked, const char *most)
{
	_cleanup_(ctl_parts_freep) struct ctl_parts *p = NULL;
	int rc = ctl_parts_refresh(&p, &err);

	if (!rc)
		printf("%u\n", ctl_parts_shorten(p, asked, number(most)));
	return done(rc);
}

static int look(void)
{
	_cleanup_(ctl_placeholders_freep) struct ctl_placeholders *s = NULL;
	_cleanup_(ctl_nodes_freep) struct ctl_nodes *n = NULL;
	_cleanup_(ctl_parts_freep) struct ctl_parts *p = NULL;
	int rc = ctl_nodes_load(&n, &err);

	if (!rc)
		rc = ctl_placeholders_load(NULL, &s, NULL, &err);
	return rc < 0 ? rc : ctl_parts_refresh(&p, &err);
}

/* (libslurm keeps some memory for later: what 200 looks leave is not counted.)
 */
static int do_looks(uint32_t n)
{
	size_t before = 0;
	int rc = 0;

	for (uint32_t i = 0; i < 200 + n && !rc; i++) {
		if (i == 200)
			before = mallinfo2().uordblks;
		rc = look();
	}
	if (!rc)
		printf("%zd\n", (ssize_t)(mallinfo2().uordblks - before));
	return done(rc);
}

static int do_job(const char *verb, uint32_t job_id, char **rest)
{
	struct placeholder p = {0};

	if (!strcmp(verb, "cancel"))
		return done(ctl_placeholder_cancel(job_id, &err));
	if (!strcmp(verb, "layout"))
		return do_layout(job_id);
	if (!strcmp(verb, "names"))
		return do_names(job_id);
	if (!strcmp(verb, "has"))
		return do_has(job_id);
	if (!strcmp(verb, "end") && *rest)
		return done(ctl_placeholder_end(job_id, number(*rest), &err));
	if (!parse(&p, rest))
		return usage(verb);
	if (!strcmp(verb, "update"))
		return done(ctl_placeholder_update(job_id, &p, &err));
	if (!strcmp(verb, "many"))
		return do_many(job_id, &p);
	return usage(verb);
}

static void settle(void *arg, const char *node)
{
	int *rc = arg;

	if (!*rc)
		*rc = ctl_external_settle(node, &err);
}

/* As the bridge does: created, and settled. */
static int do_create(const char *line)
{
	static const char key[] = "NodeName=";
	const char *at = strstr(line, key);
	int rc = ctl_external_create(line, &err);

	if (!rc && at) {
		_cleanup_free_ char *names = strdup(at + sizeof(key) - 1);

		if (!names)
			return done(-ENOMEM);
		names[strcspn(names, " ")] = '\0';
		ctl_hostlist_each(names, settle, &rc);
	}
	return done(rc);
}

static int do_nodes(const char *verb, const char *nodes, const char *text)
{
	if (!strcmp(verb, "create"))
		return do_create(nodes);
	if (!strcmp(verb, "delete"))
		return done(ctl_external_delete(nodes, &err));
	if (!strcmp(verb, "resume"))
		return done(ctl_external_resume(nodes, &err));
	if (!strcmp(verb, "drain") && text)
		return done(ctl_external_drain(nodes, text, &err));
	if (!strcmp(verb, "down") && text)
		return done(ctl_external_down(nodes, text, &err));
	if (!strcmp(verb, "features") && text)
		return done(ctl_external_update(nodes, text, NULL, &err));
	return -1;
}

int main(int argc, char **argv)
{
	struct placeholder p = {0};
	int rc;

	if (argc < 2)
		return usage("the end");
	ctl_init();
	if (!strcmp(argv[1], "submit"))
		return parse(&p, argv + 2) ? do_submit(&p) : usage(argv[1]);
	if (!strcmp(argv[1], "list"))
		return do_list(argc > 2);
	if (argc < 3)
		return usage(argv[1]);
	if (!strcmp(argv[1], "whole") || !strcmp(argv[1], "shared"))
		return do_sized(argv[2], *argv[1] == 's', argv + 3);
	if (!strcmp(argv[1], "states"))
		return do_states(argv + 2);
	if (!strcmp(argv[1], "user"))
		return do_user(argv[2]);
	if (!strcmp(argv[1], "shorten") && argc > 3)
		return do_shorten(argv[2], argv[3]);
	if (!strcmp(argv[1], "nodes"))
		return do_part_nodes(argv[2]);
	if (!strcmp(argv[1], "looks"))
		return do_looks(number(argv[2]));
	if (!strcmp(argv[1], "closed"))
		return do_closed(argv[2]);
	rc = do_nodes(argv[1], argv[2], argc > 3 ? argv[3] : NULL);
	return rc >= 0 ? rc : do_job(argv[1], number(argv[2]), argv + 3);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What becomes of what Slurm refuses; the rest of the bridge is the test's. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "bridge/reconcile/reconcile.h"
#include "lease_fixture.h"
#include "slurm/ctl_schedule.h"
#include "t.h"

#define TOLD_MAX 256

static int64_t now;
static int answer;	     /* Slurm's */
static const char *why;	     /* and its words */
static char told[TOLD_MAX];  /* "u1: words; ", by conditions */
static char event[TOLD_MAX]; /* likewise, by Events */
static int submissions, updates;
static char pinned[16];		       /* to these nodes */
static int names_asked, layouts_asked; /* of jobs */
static struct pod_group *group;

int64_t __wrap_clock_ms(void);
int64_t __wrap_clock_ms(void)
{
	return now;
}

static struct freshness ages;
static bool view_is_old;

bool view_check_age(struct bridge *b)
{
	(void)b;
	return !view_is_old;
}

int ctl_users_find(struct ctl_users *u, const char *name, uint32_t *uid,
		   uint32_t *gid, struct err *err)
{
	(void)u, (void)name, (void)err;
	T_OK(atomic_load(&ages.asks_names)); /* (it may hang) */
	*uid = *gid = 1000;
	return 0;
}

int ctl_users_group(struct ctl_users *u, const char *name, uint32_t *gid,
		    struct err *err)
{
	(void)u, (void)name, (void)err;
	*gid = 1000;
	return 0;
}

bool ctl_nodes_find(const struct ctl_nodes *n, const char *name,
		    struct ctl_node *out)
{
	(void)n, (void)name, (void)out;
	return true;
}

static bool is_closed; /* the partition, to users */

int ctl_parts_refresh(struct ctl_parts **parts, struct err *err)
{
	(void)parts, (void)err;
	return 0;
}

int ctl_parts_check(const struct ctl_parts *p, const char *asked,
		    const char *reservation, struct err *err)
{
	(void)reservation, (void)p, (void)asked;
	return is_closed ? err_set(err, -EPERM, "closed to users") : 0;
}

uint32_t ctl_parts_shorten(const struct ctl_parts *p, const char *asked,
			   uint32_t most)
{
	(void)p, (void)asked;
	return most;
}

static uint32_t time_limit; /* of the last one */

int ctl_placeholder_submit(const struct placeholder *p, uint32_t *job_id,
			   struct err *err)
{
	submissions++;
	time_limit = p->time_limit;
	*job_id = answer ? 0 : 12;
	return answer ? err_set(err, answer, "%s", why) : 0;
}

int ctl_placeholder_update(uint32_t job_id, const struct placeholder *p,
			   struct err *err)
{
	const struct placeholder only = {.exclude = p->exclude,
					 .admin_comment = p->admin_comment};

	updates++;
	T_INT(job_id, 7);
	T_INT(p->hold, PLACEHOLDER_HOLD_AS_IS); /* (nor to its priority) */
	T_INT(p->priority, 0);
	if (p->nodelist) {
		snprintf(pinned, sizeof(pinned), "%s*%u", p->nodelist,
			 p->min_nodes);
		return answer;
	}
	T_STR(p->exclude, "n2");
	T_HAS(p->admin_comment, "\"pods\":3");
	T_OK(!memcmp(p, &only, sizeof(only))); /* what else was said stays */
	return answer ? err_set(err, answer, "%s", why) : 0;
}

int ctl_layout_names(uint32_t job_id, char **out, struct placed_share *has,
		     struct err *err)
{
	(void)job_id, (void)err;
	names_asked++;
	*out = strdup("n1");
	has->cpus = 3;
	return 0;
}

static int no_layout = -ENOENT;

int ctl_layout_load(uint32_t job_id, struct ctl_layout **out, struct err *err)
{
	(void)job_id, (void)out, (void)err;
	layouts_asked++;
	return no_layout;
}

size_t ctl_layout_count(const struct ctl_layout *l)
{
	(void)l;
	return 0;
}

const struct placed_node *ctl_layout_at(const struct ctl_layout *l, size_t i)
{
	(void)l, (void)i;
	return NULL;
}

void ctl_schedule(void)
{
}

void bind_pods(struct bridge *b, struct queue_entry *q,
	       const struct group_observation *j,
	       const struct pod_selection *pods)
{
	(void)b, (void)q, (void)j, (void)pods;
}

void end_job(struct bridge *b, struct queue_entry *q,
	     const struct group_observation *j)
{
	(void)b, (void)q, (void)j;
}

static int ended_anew; /* so many jobs */

int end_to_begin_anew(struct bridge *b, struct queue_entry *q, struct err *err)
{
	(void)b, (void)err;
	T_INT(q->job.id, 7);
	ended_anew++;
	return 0;
}

static int64_t deleted_with = -1; /* s; -1: nobody was */

bool bridge_requests_note(struct bridge_requests *w, const struct pod_ref *pod,
			  const struct pod_patch *note)
{
	(void)w, (void)pod, (void)note;
	return true;
}

static int deletions, said; /* to be done, and with an Event then */

bool bridge_requests_delete(struct bridge_requests *w,
			    const struct pod_ref *pod, int64_t grace_s,
			    const char *reason, const char *words)
{
	(void)w;
	T_STR(pod->uid, "u1");
	deleted_with = grace_s;
	deletions++;
	said += reason != NULL;
	if (reason)
		T_STR(reason, "Slurm job ended");
	T_OK(!reason || words);
	return true;
}

bool bridge_requests_disrupt(struct bridge_requests *w,
			     const struct pod_ref *pod, int64_t grace_s,
			     const char *reason, const char *words)
	__attribute__((alias("bridge_requests_delete")));

static struct queue_entry *deleted_of; /* whose pods these are */

struct queue_entry *queue_entry_of_pod(struct bridge *b, const char *uid)
{
	(void)b, (void)uid;
	return deleted_of;
}

static char looked_at[64]; /* "u1@n1 by 7" */

bool bridge_requests_end(struct bridge_requests *w, const struct pod_ref *pod,
			 const char *node, const struct pod_deletion *job)
{
	(void)w;
	snprintf(looked_at, sizeof(looked_at), "%s@%s by %u, %d s: %s",
		 pod->uid, node, job->job_id, (int)job->grace_s, job->words);
	return true;
}

void pod_groups_lock(struct pod_groups *v)
{
	(void)v;
}

void pod_groups_unlock(struct pod_groups *v)
{
	(void)v;
}

struct pod_group *pod_groups_find(struct pod_groups *v, const char *key)
{
	(void)v, (void)key;
	return group;
}

/* --- */

void queue_entry_later(struct bridge *b, struct queue_entry *q, int64_t ms)
{
	(void)b;
	q->look.again_at = now + ms;
}

void queue_entry_touch(struct bridge *b, struct queue_entry *q)
{
	(void)b;
	q->look.touched = true;
}

void placeholders_submitted(struct bridge *b, struct queue_entry *q,
			    uint32_t job_id, const struct job_identity *id)
{
	(void)b, (void)id;
	q->job.id = job_id;
}

static void add(char *to, const char *uid, const char *words)
{
	const size_t n = strlen(to);

	snprintf(to + n, TOLD_MAX - n, "%.9s: %.90s; ", uid, words);
}

void write_conditions(struct bridge *b, struct queue_entry *q,
		      const struct group_observation *j,
		      const struct pod_selection *pods)
{
	(void)b, (void)q;
	T_INT(j->plan.action, GROUP_WAIT);
	for (size_t i = 0; i < pods->n; i++)
		add(told, pods->v[i].uid, j->plan.words);
}

void bridge_requests_event(struct bridge_requests *w, const struct pod_ref *pod,
			   bool warning, const char *reason,
			   const char *message)
{
	(void)w;
	T_OK(warning);
	if (*pinned)
		T_STR(reason, "Held");
	else
		T_STR(reason, "Refused by Slurm");
	add(event, pod->uid, message);
}

static int64_t most_minutes;
static unsigned int lists; /* of Slurm's jobs that have come */
static char *runs_on;	   /* its pods run there; NULL: they wait */

/* That action on a group of two pods. */
static void do_it(struct queue_entry *q, enum group_action action)
{
	static char user[] = "alice";
	struct selected_pod v[2] = {{.ns = "ns", .uid = "u1"},
				    {.ns = "ns", .uid = "u2"}};
	const struct pod_selection pods = {.v = v, .n = 2};
	struct bridge b = {.ages = &ages, .jobs.lists = lists};
	struct group_observation j = {.plan = {.action = action, .row = "x"}};
	static char nodes[] = "n2";

	j.order.exclude = nodes;
	j.order.places = runs_on;
	j.order.p.begin = 99;
	j.order.p.hold = PLACEHOLDER_HOLD;
	strcpy(j.order.id.cluster, "prod");
	strcpy(j.order.id.of.ns, "ns");
	strcpy(j.order.id.of.name, "p");
	strcpy(j.order.id.of.uid, "u1");
	strcpy(j.order.id.options_digest, "0123456789abcdef");
	j.order.id.pods = 5;
	j.order.options.most_minutes = most_minutes;
	j.order.options.given = (job_option_set)1 << JOB_OPTION_USER;
	j.order.options.v[JOB_OPTION_USER].text = user;
	*told = *event = '\0';
	group_apply(&b, q, &j, &pods);
	T_OK(!atomic_load(&ages.asks_names));
	workload_logs_free(b.says);
	quota_free(b.limits.caps);
}

static void what_slurm_does_not_take_now_is_told_and_tried_again(void)
{
	struct queue_entry *q = calloc(1, sizeof(*q) + 1);

	now = 1000000;
	submissions = 0;
	answer = -EAGAIN;
	why = "too many jobs";
	do_it(q, GROUP_SUBMIT);
	T_STR(told, "u1: too many jobs; u2: too many jobs; ");
	T_INT(submissions, 1);
	T_OK(q->look.again_at > now && !q->refused.words);
	/* (not before its time) */
	do_it(q, GROUP_SUBMIT);
	T_INT(submissions, 1);
	now = q->look.again_at;
	answer = 0;
	/* (nor before Slurm's jobs are known: it may have this one) */
	do_it(q, GROUP_SUBMIT);
	T_INT(submissions, 1);
	lists++;
	do_it(q, GROUP_SUBMIT);
	T_INT(submissions, 2);
	T_INT(q->job.id, 12);
	T_STR(told, "");
	free(q);
}

static void unused_turns_are_given_back(void)
{
	struct queue_entry q = {.quota.slot_at = now + 1000};

	do_it(&q, GROUP_WAIT);
	T_INT(q.quota.slot_at, 0);
}

/* What one of a namespace was told holds for the others (submit_backoff.h). */
static void a_full_queue_is_asked_seldom(void)
{
	static char user[] = "alice";
	struct selected_pod v = {.ns = "ns", .uid = "u1"};
	const struct pod_selection pods = {.v = &v, .n = 1};
	struct bridge b = {.ages = &ages};
	struct queue_entry *q[9];

	submissions = 0;
	answer = -EDQUOT;
	why = "too many jobs";
	for (int i = 0; i < 9; i++) {
		struct group_observation j = {
			.plan = {.action = GROUP_SUBMIT, .row = "submit"}};

		q[i] = calloc(1, sizeof(*q[i]) + 16);
		snprintf(q[i]->key, 16, "0 ns u%d", i);
		j.order.options.given = (job_option_set)1 << JOB_OPTION_USER;
		j.order.options.v[JOB_OPTION_USER].text = user;
		*told = '\0';
		group_apply(&b, q[i], &j, &pods);
		T_STR(told, "u1: too many jobs; ");
		T_INT(submissions, 1);
		T_OK(!q[i]->refused.words);
	}
	answer = 0;
	for (int i = 0; i < 9; i++)
		free(q[i]);
	submit_backoffs_free(&b);
	quota_free(b.limits.caps);
}

static void refusals_are_kept_for_the_plan(void)
{
	struct queue_entry *q = calloc(1, sizeof(*q) + 1);

	answer = -EINVAL;
	why = "Invalid qos specification";
	do_it(q, GROUP_SUBMIT);
	T_STR(q->refused.words, why);
	T_OK(q->look.touched && q->refused.submit_at > now);
	free(q->refused.words);
	free(q);
}

/* (no sssd yet, or no such node: they would be deleted as it is refused) */
static void refused_for_running_pods(void)
{
	static const int rows[] = {-EINVAL, -ENOENT, -EPERM, -EDQUOT, -EAGAIN};
	static char nodes[] = "n3";

	runs_on = nodes;
	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct queue_entry *q = calloc(1, sizeof(*q) + 1);
		const int64_t since = now += 1000000;

		t_row("%zu", i);
		submissions = 0;
		answer = rows[i];
		why = "no such user";
		do_it(q, GROUP_SUBMIT);
		T_OK(!q->refused.words && q->look.again_at > now);
		T_INT(q->early.jobless_at, since);
		now = q->look.again_at;
		lists++;
		do_it(q, GROUP_SUBMIT);
		T_INT(submissions, 2);
		T_INT(q->early.jobless_at, since);
		now = q->look.again_at;
		lists++;
		answer = 0;
		do_it(q, GROUP_SUBMIT);
		T_INT(q->job.id, 12);
		T_INT(q->early.jobless_at, 0);
		free(q);
	}
	runs_on = NULL;
}

/* Slurm takes it from SlurmUser. */
static void what_its_user_may_not_is_not_submitted(void)
{
	struct queue_entry *q = calloc(1, sizeof(*q) + 1);

	answer = submissions = 0;
	is_closed = true;
	do_it(q, GROUP_SUBMIT);
	is_closed = false;
	T_INT(submissions, 0);
	T_STR(q->refused.words, "closed to users");
	free(q->refused.words);
	free(q);
}

static void a_deadline_shortens_a_job(void)
{
	struct queue_entry *q = calloc(1, sizeof(*q) + 1);

	answer = 0;
	do_it(q, GROUP_SUBMIT);
	T_INT(time_limit, 0);
	most_minutes = 7;
	do_it(q, GROUP_SUBMIT);
	T_INT(time_limit, 7);
	most_minutes = 0;
	free(q);
}

static void a_refused_change_is_an_event(void)
{
	struct queue_entry *q = calloc(1, sizeof(*q) + 1);

	q->job.id = 7;
	q->job.made_for = 3;
	answer = -EINVAL;
	why = "Invalid qos";
	do_it(q, GROUP_UPDATE);
	T_STR(event, "u1: job 7 stays as it is: Invalid qos; "
		     "u2: job 7 stays as it is: Invalid qos; ");
	T_INT(updates, 1);
	do_it(q, GROUP_UPDATE); /* not before its time */
	T_INT(updates, 1);
	T_STR(event, "");
	T_INT(q->refused.submit_at, 0);
	now = q->update.at;
	q->look.again_at = 0;
	answer = -EAGAIN;
	do_it(q, GROUP_UPDATE);
	T_STR(event, "");
	T_STR(told, "u1: Invalid qos; u2: Invalid qos; ");
	T_OK(q->look.again_at > now);
	T_STR(q->job.options_digest, "");
	answer = 0;
	do_it(q, GROUP_UPDATE);
	T_INT(updates, 3);
	T_STR(event, "");
	T_STR(q->job.options_digest, "0123456789abcdef");
	free(q);
}

/* (one with that name is made anew, or our view of Slurm's is old) */
static void a_node_that_slurm_has_not_is_asked_for_again_for_a_while(void)
{
	struct queue_entry *q = calloc(1, sizeof(*q) + 1);
	int64_t since;

	q->job.id = 7;
	q->job.made_for = 3;
	since = now += 1000000;
	answer = -ENODEV;
	why = "Invalid node name specified";
	for (updates = 0; now < since + 10000; now = q->look.again_at) {
		q->look.again_at = 0;
		do_it(q, GROUP_UPDATE);
		T_STR(event, "");
		T_OK(!q->look.touched && q->look.again_at > now);
	}
	T_INT(updates, 5);
	/* it is the job's own list: the plan makes it anew */
	do_it(q, GROUP_UPDATE);
	T_OK(q->look.touched && q->update.no_node == 7 && q->update.at > now);
	T_STR(event, "");
	/* (it is held, and the node is back) */
	now = q->update.at;
	answer = 0;
	do_it(q, GROUP_UPDATE);
	T_INT(q->update.no_node, 0);
	T_STR(q->job.options_digest, "0123456789abcdef");
	free(q);
}

/* Slurm may start it anywhere then. */
static void unpinnable_jobs_are_replaced(void)
{
	static const struct {
		int answer;
		enum placeholder_state job;
		int ended;
		uint32_t pinned;
	} rows[] = {
		{-ENODEV, PLACEHOLDER_PENDING, 1, 0},
		{-EINVAL, PLACEHOLDER_PENDING, 0, 7},
		{-EAGAIN, PLACEHOLDER_PENDING, 0, 0},
		{0, PLACEHOLDER_PENDING, 0, 7},
		/* (who holds it ends that himself) */
		{-ENODEV, PLACEHOLDER_HELD, 0, 7},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct bridge b = {0};
		struct group_observation j = {
			.plan = {.action = GROUP_PIN, .row = "forgotten"},
			.order.places = (char *)"n3"};
		const struct pod_selection none = {0};
		struct queue_entry *q = calloc(1, sizeof(*q) + 1);

		t_row("%zu", i);
		q->job.id = 7;
		q->job.state = rows[i].job;
		answer = rows[i].answer;
		ended_anew = 0;
		group_apply(&b, q, &j, &none);
		T_STR(pinned, "n3*0");
		T_INT(ended_anew, rows[i].ended);
		T_INT(q->did.pinned, rows[i].pinned);
		/* its pods are to get one, however old the bridge is */
		T_INT(q->early.jobless_at, rows[i].ended ? now : 0);
		free(q);
	}
	*pinned = '\0';
}

/* Slurm has forgotten that it was released. Who holds it is asked, once. */
static void a_held_job_stays_so(void)
{
	static const struct {
		enum placeholder_state job;
		const char *event;
	} rows[] = {{PLACEHOLDER_PENDING, ""},
		    {PLACEHOLDER_HELD, "u1: held; "}};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct selected_pod v = {.ns = "ns", .uid = "u1", .node = "n3"};
		const struct pod_selection pods = {.v = &v, .n = 1};
		struct bridge b = {0};
		struct group_observation j = {
			.plan = {.action = GROUP_PIN, .words = "held"},
			.order = {.places = (char *)"n3", .p.min_nodes = 2}};
		struct queue_entry *q = calloc(1, sizeof(*q) + 1);

		t_row("%zu", i);
		if (i)
			j.order.p.exclusive = PLACEHOLDER_EXCLUSIVE;
		q->job.id = 7;
		q->job.state = rows[i].job;
		answer = 0;
		*event = *pinned = '\0';
		group_apply(&b, q, &j, &pods);
		T_STR(pinned, i ? "n3*0" : "n3*2");
		T_STR(event, rows[i].event);
		T_INT(q->did.pinned, 7);
		free(q);
	}
	*pinned = '\0';
}

/* An RPC for a pod's node; three for what its job has there. */
static void what_a_job_has_is_asked_when_its_pod_may_be_of_another_size(void)
{
	static const struct {
		enum workload_kind kind;
		const char *node;
		bool respecced, ended;
		int names, layouts;
		uint32_t devices; /* kinds of them */
	} rows[] = {
		/* (how many its job has the one RPC does not say) */
		{WORKLOAD_POD, "", false, true, 0, 1, 1},
		{WORKLOAD_POD, "", false, true, 1, 0},
		{WORKLOAD_POD, "", true, true, 0, 1},
		{WORKLOAD_POD, "n1", false, false, 0, 0},
		{WORKLOAD_POD, "n1", true, false, 0, 1},
		{WORKLOAD_POD, "n1", true, true, 0, 0},
		/* (it may have come for the one that the job was made for) */
		{WORKLOAD_GROUP, "", false, true, 0, 1},
		{WORKLOAD_WORKLOAD, "", false, true, 0, 1},
		{WORKLOAD_PODGROUP, "", false, true, 0, 1},
		{WORKLOAD_LWS, "", false, true, 0, 1},
		{WORKLOAD_JOBSET, "", false, true, 0, 1},
		{WORKLOAD_JOB, "", false, true, 0, 1},
		{WORKLOAD_JOB, "n1", false, false, 0, 0},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct pod_group g = {.of = {.kind = rows[i].kind}, .n = 1};
		struct bridged_pod p = {.node = rows[i].node,
					.respecced = rows[i].respecced,
					.ended = rows[i].ended};
		struct pod_class shape = {.need = {.n_ext = rows[i].devices}};
		struct group_pod m = {.pod = &p, .shape = &shape};
		struct bridge b = {0};
		struct queue_entry *q = calloc(1, sizeof(*q) + 1);

		t_row("%zu", i);
		g.members = &m;
		group = &g;
		names_asked = layouts_asked = 0;
		allocation_load(&b, q);
		T_INT(names_asked, rows[i].names);
		T_INT(layouts_asked, rows[i].layouts);
		T_INT(q->nodes.has.cpus, rows[i].names ? 3 : 0);
		q->job.id = 7;
		no_layout = -ESTALE;
		allocation_load(&b, q);
		T_INT(q->nodes.robbed, 0);
		/* slurmctld never finds again what it has lost of a job */
		ended_anew = 0;
		no_layout = -EAGAIN;
		allocation_load(&b, q);
		T_INT(ended_anew, 0);
		q->nodes.robbed_at -= 61000;
		view_is_old = true; /* it hides what may be bound */
		allocation_load(&b, q);
		T_INT(ended_anew, 0);
		view_is_old = false;
		allocation_load(&b, q);
		T_INT(ended_anew, rows[i].layouts && !*rows[i].node);
		no_layout = -ENOENT;
		free(q->nodes.names);
		free(q);
	}
	group = NULL;
}

/* (the API server has a pod go at once only if it has no node) */
static void pods_get_their_time_to_end(void)
{
	static const struct {
		uint32_t pod, plan, kill_wait;
		bool waiting, leaving;
		int64_t with;
	} rows[] = {
		{30, 30, 40, false, false, 30},
		{30, 5, 40, false, false, 5},
		/* (the plan's is that of pods that live) */
		{30, 0, 40, true, false, 30},
		{30, 0, 20, true, false, 20},
		{86400, 0, 20, false, true, 20},
		{86400, 0, 0, false, true, 1},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct selected_pod v = {.ns = "ns",
					 .uid = "u1",
					 .grace_s = rows[i].pod,
					 .waiting = rows[i].waiting,
					 .leaving = rows[i].leaving};
		const struct pod_selection pods = {.v = &v, .n = 1};
		struct bridge b = {.kill_wait_s = rows[i].kill_wait};
		struct group_observation j = {
			.plan = {.action = GROUP_DELETE_PODS,
				 .row = "x",
				 .grace_s = rows[i].plan}};
		struct queue_entry *q = calloc(1, sizeof(*q) + 1);

		t_row("%zu", i);
		*event = '\0';
		group_apply(&b, q, &j, &pods);
		T_INT(deleted_with, rows[i].with);
		deleted_with = -1;
		free(q);
	}
}

/* (by a view that is old) */
static void pods_that_may_be_gone_are_read_first(void)
{
	struct selected_pod v = {
		.ns = "ns", .uid = "u1", .node = "n1", .grace_s = 50};
	const struct pod_selection pods = {.v = &v, .n = 1};
	struct bridge b = {.kill_wait_s = 30};
	struct group_observation j = {.plan = {.action = GROUP_DELETE_PODS,
					       .row = "x",
					       .look = true,
					       .job_id = 7,
					       .words = "words"}};
	struct queue_entry *q = calloc(1, sizeof(*q) + 1);

	*event = '\0';
	group_apply(&b, q, &j, &pods);
	T_STR(looked_at, "u1@n1 by 7, 30 s: words");
	*looked_at = '\0';
	now += 29000;
	group_apply(&b, q, &j, &pods);
	T_STR(looked_at, "");
	now += 2000;
	group_apply(&b, q, &j, &pods);
	T_HAS(looked_at, "u1@n1");
	T_INT(deleted_with, -1);
	T_STR(event, ""); /* (when it was deleted) */
	free(q);
}

/* (no right to, or a webhook that fails: it was tried each 2 s, for ever) */
static void failed_deletions_get_seldom(void)
{
	struct selected_pod v = {.ns = "ns", .uid = "u1", .grace_s = 5};
	const struct pod_selection pods = {.v = &v, .n = 1};
	const struct bridge_request_failure failure = {
		.what = BRIDGE_REQUEST_DELETE, .uid = "u1", .http = 403};
	struct bridge b = {.kill_wait_s = 30};
	struct group_observation j = {.plan = {.action = GROUP_DELETE_PODS,
					       .row = "x",
					       .words = "words"}};
	struct queue_entry *q = calloc(1, sizeof(*q) + 1);

	deleted_of = q;
	deletions = 0;
	for (int ms = 0; ms < 3600000; ms += 500) {
		const int before = deletions;

		now += 500;
		group_apply(&b, q, &j, &pods);
		if (deletions != before) { /* each of its pods is answered */
			delete_failed(&b, &failure);
			delete_failed(&b, &failure);
		}
	}
	T_OK(deletions >= 59 && deletions < 70);
	/* the next time it is done, and nothing else is asked of the group */
	now += 60000;
	deletions = said = 0;
	group_apply(&b, q, &j, &pods);
	T_INT(deletions, 1);
	T_INT(said, 1);
	/* what has not been seen yet is no news */
	now += 2000;
	group_apply(&b, q, &j, &pods);
	T_INT(deletions, 2);
	T_INT(said, 1);
	j.plan.action = GROUP_KEEP;
	group_apply(&b, q, &j, &pods);
	T_INT(q->deletion.tries, 0);
	deleted_with = -1;
	free(q);
}

T_MAIN("group_apply", T(failed_deletions_get_seldom),
       T(pods_that_may_be_gone_are_read_first), T(pods_get_their_time_to_end),
       T(what_slurm_does_not_take_now_is_told_and_tried_again),
       T(unused_turns_are_given_back), T(a_full_queue_is_asked_seldom),
       T(refusals_are_kept_for_the_plan), T(refused_for_running_pods),
       T(what_its_user_may_not_is_not_submitted), T(a_deadline_shortens_a_job),
       T(a_refused_change_is_an_event),
       T(a_node_that_slurm_has_not_is_asked_for_again_for_a_while),
       T(unpinnable_jobs_are_replaced), T(a_held_job_stays_so),
       T(what_a_job_has_is_asked_when_its_pod_may_be_of_another_size))

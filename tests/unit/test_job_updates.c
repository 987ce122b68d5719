/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How many jobs that wait are told other nodes, and in which order. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bridge/reconcile/reconcile.h"
#include "t.h"

#define JOBS 50

static int64_t now;
static int64_t update_ms; /* so long slurmctld takes for one */
static struct {
	uint32_t job_id;
	int64_t at; /* when it began */
	char exclude[16];
} made[10 * JOBS];
static size_t n_made;
static int answer; /* Slurm's */
static int busy;   /* so often pods were told so */

int64_t __wrap_clock_ms(void);
int64_t __wrap_clock_ms(void)
{
	return now;
}

static bool told_list;	  /* by the last update */
static const char *known; /* the node that Slurm has */

bool ctl_nodes_find(const struct ctl_nodes *n, const char *name,
		    struct ctl_node *out)
{
	(void)n;
	(void)out;
	return !strcmp(name, known);
}

int ctl_placeholder_update(uint32_t job_id, const struct placeholder *p,
			   struct err *err)
{
	told_list = p->exclude;
	if (n_made == T_COUNT(made))
		return -EINVAL;
	made[n_made].job_id = job_id;
	made[n_made].at = now;
	str_copy(made[n_made++].exclude, p->exclude ? p->exclude : "",
		 sizeof(made[0].exclude));
	now += update_ms;
	return answer ? err_set(err, answer, "no") : 0;
}

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

void act_tell_busy(struct bridge *b, struct queue_entry *q,
		   struct group_observation *j,
		   const struct pod_selection *pods, const struct err *err)
{
	(void)b;
	(void)q;
	(void)j;
	(void)pods;
	(void)err;
	busy++;
}

void bridge_requests_event(struct bridge_requests *w, const struct pod_ref *pod,
			   bool warning, const char *reason,
			   const char *message)
{
	(void)w;
	(void)pod;
	(void)warning;
	(void)reason;
	(void)message;
}

/* --- */

static struct bridge b;
static struct queue_entry *jobs[JOBS];
static char nodes[8]; /* which they are to be told now */

static void begin(size_t n)
{
	b = (struct bridge){0};
	now = 1000000;
	n_made = 0;
	answer = busy = 0;
	update_ms = 5;
	strcpy(nodes, "n1");
	for (size_t i = 0; i < n; i++) {
		jobs[i] = calloc(1, sizeof(*jobs[i]) + 1);
		jobs[i]->job.id = (uint32_t)i;
		jobs[i]->job.made_for = 1;
		jobs[i]->look.touched = true;
	}
}

static void end(size_t n)
{
	for (size_t i = 0; i < n; i++) {
		updates_leave(&b, jobs[i]);
		free(jobs[i]);
	}
	T_OK(!b.updates.waiting && !b.updates.turn);
	workload_logs_free(b.says);
}

/* As the plan has it: it is looked at, and told if it has to be. */
static void look(struct queue_entry *q)
{
	struct group_observation j = {0};
	const struct pod_selection none = {0};

	q->look.touched = false;
	q->look.again_at = 0;
	snprintf(j.order.id.options_digest, sizeof(j.order.id.options_digest),
		 "%016d", atoi(nodes + 1));
	if (!strcmp(j.order.id.options_digest, q->job.options_digest) ||
	    q->update.waits)
		return;
	strcpy(j.order.id.cluster, "c");
	strcpy(j.order.id.of.ns, "ns");
	strcpy(j.order.id.of.name, "p");
	strcpy(j.order.id.of.uid, "u");
	j.order.exclude = nodes;
	updates_do(&b, q, &j, &none);
}

/* Each ms, as long as something is to be done. */
static void pass(size_t n, int64_t ms)
{
	for (const int64_t until = now + ms; now < until; now++) {
		struct queue_entry *q = updates_begin(&b);

		if (q)
			look(q);
		updates_end(&b);
		for (size_t i = 0; i < n; i++) {
			if (jobs[i]->look.again_at &&
			    now >= jobs[i]->look.again_at)
				jobs[i]->look.touched = true;
			if (jobs[i]->look.touched)
				look(jobs[i]);
		}
	}
}

static void they_get_a_share_of_the_time_in_their_order(void)
{
	static const struct {
		int64_t takes, named, from, to; /* from one to the next */
	} rows[] = {
		{5, 0, 55, 57},
		{0, 0, 50, 52},
		{40, 0, 440, 442},
		{2000, 0, 7000, 7002},
		{40, INT64_MAX, 120, 122},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%zu", i);
		begin(JOBS);
		update_ms = rows[i].takes;
		b.external.named.until = rows[i].named;
		pass(JOBS, rows[i].to * JOBS);
		T_INT(n_made, JOBS);
		T_INT(made[0].at, 1000000);
		for (size_t k = 1; k < JOBS; k++) {
			const int64_t gap = made[k].at - made[k - 1].at;

			T_INT(made[k].job_id, k);
			T_OK(gap >= rows[i].from && gap <= rows[i].to);
		}
		T_INT(updates_next(&b), INT64_MAX);
		end(JOBS);
	}
}

/* (an autoscaler) */
static void what_changes_meanwhile_is_told_with_it(void)
{
	int told[JOBS] = {0};

	begin(JOBS);
	for (int round = 0; round < 20; round++) {
		snprintf(nodes, sizeof(nodes), "n%d", round);
		for (size_t i = 0; i < JOBS; i++)
			queue_entry_touch(&b, jobs[i]);
		pass(JOBS, 550); /* a fifth of them */
	}
	/* who has waited the longest was the next one each time */
	for (size_t i = 0; i < n_made; i++)
		told[made[i].job_id]++;
	for (size_t i = 0; i < JOBS; i++)
		T_OK(told[i] >= 3 && told[i] <= 5);
	pass(JOBS, 60 * JOBS);
	for (size_t i = 0; i < JOBS; i++)
		T_STR(jobs[i]->job.options_digest, "0000000000000019");
	T_OK(n_made <= 5 * JOBS);
	end(JOBS);
}

static void who_needs_none_any_more_costs_no_time(void)
{
	begin(3);
	pass(3, 10);
	T_OK(!jobs[0]->update.waits && jobs[1]->update.waits);
	T_OK(updates_next(&b) > now && updates_next(&b) < now + 60);
	strcpy(jobs[1]->job.options_digest,
	       "0000000000000001"); /* it is told so already */
	pass(3, 60);
	T_INT(n_made, 2);
	T_INT(made[1].job_id, 2);
	end(3);
}

static void one_that_is_dropped_is_left_out(void)
{
	begin(4);
	pass(4, 10);
	updates_leave(&b, jobs[1]);
	jobs[1]->look.touched = false;
	now += 60;
	T_OK(updates_begin(&b) == jobs[2]);
	updates_leave(&b, jobs[2]);
	T_OK(!b.updates.turn);
	jobs[2]->look.touched = false;
	pass(4, 60);
	T_INT(n_made, 2);
	T_INT(made[1].job_id, 3);
	end(4);
}

/* It keeps the list that it has, and is asked for again after a minute. */
static void one_whose_list_has_no_room_is_not_told(void)
{
	static const struct namespace_config ns = {.max_jobs = 1};
	struct known_placeholder *k = calloc(1, sizeof(*k) + 8);
	struct group_observation j = {.order = {.ns = &ns, .exclude = nodes}};
	struct pod_selection none = {0};

	begin(1);
	strcpy(j.order.id.options_digest, "0000000000000001");
	strcpy(j.order.id.cluster, "c");
	strcpy(j.order.id.of.ns, "ns");
	strcpy(j.order.id.of.name, "p");
	strcpy(j.order.id.of.uid, "u");
	strcpy(k->key, "0 ns u");
	k->exclude = QUOTA_NAMES_MAX;
	k->job_id = 77;
	HASH_ADD(hh, b.jobs.identities, job_id, sizeof(k->job_id), k);
	k = calloc(1, sizeof(*k) + 8);
	strcpy(k->key, "0 ns v");
	HASH_ADD(hh, b.jobs.identities, job_id, sizeof(k->job_id), k);
	updates_do(&b, jobs[0], &j, &none);
	T_INT(n_made, 0);
	T_INT(busy, 1);
	T_STR(j.too_many, "Too many node names");
	T_INT(jobs[0]->look.again_at, now + 60000);
	updates_do(&b, jobs[0], &j, &none);
	T_INT(busy, 1);
	HASH_FIND_INT(b.jobs.identities, &(uint32_t){77}, k);
	k->exclude = 0;
	b.jobs.lists++;
	now += 60000;
	quota_step(&b);
	updates_do(&b, jobs[0], &j, &none);
	T_INT(n_made, 1);
	T_INT(busy, 1);
	while ((k = b.jobs.identities)) {
		T_INT(k->exclude, k->job_id == 77 ? 0 : strlen(nodes));
		HASH_DELETE(hh, b.jobs.identities, k);
		free(k);
	}
	quota_free(b.limits.caps);
	end(1);
}

static void one_that_slurm_does_not_take_waits_behind_the_others(void)
{
	begin(3);
	answer = -EAGAIN;
	look(jobs[0]);
	T_INT(busy, 1);
	T_OK(jobs[0]->look.again_at > now);
	answer = 0;
	pass(3, 3000);
	T_INT(n_made, 4);
	T_INT(made[3].job_id, 0);
	T_STR(jobs[0]->job.options_digest, "0000000000000001");
	end(3);
}

static void it_is_known_which_nodes_a_job_was_told(void)
{
	begin(2);
	b.external.creations.anew = 3;
	answer = -EAGAIN;
	look(jobs[0]);
	T_INT(jobs[0]->update.anew, 0);
	answer = 0;
	pass(2, 3000);
	T_INT(jobs[0]->update.anew, 3);
	T_INT(jobs[1]->update.anew, 3);
	end(2);
}

/*
 * Its list is the same: Slurm has its nodes in other places. Of a job that
 * names one that Slurm does not have it would forget the list: that one is told
 * when Slurm has it again.
 */
static void a_list_that_is_the_same_is_sent_if_slurm_has_its_nodes(void)
{
	for (int has = 0; has < 2; has++) {
		struct group_observation j = {.order = {.exclude = nodes}};
		const struct pod_selection none = {0};

		t_row("%d", has);
		begin(1);
		b.external.creations.anew = 3;
		b.external.slurm.nodes = (struct ctl_nodes *)&b;
		told_list = false;
		known = has ? "n1" : "n2";
		strcpy(jobs[0]->job.options_digest, "0000000000000001");
		strcpy(j.order.id.options_digest, "0000000000000001");
		strcpy(j.order.id.cluster, "c");
		strcpy(j.order.id.of.ns, "ns");
		strcpy(j.order.id.of.name, "p");
		strcpy(j.order.id.of.uid, "u");
		updates_do(&b, jobs[0], &j, &none);
		T_INT(n_made, has);
		T_OK(!told_list);
		T_INT(jobs[0]->update.anew, has ? 3 : 0);
		T_OK(!updates_are_due(&b, jobs[0], &j.order));
		/* Slurm's nodes are others */
		b.external.step.version++;
		T_INT(updates_are_due(&b, jobs[0], &j.order), !has);
		if (!has) {
			known = "n1";
			updates_do(&b, jobs[0], &j, &none);
		}
		T_INT(n_made, 1);
		T_INT(jobs[0]->update.anew, 3);
		T_OK(!updates_are_due(&b, jobs[0], &j.order));
		end(1);
	}
}

T_MAIN("job_updates", T(they_get_a_share_of_the_time_in_their_order),
       T(what_changes_meanwhile_is_told_with_it),
       T(who_needs_none_any_more_costs_no_time),
       T(one_that_is_dropped_is_left_out),
       T(one_whose_list_has_no_room_is_not_told),
       T(one_that_slurm_does_not_take_waits_behind_the_others),
       T(it_is_known_which_nodes_a_job_was_told),
       T(a_list_that_is_the_same_is_sent_if_slurm_has_its_nodes))

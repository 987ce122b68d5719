/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whose a job is that is found or submitted, and when its state is asked for.
 */
#include "placeholders_fixture.h"

/* One text of job 7, or of the one before it: for pods of that scheduler. */
static void write_id(const char *scheduler, char id[BRIDGE_ID_MAX])
{
	struct job_identity of = {.cluster = "c",
				  .of = {.ns = "ns", .name = "p", .uid = "u"},
				  .pods = 1};

	strcpy(of.scheduler, scheduler);
	T_INT(job_identity_make(&of, id, NULL), 0);
}

static void a_job_for_pods_of_another_scheduler_is_told_apart(void)
{
	static const struct {
		const char *scheduler;
		bool other_scheduler;
	} rows[] = {{"s", false},
		    {"slurm", true},
		    {"", false}, /* (an earlier build has made it) */
		    {"t", true}};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct bridge b;
		char id[BRIDGE_ID_MAX], own[BRIDGE_ID_MAX];
		static const struct job_identity new = {
			.cluster = "c",
			.scheduler = "s",
			.of = {.ns = "ns", .name = "p", .uid = "v"},
			.pods = 1};

		t_row("%s", rows[i].scheduler);
		begin(&b, id);
		T_OK(!q->job.other_scheduler);
		write_id(rows[i].scheduler, own);
		job.admin_comment = own;
		now += 60000;
		placeholders_refresh(&b);
		T_INT(q->job.state, PLACEHOLDER_RUNNING);
		T_INT(q->job.other_scheduler, rows[i].other_scheduler);
		/* the group's next one is ours */
		placeholders_submitted(&b, q, 78, &new);
		T_OK(!q->job.other_scheduler);
		end(&b);
	}
}

/* The answer to its submission was lost, and a node was made anew since. */
static void a_job_that_is_found_was_told_names_of_nodes_before(void)
{
	static const struct job_identity own = {
		.cluster = "c",
		.of = {.ns = "ns", .name = "p", .uid = "v"},
		.pods = 1};
	static const struct job_spec order = {.exclude = (char *)"n7"};
	struct bridge b;
	char id[BRIDGE_ID_MAX];

	begin(&b, id);
	T_OK(!updates_are_due(&b, q, &order));
	b.external.creations.anew = 3;
	placeholders_submitted(&b, q, 78, &own);
	T_OK(!updates_are_due(&b, q, &order));
	job.job_id = 79;
	now += 60000;
	placeholders_refresh(&b);
	T_INT(q->job.id, 79);
	T_OK(updates_are_due(&b, q, &order));
	end(&b);
}

/* Its pods are not in view: they may be those that run. */
static void a_job_for_others_pods_is_no_duplicate(void)
{
	for (int other_cluster = 0; other_cluster < 2; other_cluster++) {
		struct bridge b;
		char id[BRIDGE_ID_MAX], theirs[BRIDGE_ID_MAX];

		t_row("%d", other_cluster);
		begin(&b, id);
		write_id(other_cluster ? "slurm" : "s", theirs);
		older = (struct placed){.job_id = 5,
					.status = {.state = PLACED_PENDING},
					.reason = "",
					.nodes = "",
					.admin_comment = theirs};
		now += 60000;
		placeholders_refresh(&b);
		T_INT(q->job.id, 7);
		T_INT(q->job.duplicate, other_cluster ? 0 : 5);
		/* or it comes behind */
		older.job_id = 8;
		job.admin_comment = theirs;
		older.admin_comment = id;
		older.status.state = PLACED_RUNNING;
		job.status.state = PLACED_PENDING;
		now += 60000;
		placeholders_refresh(&b);
		T_INT(q->job.id, 8);
		T_INT(q->job.duplicate, other_cluster ? 0 : 7);
		end(&b);
	}
}

/* Job 7 was cancelled, which gave job 8 its CPUs at once. */
static void whose_cpus_a_new_job_has_is_known_before_that_it_runs(void)
{
	static const struct {
		enum placed_state fresh;
		int answers;
		enum placeholder_state old, young;
	} rows[] = {
		{PLACED_RUNNING, -1, PLACEHOLDER_ENDED, PLACEHOLDER_RUNNING},
		{PLACED_RUNNING, 1, PLACEHOLDER_RUNNING, PLACEHOLDER_PENDING},
		{PLACED_RUNNING, 0, PLACEHOLDER_RUNNING, PLACEHOLDER_PENDING},
		/* (nobody waits for what is known) */
		{PLACED_PENDING, -1, PLACEHOLDER_RUNNING, PLACEHOLDER_PENDING},
	};
	static const struct job_identity id8 = {
		.cluster = "c",
		.of = {.ns = "ns", .name = "next", .uid = "v"},
		.pods = 1};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct bridge b;
		char id[BRIDGE_ID_MAX];

		t_row("%zu", i);
		begin(&b, id);
		next = calloc(1, sizeof(*next) + 5);
		memcpy(next->key, "next", 5);
		HASH_ADD_KEYPTR(hh, b.queue, next->key, 4, next);
		placeholders_submitted(&b, next, 8, &id8);
		job.status.state = PLACED_ENDED;
		fresh = rows[i].fresh;
		answers = rows[i].answers;
		placeholders_look_at_fresh(&b);
		T_INT(q->job.state, rows[i].old);
		T_INT(next->job.state, rows[i].young);
		answers = -1;
		fresh = PLACED_GONE;
		HASH_DELETE(hh, b.queue, next);
		free(next->job.reason);
		free(next);
		next = NULL;
		end(&b);
	}
}

/* (of 10,000 jobs the answer takes its time, under slurmctld's locks) */
static void states_are_asked_for_in_a_tenth_of_the_time(void)
{
	struct bridge b = {.jobs.known = true,
			   .jobs.n_active = 1,
			   .jobs.loaded_at = 1,
			   .jobs.hurry_until = INT64_MAX};
	int64_t begin;

	q = calloc(1, sizeof(*q) + 8);
	q->job.state = PLACEHOLDER_PENDING;
	q->job.id = 7;
	job = (struct placed){.job_id = 7, .status = {.state = PLACED_PENDING}};
	strcpy(q->key, "train");
	HASH_ADD_KEYPTR(hh, b.queue, q->key, strlen(q->key), q);
	now = begin = 1000;
	b.jobs.loaded_at = now;
	answer_ms = 40;
	asked = 0;
	while (now < begin + 4000) {
		placeholders_refresh(&b);
		now = placeholders_next(&b) > now ? placeholders_next(&b)
						  : now + 1;
	}
	T_OK(asked >= 8 && asked <= 11);
	answer_ms = 0;
	HASH_CLEAR(hh, b.queue);
	free(q);
}

T_MAIN("placeholders_whose", T(states_are_asked_for_in_a_tenth_of_the_time),
       T(whose_cpus_a_new_job_has_is_known_before_that_it_runs),
       T(a_job_for_pods_of_another_scheduler_is_told_apart),
       T(a_job_that_is_found_was_told_names_of_nodes_before),
       T(a_job_for_others_pods_is_no_duplicate))

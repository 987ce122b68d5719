/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The pods of a group, counted for what is decided by them. */
#include <string.h>

#include "bridge/reconcile/group_decide.h"
#include "t.h"

static void each_pod_is_counted_once(void)
{
	const struct {
		const struct bridged_pod
			*pod; /* (its end is open: never a member) */
		struct group_counts want;
	} rows[] = {
#define POD(...)                                                               \
	&(const struct bridged_pod){                                           \
		.name = "p", .ns = "n", .uid = "1", __VA_ARGS__}
#define OTHERS .node = "n1"
#define BOUND .node = "n1", .job_id = 42
#define FREE .node = "", .ended = true
		{POD(FREE, .phase = POD_PENDING), {.waiting = 1}},
		{POD(FREE, .phase = POD_PENDING, .job_id = 42),
		 {.waiting = 1, .labelled = 1}},
		{POD(FREE, .phase = POD_PENDING, .job_id = 41), {.waiting = 1}},
		{POD(FREE, .phase = POD_PENDING, .gated = true), {.gated = 1}},
		{POD(FREE, .phase = POD_PENDING, .deleting = true), {0}},
		{POD(FREE, .phase = POD_FAILED, .exit_code = 1),
		 {.failed = 1, .exit_code = 1}},
		{POD(BOUND, .phase = POD_PENDING, .grace_s = 7),
		 {.live = 1, .grace_s = 7}},
		{POD(BOUND, .phase = POD_RUNNING, .deleting = true,
		     .grace_s = 9),
		 {.leaving = 1, .leaving_s = 9}},
		{POD(BOUND, .phase = POD_SUCCEEDED, .ended = true),
		 {.succeeded = 1, .done = 1}},
		{POD(BOUND, .phase = POD_SUCCEEDED, .ended = true,
		     .deleting = true),
		 {.succeeded = 1}},
		{POD(BOUND, .phase = POD_FAILED, .ended = true, .exit_code = 3),
		 {.failed = 1, .exit_code = 3}},
		/* what an earlier job's pods came to is not this one's */
		{POD(OTHERS, .phase = POD_FAILED, .ended = true, .exit_code = 3,
		     .job_id = 41),
		 {0}},
		{POD(OTHERS, .phase = POD_SUCCEEDED, .ended = true,
		     .job_id = 41),
		 {.done = 1}},
		{POD(BOUND, .phase = POD_RUNNING), {.live = 1}},
		{POD(OTHERS, .phase = POD_RUNNING, .job_id = 41),
		 {.live = 1, .by_earlier_job = 1}},
		/* nor is what others have bound */
		{POD(OTHERS, .phase = POD_RUNNING), {.foreign = 1}},
		{POD(OTHERS, .phase = POD_RUNNING, .deleting = true),
		 {.foreign = 1}},
		{POD(OTHERS, .phase = POD_FAILED, .exit_code = 3),
		 {.foreign = 1}},
		{POD(OTHERS, .phase = POD_FAILED, .ended = true,
		     .exit_code = 3),
		 {0}},
		/* (killed as it was deleted) */
		{POD(BOUND, .phase = POD_FAILED, .ended = true,
		     .deleting = true, .exit_code = 143),
		 {0}},
		{POD(BOUND, .phase = POD_SUCCEEDED, .ended = true,
		     .deleting = true, .cut_short = true),
		 {0}},
		{POD(BOUND, .phase = POD_RUNNING, .ended = true,
		     .deleting = true),
		 {0}},
		/* (its node is lost: it may run) */
		{POD(BOUND, .phase = POD_FAILED, .exit_code = 1), {.live = 1}},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct group_counts got = {0};

		t_row("%zu", i);
		group_view_count(&got, rows[i].pod, 42);
		T_OK(!memcmp(&got, &rows[i].want, sizeof(got)));
	}
}

/* What a JobSet's former attempts came to counts no more, in whatever order. */
static void the_last_attempt_counts(void)
{
	const struct bridged_pod *const pods[] = {
		POD(BOUND, .phase = POD_SUCCEEDED, .ended = true),
		POD(BOUND, .phase = POD_SUCCEEDED, .ended = true, .attempt = 2),
		POD(BOUND, .phase = POD_SUCCEEDED, .ended = true, .attempt = 1),
		POD(FREE, .phase = POD_PENDING, .attempt = 2),
		POD(BOUND, .phase = POD_SUCCEEDED, .ended = true,
		    .deleting = true, .attempt = 2),
	};

	for (size_t first = 0; first < T_COUNT(pods); first++) {
		struct group_counts got = {0};

		t_row("from %zu on", first);
		for (size_t i = 0; i < T_COUNT(pods); i++)
			group_view_count(&got,
					 pods[(first + i) % T_COUNT(pods)], 42);
		T_INT(got.done, 1);
		T_INT(got.succeeded, 4);
	}
}

static void the_first_that_failed_says_how(void)
{
	const struct bridged_pod *const pods[] = {
		POD(BOUND, .phase = POD_FAILED, .ended = true, .exit_code = 143,
		    .failed_ms = 2000),
		POD(BOUND, .phase = POD_FAILED, .ended = true, .exit_code = 3,
		    .failed_ms = 1000),
		POD(BOUND, .phase = POD_FAILED, .ended = true, .exit_code = 1,
		    .failed_ms = INT64_MAX),
	};

	for (size_t first = 0; first < T_COUNT(pods); first++) {
		struct group_counts got = {0};

		t_row("from %zu on", first);
		for (size_t i = 0; i < T_COUNT(pods); i++)
			group_view_count(&got,
					 pods[(first + i) % T_COUNT(pods)], 42);
		T_INT(got.failed, 3);
		T_INT(got.exit_code, 3);
	}
}
T_MAIN("group_counts", T(each_pod_is_counted_once), T(the_last_attempt_counts),
       T(the_first_that_failed_says_how))

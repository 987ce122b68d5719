/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Notes on pods that the API server does not take as they are. */
#include "base/clock.h"
#include "base/str.h"
#include "engine/work.h"
#include "fault.h"

#define SCALE "cluster-autoscaler.kubernetes.io/safe-to-evict"
#define KEEP_MS 600000 /* what is forbidden is not tried for so long */
#define PATCH "'path':'" PODS "/n1','method':'PATCH'"
#define TAKEN "{" PATCH ",'do':'raw','code':200,'times':99,'body':'{}'}"
#define REFUSED(more)                                                          \
	"{" PATCH ",'do':'status','times':99,'message':'denied by site'," more \
	"}"

static int64_t later; /* ms that the clock is ahead: pauses are skipped */

int64_t __real_clock_ms(void);
int64_t __wrap_clock_ms(void);
int64_t __wrap_clock_ms(void)
{
	return __real_clock_ms() + later;
}

static void nothing(void *arg)
{
	(void)arg;
}

static bool always(void *arg)
{
	(void)arg;
	return true;
}

static const struct cluster cluster = {.name = (char *)"c", .ns = (char *)"ns"};
static const struct plan_pod pod = {.name = "n1", .uid = "u1"};

struct bench {
	struct fault_link l;
	struct work *w;
};

static void open_bench(struct bench *b)
{
	const struct work_options opt = {.cluster = &cluster,
					 .slurm_cluster = "test",
					 .asked = nothing,
					 .done = nothing,
					 .may = always};

	t_log_clear();
	b->l = fault_link(NULL);
	b->w = work_new(&opt);
}

static void close_bench(struct bench *b)
{
	work_drop(b->w, b->l.client);
	fault_unlink(&b->l);
	work_free(b->w);
}

/* One note to its end; how many requests were that? */
static size_t note(struct bench *b)
{
	const struct pod_jobs jobs = {.busy = true, .ids = "7"};
	const size_t before = fault_requests("PATCH", "n1");
	const int64_t end = __real_clock_ms() + WAIT_MS;

	T_OK(work_note(b->w, &pod, &jobs));
	work_begin(b->w, b->l.client);
	while (work_busy(b->w, "n1") && __real_clock_ms() < end)
		kube_client_step(b->l.client, 20);
	T_OK(!work_busy(b->w, "n1"));
	return fault_requests("PATCH", "n1") - before;
}

static size_t times(const char *log, const char *words)
{
	size_t n = 0;

	for (; (log = strstr(log, words)); log++)
		n++;
	return n;
}

static void a_note_is_one_request(void)
{
	struct bench b;

	open_bench(&b);
	fault_script("'rules':[" TAKEN "]");
	T_INT(note(&b), 1);
	T_INT(note(&b), 1);
	close_bench(&b);
}

/* Webhooks with a code and without, and a ValidatingAdmissionPolicy. */
static void the_label_does_not_depend_on_what_autoscalers_go_by(void)
{
	static const int codes[] = {403, 400, 422};

	for (size_t i = 0; i < T_COUNT(codes); i++) {
		struct bench b;

		t_row("%zu", i);
		open_bench(&b);
		fault_script("'rules':[" REFUSED("'holds':'" SCALE "',"
						 "'code':%d") "," TAKEN "]",
			     codes[i]);
		T_INT(note(&b), 2);
		T_INT(note(&b), 1); /* (at once without it) */
		T_OK(work_may_note(b.w));
		T_INT(times(t_log(), "autoscalers are not told"), 1);
		T_HAS(t_log(), "denied by site");
		later += KEEP_MS;
		T_INT(note(&b), 2);
		T_INT(times(t_log(), "autoscalers are not told"), 1);
		fault_change("'rules':[" TAKEN "]");
		later += KEEP_MS;
		T_INT(note(&b), 1);
		fault_change("'rules':[" REFUSED("'holds':'" SCALE
						 "','code':403") "," TAKEN "]");
		T_INT(note(&b), 2); /* (it was whole before) */
		T_INT(times(t_log(), "autoscalers are not told"), 2);
		T_OK(!strstr(t_log(), "nor are these protected"));
		close_bench(&b);
	}
}

static void notes_that_are_forbidden_are_tried_again_later(void)
{
	struct bench b;

	open_bench(&b);
	fault_script("'rules':[" REFUSED("'code':403") "]");
	T_OK(work_may_note(b.w));
	T_INT(note(&b), 2);
	T_OK(!work_may_note(b.w));
	T_INT(times(t_log(), "nor are these protected from eviction"), 1);
	T_OK(!strstr(t_log(), "autoscalers"));
	later += KEEP_MS;
	T_OK(work_may_note(b.w));
	fault_change("'rules':[" TAKEN "]");
	T_INT(note(&b), 1); /* whole again */
	T_OK(work_may_note(b.w));
	close_bench(&b);
}

/* It may be this pod's only: others are noted on. */
static void a_note_that_is_invalid_forbids_no_others(void)
{
	struct bench b;

	open_bench(&b);
	fault_script("'rules':[" REFUSED("'code':422") "]");
	T_INT(note(&b), 2);
	T_INT(note(&b), 2);
	T_OK(work_may_note(b.w));
	T_INT(times(t_log(), "nor are these protected from eviction"), 1);
	T_HAS(t_log(), "pod n1: ");
	close_bench(&b);
}

T_MAIN("work", T(a_note_is_one_request),
       T(the_label_does_not_depend_on_what_autoscalers_go_by),
       T(notes_that_are_forbidden_are_tried_again_later),
       T(a_note_that_is_invalid_forbids_no_others))

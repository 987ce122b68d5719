/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The PodDisruptionBudget is there, whoever deletes it. */
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "cluster/pdb.h"
#include "fault.h"

#define BUDGETS "/apis/policy/v1/namespaces/ns/poddisruptionbudgets"
#define ANSWER(code, times)                                                    \
	"{'path':'poddisruptionbudgets','method':'POST','times':" #times       \
	",'do':'status','code':" #code "}"
#define MADE                                                                   \
	"{'path':'poddisruptionbudgets','method':'POST','times':1,'do':"       \
	"'raw','code':201,'body':'{}'}"
#define IS_THERE(times)                                                        \
	"{'path':'poddisruptionbudgets','method':'POST','times':" #times       \
	",'do':'status','code':409,'reason':'AlreadyExists'}"

static struct pdb budget(const struct fault_link *l)
{
	return (struct pdb){.client = l->client,
			    .ns = "ns",
			    .slurm_cluster = "test",
			    .name = "c",
			    .again_ms = 200,
			    .retry_ms = 200};
}

static void step(struct pdb *b)
{
	pdb_step(b);
	if (!kube_client_step(b->client, 20))
		kube_client_rest(b->client, 20);
}

/* Until it has been asked for so often, and the last one is answered. */
static void ask(struct pdb *b, size_t times)
{
	int64_t end = clock_ms() + WAIT_MS;

	while ((fault_requests("POST", BUDGETS) < times || b->trying) &&
	       clock_ms() < end)
		step(b);
	T_INT(fault_requests("POST", BUDGETS), times);
}

static void it_is_made_again_when_somebody_has_deleted_it(void)
{
	_cleanup_link_ struct fault_link l = fault_link(NULL);
	struct pdb b = budget(&l);

	t_log_clear();
	fault_script("'rules':[" MADE "," IS_THERE(1) "," MADE "]");
	ask(&b, 1);
	T_OK(b.done);
	ask(&b, 2);
	T_LACKS(t_log(), "made again");
	ask(&b, 3);
	T_HAS(t_log(), "cluster c: the PodDisruptionBudget of busy pods had "
		       "been deleted, and is made again");
	T_INT(fault_requests("GET", "/"), 0); /* (nothing is looked up) */
}

static void it_is_not_asked_for_before_its_time(void)
{
	_cleanup_link_ struct fault_link l = fault_link(NULL);
	struct pdb b = budget(&l);
	int64_t end;

	b.again_ms = 0; /* the real one */
	fault_script("'rules':[" IS_THERE(100) "]");
	ask(&b, 1);
	for (end = clock_ms() + 600; clock_ms() < end;)
		step(&b);
	T_INT(fault_requests("POST", BUDGETS), 1);
}

static void an_answer_that_fails_is_a_warning_until_it_was_there(void)
{
	_cleanup_link_ struct fault_link l = fault_link(NULL);
	struct pdb b = budget(&l);

	t_log_clear();
	fault_script("'rules':[" ANSWER(403, 1) "," MADE
						"," ANSWER(403, 1) "]");
	ask(&b, 1);
	T_HAS(t_log(), "cluster c: busy pods are not protected from eviction");
	t_log_clear();
	ask(&b, 3);
	T_LACKS(t_log(), "not protected");
}

/* (a right that was given just now, say: not to be missed for long) */
static void a_trouble_of_a_moment_is_over_soon_and_told_once(void)
{
	_cleanup_link_ struct fault_link l = fault_link(NULL);
	struct pdb b = budget(&l);

	t_log_clear();
	b.retry_ms = 100;
	fault_script("'rules':[" ANSWER(403, 3) "," MADE "]");
	ask(&b, 1);
	T_HAS(t_log(), "cluster c: busy pods are not protected from eviction");
	t_log_clear();
	ask(&b, 3);
	T_STR(t_log(), "");
	ask(&b, 4);
	T_OK(b.done && !b.failures);
	T_HAS(t_log(), "cluster c: busy pods are protected from eviction");
	T_OK(fault_when("POST", BUDGETS, 3) - fault_when("POST", BUDGETS, 2) >=
	     199);
}

T_MAIN("budget", T(it_is_made_again_when_somebody_has_deleted_it),
       T(it_is_not_asked_for_before_its_time),
       T(a_trouble_of_a_moment_is_over_soon_and_told_once),
       T(an_answer_that_fails_is_a_warning_until_it_was_there))

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is planned for a running gang of which a pod can never be placed, and
 * what counts of its pods. */
#include "group_observe_fixture.h"

static struct pod_class bad = {.refusal = (char *)"more than 8 kinds"};

static enum claims_is claimed = CLAIMS_OURS;

enum claims_is claims_namespace(struct claims *c, const char *ns,
				char words[CLAIM_WORDS_MAX])
{
	(void)c;
	(void)ns;
	if (words)
		*words = '\0';
	return claimed;
}

/* The words are the refusal; the uids of whom it is about: "u2 u1 ". */
static void is_planned(struct scene *s, enum group_action action,
		       const char *row, const char *words, const char *whom)
{
	struct pod_selection chosen = {0};
	char uids[256] = "";

	look(s);
	T_INT(s->j.plan.action, action);
	T_STR(s->j.plan.row, row);
	T_HAS(s->j.plan.words, words);
	T_INT(select_pods(s->g, &s->j, &chosen), 0);
	for (size_t i = 0; i < chosen.n; i++)
		snprintf(uids + strlen(uids), sizeof(uids) - strlen(uids),
			 "%s ", chosen.v[i].uid);
	T_STR(uids, whom);
	free(chosen.v);
}

/*
 * One of two pods was deleted, and made anew so that it is refused: what it
 * asks for was not reckoned, and it was bound as if that were nothing.
 */
static void a_refused_pod_does_not_join_its_gang(void)
{
	_cleanup_scene_ struct scene s = scene("ns", PLACEHOLDER_RUNNING, "n1");

	s.q->job.made_for = s.g->of.members = 2;
	add_pod(s.g, "n1", false);
	add_pod(s.g, "", false);
	s.g->members->shape = &bad;
	is_planned(&s, GROUP_WAIT, "refused beside",
		   "job 7 runs without it, for it cannot be placed: more than "
		   "8 kinds",
		   "u1 ");
	/* also where there is no room for now: that is not why */
	overcommitted = true;
	is_planned(&s, GROUP_WAIT, "refused beside", "8 kinds", "u1 ");
	overcommitted = false;
	/* a good one is bound beside it, and no more than the job is for */
	add_pod(s.g, "", false);
	is_planned(&s, GROUP_BIND, "bind", "1 pods", "u2 u0 ");
	add_pod(s.g, "", false);
	s.g->members->shape = &bad;
	s.q->job.made_for = 9;
	is_planned(&s, GROUP_BIND, "bind", "1 pods", "u2 u0 ");
}

/* (its labels or annotations were changed) */
static void a_running_pod_that_is_refused_by_now_stays(void)
{
	_cleanup_scene_ struct scene s = scene("ns", PLACEHOLDER_RUNNING, "n1");

	s.q->job.made_for = s.g->of.members = 2;
	add_pod(s.g, "n1", false);
	s.g->members->shape = &bad;
	is_planned(&s, GROUP_KEEP, "running", "", "");
	add_pod(s.g, "", false);
	is_planned(&s, GROUP_BIND, "bind", "1 pods", "u1 u0 ");
}

/* Its labels were changed, or another one was made good, in that moment. */
static void what_is_on_its_way_has_its_place(void)
{
	_cleanup_scene_ struct scene s = scene("ns", PLACEHOLDER_RUNNING, "n1");

	s.q->job.made_for = s.g->of.members = 2;
	for (int i = 0; i < 3; i++)
		add_pod(s.g, "", false);
	is_planned(&s, GROUP_BIND, "bind", "2 pods", "u2 u1 ");
	going = "u0";
	is_planned(&s, GROUP_BIND, "bind", "2 pods", "u2 u0 ");
	going = "u0 u1";
	is_planned(&s, GROUP_BIND, "bind", "2 pods", "u1 u0 ");
	s.g->members->next->shape = &bad;
	is_planned(&s, GROUP_BIND, "bind", "2 pods", "u1 u0 ");
	going = NULL;
	is_planned(&s, GROUP_CANCEL, "refused now", "8 kinds", "");
}

/* (it was made anew while the other one's binding was on its way) */
static void one_that_is_refused_does_not_end_what_is_on_its_way(void)
{
	_cleanup_scene_ struct scene s = scene("ns", PLACEHOLDER_RUNNING, "n1");

	s.q->job.made_for = s.g->of.members = 2;
	add_pod(s.g, "", false);
	add_pod(s.g, "", false);
	s.g->members->shape = &bad;
	going = "u0";
	is_planned(&s, GROUP_BIND, "bind", "1 pods", "u0 ");
	going = NULL;
	is_planned(&s, GROUP_CANCEL, "refused now", "8 kinds", "");
}

/* Its author deletes one with a day to end, and has the other one grow. */
static void what_is_being_deleted_holds_its_share(void)
{
	_cleanup_scene_ struct scene s = scene("ns", PLACEHOLDER_RUNNING, "n1");

	shape.need.cpu_milli = 2000;
	layout[0] = (struct placed_node){.name = "n1", .cpus = 4};
	layout[1] = (struct placed_node){.name = "n2", .cpus = 4};
	s.q->nodes.layout = (struct ctl_layout *)layout;
	s.q->job.made_for = s.g->of.members = 2;
	add_pod(s.g, "n1", true);
	add_pod(s.g, "n1", false);
	s.g->members->next->pod->respecced = true; /* (that is its deletion) */
	is_planned(&s, GROUP_KEEP, "running", "", "");
	bad.need.cpu_milli = 3000;
	s.g->members->shape = &bad;
	s.g->members->pod->respecced = true;
	is_planned(&s, GROUP_DELETE_PODS, "resized", "", "u1 ");
	s.g->members->next->pod->ended = true;
	is_planned(&s, GROUP_KEEP, "running", "", "");
	/* a deletion alone is no growth */
	s.g->members->next->pod->ended = false;
	s.g->members->pod->respecced = false;
	is_planned(&s, GROUP_KEEP, "running", "", "");
	bad.need = shape.need = (struct pod_requests){0};
	s.q->nodes.layout = NULL;
}

/* (it starts together, or not at all) */
static void a_gang_that_has_not_begun_loses_its_job(void)
{
	_cleanup_scene_ struct scene s = scene("ns", PLACEHOLDER_RUNNING, "n1");

	s.q->job.made_for = s.g->of.members = 2;
	add_pod(s.g, "", false);
	add_pod(s.g, "", false);
	is_planned(&s, GROUP_BIND, "bind", "2 pods", "u1 u0 ");
	s.g->members->shape = &bad;
	is_planned(&s, GROUP_CANCEL, "refused now", "8 kinds", "");
	s.g->of.members = 0; /* (its object was not asked) */
	is_planned(&s, GROUP_CANCEL, "refused now", "8 kinds", "");
	s.g->of.members = 2;
	claimed = CLAIMS_UNKNOWN; /* why is not known yet */
	is_planned(&s, GROUP_WAIT, "unknown size", "is being claimed",
		   "u1 u0 ");
	claimed = CLAIMS_OURS;
	/* then it is told */
	s.q->job.state = PLACEHOLDER_ENDED;
	s.q->job.end = PLACEHOLDER_CANCELLED;
	s.q->job.by_us = true;
	is_planned(&s, GROUP_REFUSE, "refused", "8 kinds", "u1 u0 ");
}

T_MAIN("group_observe_refused", T(a_refused_pod_does_not_join_its_gang),
       T(a_running_pod_that_is_refused_by_now_stays),
       T(what_is_on_its_way_has_its_place),
       T(one_that_is_refused_does_not_end_what_is_on_its_way),
       T(what_is_being_deleted_holds_its_share),
       T(a_gang_that_has_not_begun_loses_its_job))

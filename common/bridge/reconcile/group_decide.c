/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bridge/reconcile/group_decide.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"

/* Fill in a decision. */
__attribute__((format(printf, 4, 5))) static void
plan(struct group_decision *out, enum group_action action, const char *row,
     const char *fmt, ...)
{
	va_list ap;

	out->action = action;
	out->row = row;
	va_start(ap, fmt);
	vsnprintf(out->words, sizeof(out->words), fmt, ap);
	va_end(ap);
	str_sanitize(out->words);
}

static void keep(struct group_decision *out, const char *row)
{
	plan(out, GROUP_KEEP, row, "%s", "");
}

static void cancel(uint32_t job_id, struct group_decision *out, const char *row,
		   const char *why)
{
	out->job_id = job_id;
	plan(out, GROUP_CANCEL, row, "job %u: %s", job_id, why);
}

/* Count pods that a JobSet does not need again, as they have succeeded. */
static void count_done(struct group_counts *pods, const struct bridged_pod *p)
{
	if (p->attempt > pods->attempt) {
		pods->attempt = p->attempt;
		pods->done = 0;
	}
	pods->done += p->attempt == pods->attempt && !p->deleting && p->ended &&
		      p->phase == POD_SUCCEEDED;
}

void group_view_count(struct group_counts *pods, const struct bridged_pod *p,
		      uint32_t job_id)
{
	bool over = p->ended && *p->node; /* the pod ran, or was refused */
	bool earlier = job_id && p->job_id && p->job_id != job_id;

	count_done(pods, p);
	if (*p->node && !p->job_id) {
		pods->foreign += !p->ended;
		pods->disowned += p->disowned && !p->ended;
		return;
	}
	if (p->deleting && p->ended &&
	    (p->phase != POD_SUCCEEDED || p->cut_short))
		return; /* the pod is gone, but for its object */
	if (over && earlier)
		return; /* the end of an earlier job's pod is no end of this */
	if (over && p->phase == POD_SUCCEEDED) {
		pods->succeeded++;
	} else if (over || (p->ended && p->phase == POD_FAILED)) {
		pods->failed++;
		if (!pods->exit_code || p->failed_ms < pods->failed_ms) {
			pods->exit_code = p->exit_code;
			pods->failed_ms = p->failed_ms;
		}
	} else if (*p->node && p->deleting) {
		pods->leaving++;
		pods->left += earlier;
		if (p->grace_s > pods->leaving_s)
			pods->leaving_s = p->grace_s;
	} else if (*p->node) {
		pods->live++;
		pods->by_earlier_job += earlier;
		pods->elsewhere += p->elsewhere;
		if (p->grace_s > pods->grace_s)
			pods->grace_s = p->grace_s;
	} else if (p->gated) {
		pods->gated++;
	} else {
		pods->waiting++;
		pods->labelled += job_id && p->job_id == job_id;
	}
}

/*
 * True if no pod runs or will run by the job. Pods that leave elsewhere and
 * have too long for that are deleted anew first.
 */
static bool is_over(const struct group_counts *p)
{
	return !p->gated && !p->waiting && !p->live && p->leaving == p->away &&
	       !p->lingering;
}

/*
 * True if the group's only pod leaves: no other one will ever be of this group,
 * and the job would start for nothing, for as long as the node's kubelet does
 * not answer. A gang may get new pods. While a pod leaves no other one is bound
 * to its node: see nodes_are_free().
 */
static bool is_last(const struct group_view *v)
{
	return !v->gang && v->pods.leaving && !v->pods.waiting &&
	       !v->pods.gated;
}

/* True if a leaving pod has more time than Slurm gives jobs to end. */
static bool some_linger(const struct group_view *v)
{
	return v->pods.leaving &&
	       v->pods.leaving_s > placeholder_kill_wait(v->kill_wait_s);
}

/*
 * True if a job that has not started waits for leaving pods: for those whose
 * node answers, and, while there are too few others, for all. Some controllers
 * make a new pod when the old one is gone.
 */
static bool waits_for_leaving(const struct group_view *v)
{
	const struct group_counts *p = &v->pods;
	const uint32_t left = p->waiting + p->gated;

	return p->leaving > p->away ||
	       (p->leaving && (!left || left < v->members));
}

/* Wait and look again: no event says that a node does not answer any more. */
static void wait_for_leaving(struct group_decision *out)
{
	plan(out, GROUP_WAIT, "leaving", "earlier pods are not gone");
	out->again_ms = BRIDGE_LEAVING_MS;
}

static void set_grace(const struct group_view *v, struct group_decision *out)
{
	const uint32_t most = placeholder_kill_wait(v->kill_wait_s);

	out->grace_s = v->pods.grace_s < most ? v->pods.grace_s : most;
	out->leaving_over_s = most;
}

static void delete_pods(const struct group_view *v, struct group_decision *out,
			const char *row, const char *why)
{
	out->job_id = v->job_id;
	set_grace(v, out);
	plan(out, GROUP_DELETE_PODS, row, "job %u %s", v->job_id, why);
}

/*
 * True if live pods have lost their job and get another one: slurmctld was
 * killed before it saved the job, or has started it elsewhere, and we have
 * cancelled it.
 */
static bool is_lost(const struct group_view *v)
{
	return v->early && v->pods.live && !v->pods.leaving &&
	       (v->job == PLACEHOLDER_NONE || v->by_us) && !v->refusal &&
	       !v->not_yet;
}

/* Decide about live or leaving pods without a job. */
static void decide_running_without(const struct group_view *v,
				   struct group_decision *out)
{
	if (!v->pods.live && !some_linger(v)) {
		wait_for_leaving(out);
		return;
	}
	if (v->outside) { /* another bridge may have bound them */
		keep(out, "outside");
		return;
	}
	if (is_lost(v)) {
		out->n = v->pods.live + v->pods.waiting;
		plan(out, GROUP_SUBMIT, "lost", "%u pods, which run", out->n);
		return;
	}
	if (v->loss_unclear) {
		keep(out, "lost?");
		out->again_ms = BRIDGE_ORPHAN_MS;
		return;
	}
	if (v->state_ms < BRIDGE_ORPHAN_MS) {
		keep(out, "orphan?");
		out->again_ms = BRIDGE_ORPHAN_MS - v->state_ms;
		return;
	}
	set_grace(v, out);
	plan(out, GROUP_DELETE_PODS, "orphan",
	     "Slurm has no job for it (any more)");
}

/*
 * Wait for pods that are missing. The words count a large gang in eighths, as
 * all its pods are told each time that the words change.
 */
static void decide_incomplete(struct group_decision *out, const char *row,
			      uint32_t n, uint32_t of)
{
	const uint32_t step = of / 8, least = step ? n / step * step : n;

	if (of < 64 || n < 8)
		plan(out, GROUP_WAIT, row, "%u of %u pods are there", n, of);
	else if (!least)
		plan(out, GROUP_WAIT, row, "fewer than %u of %u pods are there",
		     step, of);
	else
		plan(out, GROUP_WAIT, row, "at least %u of %u pods are there",
		     least, of);
}

static void unknown_size(const struct group_view *v, struct group_decision *out)
{
	plan(out, GROUP_WAIT, "unknown size", "%s",
	     v->not_yet ? v->not_yet : "its group is not known yet");
}

/* Slurm has no job that could start: decide whether there is to be one. */
static void decide_none(const struct group_view *v, struct group_decision *out)
{
	const struct group_counts *p = &v->pods;

	if (p->live || waits_for_leaving(v)) {
		decide_running_without(v, out);
	} else if (!p->waiting && !p->gated) {
		keep(out, "nothing");
	} else if (v->refusal) {
		plan(out, GROUP_REFUSE, "refused", "%s", v->refusal);
	} else if (!p->waiting) {
		plan(out, GROUP_WAIT, "gated", "it has schedulingGates");
	} else if (p->binding) {
		/* The pod would run by the old job while a new one waits. */
		keep(out, "being bound");
		out->again_ms = BRIDGE_BINDING_MS;
	} else if (!v->members || v->not_yet) {
		unknown_size(v, out);
	} else if (p->waiting < v->members) {
		decide_incomplete(out, "incomplete", p->waiting, v->members);
	} else {
		out->n = p->waiting;
		plan(out, GROUP_SUBMIT, "submit", "%u pods", p->waiting);
	}
}

/*
 * True if it is time to tell waiting pods why they wait, and until when. If not
 * yet, *again_ms is how long it is until then.
 */
static bool note_is_due(const struct group_view *v, int64_t *again_ms)
{
	const struct pods_told *n = &v->noted;
	int64_t shift = n->start_s - v->start_s, age = n->age_ms, after;

	if (!n->reason) {
		age = v->state_ms;
		after = BRIDGE_NOTE_FIRST_MS;
	} else if (n->others || !str_eq(n->reason, v->reason)) {
		after = BRIDGE_NOTE_REASON_MS;
	} else if (shift >= BRIDGE_NOTE_SHIFT_S ||
		   shift <= -BRIDGE_NOTE_SHIFT_S) {
		after = BRIDGE_NOTE_START_MS;
	} else {
		return false;
	}
	*again_ms = age < after ? after - age : 0;
	return age >= after;
}

/* True if more pods start together than the job was made for. */
static bool has_grown(const struct group_view *v)
{
	return v->made_for && v->members > v->made_for;
}

bool group_view_is_held(const struct group_view *v)
{
	const char *reason = v->reason ? v->reason : "";

	if (v->job != PLACEHOLDER_HELD)
		return false;
	if (v->not_launched) /* Slurm does not tell who holds it */
		return true;
	if (str_eq(reason, "JobHeldUser"))
		return !v->holds;
	return placeholder_admin_holds(reason);
}

/* Cancel a job so that its pods get another; a held one when it is released. */
static void replace_job(uint32_t job_id, bool held, struct group_decision *out,
			const char *row, const char *why)
{
	if (!held) {
		cancel(job_id, out, row, why);
		return;
	}
	out->job_id = job_id;
	plan(out, GROUP_WAIT, "held",
	     "job %u is held, and stays as it is until it is released: %s",
	     job_id, why);
}

static void make_anew(const struct group_view *v, struct group_decision *out,
		      const char *row, const char *why)
{
	replace_job(v->job_id, group_view_is_held(v), out, row, why);
}

/* Decide about a job with too few pods; none of them has begun. */
static void decide_short(const struct group_view *v, struct group_decision *out)
{
	const struct group_counts *p = &v->pods;
	bool gone = is_over(p);

	/* The controller of a gang makes new pods in place of lost ones. */
	if (gone && !(v->gang && (v->requeued || group_view_is_held(v)))) {
		cancel(v->job_id, out, "pods gone", "its pods are gone");
	} else if (v->short_ms >= BRIDGE_SHORT_MS) {
		if (gone)
			cancel(v->job_id, out, "no longer complete",
			       "pods of its gang are gone");
		else
			make_anew(v, out, "no longer complete",
				  "pods of its gang are gone");
	} else {
		decide_incomplete(out, "no longer complete?",
				  p->waiting + p->gated, v->members);
		out->again_ms = BRIDGE_SHORT_MS - v->short_ms;
	}
}

/*
 * Decide about live pods of a job that waits and was not requeued: slurmctld
 * was killed before it saved the job's start. Slurm may start the job again
 * where its pods run, and nowhere else. A held job has as long as it takes
 * until whoever holds it releases it.
 */
static void decide_forgotten(const struct group_view *v,
			     struct group_decision *out)
{
	const bool held = v->job == PLACEHOLDER_HELD;

	out->job_id = v->job_id;
	if (!held && v->state_ms >= BRIDGE_FORGOTTEN_MS) {
		delete_pods(v, out, "forgotten",
			    "waits again: slurmctld was killed before it had "
			    "saved its start, and its room is taken");
		return;
	}
	out->again_ms = held ? 0 : BRIDGE_FORGOTTEN_MS - v->state_ms;
	if (!v->pinned)
		plan(out, GROUP_PIN, "forgotten",
		     held ? "job %u is held, and its pod runs: slurmctld was "
			    "killed before it had saved the job's release; "
			    "when it is released again it starts there"
			  : "job %u",
		     v->job_id);
	else if (v->pods.by_earlier_job)
		plan(out, GROUP_ADOPT, "adopted", "job %u", v->job_id);
	else
		plan(out, GROUP_KEEP, "forgotten", "%s", "");
}

static void look_again(struct group_decision *out, int64_t ms)
{
	if (!out->again_ms || ms < out->again_ms)
		out->again_ms = ms;
}

static void decide_pending(const struct group_view *v,
			   struct group_decision *out)
{
	const struct group_counts *p = &v->pods;

	if (p->live && !v->requeued) {
		decide_forgotten(v, out);
	} else if (p->live || some_linger(v)) {
		delete_pods(v, out, "requeued", "went back into the queue");
	} else if (is_last(v)) {
		cancel(v->job_id, out, "pods gone", "its pod is being deleted");
	} else if (waits_for_leaving(v)) {
		wait_for_leaving(out);
	} else if (is_over(p) ||
		   (v->members && p->waiting + p->gated < v->members)) {
		decide_short(v, out);
	} else if (v->not_launched && v->twice) {
		cancel(v->job_id, out, "not launched",
		       "slurmctld was killed, and has given its id twice");
	} else if (has_grown(v)) {
		make_anew(v, out, "grown", "its gang has grown");
	} else if (v->pinned) {
		make_anew(v, out, "pinned", "it was for pods that ran");
	} else if (v->refusal) {
		make_anew(v, out, "refused now", v->refusal);
	} else if (v->anew) {
		/*
		 * When SlurmUser changes a job, Slurm does not judge that by
		 * the limits and QOS of the job's user, now or later; a new job
		 * it does judge.
		 */
		make_anew(v, out, "asks anew",
			  "its pods ask for something else");
	} else if (v->no_node) {
		make_anew(v, out, "no such node",
			  "it names a node that Slurm has deleted, so Slurm "
			  "refuses to change or release it (scancel works)");
	} else if (v->resized && v->resized_ms >= v->resized_max_ms) {
		make_anew(v, out, "other nodes",
			  "Slurm has other nodes now, so its pods ask for "
			  "others");
	} else if (v->changed && !v->update_waits) {
		out->job_id = v->job_id;
		out->n = p->waiting;
		plan(out, GROUP_UPDATE, "changed", "job %u", v->job_id);
	} else if (note_is_due(v, &out->again_ms)) {
		out->job_id = v->job_id;
		plan(out, GROUP_NOTE, "note", "job %u waits%s%s", v->job_id,
		     v->reason && *v->reason ? ": " : "",
		     v->reason ? v->reason : "");
	} else {
		keep(out, "pending");
	}
	if (v->resized && v->resized_ms < v->resized_max_ms)
		look_again(out, v->resized_max_ms - v->resized_ms);
	if (v->not_launched && v->state_ms < BRIDGE_LAUNCH_MS)
		look_again(out, BRIDGE_LAUNCH_STEP_MS);
}

/* Decide about a job whose pods have all ended or are gone. */
static void decide_over(const struct group_view *v, struct group_decision *out)
{
	const struct group_counts *p = &v->pods;

	if (!p->succeeded && !p->failed && p->foreign) {
		/* An earlier build may have bound them, without a condition. */
		keep(out, "bound by others");
		return;
	}
	if (!p->succeeded && !p->failed) {
		decide_short(v, out);
		return;
	}
	out->job_id = v->job_id;
	out->exit_code = p->failed ? p->exit_code : 0;
	plan(out, GROUP_COMPLETE, "over", "job %u: exit code %d", v->job_id,
	     out->exit_code);
}

/* True if Slurm, which had lost the job's start, has started it elsewhere. */
static bool is_elsewhere(const struct group_view *v)
{
	return v->early && !v->requeued && v->pods.live &&
	       v->pods.misplaced == v->pods.live;
}

/* Decide about pods on nodes that the job does not have. */
static void decide_misplaced(const struct group_view *v,
			     struct group_decision *out)
{
	if (is_elsewhere(v)) {
		cancel(v->job_id, out, "elsewhere",
		       "its pods run on other nodes");
		return;
	}
	delete_pods(v, out, "misplaced", "runs on other nodes now");
	out->misplaced_only = true;
}

/* Slurm cannot give a running job more: others get what the job has not. */
static void decide_grown(const struct group_view *v, struct group_decision *out)
{
	delete_pods(v, out, "resized",
		    "has less than its pods ask for since they were resized");
	out->grown_only = true;
	out->leaving_over_s = 0;
}

/*
 * Wait for room: Slurm keeps a node's size for a while. If the node stays
 * smaller it is drained, or made anew, and the pods find room elsewhere.
 */
static void decide_overcommitted(const struct group_view *v, bool started,
				 struct group_decision *out)
{
	if (!started && v->overcommitted_ms >= v->overcommitted_max_ms) {
		cancel(v->job_id, out, "overcommitted for long",
		       "other pods have taken the room on its nodes");
		return;
	}
	plan(out, GROUP_WAIT, "overcommitted",
	     "other pods have taken room on the nodes of job %u", v->job_id);
	out->again_ms = BRIDGE_OVERCOMMITTED_MS;
}

/*
 * Wait for pods on the job's nodes that have ended for Slurm. If they do not
 * end in truth (a process that cannot be killed, say) the job goes: by then
 * their node takes no new jobs (node_room.c:kept_nodes_look()).
 */
static void decide_occupied(const struct group_view *v, bool started,
			    struct group_decision *out)
{
	if (!started && v->kept_ms >= BRIDGE_KEPT_MS) {
		cancel(v->job_id, out, "not free",
		       "earlier pods do not end on its nodes");
		return;
	}
	plan(out, GROUP_WAIT, "no room yet",
	     "earlier pods are not gone from the nodes of job %u", v->job_id);
	out->again_ms = BRIDGE_LEAVING_MS;
}

/* Decide about a job that has started, whose pods' needs are not known. */
static void decide_unknown(const struct group_view *v,
			   struct group_decision *out)
{
	if (v->unknown_ms >= BRIDGE_UNKNOWN_MS) {
		cancel(v->job_id, out, "size unknown",
		       "it is not known how many of its pods start together");
		return;
	}
	unknown_size(v, out);
	out->again_ms = BRIDGE_UNKNOWN_MS - v->unknown_ms;
}

/*
 * Tell waiting pods that none of them can ever be placed, while others run on.
 * By GROUP_REFUSE the PodGroup would be told, too, though it has started.
 */
static void decide_unplaced(const struct group_view *v,
			    struct group_decision *out)
{
	plan(out, GROUP_WAIT, "refused beside",
	     "job %u runs without it, for it cannot be placed: %s", v->job_id,
	     v->refusal	  ? v->refusal
	     : v->not_yet ? v->not_yet
			  : "what it asks for is refused");
}

static void decide_running(const struct group_view *v,
			   struct group_decision *out)
{
	const struct group_counts *p = &v->pods;
	uint32_t busy = p->live + p->leaving - p->away;
	const uint32_t ready = p->waiting - p->refused;
	bool started = busy || p->succeeded || p->failed;

	/* The pods that are left cannot run, and would hold the job's nodes. */
	const bool rest = started && !busy && !p->going && !ready;

	out->job_id = v->job_id;
	if (is_over(p) || (rest && !p->lingering)) {
		decide_over(v, out);
	} else if (p->misplaced || p->lingering) {
		decide_misplaced(v, out);
	} else if (p->grown) {
		decide_grown(v, out);
	} else if (p->by_earlier_job) {
		plan(out, GROUP_ADOPT, "adopted", "job %u", v->job_id);
	} else if (!started && !p->going && v->refusal) {
		/* The pods start together, so the job is of no use. */
		cancel(v->job_id, out, "refused now", v->refusal);
	} else if (!started && !p->going && (p->refused || !v->members)) {
		decide_unknown(v, out);
	} else if (!started && p->waiting + p->gated < v->members) {
		decide_short(v, out);
	} else if (!p->waiting) {
		keep(out, "running");
	} else if (!ready) {
		decide_unplaced(v, out);
	} else if (!started && p->waiting < v->members) {
		plan(out, GROUP_WAIT, "gated", "pods have schedulingGates");
	} else if (!started && has_grown(v)) {
		cancel(v->job_id, out, "grown", "its gang has grown");
	} else if (busy >= v->made_for) {
		plan(out, GROUP_WAIT, "too many",
		     "job %u was made for %u pods, which run", v->job_id,
		     v->made_for);
	} else if (!v->room) {
		decide_occupied(v, started, out);
	} else if (v->overcommitted) {
		decide_overcommitted(v, started, out);
	} else {
		out->n = v->made_for - busy;
		if (out->n > ready)
			out->n = ready;
		plan(out, GROUP_BIND, "bind", "%u pods to nodes of job %u",
		     out->n, v->job_id);
	}
}

/* Bind nothing; running pods go on, as no pod can be stopped for a while. */
static void decide_suspended(const struct group_view *v,
			     struct group_decision *out)
{
	const struct group_counts *p = &v->pods;

	if (is_over(p))
		decide_over(v, out);
	else if (p->misplaced || p->lingering)
		decide_misplaced(v, out);
	else if (p->waiting)
		plan(out, GROUP_WAIT, "suspended", "job %u is suspended",
		     v->job_id);
	else
		keep(out, "suspended");
}

static void decide_starting(const struct group_view *v,
			    struct group_decision *out)
{
	if (is_over(&v->pods))
		decide_over(v, out);
	else if (v->pods.misplaced || v->pods.lingering)
		decide_misplaced(v, out);
	else
		keep(out, "starting");
}

static const char *words_of_end(enum placeholder_end end)
{
	static const char *const words[] = {
		[PLACEHOLDER_NOT_ENDED] = "is not running any more",
		[PLACEHOLDER_COMPLETED] = "has ended",
		[PLACEHOLDER_FAILED] = "has failed",
		[PLACEHOLDER_CANCELLED] = "was cancelled",
		[PLACEHOLDER_TIMEOUT] = "has reached its time limit",
		[PLACEHOLDER_PREEMPTED] = "was preempted",
		[PLACEHOLDER_NODE_FAIL] = "has lost a node",
		[PLACEHOLDER_DEADLINE] = "could not start before its deadline",
		[PLACEHOLDER_ENDED_OTHERWISE] = "was ended by Slurm",
	};

	return words[end <= PLACEHOLDER_ENDED_OTHERWISE
			     ? end
			     : PLACEHOLDER_ENDED_OTHERWISE];
}

/*
 * True if the job's end is meant for its waiting pods, too, and was not ours. A
 * job that we have cancelled says so (see struct job_identity); of an engine
 * that did not write that yet what the pods ask for now may tell.
 */
static bool ends_waiting(const struct group_view *v)
{
	bool ours = v->by_us || v->anew || v->refusal || !v->members ||
		    v->pods.waiting < v->members || has_grown(v);

	return v->pods.labelled && (v->end == PLACEHOLDER_TIMEOUT ||
				    v->end == PLACEHOLDER_DEADLINE ||
				    (v->end == PLACEHOLDER_CANCELLED && !ours));
}

static void decide_ended(const struct group_view *v, struct group_decision *out)
{
	const bool ends = ends_waiting(v);
	/* What the pods ask for tells whether we cancelled the job. */
	const bool unclear =
		ends && v->not_yet && v->end == PLACEHOLDER_CANCELLED;
	const bool too = ends && !unclear;

	if ((v->pods.live && !is_lost(v) && !v->loss_unclear) ||
	    some_linger(v) || too) {
		out->waiting_too = too;
		delete_pods(v, out, "ended", words_of_end(v->end));
	} else if (v->job == PLACEHOLDER_COMPLETING) {
		keep(out, "completing");
	} else if (unclear) {
		keep(out, "cancelled, by whom?");
	} else {
		decide_none(v, out);
	}
}

/* True if Slurm has forgotten the job (MinJobAge) since its end was seen. */
static bool is_forgotten_end(const struct group_view *v)
{
	return !v->pods.live && !v->pods.leaving && !v->outside &&
	       ends_waiting(v);
}

/* True for a job that waits or runs. */
static bool is_active(enum placeholder_state job)
{
	return job > PLACEHOLDER_NONE && job < PLACEHOLDER_COMPLETING;
}

static bool is_past(enum placeholder_state job)
{
	return job == PLACEHOLDER_COMPLETING || job == PLACEHOLDER_ENDED;
}

/*
 * Delete pods moved here from another group: they would run by this job, or
 * hold it up, without an end. Where another Slurm cluster may have the
 * namespace only pods that are surely ours are deleted.
 */
static void decide_moved(const struct group_view *v, struct group_decision *out)
{
	out->job_id = v->job_id;
	/* The job may not have such pods, whatever they belong to. */
	if (v->outside && !v->pods.ours) {
		keep(out, "outside");
		return;
	}
	set_grace(v, out);
	plan(out, GROUP_DELETE_PODS, "moved", "%s",
	     "it was bound by the job of another group of pods, and its labels "
	     "or annotations say that it is of this one now");
	out->misplaced_only = true;
	out->ours_only = v->outside;
}

/*
 * Leave the job alone: its pods, which are not in view, may wait or run. Pods
 * of the group in view are others, made anew under its name, say.
 */
static void decide_other_scheduler(const struct group_view *v,
				   struct group_decision *out)
{
	if (v->pods.waiting)
		plan(out, GROUP_WAIT, "pods unknown",
		     "job %u of its group is for pods of another "
		     "schedulerName, and is to end first",
		     v->job_id);
	else
		keep(out, "pods unknown");
}

void group_decide(const struct group_view *v, struct group_decision *out)
{
	*out = (struct group_decision){0};
	if (v->job == PLACEHOLDER_UNKNOWN || !v->pods_known) {
		keep(out, v->pods_known ? "Slurm unknown" : "pods unknown");
		return;
	}
	if (v->other_scheduler) {
		decide_other_scheduler(v, out);
		return;
	}
	/* Pods of an ended job go, whoever has the namespace. */
	if (v->pods.moved && !(v->outside && is_past(v->job))) {
		decide_moved(v, out);
		return;
	}
	if (v->duplicate && !v->duplicate_bound) {
		replace_job(v->duplicate, v->duplicate_held, out,
			    "duplicate job", "its pods have another job");
		return;
	}
	/* A held job goes on its release: the next one would not be held. */
	if (v->taken && is_active(v->job) && !group_view_is_held(v)) {
		cancel(v->job_id, out, "taken",
		       "somebody else has bound a pod of its");
		return;
	}
	if (v->by_us && is_active(v->job) && !v->pods.live &&
	    !v->pods.leaving) {
		cancel(v->job_id, out, "given up", "its pods get another one");
		return;
	}
	switch (v->job) {
	case PLACEHOLDER_NONE:
		if (is_forgotten_end(v))
			decide_ended(v, out);
		else
			decide_none(v, out);
		return;
	case PLACEHOLDER_PENDING:
	case PLACEHOLDER_HELD:
		decide_pending(v, out);
		return;
	case PLACEHOLDER_STARTING:
		decide_starting(v, out);
		return;
	case PLACEHOLDER_RUNNING:
		decide_running(v, out);
		return;
	case PLACEHOLDER_SUSPENDED:
		decide_suspended(v, out);
		return;
	case PLACEHOLDER_COMPLETING:
	case PLACEHOLDER_ENDED:
		decide_ended(v, out);
		return;
	case PLACEHOLDER_UNKNOWN:
	default:
		keep(out, "Slurm unknown");
	}
}

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Would the property tests see a decision that is wrong?

Usage: check_mutants.py BUILD

For each property there is a mutant, or more: the file that decides with one change that
breaks it. It is built, with the flags of meson's build in the folder BUILD, and
linked with the property test, which must name that property (and may name others).
A property without a mutant is an error, and so is a change whose text is not there.
"""
import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LIBRARIES = "-lcunit -ljson-c -lcrypto -lyaml -lpthread".split()

# {test: (the file that decides, [(property, text, what stands there instead)])}; a fourth word of a
# change: another file, which that one asks
MUTANTS = {
    "stale_properties": ("bridge/reconcile/stale_decide.c", [
        ("nothing_is_done_but_to_delete_pods", ".action = GROUP_KEEP,", ".action = v->refusal ? GROUP_REFUSE : GROUP_KEEP,"),
        ("only_pods_of_a_job_that_is_over_go", "return v->requeued;", "return true;"),
        ("only_pods_of_a_job_that_is_over_go", "if (!v->job_id || !any", "if (!any"),
        ("pods_of_a_job_that_is_over_go", "return v->end != PLACEHOLDER_NOT_ENDED;", "break;"),
        ("pods_of_another_scheduler_are_left", " || v->other_scheduler", ""),
        ("each_pod_is_looked_at_before", "out->look = true;", "out->look = !v->requeued;"),
        ("pods_that_wait_go_if_they_may_be_bound", "out->waiting_too = v->bound;", "out->waiting_too = true;"),
        ("a_deleted_pod_has_its_time_but_no_more", "p->grace_s < v->kill_wait_s ? p->grace_s : v->kill_wait_s;", "p->grace_s;"),
        ("pods_go_only_if_there_are_some", "if (!v->job_id || !any ||", "if (!v->job_id ||"),
        ("each_decision_has_a_row", '.row = "stale"};', '.row = v->refusal ? "" : "stale"};'),
        ("pods_are_told_nothing", '.row = "stale"};', '.row = "stale", .words = "stale"};'),
    ]),
    "external_properties": ("external/external_decide.c", [
        ("what_is_missing_is_created_when_it_is_ready", "if (v->host->closed || !v->host->ready)\n\t\treturn keep();\n\treturn plan(EXTERNAL_NODE_CREATE",
         "if (v->host->closed)\n\t\treturn keep();\n\treturn plan(EXTERNAL_NODE_CREATE"),
        ("nodes_of_others_are_left", "if (!view->external || !features_list_has(", "if (!view->external && !features_list_has("),
        ("a_node_with_a_slurmd_is_only_drained_and_undrained", 'if (!v->host->ready)\n\t\treturn drain(v, "is not ready", NULL);',
         'if (!v->host->ready)\n\t\treturn lost(v, "is not ready", EXTERNAL_NODE_DOWN_MS);'),
        ("an_administrators_drain_stays", "if (is_an_administrators(v))\n\t\treturn plan(EXTERNAL_NODE_KEEP,", "if (false)\n\t\treturn plan(EXTERNAL_NODE_KEEP,"),
        ("an_administrators_drain_stays", "if (!is_an_administrators(v))\n\t\treturn down(why);", "return down(why);"),
        ("an_administrators_drain_stays", "if (v->idle && !v->reserved && !is_an_administrators(v)) {", "if (v->idle && !v->reserved) {"),
        ("only_our_drain_ends", "if (!v->drained || v->changing || !has_our_reason(v) ||", "if (!v->drained || v->changing ||"),
        ("what_slurm_has_drained_besides_stays", "return v->failing ? plan(EXTERNAL_NODE_UNDRAIN", "return true ? plan(EXTERNAL_NODE_UNDRAIN"),
        ("what_is_to_reboot_stays_drained", "if (!v->drained || v->changing ||", "if (!v->drained ||"),
        ("what_slurmd_has_lost_stays_down", "(v->down && v->lost))", "false)"),
        ("a_drain_outlasts_a_machine_that_registers_anew", "!has_hybrids_reason(v) ||", ""),
        ("a_drain_outlasts_a_machine_that_registers_anew", "\n\t    v->unready_ms < EXTERNAL_NODE_GONE_MS)", "false)"),
        ("a_kept_node_stays_drained", "return is_kept(v) ? drain(v, KEPT, v->kept_by) : undrain_hybrid(v);", "return undrain_hybrid(v);"),
        ("a_kept_node_stays_drained", "if (is_kept(v))\n", "if (false)\n"),
        ("reservations_are_asked_before_a_node_is_made_anew", "d.if_not_promised = !v->promised;", "d.if_not_promised = false;"),
        ("only_our_drain_ends", "!str_eq(v->reason, WK_REASON_DUPLICATE)", "false"),
        ("only_our_drain_ends", "v->down || !v->idle ||", "v->down ||"),
        ("only_our_drain_ends", "v->reason_for_ms < EXTERNAL_NODE_TWICE_MS\n", "v->reason_for_ms < EXTERNAL_NODE_TWICE_MS - 1\n"),
        ("no_drain_is_written_over", "return v->drained || is_an_administrators(v)\n", "return is_an_administrators(v)\n"),
        ("no_node_in_use_is_deleted", "return v->idle && !v->reserved &&", "return v->idle &&"),
        ("no_node_in_use_is_deleted", "if (v->idle && !v->reserved && !is_an_administrators(v)) {", "if (!v->reserved && !is_an_administrators(v)) {"),
        ("no_reservation_loses_a_node_for_its_size", "if (!v->promised)\n", "if (!v->promised || has_another_size(v))\n"),
        ("a_node_goes_when_it_is_long_gone", "v->unready_ms >= EXTERNAL_NODE_GONE_MS;\n}\n\n/*\n * Who", "v->unready_ms >= EXTERNAL_NODE_GONE_MS - 1;\n}\n\n/*\n * Who"),
        ("jobs_end_when_their_machine_is_long_away", "if (v->unready_ms < patience_ms)", "if (v->unready_ms + 1 < patience_ms)"),
        ("what_we_write_as_a_reason_is_ours", 'WK_REASON_PREFIX "Kubernetes node %s%s"', '"Kubernetes node %s%s"'),
        ("a_node_is_set_idle_only_if_no_job_is_there", "v->drained ? EXTERNAL_NODE_IDLE : EXTERNAL_NODE_DRAIN", "EXTERNAL_NODE_IDLE"),
    ]),
    "group_properties": ("bridge/reconcile/group_decide.c", [
        ("what_is_not_known_changes_nothing",
         "v->job == PLACEHOLDER_UNKNOWN || !v->pods_known", "v->job == PLACEHOLDER_UNKNOWN"),
        ("pods_of_another_scheduler_are_left", "if (v->other_scheduler) {", "if (v->other_scheduler && v->pods.waiting) {"),
        ("a_group_has_one_job", "} else if (v->job == PLACEHOLDER_COMPLETING) {\n\t\tkeep(", "} else if (false) {\n\t\tkeep("),
        ("a_job_is_for_a_complete_group", "} else if (p->waiting < v->members) {", "} else if (p->waiting + 1 < v->members) {"),
        ("pods_that_run_get_a_job_only_if_it_is_lost", "return v->early && v->pods.live && !v->pods.leaving &&",
         "return v->pods.live && !v->pods.leaving &&"),
        ("no_more_are_bound_than_the_job_is_for", "out->n = v->made_for - busy;", "out->n = v->made_for;"),
        ("pods_are_bound_where_there_is_room", "} else if (!v->room) {", "} else if (!v->room && !started) {"),
        ("a_gang_starts_whole", "} else if (!started && p->waiting < v->members) {", "} else if (false) {"),
        ("a_held_job_stays", "return !v->holds;", "return false;"),
        ("a_held_job_keeps_pods_that_run_by_it", "if (!held && v->state_ms", "if (v->state_ms"),
        ("a_job_that_runs_goes_only_without_pods", "return v->early && !v->requeued && v->pods.live &&\n\t       v->pods.misplaced == v->pods.live;",
         "return v->early && v->pods.live && v->pods.misplaced;"),
        ("a_duplicate_goes_only_if_no_pod_runs_by_it", "if (v->duplicate && !v->duplicate_bound) {", "if (v->duplicate) {"),
        ("a_held_duplicate_stays", "replace_job(v->duplicate, v->duplicate_held, out,", "replace_job(v->duplicate, v->bound, out,"),
        ("a_job_is_complete_when_nothing_runs", "return !p->gated && !p->waiting && !p->live &&", "return !p->waiting && !p->live &&"),
        ("pods_of_a_running_job_go_one_by_one", "\tout->misplaced_only = true;\n}\n\n/* Slurm cannot give", "}\n\n/* Slurm cannot give"),
        ("waiting_pods_go_only_with_a_job_that_was_ended", "bool ours = v->by_us || v->anew ||", "bool ours = v->anew ||"),
        ("pods_that_may_be_of_another_cluster_are_left", "out->ours_only = v->outside;", "out->ours_only = false;"),
        ("pods_are_no_orphans_while_it_is_unclear", "if (v->state_ms < BRIDGE_ORPHAN_MS) {", "if (v->state_ms < BRIDGE_ORPHAN_MS - 1) {"),
        ("a_forgotten_start_has_its_time", "v->state_ms >= BRIDGE_FORGOTTEN_MS", "v->state_ms > 0"),
        ("a_deleted_pod_has_its_time_but_no_more", "v->pods.grace_s < most ? v->pods.grace_s : most;", "v->pods.grace_s;"),
        ("a_job_that_waits_is_told", "} else if (p->by_earlier_job) {\n\t\tplan(out, GROUP_ADOPT", "} else if (p->by_earlier_job) {\n\t\tplan(out, GROUP_PIN"),
        ("a_job_is_pinned_to_pods_that_run", "if (!v->pinned)\n\t\tplan(out, GROUP_PIN", "if (!held)\n\t\tplan(out, GROUP_PIN"),
        ("pods_are_adopted_by_a_job_that_lives", "else if (v->pods.by_earlier_job)", "else if (v->pods.live)"),
        ("who_waits_is_told_why", "\"job %u is suspended\",\n\t\t     v->job_id);", "\"%s\", \"\");"),
        ("what_only_time_decides_is_looked_at_again", "out->again_ms = BRIDGE_ORPHAN_MS - v->state_ms;", ""),
    ]),
    "node_properties": ("nodes/reconcile/node_decide.c", [
        ("an_admins_drain_stays", "slurm(p, theirs ? NODE_DOWN_ONLY : NODE_DOWN, row);", "slurm(p, NODE_DOWN, row);"),
        ("an_admins_drain_stays", "return (drained || (down && has_words)) &&", "return (drained || down) && has_words &&", "syntax/node_reason.c"),
        ("an_admins_down_stays", "if (is_silent(v->node.reason))", "if (v->node.reason && str_ends(v->node.reason, WK_REASON_SILENT))"),
        ("what_is_not_in_view_is_not_gone", "if (v->pod || !v->live || (!v->gone &&", "if (v->pod || (!v->gone &&"),
        ("a_node_has_one_pod", "} else if (!v->pod) {\n\t\tmissing(v, p);", "} else if (!v->pod || v->pod->deleting) {\n\t\tmissing(v, p);"),
        ("a_pod_is_made_before_its_power_up_only_for_a_job", "!v->node.busy || v->pod || !v->live || v->cooling)", "!v->node.busy || v->pod || !v->live)"),
        ("a_pod_is_deleted_once", "if (!v->live || !v->pod || v->pod->deleting || !due(", "if (!v->live || !v->pod || !due("),
        ("a_pod_with_a_job_is_no_orphan", "if (!n->busy)\n\t\tdelete_after(", "if (!n->ending)\n\t\tdelete_after("),
        ("no_pod_goes_behind_slurms_back", "slurm(p, NODE_REQUEUE, row);", "slurm(p, failed ? NODE_REQUEUE : NODE_KEEP, row);"),
        ("no_pod_goes_behind_slurms_back", "v->pod_for >= v->node.power_for &&\n", "\n"),
        ("a_node_is_lost_only_for_sure", "if (!surely_ended(v, p))\n\t\treturn;\n\tlost(", "surely_ended(v, p);\n\tlost("),
        ("only_our_drain_for_a_host_ends_with_its_cause", "str_starts(n->reason, WK_REASON_PREFIX HOST_WORDS)) {\n\t\thost_is_back(v",
         "str_starts(n->reason, WK_REASON_PREFIX)) {\n\t\thost_is_back(v"),
        ("only_our_drain_ends_when_it_is_powered_down", "if (v->pod || !v->live || v->cooling)\n\t\t\treturn;", "if (v->pod || !v->live)\n\t\t\treturn;"),
        ("a_node_with_jobs_is_not_recycled", "!strcmp(v->hash, v->pod->hash) || v->node.busy ||\n\t    v->node.drained)", "!strcmp(v->hash, v->pod->hash) ||\n\t    v->node.drained)"),
        ("a_node_with_jobs_is_powered_off_only_if_it_is_down", "return n->drained && !n->busy && node_reason_is_ours(n->reason) &&", "return n->drained && node_reason_is_ours(n->reason) &&"),
        ("a_node_rests_only_unused", "} else if (n->ending || stays(v, p)) {", "} else if (stays(v, p)) {"),
        ("a_reboot_is_left_alone", "if (n->rebooting) /* RebootProgram's */", "if (n->rebooting && n->busy)"),
        ("what_slurm_is_about_to_power_down_is_left_alone", "(slurm_node_ends(n) && !n->down))\n\t\treturn;", "(slurm_node_ends(n) && !n->down && pod))\n\t\treturn;"),
        ("a_power_up_is_given_up_for_its_pod", "} else if (!v->pod->deleting && !is_of_before(v, p)) {", "} else if (!is_of_before(v, p)) {"),
        ("a_node_is_free_when_its_pod_is_gone", "n->reason) || v->pod ||\n\t    !v->live ||", "n->reason) ||\n\t    !v->live ||"),
        ("a_drain_of_others_is_set_again", "if (n->undrained) {", "if (n->undrained && !v->cooling) {"),
        ("kubernetes_is_asked_before_anything_is_done", "p->kube = POD_LOOK;\n\treturn v->absent;", "p->kube = POD_LOOK;\n\treturn true;"),
        ("a_note_is_for_a_pod_that_stays", "if (!v->live || !pod || pod->deleting ||\n\t    (power", "if (!v->live || !pod ||\n\t    (power"),
        ("only_a_failed_power_up_counts_against_its_nodeset", "slurm(p, NODE_POWER_OFF, \"left drained\");", "slurm(p, NODE_POWER_OFF, \"left drained\"), p->failed = true;"),
        ("what_is_done_has_a_name_and_says_why", "words(p, \"its pod is gone\", v->last_words);", ""),
    ]),
    "requeue_properties": ("nodes/reconcile/requeue_decide.c", [
        ("a_job_that_somebody_holds_is_left_alone", "case CTL_JOB_HELD:\n\tcase CTL_JOB_FREE:", "case CTL_JOB_HELD:\n\t\treturn REQUEUE_BEGIN;\n\tcase CTL_JOB_FREE:"),
        ("a_job_that_may_begin_when_it_should_is_left", "if (!hold && !later)", "if (!hold && !later && begun)"),
        ("a_job_to_be_held_is_never_released", "return hold ? REQUEUE_HOLD : REQUEUE_BEGIN;", "return hold && begun ? REQUEUE_HOLD : REQUEUE_BEGIN;"),
        ("only_so_many_are_begun_or_held_at_once", "if (begun == REQUEUE_BEGIN_MAX)", "if (begun > REQUEUE_BEGIN_MAX)"),
        ("a_job_on_its_way_is_followed_for_a_minute", "return followed_ms > REQUEUE_GIVE_UP_MS ?", "return followed_ms >= REQUEUE_GIVE_UP_MS ?"),
        ("a_job_that_is_gone_is_forgotten", "case CTL_JOB_HELD:\n\tcase CTL_JOB_FREE:\n\t\treturn REQUEUE_FORGET;", "case CTL_JOB_HELD:\n\tcase CTL_JOB_FREE:\n\t\treturn followed_ms ? REQUEUE_FORGET : REQUEUE_WAIT;"),
        ("a_node_is_spared_for_a_job_that_could_not_come_back", "if (x->may_spare && !job->requeueable)", "if (x->may_spare && !job->requeueable && !x->shared)"),
        ("a_job_that_cannot_be_requeued_does_not_go_back", "if (!x || x->spared || !job->requeueable)", "if (!x || x->spared)"),
        ("a_job_on_spared_nodes_does_not_go_back", "if (!x || x->spared || !job->requeueable)", "if (!x || !job->requeueable)"),
        ("each_job_that_goes_back_is_there_once", "if (!full && !same)\n\t\tadd_job", "if (!full)\n\t\tadd_job"),
        ("no_job_goes_back_before_it_was_told", "return x && x->needs > g->n_told;", "return x && x->needs > g->n_told + 1;"),
        ("what_was_not_done_leads_to_nothing", "if (!g->jobs[i].on->done)", "if (!g->jobs[i].on->done && g->jobs[i].blame)"),
        ("a_held_job_is_not_held_again", "!x->shared && !job->held);", "!x->shared);"),
        ("who_was_not_alone_is_not_held", "!x->shared && !job->held);", "!job->held);"),
        ("a_job_is_held_only_when_it_is_blamed_once_more", "case BLAME_PAUSE:\n\t\treturn BACK_WAITS;", "case BLAME_PAUSE:\n\t\treturn BACK_HELD;"),
        ("who_may_have_ended_its_pod_does_not_begin_at_once", "case BLAME_PAUSE:\n\t\treturn BACK_WAITS;", "case BLAME_PAUSE:\n\t\treturn BACK_BEGINS;"),
    ]),
    "dynamic_properties": ("nodes/dynamic/dynamic_decide.c", [
        ("only_what_is_missing_is_created", "return v->wanted ? CREATE_NEW : CREATE_KEEP;", "return v->in_nodeset ? CREATE_NEW : CREATE_KEEP;"),
        ("what_is_there_is_not_created", "return CREATE_REPLACE;", "return CREATE_NEW;"),
        ("only_our_nodes_are_deleted", "return v->dynamic && v->cloud &&", "return v->dynamic &&"),
        ("no_node_in_use_is_deleted", "|| !v->asleep || v->reserved", "|| v->reserved"),
        ("no_node_of_a_reservation_is_deleted", "|| v->reserved ||", "||"),
        ("no_node_with_a_pod_is_deleted", "|| !v->podless)", ")"),
        ("a_node_of_a_nodeset_is_deleted_only_to_come_anew", "if (!v->in_nodeset)", "if (!v->wanted)"),
        ("it_comes_anew_once_for_a_size", "!v->replaced && !v->refused", "!v->refused"),
        ("what_an_administrator_has_set_down_does_not_come_anew", "if (v->wanted && v->settled &&", "if (v->wanted &&"),
        ("nothing_is_replaced_by_what_slurm_refuses", "!v->replaced && !v->refused &&", "!v->replaced &&"),
        ("what_slurm_refuses_waits_longer_and_longer", "b->failures++, RETRY_MAX_MS);", "b->failures, RETRY_MAX_MS);"),
        ("what_slurm_has_refused_is_not_tried_before", "if (now_ms < b->until)", "if (now_ms + 1 < b->until)"),
        ("nothing_is_tried_without_the_lease", "return has_cluster ? CREATE_MAY : CREATE_SOON;", "return has_cluster || b->failures ? CREATE_MAY : CREATE_SOON;"),
    ]),
    "running_properties": ("nodes/running/running_decide.c", [
        ("as_many_run_as_are_wanted_and_can", "s < UNFIT; s++)", "s < SLEEPS; s++)"),
        ("no_more_are_started_than_lack", "for (enum standing s = KEPT_BY_ADMIN; s < UNFIT; s++)", "for (enum standing s = SLEEPS; s < UNFIT; s--)"),
        ("no_more_are_kept_than_wanted", "taken < wanted; i++)", "taken <= wanted; i++)"),
        ("only_who_sleeps_is_started", "d->start = standing_of(v) == SLEEPS;", "d->start = v->power == NODE_POWERED_DOWN;"),
        ("who_is_started_is_kept_up", "d->keep = !v->excepted;", "d->keep = !v->excepted && standing_of(v) != SLEEPS;"),
        ("what_an_administrator_keeps_is_not_released", ".release = v[i].ours};", ".release = v[i].excepted};"),
        ("who_is_there_is_not_added", "d->keep = !v->excepted;", "d->keep = !v->excepted || v->ours;"),
        ("who_cannot_run_is_released", "return v->usable && (v->starting", "return (v->usable || v->ours) && (v->starting"),
        ("who_is_kept_stays", "if (v->ours)\n\t\treturn KEPT_BY_US;", "if (v->ours && v->excepted)\n\t\treturn KEPT_BY_US;"),
        ("an_administrators_node_counts_first", "return v->excepted ? KEPT_BY_ADMIN : RUNS;", "return RUNS;"),
        ("nobody_is_kept_and_released", "\td->release = false;\n", ""),
    ]),
    "switch_properties": ("nodes/features/switch_decide.c", [
        ("no_more_nodes_go_down_than_the_job_lacks", "(int64_t)(c->wanted - have);", "(int64_t)c->others;"),
        ("no_node_goes_down_in_vain", "return have + c->others < c->wanted ? -1 :", "return !c->others ? -1 :"),
        ("who_lacks_nothing_has_no_node_powered_down", "size_t have = c->ready + c->soon;", "size_t have = c->ready;"),
        ("a_job_that_nobody_holds_is_not_released", "return f->held && f->has_all &&", "return f->has_all &&"),
        ("a_held_job_is_released_only_when_it_has_all", "return f->held && f->has_all && !f->power_down;", "return f->held && !f->power_down;"),
        ("no_job_is_released_while_nodes_go_down_for_it", "return f->held && f->has_all && !f->power_down;", "return f->held && f->has_all;"),
        ("who_waits_for_nodes_that_go_down_is_looked_at_soon", "(f->held && !f->has_all && f->some_soon);", "false;"),
        ("no_job_is_released_twice_in_a_minute", "now_ms - r->v[i].at < SWITCH_RELEASE_MS)", "now_ms - r->v[i].at < SWITCH_RELEASE_MS - 1)"),
        ("a_job_is_released_again_after_a_minute", "now_ms - r->v[i].at < SWITCH_RELEASE_MS)", "now_ms - r->v[i].at <= SWITCH_RELEASE_MS)"),
    ]),
    "node_limit_properties": ("nodes/reconcile/node_limit.c", [
        ("without_the_lease_nothing_is_done", "if (!l->has_lease) {", "if (!l->has_lease && p->kube == POD_LEAVE) {"),
        ("a_node_has_one_pod", "if (!may_do(v, l, m, p, out))\n\t\tp->kube = POD_LEAVE;", "if (!may_do(v, l, m, p, out))\n\t\tp->kube = v->pod ? POD_CREATE : POD_LEAVE;"),
        ("nothing_is_done_that_was_not_decided", "look_in(p, ROLL_MS);\n\t\treturn false;", "p->kube = POD_LOOK;\n\t\treturn false;"),
        ("the_same_action_is_not_repeated_within_5_s", "now_ms - t->acted_at < NODE_REPEAT_MS;", "now_ms - t->acted_at < NODE_REPEAT_MS - 1;"),
        ("a_pod_is_made_again_only_after_its_pause", "return !is_early(p, m->node->create_after, l->now_ms);", "return true;"),
        ("a_pod_is_deleted_again_only_after_its_pause", "return !is_early(p, m->node->delete_after, l->now_ms) &&\n\t\t       !l->pending;", "return !l->pending;"),
        ("kubernetes_is_asked_again_only_after_its_pause", "return !is_early(p, m->node->look_after, l->now_ms);", "return true;"),
        ("the_same_note_is_sent_again_only_after_its_pause", "pod_annotations_may_send(&m->node->noted, l->note_sum,\n\t\t\t\t\tl->now_ms) &&", ""),
        ("steps_alone_have_their_turn", "(!out->only_steps ||", "(true ||"),
        ("no_turn_is_asked_for_in_vain", "return !l->pending && l->may_note &&\n", "return (!out->only_steps || steps_may_note(m->steps, m->turns, l->now_ms)) && !l->pending && l->may_note &&\n"),
        ("a_pod_has_one_request_under_way", " &&\n\t\t       !l->pending;", ";"),
        ("requests_that_take_no_notes_get_none", "return !l->pending && l->may_note &&", "return !l->pending &&"),
        ("k8s_yaml_is_read_again_before_a_node_goes_for_it", "look_in(p, RECHECK_MS);\n\t\treturn false;", "look_in(p, RECHECK_MS);"),
        ("it_is_read_again_once", "m->node->rechecked = out->recheck = true;", "out->recheck = true;"),
        ("no_more_nodes_go_for_it_than_may", "if (*m->unavailable >= l->max_unavailable) {", "if (*m->unavailable > l->max_unavailable) {"),
        ("who_goes_for_it_is_counted_once", "if (m->node->rolling)\n\t\treturn true;", ""),
        ("who_does_not_go_for_it_leaves_its_turn", "if (p->slurm != NODE_RECYCLE)\n\t\tm->node->rolling = false;", ""),
        ("no_extra_is_written_while_slurm_refuses_it", "if (p->slurm == NODE_RECORD && l->now_ms < l->record_at)", "if (p->slurm == NODE_RECORD && l->now_ms + 1 < l->record_at)"),
        ("a_pass_has_only_so_many_records_and_notes", "(*m->n_notes)++ >= NODE_NOTES_PASS_MAX", "(*m->n_notes)++ > NODE_NOTES_PASS_MAX"),
        ("what_is_held_back_is_looked_at_again", "look_in(p, NODE_REPEAT_MS);", ""),
        ("no_look_comes_later_than_was_decided", "(!p->again_ms || ms < p->again_ms))", "(!p->again_ms || ms > p->again_ms))"),
        ("a_failure_is_handed_on_until_it_is_counted", "(p->failed && !m->node->failure_counted);", "p->failed;"),
        ("two_of_the_same_action_in_a_row_are_5_s_apart", "t->acted_at = now_ms;", "t->acted_at = now_ms - 1;"),
        ("two_pods_of_a_node_are_made_5_s_apart", "? CREATE_MIN_MS << t->creates", "? CREATE_MIN_MS * (int)t->creates"),
        ("a_pod_is_deleted_each_5_s_at_most", "t->delete_after = now_ms + backoff_doubled(", "t->delete_after = now_ms - 1 + backoff_doubled("),
        ("kubernetes_is_asked_each_2_s_at_most", "backoff_doubled(LOOK_MIN_MS, t->looks++, LOOK_MAX_MS);", "backoff_doubled(LOOK_MIN_MS, t->looks++, LOOK_MIN_MS - 1);"),
        ("the_same_note_in_a_row_is_sent_each_10_s_at_most", "return !l->pending && l->may_note &&\n", "return !l->pending && l->may_note && (m->node->noted.times || true) && (m->node->noted.after -= 1) &&\n"),
    ]),
}


def properties(test):
    """Those that the test has"""
    with open(os.path.join(TOP, "tests", "unit", "test_%s.c" % test), encoding="utf-8") as file:
        return set(re.findall(r"^\tP\((\w+)\),$", file.read(), re.M))


def compiler(build, source):
    """The command that compiles this file of common/, without the files' names"""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        entry = next(e for e in json.load(file) if e["file"].endswith("common/" + source))
    words, out = shlex.split(entry["command"]), []
    while words:
        word = words.pop(0)
        if word in ("-o", "-c", "-MF", "-MQ"):
            words.pop(0)
        elif word not in ("-MD", "-Werror"):
            out.append(word)
    return out


def named(program, name):
    """The properties that a test names; it is ended as soon as this is one of them (it has millions of views)"""
    said = []
    # (stdbuf: else a pipe gets its lines at the end)
    with subprocess.Popen(["stdbuf", "-oL", program], stdout=subprocess.PIPE, text=True) as test:
        for line in test.stdout:
            if line.startswith(name + ":"):
                test.kill()
                return {name}
            said += re.findall(r" - \[(\w+)\] got", line)
        code = test.wait()
    return set(said) if code == 1 else {"it ends with %d" % code}


def found(build, test, source, change, mutant):
    """The properties that the test names, built with this change of the file; `mutant`: a path for it"""
    source = change[3] if len(change) > 3 else source
    with open(os.path.join(TOP, "common", source), encoding="utf-8") as file:
        text = file.read()
    if text.count(change[1]) != 1:
        return {"%s has not once: %s" % (source, change[1])}
    with open(mutant + ".c", "w", encoding="utf-8") as file:
        file.write(text.replace(change[1], change[2]))
    subprocess.run([*compiler(build, source), "-w", "-c", mutant + ".c", "-o", mutant + ".o"], cwd=build, check=True)
    archives = [os.path.join(build, "common", "lib%s.a" % name) for name in ("pure", "json", "base")]
    subprocess.run(["cc", "-o", mutant, os.path.join(build, "tests/unit/test_%s.p/test_%s.c.o" % (test, test)), mutant + ".o",
                    os.path.join(build, "tests/unit/libt.a"), "-Wl,--start-group", *archives, "-Wl,--end-group", *LIBRARIES], check=True)
    return named(mutant, change[0])


def main():
    if len(sys.argv) != 2 or sys.argv[1] == "--help":
        print(__doc__.strip(), file=sys.stdout if "--help" in sys.argv else sys.stderr)
        return 0 if "--help" in sys.argv else 2
    build, wrong, number = os.path.abspath(sys.argv[1]), 0, 0
    for test, (source, changes) in MUTANTS.items():
        for name in properties(test) ^ {change[0] for change in changes}:
            wrong += 1
            print("%s: %s: a property without a mutant, or a mutant without it" % (test, name))
        # (the same place each time: ccache then knows them again)
        folder = os.path.join(build, "mutants", test)
        os.makedirs(folder, exist_ok=True)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            paths = [os.path.join(folder, "mutant%d" % at) for at in range(len(changes))]
            for change, names in zip(changes, pool.map(lambda c, path: found(build, test, source, c, path), changes, paths)):
                number += 1
                if change[0] not in names:
                    wrong += 1
                    print("%s: %s: not seen (%s)" % (test, change[0], names or "nothing is wrong"))
    print("check_mutants: %d mutants, %d wrong" % (number, wrong))
    return 1 if wrong or not number else 0


if __name__ == "__main__":
    sys.exit(main())

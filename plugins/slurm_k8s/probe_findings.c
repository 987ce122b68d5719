/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probe_findings.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "advice.h"
#include "base/str.h"
#include "resume_fix.h"

#define NEEDS_SHELL "put a shell into the image, as /bin/sh"
#define RESUME_SPARE_S 30 /* until slurmd has registered, and to spare */

static int64_t seconds(int64_t from_ms, int64_t to_ms)
{
	return (to_ms - from_ms + 999) / 1000;
}

/* --- how it has started */

static const char *cure_of(const char *why)
{
	const char *advice = advice_for(why, 0);

	if (strstr(why, "/bin/sh"))
		return NEEDS_SHELL;
	return advice ? advice
		      : "see the pod's Events, or give --probe-timeout more "
			"seconds";
}

static void did_not_start(const struct probe_result *r, struct findings *out)
{
	const struct probe_seen *s = r->seen;
	const char *why = probe_seen_why(s);

	if (s->gone)
		findings_add(out, FINDING_UNKNOWN, "probe", NULL,
			     "nodeset %s: somebody has deleted its pod",
			     r->set->name);
	else
		findings_add(out,
			     r->all_up && s->scheduled_ms < 0 ? FINDING_WARN
							      : FINDING_WRONG,
			     "probe", cure_of(why),
			     "nodeset %s: its pod did not start within %" PRId64
			     " s (%s%s): %s",
			     r->set->name, seconds(s->created_ms, r->ended_ms),
			     s->scheduled_ms < 0 ? "not scheduled"
						 : "scheduled to ",
			     s->scheduled_ms < 0 ? "" : s->kube_node, why);
}

static void start_times(const struct probe_result *r, struct findings *out)
{
	const struct probe_seen *s = r->seen;
	char pull[64] = "its image was there already";

	if (!s->events_known)
		str_copy(pull, "how long its image was pulled is not known",
			 sizeof(pull));
	else if (s->pull_s >= 0)
		snprintf(pull, sizeof(pull),
			 "its image pulled in %" PRId64 " s", s->pull_s);
	findings_add(out, FINDING_OK, "probe", NULL,
		     "nodeset %s: its pod started after %" PRId64
		     " s on %s: scheduled after %" PRId64 " s, %s",
		     r->set->name, seconds(s->created_ms, s->started_ms),
		     s->kube_node, seconds(s->created_ms, s->scheduled_ms),
		     pull);
}

/*
 * True if the pod has not started, and nothing says why: its image may still be
 * pulled.
 */
static bool is_on_its_way(const struct probe_seen *s)
{
	return s->started_ms < 0 && s->scheduled_ms >= 0 && !s->ended &&
	       !s->gone && s->trouble == POD_FINE && !*s->warning;
}

/*
 * Compare with ResumeTimeout the time that the pod took to start, also that of
 * a pod which has not started yet.
 */
static void resume_timeout(const struct probe_result *r, struct findings *out)
{
	const struct probe_seen *s = r->seen;
	const int64_t end = s->started_ms < 0 ? r->ended_ms : s->started_ms;
	const int64_t took = seconds(s->created_ms, end);
	char fix[RESUME_FIX_MAX];

	if (!r->resume.timeout_s ||
	    (s->started_ms < 0 &&
	     (took < r->resume.timeout_s || !is_on_its_way(s))))
		return;
	if (took < r->resume.timeout_s) {
		findings_add(out, FINDING_OK, "ResumeTimeout", NULL,
			     "nodeset %s: the probe started after %" PRId64
			     " of %u s",
			     r->set->name, took,
			     (unsigned int)r->resume.timeout_s);
		return;
	}
	resume_fix(&r->resume, took + RESUME_SPARE_S, fix);
	findings_add(out, FINDING_WRONG, "ResumeTimeout", fix,
		     "nodeset %s: after %u s Slurm gives a node up, and the "
		     "probe's start took %s%" PRId64 " s",
		     r->set->name, (unsigned int)r->resume.timeout_s,
		     s->started_ms < 0 ? "more than " : "", took);
}

/* --- what it has said */

static void no_report(const struct probe_result *r, struct findings *out)
{
	const struct probe_seen *s = r->seen;

	if (s->gone)
		findings_add(out, FINDING_UNKNOWN, "probe", NULL,
			     "nodeset %s: somebody has deleted its pod",
			     r->set->name);
	else if (s->ended)
		findings_add(out, FINDING_UNKNOWN, "probe", NEEDS_SHELL,
			     "nodeset %s: its pod ended, and did not say what "
			     "it has seen: %s%s%.300s",
			     r->set->name, s->words,
			     *s->words && *s->message ? "; " : "", s->message);
	else
		findings_add(out, FINDING_UNKNOWN, "probe",
			     "give --probe-timeout more seconds",
			     "nodeset %s: its pod runs, and has not said what "
			     "it sees",
			     r->set->name);
}

/*
 * How many releases behind slurmctld a slurmd may be: Slurm's own rule is two,
 * from slurmctld 24.11 on three.
 */
static int releases_back(int of_slurmctld)
{
	return of_slurmctld >= 2411 ? 3 : 2;
}

static void image(const struct probe_result *r, const struct probe_line *l,
		  struct findings *out)
{
	static const char fix[] =
		"put an image with slurmctld's own release of slurmd into the "
		"nodeset's template";
	int micro, own_micro;
	const int have = probe_release(l->words, &micro);
	const int own = probe_release(r->slurm_version, &own_micro);
	const int behind = probe_releases_behind(have, own);

	if (l->answer == PROBE_UNTOLD)
		return;
	if (l->answer == PROBE_MISSING)
		findings_add(out, FINDING_UNKNOWN, "image",
			     "name slurmd by its path in the template's "
			     "command, or see that the image has it",
			     "nodeset %s: its image has no slurmd in PATH, nor "
			     "where it usually is",
			     r->set->name);
	else if (!have)
		findings_add(out, FINDING_WRONG, "image", fix,
			     "nodeset %s: its slurmd does not tell its "
			     "release: %s",
			     r->set->name, l->words);
	else if (behind < 0 || behind > releases_back(own))
		findings_add(out, FINDING_WRONG, "image", fix,
			     "nodeset %s: its image has %s, which slurmctld %s "
			     "does not talk to",
			     r->set->name, l->words, r->slurm_version);
	else if (behind || (micro != own_micro && micro >= 0))
		findings_add(out, FINDING_WARN, "image", fix,
			     "nodeset %s: its image has %s, and slurmctld is "
			     "%s: plugins such as spank_k8s fit one of these "
			     "only",
			     r->set->name, l->words, r->slurm_version);
	else
		findings_add(out, FINDING_OK, "image", NULL, "nodeset %s: %s",
			     r->set->name, l->words);
}

static void key(const struct probe_result *r, const struct probe_line *l,
		struct findings *out)
{
	const char *auth = r->plan->auth;

	if (l->answer == PROBE_UNTOLD)
		return;
	if (l->answer == PROBE_OK)
		findings_add(out, FINDING_OK, "key", NULL, "nodeset %s: %s",
			     r->set->name, l->words);
	else if (l->answer == PROBE_UNREADABLE)
		findings_add(out, FINDING_WRONG, "key",
			     "mount the Secret with the key of slurm.conf's "
			     "AuthType, for slurmd to read",
			     "nodeset %s: auth/%s: %s is empty, or cannot be "
			     "read",
			     r->set->name, auth, l->words);
	else
		/* an image of a site's own may have it elsewhere */
		findings_add(out, FINDING_WARN, "key",
			     "mount the Secret with the key of slurm.conf's "
			     "AuthType where the image looks for it",
			     "nodeset %s: auth/%s: %s is not there",
			     r->set->name, auth, l->words);
}

/* --- slurmctld, as seen from the pod */

static void name(const struct probe_result *r, const struct probe_target *t,
		 const struct probe_line *l, struct findings *out)
{
	if (l->answer == PROBE_FAIL)
		findings_add(
			out, FINDING_WRONG, t->from,
			"give the pods that name: hostAliases in the template, "
			"or the cluster's DNS; or name an address",
			"nodeset %s: pods find no address of %s", r->set->name,
			t->host);
	else if (l->answer == PROBE_UNKNOWN)
		findings_add(out, FINDING_UNKNOWN, t->from, NULL,
			     "nodeset %s: whether pods find the address of %s "
			     "could not be looked at: %s",
			     r->set->name, t->host, l->words);
	else if (l->answer == PROBE_OK)
		findings_add(out, FINDING_OK, t->from, NULL,
			     "nodeset %s: to pods %s is %s", r->set->name,
			     t->host, l->words);
}

/* The address of a host in the template's hostAliases; NULL: none. Borrowed. */
static const char *alias_of(const struct nodeset *set, const char *host)
{
	const json_object *list = jx_get(set->template, "spec", "hostAliases");

	if (!jx_is(list, json_type_array))
		return NULL;
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		const json_object *one = json_object_array_get_idx(list, i);
		const json_object *names = jx_get(one, "hostnames");
		const size_t n = jx_is(names, json_type_array)
					 ? json_object_array_length(names)
					 : 0;

		for (size_t k = 0; k < n; k++) {
			json_object *name = json_object_array_get_idx(names, k);

			if (jx_is(name, json_type_string) &&
			    str_eq(json_object_get_string(name), host))
				return jx_str(one, "ip");
		}
	}
	return NULL;
}

/*
 * Write what helps. Seen from the pod a wrong address of hostAliases looks like
 * a firewall.
 */
static void port_fix(const struct probe_result *r, const struct probe_target *t,
		     char fix[512])
{
	const char *ip = alias_of(r->set, t->host);

	*fix = '\0';
	if (ip)
		snprintf(fix, 512,
			 "see that slurmctld is at %.64s, where hostAliases of "
			 "the pod template have %.128s; if so ",
			 ip, t->host);
	snprintf(fix + strlen(fix), 512 - strlen(fix),
		 "let TCP through from the pods to that port: firewalls, "
		 "NetworkPolicies, routes; and see that slurmctld listens "
		 "there");
}

static void port(const struct probe_result *r, const struct probe_target *t,
		 const struct probe_line *l, struct findings *out)
{
	char fix[512];

	port_fix(r, t, fix);
	if (l->answer == PROBE_FAIL)
		findings_add(out, FINDING_WRONG, "SlurmctldPort", fix,
			     "nodeset %s: pods do not reach %s port %u (%s): "
			     "%s",
			     r->set->name, t->host, (unsigned int)t->port,
			     t->from, l->words);
	else if (l->answer == PROBE_UNKNOWN)
		findings_add(out, FINDING_UNKNOWN, "SlurmctldPort", NULL,
			     "nodeset %s: whether pods reach %s port %u could "
			     "not be looked at: %s",
			     r->set->name, t->host, (unsigned int)t->port,
			     l->words);
	else if (l->answer == PROBE_OK)
		findings_add(out, FINDING_OK, "SlurmctldPort", NULL,
			     "nodeset %s: pods reach %s port %u", r->set->name,
			     t->host, (unsigned int)t->port);
}

/* --- what slurm.conf names */

/*
 * Add a finding about a missing folder. That slurmd does not start without it
 * is certain only where it gets slurm.conf from slurmctld.
 */
static void folder(const struct probe_result *r, const struct probe_need *need,
		   struct findings *out)
{
	char fix[PROBE_NEED_PATH_MAX + 256];

	snprintf(fix, sizeof(fix),
		 "pod template: mount a volume at %s, if it is slurm-k8s' own, "
		 "in which pods need nothing; else take an image whose Slurm "
		 "has its plugins there",
		 need->path);
	findings_add(out, r->plan->configless ? FINDING_WRONG : FINDING_WARN,
		     "PluginDir", fix,
		     "nodeset %s: pods have no folder %s: with this PluginDir "
		     "slurmd takes nothing of slurm.conf, and does not start",
		     r->set->name, need->path);
}

static void plugin(const struct probe_result *r, const struct probe_need *need,
		   struct findings *out)
{
	char fix[PROBE_NEED_PATH_MAX + 256];

	snprintf(fix, sizeof(fix),
		 "put %s into the image, or mount it by the pod template",
		 need->path);
	findings_add(out, FINDING_WRONG, "PlugStackConfig", fix,
		     "nodeset %s: pods have no %s, which plugstack.conf "
		     "requires, so slurmd does not start",
		     r->set->name, need->path);
}

static void program(const struct probe_result *r, const struct probe_need *need,
		    const struct probe_line *l, struct findings *out)
{
	char fix[PROBE_NEED_PATH_MAX + 256];
	bool fatal = false;
	const char *without = probe_need_lacks(need->key, &fatal);

	snprintf(fix, sizeof(fix),
		 "put %s into the image, with mode 755, or mount it by the pod "
		 "template",
		 need->path);
	findings_add(out,
		     fatal && r->plan->configless ? FINDING_WRONG
						  : FINDING_WARN,
		     need->key, fix, "nodeset %s: %s %s in pods, so %s",
		     r->set->name, need->path,
		     l->answer == PROBE_MISSING ? "is not there"
						: "may not be executed",
		     without ? without : "slurmd lacks it");
}

static void need(const struct probe_result *r, const struct probe_need *need,
		 const struct probe_line *l, struct findings *out)
{
	if (l->answer == PROBE_OK)
		findings_add(out, FINDING_OK, need->key, NULL,
			     "nodeset %s: pods have %s", r->set->name,
			     need->path);
	else if (l->answer != PROBE_MISSING && l->answer != PROBE_UNREADABLE)
		return;
	else if (need->folder)
		folder(r, need, out);
	else if (need->plugin)
		plugin(r, need, out);
	else
		program(r, need, l, out);
}

/* --- the pod, as seen from here */

static void slurmd_port(const struct probe_result *r,
			const struct probe_line *l, struct findings *out)
{
	const struct probe_reach *reach = r->reach;
	/* the pod's own kernel refuses, so packets come there and back */
	const bool comes_back = reach->err.code == -ECONNREFUSED;

	if (reach->reached)
		findings_add(out, FINDING_OK, "SlurmdPort", NULL,
			     "nodeset %s: this machine reaches %s port %u, in "
			     "a pod",
			     r->set->name, r->seen->ip,
			     (unsigned int)r->plan->slurmd_port);
	else if (l->answer == PROBE_FAIL)
		findings_add(out, FINDING_UNKNOWN, "SlurmdPort", NULL,
			     "nodeset %s: whether it is reached could not be "
			     "looked at: the pod cannot listen on port %u: %s",
			     r->set->name, (unsigned int)r->plan->slurmd_port,
			     l->words);
	else if (l->answer == PROBE_UNKNOWN && (comes_back || !reach->tried))
		findings_add(out, FINDING_UNKNOWN, "SlurmdPort", NULL,
			     "nodeset %s: whether it is reached could not be "
			     "looked at: %s",
			     r->set->name, l->words);
	else if (reach->tried)
		findings_add(out, FINDING_WRONG, "SlurmdPort",
			     "let TCP through from this machine to the pods' "
			     "network and that port: routes, firewalls, "
			     "NetworkPolicies",
			     "nodeset %s: a pod is not reached from here: %s",
			     r->set->name, reach->err.msg);
	else
		findings_add(out, FINDING_UNKNOWN, "SlurmdPort", NULL,
			     "nodeset %s: whether it is reached was not looked "
			     "at",
			     r->set->name);
}

static void report(const struct probe_result *r, struct findings *out)
{
	const struct probe_targets *targets = &r->plan->targets;
	struct probe_report p;

	probe_report_read(&p, r->seen->message, r->plan->hello);
	if (!p.begun || !p.whole)
		no_report(r, out);
	if (!p.begun)
		return;
	image(r, &p.version, out);
	key(r, &p.key, out);
	for (size_t i = 0; i < targets->n; i++) {
		name(r, &targets->v[i], &p.name[i], out);
		port(r, &targets->v[i], &p.port[i], out);
	}
	for (size_t i = 0; i < r->plan->needs.n; i++)
		need(r, &r->plan->needs.v[i], &p.file[i], out);
	slurmd_port(r, &p.listen, out);
}

void probe_findings(const struct probe_result *r, struct findings *out)
{
	if (r->seen->started_ms < 0) {
		did_not_start(r, out);
		resume_timeout(r, out);
		return;
	}
	start_times(r, out);
	resume_timeout(r, out);
	report(r, out);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who holds a lease, and what follows from what stands in it. */
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "base/str.h"
#include "kube/lease_record.h"
#include "t.h"

#define ME "ctl-1_77_1234_0123abcd_4026531836"
#define OTHER "ctl-2_77_1234_0123abcd_4026531836"

/* --- holders */

static void this_process_has_not_ended(void)
{
	char self[HOLDER_MAX], words[64], pid[32];

	holder_self(self);
	T_OK(!holder_has_ended(self));
	holder_words(self, words, sizeof(words));
	snprintf(pid, sizeof(pid), ", pid %d", getpid());
	T_HAS(words, pid);
}

/* This process's text with one of its last parts (1: the last) replaced. */
static void changed(char out[HOLDER_MAX], int from_end, const char *to)
{
	char self[HOLDER_MAX], rest[HOLDER_MAX] = "";
	char *at;

	holder_self(self);
	for (int i = 1; i < from_end; i++) {
		char kept[HOLDER_MAX];

		at = strrchr(self, '_');
		str_copy(kept, rest, sizeof(kept));
		snprintf(rest, sizeof(rest), "%.80s%.80s", at, kept);
		*at = '\0';
	}
	at = strrchr(self, '_');
	if (from_end == 5)
		snprintf(out, HOLDER_MAX, "%s%s", to, rest);
	else
		snprintf(out, HOLDER_MAX, "%.*s_%s%s", (int)(at - self), self,
			 to, rest);
}

static void only_what_ran_here_can_be_known_to_have_ended(void)
{
	static const struct {
		const char *what;
		int from_end;
		const char *to;
		bool ended;
	} rows[] = {
		{"another PID namespace", 1, "1", false},
		{"no PID namespace", 1, "0", false},
		{"another boot", 2, "ffffffff", false},
		{"no boot", 2, "", false},
		{"another start", 3, "1", true},
		{"no start", 3, "0", false},
		{"a PID that is not there", 4, "2147483647", true},
		{"no PID", 4, "0", false},
		{"a negative PID", 4, "-1", false},
		{"too large a PID", 4, "4294967297", false},
		{"another host", 5, "elsewhere", false},
	};
	char text[HOLDER_MAX];

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%s", rows[i].what);
		changed(text, rows[i].from_end, rows[i].to);
		T_INT(holder_has_ended(text), rows[i].ended);
	}
}

static void words_of_others_are_no_process(void)
{
	static const char *const texts[] = {
		"",
		"_",
		"____",
		"controller-manager_6b1f-uuid",
		"a_1_2_3",
		"a_1_x_0123abcd_5",
		"a_99999999999999999999999_2_0123abcd_5",
		"_1_2_0123abcd_5",
		"a_1_2_0123abcdefgh_5",
	};
	char words[64];

	for (size_t i = 0; i < T_COUNT(texts); i++) {
		t_row("%s", texts[i]);
		T_OK(!holder_has_ended(texts[i]));
		holder_words(texts[i], words, sizeof(words));
		T_STR(words, texts[i]);
	}
	holder_words("a\nb_\x1b", words, sizeof(words));
	T_STR(words, "a b_ ");
	holder_words("my_host_7_2_0123abcd_5", words, sizeof(words));
	T_STR(words, "my_host, pid 7");
}

/* A child tells who it is, then ends; we have not waited for it yet. */
static void a_killed_process_has_ended_before_its_parent_waits(void)
{
	char text[HOLDER_MAX] = "";
	int said[2], go_on[2];
	pid_t pid;
	siginfo_t info;

	T_NEED(!pipe(said) && !pipe(go_on));
	pid = fork();
	if (!pid) {
		char c;

		holder_self(text);
		if (write(said[1], text, sizeof(text)) < 0)
			_exit(1);
		close(go_on[1]);
		_exit((int)read(go_on[0], &c, 1));
	}
	T_INT(read(said[0], text, sizeof(text)), sizeof(text));
	T_OK(!holder_has_ended(text));
	close(go_on[0]);
	close(go_on[1]);
	T_OK(!waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT));
	T_OK(holder_has_ended(text)); /* a zombie */
	waitpid(pid, NULL, 0);
	T_OK(holder_has_ended(text));
	close(said[0]);
	close(said[1]);
}

/* --- what stands there */

static void a_lease_is_read_whatever_it_is(void)
{
	static const struct {
		const char *text, *holder, *renewed;
		int64_t duration_s, transitions;
	} rows[] = {
		{"{}", "", "", 0, 0},
		{"{\"spec\": 1}", "", "", 0, 0},
		{"{\"spec\": {\"holderIdentity\": null}}", "", "", 0, 0},
		{"{\"spec\": {\"holderIdentity\": \"a\", \"renewTime\": \"t\","
		 " \"leaseDurationSeconds\": 15, \"leaseTransitions\": 3}}",
		 "a", "t", 15, 3},
		{"{\"spec\": {\"leaseDurationSeconds\": 61,"
		 " \"leaseTransitions\": 2147483647}}",
		 "", "", 0, 0},
		{"{\"spec\": {\"leaseDurationSeconds\": -1,"
		 " \"leaseTransitions\": \"x\"}}",
		 "", "", 0, 0},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_json_ json_object *o = t_parse(rows[i].text);
		struct lease_record r;

		t_row("%s", rows[i].text);
		lease_record_of(o, &r);
		T_STR(r.holder, rows[i].holder);
		T_STR(r.renewed, rows[i].renewed);
		T_INT(r.duration_s, rows[i].duration_s);
		T_INT(r.transitions, rows[i].transitions);
	}
}

static void verdicts(void)
{
	static const struct {
		const char *what, *holder;
		int64_t duration_s;
		bool ended;
		int64_t unchanged_ms;
		enum lease_verdict want;
	} rows[] = {
		{"nobody's", "", 15, false, 0, LEASE_TAKE},
		{"ours", ME, 15, false, 0, LEASE_RENEW},
		{"ours, long ago", ME, 15, false, 99999, LEASE_RENEW},
		{"another's", OTHER, 15, false, 0, LEASE_WAIT},
		{"almost expired", OTHER, 15, false, 14999, LEASE_WAIT},
		{"expired", OTHER, 15, false, 15000, LEASE_TAKE},
		{"a shorter one", OTHER, 2, false, 2000, LEASE_TAKE},
		{"without a duration", OTHER, 0, false, 14999, LEASE_WAIT},
		{"without a duration, old", OTHER, 0, false, 15000, LEASE_TAKE},
		{"of a dead one", OTHER, 15, true, 0, LEASE_TAKE},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct lease_record r = {.duration_s = rows[i].duration_s};

		t_row("%s", rows[i].what);
		str_copy(r.holder, rows[i].holder, sizeof(r.holder));
		T_INT(lease_judge(&r, ME, rows[i].ended, rows[i].unchanged_ms),
		      rows[i].want);
	}
}

/* --- what is written */

static void a_life_of_a_lease(void)
{
	_cleanup_json_ json_object *o = lease_new_object("x");
	const int64_t t = 1767323045006; /* 2026-01-02T03:04:05.006Z */

	T_INT(lease_claim(o, "a", 15, t), 0);
	T_JSON(o, "{\"apiVersion\": \"coordination.k8s.io/v1\","
		  " \"kind\": \"Lease\", \"metadata\": {\"name\": \"x\"},"
		  " \"spec\": {\"holderIdentity\": \"a\","
		  "  \"leaseDurationSeconds\": 15, \"leaseTransitions\": 0,"
		  "  \"acquireTime\": \"2026-01-02T03:04:05.006000Z\","
		  "  \"renewTime\": \"2026-01-02T03:04:05.006000Z\"}}");
	T_INT(lease_claim(o, "a", 15, t + 5000), 0); /* renewed */
	T_STR(jx_str(o, "spec", "acquireTime"), "2026-01-02T03:04:05.006000Z");
	T_STR(jx_str(o, "spec", "renewTime"), "2026-01-02T03:04:10.006000Z");
	T_INT(jx_int(jx_get(o, "spec", "leaseTransitions"), -1), 0);
	T_INT(lease_claim(o, "", 1, t + 6000), 0); /* given back */
	T_STR(jx_str(o, "spec", "holderIdentity"), "");
	T_INT(jx_int(jx_get(o, "spec", "leaseTransitions"), -1), 0);
	T_INT(lease_claim(o, "b", 15, t + 7000), 0); /* taken */
	T_STR(jx_str(o, "spec", "acquireTime"), "2026-01-02T03:04:12.006000Z");
	T_INT(jx_int(jx_get(o, "spec", "leaseTransitions"), -1), 1);
}

static void what_others_wrote_there_stays(void)
{
	_cleanup_json_ json_object *o = t_parse(
		"{\"metadata\": {\"name\": \"x\","
		" \"resourceVersion\": \"7\", \"labels\": {\"a\": \"b\"},"
		" \"managedFields\": []}, \"spec\": {\"more\": 1}}");

	T_INT(lease_claim(o, "a", 15, 0), 0);
	T_STR(jx_str(o, "metadata", "resourceVersion"), "7");
	T_STR(jx_str(o, "metadata", "labels", "a"), "b");
	T_INT(jx_int(jx_get(o, "spec", "more"), 0), 1);
	T_OK(!jx_get(o, "metadata", "managedFields"));
}

static void what_is_no_lease_is_not_claimed(void)
{
	_cleanup_json_ json_object *o = t_parse("{\"spec\": []}");

	T_INT(lease_claim(o, "a", 15, 0), -ENOMEM);
}

T_MAIN("lease", T(this_process_has_not_ended),
       T(only_what_ran_here_can_be_known_to_have_ended),
       T(words_of_others_are_no_process),
       T(a_killed_process_has_ended_before_its_parent_waits),
       T(a_lease_is_read_whatever_it_is), T(verdicts), T(a_life_of_a_lease),
       T(what_others_wrote_there_stays), T(what_is_no_lease_is_not_claimed))

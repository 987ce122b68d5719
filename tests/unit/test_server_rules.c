/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "server_rules.h"
#include "t.h"

#define S 1000LL
#define DAY (24 * 3600 * S)
#define NOW (20000 * DAY)

/* All is well; a server of a year, and a CA of ten. */
static struct server_facts good(void)
{
	return (struct server_facts){
		.cluster = "prod",
		.version = "v1.33.0",
		.sent_ms = NOW - 200,
		.now_ms = NOW,
		.peer = {.date_ms = NOW - S,
			 .cert = {NOW - 300 * DAY, NOW + 65 * DAY}},
		.ca = {NOW - 300 * DAY, NOW + 3350 * DAY}};
}

/* The finding that is not in order; the text is NULL where all is. */
static struct finding found(const struct server_facts *f, char text[512])
{
	struct findings all = {0};
	struct finding out = {.text = NULL};

	server_rules(f, &all);
	for (size_t i = 0; i < all.n; i++)
		if (all.v[i].state != FINDING_OK) {
			T_OK(!out.text);
			out = all.v[i];
			snprintf(text, 512, "%s", out.text);
			out.text = text;
			T_OK(out.fix || out.state == FINDING_SKIPPED);
		}
	T_INT(all.n, all.n && !strcmp(all.v[all.n - 1].check, "clock") &&
				     out.text && strcmp(out.check, "clock")
			     ? 2
			     : 1);
	findings_clear(&all);
	return out;
}

static void is(const struct server_facts *f, enum finding_state state,
	       const char *check, const char *words)
{
	char text[512];
	const struct finding one = found(f, text);

	T_INT(one.text ? one.state : FINDING_OK, state);
	if (words) {
		T_STR(one.check, check);
		T_HAS(one.text, words);
	}
}

static void clocks_are_compared_both_ways(void)
{
	static const struct {
		int64_t date_ms;
		enum finding_state state;
		const char *words;
	} rows[] = {
		{NOW - S, FINDING_OK, NULL},
		{NOW + 5 * S, FINDING_OK, NULL},
		{NOW + 6 * S, FINDING_WRONG, "is 6 s ahead of this machine's"},
		{NOW + 3600 * S, FINDING_WRONG,
		 "cluster prod: its clock is 3600 s ahead of this machine's"},
		{NOW - 6 * S, FINDING_OK, NULL},
		{NOW - 3601 * S, FINDING_WRONG,
		 "its clock is 3600 s behind this machine's"},
		{0, FINDING_WRONG, "behind this machine's"},
		{-1, FINDING_SKIPPED, "its answer has no Date"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct server_facts f = good();

		t_row("%zu", i);
		f.peer.date_ms = rows[i].date_ms;
		is(&f, rows[i].state, "clock", rows[i].words);
	}
}

static void certificates_are_told_before_they_end(void)
{
	static const struct {
		int64_t from, to; /* days from now */
		bool told;
	} rows[] = {
		{-335, 30, false},
		{-336, 29, true},
		{-364, 1, true},
		/* made to be renewed: by a quarter */
		{-60, 30, false},
		{-70, 20, true},
		{-1, 1, false},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		const struct kube_validity v = {NOW + rows[i].from * DAY,
						NOW + rows[i].to * DAY};
		struct server_facts server = good(), ca = good();

		t_row("%zu", i);
		server.peer.cert = v;
		ca.ca = v;
		is(&server, rows[i].told ? FINDING_WARN : FINDING_OK,
		   "API server",
		   rows[i].told ? "cluster prod: its certificate expires in "
				: NULL);
		is(&ca, rows[i].told ? FINDING_WARN : FINDING_OK, "API server",
		   rows[i].told ? "cluster prod: the kubeconfig's CA expires "
				  "in "
				: NULL);
	}
}

static void what_is_not_known_is_not_judged(void)
{
	struct server_facts f = good();

	f.version = NULL;
	f.peer.cert = f.ca = (struct kube_validity){.to_ms = INT64_MAX};
	is(&f, FINDING_OK, NULL, NULL);
}

static void old_releases_are_named(void)
{
	static const struct {
		const char *version;
		bool old;
	} rows[] = {
		{"v1.33.0", false},	 {"v1.32.99", true},
		{"v1.9.1", true},	 {"v1.28.3-eks-0a", true},
		{"v1.37.2+k3s1", false}, {"v2.0.0", false},
		{"v0.9", true},		 {"", false},
		{"1.20", false},	 {"v", false},
		{"v1", false},		 {"latest", false},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct server_facts f = good();

		t_row("%s", rows[i].version);
		f.version = rows[i].version;
		is(&f, rows[i].old ? FINDING_WARN : FINDING_OK, "API server",
		   rows[i].old ? "is older than 1.33" : NULL);
	}
}

T_MAIN("server_rules", T(clocks_are_compared_both_ways),
       T(certificates_are_told_before_they_end),
       T(what_is_not_known_is_not_judged), T(old_releases_are_named))

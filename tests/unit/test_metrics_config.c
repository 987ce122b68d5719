/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/config.h"
#include "t.h"

#define REST                                                                   \
	"clusters: [{name: main, kubeconfig: kubeconfig}]\n"                   \
	"bridge: {cluster: main, partition: p, namespaces: {a: {user: u}}}\n"

static int parse(const char *metrics, struct config **out, struct err *err)
{
	char text[2000];
	const int n = snprintf(text, sizeof(text), REST "%s\n", metrics);

	return config_parse("/etc/slurm/k8s.yaml", text, (size_t)n, out, err);
}

static void without_the_key_there_are_no_metrics(void)
{
	static const char *const texts[] = {"", "metrics:", "metrics: null"};

	for (size_t i = 0; i < T_COUNT(texts); i++) {
		_cleanup_(config_freep) struct config *c = NULL;
		struct err err = {0};

		t_row("%s", texts[i]);
		T_INT(parse(texts[i], &c, &err), 0);
		T_STR(err.msg, "");
		T_OK(c && !c->metrics.file && !c->metrics.listen);
	}
}

static void where_and_how_often_is_read(void)
{
	static const struct {
		const char *text, *file;
		int64_t ms, slurm_ms;
		const char *listen;
	} rows[] = {
		{"metrics: {file: /run/a.prom}", "/run/a.prom", 15000, 0},
		{"metrics: {file: /a.b/c d.prom, interval: 5s}",
		 "/a.b/c d.prom", 5000, 0},
		{"metrics: {file: /x.prom, interval: 1m}", "/x.prom", 60000, 0},
		{"metrics: {file: /x.prom, slurm: 10m}", "/x.prom", 15000,
		 600000},
		{"metrics: {listen: '127.0.0.1:9118', slurm: 1m}", NULL, 15000,
		 60000, "127.0.0.1:9118"},
		{"metrics: {listen: 'unix:/b.prom', file: /x/b.prom}",
		 "/x/b.prom", 15000, 0, "unix:/b.prom"},
		{"metrics: {listen: 'unix:/run/a', file: /x.prom}", "/x.prom",
		 15000, 0, "unix:/run/a"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_(config_freep) struct config *c = NULL;
		struct err err = {0};

		t_row("%s", rows[i].text);
		T_INT(parse(rows[i].text, &c, &err), 0);
		T_STR(err.msg, "");
		if (!T_OK(c != NULL))
			continue;
		T_STR(c->metrics.file, rows[i].file);
		T_STR(c->metrics.listen, rows[i].listen);
		T_INT(c->metrics.interval_ms, rows[i].ms);
		T_INT(c->metrics.slurm_ms, rows[i].slurm_ms);
	}
}

static void mistakes_are_refused_with_their_place(void)
{
	static const struct {
		const char *text, *words;
	} rows[] = {
		{"metrics: yes", ":3:10: metrics must be a mapping"},
		{"metrics: {}", ":3:10: metrics has no file and no listen"},
		{"metrics: {interval: 20s}",
		 ":3:10: metrics has no file and no listen"},
		{"metrics: {file: /a.prom, port: 1}",
		 ":3:26: unknown key 'port' in metrics"},
		{"metrics: {listen: '0.0.0.0:9118'}",
		 ":3:19: listen must be 127.0.0.1:PORT, [::1]:PORT or "
		 "unix:/PATH, for metrics are told on this host only"},
		{"metrics: {file: /a/b.prom, listen: 'unix:/a/b.prom'}",
		 ":3:10: file and listen must not be one path"},
		{"metrics: {file: /a/b.prom, listen: 'unix:/a/.b.prom.tmp'}",
		 ":3:10: file and listen must not be one path"},
		{"metrics: {listen: [a]}", ":3:19: listen must be a text"},
		{"metrics: {file: a.prom}",
		 ":3:17: file must be an absolute path"},
		{"metrics: {file: \"\"}", ":3:17: file must be a text"},
		{"metrics: {file: /a.txt}",
		 ":3:17: file must be a name that ends in .prom"},
		{"metrics: {file: /a/.prom}",
		 ":3:17: file must be a name that ends in .prom"},
		{"metrics: {file: /a.prom/}",
		 ":3:17: file must be a name that ends in .prom"},
		{"metrics: {file: \"/a\\n.prom\"}",
		 ":3:17: file must have no control characters"},
		{"metrics: {file: [/a.prom]}", ":3:17: file must be"},
		{"metrics: {file: /a.prom, interval: 4s}", ":3:36: interval"},
		{"metrics: {file: /a.prom, interval: 61s}", ":3:36: interval"},
		{"metrics: {file: /a.prom, slurm: 14s}", ":3:33: slurm"},
		{"metrics: {file: /a.prom, slurm: 11m}", ":3:33: slurm"},
		{"metrics: {file: /a.prom, interval: soon}", ":3:36: interval"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_(config_freep) struct config *c = NULL;
		struct err err = {0};

		t_row("%s", rows[i].text);
		T_ERR(parse(rows[i].text, &c, &err), &err, -EINVAL,
		      rows[i].words);
	}
}

static void a_name_that_no_file_system_takes_is_refused(void)
{
	_cleanup_free_ char *longest = t_repeat("n", 245);
	_cleanup_(config_freep) struct config *c = NULL, *no = NULL;
	char text[600];
	struct err err = {0};

	snprintf(text, sizeof(text), "metrics: {file: /%s.prom}", longest);
	T_INT(parse(text, &c, &err), 0);
	snprintf(text, sizeof(text), "metrics: {file: /%sn.prom}", longest);
	T_ERR(parse(text, &no, &err), &err, -EINVAL,
	      ":3:17: file has too long a name");
}

T_MAIN("metrics_config", T(without_the_key_there_are_no_metrics),
       T(where_and_how_often_is_read), T(mistakes_are_refused_with_their_place),
       T(a_name_that_no_file_system_takes_is_refused))

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A resume file, its nodes sorted into gangs, which then fail one by one. */
#include "fuzz.h"
#include "gang.h"

static void fail_all(struct gangs *g)
{
	for (size_t i = 0; i < g->n_nodes; i++)
		PROMISE(gangs_want(g, i));
	for (size_t i = 0; i < g->n_nodes && i < 100; i++) {
		gangs_fail(g, i);
		PROMISE(!gangs_want(g, i));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static struct hostlist nodes; /* n0 to n63 */
	_cleanup_resumefile_ struct resumefile f = {0};
	_cleanup_gangs_ struct gangs g = {0};
	struct err err = {0};
	int rc = resumefile_parse((const char *)data, len, &f, &err);

	if (!nodes.n)
		PROMISE(!hostlist_expand("n[0-63]", &nodes, NULL));
	if (!rc)
		rc = gangs_make(&nodes, &f, &g, &err);
	promise_err(rc, &err);
	if (!rc)
		fail_all(&g);
	return 0;
}

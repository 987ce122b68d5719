/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What tests of pod_ensure() and pod_remove() have of each operation. */
#ifndef SLURMK8S_TESTS_UNIT_POD_OP_FIXTURE_H
#define SLURMK8S_TESTS_UNIT_POD_OP_FIXTURE_H

#include <stdlib.h>

#include "nodes/pod/pod_op.h"
#include "t.h"

/* One op with all that it borrows. */
struct own_op {
	struct pod_op op;
	char *node, *body;
	bool done;
};

static void on_op(struct pod_op *op)
{
	struct own_op *w = op->opt.arg;

	T_OK(!w->done); /* exactly once */
	w->done = true;
}

static void own_op_clear(struct own_op *w)
{
	free(w->node);
	free(w->body);
	*w = (struct own_op){0};
}
#define _cleanup_own_op_ __attribute__((cleanup(own_op_clear)))

#endif

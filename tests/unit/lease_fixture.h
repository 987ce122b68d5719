/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lease, for tests of what looks at it between two steps. */
#ifndef SLURMK8S_TESTS_LEASE_FIXTURE_H
#define SLURMK8S_TESTS_LEASE_FIXTURE_H

#include "cluster/cluster.h"

static bool is_taken_over; /* by another engine, which has the lease */

bool cluster_held(struct cluster *l)
{
	(void)l;
	return !is_taken_over;
}

#endif

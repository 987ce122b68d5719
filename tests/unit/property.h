/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Property tests of a pure decision: it is asked about very many views, and
 * what it says must have each of some properties.
 *
 * A view has some 25 flags, two enums and 25 numbers, each of them with up to
 * five values that matter (0, 1, a bound and its neighbours): all together are
 * more than can be tried in a year. So the views are drawn, by a generator with
 * a seed of its own: among PROPERTY_VIEWS of them each combination of eight
 * flags is there some thousand times. tests/tools/check_mutants.py shows that
 * they suffice: for each property there is a wrong decision that it finds. A
 * decision with few enough views is asked about all of them instead, and its
 * test uses a part of this file.
 */
#ifndef SLURMK8S_TESTS_UNIT_PROPERTY_H
#define SLURMK8S_TESTS_UNIT_PROPERTY_H

#pragma GCC diagnostic ignored "-Wunused-function"

#include <inttypes.h>
#include <stdio.h>

#include "t.h"

#define PROPERTY_VIEWS 2000000u

/* A number below `n`; xorshift64*, the same in each run. */
static uint64_t property_state = 88172645463325252ull;
static unsigned int draw(unsigned int n)
{
	property_state ^= property_state >> 12;
	property_state ^= property_state << 25;
	property_state ^= property_state >> 27;
	return (unsigned int)((property_state * 2685821657736338717ull) >> 33) %
	       n;
}

static bool coin(void)
{
	return draw(2);
}

/* True once in `n` times. */
static bool seldom(unsigned int n)
{
	return !draw(n);
}

/* 0, 1, and around this bound. */
static int64_t around(int64_t bound)
{
	const int64_t values[] = {0, 1, bound - 1, bound, bound + 1};

	return values[draw(T_COUNT(values))];
}

static uint32_t up_to(uint32_t n)
{
	return draw(n + 1);
}

#define ONE_OF(values) ((values)[draw(T_COUNT(values))])

/* A row of a table of properties: its name, and the function of that name. */
#define P(fn)                                                                  \
	{                                                                      \
#fn, fn                                                        \
	}

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The time of fast_clock.c, and the usual one for who tests it. Any thread. */
#ifndef SLURMK8S_TESTS_FAST_CLOCK_H
#define SLURMK8S_TESTS_FAST_CLOCK_H

#include <stdint.h>

#define FAST 20

int64_t fast_clock_real_ms(void);   /* usual, monotonic */
void fast_clock_nap_us(int64_t us); /* usual microseconds */

#endif

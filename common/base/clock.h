/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Time in milliseconds: monotonic for durations, real for dates. Any thread; no
 * function here waits but clock_nap().
 */
#ifndef SLURMK8S_BASE_CLOCK_H
#define SLURMK8S_BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

int64_t clock_ms(void);	     /* monotonic */
int64_t clock_real_ms(void); /* since the epoch */
/* Monotonic, too, but it goes on while the machine is suspended. */
int64_t clock_boot_ms(void);

/*
 * True at most once in every_ms, and at the first call: *next, 0 at first, is
 * then moved. One thread at a time.
 */
static inline bool clock_due(int64_t *next, int64_t every_ms)
{
	const int64_t now = clock_ms();

	if (now < *next)
		return false;
	*next = now + every_ms;
	return true;
}

/* Wait for `ms`, or less if the thread gets a signal. */
void clock_nap(int64_t ms);

/*
 * An RFC 3339 date as Kubernetes writes it ("2026-01-02T03:04:05Z", fractions
 * and zone offsets allowed) in milliseconds since the epoch; -1 if it is not
 * one.
 */
int64_t clock_parse_rfc3339(const char *s);

#define CLOCK_RFC3339_MAX 32
/*
 * Write a date in whole seconds, UTC, as clock_parse_rfc3339() reads it. False:
 * no date of four digits a year, and `out` is "".
 */
bool clock_write_rfc3339(int64_t ms, char out[CLOCK_RFC3339_MAX]);

#endif

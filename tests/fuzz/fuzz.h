/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the fuzz targets share. They abort on a broken promise. */
#ifndef SLURMK8S_TESTS_FUZZ_FUZZ_H
#define SLURMK8S_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/err.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* A promise of a header, checked in every build. */
#define PROMISE(cond)                                                          \
	do {                                                                   \
		if (!(cond))                                                   \
			abort();                                               \
	} while (0)

/* The text is one line of valid UTF-8 without control characters. */
void promise_clean(const char *text);

/*
 * A call ended well (rc 0, err untouched), or with a negative code and words.
 * `err` must have been zero at first.
 */
void promise_err(int rc, const struct err *err);

/* The input as a text that ends with NUL; the caller frees. */
char *text_of(const uint8_t *data, size_t len);

#endif

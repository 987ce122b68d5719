/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Informers whose API server is the input: who begins one is found by what it
 * looks at. (-Wl,--wrap=informer_..., --wrap=clock_ms.) And the input as steps.
 */
#ifndef SLURMK8S_TESTS_FUZZ_FUZZ_INFORMER_H
#define SLURMK8S_TESTS_FUZZ_FUZZ_INFORMER_H

#include "fuzz.h"
#include "kube/informer.h"
#include "json/json.h"

#define FUZZ_INFORMERS 32

struct informer {
	struct informer_handler to;
	char resource[64];
	bool others; /* of pods: begun by inventory */
};

/* Those that there are; NULL: ended. */
extern struct informer *fuzz_informers[FUZZ_INFORMERS];
extern bool fuzz_others; /* of those that are begun now */
extern int64_t fuzz_now; /* clock_ms() */

/* The first one of this resource; NULL: none. */
struct informer *fuzz_informer(const char *resource, bool others);

/*
 * A letter, and JSON (or what is not): 'a' an object, 'd' its end, 'l' a list
 * begins, 'y' it is complete, 'b' the object is too big, 't' trouble.
 */
void fuzz_tell(struct informer *f, char what, const char *json, size_t len);

/* Each line of the input: two letters and a text. */
typedef void (*fuzz_step_fn)(void *arg, const char letters[2], const char *text,
			     size_t len);
void fuzz_steps(const uint8_t *data, size_t len, fuzz_step_fn fn, void *arg);

#endif

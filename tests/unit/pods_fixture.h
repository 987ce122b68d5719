/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the API server says of pods is the test's: by `pods.to`, to who watches
 * them. Time stands still. For a test that is linked with --wrap for these.
 */
#ifndef SLURMK8S_TESTS_UNIT_PODS_FIXTURE_H
#define SLURMK8S_TESTS_UNIT_PODS_FIXTURE_H

#include "kube/informer.h"

static struct informer {
	struct informer_handler to;
	const struct jx_only *only; /* what is read of one */
} pods;

static int64_t clock_now = 100000;
static int relists; /* how often all were to be listed anew */

int64_t __wrap_clock_ms(void);
int64_t __wrap_clock_ms(void)
{
	return clock_now;
}

struct informer *__wrap_informer_new(struct kube_client *c,
				     const struct informer_options *opt,
				     const struct informer_handler *to);
struct informer *__wrap_informer_new(struct kube_client *c,
				     const struct informer_options *opt,
				     const struct informer_handler *to)
{
	(void)c;
	pods.only = opt->only;
	pods.to = *to;
	return &pods;
}

bool __wrap_informer_live(const struct informer *f);
bool __wrap_informer_live(const struct informer *f)
{
	(void)f;
	return true;
}

void __wrap_informer_relist(struct informer *f);
void __wrap_informer_relist(struct informer *f)
{
	(void)f;
	relists++;
}

void __wrap_informer_step(struct informer *f);
void __wrap_informer_step(struct informer *f)
{
	(void)f;
}

void __wrap_informer_free(struct informer *f);
void __wrap_informer_free(struct informer *f)
{
	(void)f;
}

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Allocations of ours that fail when a test says so; for one file of a program
 * that is linked with --wrap for them ("fake_malloc" of meson.build).
 */
#ifndef SLURMK8S_TESTS_UNIT_FAKE_MALLOC_H
#define SLURMK8S_TESTS_UNIT_FAKE_MALLOC_H

#include <stdbool.h>
#include <stddef.h>

static long left = -1; /* allocations until one fails; negative: none does */

static bool fails(void)
{
	return left >= 0 && left-- == 0;
}

void *__real_malloc(size_t n);
void *__wrap_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
void *__wrap_realloc(void *p, size_t n);
char *__real_strdup(const char *s);
char *__wrap_strdup(const char *s);

void *__wrap_malloc(size_t n)
{
	return fails() ? NULL : __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t n)
{
	return fails() ? NULL : __real_realloc(p, n);
}

char *__wrap_strdup(const char *s)
{
	return fails() ? NULL : __real_strdup(s);
}

#endif

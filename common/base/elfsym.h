/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a shared object says of itself, read without loading it: to load one
 * would run its constructors, and wants symbols that its program has. Pure. Any
 * thread.
 */
#ifndef SLURMK8S_BASE_ELFSYM_H
#define SLURMK8S_BASE_ELFSYM_H

#include <stddef.h>

/*
 * The bytes of an object that the file exports under this name (elf(5),
 * .dynsym), inside `file` of `len` bytes; their number in *size. NULL: there is
 * none, or this is no whole ELF file of our own kind.
 */
const void *elfsym_find(const void *file, size_t len, const char *name,
			size_t *size);

#endif

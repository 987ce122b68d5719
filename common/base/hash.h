/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * uthash, told not to end the process when there is no memory: each element
 * has a member `int failed`, which HASH_ADD_KEYPTR sets when it was not added.
 */
#ifndef SLURMK8S_BASE_HASH_H
#define SLURMK8S_BASE_HASH_H

#define HASH_NONFATAL_OOM 1
#define uthash_nonfatal_oom(e) ((e)->failed = 1)
#include <uthash.h>

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The holder of a lease: "HOST_PID_START_BOOT_PIDNS", a text that names one
 * process for ever: its start in ticks since the boot, the boot, and the
 * namespace in which the PID counts. Any thread; reads /proc.
 */
#ifndef SLURMK8S_KUBE_HOLDER_H
#define SLURMK8S_KUBE_HOLDER_H

#include <stdbool.h>
#include <stddef.h>

#define HOLDER_MAX 192

/* The text of this process. */
void holder_self(char out[HOLDER_MAX]);

/*
 * True if the process of this text has surely ended. That can be known only of
 * one that ran on this host, in this boot and PID namespace.
 */
bool holder_has_ended(const char *text);

/*
 * Words for people: "ctl-1, pid 77"; a text that is not of this form as it is,
 * without control characters.
 */
void holder_words(const char *text, char *out, size_t size);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who holds a lease: "HOST_PID_START_BOOT_PIDNS", a text that names one
 * process for ever: its start in ticks since the boot, the boot, and the
 * namespace in which the PID counts. Any thread; reads /proc.
 */
#ifndef SLURMK8S_KUBE_HOLDER_H
#define SLURMK8S_KUBE_HOLDER_H

#include <stdbool.h>
#include <stddef.h>

#define HOLDER_MAX 192

/* This process. */
void holder_self(char out[HOLDER_MAX]);

/*
 * Has the process of this text surely ended? Only what ran on this host, in
 * this boot and PID namespace, can be known to have.
 */
bool holder_has_ended(const char *text);

/* For people: "ctl-1, pid 77"; a text of somebody else as it is, cleaned. */
void holder_words(const char *text, char *out, size_t size);

#endif

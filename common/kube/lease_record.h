/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a Lease (coordination.k8s.io/v1) says, and what follows from it. The
 * fields mean what they mean to client-go's leaderelection. Pure: no I/O, no
 * clock. Any thread.
 */
#ifndef SLURMK8S_KUBE_LEASE_RECORD_H
#define SLURMK8S_KUBE_LEASE_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "kube/holder.h"
#include "json/json.h"

#define LEASE_DURATION_S 15
#define LEASE_DURATION_MAX_S 60 /* nobody's claim is respected for longer */

struct lease_record {
	char holder[HOLDER_MAX]; /* "": nobody */
	char renewed[40];	 /* renewTime as the Lease has it */
	int64_t duration_s;	 /* 0: none that makes sense */
	int64_t transitions;
};

/* Read a Lease; members that are missing or wrong are empty or 0. */
void lease_record_of(const json_object *lease, struct lease_record *out);

/* What is to be done about a Lease: respect its holder, claim it, renew it. */
enum lease_verdict {
	LEASE_WAIT,
	LEASE_TAKE, /* free, expired, or its holder has ended */
	LEASE_RENEW /* held by `self` */
};

/*
 * Judge what was seen. `ended`: holder_has_ended() of its holder;
 * `unchanged_ms`: for how long, by our own clock, it has had this holder and
 * renewTime.
 */
enum lease_verdict lease_judge(const struct lease_record *seen,
			       const char *self, bool ended,
			       int64_t unchanged_ms);

/*
 * Write a claim into the Lease: taken or renewed by `self` at now_ms (since the
 * epoch), or given back (`self` is ""). Other members stay, but for
 * managedFields, which is the server's. 0 or -ENOMEM.
 */
int lease_claim(json_object *lease, const char *self, unsigned int duration_s,
		int64_t now_ms);

/* A new Lease, of nobody. The caller puts. NULL: out of memory. */
json_object *lease_new_object(const char *name);

#endif

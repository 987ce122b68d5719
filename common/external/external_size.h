/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which size an external node is to have in Slurm. A node's size cannot be
 * changed there: it is deleted and created, and each of both has select
 * reconfigured in slurmctld, with its locks held. Pods that are not ours come
 * and go all the time, and a device plugin that restarts has none for a moment.
 * So a node keeps its size until another one has lasted; meanwhile nothing is
 * bound that does not fit (bridge/binding/overcommit.c). Pure: the time is the
 * caller's. Any thread.
 */
#ifndef SLURMK8S_EXTERNAL_EXTERNAL_SIZE_H
#define SLURMK8S_EXTERNAL_EXTERNAL_SIZE_H

#include <stdbool.h>
#include <stdint.h>

#include "external/external_node.h"

#define EXTERNAL_SIZE_DEVICES_MS                                               \
	15000			 /* devices that a node has more than Slurm */
#define EXTERNAL_SIZE_NOTABLE 16 /* a sixteenth more or less */
/* renewals of all nodes in EXTERNAL_SIZE_RENEWALS_MS */
#define EXTERNAL_SIZE_RENEWALS_MAX 6
#define EXTERNAL_SIZE_RENEWALS_MS 60000
/*
 * Renewals in EXTERNAL_SIZE_RENEWALS_MS of nodes that Slurm takes for lost,
 * which users can bring about.
 */
#define EXTERNAL_LOST_RENEWALS_MAX 60

/* One of a node's numbers differs from what Slurm has. */
struct external_size_change {
	int64_t since;	  /* monotonic, ms; 0: it does not differ */
	bool less;	  /* the node has less than Slurm believes */
	uint64_t nearest; /* nearest value to Slurm's since then */
};

/* What is remembered of a node between two looks; 0 at first. */
struct external_size {
	struct external_size_change cpus, memory_mib, gres;
};

/* A size, as Slurm has it. The text is borrowed; NULL: "". */
struct external_size_has {
	uint32_t cpus;
	uint64_t memory_mib;
	const char *gres; /* as Slurm writes it, maybe "gpu:2(S:0-1)" */
};

/*
 * Note in *s since when the node has another size, and make *shape, which is
 * what there is now, what Slurm is to be told: what it has, but for what has
 * lasted. CPUs and memory have lasted after `lasts_ms`; then they are what was
 * there all the time. Growth counts only if CPUs or memory grow by
 * EXTERNAL_SIZE_NOTABLE or there are more devices; these after
 * EXTERNAL_SIZE_DEVICES_MS, for they come later than their node. `now`:
 * monotonic, ms.
 */
void external_size_look(struct external_size *s,
			struct external_node_shape *shape,
			const struct external_size_has *has, int64_t now,
			int64_t lasts_ms);

/*
 * When external_size_look() gives another answer though nothing has changed
 * (monotonic, ms); 0: at no time.
 */
int64_t external_size_next(const struct external_size *s, int64_t now,
			   int64_t lasts_ms);

/*
 * True if `b` is more or less than `a` by a sixteenth of `a`
 * (EXTERNAL_SIZE_NOTABLE, rounded down) or more.
 */
bool external_size_is_notable(uint64_t a, uint64_t b);

/*
 * True if `b` has as many of each gres that `a` names; types are not looked at.
 * Both are texts as in Gres of slurm.conf.
 */
bool external_size_has_same_counts(const char *a, const char *b);

/* True if `b` has fewer of a gres that `a` names; types are not looked at. */
bool external_size_has_fewer(const char *a, const char *b);

/*
 * The last renewals, of all nodes: when they were. Those of equal nodes at once
 * are one. 0 at first.
 */
struct external_size_renewals {
	int64_t at[EXTERNAL_SIZE_RENEWALS_MAX]; /* monotonic, ms; 0: none */
};

/* True if there may be a renewal now, which is noted. */
bool external_size_renew(struct external_size_renewals *r, int64_t now);

/* When the next renewal may be (monotonic, ms); `now`: at once. */
int64_t external_size_renew_at(const struct external_size_renewals *r,
			       int64_t now);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which pods a placeholder job is for: what its AdminComment says, read once,
 * and what this engine knows of jobs that it has submitted itself.
 */
#include <string.h>

#include "base/backoff.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "bridge/placeholder/placeholder.h"

void known_placeholder_drop(struct bridge *b, struct known_placeholder *k)
{
	HASH_DELETE(hh, b->jobs.identities, k);
	free(k->other);
	free(k);
}

/* What `id` says, but for the key. False: out of memory. */
static bool known_fill(const struct bridge *b, struct known_placeholder *k,
		       const struct job_identity *id)
{
	k->pods = id->pods;
	k->nodes = id->nodes;
	k->cpus = id->cpus;
	k->again = id->again;
	str_copy(k->wish, id->wish, sizeof(k->wish));
	str_copy(k->uid, id->of.uid, sizeof(k->uid));
	if (!*id->scheduler || !strcmp(id->scheduler, b->bridge->scheduler))
		return true;
	k->other = strdup(id->scheduler);
	return k->other;
}

struct known_placeholder *known_placeholder_new(struct bridge *b,
						uint32_t job_id,
						const struct job_identity *id)
{
	char key[BRIDGE_KEY_MAX] = "";
	struct known_placeholder *k;

	if (id)
		pod_group_key(&id->of, key);
	k = calloc(1, sizeof(*k) + strlen(key) + 1);
	if (!k)
		return NULL;
	k->job_id = job_id;
	memcpy(k->key, key, strlen(key) + 1);
	k->failed = id && !known_fill(b, k, id);
	if (!k->failed)
		HASH_ADD(hh, b->jobs.identities, job_id, sizeof(k->job_id), k);
	if (!k->failed)
		return k;
	free(k->other);
	free(k);
	return NULL;
}

struct known_placeholder *known_placeholder_of(struct bridge *b,
					       const struct placed *p)
{
	const uint32_t sum =
		str_hash(STR_HASH, p->admin_comment, strlen(p->admin_comment));
	struct known_placeholder *k = NULL;
	struct job_identity id;
	bool ours, made;

	HASH_FIND(hh, b->jobs.identities, &p->job_id, sizeof(p->job_id), k);
	if (k && k->sum == sum)
		return k;
	ours = job_identity_parse(p->admin_comment, &id) &&
	       !strcmp(id.cluster, b->bridge->cluster);
	if (k && !ours && overwritten_is_ours(k, p)) {
		k->sum = sum;
		return k;
	}
	made = k && k->made;
	if (k)
		known_placeholder_drop(b, k);
	k = known_placeholder_new(b, p->job_id, ours ? &id : NULL);
	if (k) {
		k->sum = sum;
		k->made = made && ours;
		k->listed = ours;
		k->user = p->uid;
		k->submit = p->submit;
	}
	return k;
}

bool known_placeholder_has(void *arg, uint32_t job_id)
{
	const struct bridge *b = arg;
	const struct known_placeholder *k = NULL;

	HASH_FIND(hh, b->jobs.identities, &job_id, sizeof(job_id), k);
	return k && *k->key;
}

#define LOST_WORDS                                                             \
	"its Slurm job had another AdminComment than the bridge wrote, and "   \
	"was cancelled: see slurmctld.log"

/* Nobody's job would hold its nodes, and its group would get one after another.
 */
static bool cancel_lost(struct bridge *b, const struct known_placeholder *k)
{
	struct queue_entry *q = queue_entry_find(b, k->key);
	struct err err = {0};
	const int rc = ctl_placeholder_cancel(k->job_id, &err);

	if (rc == -EAGAIN)
		return false; /* the next list has it, too */
	log_error(
		"bridge: job %u is cancelled: the bridge has submitted it, and "
		"its AdminComment is another one. It says which pods the job "
		"is for: no job_submit plugin and nobody else may change it",
		k->job_id);
	if (!q)
		return true;
	free(q->refused.words);
	q->refused.words = strdup(LOST_WORDS);
	str_copy(q->refused.wish, k->wish, sizeof(q->refused.wish));
	q->refused.submit_at =
		clock_ms() +
		backoff_doubled(VAIN_MIN_MS, q->vain.n++, VAIN_MAX_MS);
	queue_entry_touch(b, q);
	return true;
}

void known_placeholders_forget_gone(struct bridge *b)
{
	struct known_placeholder *k = NULL, *next = NULL;

	HASH_ITER(hh, b->jobs.identities, k, next)
	{
		if (k->load != b->jobs.load || (k->lost && cancel_lost(b, k)))
			known_placeholder_drop(b, k);
	}
}

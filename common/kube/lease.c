/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One request is under way at a time: a look (GET) shows what stands there, a
 * claim (PUT with its resourceVersion, or POST) follows from it. After a claim
 * that went well the next one needs no look; after anything else it does.
 */
#include "kube/lease.h"

#include <stdatomic.h>
#include <string.h>

#include "base/backoff.h"
#include "base/clock.h"
#include "base/str.h"

#define RETRY_MS 1000
#define REFUSED_MS 60000
#define REFUSED_MAX_MS 600000
#define RENEWALS 3 /* renewals in one duration */
#define TRIES 4	   /* requests, one after another, in one duration */
#define MARGIN 5   /* 1/MARGIN of the duration is not used */
#define FOR_EVER INT64_MAX

/*
 * All times are of CLOCK_BOOTTIME: CLOCK_MONOTONIC stands still while the
 * machine is suspended, and others do not wait for us then.
 */

struct lease {
	struct kube_client *client;
	struct lease_options opt;
	char self[HOLDER_MAX];
	atomic_llong held_until;
	enum lease_state state;
	char words[256]; /* words of the last on_change() */
	char trouble[ERR_MSG_MAX];

	struct kube_call *call; /* the request under way; NULL: none */
	int64_t sent_ms;
	int64_t next_ms;
	/* the Lease as the server has it; NULL: look first */
	json_object *object;

	struct lease_record seen; /* somebody else's claim; holder "": none */
	int64_t seen_ms;	  /* when `seen` was first seen */
	unsigned int conflicts;	  /* conflicts in a row */
	bool known;		  /* Leases have worked here */
	struct backoff refused;
	int64_t refused_ms; /* when 403 or 404 began; 0: Leases work */
	bool releasing, released;
};

static void look(struct lease *l);

static struct kube_ref ref_of(const struct lease *l)
{
	return (struct kube_ref){.api = KUBE_COORDINATION_V1,
				 .ns = l->opt.ns,
				 .resource = "leases",
				 .name = l->opt.name};
}

static struct kube_reply reply(struct lease *l, kube_done_fn then)
{
	l->sent_ms = clock_boot_ms();
	return (struct kube_reply){
		.on_done = then,
		.arg = l,
		.deadline_ms = clock_ms() + l->opt.duration_s * (1000 / TRIES),
		.no_retry = true,
		.urgent = true,
	};
}

static void tell(struct lease *l, enum lease_state state, const char *words)
{
	char cut[sizeof(l->words)];

	str_copy(cut, words, sizeof(cut));
	if (l->releasing || (state == l->state && !strcmp(cut, l->words)))
		return;
	l->state = state;
	memcpy(l->words, cut, sizeof(cut));
	if (l->opt.on_change)
		l->opt.on_change(l->opt.arg, state, words);
}

static void forget(struct lease *l)
{
	json_object_put(l->object);
	l->object = NULL;
}

/* --- how a request can end */

/*
 * Look again after retry_ms. The Lease, if it is held, is held on until
 * held_until.
 */
static void wait_on(struct lease *l, const char *words)
{
	forget(l);
	l->next_ms = clock_boot_ms() + l->opt.retry_ms;
	str_copy(l->trouble, words, sizeof(l->trouble));
	if (!lease_held(l))
		tell(l, LEASE_UNKNOWN, words);
}

/* Note an answer that says nothing, not even that we may not use Leases. */
static void unclear(struct lease *l, const char *words)
{
	l->refused_ms = 0;
	wait_on(l, words);
}

/* True if a refusal may pass, as Leases worked until just now. */
static bool may_pass(const struct lease *l)
{
	return l->known && clock_boot_ms() - l->refused_ms < l->opt.refused_ms;
}

/*
 * True if another process was seen to hold the Lease, and may renew it all the
 * time that we cannot look. The end of a process of this machine is seen
 * without the API server.
 */
static bool is_anothers(const struct lease *l)
{
	return *l->seen.holder && strcmp(l->seen.holder, l->self) &&
	       !holder_has_ended(l->seen.holder);
}

/*
 * True for an answer of the API server itself: a proxy before it may say 403
 * and 404, too. Of an API that it does not serve it says so in plain text.
 */
static bool is_its_answer(const struct kube_result *res)
{
	static const char none[] = "404 page not found";
	_cleanup_json_ json_object *o = NULL;

	if (res->len >= sizeof(none) - 1 &&
	    !memcmp(res->body, none, sizeof(none) - 1))
		return true;
	return !jx_parse(res->body, res->len, &o, NULL) &&
	       str_eq(jx_str(o, "kind"), "Status");
}

/*
 * Note that we may not use Leases, or that there are none, as in an
 * installation older than slurm-k8s' use of them. A server that starts refuses
 * for a moment, too: what has worked is believed to be gone only after a while,
 * and what has not is asked for again soon. `replacing`: the request was to
 * replace the claim of a holder that was seen not to renew it.
 */
static void refused(struct lease *l, const struct kube_result *res,
		    bool replacing)
{
	if (!is_its_answer(res) || (!replacing && is_anothers(l))) {
		unclear(l, res->err->msg);
		return;
	}
	if (!l->refused_ms)
		l->refused_ms = clock_boot_ms();
	if (may_pass(l)) {
		wait_on(l, res->err->msg);
		return;
	}
	forget(l);
	atomic_store(&l->held_until, FOR_EVER);
	l->next_ms = clock_boot_ms() + backoff_next(&l->refused, 0);
	tell(l, LEASE_UNFENCED, res->err->msg);
}

static void worked(struct lease *l)
{
	l->known = true;
	*l->trouble = '\0';
	l->refused_ms = 0;
	backoff_reset(&l->refused);
}

/*
 * Somebody was faster: look again at once, and after a second conflict in a row
 * only after retry_ms.
 */
static void conflict(struct lease *l)
{
	forget(l);
	if (l->conflicts++)
		l->next_ms = clock_boot_ms() + l->opt.retry_ms;
	else
		look(l);
}

static void claimed(struct lease *l)
{
	int64_t whole = (int64_t)l->opt.duration_s * 1000;

	worked(l);
	l->conflicts = 0;
	l->seen = (struct lease_record){0};
	l->next_ms = l->sent_ms + whole / RENEWALS;
	atomic_store(&l->held_until, l->sent_ms + whole - whole / MARGIN);
	if (lease_held(l))
		tell(l, LEASE_OURS, "");
}

static void wait_for_other(struct lease *l, const char *holder)
{
	char words[sizeof(l->words)];

	worked(l);
	l->conflicts = 0;
	forget(l);
	l->next_ms = clock_boot_ms() + l->opt.retry_ms;
	atomic_store(&l->held_until, 0);
	holder_words(holder, words, sizeof(words));
	tell(l, LEASE_OTHERS, words);
}

/*
 * Keep the Lease of an answer. Only its metadata is taken when we have the
 * rest: a create is answered so (see kube_create).
 */
static bool keep(struct lease *l, const struct kube_result *res)
{
	_cleanup_json_ json_object *o = NULL;

	if (jx_parse(res->body, res->len, &o, NULL) ||
	    !jx_str(o, "metadata", "resourceVersion") ||
	    (l->object && jx_set(l->object, "metadata",
				 json_object_get(jx_get(o, "metadata"))))) {
		unclear(l, "the API server's answer is not a Lease");
		return false;
	}
	if (!l->object)
		l->object = json_object_get(o);
	return true;
}

/* --- release */

static void on_released(void *arg, const struct kube_result *res)
{
	struct lease *l = arg;

	(void)res;
	l->call = NULL;
	l->released = true;
}

static const char *body_of(struct lease *l, const char *self)
{
	if (!l->object ||
	    lease_claim(l->object, self, *self ? l->opt.duration_s : 1,
			clock_real_ms()))
		return NULL;
	return json_object_to_json_string_ext(l->object,
					      JSON_C_TO_STRING_PLAIN);
}

/*
 * Give the Lease back if it is ours as the server has it: only then is its
 * version known.
 */
static void give_back(struct lease *l)
{
	const struct kube_ref ref = ref_of(l);
	const struct kube_reply to = reply(l, on_released);
	struct lease_record now;
	const char *body;

	lease_record_of(l->object, &now);
	body = strcmp(now.holder, l->self) ? NULL : body_of(l, "");
	if (body)
		l->call =
			kube_replace(l->client, &ref, body, strlen(body), &to);
	if (!l->call)
		l->released = true;
}

/* --- claim */

static void claim_ended(struct lease *l, const struct kube_result *res,
			bool create)
{
	l->call = NULL;
	if (l->releasing) {
		if (res->rc || !keep(l, res))
			forget(l);
		give_back(l);
	} else if (!res->rc) {
		if (keep(l, res))
			claimed(l);
	} else if (res->http == 409 || (res->http == 404 && !create)) {
		conflict(l);
	} else if (res->http == 403 || res->http == 404) {
		refused(l, res, !create);
	} else {
		unclear(l, res->err->msg);
	}
}

static void on_replaced(void *arg, const struct kube_result *res)
{
	claim_ended(arg, res, false);
}

static void on_created(void *arg, const struct kube_result *res)
{
	claim_ended(arg, res, true);
}

static void claim(struct lease *l, bool create)
{
	struct kube_ref ref = ref_of(l);
	const struct kube_reply to =
		reply(l, create ? on_created : on_replaced);
	const char *body = body_of(l, l->self);

	if (body && create) {
		ref.name = NULL;
		l->call = kube_create(l->client, &ref, body, strlen(body), &to);
	} else if (body) {
		l->call =
			kube_replace(l->client, &ref, body, strlen(body), &to);
	}
	if (!l->call)
		unclear(l, "out of memory");
}

/* --- look */

static void judge(struct lease *l)
{
	struct lease_record now;

	lease_record_of(l->object, &now);
	if (strcmp(now.holder, l->seen.holder) ||
	    strcmp(now.renewed, l->seen.renewed)) {
		l->seen = now;
		l->seen_ms = clock_boot_ms();
	}
	if (lease_judge(&now, l->self, holder_has_ended(now.holder),
			clock_boot_ms() - l->seen_ms) == LEASE_WAIT)
		wait_for_other(l, now.holder);
	else
		claim(l, false);
}

static void on_looked(void *arg, const struct kube_result *res)
{
	struct lease *l = arg;

	l->call = NULL;
	if (l->releasing) {
		l->released = true;
	} else if (!res->rc) {
		forget(l);
		if (keep(l, res))
			judge(l);
	} else if (res->http == 404) {
		forget(l);
		l->object = lease_new_object(l->opt.name);
		claim(l, true);
	} else if (res->http == 403) {
		refused(l, res, false);
	} else {
		unclear(l, res->err->msg);
	}
}

static void look(struct lease *l)
{
	const struct kube_ref ref = ref_of(l);
	const struct kube_reply to = reply(l, on_looked);

	l->call = kube_get(l->client, &ref, &to);
	if (!l->call)
		unclear(l, "out of memory");
}

/* --- what callers see */

void lease_step(struct lease *l)
{
	if (l->state == LEASE_OURS && !lease_held(l))
		tell(l, LEASE_UNKNOWN,
		     *l->trouble ? l->trouble : "not renewed in time");
	if (l->call || l->releasing || clock_boot_ms() < l->next_ms)
		return;
	if (l->object)
		claim(l, false);
	else
		look(l);
}

bool lease_held(const struct lease *l)
{
	return clock_boot_ms() < atomic_load(&l->held_until);
}

void lease_release(struct lease *l)
{
	if (l->releasing)
		return;
	l->releasing = true;
	atomic_store(&l->held_until, 0);
	if (l->call)
		return; /* claim_ended() or on_looked() goes on */
	if (l->object)
		give_back(l);
	else
		l->released = true;
}

bool lease_released(const struct lease *l)
{
	return l->released;
}

struct lease *lease_new(struct kube_client *c, const struct lease_options *opt)
{
	struct lease *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	l->client = c;
	l->opt = *opt;
	if (opt->self)
		str_copy(l->self, opt->self, sizeof(l->self));
	else
		holder_self(l->self);
	if (!l->opt.duration_s)
		l->opt.duration_s = LEASE_DURATION_S;
	if (!l->opt.retry_ms)
		l->opt.retry_ms = RETRY_MS;
	if (!l->opt.refused_ms)
		l->opt.refused_ms = REFUSED_MS;
	backoff_init(&l->refused, l->opt.retry_ms,
		     opt->refused_max_ms ? opt->refused_max_ms : REFUSED_MAX_MS,
		     (uint64_t)clock_real_ms() ^ (uintptr_t)l);
	return l;
}

void lease_free(struct lease *l)
{
	if (!l)
		return;
	if (l->call)
		kube_client_cancel(l->client, l->call);
	json_object_put(l->object);
	free(l);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kube/informer.h"

#include <errno.h>
#include <string.h>

#include "base/backoff.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/log_ratelimit.h"
#include "base/str.h"
#include "metrics/metrics.h"

#define WATCH_S 300
#define LIST_MS 1800000 /* for a list with all its pages */
#define PAGE_MS 120000	/* for one page of a list */
/* least pause after an event that does not say of which object it is */
#define NAMELESS_MS 5000
#define SHORT_WATCH_MS 1000 /* a watch that ends sooner has failed */
/* An event so soon after the begin of a watch may be older than the watch. */
#define REPLAY_MS 5000
#define TROUBLE_MAX_MS 30000 /* longest pause after a failure that may pass */

enum phase { IDLE, LISTING, WATCHING };

struct informer {
	struct kube_client *client;
	struct informer_options opt;
	struct informer_handler to;
	enum phase phase;
	struct kube_listing *listing; /* NULL: no list is under way */
	struct kube_watch *watch;
	bool open;     /* the watch is open, or one begins at once */
	char *version; /* resourceVersion to watch from; NULL: list first */
	struct backoff backoff;
	int64_t not_before_ms;
	int64_t watch_since_ms;
	/* The times below are of clock_boot_ms(). */
	/* longest silence before a new list; 0: no bound */
	int64_t quiet_ms;
	int64_t list_since_ms; /* when the last list began */
	int64_t heard_ms;   /* end of the last list, or a watch's last sign */
	int64_t stepped_ms; /* last call of informer_step() */
	int64_t fresh_ms;
	char words[256]; /* words of the last on_trouble() */
	/* objects too large that the log has named */
	struct log_ratelimit oversized;
};

static void tell(struct informer *f, int rc, const char *words)
{
	char cut[sizeof(f->words)];

	str_copy(cut, words, sizeof(cut));
	if (!strcmp(f->words, cut))
		return;
	memcpy(f->words, cut, sizeof(cut));
	if (f->to.on_trouble)
		f->to.on_trouble(f->to.arg, rc, words);
}

static void try_in(struct informer *f, int64_t max_ms)
{
	const int64_t wait = backoff_next(&f->backoff, 0);

	f->phase = IDLE;
	f->open = false;
	f->not_before_ms = clock_ms() + (wait < max_ms ? wait : max_ms);
}

/*
 * Try again after a pause of TROUBLE_MAX_MS at most: the server answers, though
 * it may have been away for so long that the pause would be the longest one,
 * and what has changed is not in view before a list.
 */
static void try_later(struct informer *f)
{
	try_in(f, TROUBLE_MAX_MS);
}

/*
 * True for a failure that may stay: a right that is missing, or a kind that
 * this server does not have. A credential (401) is renewed.
 */
static bool is_refusal(int rc, const struct err *err)
{
	return (rc == -EACCES && !(err && err->http == 401)) || rc == -ENOENT ||
	       rc == -EINVAL;
}

static void failed(struct informer *f, int rc, const struct err *err)
{
	const bool lasts = is_refusal(rc, err) && !(f->quiet_ms && f->fresh_ms);

	try_in(f, lasts ? INT64_MAX : TROUBLE_MAX_MS);
	tell(f, rc, err && *err->msg ? err->msg : strerror(-rc));
}

static void healthy(struct informer *f)
{
	backoff_reset(&f->backoff);
	tell(f, 0, "");
}

/*
 * Note a sign of life of the watch. It shows that the view is as new as when
 * all that had come had been read: what is handed on later may have waited in a
 * socket for as long as this thread could not keep up, or was stopped. An event
 * may have waited since before the watch began: then it shows nothing. A
 * bookmark is sent as of now, as far as that API server knows: how far it lags
 * behind etcd it does not say. docs/security.md has what follows.
 */
static void heard(struct informer *f, bool bookmark)
{
	const int64_t now = clock_boot_ms();
	const int64_t drained_at = kube_client_drained_at(f->client);

	if (f->quiet_ms && now - f->stepped_ms > f->quiet_ms)
		return;
	f->heard_ms = now;
	if (!bookmark && clock_ms() - f->watch_since_ms < REPLAY_MS)
		return;
	if (drained_at > f->fresh_ms)
		f->fresh_ms = drained_at;
}

/* --- watch */

static void watch_open(void *arg)
{
	struct informer *f = arg;

	f->open = true;
}

static void watch_event(void *arg, enum kube_event type, json_object *object)
{
	struct informer *f = arg;

	healthy(f);
	heard(f, type == KUBE_BOOKMARK);
	switch (type) {
	case KUBE_ADDED:
	case KUBE_MODIFIED:
		f->to.on_object(f->to.arg, object);
		break;
	case KUBE_DELETED:
		if (f->to.on_delete)
			f->to.on_delete(f->to.arg, object);
		break;
	case KUBE_BOOKMARK:
	case KUBE_ERROR:
		break;
	}
}

/*
 * An object that has what is known of one that was not read. NULL: out of
 * memory.
 */
static json_object *bare_object(const struct object_id *id)
{
	json_object *o = json_object_new_object();
	json_object *m = o ? jx_need(o, "metadata", json_type_object) : NULL;

	if (!m || jx_set_str(m, "name", id->name) ||
	    jx_set_str(m, "namespace", id->ns) ||
	    jx_set_str(m, "uid", id->uid) ||
	    jx_set_str(m, "resourceVersion", id->version)) {
		json_object_put(o);
		return NULL;
	}
	return o;
}

/* Name an object that was not read in the log. True: it has been named. */
static bool tell_oversized(struct informer *f, const struct object_id *id)
{
	const enum log_ratelimit_answer is =
		log_ratelimit(&f->oversized, id->uid, clock_ms());

	if (is == LOG_RATELIMIT_FULL)
		log_error("%s: more than %d are too large, or cannot be read: "
			  "the others are not named",
			  f->opt.collection.resource, LOG_RATELIMIT_MAX);
	if (is != LOG_RATELIMIT_FIRST)
		return false;
	log_error("%s: %s%s%s: %s", f->opt.collection.resource, id->ns,
		  *id->ns ? "/" : "", *id->name ? id->name : "(without a name)",
		  informer_why(id));
	return true;
}

static void is_oversized(void *arg, const struct object_id *id)
{
	struct informer *f = arg;
	const bool news = tell_oversized(f, id);

	if (f->to.on_oversized)
		f->to.on_oversized(f->to.arg, id, news);
}

static void watch_oversized(void *arg, enum kube_event type,
			    const struct object_id *id)
{
	struct informer *f = arg;
	_cleanup_json_ json_object *bare = NULL;

	healthy(f);
	heard(f, false);
	if (type == KUBE_ADDED || type == KUBE_MODIFIED)
		is_oversized(f, id);
	if (type != KUBE_DELETED || !f->to.on_delete)
		return;
	bare = bare_object(id);
	if (bare)
		f->to.on_delete(f->to.arg, bare);
}

/*
 * An event does not say which object has changed: list anew, for a watch from
 * before it would meet it again.
 */
static void nameless(struct informer *f)
{
	const int64_t at = clock_ms() + NAMELESS_MS;
	struct err why = {0};

	err_set(&why, -EMSGSIZE,
		"%s: a change of more than 16 MiB that does not say of what: "
		"all are listed anew",
		f->opt.collection.resource);
	free(f->version);
	f->version = NULL;
	failed(f, -EMSGSIZE, &why);
	if (f->not_before_ms < at)
		f->not_before_ms = at;
}

static void watch_end(void *arg, int rc, const struct err *err)
{
	struct informer *f = arg;
	char *newest = strdup(kube_watch_version(f->watch));

	f->watch = NULL;
	free(f->version);
	f->version = newest;
	metrics_count(METRIC_WATCH_RESTARTS,
		      rc == -ESTALE ? METRICS_EXPIRED
		      : rc	    ? METRICS_BROKEN
				    : METRICS_CLOSED,
		      0);
	if (rc == -ESTALE) {
		free(f->version);
		f->version = NULL;
		log_debug("%s: the watch is too old, listing anew",
			  f->opt.collection.resource);
		try_later(f);
	} else if (rc == -EMSGSIZE) {
		nameless(f);
	} else if (rc) {
		failed(f, rc, err);
	} else if (clock_ms() - f->watch_since_ms < SHORT_WATCH_MS) {
		try_later(f);
	} else {
		healthy(f);
		f->phase = IDLE;
		f->not_before_ms = 0;
	}
}

static void start_watch(struct informer *f)
{
	const struct kube_watch_reply to = {
		.on_open = watch_open,
		.on_event = watch_event,
		.on_oversized = watch_oversized,
		.on_end = watch_end,
		.arg = f,
		.only = f->opt.only,
	};

	f->watch =
		kube_watch_start(f->client, &f->opt.collection, &f->opt.select,
				 f->version, f->opt.watch_s, &to);
	f->watch_since_ms = clock_ms();
	if (f->watch)
		f->phase = WATCHING;
	else
		try_later(f);
}

/* --- list */

static int list_item(void *arg, json_object *item)
{
	struct informer *f = arg;

	f->to.on_object(f->to.arg, item);
	return 0;
}

static void list_restart(void *arg)
{
	struct informer *f = arg;

	f->list_since_ms = clock_boot_ms();
	if (f->to.on_list)
		f->to.on_list(f->to.arg);
}

static void list_done(void *arg, const struct kube_result *res,
		      const char *version)
{
	struct informer *f = arg;

	f->phase = IDLE;
	f->listing = NULL;
	if (res->rc) {
		failed(f, res->rc, res->err);
	} else {
		free(f->version);
		f->version = strdup(version);
		f->not_before_ms = 0;
		f->fresh_ms = f->list_since_ms;
		f->heard_ms = clock_boot_ms();
		/*
		 * The back-off goes on: only a watch that delivers something
		 * ends it.
		 */
		tell(f, 0, "");
		if (f->to.on_synced)
			f->to.on_synced(f->to.arg);
	}
}

static void start_list(struct informer *f)
{
	const struct kube_list_reply to = {
		.on_item = list_item,
		.on_oversized = is_oversized,
		.on_restart = list_restart,
		.on_done = list_done,
		.arg = f,
		.deadline_ms = clock_ms() + f->opt.list_ms,
		.page_ms = PAGE_MS,
		.no_retry = true, /* the informer's own back-off does that */
		.only = f->opt.only,
	};

	f->phase = LISTING;
	f->list_since_ms = clock_boot_ms();
	if (f->to.on_list)
		f->to.on_list(f->to.arg);
	f->listing = kube_list(f->client, &f->opt.collection, &f->opt.select,
			       f->opt.page, &to);
	if (!f->listing)
		try_later(f);
}

/*
 * True if the view has been without a sign of life for too long. An opened
 * watch is no such sign: it may stall right then.
 */
static bool is_quiet(struct informer *f)
{
	const int64_t now = clock_boot_ms();
	const bool stopped = now - f->stepped_ms > f->quiet_ms;

	f->stepped_ms = now;
	return f->quiet_ms && f->version && f->phase != LISTING &&
	       (stopped || now - f->heard_ms > f->quiet_ms);
}

static void list_anew(struct informer *f, enum metrics_restart why)
{
	metrics_count(METRIC_WATCH_RESTARTS, why, 0);
	if (f->watch)
		kube_watch_stop(f->watch);
	f->watch = NULL;
	free(f->version);
	f->version = NULL;
	f->phase = IDLE;
	f->open = false;
}

void informer_step(struct informer *f)
{
	if (is_quiet(f))
		list_anew(f, METRICS_SILENT);
	if (f->phase != IDLE || clock_ms() < f->not_before_ms)
		return;
	if (f->version)
		start_watch(f);
	else
		start_list(f);
}

struct informer *informer_new(struct kube_client *c,
			      const struct informer_options *opt,
			      const struct informer_handler *to)
{
	struct informer *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->client = c;
	f->opt = *opt;
	f->to = *to;
	if (!f->opt.watch_s)
		f->opt.watch_s = WATCH_S;
	if (!f->opt.list_ms)
		f->opt.list_ms = LIST_MS;
	backoff_init(&f->backoff, opt->retry_min_ms ? opt->retry_min_ms : 500,
		     opt->retry_max_ms ? opt->retry_max_ms : 30000,
		     (uint64_t)clock_real_ms() ^ (uintptr_t)f);
	f->stepped_ms = clock_boot_ms();
	informer_step(f);
	return f;
}

struct informer *informer_keep_fresh(struct informer *f, int64_t bound_ms)
{
	const int64_t half_s = bound_ms / 2000;

	if (!f || !bound_ms)
		return f;
	f->quiet_ms = bound_ms / 4 * 3;
	if (half_s < f->opt.watch_s)
		f->opt.watch_s = half_s > 1 ? (unsigned int)half_s : 1;
	return f;
}

int64_t informer_fresh_at(const struct informer *f)
{
	return f->fresh_ms;
}

bool informer_live(const struct informer *f)
{
	/* A watch that ended in good order is followed by another at once. */
	return f->open;
}

void informer_relist(struct informer *f)
{
	if (f->phase == WATCHING)
		list_anew(f, METRICS_ASKED);
}

void informer_free(struct informer *f)
{
	if (!f)
		return;
	if (f->listing)
		kube_list_cancel(f->listing);
	if (f->watch)
		kube_watch_stop(f->watch);
	free(f->version);
	free(f);
}

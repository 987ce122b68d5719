/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fuzz_informer.h"

#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "base/str.h"

struct informer *fuzz_informers[FUZZ_INFORMERS];
bool fuzz_others;
int64_t fuzz_now;

int64_t __wrap_clock_ms(void);
struct informer *__wrap_informer_new(struct kube_client *c,
				     const struct informer_options *opt,
				     const struct informer_handler *to);
void __wrap_informer_step(struct informer *f);
bool __wrap_informer_live(const struct informer *f);
void __wrap_informer_relist(struct informer *f);
struct informer *__wrap_informer_keep_fresh(struct informer *f,
					    int64_t bound_ms);
int64_t __wrap_informer_fresh_at(const struct informer *f);
void __wrap_informer_free(struct informer *f);

int64_t __wrap_clock_ms(void)
{
	return fuzz_now;
}

struct informer *__wrap_informer_new(struct kube_client *c,
				     const struct informer_options *opt,
				     const struct informer_handler *to)
{
	struct informer *f = calloc(1, sizeof(*f));
	size_t i = 0;

	(void)c;
	PROMISE(f);
	f->to = *to;
	f->others = fuzz_others;
	str_copy(f->resource, opt->collection.resource, sizeof(f->resource));
	while (i < FUZZ_INFORMERS && fuzz_informers[i])
		i++;
	PROMISE(i < FUZZ_INFORMERS);
	fuzz_informers[i] = f;
	return f;
}

void __wrap_informer_step(struct informer *f)
{
	PROMISE(f);
}

bool __wrap_informer_live(const struct informer *f)
{
	return f != NULL;
}

void __wrap_informer_relist(struct informer *f)
{
	PROMISE(f);
}

struct informer *__wrap_informer_keep_fresh(struct informer *f,
					    int64_t bound_ms)
{
	(void)bound_ms;
	return f;
}

int64_t __wrap_informer_fresh_at(const struct informer *f)
{
	return f ? fuzz_now : 0;
}

void __wrap_informer_free(struct informer *f)
{
	for (size_t i = 0; f && i < FUZZ_INFORMERS; i++)
		if (fuzz_informers[i] == f)
			fuzz_informers[i] = NULL;
	free(f);
}

struct informer *fuzz_informer(const char *resource, bool others)
{
	for (size_t i = 0; i < FUZZ_INFORMERS; i++) {
		struct informer *f = fuzz_informers[i];

		if (f && f->others == others && !strcmp(f->resource, resource))
			return f;
	}
	return NULL;
}

static void tell_object(struct informer *f, char what, json_object *o)
{
	struct object_id id = {0};
	const char *name = jx_str(o, "metadata", "name");
	const char *uid = jx_str(o, "metadata", "uid");
	const struct informer_handler *to = &f->to;

	if (what == 'a') {
		to->on_object(to->arg, o);
	} else if (what == 'd' && to->on_delete) {
		to->on_delete(to->arg, o);
	} else if (what == 'b' && to->on_oversized) {
		str_copy(id.name, name ? name : "", sizeof(id.name));
		str_copy(id.uid, uid ? uid : "", sizeof(id.uid));
		to->on_oversized(to->arg, &id, true);
	}
}

void fuzz_tell(struct informer *f, char what, const char *json, size_t len)
{
	_cleanup_json_ json_object *o = NULL;
	const struct informer_handler *to = f ? &f->to : NULL;

	if (!to)
		return;
	if (what == 'l' && to->on_list)
		to->on_list(to->arg);
	else if (what == 'y' && to->on_synced)
		to->on_synced(to->arg);
	else if (what == 't' && to->on_trouble)
		to->on_trouble(to->arg,
			       len & 1	 ? -EIO
			       : len & 2 ? -ENOENT
					 : 0,
			       "words");
	else if (!jx_parse(json, len, &o, NULL) && jx_is(o, json_type_object))
		tell_object(f, what, o);
}

static void promise_line(enum log_level level, const char *line)
{
	(void)level;
	promise_clean(line);
}

void fuzz_steps(const uint8_t *data, size_t len, fuzz_step_fn fn, void *arg)
{
	const char *text = (const char *)data, *end = text + len;

	log_set_sink(promise_line);
	while (text && end - text >= 2) {
		const char *nl = memchr(text, '\n', (size_t)(end - text));
		const char *to = nl ? nl : end;

		if (to - text >= 2)
			fn(arg, text, text + 2, (size_t)(to - text) - 2);
		text = nl ? nl + 1 : NULL;
	}
}

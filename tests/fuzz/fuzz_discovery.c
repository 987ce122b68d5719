/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the API server says of the kinds above bridged pods: discovery
 * documents, whatever their HTTP status, and then the objects. Lines of steps:
 * a kind's letter ('A' is the first), and a letter of fuzz_informer.h, or a
 * digit: an answer to what was asked, with that status (hundreds).
 */
#include <errno.h>
#include <string.h>

#include "base/str.h"
#include "bridge/intake/owners.h"
#include "fuzz_informer.h"
#include "kube/verbs.h"

/* What is asked for, and not answered; by kind */
struct asked {
	bool open;
	char path[256];
	struct kube_reply to;
};
static struct asked asked[WORKLOAD_KINDS];
static int now_of; /* the kind of the step */

struct kube_call *__wrap_kube_get(struct kube_client *c,
				  const struct kube_ref *ref,
				  const struct kube_reply *to);
void __wrap_kube_client_cancel(struct kube_client *c, struct kube_call *call);

struct kube_call *__wrap_kube_get(struct kube_client *c,
				  const struct kube_ref *ref,
				  const struct kube_reply *to)
{
	struct asked *a = NULL;

	(void)c;
	for (int i = 0; i < WORKLOAD_KINDS && !a; i++)
		if (!asked[i].open)
			a = &asked[i];
	PROMISE(a && to->on_done && to->deadline_ms > fuzz_now);
	a->open = true;
	a->to = *to;
	snprintf(a->path, sizeof(a->path), "%s/%s", ref->api, ref->resource);
	return (struct kube_call *)a;
}

void __wrap_kube_client_cancel(struct kube_client *c, struct kube_call *call)
{
	(void)c;
	((struct asked *)call)->open = false;
}

static void answer(struct asked *a, int http, const char *text, size_t len)
{
	_cleanup_free_ char *body = text_of((const uint8_t *)text, len);
	struct err err = {0};
	struct kube_result res = {
		.http = http, .body = body, .len = len, .err = &err};

	if (http < 200 || http > 299)
		res.rc = err_set(&err, -EIO, "HTTP %d", http);
	a->open = false;
	a->to.on_done(a->to.arg, &res);
}

static void changed(void *told, enum workload_kind kind, const char *ns,
		    const char *name)
{
	(void)told;
	PROMISE(kind < WORKLOAD_KINDS && ns && name);
}

static void known(void *told)
{
	(void)told;
}

static void on_asked(void *arg)
{
	(void)arg;
}

static void look(struct owners *o, const char *name)
{
	_cleanup_json_ json_object *object = NULL;
	struct err err = {0};
	int rc = owners_get(o, (enum workload_kind)now_of, "a", name, &object,
			    &err);

	PROMISE(!rc == (object != NULL));
	promise_clean(err.msg);
}

static void step(void *arg, const char letters[2], const char *text, size_t len)
{
	struct owners *o = arg;
	const struct workload_api *api;

	now_of = (letters[0] - 'A') % WORKLOAD_KINDS;
	if (now_of <= WORKLOAD_POD)
		now_of = WORKLOAD_POD + 1;
	api = workload_api((enum workload_kind)now_of);
	look(o, "g");
	owners_step(o, NULL);
	if (letters[1] >= '1' && letters[1] <= '9') {
		for (int i = 0; i < WORKLOAD_KINDS; i++)
			if (asked[i].open && strstr(asked[i].path, api->group))
				answer(&asked[i],
				       (letters[1] - '0') * 100 +
					       (letters[1] == '4' ? 4 : 0),
				       text, len);
	} else {
		fuzz_tell(fuzz_informer(api->plural, false), letters[1], text,
			  len);
	}
	fuzz_now += letters[1] == 'w' ? 600000 : 1000;
	owners_step(o, NULL);
	look(o, "g");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	const struct owners_options opt = {.cluster = "c",
					   .asked = on_asked,
					   .changed = changed,
					   .known = known};
	struct owners *o = owners_new(&opt);

	PROMISE(o);
	fuzz_now = 100000;
	fuzz_steps(data, len, step, o);
	owners_stop(o, NULL);
	owners_free(o);
	for (size_t i = 0; i < FUZZ_INFORMERS; i++)
		PROMISE(!fuzz_informers[i]);
	for (int i = 0; i < WORKLOAD_KINDS; i++)
		PROMISE(!asked[i].open);
	return 0;
}

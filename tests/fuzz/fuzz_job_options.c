/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Annotations of a pod as JSON; or else the text of the options of sbatch. */
#include <string.h>

#include "base/cleanup.h"
#include "bridge/jobspec/job_options.h"
#include "fuzz.h"
#include "syntax/gres_request.h"
#include "syntax/hostlist.h"
#include "syntax/wellknown.h"
#include "json/json.h"

static void check_hosts(const char *text)
{
	size_t n = 0;

	PROMISE(!text ||
		(!hostlist_count(text, JOB_OPTIONS_HOSTS_MAX, &n, NULL) && n));
}

/* Every value is what its key promises. */
static void check(const struct job_options *w)
{
	char digest[JOB_OPTIONS_DIGEST_MAX];

	for (int k = 0; k < JOB_OPTION_N; k++) {
		enum job_option_key key = (enum job_option_key)k;
		const char *text = job_options_text(w, key);
		const struct job_option_spec *spec = job_option_spec(key);
		int64_t n = job_options_num(w, key, spec->min);

		if (text) {
			PROMISE(*text && strlen(text) <= JOB_OPTIONS_TEXT_MAX);
			promise_clean(text);
		} else if (spec->max && n != JOB_OPTION_UNLIMITED) {
			PROMISE(n >= spec->min && n <= spec->max);
		}
	}
	check_hosts(job_options_text(w, JOB_OPTION_EXCLUDE));
	check_hosts(job_options_text(w, JOB_OPTION_NODELIST));
	PROMISE(!job_options_digest(w, digest) && strlen(digest) == 16);
}

/* What containers request is never lost. */
static void check_gres(const struct job_options *w)
{
	_cleanup_free_ char *node = NULL, *task = NULL;
	struct err err = {0};
	int rc = gresmax(job_options_text(w, JOB_OPTION_GRES), "gres/gpu:2", 3,
			 &node, &task, &err);

	promise_err(rc, &err);
	if (rc)
		return;
	PROMISE((node && strstr(node, "gres/gpu:")) ||
		(task && strstr(task, "gres/gpu:")));
	(void)gres_covers(job_options_text(w, JOB_OPTION_GRES), node);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static char user[] = "alice", other[] = "bob";
	static char *names[] = {other};
	const job_option_set all = ((job_option_set)1 << JOB_OPTION_N) - 1;
	const struct bridge_config site = {.wanted = true, .exclusive = true};
	const struct namespace_config ns = {.user = user,
					    .allow = all,
					    .options = all,
					    .users = {names, 1},
					    .groups = {names, 1}};
	_cleanup_free_ char *text = text_of(data, len);
	_cleanup_json_ json_object *notes = NULL;
	const json_object *list[1];
	const struct job_options_ask ask = {
		.bridge = &site, .ns = &ns, .notes = list, .n_notes = 1};
	_cleanup_job_options_ struct job_options w = {0};
	struct err err = {0};
	int rc;

	if (jx_parse((const char *)data, len, &notes, NULL)) {
		notes = json_object_new_object();
		jx_set_str(notes, WK_ASK WK_ASK_OPTIONS, text);
	}
	list[0] = notes;
	rc = job_options_make(&ask, &w, &err);
	promise_err(rc, &err);
	if (!rc) {
		const char *who = job_options_text(&w, JOB_OPTION_USER);

		PROMISE(!strcmp(who, user) || !strcmp(who, other));
		check(&w);
		check_gres(&w);
	}
	return 0;
}

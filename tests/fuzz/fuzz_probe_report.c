/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a probe's container says at its end. */
#include <string.h>

#include "base/cleanup.h"
#include "fuzz.h"
#include "probe_report.h"

#define HELLO "slurm-k8s-probe-0000000000000001"

static void promise_line(const struct probe_line *l)
{
	PROMISE(l->answer >= PROBE_UNTOLD && l->answer <= PROBE_UNKNOWN);
	PROMISE(strnlen(l->words, sizeof(l->words)) < sizeof(l->words));
	PROMISE(l->answer != PROBE_UNTOLD || !*l->words);
	promise_clean(l->words);
}

static void promise_release(const char *words)
{
	int micro, release = probe_release(words, &micro);

	PROMISE(release >= 0 && release <= 9999);
	PROMISE(micro >= -1 && micro < 1000);
	PROMISE(release || micro == -1);
	PROMISE(probe_releases_behind(release, release) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	_cleanup_free_ char *text = text_of(data, len);
	struct probe_report r;

	probe_report_read(&r, text, HELLO);
	PROMISE(r.begun || (!r.whole && !r.version.answer && !r.key.answer &&
			    !r.listen.answer));
	PROMISE(!r.begun || strstr(text, HELLO));
	promise_line(&r.version);
	promise_line(&r.key);
	promise_line(&r.listen);
	for (size_t i = 0; i < PROBE_TARGETS_MAX; i++) {
		promise_line(&r.name[i]);
		promise_line(&r.port[i]);
	}
	for (size_t i = 0; i < PROBE_NEEDS_MAX; i++)
		promise_line(&r.file[i]);
	promise_release(r.version.words);
	return 0;
}

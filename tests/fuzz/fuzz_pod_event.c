/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events about pods, a line each: kubelet's words, and when they were said. */
#include <string.h>

#include "base/cleanup.h"
#include "fuzz.h"
#include "nodes/pod/pod_annotations.h"
#include "nodes/watch/worker_pods.h"
#include "objects/pod_event.h"
#include "json/json.h"

static const char pod[] =
	"{\"metadata\":{\"name\":\"p\",\"uid\":\"u\",\"labels\":{"
	"\"slurm-k8s.io/node\":\"p\"}}}";

static void take(struct worker_pods *c, const char *text, size_t len)
{
	_cleanup_json_ json_object *event = NULL;
	_cleanup_free_ char *words = NULL;
	const char *name, *uid;
	int64_t first, last;

	if (jx_parse(text, len, &event, NULL))
		return;
	words = pod_event_warning(event, &first, &last);
	if (words)
		promise_clean(words);
	name = jx_str(event, "involvedObject", "name");
	uid = jx_str(event, "involvedObject", "uid");
	if (words && worker_pods_warn(c, name ? name : "p", uid ? uid : "u",
				      words, first, last))
		PROMISE((!name || !strcmp(name, "p")) &&
			(!uid || !strcmp(uid, "u")));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	_cleanup_json_ json_object *o = NULL;
	struct worker_pods *c = worker_pods_new();
	const char *text = (const char *)data, *end = text + len;

	PROMISE(c && !jx_parse(pod, strlen(pod), &o, NULL));
	PROMISE(worker_pods_put(c, o, "slurmd"));
	while (text < end) {
		const char *nl = memchr(text, '\n', (size_t)(end - text));
		const size_t n = (size_t)((nl ? nl : end) - text);

		take(c, text, n);
		text += n + 1;
	}
	PROMISE(worker_pods_count(c) == 1);
	worker_pods_free(c);
	return 0;
}

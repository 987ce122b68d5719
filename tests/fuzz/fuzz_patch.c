/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two lines of JSON: what is patched, and the patch. */
#include <string.h>

#include "fuzz.h"
#include "nodes/pod/patch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	const char *text = (const char *)data;
	const char *line = memchr(text, '\n', len);
	size_t first = line ? (size_t)(line - text) : len;
	_cleanup_json_ json_object *target = NULL, *patch = NULL;

	if (!line || jx_parse(text, first, &target, NULL) ||
	    jx_parse(line + 1, len - first - 1, &patch, NULL) ||
	    !jx_is(target, json_type_object) || !jx_is(patch, json_type_object))
		return 0;
	PROMISE(!patch_apply(target, patch));
	return 0;
}

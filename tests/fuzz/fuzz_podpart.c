/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a pod holds, of a part of its JSON and of the whole. */
#include <string.h>

#include "fuzz.h"
#include "model/bpod.h"
#include "model/podneed.h"
#include "model/podpart.h"
#include "json/json.h"

static void compare(const json_object *whole, const json_object *part)
{
	static const char *const kinds[] = {"a.b/c", "hugepages-2Mi"};
	int64_t counts[2], part_counts[2];
	struct podneed need, part_need;
	const int rc = podneed_held_of(whole, kinds, 2, &need, counts, NULL);

	PROMISE(rc ==
		podneed_held_of(part, kinds, 2, &part_need, part_counts, NULL));
	PROMISE(!memcmp(&need, &part_need, sizeof(need)));
	PROMISE(!memcmp(counts, part_counts, sizeof(counts)));
	PROMISE(bpod_bound_by(whole) == bpod_bound_by(part));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	const char *text = (const char *)data;
	_cleanup_json_ json_object *whole = NULL;
	_cleanup_json_ json_object *part = NULL;

	if (podpart_read(text, len, &part, NULL))
		return 0;
	/* (json-c takes comments, and keys with escapes or in single quotes) */
	if (!memchr(text, '\\', len) && !memmem(text, len, "/*", 2) &&
	    !memmem(text, len, "//", 2) && !memchr(text, '\'', len) &&
	    !jx_parse(text, len, &whole, NULL))
		compare(whole, part);
	return 0;
}

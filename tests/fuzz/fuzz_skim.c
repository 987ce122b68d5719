/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which object it is: whole, in pieces, and as a parser of the whole says. */
#include <string.h>

#include "fuzz.h"
#include "kube/skim.h"
#include "json/json.h"

static struct skim skim(const char *text, size_t len, size_t piece)
{
	struct skim s;

	skim_object(&s);
	for (size_t at = 0; at < len; at += piece)
		skim_feed(&s, text + at, len - at < piece ? len - at : piece);
	return s;
}

/* Once at most. */
static bool is_single(const char *text, size_t len, const char *word)
{
	const size_t n = strlen(word);
	const char *first = memmem(text, len, word, n);

	return !first ||
	       !memmem(first + n, len - (size_t)(first - text) - n, word, n);
}

static void compare(const char *ours, const json_object *o, const char *in,
		    const char *key)
{
	const char *theirs = jx_str(o, in, key);

	if (!theirs || strlen(theirs) >= SKIM_MAX)
		theirs = "";
	PROMISE(!strcmp(ours, theirs));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	const char *text = (const char *)data + 1;
	json_object *o = NULL;
	struct skim whole, cut;

	if (!len)
		return 0;
	len--;
	whole = skim(text, len, len + 1);
	cut = skim(text, len, data[0] + 1u);
	PROMISE(!strcmp(whole.id.name, cut.id.name) &&
		!strcmp(whole.id.uid, cut.id.uid) &&
		!strcmp(whole.id.node, cut.id.node));
	if (!memchr(text, '\\', len) && !memchr(text, '\0', len) &&
	    is_single(text, len, "\"metadata\"") &&
	    is_single(text, len, "\"name\"") &&
	    is_single(text, len, "\"uid\"") &&
	    is_single(text, len, "\"spec\"") &&
	    is_single(text, len, "\"nodeName\"") &&
	    is_single(text, len, "\"status\"") &&
	    is_single(text, len, "\"phase\"") &&
	    !jx_parse(text, len, &o, NULL) && jx_is(o, json_type_object)) {
		compare(whole.id.name, o, "metadata", "name");
		compare(whole.id.uid, o, "metadata", "uid");
		compare(whole.id.node, o, "spec", "nodeName");
		compare(whole.id.phase, o, "status", "phase");
	}
	json_object_put(o);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hostlists, and the names of pods and labels made of what they hold. */
#include <string.h>

#include "fuzz.h"
#include "syntax/hostlist.h"
#include "syntax/names.h"

static void check_name(const char *name)
{
	char out[DNS_LABEL_MAX + 1];

	PROMISE(*name && strlen(name) <= HOSTLIST_NAME_MAX);
	name_pod_of_node(name, out);
	PROMISE(name_is_dns_label(out));
	name_label_of(name, out);
	PROMISE(*out && name_is_label_value(out));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	_cleanup_free_ char *text = text_of(data, len);
	_cleanup_hostlist_ struct hostlist h = {0};
	struct err err = {0}, again = {0};
	size_t n;
	int rc = hostlist_expand(text, &h, &err), counted;

	promise_err(rc, &err);
	PROMISE(h.n <= HOSTLIST_MAX);
	counted = hostlist_count(text, HOSTLIST_MAX, &n, &again);
	promise_err(counted, &again);
	PROMISE(!rc == !counted && (rc || n == h.n));
	for (size_t i = 0; i < h.n && i < 100; i++)
		check_name(h.names[i]);
	return 0;
}

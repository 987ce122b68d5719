/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The body of an answer; its first two bytes choose the HTTP status. */
#include <errno.h>

#include "fuzz.h"
#include "kube/status.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct err err = {0};
	int http, rc;

	if (len < 2)
		return 0;
	http = (data[0] << 8 | data[1]) % 600;
	rc = kube_status_err(&err, "GET", "/api", http, (const char *)data + 2,
			     len - 2);
	PROMISE(rc < 0);
	promise_err(rc, &err);
	promise_clean(err.reason);
	promise_clean(err.words);
	kube_status_retriable("POST", http, err.reason);
	PROMISE(!kube_status_no_right(&err) || rc == -EACCES);
	return 0;
}

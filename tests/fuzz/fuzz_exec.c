/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a credential plugin prints. */
#include <ctype.h>

#include "base/cleanup.h"
#include "fuzz.h"
#include "kube/cred.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	_cleanup_free_ char *token = NULL, *cert = NULL, *key = NULL;
	int64_t expires = -1;
	struct err err = {0};
	int rc = kube_cred_parse_exec((const char *)data, len,
				      "client.authentication.k8s.io/v1", &token,
				      &cert, &key, &expires, &err);

	promise_err(rc, &err);
	if (rc) {
		PROMISE(!token && !cert && !key);
		return 0;
	}
	PROMISE((token || cert) && !cert == !key && expires >= 0);
	for (const char *p = token; p && *p; p++)
		PROMISE(isgraph((unsigned char)*p));
	return 0;
}

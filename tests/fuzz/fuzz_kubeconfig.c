/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kubeconfig files; those they name are never there. */
#include <string.h>

#include "fuzz.h"
#include "kube/cred_expiry.h"
#include "kube/kubeconfig.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	_cleanup_(kube_config_freep) struct kube_config *c = NULL;
	struct err err = {0};

	promise_err(kube_config_parse("/nowhere/config", (const char *)data,
				      len, NULL, &c, &err),
		    &err);
	if (!c)
		return 0;
	PROMISE(!strncmp(c->server, "https://", 8));
	PROMISE(!strpbrk(c->server, "@?#"));
	PROMISE(c->token || c->token_file || c->exec || c->cert_pem);
	PROMISE(!c->cert_pem == !c->key_pem);
	PROMISE(!c->exec || c->exec->argv[0]);
	PROMISE(!c->token || kube_token_expires_ms(c->token) > 0);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* k8s.yaml, and so all of json/yaml.h; template files are never there. */
#include "config/config.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	_cleanup_(config_freep) struct config *c = NULL;
	struct err err = {0};

	promise_err(config_parse("/nowhere/k8s.yaml", (const char *)data, len,
				 &c, &err),
		    &err);
	PROMISE(!c == (err.code != 0));
	return 0;
}

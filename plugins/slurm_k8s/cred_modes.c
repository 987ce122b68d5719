/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cred_modes.h"

#include "base/fs.h"

const char *cred_everybodys(const struct kube_config *c, const char *path)
{
	const bool has_key = c->key_pem && !c->key_file;

	if ((c->token || has_key) && fs_world_readable(path))
		return path;
	if (c->token_file && fs_world_readable(c->token_file))
		return c->token_file;
	if (c->key_file && fs_world_readable(c->key_file))
		return c->key_file;
	return NULL;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kube/server.h"

#include <string.h>

#include "base/str.h"

#define SCHEME "https://"

int kube_server_parse(const char *server, const char **host, size_t *len,
		      struct err *err)
{
	const char *at = server + strlen(SCHEME);

	if (!str_starts(server, SCHEME))
		return err_set(err, -EINVAL, "server must begin with " SCHEME);
	/* A password may have a '/', so that the '@' seems to be in a path. */
	if (strchr(at, '@'))
		return err_set(err, -EINVAL,
			       "server must have no user, password or '@': who "
			       "we are is in the kubeconfig's user");
	if (!*at || strchr("/:", *at) || strpbrk(at, "?#"))
		return err_set(err, -EINVAL,
			       "server must be " SCHEME "HOST:PORT, with a "
			       "/PREFIX if need be");
	if (host)
		*host = at;
	if (len)
		*len = strcspn(at, "/");
	return 0;
}

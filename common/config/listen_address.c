/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/listen_address.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>

#include "base/str.h"

#define UNIX "unix:"
#define IPV4 "127.0.0.1:"
#define IPV6 "[::1]:"

static int unix_address(const char *path, struct sockaddr_un *out,
			socklen_t *len)
{
	if (*path != '/' || !path[1] || path[strlen(path) - 1] == '/' ||
	    str_has_control(path) || strlen(path) >= sizeof(out->sun_path))
		return -EINVAL;
	*out = (struct sockaddr_un){.sun_family = AF_UNIX};
	str_copy(out->sun_path, path, sizeof(out->sun_path));
	*len = sizeof(*out);
	return 0;
}

/* The port that the text is; -1: it is none. */
static int port_of(const char *text)
{
	const size_t n = strspn(text, "0123456789");
	const long port = n && n <= 5 && !text[n] ? strtol(text, NULL, 10) : 0;

	return port > 0 && port <= UINT16_MAX && *text != '0' ? (int)port : -1;
}

const char *listen_path(const char *text)
{
	const size_t n = strlen(UNIX);

	return strncmp(text, UNIX, n) ? NULL : text + n;
}

int listen_address(const char *text, struct sockaddr_storage *out,
		   socklen_t *len)
{
	int port;

	*out = (struct sockaddr_storage){0};
	if (listen_path(text))
		return unix_address(listen_path(text),
				    (struct sockaddr_un *)out, len);
	if (str_starts(text, IPV4)) {
		port = port_of(text + strlen(IPV4));
		*(struct sockaddr_in *)out = (struct sockaddr_in){
			.sin_family = AF_INET,
			.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
			.sin_port = htons((uint16_t)port)};
		*len = sizeof(struct sockaddr_in);
		return port < 0 ? -EINVAL : 0;
	}
	if (!str_starts(text, IPV6))
		return -EINVAL;
	port = port_of(text + strlen(IPV6));
	*(struct sockaddr_in6 *)out =
		(struct sockaddr_in6){.sin6_family = AF_INET6,
				      .sin6_addr = IN6ADDR_LOOPBACK_INIT,
				      .sin6_port = htons((uint16_t)port)};
	*len = sizeof(struct sockaddr_in6);
	return port < 0 ? -EINVAL : 0;
}

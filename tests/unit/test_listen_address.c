/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>

#include "config/listen_address.h"
#include "t.h"

static void ports_of_this_host_are_read(void)
{
	struct sockaddr_storage at;
	const struct sockaddr_in *v4 = (void *)&at;
	const struct sockaddr_in6 *v6 = (void *)&at;
	char text[INET6_ADDRSTRLEN];
	socklen_t len;

	T_INT(listen_address("127.0.0.1:9118", &at, &len), 0);
	T_INT(at.ss_family, AF_INET);
	T_INT(len, sizeof(*v4));
	T_INT(ntohs(v4->sin_port), 9118);
	T_STR(inet_ntop(AF_INET, &v4->sin_addr, text, sizeof(text)),
	      "127.0.0.1");
	T_INT(listen_address("[::1]:65535", &at, &len), 0);
	T_INT(at.ss_family, AF_INET6);
	T_INT(len, sizeof(*v6));
	T_INT(ntohs(v6->sin6_port), 65535);
	T_STR(inet_ntop(AF_INET6, &v6->sin6_addr, text, sizeof(text)), "::1");
}

static void a_path_is_read(void)
{
	struct sockaddr_storage at;
	const struct sockaddr_un *is = (void *)&at;
	char text[200] = "unix:/";
	socklen_t len;

	T_INT(listen_address("unix:/run/slurm/k8s.sock", &at, &len), 0);
	T_INT(at.ss_family, AF_UNIX);
	T_INT(len, sizeof(*is));
	T_STR(is->sun_path, "/run/slurm/k8s.sock");
	memset(text + strlen(text), 'a', sizeof(is->sun_path) - 2);
	T_INT(listen_address(text, &at, &len), 0); /* with NUL it just fits */
	T_INT(strlen(is->sun_path), sizeof(is->sun_path) - 1);
	strcat(text, "a");
	T_INT(listen_address(text, &at, &len), -EINVAL);
}

static void all_else_is_refused(void)
{
	static const char *const rows[] = {
		"",
		"9118",
		":9118",
		"localhost:9118",
		"0.0.0.0:9118",
		"[::]:9118",
		"192.0.2.1:9118",
		"127.0.0.10:9118",
		"127.0.0.1",
		"127.0.0.1:",
		"127.0.0.1:0",
		"127.0.0.1:09",
		"127.0.0.1:-1",
		"127.0.0.1:+9",
		"127.0.0.1: 9",
		"127.0.0.1:65536",
		"127.0.0.1:4294967297",
		"127.0.0.1:9118/",
		"[::1]:",
		"[::1]",
		"::1:9118",
		"unix:",
		"unix:/",
		"unix:a",
		"unix:/a/",
		"unix:/a\n",
		"unix:@abstract",
		"/run/a.sock",
	};
	struct sockaddr_storage at;
	socklen_t len;

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%s", rows[i]);
		T_INT(listen_address(rows[i], &at, &len), -EINVAL);
	}
}

T_MAIN("listen_address", T(ports_of_this_host_are_read), T(a_path_is_read),
       T(all_else_is_refused))

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "kube/proxy.h"
#include "t.h"

static void what_client_go_takes_is_taken(void)
{
	static const struct {
		const char *text, *url, *shown;
	} rows[] = {
		{"http://p:3128", "http://p:3128/", "http://p:3128/"},
		{"http://p", "http://p:80/", "http://p:80/"},
		{"https://p", "https://p:443/", "https://p:443/"},
		/* the proxy looks up names */
		{"socks5://p", "socks5h://p:1080/", "socks5://p:1080/"},
		{"SOCKS5://p:9", "socks5h://p:9/", "socks5://p:9/"},
		{"http://10.0.0.1:1", "http://10.0.0.1:1/",
		 "http://10.0.0.1:1/"},
		{"http://[::1]:1", "http://[::1]:1/", "http://[::1]:1/"},
		{"http://joe:s3%40cret@p:1", "http://joe:s3%40cret@p:1/",
		 "http://p:1/"},
		{"socks5://joe@p:1", "socks5h://joe@p:1/", "socks5://p:1/"},
		{"http://p:1/x?y#z", "http://p:1/", "http://p:1/"},
		/* (libcurl would take that for a socket) */
		{"socks5://localhost/run/s", "socks5h://localhost:1080/",
		 "socks5://localhost:1080/"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_proxy_ struct kube_proxy p = {0};
		struct err err = {0};

		t_row("%s", rows[i].text);
		T_INT(kube_proxy_parse(rows[i].text, &p, &err), 0);
		T_STR(p.url, rows[i].url);
		T_STR(p.shown, rows[i].shown);
	}
}

static void what_it_refuses_is_refused_without_its_text(void)
{
	static const char *const rows[] = {
		"p:3128",
		"10.0.0.1:3128",
		"ftp://joe:s3cret@p",
		"socks4://joe:s3cret@p",
		"socks5h://joe:s3cret@p",
		"http://",
		"http:/s3cret",
		"http://joe:s3cret@",
		"http://joe:s3cret@p:99999",
		"http://s3cret:12/34@p:3128",
		"http://s3cret:12?4@p:3128",
		"http://joe:s3cret@p q",
		"http://joe:s3cret@p\n",
		"http://joe:s3cret@p%00",
		"http://joe:s3cret@p%41",
		"http://joe:s3cret@p%41:1/x",
		"",
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_proxy_ struct kube_proxy p = {0};
		struct err err = {0};

		t_row("%s", rows[i]);
		T_ERR(kube_proxy_parse(rows[i], &p, &err), &err, -EINVAL,
		      "proxy-url must be http://HOST:PORT");
		T_LACKS(err.msg, "s3cret");
		T_OK(!p.url && !p.shown);
	}
}

T_MAIN("proxy", T(what_client_go_takes_is_taken),
       T(what_it_refuses_is_refused_without_its_text))

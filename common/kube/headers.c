/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kube/headers.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <string.h>

#include "base/str.h"

static int add_header(struct curl_slist **l, const char *name, const char *val)
{
	char *line = str_printf("%s: %s", name, val);
	struct curl_slist *n = line ? curl_slist_append(*l, line) : NULL;

	if (line)
		OPENSSL_cleanse(line, strlen(line));
	free(line);
	if (n)
		*l = n;
	return n ? 0 : -ENOMEM;
}

struct curl_slist *headers_make(const struct kube_request *r,
				const struct kube_secret *s)
{
	_cleanup_free_ char *bearer = NULL;
	struct curl_slist *l = NULL;
	int bad = add_header(&l, "Accept",
			     r->accept ? r->accept : "application/json");

	if (r->body)
		bad |= add_header(&l, "Content-Type",
				  r->content_type ? r->content_type
						  : "application/json");
	bad |= add_header(&l, "Expect", ""); /* no 100-continue */
	if (s->token) {
		bearer = str_printf("Bearer %s", s->token);
		bad |= bearer ? add_header(&l, "Authorization", bearer)
			      : -ENOMEM;
		if (bearer)
			OPENSSL_cleanse(bearer, strlen(bearer));
	}
	if (bad) {
		curl_slist_free_all(l);
		return NULL;
	}
	return l;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kube/headers.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <string.h>

#include "base/buf.h"

/* bytes of a line: more than any token has */
#define LINE_MAX_LEN (128u * 1024)

/* Add a header line; `scheme` stands before the value, or is "". */
static int add_header(struct curl_slist **l, const char *name,
		      const char *scheme, const char *val)
{
	_cleanup_buf_ struct buf b = BUF_SECRET(LINE_MAX_LEN);
	struct curl_slist *n;

	if (buf_addf(&b, "%s: %s", name, scheme) ||
	    buf_add(&b, val, strlen(val)))
		return -ENOMEM;
	n = curl_slist_append(*l, buf_str(&b));
	if (n)
		*l = n;
	return n ? 0 : -ENOMEM;
}

struct curl_slist *headers_make(const struct kube_request *r,
				const struct kube_secret *s)
{
	struct curl_slist *l = NULL;
	int bad = add_header(&l, "Accept", "",
			     r->accept ? r->accept : "application/json");

	if (r->body)
		bad |= add_header(&l, "Content-Type", "",
				  r->content_type ? r->content_type
						  : "application/json");
	bad |= add_header(&l, "Expect", "", ""); /* no 100-continue */
	if (s->token)
		bad |= add_header(&l, "Authorization", "Bearer ", s->token);
	if (!bad)
		return l;
	headers_free(l);
	return NULL;
}

void headers_free(struct curl_slist *l)
{
	for (struct curl_slist *h = l; h; h = h->next)
		OPENSSL_cleanse(h->data, strlen(h->data));
	curl_slist_free_all(l);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kube/status.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "json/json.h"

#define BODY_WORDS_MAX 200

static const char *http_name(int http)
{
	switch (http) {
	case 400:
		return "BadRequest";
	case 401:
		return "Unauthorized";
	case 403:
		return "Forbidden";
	case 404:
		return "NotFound";
	case 409:
		return "Conflict";
	case 410:
		return "Gone";
	case 413:
		return "RequestEntityTooLarge";
	case 422:
		return "Invalid";
	case 429:
		return "TooManyRequests";
	case 500:
		return "InternalError";
	case 503:
		return "ServiceUnavailable";
	case 504:
		return "Timeout";
	default:
		return "";
	}
}

static int code_of(int http, const char *reason)
{
	switch (http) {
	case 400:
	case 413:
	case 422:
		return -EINVAL;
	case 401:
	case 403:
		return -EACCES;
	case 404:
		return -ENOENT;
	case 409:
		return strcmp(reason, "AlreadyExists") ? -ESTALE : -EEXIST;
	case 410:
	case 412:
		return -ESTALE;
	case 429:
		return -EAGAIN;
	default:
		return -EIO;
	}
}

int kube_status_err(struct err *err, const char *method, const char *path,
		    int http, const char *body, size_t len)
{
	_cleanup_json_ json_object *o = NULL;
	const char *reason = NULL, *words = NULL;
	char raw[BODY_WORDS_MAX] = "", keep[64];
	int code;

	if (len && body && !jx_parse(body, len, &o, NULL) &&
	    str_eq(jx_str(o, "kind"), "Status")) {
		reason = jx_str(o, "reason");
		words = jx_str(o, "message");
	} else if (len && body) {
		snprintf(raw, sizeof(raw), "%.*s",
			 (int)(len < sizeof(raw) ? len : sizeof(raw) - 1),
			 body);
		words = raw;
	}
	str_copy(keep, reason && *reason ? reason : http_name(http),
		 sizeof(keep));
	code = code_of(http, keep);
	err_set(err, code, "%s %s: %d %s%s%s", method, path, http, keep,
		words && *words ? ": " : "", words ? words : "");
	if (err) {
		err->http = http;
		str_copy(err->reason, keep, sizeof(err->reason));
		str_sanitize(err->reason);
		str_shorten(err->words, words ? words : "", sizeof(err->words));
		str_sanitize(err->words);
	}
	return code;
}

bool kube_status_no_right(const struct err *err)
{
	static const char says[] = " is forbidden: ";
	const char *at = strstr(err->words, says);

	/* A webhook's own words come after those of the API server. */
	if (err->http != 403 || !at || str_starts(err->words, "admission "))
		return false;
	at += sizeof(says) - 1;
	return str_starts(at, "User \"") && strstr(at, "\" cannot ");
}

bool kube_status_retriable(const char *method, int http, const char *reason)
{
	switch (http) {
	case 408:
	case 429:
	case 500:
	case 502:
	case 503:
	case 504:
		return true;
	case 409:
		return !strcmp(method, "POST") && !strcmp(reason, "Conflict");
	default:
		return false;
	}
}

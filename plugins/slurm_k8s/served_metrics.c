/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "served_metrics.h"

#include <curl/curl.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "config/listen_address.h"
#include "metrics/metrics.h"

#define WAIT_MS 2000L
#define URL_MAX 64

static size_t keep(char *data, size_t size, size_t n, void *arg)
{
	return buf_add(arg, data, size * n) ? 0 : size * n;
}

static int fault_of(CURL *easy, CURLcode code, const char *words,
		    const char *listen, struct err *err)
{
	long why = 0, http = 0;

	curl_easy_getinfo(easy, CURLINFO_OS_ERRNO, &why);
	curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &http);
	if (code == CURLE_COULDNT_CONNECT &&
	    (why == ECONNREFUSED || why == ENOENT))
		return err_set(err, -ECONNREFUSED, "nobody listens at %s",
			       listen);
	if (code == CURLE_COULDNT_CONNECT && why == EACCES)
		return err_set(err, -EACCES, "%s: %s", listen,
			       strerror(EACCES));
	if (code)
		return err_set(err, -EIO, "%s: %s", listen,
			       *words ? words : curl_easy_strerror(code));
	return http == 200 ? 0
			   : err_set(err, -EPROTO, "%s answers by HTTP %ld",
				     listen, http);
}

static int ask(CURL *easy, const char *listen, struct buf *text,
	       struct err *err)
{
	const char *socket = listen_path(listen);
	char words[CURL_ERROR_SIZE] = "", url[URL_MAX];
	CURLcode code;

	snprintf(url, sizeof(url), "http://%s/metrics",
		 socket ? "localhost" : listen);
	if (socket)
		curl_easy_setopt(easy, CURLOPT_UNIX_SOCKET_PATH, socket);
	curl_easy_setopt(easy, CURLOPT_URL, url);
	curl_easy_setopt(easy, CURLOPT_PROXY, ""); /* whatever environ says */
	curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, WAIT_MS);
	curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, words);
	curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, keep);
	curl_easy_setopt(easy, CURLOPT_WRITEDATA, text);
	code = curl_easy_perform(easy);
	curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, NULL);
	return fault_of(easy, code, words, listen, err);
}

int served_metrics_read(const char *listen, char **out, struct err *err)
{
	_cleanup_buf_ struct buf text = BUF_INIT(METRICS_TEXT_MAX);
	CURL *easy = curl_easy_init();
	int rc;

	if (!easy)
		return err_oom(err);
	rc = ask(easy, listen, &text, err);
	curl_easy_cleanup(easy);
	if (rc)
		return rc;
	*out = strdup(buf_str(&text));
	return *out ? 0 : err_oom(err);
}

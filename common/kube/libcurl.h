/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What differs between versions of libcurl, from 7.76.1 on (RHEL 9). The
 * version that counts is that of the headers; tests/tools/check_floors.py says
 * which names are too new without an #if. Source: libcurl-symbols(3). No state;
 * the handle's thread only.
 */
#ifndef SLURMK8S_KUBE_LIBCURL_H
#define SLURMK8S_KUBE_LIBCURL_H

#include <curl/curl.h>

/* Forbid a transfer all but HTTPS. */
static inline void libcurl_https_only(CURL *easy)
{
#if LIBCURL_VERSION_NUM >= 0x075500 /* 7.85 */
	curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "https");
#else
	curl_easy_setopt(easy, CURLOPT_PROTOCOLS, (long)CURLPROTO_HTTPS);
#endif
}

/*
 * Let a transfer end without waiting for a thread of libcurl that asks a name
 * server. Before 7.87 it does wait, for as long as the resolver does.
 */
static inline void libcurl_quick_exit(CURL *easy)
{
#if LIBCURL_VERSION_NUM >= 0x075700 /* 7.87 */
	curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
#else
	(void)easy;
#endif
}

/*
 * Let all transfers of a multi handle end as after libcurl_quick_exit(): from
 * 8.20 on a transfer's own option no longer suffices.
 */
static inline void libcurl_quick_exit_all(CURLM *multi)
{
#if LIBCURL_VERSION_NUM >= 0x081400 /* 8.20 */
	curl_multi_setopt(multi, CURLMOPT_QUICK_EXIT, 1L);
#else
	(void)multi;
#endif
}

#endif

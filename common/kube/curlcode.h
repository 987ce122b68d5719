/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What libcurl's word about a try that failed means. Pure. Any thread. */
#ifndef SLURMK8S_KUBE_CURLCODE_H
#define SLURMK8S_KUBE_CURLCODE_H

#include <stdbool.h>

#include <curl/curl.h>

/* Another try may do better. */
bool curlcode_retriable(CURLcode code);

/* Before a byte of the request was on its way nothing can have happened. */
bool curlcode_unsent(CURLcode code);

#endif

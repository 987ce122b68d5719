/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What it means that no HTTP answer came. Pure. */
#ifndef SLURMK8S_KUBE_TRANSPORT_H
#define SLURMK8S_KUBE_TRANSPORT_H

#include <curl/curl.h>
#include <stdbool.h>

/*
 * May the next try fare better? `refusal`: what the proxy answered to CONNECT,
 * see kube_proxy_refusal(); 0: nothing.
 */
bool transport_retriable(CURLcode code, int refusal);

/* Before a byte of the request was on its way nothing can have happened. */
bool transport_unsent(CURLcode code, int refusal);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kube/transport.h"

bool transport_retriable(CURLcode code, int refusal)
{
	if (refusal)
		return refusal == 429 || refusal >= 500;
	switch ((int)code) {
	case CURLE_COULDNT_RESOLVE_PROXY:
	case CURLE_COULDNT_RESOLVE_HOST:
	case CURLE_COULDNT_CONNECT:
	case CURLE_PROXY: /* a socks5 proxy could not reach the server */
	case CURLE_PARTIAL_FILE:
	case CURLE_OPERATION_TIMEDOUT:
	case CURLE_SSL_CONNECT_ERROR:
	case CURLE_GOT_NOTHING:
	case CURLE_SEND_ERROR:
	case CURLE_RECV_ERROR:
	case CURLE_HTTP2:
	case CURLE_HTTP2_STREAM:
		return true;
	default:
		return false;
	}
}

bool transport_unsent(CURLcode code, int refusal)
{
	return refusal || code == CURLE_COULDNT_RESOLVE_PROXY ||
	       code == CURLE_COULDNT_RESOLVE_HOST ||
	       code == CURLE_COULDNT_CONNECT || code == CURLE_PROXY ||
	       code == CURLE_SSL_CONNECT_ERROR ||
	       code == CURLE_PEER_FAILED_VERIFICATION;
}

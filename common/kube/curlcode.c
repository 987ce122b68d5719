/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kube/curlcode.h"

bool curlcode_retriable(CURLcode code)
{
	switch ((int)code) {
	case CURLE_COULDNT_RESOLVE_PROXY:
	case CURLE_COULDNT_RESOLVE_HOST:
	case CURLE_COULDNT_CONNECT:
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

bool curlcode_unsent(CURLcode code)
{
	return code == CURLE_COULDNT_RESOLVE_PROXY ||
	       code == CURLE_COULDNT_RESOLVE_HOST ||
	       code == CURLE_COULDNT_CONNECT ||
	       code == CURLE_SSL_CONNECT_ERROR ||
	       code == CURLE_PEER_FAILED_VERIFICATION;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/openssl.h"

#include <openssl/crypto.h>
#include <pthread.h>

static void begin(void)
{
	OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
}

void openssl_use(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, begin);
}

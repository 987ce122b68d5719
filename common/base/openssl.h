/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How OpenSSL is initialised. Any thread. */
#ifndef SLURMK8S_BASE_OPENSSL_H
#define SLURMK8S_BASE_OPENSSL_H

/*
 * To be called before any function that makes OpenSSL initialise itself, for
 * only the first such call of a process decides: OpenSSL is not to free what it
 * has when the process exits, as threads of ours may still use it then.
 * Idempotent. slurmctld itself may have been first.
 *
 * Source: OPENSSL_init_crypto(3), OPENSSL_INIT_NO_ATEXIT.
 */
void openssl_use(void);

#endif

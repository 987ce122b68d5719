/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLURMK8S_BASE_OPENSSL_H
#define SLURMK8S_BASE_OPENSSL_H

/*
 * Before whatever makes OpenSSL initialise itself, for only the first such call
 * of a process decides: OpenSSL is not to free what it has when the process
 * exits, as threads of ours may still use it then. Any thread, any number of
 * times. Somebody else in the process (slurmctld) may have been first.
 * Source: OPENSSL_init_crypto(3), OPENSSL_INIT_NO_ATEXIT.
 */
void openssl_use(void);

#endif

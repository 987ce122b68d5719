/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether a program of ours is reached at an address. I/O: main thread. */
#ifndef SLURMK8S_TOOL_TCP_REACH_H
#define SLURMK8S_TOOL_TCP_REACH_H

#include <stdint.h>

#include "base/err.h"

#define TCP_HELLO_MAX 64

/*
 * Connect to `port` of `address` (an IP address: no name is looked up), send
 * `hello` (of TCP_HELLO_MAX bytes at most) and a line feed, and read the same
 * back: another program does not know it, nor does another host that has this
 * address, too. Each step may take wait_ms. 0; with words: -EINVAL: this is no
 * address; -EPROTO: somebody else answers; an error of connect(2), such as
 * -ECONNREFUSED; -ETIMEDOUT; another one of socket(7).
 */
int tcp_reach(const char *address, uint16_t port, const char *hello,
	      int wait_ms, struct err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Time that passes FAST times as fast, for all of ours and for what we wait in:
 * so a round with a lease of 15 s takes a second. (libcurl and the server have
 * the usual time.) By the linker's --wrap: see meson.build.
 */
#include <curl/curl.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <time.h>

#include "fast_clock.h"

#define NS_A_MS 1000000
#define NS_A_S 1000000000

int64_t __real_clock_ms(void);
int64_t __wrap_clock_ms(void);
int64_t __real_clock_boot_ms(void);
int64_t __wrap_clock_boot_ms(void);
void __wrap_clock_nap(int64_t ms);
int __wrap_poll(struct pollfd *fds, nfds_t n, int ms);
CURLMcode __real_curl_multi_poll(CURLM *multi, struct curl_waitfd *extra,
				 unsigned int n, int ms, int *numfds);
CURLMcode __wrap_curl_multi_poll(CURLM *multi, struct curl_waitfd *extra,
				 unsigned int n, int ms, int *numfds);

int64_t __wrap_clock_ms(void)
{
	return __real_clock_ms() * FAST;
}

int64_t __wrap_clock_boot_ms(void)
{
	return __real_clock_boot_ms() * FAST;
}

int64_t fast_clock_real_ms(void)
{
	return __real_clock_ms();
}

static struct timespec shorter(int64_t ms)
{
	const int64_t ns = ms * NS_A_MS / FAST;

	return (struct timespec){.tv_sec = ns / NS_A_S, .tv_nsec = ns % NS_A_S};
}

void fast_clock_nap_us(int64_t us)
{
	const struct timespec t = {.tv_sec = us / 1000000,
				   .tv_nsec = us % 1000000 * 1000};

	nanosleep(&t, NULL);
}

void __wrap_clock_nap(int64_t ms)
{
	const struct timespec t = shorter(ms);

	nanosleep(&t, NULL);
}

int __wrap_poll(struct pollfd *fds, nfds_t n, int ms)
{
	const struct timespec t = shorter(ms);

	return ppoll(fds, n, ms < 0 ? NULL : &t, NULL);
}

CURLMcode __wrap_curl_multi_poll(CURLM *multi, struct curl_waitfd *extra,
				 unsigned int n, int ms, int *numfds)
{
	return __real_curl_multi_poll(multi, extra, n, (ms + FAST - 1) / FAST,
				      numfds);
}

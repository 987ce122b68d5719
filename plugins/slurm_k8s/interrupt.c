/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "interrupt.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t caught;

static void remember(int sig)
{
	(void)sig;
	caught = 1;
}

void interrupt_catch(void)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction action = {.sa_handler = remember};

	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		(void)sigaction(signals[i], &action, NULL);
}

bool interrupted(void)
{
	return caught != 0;
}

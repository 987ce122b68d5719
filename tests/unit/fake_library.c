/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A libslurmk8s.so of whatever build a test says, whose engine only counts. */
#include <stdint.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT extern uint32_t slurmk8s_slurm_version;
EXPORT extern char slurmk8s_version[32];
EXPORT extern int fake_calls;
EXPORT extern int fake_configure;
EXPORT int slurmk8s_configure(char *delegate, char *words);
EXPORT int slurmk8s_start(char *words);
EXPORT void slurmk8s_reload(void);
EXPORT void slurmk8s_stop(void);

uint32_t slurmk8s_slurm_version;
char slurmk8s_version[32];
int fake_calls;
int fake_configure; /* what that gives, with words unless it is 0 */

int slurmk8s_configure(char *delegate, char *words)
{
	fake_calls++;
	memcpy(words, fake_configure ? "bad" : "", fake_configure ? 4 : 1);
	memcpy(delegate, "backfill", sizeof("backfill"));
	return fake_configure;
}

int slurmk8s_start(char *words)
{
	fake_calls++;
	*words = '\0';
	return 0;
}

void slurmk8s_reload(void)
{
	fake_calls++;
}

void slurmk8s_stop(void)
{
	fake_calls++;
}

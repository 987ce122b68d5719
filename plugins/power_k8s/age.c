/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "age.h"

#include <stdio.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/fs.h"
#include "slurm/prolog_wait.h"

#define STAT_MAX 4096

int64_t age_of_group_ms(void)
{
	const long hertz = sysconf(_SC_CLK_TCK);
	_cleanup_free_ char *text = NULL;
	struct err err = {0};
	char path[40];
	int64_t ticks, age;
	size_t len;

	snprintf(path, sizeof(path), "/proc/%ld/stat", (long)getpgrp());
	if (hertz <= 0 || fs_read_file(path, STAT_MAX, &text, &len, &err))
		return 0;
	ticks = prolog_wait_start_ticks(text);
	age = ticks < 0 || ticks > INT64_MAX / 1000
		      ? 0
		      : clock_boot_ms() - ticks * 1000 / hertz;
	return age > 0 ? age : 0;
}

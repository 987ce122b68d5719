/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When an external node gets another size, and how often some may. */
#include <string.h>

#include "base/str.h"
#include "config/bridge_config.h"
#include "external/external_size.h"
#include "t.h"

#define LASTS BRIDGE_RESIZE_MS
#define DEVICES EXTERNAL_SIZE_DEVICES_MS

/* What there is from a time on; the node is looked at then. */
struct seen {
	int64_t at; /* ms */
	uint32_t cpus;
	uint64_t memory_mib;
	const char *gres;
};

struct row {
	const char *what;
	struct seen seen[8];
	struct seen told; /* at the last look */
};

static const struct external_size_has slurm = {64, 64000, "gpu:8(S:0,1)"};

static void check(const struct row *r)
{
	struct external_size s = {0};
	struct external_node_shape shape = {0};

	t_row("%s", r->what);
	for (size_t i = 0; i < T_COUNT(r->seen) && r->seen[i].at; i++) {
		const struct seen *is = &r->seen[i];

		shape = (struct external_node_shape){
			.cpus = is->cpus, .memory_mib = is->memory_mib};
		str_copy(shape.gres, is->gres, sizeof(shape.gres));
		external_size_look(&s, &shape, &slurm, is->at, LASTS);
	}
	T_INT(shape.cpus, r->told.cpus);
	T_INT(shape.memory_mib, r->told.memory_mib);
	T_STR(shape.gres, r->told.gres);
}

#define SAME                                                                   \
	{                                                                      \
		0, 64, 64000, "gpu:8"                                          \
	}

static void a_size_is_kept_until_another_one_has_lasted(void)
{
	static const struct row rows[] = {
		{"as it is", {{1, 64, 64000, "gpu:8"}}, SAME},
		{"a pod has come", {{1, 60, 60000, "gpu:8"}}, SAME},
		{"it is gone", {{1, 70, 70000, "gpu:8"}}, SAME},
		{"nearly long enough",
		 {{1, 60, 60000, "gpu:8"}, {LASTS, 60, 60000, "gpu:8"}},
		 SAME},
		{"long enough",
		 {{1, 60, 60000, "gpu:8"}, {1 + LASTS, 60, 60000, "gpu:8"}},
		 {0, 60, 60000, "gpu:8"}},
		{"it went, and came back",
		 {{1, 60, 60000, "gpu:8"},
		  {LASTS / 2, 64, 64000, "gpu:8"},
		  {1 + LASTS, 60, 60000, "gpu:8"}},
		 SAME},
		{"more, then less",
		 {{1, 70, 70000, "gpu:8"},
		  {LASTS / 2, 60, 60000, "gpu:8"},
		  {1 + LASTS, 60, 60000, "gpu:8"}},
		 SAME},
		{"pods come and go: what was there all the time",
		 {{1, 40, 30000, "gpu:8"},
		  {2, 60, 50000, "gpu:8"},
		  {3, 30, 40000, "gpu:8"},
		  {1 + LASTS, 20, 30000, "gpu:8"}},
		 {0, 60, 50000, "gpu:8"}},
		{"grown, by more at times",
		 {{1, 90, 90000, "gpu:8"},
		  {2, 80, 80000, "gpu:8"},
		  {1 + LASTS, 90, 90000, "gpu:8"}},
		 {0, 80, 80000, "gpu:8"}},
		{"grown by little",
		 {{1, 67, 67999, "gpu:8"}, {1 + LASTS, 67, 67999, "gpu:8"}},
		 SAME},
		{"CPUs by little, memory by a sixteenth",
		 {{1, 65, 68000, "gpu:8"}, {1 + LASTS, 65, 68000, "gpu:8"}},
		 {0, 65, 68000, "gpu:8"}},
		{"grown at times only",
		 {{1, 90, 90000, "gpu:8"},
		  {2, 65, 64001, "gpu:8"},
		  {1 + LASTS, 90, 90000, "gpu:8"}},
		 SAME},
		{"shrunk by a MiB",
		 {{1, 64, 63999, "gpu:8"}, {1 + LASTS, 64, 63999, "gpu:8"}},
		 {0, 64, 63999, "gpu:8"}},
		{"CPUs have lasted, memory has not",
		 {{1, 60, 64000, "gpu:8"},
		  {LASTS, 60, 32000, "gpu:8"},
		  {1 + LASTS, 60, 32000, "gpu:8"}},
		 {0, 60, 64000, "gpu:8"}},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++)
		check(&rows[i]);
}

static void devices_may_be_none_for_a_moment(void)
{
	static const struct row rows[] = {
		{"the plugin restarts", {{1, 64, 64000, ""}}, SAME},
		{"and is slow",
		 {{1, 64, 64000, ""}, {LASTS, 64, 64000, ""}},
		 SAME},
		{"does not come back",
		 {{1, 64, 64000, ""}, {1 + LASTS, 64, 64000, ""}},
		 {0, 64, 64000, ""}},
		{"it was back meanwhile",
		 {{1, 64, 64000, ""},
		  {LASTS / 2, 64, 64000, "gpu:8"},
		  {1 + LASTS, 64, 64000, ""}},
		 SAME},
		{"while the CPUs have lasted",
		 {{1, 60, 64000, "gpu:8"},
		  {LASTS, 60, 64000, ""},
		  {1 + LASTS, 60, 64000, ""}},
		 {0, 60, 64000, "gpu:8"}},
		{"one more", {{1, 64, 64000, "gpu:9"}}, SAME},
		{"one more, still",
		 {{1, 64, 64000, "gpu:9"}, {1 + DEVICES, 64, 64000, "gpu:9"}},
		 {0, 64, 64000, "gpu:9"}},
		{"a new kind",
		 {{1, 64, 64000, "gpu:8,fpga:1"},
		  {1 + DEVICES, 64, 64000, "gpu:8,fpga:1"}},
		 {0, 64, 64000, "gpu:8,fpga:1"}},
		{"more of one kind, fewer of another",
		 {{1, 64, 64000, "gpu:4,fpga:1"},
		  {1 + DEVICES, 64, 64000, "gpu:4,fpga:1"}},
		 SAME},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++)
		check(&rows[i]);
}

static void what_rests_is_looked_at_when_its_time_has_come(void)
{
	struct external_size s = {0};
	struct external_node_shape shape = {.cpus = 60, .memory_mib = 64000};

	T_INT(external_size_next(&s, 5, LASTS), 0);
	str_copy(shape.gres, "gpu:9", sizeof(shape.gres));
	external_size_look(&s, &shape, &slurm, 100, LASTS);
	T_INT(external_size_next(&s, 100, LASTS), 100 + DEVICES);
	T_INT(external_size_next(&s, 100 + DEVICES, LASTS), 100 + LASTS);
	T_INT(external_size_next(&s, 100 + LASTS, LASTS), 0);
	/* (a site that wants it sooner) */
	T_INT(external_size_next(&s, 100, 1000), 1100);
}

static void a_few_renewals_a_minute(void)
{
	struct external_size_renewals r = {0};
	const int64_t t = 1000000;

	for (int i = 0; i < EXTERNAL_SIZE_RENEWALS_MAX; i++) {
		T_INT(external_size_renew_at(&r, t + i), t + i);
		T_OK(external_size_renew(&r, t + i));
	}
	T_OK(!external_size_renew(&r, t + 100));
	T_INT(external_size_renew_at(&r, t + 100),
	      t + EXTERNAL_SIZE_RENEWALS_MS);
	T_OK(!external_size_renew(&r, t + EXTERNAL_SIZE_RENEWALS_MS - 1));
	T_OK(external_size_renew(&r, t + EXTERNAL_SIZE_RENEWALS_MS));
	T_OK(!external_size_renew(&r, t + EXTERNAL_SIZE_RENEWALS_MS));
	T_INT(external_size_renew_at(&r, t + EXTERNAL_SIZE_RENEWALS_MS),
	      t + 1 + EXTERNAL_SIZE_RENEWALS_MS);
}

T_MAIN("external_size", T(a_size_is_kept_until_another_one_has_lasted),
       T(devices_may_be_none_for_a_moment),
       T(what_rests_is_looked_at_when_its_time_has_come),
       T(a_few_renewals_a_minute))

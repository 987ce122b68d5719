/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kubernetes nodes of which it is not clear which Slurm node they are. */
#include "external_nodes_fixture.h"

#define LABEL "\"l\":\"\""
#define AS_N0 "\"" WK_HOST_SLURM_NODE "\":\"n0\""

static int lines_with(const char *words)
{
	int n = 0;

	for (const char *at = t_log(); (at = strstr(at, words)); at++)
		n++;
	return n;
}

/*
 * n0 was replaced by n9, which is Slurm's n0 by its label; then somebody powers
 * it on again.
 */
static void a_machine_that_was_replaced_says_nothing_of_its_slurm_node(void)
{
	static const struct {
		const char *labels, *spec;
		bool ready, busy, hybrid;
	} rows[] = {
		{LABEL, "", false, true, false},
		{LABEL, "", true, true, false},
		{LABEL, "", true, false, false},
		{LABEL, "\"unschedulable\":true", true, true, false},
		{"", "", true, true, false},
		{"", "", false, false, false},
		{LABEL, "", false, true, true},
		{LABEL, "\"unschedulable\":true", true, false, true},
		/* (no host name: it cannot be a Slurm node at all) */
		{LABEL ",\"" WK_HOST_SLURM_NODE "\":\"ALL\"", "", false, true,
		 false},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct external_nodes b;

		t_row("%zu", i);
		begin(&b, 5);
		delete_host(&b, 0);
		put(&b, 9, LABEL "," AS_N0, "", 64, 8, true);
		if (rows[i].hybrid) {
			slurm[0] = (struct fake){.is = true, .hybrid = true};
			str_copy(slurm[0].name, "n0", sizeof(slurm[0].name));
		}
		pass(&b, 5000);
		T_OK(slurm[0].is);
		slurm[0].busy = rows[i].busy;
		t_log_clear();
		for (int k = 0; k < 3; k++) {
			put(&b, 0, rows[i].labels, rows[i].spec, 32 + k, 8,
			    rows[i].ready);
			pass(&b, 2 * MINUTE);
		}
		T_INT(drains + downs + resumes + deletions, 0);
		T_OK(slurm[0].is && !slurm[0].drained && !slurm[0].down);
		T_INT(slurm[0].cpus, rows[i].hybrid ? 0 : 64);
		/* (said once) */
		T_INT(lines_with("Kubernetes node n0 is no node of Slurm's: "),
		      *rows[i].labels != '\0');
		/* what happens to the one that it is counts */
		put(&b, 9, LABEL "," AS_N0, "\"unschedulable\":true", 64, 8,
		    true);
		pass(&b, MINUTE);
		T_OK(slurm[0].drained);
		end(&b);
	}
}

static void it_takes_its_name_when_that_is_free_again(void)
{
	struct external_nodes b;

	begin(&b, 5);
	delete_host(&b, 0);
	put(&b, 9, LABEL "," AS_N0, "", 64, 8, true);
	pass(&b, 5000);
	put(&b, 0, LABEL, "", 32, 8, true);
	pass(&b, MINUTE);
	T_INT(slurm[0].cpus, 64);
	delete_host(&b, 9);
	pass(&b, BRIDGE_RESIZE_MS + MINUTE);
	T_INT(slurm[0].cpus, 32);
	T_OK(!slurm[0].drained);
	end(&b);
}

T_MAIN("external_nodes_identity",
       T(a_machine_that_was_replaced_says_nothing_of_its_slurm_node),
       T(it_takes_its_name_when_that_is_free_again))

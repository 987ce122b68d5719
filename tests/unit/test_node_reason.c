/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "syntax/node_reason.h"
#include "t.h"

static void only_reasons_with_our_prefix_are_ours(void)
{
	T_OK(node_reason_is_ours("k8s: x"));
	T_OK(node_reason_is_ours("k8s: "));
	T_OK(!node_reason_is_ours("k8s:x"));
	T_OK(!node_reason_is_ours("K8s: x"));
	T_OK(!node_reason_is_ours("see k8s: x"));
	T_OK(!node_reason_is_ours(""));
	T_OK(!node_reason_is_ours(NULL));
}

static void all_of_a_reason_of_slurms_is_slurms(void)
{
	T_OK(node_reason_is_slurms("Not responding"));
	T_OK(node_reason_is_slurms("Reboot ASAP : reboot issued"));
	T_OK(!node_reason_is_slurms("Not responding "));
	T_OK(!node_reason_is_slurms("a disk : Not responding"));
	T_OK(!node_reason_is_slurms("Not responding : a disk"));
	T_OK(!node_reason_is_slurms(" : "));
	T_OK(!node_reason_is_slurms("k8s: x"));
	T_OK(!node_reason_is_slurms(""));
	T_OK(!node_reason_is_slurms(NULL));
}

static void the_last_of_slurms_words_counts(void)
{
	T_OK(node_reason_is_slurms_last("reboot issued : reboot timed out",
					"reboot timed out"));
	T_OK(!node_reason_is_slurms_last("reboot timed out : Not responding",
					 "reboot timed out"));
	T_OK(!node_reason_is_slurms_last("mine : reboot timed out",
					 "reboot timed out"));
}

static void a_drain_by_somebody_else_stays(void)
{
	static const struct {
		bool drained, down;
		const char *reason;
		bool admins;
	} rows[] = {
		{true, false, "a disk", true},
		{true, false, "", true},
		{true, false, NULL, true},
		{true, false, "k8s: x", false},
		{true, false, "Reboot ASAP", false},
		{false, true, "a disk", true},
		{false, true, "", false},
		{false, true, NULL, false},
		{false, true, "Not responding", false},
		{false, true, "k8s: x", false},
		{false, false, "a disk", false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		T_INT(node_reason_is_admins(rows[i].drained, rows[i].down,
					    rows[i].reason),
		      rows[i].admins);
}

static void an_extra_tells_who_keeps_the_node_up(void)
{
	T_OK(node_extra_is_kept("k8s: kept up by minRunning"));
	T_OK(node_extra_is_kept("k8s: kept up by minRunning; pod s/n uid 1"));
	T_OK(!node_extra_is_kept("k8s: pod s/n uid 1 on h"));
	T_OK(!node_extra_is_kept("kept up by minRunning"));
	T_OK(!node_extra_is_kept(NULL));
}

T_MAIN("node_reason", T(an_extra_tells_who_keeps_the_node_up),
       T(only_reasons_with_our_prefix_are_ours),
       T(all_of_a_reason_of_slurms_is_slurms),
       T(the_last_of_slurms_words_counts), T(a_drain_by_somebody_else_stays))

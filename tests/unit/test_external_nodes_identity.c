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

/* Node i with `labels`, and a taint more than is read; it has no status. */
static void put_unread(struct external_nodes *b, int i, const char *labels)
{
	_cleanup_free_ char *taints = str_printf("\"taints\":[{}");
	_cleanup_free_ char *text = NULL;
	_cleanup_json_ json_object *node = NULL;
	struct informer_handler on;

	for (int k = 0; k < HOST_TAINTS_MAX; k++) {
		_cleanup_free_ char *before = taints;

		taints = str_printf("%s,{}", before);
	}
	text = str_printf("{\"metadata\":{\"name\":\"n%d\",\"uid\":\"u%d\","
			  "\"labels\":{%s}},\"spec\":{%s]}}",
			  i, i, labels, taints);
	node = t_parse(text);
	on = inventory_handler(b->inventory);
	on.on_object(on.arg, node);
}

/* A new engine, which lists nodes n0 (n9 as n0 with `as`) to n4 first. */
static void begin_anew(struct external_nodes *b, bool as, bool hybrid)
{
	struct fake before[HOSTS];

	begin(b, 5);
	pass(b, 5000);
	slurm[0].busy = true;
	slurm[0].hybrid = hybrid;
	memcpy(before, slurm, sizeof(before));
	end(b);
	begin(b, 0);
	memcpy(slurm, before, sizeof(before));
	put_unread(b, as ? 9 : 0, as ? LABEL "," AS_N0 : LABEL);
	for (int i = 1; i < 5; i++)
		put_host(b, i, 64, 8);
}

static void nothing_is_done_about_one_that_was_never_read(void)
{
	for (int as = 0; as < 2; as++) {
		struct external_nodes b;

		t_row("%d", as);
		begin_anew(&b, as, false);
		pass(&b, 10 * MINUTE);
		slurm[0].busy = false;
		pass(&b, 10 * MINUTE);
		T_INT(drains + downs + resumes + deletions + creations, 0);
		T_OK(slurm[0].is);
		/* it becomes readable, and is a usual one, with its time */
		slurm[0].busy = true;
		put(&b, as ? 9 : 0, as ? LABEL "," AS_N0 : LABEL, "", 64, 8,
		    false);
		pass(&b, 50000);
		T_OK(slurm[0].drained && !slurm[0].down);
		pass(&b, MINUTE);
		T_OK(slurm[0].down);
		put(&b, as ? 9 : 0, as ? LABEL "," AS_N0 : LABEL, "", 64, 8,
		    true);
		pass(&b, MINUTE);
		T_OK(!slurm[0].drained && !slurm[0].down);
		end(&b);
	}
}

static void one_that_was_never_read_goes_as_any(void)
{
	struct external_nodes b;

	begin_anew(&b, false, false);
	pass(&b, 10 * MINUTE);
	/* (it has its time anew each time) */
	for (int i = 0; i < 3; i++) {
		delete_host(&b, 0);
		pass(&b, 20000);
		T_OK(slurm[0].drained && !slurm[0].down);
		put_unread(&b, 0, LABEL);
		pass(&b, MINUTE);
		T_OK(!slurm[0].down);
	}
	delete_host(&b, 0);
	pass(&b, MINUTE);
	T_OK(slurm[0].down);
	end(&b);
}

/* It is never created; drained by us it stays so: pods may get it then. */
static void one_that_was_never_read_counts_by_what_slurm_has(void)
{
	struct external_nodes b;
	struct ctl_node node;

	begin(&b, 2);
	put_unread(&b, 2, LABEL);
	pass(&b, MINUTE);
	T_INT(in_slurm(64), 2);
	T_OK(!node_counts(&b, inventory_find(b.inventory, "n2")));
	slurm[2] = slurm[0];
	str_copy(slurm[2].name, "n2", sizeof(slurm[2].name));
	slurm[2].drained = true;
	pass(&b, MINUTE);
	T_OK(ctl_nodes_find(b.slurm.nodes, "n2", &node));
	T_OK(node_counts(&b, inventory_find(b.inventory, "n2")));
	T_OK(slurm[2].drained);
	end(&b);
}

static void a_hybrid_one_that_was_never_read_stays_drained(void)
{
	struct external_nodes b;

	begin_anew(&b, false, true);
	slurm[0].drained = slurm[0].failing = true;
	str_copy(slurm[0].reason, "k8s: Kubernetes node is cordoned",
		 sizeof(slurm[0].reason));
	pass(&b, 10 * MINUTE);
	T_OK(slurm[0].drained);
	delete_host(&b, 0);
	pass(&b, MINUTE);
	T_OK(!slurm[0].drained);
	end(&b);
}

T_MAIN("external_nodes_identity",
       T(a_machine_that_was_replaced_says_nothing_of_its_slurm_node),
       T(nothing_is_done_about_one_that_was_never_read),
       T(one_that_was_never_read_goes_as_any),
       T(one_that_was_never_read_counts_by_what_slurm_has),
       T(a_hybrid_one_that_was_never_read_stays_drained),
       T(it_takes_its_name_when_that_is_free_again))

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The nodes where pods may run on that Kubernetes does not have any more. */
#include "base/clock.h"
#include "bridge/binding/binding.h"

#define OUT_OF_SERVICE "node.kubernetes.io/out-of-service"

/* True if an administrator says that the node does not run any more. */
static bool is_out_of_service(const struct kube_node *h)
{
	for (size_t i = 0; i < h->n_taints; i++)
		if (!strcmp(h->taints[i].key, OUT_OF_SERVICE))
			return true;
	return false;
}

/* True if the text differs from the first one that it was compared with. */
static bool differs(char *is, size_t size, const char *now)
{
	if (*is && strncmp(is, now, size - 1) != 0)
		return true;
	str_copy(is, now, size);
	return false;
}

/* True if nothing runs on the node any more that ran when the pod went. */
static bool is_another(struct gone_pods *x, const struct inventory_node *host)
{
	return !host || is_out_of_service(&host->view) ||
	       differs(x->host, sizeof(x->host), host->view.uid) ||
	       differs(x->boot, sizeof(x->boot), host->view.boot);
}

/*
 * Wait longer for a pod while its kubelet is away: the kubelet does not know
 * that the pod was deleted, and gives it all its time when it is back.
 */
static void mind_absence(struct gone_pods *x, const struct inventory_node *host,
			 int64_t now)
{
	if (host && !host->view.ready && x->until < now + x->grace_ms)
		x->until = now + x->grace_ms;
}

static void tell(struct bridge *b, struct gone_pods *x, int64_t now)
{
	struct workload of = {.kind = WORKLOAD_POD, .top = WORKLOAD_POD};
	char date[CLOCK_RFC3339_MAX], words[SAY_WORDS_MAX];

	x->told = true;
	clock_write_rfc3339(clock_real_ms() + x->until - now, date);
	snprintf(words, sizeof(words),
		 "deleted before its containers had ended: they may run on "
		 "node %.253s until %s, and no pod is bound there before. To "
		 "use it earlier reboot that machine, or end them there "
		 "(crictl) and restart slurmctld",
		 x->node, date);
	str_copy(of.ns, x->ns, sizeof(of.ns));
	str_copy(of.name, x->name, sizeof(of.name));
	group_log(b, LOG_LEVEL_WARN, &of, words);
}

void gone_pods_look(struct bridge *b)
{
	struct gone_pods **all = pod_groups_gone(b->groups);
	struct gone_pods *x, *next;
	const int64_t now = clock_boot_ms();
	bool known;

	if (!*all)
		return;
	known = inventory_ready(b->inventory);
	inventory_lock(b->inventory);
	for (x = *all; x; x = next) {
		const struct inventory_node *host =
			known ? inventory_find(b->inventory, x->node) : NULL;

		next = x->hh.next;
		mind_absence(x, host, now);
		if (now >= x->until || (known && is_another(x, host)))
			gone_pods_drop(all, x);
		else if (known && !x->told)
			tell(b, x, now);
	}
	inventory_unlock(b->inventory);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slurm.conf: Epilog, on machines with both slurmd and kubelet. See
 * k8s_epilog(8).
 *
 * When Slurm ends a placeholder job its pods are deleted, and have their grace
 * period to end. Slurm knows nothing of them: only an Epilog that has not
 * ended keeps it from giving the node to the next job.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "kube/verbs.h"
#include "objects/bridged_pod.h"
#include "objects/partial_pod.h"
#include "process.h"
#include "syntax/wellknown.h"
#include "unroot.h"

/*
 * How long pods are waited for, in s. slurmctld drains the node of an Epilog
 * that fails until an administrator resumes it: a user shall not bring that
 * about by a pod with a long grace period.
 */
#define WAIT_S 4200
#define WAIT_MAX_S 86400
_Static_assert(WAIT_S >= BRIDGED_POD_PROBE_GRACE_MAX_S + 600,
	       "a pod that takes all its time to end drains no node");
#define LOOK_MS 500    /* pause between two looks at the pods, at first */
#define SLOWER_MS 2000 /* pause between two looks after SLOWER_AFTER_MS */
#define SLOWER_AFTER_MS 10000
#define PAGE_MAX_MS 10000

struct epilog {
	const char *kubeconfig, *node;
	uint32_t job_id;
	int64_t start_ms, deadline_ms;
	struct kube_client *client;
	/* results of the last look at the pods */
	bool done;
	int rc;
	unsigned int n;	 /* pods of the job that may run */
	bool unread;	 /* the list has one that cannot be read */
	bool labelled;	 /* only pods with the job's label are listed */
	char words[512]; /* a pod that may run, or why none can be seen */
};

static void usage(FILE *to)
{
	fprintf(to,
		"usage: k8s_epilog --kubeconfig FILE [--node NAME] "
		"[--wait SECONDS]\n\n"
		"End when the pods of the job SLURM_JOB_ID on this Kubernetes "
		"node have\n(Epilog of slurm.conf).\n\n"
		"  --kubeconfig FILE  the API server, and a credential\n"
		"  --node NAME        in Kubernetes (default: "
		"SLURMD_NODENAME)\n"
		"  --wait SECONDS     for so long at most (default: %d)\n"
		"  --version          print the version\n"
		"  --help             print this\n",
		WAIT_S);
}

static int on_pod(void *arg, json_object *item)
{
	struct epilog *e = arg;
	_cleanup_(bridged_pod_freep) struct bridged_pod *p =
		bridged_pod_of(item);

	if (!p || p->job_id != e->job_id || p->ended)
		return 0;
	e->n++;
	snprintf(e->words, sizeof(e->words), "pod %s/%s still runs", p->ns,
		 p->name);
	return 0;
}

/*
 * A pod that is too large to be read as a whole. Its author decides how long
 * its lists are and which label it has, so the pod's conditions say whose it
 * is, as those of any pod, also where nothing else can be read. Only where not
 * even the conditions can be read does the label say it.
 */
static void on_oversized(void *arg, const struct object_id *id)
{
	_cleanup_json_ json_object *part = NULL;
	struct epilog *e = arg;

	if (id->text &&
	    !partial_pod_read(id->text, id->text_len, &part, NULL)) {
		on_pod(e, part);
		return;
	}
	if (id->text &&
	    !partial_pod_read_binder(id->text, id->text_len, &part, NULL)) {
		if (bridged_pod_bound_by(part) != e->job_id)
			return;
	} else {
		e->unread = true;
		if (!e->labelled)
			return;
	}
	e->n++;
	snprintf(e->words, sizeof(e->words), "pod %.100s/%.250s cannot be read",
		 id->ns, id->name);
}

static void on_restart(void *arg)
{
	struct epilog *e = arg;

	e->n = 0;
}

static void on_done(void *arg, const struct kube_result *res,
		    const char *version)
{
	struct epilog *e = arg;

	(void)version;
	e->done = true;
	e->rc = res->rc;
	if (res->rc)
		snprintf(e->words, sizeof(e->words),
			 "its pods cannot be seen: %.400s", res->err->msg);
}

/*
 * Pods that have ended by their phase are no concern, and there is no end to
 * how many of them a user may leave on a node, nor how large. The kubelet gives
 * a pod such a phase only when its containers have ended (pkg/kubelet/status).
 * Kubernetes' collector of pods gives it to pods whose Node object is gone, and
 * deletes them by force then: soon they would not be listed anyway.
 */
#define NOT_ENDED "status.phase!=Succeeded,status.phase!=Failed"

/*
 * List the node's pods; `labels` NULL: all of them. The list may take until the
 * end of --wait; one that begins late has the time of one page.
 */
static int list_pods(struct epilog *e, const char *labels)
{
	_cleanup_free_ char *fields =
		str_printf("spec.nodeName=%s," NOT_ENDED, e->node);
	const struct kube_ref ref = {.api = KUBE_CORE_V1, .resource = "pods"};
	const struct kube_select sel = {.fields = fields, .labels = labels};
	const int64_t least = clock_ms() + PAGE_MAX_MS;
	const struct kube_list_reply to = {
		.on_item = on_pod,
		.on_oversized = on_oversized,
		.on_restart = on_restart,
		.on_done = on_done,
		.arg = e,
		.deadline_ms = e->deadline_ms > least ? e->deadline_ms : least,
		.page_ms = PAGE_MAX_MS,
	};

	e->done = e->unread = false;
	e->labelled = labels != NULL;
	e->n = 0;
	if (!fields || !kube_list(e->client, &ref, &sel, 0, &to))
		return -ENOMEM;
	while (!e->done)
		kube_client_step(e->client, 1000);
	return e->rc;
}

/*
 * Look at all pods of the node that have not ended: a selector for the job's
 * label would miss a pod of which only a condition says that it is the job's.
 * If some pods cannot be read even in part, and none of the others is the
 * job's, look at the pods with the job's label.
 */
static int look(struct epilog *e)
{
	_cleanup_free_ char *labels =
		str_printf("%s=%u", WK_BRIDGE_JOB_ID, e->job_id);
	int rc = labels ? list_pods(e, NULL) : -ENOMEM;

	return rc || e->n || !e->unread ? rc : list_pods(e, labels);
}

/*
 * Wait until the job's pods have ended. 0; -EBUSY, or the error of the last
 * look: they have not within --wait.
 */
static int wait_for_pods(struct epilog *e)
{
	for (;;) {
		int rc = look(e);
		int64_t now = clock_ms();

		if (!rc && !e->n)
			return 0;
		if (now >= e->deadline_ms) {
			log_error("job %u: %s, after %lld s", e->job_id,
				  e->words,
				  (long long)(now - e->start_ms) / 1000);
			return rc ? rc : -EBUSY;
		}
		clock_nap(now - e->start_ms < SLOWER_AFTER_MS ? LOOK_MS
							      : SLOWER_MS);
	}
}

static int read_number(const char *text, long max, uint32_t *out)
{
	char *end = NULL;
	long n = text && *text ? strtol(text, &end, 10) : 0;

	if (n < 1 || *end || n > max)
		return -EINVAL;
	*out = (uint32_t)n;
	return 0;
}

/* False: main returns *exit_code. */
static bool read_arguments(struct epilog *e, int argc, char **argv,
			   int *exit_code)
{
	static const struct option options[] = {
		{"kubeconfig", required_argument, NULL, 'k'},
		{"node", required_argument, NULL, 'n'},
		{"wait", required_argument, NULL, 'w'},
		{"help", no_argument, NULL, 'h'},
		{"version", no_argument, NULL, 'v'},
		{NULL, 0, NULL, 0}};
	uint32_t wait_s = WAIT_S;
	int c;

	e->node = getenv("SLURMD_NODENAME");
	*exit_code = 0;
	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (c == 'k') {
			e->kubeconfig = optarg;
		} else if (c == 'n') {
			e->node = optarg;
		} else if (c == 'v') {
			printf("k8s_epilog %s\n", SLURMK8S_VERSION);
			return false;
		} else if (c == 'h') {
			usage(stdout);
			return false;
		} else if (c != 'w' ||
			   read_number(optarg, WAIT_MAX_S, &wait_s)) {
			usage(stderr);
			*exit_code = 2;
			return false;
		}
	}
	if (!e->kubeconfig || !e->node || optind < argc ||
	    read_number(getenv("SLURM_JOB_ID"), UINT32_MAX, &e->job_id)) {
		usage(stderr);
		*exit_code = 2;
		return false;
	}
	e->start_ms = clock_ms();
	e->deadline_ms = e->start_ms + (int64_t)wait_s * 1000;
	return true;
}

int main(int argc, char **argv)
{
	struct kube_config *config = NULL;
	struct epilog e = {0};
	struct err err = {0};
	int code = 0, rc;

	if (!read_arguments(&e, argc, argv, &code))
		return code;
	process_setup();
	rc = unroot_load(e.kubeconfig, &config, &err);
	if (!rc)
		rc = kube_client_new(config, NULL, &e.client, &err);
	if (rc)
		log_error("job %u: %s", e.job_id, err.msg);
	else
		rc = wait_for_pods(&e);
	kube_client_free(e.client);
	kube_config_free(config);
	return rc ? 1 : 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * k8s_resume when Kubernetes refuses pods: their jobs go back to the queue,
 * also when slurmctld does not answer at once. Both answer as the test says.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/notify.h"
#include "fake_power.h"
#include "giveback.h"
#include "nodes/pod/manifest.h"
#include "slurm/ctl_resume.h"
#include "start.h"

#define NODES 3000

static struct {
	const char *refused;	   /* only this node's pod; NULL: all */
	const char *slow;	   /* this node's pod is under way for long */
	struct pod_op *under_way;  /* its */
	const char *up;		   /* this node registers */
	char removed[64];	   /* nodes whose pods were taken back */
	const char *kills;	   /* the node of a job that would be killed */
	const struct ctl_node *n2; /* what becomes of n2; or NULL */
	enum ctl_node_update n2_after; /* and after which update of ours */
	bool undecided;	     /* a pod may have been made all the same */
	bool refuses_to_end; /* no power-down begins in time */
	bool rebooting;	     /* with its power-down a node loses its Reason */
	bool job_requeueable;
	bool n3_waits; /* one by one they are drained, it as the last one */
	unsigned int lists_read;   /* of what jobs have */
	uint32_t resume_timeout_s; /* of n1, when partitions are asked; or 0 */
	bool silent;		   /* they cannot be */
	int64_t time_ms;	   /* that the last pod had to be made */
	const char *said;	   /* the job's AdminComment before, or NULL */
	const char *features;	   /* of all nodes */
	const char *comment;	   /* their Comment, or NULL */
	const char *words;	   /* NULL: of a quota */
	bool unanswered;	   /* there were none */
	char says[WK_REASON_MAX];  /* the job's AdminComment now */
} played;

int64_t __wrap_clock_ms(void);
int64_t __wrap_clock_ms(void)
{
	return slurm.now;
}

void __wrap_clock_nap(int64_t ms);
void __wrap_clock_nap(int64_t ms)
{
	T_OK(ms > 0);
	slurm.now += ms;
}

/* What k8s_resume had made of a node when it read the nodes. */
static struct ctl_node as_left(const char *name)
{
	const bool late = played.refuses_to_end;

	if (played.n3_waits && slurm.drained < 2 && !strcmp(name, "n3"))
		return (struct ctl_node){.power = CTL_POWERING_UP};
	if (slurm.seen == CTL_DRAIN)
		return (struct ctl_node){.power = CTL_POWERING_UP,
					 .drained = true,
					 .reason = slurm.reason};
	if (slurm.seen == CTL_POWER_DOWN_NEW)
		return (struct ctl_node){
			.power = late ? CTL_UP : CTL_POWERING_DOWN,
			.drained = late,
			.ending = late,
			.reason = played.rebooting ? NULL : slurm.reason};
	return (struct ctl_node){.power = CTL_POWERING_UP};
}

bool __wrap_ctl_nodes_find(const struct ctl_nodes *n, const char *name,
			   struct ctl_node *out);
bool __wrap_ctl_nodes_find(const struct ctl_nodes *n, const char *name,
			   struct ctl_node *out)
{
	*out = (struct ctl_node){.power = CTL_POWERING_UP};
	if (n) {
		*out = as_left(name);
		if (played.n2 && !strcmp(name, "n2") &&
		    slurm.seen == played.n2_after)
			*out = *played.n2;
		if (played.up && !strcmp(name, played.up))
			out->power = CTL_UP;
	}
	out->name = name;
	out->cloud = true;
	out->features_active = played.features;
	out->comment = played.comment;
	return true;
}

int __wrap_ctl_jobs_load(struct ctl_jobs **out, struct err *err);
int __wrap_ctl_jobs_load(struct ctl_jobs **out, struct err *err)
{
	(void)err;
	*out = (struct ctl_jobs *)&slurm;
	return 0;
}

void __wrap_ctl_jobs_free(struct ctl_jobs *j);
void __wrap_ctl_jobs_free(struct ctl_jobs *j)
{
	(void)j;
}

void __wrap_ctl_jobs_drain_kills(const struct ctl_jobs *j,
				 void (*fn)(void *arg, const char *node),
				 void *arg);
void __wrap_ctl_jobs_drain_kills(const struct ctl_jobs *j,
				 void (*fn)(void *arg, const char *node),
				 void *arg)
{
	(void)j;
	played.lists_read++;
	if (played.kills) {
		fn(arg, played.kills);
		fn(arg, played.kills); /* another job there */
	}
}

bool __wrap_ctl_job_requeueable(const struct ctl_jobs *j, uint32_t job_id);
bool __wrap_ctl_job_requeueable(const struct ctl_jobs *j, uint32_t job_id)
{
	(void)j, (void)job_id;
	return played.job_requeueable;
}

int __wrap_ctl_job_comment(const struct ctl_jobs *j, uint32_t job_id,
			   const char *text, struct err *err);
int __wrap_ctl_job_comment(const struct ctl_jobs *j, uint32_t job_id,
			   const char *text, struct err *err)
{
	(void)j, (void)job_id, (void)err;
	str_copy(played.says, text, sizeof(played.says));
	return 0;
}

const char *__wrap_ctl_job_says(const struct ctl_jobs *j, uint32_t job_id);
const char *__wrap_ctl_job_says(const struct ctl_jobs *j, uint32_t job_id)
{
	(void)j;
	T_INT(job_id, 7);
	return played.said;
}

int __wrap_ctl_wait_powering_down(char *const names[], size_t n, int64_t ms,
				  struct err *err);
int __wrap_ctl_wait_powering_down(char *const names[], size_t n, int64_t ms,
				  struct err *err)
{
	(void)names, (void)n, (void)ms;
	return played.refuses_to_end ? err_set(err, -ETIMEDOUT, "not begun")
				     : 0;
}

int __wrap_ctl_resume_shortest(char *const nodes[], size_t n, bool reboot,
			       struct ctl_resume *out, struct err *err);
int __wrap_ctl_resume_shortest(char *const nodes[], size_t n, bool reboot,
			       struct ctl_resume *out, struct err *err)
{
	T_OK(n && !reboot);
	if (played.silent)
		return err_set(err, -EIO, "timed out");
	if (played.resume_timeout_s)
		*out = (struct ctl_resume){played.resume_timeout_s, nodes[0]};
	return 0;
}

int __wrap_manifest_make(const char *of, const struct nodeset *k,
			 const struct node_facts *node, struct manifest *out,
			 struct err *err);
int __wrap_manifest_make(const char *of, const struct nodeset *k,
			 const struct node_facts *node, struct manifest *out,
			 struct err *err)
{
	(void)of, (void)k, (void)node, (void)err;
	out->pod_json = json_object_new_object();
	return 0;
}

void __wrap_pod_ensure(struct pod_op *op);
void __wrap_pod_ensure(struct pod_op *op)
{
	played.time_ms = op->opt.deadline_ms - slurm.now;
	if (played.slow && !strcmp(op->opt.node, played.slow)) {
		played.under_way = op;
		return;
	}
	if (played.refused && strcmp(op->opt.node, played.refused) != 0) {
		op->outcome = POD_OP_CREATED;
	} else {
		op->outcome = POD_OP_FAILED;
		op->refused = !played.unanswered;
		op->undecided = played.undecided;
		err_set(&op->err, -EACCES, "%s",
			played.words ? played.words : "exceeded quota");
	}
	op->opt.on_done(op);
}

void __wrap_pod_remove(struct pod_op *op);
void __wrap_pod_remove(struct pod_op *op)
{
	const size_t n = strlen(played.removed);

	snprintf(played.removed + n, sizeof(played.removed) - n, "%s ",
		 op->opt.node);
	op->outcome = POD_OP_DELETED;
	op->opt.on_done(op);
}

void __wrap_power_step(struct power_run *run);
void __wrap_power_step(struct power_run *run)
{
	struct pod_op *op = played.under_way;

	(void)run;
	slurm.now += 10;
	if (!op || !op->give_up)
		return;
	played.under_way = NULL;
	op->outcome = POD_OP_FAILED;
	op->undecided = true;
	err_set(&op->err, -ECANCELED, "given up");
	op->opt.on_done(op);
}

static struct feature jax = {.name = (char *)"jax"};
static const struct features known = {&jax, 1};

static char notify_name[sizeof(((struct ctl_site *)NULL)->notify_name)];

/* k8s_resume NODES for job 7 (or none), whose pods are all refused. */
static void resume(const char *nodes, bool for_job)
{
	static const struct program program = {.name = "k8s_resume"};
	struct resume_job job = {.job_id = 7, .nodes = (char *)nodes};
	struct power_run run = {
		.program = &program,
		.config = &config,
		.start_ms = slurm.now,
		.site = {.cluster = (char *)"test", .resume_timeout_s = 300}};

	if (for_job)
		run.file = (struct resumefile){.jobs = &job, .n_jobs = 1};
	config.power.deadline_ms = 60000;
	set.known = &known;
	set.failover = (struct failover){.cool_down_ms = 30000,
					 .cool_down_max_ms = 600000};
	str_copy(run.site.notify_name, notify_name,
		 sizeof(run.site.notify_name));
	T_INT(hostlist_expand(nodes, &run.nodes, NULL), 0);
	start_pods(&run, false);
	hostlist_clear(&run.nodes);
}

static void begin(void)
{
	memset(&slurm, 0, sizeof(slurm));
	slurm.now = 1000000;
	memset(&played, 0, sizeof(played));
	played.job_requeueable = true;
	t_log_clear();
}

static void a_job_goes_back_when_slurmctld_answers_again(void)
{
	for (unsigned int refusals = 0; refusals <= 3; refusals++) {
		int64_t at;

		t_row("%u", refusals);
		begin();
		slurm.refusals = refusals;
		at = slurm.now;
		resume("n[1-3]", true);
		T_INT(slurm.drained, 1);
		T_STR(slurm.drain, "n1,n2,n3");
		T_INT(slurm.commented, 3);
		T_STR(slurm.comment,
		      "k8s: again in 30 s (3 nodes): exceeded quota");
		T_HAS(t_log(), "job 7 goes back to the queue");
		/* (to roll back; before the power-down; before RESUME) */
		T_INT(slurm.loads, refusals + 4);
		T_OK(slurm.now - at >= refusals * 3000);
	}
}

/* (n1 ends before anybody asks why, and is the first of the nodes) */
static void the_refused_pod_is_why_not_one_that_was_given_up(void)
{
	begin();
	played.slow = "n1";
	played.refused = "n2";
	resume("n[1-3]", true);
	T_OK(!played.under_way);
	T_STR(slurm.drain, "n1,n2,n3");
	T_STR(slurm.comment, "k8s: again in 30 s (3 nodes): exceeded quota");
}

static void one_that_never_answers_is_not_waited_for_for_long(void)
{
	int64_t at;

	begin();
	slurm.refusals = 1000;
	at = slurm.now;
	resume("n[1-3]", true);
	T_INT(slurm.drained, 0);
	T_OK(slurm.loads < 8);
	T_OK(slurm.now - at < 30000);
	T_HAS(t_log(), "left to ResumeTimeout");
}

/* Of the gang's four nodes one is refused and one comes up. */
static void begin_half_up(unsigned int refusals)
{
	begin();
	played.refused = "n4";
	played.up = "n2";
	slurm.answers = 1; /* to the one who gives the job back */
	slurm.refusals = refusals;
}

static void the_pod_of_a_node_that_is_up_stays(void)
{
	for (unsigned int refusals = 0; refusals <= 3; refusals++) {
		t_row("%u", refusals);
		begin_half_up(refusals);
		resume("n[1-4]", true);
		T_STR(played.removed, "n1 n3 ");
		T_INT(slurm.loads, refusals + 4);
	}
}

/* A job may run on them: which are up, only slurmctld could say. */
static void no_pod_is_taken_back_unseen(void)
{
	int64_t at;

	begin_half_up(1000);
	at = slurm.now;
	resume("n[1-4]", true);
	T_STR(played.removed, "");
	T_HAS(t_log(), "3 pods are not taken back");
	T_STR(slurm.resume,
	      ""); /* SuspendProgram has its time to delete them */
	T_OK(slurm.loads > 2 && slurm.loads < 8);
	T_OK(slurm.now - at < 30000);
}

static void what_cannot_be_requeued_is_spared(void)
{
	begin();
	played.kills = "n2";
	resume("n[1-3]", true);
	T_STR(slurm.drain, "n1,n3");
	begin();
	played.job_requeueable = false;
	resume("n[1-3]", true);
	T_INT(slurm.drained, 0);
	begin();
	played.kills = "n2";
	resume("n2", true);
	T_INT(slurm.drained, 0);
}

/* Each of these nodes is by itself; the jobs' lists of nodes are read once. */
static void many_nodes_cost_one_look_at_the_jobs(void)
{
	char nodes[32];

	begin();
	played.kills = "n2";
	snprintf(nodes, sizeof(nodes), "n[1-%d]", NODES);
	resume(nodes, false);
	T_INT(slurm.drained, NODES - 1);
	T_OK(played.lists_read >= 1 && played.lists_read <= 20);
}

/* Before Slurm gives a node up all must be over. */
static void a_partition_may_have_less_time_than_others(void)
{
	static const struct {
		uint32_t own_s;
		bool silent;
		int64_t want_ms;
		const char *says; /* or NULL */
	} rows[] = {
		{0, false, 60000, NULL},
		{900, false, 60000, NULL},
		{65535, false, 60000, NULL},
		{90, false, 45000,
		 "60 s is cut to 45 s, for ResumeTimeout of node n1 is 90 s"},
		{30, false, 10000,
		 "cut to 10 s, for ResumeTimeout of node n1 is 30 s"},
		{30, true, 60000,
		 "timed out: ResumeTimeout is taken for 300 s"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%zu", i);
		begin();
		played.resume_timeout_s = rows[i].own_s;
		played.silent = rows[i].silent;
		resume("n1", true);
		T_INT(played.time_ms, rows[i].want_ms);
		if (rows[i].says)
			T_HAS(t_log(), rows[i].says);
		else
			T_LACKS(t_log(), "ResumeTimeout");
	}
}

/* What may become of n2 while k8s_resume waits for other pods. */
static const struct ctl_node has_come_up = {.power = CTL_UP, .busy = true},
			     powers_up_again = {.power = CTL_POWERING_UP,
						.busy = true},
			     somebody_elses = {.power = CTL_POWERING_UP,
					       .drained = true,
					       .reason = "maintenance"},
			     without_drain = {.power = CTL_POWERING_UP,
					      .reason = "k8s: exceeded quota"},
			     ended_by_another = {.power = CTL_POWERING_DOWN,
						 .reason =
							 "k8s: exceeded quota"};

static bool takes_the_name(const char *name)
{
	return notify_listen(name, NULL) >= 0;
}

/* Nodes that are left to an engine which is none would stay drained. */
static void only_the_engine_is_relied_on(void)
{
	pid_t pid;
	int fd;

	begin();
	snprintf(notify_name, sizeof(notify_name), "slurm-k8s-test/giveback/%d",
		 getpid());
	pid = t_as_stranger(takes_the_name, notify_name);
	resume("n[1-3]", true);
	T_INT(slurm.drained, 1);
	T_STR(slurm.resume, "n1,n2,n3");
	t_end(pid);
	begin();
	fd = notify_listen(notify_name, NULL);
	T_OK(fd >= 0);
	resume("n[1-3]", true);
	T_INT(slurm.drained, 1);
	T_STR(slurm.down, "n1,n2,n3");
	T_STR(slurm.resume, ""); /* the engine does that */
	/* and it may have done all of it already */
	begin();
	played.n2 = &powers_up_again;
	played.n2_after = CTL_DRAIN;
	resume("n[1-3]", true);
	T_STR(slurm.down, "n1,n3");
	close(fd);
	notify_name[0] = '\0';
}

/* While the jobs of others went back somebody has drained n2 himself. */
static void a_slow_slurmctld_is_asked_again_before_more_is_drained(void)
{
	begin();
	slurm.update_ms = 2500;
	played.n3_waits = true;
	played.n2 = &somebody_elses;
	played.n2_after = CTL_DRAIN;
	resume("n[1-3]", false);
	T_STR(slurm.drain, "n1");
	T_INT(slurm.drained, 2);
	T_INT(played.lists_read, 2);
	T_STR(slurm.down, "n1,n3");
	T_LACKS(t_log(), "slurmctld does not answer");
}

/* (backfill may hold its locks for seconds) */
static void its_lists_are_not_read_for_each_gang(void)
{
	begin();
	slurm.load_ms = 2500;
	slurm.update_ms = 1000;
	resume("n[1-20]", false);
	T_INT(slurm.drained, 5);
	T_INT(played.lists_read, 2); /* (the others count as drained then) */
}

/* An administrator may have written his own in the meantime. */
static void words_of_ours_are_taken_away_by_a_fresh_look(void)
{
	static const struct {
		const char *comment;
		bool ours;
	} rows[] = {{NULL, false}, {"mine", false}, {"k8s: quota", true}};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%zu", i);
		begin();
		played.refused = "none";
		played.comment = rows[i].comment;
		resume("n[1-3]", true);
		T_INT(slurm.loads, 1 + rows[i].ours);
		T_INT(slurm.commented, rows[i].ours ? 3 : 0);
		T_STR(slurm.comment, "");
	}
}

static void what_was_drained_may_be_somebody_elses_by_now(void)
{
	static const struct {
		const struct ctl_node *n2;
		bool undecided;
		const char *down, *undrain, *resume;
	} rows[] = {
		{NULL, false, "n1,n2,n3", "", "n1,n2,n3"},
		{NULL, true, "n1,n2,n3", "n1,n2,n3", ""},
		{&has_come_up, false, "n1,n3", "", "n1,n3"},
		{&has_come_up, true, "n1,n3", "n1,n3", ""},
		{&powers_up_again, false, "n1,n3", "", "n1,n3"},
		{&powers_up_again, true, "n1,n3", "n1,n3", ""},
		{&somebody_elses, false, "n1,n3", "", "n1,n3"},
		{&somebody_elses, true, "n1,n3", "n1,n3", ""},
		{&without_drain, false, "n1,n3", "", "n1,n3"},
		{&ended_by_another, false, "n1,n3", "", "n1,n3"},
		{&ended_by_another, true, "n1,n3", "n1,n3", ""},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%zu", i);
		begin();
		played.n2 = rows[i].n2;
		played.n2_after = CTL_DRAIN;
		played.undecided = rows[i].undecided;
		resume("n[1-3]", true);
		T_STR(slurm.drain, "n1,n2,n3");
		T_STR(slurm.down, rows[i].down);
		T_STR(slurm.undrain, rows[i].undrain);
		T_STR(slurm.resume, rows[i].resume);
		T_INT(slurm.commented, 3);
	}
}

/* The same between the power-down and what follows it. */
static void so_may_be_what_was_powered_down(void)
{
	static const struct ctl_node drained_anew = {.power = CTL_POWERING_DOWN,
						     .drained = true,
						     .reason = "maintenance"};
	static const struct {
		const struct ctl_node *n2;
		bool undecided, refuses_to_end;
		const char *undrain, *resume;
	} rows[] = {
		{NULL, false, true, "n1,n2,n3", ""},
		{&has_come_up, false, false, "", "n1,n3"},
		{&has_come_up, true, false, "n1,n3", ""},
		{&powers_up_again, false, false, "", "n1,n3"},
		{&powers_up_again, false, true, "n1,n3", ""},
		{&somebody_elses, true, false, "n1,n3", ""},
		{&drained_anew, false, false, "", "n1,n3"},
		{&drained_anew, true, false, "n1,n3", ""},
		{&drained_anew, false, true, "n1,n3", ""},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%zu", i);
		begin();
		played.n2 = rows[i].n2;
		played.n2_after = CTL_POWER_DOWN_NEW;
		played.undecided = rows[i].undecided;
		played.refuses_to_end = rows[i].refuses_to_end;
		resume("n[1-3]", true);
		T_STR(slurm.down, "n1,n2,n3");
		T_STR(slurm.undrain, rows[i].undrain);
		T_STR(slurm.resume, rows[i].resume);
	}
}

static void a_reboot_that_was_called_off_is_resumed(void)
{
	begin();
	played.rebooting = true;
	resume("n[1-3]", true);
	T_STR(slurm.resume, "n1,n2,n3");
}

/* It could only go by what was so before the wait for other pods. */
static void nothing_is_powered_down_unseen(void)
{
	begin();
	slurm.answers = 2; /* for the job, and for the roll-back */
	slurm.refusals = 1000;
	resume("n[1-3]", true);
	T_STR(slurm.drain, "n1,n2,n3");
	T_INT(slurm.updates, 1);
	T_INT(slurm.loads, 3);
	T_HAS(t_log(), "left to the engine, or to ResumeTimeout");
	begin();
	slurm.answers = 3; /* and for the power-down */
	slurm.refusals = 1000;
	resume("n[1-3]", true);
	T_STR(slurm.down, "n1,n2,n3");
	T_STR(slurm.undrain, "");
	T_STR(slurm.resume, "");
	T_HAS(t_log(), "wait for SuspendTimeout");
}

/* (the engine rests what the words say, and makes the job wait) */
static void what_a_job_has_chosen_is_said_with_what_was_refused(void)
{
	static const char foreign[] = "pod ns/n2: " WK_FOREIGN;
	static const struct {
		const char *what, *nodes, *features, *said, *words;
		bool unanswered, no_job, stays; /* not requeueable */
		const char *refused;		/* NULL: all */
		const char *want, *rings;
	} rows[] = {
		{"one plain node", "n1", "cpu", NULL, NULL, false, false, false,
		 NULL, "exceeded quota", "n1"},
		{"it was a gang before", "n1", "cpu",
		 "k8s: again in 30 s (3 nodes): x", NULL, false, false, false,
		 NULL, "exceeded quota", "n1"},
		{"a gang", "n[1-3]", "cpu", NULL, NULL, false, false, false,
		 "n2", "again in 30 s (3 nodes): exceeded quota", "n2"},
		{"a gang again", "n[1-3]", "cpu",
		 "k8s: again in 60 s (3 nodes): x", NULL, false, false, false,
		 NULL, "again in 120 s (3 nodes): exceeded quota", "n1"},
		{"features", "n1", "cpu,jax", NULL, NULL, false, false, false,
		 NULL, "again in 30 s (with features jax): exceeded quota",
		 "n1"},
		{"one node is the cause", "n[1-3]", "jax", NULL, foreign, false,
		 false, false, "n2", foreign, "n2"},
		{"no answer: the cluster", "n[1-3]", "jax", NULL, "timed out",
		 true, false, false, NULL, "timed out", "n1"},
		{"no job", "n1", "jax", NULL, NULL, false, true, false, NULL,
		 "exceeded quota", "n1"},
		{"its job stays", "n[1-3]", "cpu", NULL, NULL, false, false,
		 true, NULL, "exceeded quota", NULL},
	};
	char text[NOTIFY_TEXT_MAX], rings[NOTIFY_TEXT_MAX];

	snprintf(notify_name, sizeof(notify_name), "slurm-k8s-test/giveback/%d",
		 getpid());
	for (size_t i = 0; i < T_COUNT(rows); i++) {
		const int fd = notify_listen(notify_name, NULL);

		t_row("%s", rows[i].what);
		T_OK(fd >= 0);
		begin();
		played.features = rows[i].features;
		played.said = rows[i].said;
		played.words = rows[i].words;
		played.unanswered = rows[i].unanswered;
		played.refused = rows[i].refused;
		played.job_requeueable = !rows[i].stays;
		resume(rows[i].nodes, !rows[i].no_job);
		T_HAS(slurm.comment, rows[i].want);
		T_INT(strlen(slurm.comment), strlen(rows[i].want) + 5);
		if (!rows[i].no_job)
			T_STR(played.says, slurm.comment);
		T_INT(notify_read(fd, text), rows[i].rings ? 1 : 0);
		if (rows[i].rings) {
			snprintf(rings, sizeof(rings), "refused %s %s",
				 rows[i].rings, rows[i].want);
			T_STR(text, rings);
		}
		close(fd);
	}
	notify_name[0] = '\0';
}

T_MAIN("giveback", T(what_a_job_has_chosen_is_said_with_what_was_refused),
       T(only_the_engine_is_relied_on),
       T(a_partition_may_have_less_time_than_others),
       T(a_job_goes_back_when_slurmctld_answers_again),
       T(the_refused_pod_is_why_not_one_that_was_given_up),
       T(one_that_never_answers_is_not_waited_for_for_long),
       T(the_pod_of_a_node_that_is_up_stays), T(no_pod_is_taken_back_unseen),
       T(what_cannot_be_requeued_is_spared),
       T(many_nodes_cost_one_look_at_the_jobs),
       T(its_lists_are_not_read_for_each_gang),
       T(words_of_ours_are_taken_away_by_a_fresh_look),
       T(a_slow_slurmctld_is_asked_again_before_more_is_drained),
       T(what_was_drained_may_be_somebody_elses_by_now),
       T(so_may_be_what_was_powered_down),
       T(a_reboot_that_was_called_off_is_resumed),
       T(nothing_is_powered_down_unseen))

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How much of the queue a namespace may have. */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "bridge/reconcile/reconcile.h"
#include "t.h"

static int64_t now = 1000000;

int64_t __wrap_clock_ms(void);
int64_t __wrap_clock_ms(void)
{
	return now;
}

void queue_entry_touch(struct bridge *b, struct queue_entry *q)
{
	(void)b;
	q->look.touched = true;
}

void queue_entry_later(struct bridge *b, struct queue_entry *q, int64_t ms)
{
	(void)b;
	q->look.again_at = now + ms;
}

static struct namespace_config limits;
static struct bridge b;

static void begin(uint32_t jobs, uint32_t pods, uint32_t submits)
{
	now += 1000000;
	limits = (struct namespace_config){
		.max_jobs = jobs, .max_pods = pods, .submits_per_s = submits};
	b = (struct bridge){0};
}

/* Slurm has forgotten those that ended before; -1: all of them. */
static void forget(int64_t before)
{
	struct known_placeholder *k = NULL, *next = NULL;

	HASH_ITER(hh, b.jobs.identities, k, next)
	{
		if (before >= 0 && k->submit > before)
			continue;
		HASH_DELETE(hh, b.jobs.identities, k);
		free(k);
	}
}

static void end(void)
{
	struct queue_entry *q = NULL, *next = NULL;

	forget(-1);

	HASH_ITER(hh, b.queue, q, next)
	{
		HASH_DELETE(hh, b.queue, q);
		free(q);
	}
	quota_free(b.limits.caps);
}

/* A group; it has no job yet. */
static struct queue_entry *add(const char *key)
{
	const size_t size = strlen(key) + 1;
	struct queue_entry *q = calloc(1, sizeof(*q) + size);

	memcpy(q->key, key, size);
	q->job.state = PLACEHOLDER_NONE;
	HASH_ADD_KEYPTR(hh, b.queue, q->key, size - 1, q);
	return q;
}

static struct queue_entry *queue_entry_of(const char *key)
{
	struct queue_entry *q;

	HASH_FIND_STR(b.queue, key, q);
	return q;
}

/* Slurm has a job of this group, from now on. */
static void know(struct queue_entry *q)
{
	static uint32_t last;
	const size_t size = strlen(q->key) + 1;
	struct known_placeholder *k = calloc(1, sizeof(*k) + size);

	memcpy(k->key, q->key, size);
	k->job_id = q->job.id = ++last;
	k->submit = now;
	HASH_ADD(hh, b.jobs.identities, job_id, sizeof(k->job_id), k);
}

/* How many Slurm has of that namespace. */
static size_t kept(const char *ns)
{
	char has[BRIDGE_NS_MAX];
	size_t n = 0;

	for (struct known_placeholder *k = b.jobs.identities; k;
	     k = k->hh.next) {
		pod_group_key_ns(k->key, sizeof(has), has);
		n += !strcmp(has, ns);
	}
	return n;
}

static char words[256];

/* What becomes of a job for so many pods; as nodes/reconcile/apply.c does it.
 */
static enum quota_say submit_with(struct queue_entry *q, uint32_t pods,
				  char *exclude)
{
	const struct job_spec o = {
		.ns = &limits, .id.pods = pods, .exclude = exclude};
	enum quota_say said;

	*words = '\0';
	q->look.touched = false;
	said = quota_ask(&b, q, &o, sizeof(words), words);
	if (said != QUOTA_GO)
		return said;
	quota_sent(&b, q);
	know(q);
	quota_submitted(&b, q, &o);
	quota_excludes(&b, q, &o);
	q->job.state = PLACEHOLDER_PENDING;
	q->job.made_for = pods;
	return said;
}

static enum quota_say submit(struct queue_entry *q, uint32_t pods)
{
	return submit_with(q, pods, NULL);
}

static void a_namespace_has_so_many_jobs(void)
{
	struct queue_entry *q[5], *other;

	begin(2, 100, 1000);
	q[0] = add("0 team u1");
	q[1] = add("2 team job ");
	q[2] = add("0 team u3");
	q[3] = add("0 team u4");
	other = add("0 team-b u5");
	T_INT(submit(q[0], 1), QUOTA_GO);
	T_INT(submit(q[1], 1), QUOTA_GO);
	T_INT(submit(q[2], 1), QUOTA_FULL);
	T_STR(words, "namespace team has as many jobs in Slurm's queue as it "
		     "may have: 2 (maxJobs in k8s.yaml)");
	T_INT(submit(q[3], 1), QUOTA_FULL);
	T_INT(submit(other, 1), QUOTA_GO);
	/* nothing has changed */
	quota_step(&b);
	T_OK(!q[2]->look.touched && !q[3]->look.touched);
	/* one job ends: one of those that wait may come, the first */
	q[0]->job.state = PLACEHOLDER_ENDED;
	now += QUOTA_LOOK_MS;
	quota_step(&b);
	T_OK(q[2]->look.touched && !q[3]->look.touched);
	T_INT(submit(q[2], 1), QUOTA_GO);
	now += QUOTA_LOOK_MS;
	quota_step(&b);
	T_OK(!q[3]->look.touched);
	T_INT(submit(q[3], 1), QUOTA_FULL);
	end();
}

static void jobs_of_a_former_engine_count(void)
{
	struct queue_entry *q;

	begin(1, 100, 1000);
	q = add("0 team u1");
	q->job.state = PLACEHOLDER_RUNNING;
	q->job.made_for = 1;
	T_INT(submit(add("0 team u2"), 1), QUOTA_FULL);
	end();
}

static void a_namespace_has_so_many_pods(void)
{
	struct queue_entry *first, *gang, *one;

	begin(100, 10, 1000);
	first = add("2 team a ");
	gang = add("2 team b ");
	one = add("0 team u1");
	T_INT(submit(first, 12), QUOTA_GO); /* (it would never come in) */
	T_INT(submit(one, 1), QUOTA_FULL);
	T_STR(words, "namespace team has as many pods in Slurm's queue as it "
		     "may have: 10 (maxPods in k8s.yaml)");
	T_INT(submit(gang, 10), QUOTA_FULL);
	first->job.made_for = 9;
	now += QUOTA_LOOK_MS;
	quota_step(&b);
	T_OK(one->look.touched && !gang->look.touched);
	T_INT(submit(one, 1), QUOTA_GO);
	first->job.state = one->job.state = PLACEHOLDER_ENDED;
	now += QUOTA_LOOK_MS;
	quota_step(&b);
	T_OK(gang->look.touched);
	T_INT(submit(gang, 10), QUOTA_GO);
	end();
}

static void submissions_have_turns(void)
{
	const int burst = 10 * QUOTA_BURST_MS / 1000;
	struct queue_entry *q[128], *other;
	char key[32];
	int n = 0;

	begin(1000, 1000, 10);
	for (int i = 0; i < 128; i++) {
		snprintf(key, sizeof(key), "0 team u%d", i);
		q[i] = add(key);
	}
	other = add("0 team-b u");
	while (n < 128 && submit(q[n], 1) == QUOTA_GO)
		n++;
	T_INT(n, burst);
	T_STR(words, "namespace team submits as many jobs as it may: 10 a "
		     "second (submitsPerSecond in k8s.yaml)");
	T_INT(submit(other, 1), QUOTA_GO);
	T_INT(submit(q[n + 1], 1), QUOTA_RATE);
	T_INT(q[n]->quota.slot_at, now + 100);
	T_INT(q[n + 1]->quota.slot_at, now + 200);
	/* (its turn stays the same) */
	now += 50;
	T_INT(submit(q[n], 1), QUOTA_RATE);
	now += 50;
	T_INT(submit(q[n + 1], 1), QUOTA_RATE);
	T_INT(submit(q[n], 1), QUOTA_GO);
	now += 100;
	T_INT(submit(q[n + 1], 1), QUOTA_GO);
	T_INT(submit(q[n + 2], 1), QUOTA_RATE);
	end();
}

/* Thousands of pods are created, and deleted while they wait for their turn. */
static void who_goes_away_gives_its_turn_back(void)
{
	const int burst = 10 * QUOTA_BURST_MS / 1000;
	struct queue_entry *q[128], *other;
	char key[32];

	begin(1000, 1000, 10);
	for (int i = 0; i < 128; i++) {
		snprintf(key, sizeof(key), "0 team u%d", i);
		q[i] = add(key);
		T_INT(submit(q[i], 1), i < burst ? QUOTA_GO : QUOTA_RATE);
	}
	T_INT(q[127]->quota.slot_at, now + (128 - burst) * 100);
	/* (an Event is one group's, and not one that waits for a moment) */
	for (int i = 0; i < 128; i++)
		T_INT(q[i]->quota.event, i == burst + 19);
	other = add("0 team-b u");
	other->quota.slot_at = now + 7777; /* (of another namespace) */
	for (int i = burst + 1; i < 127; i++) {
		quota_leave(&b, q[i]);
		HASH_DELETE(hh, b.queue, q[i]);
		free(q[i]);
	}
	quota_step(&b);
	T_INT(q[burst]->quota.slot_at, now + 100);
	T_INT(q[127]->quota.slot_at, now + 200);
	T_INT(q[127]->look.again_at, now + 200);
	T_INT(other->quota.slot_at, now + 7777);
	now += 200;
	T_INT(submit(q[127], 1), QUOTA_GO);
	T_INT(submit(q[burst], 1), QUOTA_GO);
	/* and who comes then has the next */
	T_INT(submit(add("0 team v"), 1), QUOTA_RATE);
	T_INT(queue_entry_of("0 team v")->quota.slot_at, now + 100);
	/* also where all have gone */
	quota_leave(&b, queue_entry_of("0 team v"));
	quota_step(&b);
	T_INT(submit(add("0 team w"), 1), QUOTA_RATE);
	T_INT(queue_entry_of("0 team w")->quota.slot_at, now + 100);
	end();
}

/* One that is deleted at once: its job has ended. */
static enum quota_say submit_short(struct queue_entry *q)
{
	const enum quota_say said = submit(q, 1);

	if (said == QUOTA_GO)
		q->job.state = PLACEHOLDER_ENDED;
	return said;
}

/* 15 minutes of what was done in 5 s steps of these. */
struct quarter {
	long made, made_late, others, others_refused;
	size_t most, most_of_team;
};

/* Slurm purges each minute, and is asked for its jobs each 5 s. */
static void slurm_goes_on(int64_t t)
{
	if (t % 60000 == 0)
		forget(now - (int64_t)b.min_job_age_s * 1000);
	if (t % 5000 == 0)
		b.jobs.lists++;
}

static void pass_time(struct quarter *all)
{
	struct queue_entry *team = add("0 team u"), *other = add("0 team-b u");

	for (int64_t t = 5; t <= 900000; t += 5, now += 5) {
		slurm_goes_on(t);
		for (int i = 0; i < 4 && submit_short(team) == QUOTA_GO; i++) {
			all->made++;
			all->made_late += t > 300000;
		}
		/* a job each second, when the namespace has all that it may */
		if (t > 120000 && t % 1000 == 0) {
			all->others++;
			all->others_refused += submit_short(other) != QUOTA_GO;
		}
		if (t % 1000 == 0 && HASH_COUNT(b.jobs.identities) > all->most)
			all->most = HASH_COUNT(b.jobs.identities);
		if (t % 1000 == 0 && kept("team") > all->most_of_team)
			all->most_of_team = kept("team");
		quota_step(&b);
	}
}

/*
 * 200 a second, for as long as Slurm keeps a job, are 60,000: it takes 10,000
 * from everybody.
 */
static void short_jobs_of_a_namespace_leave_room_for_all(void)
{
	struct quarter all = {0};

	begin(5000, 10000, 200);
	b.max_jobs = 10000;
	b.min_job_age_s = 300;
	pass_time(&all);
	T_INT(all.most_of_team, 2500);
	T_OK(all.most <= 5000);
	T_INT(all.others, 780);
	T_INT(all.others_refused, 0);
	/* as many again each time that Slurm has forgotten them, 300 to 360 s
	 * later, less what others have */
	T_OK(all.made >= 2500 + 2 * 2200 && all.made <= 3 * 2500);
	T_OK(all.made_late >= 2 * 2200);
	end();
}

static void namespaces_share_what_slurm_keeps(void)
{
	static const struct {
		const char *key;
		int most;
	} rows[] = {{"0 a u", 50}, {"0 b u", 25}, {"0 c u", 13}, {"0 d u", 6}};

	begin(1000, 1000, 1000);
	b.max_jobs = 200;
	b.min_job_age_s = 300;
	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct queue_entry *q = add(rows[i].key);
		int n = 0;

		t_row("%s", rows[i].key);
		while (n < 1000 && submit_short(q) == QUOTA_GO)
			n++;
		T_INT(n, rows[i].most);
	}
	T_STR(words,
	      "namespace d has as many jobs in Slurm as it may have, ended "
	      "ones too, for 300 s (MinJobAge): pods have half of MaxJobCount "
	      "(200), a namespace half of what others leave of that");
	/* what is known of it is Slurm's: a new engine says the same */
	quota_free(b.limits.caps);
	b.limits.caps = NULL;
	T_INT(submit_short(queue_entry_of("0 a u")), QUOTA_FULL);
	T_INT(submit_short(queue_entry_of("0 b u")), QUOTA_FULL);
	/* nothing has changed, and then Slurm has forgotten all */
	now += QUOTA_LOOK_MS;
	quota_step(&b);
	T_OK(!queue_entry_of("0 a u")->look.touched);
	forget(-1);
	now += QUOTA_LOOK_MS;
	quota_step(&b);
	T_OK(!queue_entry_of("0 a u")->look.touched); /* it was not asked */
	b.jobs.lists++;
	now += QUOTA_LOOK_MS;
	quota_step(&b);
	T_OK(queue_entry_of("0 a u")->look.touched);
	T_INT(submit_short(queue_entry_of("0 a u")), QUOTA_GO);
	end();
}

/* As many are touched as there is room for. */
static void who_waits_for_what_slurm_keeps_comes_in_turn(void)
{
	struct queue_entry *q[80];
	char key[32];
	int n = 0;

	begin(1000, 1000, 1000);
	b.max_jobs = 200;
	for (int i = 0; i < 80; i++) {
		snprintf(key, sizeof(key), "0 team u%d", i);
		q[i] = add(key);
		T_INT(submit_short(q[i]), i < 50 ? QUOTA_GO : QUOTA_FULL);
	}
	for (int i = 0; i < 10; i++) {
		struct known_placeholder *k = b.jobs.identities;

		HASH_DELETE(hh, b.jobs.identities, k);
		free(k);
	}
	b.jobs.lists++;
	now += QUOTA_LOOK_MS;
	quota_step(&b);
	for (int i = 50; i < 80; i++)
		n += q[i]->look.touched;
	T_INT(n, 10);
	T_OK(q[50]->look.touched && q[59]->look.touched &&
	     !q[60]->look.touched);
	end();
}

/* Slurm keeps some jobs that it refuses, and an answer may be lost. */
static void what_slurm_was_asked_for_counts_until_it_is_known(void)
{
	struct queue_entry *q;

	begin(1000, 1000, 1000);
	b.max_jobs = 200;
	q = add("0 team u");
	for (int i = 0; i < 50; i++) {
		const struct job_spec o = {.ns = &limits, .id.pods = 1};

		T_INT(quota_ask(&b, q, &o, sizeof(words), words), QUOTA_GO);
		quota_sent(&b, q);
	}
	T_INT(submit_short(q), QUOTA_FULL);
	b.jobs.lists++; /* it has none of them */
	now += QUOTA_LOOK_MS;
	quota_step(&b);
	T_INT(submit_short(q), QUOTA_GO);
	end();
}

static void without_a_known_bound_there_is_none(void)
{
	struct queue_entry *q;

	begin(1000, 1000, 1000);
	q = add("0 team u");
	for (int i = 0; i < 500; i++)
		T_INT(submit_short(q), QUOTA_GO);
	end();
	/* the smallest one lets one job in */
	begin(1000, 1000, 1000);
	b.max_jobs = 1;
	q = add("0 team u");
	T_INT(submit_short(q), QUOTA_GO);
	T_INT(submit_short(q), QUOTA_FULL);
	end();
}

static int lines;

static void sink(enum log_level level, const char *line)
{
	T_INT(level, LOG_LEVEL_WARN);
	T_HAS(line, "bridge: namespace team has as many jobs in Slurm");
	lines++;
}

static void the_log_names_a_namespace_once_a_minute(void)
{
	const int64_t since = now;
	struct queue_entry *q;

	begin(1000, 1000, 1000);
	b.max_jobs = 4;
	b.min_job_age_s = 300;
	q = add("0 team u");
	lines = 0;
	log_set_sink(sink);
	T_INT(submit_short(q), QUOTA_GO);
	for (now = since; now < since + 150000; now += 1000) {
		T_INT(submit_short(q), QUOTA_FULL);
		b.jobs.lists++;
		quota_step(&b);
	}
	T_INT(lines, 3);
	log_set_sink(NULL);
	end();
}

/* They fit what a plan can say. */
static void words_are_short(void)
{
	char key[BRIDGE_NS_MAX + 8] = "0 ";
	struct queue_entry *q;

	begin(1000, 1000, 1000);
	b.max_jobs = 1000000;
	b.min_job_age_s = 86400;
	memset(key + 2, 'n', 63);
	strcat(key, " u");
	q = add(key);
	T_INT(submit_short(q), QUOTA_GO);
	for (int i = 1; i < 250000; i++)
		quota_sent(&b, q);
	T_INT(submit_short(q), QUOTA_FULL);
	T_OK(strlen(words) < BRIDGE_WORDS_MAX - 1);
	T_HAS(words, "leave of that");
	quota_free(b.limits.caps);
	b.limits.caps = NULL;
	b.jobs.identities->exclude = QUOTA_NAMES_MAX;
	T_INT(submit_with(q, 1, key), QUOTA_NAMES);
	T_OK(strlen(words) < BRIDGE_WORDS_MAX - 1);
	T_HAS(words, EXCLUDE_CURE);
	end();
}

static struct queue_entry *add_nth(const char *ns, int i)
{
	char key[64];

	snprintf(key, sizeof(key), "0 %s u%d", ns, i);
	return add(key);
}

static void lists_of_nodes_have_a_bound(void)
{
	char *names = t_repeat("n", EXCLUDE_MAX);
	const int each = 16 * 1024 * 1024 / EXCLUDE_MAX;
	struct queue_entry *q;
	int all = 0;

	begin(5000, 10000, 1000);
	for (int i = 0; i <= each; i++) {
		now += 1;
		q = add_nth("team", i);
		T_INT(submit_with(q, 1, names),
		      i < each ? QUOTA_GO : QUOTA_NAMES);
		all += i < each;
	}
	T_INT(all, 512);
	T_STR(words, "no room for another ExcNodeList of namespace team's "
		     "waiting jobs: " EXCLUDE_CURE);
	T_OK(q->quota.capped);
	/* jobs without one are let in, and others' with one */
	T_INT(submit(add("0 team plain"), 1), QUOTA_GO);
	T_INT(submit_with(add("0 team-b u"), 1, names), QUOTA_GO);
	/* what is known of it is Slurm's: a new engine says the same */
	quota_free(b.limits.caps);
	b.limits.caps = NULL;
	T_INT(submit_with(q, 1, names), QUOTA_NAMES);
	/* together they never have more */
	for (int i = 0; i < 20; i++) {
		char ns[8];

		snprintf(ns, sizeof(ns), "t%d", i);
		for (int n = 0; n < 1000; n++) {
			now += 1;
			if (submit_with(add_nth(ns, n), 1, names) != QUOTA_GO)
				break;
			all++;
		}
	}
	T_OK(all + 1 <= QUOTA_NAMES_MAX / EXCLUDE_MAX);
	T_OK(all + 1 >= QUOTA_NAMES_MAX / EXCLUDE_MAX - 2);
	free(names);
	end();
}

/* Six have started: as many come in, the first ones. */
static void who_waits_for_room_for_a_list_is_touched(void)
{
	char *names = t_repeat("n", EXCLUDE_MAX);
	struct queue_entry *q[600];
	int n = 0;

	begin(5000, 10000, 1000);
	for (int i = 0; i < 600; i++) {
		now += 1;
		q[i] = add_nth("team", i);
		submit_with(q[i], 1, names);
	}
	for (struct known_placeholder *k = b.jobs.identities; k && n < 6;
	     k = k->hh.next)
		if (k->exclude && ++n)
			k->exclude = 0;
	b.jobs.lists++;
	now += QUOTA_LOOK_MS;
	quota_step(&b);
	n = 0;
	for (int i = 512; i < 600; i++)
		n += q[i]->look.touched;
	T_INT(n, 6);
	T_OK(q[512]->look.touched && q[517]->look.touched &&
	     !q[518]->look.touched);
	free(names);
	end();
}

/* Nodes have changed: jobs that wait are to be told other lists. */
static void a_longer_list_needs_room(void)
{
	char *names = t_repeat("n", EXCLUDE_MAX);
	char few[] = "n1", fewer[] = "n";
	struct job_spec o = {.ns = &limits, .exclude = names};
	struct queue_entry *q;

	begin(5000, 10000, 1000);
	q = add("0 team u");
	T_INT(submit_with(q, 1, few), QUOTA_GO);
	T_OK(quota_may_exclude(&b, q, &o, sizeof(words), words));
	for (int i = 0; i < 512; i++) {
		now += 1;
		submit_with(add_nth("team", i), 1, names);
	}
	T_OK(!quota_may_exclude(&b, q, &o, sizeof(words), words));
	T_HAS(words, "no room for another ExcNodeList of namespace team");
	o.exclude = fewer;
	T_OK(quota_may_exclude(&b, q, &o, sizeof(words), words));
	o.exclude = NULL;
	T_OK(quota_may_exclude(&b, q, &o, sizeof(words), words));
	/* one that gets shorter makes room */
	q = queue_entry_of("0 team u7");
	quota_excludes(&b, q, &o);
	o.exclude = names;
	T_OK(quota_may_exclude(&b, q, &o, sizeof(words), words));
	quota_excludes(&b, q, &o);
	q = queue_entry_of("0 team u");
	T_OK(!quota_may_exclude(&b, q, &o, sizeof(words), words));
	/* of a job that is not known nothing is to be said */
	q->job.id = 0;
	T_OK(quota_may_exclude(&b, q, &o, sizeof(words), words));
	free(names);
	end();
}

T_MAIN("quota", T(a_namespace_has_so_many_jobs),
       T(jobs_of_a_former_engine_count), T(a_namespace_has_so_many_pods),
       T(submissions_have_turns), T(who_goes_away_gives_its_turn_back),
       T(short_jobs_of_a_namespace_leave_room_for_all),
       T(namespaces_share_what_slurm_keeps),
       T(who_waits_for_what_slurm_keeps_comes_in_turn),
       T(what_slurm_was_asked_for_counts_until_it_is_known),
       T(without_a_known_bound_there_is_none),
       T(the_log_names_a_namespace_once_a_minute), T(words_are_short),
       T(lists_of_nodes_have_a_bound),
       T(who_waits_for_room_for_a_list_is_touched), T(a_longer_list_needs_room))

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How often slurmctld is asked by the jobs that wait for a node. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/notify.h"
#include "prolog_wait.h"
#include "slurm/ctl.h"
#include "slurm/ctl_ready.h"
#include "t.h"

#define JOBS 12
#define UP_AFTER 4  /* looks of one job */
#define TURN_MS 100 /* at least, from look to look of those with one turn */

/* What all processes share. */
static struct {
	atomic_int looks, up;
} * all;
static int own_looks;

bool __wrap_ctl_job_is_waiting(uint32_t job_id, struct ctl_ready *seen);
bool __wrap_ctl_job_is_waiting(uint32_t job_id, struct ctl_ready *seen)
{
	(void)job_id;
	(void)seen;
	atomic_fetch_add(&all->looks, 1);
	if (++own_looks == UP_AFTER)
		atomic_store(&all->up, 1);
	return !atomic_load(&all->up);
}

/* All of them wait at these places; how often they have looked. */
static int looks_of_jobs(const struct prolog_places *places)
{
	pid_t children[JOBS];
	int bad = 0;

	atomic_store(&all->looks, 0);
	atomic_store(&all->up, 0);
	for (uint32_t i = 0; i < JOBS; i++) {
		children[i] = fork();
		if (!children[i]) {
			prolog_wait(i + 1, places, NULL, 60000);
			_exit(atomic_load(&all->up) ? 0 : 1);
		}
	}
	for (int i = 0; i < JOBS; i++) {
		int status = -1;

		waitpid(children[i], &status, 0);
		bad += status != 0;
	}
	T_INT(bad, 0);
	return atomic_load(&all->looks);
}

/* (what a start takes is not to be a quarter longer by it) */
static void a_pause_adds_little_to_a_start(void)
{
	static const struct {
		int64_t waited, want;
	} rows[] = {{0, 50},	  {400, 50},	 {800, 100},	{1600, 200},
		    {8000, 1000}, {40000, 5000}, {400000, 5000}};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%zu", i);
		T_INT(prolog_nap_ms(rows[i].waited), rows[i].want);
	}
}

/* One asks again and again; each of the others when it comes, and at the end.
 */
static void of_many_on_a_node_one_asks(void)
{
	struct prolog_places p = {0};

	snprintf(p.nodes, sizeof(p.nodes), "slurm-k8s-test/prolog/%d",
		 getpid());
	T_OK(looks_of_jobs(&p) <= 2 * JOBS + UP_AFTER);
	/* (so often without) */
	T_OK(looks_of_jobs(&(struct prolog_places){0}) > 2 * JOBS + UP_AFTER);
}

/*
 * Each has nodes of its own. The first look of each needs no turn, and the last
 * ones are the end; of those between each takes its time.
 */
static void of_many_with_one_turn_one_asks_at_a_time(void)
{
	struct prolog_places p = {0};
	const int64_t start = clock_ms();
	int64_t took;
	int looks;

	snprintf(p.turn, sizeof(p.turn), "slurm-k8s-test/turn/%d", getpid());
	looks = looks_of_jobs(&p);
	took = clock_ms() - start;
	T_OK(looks >= 2 * JOBS);
	T_OK(took >= (looks - 2 * JOBS) * TURN_MS);
}

/* Who cannot be waited for, as whoever took the name, makes them ask seldom. */
static bool holds_the_name(const char *name)
{
	return notify_hold(name) >= 0;
}

static void a_stranger_cannot_keep_a_job_waiting(void)
{
	static const struct prolog_places of_nodes = {
		.nodes = "slurm-k8s-test/prolog/stranger"};
	static const struct prolog_places of_turn = {
		.turn = "slurm-k8s-test/prolog/stranger"};

	for (int i = 0; i < 2; i++) {
		const struct prolog_places *p = i ? &of_turn : &of_nodes;
		pid_t pid = t_as_stranger(holds_the_name,
					  "slurm-k8s-test/prolog/stranger");
		const int64_t start = clock_ms();

		if (pid < 0)
			return;
		t_row("%d", i);
		atomic_store(&all->up, 0);
		own_looks = UP_AFTER - 2;
		prolog_wait(1, p, NULL, 60000);
		T_OK(atomic_load(&all->up));
		T_OK(clock_ms() - start < 30000);
		t_end(pid);
	}
}

static void the_time_is_kept(void)
{
	static const struct prolog_places rows[] = {
		{.nodes = "slurm-k8s-test/prolog/time"},
		{.turn = "slurm-k8s-test/prolog/time"},
	};
	const int fd = notify_hold("slurm-k8s-test/prolog/time");

	T_OK(fd >= 0);
	for (size_t i = 0; i < T_COUNT(rows); i++) {
		const int64_t start = clock_ms();

		own_looks = UP_AFTER; /* (it never comes up) */
		atomic_store(&all->up, 0);
		prolog_wait(1, &rows[i], NULL, 300);
		T_OK(clock_ms() - start >= 300);
		T_OK(!atomic_load(&all->up));
	}
	close(fd);
}

static struct prolog_places places_of(const char *nodes)
{
	struct prolog_places p;

	T_OK(!setenv("SLURM_JOB_NODELIST", nodes, 1));
	prolog_places(&p, "slurm-k8s-test", 7);
	return p;
}

static bool same_place(const char *nodes, const char *others)
{
	const struct prolog_places one = places_of(nodes);
	const struct prolog_places other = places_of(others);

	return *one.nodes && !strcmp(one.nodes, other.nodes);
}

/* Who waits for other nodes, too, is none to wait for. */
static void the_place_is_that_of_all_its_nodes(void)
{
	struct prolog_places p = places_of("cpu-[3-5],big-1");

	T_HAS(p.nodes, "slurm-k8s-test/prolog/");
	T_INT(strlen(p.nodes), strlen("slurm-k8s-test/prolog/") + 32);
	T_STR(p.turn, "slurm-k8s-test/prolog-turn/7");
	T_OK(same_place("cpu-3", "cpu-3"));
	T_OK(same_place("cpu-[3-5],big-1", "cpu-[3-5],big-1"));
	T_OK(!same_place("cpu-3", "cpu-[3-4]"));
	T_OK(!same_place("cpu-[3-4]", "cpu-[3-5]"));
	T_STR(places_of("").nodes, "");
	T_OK(!unsetenv("SLURM_JOB_NODELIST"));
	prolog_places(&p, "notify", UINT32_MAX);
	T_STR(p.nodes, "");
	T_STR(p.turn, "notify/prolog-turn/63");
}

/* (what is too long of a name is cut, and would not count) */
static void the_longest_places_are_whole(void)
{
	char notify_name[sizeof(((struct ctl_site *)NULL)->notify_name)] = "";
	const size_t room = sizeof(((struct sockaddr_un *)NULL)->sun_path);
	struct prolog_places p;

	memset(notify_name, 'b', sizeof(notify_name) - 1);
	T_OK(!setenv("SLURM_JOB_NODELIST", "cpu-3", 1));
	prolog_places(&p, notify_name, 127);
	T_OK(strlen(p.nodes) < room && strlen(p.turn) < room);
	T_INT(strlen(p.nodes), strlen(notify_name) + strlen("/prolog/") + 32);
	T_HAS(p.turn, "/prolog-turn/63");
}

/* Its first node is this one's, too, and up; another one is not. */
static void a_job_with_more_nodes_keeps_no_other_one_waiting(void)
{
	const struct prolog_places wide = places_of("cpu-[3-4]");
	const struct prolog_places narrow = places_of("cpu-3");
	const int fd = notify_hold(wide.nodes);

	T_OK(fd >= 0);
	own_looks = 0;
	atomic_store(&all->up, 0);
	prolog_wait(1, &narrow, NULL, 10000);
	T_OK(atomic_load(&all->up));
	close(fd);
}

/* Who is up already has nothing to start; nor is one asked twice. */
static void the_engine_is_told_of_a_job_that_waits(void)
{
	static const struct {
		const char *nodes;
		int looks; /* there were */
		const char *said;
	} rows[] = {
		{"cpu-3", UP_AFTER - 3, "allocated cpu-3"},
		{"cpu-[3-3]", UP_AFTER - 3, "allocated cpu-[3-3]"},
		{"cpu-[3-4]", UP_AFTER - 3, NULL},
		{"cpu-3", UP_AFTER - 1, NULL},
	};
	char name[64], text[NOTIFY_TEXT_MAX];
	int fd;

	snprintf(name, sizeof(name), "slurm-k8s-test/engine/%d", getpid());
	fd = notify_listen(name, NULL);
	T_OK(fd >= 0);
	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%zu", i);
		T_OK(!setenv("SLURM_JOB_NODELIST", rows[i].nodes, 1));
		atomic_store(&all->up, 0);
		own_looks = rows[i].looks;
		prolog_wait(1, &(struct prolog_places){0}, name, 60000);
		T_INT(notify_read(fd, text), rows[i].said != NULL);
		if (rows[i].said)
			T_STR(text, rows[i].said);
		T_INT(notify_read(fd, text), 0);
	}
	close(fd);
}

static void run(void)
{
	all = mmap(NULL, sizeof(*all), PROT_READ | PROT_WRITE,
		   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	T_NEED(all != MAP_FAILED);
	of_many_on_a_node_one_asks();
	of_many_with_one_turn_one_asks_at_a_time();
	a_stranger_cannot_keep_a_job_waiting();
	the_time_is_kept();
	a_job_with_more_nodes_keeps_no_other_one_waiting();
	the_engine_is_told_of_a_job_that_waits();
	munmap(all, sizeof(*all));
}

T_MAIN("prolog_wait", T(run), T(a_pause_adds_little_to_a_start),
       T(the_place_is_that_of_all_its_nodes), T(the_longest_places_are_whole))

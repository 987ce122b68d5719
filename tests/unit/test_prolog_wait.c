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
#define UP_AFTER 4 /* looks of one job */

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

/* All of them wait at that place; how often they have looked. */
static int looks_of_jobs(const char *place)
{
	pid_t children[JOBS];
	int bad = 0;

	atomic_store(&all->looks, 0);
	atomic_store(&all->up, 0);
	for (uint32_t i = 0; i < JOBS; i++) {
		children[i] = fork();
		if (!children[i]) {
			prolog_wait(i + 1, place, 60000);
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

/* One asks again and again; each of the others when it comes, and at the end.
 */
static void of_many_on_a_node_one_asks(void)
{
	char place[64];

	snprintf(place, sizeof(place), "slurm-k8s-test/prolog/%d", getpid());
	T_OK(looks_of_jobs(place) <= 2 * JOBS + UP_AFTER);
	/* (so often without) */
	T_OK(looks_of_jobs(NULL) > 2 * JOBS + UP_AFTER);
}

/* Who cannot be waited for, as whoever took the name, makes them ask seldom. */
static bool holds_the_name(const char *name)
{
	return notify_hold(name) >= 0;
}

static void a_stranger_cannot_keep_a_job_waiting(void)
{
	static const char name[] = "slurm-k8s-test/prolog/stranger";
	pid_t pid = t_as_stranger(holds_the_name, name);
	const int64_t start = clock_ms();

	if (pid < 0)
		return;
	atomic_store(&all->up, 0);
	own_looks = UP_AFTER - 2;
	prolog_wait(1, name, 60000);
	T_OK(atomic_load(&all->up));
	T_OK(clock_ms() - start < 30000);
	t_end(pid);
}

static void the_time_is_kept(void)
{
	const char *name = "slurm-k8s-test/prolog/time";
	const int fd = notify_hold(name);
	const int64_t start = clock_ms();

	own_looks = UP_AFTER; /* (it never comes up) */
	atomic_store(&all->up, 0);
	T_OK(fd >= 0);
	prolog_wait(1, name, 300);
	T_OK(clock_ms() - start >= 300);
	T_OK(!atomic_load(&all->up));
	close(fd);
}

static char *place_of(const char *nodes)
{
	T_OK(!setenv("SLURM_JOB_NODELIST", nodes, 1));
	return prolog_place("slurm-k8s-test");
}

static bool same_place(const char *nodes, const char *others)
{
	_cleanup_free_ char *one = place_of(nodes), *other = place_of(others);

	return one && other && !strcmp(one, other);
}

/* Who waits for other nodes, too, is none to wait for. */
static void the_place_is_that_of_all_its_nodes(void)
{
	_cleanup_free_ char *place = place_of("cpu-[3-5],big-1");

	T_HAS(place, "slurm-k8s-test/prolog/");
	T_INT(strlen(place), strlen("slurm-k8s-test/prolog/") + 32);
	T_OK(same_place("cpu-3", "cpu-3"));
	T_OK(same_place("cpu-[3-5],big-1", "cpu-[3-5],big-1"));
	T_OK(!same_place("cpu-3", "cpu-[3-4]"));
	T_OK(!same_place("cpu-[3-4]", "cpu-[3-5]"));
	T_OK(!place_of(""));
	T_OK(!unsetenv("SLURM_JOB_NODELIST"));
	T_OK(!prolog_place("notify"));
}

/* (what is too long of a name is cut, and would not count) */
static void the_longest_place_is_whole(void)
{
	char notify_name[sizeof(((struct ctl_site *)NULL)->notify_name)] = "";
	_cleanup_free_ char *place = NULL;

	memset(notify_name, 'b', sizeof(notify_name) - 1);
	T_OK(!setenv("SLURM_JOB_NODELIST", "cpu-3", 1));
	place = prolog_place(notify_name);
	T_NEED(place);
	T_OK(strlen(place) < sizeof(((struct sockaddr_un *)NULL)->sun_path));
}

/* Its first node is this one's, too, and up; another one is not. */
static void a_job_with_more_nodes_keeps_no_other_one_waiting(void)
{
	_cleanup_free_ char *wide = place_of("cpu-[3-4]");
	_cleanup_free_ char *narrow = place_of("cpu-3");
	const int fd = notify_hold(wide);

	T_OK(fd >= 0);
	own_looks = 0;
	atomic_store(&all->up, 0);
	prolog_wait(1, narrow, 10000);
	T_OK(atomic_load(&all->up));
	close(fd);
}

static void run(void)
{
	all = mmap(NULL, sizeof(*all), PROT_READ | PROT_WRITE,
		   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	T_NEED(all != MAP_FAILED);
	of_many_on_a_node_one_asks();
	a_stranger_cannot_keep_a_job_waiting();
	the_time_is_kept();
	a_job_with_more_nodes_keeps_no_other_one_waiting();
	munmap(all, sizeof(*all));
}

T_MAIN("prolog_wait", T(run), T(the_place_is_that_of_all_its_nodes),
       T(the_longest_place_is_whole))

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurm/ctl.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "slurm/back_reason.h"
#include "slurm/comment_text.h"
#include "slurm/release.h"
#include "slurm/rpc.h"

#define DEFAULT_CONF_DIR "/etc/slurm"
#define POLL_MS 300
#define NAMES_MAX (16u << 20) /* bytes of 65536 names */

void ctl_init(void)
{
	slurm_init(NULL);
}

/*
 * No public header declares slurm_conf, but each libslurm from 22.05 to 26.05
 * exports it, as all that is called slurm_.
 */
const slurm_conf_t *rpc_read_conf(void)
{
	return dlsym(RTLD_DEFAULT, "slurm_conf");
}

uint32_t ctl_prolog_timeout_s(void)
{
	const slurm_conf_t *conf = rpc_read_conf();

	return conf ? release_prolog_timeout(conf) : 0;
}

static char version[32];

static void write_version(void)
{
	const long v = SLURM_VERSION_NUMBER;

	snprintf(version, sizeof(version), "%ld.%02ld.%ld",
		 SLURM_VERSION_MAJOR(v), SLURM_VERSION_MINOR(v),
		 SLURM_VERSION_MICRO(v));
}

/* slurmctld's thread and the engine's may ask at one time. */
const char *ctl_version(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, write_version);
	return version;
}

int rpc_err(struct err *err, const char *what)
{
	int code = errno;

	return err_set(err, -EIO, "%s: %s", what, slurm_strerror(code));
}

/*
 * One second more: the clock of slurmctld's host may be ahead of this one by
 * that much.
 */
time_t rpc_since(time_t last_update)
{
	return last_update > time(NULL) + 1 ? 0 : last_update;
}

int rpc_update_job(job_desc_msg_t *desc, struct err *err)
{
	if (slurm_update_job(desc))
		return rpc_err(err, "slurmctld refuses the update of the job");
	return 0;
}

/*
 * True if node_features/k8s is in the list of NodeFeaturesPlugins, with its
 * class or without.
 */
static bool names_ours(const char *list)
{
	static const char class[] = "node_features/";

	while (list && *list) {
		size_t len = strcspn(list, ",");

		if (str_starts(list, class)) {
			list += sizeof(class) - 1;
			len -= sizeof(class) - 1;
		}
		if (len == 3 && !strncmp(list, "k8s", len))
			return true;
		list += len + (list[len] == ',');
	}
	return false;
}

static enum ctl_prolog prolog_of(const slurm_conf_t *conf)
{
	enum ctl_prolog prolog = CTL_PROLOG_NONE;
	const char *program;

	for (uint32_t i = 0; (program = release_prolog(conf, i)); i++) {
		const char *slash = strrchr(program, '/');

		if (!strcmp(slash ? slash + 1 : program, "k8s_prolog"))
			return CTL_PROLOG_OURS;
		if (*program)
			prolog = CTL_PROLOG_OTHER;
	}
	return prolog;
}

/* DEFAULT_EXPIRATION_WINDOW and the least that Slurm takes (cred.c) */
#define CRED_EXPIRE_S 120
#define CRED_EXPIRE_MIN_S 5

/* The number behind `key` in `options`; -1: it is not there. */
static long option(const char *options, const char *key)
{
	const char *at = options ? strcasestr(options, key) : NULL;

	return at ? strtol(at + strlen(key), NULL, 10) : -1;
}

/* What batch_requeue_fini() of slurmctld's job_mgr.c adds to the begin time. */
static uint32_t requeue_delay_s(const slurm_conf_t *conf)
{
	long s = release_has_requeue_delay()
			 ? option(conf->sched_params, "requeue_delay=")
			 : -1;

	if (s >= 0)
		return (uint32_t)s;
	s = option(conf->authinfo, "cred_expire=");
	return s < CRED_EXPIRE_MIN_S ? CRED_EXPIRE_S : (uint32_t)s;
}

int ctl_site_load(struct ctl_site *out, struct err *err)
{
	slurm_conf_t *conf = NULL;

	if (slurm_load_ctl_conf(0, &conf))
		return rpc_err(err, "cannot read slurmctld's configuration");
	out->cluster = conf->cluster_name ? strdup(conf->cluster_name) : NULL;
	out->resume_timeout_s = conf->resume_timeout;
	out->kill_wait_s = conf->kill_wait;
	out->max_jobs = conf->max_job_cnt;
	out->min_job_age_s = conf->min_job_age;
	out->has_features = names_ours(conf->node_features_plugins);
	out->has_stepmgr = conf->slurmctld_params &&
			   strstr(conf->slurmctld_params, "enable_stepmgr");
	out->suspends_external = release_suspends_external(conf);
	out->hides_suspended = !release_counts_memory(conf);
	out->starts_early = conf->ret2service == 2 && !conf->resume_rate;
	out->prolog = prolog_of(conf);
	out->prolog_timeout_s = release_prolog_timeout(conf);
	out->requeue_delay_s = requeue_delay_s(conf);
	out->expedites =
		conf->slurmctld_params &&
		strcasestr(conf->slurmctld_params, "enable_expedited_requeue");
	snprintf(out->notify_name, sizeof(out->notify_name),
		 "slurm-k8s/%.40s/%u",
		 conf->cluster_name ? conf->cluster_name : "",
		 conf->slurmctld_port);
	release_free_conf(conf);
	return out->cluster
		       ? 0
		       : err_set(err, -EIO, "slurmctld has no ClusterName");
}

static bool all_powering_down(const struct ctl_nodes *nodes,
			      char *const names[], size_t n)
{
	struct ctl_node node;

	for (size_t i = 0; i < n; i++)
		if (ctl_nodes_find(nodes, names[i], &node) &&
		    node.power != CTL_POWERING_DOWN &&
		    node.power != CTL_POWERED_DOWN)
			return false;
	return true;
}

int ctl_wait_powering_down(char *const names[], size_t n, int64_t timeout_ms,
			   struct err *err)
{
	int64_t deadline = clock_ms() + timeout_ms;

	for (;;) {
		_cleanup_(ctl_nodes_freep) struct ctl_nodes *nodes = NULL;
		int rc = ctl_nodes_load(&nodes, err);

		if (rc)
			return rc;
		if (all_powering_down(nodes, names, n))
			return 0;
		if (clock_ms() >= deadline)
			return err_set(
				err, -ETIMEDOUT,
				"Slurm has not begun to power the nodes down");
		clock_nap(POLL_MS);
	}
}

static uint32_t state_of(enum ctl_node_update what)
{
	switch (what) {
	case CTL_SET_COMMENT:
	case CTL_SET_EXTRA:
		return NO_VAL;
	case CTL_IDLE:
		return NODE_STATE_IDLE;
	case CTL_DOWN:
		return NODE_STATE_DOWN;
	case CTL_POWER_DOWN:
		return NODE_STATE_POWER_DOWN;
	case CTL_POWER_UP:
		return NODE_STATE_POWER_UP;
	case CTL_DRAIN:
		return NODE_STATE_DRAIN;
	case CTL_FAIL:
		return NODE_STATE_FAIL;
	case CTL_POWER_DOWN_FORCE:
	case CTL_POWER_DOWN_NEW:
		return NODE_STATE_POWER_DOWN | NODE_STATE_POWERED_DOWN;
	case CTL_RESUME:
		return NODE_RESUME;
	case CTL_UNDRAIN:
		return NODE_STATE_UNDRAIN;
	}
	return NO_VAL;
}

char *rpc_no_addresses(const char *nodes)
{
	static const char addr[] = "127.0.0.1,";
	release_hostlist list = slurm_hostlist_create(nodes);
	int n = list ? slurm_hostlist_count(list) : 0;
	char *text = n > 0 ? malloc(n * (sizeof(addr) - 1)) : NULL;

	for (int i = 0; text && i < n; i++)
		memcpy(text + i * (sizeof(addr) - 1), addr, sizeof(addr) - 1);
	if (text)
		text[n * (sizeof(addr) - 1) - 1] = '\0';
	if (list)
		slurm_hostlist_destroy(list);
	return text;
}

/* `resume_after_s`: 0: Slurm is not told when to resume them. */
static int update(const char *nodes, enum ctl_node_update what,
		  const char *text, uint32_t resume_after_s, struct err *err)
{
	_cleanup_free_ char *addresses =
		what == CTL_POWER_DOWN_NEW ? rpc_no_addresses(nodes) : NULL;
	update_node_msg_t msg;

	if (!text)
		text = back_reason(SLURM_VERSION_NUMBER, what);
	slurm_init_update_node_msg(&msg);
	msg.node_addr = addresses;
	msg.node_names = (char *)nodes;
	msg.node_state = state_of(what);
	if (what == CTL_SET_COMMENT) {
		msg.comment = (char *)text;
	} else if (what == CTL_SET_EXTRA) {
		msg.extra = (char *)text;
	} else if (text && *text) {
		msg.reason = (char *)text;
		release_sign(&msg);
	}
	if (resume_after_s)
		release_set_resume_after(&msg, resume_after_s);
	if (slurm_update_node(&msg))
		return rpc_err(err,
			       "slurmctld refuses the update of its nodes");
	return 0;
}

/*
 * For each of the nodes slurmctld looks through all its jobs, with its locks
 * held all the time (kill_running_job_by_node_ptr()): 2000 nodes and 50,000
 * jobs in one RPC would be 20 seconds.
 */
static bool ends_jobs(enum ctl_node_update what)
{
	return what == CTL_DOWN || what == CTL_POWER_DOWN_FORCE ||
	       what == CTL_POWER_DOWN_NEW;
}

/*
 * Move the first CTL_ENDS_MAX names of the list into `names`; `names` is empty
 * if the list is.
 */
static int take_some(release_hostlist list, struct buf *names)
{
	char *name;
	int rc = 0;

	buf_reset(names);
	for (int i = 0;
	     !rc && i < CTL_ENDS_MAX && (name = slurm_hostlist_shift(list));
	     i++) {
		rc = buf_add_item(names, name);
		free(name);
	}
	return rc;
}

static int update_all(const char *nodes, enum ctl_node_update what,
		      const char *text, uint32_t resume_after_s,
		      struct err *err)
{
	release_hostlist list =
		ends_jobs(what) ? slurm_hostlist_create(nodes) : NULL;
	_cleanup_buf_ struct buf names = BUF_INIT(NAMES_MAX);
	struct err more;
	int rc = 0;

	if (!list)
		return update(nodes, what, text, resume_after_s, err);
	for (;;) {
		if (take_some(list, &names)) {
			rc = err_oom(err);
			break;
		}
		if (!names.len)
			break;
		more = (struct err){0};
		if (update(buf_str(&names), what, text, resume_after_s,
			   &more) &&
		    !rc) {
			err_copy(err, &more);
			rc = -EIO;
		}
	}
	slurm_hostlist_destroy(list);
	return rc;
}

int ctl_node_update(const char *nodes, enum ctl_node_update what,
		    const char *text, struct err *err)
{
	return update_all(nodes, what, text, 0, err);
}

/*
 * Update the nodes of `names`, which Slurm is to resume at this time (epoch, s;
 * 0: never), and empty `names`. Returns `before`, or this update's result if
 * `before` is 0.
 */
static int keep_some(struct buf *names, enum ctl_node_update what,
		     int64_t resume_at_s, int before)
{
	const int64_t left_s = resume_at_s - clock_real_ms() / 1000;
	struct err err = {0};
	int rc = 0;

	if (names->len)
		rc = update_all(buf_str(names), what, NULL,
				!resume_at_s ? 0
				: left_s > 0 ? (uint32_t)left_s
					     : 1,
				&err);
	if (rc)
		log_error("%s: %s", buf_str(names), err.msg);
	buf_reset(names);
	return before ? before : rc;
}

int ctl_nodes_keep(const struct ctl_nodes *now, const char *nodes,
		   enum ctl_node_update what)
{
	_cleanup_free_ char *copy = strdup(nodes);
	_cleanup_buf_ struct buf never = BUF_INIT(NAMES_MAX),
				 some = BUF_INIT(NAMES_MAX);
	char *rest = copy, *name;
	struct ctl_node node;
	int64_t at_s = 0;
	int rc = 0;

	if (!copy) {
		log_error("%.100s: out of memory", nodes);
		return -ENOMEM;
	}
	while ((name = strsep(&rest, ","))) {
		if (!ctl_nodes_find(now, name, &node))
			continue;
		if (node.resume_at_s && node.resume_at_s != at_s) {
			rc = keep_some(&some, what, at_s, rc);
			at_s = node.resume_at_s;
		}
		if (buf_add_item(node.resume_at_s ? &some : &never, name)) {
			log_error("%s and the nodes after it are not updated: "
				  "out of memory",
				  name);
			rc = rc ? rc : -ENOMEM;
			break;
		}
	}
	rc = keep_some(&some, what, at_s, rc);
	return keep_some(&never, what, 0, rc);
}

int ctl_node_features(const char *nodes, const char *active,
		      const char *available)
{
	update_node_msg_t msg;
	struct err err = {0};
	int rc = 0;

	slurm_init_update_node_msg(&msg);
	msg.node_names = (char *)nodes;
	msg.features_act = (char *)active;
	msg.features = (char *)available;
	if (slurm_update_node(&msg))
		rc = rpc_err(&err, "slurmctld refuses the update of its nodes");
	if (rc)
		log_error("%s: %s", nodes, err.msg);
	return rc;
}

int ctl_node_try(const char *nodes, enum ctl_node_update what, const char *text)
{
	struct err err = {0};
	int rc = ctl_node_update(nodes, what, text, &err);

	if (rc)
		log_error("%s: %s", nodes, err.msg);
	return rc;
}

void ctl_reason(const char *words, char out[WK_REASON_MAX])
{
	const size_t n = strlen(WK_REASON_PREFIX);

	str_copy(out, WK_REASON_PREFIX, WK_REASON_MAX);
	str_shorten(out + n, words, WK_REASON_MAX - n);
}

/* True for a Comment that nobody has written, or we: it may be written over. */
static bool may_overwrite(const char *comment)
{
	return !comment || !*comment || str_starts(comment, WK_REASON_PREFIX);
}

static bool takes_comment(const struct ctl_nodes *n, const char *name,
			  const char *text)
{
	struct ctl_node node;

	return ctl_nodes_find(n, name, &node) && may_overwrite(node.comment) &&
	       strcmp(node.comment ? node.comment : "", text) != 0;
}

int ctl_nodes_comment(const struct ctl_nodes *n, char *const *nodes,
		      size_t count, const char *text, struct err *err)
{
	_cleanup_buf_ struct buf list = BUF_INIT(NAMES_MAX);

	for (size_t i = 0; i < count; i++)
		if (takes_comment(n, nodes[i], text) &&
		    buf_add_item(&list, nodes[i]))
			return err_oom(err);
	return list.len ? ctl_node_update(buf_str(&list), CTL_SET_COMMENT, text,
					  err)
			: 0;
}

int ctl_node_comment(const struct ctl_nodes *n, const char *name,
		     const char *text, struct err *err)
{
	char *const one[] = {(char *)name};

	return ctl_nodes_comment(n, one, 1, text, err);
}

static const job_info_t *find_job(const struct ctl_jobs *j, uint32_t id)
{
	for (uint32_t i = 0; i < j->msg->record_count; i++)
		if (release_job_id(&j->msg->job_array[i]) == id)
			return &j->msg->job_array[i];
	return NULL;
}

static bool may_requeue(const job_info_t *job)
{
	return job->batch_flag && job->requeue == 1;
}

bool ctl_job_requeueable(const struct ctl_jobs *j, uint32_t job_id)
{
	const job_info_t *job = find_job(j, job_id);

	return !job || may_requeue(job);
}

bool rpc_job_runs(const job_info_t *job)
{
	uint32_t base = job->job_state & JOB_STATE_BASE;

	return base == JOB_RUNNING || base == JOB_SUSPENDED;
}

void ctl_jobs_drain_kills(const struct ctl_jobs *j,
			  void (*fn)(void *arg, const char *node), void *arg)
{
	for (uint32_t i = 0; i < j->msg->record_count; i++) {
		const job_info_t *job = &j->msg->job_array[i];
		release_hostlist list;
		char *node;

		if (!rpc_job_runs(job) || may_requeue(job) || !job->nodes ||
		    !*job->nodes || !(list = slurm_hostlist_create(job->nodes)))
			continue;
		while ((node = slurm_hostlist_shift(list))) {
			fn(arg, node);
			free(node);
		}
		slurm_hostlist_destroy(list);
	}
}

const char *ctl_job_says(const struct ctl_jobs *j, uint32_t job_id)
{
	const job_info_t *job = find_job(j, job_id);

	return job ? job->admin_comment : NULL;
}

size_t ctl_jobs_count(const struct ctl_jobs *j)
{
	return j->msg->record_count;
}

static void on_its_nodes(const job_info_t *job, ctl_on_node_fn fn, void *arg)
{
	release_hostlist list = slurm_hostlist_create(job->nodes);
	char *node;
	struct ctl_occupant o = {
		.job_id = release_job_id(job),
		.requeueable = may_requeue(job),
		.uid = job->user_id,
		.user = job->user_name && *job->user_name ? job->user_name
							  : NULL,
		.account = job->account ? job->account : "",
		.admin_comment = job->admin_comment,
		.restarts = job->restart_cnt,
		.held = !job->priority,
	};

	if (!list)
		return;
	while ((node = slurm_hostlist_shift(list))) {
		o.node = node;
		fn(arg, &o);
		free(node);
	}
	slurm_hostlist_destroy(list);
}

void ctl_jobs_on_nodes(const struct ctl_jobs *j, ctl_on_node_fn fn, void *arg)
{
	for (uint32_t i = 0; i < j->msg->record_count; i++) {
		const job_info_t *job = &j->msg->job_array[i];

		if (rpc_job_runs(job) && job->nodes && *job->nodes)
			on_its_nodes(job, fn, arg);
	}
}

/*
 * How much later than the submit time of a requeue COMPLETING may end, from
 * which Slurm counts the delay.
 */
#define REQUEUE_SLACK_S 10

static enum ctl_job_wait wait_of(const job_info_t *job, uint32_t delay_s)
{
	const int64_t begin = job->eligible_time, now = time(NULL);
	const int64_t delay = release_is_expedited(job) ? 0 : delay_s;

	if ((job->job_state & JOB_COMPLETING) || rpc_job_runs(job))
		return CTL_JOB_ENDING;
	if ((job->job_state & JOB_STATE_BASE) != JOB_PENDING ||
	    !job->restart_cnt)
		return CTL_JOB_FREE;
	/*
	 * A requeue sets the submit time; a delay of another length is a user's
	 * --begin, or StartTime= of a job that waited. (Slurm itself sets one
	 * that has passed to 0 where something else has the job wait.)
	 */
	if (begin && llabs(begin - job->submit_time - delay) > REQUEUE_SLACK_S)
		return CTL_JOB_FREE;
	if (!job->priority)
		return CTL_JOB_HELD;
	return begin > now ? CTL_JOB_DELAYED : CTL_JOB_ELIGIBLE;
}

void ctl_jobs_sent_back(const struct ctl_jobs *j, uint32_t delay_s,
			ctl_sent_back_fn fn, void *arg)
{
	for (uint32_t i = 0; i < j->msg->record_count; i++) {
		const job_info_t *job = &j->msg->job_array[i];
		const enum ctl_job_wait wait = wait_of(job, delay_s);

		if (job->admin_comment && !rpc_job_runs(job) &&
		    str_starts(job->admin_comment, WK_REASON_PREFIX) &&
		    wait != CTL_JOB_FREE && wait != CTL_JOB_HELD)
			fn(arg, release_job_id(job), job->admin_comment, wait,
			   wait == CTL_JOB_ENDING ? time(NULL)
						  : job->submit_time);
	}
}

enum ctl_job_wait ctl_job_wait(uint32_t job_id, uint32_t delay_s)
{
	enum ctl_job_wait wait = CTL_JOB_FREE;
	job_info_msg_t *msg = NULL;

	errno = 0;
	if (release_load_job(&msg, job_id))
		return errno == ESLURM_INVALID_JOB_ID ? CTL_JOB_FREE
						      : CTL_JOB_ENDING;
	for (uint32_t i = 0; i < msg->record_count; i++)
		if (release_job_id(&msg->job_array[i]) == job_id)
			wait = wait_of(&msg->job_array[i], delay_s);
	release_free_jobs(msg);
	return wait;
}

void ctl_jobs_each_wait(const struct ctl_jobs *j, uint32_t delay_s,
			void (*fn)(void *arg, uint32_t job_id,
				   enum ctl_job_wait wait),
			void *arg)
{
	for (uint32_t i = 0; i < j->msg->record_count; i++)
		fn(arg, release_job_id(&j->msg->job_array[i]),
		   wait_of(&j->msg->job_array[i], delay_s));
}

int ctl_job_begin(uint32_t job_id, int64_t at_s, struct err *err)
{
	const time_t now = time(NULL);
	job_desc_msg_t desc;

	slurm_init_job_desc_msg(&desc);
	release_set_job_id(&desc, job_id);
	desc.begin_time = at_s > now ? (time_t)at_s : now;
	return rpc_update_job(&desc, err);
}

int ctl_job_hold(uint32_t job_id, struct err *err)
{
	job_desc_msg_t desc;

	slurm_init_job_desc_msg(&desc);
	release_set_job_id(&desc, job_id);
	desc.priority = 0;
	desc.alloc_sid = ALLOC_SID_USER_HOLD;
	return rpc_update_job(&desc, err);
}

int ctl_job_comment(const struct ctl_jobs *j, uint32_t job_id, const char *text,
		    struct err *err)
{
	const job_info_t *job = find_job(j, job_id);
	job_desc_msg_t desc;

	const char *asks = job ? comment_asks(job->admin_comment) : NULL;
	_cleanup_free_ char *both = NULL;

	if (!job || ((!asks || asks != job->admin_comment) &&
		     !may_overwrite(job->admin_comment)))
		return 0;
	both = comment_text(text, asks);
	if (!both)
		return err_oom(err);
	/*
	 * No RPC for a job that has this text already: a caller that tells many
	 * jobs, and begins anew after an error, soon reaches the jobs that are
	 * left.
	 */
	if (str_eq(job->admin_comment, both))
		return 0;
	slurm_init_job_desc_msg(&desc);
	release_set_job_id(&desc, job_id);
	desc.admin_comment = both;
	return rpc_update_job(&desc, err);
}

char *ctl_conf_dir(void)
{
	const char *conf = getenv("SLURM_CONF");
	const char *slash = conf ? strrchr(conf, '/') : NULL;

	if (slash && slash > conf)
		return strndup(conf, (size_t)(slash - conf));
	return strdup(DEFAULT_CONF_DIR);
}

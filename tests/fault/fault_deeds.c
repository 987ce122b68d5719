/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is taken back while it is under way, and what is said of deletions. */
#include "base/log.h"
#include "fault_bindings.h"

static struct bridge_work *w;

/* Its job ends in the very moment in which the pod is marked. */
static void on_line(enum log_level level, const char *line)
{
	(void)level;
	if (strstr(line, ": marked"))
		bridge_work_unbind(w, 7);
}

static void nothing_escapes_its_recall(void)
{
	_cleanup_link_ struct fault_link l = fault_link(NULL);

	w = work_of(10);
	fault_script("'rules':[{'path':'binding|status|events','do':'raw',"
		     "'code':201,'body':'{}','times':99}]");
	log_set_level(LOG_LEVEL_DEBUG);
	log_set_sink(on_line);
	T_OK(bridge_work_bind(w, &one, "w-1", 7, true));
	do_all(w, l.client);
	T_INT(fault_requests("PATCH", "p1/status"), 1);
	T_INT(fault_requests("POST", "p1/binding"), 0);
	T_OK(!bridge_work_has(w, DEED_BIND, "u1"));
	t_log_clear();
	bridge_work_free(w);
}

/* An Event says that a pod was deleted, and not that it was tried. */
static void a_deletion_is_told_when_it_was_done(void)
{
	static const struct {
		int code, events;
		const char *words;
	} rows[] = {
		{200, 1, ""},
		{404, 0, ""},
		{403, 0, "pods of jobs that ended stay"},
		{422, 0, "it cannot be deleted"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_link_ struct fault_link l = fault_link(NULL);
		const bool fails = *rows[i].words;
		struct bridge_failure f = {0};

		t_row("%d", rows[i].code);
		t_log_clear();
		w = work_of(10);
		fault_script("'rules':[{'method':'DELETE','path':'p1','do':"
			     "'%s','code':%d,'body':'{}','times':9},{'path':"
			     "'events','do':'raw','code':201,'body':'{}',"
			     "'times':99}]",
			     rows[i].code == 200 ? "raw" : "status",
			     rows[i].code);
		T_OK(bridge_work_delete(w, &one, 5, "Slurm job ended",
					"job 7 has ended"));
		do_all(w, l.client);
		T_INT(fault_requests("DELETE", "p1"), 1);
		T_INT(fault_requests("POST", "/events"), rows[i].events);
		T_INT(told, fails);
		T_INT(bridge_work_take(w, &f), fails);
		T_INT(f.what, DEED_DELETE);
		T_STR(f.uid, fails ? "u1" : "");
		T_HAS(t_log(), rows[i].words);
		bridge_work_free(w);
	}
}

T_MAIN("deeds", T(a_deletion_is_told_when_it_was_done),
       T(nothing_escapes_its_recall))

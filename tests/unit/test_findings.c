/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/cleanup.h"
#include "findings.h"
#include "kube/cred_expiry.h"
#include "rights.h"
#include "t.h"

static char *printed(const struct findings *f, bool json, bool all)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		abort();
	if (json)
		T_INT(findings_print_json(f, out), 0);
	else
		findings_print(f, out, false, all);
	fclose(out);
	return text;
}

static void findings_are_lines_with_what_to_do(void)
{
	_cleanup_free_ char *all = NULL, *problems = NULL, *json = NULL;
	struct findings f = {0};

	findings_add(&f, FINDING_OK, "one", NULL, "all is %s", "well");
	T_INT(findings_exit_code(&f), 0);
	findings_add(&f, FINDING_UNKNOWN, "two", NULL, "not\nseen");
	T_INT(findings_exit_code(&f), 2);
	findings_add(&f, FINDING_WRONG, "three", "mend it", "is bad");
	T_INT(findings_exit_code(&f), 1);
	all = printed(&f, false, true);
	T_STR(all, "ok       one                    all is well\n"
		   "UNKNOWN  two                    not seen\n"
		   "WRONG    three                  is bad\n"
		   "                                do: mend it\n"
		   "1 in order, 0 warnings, 1 wrong, 1 unknown, 0 skipped\n");
	problems = printed(&f, false, false);
	T_LACKS(problems, "all is well");
	T_HAS(problems, "mend it");
	json = printed(&f, true, true);
	T_STR(json, "{\"checks\":["
		    "{\"check\":\"one\",\"state\":\"ok\",\"text\":\"all is "
		    "well\"},"
		    "{\"check\":\"two\",\"state\":\"unknown\",\"text\":\"not "
		    "seen\"},"
		    "{\"check\":\"three\",\"state\":\"wrong\",\"text\":\"is "
		    "bad\",\"fix\":\"mend it\"}],\"exit\":1}\n");
	findings_clear(&f);
	T_INT(f.n, 0);
}

static void warnings_are_no_failure(void)
{
	struct findings f = {0};

	findings_add(&f, FINDING_WARN, "one", NULL, "slow");
	findings_add(&f, FINDING_SKIPPED, "two", NULL, "later");
	T_INT(findings_exit_code(&f), 0);
	findings_clear(&f);
}

static void tokens_tell_when_they_expire(void)
{
	/* {"exp":1900000000,"sub":"a?>"} */
	T_INT(kube_token_expires_ms(
		      "eyJhIjoxfQ.eyJleHAiOjE5MDAwMDAwMDAsInN1YiI6ImE_PiJ9.x"),
	      1900000000000);
	T_INT(kube_token_expires_ms("abcdef0123456789"), INT64_MAX);
	T_INT(kube_token_expires_ms("a.b"), INT64_MAX);
	T_INT(kube_token_expires_ms("a.!!!.c"), INT64_MAX);
	T_INT(kube_token_expires_ms("a..c"), INT64_MAX);
	/* {"exp":"soon"} */
	T_INT(kube_token_expires_ms("a.eyJleHAiOiJzb29uIn0.c"), INT64_MAX);
}

static void rights_are_asked_one_by_one(void)
{
	static const struct right r = {"policy", "things", "status", "get,list",
				       ""};
	_cleanup_json_ json_object *review =
		right_review(&r, "get,list", 3, "slurm");
	_cleanup_json_ json_object *yes =
		t_parse("{\"status\": {\"allowed\": true}}");
	_cleanup_json_ json_object *no =
		t_parse("{\"status\": {\"allowed\": false}}");
	_cleanup_json_ json_object *odd =
		t_parse("{\"status\": {\"allowed\": \"yes\"}}");

	T_JSON(review,
	       "{\"apiVersion\": \"authorization.k8s.io/v1\", \"kind\": "
	       "\"SelfSubjectAccessReview\", \"spec\": {\"resourceAttributes\":"
	       " {\"verb\": \"get\", \"group\": \"policy\", \"resource\": "
	       "\"things\", \"subresource\": \"status\", \"namespace\": "
	       "\"slurm\"}}}");
	T_INT(right_answer(yes), 1);
	T_INT(right_answer(no), 0);
	T_INT(right_answer(odd), -1);
	T_INT(right_answer(NULL), -1);
}

T_MAIN("findings", T(findings_are_lines_with_what_to_do),
       T(warnings_are_no_failure), T(tokens_tell_when_they_expire),
       T(rights_are_asked_one_by_one))

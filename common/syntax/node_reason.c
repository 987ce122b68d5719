/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "syntax/node_reason.h"

#include <string.h>

#include "base/str.h"
#include "syntax/wellknown.h"

static const char *const slurms[] = {
	"ResumeTimeout reached",    WK_REASON_SILENT,
	"POWER_DOWN_ASAP",	    "Reboot ASAP",
	"reboot requested",	    "reboot issued",
	WK_REASON_REBOOT_TIMED_OUT, WK_REASON_DUPLICATE,
};

bool node_reason_is_ours(const char *reason)
{
	return reason && str_starts(reason, WK_REASON_PREFIX);
}

static bool is_one_of_slurms(const char *text, size_t len)
{
	for (size_t i = 0; i < sizeof(slurms) / sizeof(*slurms); i++)
		if (strlen(slurms[i]) == len && !memcmp(slurms[i], text, len))
			return true;
	return false;
}

bool node_reason_is_slurms(const char *reason)
{
	const char *end;

	if (!reason)
		return false;
	for (; (end = strstr(reason, NODE_REASON_BETWEEN));
	     reason = end + strlen(NODE_REASON_BETWEEN))
		if (!is_one_of_slurms(reason, (size_t)(end - reason)))
			return false;
	return is_one_of_slurms(reason, strlen(reason));
}

bool node_reason_is_slurms_last(const char *reason, const char *word)
{
	return node_reason_is_slurms(reason) && str_ends(reason, word);
}

bool node_reason_is_admins(bool drained, bool down, const char *reason)
{
	const bool has_words = reason && *reason;

	return (drained || (down && has_words)) &&
	       !node_reason_is_ours(reason) && !node_reason_is_slurms(reason);
}

bool node_extra_is_kept(const char *extra)
{
	return extra && str_starts(extra, WK_EXTRA_KEPT);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "base/cleanup.h"
#include "t.h"
#include "template_rules.h"

#define CONF                                                                   \
	"AuthInfo = socket=/run/m.socket,ttl=300\n"                            \
	"AuthType = auth/munge\n"                                              \
	"SlurmctldHost[0] = controller(192.0.2.1)\n"                           \
	"SlurmctldHost[1] = backup.example.org(cafe.example.org)\n"            \
	"SlurmctldPort = 6817-6819\n"

/* Findings about a nodeset whose template has this spec and this container. */
static void look(const char *conf_text, const char *spec, const char *slurmd,
		 struct findings *f)
{
	_cleanup_(config_freep) struct config *c = NULL;
	_cleanup_(site_config_freep) struct site_config *conf =
		site_config_read(conf_text);
	struct err err = {0};
	char text[2048];

	snprintf(text, sizeof(text),
		 "clusters: [{name: main, kubeconfig: k}]\n"
		 "nodesets: [{name: cpu, cluster: main, nodes: cpu-0, "
		 "podTemplate: {spec: {%s containers: [{name: slurmd%s}]}}}]\n",
		 spec, slurmd);
	T_INT(config_parse("k8s.yaml", text, strlen(text), &c, &err), 0);
	T_STR(err.msg, "");
	if (c)
		template_rules(c, conf, 2205, f);
}

struct row {
	const char *spec, *slurmd;
	enum finding_state state;
	const char *check, *text, *fix; /* NULL: all is in order */
};

static void finds(const char *conf, const struct row *r)
{
	struct findings f = {0};

	t_row("%s | %s", r->spec, r->slurmd);
	look(conf, r->spec, r->slurmd, &f);
	T_INT(f.n, 1);
	if (f.n == 1) {
		T_INT(f.v[0].state, r->state);
		T_STR(f.v[0].check, r->check ? r->check : "template");
		T_HAS(f.v[0].text, r->check ? r->text : "it fits slurm.conf");
		T_HAS(f.v[0].fix ? f.v[0].fix : "", r->check ? r->fix : "");
	}
	findings_clear(&f);
}

#define SERVER(text) ", env: [{name: SLURM_CONF_SERVER, value: '" text "'}]"
#define MOUNT(path) ", volumeMounts: [{name: key, mountPath: " path "}]"

static const struct row rows[] = {
	{"", ""},
	{"", SERVER("controller:6817,backup:6817")},
	{"", SERVER("controller.example.org:6819,backup:6818")},
	{"", SERVER("192.0.2.1,backup")},
	{"hostAliases: [{ip: 192.0.2.1, hostnames: [controller]}],",
	 SERVER("controller,backup")},
	{"hostAliases: [{ip: 192.0.2.7, hostnames: [other]}],",
	 SERVER("other:6817")},
	/* its address is a name, which the pods may see otherwise */
	{"hostAliases: [{ip: 192.0.2.7, hostnames: "
	 "[backup.example.org]}],",
	 ""},
	{"", SERVER("[2001:db8::1]:6820"), FINDING_WRONG, "SLURM_CONF_SERVER",
	 "asks port 6820 for slurm.conf, and slurmctld has 6817-6819",
	 "SLURM_CONF_SERVER: [2001:db8::1]:6817, then: scontrol"},
	{"", SERVER("controller:6816"), FINDING_WRONG, "SLURM_CONF_SERVER",
	 "asks port 6816", "pod template: SLURM_CONF_SERVER: controller:6817"},
	{"", SERVER("elsewhere:6817"), FINDING_WARN, "SLURM_CONF_SERVER",
	 "asks elsewhere for slurm.conf, which is "
	 "no SlurmctldHost",
	 "SLURM_CONF_SERVER: 192.0.2.1:6817,backup.example.org:6817, then"},
	{"", SERVER("controller:68x"), FINDING_WRONG, "SLURM_CONF_SERVER",
	 "asks port 68x for slurm.conf", "controller:6817, then"},
	{"hostAliases: [{ip: '2001:db8::1', hostnames: [controller]}, {ip: "
	 "192.0.2.1, hostnames: [controller]}],",
	 ""},
	{"hostAliases: [{ip: 192.0.2.9, hostnames: [x, controller]}],", "",
	 FINDING_WRONG, "hostAliases",
	 "look for controller at 192.0.2.9, and by slurm.conf "
	 "(SlurmctldHost) it is at 192.0.2.1",
	 "hostAliases: ip: 192.0.2.1 for controller"},
	{"", ", env: [{name: MUNGE_SOCKET, value: /run/m.socket}]"},
	{"", ", env: [{name: MUNGE_SOCKET, value: /run/n.socket}]",
	 FINDING_WRONG, "AuthInfo",
	 "at /run/m.socket, and the template's MUNGE_SOCKET is "
	 "/run/n.socket",
	 "pod template: MUNGE_SOCKET: /run/m.socket"},
	{"", MOUNT("/run/secrets/munge")},
	{"", MOUNT("/etc/site/keys")},
	{"", MOUNT("/run/secrets/slurm-site")},
	{"", MOUNT("/var/run/secrets/slurm/slurm.key"), FINDING_WRONG,
	 "AuthType", "the pods get slurm.key", "the Secret with munge.key"},
	{"", ", env: [{name: MUNGE_SOCKET, value: /var/run/m.socket}]"},
	{"", MOUNT("/run/secrets/slurm"), FINDING_WRONG, "AuthType",
	 "Slurm has auth/munge, and the pods get slurm.key",
	 "the Secret with munge.key at /run/secrets/munge"},
	{"", ", image: 'registry:5000/slurmd:22.05'"},
	{"", ", image: 'registry:5000/slurmd'"},
	{"", ", image: 'slurmd:3.11'"},
	{"", ", image: 'slurmd:12.04'"},
	{"", ", image: 'slurmd:22.051'"},
	{"", ", image: 'worker:26.04'"},
	{"", ", image: 'worker:26.12'"},
	{"", ", image: 'slurmd:v22.05.8-1@sha256:00'"},
	{"", ", image: 'slurmd:slurm-26.05.5'", FINDING_WARN, "image",
	 "has slurmd 26.05 by its tag, and slurmctld is 22.05, which "
	 "takes no newer one",
	 "one with slurmd 22.05"},
	{"", ", image: 'a/slurmd:21.08'", FINDING_WARN, "image",
	 "has slurmd 21.08 by its tag, and slurmctld is 22.05",
	 "one with slurmd 22.05"},
	{"securityContext: {runAsUser: 1000},", "", FINDING_WRONG,
	 "securityContext", "slurmd is not root", "take runAsUser"},
	{"securityContext: {runAsUser: 1000},",
	 ", securityContext: {runAsUser: 0}"},
	{"", ", securityContext: {runAsNonRoot: true}", FINDING_WRONG,
	 "securityContext", "slurmd is not root", "runAsNonRoot"},
	{"activeDeadlineSeconds: 3600,", "", FINDING_WARN,
	 "activeDeadlineSeconds", "ends a pod after 3600 s",
	 "take activeDeadlineSeconds out"},
};

static void templates_fit_slurm_conf(void)
{
	for (size_t i = 0; i < T_COUNT(rows); i++)
		finds(CONF, &rows[i]);
}

static void the_key_is_that_of_the_auth_plugin(void)
{
	static const struct row good = {"", MOUNT("/run/secrets/slurm")};
	static const struct row old_env = {
		"", ", env: [{name: MUNGE_SOCKET, value: /run/n.socket}]"};
	static const struct row munge = {
		"",
		MOUNT("/run/secrets/munge"),
		FINDING_WRONG,
		"AuthType",
		"Slurm has auth/slurm, and the pods get munge.key",
		"the Secret with slurm.key at /run/secrets/slurm"};
	static const struct row usual = {
		"",
		", env: [{name: MUNGE_SOCKET, value: /m}]",
		FINDING_WRONG,
		"AuthInfo",
		"at /run/munge/munge.socket.2, and",
		"munge.socket.2"};

	finds("AuthType = auth/slurm\n", &good);
	finds("AuthType = auth/slurm\n", &old_env);
	finds("AuthType = auth/slurm\n", &munge);
	finds("AuthType = auth/munge\n", &usual);
	finds("AuthType = auth/none\n", &good);
}

#define CONF6                                                                  \
	"AuthType = auth/none\n"                                               \
	"SlurmctldHost[0] = controller(2001:db8::1)\n"                         \
	"SlurmctldPort = 6817\n"

static void addresses_of_ipv6_are_one_however_they_are_written(void)
{
	static const struct row rows_v6[] = {
		{"", SERVER("[2001:db8::1]:6817")},
		{"", SERVER("[2001:0db8::0001]")},
		{"", SERVER("2001:db8:0::1")},
		{"hostAliases: [{ip: '2001:db8:0:0::1', hostnames: "
		 "[controller]}],",
		 SERVER("controller")},
		{"hostAliases: [{ip: '2001:db8::2', hostnames: [controller]}],",
		 "", FINDING_WRONG, "hostAliases",
		 "at 2001:db8::2, and by slurm.conf (SlurmctldHost) it is at "
		 "2001:db8::1",
		 "hostAliases: ip: 2001:db8::1 for controller"},
		{"", SERVER("[2001:db8::1]:6816"), FINDING_WRONG,
		 "SLURM_CONF_SERVER", "asks port 6816",
		 "SLURM_CONF_SERVER: [2001:db8::1]:6817"},
		{"", SERVER("elsewhere"), FINDING_WARN, "SLURM_CONF_SERVER",
		 "asks elsewhere", "SLURM_CONF_SERVER: [2001:db8::1]:6817"},
	};

	for (size_t i = 0; i < T_COUNT(rows_v6); i++)
		finds(CONF6, &rows_v6[i]);
}

static void two_controllers_may_share_an_address(void)
{
	static const struct row rows_shared[] = {
		{"", SERVER("192.0.2.100")},
		{"", SERVER("controller,backup")},
		{"", SERVER("controller"), FINDING_WARN, "SLURM_CONF_SERVER",
		 "asks only controller", "SLURM_CONF_SERVER: 192.0.2.100:6817"},
		{"hostAliases: [{ip: 192.0.2.100, hostnames: [controller]}],",
		 ""},
		{"hostAliases: [{ip: 192.0.2.9, hostnames: [controller]}],", "",
		 FINDING_WRONG, "hostAliases", "at 192.0.2.9", ""},
		{"", SERVER("elsewhere"), FINDING_WARN, "SLURM_CONF_SERVER",
		 "asks elsewhere", "SLURM_CONF_SERVER: 192.0.2.100:6817"},
	};
	static const struct row by_name = {"", SERVER("slurm")};

	for (size_t i = 0; i < T_COUNT(rows_shared); i++)
		finds(CONF "SlurmctldAddr = 192.0.2.100\n", &rows_shared[i]);
	finds(CONF "SlurmctldAddr = slurm.example.org\n", &by_name);
	finds(CONF "SlurmctldAddr = (null)\n", &rows[0]);
}

/* Else no pod starts while the one that it asks is down. */
static void of_two_controllers_both_are_asked(void)
{
	static const struct row rows_two[] = {
		{"", ""}, /* the image may know them */
		{"", SERVER("controller,backup")},
		{"", SERVER("192.0.2.1,cafe.example.org:6818")},
		{"hostAliases: [{ip: 192.0.2.1, hostnames: [one]}],",
		 SERVER("one,backup")},
		/* whose address these are is not known here */
		{"hostAliases: [{ip: 192.0.2.7, hostnames: [both]}],",
		 SERVER("both")},
		{"", SERVER("controller:6817"), FINDING_WARN,
		 "SLURM_CONF_SERVER",
		 "nodeset cpu: slurmd asks only controller:6817 for "
		 "slurm.conf, and Slurm has more controllers",
		 "pod template: SLURM_CONF_SERVER: "
		 "192.0.2.1:6817,backup.example.org:6817, then: scontrol"},
		{"hostAliases: [{ip: 192.0.2.1, hostnames: [controller]}],",
		 SERVER("backup,backup.example.org:6818"), FINDING_WARN,
		 "SLURM_CONF_SERVER",
		 "asks only backup,backup.example.org:6818 for",
		 "SLURM_CONF_SERVER: "
		 "controller:6817,backup.example.org:6817, then"},
	};
	static const struct row one = {"", SERVER("controller")};

	for (size_t i = 0; i < T_COUNT(rows_two); i++)
		finds(CONF, &rows_two[i]);
	finds("SlurmctldHost[0] = controller(192.0.2.1)\n", &one);
}

static void slurmd_is_slurmduser(void)
{
	static const struct row rows_user[] = {
		{"", ""},
		{"securityContext: {runAsUser: 64030, runAsNonRoot: true},",
		 ""},
		{"", ", securityContext: {runAsNonRoot: true}"},
		{"securityContext: {runAsUser: 0},", "", FINDING_WRONG,
		 "securityContext",
		 "slurmd is user 0 there, and slurm.conf has "
		 "SlurmdUser=slurm(64030), so it does not start",
		 "pod template: runAsUser: 64030 in securityContext, then"},
	};
	static const struct row root = {"securityContext: {runAsUser: 0},", ""};

	for (size_t i = 0; i < T_COUNT(rows_user); i++)
		finds("SlurmdUser = slurm(64030)\n", &rows_user[i]);
	finds("SlurmdUser = root(0)\n", &root);
}

T_MAIN("template_rules", T(templates_fit_slurm_conf),
       T(addresses_of_ipv6_are_one_however_they_are_written),
       T(two_controllers_may_share_an_address),
       T(of_two_controllers_both_are_asked), T(slurmd_is_slurmduser),
       T(the_key_is_that_of_the_auth_plugin))

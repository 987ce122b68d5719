# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A Slurm of its own in a private directory, driving a Kubernetes namespace of
# its own: what demo and tests run on. Nothing under /etc is read or written.
#
# Needs TOP, and uses etc/*.example and etc/kubernetes as they are, with host,
# ports, paths and image put in place.
#
#   SITE        the directory: slurm.conf, k8s.yaml, logs, keys, programs
#   SITE_KUBE   an administrator's kubeconfig
#   SITE_IMAGE  the worker image
#   SITE_NS     the namespace, made by us and deleted at the end
#   SITE_IP     where pods reach this host
#   SITE_DNS    set: slurmctld needs DNS, for the API server has a name
#   SITE_RELEASE, SITE_BUILD: see site-release.sh
#   SITE_SANITIZED: see site-sanitized.sh

SITE_USER=k8sdemo
PLUGINS=/usr/lib/x86_64-linux-gnu/slurm-k8s
# shellcheck source=script/lib/family.sh
. "$TOP/script/lib/family.sh"
# shellcheck source=script/lib/site-release.sh
. "$TOP/script/lib/site-release.sh"
# shellcheck source=script/lib/site-watch.sh
. "$TOP/script/lib/site-watch.sh"
# shellcheck source=script/lib/site-sanitized.sh
. "$TOP/script/lib/site-sanitized.sh"

site_say() { printf '%s: %s\n' "${0##*/}" "$*"; }
site_die() {
	printf '%s: %s\n' "${0##*/}" "$*" >&2
	exit 1
}

# (it ends soon: without a collector it takes a quarter less of the processor)
kube() { GOGC=off GOMAXPROCS=1 kubectl --kubeconfig "$SITE_KUBE" "$@"; }
kns() { kube -n "$SITE_NS" "$@"; }

# As the ordinary user, with this site's slurm.conf
as_user() { inside setpriv --reuid "$SITE_USER" --regid "$SITE_USER" --clear-groups env -i PATH=/usr/bin:/bin SLURM_CONF="$SITE/slurm.conf" "$@"; }
# As SlurmUser: what slurmctld's own programs run as
as_slurm() { inside setpriv --reuid slurm --regid slurm --clear-groups env -i PATH=/usr/bin:/bin SLURM_CONF="$SITE/slurm.conf" "$@"; }

# wait_for SECONDS WHAT COMMAND...: poll until the command succeeds. SECONDS is what
# it takes at most on a machine that has nothing else to do; others get more.
wait_for() { within $(($1 > 90 ? $1 : 90)) "${@:2}"; }

# within SECONDS WHAT COMMAND...: the same, where the time is what is promised
# (WAIT_MAX: at most so long, for tests that are to fail. Functions of the caller's, if
# there are such: gave_up says more; until_COMMAND SECONDS waits without looking again and
# again, and is not believed if it fails.)
within() {
	local limit=${WAIT_MAX:-$1} what=$2
	local end=$((SECONDS + (limit < $1 ? limit : $1))) tries=0
	shift 2
	! declare -F "until_$1" >/dev/null || "until_$1" "$((end - SECONDS))" "${@:2}" || true
	until "$@" >/dev/null 2>&1; do
		if ((SECONDS >= end)); then
			echo "${0##*/}: gave up waiting for $what" >&2
			! declare -F gave_up >/dev/null || gave_up
			return 1
		fi
		# (to look costs processor time, which others want, and what is waited for)
		if ((++tries < 4)); then
			sleep 0.25
		elif ((tries < 8)); then
			sleep 0.5
		elif ((tries < 20)); then
			sleep 1
		else
			sleep 2
		fi
	done
}

# stays SECONDS COMMAND...: it succeeds now, and does not fail before that time is over
stays() {
	local end=$((SECONDS + $1))
	while ((SECONDS < end)); do
		"${@:2}" || return 1
		sleep 0.5
	done
}

# put FILE FROM TO: replace text that must be there
put() {
	grep -qF -- "$2" "$1" || site_die "internal: '$2' is not in $1"
	local from to
	from=$(sed 's/[]\/$*.^[]/\\&/g' <<<"$2")
	to=$(sed 's/[\/&]/\\&/g' <<<"$3")
	sed -i "s/$from/$to/g" "$1"
}

# free_port: one on which nobody listens, and which is promised to nobody else: a site has its ports
# before its daemons listen, and again after they have ended, while other sites look for theirs. (A
# port is promised as long as the folder of the site, or of the test, that asked is there.)
free_port() {
	local owner=${SITE:-} folder=${SLURM_K8S_TMP:-/tmp}
	# (not of those that connections take, while slurmctld is down for a moment)
	flock "$folder" python3 -c '
import glob, os, random, socket, sys
all, owner = sys.argv[1:]
promised = {os.path.basename(name) for site in ("", "*")
            for name in glob.glob(os.path.join(glob.escape(all), "slurm-k8s.*", site, "ports", "*"))}
while True:
    port = random.randrange(20000, 30000)
    if str(port) in promised:
        continue
    try:
        socket.socket().bind(("", port))
    except OSError:
        continue
    if owner:
        os.makedirs(os.path.join(owner, "ports"), exist_ok=True)
        open(os.path.join(owner, "ports", str(port)), "w").close()
    print(port)
    break' "$folder" "$owner"
}

site_install_programs() {
	site_install "$SITE/root" >"$SITE/log/install.log" 2>&1 ||
		site_die "ninja install failed, see $SITE/log/install.log"
	! site_sanitized || sanitized_install >>"$SITE/log/install.log" 2>&1 ||
		site_die "ninja install failed, see $SITE/log/install.log"
	SITE_BIN=$SITE/root/usr/libexec/slurm-k8s
}

site_munge() {
	install -d -o munge -g munge -m 755 "$SITE/munge"
	install -o munge -g munge -m 400 /dev/null "$SITE/munge/munge.key"
	head -c 1024 /dev/urandom >"$SITE/munge/munge.key"
	setpriv --reuid munge --regid munge --clear-groups munged --foreground \
		--key-file "$SITE/munge/munge.key" --socket "$SITE/munge/socket" \
		--pid-file "$SITE/munge/pid" --log-file "$SITE/munge/log" \
		--seed-file "$SITE/munge/seed" >/dev/null 2>&1 </dev/null 3>&- 9>&- &
	echo $! >"$SITE/munged.pid"
	wait_for 10 munged munge -n --socket "$SITE/munge/socket"
}

# The namespace, the rights of etc/kubernetes, Slurm's key, and a kubeconfig
# for SlurmUser with the ServiceAccount's token.
site_kubernetes() {
	local d=$SITE/kubernetes
	! kube get namespace "$SITE_NS" >/dev/null 2>&1 ||
		site_die "the namespace $SITE_NS exists already; delete it first"
	cp -r "$TOP/etc/kubernetes" "$d"
	sed -i "s/^\( *namespace:\) slurm$/\1 $SITE_NS/" "$d"/*.yaml
	sed -i "s/^  name: slurm$/  name: $SITE_NS/" "$d/namespace.yaml"
	# (these belong to no namespace: another site may have its own)
	sed -i "s/^\( *name: slurmctld-sees-nodes\)$/\1-$SITE_NS/" "$d"/clusterrole*.yaml
	touch "$SITE/namespace-made"
	kube apply -k "$d" >/dev/null
	site_key_secret
	kns apply -f - >/dev/null <<Y
apiVersion: v1
kind: Secret
metadata:
  name: slurmctld-token
  annotations: {kubernetes.io/service-account.name: slurmctld}
type: kubernetes.io/service-account-token
Y
	wait_for 30 "the token of the ServiceAccount" \
		sh -c "kubectl --kubeconfig '$SITE_KUBE' -n $SITE_NS get secret slurmctld-token -o jsonpath={.data.token} | grep -q ."
	wait_for 30 "the default ServiceAccount" kns get serviceaccount default
	site_kubeconfig "$SITE/kubeconfig"
}

# site_kubeconfig FILE: of the ServiceAccount slurmctld, mode 0600, SlurmUser's
site_kubeconfig() {
	local server ca
	server=$(kube config view --raw --minify -o jsonpath='{.clusters[0].cluster.server}')
	ca=$(kube config view --raw --minify --flatten -o jsonpath='{.clusters[0].cluster.certificate-authority-data}')
	install -o slurm -g slurm -m 600 /dev/null "$1"
	cat >"$1" <<Y
apiVersion: v1
kind: Config
clusters:
  - name: c
    cluster: {server: "$server", certificate-authority-data: $ca}
users:
  - name: slurmctld
    user: {token: $(kns get secret slurmctld-token -o jsonpath='{.data.token}' | base64 -d)}
contexts:
  - name: c
    context: {cluster: c, user: slurmctld}
current-context: c
Y
}

# The shipped examples, with this machine's host, ports and paths
site_configuration() {
	# shellcheck disable=SC2153 # SITE_IP is the caller's
	local f=$SITE/slurm.conf host ip=$SITE_IP
	host=$(hostname -s)
	cp "$TOP/etc/slurm.conf.example" "$f"
	put "$f" 'SlurmctldHost=controller(192.0.2.1)' "SlurmctldHost=$host($ip)"
	put "$f" SlurmctldPort=6817 "SlurmctldPort=$SITE_PORT"
	put "$f" /var/spool/slurmctld "$SITE/state"
	put "$f" /run/slurmctld.pid "$SITE/state/slurmctld.pid"
	put "$f" /var/log/slurm/slurmctld.log "$SITE/log/slurmctld.log"
	site_release_in_conf "$f"
	put "$f" /usr/libexec/slurm-k8s/k8s_prolog "$SITE/prolog"
	put "$f" /usr/libexec/slurm-k8s "$SITE_BIN"
	put "$f" "$PLUGINS" "$SITE/root$PLUGINS"
	# (22.05 does not tell a PrologSlurmctld where slurm.conf is)
	printf '#!/bin/sh\nSLURM_CONF=%s exec %s/k8s_prolog\n' "$SITE/slurm.conf" "$SITE_BIN" >"$SITE/prolog"
	chmod 755 "$SITE/prolog"
	cp "$TOP/etc/k8s.yaml.example" "$SITE/k8s.yaml"
	cp "$TOP/etc/worker.yaml.example" "$SITE/worker.yaml"
	put "$SITE/k8s.yaml" /etc/slurm/kubeconfig "$SITE/kubeconfig"
	put "$SITE/k8s.yaml" 'namespace: slurm' "namespace: $SITE_NS"
	put "$SITE/k8s.yaml" /var/log/slurm/power_k8s.log "$SITE/log/power_k8s.log"
	for f in "$SITE/k8s.yaml" "$SITE/worker.yaml"; do
		put "$f" "$PLUGINS" "$SITE/root$PLUGINS"
		put "$f" 192.0.2.1 "$ip"
		put "$f" '[controller]' "[$host]"
		put "$f" controller:6817 "$host:$SITE_PORT"
		site_key_in_pods "$f"
		put "$f" registry.example.org/slurmd:22.05 "$SITE_IMAGE"
	done
}

# Slurm looks up names of nodes while it holds a lock. A machine whose name
# server does not answer would make slurmctld stand still, so here it has none
# (unless the API server has a name).
site_nsswitch() {
	cp /etc/nsswitch.conf "$SITE/nsswitch.conf"
	[[ ${SITE_DNS:-} ]] || sed -i 's/^hosts:.*/hosts: files/' "$SITE/nsswitch.conf"
}

slurmctld_start() {
	! site_sanitized || sanitized_forks_end
	slurmctld_watched "$SITE/slurmctld.pid" slurmctld_exec
	wait_for 20 "slurmctld to answer" slurmctld_answers || {
		tail -n 20 "$SITE/log/slurmctld.log" >&2
		return 1
	}
}

# In the foreground it keeps its process on "scontrol reconfigure", in all releases
slurmctld_exec() {
	local run OPTIONS=()
	! site_sanitized || sanitized_slurmctld
	# (PATH as systemd gives it)
	run=(setpriv --reuid slurm --regid slurm --clear-groups env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin ${OPTIONS[@]+"${OPTIONS[@]}"} slurmctld -D -f "$SITE/slurm.conf")
	! site_in_tree || exec_inside "${run[@]}"
	site_nsswitch
	# shellcheck disable=SC2016 # the inner shell's
	exec unshare --mount --propagation private sh -c \
		'mount --bind "$0" /etc/nsswitch.conf && if [ -d "$1" ]; then mount --bind "$1" "$2"; fi && shift 2 && exec "$@"' \
		"$SITE/nsswitch.conf" "$SITE/sanitized/root$PLUGINS" "$SITE/root$PLUGINS" "${run[@]}"
}
slurmctld_answers() { as_user scontrol ping | grep -q 'is UP'; }

process_ended() { [[ ! -e /proc/$1 ]] || grep -q '^State:.[ZX]' "/proc/$1/status" 2>/dev/null; }

# end_process PIDFILE SIGNAL: end what we started, and wait for its end
end_process() {
	local pid
	[[ -s $1 ]] || return 0
	pid=$(<"$1")
	rm "$1"
	kill "-$2" "$pid" 2>/dev/null || return 0
	wait_for 30 "process $pid to end" process_ended "$pid" || kill -9 "$pid" 2>/dev/null || true
}

# site_prepare: everything but slurmctld, so that a caller can still change
# $SITE/slurm.conf, k8s.yaml and worker.yaml
site_prepare() {
	SITE=$(mktemp -d "${SLURM_K8S_TMP:-/tmp}/slurm-k8s.XXXXXX")
	chmod 755 "$SITE"
	mkdir "$SITE/log" "$SITE/state"
	chown slurm: "$SITE/log" "$SITE/state"
	SITE_NS=${SITE_NS:-slurm-$(basename "$SITE" | tr '[:upper:].' '[:lower:]-' | sed 's/^slurm-k8s-//')}
	SITE_PORT=$(free_port)
	site_install_programs
	site_tree_up
	site_key
	site_kubernetes
	site_configuration
}

# Steps of this machine's own slurmds go on without them: these are killed, with their tasks.
site_steps_end() {
	local step
	for step in $(stepds_of "$SITE"); do
		# shellcheck disable=SC2046 # numbers
		kill -KILL $(family "$step") 2>/dev/null || true
	done
}

# Leaves nothing behind, in whatever state the site is. (It fails if a slurmctld ended unasked.)
site_down() {
	local rc=0
	[[ ${SITE:-} ]] || return 0
	slurmctld_stop
	site_ends || rc=1
	site_steps_end
	end_process "$SITE/munged.pid" TERM
	end_process "$SITE/tree.pid" TERM
	if [[ -e $SITE/namespace-made ]]; then
		# (one request; kubectl would send one for each pod, slowly)
		kube delete --raw "/api/v1/namespaces/$SITE_NS/pods?gracePeriodSeconds=0" >/dev/null 2>&1 || true
		kube delete clusterrole,clusterrolebinding "slurmctld-sees-nodes-$SITE_NS" >/dev/null 2>&1 || true
		kube delete namespace "$SITE_NS" --wait=false >/dev/null 2>&1 || true
	fi
	rm -rf --one-file-system "$SITE"
	# (what jobs have written that ran on this machine itself)
	find /tmp -maxdepth 1 -user "$SITE_USER" -name 'slurm-[0-9]*.out' -delete
	SITE=
	return "$rc"
}

# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later

# machine: what a cluster and its tests change of this machine, and have to set back. (Others
# log in, and have networks of their own.)
machine() {
	{
		sysctl fs.inotify.max_user_instances net.ipv4.ip_forward vm.nr_hugepages
		awk '$2 !~ "^/run/(user|credentials)" { print "mount", $2 }' /proc/self/mounts
		find /sys/fs/cgroup -name 'k8s*' -prune -print
		find /sys/class/net \( -name '*k8s*' -o -name 'vctl-*' \) -print
		find /run /var/lib -maxdepth 1 -name 'slurm-k8s*'
		# (who is dead waits for this machine's process 1 to bury him)
		ps -eo s=,comm= | awk '$1 != "Z" && $2 ~ /^(slurm|sackd|munged|kube|etcd|containerd|runc|pause|jobset|lws)/ { print "runs", $2 }'
	} 2>/dev/null | sort
}

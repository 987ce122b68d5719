# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later

# family PID...: these processes and all that descend from them, youngest last
family() {
	local all=("$@") more
	while ((${#all[@]})); do
		printf '%s\n' "${all[@]}"
		mapfile -t more < <(for p in "${all[@]}"; do pgrep -P "$p"; done)
		all=(${more[@]+"${more[@]}"})
	done
}

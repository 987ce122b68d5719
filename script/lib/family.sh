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

# stepds_of DIRECTORY: the slurmstepds whose log is in there. (From 24.05 on they have neither an
# environment nor a parent by which they could be found.)
stepds_of() {
	local step
	for step in $(pgrep -x slurmstepd); do
		[[ ! $(find "/proc/$step/fd" -lname "*$1/*" -print -quit 2>/dev/null) ]] || echo "$step"
	done
}

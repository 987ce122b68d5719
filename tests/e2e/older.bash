# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Objects that Slurm takes for those of another release. After site.sh.

# older OBJECT: it says that it was built for the micro release before
older() {
	python3 - "$1" "$(as_user sinfo --version | cut -d' ' -f2)" <<-'P'
	import re, struct, sys
	major, minor, micro = (int(re.match(r"\d+", part)[0]) for part in sys.argv[2].split("."))
	version = major << 16 | minor << 8 | micro
	with open(sys.argv[1], "rb") as file:
	    data = file.read()
	old, new = (struct.pack("<I", v) for v in (version, version - 1))
	# (plugin_version, for our library library_slurm_version, and who knows what for a debugger)
	assert old in data, "there is no plugin_version"
	with open(sys.argv[1], "wb") as file:
	    file.write(data.replace(old, new))
	P
}

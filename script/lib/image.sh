# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Images without a registry: OCI archives made with tar, sha256sum and printf.
#
# localhost/pause:1        what holds a pod's namespaces
# localhost/busybox:1      a shell and small tools
# localhost/slurmd:SUITE   Debian with slurmd: the worker; SUITE is bookworm, ...
# localhost/slurmd:SUITE-alt   the same under another name
# localhost/slurmd:slurm-RELEASE   (and -alt) Debian 12 with what is under SLURM_PREFIX
#
# An archive's file name ends with a checksum of all it is made from.

WORKER_PACKAGES=slurmd,slurm-client,munge,tini
WORKER_ENTRYPOINT=/usr/local/sbin/slurmd-entrypoint

# image_key TEXT...: a checksum over the texts and the recipes in this file
image_key() { recipe_key recipe_image_ "$@"; }

recipe_image_layer() {
	tar --numeric-owner --one-file-system --exclude='./proc/*' --exclude='./sys/*' \
		--sort=name --mtime=@0 -C "$1" -cf "$2" .
}

# recipe_image_blob FILE: moves it into the archive's store, and sets BLOB to
# its description
recipe_image_blob() {
	local sum size
	sum=$(sha256sum "$1")
	sum=${sum%% *}
	size=$(stat -c %s "$1")
	mkdir -p "$WORK_DIR/oci/blobs/sha256"
	mv "$1" "$WORK_DIR/oci/blobs/sha256/$sum"
	BLOB="\"digest\":\"sha256:$sum\",\"size\":$size"
	BLOB_SUM=sha256:$sum
}

# recipe_image_archive OUT CONFIG "REF..." LAYER...: several references make
# several images of the same layers.  The label makes them differ: else a node
# would report either name for both.
recipe_image_archive() {
	local out=$1 config=$2 refs=$3 layer ref type=application/vnd.oci.image
	local diffs='' layers='' manifests=''
	shift 3
	for layer; do
		recipe_image_blob "$layer"
		diffs+="${diffs:+,}\"$BLOB_SUM\""
		layers+="${layers:+,}{\"mediaType\":\"$type.layer.v1.tar\",$BLOB}"
	done
	for ref in $refs; do
		printf '{"architecture":"%s","os":"linux","config":{"Labels":{"ref":"%s"},%s},"rootfs":{"type":"layers","diff_ids":[%s]}}' \
			"$(dpkg --print-architecture)" "$ref" "$config" "$diffs" >"$WORK_DIR/blob"
		recipe_image_blob "$WORK_DIR/blob"
		printf '{"schemaVersion":2,"mediaType":"%s.manifest.v1+json","config":{"mediaType":"%s.config.v1+json",%s},"layers":[%s]}' \
			"$type" "$type" "$BLOB" "$layers" >"$WORK_DIR/blob"
		recipe_image_blob "$WORK_DIR/blob"
		# (the first annotation is where containerd looks for the name)
		manifests+="${manifests:+,}{\"mediaType\":\"$type.manifest.v1+json\",$BLOB,\"annotations\":{\"io.containerd.image.name\":\"$ref\",\"org.opencontainers.image.ref.name\":\"${ref##*:}\"}}"
	done
	echo '{"imageLayoutVersion":"1.0.0"}' >"$WORK_DIR/oci/oci-layout"
	printf '{"schemaVersion":2,"manifests":[%s]}' "$manifests" >"$WORK_DIR/oci/index.json"
	tar -C "$WORK_DIR/oci" -cf "$out" oci-layout index.json blobs
	rm -rf "$WORK_DIR/oci"
}

recipe_image_pause() {
	gcc -Os -static -s -o "$1" -x c - <<-'EOF'
	/* Holds namespaces: buries orphans, ends when told to. */
	#include <signal.h>
	#include <sys/wait.h>
	#include <unistd.h>

	static void end(int sig)
	{
		(void)sig;
		_exit(0);
	}

	static void bury(int sig)
	{
		(void)sig;
		while (waitpid(-1, 0, WNOHANG) > 0)
			;
	}

	int main(void)
	{
		signal(SIGINT, end);
		signal(SIGTERM, end);
		signal(SIGCHLD, bury);
		for (;;)
			pause();
	}
	EOF
}

# need_pause: sets PAUSE, the program, and PAUSE_IMAGE.  Nodes use it too.
need_pause() {
	local key
	key=$(image_key)
	PAUSE=$CACHE/images/pause-$key/pause
	# shellcheck disable=SC2034 # used by other parts
	PAUSE_IMAGE=$CACHE/images/pause-$key/pause.tar
	[[ ! -d ${PAUSE%/*} ]] || return 0
	lock_cache
	[[ ! -d ${PAUSE%/*} ]] || return 0
	make_work_dir
	mkdir -p "$WORK_DIR/root" "$WORK_DIR/out"
	recipe_image_pause "$WORK_DIR/out/pause"
	cp "$WORK_DIR/out/pause" "$WORK_DIR/root/pause"
	recipe_image_layer "$WORK_DIR/root" "$WORK_DIR/layer"
	recipe_image_archive "$WORK_DIR/out/pause.tar" '"Entrypoint":["/pause"]' \
		localhost/pause:1 "$WORK_DIR/layer"
	publish "$WORK_DIR/out" "${PAUSE%/*}"
}

need_busybox() {
	BUSYBOX_IMAGE=$CACHE/images/busybox-$(image_key).tar
	[[ ! -e $BUSYBOX_IMAGE ]] || return 0
	lock_cache
	[[ ! -e $BUSYBOX_IMAGE ]] || return 0
	make_work_dir
	mkdir -p "$WORK_DIR"/root/{bin,tmp,etc,root,proc,sys,dev,run,var}
	chmod 1777 "$WORK_DIR/root/tmp"
	(cd "$WORK_DIR" && apt-get -qq -o APT::Sandbox::User=root download busybox-static)
	dpkg-deb --fsys-tarfile "$WORK_DIR"/busybox-static_*.deb |
		tar -x -C "$WORK_DIR/root" --wildcards --strip-components=1 '*bin/busybox'
	chroot "$WORK_DIR/root" /bin/busybox --install -s /bin
	recipe_image_layer "$WORK_DIR/root" "$WORK_DIR/layer"
	recipe_image_archive "$WORK_DIR/image.tar" '"Cmd":["/bin/sh"],"Env":["PATH=/bin"]' \
		localhost/busybox:1 "$WORK_DIR/layer"
	publish "$WORK_DIR/image.tar" "$BUSYBOX_IMAGE"
}

# The user the tests run jobs as must be the same, by number, on both sides.
job_user_ids() {
	id "$JOB_USER" >/dev/null 2>&1 ||
		die "there is no user $JOB_USER here (script/bootstrap makes it)"
	echo "$(id -u "$JOB_USER") $(id -g "$JOB_USER")"
}

# recipe_image_worker ROOT UID GID: what the packages alone do not bring
recipe_image_worker() {
	chroot "$1" groupadd -g "$3" "$JOB_USER"
	chroot "$1" useradd -u "$2" -g "$3" -M -d / -s /bin/sh "$JOB_USER"
	# a key made by the package's installation would be every worker's
	rm -rf "$1"/etc/munge/munge.key "$1"/var/cache/apt/archives/*.deb "$1"/var/lib/apt/lists/* \
		"$1"/usr/share/{doc,man,locale}/* "$1"/var/log/*.log
}

# worker_prefix ROOT BASE: what is installed under SLURM_PREFIX, which takes
# the place of Debian's, and the libraries that it needs and the layer BASE has not
worker_prefix() {
	local dir file have
	mkdir -p "$1$SLURM_PREFIX" "$1"/usr/{bin,sbin}
	tar -C "$SLURM_PREFIX" --exclude=./etc --exclude=./share --exclude=./include -cf - . | tar -C "$1$SLURM_PREFIX" -xf -
	# (the entrypoint's place for a key)
	ln -s /etc/slurm "$1$SLURM_PREFIX/etc"
	for dir in bin sbin; do
		for file in "$SLURM_PREFIX/$dir"/*; do ln -s "$file" "$1/usr/$dir/"; done
	done
	have=$(tar -tf "$2")
	while read -r file; do
		# (/lib is a link to /usr/lib, there as here)
		file=$(readlink -f "${file%/*}")/${file##*/}
		[[ $file = "$SLURM_PREFIX"/* ]] || grep -qxF ".$file" <<<"$have" ||
			install -D -m 644 "$file" "$1$file"
	done < <(find "$SLURM_PREFIX"/{bin,sbin,lib*} -type f -exec ldd {} + 2>/dev/null |
		sed -n 's/.* => \(\/[^ ]*\) .*/\1/p' | sort -u)
}

# need_worker_base SUITE IDS: sets BASE_LAYER. It is kept, so a change of the
# entrypoint costs a second only.
need_worker_base() {
	BASE_LAYER=$CACHE/images/slurmd-$1-base-$(image_key "$1" "$WORKER_PACKAGES" "$2").layer
	[[ ! -e $BASE_LAYER ]] || return 0
	make_work_dir
	start_job run_debootstrap "the image localhost/slurmd:$1" "$1" "$WORKER_PACKAGES"
	wait_jobs
	# shellcheck disable=SC2086 # two numbers
	recipe_image_worker "$WORK_DIR/root" $2
	recipe_image_layer "$WORK_DIR/root" "$WORK_DIR/layer"
	publish "$WORK_DIR/layer" "$BASE_LAYER"
}

# need_worker [SUITE]: sets WORKER_IMAGE
need_worker() {
	local suite=${1:-bookworm} key ids entry=$TOP/packaging/worker/entrypoint.sh prefix='' debian
	debian=$suite
	if [[ $suite = slurm-* ]]; then
		[[ ${SLURM_PREFIX:-} ]] || die "the image of $suite needs SLURM_PREFIX"
		debian=bookworm prefix="$SLURM_PREFIX $(declare -f worker_prefix; find "$SLURM_PREFIX" -printf '%P %s %T@ ')"
	fi
	ids=$(job_user_ids)
	key=$(image_key "$suite" "$WORKER_PACKAGES" "$ids" "$(<"$entry")" ${prefix:+"$prefix"})
	WORKER_IMAGE=$CACHE/images/slurmd-$suite-$key.tar
	[[ ! -e $WORKER_IMAGE ]] || return 0
	lock_cache
	need_worker_base "$debian" "$ids"
	[[ ! -e $WORKER_IMAGE ]] || return 0
	make_work_dir
	cp "$BASE_LAYER" "$WORK_DIR/base"
	[[ ! $prefix ]] || worker_prefix "$WORK_DIR/root" "$BASE_LAYER"
	install -D -m 755 "$entry" "$WORK_DIR/root$WORKER_ENTRYPOINT"
	recipe_image_layer "$WORK_DIR/root" "$WORK_DIR/entry"
	recipe_image_archive "$WORK_DIR/image.tar" \
		"\"Entrypoint\":[\"$WORKER_ENTRYPOINT\"],\"Env\":[\"PATH=/usr/sbin:/usr/bin:/sbin:/bin\"]" \
		"localhost/slurmd:$suite localhost/slurmd:$suite-alt" "$WORK_DIR/base" "$WORK_DIR/entry"
	publish "$WORK_DIR/image.tar" "$WORKER_IMAGE"
}

# (ctr warns at each call that control groups of the first version are deprecated)
export CONTAINERD_SUPPRESS_DEPRECATION_WARNINGS=true

# import_image N ARCHIVE: into a node's store
import_image() {
	ctr -a "$(node_socket "$1")" -n k8s.io images import "$2" >/dev/null ||
		die "node k8s-$1 does not take the image $2"
}

# has_image N ARCHIVE: does a node have all the images that the archive holds?
has_image() {
	local have digest
	have=$(ctr -a "$(node_socket "$1")" -n k8s.io images ls) || return 1
	while read -r digest; do
		grep -qF "$digest" <<<"$have" || return 1
	done < <(tar -xOf "$2" index.json | grep -oE '"digest":"sha256:[0-9a-f]+"' | cut -d'"' -f4)
}

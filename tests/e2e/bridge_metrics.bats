# SPDX-License-Identifier: GPL-2.0-or-later
# A real node_exporter and a real Prometheus read what a real slurmctld has written: each query of
# the dashboard finds data, and each alert rule is evaluated.
bats_require_minimum_version 1.5.0

setup_file() {
	load bridge.bash
	install -d -o slurm -g slurm "$SITE/metrics"
	cp -p "$SITE/k8s.yaml" "$SITE/k8s.yaml.none"
	echo "metrics: {file: $SITE/metrics/slurm-k8s.prom, interval: 5s, slurm: 15s}" >>"$SITE/k8s.yaml"
	bridge_up
}

teardown_file() {
	load bridge.bash
	bridge_down
	mv "$SITE/k8s.yaml.none" "$SITE/k8s.yaml"
	rm -rf "$SITE/metrics"
}

setup() {
	load bridge.bash
	begin
	PROM=$SITE/prometheus
	EXPORTER_PORT=$(free_port)
	PROM_PORT=$(free_port)
}

teardown() {
	end_process "$PROM.pid" TERM
	end_process "$SITE/exporter.pid" TERM
	rm -rf "$PROM" "$PROM.pid" "$SITE/exporter.pid"
	bridge_clean
}

# As an administrator sets it up; it only asks more often
prometheus_up() {
	mkdir -p "$PROM"
	cat >"$PROM/prometheus.yml" <<-Y
	global: {scrape_interval: 1s, evaluation_interval: 1s}
	rule_files: [$TOP/etc/prometheus/slurm-k8s.rules.yaml]
	scrape_configs:
	  - job_name: node
	    static_configs: [{targets: ["127.0.0.1:$EXPORTER_PORT"]}]
	Y
	prometheus-node-exporter --web.listen-address="127.0.0.1:$EXPORTER_PORT" --collector.disable-defaults \
		--collector.textfile --collector.textfile.directory="$SITE/metrics" >"$PROM/exporter.log" 2>&1 3>&- 9>&- &
	echo $! >"$SITE/exporter.pid"
	prometheus --web.listen-address="127.0.0.1:$PROM_PORT" --config.file="$PROM/prometheus.yml" \
		--storage.tsdb.path="$PROM/data" >"$PROM/log" 2>&1 3>&- 9>&- &
	echo $! >"$PROM.pid"
	wait_for 60 "Prometheus to have it" finds_data 'slurm_k8s_lease_held == 1'
}

# ask PATH [CURL-OPTION...]
ask() { curl -sS --noproxy '*' -G "http://127.0.0.1:$PROM_PORT/api/v1/$1" "${@:2}"; }
# finds_data QUERY: a value that is a number
finds_data() { ask query --data-urlencode "query=$1" | jq -e '[.data.result[]?.value[1] | select(. != "NaN")] | length > 0' >/dev/null; }
# shellcheck disable=SC2016 # these are the dashboard's own variables
queries() { jq -r '.. | .expr? // empty' "$TOP/etc/grafana/slurm-k8s.json" | sed 's/\$__rate_interval/10m/g; s/\$nodeset/.*/g'; }
rules() { ask rules | jq -r ".data.groups[].rules[] | $1"; }
all_evaluated() { [[ $(rules .health | sort -u) = ok ]]; }

# bats test_tags=from2605
@test "metrics: Prometheus scrapes them, each panel of the dashboard finds data, no alert fires" {
	prometheus_up
	# (one that is up already would not start)
	wait_for 90 "all nodes to sleep" finds_data 'slurm_k8s_nodes{nodeset="cpu",state="powered_down"} == 4'
	id=$(submit -p batch -N1 --wrap "$UNTIL_TOLD")
	a_pod one "$UNTIL_GO; exit 0" | create
	runs one
	wait_for 120 "job $id to run" job_is "$id" RUNNING
	tell "$id"
	go_on one
	wait_for 120 "its job to end" job_is "$(job_of one)" COMPLETED
	wait_for 30 "the file to have it" finds_data 'slurm_k8s_bridge_jobs_total{event="completed"} > 0'
	wait_for 30 "the node's start" finds_data 'increase(slurm_k8s_node_start_phase_duration_seconds_count{phase="registered"}[10m]) > 0'
	wait_for 30 "the pod's binding" finds_data 'increase(slurm_k8s_bridge_pod_bind_duration_seconds_count[10m]) > 0'
	n=0
	while read -r query; do
		echo "query: $query"
		finds_data "$query"
		n=$((n + 1))
	done < <(queries)
	((n > 20))
	wait_for 30 "all rules" all_evaluated
	[[ $(rules .name | wc -l) = $(grep -c 'alert:' "$TOP/etc/prometheus/slurm-k8s.rules.yaml") ]]
	run -0 rules 'select(.state == "firing") | .name'
	echo "$output"
	[[ ! $output ]]
	run grep -iE 'level=error' "$PROM/log"
	[[ ! $output ]]
}

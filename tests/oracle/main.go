// SPDX-License-Identifier: GPL-2.0-or-later

// What pods request, by Kubernetes' own functions: reads pods, a line of JSON each, and writes for
// each a line with
//
//	pod    the pod as an API server of this release keeps it: with its defaults
//	asks   what kube-scheduler and the kubelet look for when the pod is to be placed
//	holds  what they count for it on its node
//
// With the argument "kept" the pods are those of an API server, with defaults: there is no "pod".
//
// It is built with the go.mod of a release (tests/kubernetes) and one of the release_*.go here.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	helpers "k8s.io/component-helpers/resource"
	defaults "k8s.io/kubernetes/pkg/apis/core/v1"
)

const longest = 16 << 20 // bytes of a pod

// The kinds that pod_requests.h counts. (The others are Kubernetes' own: ephemeral-storage.)
func counts(name v1.ResourceName) bool {
	return name == v1.ResourceCPU || name == v1.ResourceMemory ||
		strings.HasPrefix(string(name), v1.ResourceHugePagesPrefix) || strings.Contains(string(name), "/")
}

// As the scheduler counts them: thousandths of a CPU, whole units of all else. What is more than an
// int64 is wrong in Kubernetes, and refused by us.
func canonical(list v1.ResourceList) any {
	out := map[string]int64{}
	for name, quantity := range list {
		if !counts(name) || quantity.IsZero() {
			continue
		}
		most := resource.NewQuantity(math.MaxInt64, resource.DecimalSI)
		if name == v1.ResourceCPU {
			most = resource.NewMilliQuantity(math.MaxInt64, resource.DecimalSI)
		}
		switch {
		case quantity.Cmp(*most) > 0:
			return "too much"
		case name == v1.ResourceCPU:
			out[string(name)] = quantity.MilliValue()
		default:
			out[string(name)] = quantity.Value()
		}
	}
	return out
}

type answer struct {
	Pod   *v1.Pod `json:"pod,omitempty"`
	Asks  any     `json:"asks"`
	Holds any     `json:"holds"`
}

func answerTo(line []byte, kept bool) (*answer, error) {
	pod, a := &v1.Pod{}, &answer{}
	if err := json.Unmarshal(line, pod); err != nil {
		return nil, err
	}
	if !kept {
		defaults.SetObjectDefaults_Pod(pod)
		if err := completePod(pod); err != nil {
			return nil, err
		}
		a.Pod = pod
	}
	// (a copy for each: PodRequests changes great quantities of the pod that it is given)
	a.Asks = canonical(helpers.PodRequests(pod.DeepCopy(), optionsToPlace))
	a.Holds = canonical(helpers.PodRequests(pod.DeepCopy(), optionsOfNode))
	return a, nil
}

func run(in io.Reader, out *bufio.Writer, kept bool) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, longest)
	write := json.NewEncoder(out)
	for lines.Scan() {
		a, err := answerTo(lines.Bytes(), kept)
		if err == nil {
			err = write.Encode(a)
		}
		if err != nil {
			return fmt.Errorf("%w: %s", err, lines.Text())
		}
	}
	if err := lines.Err(); err != nil {
		return err
	}
	return out.Flush()
}

func main() {
	kept := len(os.Args) > 1 && os.Args[1] == "kept"
	if err := run(os.Stdin, bufio.NewWriter(os.Stdout), kept); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

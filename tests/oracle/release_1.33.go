// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	helpers "k8s.io/component-helpers/resource"
	"k8s.io/kubernetes/pkg/features"
)

// 1.33 has PodLevelResources off: its API server then takes spec.resources out of each pod
// (pkg/api/pod/util.go, dropDisabledPodLevelResources). A pod that has the field is one of a cluster
// with the gate on, so on it is here.
func init() {
	gate := fmt.Sprintf("%s=true", features.PodLevelResources)
	if err := utilfeature.DefaultMutableFeatureGate.Set(gate); err != nil {
		panic(err)
	}
}

// pkg/scheduler/framework/plugins/noderesources/fit.go, computePodResourceRequest()
var optionsToPlace = helpers.PodResourcesOptions{}

// pkg/scheduler/framework/types.go, calculateResource()
var optionsOfNode = helpers.PodResourcesOptions{UseStatusResources: true}

// All defaults are those of the API's types.
func completePod(*v1.Pod) error { return nil }

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Labels and annotations that others write on pods, and we only read. */
#ifndef SLURMK8S_OBJECTS_FOREIGN_KEYS_H
#define SLURMK8S_OBJECTS_FOREIGN_KEYS_H

#define LABEL_PODGROUP "scheduling.x-k8s.io/pod-group"
#define LABEL_PODGROUP_OLD "pod-group.scheduling.sigs.k8s.io"
/* Volcano's own, and the one that its controllers and Kubeflow write. */
#define NOTE_VOLCANO "scheduling.volcano.sh/group-name"
#define NOTE_VOLCANO_OLD "scheduling.k8s.io/group-name"
#define NOTE_YUNIKORN_GROUP "yunikorn.apache.org/task-group-name"
#define NOTE_YUNIKORN_GROUPS "yunikorn.apache.org/task-groups"
#define LABEL_LWS "leaderworkerset.sigs.k8s.io/name"
#define LABEL_LWS_GROUP "leaderworkerset.sigs.k8s.io/group-index"
#define NOTE_LWS_SIZE "leaderworkerset.sigs.k8s.io/size"
#define LABEL_JOBSET "jobset.sigs.k8s.io/jobset-name"
#define LABEL_ATTEMPT "jobset.sigs.k8s.io/restart-attempt"

#endif

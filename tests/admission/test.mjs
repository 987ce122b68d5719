// SPDX-License-Identifier: GPL-2.0-or-later
// What the policies of etc/kubernetes/admission do to pods. The expressions are those of
// the manifests. That an API server accepts the manifests themselves is not shown here.
import assert from "node:assert/strict";
import { binds, judge, patched, readDocuments } from "./policy.mjs";

const FOLDER = new URL("../../etc/kubernetes/admission/", import.meta.url).pathname;
const OURS = "slurm-bridge-scheduler";
const SLURMCTLD = "system:serviceaccount:slurm:slurmctld";
const [names, namesBinding] = readDocuments(`${FOLDER}names.yaml`);
const [pods, podsBinding] = readDocuments(`${FOLDER}pods.yaml`);
const [scheduler, schedulerBinding] = readDocuments(`${FOLDER}scheduler.yaml`);

let passed = 0, failed = 0;
function test(what, body) {
  try {
    body();
    passed++;
  } catch (e) {
    failed++;
    console.log(`FAILED: ${what}\n  ${e.message}`);
  }
}

const pod = (spec = {}, metadata = {}) => ({
  apiVersion: "v1", kind: "Pod",
  metadata: { name: "p", namespace: "team-a", ...metadata },
  spec: { schedulerName: OURS, containers: [{ name: "c", image: "x" }], ...spec },
});

// --- the documents

// (fields of admissionregistration.k8s.io/v1; an API server refuses others)
const SPECS = {
  ValidatingAdmissionPolicy: ["failurePolicy", "matchConstraints", "matchConditions", "variables", "validations"],
  MutatingAdmissionPolicy: ["failurePolicy", "reinvocationPolicy", "matchConstraints", "matchConditions", "mutations"],
  ValidatingAdmissionPolicyBinding: ["policyName", "validationActions", "matchResources"],
  MutatingAdmissionPolicyBinding: ["policyName", "matchResources"],
};
for (const [policy, binding] of [[names, namesBinding], [pods, podsBinding], [scheduler, schedulerBinding]]) {
  test(`${policy.metadata.name}: its binding is its own`, () => {
    assert.equal(binding.spec.policyName, policy.metadata.name);
    assert.equal(binding.kind, `${policy.kind}Binding`);
    for (const o of [policy, binding]) {
      assert.equal(o.apiVersion, "admissionregistration.k8s.io/v1");
      for (const key of Object.keys(o.spec)) assert(SPECS[o.kind].includes(key), `${o.kind} with ${key}`);
    }
    if (policy.kind.startsWith("Validating")) assert.deepEqual(binding.spec.validationActions, ["Deny"]);
    for (const v of policy.spec.validations ?? []) assert.match(v.message, /^.+$/); // one line, as it must be
    for (const c of policy.spec.matchConditions) assert.match(c.name, /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/);
    for (const v of policy.spec.variables ?? []) assert.match(v.name, /^[_A-Za-z]\w*$/);
  });
}

// --- pods.yaml: what Slurm cannot give is refused

const required = { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: "kubernetes.io/hostname" }] };
const preferred = { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: {} }] };
const spread = (whenUnsatisfiable) => ({ topologySpreadConstraints: [{ maxSkew: 1, whenUnsatisfiable }] });
for (const [what, spec, refusal] of [
  ["an ordinary pod", {}, null],
  ["claims", { resourceClaims: [{ name: "gpu" }] }, /^resourceClaims: .*nvidia\.com\/gpu$/],
  ["no claims", { resourceClaims: [] }, null],
  ["hard spread", spread("DoNotSchedule"), /^topologySpreadConstraints: /],
  ["spread by default", spread(undefined), /^topologySpreadConstraints: /],
  ["soft spread", spread("ScheduleAnyway"), null],
  ["one hard among soft", {
    topologySpreadConstraints: [{ whenUnsatisfiable: "ScheduleAnyway" }, { whenUnsatisfiable: "DoNotSchedule" }],
  }, /^topologySpreadConstraints: /],
  ["required affinity", { affinity: { podAffinity: required } }, /^affinity\.podAffinity: /],
  ["required anti-affinity", { affinity: { podAntiAffinity: required } }, /^affinity\.podAntiAffinity: /],
  ["preferred ones", { affinity: { podAffinity: preferred, podAntiAffinity: preferred } }, null],
  ["node affinity", { affinity: { nodeAffinity: required } }, null],
  ["nodeName", { nodeName: "n1" }, /^nodeName is Slurm's/],
]) {
  test(`a new pod: ${what}`, () => {
    const r = judge(pods, { operation: "CREATE", object: pod(JSON.parse(JSON.stringify(spec))) });
    assert(r.applies);
    assert.equal(r.refusals.length, refusal ? 1 : 0, r.refusals.join("; "));
    if (refusal) assert.match(r.refusals[0], refusal);
  });
  test(`a pod that is none of ours: ${what}`, () => {
    for (const schedulerName of ["default-scheduler", undefined]) {
      const object = JSON.parse(JSON.stringify(pod({ ...spec, schedulerName })));
      assert.equal(judge(pods, { operation: "CREATE", object }).applies, false);
    }
  });
}
test("a resize is refused, other updates are not looked at", () => {
  const update = (resource) => judge(pods, { operation: "UPDATE", resource, object: pod({ nodeName: "n1" }), oldObject: pod() });
  assert.match(update("pods/resize").refusals[0], /^the size of a pod/);
  assert.equal(update("pods").applies, false);
  assert.equal(update("pods/status").applies, false);
});

// --- names.yaml: who may write what we write

const L = "slurm-k8s.io/job-id", A = "slurm-k8s.io/queue";
const COMPAT_L = "scheduler.slinky.slurm.net/slurm-jobid", COMPAT_A = "slinky.slurm.net/slurm-node";
const labels = (l) => ({ labels: l }), notes = (a) => ({ annotations: a });
for (const [what, before, after, refused] of [
  ["nothing of ours", {}, {}, 0],
  ["others' labels", labels({ a: "1" }), labels({ b: "2" }), 0],
  ["a name that only looks like ours", {}, labels({ "x.slurm-k8s.io/job-id": "1" }), 0],
  ["what asks of Slurm is the user's", {}, notes({ "job.slurm-k8s.io/qos": "high", "slurmjob.slinky.slurm.net/account": "a" }), 0],
  ["ours stay", labels({ [L]: "1" }), labels({ [L]: "1", a: "1" }), 0],
  ["a job id is forged", {}, labels({ [L]: "1" }), 1],
  ["a job id changes", labels({ [L]: "1" }), labels({ [L]: "2" }), 1],
  ["a job id goes", labels({ [L]: "1" }), {}, 1],
  ["a job id moves to another key", labels({ [L]: "1" }), labels({ "slurm-k8s.io/node": "1" }), 2],
  ["slurm-bridge's job id is forged", {}, labels({ [COMPAT_L]: "1" }), 1],
  ["slurm-bridge's job id goes", labels({ [COMPAT_L]: "1" }), labels({}), 1],
  ["a note is forged", {}, notes({ [A]: "x" }), 1],
  ["a note changes", notes({ [A]: "x" }), notes({ [A]: "y" }), 1],
  ["a note goes", notes({ [A]: "x" }), notes({}), 1],
  ["slurm-bridge's node is forged", {}, notes({ [COMPAT_A]: "n1" }), 1],
  ["slurm-bridge's node changes", notes({ [COMPAT_A]: "n1" }), notes({ [COMPAT_A]: "n2" }), 1],
  ["a worker's label is forged", {}, labels({ "slurm-k8s.io/cluster": "c", "slurm-k8s.io/node": "n" }), 1],
]) {
  for (const resource of ["pods", "pods/status", "pods/resize", "pods/ephemeralcontainers"]) {
    const change = { operation: "UPDATE", resource, object: pod({}, after), oldObject: pod({}, before) };
    test(`${resource} of a user: ${what}`, () => {
      assert.equal(judge(names, change).refusals.length, refused);
    });
    test(`${resource} of slurmctld: ${what}`, () => {
      assert.equal(judge(names, { ...change, user: SLURMCTLD }).applies, false);
    });
  }
}
for (const [resource, metadata, refused] of [
  ["pods", labels({ [L]: "1" }), 1], ["pods", notes({ [A]: "x" }), 1], ["pods", {}, 0],
  ["pods/binding", notes({ [A]: "x" }), 1], ["bindings", notes({ [COMPAT_A]: "n" }), 1], ["pods/binding", {}, 0],
]) {
  test(`a user creates ${resource} with ${JSON.stringify(metadata)}`, () => {
    const r = judge(names, { operation: "CREATE", resource, object: pod({}, metadata) });
    assert(r.applies);
    assert.equal(r.refusals.length, refused);
  });
}
test("a user who is nearly slurmctld", () => {
  for (const user of ["system:serviceaccount:team-a:slurmctld", "slurmctld", "system:serviceaccount:slurm:slurmctld2"]) {
    assert.equal(judge(names, { operation: "CREATE", object: pod({}, labels({ [L]: "1" })), user }).refusals.length, 1);
  }
});

// --- scheduler.yaml: pods of chosen namespaces become ours

const owned = (kind) => ({ ownerReferences: [{ kind, name: "o" }] });
for (const [what, object, after] of [
  ["no scheduler", pod({ schedulerName: undefined }), pod()],
  ["the default one", pod({ schedulerName: "default-scheduler" }), pod()],
  ["ours", pod(), pod()],
  ["a third one", pod({ schedulerName: "volcano" }), null],
  ["nodeName", pod({ schedulerName: "default-scheduler", nodeName: "n1" }), pod()],
  ["of a Job", pod({ schedulerName: "default-scheduler" }, owned("Job")), pod({}, owned("Job"))],
  ["of a DaemonSet", pod({ schedulerName: "default-scheduler" }, owned("DaemonSet")), null],
  ["static", pod({ schedulerName: "default-scheduler", nodeName: "n1" }, notes({ "kubernetes.io/config.mirror": "x" })), null],
]) {
  test(`the scheduler's name: ${what}`, () => {
    const r = judge(scheduler, { operation: "CREATE", object: JSON.parse(JSON.stringify(object)) });
    assert.equal(r.applies, after !== null);
    if (after) assert.deepEqual(patched(object, r.patches), after);
  });
}
test("a pod that was changed so is not refused", () => {
  const object = pod({ schedulerName: "default-scheduler", nodeName: "n1" });
  const after = patched(object, judge(scheduler, { operation: "CREATE", object }).patches);
  assert.deepEqual(judge(pods, { operation: "CREATE", object: after }).refusals, []);
});
test("it is never changed later", () => {
  assert.equal(judge(scheduler, { operation: "UPDATE", object: pod(), oldObject: pod() }).applies, false);
});
test("only chosen namespaces", () => {
  assert(binds(schedulerBinding, { "slurm-k8s.io/bridge": "true", x: "y" }));
  assert(!binds(schedulerBinding, { "slurm-k8s.io/bridge": "false" }));
  assert(!binds(schedulerBinding, {}));
  assert(binds(podsBinding, {}));
  assert(binds(namesBinding, {}));
});

console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed ? 1 : 0;

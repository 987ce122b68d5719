// SPDX-License-Identifier: GPL-2.0-or-later
// An admission policy of Kubernetes as an API server would judge by it: the CEL
// expressions of its manifest, evaluated by a CEL of its own.
import { readFileSync } from "node:fs";
import { celEnv, isCelError, parse, plan } from "@bufbuild/cel";
import { create, createFileRegistry, createRegistry } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema, FileDescriptorSetSchema, ValueSchema } from "@bufbuild/protobuf/wkt";
import { parseAllDocuments } from "yaml";

const STRING = 9, MESSAGE = 11; // FieldDescriptorProto.Type

// Kubernetes' type of the same name (mutating-admission-policy.md)
function jsonPatchTypes() {
  const field = (name, number, type, typeName) => ({ name, number, type, typeName, label: 1, jsonName: name });
  const file = create(FileDescriptorProtoSchema, {
    name: "jsonpatch.proto",
    syntax: "proto3",
    dependency: ["google/protobuf/struct.proto"],
    messageType: [{
      name: "JSONPatch",
      field: [field("op", 1, STRING), field("path", 2, STRING), field("from", 3, STRING),
        field("value", 4, MESSAGE, ".google.protobuf.Value")],
    }],
  });
  const set = create(FileDescriptorSetSchema, { file: [ValueSchema.file.proto, file] });
  return createRegistry(...createFileRegistry(set));
}

const env = celEnv({ registry: jsonPatchTypes() });

// JSON as CEL's values: Kubernetes' whole numbers are int
function cel(value) {
  if (Array.isArray(value)) return value.map(cel);
  if (value && typeof value === "object") {
    return new Map(Object.entries(value).map(([k, v]) => [k, cel(v)]));
  }
  return Number.isInteger(value) ? BigInt(value) : value;
}

function evaluate(expression, bindings) {
  const result = plan(env, parse(expression))(bindings);
  if (isCelError(result)) throw new Error(`${expression}: ${result}`);
  return result;
}

export function readDocuments(path) {
  return parseAllDocuments(readFileSync(path, "utf8")).map((d) => {
    if (d.errors.length) throw d.errors[0];
    return d.toJS();
  });
}

function matchesRule(rule, r) {
  return rule.apiGroups.includes("") && rule.apiVersions.includes("v1") &&
    rule.operations.includes(r.operation) && rule.resources.includes(r.resource);
}

// Does the binding choose this namespace? (matchLabels is all that ours use)
export function binds(binding, namespaceLabels) {
  const want = binding.spec.matchResources?.namespaceSelector?.matchLabels ?? {};
  return Object.entries(want).every(([k, v]) => namespaceLabels[k] === v);
}

// What it says to a request: {applies}, with refusals (messages) or patches
export function judge(policy, { operation, resource = "pods", object, oldObject = null, user = "someone" }) {
  const spec = policy.spec;
  const bindings = cel({ object, oldObject, request: { operation, userInfo: { username: user } } });
  const context = Object.fromEntries(bindings);
  const rules = spec.matchConstraints.resourceRules;
  const out = { applies: rules.some((rule) => matchesRule(rule, { operation, resource })), refusals: [], patches: [] };
  for (const c of spec.matchConditions ?? []) {
    out.applies = out.applies && evaluate(c.expression, context) === true;
  }
  if (!out.applies) return out;
  context.variables = new Map();
  for (const v of spec.variables ?? []) context.variables.set(v.name, evaluate(v.expression, context));
  for (const v of spec.validations ?? []) {
    if (evaluate(v.expression, context) !== true) out.refusals.push(v.message);
  }
  for (const m of spec.mutations ?? []) {
    for (const patch of evaluate(m.jsonPatch.expression, context)) out.patches.push(patch.message);
  }
  return out;
}

// RFC 6902, as far as the patches of ours go: one member of a mapping
export function patched(object, patches) {
  const out = structuredClone(object);
  for (const { op, path, value } of patches) {
    const keys = path.split("/").slice(1);
    const last = keys.pop();
    const at = keys.reduce((o, k) => o[k], out);
    if (op === "add") at[last] = value.kind.value;
    else if (op === "remove" && last in at) delete at[last];
    else throw new Error(`${op} ${path} is not possible`);
  }
  return out;
}

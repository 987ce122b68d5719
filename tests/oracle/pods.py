# SPDX-License-Identifier: GPL-2.0-or-later
"""Pods made up for compare.py: all that their resources can be, in every order.

Many would be refused by an API server (a limit below its request, say). What they
request is defined all the same. Only one rule is kept, for it changes the defaults:
a container's huge pages have a limit, and a request only if it is as much.
"""
OTHERS = ("hugepages-2Mi", "hugepages-1Gi", "nvidia.com/gpu", "amd.com/gpu", "example.com/fpga", "ephemeral-storage")
SUFFIXES = ("n", "u", "m", "", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei")
USUAL = {
    "cpu": ("1", "2", "500m", "1500m", "0.1", "2.5", "100m", "0", "4", "1e1", 3, 0.25),
    "memory": ("1Gi", "512Mi", "1.5Gi", "128974848", "129M", "129e6", "0", "64Mi", "1Ti", "2G", 1048576),
    "hugepages-2Mi": ("2Mi", "4Mi", "1Gi", "0"),
    "hugepages-1Gi": ("1Gi", "2Gi", "0"),
}
COUNTS = ("1", "2", "8", "0", "1k", "3000m", 4)


def any_quantity(random):
    """Each suffix, fraction and exponent; some of thousandths, some of exabytes."""
    digits = str(random.choice((0, 1, 7, 15, 128, 999, 1024, 4095, 65537, 123456789)))
    if random.random() < 0.5:
        digits += "." + str(random.choice((0, 5, "25", "001", "0001", "999", "123456789", "50", "")))
    if random.random() < 0.3:
        return digits + random.choice("eE") + str(random.choice((0, 1, 3, 6, 9, "+2", -1, -3, -6, -9, -12)))
    suffix = random.choice(SUFFIXES)
    if suffix in ("T", "Ti", "P", "Pi"):
        digits = random.choice(("1", "0.5", "8", "1.25", "20"))
    elif suffix in ("E", "Ei"):
        digits = random.choice(("0.001", "0.5", "0.25", "3", "0.0000001", "0.015625"))
    return random.choice(("", "", "", "+")) + digits + suffix


def quantity(random, kind):
    if random.random() < 0.3:
        return any_quantity(random)
    return random.choice(USUAL.get(kind, COUNTS))


def some(random, kinds, share):
    return {kind: quantity(random, kind) for kind in kinds if random.random() < share}


def resources(random, kinds):
    """Requests, limits, both, one of them for some kinds, or nothing at all."""
    how = random.randrange(6)
    if how == 0:
        return random.choice((None, {}, {"requests": {}}, {"limits": {}}))
    out = {}
    if how != 1:
        out["requests"] = some(random, kinds, random.choice((0.5, 1)))
    if how != 2:
        out["limits"] = some(random, kinds, random.choice((0.5, 1)))
    if how == 3:
        out["limits"] = dict(out["requests"])
    return out


def limit_huge_pages(what):
    """Of a container"""
    lists = what.get("resources") or {}
    for kind, n in lists.get("requests", {}).items():
        if kind.startswith("hugepages-"):
            lists.setdefault("limits", {})[kind] = n
    return what


def with_resources(random, kinds, what):
    value = resources(random, kinds)
    if value is not None:
        what["resources"] = value
    return what


def changed(random, kinds, like):
    """What a status says: as the spec, as it was before a resize, or anything."""
    how = random.randrange(5)
    if how == 0:
        return None
    if how == 1:
        return {}
    out = dict(like) if how < 4 else {}
    out.update(some(random, kinds, random.choice((0, 0.5, 1))))
    for kind in list(out):
        if random.random() < 0.15:
            del out[kind]
    return out


def status_of(random, kinds, what):
    """The resources that a status has: of a container, or of the pod."""
    asked = (what.get("resources") or {}).get("requests", {})
    out = {}
    if random.random() < 0.7:
        out["resources"] = {}
        for name in ("requests", "limits"):
            value = changed(random, kinds, asked)
            if value is not None:
                out["resources"][name] = value
    if random.random() < 0.6:
        value = changed(random, kinds, asked)
        if value is not None:
            out["allocatedResources"] = value
    return out


def conditions(random):
    out = [{"type": "Ready", "status": "True"}]
    if random.random() < 0.5:
        out.append({"type": "PodResizePending", "status": "True", "reason": random.choice(("Infeasible", "Deferred"))})
    if random.random() < 0.2:
        out.append({"type": "PodResizeInProgress", "status": "True"})
    random.shuffle(out)
    return out


def status(random, kinds, spec):
    out = {"phase": random.choice(("Pending", "Running"))}
    if random.random() < 0.7:
        out["conditions"] = conditions(random)
    for name, where in (("containers", "containerStatuses"), ("initContainers", "initContainerStatuses")):
        seen = [{"name": c["name"], **status_of(random, kinds, c)} for c in spec.get(name, ()) if random.random() < 0.8]
        random.shuffle(seen)
        if seen:
            out[where] = seen
    if random.random() < 0.5:
        out.update(status_of(random, kinds, spec))
    return out


def init_container(random, kinds, n):
    out = limit_huge_pages(with_resources(random, kinds, {"name": f"i{n}"}))
    policy = random.choice((None, "Always", "Always", "Never"))
    if policy:
        out["restartPolicy"] = policy
    return out


def pod(random):
    kinds = ["cpu", "memory"] + random.sample(OTHERS, random.choice((0, 0, 1, 2, 3)))
    names = [f"c{n}" for n in range(random.choice((1, 1, 2, 3)))]
    spec = {"containers": [limit_huge_pages(with_resources(random, kinds, {"name": name})) for name in names]}
    if random.random() < 0.6:
        spec["initContainers"] = [init_container(random, kinds, n) for n in range(random.randint(1, 5))]
    if random.random() < 0.4:
        with_resources(random, kinds, spec)
    if random.random() < 0.3:
        spec["overhead"] = some(random, kinds, 0.7)
    out = {"spec": spec}
    if random.random() < 0.4:
        out["status"] = status(random, kinds, spec)
    return out

"""Seeded mutations of recorded requests: the same seed gives the same request on every machine.

A case is `{"id", "fn", "options", ...}` as in tests/conformance/data; a mutant has the same form without `expect`.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

Chance = random.Random
Mutation = Callable[[Chance, dict[str, Any]], None]

ODD_VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 1.0, 2.5, 1e21, "", " ", "0", "f16", "f32", " F16 ", "F32", "bf16", "all", "both",
    "state", "\ufeffstate", "state\u001c", "\u0085", "constructor", "__proto__", "1.0.0", [], {}, [0], ["f16"], [None],
    ["f32", "f16"], {"a": 1}, {"id": "s0"}, [[]], "\u2003Decode\u00a0",
)  # fmt: skip
DTYPE_VALUES: tuple[Any, ...] = ("f16", "f32", "f16", "f32", "F16", " f32 ", "bf16", None, ["f16"], "")
PHASES: tuple[Any, ...] = ("prefill", "decode", "both", "prefill", "decode", "Decode", " both ", "never", None)
SECTIONS: tuple[Any, ...] = ("preLayer", "layer", "postLayer", "sampling", "layer", " layer ", "Layer", None)
LAYERS: tuple[Any, ...] = ("all", [0], [1], [0, 1], [2, 2], [], [1.0], [0, 99], [-1], [True], "0", ["all"], None)
SLOTS: tuple[Any, ...] = ("state", "aux", "tmp", " state ", "State", "nowhere")
OPS: tuple[Any, ...] = (
    "attention",
    "cast",
    "ffn",
    "rmsnorm",
    "conv",
    "noop",
    "residual_add",
    "o_proj",
    "Attention",
    " cast",
)
POLICY_VALUES: tuple[Any, ...] = ("error", "warn", "allow", "off", "require_cast_step", None, True, ["error"], "Error")
POLICY_NAMES = ("unsupportedPrecision", "dtypeTransition", "unresolvedKernel", "precisionPrecedence")
PRECISION_NAMES = ("inputDtype", "mathDtype", "accumDtype", "outputDtype")
DEFAULT_NAMES = ("activationDtype", "mathDtype", "accumDtype", "outputDtype")
LAYOUTS: tuple[Any, ...] = ("bdpa", " BDPA ", "paged", "contiguous", "tiered", "bdpa_paged", None, ["bdpa"])
LOOP_NAMES = (
    "batchSize",
    "stopCheckMode",
    "readbackInterval",
    "ringTokens",
    "ringStop",
    "ringStaging",
    "disableCommandBatching",
)
LOOP_VALUES: tuple[Any, ...] = (1, 2, 4.0, 0, -1, 1.5, None, True, False, "batch", " Per-Token ", "1")
PATHS: tuple[Any, ...] = (
    "gemma3-f16-fused-f16a-online", "embeddinggemma-f32-f32a", "lfm2-q4k-dequant-f32a-online", "gemma2-f16-f16a",
    "gemma3-q4k-dequant-f32a", " gemma3-q4k-dequant-f16a-online ", "nope", "", None, 5,
)  # fmt: skip


def mutants(cases: Sequence[Mapping[str, Any]], seed: int, count: int) -> Iterator[dict[str, Any]]:
    """Yield `count` mutants of cases picked at random; equal arguments give equal mutants."""
    chance = random.Random(seed)
    for number in range(count):
        yield mutate(chance.choice(cases), chance.getrandbits(48), f"m{seed}-{number}")


def mutate(case: Mapping[str, Any], seed: int, name: str = "mutant") -> dict[str, Any]:
    """Return a copy of a case with one to four random mutations; the case itself is not changed."""
    chance = random.Random(seed)
    mutant = {"id": f"{name}<{case['id']}", "fn": case["fn"], "options": copy.deepcopy(case["options"])}
    for _ in range(chance.choice((1, 1, 1, 2, 2, 3, 4))):
        chance.choice(MUTATIONS)(chance, mutant["options"])
    return mutant


def _inference(options: dict[str, Any]) -> dict[str, Any] | None:
    found = options.get("manifestInference")
    if isinstance(options.get("manifest"), dict):
        found = options["manifest"].get("inference")
    return found if isinstance(found, dict) else None


def _steps(options: dict[str, Any]) -> list[Any]:
    execution = (_inference(options) or {}).get("execution")
    steps = execution.get("steps") if isinstance(execution, dict) else None
    return steps if isinstance(steps, list) else []


def _ids(options: dict[str, Any]) -> list[Any]:
    return [step["id"] for step in _steps(options) if isinstance(step, dict) and "id" in step] or ["s0"]


def _step(chance: Chance, options: dict[str, Any]) -> dict[str, Any]:
    steps = [step for step in _steps(options) if isinstance(step, dict)]
    return chance.choice(steps) if steps else {}


def _member(parent: dict[str, Any], *names: str) -> dict[str, Any]:
    """Walk down, and make an object of whatever stands in the way."""
    for name in names:
        if not isinstance(parent.get(name), dict):
            parent[name] = {}
        parent = parent[name]
    return parent


def _overlay(options: dict[str, Any]) -> dict[str, Any]:
    if "manifest" in options or "runtimeConfig" in options:
        return _member(options, "runtimeConfig", "inference")
    return _member(options, "runtimeInference")


def _holders(value: Any) -> list[tuple[Any, Any]]:
    """Return every (holder, key) of a document, in document order."""
    items = (
        list(value.items()) if isinstance(value, dict) else list(enumerate(value)) if isinstance(value, list) else []
    )
    return [place for key, item in items for place in [(value, key), *_holders(item)]]


def _place(chance: Chance, options: dict[str, Any]) -> tuple[Any, Any]:
    return chance.choice(_holders(options) or [({"": None}, "")])


def drop_member(chance: Chance, options: dict[str, Any]) -> None:
    """Leave out one member or list item, anywhere."""
    holder, key = _place(chance, options)
    del holder[key]


def replace_value(chance: Chance, options: dict[str, Any]) -> None:
    """Put an odd value anywhere."""
    holder, key = _place(chance, options)
    holder[key] = copy.deepcopy(chance.choice(ODD_VALUES))


def retype_value(chance: Chance, options: dict[str, Any]) -> None:
    """Put a value's text, its list or its number in its place."""
    holder, key = _place(chance, options)
    value = holder[key]
    holder[key] = chance.choice((str(value), [value], {"value": value}, len(str(value)), None))


def respell_text(chance: Chance, options: dict[str, Any]) -> None:
    """Change the case of a text, or put white space of some kind around it."""
    places = [(holder, key) for holder, key in _holders(options) if isinstance(holder[key], str)]
    if places:
        holder, key = chance.choice(places)
        around = chance.choice(("{} ", " {}", "\t{}\n", "\ufeff{}", "{}\u00a0", "{}\u001c", "\u0085{}"))
        text = holder[key]
        holder[key] = chance.choice((text.upper(), text.capitalize(), text.swapcase(), around.format(text)))


def rename_member(chance: Chance, options: dict[str, Any]) -> None:
    """Misspell a member's name, or call it `__proto__`."""
    holder, key = _place(chance, options)
    if isinstance(holder, dict):
        holder[chance.choice((f"{key}2", key.upper(), "__proto__", "extra"))] = holder.pop(key)


def duplicate_step(chance: Chance, options: dict[str, Any]) -> None:
    """Repeat a step, at times under another id."""
    steps = _steps(options)
    if steps:
        again = copy.deepcopy(chance.choice(steps))
        if isinstance(again, dict) and chance.random() < 0.7:
            again["id"] = chance.choice((f"{again.get('id')}x", f" {again.get('id')}", "constructor"))
        steps.insert(chance.randrange(len(steps) + 1), again)


def move_step(chance: Chance, options: dict[str, Any]) -> None:
    """Move a step to another place in the list."""
    steps = _steps(options)
    if steps:
        step = steps.pop(chance.randrange(len(steps)))
        steps.insert(chance.randrange(len(steps) + 1), step)


def drop_step(chance: Chance, options: dict[str, Any]) -> None:
    """Leave out a step."""
    steps = _steps(options)
    if steps:
        del steps[chance.randrange(len(steps))]


def change_place(chance: Chance, options: dict[str, Any]) -> None:
    """Change a step's phase, section, layers, slots or op."""
    name, values = chance.choice(
        (("phase", PHASES), ("section", SECTIONS), ("layers", LAYERS), ("src", SLOTS), ("dst", SLOTS), ("op", OPS))
    )
    _step(chance, options)[name] = copy.deepcopy(chance.choice(values))


def change_precision(chance: Chance, options: dict[str, Any]) -> None:
    """Give a step, or a profile, a precision member or key-value dtypes."""
    holder = _step(chance, options) if chance.random() < 0.7 else _profile(chance, options)
    if chance.random() < 0.75:
        _member(holder, "precision")[chance.choice(PRECISION_NAMES)] = chance.choice(DTYPE_VALUES)
    else:
        names = chance.choice((("readDtype", "writeDtype"), ("readDtype", "writeDtype"), ("readDtype",)))
        dtype = chance.choice(DTYPE_VALUES)
        holder["kvIO"] = chance.choice((None, dict.fromkeys(names, dtype)))


def _profile(chance: Chance, options: dict[str, Any]) -> dict[str, Any]:
    session = (_inference(options) or {}).get("sessionDefaults")
    compute = session.get("compute") if isinstance(session, dict) else None
    profiles = compute.get("kernelProfiles") if isinstance(compute, dict) else None
    usable = [profile for profile in profiles if isinstance(profile, dict)] if isinstance(profiles, list) else []
    return chance.choice(usable) if usable else {}


def drop_profile(chance: Chance, options: dict[str, Any]) -> None:
    """Leave out a profile, or repeat one."""
    session = (_inference(options) or {}).get("sessionDefaults")
    compute = session.get("compute") if isinstance(session, dict) else None
    profiles = compute.get("kernelProfiles") if isinstance(compute, dict) else None
    if isinstance(profiles, list) and profiles:
        position = chance.randrange(len(profiles))
        profiles[position : position + 1] = [copy.deepcopy(profiles[position])] * chance.choice((0, 0, 2))


def insert_cast(chance: Chance, options: dict[str, Any]) -> None:
    """Insert a cast into the list of steps."""
    steps = _steps(options)
    steps.insert(chance.randrange(len(steps) + 1), _cast(chance, f"c{chance.randrange(9)}"))


def _cast(chance: Chance, identifier: str) -> dict[str, Any]:
    cast: dict[str, Any] = {
        "id": identifier, "phase": chance.choice(PHASES[:5]), "section": chance.choice(SECTIONS[:5]), "op": "cast",
        "src": chance.choice(SLOTS[:3]), "dst": chance.choice(SLOTS[:3]), "layers": chance.choice(LAYERS[:5]),
        "toDtype": chance.choice(DTYPE_VALUES[:6]),
    }  # fmt: skip
    if chance.random() < 0.4:
        cast["fromDtype"] = chance.choice(DTYPE_VALUES)
    return cast


def change_policy(chance: Chance, options: dict[str, Any]) -> None:
    """Set a policy to some value, known or not, or take all policies away."""
    execution = _member(_inference(options) or {}, "execution")
    if chance.random() < 0.1:
        execution["policies"] = chance.choice((None, "abc", [], 5))
    else:
        _member(execution, "policies")[chance.choice(POLICY_NAMES)] = chance.choice(POLICY_VALUES)


def change_manifest_session(chance: Chance, options: dict[str, Any]) -> None:
    """Change a member of the manifest's session."""
    _change_session(chance, _member(_inference(options) or {}, "sessionDefaults"))


def change_overlay_session(chance: Chance, options: dict[str, Any]) -> None:
    """Change a member of the overlay's session, or put an odd value in the place of all of it."""
    overlay = _overlay(options)
    if chance.random() < 0.1:
        overlay["session"] = copy.deepcopy(chance.choice(ODD_VALUES))
    else:
        _change_session(chance, _member(overlay, "session"))


def _change_session(chance: Chance, session: dict[str, Any]) -> None:
    choice = chance.randrange(5)
    if choice == 0:
        _member(session, "compute", "defaults")[chance.choice(DEFAULT_NAMES)] = chance.choice(DTYPE_VALUES)
    elif choice == 1:
        session["kvcache"] = chance.choice((None, {}, {"kvDtype": chance.choice(DTYPE_VALUES)}, {"pageSize": 64}))
    elif choice == 2:
        _member(session, "kvcache")["layout"] = chance.choice(LAYOUTS)
    elif choice == 3:
        _member(session, "decodeLoop")[chance.choice(LOOP_NAMES)] = chance.choice(LOOP_VALUES)
    else:
        session[chance.choice(("decodeLoop", "compute"))] = chance.choice((None, {}, [], {"kernelProfiles": []}, "abc"))


def patch_set(chance: Chance, options: dict[str, Any]) -> None:
    """Add a `set` to the overlay's patch."""
    change: dict[str, Any] = {"id": chance.choice([*_ids(options), *_ids(options), "nowhere", 5])}
    for _ in range(chance.choice((1, 1, 2))):
        name, values = chance.choice(_SETTABLE)
        change[name] = copy.deepcopy(chance.choice(values))
    _append(_overlay(options), "set", change)


_SETTABLE: tuple[tuple[str, tuple[Any, ...]], ...] = (
    (
        "precision",
        ({"inputDtype": "f16"}, {"outputDtype": "f32", "mathDtype": "f16"}, {"accumDtype": None}, {}, None, "f16"),
    ),
    ("kvIO", ({"readDtype": "f16", "writeDtype": "f16"}, {"readDtype": "f32", "writeDtype": "f32"}, None, {}, False)),
    ("constants", ({"K": 1}, {"2": 1, "1": 2}, None, 0)),
    ("entry", ("main", " main ", None, "other")),
    ("weights", ("w",)),
)


def patch_remove(chance: Chance, options: dict[str, Any]) -> None:
    """Add a `remove` to the overlay's patch."""
    identifier = chance.choice([*_ids(options), *_ids(options), "nowhere", None])
    _append(_overlay(options), "remove", chance.choice(({"id": identifier}, {"id": identifier}, identifier)))


def patch_add(chance: Chance, options: dict[str, Any]) -> None:
    """Add an `add` to the overlay's patch: a cast, or a copy of a step, before or after some step."""
    identifier = chance.choice(("n0", "n1", "n2", *_ids(options)[:1]))
    step = _cast(chance, identifier)
    if chance.random() < 0.5:
        step = {**copy.deepcopy(_step(chance, options)), "id": identifier}
    anchor = chance.choice([*_ids(options), *_ids(options), "n0", "n1", "nowhere", ""])
    change = {chance.choice(("insertBefore", "insertAfter", "insertAfter")): anchor, "step": step}
    if chance.random() < 0.1:
        change["insertBefore"] = chance.choice(_ids(options))
    _append(_overlay(options), "add", change)


def _append(overlay: dict[str, Any], name: str, change: Any) -> None:
    patch = _member(overlay, "executionPatch")
    if not isinstance(patch.get(name), list):
        patch[name] = []
    patch[name].append(change)


def odd_patch(chance: Chance, options: dict[str, Any]) -> None:
    """Put an odd value in the place of a patch, or of one of its lists."""
    overlay, value = _overlay(options), copy.deepcopy(chance.choice(ODD_VALUES))
    if chance.random() < 0.3:
        overlay["executionPatch"] = value
    else:
        _member(overlay, "executionPatch")[chance.choice(("set", "remove", "add", "extra"))] = value


def change_request(chance: Chance, options: dict[str, Any]) -> None:
    """Change what stands beside the graph: layer count, model id, default kernel path, model section."""
    inference = _inference(options) or {}
    if chance.random() < 0.5:
        inference["defaultKernelPath"] = chance.choice(PATHS)
    elif "manifest" in options:
        holder = options["manifest"] if isinstance(options["manifest"], dict) else {}
        _member(holder, "architecture")["numLayers"] = chance.choice(
            (0, 1, 3, "2", " 4 ", None, 2.5, -3, [5], True, "")
        )
    else:
        options["numLayers"] = chance.choice((0, 1, 3, 5.0, "2", None, 2.5, -3, [5], True))
    if chance.random() < 0.3:
        options["modelId"] = chance.choice(("", "m2", None, 0, ["x"], 7.0, False))
        inference["model"] = chance.choice(({}, {"x": 1}, [], [1], None, "x", 0))


def change_config(chance: Chance, options: dict[str, Any]) -> None:
    """Change what a runtime config says of the kernel path, the model, compute and the cache."""
    if "manifest" not in options and chance.random() < 0.8:
        change_policy(chance, options)
        return
    name, values = chance.choice(_CONFIG)
    _overlay(options)[name] = copy.deepcopy(chance.choice(values))


_CONFIG: tuple[tuple[str, tuple[Any, ...]], ...] = (
    ("kernelPath", PATHS),
    (
        "kernelPath",
        ({"id": "x", "activationDtype": "f32", "decode": {"steps": [{"op": "ffn", "kernel": "rmsnorm.wgsl"}]}},),
    ),
    ("modelOverrides", ({"attention": {"causal": None}}, None, [], "x")),
    ("compute", ({"activationDtype": "f16"}, {"other": 1}, None, [], {"activationDtype": None})),
    ("kvcache", ({"kvDtype": "f16"}, {"pageSize": 1}, None, {"layout": "paged"})),
    ("batching", ({"batchSize": 9}, None)),
    ("pipeline", (None, {"steps": [], "overrides": [1]})),
)

MUTATIONS: tuple[Mutation, ...] = (
    drop_member, replace_value, retype_value, respell_text, rename_member, duplicate_step, move_step, drop_step,
    change_place, change_place, change_precision, change_precision, drop_profile, insert_cast, insert_cast,
    change_policy, change_manifest_session, change_overlay_session, change_overlay_session, patch_set, patch_remove,
    patch_add, patch_add, odd_patch, change_request, change_config,
)  # fmt: skip

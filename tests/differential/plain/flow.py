"""Decisions E47 to E66: profiles, and the dtypes of every step in prefill, then in decode."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .facts import Facts
from .javascript import UNDEFINED, coalesce, elements, get, is_plain, maybe, nullish, own, to_string, trim, truthy
from .steps import check_reference, kernel_key
from .verdict import normalised, read_dtype, reject

PRECISION_FIELDS = ("inputDtype", "mathDtype", "accumDtype", "outputDtype")
ACTIVATION = "sessionDefaults.compute.defaults.activationDtype"


@dataclass(frozen=True)
class Origins:
    """Where the fields of one resolved step came from: step, kernelProfile, session or derived."""

    precision: dict[str, str]
    key_value: str | None


@dataclass(frozen=True)
class Phase:
    """The outcome of one phase: its resolved steps in list order, and what its slots hold at the end."""

    steps: list[dict[str, Any]]
    slots: dict[str, str]
    origins: dict[str, Origins] = field(default_factory=dict)


@dataclass(frozen=True)
class Flow:
    """What every visit reads: the facts, the session, the policies, the profiles by reference."""

    facts: Facts
    session: Any
    policies: dict[str, Any]
    profiles: dict[tuple[str, ...], Any]


def read_profiles(session: Any) -> dict[tuple[str, ...], Any]:
    """Decisions E47 and E48: index the session's profiles by kernel reference."""
    profiles: dict[tuple[str, ...], Any] = {}
    for profile in elements(coalesce(maybe(session, "compute", "kernelProfiles"), [])):
        reference = maybe(profile, "kernelRef")
        if not is_plain(reference):
            reject("E47")
        check_reference(reference, "E47", None)
        key = _reference_key(reference)
        if key in profiles:
            reject("E48")
        profiles[key] = profile
    return profiles


def _reference_key(reference: Any) -> tuple[str, ...]:
    return tuple(to_string(get(reference, key)) for key in ("id", "version", "digest"))


def find_profile(profiles: dict[tuple[str, ...], Any], step: Any) -> Any:
    """Return the profile of a step's kernel reference, or undefined."""
    reference = get(step, "kernelRef")
    return profiles.get(_reference_key(reference), UNDEFINED) if truthy(reference) else UNDEFINED


def in_phase(step: Any, phase: str) -> bool:
    """Decision E50: whether a step runs in a phase; layers and section do not matter."""
    return normalised(get(step, "phase")) in (phase, "both")


def run_phase(flow: Flow, steps: list[Any], phase: str) -> Phase:
    """Decisions E49 to E64 for one phase."""
    activation = maybe(flow.session, "compute", "defaults", "activationDtype")
    if nullish(activation):
        reject("E06", ACTIVATION)
    outcome = Phase([], {"state": read_dtype(activation, "E06", ACTIVATION)})
    for step in steps:
        if in_phase(step, phase):
            outcome.steps.append(_visit(flow, step, outcome))
    return outcome


def _visit(flow: Flow, step: Any, outcome: Phase) -> dict[str, Any]:
    subject, source, target = step["id"], trim(step["src"]), trim(step["dst"])
    profile = find_profile(flow.profiles, step)
    if truthy(get(step, "kernelRef")) and profile is UNDEFINED and flow.policies.get("unresolvedKernel") == "error":
        reject("E51", subject)
    if source not in outcome.slots:
        reject("E53", subject)
    held = outcome.slots[source]
    precision, origins = _resolve_precision(flow, step, profile, held)
    outcome.slots[target] = precision["outputDtype"]
    key_value, origin = _resolve_key_value(flow, step, profile)
    outcome.origins[subject] = Origins(origins, origin)
    places = {"phase": normalised(step["phase"]), "section": trim(to_string(step["section"]))}
    return {**step, "src": source, "dst": target, **places, "precision": precision, "kvIO": key_value}


def _choose(step: Any, profile: Any, name: str, default: Any) -> tuple[Any, str]:
    for holder, origin in ((step, "step"), (profile, "kernelProfile")):
        value = maybe(holder, "precision", name)
        if not nullish(value):
            return value, origin
    return default, "session"


def _resolve_precision(flow: Flow, step: Any, profile: Any, held: str) -> tuple[dict[str, str], dict[str, str]]:
    subject, cast = step["id"], step["op"] == "cast"
    chosen = {name: _choose(step, profile, name, _default(flow, name)) for name in PRECISION_FIELDS[1:]}
    value, origin = _choose(step, profile, "inputDtype", None)
    chosen["inputDtype"] = (held, "derived") if value is None else (value, origin)
    taken = read_dtype(chosen["inputDtype"][0], "E54", subject)
    if flow.policies.get("dtypeTransition") == "require_cast_step" and not cast and taken != held:
        reject("E55", subject)
    read_dtype(chosen["outputDtype"][0], "E58", subject)
    chosen["outputDtype"] = _output(flow, step, chosen["outputDtype"], held)
    precision = {"inputDtype": taken} | {
        name: read_dtype(chosen[name][0], "E58", subject) for name in PRECISION_FIELDS[1:]
    }
    _check_supported(flow, step, precision["outputDtype"])
    return precision, {name: chosen[name][1] for name in PRECISION_FIELDS}


def _default(flow: Flow, name: str) -> Any:
    return maybe(flow.session, "compute", "defaults", name)


def _output(flow: Flow, step: Any, chosen: tuple[Any, str], held: str) -> tuple[Any, str]:
    if step["op"] == "cast":
        origin = get(step, "fromDtype")
        if truthy(origin) and read_dtype(origin, "E57", step["id"]) != held:
            reject("E57", step["id"])
        return step["toDtype"], "step"
    declared = flow.facts.outputs.get(kernel_key(step["kernel"], get(step, "entry")), frozenset())
    if chosen[1] == "session" and len(declared) == 1:
        return next(iter(declared)), "derived"
    return chosen


def _check_supported(flow: Flow, step: Any, output: str) -> None:
    if flow.policies.get("unsupportedPrecision") != "error" or step["op"] == "cast":
        return
    declared = flow.facts.outputs.get(kernel_key(step["kernel"], get(step, "entry")))
    if declared is None:
        reject("E59", step["id"])
    if declared and output not in declared:
        reject("E60", step["id"])


def _resolve_key_value(flow: Flow, step: Any, profile: Any) -> tuple[dict[str, str] | None, str | None]:
    if step["op"] != "attention":
        return None, None
    key_value, origin = _choose_key_value(flow, step, profile)
    session = maybe(flow.session, "kvcache", "kvDtype")
    if not nullish(session) and any(dtype != normalised(session) for dtype in key_value.values()):
        reject("E63", step["id"])
    return key_value, origin


def _choose_key_value(flow: Flow, step: Any, profile: Any) -> tuple[dict[str, str], str]:
    for holder, origin in ((step, "step"), (profile, "kernelProfile")):
        pair = maybe(holder, "kvIO")
        if truthy(pair):
            names = ("readDtype", "writeDtype")
            return {name: read_dtype(get(pair, name), "E62", step["id"]) for name in names}, origin
    cache = maybe(flow.session, "kvcache")
    if nullish(cache) or not own(cache, "kvDtype"):
        reject("E62")
    dtype = read_dtype(get(cache, "kvDtype"), "E62", step["id"])
    return {"readDtype": dtype, "writeDtype": dtype}, "session"


def check_boundary(flow: Flow, steps: list[Any], carried: dict[str, str]) -> None:
    """Decision E65: what decode reads before it writes must be what prefill left, where a dtype is asked for."""
    written: set[str] = set()
    for step in steps:
        if not in_phase(step, "decode"):
            continue
        source = trim(step["src"])
        if source not in written and source in carried and step["op"] != "cast":
            wanted = _choose(step, find_profile(flow.profiles, step), "inputDtype", None)[0]
            if wanted is not None and read_dtype(wanted, "E54", step["id"]) != carried[source]:
                reject("E65", step["id"])
        written.add(trim(step["dst"]))


def run_flow(flow: Flow, steps: list[Any]) -> tuple[Phase, Phase]:
    """Decisions E49 to E65: prefill, the boundary, then decode."""
    prefill = run_phase(flow, steps, "prefill")
    check_boundary(flow, steps, prefill.slots)
    return prefill, run_phase(flow, steps, "decode")

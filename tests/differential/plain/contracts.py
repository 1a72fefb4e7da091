"""The reference's two contract artifacts: decisions K01 to K06 and G01 to G04; only verdicts and counts."""

from __future__ import annotations

from typing import Any

from .compilation import compile_request, has_execution
from .facts import Facts
from .flow import PRECISION_FIELDS, find_profile, read_profiles
from .javascript import UNDEFINED, Crash, coalesce, get, is_object, maybe, nullish, own, to_string, truthy
from .session import check_session
from .verdict import Rejected, read_dtype

CONTRACT_CHECKS = ("kernelProfilePinning", "precisionPrecedence", "kvIOPrecedence")
GRAPH_CHECKS = ("slotGraph", "phaseBoundary")


def contract_request(options: dict[str, Any], facts: Facts) -> dict[str, Any] | None:
    """Check that every step of a manifest can be pinned and has dtypes; None where it has no execution graph."""
    inference = options.get("manifestInference", UNDEFINED)
    if not has_execution(inference):
        return None
    try:
        session = get(inference, "sessionDefaults")
        check_session(session)
        profiles = read_profiles(session)
    except (Rejected, Crash):
        return _report(options, CONTRACT_CHECKS, (False, False, False), {"kernelProfiles": 0, "pinnedSteps": 0})
    steps = [step for step in inference["execution"]["steps"] if is_object(step)]
    checks = [_check_step(step, session, profiles) for step in steps]
    verdicts = tuple(all(check[position] for check in checks) for position in range(3))
    return _report(options, CONTRACT_CHECKS, verdicts, _stats(steps, profiles))


def _stats(steps: list[Any], profiles: dict[tuple[str, ...], Any]) -> dict[str, int]:
    pinned = sum(get(step, "op") != "cast" and find_profile(profiles, step) is not UNDEFINED for step in steps)
    return {"kernelProfiles": len(profiles), "pinnedSteps": pinned}


def _check_step(step: Any, session: Any, profiles: dict[tuple[str, ...], Any]) -> tuple[bool, bool, bool]:
    profile = find_profile(profiles, step)
    pinned = get(step, "op") == "cast" or profile is not UNDEFINED
    precise = pinned and _has_dtypes(step, profile, session)
    cached = get(step, "op") != "attention" or _has_key_value(step, profile, session)
    return pinned, precise, cached


def _has_dtypes(step: Any, profile: Any, session: Any) -> bool:
    for name in PRECISION_FIELDS:
        default = session["compute"]["defaults"].get("activationDtype" if name == "inputDtype" else name)
        value = coalesce(maybe(step, "precision", name), maybe(profile, "precision", name), default)
        if not _is_dtype(value):
            return False
    return True


def _has_key_value(step: Any, profile: Any, session: Any) -> bool:
    for holder in (step, profile):
        pair = maybe(holder, "kvIO")
        if truthy(pair):
            return all(_is_dtype(get(pair, name)) for name in ("readDtype", "writeDtype"))
    cache = maybe(session, "kvcache")
    return not nullish(cache) and own(cache, "kvDtype") and _is_dtype(get(cache, "kvDtype"))


def _is_dtype(value: Any) -> bool:
    try:
        read_dtype(value, "K05")
    except Rejected:
        return False
    return True


def graph_request(options: dict[str, Any], facts: Facts) -> dict[str, Any] | None:
    """Compile, and say which of two checks the first rejection breaks; None where there is no execution graph."""
    try:
        state = compile_request(options, facts)
    except (Rejected, Crash) as stop:
        decision = stop.decision if isinstance(stop, Rejected) else "CRASH"
        verdicts = (decision == "E65", decision == "E53")
        return _report(options, GRAPH_CHECKS, verdicts, {"prefillSteps": 0, "decodeSteps": 0})
    if state is None:
        return None
    stats = {f"{phase}Steps": len(state["resolvedSteps"][phase]) for phase in ("prefill", "decode")}
    return _report(options, GRAPH_CHECKS, (True, True), stats)


def _report(
    options: dict[str, Any], names: tuple[str, ...], verdicts: tuple[bool, ...], stats: dict[str, int]
) -> dict[str, Any]:
    model = to_string(coalesce(options.get("modelId", UNDEFINED), "model"))
    checks = [{"id": f"{model}.{name}", "ok": ok} for name, ok in zip(names, verdicts, strict=True)]
    return {"ok": all(verdicts), "checks": checks, "stats": stats}

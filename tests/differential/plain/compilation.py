"""The reference's compile: decisions E01 to E80 in evaluation order."""

from __future__ import annotations

from typing import Any

from .emission import build_pipeline, model_overrides, session_patch, trace_steps
from .facts import Facts
from .flow import Flow, Phase, read_profiles, run_flow
from .javascript import UNDEFINED, Crash, coalesce, get, is_integer, maybe, spread, truthy
from .kernel_path import build_kernel_path, check_attention_kernels, finiteness_fallback
from .patch import apply_patch, trace_patch
from .session import check_decode_loop, check_overlay, check_session, resolve_session, trace_session
from .steps import check_steps
from .verdict import normalised, reject

ENDLESS = 100_000
"""More layers than this are taken as a request that the reference never answers (1e21 is an integer to it)."""
SCHEMA = "doppler.execution/v0"
POLICIES = {
    "precisionPrecedence": "step_then_kernel_profile_then_session_default",
    "unsupportedPrecision": "error",
    "dtypeTransition": "require_cast_step",
    "unresolvedKernel": "error",
}


def has_execution(inference: Any) -> bool:
    """Decision E01: whether an inference section has an execution graph at all."""
    return isinstance(maybe(inference, "execution", "steps"), list)


def compile_request(options: dict[str, Any], facts: Facts) -> dict[str, Any] | None:
    """Compile a manifest's inference section; None where it has no execution graph."""
    inference = options.get("manifestInference", UNDEFINED)
    if not has_execution(inference):
        return None
    manifest_session = _check_manifest(inference)
    overlay = options.get("runtimeInference", UNDEFINED)
    check_overlay(overlay)
    policies = spread(POLICIES, get(inference["execution"], "policies"))
    session = resolve_session(manifest_session, overlay)
    check_steps(inference["execution"]["steps"], facts)
    patch = maybe(overlay, "executionPatch")
    steps = apply_patch(inference["execution"]["steps"], patch, facts)
    _check_layout(session, steps)
    flow = Flow(facts, session, policies, read_profiles(session))
    prefill, decode = run_flow(flow, steps)
    every = _join(prefill, decode)
    emitted = _emit(options, session, steps, every, facts)
    sources = trace_session(session, manifest_session, overlay)
    traces = trace_steps(every, {**decode.origins, **prefill.origins}, trace_patch(patch), sources)
    return {
        "sessionDefaults": session,
        "policies": policies,
        "resolvedSteps": {"prefill": prefill.steps, "decode": decode.steps, "all": every},
        "runtimeInferencePatch": emitted,
        "resolvedSources": {"session": sources, "steps": traces},
    }


def _check_manifest(inference: Any) -> Any:
    if get(inference, "schema") != SCHEMA:
        reject("E02")
    session = get(inference, "sessionDefaults")
    check_session(session)
    check_decode_loop(session["decodeLoop"])
    return session


def _check_layout(session: Any, steps: list[Any]) -> None:
    if normalised(maybe(session, "kvcache", "layout")) != "bdpa":
        return
    for step in steps:
        if step["op"] == "attention" and normalised(step["phase"]) in ("prefill", "both"):
            reject("E44", step["id"])


def _join(prefill: Phase, decode: Phase) -> list[dict[str, Any]]:
    return [*prefill.steps, *(step for step in decode.steps if step["phase"] == "decode")]


def _layer_count(layers: Any) -> int:
    if is_integer(layers) and layers > ENDLESS:
        raise Crash("the reference does not come to an end")
    return int(layers) if is_integer(layers) else 0


def _emit(options: dict[str, Any], session: Any, steps: list[Any], every: list[Any], facts: Facts) -> dict[str, Any]:
    inference = options["manifestInference"]
    count = _layer_count(options.get("numLayers", UNDEFINED))
    model_id = coalesce(options.get("modelId", UNDEFINED), "model")
    fallback = finiteness_fallback(get(inference, "defaultKernelPath"), facts)
    path = build_kernel_path(steps, session, model_id, count, fallback)
    emitted = session_patch(session)
    if path is not None:
        check_attention_kernels(path)
        emitted |= {"kernelPath": path, "kernelPathSource": "execution-v0"}
    pipeline = build_pipeline(every)
    if pipeline is not None:
        emitted["pipeline"] = pipeline
    overrides = model_overrides(get(inference, "model"))
    return emitted | ({"modelOverrides": overrides} if truthy(overrides) else {})

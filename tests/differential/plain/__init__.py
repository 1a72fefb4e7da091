"""A plain, independent reading of the execution v0 decisions: no rules, no engine, one function per decision.

Every request function takes the options of a recorded case and the facts, and returns `("ok", value)` or
`("no", decision, subject)`; the decision is `CRASH` where the reference fails with an uncaught error.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .application import apply_request, derive_request
from .compilation import compile_request
from .contracts import contract_request, graph_request
from .facts import Facts, make_facts, read_facts
from .javascript import Crash, same_json
from .verdict import Rejected

Outcome = tuple[str, Any] | tuple[str, str, str | None]
Request = Callable[[dict[str, Any], Facts], Any]


def _outcome(request: Request, options: dict[str, Any], facts: Facts) -> Outcome:
    try:
        return ("ok", request(options, facts))
    except Rejected as rejected:
        return ("no", rejected.decision, rejected.subject)
    except Crash:
        return ("no", "CRASH", None)


def compile(options: dict[str, Any], facts: Facts) -> Outcome:
    """Compile `manifestInference` with `runtimeInference`, `modelId` and `numLayers`: decisions E01 to E80."""
    return _outcome(compile_request, options, facts)


def apply(options: dict[str, Any], facts: Facts) -> Outcome:
    """Apply `manifest` to `runtimeConfig`: decisions E81 to E89."""
    return _outcome(apply_request, options, facts)


def contract(options: dict[str, Any], facts: Facts) -> Outcome:
    """Return the contract artifact of `manifestInference`: decisions K01 to K06."""
    return _outcome(contract_request, options, facts)


def graph(options: dict[str, Any], facts: Facts) -> Outcome:
    """Return the graph artifact of a compilation: decisions G01 to G04."""
    return _outcome(graph_request, options, facts)


def kernelpath(options: dict[str, Any], facts: Facts) -> Outcome:
    """Derive an execution graph from `kernelPath`: decision E83."""
    return _outcome(derive_request, options, facts)


REQUESTS: Mapping[str, Callable[[dict[str, Any], Facts], Outcome]] = {
    "compile": compile,
    "apply": apply,
    "contract": contract,
    "graph": graph,
    "kernelpath": kernelpath,
}
"""The request functions by the name that a recorded case gives in `fn`."""


def decide(case: Mapping[str, Any], facts: Facts) -> Outcome:
    """Return the outcome of a case's request."""
    return REQUESTS[case["fn"]](case["options"], facts)


__all__ = [
    "REQUESTS", "Facts", "Outcome", "apply", "compile", "contract", "decide", "graph", "kernelpath", "make_facts",
    "read_facts", "same_json",
]  # fmt: skip

"""No recorded request that the reference accepts gets an error of strict's that no defect explains."""

from __future__ import annotations

import os
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import kernelpath as kp
from conformance.recorded import cases
from kernelpath.packs.reading import read_pack
from kernelpath.resources import resource

from .ablation import without
from .asked import ask
from .test_readme import FOLDER, UPDATE, table

#: What makes rules of the base look at something else: which defects it mends, and what to take away to see it.
EXPLANATIONS: dict[str, tuple[tuple[str, ...], dict[str, Any]]] = {
    "every layer, section and round": (("B16", "B18", "B19", "B22", "B26"), {"operations": ["unrolled"]}),
    "the overlay as it is": (("B44", "B45"), {"operations": ["nothing stripped"]}),
    "both of these": (("B16", "B18", "B44", "B45"), {"operations": ["unrolled", "nothing stripped"]}),
    "the manifest's session under a chosen path": (("B63",), {"rules": ["application-source/source-inference"]}),
}

#: Rules of strict that ask what the base's rule of the same name asks.
SAME = {
    f"strict/flow/{name}"
    for name in ("src-produced", "read-dtype-mismatch", "cast-takes-held", "profile-known", "kv-cache-given")
}


@cache
def accepted() -> tuple[Any, ...]:
    """Return the recorded requests to compile and apply that the reference accepts."""
    found = [*cases("generated"), *cases("presets")]
    return tuple(case for case in found if case["fn"] in ("compile", "apply") and case["expect"]["ok"])


@cache
def results() -> dict[str, kp.Result]:
    """Return what strict makes of each of them."""
    return {case["id"]: ask(case) for case in accepted()}


@cache
def decisions() -> dict[str, tuple[str, ...]]:
    """Return the decisions of each rule of strict's own that are defects."""
    pack = read_pack(Path(resource("rules", "strict")))
    rules = [rule for stage in pack.stages.values() for rule in stage.rules if rule.identity.startswith("strict/")]
    return {rule.identity: tuple(name for name in rule.decisions if name.startswith("B")) for rule in rules}


@cache
def ablated(explanation: str) -> Any:
    """Return strict without what an explanation names."""
    return without(**EXPLANATIONS[explanation][1])


def shared(rule: str) -> bool:
    """Return whether a rule carries out the same decision in both packs, on what it gets to see."""
    return rule.startswith("execution-v0/") or rule in SAME


@cache
def explained(rule: str) -> tuple[str, ...]:
    """Return what explains a rule's errors: for each of them, the first that makes it go away."""
    used = []
    for case in accepted():
        blamed = [one.subject for one in results()[case["id"]].diagnostics if one.rule == rule]
        if blamed:
            used.append(next(name for name in EXPLANATIONS if gone(case, rule, name)))
    return tuple(name for name in EXPLANATIONS if name in used)


def gone(case: Any, rule: str, explanation: str) -> bool:
    """Return whether a rule finds nothing in a request where what an explanation names is taken away."""
    return all(one.rule != rule for one in ask(case, ablated(explanation)).diagnostics)


def test_errors_of_strict_s_own_rules_are_defects() -> None:
    """Each error of a strict rule carries a defect, and so does each warning."""
    found = {one.rule for result in results().values() for one in result.diagnostics if one.rule.startswith("strict/")}
    assert [rule for rule in sorted(found) if not decisions()[rule]] == []


@pytest.mark.exhaustive
def test_errors_by_the_reference_s_decisions_come_from_what_strict_does_otherwise() -> None:
    """Where a rule carries out the same decision in both packs, its errors go away with what makes the difference.

    These rules look at what the reference looks at. So they find something in a request that it accepts only where
    they see another graph or another session, and each of them does: with the flow, the merging of overlays or the
    session under a chosen path as the reference has it, it finds nothing.
    """
    found = sorted({one.rule for result in results().values() for one in result.diagnostics if shared(one.rule)})
    assert {rule: explained(rule) for rule in found} == {
        "execution-v0/decode-loop/ring-sizes": ("the manifest's session under a chosen path",),
        "strict/flow/cast-takes-held": ("every layer, section and round", "the overlay as it is", "both of these"),
        "strict/flow/kv-cache-given": ("the overlay as it is",),
        "strict/flow/profile-known": ("the overlay as it is",),
        "strict/flow/read-dtype-mismatch": ("every layer, section and round", "the overlay as it is", "both of these"),
        "strict/flow/src-produced": ("every layer, section and round",),
    }


@pytest.mark.exhaustive
def test_the_counts_are_those_of_the_page() -> None:
    """The pack's page says how many of the recorded requests get each finding, and which defect it is."""
    counts: Counter[tuple[str, str]] = Counter()
    for result in results().values():
        counts.update({(one.rule, one.severity) for one in result.diagnostics})
    refused = sum(not result.ok for result in results().values())
    rows = [
        (f"`{rule}`", severity, str(number), reason(rule))
        for (rule, severity), number in sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))
    ]
    head = f"{len(results())} requests, of which {refused} are refused.\n\n"
    head += "| rule | severity | requests | why |\n|---|---|---|---|\n"
    path = FOLDER / "README.md"
    before, _, rest = path.read_text(encoding="utf-8").partition("rewrites this table -->\n")
    _, end, after = rest.partition("<!-- end of counts -->")
    expected = f"{before}rewrites this table -->\n{head}{table(rows)}{end}{after}"
    if os.environ.get(UPDATE) == "1":
        path.write_text(expected, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == expected, f"README.md differs; {UPDATE}=1 rewrites it"


def reason(rule: str) -> str:
    """Return the defects that a rule's findings are, and what makes it look elsewhere than the reference does."""
    names = explained(rule) if shared(rule) else ()
    defects = decisions().get(rule) or [defect for name in names for defect in EXPLANATIONS[name][0]]
    return "; ".join([", ".join(defects), *names])

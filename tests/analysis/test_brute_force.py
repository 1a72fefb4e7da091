"""What is claimed of a pack whatever the input is compared with what the pack does on every input."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from analysis.brute import Run, given, kept_out, part_of, runs, without
from analysis.random_packs import Drafting
from kernelpath.analysis.analyze import Finding, analyze
from kernelpath.analysis.lint.conditions import evaluated
from kernelpath.analysis.lint.linting import lint
from kernelpath.diagnostics import Diagnostic
from kernelpath.evaluate.loading import load_folder
from kernelpath.packs.files import PackErrors
from kernelpath.packs.model import Check, Pack, Resolve, Rule, Table
from kernelpath.packs.reading import read_pack
from kernelpath.packs.reads import terms_of

NEVER_CHOSEN = ("lint/shadowed-candidate", "lint/redundant-row")
SEEN_TO_HAPPEN = ("gap", "overlap")


def _rules(pack: Pack) -> dict[str, Rule]:
    return {rule.identity: rule for rule in pack.rules()}


def _is_true(pack: Pack, found: Finding, every: list[Run]) -> bool:
    """Return whether a finding is so on every input on which all rules have a value.

    A rule that has none, such as one that divides by zero, is an error of its own, which findings say nothing of.
    """
    rule, by = _rules(pack)[found.rule], set(found.by)
    ran = [run for run in every if not run.broken or found.kind in SEEN_TO_HAPPEN]
    seen = [run.seen[found.rule] for run in ran if found.rule in run.seen]
    match found.kind:
        case "dead-rule" | "switched-off":
            return not any(one.applies for one in seen)
        case "idle-check":
            return not any(one.fails for one in seen)
        case "shadowed-rule":
            failed = [run for run in ran if found.rule in run.seen and run.seen[found.rule].fails]
            return all(by & run.reported for run in failed)
        case "contradiction":
            return not any(
                all(name in run.seen and run.seen[name].outcome.kind == "pass" for name in (found.rule, *by))
                for run in ran
            )
        case "impossible-stage":
            return not any(found.stage in run.came and not kept_out(pack, found.stage, run) for run in ran)
    assert isinstance(rule, Resolve | Table)
    assert found.row is not None or found.kind == "gap"
    place = (found.row or 0) - 1
    match found.kind:
        case "dead-row" | "shadowed-row":
            return not any(part_of(rule, place, "value") in one.parts for one in seen)
        case "redundant-row":
            applied = [one for one in seen if one.applies]
            changed = without(rule, place)
            pairs = [(given(pack, rule, one.values), given(pack, changed, one.values)) for one in applied]
            return all(one == other for one, other in pairs if other[0] != "error")
        case "gap":
            return any(one.outcome.parts.get("value", one) is None for one in seen)
        case "overlap":
            return any(one.outcome.kind == "error" for one in seen)
    raise AssertionError(found.kind)


def _usable(folder: Path, seeds: range, **options: bool) -> Iterator[tuple[int, Pack, list[Run]]]:
    """Yield the packs of some seeds that can be used at all, each with its runs on every input."""
    for seed in seeds:
        written = Drafting(seed, **options).draft().write(folder / f"pack{seed}")
        try:
            pack = read_pack(written)
        except PackErrors:
            continue
        yield seed, pack, runs(pack, load_folder(written))


def _places(told: list[Diagnostic]) -> set[tuple[str, int]]:
    """Return where lints find what is never chosen."""
    spans = [found.span for found in told if found.rule in NEVER_CHOSEN]
    return {(span.file, span.line) for span in spans if span}


@pytest.mark.parametrize("start", range(0, 80, 40))
def test_what_never_happens_does_not(tmp_path: Path, start: int) -> None:
    """No input contradicts a finding, be stages conditional, unordered or asked apart."""
    checked = 0
    for seed, pack, ran in _usable(tmp_path, range(start, start + 40)):
        for found in analyze(pack).findings:
            if found.kind not in SEEN_TO_HAPPEN:
                assert _is_true(pack, found, ran), (seed, found)
                checked += 1
    assert checked > 40


def test_what_happens_does(tmp_path: Path) -> None:
    """Some input shows each finding that something happens."""
    checked = 0
    for seed, pack, ran in _usable(tmp_path, range(200, 240), plain=True):
        for found in analyze(pack).findings:
            assert _is_true(pack, found, ran), (seed, found)
            checked += found.kind in SEEN_TO_HAPPEN
    assert checked > 5


def test_nothing_that_never_happens_is_missed(tmp_path: Path) -> None:
    """Of packs whose inputs are of finite types, each rule that no input meets, and no input fails, is found.

    A rule that has no value keeps a row from the stages after its own, which findings do not count on.
    """
    checked = 0
    for seed, pack, ran in _usable(tmp_path, range(300, 340), plain=True, finite=True):
        if any(run.broken for run in ran):
            continue
        found = {(one.kind, one.rule) for one in analyze(pack).findings}
        for rule in pack.rules():
            seen = [run.seen[rule.identity] for run in ran if rule.identity in run.seen]
            if not any(one.applies for one in seen):
                assert ("dead-rule", rule.identity) in found or not seen, (seed, rule.identity)
                checked += 1
            elif isinstance(rule, Check) and not any(one.fails for one in seen):
                assert {("idle-check", rule.identity), ("shadowed-rule", rule.identity)} & found, (seed, rule.identity)
                checked += 1
    assert checked > 40


def test_conditions_that_lints_call_constant_are(tmp_path: Path) -> None:
    """A condition that a lint calls always true or always false never has another value."""
    checked = 0
    for seed, pack, ran in _usable(tmp_path, range(400, 440)):
        for rule in pack.rules():
            for constant in (constant for term in evaluated(rule) for constant in term.constants()):
                values = {value for run in ran for value in run.nodes.get(id(constant.node), ())}
                assert values <= {constant.value}, (seed, rule.identity, constant)
                checked += bool(values)
    assert checked > 10


def test_rows_that_lints_call_shadowed_are_never_chosen(tmp_path: Path) -> None:
    """A candidate or a row that a lint calls out of reach, or a repetition, is chosen for no input."""
    checked = 0
    for seed, pack, ran in _usable(tmp_path, range(500, 550)):
        found = _places(lint(tmp_path / f"pack{seed}"))
        for rule in pack.rules():
            for place, option in enumerate(getattr(rule, "candidates", ()) or getattr(rule, "rows", ())):
                if (option.place.file, option.place.line) in found:
                    parts = {part for run in ran if rule.identity in run.seen for part in run.seen[rule.identity].parts}
                    assert part_of(rule, place, "value") not in parts, (seed, rule.identity, place)
                    checked += 1
    assert checked > 2


def test_what_is_known_not_to_be_null_is_not(tmp_path: Path) -> None:
    """A record that may be missing is read only where an earlier check keeps such items out, on every input."""
    read = 0
    for _, pack, _ in _usable(tmp_path, range(600, 800), records=True):
        read += any("inner." in term.text for rule in pack.rules() for term in terms_of(rule))
    assert read > 20

"""Ask a pack one recorded request, and return the answer as plain JSON."""

from __future__ import annotations

from kernelpath.api import run
from kernelpath.replay.requests import LINE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from kernelpath.diagnostics import Diagnostic
    from kernelpath.evaluate.compiled import CompiledPack
    from kernelpath.replay.requests import Fault, Request

    Answer = dict[str, Any]


def answer(pack: CompiledPack, request: Request) -> Answer:
    """Return what a pack answers to a request: id, verdict, value and findings.

    A request of a question that the pack does not have has one finding that says so. A member that the question does
    not take changes nothing, with a warning. Raises PackErrors if shipped data that is needed cannot be used.
    """
    question = pack.meta["questions"].get(request.fn)
    if question is None:
        known = ", ".join(f"`{name}`" for name in pack.meta["questions"])
        return _refused(request, f"pack `{pack.meta['name']}` has no question `{request.fn}`; it has {known}")
    places: Mapping[str, str] = question["request"]
    outcome = run(request.fn, pack, _given(request.options, places, question["needed"]))
    found = [*_unknown(request, places), *outcome.report.diagnostics]
    return _answer(request.identity, outcome.report.ok, outcome.value, found)


def refusal(fault: Fault) -> Answer:
    """Return the answer to a line that cannot be asked."""
    return _answer(fault.identity, False, None, [fault.diagnostic])


def _refused(request: Request, message: str) -> Answer:
    from kernelpath.diagnostics import ERROR, Diagnostic

    return _answer(request.identity, False, None, [Diagnostic(LINE, (), ERROR, message)])


def _unknown(request: Request, places: Mapping[str, str]) -> Iterator[Diagnostic]:
    """Yield a warning for each member that is no part of a document."""
    from kernelpath.diagnostics import WARNING, Diagnostic, did_you_mean

    for name in request.options:
        if name not in places:
            near = did_you_mean(name, places)
            help_text = f"did you mean `{near}`?" if near else None
            yield Diagnostic("replay/member", (), WARNING, f"question `{request.fn}` takes no `{name}`", help=help_text)


def _answer(identity: str, ok: bool, value: Any, found: Sequence[Diagnostic]) -> Answer:
    return {"id": identity, "ok": ok, "value": value, "diagnostics": [_finding(each) for each in found]}


def _finding(found: Diagnostic) -> dict[str, Any]:
    return {
        "rule": found.rule,
        "decisions": list(found.decisions),
        "severity": found.severity,
        "message": found.message,
        "pointer": found.pointer,
    }


def _given(options: Mapping[str, Any], places: Mapping[str, str], needed: Sequence[str]) -> dict[str, Any]:
    """Return the documents of a request; of a document that is made of several members, those that are there."""
    given: dict[str, Any] = {}
    own: set[int] = set()  # the objects that were made here: the caller's stay as they are
    for tokens, value in _in_order(options, places):
        _put(given, tokens, value, own)
    parted = {place.split(".")[0] for place in places.values() if "." in place}
    return {**{name: {} if name in parted else None for name in needed}, **given}


def _in_order(options: Mapping[str, Any], places: Mapping[str, str]) -> Iterator[tuple[list[str], Any]]:
    """Yield where each member of a request goes, whole documents before what is put into them."""
    found = [(places[name].split("."), value) for name, value in options.items() if name in places]
    yield from sorted(found, key=lambda each: len(each[0]))


def _put(given: dict[str, Any], tokens: list[str], value: Any, own: set[int]) -> None:
    held = given
    for token in tokens[:-1]:
        inner = held.get(token)
        if id(inner) not in own:
            held[token] = dict(inner) if isinstance(inner, dict) else {}
            own.add(id(held[token]))
        held = held[token]
    held[tokens[-1]] = value

"""Waivers as `check` holds findings against them."""

from __future__ import annotations

from dataclasses import replace

from kernelpath.cli.inputs import InputErrors, read_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernelpath.analysis.waivers import Waiver
    from kernelpath.cli.judging import Judged
    from kernelpath.diagnostics import Diagnostic, Source
    from kernelpath.evaluate.unasked import Unasked


class Waiving:
    """The waivers of a file."""

    def __init__(self, source: Source, waivers: list[Waiver]) -> None:
        self.source = source
        self.waivers = waivers

    @staticmethod
    def of(name: str) -> Waiving:
        """Return the waivers in a file; raises InputErrors with what is wrong with it."""
        from kernelpath.analysis.waivers import WaiverErrors, read_waivers

        source = read_text(name)
        try:
            waivers = read_waivers(source)
        except WaiverErrors as errors:
            raise InputErrors(errors.diagnostics, {source.name: source}) from None
        return Waiving(source, waivers)

    def applied(self, judged: list[Judged]) -> tuple[list[Diagnostic], bool]:
        """Return the findings as they are to be told, and whether no error is left among them.

        A waived finding becomes a note that says who answers for it. What is wrong with a waiver comes last; waivers
        of other models than these are left alone. Rules that were not asked because of waived errors are an error.
        """
        from datetime import date

        from kernelpath.analysis.waivers import apply_waivers
        from kernelpath.analysis.waivers.globs import matches

        findings: dict[str, list[Diagnostic]] = {}
        unasked: dict[str, list[Unasked]] = {}
        for one in judged:
            findings.setdefault(one.given.identity(), []).extend(one.diagnostics)
            unasked.setdefault(one.given.identity(), []).extend(one.unasked)
        here = [waiver for waiver in self.waivers if any(matches(waiver.model, model) for model in findings)]
        result = apply_waivers(here, findings, date.today(), _rules(judged), unasked)
        by_finding = {id(found): waiver for _, found, waiver in result.waived}
        told = [
            _waived(found, by_finding[id(found)]) if id(found) in by_finding else found
            for one in judged
            for found in one.diagnostics
        ]
        return [*told, *result.findings], result.ok


def _rules(judged: list[Judged]) -> list[str]:
    """Return the identities of the rules that waivers may be for: those of the packs that judged."""
    packs = {one.judge.pack.meta["name"]: one.judge.pack for one in judged}
    listed = [rule["id"] for pack in packs.values() for stage in pack.meta["stages"].values() for rule in stage]
    return list(dict.fromkeys(listed))


def _waived(found: Diagnostic, waiver: Waiver) -> Diagnostic:
    message = f"waived by {waiver.owner} until {waiver.expires.isoformat()} ({waiver.reason}): {found.message}"
    return replace(found, severity="note", message=message)


__all__ = ["Waiving"]

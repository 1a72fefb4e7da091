"""Waivers as `check` holds findings against them."""

from __future__ import annotations

from dataclasses import replace

from kernelpath.cli.inputs import InputErrors, read_text
from kernelpath.cli.packs import pack_model

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernelpath.analysis.waivers import Waiver
    from kernelpath.cli.judging import Judged
    from kernelpath.diagnostics import Diagnostic, Source
    from kernelpath.evaluate.unasked import Unasked


class Waiving:
    """The waivers of a file, and the identities of the rules that they may be for."""

    def __init__(self, source: Source, waivers: list[Waiver], rules: list[str]) -> None:
        self.source = source
        self.waivers = waivers
        self.rules = rules

    @staticmethod
    def of(name: str, pack: str) -> Waiving:
        """Return the waivers in a file, for findings of a pack; raises InputErrors with what is wrong with either."""
        from kernelpath.analysis.waivers import WaiverErrors, read_waivers

        source = read_text(name)
        try:
            waivers = read_waivers(source)
        except WaiverErrors as errors:
            raise InputErrors(errors.diagnostics, {source.name: source}) from None
        return Waiving(source, waivers, [rule.identity for rule in pack_model(pack).rules()])

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
            findings.setdefault(model_name(one), []).extend(one.diagnostics)
            unasked.setdefault(model_name(one), []).extend(one.unasked)
        here = [waiver for waiver in self.waivers if any(matches(waiver.model, model) for model in findings)]
        result = apply_waivers(here, findings, date.today(), self.rules, unasked)
        by_finding = {id(found): waiver for _, found, waiver in result.waived}
        told = [
            _waived(found, by_finding[id(found)]) if id(found) in by_finding else found
            for one in judged
            for found in one.diagnostics
        ]
        return [*told, *result.findings], result.ok


def model_name(judged: Judged) -> str:
    """Return what waivers call a model: its `modelId`, or the name of its file where it has none."""
    name = judged.manifest.model_id() if judged.manifest.whole else None
    return name if isinstance(name, str) and name != "model" else judged.manifest.document.source.name


def _waived(found: Diagnostic, waiver: Waiver) -> Diagnostic:
    message = f"waived by {waiver.owner} until {waiver.expires.isoformat()} ({waiver.reason}): {found.message}"
    return replace(found, severity="note", message=message)


__all__ = ["Waiving", "model_name"]

"""Hold findings against waivers, and waivers against the day, the findings and the pack."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from kernelpath.analysis.waivers.globs import is_everything, matches_rule
from kernelpath.analysis.waivers.hiding import Accounts, hidden, is_for, waives_unasked
from kernelpath.analysis.waivers.reading import Waiver
from kernelpath.diagnostics import ERROR, Diagnostic, did_you_mean

Report = tuple[str, Diagnostic]


@dataclass(frozen=True, slots=True)
class Waived:
    """What is left to report, what is waived and by what, and what is wrong with the waivers themselves.

    Findings go with the name of their model.
    """

    reported: tuple[Report, ...]
    waived: tuple[tuple[str, Diagnostic, Waiver], ...]
    findings: tuple[Diagnostic, ...]

    @property
    def ok(self) -> bool:
        """Whether no error is left, neither a finding nor one about a waiver."""
        return not self.findings and all(found.severity != ERROR for _, found in self.reported)

    def to_dict(self) -> dict[str, object]:
        """Return the outcome as plain JSON."""
        return {
            "reported": [{"model": model, **found.to_dict()} for model, found in self.reported],
            "waived": [{"model": m, **found.to_dict(), "waiver": waiver.to_dict()} for m, found, waiver in self.waived],
            "waivers": [found.to_dict() for found in self.findings],
        }


def apply_waivers(
    waivers: Sequence[Waiver],
    findings: Mapping[str, Sequence[Diagnostic]],
    today: date,
    rules: Collection[str] | None = None,
    unasked: Accounts | None = None,
) -> Waived:
    """Return findings, by the name of their model, as they are waived on a day.

    The first waiver that counts and matches waives a finding. `rules` are the identities of the pack's rules, where
    they are known; a waiver of none of them is told as such. `unasked` are, by model, the rules that errors kept from
    being asked: a model whose errors are all waived passes only if waivers are for those rules, too.
    """
    reported: list[Report] = []
    waived: list[tuple[str, Diagnostic, Waiver]] = []
    used: set[int] = set()
    for model, diagnostics in findings.items():
        for found in diagnostics:
            matching = [place for place, waiver in enumerate(waivers) if covers(waiver, model, found)]
            used.update(matching)
            counting = [place for place in matching if not is_expired(waivers[place], today)]
            if counting:
                waived.append((model, found, waivers[counting[0]]))
            else:
                reported.append((model, found))
    accounts = unasked or {}
    used.update(at for at, waiver in enumerate(waivers) if waives_unasked(waiver, accounts))
    about = [found for at, waiver in enumerate(waivers) for found in _about(waiver, at in used, today, rules)]
    failing = {model for model, found in reported if found.severity == ERROR}
    counting_now = [waiver for waiver in waivers if not is_expired(waiver, today)]
    about += hidden(accounts, waived, failing, counting_now)
    return Waived(tuple(reported), tuple(waived), tuple(about))


def covers(waiver: Waiver, model: str, found: Diagnostic) -> bool:
    """Return whether a waiver is for a finding, whatever the day."""
    return is_for(waiver, model, found.rule, found.subject or "")


def is_expired(waiver: Waiver, today: date) -> bool:
    """Return whether a waiver's last day is over."""
    return waiver.expires < today


def _about(waiver: Waiver, used: bool, today: date, rules: Collection[str] | None) -> Iterator[Diagnostic]:
    """Yield what is wrong with a waiver: of being expired, unknown and unused the first that is so, and too broad."""
    if is_expired(waiver, today):
        message = f"the waiver of `{waiver.rule}` expired on {waiver.expires.isoformat()}"
        yield _finding("expired", waiver, message, f"ask {waiver.owner}: fix what it was for, or give it another day")
    elif rules is not None and not any(matches_rule(waiver.rule, rule) for rule in rules):
        near = did_you_mean(waiver.rule, rules)
        yield _finding(
            "unknown-rule",
            waiver,
            f"no rule is `{waiver.rule}`",
            f"did you mean `{near}`?" if near else "remove the waiver",
        )
    elif not used:
        yield _finding("unused", waiver, f"the waiver of `{waiver.rule}` waives nothing", "remove it")
    why = _too_broad(waiver, rules)
    if why:
        yield _finding(
            "over-broad", waiver, f"the waiver of `{waiver.rule}` is too broad: {why}", "name what it is for"
        )


def _too_broad(waiver: Waiver, rules: Collection[str] | None) -> str | None:
    stages = {rule.rpartition("/")[0] for rule in rules or () if matches_rule(waiver.rule, rule)}
    if len(stages) > 1:
        return f"it is for the rules of {len(stages)} stages"
    before, _, last = waiver.rule.rpartition("/")
    if "*" in before or "?" in before or "**" in last:
        return "its rule may be of any stage"
    if is_everything(waiver.model) and is_everything(waiver.step):
        return "it is for every step of every model"
    return None


def _finding(kind: str, waiver: Waiver, message: str, help_text: str) -> Diagnostic:
    return Diagnostic(f"waiver/{kind}", (), ERROR, message, subject=waiver.owner, span=waiver.span, help=help_text)


def render_json(waived: Waived) -> str:
    """Return the outcome as a JSON document."""
    return json.dumps(waived.to_dict(), ensure_ascii=False, indent=2) + "\n"


def render_text(waived: Waived) -> str:
    """Return what is waived and what is wrong with the waivers for a terminal; what is reported is shown as ever."""
    lines = [_waived_line(model, found, waiver) for model, found, waiver in waived.waived]
    for found in waived.findings:
        lines.append(f"{found.span}: {found.rule}: {found.message}")
        lines.append(f"  help: {found.help}")
    counts = (len(waived.reported), len(waived.waived), len(waived.findings))
    lines.append("{} reported, {} waived, {} about waivers".format(*counts))
    return "\n".join(lines) + "\n"


def _waived_line(model: str, found: Diagnostic, waiver: Waiver) -> str:
    subject = f" {found.subject}" if found.subject else ""
    until = waiver.expires.isoformat()
    return f"waived: {model}{subject}: {found.rule}: {found.message} ({waiver.owner}, until {until}: {waiver.reason})"


def render_markdown(waived: Waived) -> str:
    """Return the outcome for a pull request."""
    lines = [f"### {len(waived.reported)} reported, {len(waived.waived)} waived", ""]
    if waived.waived:
        lines += ["| model | step | rule | owner | until | reason |", "| --- | --- | --- | --- | --- | --- |"]
        lines += [_row(model, found, waiver) for model, found, waiver in waived.waived]
        lines.append("")
    lines += [f"- {found.span}: {found.message}" for found in waived.findings]
    return "\n".join(lines) + "\n"


def _row(model: str, found: Diagnostic, waiver: Waiver) -> str:
    cells = [model, found.subject or "", f"`{found.rule}`", waiver.owner, waiver.expires.isoformat(), waiver.reason]
    return f"| {' | '.join(_cell(cell) for cell in cells)} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")

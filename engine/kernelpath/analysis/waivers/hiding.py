"""What waived errors hide: rules that were not asked because of them, so that waiving is not passing unseen."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from kernelpath.analysis.waivers.globs import matches, matches_rule
from kernelpath.analysis.waivers.reading import Waiver
from kernelpath.diagnostics import ERROR, Diagnostic
from kernelpath.evaluate.unasked import Unasked

WaivedFinding = tuple[str, Diagnostic, Waiver]
Accounts = Mapping[str, Sequence[Unasked]]

_LISTED = 3


def is_for(waiver: Waiver, model: str, rule: str, step: str) -> bool:
    """Return whether a waiver is for what a rule says of a model's step, whatever the day."""
    return matches_rule(waiver.rule, rule) and matches(waiver.model, model) and matches(waiver.step, step)


def waives_unasked(waiver: Waiver, unasked: Accounts) -> bool:
    """Return whether a waiver is for a rule that was not asked, whatever the day."""
    return any(
        is_for(waiver, model, rule, step)
        for model, accounts in unasked.items()
        for one in accounts
        for rule, step in _verdicts(one)
    )


def hidden(
    unasked: Accounts, waived: Sequence[WaivedFinding], failing: Collection[str], counting: Sequence[Waiver]
) -> Iterator[Diagnostic]:
    """Yield an error for each model that would pass although rules were not asked because of what is waived.

    A rule may stay without a verdict if a waiver that counts is for it, too. A model in `failing` has errors that are
    not waived: it does not pass, and its report says anyway what was not asked.
    """
    for model, accounts in unasked.items():
        waivers = [waiver for name, _, waiver in waived if name == model]
        if waivers and model not in failing:
            verdicts = [verdict for one in accounts for verdict in _verdicts(one)]
            left = [rule for rule, step in verdicts if not any(is_for(each, model, rule, step) for each in counting)]
            if left:
                yield _hides(waivers[0], model, list(dict.fromkeys(left)))


def _verdicts(one: Unasked) -> Iterator[tuple[str, str]]:
    """Yield the rules that were not asked, each with a step that it was not asked about; an empty one for all."""
    yield from ((rule, step) for rule in one.checks for step in one.subjects or ("",))


def _hides(waiver: Waiver, model: str, rules: Sequence[str]) -> Diagnostic:
    count = "1 rule was" if len(rules) == 1 else f"{len(rules)} rules were"
    more = f" and {len(rules) - _LISTED} more" if len(rules) > _LISTED else ""
    listed = ", ".join(f"`{rule}`" for rule in rules[:_LISTED]) + more
    message = f"{count} not asked about model `{model}`, because of errors that are waived"
    help_text = f"fix what is waived, or waive what was not asked, too: {listed}"
    return Diagnostic("waiver/hides", (), ERROR, message, subject=waiver.owner, span=waiver.span, help=help_text)

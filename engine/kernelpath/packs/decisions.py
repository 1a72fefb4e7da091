"""Write the decision matrix of a pack: which rules carry out each decision, and which operation where no rule does."""

from __future__ import annotations

from collections.abc import Iterator

from kernelpath.packs.model import Pack, Rule


def carriers(pack: Pack) -> dict[str, list[Rule]]:
    """Return the rules that carry out each decision, in evaluation order: none for an operation's."""
    found: dict[str, list[Rule]] = {decision: [] for decision in pack.decisions}
    for rule in pack.rules():
        for decision in rule.decisions:
            found.setdefault(decision, []).append(rule)
    return found


def decision_matrix(pack: Pack) -> str:
    """Return the matrix as Markdown: one row for each decision, in order."""
    return "\n".join(_lines(pack)) + "\n"


def _lines(pack: Pack) -> Iterator[str]:
    yield f"# Decisions of `{pack.name}`"
    yield ""
    yield "Which rules carry out each decision; where no rule does, or none alone, which operation. Generated from the"
    yield "rules' `decisions:` and from `decisions` in `pack.yaml`: a test fails where this page is not what they give."
    yield ""
    yield "| decision | carried out by |"
    yield "|---|---|"
    for decision, rules in sorted(carriers(pack).items()):
        words = [f"[`{rule.stage}/{rule.name}`]({rule.stage}/{rule.name}.yaml)" for rule in rules]
        if decision in pack.decisions:
            words.append(_cell(pack.decisions[decision]))
        yield f"| {decision} | {', '.join(words)} |"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")

"""Write the decision matrix of a pack: which rules, values, tables and flows carry out each decision."""

from __future__ import annotations

from collections.abc import Iterator

from kernelpath.packs.model import Pack, Rule


def declared_carriers(pack: Pack) -> dict[str, list[str]]:
    """Return what of pack.yaml carries out each decision, as `values.session`."""
    found: dict[str, list[str]] = {}
    for section in ("values", "items", "flows", "stages", "questions"):
        for name, entry in getattr(pack, section).items():
            for decision in entry.decisions:
                found.setdefault(decision, []).append(f"{section}.{name}")
    return found


def carriers(pack: Pack) -> dict[str, list[Rule]]:
    """Return the rules that carry out each decision, in evaluation order: none for what pack.yaml alone carries out."""
    found: dict[str, list[Rule]] = {decision: [] for decision in declared_carriers(pack)}
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
    yield "Which rules carry out each decision, and which entries of `pack.yaml`. Made from `decisions:` of both: a"
    yield "test fails if this page is not what they give."
    yield ""
    yield "| decision | carried out by |"
    yield "|---|---|"
    declared = declared_carriers(pack)
    for decision, rules in sorted(carriers(pack).items()):
        words = [f"[`{rule.stage}/{rule.name}`]({rule.stage}/{rule.name}.yaml)" for rule in rules]
        words += [f"`{name}`" for name in declared.get(decision, ())]
        yield f"| {decision} | {', '.join(words)} |"

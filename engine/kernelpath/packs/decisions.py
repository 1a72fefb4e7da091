"""Write the decision matrix of a pack: which rules, values, tables and flows carry out each decision."""

from __future__ import annotations

from collections.abc import Iterator

from kernelpath.packs.model import Check, Pack, Rule


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


def decision_page(pack: Pack) -> str:
    """Return what each decision of a pack says, as Markdown: the rules and the declarations that carry it out."""
    declared, rules = _declared(pack), carriers(pack)
    lines = [
        f"# Decisions of `{pack.name}`",
        "",
        pack.summary,
        "",
        "A decision is a number in the reference that a pack agrees with. Below each is what carries it out: rules,",
        "with what they hold and report, and entries of `pack.yaml`, with what they are.",
    ]
    for decision in sorted(rules, key=_number):
        lines += ["", f"## {decision}", ""]
        lines += [f"- `{name}`: {doc}" if doc else f"- `{name}`" for name, doc in declared.get(decision, ())]
        lines += [line for rule in rules[decision] for line in _of_rule(rule)]
    return "\n".join(lines) + "\n"


def _declared(pack: Pack) -> dict[str, list[tuple[str, str]]]:
    """Return what of pack.yaml carries out each decision, with its doc."""
    found: dict[str, list[tuple[str, str]]] = {}
    for decision, names in declared_carriers(pack).items():
        for name in names:
            section, _, entry = name.partition(".")
            found.setdefault(decision, []).append((name, getattr(pack, section)[entry].doc))
    return found


def _of_rule(rule: Rule) -> Iterator[str]:
    yield f"- `{rule.stage}/{rule.name}`: {rule.summary}"
    if isinstance(rule, Check):
        yield f"    - reports: {rule.message.text}"


def _number(decision: str) -> tuple[str, int]:
    letters = decision.rstrip("0123456789")
    return letters, int(decision[len(letters) :] or 0)

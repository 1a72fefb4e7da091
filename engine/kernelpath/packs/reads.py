"""What a rule reads and gives."""

from __future__ import annotations

from kernelpath.packs.model import Check, Resolve, Rule, Table, Term, Transition


def gives(rule: Rule) -> str | None:
    """Return the variable that the rule resolves, if it is of a kind that does."""
    return rule.variable if isinstance(rule, Resolve | Table) else None


def terms_of(rule: Rule) -> list[Term]:
    """Return all expressions that decide a rule: its lets, condition and kind's own, messages left out."""
    terms = [term for _, term in rule.lets] + ([rule.when] if rule.when else [])
    match rule:
        case Check():
            terms.append(rule.holds)
        case Resolve():
            for candidate in rule.candidates:
                terms += [term for term in (candidate.when, candidate.value, candidate.source) if term]
        case Transition():
            terms += [rule.slot, rule.value]
        case Table():
            terms += [rule.base] if rule.base else []
            terms += [term for row in rule.rows for term in (row.when, row.value) if term]
    return terms


def variables_read(rule: Rule) -> set[str]:
    """Return the scope variables that decide a rule, its own lets left out."""
    own = {name for name, _ in rule.lets}
    read = {name for term in terms_of(rule) for name in term.checked.variables | term.checked.sources}
    return read - own


def sources_read(rule: Rule) -> set[str]:
    """Return the resolved variables whose provenance the rule reads."""
    return {name for term in terms_of(rule) for name in term.checked.sources}

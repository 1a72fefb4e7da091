"""What `check` reports besides findings: what is clean, which rules were not asked, what rules say of themselves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from kernelpath.cli.judging import Judged
from kernelpath.cli.placing import pack_text
from kernelpath.diagnostics import Diagnostic, Source
from kernelpath.diagnostics.account import Account, NotAsked, RuleText
from kernelpath.evaluate.compiled import CompiledPack
from kernelpath.evaluate.unasked import Unasked

_LISTED = 3
_SHOWN = 60  # characters of a name that a message quotes


def account_of(judged: Iterable[Judged], found: Iterable[Diagnostic]) -> Account:
    """Return the account of judged documents; the rules of `found` are told in full."""
    listed = list(judged)
    passed: dict[str, bool] = {}
    for one in listed:  # a document that is judged under several settings passes if it passes under each
        name = one.given.document.source.name
        passed[name] = passed.get(name, True) and one.ok
    unasked = (_not_asked(each, one.given.document.source.name) for one in listed for each in one.unasked)
    rules = {diagnostic.rule for diagnostic in found}
    texts = [rule_texts(pack, rules) for pack in {id(one.judge.pack): one.judge.pack for one in listed}.values()]
    return Account(
        tuple(name for name, ok in passed.items() if ok),
        tuple(dict.fromkeys(unasked)),
        {name: text for known in texts for name, text in known.items()},
    )


def _not_asked(one: Unasked, document: str) -> NotAsked:
    count = len(one.checks)
    rules = "1 rule was" if count == 1 else f"{count} rules were"
    about = f"{_listed(one.subjects)} of `{document}`" if one.subjects else f"`{document}`"
    onwards = ", nor in full about what depends on it" if one.onwards else ""
    message = f"{rules} not asked about {about}{onwards}, because of {_listed(one.because)}"
    return NotAsked(message, document, one.checks, one.because, one.subjects)


def _listed(names: Sequence[str]) -> str:
    shown = [f"`{name[:_SHOWN]}`" for name in names[:_LISTED]]
    more = len(names) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")


def rule_texts(pack: CompiledPack, wanted: set[str]) -> Mapping[str, RuleText]:
    """Return what rules of a pack say of themselves, out of their files: a compiled pack does not carry it."""
    files = {rule["id"]: rule["file"] for stage in pack.meta["stages"].values() for rule in stage}
    texts = {name: _rule_text(files[name]) for name in sorted(wanted & files.keys())}
    return {name: text for name, text in texts.items() if text is not None}


def _rule_text(file: str) -> RuleText | None:
    """Return what a rule's file says of the rule; None if it was changed since the pack was compiled."""
    from kernelpath.packs.documents import DocumentErrors, Mapping, Scalar, read_yaml

    try:
        rule = read_yaml(Source(file, pack_text(file) or ""))
    except DocumentErrors:
        return None
    parts = [rule.get(name) if isinstance(rule, Mapping) else None for name in ("summary", "why")]
    summary, why = (part.text.strip() if isinstance(part, Scalar) else "" for part in parts)
    return RuleText(summary, why) if summary else None

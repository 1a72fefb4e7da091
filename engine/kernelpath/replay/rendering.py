"""Show the changes between two files of answers, for people and for tools."""

from __future__ import annotations

import json

from kernelpath.replay.comparing import Missing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from kernelpath.replay.comparing import Changes

_SHOWN = 20  # of each kind
_VALUE = 60  # characters of a value


def render_text(changes: Changes) -> str:
    """Return the changes as lines; of each kind the first twenty, with the number of all."""
    lines = [f"{_count(changes.compared, 'answer')} compared, {changes.changed} changed"]
    lines += _listed("only in the old file", changes.only_old)
    lines += _listed("only in the new file", changes.only_new)
    lines += _listed("verdicts", [_verdict(each.identity, each.passes, each.rules) for each in changes.verdicts])
    values = [f"{v.identity}: {v.pointer or 'the whole'}: {_shown(v.old)} -> {_shown(v.new)}" for v in changes.values]
    lines += _listed("values", values)
    lines += _listed("rules", list(_rules(changes)))
    return "\n".join(lines) + "\n"


def render_json(changes: Changes) -> dict[str, Any]:
    """Return the changes as plain JSON, all of them; a member that one value does not have is left out."""
    return {
        "compared": changes.compared,
        "changed": changes.changed,
        "onlyOld": changes.only_old,
        "onlyNew": changes.only_new,
        "verdicts": [{"id": v.identity, "ok": v.passes, "rules": list(v.rules)} for v in changes.verdicts],
        "values": [
            {"id": v.identity, "pointer": v.pointer}
            | {name: each for name, each in (("old", v.old), ("new", v.new)) if not isinstance(each, Missing)}
            for v in changes.values
        ],
        "rules": [
            {"rule": rule, "gained": each.gained, "lost": each.lost, "other": each.other}
            for rule, each in changes.rules.items()
        ],
    }


def _listed(title: str, entries: Sequence[str]) -> list[str]:
    if not entries:
        return []
    more = [f"  and {len(entries) - _SHOWN} more"] if len(entries) > _SHOWN else []
    return [f"{title}: {len(entries)}", *(f"  {entry}" for entry in entries[:_SHOWN]), *more]


def _verdict(identity: str, passes: bool, rules: Sequence[str]) -> str:
    names = ", ".join(rules) or "no rule"
    return f"{identity}: passes now, was refused by {names}" if passes else f"{identity}: refused now by {names}"


def _rules(changes: Changes) -> Iterator[str]:
    for rule, each in changes.rules.items():
        counts = (("gained", each.gained), ("lost", each.lost), ("other findings", each.other))
        said = ", ".join(f"{len(ids)} {word} (first {ids[0]})" for word, ids in counts if ids)
        yield f"{rule}: {said}"


def _shown(value: Any) -> str:
    text = "nothing" if isinstance(value, Missing) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _VALUE else text[: _VALUE - 1] + "…"


def _count(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"

"""Read waivers.yaml."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from kernelpath.analysis.waivers.globs import MAX_GLOB
from kernelpath.diagnostics import ERROR, Diagnostic, Source, Span
from kernelpath.packs import documents
from kernelpath.packs.documents import DocumentErrors, Node, read_yaml, to_plain
from kernelpath.packs.shape import validate

_GLOB = {"type": "string", "minLength": 1, "maxLength": MAX_GLOB}
#: The JSON Schema of waivers.yaml.
SCHEMA: Mapping[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "kernelpath waivers",
    "type": "object",
    "required": ["waivers"],
    "additionalProperties": False,
    "properties": {
        "waivers": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "required": ["rule", "reason", "owner", "expires"],
                "additionalProperties": False,
                "properties": {
                    "rule": {**_GLOB, "description": "a glob of rules: `*` within a part of the path, `**` across"},
                    "model": {**_GLOB, "description": "a glob of model names; every model where it is left out"},
                    "step": {**_GLOB, "description": "a glob of what is blamed; everything where it is left out"},
                    "reason": {"type": "string", "minLength": 1, "description": "why the finding may stand"},
                    "owner": {"type": "string", "minLength": 1, "description": "who answers for it"},
                    "expires": {
                        "type": "string",
                        "pattern": r"^\d{4}-\d{2}-\d{2}$",
                        "description": "the last day on which it counts, such as 2030-12-31",
                    },
                },
            },
        }
    },
}


class WaiverErrors(Exception):
    """A waiver file that cannot be used, with the diagnostics that say why."""

    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        super().__init__("; ".join(f"{d.span}: {d.message}" for d in diagnostics))
        self.diagnostics = list(diagnostics)


@dataclass(frozen=True, slots=True)
class Waiver:
    """One waiver: globs of rules, models and steps, why, who answers for it, and the last day on which it counts."""

    rule: str
    model: str
    step: str
    reason: str
    owner: str
    expires: date
    span: Span

    def to_dict(self) -> dict[str, object]:
        """Return the waiver as plain JSON."""
        return {
            "rule": self.rule,
            "model": self.model,
            "step": self.step,
            "reason": self.reason,
            "owner": self.owner,
            "expires": self.expires.isoformat(),
            "span": self.span.to_dict(),
        }


def read_waivers(source: Source) -> list[Waiver]:
    """Return the waivers of a file; raises WaiverErrors with everything that is wrong with it."""
    try:
        root = read_yaml(source)
    except DocumentErrors as errors:
        raise WaiverErrors(errors.diagnostics) from None
    faults = validate(root, SCHEMA)
    if faults:
        raise WaiverErrors(faults)
    assert isinstance(root, documents.Mapping)
    listed = root["waivers"]
    assert isinstance(listed, documents.Sequence)
    found = [_waiver(node) for node in listed.items]
    faults = [one for one in found if isinstance(one, Diagnostic)]
    if faults:
        raise WaiverErrors(faults)
    return [one for one in found if isinstance(one, Waiver)]


def _waiver(node: Node) -> Waiver | Diagnostic:
    assert isinstance(node, documents.Mapping)
    plain: Any = to_plain(node)
    for name in ("reason", "owner"):
        if not plain[name].strip():
            return Diagnostic("waiver/blank", (), ERROR, f"the waiver's `{name}` is blank", span=node[name].span)
    try:
        expires = date.fromisoformat(plain["expires"])
    except ValueError:
        message = f"there is no day `{plain['expires']}`"
        return Diagnostic("waiver/day", (), ERROR, message, span=node["expires"].span, help="write it as 2030-12-31")
    globs = (plain["rule"], plain.get("model", "*"), plain.get("step", "*"))
    return Waiver(*globs, plain["reason"].strip(), plain["owner"].strip(), expires, node.span)

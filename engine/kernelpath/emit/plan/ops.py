"""What ops read and write: `kernels/ops.yaml`, whose head says what each member means."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from kernelpath.resources import resource


@dataclass(frozen=True, slots=True)
class Target:
    """What a binding is bound to: `kind` is slot, fresh, weight, cache, input, output or constant."""

    kind: str
    names: tuple[str, ...]

    @property
    def name(self) -> str:
        """Return the name of what is bound; for stacked weights the first."""
        return self.names[0]


@dataclass(frozen=True, slots=True)
class Op:
    """An op: what its kernel's bindings are bound to, and the expressions of its dimensions and parameters."""

    name: str
    bindings: Mapping[str, Target]
    dimensions: Mapping[str, str]
    parameters: Mapping[str, str]
    weights: str | None = None
    kernels: tuple[str, ...] = ()
    families: tuple[str, ...] = ()
    kernel_of: str | None = None
    replaces: tuple[str, ...] = ()
    when: str | None = None


@dataclass(frozen=True, slots=True)
class Implied:
    """An op that stands before another although a path leaves it out."""

    op: str
    before: str
    when: str | None = None
    like: str | None = None
    entry: str | None = None


@dataclass(frozen=True, slots=True)
class Fusion:
    """A sequence of ops that fewer launches compute; `kernels/fusions.yaml` says what each member means."""

    name: str
    match: tuple[str, ...]
    families: Mapping[str, str]
    into: tuple[str, ...]
    phase: str | None = None
    slots: Mapping[str, str] = field(default_factory=dict)
    absorbs: Mapping[str, Any] = field(default_factory=dict)
    constants: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Ops:
    """All ops by name, the implied ones in the order in which they are put in, and the fusions by preference."""

    by_name: Mapping[str, Op]
    implied: tuple[Implied, ...]
    fusions: tuple[Fusion, ...] = ()


@lru_cache(maxsize=4)
def load_ops(folder: Path | None = None) -> Ops:
    """Read `ops.yaml` and `fusions.yaml` of a folder, the project's own by default."""
    from kernelpath.packs.files import read_plain  # a plan that came from JSON needs no YAML

    root = folder or resource("kernels")
    raw = read_plain(root / "ops.yaml")
    ops = {name: _op(name, members) for name, members in raw["ops"].items()}
    implied = tuple(Implied(**{**entry, "when": _text(entry.get("when"))}) for entry in raw["implied"])
    fusions = tuple(_fusion(entry) for entry in read_plain(root / "fusions.yaml"))
    return Ops(ops, implied, fusions)


def _op(name: str, raw: Mapping[str, Any]) -> Op:
    return Op(
        name=name,
        bindings={binding: _target(target) for binding, target in raw["bindings"].items()},
        dimensions={key: str(value) for key, value in raw.get("dimensions", {}).items()},
        parameters={key: str(value) for key, value in raw.get("parameters", {}).items()},
        weights=raw.get("weights"),
        kernels=tuple(raw.get("kernels", ())),
        families=tuple(raw.get("families", ())),
        kernel_of=raw.get("kernel_of"),
        replaces=tuple(raw.get("replaces", ())),
        when=_text(raw.get("when")),
    )


def _fusion(raw: Mapping[str, Any]) -> Fusion:
    return Fusion(**{**raw, "match": tuple(raw["match"]), "into": tuple(raw["into"])})


def _target(raw: Mapping[str, Any]) -> Target:
    ((kind, names),) = raw.items()
    return Target(kind, tuple(names) if isinstance(names, list) else (names,))


def _text(value: object) -> str | None:
    return None if value is None else str(value)

"""What ops read and write: `kernels/ops.yaml`, whose head says what each member means."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
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
class Ops:
    """All ops by name, and the implied ones in the order in which they are put in."""

    by_name: Mapping[str, Op]
    implied: tuple[Implied, ...]


@lru_cache(maxsize=4)
def load_ops(path: Path | None = None) -> Ops:
    """Read the ops file, the project's own by default."""
    raw = read_yaml(path or resource("kernels", "ops.yaml"))
    ops = {name: _op(name, members) for name, members in raw["ops"].items()}
    return Ops(ops, tuple(Implied(**{**entry, "when": _text(entry.get("when"))}) for entry in raw["implied"]))


def read_yaml(path: Path) -> Any:
    """Read one of the project's own YAML files as plain data."""
    import yaml  # not at import: a plan that came from JSON needs no YAML

    with path.open(encoding="utf-8") as stream:
        return yaml.load(stream, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def _op(name: str, raw: Mapping[str, Any]) -> Op:
    return Op(
        name=name,
        bindings={binding: _target(target) for binding, target in raw["bindings"].items()},
        dimensions={key: str(value) for key, value in raw.get("dimensions", {}).items()},
        parameters={key: str(value) for key, value in raw.get("parameters", {}).items()},
        weights=raw.get("weights"),
        kernels=tuple(raw.get("kernels", ())),
        replaces=tuple(raw.get("replaces", ())),
        when=_text(raw.get("when")),
    )


def _target(raw: Mapping[str, Any]) -> Target:
    ((kind, names),) = raw.items()
    return Target(kind, tuple(names) if isinstance(names, list) else (names,))


def _text(value: object) -> str | None:
    return None if value is None else str(value)

"""Kernel families as data: `kernels/families/<family>/family.yaml`, read into frozen records.

A family states what an op means; its variants are the kernels that compute it, each with bindings, uniforms, override
constants and workgroup counts. Expressions stay text here: `expressions.py` compiles them when a plan needs them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from kernelpath.diagnostics import did_you_mean
from kernelpath.emit.plan.storage import DTYPES
from kernelpath.resources import resource

READ = "read"
WRITE = "write"
READ_WRITE = "read_write"
SCRATCH = "scratch"
UNIFORM = "uniform"
KINDS = (UNIFORM, READ, WRITE, READ_WRITE, SCRATCH)


class FamilyError(ValueError):
    """A family file is not as its format says; the text names the file and the place in it."""


@dataclass(frozen=True, slots=True)
class BindingFormat:
    """One binding of a kernel: `shape` holds expressions over the family's dimensions, in elements of `dtype`.

    `fill` says what a verification puts in (data of the family; the plan does not read it).
    """

    index: int
    name: str
    kind: str
    dtype: str = "u32"
    shape: tuple[str, ...] = ()
    fill: Mapping[str, Any] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class UniformField:
    """One field of a kernel's uniforms: a u32, i32 or f32 at a byte offset, valued by an expression."""

    name: str
    type: str
    offset: int
    value: str


@dataclass(frozen=True, slots=True)
class Parameter:
    """A scalar that reaches a kernel's uniforms; without a default the op must give it."""

    name: str
    type: str
    default: float | int | bool | None = None


@dataclass(frozen=True, slots=True)
class Split:
    """How a binding over the device's limit is cut: along `dimension`, which is an axis of each binding named."""

    dimension: str
    bindings: Mapping[str, int]
    column: str


@dataclass(frozen=True, slots=True)
class Variant:
    """One kernel of a family, named `kernel#entry` as kernel paths spell it."""

    family: Family
    kernel: str
    entry: str
    file: str
    features: tuple[str, ...]
    workgroup: int | tuple[int, ...]
    workgroup_storage: int
    bindings: tuple[BindingFormat, ...]
    uniform_size: int
    uniforms: tuple[UniformField, ...]
    overrides: Mapping[str, Any]
    groups: tuple[str, ...]
    fold: bool
    when: str | None
    then: str | None
    substitute: Mapping[str, str]
    source: Mapping[str, Any] = field(repr=False)

    @property
    def name(self) -> str:
        """Return `kernel#entry`."""
        return f"{self.kernel}#{self.entry}"

    def binding(self, name: str) -> BindingFormat | None:
        """Return the binding of that name, or None."""
        return next((binding for binding in self.bindings if binding.name == name), None)


@dataclass(frozen=True, slots=True, eq=False)
class Family:
    """What a group of kernels computes: dimensions, parameters, meaning over logical arrays, tolerances per dtype."""

    name: str
    doc: str
    folder: Path
    dimensions: Mapping[str, str]
    dimension_defaults: Mapping[str, str]
    parameters: Mapping[str, Parameter]
    constants: Mapping[str, str]
    ignored_constants: frozenset[str]
    meaning: str
    tolerance: Mapping[str, Mapping[str, float]]
    split: Split | None
    cases: tuple[Mapping[str, Any], ...] = ()
    variants: list[Variant] = field(default_factory=list, repr=False)


@dataclass(frozen=True, slots=True)
class Families:
    """All families of a folder, with their variants by name."""

    by_name: Mapping[str, Family]
    by_kernel: Mapping[tuple[str, str], tuple[Variant, ...]]

    def variants(self, kernel: str, entry: str = "main") -> tuple[Variant, ...]:
        """Return the variants that a kernel path calls `kernel#entry`, in file order; several serve several shapes."""
        return self.by_kernel.get((kernel, entry), ())

    def variant(self, kernel: str, entry: str = "main") -> Variant | None:
        """Return the first variant that a kernel path calls `kernel#entry`, or None."""
        return next(iter(self.variants(kernel, entry)), None)

    def nearest(self, kernel: str, entry: str) -> str | None:
        """Return the name of the variant that was probably meant by an unknown one."""
        return did_you_mean(f"{kernel}#{entry}", (f"{known}#{start}" for known, start in self.by_kernel))


@lru_cache(maxsize=4)
def load_families(folder: Path | None = None) -> Families:
    """Read every `family.yaml` under a folder (the project's own by default); raises FamilyError."""
    root = folder or resource("kernels", "families")
    families = [read_family(path) for path in sorted(root.glob("*/family.yaml"))]
    by_kernel: dict[tuple[str, str], tuple[Variant, ...]] = {}
    for variant in (variant for family in families for variant in family.variants):
        same = by_kernel.get((variant.kernel, variant.entry), ())
        if same and same[0].family is not variant.family:
            raise FamilyError(f"{variant.name} is in family {same[0].family.name} and {variant.family.name}")
        by_kernel[variant.kernel, variant.entry] = (*same, variant)
    return Families({family.name: family for family in families}, by_kernel)


def read_family(path: Path) -> Family:
    """Read one family file; raises FamilyError that names the file and the member at fault."""
    from kernelpath.packs.files import PackErrors, read_plain  # a plan that came from JSON needs no YAML

    try:
        raw = read_plain(path, sharing=True)
    except PackErrors as errors:
        raise FamilyError(str(errors)) from None
    try:
        family = _family(raw, path)
        family.variants.extend(_variant({**_shared(raw), **entry}, family) for entry in raw["variants"])
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise FamilyError(f"{path}: {type(error).__name__}: {error}") from error
    return family


def _family(raw: Mapping[str, Any], path: Path) -> Family:
    split = raw.get("split")
    dimensions = {name: _declaration(value) for name, value in raw.get("dimensions", {}).items()}
    return Family(
        name=raw["family"],
        doc=raw.get("doc", ""),
        folder=path.parent,
        dimensions={name: kind for name, (kind, _) in dimensions.items()},
        dimension_defaults={name: str(value) for name, (_, value) in dimensions.items() if value is not None},
        parameters={name: Parameter(name, *_declaration(value)) for name, value in raw.get("parameters", {}).items()},
        constants=raw.get("constants", {}),
        ignored_constants=frozenset(raw.get("ignored_constants", ())),
        meaning=raw["meaning"],
        tolerance=raw.get("tolerance", {}),
        split=Split(split["dimension"], split["bindings"], split.get("column", "column")) if split else None,
        cases=tuple(raw.get("cases", ())),
    )


def _shared(raw: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a variant takes from its family unless it says it itself."""
    return {name: raw[name] for name in ("bindings", "uniforms") if name in raw}


def _declaration(value: Any) -> tuple[str, Any]:
    """Return (type, default) of `int` or `{type: int, default: 0}`."""
    return (value["type"], value.get("default")) if isinstance(value, Mapping) else (value, None)


def _variant(raw: Mapping[str, Any], family: Family) -> Variant:
    uniforms = raw.get("uniforms") or {"size": 0, "fields": []}
    then = raw.get("then")
    return Variant(
        family=family,
        kernel=raw["kernel"],
        entry=raw.get("entry", "main"),
        file=raw.get("file", raw["kernel"]),
        features=tuple(raw.get("features", ())),
        workgroup=_workgroup(raw.get("workgroup", 1)),
        workgroup_storage=int(raw.get("workgroup_storage", 0)),
        bindings=tuple(_binding(binding, raw.get("dtypes", {})) for binding in raw["bindings"]),
        uniform_size=int(uniforms["size"]),
        uniforms=tuple(_uniform(entry) for entry in uniforms["fields"]),
        overrides=raw.get("overrides") or {},
        groups=tuple(str(count) for count in raw["groups"]),
        fold=bool(raw.get("fold", False)),
        when=raw.get("when"),
        then=f"{then['kernel']}#{then.get('entry', 'main')}" if then else None,
        substitute=raw.get("substitute") or {},
        source=raw,
    )


def _workgroup(value: int | list[int]) -> int | tuple[int, ...]:
    return tuple(value) if isinstance(value, list) else value


def _binding(raw: Mapping[str, Any], dtypes: Mapping[str, str]) -> BindingFormat:
    kind, dtype = raw["kind"], raw.get("dtype") or dtypes.get(raw["name"], "u32")
    if kind not in KINDS:
        raise ValueError(f"binding {raw['name']}: kind `{kind}` is none of {', '.join(KINDS)}")
    if kind != UNIFORM and dtype not in DTYPES:
        raise ValueError(f"binding {raw['name']}: unknown dtype `{dtype}`")
    return BindingFormat(raw["index"], raw["name"], kind, dtype, _texts(raw.get("shape", ())), raw.get("fill") or {})


def _uniform(raw: Mapping[str, Any]) -> UniformField:
    return UniformField(raw["name"], raw["type"], raw["offset"], str(raw.get("value", raw["name"])))


def _texts(values: Iterable[object]) -> tuple[str, ...]:
    return tuple(str(value) for value in values)

"""Hold every kernel variant to its family's meaning, on a device: the numbers behind `kernels verify --device`.

A family's `cases` give dimensions and parameters; inputs are drawn from a fixed seed as `draw.py` says. Outputs are
poisoned before each of two runs, which must agree bit by bit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from kernelpath.emit.plan.families import READ, SCRATCH, Families, Variant, load_families
from kernelpath.emit.plan.storage import DTYPES
from kernelpath.execute.device import Device, DeviceError
from kernelpath.execute.draw import inputs
from kernelpath.execute.numpy_backend.meaning import assignments, run
from kernelpath.execute.numpy_backend.rounding import rounded
from kernelpath.execute.shaders import Shaders
from kernelpath.execute.trial import NUMPY, Array, Names, Trial, all_names, formats, shape, value
from kernelpath.models.weights import Weight


@dataclass(frozen=True, slots=True)
class Check:
    """One case of one variant: `worst` is the largest error as a part of what is allowed, `failures` counts elements.

    `note` says what else went wrong; a check holds when there are no failures and no note. A skipped check says why.
    """

    kernel: str
    case: str
    worst: float = 0.0
    failures: int = 0
    note: str = ""
    skipped: str = ""

    @property
    def holds(self) -> bool:
        """Return whether the kernel did what its family means, both times."""
        return not self.failures and not self.note


def verify(device: Device, kernels: Iterable[str] = (), trusted: bool = True) -> Iterator[Check]:
    """Check every case of every variant, or of those kernels whose `kernel#entry` holds one of the given texts."""
    families = load_families()
    shaders = Shaders(device, trusted)
    wanted = tuple(kernels)
    for variant in checkable(families):
        if not wanted or any(text in variant.name for text in wanted):
            yield from verify_variant(shaders, variant)


def checkable(families: Families) -> Iterator[Variant]:
    """Return the variants that begin a chain; those that only another one's `then` leads to are checked with it."""
    seconds = {variant.then for family in families.by_name.values() for variant in family.variants}
    for family in families.by_name.values():
        yield from (variant for variant in family.variants if variant.name not in seconds)


def verify_variant(shaders: Shaders, variant: Variant) -> Iterator[Check]:
    """Check the cases of one variant that its shapes, its `when` and the device allow."""
    absent = sorted(set(variant.features) - shaders.device.features)
    if absent:
        yield Check(variant.name, "", skipped=f"the device has no {', '.join(absent)}")
        return
    for case in variant.family.cases:
        names = names_for(variant, case, shaders.device.cpu)
        if names is not None and fits(variant, names):
            yield _check(shaders, variant, names, case.get("fill", {}))


def names_for(variant: Variant, case: Mapping[str, Any], cpu: bool) -> Names | None:
    """Return a case's names, or None where the variant is not meant for it on any kind of device."""
    given = {name: number for name, number in case.items() if name != "fill"}
    for kind in (cpu, not cpu):
        names = all_names(variant, given, kind)
        if variant.when is None or value(variant.when, names):
            return names
    return None


def fits(variant: Variant, names: Names) -> bool:
    """Return whether rows of every quantised binding are whole blocks."""
    return all(shape(form, names)[-1] % DTYPES[form.dtype].elements == 0 for form in formats(variant).values())


def _check(shaders: Shaders, variant: Variant, names: Names, fill: Mapping[str, Any]) -> Check:
    case = " ".join(f"{name}={names[name]}" for name in (*variant.family.dimensions, *variant.family.parameters))
    try:
        trial = Trial(shaders, variant, names)
        stored = inputs(variant, names, fill)
        first, second = (_outputs(trial, stored) for _ in range(2))
    except DeviceError as error:
        return Check(variant.name, case, note=str(error))
    unlike = [name for name in first if first[name].tobytes() != second[name].tobytes()]
    if unlike:
        return Check(variant.name, case, note=f"two runs differ in {', '.join(unlike)}")
    wanted = expected(variant, names, stored)
    results = [compare(first[name], wanted[name], _tolerance(trial, name)) for name in first]
    return Check(variant.name, case, max(worst for worst, _ in results), sum(count for _, count in results))


def _outputs(trial: Trial, stored: Mapping[str, Weight]) -> dict[str, Array]:
    """Run once on fresh buffers and return what was written."""
    for name in trial.forms:
        if name in stored:
            trial.write(name, stored[name].data)
        else:
            trial.poison(name)
    trial.run()
    return {name: trial.read(name) for name, form in trial.forms.items() if form.kind not in (READ, SCRATCH)}


def expected(variant: Variant, names: Names, stored: Mapping[str, Weight]) -> dict[str, Array]:
    """Return what the family's meaning gives in f64, rounded to what each output is stored as."""
    forms = formats(variant)
    arrays: dict[str, Array] = {name: _logical(weight) for name, weight in stored.items()}
    for name, form in forms.items():
        if name not in arrays:
            arrays[name] = np.full(shape(form, names), np.nan)

    def store(target: str, result: Any) -> Any:
        if target not in forms or not isinstance(result, np.ndarray) or result.dtype.kind != "f":
            return result
        return rounded(result, forms[target].dtype)

    meaning = variant.family.meaning
    with np.errstate(all="ignore"):
        results = run(meaning, {**names, **arrays}, store)
    targets = (each.target for each in assignments(meaning))
    return {name: np.broadcast_to(results[name], shape(forms[name], names)) for name in targets if name in forms}


def _logical(weight: Weight) -> Array:
    if weight.dtype in ("u32", "i32"):
        return weight.data.view(NUMPY[weight.dtype]).reshape(weight.shape).astype(np.int64)
    return weight.array().astype(np.float64)


def _tolerance(trial: Trial, name: str) -> Mapping[str, float]:
    """Return the family's tolerance for an output: the widest of the dtypes that its chain stores values at."""
    tolerances = trial.variant.family.tolerance
    return tolerances[trial.forms[name].dtype]


def compare(got: Array, wanted: Array, tolerance: Mapping[str, float]) -> tuple[float, int]:
    """Return the worst error as a part of what is allowed, and how many elements fail.

    Allowed is `absolute` times the output's root mean square (1 if that is less), plus `relative` times the element.
    NaN and infinities must stand where they are wanted.
    """
    there = got.astype(np.float64)
    finite = np.isfinite(wanted)
    size = float(np.sqrt(np.mean(np.square(wanted[finite])))) if finite.any() else 0.0
    allowed = tolerance["absolute"] * max(1.0, size) + tolerance["relative"] * np.abs(np.where(finite, wanted, 0.0))
    with np.errstate(invalid="ignore"):
        error = np.where(finite, np.abs(there - np.where(finite, wanted, 0.0)), 0.0)
        part = np.divide(error, allowed, out=np.where(error > 0, np.inf, 0.0), where=allowed > 0)
        bad = ~(part <= 1.0) | np.where(finite, False, ~((there == wanted) | (np.isnan(there) & np.isnan(wanted))))
    return float(np.max(part, initial=0.0, where=~np.isnan(part))), int(bad.sum())


def table(checks: Iterable[Check]) -> str:
    """Return one line per kernel: how many cases held, and the worst error as a part of what is allowed."""
    rows: dict[str, list[Check]] = {}
    for check in checks:
        rows.setdefault(check.kernel, []).append(check)
    width = max((len(name) for name in rows), default=0)
    return "\n".join(f"{name:{width}}  {_summary(group)}" for name, group in rows.items())


def _summary(group: list[Check]) -> str:
    skipped = [check.skipped for check in group if check.skipped]
    if skipped:
        return f"skipped: {skipped[0]}"
    held = sum(check.holds for check in group)
    notes = "".join(
        f"  {check.note or f'{check.failures} wrong'} at {check.case}" for check in group if not check.holds
    )
    return f"{held}/{len(group)} cases, worst {max(check.worst for check in group):.2f} of tolerance{notes}"

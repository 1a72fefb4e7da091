"""Which variant of a kernel runs at a call: the first whose `when` holds, by preference one that needs no cast."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kernelpath.emit.plan.builder import PlanBuilder
from kernelpath.emit.plan.expand import Call
from kernelpath.emit.plan.families import WRITE, Variant
from kernelpath.emit.plan.model import Dynamic, Value
from kernelpath.emit.plan.refusals import refuse


def choose(
    call: Call,
    candidates: Sequence[Variant],
    names_of: Mapping[str, Mapping[str, Value]],
    dtypes: Mapping[str, str],
    builder: PlanBuilder,
) -> Variant:
    """Return the variant for a call; raises Refusal where no candidate is right for its shape or its cache.

    `names_of` holds the values of each family's names, `dtypes` those of the bindings that are known already.
    """
    right = [variant for variant in candidates if always(variant, names_of[variant.family.name], builder)]
    if not right:
        refuse.no_variant(call, candidates)
    return next((variant for variant in right if reads(variant, dtypes)), right[0])


def always(variant: Variant, names: Mapping[str, Value], builder: PlanBuilder) -> bool:
    """Return whether a variant is right for every call that the plan allows."""
    if variant.when is None:
        return True
    condition = builder.value(variant.when, names)
    return builder.always(condition) if isinstance(condition, Dynamic) else bool(condition)


def reads(variant: Variant, dtypes: Mapping[str, str]) -> bool:
    """Return whether a variant's bindings have the dtypes of what is bound; what it writes anew is its own choice."""
    read = [binding for binding in variant.bindings if binding.kind != WRITE]
    return all(dtypes.get(binding.name, binding.dtype) == binding.dtype for binding in read)

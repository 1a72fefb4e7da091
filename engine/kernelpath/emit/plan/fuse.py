"""Replace sequences of ops by fewer launches, as `kernels/fusions.yaml` says, where every condition holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod

from kernelpath.emit.plan.architecture import layer_names
from kernelpath.emit.plan.bind import Setting, Site, bound_dtypes, candidates, family_names
from kernelpath.emit.plan.builder import PlanBuilder
from kernelpath.emit.plan.choose import always, reads
from kernelpath.emit.plan.expand import Call
from kernelpath.emit.plan.families import READ, Variant
from kernelpath.emit.plan.limits import Limits
from kernelpath.emit.plan.model import Value
from kernelpath.emit.plan.ops import Fusion, Target
from kernelpath.emit.plan.refusals import Refusal, refuse
from kernelpath.emit.plan.storage import whole_blocks


@dataclass(frozen=True, slots=True)
class Sites:
    """Where calls are lowered: what they share, and the names that their ops' expressions may use."""

    setting: Setting
    builder: PlanBuilder
    all_rows: bool

    def of(self, call: Call) -> Site:
        """Return a call with its op and its names; raises Refusal for an op that is not described."""
        op = self.setting.ops.by_name.get(call.op)
        if op is None:
            refuse.unknown_op(call, list(self.setting.ops.by_name))
        variables = self.builder.variables()
        names: dict[str, Value] = {
            **layer_names(self.setting.architecture, call.layer),
            **variables,
            "head_rows": variables["rows"] if self.all_rows else 1,
            "cpu": self.setting.limits.cpu,
        }
        return Site(call, op, names)


@dataclass(frozen=True, slots=True)
class Fused:
    """The calls that stand for `length` calls of a path."""

    calls: tuple[Call, ...]
    length: int


def fuse(calls: Sequence[Call], at: int, phase: str, sites: Sites) -> Fused | None:
    """Return the calls that replace those from `at` on, by the first fusion whose conditions hold; None for none."""
    for fusion in sites.setting.ops.fusions:
        matched = calls[at : at + len(fusion.match)]
        if fusion.phase in (None, phase) and tuple(call.op for call in matched) == fusion.match:
            try:
                fused = _replaced(fusion, matched, sites)
            except Refusal:  # a step at fault is reported as it stands, not as part of a fusion
                return None
            if fused:
                return Fused(fused, len(matched))
    return None


def _replaced(fusion: Fusion, matched: Sequence[Call], sites: Sites) -> tuple[Call, ...] | None:
    variants = {call.op: candidates(sites.of(call), sites.setting)[0] for call in matched}
    slots = sites.builder.slots
    if not _of_one_dtype(matched, variants, sites):
        return None
    if any(variants[op].family.name != family for op, family in fusion.families.items()):
        return None
    if any(name not in slots or slots[name].dtype != dtype for name, dtype in fusion.slots.items()):
        return None
    weights = {call.op: _weight_name(call, sites) for call in matched}
    chosen = [_chosen(op, fusion, matched, weights, variants, sites) for op in fusion.into]
    return tuple(call for call in chosen if call) if all(chosen) else None


def _of_one_dtype(matched: Sequence[Call], variants: Mapping[str, Variant], sites: Sites) -> bool:
    """Return whether all values that pass between the ops, and those that stand, have one dtype.

    Where they have not, the path asks for casts, and a fused kernel would leave one out without a word.
    """
    dtypes = set()
    for call in matched:
        bound = sites.of(call).op.bindings
        for form in variants[call.op].bindings:
            if form.name in bound and bound[form.name].kind == "slot":
                standing = sites.builder.slots.get(bound[form.name].name)
                dtypes |= {form.dtype} | ({standing.dtype} if standing and form.kind == READ else set())
    return len(dtypes) == 1


def _weight_name(call: Call, sites: Sites) -> str:
    name = call.weights or sites.of(call).op.weights or ""
    return name.replace("{L}", str(call.layer))


def _chosen(
    op: str,
    fusion: Fusion,
    matched: Sequence[Call],
    weights: Mapping[str, str],
    variants: Mapping[str, Variant],
    sites: Sites,
) -> Call | None:
    """Return the call of a replacing op, with a kernel that reads just what is bound; None where there is none."""
    note = f"{fusion.name}: {', '.join(fusion.match)}"
    call = Call(op, matched[0].layer, None, "main", constants=dict(fusion.constants), note=note, weights_of=weights)
    site = sites.of(_with_kernel_of(call, matched, variants, sites))
    dtypes = bound_dtypes(site, sites.setting, sites.builder)
    for name, target in site.op.bindings.items():
        if target.kind == "weight":
            dtypes[name] = _weight_dtype(target, variants, sites)
    for variant in candidates(site, sites.setting):
        if reads(variant, dtypes) and _serves(variant, site, fusion, matched, sites):
            constants = {**_passed(fusion, matched), **fusion.constants}
            return replace(call, kernel=variant.kernel, entry=variant.entry, constants=constants)
    return None


def _with_kernel_of(call: Call, matched: Sequence[Call], variants: Mapping[str, Variant], sites: Sites) -> Call:
    """Return a call with the kernel of the op that its own names, where all of that family have one kernel."""
    source = sites.of(call).op.kernel_of
    if source is None:
        return call
    family = variants[source].family
    kernels = {(each.kernel, each.entry) for each in matched if variants[each.op].family is family}
    if len(kernels) != 1:
        return call
    ((kernel, entry),) = kernels
    return replace(call, kernel=kernel, entry=entry)


def _weight_dtype(target: Target, variants: Mapping[str, Variant], sites: Sites) -> str:
    """Return the dtype of a weight, as the kernels read it that named it; `mixed` where stacked ones differ."""
    dtypes = set()
    for name in target.names:
        op, _, part = name.removeprefix("{").partition("}")
        bindings = sites.setting.ops.by_name[op].bindings
        weights = [key for key, bound in bindings.items() if bound.kind == "weight" and bound.name.endswith(part)]
        dtypes |= {form.dtype for form in variants[op].bindings if form.name in weights}
    return dtypes.pop() if len(dtypes) == 1 else "mixed"


def _passed(fusion: Fusion, matched: Sequence[Call]) -> dict[str, object]:
    """Return the constants of matched calls that the fusion does not absorb."""
    found = {name: value for call in matched for name, value in call.constants.items()}
    return {name: value for name, value in found.items() if name not in fusion.absorbs or fusion.absorbs[name] != value}


def _serves(variant: Variant, site: Site, fusion: Fusion, matched: Sequence[Call], sites: Sites) -> bool:
    limits, builder = sites.setting.limits, sites.builder
    if not set(_passed(fusion, matched)) <= {*variant.family.constants, *variant.overrides}:
        return False
    if not set(variant.features) <= limits.features or not _workgroup_fits(variant, limits):
        return False
    names = family_names(site, variant.family, builder)
    return always(variant, names, builder) and _weights_fit(variant, names, limits, builder)


def _workgroup_fits(variant: Variant, limits: Limits) -> bool:
    size = (variant.workgroup,) if isinstance(variant.workgroup, int) else variant.workgroup
    most = (getattr(limits, f"max_compute_workgroup_size_{axis}") for axis in "xyz")
    fits = prod(size) <= limits.max_compute_invocations_per_workgroup
    fits = fits and all(count <= limit for count, limit in zip(size, most, strict=False))
    return fits and variant.workgroup_storage <= limits.max_compute_workgroup_storage_size


def _weights_fit(variant: Variant, names: Mapping[str, Value], limits: Limits, builder: PlanBuilder) -> bool:
    """Return whether nothing has to be split: a fused kernel reads its weights whole."""
    for form in variant.bindings:
        if form.kind == READ and form.shape:
            shape = builder.extent(tuple(builder.value(length, names) for length in form.shape))
            if not whole_blocks(form.dtype, shape) or builder.size(form.dtype, shape) > limits.storage_bytes:
                return False
    return True

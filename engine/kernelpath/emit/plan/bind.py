"""One call lowered to dispatches: its kernel chosen, its names valued, its bindings resolved."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

from kernelpath.emit.plan.architecture import layer_type
from kernelpath.emit.plan.builder import PlanBuilder, Slot
from kernelpath.emit.plan.choose import choose
from kernelpath.emit.plan.expand import Call
from kernelpath.emit.plan.families import READ_WRITE, SCRATCH, UNIFORM, WRITE, BindingFormat, Families, Family, Variant
from kernelpath.emit.plan.limits import Limits
from kernelpath.emit.plan.model import (
    ACTIVATION,
    CACHE,
    CONSTANT,
    INPUT,
    WEIGHT,
    Binding,
    Buffer,
    Dispatch,
    Uniform,
    Value,
    WeightPart,
)
from kernelpath.emit.plan.model import SCRATCH as SCRATCH_ROLE
from kernelpath.emit.plan.ops import Op, Ops, Target
from kernelpath.emit.plan.refusals import Refusal, refuse
from kernelpath.emit.plan.split import cuts

Names = dict[str, Value]

VALUES = ("slot", "fresh", "output")
"""The kinds of targets that name a value of the running tokens."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What all calls of a lowering share."""

    architecture: Mapping[str, Any]
    families: Families
    ops: Ops
    limits: Limits
    cache_dtype: str


@dataclass(frozen=True, slots=True)
class Site:
    """A call with its op and the names that the op's expressions may use."""

    call: Call
    op: Op
    names: Names


def lower_call(site: Site, setting: Setting, builder: PlanBuilder) -> None:
    """Add a call's dispatches to the plan, casts before them included; raises Refusal where it cannot be lowered."""
    for candidate in candidates(site, setting):
        _check_bindings(site, candidate, _forms(candidate, setting).values())
    names_of = {family.name: family_names(site, family, builder) for family in _families(site, setting)}
    variant = choose(site.call, candidates(site, setting), names_of, bound_dtypes(site, setting, builder), builder)
    forms = _forms(variant, setting)
    names = names_of[variant.family.name]
    for binding in forms.values():
        if _target(site, binding).kind in ("slot", "output"):
            _cast_if_needed(site, variant, binding, setting, builder)
    resources: dict[str, Slot] = {}
    for part in cuts(variant, names, setting.limits, builder):
        _emit(site, setting, variant, {**names, **part.names}, part.ranges, resources, builder)
    for binding in forms.values():
        if binding.kind in (WRITE, READ_WRITE) and _target(site, binding).kind in VALUES:
            builder.slots[_target(site, binding).name] = resources[binding.name]


def _families(site: Site, setting: Setting) -> Iterable[Family]:
    return {variant.family.name: variant.family for variant in candidates(site, setting)}.values()


def candidates(site: Site, setting: Setting) -> tuple[Variant, ...]:
    """Return the variants that may run a call: those of its kernel, or of its op's own; raises Refusal for none."""
    call = site.call
    if call.kernel is None:
        names = [tuple(kernel.split("#")) for kernel in site.op.kernels]
        listed = (variant for kernel, entry in names for variant in setting.families.variants(kernel, entry))
        return (*listed, *(each for name in site.op.families for each in setting.families.by_name[name].variants))
    found = setting.families.variants(call.kernel, call.entry)
    if not found:
        refuse.unknown_kernel(call, setting.families.nearest(call.kernel, call.entry))
    return found


def family_names(site: Site, family: Family, builder: PlanBuilder) -> Names:
    """Return the values of a family's dimensions and parameters at a call: the op's, over the family's own defaults."""
    names: Names = {"cpu": site.names["cpu"]}
    for dimension in family.dimensions:
        text = site.op.dimensions.get(dimension)
        default = family.dimension_defaults.get(dimension)
        if text is None and default is None:
            refuse.missing_name(site.call, family, dimension, "dimension")
        names[dimension] = builder.value(text, site.names) if text is not None else builder.value(str(default), names)
    constants = {family.constants.get(key): value for key, value in site.call.constants.items()}
    for name, parameter in family.parameters.items():
        text = site.op.parameters.get(name)
        value = parameter.default if text is None else builder.value(text, site.names)
        value = constants.get(name, value)
        if value is None:
            refuse.missing_name(site.call, family, name, "parameter")
        names[name] = _typed(value, parameter.type)
    return names


def _typed(value: Any, kind: str) -> Value:
    if not isinstance(value, bool | int | float):
        return cast(Value, value)  # a dynamic, or a text
    return cast(Value, {"int": int, "float": float, "bool": bool}[kind](value))


def _check_bindings(site: Site, variant: Variant, forms: Iterable[BindingFormat]) -> None:
    for binding in forms:
        if binding.kind != SCRATCH and binding.name not in site.op.bindings:
            refuse.unbound(site.call, variant, binding.name)
    for constant in site.call.constants:
        family = variant.family
        if not (constant in family.constants or constant in variant.overrides or constant in family.ignored_constants):
            refuse.unknown_constant(site.call, variant, constant)


def _target(site: Site, binding: BindingFormat) -> Target:
    return site.op.bindings.get(binding.name, Target("scratch", (binding.name,)))


def bound_dtypes(site: Site, setting: Setting, builder: PlanBuilder) -> dict[str, str]:
    """Return the dtypes that are fixed before a kernel is chosen: of the values that stand, and of the cache."""
    dtypes = {}
    for name, target in site.op.bindings.items():
        if target.kind == "cache":
            dtypes[name] = setting.cache_dtype
        elif target.kind in ("slot", "output") and target.name in builder.slots:
            dtypes[name] = builder.slots[target.name].dtype
    return dtypes


def _cast_if_needed(
    site: Site, variant: Variant, binding: BindingFormat, setting: Setting, builder: PlanBuilder
) -> None:
    """Put a cast before the call where a value is read at another dtype than it has."""
    name = _target(site, binding).name
    slot = builder.slots.get(name)
    if binding.kind == WRITE or slot is None or slot.dtype == binding.dtype:
        return
    kernel = next((each for each in setting.ops.by_name["cast"].kernels if _casts(setting, each, slot, binding)), None)
    if kernel is None:
        refuse.no_cast(site.call, variant, binding, slot.dtype)
    note = f"`{site.call.step}` reads {binding.dtype}, and `{name}` is {slot.dtype}"
    file, entry = str(kernel).split("#")
    call = Call(f"{site.call.op}.cast", site.call.layer, file, entry, note=note)
    op = setting.ops.by_name["cast"]
    op = replace(op, bindings={key: Target("slot", (name,)) for key in op.bindings})
    columns = builder.elements(slot.shape[1:])
    lower_call(Site(call, op, site.names | {"value_rows": slot.shape[0], "value_columns": columns}), setting, builder)
    builder.slots[name] = replace(builder.slots[name], shape=slot.shape)


def _casts(setting: Setting, kernel: str, slot: Slot, binding: BindingFormat) -> bool:
    forms = [form for variant in setting.families.variants(*kernel.split("#")) for form in variant.bindings[1:]]
    return [form.dtype for form in forms] == [slot.dtype, binding.dtype]


def _emit(
    site: Site,
    setting: Setting,
    variant: Variant,
    names: Names,
    ranges: Mapping[str, tuple[int, int]],
    resources: dict[str, Slot],
    builder: PlanBuilder,
) -> None:
    """Add a variant's dispatch, and those of the variants that follow it on the same bindings."""
    inherited: dict[str, Binding] = {}
    for each in _chain(variant, setting):
        own = names | _overrides(site.call, each, names, builder)
        for form in each.bindings:
            if form.name in ranges or (form.kind != UNIFORM and form.name not in resources):
                resources[form.name] = _resource(site, setting, form, own, ranges.get(form.name), builder)
        dispatch = _dispatch(site.call, each, own, resources, ranges, builder)
        builder.dispatch(replace(dispatch, inherited=tuple(inherited.values())))
        inherited |= {binding.name: binding for binding in dispatch.bindings}


def _forms(variant: Variant, setting: Setting) -> dict[str, BindingFormat]:
    """Return the bindings of a variant and of those that follow it, by name, uniforms left out."""
    chain = _chain(variant, setting)
    return {form.name: form for each in chain for form in each.bindings if form.kind != UNIFORM}


def _chain(variant: Variant, setting: Setting) -> list[Variant]:
    chain = [variant]
    while chain[-1].then:
        chain.append(setting.families.variants(*chain[-1].then.split("#"))[0])
    return chain


def _dispatch(
    call: Call,
    variant: Variant,
    names: Names,
    resources: Mapping[str, Slot],
    ranges: Mapping[str, tuple[int, int]],
    builder: PlanBuilder,
) -> Dispatch:
    x, y, z = (builder.value(count, names) for count in (*variant.groups, "1", "1")[:3])
    return Dispatch(
        step=call.step,
        op=call.op,
        variant=variant,
        names=names,
        bindings=tuple(_binding(each, names, resources, builder) for each in variant.bindings if each.kind != UNIFORM),
        uniform_offset=0,
        uniforms=tuple(
            Uniform(each.name, each.type, each.offset, builder.value(each.value, names)) for each in variant.uniforms
        ),
        overrides=_overrides(call, variant, names, builder),
        groups=(x, y, z),
        note=_part_note(ranges) if ranges else call.note,
        final=variant.then is None,
    )


def _part_note(ranges: Mapping[str, tuple[int, int]]) -> str:
    return "; ".join(f"rows {begin} to {end} of `{name}`" for name, (begin, end) in ranges.items())


def _overrides(call: Call, variant: Variant, names: Names, builder: PlanBuilder) -> dict[str, Any]:
    overrides = {}
    for name, raw in variant.overrides.items():
        text = raw.get("value") if isinstance(raw, Mapping) else raw
        if name in call.constants:
            overrides[name] = call.constants[name]
        elif text is not None:
            overrides[name] = builder.value(str(text), names)
    return overrides


def _binding(form: BindingFormat, names: Names, resources: Mapping[str, Slot], builder: PlanBuilder) -> Binding:
    shape = tuple(builder.value(length, names) for length in form.shape)
    kind = READ_WRITE if form.kind == SCRATCH else form.kind
    return builder.binding(form.index, form.name, kind, replace(resources[form.name], dtype=form.dtype), shape)


def _resource(
    site: Site,
    setting: Setting,
    form: BindingFormat,
    names: Names,
    cut: tuple[int, int] | None,
    builder: PlanBuilder,
) -> Slot:
    """Return the buffer of a binding, made where it is not there yet."""
    target = _target(site, form)
    shape = tuple(builder.value(length, names) for length in form.shape)
    if target.kind in VALUES:
        return _slot(site, form, target, shape, builder)
    buffer = _BUFFERS[target.kind](site, setting, form, target, cut)
    try:
        size = builder.size(form.dtype, shape)
    except ValueError as error:
        raise Refusal(refuse.blocks(site.call, form, str(error))) from error
    shared = target.kind != "scratch"
    return Slot(builder.buffer(replace(buffer, size=size), shared), form.dtype, shape)


def _slot(site: Site, form: BindingFormat, target: Target, shape: tuple[Value, ...], builder: PlanBuilder) -> Slot:
    standing = builder.slots.get(target.name)
    if form.kind == WRITE or target.kind == "fresh":
        buffer = Buffer(f"{site.call.step}.{target.name}", ACTIVATION, form.dtype, builder.size(form.dtype, shape))
        return Slot(builder.buffer(buffer, False), form.dtype, shape)
    if standing is None:
        raise Refusal(refuse.unwritten(site.call, target.name))
    if builder.elements(standing.shape) != builder.elements(shape):
        raise Refusal(refuse.shape(site.call, form, builder.extent(standing.shape), builder.extent(shape)))
    return standing


def _weight(site: Site, setting: Setting, form: BindingFormat, target: Target, cut: tuple[int, int] | None) -> Buffer:
    own = site.call.weights or site.op.weights or ""
    layer = site.call.layer if site.call.layer is not None else ""
    names = [_weight_name(name, {"weights": own, **site.call.weights_of, "L": str(layer)}) for name in target.names]
    parts = tuple(WeightPart(name, *(cut or (0, None))) for name in names)
    rows = f"[{cut[0]}:{cut[1]}]" if cut else ""
    return Buffer(f"{'+'.join(names)}{rows}:{form.dtype}", WEIGHT, form.dtype, 0, parts=parts)


def _weight_name(template: str, values: Mapping[str, str]) -> str:
    for key, value in values.items():
        template = template.replace(f"{{{key}}}", value)
    return template


def _cache(site: Site, setting: Setting, form: BindingFormat, target: Target, cut: object) -> Buffer:
    if form.dtype != setting.cache_dtype:
        raise Refusal(refuse.cache_dtype(site.call, form, setting.cache_dtype))
    layer = site.call.layer or 0
    return Buffer(f"layer.{layer}.cache.{target.name}", CACHE, form.dtype, 0, layer=layer)


def _input(site: Site, setting: Setting, form: BindingFormat, target: Target, cut: object) -> Buffer:
    return Buffer(target.name, INPUT, form.dtype, 0)


def _constant(site: Site, setting: Setting, form: BindingFormat, target: Target, cut: object) -> Buffer:
    layer = site.call.layer or 0
    kind = setting.architecture["layer_types"][layer]
    values = tuple(layer_type(setting.architecture, layer)["rope"]["inverse_frequencies"])
    return Buffer(f"{target.name}.{kind}", CONSTANT, form.dtype, 0, values=values)


def _scratch(site: Site, setting: Setting, form: BindingFormat, target: Target, cut: object) -> Buffer:
    return Buffer(f"{site.call.step}.{form.name}", SCRATCH_ROLE, form.dtype, 0)


_BUFFERS: dict[str, Any] = {
    "weight": _weight,
    "cache": _cache,
    "input": _input,
    "constant": _constant,
    "scratch": _scratch,
}

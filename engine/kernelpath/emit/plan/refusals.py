"""Why a call cannot be lowered: one function for each reason, and all their wording."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NoReturn

from kernelpath.diagnostics import Diagnostic, did_you_mean
from kernelpath.emit.plan.families import BindingFormat, Family, Variant
from kernelpath.emit.plan.limits import problem

if TYPE_CHECKING:
    from kernelpath.emit.plan.expand import Call


class Refusal(Exception):
    """A call cannot be lowered; `diagnostic` says why. It never leaves the lowering, which collects them."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


class _Refuse:
    """The reasons. Those that return a diagnostic are raised by a caller that keeps the cause."""

    @staticmethod
    def unknown_op(call: Call, known: Sequence[str]) -> NoReturn:
        near = did_you_mean(call.op, known)
        message = f"step `{call.step}` has the op `{call.op}`, which `kernels/ops.yaml` does not describe"
        raise Refusal(problem("unknown-op", call.step, message, help=f"did you mean `{near}`?" if near else None))

    @staticmethod
    def unknown_kernel(call: Call, near: str | None) -> NoReturn:
        message = f"step `{call.step}` names `{call.kernel}#{call.entry}`, which no kernel family has"
        raise Refusal(problem("unknown-kernel", call.step, message, help=f"did you mean `{near}`?" if near else None))

    @staticmethod
    def missing_name(call: Call, family: Family, name: str, kind: str) -> NoReturn:
        message = f"family `{family.name}` needs the {kind} `{name}`, and op `{call.op}` does not give it"
        raise Refusal(problem("missing-name", call.step, message))

    @staticmethod
    def unbound(call: Call, variant: Variant, binding: str) -> NoReturn:
        message = f"`{variant.name}` has a binding `{binding}`, and op `{call.op}` says nothing of it"
        raise Refusal(problem("unbound", call.step, message, help="choose a kernel of the op's family"))

    @staticmethod
    def unknown_constant(call: Call, variant: Variant, constant: str) -> NoReturn:
        family = variant.family
        near = did_you_mean(constant, [*family.constants, *variant.overrides])
        message = f"step `{call.step}` sets the constant `{constant}`, which `{variant.name}` does not have"
        help_text = f"did you mean `{near}`?" if near else None
        raise Refusal(problem("unknown-constant", call.step, message, help=help_text))

    @staticmethod
    def no_variant(call: Call, candidates: Sequence[Variant]) -> NoReturn:
        conditions = " or ".join(f"`{variant.when}`" for variant in candidates if variant.when)
        kernel = candidates[0].name if candidates else f"{call.kernel or call.op}"
        message = f"step `{call.step}`: `{kernel}` is right only for {conditions or 'no shape'}"
        raise Refusal(problem("shape-not-served", call.step, message, help="choose another kernel for this phase"))

    @staticmethod
    def no_cast(call: Call, variant: Variant, binding: BindingFormat, held: str) -> NoReturn:
        message = f"`{variant.name}` reads `{binding.name}` as {binding.dtype}; it is {held}, and no kernel casts that"
        raise Refusal(problem("no-cast", call.step, message, values=(("held", held), ("read", binding.dtype))))

    @staticmethod
    def cache_dtype(call: Call, binding: BindingFormat, held: str) -> Diagnostic:
        message = f"step `{call.step}` reads the cache as {binding.dtype}, and the path keeps it as {held}"
        return problem("cache-dtype", call.step, message, values=(("kvDtype", held), ("kernel", binding.dtype)))

    @staticmethod
    def unwritten(call: Call, slot: str) -> Diagnostic:
        return problem("unwritten", call.step, f"step `{call.step}` reads `{slot}`, which no step before it writes")

    @staticmethod
    def shape(call: Call, binding: BindingFormat, held: Sequence[int], read: Sequence[int]) -> Diagnostic:
        message = f"step `{call.step}` reads `{binding.name}` as {_text(read)}, and it was written as {_text(held)}"
        return problem("shape", call.step, message, values=(("written", _text(held)), ("read", _text(read))))

    @staticmethod
    def blocks(call: Call, binding: BindingFormat, reason: str) -> Diagnostic:
        return problem("blocks", call.step, f"binding `{binding.name}` of step `{call.step}`: {reason}")


refuse = _Refuse()


def _text(shape: Sequence[int]) -> str:
    return " x ".join(map(str, shape))

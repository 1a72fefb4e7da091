"""kernelpath: a declarative rules engine for the execution graphs of ML models.

    import kernelpath as kp
    pack = kp.load_pack("execution-v0")
    result = kp.ask("compile", pack=pack, manifest=manifest)

What is public is listed in `__all__`; see `kernelpath.api` for what each function takes and gives.
"""

from kernelpath.api import (
    Applied,
    Result,
    apply,
    ask,
    compile,
    contract,
    execution_from_kernel_path,
    graph,
    load_catalog,
    load_pack,
)
from kernelpath.packs.folders import PackErrors

__all__ = [
    "Applied",
    "Diagnostic",
    "Label",
    "PackErrors",
    "Result",
    "Source",
    "Span",
    "apply",
    "ask",
    "compile",
    "contract",
    "execution_from_kernel_path",
    "graph",
    "load_catalog",
    "load_pack",
]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernelpath.diagnostics import Diagnostic, Label, Source, Span


def __getattr__(name: str) -> object:
    if name not in ("Diagnostic", "Label", "Source", "Span"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from kernelpath import diagnostics  # a run that finds nothing pays for nothing

    return getattr(diagnostics, name)

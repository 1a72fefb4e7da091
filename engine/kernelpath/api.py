"""The public functions: what tools and tests build on."""

from __future__ import annotations

import gc
from functools import lru_cache

from kernelpath.evaluate.compiled import CompiledPack
from kernelpath.evaluate.loading import load
from kernelpath.evaluate.question import ask as ask_question
from kernelpath.execution_graph.answers import whole_manifest
from kernelpath.graph.catalog import load_catalog
from kernelpath.packs.folders import PackErrors
from kernelpath.packs.libraries import resource_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from kernelpath.evaluate.question import Outcome
    from kernelpath.evaluate.report import Report
    from kernelpath.graph.catalog import Kernel

    Catalog = str | Mapping[str, Kernel]

DEFAULT_PACK = "execution-v0"
DEFAULT_CATALOG = "doppler-0.1.7"
#: What answers of the question `apply` call the compiled graph, one for each schema of graphs.
STATES = ("executionV0State", "executionV1State")
__all__ = [
    "Applied",
    "Result",
    "apply",
    "ask",
    "compile",
    "contract",
    "execution_from_kernel_path",
    "graph",
    "load_catalog",
    "load_pack",
]


class Result:
    """What a question gives: `value` is None if a rule found an error; `diagnostics` are by stage, then by place.

    `asked` counts the items that were taken through a stage with checks: if it is 0, nothing was looked at. `unasked`
    says which checks the errors that were found kept from being asked.
    """

    __slots__ = ("asked", "diagnostics", "ok", "unasked", "value")

    def __init__(self, ok: bool, value: Any, report: Report) -> None:
        self.ok = ok
        self.value = value
        self.diagnostics = tuple(report.diagnostics)
        self.asked = report.asked
        self.unasked = tuple(report.unasked)

    def __eq__(self, other: object) -> bool:
        same = isinstance(other, Result)
        return same and (self.ok, self.value, self.diagnostics) == (other.ok, other.value, other.diagnostics)  # type: ignore[attr-defined]

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{type(self).__name__}(ok={self.ok}, diagnostics={self.diagnostics})"


class Applied(Result):
    """What applying a manifest gives; `runtime_config` and `state` are None if a rule found an error."""

    __slots__ = ()

    @property
    def runtime_config(self) -> Any:
        """The runtime config with what was compiled."""
        return self._member("runtimeConfig")

    @property
    def state(self) -> Any:
        """The compiled graph, None if the manifest has none."""
        return next((found for name in STATES if (found := self._member(name)) is not None), None)

    def _member(self, name: str) -> Any:
        return self.value.get(name) if isinstance(self.value, dict) else None


def load_pack(name_or_path: str) -> CompiledPack:
    """Return a pack by its shipped name or its folder; raises PackErrors with every mistake in its files."""
    return load(name_or_path)


def ask(question: str, *, pack: CompiledPack | str, **documents: Any) -> Result:
    """Ask a question of a pack with documents, by their names in the pack.

    Documents are any JSON values and are never changed; the answer may have parts in common with them, so copy it
    before you change it. A document that the pack takes from shipped data may be given by a name, too. Raises
    PackErrors if the pack or such data cannot be used or has no such question, TypeError for a document that the pack
    does not have.
    """
    outcome = run(question, pack, documents)
    return Result(outcome.report.ok, outcome.value, outcome.report)


def run(question: str, pack: CompiledPack | str, documents: Mapping[str, Any]) -> Outcome:
    """Return the whole outcome of a question; raises as `ask` does."""
    compiled = pack if isinstance(pack, CompiledPack) else load(pack)
    values = given_values(compiled, question, documents)
    # A large graph makes many objects and no cycles, so the cycle collector's passes over them are for nothing.
    collecting = gc.isenabled()
    gc.disable()
    try:
        return ask_question(compiled, question, values)
    finally:
        if collecting:
            gc.enable()


def given_values(pack: CompiledPack, question: str, documents: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a question is asked with: the documents that are given, and shipped data for the others."""
    asked, known = pack.meta["questions"].get(question), pack.meta["documents"]
    if asked is None:
        raise no_question(pack, question)
    for name in documents:
        if name not in known and name not in pack.meta["inputs"]:
            raise TypeError(f"the pack has no document `{name}`; it has {', '.join(known)}")
    lacking = [name for name in asked["needed"] if name not in documents]
    if lacking:
        raise TypeError(f"question `{question}` needs the document `{lacking[0]}`")
    taken = _taken(pack, question)
    resources = {
        name: resource_value(document["resource"], documents.get(name))
        for name, document in known.items()
        if document["resource"] is not None and (name in taken or name in documents)
    }
    return {**documents, **resources}


@lru_cache(maxsize=256)
def _taken(pack: CompiledPack, question: str) -> frozenset[str]:
    """Return the documents that a question takes, and those of the questions that it asks in turn."""
    found: set[str] = set()
    seen, waiting = {question}, [question]
    while waiting:
        asked = pack.meta["questions"][waiting.pop()]
        found.update(asked["given"])
        inner = {step["ask"][0] for step in (*asked["gate"], *asked["steps"]) if step.get("ask")} - seen
        seen |= inner
        waiting += inner
    return frozenset(found)


def no_question(pack: CompiledPack, name: str) -> PackErrors:
    """Return the error for a pack that does not have a question."""
    from kernelpath.diagnostics import Diagnostic

    known = ", ".join(f"`{each}`" for each in pack.meta["questions"]) or "none"
    message = f"pack `{pack.meta['name']}` has no question `{name}`, so it cannot answer this"
    help_text = f"its questions are {known}; declare it under `questions`, or extend a pack that has it"
    return PackErrors([Diagnostic("pack/question", (), "error", message, help=help_text)])


def _catalog_of(pack: CompiledPack | str, catalog: Catalog) -> dict[str, Any]:
    """Return the catalogue as a document, if the pack has one or another than the default is given."""
    compiled = pack if isinstance(pack, CompiledPack) else load(pack)
    return {"catalog": catalog} if catalog != DEFAULT_CATALOG or "catalog" in compiled.meta["documents"] else {}


def compile(
    manifest_inference: Any,
    *,
    pack: CompiledPack | str = DEFAULT_PACK,
    runtime: Any = None,
    model_id: Any = "model",
    num_layers: Any = 0,
    catalog: Catalog = DEFAULT_CATALOG,
) -> Result:
    """Compile the section of a manifest that has its graph, under a runtime overlay.

    `value` is the compiled graph as a plain dict, or None if the section has no execution graph. Pointers of findings
    are those of a manifest with this section. As for the rest see `ask`.
    """
    manifest = whole_manifest(manifest_inference, model_id, num_layers)
    return ask("compile", pack=pack, manifest=manifest, runtime=runtime, **_catalog_of(pack, catalog))


def apply(
    manifest: Any,
    runtime_config: Any,
    *,
    pack: CompiledPack | str = DEFAULT_PACK,
    catalog: Catalog = DEFAULT_CATALOG,
) -> Applied:
    """Apply a manifest's execution graph to a runtime config; as for the rest see `ask`."""
    documents = {"manifest": manifest, "runtime_config": runtime_config}
    outcome = run("apply", pack, {**documents, **_catalog_of(pack, catalog)})
    return Applied(outcome.report.ok, outcome.value, outcome.report)


def contract(
    manifest_inference: Any,
    *,
    pack: CompiledPack | str = DEFAULT_PACK,
    runtime: Any = None,
    model_id: Any = "model",
    num_layers: Any = 0,
    catalog: Catalog = DEFAULT_CATALOG,
) -> Result:
    """Check that every step of a manifest can be pinned and has dtypes; `ok` says that the check was made.

    The verdict is in `value["ok"]`, what led to it in `diagnostics`. It takes what `compile` takes, so that one request
    fits both, but judges the manifest alone: overlay and layers do not matter.
    """
    manifest = whole_manifest(manifest_inference, model_id, num_layers)
    outcome = run("contract", pack, {"manifest": manifest, "catalog": catalog})
    return Result(True, outcome.value, outcome.report)


def graph(
    manifest_inference: Any,
    *,
    pack: CompiledPack | str = DEFAULT_PACK,
    runtime: Any = None,
    model_id: Any = "model",
    num_layers: Any = 0,
    catalog: Catalog = DEFAULT_CATALOG,
) -> Result:
    """Check the slots and the phase boundary of a graph; as with `contract`, the verdict is in `value["ok"]`."""
    manifest = whole_manifest(manifest_inference, model_id, num_layers)
    outcome = run("graph", pack, {"manifest": manifest, "runtime": runtime, "catalog": catalog})
    return Result(True, outcome.value, outcome.report)


def execution_from_kernel_path(
    id_or_path: Any, *, pack: CompiledPack | str = DEFAULT_PACK, catalog: Catalog = DEFAULT_CATALOG
) -> Result:
    """Derive schema, session and execution graph from a kernel path, given by its id or in full."""
    return ask("derive", pack=pack, chosen_path=id_or_path, catalog=catalog)

"""What the questions about execution graphs answer: the compiled graph in an answer, and how much was judged."""

from __future__ import annotations

#: What `apply` calls the compiled graph, one for each schema of graphs.
STATES = ("executionV0State", "executionV1State")

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from kernelpath.packs.libraries import Unjudged


def whole_manifest(section: Any, model_id: Any, num_layers: Any) -> dict[str, Any]:
    """Return the manifest of a section that stands alone, with what a caller says beside it."""
    return {"inference": section, "modelId": model_id, "architecture": {"numLayers": num_layers}}


def compiled_graph(answer: Any) -> Any:
    """Return the compiled graph in what `apply` answers; all of an answer that has no such part."""
    if not isinstance(answer, dict):
        return answer
    return next((answer[name] for name in STATES if name in answer), answer)


def steps_of(graph: Any) -> Any:
    """Return all resolved steps of a compiled graph; None of what another pack answers."""
    resolved = graph.get("resolvedSteps") if isinstance(graph, dict) else None
    return resolved.get("all") if isinstance(resolved, dict) else None


def extent(answer: Any, manifest: Any) -> str | None:
    """Return how much was judged: `8 steps over 4 layers`."""
    steps = steps_of(compiled_graph(answer))
    if not isinstance(steps, list):
        return None
    architecture = manifest.get("architecture") if isinstance(manifest, dict) else None
    layers = architecture.get("numLayers") if isinstance(architecture, dict) else None
    over = f" over {layers} layers" if isinstance(layers, int) and layers else ""
    return f"{len(steps)} steps{over}"


def unjudged(manifest: Any, constants: Mapping[str, Any], answer: Any, looked: bool) -> Unjudged | None:
    """Return what stands in the place of a manifest's graph, None if the graph was looked at and has steps."""
    graph = compiled_graph(answer)
    if looked and graph is not None and steps_of(graph) != []:
        return None
    from kernelpath.execution_graph.recognising import unjudged as found  # only a mistake needs it

    return found(manifest, constants)


def pinned(kernel: Any) -> dict[str, Any]:
    """Return the member of a step that pins a kernel of a catalogue."""
    return {"kernelRef": {"id": kernel.reference, "version": kernel.version, "digest": kernel.digest}}

"""The lock file: what content each kernel of this project has, by digest; and manifests pinned to a catalogue.

`kernels/lock.yaml` gives a SHA-256 for every `kernel#entry`, over all that decides what its launches do: the expanded
WGSL, bindings, uniforms, override constants, workgroup counts and conditions of each of its variants, in order.
`kernels/catalogs/kernelpath.yaml` is the same as a kernel catalogue, so that manifests can be checked against it.
"""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from kernelpath.diagnostics import ERROR, Diagnostic, did_you_mean
from kernelpath.emit.plan.families import READ, UNIFORM, Families, Variant, load_families
from kernelpath.execute.shaders import wgsl
from kernelpath.execute.trial import chain
from kernelpath.files.writing import write_file
from kernelpath.graph.catalog import Kernel, kernel_reference
from kernelpath.packs import documents
from kernelpath.packs.files import PackErrors, read_node
from kernelpath.packs.scalars import write_yaml
from kernelpath.resources import resource

CATALOG = "kernelpath"

_HEADER = "# Content digests of this project's kernels. `kernelpath kernels pin` writes this file.\n"
_CATALOG_HEADER = """\
# This project's kernels as a catalogue: `kernelpath check --catalog kernelpath`.
# `kernelpath kernels pin` writes this file.
"""
_DESCRIBED = ("features", "workgroup", "bindings", "dtypes", "uniforms", "overrides", "groups", "fold", "when", "then")


def lock_file() -> Path:
    """Return the path of the project's lock file."""
    return resource("kernels", "lock.yaml")


def catalog_file() -> Path:
    """Return the path of the project's own kernel catalogue."""
    return resource("kernels", "catalogs", f"{CATALOG}.yaml")


def digests(families: Families | None = None) -> dict[str, str]:
    """Return the content digest of every `kernel#entry`, in the order of names."""
    known = (families or load_families()).by_kernel
    return {f"{kernel}#{entry}": digest(known[kernel, entry]) for kernel, entry in sorted(known)}


def digest(variants: tuple[Variant, ...]) -> str:
    """Return the SHA-256 of the variants that share a name, as 64 hexadecimal digits."""
    content = [
        {"entry": variant.entry, "wgsl": wgsl(variant), **{key: variant.source.get(key) for key in _DESCRIBED}}
        for variant in variants
    ]
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def pin(lock: Path | None = None, catalog: Path | None = None) -> tuple[str, ...]:
    """Write the lock file and the catalogue, and return the kernels whose content changed, came or went."""
    path, now = lock or lock_file(), digests()
    before = read_lock(path) if path.is_file() else {}
    write_file(path, (_HEADER + "kernels:\n" + "".join(f"  {name}: {now[name]}\n" for name in now)).encode())
    rows = write_yaml(catalog_document(now))
    write_file(catalog or catalog_file(), (_CATALOG_HEADER + rows).encode())
    return tuple(sorted(name for name in {*before, *now} if before.get(name) != now.get(name)))


def read_lock(path: Path | None = None) -> dict[str, str]:
    """Return the digests that a lock file holds, as they are written; one without a map `kernels` holds none.

    Raises PackErrors if the file cannot be read.
    """
    root = read_node(path or lock_file())
    kernels = root.get("kernels") if isinstance(root, documents.Mapping) else None
    entries = kernels.entries if isinstance(kernels, documents.Mapping) else ()
    return {name.text: value.text if isinstance(value, documents.Scalar) else "" for name, value in entries}


def verify_lock(path: Path | None = None) -> list[Diagnostic]:
    """Return an error for each kernel whose content is not what the lock file says, and for a lock file that is absent.

    A file that is missing or empty is never a pass.
    """
    file = path or lock_file()
    if not file.is_file():
        return [_problem("absent", f"there is no lock file `{file.name}`", "`kernelpath kernels pin` writes it")]
    try:
        locked, now = read_lock(file), digests()
    except PackErrors as errors:
        return errors.diagnostics
    if not locked:
        return [_problem("empty", f"`{file.name}` pins no kernel", "`kernelpath kernels pin` writes it")]
    return [_difference(name, locked, now) for name in sorted({*locked, *now}) if locked.get(name) != now.get(name)]


def _difference(name: str, locked: Mapping[str, str], now: Mapping[str, str]) -> Diagnostic:
    if name not in locked:
        return _problem("unpinned", f"kernel `{name}` is not in the lock file", "pin it, if it is meant", name)
    if name not in now:
        return _problem("gone", f"the lock file pins `{name}`, and there is no such kernel", "pin anew", name)
    message = f"kernel `{name}` has digest {now[name][:12]}, and the lock file pins {locked[name][:12]}"
    return _problem("changed", message, "undo the change, or verify the kernel and pin anew", name)


def _problem(rule: str, message: str, help: str, subject: str | None = None) -> Diagnostic:
    return Diagnostic(f"kernels/lock/{rule}", (), ERROR, message, subject=subject, document="lock", help=help)


def catalog_document(pinned: Mapping[str, str]) -> dict[str, Any]:
    """Return the project's kernels as a kernel catalogue, in the shape of `kernels/catalogs/catalog.schema.json`."""
    families = load_families()
    return {"kernels": [_row(families.variants(*name.split("#"))[-1], pinned[name]) for name in pinned]}


def _row(variant: Variant, content: str) -> dict[str, Any]:
    """Return the row of a kernel; of variants that share a name, the last is the one for every shape."""
    first = next(form for form in variant.bindings if form.kind != UNIFORM)
    written = (form.dtype for link in chain(variant) for form in link.bindings if form.kind in ("write", "read_write"))
    output = next(written, None)
    size = variant.workgroup if isinstance(variant.workgroup, tuple) else (variant.workgroup, 1, 1)
    row: dict[str, Any] = {
        "op": variant.family.name,
        "variant": f"{variant.kernel.removesuffix('.wgsl')}#{variant.entry}",
        "kernel": variant.kernel,
        "entry": variant.entry,
        "workgroup": list(size),
        "requires": ["subgroups" if feature == "subgroup" else feature for feature in variant.features],
        "outputDtype": output if output in ("f16", "f32") else None,
        "overrides": {name: raw["default"] for name, raw in variant.overrides.items()},
        "bindings": [
            {"index": form.index, "name": form.name, "type": _binding(form.kind)} for form in variant.bindings
        ],
        "uniforms": {
            "size": variant.uniform_size,
            "fields": [{"name": each.name, "type": each.type, "offset": each.offset} for each in variant.uniforms],
        },
        "digest": content,
    }
    return {**row, "inputDtype": first.dtype} if first.dtype in ("f16", "f32") else row


def _binding(kind: str) -> str:
    return {UNIFORM: "uniform", READ: "read-only-storage"}.get(kind, "storage")


def repin(inference: Mapping[str, Any], catalog: Mapping[str, Kernel]) -> tuple[dict[str, Any], list[Diagnostic]]:
    """Return a manifest's inference section with each kernelRef rewritten to a catalogue, and what the catalogue lacks.

    A step's reference follows its kernel and entry, a profile's its id. What the catalogue lacks stays as it is.
    """
    changed: dict[str, Any] = copy.deepcopy(dict(inference))
    problems: list[Diagnostic] = []
    by_reference = {kernel.reference: kernel for kernel in catalog.values()}
    for holder, reference in _pinned(changed):
        _point(holder, reference, by_reference, problems)
    return changed, problems


def repin_manifest(
    manifest: Mapping[str, Any], catalog: Mapping[str, Kernel]
) -> tuple[dict[str, Any], list[Diagnostic], int]:
    """Return a manifest, or a section that stands alone, as `repin` has it, and how many kernelRefs were looked at."""
    whole = isinstance(manifest.get("inference"), dict)
    section = manifest["inference"] if whole else manifest
    changed, problems = repin(section, catalog)
    count = sum(1 for _ in _pinned(section))
    return ({**manifest, "inference": changed} if whole else changed), problems, count


def _pinned(inference: Mapping[str, Any]) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield each step and profile that has a kernelRef, with the reference that its kernel has."""
    for step in _objects(inference.get("execution"), "steps"):
        if isinstance(step.get("kernel"), str) and isinstance(step.get("kernelRef"), dict):
            entry = str(step.get("entry") or "main").strip() or "main"
            yield step, kernel_reference(step["kernel"].strip(), entry)
    session = inference.get("sessionDefaults")
    for profile in _objects(session.get("compute") if isinstance(session, dict) else None, "kernelProfiles"):
        if isinstance(profile.get("kernelRef"), dict):
            yield profile, str(profile["kernelRef"].get("id"))


def _objects(holder: object, name: str) -> list[dict[str, Any]]:
    """Return the objects of a list that a manifest may or may not have."""
    items = holder.get(name) if isinstance(holder, dict) else None
    return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []


def _point(holder: dict[str, Any], reference: str, kernels: Mapping[str, Kernel], problems: list[Diagnostic]) -> None:
    """Make a step's or profile's kernelRef that of the catalogue's kernel, or say that there is none."""
    kernel = kernels.get(reference)
    if kernel is not None:
        holder["kernelRef"] = {"id": kernel.reference, "version": kernel.version, "digest": kernel.digest}
        return
    nearest = did_you_mean(reference, list(kernels))
    help = f"did you mean `{nearest}`?" if nearest else "choose a kernel that the catalogue has"
    problems.append(_problem("not-in-catalogue", f"the catalogue has no kernel `{reference}`", help, reference))

"""Decisions E23 to E36: the shape of a step, and its pinning to a kernel's content."""

from __future__ import annotations

import re
from typing import Any

from .facts import Facts
from .javascript import coalesce, get, is_integer, is_object, is_plain, nullish, strictly_equal, to_string, trim
from .verdict import is_text, normalised, read_dtype, reject

PHASES = ("prefill", "decode", "both")
SECTIONS = ("preLayer", "layer", "postLayer", "sampling")
_VERSION = re.compile(r"[0-9]+\.[0-9]+\.[0-9]+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?")
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


def check_steps(steps: list[Any], facts: Facts) -> None:
    """Decisions E23 to E36 over a list of steps, step by step; E36 as soon as an id comes again."""
    seen: set[str] = set()
    for index, step in enumerate(steps):
        check_shape(step, str(index))
        if step["op"] != "cast":
            check_pinning(step, str(index), facts)
        if step["id"] in seen:
            reject("E36", step["id"])
        seen.add(step["id"])


def check_shape(step: Any, subject: str) -> None:
    """Decisions E23 to E33; the subject is the step's index in the list."""
    if not is_object(step):
        reject("E23", subject)
    for key, decision in (("id", "E24"), ("op", "E25")):
        if not is_text(get(step, key)):
            reject(decision, subject)
    if normalised(get(step, "phase")) not in PHASES:
        reject("E26", subject)
    if trim(to_string(coalesce(get(step, "section"), ""))) not in SECTIONS:
        reject("E27", subject)
    for key in ("src", "dst"):
        if not is_text(get(step, key)):
            reject("E28", subject)
    _check_layers(get(step, "layers"), subject)
    if step["op"] == "cast":
        _check_cast(step, subject)
    else:
        _check_kernel(step, subject)


def _check_layers(layers: Any, subject: str) -> None:
    if layers == "all":
        return
    if not isinstance(layers, list) or not all(is_integer(layer) and layer >= 0 for layer in layers):
        reject("E29", subject)


def _check_cast(step: Any, subject: str) -> None:
    read_dtype(get(step, "toDtype"), "E30", subject)
    if not nullish(get(step, "fromDtype")):
        read_dtype(step["fromDtype"], "E30", subject)


def _check_kernel(step: Any, subject: str) -> None:
    if not is_text(get(step, "kernel")):
        reject("E31", subject)
    if not is_plain(get(step, "kernelRef")):
        reject("E32", subject)
    check_reference(step["kernelRef"], "E33", subject)


def check_reference(reference: Any, decision: str, subject: str | None) -> None:
    """The three members of a kernel reference: a non-blank id, a semantic version, a SHA-256 digest."""
    version, digest = get(reference, "version"), get(reference, "digest")
    if not is_text(get(reference, "id")):
        reject(decision, subject)
    if not isinstance(version, str) or not _VERSION.fullmatch(version):
        reject(decision, subject)
    if not isinstance(digest, str) or not _DIGEST.fullmatch(digest):
        reject(decision, subject)


def kernel_key(kernel: Any, entry: Any) -> str:
    """Return `file#entry`, both trimmed; a missing or blank entry is `main`."""
    return f"{trim(to_string(kernel))}#{_entry(entry)}"


def _entry(entry: Any) -> str:
    return trim(to_string(coalesce(entry, "main"))) or "main"


def derive_reference(kernel: Any, entry: Any, facts: Facts) -> dict[str, str] | None:
    """Return the reference that a kernel's content gives it, or None when the kernel is not known by content."""
    digest = facts.digests.get(kernel_key(kernel, entry))
    if digest is None:
        return None
    name = f"{trim(to_string(kernel)).removesuffix('.wgsl')}.{_entry(entry)}".lower()
    return {"id": re.sub(r"[^a-z0-9]+", ".", name), "version": "1.0.0", "digest": f"sha256:{digest}"}


def check_pinning(step: Any, subject: str, facts: Facts) -> None:
    """Decisions E34 and E35: the step's reference is the one that its kernel's content gives."""
    derived = derive_reference(step["kernel"], get(step, "entry"), facts)
    if derived is None:
        reject("E34", subject)
    if not all(strictly_equal(step["kernelRef"][key], derived[key]) for key in derived):
        reject("E35", subject)

"""Find the pack that judges a file, and say which documents packs know if none does."""

from __future__ import annotations

import os

from kernelpath.api import load_pack, no_question
from kernelpath.cli.inputs import Given, InputErrors, misfit
from kernelpath.cli.options import DEFAULT_PACK
from kernelpath.evaluate.recognising import beside, recognisable, recognised
from kernelpath.packs.folders import PACK_FILE, PackErrors, shipped_packs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from kernelpath.evaluate.compiled import CompiledPack
    from kernelpath.graph.documents import Document

_LISTED = 8  # documents that a message lists


def usable_pack(name: str | None) -> CompiledPack:
    """Return a pack, the default one for no name; raises InputErrors with every mistake in it."""
    try:
        return load_pack(DEFAULT_PACK if name is None else name)
    except PackErrors as errors:
        raise refused(errors) from None


def refused(errors: PackErrors) -> InputErrors:
    """Return a pack's mistakes as errors of input, with the files that they point into."""
    from kernelpath.cli.placing import pack_sources

    return InputErrors(errors.diagnostics, pack_sources(errors.diagnostics))


def pack_for(name: str | None, document: Document) -> CompiledPack:
    """Return the pack of a name; without a name the first one that recognises a document, else the default one."""
    if name is not None:
        return usable_pack(name)
    found = next((pack for pack in _candidates() if recognised(pack, document.value)), None)
    return found or usable_pack(None)


def _candidates() -> Iterator[CompiledPack]:
    """Yield the packs that a file may be for: the working folder if it is one, the default one, the shipped ones."""
    if os.path.isfile(PACK_FILE):
        yield usable_pack(".")
    yield usable_pack(None)
    for name in shipped_packs():
        if name != DEFAULT_PACK:
            yield usable_pack(name)


def given(pack: CompiledPack, document: Document, named: bool) -> Given:
    """Return a file as the document of a pack; raises InputErrors if it is not one.

    `named` says that the user named the pack; otherwise the message is about all packs.
    """
    what = recognised(pack, document.value, meant=True)
    if what is None:
        raise _unknown(pack, document, named)
    return Given(document, what, pack.meta["documents"][what.name]["named"])


def question_of(pack: CompiledPack, name: str) -> str:
    """Return a question's name; raises InputErrors if the pack does not have it."""
    if name in pack.meta["questions"]:
        return name
    raise refused(no_question(pack, name))


def given_beside(pack: CompiledPack, first: Given, document: Document, among: list[str] | None = None) -> Given:
    """Return a file as a document that is given beside another one; raises InputErrors if it is not one.

    `among` are the documents that it may be, all of them unless it is said.
    """
    among = beside(pack, first.name) if among is None else among
    what = recognised(pack, document.value, among) if among else None
    if what is not None:
        return Given(document, what)
    if not among:
        raise misfit(document, f"pack `{pack.meta['name']}` takes nothing beside a `{first.name}`")
    takes = f"pack `{pack.meta['name']}` takes {_listed(pack, among)}"
    if recognised(pack, document.value, (first.name,), meant=True):
        raise misfit(document, f"this is a `{first.name}` itself, and not what is given beside one", takes)
    kind, pointer = _kind(pack, among, document.value)
    raise misfit(document, f"this cannot be given beside a `{first.name}`{kind}", takes, pointer)


def _unknown(pack: CompiledPack, document: Document, named: bool) -> InputErrors:
    """Return the error for a file that no pack takes for a document of its own."""
    what = f"pack `{pack.meta['name']}` does not judge this document" if named else "no pack recognises this document"
    meant = _meant(pack, document.value)
    packs = {pack.meta["name"]: pack} if named else {each.meta["name"]: each for each in _candidates()}
    known: dict[str, str] = {}
    for name, each in packs.items():
        known.setdefault(_listed(each), name)
    listed = [f"pack `{name}` judges {documents}" for documents, name in list(known.items())[:_LISTED]]
    more = "" if named else "; `--pack` names another one"
    kind, pointer = _kind(pack, [name for name, _ in recognisable(pack)], document.value)
    return misfit(document, what + kind, f"{meant}{'; '.join(listed)}{more}", pointer)


def _listed(pack: CompiledPack, among: list[str] | None = None) -> str:
    known = recognisable(pack, among)
    return ", ".join(f"`{name}`: {doc}" if doc else f"`{name}`" for name, doc in known) or "no document"


def _members(pack: CompiledPack, among: list[str], value: Any) -> list[tuple[str, bool]]:
    """Return the members by which documents are recognised, and whether an object has them."""
    names = [name for document in among for name in pack.meta["documents"][document]["members"]]
    return [(name, name in value) for name in dict.fromkeys(names)] if isinstance(value, dict) else []


def _meant(pack: CompiledPack, value: Any) -> str:
    """Return the question whether a member of an object was meant that a pack recognises documents by."""
    from kernelpath.diagnostics import did_you_mean

    known = _members(pack, [name for name, _ in recognisable(pack)], value)
    meant = next((name for name, there in known if not there and did_you_mean(name, value)), None)
    return f"did you mean `{meant}`? " if meant else ""


def _kind(pack: CompiledPack, among: list[str], value: Any) -> tuple[str, str]:
    """Return what keeps a value from being one of the documents, and where, if that is the kind of the value alone."""
    from kernelpath.graph.documents import json_kind

    if not isinstance(value, dict):
        return f": it is {json_kind(value)}", ""
    for name, there in _members(pack, among, value):
        if there and recognised(pack, {**value, name: {}}, among, meant=True):
            return f": its `{name}` is {json_kind(value[name])}", f"/{name}"
    return "", ""


__all__ = ["given", "given_beside", "pack_for", "question_of", "refused", "usable_pack"]

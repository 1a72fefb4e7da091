"""Read the files that a user names. Every way in which that can fail is one diagnostic, and exit code 2."""

from __future__ import annotations

import os
import sys

from kernelpath.files.reading import JSON_BYTES, YAML_BYTES, read_named
from kernelpath.graph.documents import Document, read_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from kernelpath.diagnostics import Diagnostic, Source

STANDARD_INPUT = "-"
NO_FILE = "<stdin>"  # as `diagnostics.source` has it, which a clean run does not load
SECTION_MEMBERS = ("schema", "execution", "sessionDefaults")


class InputErrors(Exception):
    """What was given cannot be worked with; `diagnostics` say why, `sources` are the texts that they point into."""

    def __init__(self, diagnostics: Sequence[Diagnostic], sources: Mapping[str, Source] | None = None) -> None:
        super().__init__("; ".join(diagnostic.message for diagnostic in diagnostics))
        self.diagnostics = tuple(diagnostics)
        self.sources = dict(sources or {})


class Manifest:
    """A manifest, or an inference section that stands alone: its document and what of it is compiled.

    `prefix` is the JSON pointer of the inference section in the document.
    """

    def __init__(self, document: Document, whole: bool) -> None:
        self.document = document
        self.whole = whole
        self.prefix = "/inference" if whole else ""
        self.inference: Any = document.value["inference"] if whole else document.value

    def whole_value(self) -> dict[str, Any]:
        """Return the manifest as a whole one; a section that stands alone gets a name."""
        value: dict[str, Any] = self.document.value
        return {"modelId": "model", **value} if self.whole else {"modelId": "model", "inference": self.inference}

    def model_id(self) -> Any:
        """Return the model's name; a section that stands alone has none."""
        return self.document.value.get("modelId", "model") if self.whole else "model"

    def num_layers(self) -> Any:
        """Return the number of layers that the manifest's architecture says, 0 where it says none."""
        architecture = self.document.value.get("architecture") if self.whole else None
        return architecture.get("numLayers", 0) if isinstance(architecture, dict) else 0


class Overlay:
    """What changes a manifest: an overlay, or a whole runtime config, whose inference section holds it."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.is_config = "inference" in document.value and not {"session", "executionPatch"} & document.value.keys()


def read_manifest(name: str) -> Manifest:
    """Return the manifest in a file; raises InputErrors where there is none."""
    document = read_document(name)
    value = document.value
    if isinstance(value, dict) and "inference" in value:
        if not isinstance(value["inference"], dict):
            message = f"the inference section is {_kind(value['inference'])}, not an object"
            raise _misfit(document, "/inference", message)
        return Manifest(document, whole=True)
    if isinstance(value, dict) and any(member in value for member in SECTION_MEMBERS):
        return Manifest(document, whole=False)
    raise _no_manifest(document)


def _no_manifest(document: Document) -> InputErrors:
    """Return the error for a document that has nothing in it that is judged."""
    from kernelpath.graph.recognising import recognise_document

    value, meant = document.value, None
    if isinstance(value, dict):
        message, meant = recognise_document(value, ("inference", *SECTION_MEMBERS))
    else:
        message = f"a manifest is an object, and this is {_kind(value)}"
    known = "a manifest has a member `inference`; an inference section has `schema` and `execution`"
    return _misfit(document, "", message, f"did you mean `{meant}`? {known}" if meant else known)


def read_overlay(name: str | None) -> Overlay | None:
    """Return the overlay or runtime config in a file, None for no name; raises InputErrors."""
    if name is None:
        return None
    document = read_document(name)
    if isinstance(document.value, dict):
        _usable_config(document)
        return Overlay(document)
    message = f"an overlay is an object, and this is {_kind(document.value)}"
    help_text = "an overlay has `session` and `executionPatch`; a runtime config has `inference`"
    raise _misfit(document, "", message, help_text)


def _usable_config(document: Document) -> None:
    """Refuse what is given as a runtime config and is none, which would change nothing and pass in silence."""
    if "inference" not in document.value:
        return
    section = document.value["inference"]
    if "modelId" in document.value:
        message = "this is a manifest, not a runtime config"
        raise _misfit(document, "/modelId", message, "give the config whose `inference` section the user writes")
    if section is not None and not isinstance(section, dict):
        raise _misfit(document, "/inference", f"the inference section is {_kind(section)}, not an object")


def shown_name(name: str) -> str:
    """Return what messages call a file, so that standard input is told from a file that goes by its name."""
    if name == STANDARD_INPUT:
        return NO_FILE
    return f"./{name}" if name == NO_FILE else name


def read_document(name: str) -> Document:
    """Return the JSON document in a file, or on standard input for `-`; raises InputErrors where it is none."""
    shown = shown_name(name)
    document = read_json(shown, read_bytes(name, JSON_BYTES))
    if not document.ok:
        raise InputErrors(document.diagnostics, {shown: document.source})
    return document


def read_text(name: str) -> Source:
    """Return the text in a file, or on standard input for `-`; raises InputErrors where it is none."""
    from kernelpath.diagnostics import Source

    shown = shown_name(name)
    try:
        return Source(shown, read_bytes(name, YAML_BYTES).decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise unusable("cli/input", f"`{name}` is not text in UTF-8", error) from None


def read_bytes(name: str, limit: int) -> bytes:
    """Return the content of a file that a user names, or of standard input for `-`; raises InputErrors."""
    if name == STANDARD_INPUT:
        return standard_input(limit)
    try:
        return read_named(name, limit)
    except FileNotFoundError:
        raise _missing(name) from None
    except OSError as error:
        raise unusable("cli/input", f"`{name}` cannot be read", error) from None


def standard_input(limit: int) -> bytes:
    """Return what standard input has, at most `limit` bytes; raises InputErrors where it has more or cannot be read."""
    if sys.stdin is None:
        raise unusable("cli/input", "standard input is closed")
    try:
        content = sys.stdin.buffer.read(limit + 1)
    except OSError as error:
        raise unusable("cli/input", "standard input cannot be read", error) from None
    if len(content) > limit:
        raise unusable("cli/input", f"standard input has more than {limit:,} bytes, the most that is read")
    return content


def _missing(name: str) -> InputErrors:
    from kernelpath.diagnostics import did_you_mean

    folder = os.path.dirname(name) or "."
    try:
        beside = os.listdir(folder)[:1000]
    except OSError:
        return unusable("cli/input", f"there is no file `{name}`")
    near = did_you_mean(os.path.basename(name), beside)
    meant = os.path.join(os.path.dirname(name), near) if near else None
    return unusable("cli/input", f"there is no file `{name}`", help_text=f"did you mean `{meant}`?" if meant else None)


def unusable(rule: str, message: str, error: Exception | None = None, help_text: str | None = None) -> InputErrors:
    """Return the error for something that cannot be used, with what the system says about it."""
    from kernelpath.diagnostics import ERROR, Diagnostic

    if error is not None:
        message += f": {(getattr(error, 'strerror', None) or str(error)).lower()}"
    return InputErrors([Diagnostic(rule, (), ERROR, message, help=help_text)])


def _misfit(document: Document, pointer: str, message: str, help_text: str | None = None) -> InputErrors:
    from kernelpath.diagnostics import ERROR, Diagnostic

    span = document.locate(pointer)
    found = Diagnostic("cli/document", (), ERROR, message, pointer=pointer, span=span, help=help_text)
    return InputErrors([found], {document.source.name: document.source})


def _kind(value: Any) -> str:
    from kernelpath.graph.recognising import json_kind  # only a mistake asks

    return json_kind(value)

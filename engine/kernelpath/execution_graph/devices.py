"""Read device documents: what an adapter, or a class of adapters, offers to WebGPU.

`kernels/devices` has the classes that go by a name; users have files of their own. `grammars/device.schema.json` says
what may be written in one, and has the closed lists of WebGPU's features and limits.
"""

from __future__ import annotations

import errno
import os
from functools import lru_cache
from hashlib import sha256

from kernelpath.files.reading import YAML_BYTES, read_named
from kernelpath.packs.cache import cached
from kernelpath.packs.folders import PackErrors
from kernelpath.resources import resource

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path
    from typing import Any

    from kernelpath.diagnostics import Diagnostic
    from kernelpath.packs.nodes import Node

FOLDER = ("kernels", "devices")
SCHEMA = ("grammars", "device.schema.json")
#: What rules may judge by; all else of a document is for people.
FACTS = ("vendor", "architecture", "features", "limits")
_NO_NAME = (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG)
_YAML_WORDS = ("y", "n", "yes", "no", "on", "off", "true", "false", "null")  # plain, they are no texts
_SHOWN = 200  # characters of a name that a message quotes


def load_device(name_or_path: str) -> dict[str, Any]:
    """Return the facts of a shipped device's name, or of a file; see `facts`.

    Raises PackErrors with everything that is wrong with the file, or if there is none.
    """
    return facts(load_document(name_or_path))


def load_document(name_or_path: str) -> Mapping[str, Any]:
    """Return the whole document of a shipped device's name, or of a file; raises PackErrors as `load_device` does."""
    shipped = shipped_devices()
    if name_or_path in shipped:
        return shipped[name_or_path]
    try:
        content = read_named(name_or_path, YAML_BYTES)
    except (FileNotFoundError, NotADirectoryError, ValueError, TypeError):  # a name that no file can have, neither
        raise _unknown(name_or_path) from None
    except OSError as error:
        raise _unknown(name_or_path, error) from None
    return _document(name_or_path, content)


def facts(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return what rules judge by: vendor, architecture, features in order, and every limit of WebGPU.

    Two devices with equal facts are judged alike, whatever else their documents say. A limit that a document leaves
    out is the default.
    """
    return {
        "vendor": document.get("vendor", ""),
        "architecture": document.get("architecture", ""),
        "features": sorted(document.get("features", ())),
        "limits": {**default_limits(), **document.get("limits", {})},
    }


def device_given(given: Any) -> Any:
    """Return the facts of what stands for a device: a name, a file or a document.

    None stands for no device. What has no features is in a form of the pack's own, and is the pack's to judge.
    """
    if isinstance(given, str):
        return load_device(given)
    return facts(given) if isinstance(given, dict) and "features" in given else given


def device_file(name_or_path: str) -> Path:
    """Return where a device is written: a shipped one's file, else the path itself."""
    from pathlib import Path

    shipped = name_or_path in shipped_devices()
    return resource(*FOLDER, f"{name_or_path}.yaml") if shipped else Path(name_or_path)


def shipped_devices() -> Mapping[str, Mapping[str, Any]]:
    """Return the documents of `kernels/devices` by name."""
    return _shipped(resource(*FOLDER))


@lru_cache(maxsize=2)
def _shipped(folder: Path) -> Mapping[str, Mapping[str, Any]]:
    contents = [(path, path.read_bytes()) for path in sorted(folder.glob("*.yaml"), key=lambda path: path.stem)]
    digest = sha256()
    for path, content in contents:
        digest.update(f"{path.name}\0{len(content)}\0".encode() + content)

    def build() -> dict[str, Any]:
        return {path.stem: _read(path, content) for path, content in contents}

    return cached("devices", digest.hexdigest(), build, dict)


@lru_cache(maxsize=64)
def _document(path: str, content: bytes) -> Mapping[str, Any]:
    digest = f"{path} {sha256(content).hexdigest()}"
    return cached("device", digest, lambda: _read(path, content), dict)


def _read(path: str | Path, content: bytes) -> dict[str, Any]:
    """Return a file's document; raises PackErrors with everything that is wrong with it, each fault at its place."""
    from kernelpath.packs.contents import FileContent
    from kernelpath.packs.files import node_of  # a cached device needs no YAML
    from kernelpath.packs.nodes import to_plain

    root = node_of(FileContent(path, content))
    wrong = list(_unknown_words(root))
    places = {found.span for found in wrong}
    from kernelpath.packs.shape import validate

    wrong += [found for found in validate(root, schema()) if found.span not in places]
    if wrong:
        raise PackErrors(sorted(wrong, key=_place))
    plain: Any = to_plain(root)
    return dict(plain)


def _place(found: Diagnostic) -> tuple[int, int]:
    return (found.span.line, found.span.column) if found.span else (0, 0)


def _unknown_words(root: Node) -> Iterator[Diagnostic]:
    """Yield an error for each feature and limit that WebGPU does not have."""
    from kernelpath.diagnostics import ERROR, Diagnostic, did_you_mean
    from kernelpath.diagnostics.render.printable import printable
    from kernelpath.packs import nodes

    if not isinstance(root, nodes.Mapping):
        return
    listed, limits = root.get("features"), root.get("limits")
    items = listed.items if isinstance(listed, nodes.Sequence) else ()
    features = [item for item in items if isinstance(item, nodes.Scalar) and isinstance(item.value, str)]
    keys = [key for key, _ in limits.entries] if isinstance(limits, nodes.Mapping) else []
    for kind, written, known in (("feature", features, known_features()), ("limit", keys, [*default_limits()])):
        for scalar in written:
            if scalar.text not in known:
                near = did_you_mean(scalar.text, known)
                help_text = f"did you mean `{near}`?" if near else f"WebGPU's {kind}s are {', '.join(known)}"
                message = f"unknown {kind} `{printable(scalar.text[:_SHOWN])}`"
                yield Diagnostic(f"device/{kind}", (), ERROR, message, span=scalar.span, help=help_text)


def document_text(document: Mapping[str, Any]) -> str:
    """Return a device document as YAML, its members in the order of the schema."""
    order = [name for name in schema()["properties"] if name in document]
    return "".join(line + "\n" for name in order for line in _lines(name, document[name]))


def _lines(name: str, value: Any) -> Iterator[str]:
    """Yield the lines of one member: a list of objects, a list of words, an object of numbers, or a text."""
    if isinstance(value, dict):
        yield f"{name}:" if value else f"{name}: {{}}"
        yield from (f"  {key}: {amount}" for key, amount in value.items())
    elif isinstance(value, list):
        yield f"{name}:" if value else f"{name}: []"
        for item in value:
            members = [f"{key}: {_quoted(text)}" for key, text in item.items()] if isinstance(item, dict) else [item]
            yield from (f"  {'-' if place == 0 else ' '} {line}" for place, line in enumerate(members))
    else:
        yield f"{name}: {_quoted(value)}"


def _quoted(text: str) -> str:
    import json

    plain = text not in _YAML_WORDS and text.replace("-", "").isalnum() and text.isascii() and text[0].isalpha()
    if plain:
        return text
    written = json.dumps(text, ensure_ascii=False)
    return "".join(letter if letter.isprintable() else f"\\U{ord(letter):08x}" for letter in written)


@lru_cache(maxsize=1)
def schema() -> Mapping[str, Any]:
    """Return the JSON Schema of device documents."""
    import json

    read: Mapping[str, Any] = json.loads(resource(*SCHEMA).read_text(encoding="utf-8"))
    return read


def known_features() -> list[str]:
    """Return the names of WebGPU's features."""
    return list(schema()["properties"]["features"]["items"]["enum"])


@lru_cache(maxsize=1)
def default_limits() -> Mapping[str, int]:
    """Return the default of every limit of WebGPU, which every device has at least, by its name."""
    limits = schema()["properties"]["limits"]["properties"]
    return {name: limit["default"] for name, limit in limits.items()}


def _unknown(name: object, error: OSError | None = None) -> PackErrors:
    """Return the error for a device that does not exist, or whose file cannot be read."""
    from kernelpath.diagnostics import did_you_mean
    from kernelpath.diagnostics.render.printable import printable

    shown = printable(str(name)[:_SHOWN])
    if error is not None and error.errno not in _NO_NAME:
        return _refused("unreadable", f"device `{shown}` cannot be read: {(error.strerror or str(error)).lower()}")
    known = [*shipped_devices()]
    near = did_you_mean(os.path.basename(str(name)).removesuffix(".yaml"), known)
    help_text = f"did you mean `{near}`?" if near else f"shipped ones are {', '.join(known)}; else name a file"
    return _refused("unknown", f"unknown device `{shown}`", help_text)


def _refused(kind: str, message: str, help_text: str | None = None) -> PackErrors:
    from kernelpath.diagnostics import ERROR, Diagnostic  # only a mistake pays for it

    return PackErrors([Diagnostic(f"device/{kind}", (), ERROR, message, help=help_text)])

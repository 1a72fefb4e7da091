"""Read kernel catalogues and kernel-path presets, from the cache where they were read before."""

from __future__ import annotations

import errno
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

from kernelpath.files.reading import YAML_BYTES, read_named
from kernelpath.packs.cache import cached
from kernelpath.packs.folders import PackErrors
from kernelpath.resources import resource

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from kernelpath.diagnostics import Diagnostic
    from kernelpath.packs.nodes import Node

SELECTION = "selection.yaml"
_NO_NAME = (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG)


class Kernel:
    """A kernel of a catalogue.

    `reference`, `version` and `digest` are what a step says that pins it; `input` and `output` are the dtypes that it
    reads its activations as and declares to write, or None; `requires` are the device features that its registry asks
    for, `features` those that its text enables.
    """

    __slots__ = (
        "digest",
        "entry",
        "features",
        "input",
        "kernel",
        "op",
        "output",
        "reference",
        "requires",
        "variant",
        "version",
    )

    kernel: str
    entry: str
    op: str
    variant: str
    reference: str
    version: str
    digest: str
    input: str | None
    output: str | None
    requires: tuple[str, ...]
    features: tuple[str, ...]

    def __init__(self, row: Mapping[str, Any]) -> None:
        for name in self.__slots__:
            setattr(self, name, row[name])


def load_catalog(name_or_path: str) -> Mapping[str, Kernel]:
    """Return the kernels of a shipped catalogue's name, or of a file, by `file#entry`.

    Raises PackErrors where there is no such catalogue or it is not one.
    """
    try:
        shipped = resource("kernels", "catalogs", f"{name_or_path}.yaml")
        path = str(shipped if shipped.is_file() else Path(name_or_path))
        content = read_named(path, YAML_BYTES)
    except (FileNotFoundError, NotADirectoryError, ValueError, TypeError):  # a name that no file can have, neither
        raise _unknown(name_or_path) from None
    except OSError as error:
        raise _unknown(name_or_path, error) from None
    return _catalog(path, content)


def _unknown(name: object, error: OSError | None = None) -> PackErrors:
    """Return the error for a catalogue that does not exist, or that cannot be read."""
    shown = f"{str(name)[:200]!a}".replace("`'", "`")[1:-1]
    if error is not None and error.errno not in _NO_NAME:
        return _refused("unreadable", f"kernel catalogue `{shown}` cannot be read: {str(error.strerror).lower()}")
    known = ", ".join(sorted(found.stem for found in resource("kernels", "catalogs").glob("*.yaml")))
    return _refused("unknown", f"there is no kernel catalogue `{shown}`", f"shipped ones are {known}")


def check_catalog(kernels: Any) -> Mapping[str, Kernel]:
    """Return a catalogue that was loaded before; raises PackErrors where it is none."""
    if not isinstance(kernels, dict) or not {Kernel}.issuperset(map(type, kernels.values())):
        message = "a kernel catalogue is given by its name or file, or as `load_catalog` returns it"
        raise _refused("shape", message)
    return kernels


@lru_cache(maxsize=8)
def _catalog(path: str, content: bytes) -> Mapping[str, Kernel]:
    """Return the kernels in a file of this content; a shipped catalogue is known to have the shape of one."""
    digest = f"{path} {sha256(content).hexdigest()} {sorted(Kernel.__slots__)}"
    return cached("catalog-rows", digest, lambda: _rows(Path(path), content), _kernels)


def _kernels(rows: Any) -> Mapping[str, Kernel]:
    return {f"{row['kernel']}#{row['entry']}": Kernel(row) for row in rows}


def _rows(path: Path, content: bytes) -> list[dict[str, Any]]:
    """Return what rules ask of each kernel; a catalogue that is not shipped is checked against its schema first."""
    from kernelpath.packs.contents import FileContent
    from kernelpath.packs.files import node_of  # a cached catalogue needs no YAML
    from kernelpath.packs.nodes import to_plain

    root = node_of(FileContent(path, content))
    if path.parent != resource("kernels", "catalogs"):
        wrong = _misshapen(root)
        if wrong:
            raise PackErrors(wrong)
    plain: Any = to_plain(root)
    return [_row(kernel) for kernel in plain["kernels"]]


def _misshapen(root: Node) -> list[Diagnostic]:
    """Return what is wrong with the shape of a catalogue, and kernels that it has twice, each fault at its place."""
    import json

    from kernelpath.packs.shape import validate

    schema = json.loads(resource("kernels", "catalogs", "catalog.schema.json").read_text(encoding="utf-8"))
    return validate(root, schema) or list(_repeated(root))


def _repeated(root: Node) -> Iterator[Diagnostic]:
    """Yield an error for each kernel whose file and entry point an earlier one has."""
    from kernelpath.diagnostics import ERROR, Diagnostic, Label
    from kernelpath.diagnostics.render.printable import printable
    from kernelpath.packs.nodes import node_at, to_plain

    kernels: Any = node_at(root, ["kernels"])
    first: dict[str, Node] = {}
    for node in kernels:
        row: Any = to_plain(node)
        name = f"{row['kernel']}#{row['entry']}"
        if name not in first:
            first[name] = node["entry"]
            continue
        message = f"the kernel `{printable(name)}` is already on line {first[name].span.line}"
        labels = (Label(first[name].span, "first here"),)
        help_text = "remove or rename one of them: a file and its entry point name one kernel"
        yield Diagnostic(
            "catalog/repeated", (), ERROR, message, span=node["entry"].span, secondary=labels, help=help_text
        )


def _refused(kind: str, message: str, help_text: str | None = None) -> PackErrors:
    from kernelpath.diagnostics import ERROR, Diagnostic  # only a mistake pays for it

    return PackErrors([Diagnostic(f"catalog/{kind}", (), ERROR, message, help=help_text)])


def _row(kernel: Mapping[str, Any]) -> dict[str, Any]:
    """Return the members that rules ask for; the reference is derived as the decision on pinning says."""
    return {
        "kernel": kernel["kernel"],
        "entry": kernel["entry"],
        "op": kernel.get("op", ""),
        "variant": kernel.get("variant", ""),
        "reference": kernel_reference(kernel["kernel"], kernel["entry"]),
        "version": "1.0.0",
        "digest": f"sha256:{kernel['digest']}",
        "input": kernel.get("inputDtype"),
        "output": kernel.get("outputDtype"),
        "requires": tuple(kernel.get("requires", ())),
        "features": tuple(kernel.get("enables", kernel.get("requires", ()))),
    }


def kernel_reference(kernel: str, entry: str) -> str:
    """Return the id by which steps refer to a kernel: the file without `.wgsl`, a dot, the entry; others made dots.

    >>> kernel_reference("Rope_Half.wgsl", "main")
    'rope.half.main'
    """
    import re  # a cached catalogue has its references already

    return re.sub(r"[^a-z0-9]+", ".", f"{kernel.removesuffix('.wgsl')}.{entry}".lower())


def load_presets() -> Mapping[str, Any]:
    """Return the shipped kernel paths by id; an alias stands for the path of its target."""
    return _presets(resource("kernels", "paths"))


@lru_cache(maxsize=2)
def _presets(folder: Path) -> Mapping[str, Any]:
    contents = [(path, path.read_bytes()) for path in sorted(folder.glob("*.yaml"))]
    digest = sha256()
    for path, content in contents:
        digest.update(f"{path.name}\0{len(content)}\0".encode() + content)
    return cached("presets", digest.hexdigest(), lambda: _read_presets(contents), dict)


def _read_presets(contents: list[tuple[Path, bytes]]) -> dict[str, Any]:
    """Return each preset under its file's stem, with the members that are not of the path itself left out."""
    from kernelpath.packs.contents import FileContent
    from kernelpath.packs.files import node_of  # cached presets need no YAML
    from kernelpath.packs.nodes import to_plain

    plain: dict[str, Any] = {path.stem: to_plain(node_of(FileContent(path, content))) for path, content in contents}
    found = {name: preset for name, preset in plain.items() if name != Path(SELECTION).stem}
    paths = {name: found[preset.get("aliasOf", name)] for name, preset in found.items()}
    return {name: {key: value for key, value in path.items() if key != "status"} for name, path in paths.items()}

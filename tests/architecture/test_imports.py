"""Imports go down one list of layers, and what is heavy is imported only where it is needed."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import kernelpath as kp

ENGINE = Path(kp.__file__).parent
#: From the lowest to the highest; what stands in one group does not import the others of it.
LAYERS = (
    ("resources",), ("files",), ("diagnostics",), ("language",), ("packs",), ("graph",),
    ("execution_graph",), ("evaluate",), ("emit",), ("analysis", "models", "readers"), ("execute",), ("api",),
    ("replay",), ("lsp",), ("cli",),
)  # fmt: skip


def modules() -> Iterator[tuple[str, ast.Module]]:
    """Yield every module of the engine by its name, parsed."""
    for path in sorted(ENGINE.rglob("*.py")):
        if "_data" not in path.parts:
            name = ".".join(["kernelpath", *path.relative_to(ENGINE).with_suffix("").parts])
            yield name.removesuffix(".__init__"), ast.parse(path.read_text(encoding="utf-8"))


def imports(tree: ast.Module) -> Iterator[str]:
    """Yield the modules that a module imports, wherever in it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def layer(module: str) -> int | None:
    """Return the place of a module's layer in the list; None for the package itself and what is outside."""
    parts = module.split(".")
    if parts[0] != "kernelpath" or len(parts) == 1:
        return None
    return next((place for place, names in enumerate(LAYERS) if parts[1] in names), None)


def test_imports_go_down_the_list() -> None:
    """No module imports one of a higher layer, or of another package of its own layer."""
    wrong = []
    for name, tree in modules():
        own = layer(name)
        for imported in imports(tree):
            other = layer(imported)
            if own is None or other is None:
                continue
            beside = own == other and name.split(".")[1] != imported.split(".")[1]
            if other > own or beside:
                wrong.append(f"{name} -> {imported}")
    assert wrong == []


def test_every_package_has_a_layer() -> None:
    """A new package is put into the list before anything is in it."""
    known = {name for names in LAYERS for name in names}
    found = {path.stem for path in ENGINE.iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file()}
    assert found - {"__init__", "__main__", "pytest_plugin"} <= known


def test_only_the_device_imports_wgpu() -> None:
    """One module knows the GPU library; all others go through it."""
    assert {name for name, tree in modules() for found in imports(tree) if found.split(".")[0] == "wgpu"} == {
        "kernelpath.execute.device"
    }


CHECK = """
import json, sys
import kernelpath as kp
if len(sys.argv) > 1:
    manifest = json.loads(sys.argv[1])
    result = kp.compile(manifest, num_layers=2)
    assert result.ok == (sys.argv[2] == "ok"), result.diagnostics
print(*sorted(sys.modules))
"""


def loaded(folder: Path, *arguments: str) -> set[str]:
    """Return the modules that a process has loaded once it imported kernelpath, and compiled what it was given."""
    environment = {**os.environ, "KERNELPATH_CACHE": str(folder)}
    done = subprocess.run(
        [sys.executable, "-I", "-c", CHECK, *arguments], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a cache folder that has the shipped pack and catalogue."""
    folder = tmp_path_factory.mktemp("cache")
    assert "yaml" in loaded(folder, json.dumps(MANIFEST), "bad")
    return folder


MANIFEST = {"schema": "doppler.execution/v0", "execution": {"steps": []}}


def test_importing_loads_nothing_heavy(tmp_path: Path) -> None:
    """`import kernelpath` costs no parser, no schema validator, no numerics and no GPU library."""
    assert loaded(tmp_path) & {"wgpu", "numpy", "lark", "yaml", "jsonschema", "difflib"} == set()


@pytest.mark.parametrize("verdict", ["ok", "bad"])
def test_a_check_by_a_cached_pack_loads_nothing_heavy(cache: Path, verdict: str) -> None:
    """Neither a manifest that passes nor one that is rejected needs what only reading a pack needs."""
    manifest = MANIFEST if verdict == "bad" else {"schema": "doppler.execution/v0"}
    assert loaded(cache, json.dumps(manifest), verdict) & {"wgpu", "numpy", "lark", "yaml", "jsonschema"} == set()


def test_one_module_reads_yaml() -> None:
    """Every YAML file goes through one reader: a second one would take plain scalars for other values."""
    users = {name: set(imports(tree)) & {"yaml"} for name, tree in modules()}
    assert {name for name, found in users.items() if found} == {
        "kernelpath.packs.documents",  # the reader
        "kernelpath.packs.parser_errors",  # its words for what the parser complains about
        "kernelpath.packs.scalars",  # writes
    }


#: Modules that read data which comes with the project; what a user names is read through `kernelpath.files` alone.
READ_THEIR_OWN = {
    "kernelpath.graph.catalog",
    "kernelpath.execution_graph.devices",
    "kernelpath.execute.shaders",
    "kernelpath.cli.demo",
}


def test_files_are_read_in_one_place() -> None:
    """No module opens a file by itself: a limit, and what is not a file, would be forgotten."""
    found = [
        f"{name}:{node.lineno}"
        for name, tree in modules()
        if not name.startswith("kernelpath.files.") and name not in READ_THEIR_OWN | {"kernelpath.packs.cache_folder"}
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and _opens(node) and "resource(" not in ast.unparse(node)
    ]
    assert found == []


def _opens(call: ast.Call) -> bool:
    called = ast.unparse(call.func)
    return called in ("open", "io.open") or called.endswith((".read_text", ".read_bytes"))

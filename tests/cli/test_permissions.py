"""Files and folders that may not be read or entered are bad input: a message that names them, and exit code 2."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cli.model_files import model_file
from plain_user import plain_user

SHOP = Path(__file__).parent.parent / "planted" / "shop"
MAIN = [sys.executable, "-c", "import sys; from kernelpath.cli import main; sys.exit(main())"]

OF_PACKS = (
    "check passes.json --pack shop",
    "compile passes.json --pack shop",
    "explain label --pack shop",
    "fix passes.json --pack shop",
    "pack show --pack shop",
    "pack doc --pack shop --output pages",
    "pack lint shop",
    "pack lint --fix shop",
    "pack fmt shop",
    "pack fmt --check shop",
    "pack fmt --diff shop",
    "pack test shop",
    "pack test --coverage --mutate shop",
    "pack test --update shop",
    "pack analyze --pack shop",
    "pack diff shop execution-v0",
    "pack diff execution-v0 shop",
    "pack new shop/boxes/more",
)
LOCKED = ("shop", "shop/boxes", "shop/boxes/fits.yaml", "shop/pack.yaml")
#: Each command with each path; each command with one of them, and each path with one command, on every run.
CROSSED = [
    pytest.param(words, path, marks=() if (row % len(LOCKED) == column or not row) else pytest.mark.exhaustive)
    for row, words in enumerate(OF_PACKS)
    for column, path in enumerate(LOCKED)
]
OF_FILES = {
    "check one.json": "one.json",
    "check passes.json one.json": "one.json",
    "check passes.json --runtime one.json": "one.json",
    "check passes.json --waivers waivers.yaml": "waivers.yaml",
    "check passes.json --catalog catalog.yaml": "catalog.yaml",
    "compile one.json": "one.json",
    "apply one.json config.json": "one.json",
    "apply passes.json one.json": "one.json",
    "explain one.json attend": "one.json",
    "fix one.json": "one.json",
    "fix --apply one.json": "one.json",
    "kernels repin one.json": "one.json",
    "kernels list --catalog catalog.yaml": "catalog.yaml",
    "pack diff execution-v0 strict --manifests one.json": "one.json",
    "pack fmt shop/boxes/fits.yaml": "shop/boxes/fits.yaml",
    "pack fmt shop": "shop/boxes/fits.test.yaml",
    "pack lint --fix shop": "shop/boxes/fits.test.yaml",
    "explain fits --pack shop": "shop/boxes/fits.test.yaml",
    "init model.gguf": "model.gguf",
    "run model.gguf --ids 1 --backend numpy": "model.gguf",
    "bench model.gguf --backend numpy": "model.gguf",
    "compile passes.json --plan --model model.gguf": "model.gguf",
    "init folder": "folder",
    "init folder ": "folder/model.gguf",
    "run model.gguf --ids 1 --manifest one.json --backend numpy": "one.json",
    "check folder/one.json": "folder",
}


@pytest.fixture
def locked(folder: Path) -> Path:
    """Return the folder with all that is locked in the tests."""
    shutil.copytree(SHOP, folder / "shop")
    shutil.copy(folder / "passes.json", folder / "one.json")
    (folder / "waivers.yaml").write_text("waivers: []\n")
    (folder / "catalog.yaml").write_text("kernels: []\n")
    (folder / "folder").mkdir()
    model = model_file(folder)
    shutil.copy(folder / model, folder / "folder" / "model.gguf")
    (folder / model).rename(folder / "model.gguf")
    return folder


def ran(words: str, path: Path) -> tuple[int, str]:
    """Return the exit code of a command for which a path is locked, and what it says on standard error."""
    mode = path.stat().st_mode
    path.chmod(0)
    try:
        done = subprocess.run([*MAIN, *words.split()], capture_output=True, text=True, check=False, **plain_user())
    finally:
        path.chmod(mode)
    return done.returncode, done.stderr


@pytest.mark.parametrize(("words", "path"), CROSSED)
@pytest.mark.sampled(4)
def test_a_pack_that_may_not_be_read(locked: Path, words: str, path: str) -> None:
    """No command passes over a part of a pack that it cannot look into, and none blames itself."""
    code, told = ran(words, locked / path)
    assert (code, "permission denied" in told, path.rsplit("/")[-1] in told) == (2, True, True), told


@pytest.mark.parametrize("words", OF_FILES)
@pytest.mark.sampled(6)
def test_a_file_that_may_not_be_read(locked: Path, words: str) -> None:
    """The same holds for every other file that a command reads."""
    path = OF_FILES[words]
    code, told = ran(words, locked / path)
    assert (code, "permission denied" in told, path.rsplit("/")[-1].split(".")[0] in told) == (2, True, True), told


@pytest.mark.parametrize("words", ["pack test shop", "pack test --update shop"])
def test_a_test_file_that_may_not_be_read(locked: Path, words: str) -> None:
    """It is among the findings of the tests, as one that is broken is, and never a pass."""
    path = locked / "shop" / "boxes" / "fits.test.yaml"
    path.chmod(0)
    done = subprocess.run([*MAIN, *words.split()], capture_output=True, text=True, check=False, **plain_user())
    assert done.returncode == 1
    message = "error[pack/unreadable]: cannot be read: permission denied\n --> shop/boxes/fits.test.yaml:1:1\n"
    assert message in done.stdout


GONE = {
    "check PASSES": (0, ""),
    "check passes.json": (2, "there is no file `passes.json`"),
    "check PASSES --output here.txt": (2, "`here.txt` cannot be written: no such file or directory"),
    "pack lint SHOP": (0, ""),
    "pack fmt": (2, "no pack is named, and the working folder is not a pack"),
    "pack test SHOP": (0, ""),
    "pack doc --pack SHOP": (2, "cannot be written: no such file or directory"),
    "pack new flow/more --pack shop": (2, "there is no pack `shop`"),
    "demo": (2, "the working folder cannot be read: no such file or directory"),
    "demo --copy-to new": (2, "`new` cannot be written: no such file or directory"),
}


@pytest.mark.parametrize("words", GONE)
def test_a_working_folder_that_is_gone(locked: Path, tmp_path_factory: pytest.TempPathFactory, words: str) -> None:
    """Whole paths are found though the folder that one is in is not there any more; nothing else is."""
    gone = tmp_path_factory.mktemp("gone")
    told = words.replace("PASSES", str(locked / "passes.json")).replace("SHOP", str(locked / "shop")).split()
    command = ["sh", "-c", f'rmdir "{gone}"; exec "$@"', "sh", *MAIN, *told]
    done = subprocess.run(command, cwd=gone, capture_output=True, text=True, check=False)
    code, message = GONE[words]
    assert (done.returncode, message in done.stderr) == (code, True), done.stderr

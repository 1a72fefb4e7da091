"""`init` makes manifests that pass, that run, and that say all that a plan needs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from cli.conftest import Ran
from cli.model_files import model_file
from models.test_open_model import GGUF_NAMES

Cli = Callable[..., Ran]


@pytest.mark.parametrize("catalog", ["kernelpath", "doppler-0.1.7"])
@pytest.mark.parametrize("architecture", sorted(GGUF_NAMES))
def test_a_first_manifest_passes(cli: Cli, folder: Path, architecture: str, catalog: str) -> None:
    """What `init` prints is a manifest that `check` finds clean under the catalogue that it was made for."""
    made = cli("init", model_file(folder, architecture), "--catalog", catalog)
    assert (made.code, made.err) == (0, "")
    (folder / "made.json").write_text(made.out)
    checked = cli("check", "made.json", "--catalog", catalog)
    assert checked.code == 0
    assert checked.out.startswith("made.json: clean, ")


def test_a_first_manifest_runs_like_none(cli: Cli, folder: Path) -> None:
    """A run of the manifest that `init` prints gives the tokens and logits of a run without one."""
    model = model_file(folder)
    cli("init", model, "--output", "made.json")
    words = ["run", model, "--ids", "5,6,7", "--max-tokens", "4", "--ignore-end", "--format", "json"]
    told = [json.loads(cli(*words, "--backend", "numpy", *more).out) for more in ([], ["--manifest", "made.json"])]
    assert len(told[0]["ids"]) == 4
    assert told[0]["ids"] == told[1]["ids"]
    assert told[0]["topLogits"] == told[1]["topLogits"]


def test_stored_weights_stay_as_they_are(cli: Cli, folder: Path) -> None:
    """By the project's own catalogue each weight is read at the dtype of the file; `--keep f32` asks for another."""
    model = model_file(folder, dtype="q8_0")
    assert "fused_matmul_q8_0" in cli("init", model).out
    assert "q8_0" not in cli("init", model, "--keep", "f32").out


def test_kernels_suit_the_features(cli: Cli, folder: Path) -> None:
    """Without features no kernel needs one, and the cache is kept at f32."""
    made = json.loads(cli("init", model_file(folder, dtype="f32"), "--features", "").out)
    assert made["inference"]["sessionDefaults"]["kvcache"] == {"kvDtype": "f32"}
    needs = {row["kernel"]: row["requires"] for row in json.loads(_kernels(cli))}
    assert {need for step in made["inference"]["execution"]["steps"] for need in needs[step["kernel"]]} == set()


def _kernels(cli: Cli) -> str:
    return cli("kernels", "list", "--catalog", "kernelpath", "--format", "json").out


def test_a_feature_that_there_is_not(cli: Cli, folder: Path) -> None:
    """A feature that no kernel asks for is a mistake, not something to leave unsaid."""
    ran = cli("init", model_file(folder), "--features", "f16", "-q")
    assert ran == Ran(2, "", "-: error[cli/usage]: `f16` is no feature that kernels ask for\n")


def test_a_model_that_is_none(cli: Cli) -> None:
    """A missing file, and a file of another kind, are told, with exit code 2."""
    assert cli("init", "nosuch.gguf", "-q") == Ran(
        2, "", "model: error[model/missing-file]: there is no file `nosuch.gguf`\n"
    )
    ran = cli("init", "passes.json", "-q")
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert ran.err.startswith("model: error[model/")

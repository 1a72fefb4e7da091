"""`bench` measures what it is asked to, and prints it as a table or as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from cli.conftest import Ran
from cli.model_files import model_file

Cli = Callable[..., Ran]
SMALL = ("--prefill", "8", "--decode", "4", "--repeat", "2")
BACKENDS = ["numpy", pytest.param("wgpu", marks=pytest.mark.gpu)]


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_table_has_both_phases(cli: Cli, folder: Path, backend: str) -> None:
    """A line says where it was measured; a row a phase has tokens, speeds and launches."""
    ran = cli("bench", model_file(folder), *SMALL, "--backend", backend)
    assert (ran.code, ran.err) == (0, "")
    where, empty, headings, *rows = ran.out.splitlines()
    assert where.endswith(f", {backend}; 2 repeats")
    assert (empty, headings.split()) == ("", ["PHASE", "TOKENS", "MEDIAN", "BEST", "A", "TOKEN", "LAUNCHES"])
    assert [row.split()[:2] for row in rows] == [["prefill", "8"], ["decode", "4"]]


def test_json_has_the_numbers(cli: Cli, folder: Path) -> None:
    """The best speed is no less than the median, and launches are those of the plans."""
    model = model_file(folder)
    told = json.loads(cli("bench", model, *SMALL, "--backend", "numpy", "--format", "json").out)
    assert (told["backend"], told["device"], told["repeats"]) == ("numpy", "numpy", 2)
    for phase in ("prefill", "decode"):
        assert 0 < told[phase]["tokensPerSecond"] <= told[phase]["bestTokensPerSecond"]
        assert told[phase]["launches"] > 10
    assert "kernels" not in told


@pytest.mark.gpu
def test_steps_are_timed_by_the_device(cli: Cli, folder: Path) -> None:
    """`--steps` gives the milliseconds of each kernel in each phase, which add up to all launches of the plans."""
    words = ("bench", model_file(folder), *SMALL, "--backend", "wgpu", "--steps")
    told = json.loads(cli(*words, "--format", "json").out)
    for phase in ("prefill", "decode"):
        rows = [row for row in told["kernels"] if row["phase"] == phase]
        assert sum(row["launches"] for row in rows) == told[phase]["launches"]
        assert [row["milliseconds"] for row in rows] == sorted((row["milliseconds"] for row in rows), reverse=True)
    assert "PHASE    OP" in cli(*words).out


WRONG = {
    "--prefill 0": "`--prefill 0` leaves nothing to measure",
    "--repeat 0": "`--repeat 0` leaves nothing to measure",
    "--prefill 50 --decode 20": "50 and 20 tokens are 70, and the model holds 64",
    "--prefill 8 --decode 4 --steps": "steps are timed by a GPU's clock",
}


@pytest.mark.parametrize("words", WRONG)
def test_what_cannot_be_measured(cli: Cli, folder: Path, words: str) -> None:
    """Each mistake is one message, with exit code 2."""
    repeat = () if "--repeat" in words else ("--repeat", "1")
    ran = cli("bench", model_file(folder), *repeat, *words.split(), "--backend", "numpy", "-q")
    assert ran == Ran(2, "", f"-: error[cli/usage]: {WRONG[words]}\n")

"""The commands for models in the README do what it says, here on a tiny model."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from cli.conftest import Ran
from cli.model_files import model_file

Cli = Callable[..., Ran]
README = Path(__file__).parents[2] / "README.md"
LINES = "".join(re.findall(r"```shell\n(.*?)```\n", README.read_text(encoding="utf-8"), re.DOTALL)).splitlines()


@pytest.mark.gpu
def test_the_commands_for_models_work(cli: Cli, folder: Path) -> None:
    """Each command ends with 0, one after another; what it prints goes where it says."""
    Path(model_file(folder, context_length=1024)).rename("model.gguf")
    assert [line.split()[1] for line in LINES] == ["run", "bench", "init", "check", "compile", "run"]
    for line in LINES:
        words, _, file = line.partition(" > ")
        ran = cli(*shlex.split(words)[1:])
        assert (ran.code, bool(ran.out)) == (0, True)
        if file:
            Path(file).write_text(ran.out)

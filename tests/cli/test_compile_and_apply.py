"""`compile` and `apply` print the values that the Python functions give, and nothing else on standard output."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import kernelpath as kp
from cli.conftest import Ran

Cli = Callable[..., Ran]


def _read(path: Path) -> dict[str, object]:
    found: dict[str, object] = json.loads(path.read_text())
    return found


def test_compile_prints_what_the_function_gives(cli: Cli, folder: Path) -> None:
    """The printed JSON is the function's value, members in the same order."""
    inference = _read(folder / "passes.json")["inference"]
    expected = kp.compile(inference, runtime=_read(folder / "overlay.json"), model_id="demo-4l", num_layers=4)
    ran = cli("compile", "passes.json", "--runtime", "overlay.json")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == json.dumps(expected.value, indent=2) + "\n"


def test_compile_under_a_config_prints_the_compiled_graph(cli: Cli, folder: Path) -> None:
    """Under a runtime config, what is printed is the graph as it was compiled for that config."""
    expected = kp.apply(_read(folder / "passes.json"), _read(folder / "config.json"))
    assert json.loads(cli("compile", "passes.json", "--runtime", "config.json").out) == expected.state


def test_compile_says_on_standard_error_why_there_is_nothing(cli: Cli) -> None:
    """A manifest that may not run leaves standard output empty, so that no pipe takes findings for a graph."""
    ran = cli("compile", "fails.json")
    assert (ran.code, ran.out) == (1, "")
    assert "\n3 errors\n2 rules were not asked about `fails.json`, because of " in ran.err


def test_compile_gives_findings_to_tools(cli: Cli) -> None:
    """In a format for tools the findings of a manifest that may not run are the document."""
    ran = cli("compile", "fails.json", "--format", "json")
    assert (ran.code, ran.err) == (1, "")
    assert json.loads(ran.out)["summary"]["error"] == 3


def test_compile_prints_a_part(cli: Cli) -> None:
    """`--part` prints what a JSON pointer leads to."""
    ran = cli("compile", "passes.json", "--part", "/resolvedSteps/prefill/0/precision")
    assert json.loads(ran.out) == {
        "inputDtype": "f16",
        "mathDtype": "f16",
        "accumDtype": "f32",
        "outputDtype": "f16",
    }


def test_a_part_that_is_not_there(cli: Cli) -> None:
    """A pointer that leads nowhere is bad input, with the member that was meant."""
    ran = cli("compile", "passes.json", "--part", "/policys", "-q")
    assert (ran.code, ran.out, ran.err) == (2, "", "-: error[cli/usage]: there is no `policys`\n")
    assert "did you mean `policies`?" in cli("compile", "passes.json", "--part", "/policys").err
    assert "it begins with `/`" in cli("compile", "passes.json", "--part", "policies").err
    assert cli("compile", "passes.json", "--part", "/resolvedSteps/all/99").code == 2


def test_numbers_beyond_doubles_stay_json(cli: Cli, folder: Path) -> None:
    """A number that no double holds is still a number in the output, not a word that JSON does not have."""
    text = (folder / "passes.json").read_text()
    (folder / "far.json").write_text(text.replace('"weights": "embed_tokens"', '"far": [1e400, -1e400]'))
    ran = cli("compile", "far.json", "--part", "/resolvedSteps/prefill/0/far")
    assert (ran.code, ran.out) == (0, "[\n  1e999,\n  -1e999\n]\n")


def test_apply_prints_what_the_function_gives(cli: Cli, folder: Path) -> None:
    """The printed JSON has the runtime config and the compiled graph."""
    expected = kp.apply(_read(folder / "passes.json"), _read(folder / "config.json"))
    ran = cli("apply", "passes.json", "config.json")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == json.dumps(expected.value, indent=2) + "\n"


def test_apply_says_why_not(cli: Cli) -> None:
    """A config that cannot be applied to is told with its line, and nothing is printed."""
    ran = cli("apply", "passes.json", "bad-config.json", "-q")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("bad-config.json:9:")


def test_apply_takes_a_section(cli: Cli, folder: Path) -> None:
    """A section that stands alone is applied like the manifest around it, its name and layers aside."""
    ran = cli("apply", "section.json", "config.json", "--num-layers", "4")
    manifest = {**_read(folder / "passes.json"), "modelId": "model"}
    assert json.loads(ran.out) == kp.apply(manifest, _read(folder / "config.json")).value

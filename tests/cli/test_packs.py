"""`pack show`, `pack doc` and `kernels list` show all there is, and find what is named."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from cli.conftest import Ran
from kernelpath.packs.decisions import declared_carriers
from kernelpath.packs.files import pack_folder
from kernelpath.packs.reading import read_pack

Cli = Callable[..., Ran]
PACK = read_pack(pack_folder("execution-v0"))


def test_every_rule_is_listed_once(cli: Cli) -> None:
    """The list has every rule under its stage, in evaluation order."""
    listed = [line.split()[0] for line in cli("pack", "show").out.splitlines() if line.startswith("  ")]
    assert listed == [rule.name for rule in PACK.rules()]


def test_every_rule_is_in_the_json(cli: Cli) -> None:
    """For tools the list is a document."""
    told = json.loads(cli("pack", "show", "--format", "json").out)
    assert [rule["rule"] for rule in told["rules"]] == [rule.identity for rule in PACK.rules()]
    assert [stage["name"] for stage in told["stages"]] == list(PACK.stages)


def test_a_rule_is_shown_as_it_was_written(cli: Cli) -> None:
    """A rule's text is its file's."""
    out = cli("pack", "show", "src-produced").out
    assert out.split("\n", 2)[2] == (pack_folder("execution-v0") / "flow" / "src-produced.yaml").read_text()


def test_python_of_a_rule_compiles(cli: Cli) -> None:
    """What is shown as a rule's Python is Python, and belongs to that rule alone; every twelfth rule is looked at."""
    for rule in PACK.rules()[::12]:
        out = cli("pack", "show", rule.identity, "--python").out
        compile(out, rule.identity, "exec")
        prefix = f"def {rule.stage}__{rule.name}__".replace("-", "_")
        functions = [line for line in out.splitlines() if line.startswith("def ")]
        assert functions
        assert all(line.startswith(prefix) for line in functions)


def test_python_of_a_stage_is_its_walk(cli: Cli) -> None:
    """A stage's Python is the fused function that runs, with every rule of it."""
    out = cli("pack", "show", "flow", "--python").out
    assert out.startswith("def walk__visits__flow__")
    assert [f"# flow/{rule.name}" in out for rule in PACK.stages["flow"].rules] == [True] * len(
        PACK.stages["flow"].rules
    )


def test_an_unknown_rule(cli: Cli) -> None:
    """What there is not is answered with the nearest there is."""
    ran = cli("pack", "show", "flwo")
    assert ran.code == 2
    assert "did you mean `flow`?" in ran.err


def test_documentation_has_a_page_for_each_rule(cli: Cli, folder: Path) -> None:
    """`pack doc` writes an index, the decision matrix and a page for each rule, and no link leads nowhere."""
    ran = cli("pack", "doc", "--output", "pages")
    assert ran == Ran(0, f"{len(PACK.rules()) + 2} pages in pages\n", "")
    pages = {path.relative_to(folder / "pages").as_posix(): path.read_text() for path in folder.glob("pages/**/*.md")}
    assert len(pages) == len(PACK.rules()) + 2
    for name, text in pages.items():
        links = [part.split(")")[0].split("#")[0] for part in text.split("](")[1:]]
        assert all((folder / "pages" / name).parent.joinpath(link).is_file() for link in links)


def test_documentation_lists_every_decision(cli: Cli, folder: Path) -> None:
    """The matrix has each decision of the rules and of pack.yaml, in the order of their numbers."""
    cli("pack", "doc", "--output", "pages")
    matrix = (folder / "pages" / "decisions.md").read_text()
    rows = [line.split("|")[1].strip() for line in matrix.splitlines() if line.startswith("| ")][1:]
    decided = {decision for rule in PACK.rules() for decision in rule.decisions} | declared_carriers(PACK).keys()
    assert set(rows) == decided
    assert rows == sorted(rows, key=lambda name: (name[0], int(name[1:])))


def test_documentation_that_cannot_be_written(cli: Cli, folder: Path) -> None:
    """A folder that cannot be made is bad input."""
    (folder / "taken").write_text("")
    ran = cli("pack", "doc", "--output", "taken")
    assert ran.code == 2
    assert "`taken/README.md` cannot be written" in ran.err


def test_every_kernel_is_listed(cli: Cli) -> None:
    """The table has a line for each kernel, and the JSON what a manifest's kernelRef says."""
    lines = cli("kernels", "list").out.splitlines()
    told = json.loads(cli("kernels", "list", "--format", "json").out)
    assert len(lines) == len(told) + 1
    manifest = json.loads(Path("passes.json").read_text())
    references = [kernel["kernelRef"] for kernel in told]
    assert all(
        step["kernelRef"] in references for step in manifest["inference"]["execution"]["steps"] if "kernel" in step
    )


def test_an_op_without_kernels(cli: Cli) -> None:
    """An op that the catalogue does not have is answered with the nearest one."""
    assert "did you mean `residual`?" in cli("kernels", "list", "--op", "residal").err

"""pytest runs the tests beside rules: `pytest rules/` collects every `*.test.yaml` of a pack, each case as an item.

What runs them is imported when the first such file is collected, so that other test runs pay nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from _pytest._code.code import ExceptionInfo, TerminalRepr

    from kernelpath.analysis.testing import Case, PackTests, TestFile
    from kernelpath.diagnostics import Diagnostic

_SUFFIX = ".test.yaml"
_PACK_FILE = "pack.yaml"
_PACKS: pytest.StashKey[dict[Path, PackTests]] = pytest.StashKey()


class RuleTestFailure(Exception):
    """A case whose rule does something else than is expected, or a test file that cannot be run as it is written."""

    def __init__(self, diagnostics: tuple[Diagnostic, ...]) -> None:
        super().__init__("; ".join(found.message for found in diagnostics))
        self.diagnostics = diagnostics


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect a test file that lies somewhere below a pack.yaml."""
    if file_path.name.endswith(_SUFFIX) and pack_folder_of(file_path) is not None:
        return RuleTestFile.from_parent(parent, path=file_path)
    return None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(session: pytest.Session, items: list[pytest.Item]) -> None:
    """Refuse a pack that was named and has no tests: where others pass beside it, nothing would tell."""
    folders = {path for argument in session.config.args if (path := _named_pack(session, argument)) is not None}
    for folder in sorted(folders):
        if not any(isinstance(item, RuleItem) and folder in item.path.parents for item in items):
            raise pytest.UsageError(f"pack {folder.name} has no tests: a rule's test lies beside it")


def _named_pack(session: pytest.Session, argument: str) -> Path | None:
    """Return the pack's folder that an argument names, None if it names something else."""
    path = session.config.invocation_params.dir.joinpath(argument)
    return path.resolve() if (path / _PACK_FILE).is_file() else None


def pack_folder_of(path: Path) -> Path | None:
    """Return the nearest folder above a file that is a pack."""
    return next((folder for folder in path.parents if (folder / _PACK_FILE).is_file()), None)


class RuleTestFile(pytest.File):
    """A test file: one item for each case, and one for the file itself where something is wrong with it."""

    def collect(self) -> Iterator[pytest.Item]:
        """Yield the items of the file; raises CollectError where its pack cannot be read."""
        from kernelpath.analysis.testing import read_test

        folder = pack_folder_of(self.path)
        assert folder is not None  # INVARIANT: `pytest_collect_file` found one
        tests = self._tests(folder)
        file = read_test(tests.pack, folder, self.path)
        if file.faults:
            yield FaultyFile.from_parent(self, name="(file)", file=file)
        for case in file.cases:
            yield RuleCase.from_parent(self, name=case.name, tests=tests, file=file, case=case)

    def _tests(self, folder: Path) -> PackTests:
        """Return the pack, which is read once in a run."""
        from kernelpath.analysis.testing import PackTests
        from kernelpath.packs.files import PackErrors
        from kernelpath.packs.reading import read_pack

        packs = self.config.stash.setdefault(_PACKS, {})
        if folder not in packs:
            try:
                packs[folder] = PackTests(read_pack(folder), ())
            except PackErrors as errors:
                raise self.CollectError(rendered(tuple(errors.diagnostics), folder.parent)) from None
        return packs[folder]


class RuleItem(pytest.Item):
    """What the items of a test file have in common: how they fail."""

    def repr_failure(self, excinfo: ExceptionInfo[BaseException], style: Any = None) -> str | TerminalRepr:
        """Return the diagnostics with their lines of YAML, in place of a traceback of ours."""
        if isinstance(excinfo.value, RuleTestFailure):
            folder = pack_folder_of(self.path)
            return rendered(excinfo.value.diagnostics, folder.parent if folder else self.path.parent)
        return super().repr_failure(excinfo, style)


class RuleCase(RuleItem):
    """One case of a test file."""

    def __init__(self, *, tests: PackTests, file: TestFile, case: Case, **rest: Any) -> None:
        super().__init__(**rest)
        self.tests, self.file, self.case = tests, file, case

    def runtest(self) -> None:
        """Run the case."""
        result = self.tests.run_case(self.file, self.case)
        if result.diagnostics:
            raise RuleTestFailure(result.diagnostics)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return the place and the name of the case."""
        return self.path, self.case.span.line - 1, self.case.name


class FaultyFile(RuleItem):
    """A test file with mistakes, which fails whatever its cases do."""

    def __init__(self, *, file: TestFile, **rest: Any) -> None:
        super().__init__(**rest)
        self.file = file

    def runtest(self) -> None:
        """Fail with what is wrong."""
        raise RuleTestFailure(self.file.faults)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return the place of the file."""
        return self.path, 0, self.name


def rendered(diagnostics: tuple[Diagnostic, ...], root: Path) -> str:
    """Return diagnostics as text, with the lines of the files that can be found."""
    from kernelpath.diagnostics import Source
    from kernelpath.diagnostics.render.text import render
    from kernelpath.packs.files import shown_text

    sources = {}
    for name in {found.span.file for found in diagnostics if found.span}:
        texts = (shown_text(str(place)) for place in (name, root / name))
        text = next((text for text in texts if text is not None), None)
        if text is not None:
            sources[name] = Source(name, text)
    return render(list(diagnostics), sources)

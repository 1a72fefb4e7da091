"""`kernelpath pack test`: run the tests beside rules; measure what they cover, and which mutants they notice."""

from __future__ import annotations

from pathlib import Path

from kernelpath.analysis.coverage import findings
from kernelpath.analysis.testing import load_pack_tests
from kernelpath.analysis.testing.updating import updates
from kernelpath.cli.console import Console
from kernelpath.cli.inputs import InputErrors, unusable
from kernelpath.cli.judging import refused
from kernelpath.cli.options import PACKS_HELP, add_shared, whole_number
from kernelpath.cli.pack_runs import PackRun, RunSettings, run_cases, run_coverage, run_mutants
from kernelpath.cli.pack_test_report import report, survivor_finding
from kernelpath.cli.packs import named_packs
from kernelpath.cli.saving import rewrite
from kernelpath.diagnostics import ERROR, Diagnostic, Span
from kernelpath.packs.files import PackErrors, pack_folder, shown_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import SimpleNamespace as Namespace

    from kernelpath.cli.arguments import Arguments


def declare(arguments: Arguments) -> None:
    """Say what the command takes."""
    add = arguments.add
    add("packs", nargs="*", metavar="PACK", help=PACKS_HELP)
    add("-k", "--select", metavar="TEXT", help="only cases whose `rule: name` has this text in it")
    add("--fail-fast", action="store_true", help="stop at the first case that fails")
    add("--jobs", type=whole_number, metavar="N", help="so many processes; as many as pay, if left out")
    add("--update", action="store_true", help="rewrite the expectations of failed cases, and show the difference")
    add("--coverage", action="store_true", help="show rules, branches and atoms that no case covers")
    add("--mutate", action="store_true", help="change rules in small ways, and show what no case notices")
    add("--fail-under", type=_percent, metavar="N", help="fail if less than N percent is covered, or noticed")
    add_shared(arguments, pack=None)


def _percent(text: str) -> float:
    """Return a percentage; raises ValueError with what the user is told."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 100:
        raise ValueError(f"`{text[:40]}` is not a percentage from 0 to 100")
    return value


def run(options: Namespace) -> int:
    """Run the tests of every pack, and return the exit code of the worst."""
    console = Console(options)
    if options.fail_under is not None and not (options.coverage or options.mutate):
        raise unusable("cli/usage", "`--fail-under` needs `--coverage` or `--mutate`")
    settings = RunSettings(
        options.select, options.fail_fast, options.jobs, options.coverage, options.quiet or not console.is_text
    )
    runs, found, unread = [], [], []
    for name in named_packs(options.packs, options.pack):
        try:
            one = _run_pack(name, options, settings, console)
        except PackErrors as errors:
            unread.append(refused(errors))
            continue
        runs.append(one)
        found += _findings(one, options)
        if options.fail_fast and not one.passed:
            break
    refusals = [diagnostic for errors in unread for diagnostic in errors.diagnostics]
    report(console, runs, found if console.is_text else [*found, *refusals])
    if unread and console.is_text:
        raise _together(unread)
    if unread:
        return 2
    return 1 if any(diagnostic.severity == ERROR for diagnostic in found) else 0


def _together(errors: list[InputErrors]) -> InputErrors:
    sources = {name: source for one in errors for name, source in one.sources.items()}
    return InputErrors([diagnostic for one in errors for diagnostic in one.diagnostics], sources)


def _run_pack(name: str, options: Namespace, settings: RunSettings, console: Console) -> PackRun:
    folder = pack_folder(name)
    one = PackRun(folder, load_pack_tests(folder))
    observer = run_cases(one, settings)
    if options.update and _updated(one, console):
        one = PackRun(folder, load_pack_tests(folder))
        observer = run_cases(one, settings)
    if options.coverage:
        run_coverage(one, observer, settings)
    if options.mutate and one.passed:
        run_mutants(one, settings)
    return one


def _updated(one: PackRun, console: Console) -> bool:
    """Rewrite the expectations that do not hold, show how, and return whether there were any."""
    found = updates(one.folder, one.results)
    for update in found:
        rewrite(update.path, update.before, update.after, update.shown)
        (console.write if console.is_text and console.output is None else console.error)(update.difference())
    return bool(found)


def _findings(one: PackRun, options: Namespace) -> list[Diagnostic]:
    """Return everything that is wrong with a pack's tests; what is not covered is a warning unless too much is."""
    found = [diagnostic for result in one.results for diagnostic in result.diagnostics]
    place = _pack_span(one.folder)
    if not one.results:
        what = f"no case of pack `{one.name}` is selected" if options.select else f"pack `{one.name}` has no tests"
        help_text = "a rule's test lies beside it: `<stage>/<rule>.test.yaml`"
        found.append(Diagnostic("test/no-tests", (), ERROR, what, span=place, help=help_text))
    if one.coverage is not None:
        found += findings(one.coverage, one.folder)
        for what, share in one.coverage.shares.items():
            found += _short(place, f"coverage of {what}", share.percent, options.fail_under)
    if one.score is not None:
        found += [survivor_finding(each) for each in one.score.survivors]
        found += _short(place, "the share of mutants that cases notice", one.score.share.percent, options.fail_under)
    return found


def _pack_span(folder: Path) -> Span:
    return Span(shown_path(folder / "pack.yaml"), 1, 1, 1, 1)


def _short(place: Span, what: str, percent: float, least: float | None) -> list[Diagnostic]:
    if least is None or percent >= least:
        return []
    message = f"{what} is {percent:.1f} %, and at least {least:g} % is asked for"
    return [Diagnostic("test/fail-under", (), ERROR, message, span=place)]

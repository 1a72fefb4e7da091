"""`kernelpath bench`: how fast a model is here."""

from __future__ import annotations

import sys
import time

from kernelpath.cli.console import Console
from kernelpath.cli.executing import OWN_CATALOG, Findings, add_model, add_place, graph_path, opened, placed, told
from kernelpath.cli.inputs import unusable
from kernelpath.cli.kernels_list import table
from kernelpath.cli.options import add_shared, whole_number
from kernelpath.cli.progress import Progress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import SimpleNamespace as Namespace
    from typing import Any

    from kernelpath.cli.arguments import Arguments
    from kernelpath.execute.place import Place
    from kernelpath.execute.session import Session
    from kernelpath.models.model import Model

HEADINGS = ("PHASE", "TOKENS", "MEDIAN", "BEST", "A TOKEN", "LAUNCHES")


def declare(arguments: Arguments) -> None:
    """Say what the command takes."""
    add_model(arguments)
    add = arguments.group("what").add
    add("--prefill", type=whole_number, default=512, metavar="N", help="tokens of the text that is read (512)")
    add("--decode", type=whole_number, default=128, metavar="N", help="tokens that are made after it (128)")
    add("--repeat", type=whole_number, default=5, metavar="N", help="how often, after once to warm up (5)")
    add("--steps", action="store_true", help="also the device's time in each kernel, where it has timestamps")
    add_place(arguments.group("where").add)
    add_shared(arguments, formats=("text", "json"), catalog=OWN_CATALOG)


def run(options: Namespace) -> int:
    """Print tokens per second of prefill and decode: the median, and the best."""
    console = Console(options)
    model = opened(options.model)
    _check(options, model)
    place = placed(options.backend, options.adapter)
    console.warn(model.warnings)
    if place.note and console.is_text:
        console.error(place.note + "\n")
    try:
        path = graph_path(options, model, place)
    except Findings as findings:
        return findings.told(console)
    try:
        report = _measured(options, model, place, path)
    except Findings as findings:
        return findings.told(console)
    _write(console, report)
    return 0


def _measured(options: Namespace, model: Model, place: Place, path: Any) -> dict[str, Any]:
    """Return the report of a measurement; raises Findings where the model gives no tokens."""
    with told():
        begin = time.perf_counter()
        session = _session(options, model, place, path)
        seconds = _seconds(options, session, model)
        return _report(options, place, session, seconds, time.perf_counter() - begin)


def _check(options: Namespace, model: Model) -> None:
    """Refuse amounts that measure nothing, or that the model does not hold."""
    for name in ("prefill", "decode", "repeat"):
        if not getattr(options, name):
            raise unusable("cli/usage", f"`--{name} 0` leaves nothing to measure")
    holds, asked = int(model.architecture["context_length"]), options.prefill + options.decode
    if asked > holds:
        message = f"{options.prefill:,} and {options.decode:,} tokens are {asked:,}, and the model holds {holds:,}"
        raise unusable("cli/usage", message, help_text="ask for fewer with `--prefill` and `--decode`")


def _session(options: Namespace, model: Model, place: Place, path: Any) -> Session:
    from kernelpath.execute.session import Session, make_plans
    from kernelpath.models.progress import WatchedWeights

    capacity = max(options.prefill + options.decode, 2)
    plans = make_plans(path, model.architecture, place.limits, capacity, options.prefill)
    weights = WatchedWeights(model.weights, sys.stderr)
    return Session(plans, place.make(weights), weights)


def _seconds(options: Namespace, session: Session, model: Model) -> dict[str, list[float]]:
    """Return the seconds of each prefill and of each decode, without those of the first of each."""
    from random import Random

    random, progress = Random(0), Progress("measuring", options.repeat + 1, options.quiet)
    found: dict[str, list[float]] = {"prefill": [], "decode": []}
    for _ in range(options.repeat + 1):
        ids = [random.randrange(int(model.architecture["vocab_size"])) for _ in range(options.prefill)]
        for phase, seconds in zip(found, _once(session, ids, options.decode), strict=True):
            found[phase].append(seconds)
        progress.add()
    progress.close()
    return {phase: each[1:] for phase, each in found.items()}


def _once(session: Session, ids: Sequence[int], new: int) -> tuple[float, float]:
    """Return the seconds up to the first new token, and those of as many more as are asked for."""
    session.reset()
    begin = time.perf_counter()
    tokens = session.generate(ids, new + 1)
    next(tokens)
    first = time.perf_counter()
    for _ in tokens:
        pass
    return first - begin, time.perf_counter() - first


def _report(
    options: Namespace, place: Place, session: Session, seconds: dict[str, list[float]], whole: float
) -> dict[str, Any]:
    from statistics import median

    plans = {"prefill": session.plans.prefill, "decode": session.plans.decode}
    phases = {
        phase: {
            "tokens": getattr(options, phase),
            "tokensPerSecond": getattr(options, phase) / median(each),
            "bestTokensPerSecond": getattr(options, phase) / min(each),
            "launches": len(plans[phase].dispatches),
        }
        for phase, each in seconds.items()
    }
    about = {"backend": place.backend, "device": place.name, "repeats": options.repeat, "wholeSeconds": whole}
    return {**about, **phases} | ({"kernels": _kernels(session, place)} if options.steps else {})


def _kernels(session: Session, place: Place) -> list[dict[str, Any]]:
    """Return the milliseconds of each kernel in one call of each plan, by the device's clock, longest first."""
    backend: Any = session.backend
    if place.backend != "wgpu":
        raise unusable("cli/usage", "steps are timed by a GPU's clock", help_text="leave out `--steps`")
    rows: dict[tuple[str, str, str], list[float]] = {}
    for plan in (session.plans.prefill, session.plans.decode):
        for dispatch, seconds in backend.times(plan):
            rows.setdefault((plan.phase, dispatch.op, dispatch.variant.name), []).append(seconds * 1e3)
    found = [
        {"phase": phase, "op": op, "kernel": kernel, "launches": len(times), "milliseconds": sum(times)}
        for (phase, op, kernel), times in rows.items()
    ]
    return sorted(found, key=lambda row: (row["phase"] != "prefill", -float(str(row["milliseconds"]))))


def _write(console: Console, report: dict[str, Any]) -> None:
    from kernelpath.cli.values import json_text

    if not console.is_text:
        console.write(json_text(report))
        return
    text = f"{report['device']}, {report['backend']}; {report['repeats']} repeats\n\n"
    text += table([HEADINGS, *(_row(phase, report[phase]) for phase in ("prefill", "decode"))])
    if "kernels" in report:
        headings = ("PHASE", "OP", "KERNEL", "LAUNCHES", "MS")
        text += "\n" + table([headings, *(_kernel_row(row) for row in report["kernels"])])
    console.write(text)


def _row(phase: str, numbers: dict[str, Any]) -> tuple[str, ...]:
    rate = numbers["tokensPerSecond"]
    speeds = (f"{rate:,.1f} tokens/s", f"{numbers['bestTokensPerSecond']:,.1f} tokens/s", f"{1e3 / rate:,.3f} ms")
    return (phase, f"{numbers['tokens']:,}", *speeds, str(numbers["launches"]))


def _kernel_row(row: dict[str, Any]) -> tuple[str, ...]:
    return (row["phase"], row["op"], row["kernel"], str(row["launches"]), f"{row['milliseconds']:.3f}")

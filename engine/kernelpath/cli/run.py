"""`kernelpath run`: a model answers."""

from __future__ import annotations

import sys

from kernelpath.cli.console import Console
from kernelpath.cli.executing import OWN_CATALOG, Findings, add_model, add_place, graph_path, opened, placed, told
from kernelpath.cli.inputs import standard_input, unusable
from kernelpath.cli.options import add_shared, whole_number
from kernelpath.cli.tracing import Trace
from kernelpath.diagnostics.render.printable import printable
from kernelpath.files.reading import YAML_BYTES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import SimpleNamespace as Namespace
    from typing import Any

    from kernelpath.cli.arguments import Arguments
    from kernelpath.execute.place import Place
    from kernelpath.execute.run import Run
    from kernelpath.execute.session import Session
    from kernelpath.models.model import Model

TOP = 10  # logits of each new token that `--format json` prints
INTERRUPTED = 130


def declare(arguments: Arguments) -> None:
    """Say what the command takes."""
    add_model(arguments)
    text = arguments.group()
    text.add("--prompt", metavar="TEXT", help="the text to go on with; - for standard input")
    chat_help = "a message to answer, by the model's chat template; - or nothing for standard input"
    text.add("--chat", metavar="TEXT", nargs="?", const="-", help=chat_help)
    text.add("--ids", metavar="LIST", help="token ids as they are, with commas")
    add = arguments.group("generation").add
    add("--max-tokens", type=whole_number, default=128, metavar="N", help="at most so many new tokens (128)")
    add("--temperature", type=number, default=0.0, metavar="T", help="0 takes the likeliest token (0)")
    add("--top-k", type=whole_number, default=0, metavar="K", help="only the K likeliest tokens; 0 for all (0)")
    add("--top-p", type=number, default=1.0, metavar="P", help="only the likeliest tokens that make up P (1)")
    add("--seed", type=whole_number, default=0, metavar="N", help="where the random numbers begin (0)")
    add("--ignore-end", action="store_true", help="go on past tokens that end a text")
    add = arguments.group("where").add
    add_place(add)
    capacity_help = "positions that the cache has room for (prompt and new tokens)"
    add("--capacity", type=whole_number, default=0, metavar="N", help=capacity_help)
    add("--trace", metavar="FILE", help="write each step's output in numbers there, one JSON object a line")
    add_shared(arguments, formats=("text", "json"), catalog=OWN_CATALOG)


def number(text: str) -> float:
    """Return a finite number of at least zero; raises ValueError with what the user is told."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise ValueError(f"`{text[:40]}` is not a number from 0")
    return value


def run(options: Namespace) -> int:
    """Stream the text, then say how fast it came; or print everything as JSON."""
    console = Console(options)
    if options.prompt is None and options.chat is None and options.ids is None:
        raise unusable("cli/usage", "there is nothing to answer", help_text="give `--prompt`, `--chat` or `--ids`")
    model = opened(options.model)
    place = placed(options.backend, options.adapter)
    if console.is_text:
        console.warn(model.warnings)
        console.error("".join(f"{printable(note)}\n" for note in (place.note, _unfit(model)) if note))
    try:
        path = graph_path(options, model, place)
    except Findings as findings:
        return findings.told(console)
    with told(), Trace(options.trace) as observer:
        prompt = _prompt(options, model)
        session = _session(options, model, place, path, prompt)
        running = _running(options, model, session, prompt, observer, console.is_text)
        broken = _stream(console, running)
    if broken:
        return _broken(console, place, running, model, broken)
    return _finish(console, place, running, model)


def _unfit(model: Model) -> str | None:
    """Return what to tell people whose model does not make text: it runs all the same."""
    if model.architecture["pooling"] == "none":
        return None
    return f"{model.name} is an embedding model: what it goes on with means nothing"


def _stream(console: Console, running: Run) -> Findings | None:
    """Write text as it comes where people read it; return why it cannot go on, if it cannot.

    Ctrl-C ends it, and what came stands.
    """
    try:
        with told():
            for piece in running:
                if console.is_text and console.output is None:
                    console.write(piece)
    except Findings as findings:
        return findings
    except KeyboardInterrupt:
        pass  # between two tokens: the outcome says that it was interrupted
    return None


def _prompt(options: Namespace, model: Model) -> list[int]:
    from kernelpath.execute.run import prompt_ids

    if options.ids is not None:
        return prompt_ids(model, ids=_ids(options.ids))
    text = _text(options.prompt if options.chat is None else options.chat)
    if options.chat is not None:
        return prompt_ids(model, messages=[{"role": "user", "content": text}])
    found = prompt_ids(model, text)
    if not found:
        raise unusable("cli/usage", "the prompt is empty", help_text="a text has at least one token")
    return found


def _text(given: str) -> str:
    """Return a text as it was given, or standard input; raises InputErrors where that is no UTF-8."""
    content = standard_input(YAML_BYTES) if given == "-" else given.encode("utf-8", "surrogateescape")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        where = "standard input" if given == "-" else "the text"
        raise unusable("cli/input", f"byte {error.start} of {where} is not UTF-8") from None


def _ids(text: str) -> list[int]:
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdecimal() and len(part) < 20 for part in parts):
        help_text = "write them with commas: `--ids 1,2,3`"
        raise unusable("cli/usage", f"`{text[:60]}` is no list of token ids", help_text=help_text)
    return [int(part) for part in parts]


def _session(options: Namespace, model: Model, place: Place, path: Any, prompt: list[int]) -> Session:
    """Make the session with room for the prompt and the new tokens, not for all that the model could hold."""
    from kernelpath.execute.session import Session, make_plans
    from kernelpath.models.progress import WatchedWeights

    wanted = options.capacity or len(prompt) + max(options.max_tokens, 1)
    capacity = min(wanted, int(model.architecture["context_length"]))
    plans = make_plans(path, model.architecture, place.limits, max(capacity, 2))
    weights = WatchedWeights(model.weights, sys.stderr)
    return Session(plans, place.make(weights), weights)


def _running(options: Namespace, model: Model, session: Session, prompt: list[int], observer: Any, text: bool) -> Run:
    from kernelpath.execute.run import Options, Run
    from kernelpath.execute.sampling import Sampling

    sampling = Sampling(temperature=options.temperature, top_k=options.top_k, top_p=options.top_p, seed=options.seed)
    chosen = Options(options.max_tokens, sampling, options.ignore_end, 0 if text else TOP, observer)
    return Run(session, model.tokenizer, prompt, chosen)


def _broken(console: Console, place: Place, running: Run, model: Model, findings: Findings) -> int:
    """Finish a run that could not go on: what came stands, and what was found follows."""
    from kernelpath.cli.values import json_text

    if console.is_text:
        console.write("\n" if console.output is None else running.outcome.text + "\n")
        return findings.told(console)
    console.write(json_text({**_document(place, running, model), "diagnostics": findings.to_list()}))
    return 1


def _finish(console: Console, place: Place, running: Run, model: Model) -> int:
    from kernelpath.cli.values import json_text

    outcome, told = running.outcome, running.outcome.to_dict()
    if console.is_text:
        console.write("\n" if console.output is None else outcome.text + "\n")
        if not console.quiet:
            console.error(_rates(place, told))
    else:
        console.write(json_text(_document(place, running, model)))
    return INTERRUPTED if outcome.stopped == "interrupted" else 0


def _document(place: Place, running: Run, model: Model) -> dict[str, Any]:
    """Return what came of a run as plain JSON."""
    warnings = {"warnings": [found.to_dict() for found in model.warnings]} if model.warnings else {}
    return {"backend": place.backend, "device": place.name, **running.outcome.to_dict(), **warnings}


def _rates(place: Place, outcome: dict[str, Any]) -> str:
    timings = outcome["timings"]
    phases = (
        f"{phase} {timings[phase + 'Tokens']} tokens at {timings[phase + 'TokensPerSecond']:.1f} tokens/s"
        for phase in ("prefill", "decode")
    )
    return f"{place.name}: {', '.join(phases)}, stopped: {outcome['stopped']}\n"

"""`kernelpath run`: a model answers."""

from __future__ import annotations

import sys

from kernelpath.cli.console import Console
from kernelpath.cli.executing import OWN_CATALOG, first_manifest, kernel_path, named_manifest, opened, placed, told
from kernelpath.cli.inputs import unusable
from kernelpath.cli.options import add_shared, whole_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import SimpleNamespace as Namespace
    from typing import Any

    from kernelpath.cli.arguments import Arguments
    from kernelpath.execute.place import Place
    from kernelpath.execute.run import Run
    from kernelpath.execute.session import Session
    from kernelpath.models.model import Model

TOP = 10
INTERRUPTED = 130


def declare(arguments: Arguments) -> None:
    """Say what the command takes."""
    arguments.add("model", metavar="MODEL", help="a GGUF file, a safetensors file, or a folder with one")
    arguments.add(
        "--manifest", metavar="FILE", help="run this manifest's graph, not one made for the model"
    )
    text = arguments.group()
    text.add("--prompt", metavar="TEXT", help="the text to go on with")
    text.add(
        "--chat",
        metavar="TEXT",
        help="a message to answer, by the model's chat template; - for standard input",
    )
    text.add("--ids", metavar="LIST", help="token ids as they are, with commas")
    add = arguments.group("generation").add
    add("--max-tokens", type=whole_number, default=128, metavar="N", help="at most so many new tokens (128)")
    add("--temperature", type=number, default=0.0, metavar="T", help="0 takes the likeliest token (0)")
    add("--top-k", type=whole_number, default=0, metavar="K", help="only the K likeliest tokens; 0 for all (0)")
    add("--top-p", type=number, default=1.0, metavar="P", help="only the likeliest tokens that make up P (1)")
    add("--seed", type=whole_number, default=0, metavar="N", help="where the random numbers begin (0)")
    add("--ignore-end", action="store_true", help="go on past tokens that end a text")
    add = arguments.group("where").add
    add(
        "--backend",
        default="auto",
        choices=("auto", "wgpu", "numpy"),
        help="a GPU, numpy, or what there is (auto)",
    )
    add("--adapter", metavar="NAME", help="part of the name of the GPU to take")
    add("--keep", default="stored", choices=("stored", "f16", "f32"), help="how weights are kept (stored)")
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
    model = opened(options.model)
    place = placed(options.backend, options.adapter)
    if place.note and console.is_text:
        sys.stderr.write(place.note + "\n")
    path = _path(options, model, place)
    with told(), _trace(options.trace) as observer:
        prompt = _prompt(options, model)
        session = _session(model, place, path, len(prompt) + max(options.max_tokens, 1))
        running = _running(options, model, session, prompt, observer, console.is_text)
        for piece in running:
            if console.is_text:
                console.write(piece)
    return _finish(console, place, running)


def _path(options: Namespace, model: Model, place: Place) -> Any:
    if options.manifest:
        manifest = named_manifest(options.manifest)
    else:
        manifest = first_manifest(model, frozenset(place.limits.features), options.catalog, options.keep)
    return kernel_path(manifest, options.pack, options.catalog)


def _prompt(options: Namespace, model: Model) -> list[int]:
    from kernelpath.execute.run import prompt_ids

    if options.ids is not None:
        return prompt_ids(model, ids=_ids(options.ids))
    if options.chat is not None:
        text = sys.stdin.read() if options.chat == "-" else options.chat
        return prompt_ids(model, messages=[{"role": "user", "content": text}])
    return prompt_ids(model, options.prompt or "")


def _ids(text: str) -> list[int]:
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdecimal() for part in parts):
        raise unusable(
            "cli/usage", f"`{text[:60]}` is no list of token ids", help_text="write them with commas: `--ids 1,2,3`"
        )
    return [int(part) for part in parts]


def _session(model: Model, place: Place, path: Any, capacity: int) -> Session:
    """Make the session with room for the prompt and the new tokens, not for all that the model could hold."""
    from kernelpath.execute.session import Session, make_plans
    from kernelpath.models.progress import WatchedWeights

    most = int(model.architecture["context_length"])
    plans = make_plans(path, model.architecture, place.limits, min(capacity, most))
    weights = WatchedWeights(model.weights)
    return Session(plans, place.make(weights), weights)


def _running(options: Namespace, model: Model, session: Session, prompt: list[int], observer: Any, text: bool) -> Run:
    from kernelpath.execute.run import Options, Run
    from kernelpath.execute.sampling import Sampling

    sampling = Sampling(temperature=options.temperature, top_k=options.top_k, top_p=options.top_p, seed=options.seed)
    chosen = Options(options.max_tokens, sampling, options.ignore_end, 0 if text else TOP, observer)
    return Run(session, model.tokenizer, prompt, chosen)


class _Trace:
    """Writes what each step left, in numbers, a line a step; without a file it watches nothing."""

    def __init__(self, name: str | None) -> None:
        self.name = name
        self.file: Any = None

    def __enter__(self) -> Any:
        if self.name is None:
            return None
        try:
            self.file = open(self.name, "w", encoding="utf-8")
        except OSError as error:
            raise unusable("cli/output", f"`{self.name}` cannot be written", error) from None
        return self._line

    def _line(self, dispatch: Any, outputs: Any) -> None:
        import json

        from kernelpath.execute.run import statistics

        numbers = {name: statistics(values) for name, values in outputs.items()}
        line = {"step": dispatch.step, "op": dispatch.op, "kernel": dispatch.variant.name, "outputs": numbers}
        self.file.write(json.dumps(line) + "\n")

    def __exit__(self, *_: object) -> None:
        if self.file is not None:
            self.file.close()


_trace = _Trace


def _finish(console: Console, place: Place, running: Run) -> int:
    from kernelpath.cli.values import json_text

    outcome = running.outcome
    if console.is_text:
        console.write("\n")
        sys.stderr.write(
            f"{place.name}: prefill {len(outcome.prompt_ids)} tokens at {outcome.prefill_rate:.1f} tokens/s, "
            f"decode {len(outcome.ids)} tokens at {outcome.decode_rate:.1f} tokens/s, stopped: {outcome.stopped}\n"
        )
    else:
        console.write(json_text({"backend": place.backend, "device": place.name, **outcome.to_dict()}))
    return INTERRUPTED if outcome.stopped == "interrupted" else 0

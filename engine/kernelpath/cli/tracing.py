"""`kernelpath run --trace`: what each step left, in numbers, a JSON object a line."""

from __future__ import annotations

import json
from contextlib import ExitStack

from kernelpath.cli.saving import written
from kernelpath.files.writing import replaced

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Trace:
    """Gives, as a context, the observer that writes to a file; without a file it watches nothing.

    The file is there when the context ends; an exception leaves what was there before.
    """

    def __init__(self, name: str | None) -> None:
        self.name = name
        self._open = ExitStack()
        self._file: Any = None

    def __enter__(self) -> Any:
        if self.name is None:
            return None
        with written(self.name):
            self._file = self._open.enter_context(replaced(self.name))
        return self._line

    def _line(self, dispatch: Any, outputs: Any) -> None:
        from kernelpath.execute.run import statistics

        numbers = {name: statistics(values) for name, values in outputs.items()}
        line = {"step": dispatch.step, "op": dispatch.op, "kernel": dispatch.variant.name, "outputs": numbers}
        with written(str(self.name)):
            self._file.write(json.dumps(line).encode() + b"\n")

    def __exit__(self, kind: Any, error: Any, place: Any) -> None:
        with written(str(self.name)):
            self._open.__exit__(kind, error, place)

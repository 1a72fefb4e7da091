"""`kernelpath run --trace`: what each step left, in numbers, a JSON object a line."""

from __future__ import annotations

import json

from kernelpath.cli.inputs import unusable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Trace:
    """Gives, as a context, the observer that writes to a file; without a file it watches nothing."""

    def __init__(self, name: str | None) -> None:
        self.name = name
        self.file: Any = None

    def __enter__(self) -> Any:
        if self.name is None:
            return None
        try:
            self.file = open(self.name, "w", encoding="utf-8")
        except (OSError, ValueError) as error:
            raise unusable("cli/output", f"`{self.name}` cannot be written", error) from None
        return self._line

    def _line(self, dispatch: Any, outputs: Any) -> None:
        from kernelpath.execute.run import statistics

        numbers = {name: statistics(values) for name, values in outputs.items()}
        line = {"step": dispatch.step, "op": dispatch.op, "kernel": dispatch.variant.name, "outputs": numbers}
        try:
            self.file.write(json.dumps(line) + "\n")
        except OSError as error:
            raise unusable("cli/output", f"`{self.name}` cannot be written", error) from None

    def __exit__(self, *_: object) -> None:
        if self.file is not None:
            self.file.close()

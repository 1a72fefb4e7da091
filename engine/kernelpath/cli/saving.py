"""Write the files that a user names, whole or not at all; every way in which that can fail is one diagnostic."""

from __future__ import annotations

from contextlib import contextmanager

from kernelpath.cli.inputs import unusable
from kernelpath.files.writing import rewrite_file, write_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike


def save(name: str | PathLike[str], content: bytes) -> None:
    """Give a file its content; raises InputErrors where it cannot be written."""
    with written(name):
        write_file(name, content)


def rewrite(path: str | PathLike[str], before: str, after: str, shown: str | None = None) -> None:
    """Change a file's text; raises InputErrors where it cannot be written, or has another text by now.

    `shown` is the path as messages show it.
    """
    with written(shown or path):
        rewrite_file(path, before, after)


@contextmanager
def written(name: str | PathLike[str]) -> Iterator[None]:
    """Turn what the system says about a file that cannot be written into what the command tells."""
    try:
        yield
    except (OSError, ValueError) as error:
        raise unusable("cli/output", f"`{name}` cannot be written", error) from None


__all__ = ["rewrite", "save", "written"]

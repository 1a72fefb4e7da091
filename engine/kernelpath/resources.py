"""Find the project's data: rules, grammars and kernels, in a checkout or in an installed wheel."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
_INSTALLED = _PACKAGE / "_data"
_CHECKOUT = _PACKAGE.parent.parent


def data_root() -> Path:
    """Return the folder that holds `rules`, `grammars` and `kernels`.

    An installed wheel carries them inside the package; an editable install reads the checkout.
    """
    return _INSTALLED if _INSTALLED.is_dir() else _CHECKOUT


def resource(*parts: str) -> Path:
    """Return the path of one data file or folder, such as `resource("grammars", "expression.lark")`."""
    return data_root().joinpath(*parts)


def installed() -> Path | None:
    """Return the package's folder if it carries its data itself, and so belongs to an installer; None in a checkout."""
    return _PACKAGE if _INSTALLED.is_dir() else None

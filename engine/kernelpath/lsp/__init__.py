"""The language server for packs and manifests; `serve` speaks the language server protocol over standard streams."""

from __future__ import annotations

HELP = "the language server needs the extra `lsp`: pip install 'kernelpath[lsp]'"


def serve() -> int:
    """Serve one editor over standard input and output until it says goodbye; return the exit code.

    The code is 2 where the extra `lsp` is not installed, with a line on standard error that says so.
    """
    import sys

    try:
        from kernelpath.lsp.server import make_server
    except ModuleNotFoundError as error:
        if error.name not in ("pygls", "lsprotocol"):
            raise
        print(HELP, file=sys.stderr)
        return 2
    from importlib.metadata import version

    make_server(version("kernelpath")).start_io()
    return 0

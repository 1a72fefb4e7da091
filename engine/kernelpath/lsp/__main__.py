"""`python -m kernelpath.lsp` is `kernelpath lsp`."""

from kernelpath.lsp import serve

raise SystemExit(serve())

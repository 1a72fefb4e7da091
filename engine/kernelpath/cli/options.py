"""The options that commands share, and the values that they take."""

from __future__ import annotations

import argparse

DEFAULT_PACK = "execution-v0"
DEFAULT_CATALOG = "doppler-0.1.7"
FORMATS = ("text", "json", "sarif", "junit", "github")
WIDTH = 110
MANIFEST_HELP = "a manifest, or an inference section that stands alone; - for standard input"


class Formatter(argparse.RawDescriptionHelpFormatter):
    """Help of a fixed width: asking the terminal costs an import that every start would pay for."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=28, width=WIDTH)


def parser(command: str, summary: str) -> argparse.ArgumentParser:
    """Return the parser of one command."""
    return argparse.ArgumentParser(
        prog=f"kernelpath {command}", description=summary[0].upper() + summary[1:] + ".", formatter_class=Formatter
    )


def add_shared(parser: argparse.ArgumentParser, formats: tuple[str, ...] = FORMATS) -> None:
    """Add the options that every command has."""
    add = parser.add_argument_group("shared options").add_argument
    add("--pack", default=DEFAULT_PACK, metavar="PACK", help=f"a shipped pack, or a pack's folder ({DEFAULT_PACK})")
    catalog_help = f"a shipped catalogue, or its file ({DEFAULT_CATALOG})"
    add("--catalog", default=DEFAULT_CATALOG, metavar="CATALOG", help=catalog_help)
    add("--format", default="text", choices=formats, help="how to show what is found (text)")
    add("--output", metavar="FILE", help="write there, instead of to standard output")
    loudness = parser.add_mutually_exclusive_group()
    loudness.add_argument("-q", "--quiet", action="store_true", help="one line for each finding, and none for success")
    loudness.add_argument("-v", "--verbose", action="store_true", help="also say why each rule is there")


def add_request(parser: argparse.ArgumentParser) -> None:
    """Add the options that say under which circumstances a manifest is compiled."""
    parser.add_argument("--runtime", metavar="FILE", help="an overlay, or a runtime config with an `inference` section")
    parser.add_argument("--num-layers", type=whole_number, metavar="N", help="how many layers the model has")


def whole_number(text: str) -> int:
    """Return a whole number of at least zero; raises what the parser tells the user."""
    if not (text.isascii() and text.isdecimal() and len(text) < 1000):
        raise argparse.ArgumentTypeError(f"`{text[:40]}` is not a whole number")
    return int(text)

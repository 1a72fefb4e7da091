"""The options that commands share, and the values that they take."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernelpath.cli.arguments import Arguments

DEFAULT_PACK = "execution-v0"
#: In help texts, the pack of commands that find it by the document.
RECOGNISING = "the one that recognises the file"
OWN = "the pack's own"
DEFAULT_CATALOG = "doppler-0.1.7"
FORMATS = ("text", "json", "sarif", "junit", "github")
PACKS_HELP = "a shipped pack, or a pack's folder; the working folder, if left out"
DOCUMENT_HELP = "a document of a pack, such as a manifest; - for standard input"


def add_shared(
    arguments: Arguments,
    formats: tuple[str, ...] = FORMATS,
    catalog: str = DEFAULT_CATALOG,
    pack: str | None = DEFAULT_PACK,
) -> None:
    """Add the options that every command has; `pack` is the one that counts if none is named.

    `RECOGNISING` stands for the first pack that recognises what is judged; the option's value is then None.
    """
    add = arguments.group("shared options").add
    pack_help = "a shipped pack, or a pack's folder" + (f" ({pack})" if pack else "")
    recognising = pack == RECOGNISING
    pack = None if recognising else pack
    add("--pack", default=pack, metavar="PACK", help=pack_help)
    catalog_help = f"a shipped catalogue, or its file ({OWN if recognising else catalog})"
    add("--catalog", default=None if recognising else catalog, metavar="CATALOG", help=catalog_help)
    add("--format", default="text", choices=formats, help="how to show what is found (text)")
    add("--output", metavar="FILE", help="write there, instead of to standard output")
    add = arguments.group().add
    add("-q", "--quiet", action="store_true", help="one line for each finding, and none for success")
    add("-v", "--verbose", action="store_true", help="also say why each rule is there")


def add_request(arguments: Arguments) -> None:
    """Add the options that say under which circumstances a manifest is compiled."""
    from kernelpath.cli.settings import add_settings

    runtime_help = "what changes the document: an overlay, or a runtime config that holds one"
    arguments.add("--runtime", metavar="FILE", help=runtime_help)
    add_settings(arguments)
    add_layers(arguments)


def add_layers(arguments: Arguments) -> None:
    """Add the option that overrides a manifest's number of layers."""
    arguments.add("--num-layers", type=whole_number, metavar="N", help="how many layers the model has")


def whole_number(text: str) -> int:
    """Return a whole number of at least zero; raises ValueError with what the user is told."""
    if not (text.isascii() and text.isdecimal() and len(text) < 1000):
        raise ValueError(f"`{text[:40]}` is not a whole number")
    return int(text)

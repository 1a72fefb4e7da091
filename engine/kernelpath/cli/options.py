"""The options that commands share, and the values that they take."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernelpath.cli.arguments import Arguments

DEFAULT_PACK = "execution-v0"
DEFAULT_CATALOG = "doppler-0.1.7"
FORMATS = ("text", "json", "sarif", "junit", "github")
PACKS_HELP = "a shipped pack, or a pack's folder; the working folder, if left out"
MANIFEST_HELP = "a manifest, or an inference section that stands alone; - for standard input"


def add_shared(
    arguments: Arguments,
    formats: tuple[str, ...] = FORMATS,
    catalog: str = DEFAULT_CATALOG,
    pack: str | None = DEFAULT_PACK,
) -> None:
    """Add the options that every command has; `pack` is the one that counts if none is named."""
    add = arguments.group("shared options").add
    pack_help = "a shipped pack, or a pack's folder" + (f" ({pack})" if pack else "")
    add("--pack", default=pack, metavar="PACK", help=pack_help)
    catalog_help = f"a shipped catalogue, or its file ({catalog})"
    add("--catalog", default=catalog, metavar="CATALOG", help=catalog_help)
    add("--format", default="text", choices=formats, help="how to show what is found (text)")
    add("--output", metavar="FILE", help="write there, instead of to standard output")
    add = arguments.group().add
    add("-q", "--quiet", action="store_true", help="one line for each finding, and none for success")
    add("-v", "--verbose", action="store_true", help="also say why each rule is there")


def add_request(arguments: Arguments) -> None:
    """Add the options that say under which circumstances a manifest is compiled."""
    from kernelpath.cli.settings import add_settings

    arguments.add("--runtime", metavar="FILE", help="an overlay, or a runtime config with an `inference` section")
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

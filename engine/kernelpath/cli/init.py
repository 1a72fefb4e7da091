"""`kernelpath init`: a first manifest for a model."""

from __future__ import annotations

from kernelpath.cli.console import Console
from kernelpath.cli.executing import KEPT, OWN_CATALOG, first_manifest, opened, placed
from kernelpath.cli.inputs import unusable
from kernelpath.cli.options import add_shared

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import SimpleNamespace as Namespace

    from kernelpath.cli.arguments import Arguments

BROAD = "shader-f16,subgroups"
KNOWN = ("shader-f16", "subgroup", "subgroups")  # features that the choice of kernels asks about


def declare(arguments: Arguments) -> None:
    """Say what the command takes."""
    arguments.add("model", metavar="MODEL", help="a GGUF file, a safetensors file, or a folder with one")
    arguments.add("--keep", default="stored", choices=KEPT, help="how weights are kept (stored)")
    features_help = f"features that kernels may need, with commas; `device` asks the one here ({BROAD})"
    arguments.add("--features", default=BROAD, metavar="LIST", help=features_help)
    add_shared(arguments, formats=("text", "json"), catalog=OWN_CATALOG)


def run(options: Namespace) -> int:
    """Print the manifest as JSON."""
    from kernelpath.cli.values import json_text

    model = opened(options.model)
    console = Console(options)
    manifest = first_manifest(model, _features(options.features), options.catalog, options.keep)
    console.warn(model.warnings)
    console.write(json_text(manifest))
    return 0


def _features(text: str) -> frozenset[str]:
    if text == "device":
        return frozenset(placed("wgpu").limits.features)
    names = frozenset(name.strip() for name in text.split(",") if name.strip())
    strange = sorted(names.difference(KNOWN))
    if strange:
        help_text = f"features are {', '.join(KNOWN)}, or `device`"
        raise unusable("cli/usage", f"`{strange[0][:60]}` is no feature that kernels ask for", help_text=help_text)
    return names

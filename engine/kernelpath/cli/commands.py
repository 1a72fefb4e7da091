"""Which commands there are. A command is a module with `declare(arguments)` and `run(options) -> int`.

A new command is a line here and a module of its own; nothing is imported until the command is asked for.
"""

from __future__ import annotations

#: name: module, what it does in a line
COMMANDS: dict[str, tuple[str, str]] = {
    "check": ("check", "say whether manifests may run, and what is wrong with them"),
    "compile": ("compile", "print what a manifest compiles to, as JSON"),
    "apply": ("apply", "apply a manifest to a runtime config, and print the result"),
    "explain": ("explain", "say why a step has the dtypes it has, or what a rule is for"),
    "fix": ("fix", "find the fewest edits that make a manifest pass"),
    "matrix": ("matrix", "say what passes on which device under which profile, and what stops it"),
    "pack show": ("pack_show", "list a pack's stages and rules, or show one of them"),
    "pack doc": ("pack_doc", "write a pack's documentation as Markdown"),
    "pack lint": ("pack_lint", "say what reads badly in a pack, is for nothing, or has no test"),
    "pack fmt": ("pack_fmt", "write a pack's files in their canonical form"),
    "pack new": ("pack_new", "begin a rule, with a test that fails until it is written"),
    "pack test": ("pack_test", "run the tests beside rules; measure coverage, and which mutants they notice"),
    "pack analyze": ("pack_analyze", "find dead, shadowed and contradictory rules, and gaps in tables"),
    "pack diff": ("pack_diff", "say what changes from one pack to another"),
    "replay": ("replay", "put recorded requests to a pack, or compare the answers of two runs"),
    "kernels list": ("kernels_list", "list the kernels of a catalogue"),
    "kernels verify": ("kernels_verify", "hold kernels to the lock file, or to their meaning on this device"),
    "kernels pin": ("kernels_pin", "write down the content of this project's kernels"),
    "kernels repin": ("kernels_repin", "point a manifest's references to kernels at a catalogue"),
    "devices list": ("devices_list", "list the devices that go by a name"),
    "devices show": ("devices_show", "show a device: its features and limits, and where they come from"),
    "devices probe": ("devices_probe", "write the device document of this machine's GPU"),
    "init": ("init", "make a first manifest for a model"),
    "run": ("run", "let a model answer"),
    "bench": ("bench", "measure how fast a model is here"),
    "lsp": ("lsp", "serve editors: diagnostics, completion, hover and more as one types"),
    "demo": ("demo", "check, explain and compile two manifests that come with kernelpath"),
}


def split(words: list[str]) -> tuple[str | None, list[str]]:
    """Return the command that the words begin with, and the words after it; None where they begin with none."""
    for length in (1, 2):
        name = " ".join(words[:length])
        if name in COMMANDS:
            return name, words[length:]
    return None, words


def groups() -> set[str]:
    """Return the first words of the commands that have two."""
    return {name.split(" ")[0] for name in COMMANDS if " " in name}

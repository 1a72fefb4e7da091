"""Models: weights and tokenizers out of GGUF and safetensors files, and a first manifest for them.

Importing this package reads no file and imports neither numpy nor a model library; `open_model` does.
"""

from kernelpath.models.errors import ModelErrors

__all__ = ["ModelErrors"]

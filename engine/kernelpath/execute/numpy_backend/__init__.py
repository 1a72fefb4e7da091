"""The numpy backend: every dispatch evaluated as its family's `meaning`, with the storage dtypes emulated."""

from kernelpath.execute.numpy_backend.backend import NumpyBackend

__all__ = ["NumpyBackend"]

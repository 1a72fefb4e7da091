"""Read and write files: what is read is bounded and only ever a file, and what is written is whole or not there."""

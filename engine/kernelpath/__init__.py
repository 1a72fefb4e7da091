"""kernelpath: a declarative rules engine for the execution graphs of ML models."""

"""The command line for GPU work on RunPod."""

__version__ = "0.1.0"

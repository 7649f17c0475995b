"""The command line: `chronodag fit`, `show`, `simulate` and `demo`. Nothing imports it."""

from chronodag.cli.app import app, main

__all__ = ["app", "main"]

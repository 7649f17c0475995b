"""The command line: `chronodag fit`, `methods`, `show`, `simulate`, `demo`. Nothing imports it."""

from chronodag.cli.app import app, main

__all__ = ["app", "main"]

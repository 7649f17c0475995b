"""How fast chronodag is on this machine: `python -m benchmarks.speed --help`."""

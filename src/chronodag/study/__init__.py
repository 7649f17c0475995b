"""Studies: data × methods × seeds from a small file, run anywhere, resumed at any time.

    from chronodag import study

    wanted = study.read_study("mine.yaml")
    study.run(wanted, "results")
    print(study.report(wanted, "results"))

`chronodag bench` is the same on the command line.
"""

from chronodag.study.builtin import builtin_studies, find_study
from chronodag.study.cells import cells
from chronodag.study.reading import parse_study, read_study
from chronodag.study.report import report
from chronodag.study.running import Options, Plan, only, plan, run
from chronodag.study.sources import Drawn
from chronodag.study.spec import Best, Cell, DataSpec, Facts, Limits, MethodSpec, ReportSpec, Study
from chronodag.study.store import load
from chronodag.study.summary import Summary, summarise

__all__ = [
    "Best",
    "Cell",
    "DataSpec",
    "Drawn",
    "Facts",
    "Limits",
    "MethodSpec",
    "Options",
    "Plan",
    "ReportSpec",
    "Study",
    "Summary",
    "builtin_studies",
    "cells",
    "find_study",
    "load",
    "only",
    "parse_study",
    "plan",
    "read_study",
    "report",
    "run",
    "summarise",
]

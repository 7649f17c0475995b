"""The rules of the house that a program can check: layers, quick imports, what no file may name."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "chronodag"

LAYERS = (
    ("errors",),
    ("graph", "data", "backends"),
    ("knowledge", "model", "solve", "simulate", "datasets", "metrics", "interop"),
    ("evidence",),
    ("learn",),
    ("rivals",),
    ("view",),
    ("demo", "study"),
    ("cli",),
)
"""From the bottom to the top: a part imports from lower layers only, never beside itself."""

LAYER = {part: height for height, parts in enumerate(LAYERS) for part in parts}
MODULES = sorted(PACKAGE.rglob("*.py"))
FRONT_DOOR = PACKAGE / "__init__.py"
HEAVY = {"jax", "sklearn", "matplotlib", "scipy", "pandas", "pyarrow", "networkx", "typer"}

# Each is put together here, so that this file does not name what it forbids.
REGISTRIES = ("pypi" + ".org", "pythonhosted" + ".org", "npmjs" + ".org", "npmjs" + ".com")
REGISTRIES += ("anaconda" + ".org", "conda" + ".io", "crates" + ".io", "jsdelivr" + ".net")
MACHINE_PATH = re.compile(r"(?<![\w.~/:-])/(?:" + "|".join(("work", "root", "tmp", "home")) + r")/")


def part_of(path):
    """The package or module right below chronodag that a file belongs to."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported_parts(tree, inside):
    """The parts of chronodag that a syntax tree imports, at any depth, with line numbers."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level:
            yield node.lineno, f"a relative import in {inside}"
            continue
        elif isinstance(node, ast.ImportFrom):
            from_the_top = node.module == "chronodag"
            names = [
                f"chronodag.{alias.name}" if from_the_top else node.module for alias in node.names
            ]
        else:
            continue
        for name in names:
            top, _, rest = name.partition(".")
            if top == "chronodag" and rest and not rest.startswith("__"):
                yield node.lineno, rest.partition(".")[0]


def breaches(path, tree):
    """What a file imports although its layer may not."""
    part = part_of(path)
    for line, other in imported_parts(tree, part):
        if other == part:
            continue
        if other not in LAYER:
            yield f"line {line}: {other} has no layer (import it from the part it is defined in)"
        elif LAYER[other] >= LAYER[part]:
            yield f"line {line}: {part} (layer {LAYER[part]}) imports {other} ({LAYER[other]})"


def test_every_part_has_a_layer():
    parts = {part_of(path) for path in MODULES if path != FRONT_DOOR}
    assert parts <= set(LAYER), "a new part needs a place in LAYERS"


@pytest.mark.parametrize(
    "path",
    [path for path in MODULES if path != FRONT_DOOR],
    ids=lambda path: str(path.relative_to(PACKAGE)),
)
def test_imports_go_down(path):
    assert not list(breaches(path, ast.parse(path.read_text(encoding="utf-8"))))


@pytest.mark.parametrize(
    ("part", "source", "allowed"),
    [
        ("solve", "from chronodag.errors import DataError", True),
        ("solve", "from chronodag.solve.problem import Task", True),
        ("learn", "from chronodag import __version__\nimport chronodag", True),
        ("graph", "from chronodag.data import Panel", False),
        ("solve", "def f():\n    from chronodag.learn import load", False),
        ("model", "if TYPE_CHECKING:\n    from chronodag.graph.temporal import Edge", True),
        ("graph", "if TYPE_CHECKING:\n    from chronodag.learn import load", False),
        ("learn", "from chronodag import view", False),
        ("cli", "import chronodag.view", True),
        ("data", "import chronodag.cli.app", False),
        ("learn", "from chronodag import NTSNotears", False),
        ("learn", "from .settings import resolve", False),
    ],
)
def test_the_check_of_layers_sees_what_it_should(part, source, allowed):
    found = list(breaches(PACKAGE / part / "module.py", ast.parse(source)))
    assert (not found) == allowed


def test_import_is_quick():
    code = "import sys, chronodag; dir(chronodag); print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert not {name.partition(".")[0] for name in loaded} & HEAVY


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_modules_have_docstrings(path):
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    assert docstring, "say in a line what the module is for"
    assert docstring.splitlines()[0].endswith((".", ":", "?")), "the first line is a sentence"


@pytest.fixture(scope="module")
def texts():
    """The text of every file that is, or may soon be, under version control."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not a git checkout, so nobody knows which files belong to the project")
    found = {}
    for name in filter(None, listed.stdout.split("\0")):
        path = ROOT / name
        if path.is_file() and b"\0" not in (content := path.read_bytes()):
            found[name] = content.decode("utf-8")
    return found


def places(texts, wrong):
    """Where a line is wrong, as file:line."""
    return [
        f"{name}:{number}"
        for name, text in texts.items()
        for number, line in enumerate(text.splitlines(), start=1)
        if wrong(line)
    ]


def test_no_file_names_a_registry(texts):
    assert not places(texts, lambda line: any(host in line.lower() for host in REGISTRIES))


def test_no_file_names_a_place_on_one_machine(texts):
    assert not places(texts, MACHINE_PATH.search)


def test_the_check_of_paths_sees_what_it_should():
    assert MACHINE_PATH.search("open('" + "/" + "tmp/x')")
    assert MACHINE_PATH.search("/" + "root/x")
    assert not MACHINE_PATH.search("https://example.net" + "/" + "work/x")
    assert not MACHINE_PATH.search("net" + "work/tmp/x")

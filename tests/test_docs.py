"""The documents are true: their code runs, what they print is printed, what they name exists."""

import importlib
import inspect
import re
import runpy
import shlex
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import NamedTuple

import pytest
import typer

from chronodag.cli import app

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "chronodag"
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))

WRITTEN_LATER = set()
"""Pages that others fill with measurements; they may be missing until then."""

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
CODE = re.compile(r"`([^`\n]+)`")
FILE = re.compile(r"[\w.-]+(?:/[\w.-]+)*/[\w-]+\.(?:py|md|toml|txt|cff)")


class Block(NamedTuple):
    """A fenced block of a page."""

    language: str
    code: str
    line: int  # of its first line


def page_id(path):
    return str(path.relative_to(ROOT))


def every(paths):
    return pytest.mark.parametrize("path", paths, ids=page_id)


def blocks(path):
    text = path.read_text(encoding="utf-8")
    return [
        Block(found[1], found[2], text.count("\n", 0, found.start()) + 2)
        for found in FENCE.finditer(text)
    ]


def prose(path):
    """A page without its fenced blocks."""
    return FENCE.sub("", path.read_text(encoding="utf-8"))


def pages_with(language):
    return [path for path in PAGES if any(block.language == language for block in blocks(path))]


def printed(function):
    out = StringIO()
    with redirect_stdout(out):
        function()
    return out.getvalue()


def without_decimals(text):
    """Decimals depend on the machine and the versions; words, whole numbers and order do not."""
    return re.sub(r"\d+\.\d+", "#.#", text).strip()


# Code ----------------------------------------------------------------------------------------


@every(pages_with("python"))
def test_python_blocks_run_and_print_what_the_page_says(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    namespace, output = {"__name__": "page"}, None
    for block in blocks(path):
        if block.language == "python":
            # empty lines before the code, so that a traceback names the line of the page
            code = compile("\n" * (block.line - 1) + block.code, page_id(path), "exec")
            output = printed(lambda code=code: exec(code, namespace))
        elif block.language == "text" and output is not None:
            assert without_decimals(output) == without_decimals(block.code), (
                f"{page_id(path)}:{block.line} shows something else than what was printed"
            )
            output = None
        else:
            output = None


@every(EXAMPLES)
def test_examples_run(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert printed(lambda: runpy.run_path(str(path), run_name="__main__")).strip()


def commands(path):
    """The command lines of a page's bash blocks, split into words."""
    for block in blocks(path):
        if block.language == "bash":
            for line in block.code.replace("\\\n", " ").splitlines():
                if words := shlex.split(line, comments=True):
                    yield words


@every(pages_with("bash"))
def test_commands_exist_with_their_options(path):
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    for program, *words in commands(path):
        assert program in ("chronodag", "make", "pip"), f"{program}: a new kind of command"
        if program == "make":
            assert set(words) <= set(targets)
        elif program == "chronodag":
            parse(words)


def parse(words):
    """Read a command line as the program does, without carrying it out; refuse what it refuses."""
    command = typer.main.get_command(app)
    while hasattr(command, "commands"):
        assert words, f"chronodag {command.name}: a command is missing"
        name, *words = words
        assert name in command.commands, f"there is no command {name!r}"
        command = command.commands[name]
    return command.make_context(command.name, words)


@pytest.mark.parametrize(
    "line", ["fit", "fit data.csv --lag 2", "fit a.csv --max-iter two", "draw x"]
)
def test_the_check_of_commands_sees_mistakes(line):
    with pytest.raises(Exception, match=r"(?i)missing|no such option|valid integer|no command"):
        parse(shlex.split(line))


def test_the_readme_tells_the_exit_codes():
    from chronodag.cli.exits import ExitCode

    rows = re.findall(r"^\| (\d+) \|", (ROOT / "README.md").read_text(), re.MULTILINE)
    assert [int(code) for code in rows] == [code.value for code in ExitCode]


def test_the_readme_tells_the_files_of_a_fit():
    from chronodag.cli.results import FILES

    assert set(FILES) <= set(CODE.findall((ROOT / "README.md").read_text()))


def test_the_readme_tells_the_defaults():
    from chronodag.learn import settings

    text = " ".join((ROOT / "README.md").read_text().split())
    assert f"`l1` = {settings.DEFAULT_L1_TIMES_LENGTH:g}/T" in text
    assert f"`l2` = {settings.DEFAULT_L2:g}" in text
    assert f"`threshold` = {settings.DEFAULT_THRESHOLD:g}" in text


# Links and files -----------------------------------------------------------------------------


def anchors(path):
    """The anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", prose(path), re.MULTILINE)
    plain = [re.sub(r"[^\w\s-]", "", heading.lower()) for heading in headings]
    return {heading.strip().replace(" ", "-") for heading in plain}


@every(PAGES)
def test_links_lead_somewhere(path):
    for link in LINK.findall(prose(path)):
        if link.startswith(("https://", "http://", "mailto:")):
            continue
        file, _, anchor = link.partition("#")
        target = (path.parent / file).resolve() if file else path
        if target.is_relative_to(ROOT) and page_id(target) in WRITTEN_LATER:
            continue
        assert target.exists(), f"{link} leads nowhere"
        assert not anchor or anchor in anchors(target), f"{link}: no such heading"


@every(PAGES)
def test_files_that_pages_name_exist(path):
    named = {word for word in CODE.findall(prose(path)) if FILE.fullmatch(word)}
    missing = [
        name
        for name in sorted(named - WRITTEN_LATER)
        if not any((folder / name).exists() for folder in (ROOT, PACKAGE, path.parent))
    ]
    assert not missing


# Notation ------------------------------------------------------------------------------------


def table_rows(path, column):
    """The cells of one column of all tables whose heading names it."""
    index = None
    for line in prose(path).splitlines():
        if not line.startswith("|"):
            index = None
            continue
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip("|"))]
        if index is None:
            index = cells.index(column) if column in cells else -1
        elif index >= 0 and not set(cells[index]) <= set("-: "):
            yield cells[index]


NOTATION = ROOT / "docs" / "notation.md"
NAMES = sorted(
    {
        name
        for column in ("name in the code", "function")
        for cell in table_rows(NOTATION, column)
        for name in CODE.findall(cell)
        if re.fullmatch(r"[a-z_]+(\.\w+)+", name)
    }
)


def test_the_notation_names_much_of_the_code():
    assert len(NAMES) > 40


@pytest.mark.parametrize("name", NAMES)
def test_names_in_the_notation_exist(name, learned):
    parts = name.split(".")
    found, rest = longest_module(parts)
    for attribute in rest:
        assert has(found, attribute, learned), f"{found.__name__} has no {attribute}"
        found = getattr(found, attribute, None)


def longest_module(parts):
    """The innermost module that a dotted name begins with, and what remains of the name."""
    for count in range(len(parts), 0, -1):
        try:
            module = importlib.import_module(".".join(["chronodag", *parts[:count]]))
        except ModuleNotFoundError:
            continue
        return module, parts[count:]
    raise AssertionError(f"no module begins {'.'.join(parts)}")


def has(thing, attribute, learned):
    """Whether a module has it, or a class, or (fields and learned attributes) its objects."""
    if hasattr(thing, attribute):
        return True
    if not inspect.isclass(thing):
        return False
    fields = getattr(thing, "__annotations__", {})
    parameters = inspect.signature(thing).parameters
    return (
        attribute in fields
        or attribute in parameters
        or (isinstance(learned, thing) and hasattr(learned, attribute))
    )


def test_every_file_in_the_notation_exists():
    files = {CODE.findall(cell)[0] for cell in table_rows(NOTATION, "file") if "`" in cell}
    assert files
    assert all((PACKAGE / file).is_file() for file in files)

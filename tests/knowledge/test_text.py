import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronodag.errors import KnowledgeError
from chronodag.knowledge.text import EdgeText, parse_edge, write_edge, write_lags

plain_names = st.text(
    st.characters(exclude_characters="@,[]", exclude_categories=["Cs"]), min_size=1
).filter(lambda name: name == name.strip() and "->" not in name and not name.endswith("-"))
several_names = st.lists(plain_names, min_size=1, max_size=3, unique=True).map(tuple)
some_lags = st.none() | st.sets(st.integers(0, 30), min_size=1).map(lambda s: tuple(sorted(s)))


@pytest.mark.parametrize(
    ("text", "sources", "lags", "targets"),
    [
        ("goal@0,1 -> *", ("goal",), (0, 1), ("*",)),
        ("a->b", ("a",), None, ("b",)),
        ("  my goal @ 3 , 1 - 2,2  ->  the net ", ("my goal",), (1, 2, 3), ("the net",)),
        ("x@1-3 -> y", ("x",), (1, 2, 3), ("y",)),
        ("[a, b]@1 -> [c,d]", ("a", "b"), (1,), ("c", "d")),
        ("temp [C] -> [x]", ("temp [C]",), None, ("[x]",)),
    ],
)
def test_reads_the_text_form(text, sources, lags, targets):
    assert parse_edge(text) == EdgeText(sources, lags, targets)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("goal", r"cannot read 'goal': it has no '->'; the form is \"source@lags -> target\""),
        ("a -> b -> c", r"'a -> b -> c': it has more than one '->'.*argument form"),
        ("a -> b@1", r"'a -> b@1': the target never carries a lag.*on the source"),
        ("a@b@1 -> c", r"more than one '@'; a name that contains.*argument form"),
        ("a@-1 -> c", r"'-1' is not a lag.*count back from now"),
        ("a@ -> c", r"'' is not a lag"),
        ("a@1,,2 -> c", r"'' is not a lag"),
        ("a@1.5 -> c", r"'1.5' is not a lag"),
        ("me@home -> c", r"'home' is not a lag.*argument form"),
        ("a@99999999 -> c", r"'99999999' is not a lag"),
        ("a@3-1 -> c", r"range '3-1' runs backwards; write 1-3"),
        (" -> c", r"cannot read ' -> c': a name is empty"),
        ("a@1 -> ", r"a name is empty; the form is"),
        ("[a,] -> c", r"a name is empty"),
    ],
)
def test_says_what_does_not_parse_and_what_would(text, message):
    with pytest.raises(KnowledgeError, match=message):
        parse_edge(text)


def test_runs_of_lags_are_written_as_ranges():
    assert write_lags([0, 2, 3, 4, 6, 7]) == "0,2-4,6,7"


@given(several_names, some_lags, several_names)
def test_written_text_reads_back(sources, lags, targets):
    edge = EdgeText(sources, lags, targets)
    assert parse_edge(write_edge(edge)) == edge

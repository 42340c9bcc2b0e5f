"""What the first use says of the place of a checkout, and of how long it takes."""

import pytest

from softshell_tools import first_use
from softshell_tools.workspace import Workspace


@pytest.mark.parametrize('name', ['a;b', 'tab\there', 'cost$', 'say "hi"'])
def test_a_path_that_the_build_cannot_take_is_refused_at_once(tmp_path, name):
    """The error names the path and what is wrong with it, before anything is installed."""
    root = tmp_path / name
    root.mkdir()
    with pytest.raises(SystemExit, match='the path of this checkout') as caught:
        first_use.set_up(Workspace(root))
    assert str(root) in str(caught.value)
    assert list(root.iterdir()) == []


def test_a_set_up_says_how_long_it_usually_takes():
    """In seconds, or in minutes that are rather too many."""
    assert [first_use.in_words(t) for t in (15, 60, 61, 600)] == [
        '15 s', '1 minute', '2 minutes', '10 minutes',
    ]  # fmt: skip

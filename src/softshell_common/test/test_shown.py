"""Texts of strangers, for people."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from softshell_common.shown import LONGEST, shown


@pytest.mark.parametrize(
    ('text', 'seen'),
    [('walk', 'walk'), ('', ''), ('größe', 'größe'), ('a\n\x1b[2Jb', 'a\\n\\x1b[2Jb')],
)
def test_what_a_terminal_obeys_is_escaped(text, seen):
    """Everything else is as it was."""
    assert shown(text) == seen


@given(st.text(max_size=500))
def test_whatever_comes_is_one_short_printable_line(text):
    """No text breaks a line or a terminal."""
    seen = shown(text)
    assert seen.isprintable()
    assert len(seen) <= 10 * LONGEST + 3

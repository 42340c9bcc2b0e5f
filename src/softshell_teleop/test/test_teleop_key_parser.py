"""Bytes of a terminal become keys."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from softshell_teleop.key_parser import NAMED_KEYS, UNKNOWN, KeyParser

settings.register_profile('shared machine', deadline=None)
settings.load_profile('shared machine')

CASES = [
    (b'wW', ['w', 'w']),
    (b'\x1b[A\x1b[B\x1b[C\x1b[D', ['up', 'down', 'right', 'left']),
    (b'\x1bOA\x1bOB\x1bOC\x1bOD', ['up', 'down', 'right', 'left']),
    (b'\x1b[1;2A\x1b[1;5D', ['up', 'left']),
    (b' \t\r\n\x7f', ['space', 'tab', 'enter', 'enter', 'backspace']),
    (b'\x03\x04\x1a', ['ctrl-c', 'ctrl-d', 'ctrl-z']),
    (b'\x1b[3~\x1b[15~\x1b[24~\x1bOP', ['delete', 'f5', 'f12', 'f1']),
    (b'\x1b[99X\x1b[[A', [UNKNOWN, UNKNOWN]),
    (b'\x1bw', ['escape', 'w']),
    (b'\x1b\x1b[A', ['escape', 'up']),
    ('äÄ€😀'.encode(), ['ä', 'ä', '€', '😀']),
    (b'\xff\xc3w', [UNKNOWN, UNKNOWN, 'w']),
    (b'a\x1b[200~wasd x\x1b[A\x1b[201~b', ['a', 'b']),
    (b'\x1b[1\x1b[A', [UNKNOWN, 'up']),
    (b'\x1bO\x7f\x1bO\x03w', [UNKNOWN, 'backspace', UNKNOWN, 'ctrl-c', 'w']),
    (b'\x1bO\x1bOA\x1bO\x1b[Aw', [UNKNOWN, 'up', UNKNOWN, 'up', 'w']),
    (b'\x1b[[\x7f\x1b[[\x03w', [UNKNOWN, 'backspace', UNKNOWN, 'ctrl-c', 'w']),
    (
        b'\x1b[[\x1b[[A\x1b[[\x1b[A\x1bO w',
        [UNKNOWN, UNKNOWN, UNKNOWN, 'up', UNKNOWN, 'space', 'w'],
    ),
    (b'\x1b]11;rgb:ffff/wasd\x1b\\w', [UNKNOWN, 'w']),
    (b'\x1b]4;1;rgb:00/00/00\x07\x1bP>|term(1.0)\x1b\\', [UNKNOWN, UNKNOWN]),
    (b'\x1bP1$r0m\x1b[A', [UNKNOWN, 'up']),
    (b'\x1b]1w\x03', [UNKNOWN, 'ctrl-c']),
    (b'\x1bPw\x1b]w', ['escape', 'p', 'w', 'escape', ']', 'w']),
]


@pytest.mark.parametrize(('data', 'keys'), CASES)
def test_bytes_of_a_terminal_are_the_keys_that_were_pressed(data, keys):
    """Letters of both cases, arrows in both modes, named and unknown keys, dropped pastes."""
    assert KeyParser().feed(data) == keys


@given(case=st.sampled_from(CASES), cuts=st.lists(st.integers(0, 30), max_size=6))
def test_pieces_read_like_the_whole(case, cuts):
    """Sequences cut anywhere give the same keys: a late `[A` is never the letter A."""
    data, keys = case
    parser, edges = KeyParser(), [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    pieces = [data[a:b] for a, b in itertools.pairwise(edges)]
    assert [key for piece in pieces for key in parser.feed(piece)] == keys


@given(data=st.binary(max_size=200))
def test_any_bytes_are_single_characters_or_known_names(data):
    """Whatever arrives, keys are single characters or known names and nothing piles up."""
    parser = KeyParser()
    for key in parser.feed(data):
        assert len(key) == 1 or key in NAMED_KEYS or key == UNKNOWN or key.startswith('ctrl-')
        assert key == key.lower() or len(key.lower()) > 1  # the dotted capital I
    assert len(parser._pending) <= 256


@pytest.mark.parametrize(
    'begun', [b'\x1bO', b'\x1b[', b'\x1b[[', b'\x1b[1;', b'\x1b]1', b'\x1bP1']
)
@given(key=st.sampled_from([b'\x7f', b'\x03', b'\x1b[A', b'\x1bOA']))
def test_what_begins_a_sequence_swallows_no_key_that_follows(begun, key):
    """Whatever a slow line has left unfinished: the emergency stop, Ctrl-C and arrows are read."""
    assert KeyParser().feed(begun + key) == [UNKNOWN, *KeyParser().feed(key)]


def test_unfinished_is_forgotten_on_clear():
    """After a suspension an old escape byte does not swallow the next key."""
    parser = KeyParser()
    assert parser.feed(b'\x1b[') == []
    parser.clear()
    assert parser.feed(b'w') == ['w']

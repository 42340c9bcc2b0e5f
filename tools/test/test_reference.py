"""The pages of docs/reference are what the code makes them."""

import re

import pytest

from softshell_tools import cli
from softshell_tools.reference import files, schema_words
from softshell_tools.reference.docstrings import entries
from softshell_tools.reference_command import FOLDER, pages

MADE = pages(cli.app)


@pytest.mark.parametrize('name', sorted(MADE))
def test_a_page_is_as_the_code_has_it(name):
    """Whoever changes an argument, a parameter or an entry runs ./softshell reference."""
    shown = (FOLDER / name).read_text(encoding='utf-8')
    assert shown == MADE[name], 'run ./softshell reference'


def test_every_entry_of_every_file_has_a_meaning():
    """And every link leads to a section."""
    for kind in files.KINDS:
        for model in files.models_in(files.model_of(kind)):
            empty = [name for name, text in files.meanings(model).items() if not text]
            assert not empty, (model, empty)
        assert (FOLDER.parent / kind.explained).is_file()
    page = MADE['files.md']
    titles = re.findall(r'^##+ (.*)$', page, re.MULTILINE)
    anchors = [files.anchor(title) for title in titles]
    assert len({*anchors}) == len(anchors)
    assert {*re.findall(r'\]\(#(.*?)\)', page)} <= {*anchors}


def test_entries_of_docstrings_go_over_lines_and_come_from_bases():
    """Several names may share a meaning; what comes after the list is none."""

    class Base:
        """Summary.

        Args:
            first, second: one
                and more.
        """

    class Derived(Base):
        """Other.

        Attributes:
            third: two.

        Raises:
            ValueError: never.
        """

    one = 'one and more.'
    assert entries(Derived) == {'first': one, 'second': one, 'third': 'two.'}


@pytest.mark.parametrize(
    ('schema', 'words'),
    [
        ({'type': 'number', 'exclusiveMinimum': 0, 'maximum': 2.5}, 'number > 0, ≤ 2.5'),
        ({'type': ['number', 'string']}, 'number or text'),
        ({'anyOf': [{'$ref': '#/$defs/One'}, {'type': 'null'}]}, 'a link to One'),
        ({'type': 'array', 'prefixItems': [{'type': 'number'}] * 3}, '3 of: number'),
        ({'type': 'array', 'items': {'type': 'string'}}, 'list of text'),
        ({'enum': ['ax', 'x']}, '`ax` or `x`'),
        ({'type': 'object', 'additionalProperties': {'type': 'integer'}},
         'mapping to whole number'),
        ({}, 'any value'),
    ],
)  # fmt: skip
def test_what_may_stand_there_is_told_in_words(schema, words):
    """Ranges, choices, lists, mappings and links."""
    assert schema_words.words(schema, lambda name: f'a link to {name}') == words

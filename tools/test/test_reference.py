"""The pages of docs/reference are what the code makes them."""

import enum
import inspect
import math
import re
from dataclasses import dataclass, field

import numpy as np
import pytest

from softshell_kinematics.arrays import Array
from softshell_tools import cli
from softshell_tools.installation import ROOT
from softshell_tools.reference import api, files, schema_words, signatures
from softshell_tools.reference.docstrings import entries
from softshell_tools.reference_command import FOLDER, pages

MADE = pages(cli.app)


@pytest.mark.parametrize('name', sorted(MADE))
def test_a_page_is_as_the_code_has_it(name):
    """Whoever changes an argument, a parameter or an entry runs ./softshell reference."""
    shown = (FOLDER / name).read_text(encoding='utf-8')
    assert shown == MADE[name], 'run ./softshell reference'


def test_every_entry_of_every_file_has_a_meaning():
    """And an explanation on a page of its own."""
    for kind in files.KINDS:
        for model in files.models_in(files.model_of(kind)):
            empty = [name for name, text in files.meanings(model).items() if not text]
            assert not empty, (model, empty)
        assert (FOLDER.parent / kind.explained).is_file()


@pytest.mark.parametrize('name', sorted(MADE))
def test_every_link_leads_to_a_section(name):
    """Of the same page, or of another that is there; each section has an anchor of its own."""
    anchors = {}
    for page, text in MADE.items():
        titles = re.findall(r'^##+ (.*)$', text, re.MULTILINE)
        anchors[page] = [files.anchor(title) for title in titles]
        assert page == 'interfaces.md' or len({*anchors[page]}) == len(anchors[page])
    for place in re.findall(r'\]\((.*?)\)', MADE[name]):
        page, _, section = place.partition('#')
        assert (FOLDER / page).exists(), place
        assert not section or section in anchors[page or name], place


def called() -> list[api.Entry]:
    """All classes, functions and methods that programs call."""
    listed = api.api()
    found = [*listed.values()]
    for entry in listed.values():
        found += api.methods(entry, listed) if inspect.isclass(entry.thing) else []
    return [entry for entry in found if entry.signature]


@pytest.mark.parametrize('entry', called(), ids=lambda entry: entry.name)
def test_every_argument_of_the_python_api_is_explained(entry):
    """In the list of its docstring, by name in its text, or there as those of another."""
    text = inspect.getdoc(entry.thing)
    assert text
    listed = {name for names in entry.arguments for name in names.split(', ')}
    listed |= {*entry.docstring.entries('Attributes')}
    for name in {*inspect.signature(entry.thing).parameters} - listed - {'self', 'cls'}:
        assert 'arguments as in' in text or re.search(rf'\b{name}\b', text), name


def test_what_pages_and_examples_import_is_in_the_reference():
    """Of every module of which it lists anything; constants explain themselves."""
    listed = {(entry.module, entry.name) for entry in api.api().values()}
    modules = {module for module, _ in listed}
    paths = [ROOT / 'README.md', *ROOT.glob('docs/*.md'), *ROOT.glob('examples/**/*.py'),
             *ROOT.glob('src/*/README.md')]  # fmt: skip
    shown = set()
    for path in paths:
        text = path.read_text(encoding='utf-8')
        for module, names in re.findall(r'^from (softshell[\w.]*) import ([\w, ]+)', text, re.M):
            shown |= {(module, name.strip()) for name in names.split(',') if module in modules}
    assert ('softshell_client', 'Shell') in shown
    assert {(module, name) for module, name in shown if not name.isupper()} <= listed


class Kind(enum.Enum):
    """One of one."""

    #: The only
    #: member.
    ONE = 1


class Thing:
    def __init__(self, first: 'Thing', /, kind: Kind = Kind.ONE, *, size: float = -math.inf):
        pass

    def turn(self, by: tuple[int, ...] = (1, 2), name: str = 'a, (b', **more: Array) -> Kind:
        pass

    def turn_on(self, angle: float, /, speed: float, *, until: float = math.inf) -> None:
        pass


@dataclass(frozen=True)
class Data:
    number: int = signatures.WIDTH
    array: Array = field(default_factory=lambda: np.eye(4))
    parts: list[int] = field(default_factory=list)


def test_a_signature_is_as_a_reader_needs_it():
    """Types by the names of the source, defaults by their values, all marks, but no `self`."""
    assert signatures.class_signature(Thing) == (
        'Thing(first: Thing, /, kind: Kind = Kind.ONE, *, size: float = -math.inf)'
    )
    assert signatures.signature('turn', Thing.turn) == (
        "turn(by: tuple[int, ...] = (1, 2), name: str = 'a, (b', **more: Array) -> Kind"
    )
    assert signatures.signature('turn_on_from_a_long_name', Thing.turn_on) == (
        'turn_on_from_a_long_name(\n    angle: float,\n    /,\n    speed: float,\n    *,\n'
        '    until: float = math.inf,\n) -> None'
    )
    assert signatures.class_signature(Data) == (
        'Data(number: int = 88, array: Array = np.eye(4), parts: list[int] = list())'
    )
    assert [*signatures.members(Kind)] == [('ONE', 'The only member.')]


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

"""The pages of docs/reference are what the code makes them."""

import enum
import inspect
import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pytest

from softshell_kinematics.arrays import Array
from softshell_studies.study.paths import paths_of
from softshell_studies.study.scenario import SCENARIOS, scenario_of
from softshell_tools import cli
from softshell_tools.installation import ROOT
from softshell_tools.reference import api, files, markdown, schema_words, signatures
from softshell_tools.reference.docstrings import entries
from softshell_tools.reference_command import FOLDER, pages

#: What is written from a running stack; `tests/system/test_reference.py` holds it against one.
FROM_A_STACK = 'topics.md'
NAMES = sorted({path.name for path in FOLDER.glob('[!.]*.md')} - {FROM_A_STACK})


@pytest.fixture(scope='module')
def made():
    """The pages that need no running stack, by name; to make them takes seconds."""
    return pages(cli.app)


def test_all_pages_are_there(made):
    """And no page of something that is gone."""
    assert sorted(made) == NAMES, 'run ./softshell reference; remove pages of what is gone'


@pytest.mark.parametrize('name', NAMES)
def test_a_page_is_as_the_code_has_it(made, name):
    """Whoever changes an argument, a parameter or an entry runs ./softshell reference."""
    shown = (FOLDER / name).read_text(encoding='utf-8')
    assert shown == made[name], 'run ./softshell reference'


def test_every_entry_of_every_file_has_a_meaning():
    """And an explanation on a page of its own."""
    for kind in files.KINDS:
        for model in files.models_in(files.model_of(kind)):
            empty = [name for name, text in files.meanings(model).items() if not text]
            assert not empty, (model, empty)
        assert (FOLDER.parent / kind.explained).is_file()


@pytest.mark.parametrize('name', NAMES)
def test_every_link_leads_to_a_section(made, name):
    """Of the same page, or of another that is there; each section has an anchor of its own."""
    anchors = {}
    for page, text in made.items():
        titles = re.findall(r'^##+ (.*)$', text, re.MULTILINE)
        anchors[page] = markdown.anchors(titles)
        assert page == 'interfaces.md' or len({*titles}) == len(titles)
    for place in re.findall(r'\]\((.*?)\)', made[name]):
        page, _, section = place.partition('#')
        assert (FOLDER / page).exists(), place
        assert not section or section in anchors[page or name], place


@pytest.mark.parametrize('name', ['scenarios.md', 'tasks.md'])
def test_all_that_a_study_or_a_task_has_is_told_with_its_meaning(made, name):
    """No cell of a meaning is empty."""
    rows = re.findall(r'^\| (.*) \|$', made[name], re.MULTILINE)
    assert len(rows) > 100
    assert not [row for row in rows if not row.rpartition('| ')[2].strip()]


def test_each_scenario_has_all_its_parameters_and_metrics(made):
    """By the paths that a study names."""
    for name in SCENARIOS:
        (section,) = re.findall(rf'^## {name}$(.*?)(?=^## |\Z)', made['scenarios.md'], re.M | re.S)
        scenario = scenario_of(name)
        wanted = [*paths_of(scenario.form), *scenario.metrics]
        assert re.findall(r'^\| `([\w.]+)` \|', section, re.MULTILINE) == wanted


def test_the_numbers_of_an_observation_are_counted_in_their_order(made):
    """Reach observes its target, the error and the tip first; ReachObstacle the obstacle last."""
    page = made['tasks.md']
    assert re.findall(r'^\| `(target|error|tip)` \| (\S+) \|', page, re.MULTILINE)[:3] == [
        ('target', '0:2'), ('error', '2:4'), ('tip', '4:6'),
    ]  # fmt: skip
    assert '| observation (22,) |' in page
    assert '| `obstacle` | 20:22 | m |' in page


def called() -> list[api.Entry]:
    """All classes, functions and methods that programs call."""
    listed = api.api()
    found = [*listed]
    for entry in listed:
        found += api.methods(entry, listed) if inspect.isclass(entry.thing) else []
    return [entry for entry in found if entry.signature]


@pytest.mark.parametrize('entry', called(), ids=lambda entry: entry.name)
def test_every_argument_of_the_python_api_is_explained(entry):
    """In the list of its docstring, by name in its text, or there as those of another."""
    text = inspect.getdoc(entry.thing)
    assert text
    listed = {name for names in entry.arguments for name in names.split(', ')}
    listed |= {*entries(entry.thing)} if inspect.isclass(entry.thing) else set()
    for name in {*inspect.signature(entry.thing).parameters} - listed - {'self', 'cls'}:
        assert 'arguments as in' in text or re.search(rf'\b{name}\b', text), name


#: What a reader sees imported, and does not look up there.
NOT_LISTED = (
    'softshell_interfaces.',  # messages have a page of their own, which is not one on Python
    'softshell_sim.my_engine',  # the reader's own file, in docs/add-an-engine.md
)


def imports_of(text: str) -> set[tuple[str, str]]:
    """What a page or a program imports from softshell: modules and names, without constants."""
    return {
        (module, name)
        for module, listed in re.findall(
            r'^ *from (softshell_[\w.]+) import (\([^)]*\)|.*)$', text, re.MULTILINE
        )
        for part in re.sub(r'#.*', '', listed).strip('()\n ').split(',')
        if (name := part.split(' as ')[0].strip()) and not name.isupper()
    }


def test_what_pages_and_examples_import_is_in_the_reference():
    """Under the module from which they import it; constants explain themselves."""
    paths = [ROOT / 'README.md', *ROOT.glob('docs/*.md'), *ROOT.glob('examples/**/*.py'),
             *ROOT.glob('src/*/README.md')]  # fmt: skip
    shown = set().union(*(imports_of(path.read_text(encoding='utf-8')) for path in paths))
    wanted = {(place, name) for place, name in shown if not place.startswith(NOT_LISTED)}
    assert ('softshell_client', 'Shell') in wanted
    assert wanted <= {(entry.module, entry.name) for entry in api.api()}


def test_imports_are_read_in_all_their_forms():
    """On one line, on several in parentheses, indented, under another name, with a comment."""
    text = (
        'from softshell_a import One, LIMIT  # both\n'
        '    from softshell_a.b import (\n    two,\n    three,  # and more\n)\n'
        'from softshell_a import Four as Five\n'
        'from other import six\n'
    )
    assert imports_of(text) == {
        ('softshell_a', 'One'), ('softshell_a.b', 'two'), ('softshell_a.b', 'three'),
        ('softshell_a', 'Four'),
    }  # fmt: skip


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

    def watch(self, look: Callable[[int, str], None] = lambda number, name: None, to: int = 0):
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
    assert signatures.signature('watch_over_a_long_time', Thing.watch) == (
        'watch_over_a_long_time(\n'
        '    look: Callable[[int, str], None] = lambda number, name: None,\n    to: int = 0,\n)'
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

"""The page on licences says of every package that is required what the package says of itself."""

import re
import sys
from collections.abc import Iterator
from importlib.metadata import Distribution
from pathlib import Path
from xml.etree import ElementTree

import pytest

from softshell_tools.requirement_sets import SETS
from softshell_tools.workspace import Workspace

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / 'docs' / 'licences.md').read_text(encoding='utf-8')
#: What the text of a licence says and that of no other, by name of the licence.
TEXTS = {
    'Apache-2.0': r'Apache License\s+Version 2\.0',
    'BSD': r'Redistribution and use in source and binary forms',
    'MIT': r'Permission is hereby granted, free of charge',
    'MIT-CMU': r'By obtaining, using,? and/or copying this software',
    'MPL-2.0': r'Mozilla Public License',
    'Matplotlib': r'License agreement for matplotlib',
    'Zlib': r"This software is provided 'as-is'",
}
#: How licences are called in short, by a part of their names here.
SHORT = {'Apache': 'apache', 'BSD': 'bsd', 'MIT': r'\bmit\b', 'Zlib': 'zlib',
         'PSF': 'python software foundation'}  # fmt: skip
#: Not in a file of requirements that is a table's; they come with the wheels of ROS.
WITH_ROS = {'cmake', 'colcon-common-extensions', 'ninja', 'xacro'}


def told() -> dict[str, str]:
    """The licence of each package, as the page has it."""
    return {
        name: licence
        for names, licence in re.findall(r'^\| (`.*?) \| (.*?) \|', PAGE, re.MULTILINE)
        for name in re.findall(r'`([^`]+)`', names)
    }


def required() -> set[str]:
    """Names in the files of all sets of requirements."""
    files = [ROOT / 'requirements' / f'{name}.txt' for name in SETS]
    return {
        name
        for path in files
        for name in re.findall(r'^([\w-]+)', path.read_text(encoding='utf-8'), re.MULTILINE)
    }


def licence_of(text: str) -> str | None:
    """Which licence a text is; of several in one file the first."""
    places = {
        name: found.start()
        for name, pattern in TEXTS.items()
        if (found := re.search(pattern, text, re.IGNORECASE))
    }
    if not places:
        return None
    first = min(places, key=places.__getitem__)
    if first != 'BSD':
        return first
    clauses = text[places[first] : places[first] + 2000]
    return 'BSD-3-Clause' if re.search(r'endorse\s+or\s+promote', clauses) else 'BSD-2-Clause'


def short_names(text: str) -> Iterator[str]:
    """The licences that a line names."""
    return (name for name, pattern in SHORT.items() if re.search(pattern, text, re.IGNORECASE))


def stated(found: Distribution) -> set[str]:
    """What an installed package says of its licence: each has to be on the page."""
    metadata = found.metadata
    field = metadata.get('License') or ''
    own = re.compile(
        r'^[^/]*dist-info/(licenses/)?(LICEN[CS]E|COPYING)(?!\S*third)[^/]*$', re.IGNORECASE
    )
    texts = [path.read_text() for path in found.files or () if own.search(str(path))]
    says = {metadata.get('License-Expression'), *map(licence_of, (*texts, field))} - {None}
    lines = [field] if '\n' not in field else []
    lines += [line for line in metadata.get_all('Classifier') or () if line.startswith('License')]
    return says | {name for line in lines for name in short_names(line)}


def installed(name: str) -> Distribution | None:
    """A package of this environment, or of that of the benchmarks."""
    apart = Workspace(ROOT).venv_of('bench').glob('lib/python*/site-packages')
    found = Distribution.discover(name=name, path=[*sys.path, *map(str, apart)])
    return next(iter(found), None)


def test_all_that_is_required_is_told_and_nothing_else():
    """The tables name the packages of requirements/; ROS's wheels are one row."""
    assert {*told()} == required() | WITH_ROS


@pytest.mark.parametrize('name', sorted(required() | WITH_ROS))
def test_a_package_has_the_licence_that_is_told(name):
    """Whatever it says of it, by expression, text, field or classifier, is in its row."""
    found = installed(name)
    if found is None:
        pytest.skip(f'{name} is not installed')
    says = stated(found)
    assert says, 'it does not say'
    assert {licence for licence in says if licence not in told()[name]} == set()
    if expression := found.metadata.get('License-Expression'):
        contradicted = f'; its metadata say {expression}' in told()[name]
        assert contradicted or told()[name].startswith(expression)


def test_the_licences_of_ros_are_told():
    """Each that a package.xml of its wheels states is in the row; most state the first."""
    (row,) = re.findall(r'^\| ROS 2 Jazzy .*? \| (.*?) \|', PAGE, re.MULTILINE)
    share = Path(sys.prefix) / 'share'
    stated = [
        str(element.text)
        for path in share.glob('*/package.xml')
        for element in ElementTree.parse(path).iter('license')
    ]
    if not stated:
        pytest.skip('ROS is not installed from wheels')
    for text in stated:
        names = {*short_names(text)}
        assert names, text
        assert names <= {*short_names(row)}
    assert 2 * sum('apache' in text.lower() for text in stated) > len(stated)
    assert row.startswith('Apache-2.0')


def test_what_others_have_designed_is_named():
    """Every package of interfaces/, with the licence of the one that it stands in for."""
    for path in (ROOT / 'interfaces').glob('*/package.xml'):
        assert re.search(rf'`{path.parent.name}` \([\w.-]+\)', PAGE), path.parent.name


def test_nothing_that_runs_a_robot_imports_a_peer():
    """The packages that benchmarks compare with are imported in tests/benchmarks alone."""
    peers = r'eaik|elastica|ikpy|klampt|optik|pytracik|roboticstoolbox'
    importing = re.compile(rf'^ *(?:import|from) (?:{peers})\b', re.MULTILINE)
    found = {
        path.relative_to(ROOT).parts[:2]
        for top in ('src', 'tools', 'examples', 'tests')
        for path in (ROOT / top).rglob('*.py')
        if importing.search(path.read_text(encoding='utf-8'))
    }
    assert found == {('tests', 'benchmarks')}

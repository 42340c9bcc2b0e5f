"""The pages that explain how things work: their programs run, and what they state is in the code.

Each has a program, the numbers that matter, and the tests that hold what it claims.
"""

import re
from functools import cache, partial
from importlib import import_module
from itertools import product

import numpy as np
import pytest
from page_blocks import ROOT, blocks, rows

from softshell_common.bridge_mode import BridgeMode
from softshell_common.goal_state import GoalState
from softshell_common.reason import Reason, ReasonCode
from softshell_control.bridge import BridgeCore
from softshell_control.channel import limits_of
from softshell_control.mock import MockBackend
from softshell_control.slew import braking_rate
from softshell_control.trajectories.follower import FollowerSettings
from softshell_control.trajectories.trajectory import Identity, Trajectory
from softshell_description.load import load_robot
from softshell_kinematics import IkStatus
from softshell_kinematics.errors import SoftshellError

#: The package that each page explains.
PACKAGES = {
    'kinematics.md': 'softshell_kinematics',
    'motions.md': 'softshell_actions',
    'gate.md': 'softshell_control',
}
each_page = pytest.mark.parametrize(('page', 'package'), PACKAGES.items())
NAMED = r'`(\w+)`'


def text_of(page: str) -> str:
    return (ROOT / 'docs' / page).read_text(encoding='utf-8')


def module_of(package: str, path: str) -> str:
    """The module of a file, whose path is in the page's package or begins with another one."""
    module = path.removesuffix('.py').replace('/', '.')
    return module if module.startswith('softshell_') else f'{package}.{module}'


@each_page
def test_the_program_of_the_page_prints_what_it_says(page, package, capsys):
    """Its last line is the one in the text below it."""
    (program,) = blocks(page, 'python')
    exec(program, {})
    (said,) = re.findall(r'the last line is: `(.*?)`', text_of(page))
    assert capsys.readouterr().out.splitlines()[-1] == said


@each_page
def test_the_numbers_of_the_page_are_those_of_the_code(page, package):
    """Each constant by the name and the file that the table gives."""
    table = rows(page, 'file', 'constants')
    count = 0
    for files, constants in table:
        paths, forms = re.findall(r'`([\w/]+\.py)`', files), re.findall('fields of `(.*?)`', files)
        groups = constants.split('; ') if len(paths) > 1 else [constants]
        for path, group in zip(paths, groups, strict=True):
            home = import_module(module_of(package, path))
            listed = re.findall(rf'{NAMED} ([-\d.e, ]+)', group)
            assert [name for name, _ in listed] == re.findall(NAMED, group)
            for name, values in listed:
                found = getattr(getattr(home, forms[0]) if forms else home, name)
                shown = [float(value) for value in values.strip(', ').split(', ')]
                assert np.ravel(found).tolist() == shown, (path, name)
                count += 1
    assert count >= 15


@cache
def functions() -> frozenset[str]:
    """Names of all test functions."""
    paths = [*ROOT.glob('src/*/test/test_*.py'), *ROOT.glob('tests/*/test_*.py')]
    texts = [path.read_text(encoding='utf-8') for path in paths]
    return frozenset(name for text in texts for name in re.findall(r'def (test_\w+)\(', text))


@each_page
def test_every_test_that_the_page_names_exists(page, package):
    """A function anywhere, or a file of the package or of walks in simulation."""
    named = {
        name
        for header in (('part', 'test', 'against'), ('claim', 'test'))
        for row in rows(page, *header)
        for name in re.findall(NAMED, row[1])
    }
    assert len(named) >= 10
    for name in named - functions():
        stems = (name, f'{package.removeprefix("softshell_")}_{name}')
        folders = (ROOT / 'src' / package / 'test', ROOT / 'tests' / 'motion')
        paths = [folder / f'test_{stem}.py' for folder, stem in product(folders, stems)]
        assert any(path.exists() for path in paths), name


@each_page
def test_every_file_and_section_that_the_page_names_exists(page, package):
    """Files with a folder are those of the package; sections are titles of the page linked to."""
    text = text_of(page)
    for path in re.findall(r'`(\w+/[\w/]*\.py)`', text):
        module = module_of(package, path)
        assert (ROOT / 'src' / module.split('.')[0] / f'{module.replace(".", "/")}.py').exists()
    for other, anchor in re.findall(r'\]\(([\w/-]+\.md)#([\w-]+)\)', text):
        titles = re.findall(r'^#+ (.*)$', text_of(other), re.MULTILINE)
        anchors = [re.sub(r'[^\w -]', '', title).lower().replace(' ', '-') for title in titles]
        assert anchor in anchors, (other, anchor)


def test_every_status_is_explained():
    """One row of the table for each, in order."""
    names = [row[0].strip('`') for row in rows('kinematics.md', 'status', 'means')]
    assert names == [status.name for status in IkStatus]


def test_codes_modes_and_states_of_the_gate_are_those_of_the_code():
    """All words in capitals before the table of numbers."""
    text, _ = text_of('gate.md').split('## The numbers')
    words = {*re.findall(r'`([A-Z_]+)`', text)}
    assert len(words) >= 25
    assert words <= {
        member.name for kind in (ReasonCode, BridgeMode, GoalState) for member in kind
    }


def bridge_in(mode: BridgeMode) -> BridgeCore:
    """A bridge of the arm that was brought into a mode."""
    arm = load_robot('arm')
    core = BridgeCore(MockBackend(arm), limits_of(arm), 0.004, FollowerSettings())
    if mode is BridgeMode.FAULT:
        core.fail(Reason())
    elif mode is BridgeMode.EMERGENCY_STOP:
        core.emergency_stop()
    elif mode is not BridgeMode.INACTIVE:
        core.activate()
    if mode is BridgeMode.EXECUTING:
        goal = core.command.value[None] + 0.1
        everything = np.arange(goal.size)
        core.offer(Trajectory(Identity('test', bytes(16)), 0, everything, np.ones(1), goal))
        core.tick()
    assert core.mode is mode
    return core


def test_the_ways_between_modes_are_those_of_the_bridge():
    """Each request and event, from each mode: as the table of the page says, or it stays there."""
    table = rows('gate.md', 'request or event', 'from', 'to')
    ways = {
        event.strip('`'): dict.fromkeys(re.findall(NAMED, begin), end.strip('`'))
        for event, begin, end in table
    }
    requests = ['activate', 'deactivate', 'clear_fault', 'emergency_stop', 'reset']
    assert sorted(ways) == sorted([*requests, 'a fault'])
    for event, mode in product(ways, set(BridgeMode) - {BridgeMode.STARTING}):
        core = bridge_in(mode)
        calls = {name: getattr(core, name) for name in requests}
        calls['a fault'] = partial(core.fail, Reason())
        try:
            calls[event]()
        except SoftshellError:
            assert mode.name not in ways[event]
        assert core.mode.name == ways[event].get(mode.name, mode.name), (event, mode)


def test_the_braking_law_of_the_page_is_that_of_the_code():
    """At the rate that it gives, the longest of the ways D_n is the distance."""
    random = np.random.default_rng(0)
    for distance in 10.0 ** random.uniform(-6.0, 1.0, 300):
        acceleration = 10.0 ** random.uniform(0.0, 3.0)
        shortest = random.uniform(0.001, 0.02)
        period = shortest * random.uniform(1.0, 4.0)
        rate = braking_rate(distance, acceleration, period, shortest)
        n = np.arange(3 + rate / (acceleration * shortest))
        ways = rate * (period + n * shortest) - 0.5 * acceleration * shortest**2 * n * (n + 1)
        assert ways.max() == pytest.approx(distance, rel=1e-9)

"""The node table says what runs, with which arguments."""

import ast
from pathlib import Path

import pytest

from softshell_bringup.nodes import (
    ARGUMENTS,
    NODES,
    From,
    node_starts,
    parse_arguments,
    ros_arguments,
)
from softshell_kinematics.errors import ProblemsError

SOURCES = Path(__file__).resolve().parents[2]


def entry_points(package: str) -> set[str]:
    """Names of the executables that a package's setup.py declares."""
    tree = ast.parse((SOURCES / package / 'setup.py').read_text())
    declared = [
        ast.literal_eval(keyword.value)['console_scripts']
        for call in ast.walk(tree)
        if isinstance(call, ast.Call)
        for keyword in call.keywords
        if keyword.arg == 'entry_points'
    ]
    return {line.split('=')[0].strip() for lines in declared for line in lines}


OURS = [row for row in NODES if row.package.startswith('softshell_')]


@pytest.mark.parametrize('row', OURS, ids=lambda row: row.executable)
def test_each_executable_of_the_table_is_declared_by_its_package(row):
    """Each row names an executable that its package's setup.py installs."""
    assert row.executable in entry_points(row.package)


def test_only_what_is_not_ours_is_optional():
    """The stack ends with any node of ours; a program of ROS's may be closed, or be absent."""
    assert [row.name for row in NODES if row.optional] == ['rviz']
    assert [row.name for row in NODES if row not in OURS] == ['rviz']


def test_parameters_refer_to_arguments_that_exist():
    """Each row's parameters and condition refer to arguments of the table."""
    names = {argument.name for argument in ARGUMENTS}
    for row in NODES:
        references = {value.argument for _, value in row.parameters if isinstance(value, From)}
        references |= {row.when[0]} if row.when else set()
        assert references <= names


@pytest.mark.parametrize('bridge', ['sim', 'mock'])
def test_there_is_one_bridge_and_what_tells_time_follows_its_clock(bridge):
    """Every bridge makes a stack of three nodes; the one that schedules uses the bridge's time."""
    nodes = node_starts(parse_arguments({'bridge': bridge}))
    assert [node.name for node in nodes] == ['bridge', 'kinematics', 'action_manager']
    on_stack_time = [dict(node.parameters).get('use_sim_time', False) for node in nodes]
    assert on_stack_time == [False, False, True]


def test_every_problem_of_the_arguments_is_listed_at_once():
    """Unknown names and bad values come in one error that lists what is valid."""
    given = {
        'bridg': 'sim', 'bridge': 'robot', 'gui': 'yes', 'real_time_factor': '-1',
        'params_file': '/no/such/file', 'log_level': 'loud', 'rviz': 'perhaps', 'robot': 'shall',
    }  # fmt: skip
    with pytest.raises(ProblemsError) as caught:
        parse_arguments(given)
    assert len(caught.value.problems) == len(given)
    text = str(caught.value)
    for valid in (
        'known: robot, bridge, gui', 'sim or mock', 'none or window or web', 'true or false',
        'a number from 0', "unknown robot 'shall'; known: arm, quadruped, shell",
    ):  # fmt: skip
        assert valid in text


@pytest.mark.parametrize('number', ['nan', 'inf', '-0.1', 'fast', ''])
def test_a_number_is_finite_and_within_its_bounds(number):
    """What is no finite number from the minimum on is refused."""
    with pytest.raises(ProblemsError, match='real_time_factor'):
        parse_arguments({'real_time_factor': number})


def test_a_window_is_refused_where_there_is_no_simulation():
    """gui:=window goes with bridge:=sim only."""
    with pytest.raises(
        ProblemsError, match=r'gui is window; expected bridge:=sim with it, not mock'
    ):
        parse_arguments({'bridge': 'mock', 'gui': 'window'})
    (bridge, *_) = node_starts(parse_arguments({'gui': 'window'}))
    assert dict(bridge.parameters)['gui'] is True


def test_rviz_is_started_with_a_layout_where_it_is_installed(monkeypatch):
    """rviz:=true adds one node with the shipped layout; without RViz it is refused by name."""
    monkeypatch.setattr('softshell_bringup.nodes.is_installed', lambda package: False)
    with pytest.raises(ProblemsError, match='expected rviz2 to be installed'):
        parse_arguments({'rviz': 'true'})
    monkeypatch.setattr('softshell_bringup.nodes.is_installed', lambda package: True)
    *_, rviz = node_starts(parse_arguments({'rviz': 'true'}))
    layout = Path(ros_arguments(rviz)[1])
    assert (ros_arguments(rviz)[0], layout.name) == ('-d', 'softshell.rviz')
    assert 'Fixed Frame: odom' in layout.read_text(encoding='utf-8')


def test_the_web_page_says_that_it_comes_later():
    """gui:=web is a known word, and refused with the words that are valid today."""
    with pytest.raises(ProblemsError, match='comes with a later version; expected none or window'):
        parse_arguments({'gui': 'web'})


@pytest.mark.parametrize(('robot', 'chain'), [
    ('shell', 'lower_3 base_link foot_3'), ('arm', 'arm base_link tip'),
])  # fmt: skip
def test_the_robot_reaches_every_node_that_needs_it(robot, chain):
    """Bridge and manager get its name; kinematics, which knows no robots, gets its chains."""
    bridge, kinematics, manager = node_starts(parse_arguments({'robot': robot}))
    assert dict(bridge.parameters)['robot'] == dict(manager.parameters)['robot'] == robot
    assert 'robot' not in dict(kinematics.parameters)
    assert chain in dict(kinematics.parameters)['chains'].split(', ')


@pytest.mark.parametrize('argument', ARGUMENTS, ids=lambda argument: argument.name)
def test_a_default_is_a_valid_value(argument):
    """Typing the default gives the default."""
    assert argument.parse(argument.default_text) == argument.default
    assert argument.description


def test_arguments_reach_the_command_line_of_the_nodes(tmp_path):
    """Namespace, parameters file, log level and real-time factor arrive as ROS arguments."""
    params = tmp_path / 'some params.yaml'
    params.write_text('')
    given = {
        'namespace': '/shell/', 'params_file': str(params), 'log_level': 'debug',
        'real_time_factor': '0',
    }  # fmt: skip
    bridge, _, manager = node_starts(parse_arguments(given))
    remapped = [word for name in ('clock', 'tf', 'tf_static')
                for word in ('-r', f'/{name}:=/shell/{name}')]  # fmt: skip
    assert ros_arguments(bridge) == [
        '--ros-args', '-r', '__node:=bridge', '-r', '__ns:=/shell', *remapped,
        '--params-file', str(params), '-p', 'robot:=shell', '-p', 'real_time_factor:=0.0',
        '-p', 'gui:=false', '--log-level', 'debug',
    ]  # fmt: skip
    assert 'use_sim_time:=true' in ros_arguments(manager)

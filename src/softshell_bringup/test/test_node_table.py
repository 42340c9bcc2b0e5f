"""The node table says what runs, with which arguments."""

import ast
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from softshell_bringup.arguments import ARGUMENTS, parse_arguments
from softshell_bringup.nodes import NODES, From, node_starts, ros_arguments
from softshell_kinematics.errors import SoftshellError

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


def test_only_who_looks_on_is_optional():
    """The stack ends with any node that takes part; who records or shows it may end alone."""
    assert [row.name for row in NODES if row.optional] == ['black_box', 'dashboard', 'rviz']
    assert [row.name for row in NODES if row not in OURS] == ['rviz']


def test_parameters_refer_to_arguments_that_exist():
    """Each row's parameters and condition refer to arguments of the table."""
    names = {argument.name for argument in ARGUMENTS}
    for row in NODES:
        references = {value.argument for _, value in row.parameters if isinstance(value, From)}
        references |= {name for name, _ in row.when}
        assert references <= names


@pytest.mark.parametrize('bridge', ['sim', 'mock'])
def test_there_is_one_bridge_and_what_tells_time_follows_its_clock(bridge):
    """Every bridge makes a stack of four nodes; the one that schedules uses the bridge's time."""
    nodes = node_starts(parse_arguments({'bridge': bridge}))
    assert [node.name for node in nodes] == ['bridge', 'kinematics', 'action_manager', 'black_box']
    on_stack_time = [dict(node.parameters).get('use_sim_time', False) for node in nodes]
    assert on_stack_time == [False, False, True, False]


@pytest.mark.parametrize(('robot', 'chain'), [
    ('shell', 'lower_3 base_link foot_3'), ('arm', 'arm base_link tip'),
])  # fmt: skip
def test_the_robot_reaches_every_node_that_needs_it(robot, chain):
    """Bridge and manager get its name; kinematics, which knows no robots, gets its chains."""
    bridge, kinematics, manager, _ = node_starts(parse_arguments({'robot': robot}))
    assert dict(bridge.parameters)['robot'] == dict(manager.parameters)['robot'] == robot
    assert 'robot' not in dict(kinematics.parameters)
    assert chain in dict(kinematics.parameters)['chains'].split(', ')


def test_a_parameter_is_set_only_where_its_argument_is_given(tmp_path):
    """What is not given is left to the parameters file, or else to the node itself."""
    params = tmp_path / 'params.yaml'
    params.write_text('/**: {ros__parameters: {real_time_factor: 0.5, gui: true}}\n')
    (bridge, *_) = node_starts(parse_arguments({'params_file': str(params)}))
    assert dict(bridge.parameters) == {'robot': 'shell'}
    given = {'params_file': str(params), 'real_time_factor': '1.0', 'publish_tf': 'false'}
    (bridge, *_) = node_starts(parse_arguments(given))
    assert dict(bridge.parameters) == {
        'robot': 'shell', 'real_time_factor': 1.0, 'publish_tf': False,
    }  # fmt: skip


@pytest.mark.parametrize('bridge', ['sim', 'mock'])
def test_transforms_can_be_left_to_others(bridge):
    """publish_tf:=false reaches either bridge as its parameter."""
    (node, *_) = node_starts(parse_arguments({'bridge': bridge, 'publish_tf': 'false'}))
    assert 'publish_tf:=false' in ros_arguments(node)


def test_an_engine_is_a_parameter_of_the_simulation():
    """Where it is given; any other bridge has none."""
    (bridge, *_) = node_starts(parse_arguments({'engine': 'mujoco'}))
    assert dict(bridge.parameters)['engine'] == 'mujoco'
    (bridge, *_) = node_starts(parse_arguments({}))
    assert 'engine' not in dict(bridge.parameters)
    with pytest.raises(SoftshellError, match="engine is 'mujoco'; expected bridge:=sim, not mock"):
        parse_arguments({'engine': 'mujoco', 'bridge': 'mock'})


def test_a_window_is_a_parameter_of_the_simulation():
    """gui:=window opens it, gui:=none keeps it closed."""
    for text, opened in (('window', True), ('none', False)):
        (bridge, *_) = node_starts(parse_arguments({'gui': text}))
        assert dict(bridge.parameters)['gui'] is opened


@pytest.mark.parametrize(
    ('robot', 'bridge', 'fixed', 'followed'),
    [
        ('shell', 'sim', 'odom', 'base_footprint'),
        ('shell', 'mock', 'base_link', 'base_footprint'),
        ('arm', 'sim', 'odom', 'base_link'),
        ('arm', 'mock', 'base_link', 'base_link'),
        ('arm', 'hardware', 'base_link', 'base_link'),
    ],
)
def test_rviz_is_started_with_a_layout_of_frames_that_there_are(
    monkeypatch, tmp_path, robot, bridge, fixed, followed
):
    """Nothing stands still in odom where nothing measures it; the view follows the robot."""
    monkeypatch.setenv('ROS_HOME', str(tmp_path))
    monkeypatch.setattr('softshell_bringup.arguments.is_installed', lambda package: True)
    given = {'rviz': 'true', 'robot': robot, 'bridge': bridge}
    *_, rviz = node_starts(parse_arguments(given))
    option, layout = ros_arguments(rviz)[:2]
    assert option == '-d'
    assert Path(layout).is_relative_to(tmp_path)
    manager = yaml.safe_load(Path(layout).read_text(encoding='utf-8'))['Visualization Manager']
    assert manager['Global Options']['Fixed Frame'] == fixed
    assert manager['Views']['Current']['Target Frame'] == followed
    assert len(manager['Displays']) == 4


def test_arguments_reach_the_command_line_of_the_nodes(tmp_path):
    """Namespace, parameters file, log level and real-time factor arrive as ROS arguments."""
    params = tmp_path / 'some params.yaml'
    params.write_text('')
    given = {
        'namespace': '/shell/', 'params_file': str(params), 'log_level': 'debug',
        'real_time_factor': '0',
    }  # fmt: skip
    bridge, _, manager, _ = node_starts(parse_arguments(given))
    remapped = [word for name in ('clock', 'tf', 'tf_static')
                for word in ('-r', f'/{name}:=/shell/{name}')]  # fmt: skip
    assert ros_arguments(bridge) == [
        '--ros-args', '-r', '__node:=bridge', '-r', '__ns:=/shell', *remapped,
        '--params-file', str(params), '-p', "robot:='shell'", '-p', 'real_time_factor:=0.0',
        '--log-level', 'shell.bridge:=debug',
    ]  # fmt: skip
    assert 'use_sim_time:=true' in ros_arguments(manager)


@pytest.mark.parametrize(
    'text', ['', '12345678', '1e345678', 'true', '@dm1n!234', "it's", '/a b: c #d', '~', 'ä→']
)
def test_a_text_stays_one(text):
    """ROS reads what is on the command line as YAML: a token of digits would be a number."""
    [start] = [start for start in node_starts(parse_arguments({})) if start.name == 'kinematics']
    words = ros_arguments(replace(start, parameters=(('chains', text),)))
    (word,) = [each for each in words if each.startswith('chains:=')]
    assert yaml.safe_load(word.removeprefix('chains:=')) == text


def test_fingers_are_given_once():
    """A robot that has them is meant where they are asked for, as scenarios do."""
    for robot in ('shell', 'shell_fingers'):
        assert parse_arguments({'robot': robot, 'fingers': '6'})['robot'] == 'shell_fingers'

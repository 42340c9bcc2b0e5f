"""The launch file is the node table, for machines with launch_ros."""

import ast
import importlib.util
import sys
from pathlib import Path

import pytest

from softshell_bringup.arguments import ARGUMENTS
from softshell_kinematics.errors import ProblemsError

LAUNCH_FILE = Path(__file__).resolve().parents[3] / 'launch' / 'softshell.launch.py'


def test_the_launch_file_calls_a_function_that_exists():
    """The launch file parses, and what it imports is defined where it says."""
    tree = ast.parse(LAUNCH_FILE.read_text())
    module, name = next(
        (node.module, node.names[0].name)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
    )
    source = Path(importlib.util.find_spec(module).origin).read_text()
    defined = {node.name for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)}
    assert name in defined


class Launched:
    """What the launch file does with arguments, where launch_ros is installed.

    Args:
        typed: the arguments of the command line.
        file: the launch file that the command line names.
        configurations: what launch files that include this one have set.
    """

    def __init__(self, monkeypatch, typed=(), file=LAUNCH_FILE.name, configurations=()) -> None:
        launch = pytest.importorskip('launch', reason='no launch here: ROS comes from wheels')
        pytest.importorskip('launch_ros', reason='no launch_ros here: ROS comes from wheels')
        monkeypatch.setattr(sys, 'argv', ['ros2', 'launch', 'some_package', file, *typed])
        self.context = launch.LaunchContext(argv=typed)
        self.context.extend_locals({'current_launch_file_path': str(LAUNCH_FILE)})
        self.context.launch_configurations.update(configurations)
        for word in typed:
            name, _, value = word.partition(':=')
            self.context.launch_configurations[name] = value
        spec = importlib.util.spec_from_file_location('softshell_launch', LAUNCH_FILE)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        self.entities = module.generate_launch_description().entities

    def nodes(self):
        """The nodes, once every entity is executed."""
        from launch_ros.actions import Node

        done = [part for entity in self.entities for part in entity.execute(self.context) or ()]
        return [part for part in done if isinstance(part, Node)]


def test_launch_offers_the_arguments_of_the_table(monkeypatch):
    """Arguments have the table's names, descriptions and choices."""
    launched = Launched(monkeypatch)
    from launch.actions import DeclareLaunchArgument

    declared = {e.name: e for e in launched.entities if isinstance(e, DeclareLaunchArgument)}
    assert list(declared) == [argument.name for argument in ARGUMENTS]
    assert list(declared['bridge'].choices) == ['sim', 'mock', 'hardware']
    assert list(declared['publish_tf'].choices) == ['true', 'false']
    assert all(argument.description for argument in declared.values())


@pytest.mark.parametrize('bridge', ['sim', 'mock'])
def test_each_bridge_makes_four_nodes(monkeypatch, bridge):
    """The nodes are those of the table; what is typed decides which bridge."""
    nodes = Launched(monkeypatch, [f'bridge:={bridge}']).nodes()
    executables = [node.node_executable for node in nodes]
    assert executables == [f'{bridge}_bridge', 'kinematics', 'action_manager', 'black_box']


@pytest.mark.parametrize('typed', [[], ['real_time_factor:=1.0']])
def test_a_parameter_is_set_only_where_its_argument_is_typed(monkeypatch, typed):
    """Defaults of launch arguments do not count as given, so that a parameters file may decide."""
    launched, seen = Launched(monkeypatch, typed), []
    from softshell_bringup.ros import launch_file

    starts = launch_file.node_starts
    monkeypatch.setattr(
        launch_file, 'node_starts', lambda values: seen.append(values) or starts(values)
    )
    launched.nodes()
    assert dict(seen[0].given) == ({'real_time_factor': 1.0} if typed else {})


def test_an_argument_that_nobody_knows_is_refused_with_the_nearest(monkeypatch):
    """Launch would start the default without a word; all problems are told at once instead."""
    launched = Launched(monkeypatch, ['bridg:=mock', 'namespace:=1a', 'launch-prefix:=nice'])
    with pytest.raises(ProblemsError) as caught:
        launched.nodes()
    assert len(caught.value.problems) == 2
    assert "unknown argument 'bridg'; did you mean bridge?" in str(caught.value)


def test_arguments_of_a_launch_file_that_includes_this_one_are_its_own(monkeypatch):
    """What the command line says to another launch file is not refused here."""
    launched = Launched(
        monkeypatch,
        ['robot_name:=my_arm'],
        file='mine.launch.py',
        configurations={'robot': 'arm', 'bridge': 'mock'},
    )
    assert launched.nodes()[0].node_executable == 'mock_bridge'


def test_two_robots_are_two_inclusions(monkeypatch):
    """What has its default in the first one is not given in the second."""
    given = {'namespace': 'one', 'bridge': 'mock'}
    first = Launched(monkeypatch, file='mine.launch.py', configurations=given)
    assert len(first.nodes()) == 4
    left = dict(first.context.launch_configurations)
    assert left == given
    second = Launched(
        monkeypatch, file='mine.launch.py', configurations={**left, 'namespace': 'two'}
    )
    assert [node.node_executable for node in second.nodes()] == [
        node.node_executable for node in first.nodes()
    ]

"""The launch file is the node table, for machines with launch_ros."""

import ast
import importlib.util
from pathlib import Path

import pytest

from softshell_bringup.nodes import ARGUMENTS

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


def test_launch_offers_the_arguments_and_nodes_of_the_table():
    """Arguments have the table's descriptions and choices; each bridge makes three nodes."""
    launch = pytest.importorskip('launch', reason='no launch here: ROS comes from wheels')
    pytest.importorskip('launch_ros', reason='no launch_ros here: ROS comes from wheels')
    from launch.actions import DeclareLaunchArgument, OpaqueFunction

    spec = importlib.util.spec_from_file_location('softshell_launch', LAUNCH_FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    entities = module.generate_launch_description().entities
    declared = {e.name: e for e in entities if isinstance(e, DeclareLaunchArgument)}
    assert list(declared) == [argument.name for argument in ARGUMENTS]
    assert list(declared['bridge'].choices) == ['sim', 'mock']
    assert all(argument.description for argument in declared.values())
    for bridge, executable in (('sim', 'sim_bridge'), ('mock', 'mock_bridge')):
        context = launch.LaunchContext()
        for argument in ARGUMENTS:
            context.launch_configurations[argument.name] = argument.default_text
        context.launch_configurations['bridge'] = bridge
        [opaque] = [e for e in entities if isinstance(e, OpaqueFunction)]
        executables = [node.node_executable for node in opaque.execute(context)]
        assert executables == [executable, 'kinematics', 'action_manager']

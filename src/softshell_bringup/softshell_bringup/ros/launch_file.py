"""The launch description of the stack, made from the node table. Needs launch and launch_ros."""

# ruff: noqa: I001  (its checkers take the folder launch/ for the package launch)
import shlex
from typing import Any

from launch import LaunchContext, LaunchDescription  # type: ignore[attr-defined]
from launch.actions import DeclareLaunchArgument, OpaqueFunction, Shutdown
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

from softshell_bringup.nodes import (
    ARGUMENTS,
    NodeStart,
    node_starts,
    own_arguments,
    parse_arguments,
)
from softshell_bringup.processes import attached


def launch_description() -> LaunchDescription:
    """The table's arguments with their descriptions and choices, then its nodes."""
    declared = [
        DeclareLaunchArgument(
            argument.name,
            default_value=argument.default_text,
            description=argument.description,
            choices=list(argument.choices)
            or (['true', 'false'] if isinstance(argument.default, bool) else None),
        )
        for argument in ARGUMENTS
    ]
    return LaunchDescription([*declared, OpaqueFunction(function=_nodes)])


def _nodes(context: LaunchContext) -> list[Node]:
    given = {
        argument.name: LaunchConfiguration(argument.name).perform(context)
        for argument in ARGUMENTS
    }
    # Nodes end with ros2 launch however it ends; what --launch-prefix asks for comes after that.
    own = context.launch_configurations.get('launch-prefix', '')
    return [
        _node(start, f'{shlex.join(attached(start.row.ours and not own))} {own}')
        for start in node_starts(parse_arguments(given))
    ]


def _node(start: NodeStart, prefix: str) -> Node:
    ending: dict[str, Any] = {}
    if not start.row.optional:
        ending['on_exit'] = Shutdown(reason=f'{start.name} ended')
    parameters: list[Any] = [start.params_file] if start.params_file else []
    return Node(
        package=start.row.package,
        executable=start.row.executable,
        name=start.name,
        namespace=start.namespace,
        parameters=[*parameters, dict(start.parameters)],
        remappings=list(start.remappings),
        arguments=[*own_arguments(start.row), '--ros-args', '--log-level', start.log_level],
        output='screen',
        emulate_tty=True,
        prefix=prefix,
        exec_name=start.row.executable,  # not that of the prefix
        **ending,
    )

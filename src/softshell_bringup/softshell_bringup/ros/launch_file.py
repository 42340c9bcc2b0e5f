"""The launch description of the stack, from the node table. Needs launch and launch_ros."""

# ruff: noqa: I001  (its checkers take the folder launch/ for the package launch)
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from launch import LaunchContext, LaunchDescription  # type: ignore[attr-defined]
from launch.actions import DeclareLaunchArgument, EmitEvent, LogInfo, OpaqueFunction, Shutdown
from launch.events import matches_action
from launch.events.process import ProcessExited, SignalProcess
from launch_ros.actions import Node

from softshell_bringup.arguments import ARGUMENTS, BY_NAME, Arguments, parse_arguments
from softshell_bringup.nodes import NODES, NodeStart, node_starts, remarks
from softshell_bringup.processes import DEATH, attached
from softshell_bringup.programs import installed, interpreter_of, program_of, use_packages_of

#: What `ros2 launch --launch-prefix` adds to the arguments of a launch file.
LAUNCH_OPTIONS = ('launch-prefix', 'launch-prefix-filter')


def launch_description() -> LaunchDescription:
    """The arguments of the stack with their descriptions and choices, then its nodes.

    Raises:
        SoftshellError: the nodes are not built, or their Python is gone or of another version.
    """
    # `ros2` runs on the system's Python, the nodes perhaps on that of a virtual environment, which
    # has what the arguments are checked with. It is the same for all; this node is always there.
    always = next(row for row in NODES if row.ours and not row.when)
    for interpreter in interpreter_of(program_of(always))[:1]:
        use_packages_of(interpreter)
    read: list[Arguments] = []

    def read_arguments(context: LaunchContext) -> None:
        read.append(parse_arguments(given_arguments(context)))

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
    return LaunchDescription(
        [
            # Before the declarations: after them, arguments that were not given have defaults.
            OpaqueFunction(function=read_arguments),
            *declared,
            OpaqueFunction(function=lambda context: _nodes(context, read[-1])),
            OpaqueFunction(function=lambda context: _forget_defaults(context, read.pop())),
        ]
    )


def given_arguments(context: LaunchContext) -> dict[str, str]:
    """The arguments that were given, also those that the stack does not have.

    Launch ignores arguments that no launch file has declared. If another launch file includes
    this one, the words of the command line are for that one.
    """
    given = {
        name: value for name, value in context.launch_configurations.items() if name in BY_NAME
    }
    if _is_launched_itself(context):
        words = (word.partition(':=') for word in context.argv)
        given |= {
            name: value
            for name, separator, value in words
            if separator and name not in BY_NAME and name not in LAUNCH_OPTIONS
        }
    return given


def _forget_defaults(context: LaunchContext, arguments: Arguments) -> None:
    """Remove what only has its default: in a second inclusion it would count as given."""
    for name in BY_NAME:
        if name not in arguments.given:
            context.launch_configurations.pop(name, None)


def _is_launched_itself(context: LaunchContext) -> bool:
    """Whether the command line names this launch file, not one that includes it."""
    path = getattr(context.locals, 'current_launch_file_path', '')
    return any(Path(word).name == Path(path).name for word in sys.argv if word)


def _nodes(context: LaunchContext, arguments: Arguments) -> Sequence[LogInfo | Node]:
    # Nodes end with ros2 launch, however it ends. The words of --launch-prefix come after ours.
    own = context.launch_configurations.get('launch-prefix', '')
    starts, left_out = installed(node_starts(arguments), arguments.given)
    told = [LogInfo(msg=f'warning: {remark}') for remark in (*left_out, *remarks(starts))]
    nodes: list[Node] = []
    witnesses: list[Node] = []
    for start in starts:
        if not start.row.external:
            before = shlex.join(attached(start.row.ours and not own))
            prefix = f'{before} {own} {shlex.join(interpreter_of(program_of(start.row)))}'
            nodes.append(_node(start, prefix, witnesses))
            if start.row.witness:
                witnesses.append(nodes[-1])
    return told + nodes


def _node(start: NodeStart, prefix: str, witnesses: Sequence[Node]) -> Node:
    def end(event: ProcessExited, context: LaunchContext) -> list[Any]:
        if context.is_shutdown:
            return []
        told = [
            EmitEvent(
                event=SignalProcess(signal_number=DEATH, process_matcher=matches_action(witness))
            )
            for witness in witnesses
        ]
        return [*told, Shutdown(reason=f'{start.name} ended')]

    ending: dict[str, Any] = {} if start.row.optional else {'on_exit': end}
    parameters: list[Any] = [start.params_file] if start.params_file else []
    return Node(
        package=start.row.package,
        executable=start.row.executable,
        name=start.name,
        namespace=start.namespace,
        parameters=[*parameters, dict(start.parameters)],
        remappings=list(start.remappings),
        arguments=[*start.arguments, '--ros-args', *start.log_arguments],
        output='screen',
        emulate_tty=True,
        prefix=prefix,
        exec_name=start.row.executable,  # not that of the prefix
        **ending,
    )

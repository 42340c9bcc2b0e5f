"""The node table: which nodes make the stack, and what its arguments are.

`launch/softshell.launch.py` and the stand-alone runner are both made from it.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from softshell_common.errors import ProblemsError

Value = bool | float | str


class OnExit(Enum):
    """What becomes of the stack when a node ends by itself."""

    STOP = 'stop the stack'
    RESTART = 'restart the node'


@dataclass(frozen=True)
class Argument:
    """One argument of the stack, given as `name:=value`.

    Args:
        name: what it is called.
        default: the value it has when it is not given; its type is the argument's type.
        description: what it does, with its unit.
        choices: the valid values of a text; empty: any.
        minimum: the least valid value of a number.
    """

    name: str
    default: Value
    description: str
    choices: tuple[str, ...] = ()
    minimum: float = -math.inf

    @property
    def default_text(self) -> str:
        """The default as it would be typed."""
        return str(self.default).lower() if isinstance(self.default, bool) else str(self.default)

    @property
    def valid(self) -> str:
        """The valid values, for people."""
        if self.choices:
            return ' or '.join(self.choices)
        if isinstance(self.default, bool):
            return 'true or false'
        if isinstance(self.default, float):
            return f'a number from {self.minimum:g}' if self.minimum > -math.inf else 'a number'
        return 'a text'

    def parse(self, text: str) -> Value:
        """The value a text stands for.

        Raises:
            ValueError: the text is none of the valid values, which the message lists.
        """
        problem = f'{self.name} is {text!r}; expected {self.valid}'
        if self.choices and text not in self.choices:
            raise ValueError(problem)
        if isinstance(self.default, bool):
            if text.lower() not in ('true', 'false'):
                raise ValueError(problem)
            return text.lower() == 'true'
        if isinstance(self.default, float):
            try:
                number = float(text)
            except ValueError:
                raise ValueError(problem) from None
            if not (math.isfinite(number) and number >= self.minimum):
                raise ValueError(problem)
            return number
        return text


@dataclass(frozen=True)
class From:
    """A parameter whose value is that of an argument of the stack."""

    argument: str


@dataclass(frozen=True)
class NodeRow:
    """One row of the node table.

    Args:
        package, executable: what is run.
        name: the node's name.
        parameters: (name, value or the argument it comes from).
        when: the node is part of the stack only if this argument has this value.
        on_exit: what becomes of the stack when the node ends by itself.
        ready_service: a service of the node that is there once the node can be used.
        ready_topic: a latched topic of the node, published once it can be used.
    """

    package: str
    executable: str
    name: str
    parameters: tuple[tuple[str, Value | From], ...] = ()
    when: tuple[str, Value] | None = None
    on_exit: OnExit = OnExit.STOP
    ready_service: str = ''
    ready_topic: str = ''


@dataclass(frozen=True)
class NodeStart:
    """A node with everything that is needed to start it: a row, its arguments filled in."""

    package: str
    executable: str
    name: str
    namespace: str
    parameters: tuple[tuple[str, Value], ...]
    params_file: str
    log_level: str
    on_exit: OnExit
    ready_service: str
    ready_topic: str


ARGUMENTS: tuple[Argument, ...] = (
    Argument('bridge', 'sim', 'what moves: sim is PyBullet, mock follows without physics',
             ('sim', 'mock')),
    Argument('gui', False, 'open the window of the simulation (bridge:=sim only)'),
    Argument('namespace', '', 'namespace of all nodes'),
    Argument('params_file', '', 'YAML file of ROS parameters, given to every node'),
    Argument('log_level', 'info', 'least severity that is logged',
             ('debug', 'info', 'warn', 'error', 'fatal')),
    Argument('real_time_factor', 1.0,
             'speed of simulated time over real time; 0: as fast as possible', minimum=0.0),
)  # fmt: skip

ON_STACK_TIME = ('use_sim_time', True)

NODES: tuple[NodeRow, ...] = (
    NodeRow(
        'softshell_sim', 'sim_bridge', 'bridge',
        (('gui', From('gui')), ('real_time_factor', From('real_time_factor'))),
        when=('bridge', 'sim'), ready_topic='bridge_status',
    ),
    NodeRow(
        'softshell_control', 'mock_bridge', 'bridge',
        (('real_time_factor', From('real_time_factor')),),
        when=('bridge', 'mock'), ready_topic='bridge_status',
    ),
    NodeRow(
        # Its answers do not depend on time, and following /clock would cost it more than they do.
        'softshell_kinematics', 'kinematics', 'kinematics', ready_service='solve_ik',
    ),
    NodeRow(
        'softshell_actions', 'action_manager', 'action_manager', (ON_STACK_TIME,),
        ready_service='execute_action/_action/send_goal',
    ),
)  # fmt: skip


def parse_arguments(given: Mapping[str, str]) -> dict[str, Value]:
    """The value of every argument, from those given as text.

    Raises:
        ProblemsError: unknown names and invalid values, all at once, with what is valid.
    """
    known = {argument.name: argument for argument in ARGUMENTS}
    values: dict[str, Value] = {argument.name: argument.default for argument in ARGUMENTS}
    problems = []
    for name, text in given.items():
        if name not in known:
            problems.append(f'unknown argument {name!r}; known: {", ".join(known)}')
            continue
        try:
            values[name] = known[name].parse(text)
        except ValueError as error:
            problems.append(str(error))
    if values['params_file'] and not Path(str(values['params_file'])).is_file():
        problems.append(f'params_file: no file {str(values["params_file"])!r}')
    if values['gui'] and values['bridge'] != 'sim':
        problems.append(f'gui is true; expected bridge:=sim with it, not {values["bridge"]}')
    if problems:
        raise ProblemsError('arguments of the stack', problems)
    return values


def node_starts(values: Mapping[str, Value], rows: tuple[NodeRow, ...] = NODES) -> list[NodeStart]:
    """The nodes of the stack these argument values ask for, in the order they are started.

    Args:
        values: the value of every argument, from `parse_arguments`.
        rows: the node table.
    """
    params_file = str(values['params_file'])
    return [
        NodeStart(
            package=row.package,
            executable=row.executable,
            name=row.name,
            namespace=str(values['namespace']).strip('/'),
            parameters=tuple(
                (name, values[value.argument] if isinstance(value, From) else value)
                for name, value in row.parameters
            ),
            params_file=str(Path(params_file).resolve()) if params_file else '',
            log_level=str(values['log_level']),
            on_exit=row.on_exit,
            ready_service=row.ready_service,
            ready_topic=row.ready_topic,
        )
        for row in rows
        if row.when is None or values[row.when[0]] == row.when[1]
    ]


def ros_arguments(node: NodeStart) -> list[str]:
    """What is appended to a node's command line."""
    arguments = ['--ros-args', '-r', f'__node:={node.name}']
    if node.namespace:
        arguments += ['-r', f'__ns:=/{node.namespace}']
    if node.params_file:
        arguments += ['--params-file', node.params_file]
    for name, value in node.parameters:
        text = str(value).lower() if isinstance(value, bool) else str(value)
        arguments += ['-p', f'{name}:={text}']
    return [*arguments, '--log-level', node.log_level]

"""The node table: which nodes make the stack, and what its arguments are.

`launch/softshell.launch.py` and the stand-alone runner are both made from it.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from softshell_description.robots import DEFAULT_ROBOT, robot_folder
from softshell_kinematics.errors import ProblemsError, SoftshellError

Value = bool | float | str


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
class Derived:
    """A parameter whose value follows from those of all arguments of the stack."""

    value: Callable[[Mapping[str, Value]], Value]


@dataclass(frozen=True)
class NodeRow:
    """One row of the node table.

    Args:
        package, executable: what is run.
        name: the node's name.
        parameters: (name, value or where it comes from).
        when: the node is part of the stack only if this argument has this value.
        arguments: further ones of its command line.
        optional: the stack goes on when the node ends by itself.
        ours: its executable starts by `softshell_common.entry`.
        owns_time: it is the clock of the stack; without such a node all others go by the wall's.
        ready_service: a service of the node that is there once the node can be used.
        ready_topic: a latched topic of the node, published once it can be used.
        ready_type: type of its messages, as `module:class`.
    """

    package: str
    executable: str
    name: str
    parameters: tuple[tuple[str, Value | From | Derived], ...] = ()
    when: tuple[str, Value] | None = None
    arguments: tuple[str, ...] = ()
    optional: bool = False
    ours: bool = True
    owns_time: bool = False
    ready_service: str = ''
    ready_topic: str = ''
    ready_type: str = ''


@dataclass(frozen=True)
class NodeStart:
    """A node with everything that is needed to start it: its row, and the values of arguments.

    `remappings` bring what ROS names absolutely into the namespace, so that several stacks on one
    domain each have a clock and transforms of their own.
    """

    row: NodeRow
    namespace: str
    parameters: tuple[tuple[str, Value], ...]
    remappings: tuple[tuple[str, str], ...]
    params_file: str
    log_level: str

    @property
    def name(self) -> str:
        """The node's name."""
        return self.row.name


def shipped_file(name: str) -> str:
    """Path of a file that is installed beside the launch file."""
    from ament_index_python.packages import get_package_share_directory

    return str(Path(get_package_share_directory('softshell_bringup')) / 'launch' / name)


def is_installed(package: str) -> bool:
    """Whether a ROS package is there."""
    from ament_index_python.packages import PackageNotFoundError, get_package_prefix

    try:
        get_package_prefix(package)
    except (PackageNotFoundError, OSError):  # OSError: no ROS environment at all
        return False
    return True


def has_clock(values: Mapping[str, Value]) -> bool:
    """Whether a node of the stack publishes its time."""
    return any(row.owns_time and _is_part(row, values) for row in NODES)


def chains_of(values: Mapping[str, Value]) -> str:
    """The robot's chains, as the kinematics node takes them."""
    from softshell_description.config import read_config
    from softshell_description.robots import robot_folder

    chains = read_config(robot_folder(str(values['robot']))).chains
    return ', '.join(f'{chain.name} {chain.base_link} {chain.tip_link}' for chain in chains)


ARGUMENTS: tuple[Argument, ...] = (
    Argument('robot', DEFAULT_ROBOT, 'name of an installed robot, or path of its folder'),
    Argument('bridge', 'sim', 'what moves: sim is PyBullet, mock follows without physics',
             ('sim', 'mock')),
    Argument('gui', 'none', 'window: of the simulation (bridge:=sim only); web: comes later',
             ('none', 'window', 'web')),
    Argument('rviz', False, 'start RViz with a layout for the robot, where it is installed'),
    Argument('namespace', '', 'namespace of all nodes, their clock and their transforms'),
    Argument('params_file', '', 'YAML file of ROS parameters, given to every node'),
    Argument('log_level', 'info', 'least severity that is logged',
             ('debug', 'info', 'warn', 'error', 'fatal')),
    Argument('real_time_factor', 1.0,
             'speed of simulated time over real time; 0: as fast as possible', minimum=0.0),
)  # fmt: skip

ON_STACK_TIME = ('use_sim_time', Derived(has_clock))
ROBOT = ('robot', From('robot'))
PACE = ('real_time_factor', From('real_time_factor'))
STATUS = 'bridge_status'
STATUS_TYPE = 'softshell_interfaces.msg:BridgeStatus'

NODES: tuple[NodeRow, ...] = (
    NodeRow(
        'softshell_sim', 'sim_bridge', 'bridge',
        (ROBOT, PACE, ('gui', Derived(lambda values: values['gui'] == 'window'))),
        when=('bridge', 'sim'), ready_topic=STATUS, ready_type=STATUS_TYPE, owns_time=True,
    ),
    NodeRow(
        'softshell_control', 'mock_bridge', 'bridge', (ROBOT, PACE),
        when=('bridge', 'mock'), ready_topic=STATUS, ready_type=STATUS_TYPE, owns_time=True,
    ),
    NodeRow(
        # Its answers do not depend on time, and following /clock would cost it more than they do.
        'softshell_kinematics_ros', 'kinematics', 'kinematics',
        (('chains', Derived(chains_of)),), ready_service='solve_ik',
    ),
    NodeRow(
        'softshell_actions', 'action_manager', 'action_manager', (ROBOT, ON_STACK_TIME),
        ready_service='execute_action/_action/send_goal',
    ),
    NodeRow(
        'rviz2', 'rviz2', 'rviz', (ON_STACK_TIME,), when=('rviz', True),
        arguments=('-d', '{softshell.rviz}'), optional=True, ours=False,
    ),
)  # fmt: skip

#: Names that ROS makes absolute, and that belong into the namespace of a stack.
ABSOLUTE = ('clock', 'tf', 'tf_static')


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
    if values['gui'] == 'window' and values['bridge'] != 'sim':
        problems.append(f'gui is window; expected bridge:=sim with it, not {values["bridge"]}')
    if values['gui'] == 'web':
        problems.append('gui is web, which comes with a later version; expected none or window')
    if values['rviz'] and not is_installed('rviz2'):
        problems.append('rviz is true; expected rviz2 to be installed (apt: ros-jazzy-rviz2)')
    try:
        robot_folder(str(values['robot']))
    except SoftshellError as error:
        problems.append(str(error))
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
    namespace = str(values['namespace']).strip('/')
    remappings = tuple((f'/{name}', f'/{namespace}/{name}') for name in ABSOLUTE)
    return [
        NodeStart(
            row=row,
            namespace=namespace,
            parameters=tuple((name, _value(value, values)) for name, value in row.parameters),
            remappings=remappings if namespace else (),
            params_file=str(Path(params_file).resolve()) if params_file else '',
            log_level=str(values['log_level']),
        )
        for row in rows
        if _is_part(row, values)
    ]


def _is_part(row: NodeRow, values: Mapping[str, Value]) -> bool:
    return row.when is None or values[row.when[0]] == row.when[1]


def _value(source: Value | From | Derived, values: Mapping[str, Value]) -> Value:
    match source:
        case From(argument):
            return values[argument]
        case Derived(function):
            return function(values)
    return source


def own_arguments(row: NodeRow) -> list[str]:
    """A row's further arguments, names of shipped files in braces replaced by their paths."""
    return [
        shipped_file(argument[1:-1]) if argument.startswith('{') else argument
        for argument in row.arguments
    ]


def ros_arguments(node: NodeStart) -> list[str]:
    """What is appended to a node's command line."""
    arguments = [*own_arguments(node.row), '--ros-args', '-r', f'__node:={node.name}']
    if node.namespace:
        arguments += ['-r', f'__ns:=/{node.namespace}']
    for name, target in node.remappings:
        arguments += ['-r', f'{name}:={target}']
    if node.params_file:
        arguments += ['--params-file', node.params_file]
    for name, value in node.parameters:
        text = str(value).lower() if isinstance(value, bool) else str(value)
        arguments += ['-p', f'{name}:={text}']
    return [*arguments, '--log-level', node.log_level]

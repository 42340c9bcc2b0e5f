"""The node table: which nodes the stack consists of, and which parameters they get.

`launch/softshell.launch.py` and the stand-alone runner both read it.
"""

import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from softshell_bringup.arguments import EMULATED, Arguments, Value
from softshell_bringup.params_file import unused_sections


@dataclass(frozen=True)
class From:
    """A parameter that is set if an argument of the stack is given.

    Otherwise the parameters file sets it, or it has the node's default.

    Args:
        argument: name of the argument.
        value: returns the parameter's value for that of the argument.
    """

    argument: str
    value: Callable[[Value], Value] = lambda value: value


@dataclass(frozen=True)
class Derived:
    """A parameter that is always set, since several nodes must agree on it.

    Args:
        value: returns its value for all arguments of the stack and the node table.
    """

    value: Callable[[Arguments, 'Rows'], Value]


@dataclass(frozen=True)
class NodeRow:
    """One row of the node table.

    Args:
        package, executable: the package and its executable.
        name: the node's name.
        parameters: name of each parameter, and its value or how it is found.
        when: the node is part of the stack only if these arguments have these values,
        given: and if none of these arguments is empty.
        arguments: further command line arguments, or functions that return them.
        optional: whether the stack goes on when the node ends by itself, and begins without it
            if its package is not installed and no argument of `when` is given.
        witness: whether it is sent `processes.DEATH` when another node has ended by itself.
        ours: whether its executable starts with `softshell_common.entry`.
        external: whether another program runs it; the stack does not start it, but waits until it
            is ready, and uses its clock.
        owns_time: whether it publishes the clock of the stack; without such a node all nodes run
            on wall time.
        measures_base: whether it publishes the pose of the base in odom; without such a node the
            transforms begin with the robot's root link.
        ready_service: a service that the node offers once it is ready.
        ready_topic: a latched topic that the node publishes once it is ready.
        ready_type: type of its messages, as `module:class`.
    """

    package: str
    executable: str
    name: str
    parameters: tuple[tuple[str, Value | From | Derived], ...] = ()
    when: tuple[tuple[str, Value], ...] = ()
    given: tuple[str, ...] = ()
    arguments: tuple[str | Callable[[Arguments, 'Rows'], str], ...] = ()
    optional: bool = False
    witness: bool = False
    ours: bool = True
    external: bool = False
    owns_time: bool = False
    measures_base: bool = False
    ready_service: str = ''
    ready_topic: str = ''
    ready_type: str = ''


Rows = tuple[NodeRow, ...]


@dataclass(frozen=True)
class NodeStart:
    """All that is needed to start a node.

    Args:
        row: its row of the node table.
        namespace: its namespace, without slashes at the ends; empty: none.
        arguments: further arguments of its command line.
        parameters: names and values of its parameters.
        remappings: absolute names of ROS and their names in the namespace, so that each of several
            stacks on one domain has its own clock and transforms.
        params_file: absolute path of the parameters file; empty: none.
        log_level: least severity that it logs.
    """

    row: NodeRow
    namespace: str
    arguments: tuple[str, ...]
    parameters: tuple[tuple[str, Value], ...]
    remappings: tuple[tuple[str, str], ...]
    params_file: str
    log_level: str

    @property
    def name(self) -> str:
        """The node's name."""
        return self.row.name

    @property
    def full_name(self) -> str:
        """The node's name with its namespace, e.g. `/one/bridge`."""
        return f'/{self.namespace}/{self.name}'.replace('//', '/')

    @property
    def log_arguments(self) -> tuple[str, str]:
        """Arguments that set the level of the node's own logger, not that of the middleware's."""
        logger = self.full_name.strip('/').replace('/', '.')
        return '--log-level', f'{logger}:={self.log_level}'


def has_clock(values: Arguments, rows: Rows) -> bool:
    """Whether a node of the stack publishes /clock."""
    return any(row.owns_time and _is_part(row, values) for row in rows)


def rviz_layout(values: Arguments, rows: Rows) -> str:
    """Path of the RViz layout for the robot and the bridge."""
    from softshell_bringup.rviz import write_layout

    measured = any(row.measures_base and _is_part(row, values) for row in rows)
    return str(write_layout(str(values['robot']), measured))


def chains_of(values: Arguments, rows: Rows) -> str:
    """The robot's chains in the format of the kinematics node's parameter `chains`."""
    from softshell_description.config import read_config
    from softshell_description.robots import robot_folder

    chains = read_config(robot_folder(str(values['robot']))).chains
    return ', '.join(f'{chain.name} {chain.base_link} {chain.tip_link}' for chain in chains)


def ports_folder(values: Arguments, rows: Rows) -> str:
    """Folder of the ports of emulated servos; empty if no servos are emulated."""
    if values['wiring'] != EMULATED:
        return ''
    own = str(values['namespace']).strip('/').replace('/', '-')  # one process may have two stacks
    return str(Path(tempfile.gettempdir()) / f'softshell-servos-{os.getpid()}-{own}'.rstrip('-'))


ON_STACK_TIME = ('use_sim_time', Derived(has_clock))
ROBOT = ('robot', Derived(lambda values, rows: values['robot']))
PACE = ('real_time_factor', From('real_time_factor'))
TRANSFORMS = ('publish_tf', From('publish_tf'))
FOOTING = ('footing', From('footing'))
SCENE = ('scene_file', From('scene', lambda scene: str(Path(str(scene)).resolve())))
WIRING = ('wiring', From('wiring', lambda wiring: '' if wiring == EMULATED else wiring))
POLICY = ('policy', From('policy', lambda policy: str(Path(str(policy)).resolve())))
STATUS = 'bridge_status'
STATUS_TYPE = 'softshell_interfaces.msg:BridgeStatus'

NODES: Rows = (
    NodeRow(
        'softshell_sim', 'sim_bridge', 'bridge',
        (ROBOT, PACE, TRANSFORMS, FOOTING, SCENE, ('engine', From('engine')),
         ('gui', From('gui', lambda gui: gui == 'window'))),
        when=(('bridge', 'sim'),), ready_topic=STATUS, ready_type=STATUS_TYPE,
        owns_time=True, measures_base=True,
    ),
    NodeRow(
        'softshell_control', 'mock_bridge', 'bridge', (ROBOT, PACE, TRANSFORMS, FOOTING),
        when=(('bridge', 'mock'),), ready_topic=STATUS, ready_type=STATUS_TYPE, owns_time=True,
    ),
    NodeRow(
        'softshell_hardware', 'hardware_bridge', 'bridge',
        (ROBOT, TRANSFORMS, FOOTING, ON_STACK_TIME, WIRING,
         ('emulated_ports', Derived(ports_folder))),
        when=(('bridge', 'hardware'),), ready_topic=STATUS, ready_type=STATUS_TYPE,
    ),
    NodeRow(
        'softshell_hardware', 'servo_emulator', 'servo_emulator',
        (ROBOT, PACE, ('folder', Derived(ports_folder)), ('publish_clock', True)),
        when=(('bridge', 'hardware'), ('wiring', EMULATED)), owns_time=True,
    ),
    NodeRow(
        # It runs on wall time: its answers do not depend on time, and reading /clock costs much.
        'softshell_kinematics_ros', 'kinematics', 'kinematics',
        (('chains', Derived(chains_of)),), ready_service='solve_ik',
    ),
    NodeRow(
        'softshell_actions', 'action_manager', 'action_manager', (ROBOT, ON_STACK_TIME),
        ready_service='execute_action/_action/send_goal',
    ),
    NodeRow(
        'softshell_studies', 'policy', 'policy', (ROBOT, POLICY, ON_STACK_TIME),
        given=('policy',), ready_service='policy/start',
    ),
    NodeRow(
        # It runs on wall time, by which messages arrive.
        'softshell_recording', 'black_box', 'black_box', when=(('black_box', True),),
        optional=True, witness=True,
    ),
    NodeRow(
        'softshell_dashboard', 'dashboard', 'dashboard',
        (ROBOT, ('web_host', From('web_host')), ('web_token', From('web_token')),
         ('web_port', From('web_port'))),
        when=(('gui', 'web'),), optional=True,
    ),
    NodeRow(
        'rviz2', 'rviz2', 'rviz', (ON_STACK_TIME,), when=(('rviz', True),),
        arguments=('-d', rviz_layout), optional=True, ours=False,
    ),
)  # fmt: skip

#: Topics that ROS names absolutely, and that belong into the namespace of a stack.
ABSOLUTE = ('clock', 'tf', 'tf_static')


def node_starts(values: Arguments, rows: Rows = NODES) -> list[NodeStart]:
    """The nodes of the stack for some arguments, in the order in which they are started.

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
            arguments=tuple(
                one if isinstance(one, str) else one(values, rows) for one in row.arguments
            ),
            parameters=tuple(_parameters(row, values, rows)),
            remappings=remappings if namespace else (),
            params_file=str(Path(params_file).resolve()) if params_file else '',
            log_level=str(values['log_level']),
        )
        for row in rows
        if _is_part(row, values)
    ]


def _is_part(row: NodeRow, values: Arguments) -> bool:
    wanted = all(values[name] == value for name, value in row.when)
    return wanted and all(values[name] for name in row.given)


def _parameters(row: NodeRow, values: Arguments, rows: Rows) -> Iterator[tuple[str, Value]]:
    for name, source in row.parameters:
        match source:
            case From(argument, value):
                if argument in values.given:
                    yield name, value(values[argument])
            case Derived(value):
                yield name, value(values, rows)
            case _:
                yield name, source


def remarks(starts: Sequence[NodeStart]) -> list[str]:
    """Warnings before the nodes start: sections of the parameters file that no node reads.

    Raises:
        ProblemsError: the parameters file cannot be read or is no YAML.
        SoftshellError: the parameters file has no parameters.
    """
    file = next((start.params_file for start in starts), '')
    return unused_sections(Path(file), [start.full_name for start in starts]) if file else []


def in_yaml(value: Value) -> str:
    """The value of a parameter on a node's command line, where it is read as YAML."""
    if isinstance(value, str):  # quoted, since it may look like a number
        return "'" + value.replace("'", "''") + "'"
    return str(value).lower() if isinstance(value, bool) else str(value)


def ros_arguments(node: NodeStart) -> list[str]:
    """The arguments that are appended to a node's command line."""
    arguments = [*node.arguments, '--ros-args', '-r', f'__node:={node.name}']
    if node.namespace:
        arguments += ['-r', f'__ns:=/{node.namespace}']
    for name, target in node.remappings:
        arguments += ['-r', f'{name}:={target}']
    if node.params_file:
        arguments += ['--params-file', node.params_file]
    for name, value in node.parameters:
        arguments += ['-p', f'{name}:={in_yaml(value)}']
    return [*arguments, *node.log_arguments]

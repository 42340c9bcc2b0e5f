"""The arguments of the stack, given as `name:=value`; needs no ROS."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from os.path import isfile
from pathlib import Path

from softshell_bringup.page_arguments import NAMES as PAGE
from softshell_bringup.page_arguments import TOKEN, is_address, is_port, is_token, page_problems
from softshell_common.namespace import EXPECTED as NAMESPACE
from softshell_common.namespace import is_namespace
from softshell_common.onlooker import PORT
from softshell_common.pace import FASTEST, REAL_TIME, SLOWEST, is_factor
from softshell_description.robots import DEFAULT_ROBOT, robot_folder
from softshell_kinematics.errors import ProblemsError, SoftshellError, nearest

Value = bool | int | float | str


@dataclass(frozen=True)
class Argument:
    """One argument of the stack.

    Args:
        name: its name.
        default: the value that it has if it is not given; its type is the argument's type.
        description: what it does, with its unit.
        choices: the valid values of a text; empty: any.
        accepts: returns whether a value of its type is valid.
        expected: the values that it accepts, as messages name them.
    """

    name: str
    default: Value
    description: str
    choices: tuple[str, ...] = ()
    accepts: Callable[..., bool] = lambda value: True
    expected: str = ''

    @property
    def default_text(self) -> str:
        """The default as it would be typed."""
        return str(self.default).lower() if isinstance(self.default, bool) else str(self.default)

    @property
    def valid(self) -> str:
        """The valid values, as messages name them."""
        if self.choices:
            return ' or '.join(self.choices)
        if isinstance(self.default, bool):
            return 'true or false'
        kinds = {int: 'a whole number', float: 'a number', str: 'a text'}
        return self.expected or kinds[type(self.default)]

    def parse(self, text: str) -> Value:
        """The value of a text as typed.

        Raises:
            ValueError: the text is no valid value; the message names those that are.
        """
        try:
            value = self._value(text)
            if not self.accepts(value):
                raise ValueError
        except ValueError:
            raise ValueError(f'{self.name} is {text!r}; expected {self.valid}') from None
        return value

    def _value(self, text: str) -> Value:
        if self.choices and text not in self.choices:
            raise ValueError
        if isinstance(self.default, bool):
            if text.lower() not in ('true', 'false'):
                raise ValueError
            return text.lower() == 'true'
        if isinstance(self.default, int):
            return int(text)
        if isinstance(self.default, float):
            number = float(text)
            if not math.isfinite(number):
                raise ValueError
            return number
        return text


ARGUMENTS: tuple[Argument, ...] = (
    Argument('robot', DEFAULT_ROBOT, 'name of an installed robot, or path of its folder'),
    Argument('bridge', 'sim', 'what moves the joints: sim is a simulated world, mock follows '
             'commands without physics, hardware drives servos', ('sim', 'mock', 'hardware')),
    Argument('engine', '', 'physics engine (bridge:=sim only): pybullet, mujoco, or one of your '
             'own; by default that of the demo or of the robot, else pybullet, or mujoco if '
             'pybullet is not installed'),
    Argument('wiring', '', 'file of servos, by default config/hardware/<robot>.yaml, or '
             'hardware.yaml in the folder of a robot of your own; a stack takes it with '
             'bridge:=hardware only, and also emulated: emulated servos on a serial port'),
    Argument('scene', '', 'file of the bodies and the ground that the world begins with '
             '(bridge:=sim only)'),
    Argument('footing', False, 'for a robot with legs: a foot stops where it meets the ground '
             'early and reaches down where it meets none, and the base stays level'),
    Argument('fingers', '0', 'soft fingers under the belly of Shell: 6 runs the robot '
             'shell_fingers; with another robot, the robot <robot>_fingers', ('0', '6')),
    Argument('gui', 'none', 'web: a page in the browser to watch and drive the robot, whose '
             'address is logged; window: a window of the simulation (bridge:=sim only)',
             ('none', 'window', 'web')),
    Argument('web_host', '127.0.0.1', 'address on which the page is served (gui:=web only); '
             '0.0.0.0: on all addresses of this machine; those that other machines reach need a '
             'token', accepts=is_address,
             expected='an address of this machine, e.g. 127.0.0.1 or 0.0.0.0'),
    Argument('web_port', 0, 'port of the page (gui:=web only); 0: the first free one from '
             f'{PORT}', accepts=is_port, expected='0, or a whole number from 1 to 65535'),
    Argument('web_token', '', 'token that is needed to open the page (gui:=web only); by default '
             'one is made if the address needs it', accepts=is_token,
             expected=TOKEN),
    Argument('policy', '', 'file of a policy, as `./softshell train` writes it; the policy moves '
             'the robot from a call of `policy/start` to one of `policy/stop`'),
    Argument('rviz', False, 'start RViz, if it is installed, with a layout for the robot'),
    Argument('publish_tf', True,
             'publish /tf and /tf_static; false if robot_state_publisher does'),
    Argument('black_box', True, 'keep the messages of the last 30 s, and write them into a bag '
             'after a fault'),
    Argument('namespace', '', 'namespace of all nodes, their clock and their transforms',
             accepts=is_namespace, expected=NAMESPACE),
    Argument('params_file', '', 'YAML file of ROS parameters, given to every node; arguments that '
             'are given override it, and robot is taken from the argument alone'),
    Argument('log_level', 'info', 'least severity that the nodes log',
             ('debug', 'info', 'warn', 'error', 'fatal')),
    Argument('real_time_factor', REAL_TIME,
             'speed of simulated time over real time; 0: as fast as possible',
             accepts=is_factor, expected=f'0, or a number from {SLOWEST:g} to {FASTEST:g}'),
)  # fmt: skip

BY_NAME: Mapping[str, Argument] = {argument.name: argument for argument in ARGUMENTS}


#: End of the name of a robot with fingers.
FINGERS = '_fingers'
#: Value of `wiring` for emulated servos.
EMULATED = 'emulated'


@dataclass(frozen=True)
class Arguments(Mapping[str, Value]):
    """The value of every argument of the stack, by name.

    Args:
        given: values of the arguments that were given; all others have their defaults.
    """

    given: Mapping[str, Value]

    def __getitem__(self, name: str) -> Value:
        if name == 'robot' and self['fingers'] != BY_NAME['fingers'].default:
            robot = str(self.given.get(name, BY_NAME[name].default))
            return f'{robot.removesuffix(FINGERS)}{FINGERS}'
        return self.given[name] if name in self.given else BY_NAME[name].default

    def __iter__(self) -> Iterator[str]:
        return iter(BY_NAME)

    def __len__(self) -> int:
        return len(BY_NAME)


def parse_arguments(given: Mapping[str, str]) -> Arguments:
    """The value of every argument, from the texts that were given.

    Raises:
        ProblemsError: lists all unknown names, invalid values and contradictions, with what was
            expected.
    """
    values: dict[str, Value] = {}
    problems = []
    for name, text in given.items():
        if name not in BY_NAME:
            problems.append(unknown_argument(name))
            continue
        try:
            values[name] = BY_NAME[name].parse(text)
        except ValueError as error:
            problems.append(str(error))
    arguments = Arguments(values)
    problems += _contradictions(arguments)
    if problems:
        raise ProblemsError('arguments of the stack', problems)
    return arguments


def unknown_argument(name: str) -> str:
    """The message about an argument that the stack does not have."""
    meant = nearest(name, BY_NAME)
    hint = f'did you mean {meant}? ' if meant is not None else ''
    return f'unknown argument {name!r}; {hint}known: {", ".join(BY_NAME)}'


def is_installed(package: str) -> bool:
    """Whether a ROS package is installed."""
    from ament_index_python.packages import PackageNotFoundError, get_package_prefix

    try:
        get_package_prefix(package)
    except (PackageNotFoundError, OSError):  # OSError: no ROS environment at all
        return False
    return True


def _contradictions(values: Arguments) -> Iterator[str]:
    """Values that contradict each other, and files or programs that this machine does not have."""
    if values['params_file'] and not isfile(str(values['params_file'])):
        yield f'params_file: no file {str(values["params_file"])!r}'
    if values['engine'] and values['bridge'] != 'sim':
        yield f'engine is {values["engine"]!r}; expected bridge:=sim, not {values["bridge"]}'
    if values['scene'] and values['bridge'] != 'sim':
        yield f'scene is {values["scene"]!r}; expected bridge:=sim with it, not {values["bridge"]}'
    elif values['scene'] and not isfile(str(values['scene'])):
        yield f'scene: no file {values["scene"]!r}'
    if values['gui'] == 'window' and values['bridge'] != 'sim':
        yield f'gui is window; expected bridge:=sim with it, not {values["bridge"]}'
    wiring = str(values['wiring'])
    if wiring and values['bridge'] != 'hardware':
        yield f'wiring is {wiring!r}; expected bridge:=hardware with it, not {values["bridge"]}'
    if wiring not in ('', EMULATED) and not isfile(wiring):
        yield f'wiring: no file {wiring!r}; expected one, or {EMULATED}'
    if values['bridge'] == 'hardware' and 'real_time_factor' in values.given:
        factor = values['real_time_factor']
        if wiring != EMULATED:
            yield (
                f'real_time_factor is {factor}; expected none: only emulated servos '
                f'(wiring:={EMULATED}) can run faster or slower than real time'
            )
        elif not factor:
            yield (
                f'real_time_factor is 0; expected {SLOWEST:g} to {FASTEST:g} with emulated servos'
            )
    if values['gui'] != 'web':
        for name in PAGE:
            if name in values.given:
                yield f'{name} is {values[name]!r}; expected gui:=web with it, not {values["gui"]}'
    else:
        yield from page_problems(values)
    if values['rviz'] and not is_installed('rviz2'):
        yield 'rviz is true; expected rviz2 to be installed (apt: ros-jazzy-rviz2)'
    try:
        robot_folder(str(values['robot']))
    except SoftshellError as error:
        if values['fingers'] == BY_NAME['fingers'].default:
            yield str(error)
        else:
            robot = str(values['robot']).removesuffix(FINGERS)
            yield f'fingers is {values["fingers"]!r}; expected 0 with robot {robot!r}: {error}'
    else:
        yield from _policy_problems(values)


def _policy_problems(values: Arguments) -> Iterator[str]:
    """Why a policy cannot move the robot."""
    if values['policy']:
        from softshell_studies.gym.policy_check import wired_policy

        try:
            wired_policy(Path(str(values['policy'])), str(values['robot']))
        except SoftshellError as error:
            yield f'policy: {error}'

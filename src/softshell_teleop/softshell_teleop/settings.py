"""The key map, speeds and steps, from config/teleop.yaml."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from softshell_common.yaml_file import Number, Positive, StrictModel, YamlFile
from softshell_kinematics.errors import ProblemsError
from softshell_teleop.key_parser import NAMED_KEYS

#: Keys that always exit, also if the key map does not list them.
ALWAYS_EXIT = ('ctrl-c', 'ctrl-d')


def _key(name: str) -> str:
    canonical = name.lower()
    if canonical == 'escape':
        raise ValueError(
            'cannot be told from the beginning of another key by a terminal; expected another key'
        )
    if canonical in NAMED_KEYS or (len(canonical) == 1 and canonical.isprintable()):
        return 'space' if canonical == ' ' else canonical
    known = ', '.join(sorted(NAMED_KEYS - {'escape'}))
    raise ValueError(f'is no key; expected one character or one of: {known}')


KeyNames = tuple[Annotated[str, AfterValidator(_key)], ...]
Speed = Annotated[Positive, Field(le=10)]


class Keys(StrictModel):
    """Keys of each command; a command without a key has `[]`.

    Attributes:
        forward, backward: walk in this direction while held.
        left, right: walk sideways while held.
        turn_left, turn_right: turn while held, on the spot or while walking.
        raise, lower: move the base by a step.
        tilt_forward, tilt_backward, tilt_left, tilt_right: tilt the base by a step, this side
            down.
        level: tilt back to zero.
        stop: stop walking and cancel the running action.
        emergency_stop: ask the bridge to stop at once, until it is reset.
        faster, slower: change the speed by a step.
        next_gait: walk with the next of the robot's gaits.
        help: print the help text.
        keys: print the table of keys.
        exit: end the interface.
    """

    forward: KeyNames
    backward: KeyNames
    left: KeyNames
    right: KeyNames
    turn_left: KeyNames
    turn_right: KeyNames
    raise_: KeyNames = Field(alias='raise')
    lower: KeyNames
    tilt_forward: KeyNames
    tilt_backward: KeyNames
    tilt_left: KeyNames
    tilt_right: KeyNames
    level: KeyNames
    stop: KeyNames
    emergency_stop: KeyNames
    faster: KeyNames
    slower: KeyNames
    next_gait: KeyNames
    help: KeyNames
    keys: KeyNames
    exit: KeyNames


class Drive(StrictModel):
    """Speeds of walking.

    Attributes:
        linear: speed at factor 1 [m/s].
        angular: speed of turning at factor 1 [rad/s].
        rate: rate of cmd_vel while a key is held [Hz].
        speed_step: number by which one press multiplies or divides the factor.
        speed_minimum: smallest factor.
        speed_maximum: largest factor.
    """

    linear: Speed
    angular: Speed
    rate: Annotated[Number, Field(ge=5, le=100)]
    speed_step: Annotated[Number, Field(gt=1, le=4)]
    speed_minimum: Annotated[Positive, Field(le=1)]
    speed_maximum: Annotated[Number, Field(ge=1, le=20)]


class Hold(StrictModel):
    """How long a key counts as held; terminals do not report its release.

    Attributes:
        first: time after a press [s].
        repeat: time after a repeat [s]; less than `first`.
    """

    first: Annotated[Number, Field(ge=0.3, le=3)]
    repeat: Annotated[Number, Field(ge=0.1, le=1)]


class PostureSteps(StrictModel):
    """Steps of the posture.

    Attributes:
        height_step: step of raising and lowering [m].
        tilt_step: step of tilting [rad].
        interval: shortest time between two steps while a key is held [s].
    """

    height_step: Annotated[Positive, Field(le=0.05)]
    tilt_step: Annotated[Positive, Field(le=0.2)]
    interval: Annotated[Number, Field(ge=0, le=1)]


@dataclass(frozen=True)
class Binding:
    """What a key does: a command of `Keys`, or `action` with the action's name."""

    command: str
    action: str = ''


class Settings(StrictModel):
    """All of config/teleop.yaml.

    Attributes:
        keys: keys of the commands.
        actions: keys of actions, by the action's name; used if the robot has the action.
        drive: speeds of walking.
        hold: how long keys count as held.
        posture: how far one press moves the base.
    """

    keys: Keys
    actions: dict[Annotated[str, Field(min_length=1)], KeyNames]
    drive: Drive
    hold: Hold
    posture: PostureSteps

    @cached_property
    def bindings(self) -> Mapping[str, Binding]:
        """The binding of each key that has one."""
        commands = self.keys.model_dump(by_alias=True)
        bound = {key: Binding(name) for name, keys in commands.items() for key in keys}
        bound |= {
            key: Binding('action', name) for name, keys in self.actions.items() for key in keys
        }
        return bound | {key: Binding('exit') for key in ALWAYS_EXIT}


def load_settings(path: Path) -> Settings:
    """The settings in a YAML file.

    Raises:
        ProblemsError: names the file, and every problem in it with its line.
    """
    file = YamlFile(path)
    problems: list[str] = []
    settings = None
    try:
        settings = file.validate(Settings)
    except ProblemsError as error:
        problems.extend(error.problems)
    problems.extend(_cross_problems(file))
    if problems or settings is None:
        raise ProblemsError(str(path), problems)
    return settings


def _cross_problems(file: YamlFile) -> Iterator[str]:
    """Contradictions between values; checks types, as the file may have other problems."""
    data = file.data if isinstance(file.data, dict) else {}
    owners: dict[str, str] = {}
    for section in ('keys', 'actions'):
        for name, keys in _mapping(data, section).items():
            for index, key in enumerate(keys if isinstance(keys, list) else []):
                if not isinstance(key, str):
                    continue
                canonical = 'space' if key == ' ' else key.lower()
                if canonical in ALWAYS_EXIT:
                    text = f'{key!r} always exits; expected another key'
                    yield file.problem((section, name, index), text)
                if canonical in owners:
                    yield file.problem(
                        (section, name, index), f'{key!r} is already bound to {owners[canonical]}'
                    )
                owners.setdefault(canonical, f'{section}.{name}')
    hold = _mapping(data, 'hold')
    small, large = hold.get('repeat'), hold.get('first')
    if isinstance(small, int | float) and isinstance(large, int | float) and small >= large:
        text = f'is {small}; expected less than hold.first, which is {large}'
        yield file.problem(('hold', 'repeat'), text)


def _mapping(data: dict[str, Any], name: str) -> dict[Any, Any]:
    value = data.get(name)
    return value if isinstance(value, dict) else {}

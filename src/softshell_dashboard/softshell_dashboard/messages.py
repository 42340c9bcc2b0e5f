"""The messages that a page sends to the server, and how they are checked."""

import json
from typing import Annotated, Literal, get_args

from pydantic import AfterValidator, Field

from softshell_common.plain_data import checked
from softshell_common.shown import shown
from softshell_common.yaml_file import StrictModel
from softshell_kinematics.errors import SoftshellError, UnknownNameError

#: Most characters of a message, and of the text that says what is wrong with one.
LONGEST, LONGEST_PROBLEM = 20_000, 400


def _printable(text: str) -> str:
    if not text.isprintable():
        raise ValueError('expected characters that can be printed')
    return text


Name = Annotated[str, Field(min_length=1, max_length=100), AfterValidator(_printable)]
Finite = Annotated[float, Field(allow_inf_nan=False)]
Near = Annotated[float, Field(ge=-100.0, le=100.0)]
Part = Annotated[float, Field(ge=-1.0, le=1.0)]


class Alive(StrictModel):
    """The page is still open; sent at a steady rate, beside all other messages."""

    type: Literal['alive']


class Hold(StrictModel):
    """The drive keys and pads that are held now.

    Sent at each change, and repeated at a steady rate while anything is held.

    Attributes:
        commands: drive commands of the held keys, e.g. `forward`.
        stick: speeds forward, to the left, and turning to the left, as parts of the largest.
    """

    type: Literal['hold']
    commands: tuple[Name, ...] = Field(default=(), max_length=12)
    stick: tuple[Part, Part, Part] = (0.0, 0.0, 0.0)


class Key(StrictModel):
    """A key was pressed that is no drive key; `key` is its name in the key map."""

    type: Literal['key']
    key: Name


class Speed(StrictModel):
    """Set the speed of driving, as a factor of the speeds in the key map."""

    type: Literal['speed']
    factor: Finite


class Gait(StrictModel):
    """Choose the gait to walk by."""

    type: Literal['gait']
    name: Name


class Pose(StrictModel):
    """Bring the base to a pose over its feet: height z [m], roll and pitch [rad]."""

    type: Literal['pose']
    z: Near
    roll: Near
    pitch: Near


class Perform(StrictModel):
    """Begin an action.

    Attributes:
        action: its name.
        parameters: by name, in their units; the others have their defaults.
        queue: begin it after the actions that are under way, instead of replacing them.
    """

    type: Literal['perform']
    action: Name
    parameters: dict[Name, Finite] = Field(default_factory=dict)
    queue: bool = False


class Cancel(StrictModel):
    """Cancel all actions, whoever began them."""

    type: Literal['cancel']


class Bridge(StrictModel):
    """Send a request to the bridge, e.g. `reset`."""

    type: Literal['bridge']
    request: Name


class Fingers(StrictModel):
    """Command values of channels that are no joints, by name, in their units."""

    type: Literal['fingers']
    values: Annotated[dict[Name, Finite], Field(min_length=1, max_length=200)]


class Spawn(StrictModel):
    """Put a body into the simulated world, ahead of the robot.

    Attributes:
        body: its name; empty: a free name is chosen.
        description: YAML, as of a body in a scene file, without its pose.
        ahead, left: position relative to the base, along its heading [m].
        height: of the body's origin above the ground [m].
    """

    type: Literal['spawn']
    body: Annotated[str, Field(max_length=100)] = ''
    description: Annotated[str, Field(min_length=1, max_length=10_000)]
    ahead: Finite = 0.5
    left: Finite = 0.0
    height: Finite = 0.0


class Remove(StrictModel):
    """Remove a body from the simulated world."""

    type: Literal['remove']
    body: Name


class Take(StrictModel):
    """Become the driver, in place of another visitor if there is one."""

    type: Literal['take']


class Leave(StrictModel):
    """Stop being the driver."""

    type: Literal['leave']


class Camera(StrictModel):
    """Show the pictures of a camera; an empty name: none."""

    type: Literal['camera']
    name: Annotated[str, Field(max_length=100)] = ''


class Joints(StrictModel):
    """Start or stop sending the table of joints to this page."""

    type: Literal['joints']
    shown: bool


class View(StrictModel):
    """Options of the scene.

    Attributes:
        follow: keep the robot in the middle; otherwise the ground is fixed.
        contacts: show the forces of all contacts of a simulation; otherwise only of the feet.
    """

    type: Literal['view']
    follow: bool
    contacts: bool


Message = (
    Alive | Hold | Key | Speed | Gait | Pose | Perform | Cancel | Bridge | Fingers | Spawn
    | Remove | Take | Leave | Camera | Joints | View
)  # fmt: skip

#: The kinds of messages, by their `type`.
_KINDS: dict[str, type[Message]] = {
    get_args(kind.model_fields['type'].annotation)[0]: kind for kind in get_args(Message)
}


def read_message(text: str) -> Message:
    """Read a message from its JSON.

    Raises:
        UnknownNameError: there is no message of this type.
        SoftshellError: it is no valid message; names the field, the value and what was expected.
    """
    if len(text) > LONGEST:
        raise SoftshellError(f'a message has {len(text)} characters; expected at most {LONGEST}')
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        raise SoftshellError(f'a message is {shown(text)}; expected JSON') from None
    name = data.get('type') if isinstance(data, dict) else None
    if not isinstance(name, str) or name not in _KINDS:
        raise UnknownNameError('type of message', str(name or ''), _KINDS)
    message, problems = checked(_KINDS[name], data)
    if message is None:
        raise SoftshellError(shown(f'{name}: {problems[0]}', LONGEST_PROBLEM))
    return message

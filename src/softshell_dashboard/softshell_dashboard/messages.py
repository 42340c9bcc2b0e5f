"""What a page in a browser says, checked."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, TypeAdapter, ValidationError

from softshell_common.shown import shown
from softshell_common.yaml_file import StrictModel
from softshell_kinematics.errors import SoftshellError

#: Characters of a message at most.
LONGEST = 20_000


def _printable(text: str) -> str:
    if not text.isprintable():
        raise ValueError('expected characters that can be printed')
    return text


Name = Annotated[str, Field(min_length=1, max_length=100), AfterValidator(_printable)]
Finite = Annotated[float, Field(allow_inf_nan=False)]
Near = Annotated[float, Field(ge=-100.0, le=100.0)]
Part = Annotated[float, Field(ge=-1.0, le=1.0)]


class Alive(StrictModel):
    """The page is there; sent at a steady rate whatever else is said."""

    type: Literal['alive']


class Hold(StrictModel):
    """All that is held down now; said at each change, and again and again while anything is.

    Attributes:
        commands: drive commands of held keys, e.g. `forward`.
        stick: forward, to the left, turning to the left, each as a part of the largest speed.
    """

    type: Literal['hold']
    commands: tuple[Name, ...] = Field(default=(), max_length=12)
    stick: tuple[Part, Part, Part] = (0.0, 0.0, 0.0)


class Key(StrictModel):
    """A key that is no drive key was pressed, by its name in the key map."""

    type: Literal['key']
    key: Name


class Speed(StrictModel):
    """Drive so many times as fast as the key map says."""

    type: Literal['speed']
    factor: Finite


class Gait(StrictModel):
    """Walk by a gait."""

    type: Literal['gait']
    name: Name


class Pose(StrictModel):
    """Bring the base to a pose over its feet: height [m], tilts [rad]."""

    type: Literal['pose']
    z: Near
    roll: Near
    pitch: Near


class Perform(StrictModel):
    """Begin an action; parameters in its units, those that are not named keep their defaults."""

    type: Literal['perform']
    action: Name
    parameters: dict[Name, Finite] = Field(default_factory=dict)
    queue: bool = False


class Cancel(StrictModel):
    """Cancel all that this page began."""

    type: Literal['cancel']


class Bridge(StrictModel):
    """Ask the bridge for something, e.g. `reset`."""

    type: Literal['bridge']
    request: Name


class Fingers(StrictModel):
    """Have channels go to some values, in their units."""

    type: Literal['fingers']
    values: Annotated[dict[Name, Finite], Field(min_length=1, max_length=200)]


class Spawn(StrictModel):
    """Put a body into the simulated world, ahead of the robot.

    Attributes:
        body: its name; empty: the next free one.
        description: YAML, as of a body in a scene file without its place.
        ahead, left: of the base, along its heading [m].
        height: of the body's origin above the ground [m].
    """

    type: Literal['spawn']
    body: Annotated[str, Field(max_length=100)] = ''
    description: Annotated[str, Field(min_length=1, max_length=10_000)]
    ahead: Finite = 0.5
    left: Finite = 0.0
    height: Finite = 0.0


class Remove(StrictModel):
    """Take a body out of the simulated world."""

    type: Literal['remove']
    body: Name


class Take(StrictModel):
    """Drive from now on, in place of whoever does."""

    type: Literal['take']


class Leave(StrictModel):
    """Do not drive any more."""

    type: Literal['leave']


class Camera(StrictModel):
    """Show a camera; empty: none."""

    type: Literal['camera']
    name: Annotated[str, Field(max_length=100)] = ''


class Joints(StrictModel):
    """Tell what single joints do, or no more."""

    type: Literal['joints']
    shown: bool


class View(StrictModel):
    """What the scene shows.

    Attributes:
        follow: keep the robot in the middle, rather than the ground still.
        contacts: forces of all contacts of a simulation, not of the feet alone.
    """

    type: Literal['view']
    follow: bool
    contacts: bool


Message = (
    Alive | Hold | Key | Speed | Gait | Pose | Perform | Cancel | Bridge | Fingers | Spawn
    | Remove | Take | Leave | Camera | Joints | View
)  # fmt: skip

_ANY: TypeAdapter[Message] = TypeAdapter(Annotated[Message, Field(discriminator='type')])


def read_message(text: str) -> Message:
    """A message from its JSON.

    Raises:
        SoftshellError: it is none; the text names the field, the value and what was expected.
    """
    if len(text) > LONGEST:
        raise SoftshellError(f'a message of {len(text)} characters; expected at most {LONGEST}')
    try:
        return _ANY.validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        where = '.'.join(str(part) for part in first['loc'][1:]) or 'message'
        given = shown(str(first.get('input')))
        raise SoftshellError(f'{where} is {given}: {first["msg"]}') from None

"""Changes that can be made in a running world, each with its checks."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import UnknownNameError
from softshell_sim.bodies import Body, BodyState, ObjectSpec, RobotSpec, Surface, surface_problems
from softshell_sim.changing.change_checks import FARTHEST, state_problems, vector_problems
from softshell_sim.changing.drive import Drive, Release
from softshell_sim.number_checks import is_number

#: The largest force [N] and torque [N m] of a push.
LARGEST_FORCE, LARGEST_TORQUE = 1e5, 1e4


def _zeros() -> Array:
    return np.zeros(3)


@dataclass(frozen=True, eq=False)
class Spawn:
    """Add a body.

    Args:
        spec: the body.
        state: of its root link; None: at rest, where the specification says.
    """

    spec: ObjectSpec | RobotSpec
    state: BodyState | None = None

    def problems(self, bodies: Mapping[str, Body]) -> Iterator[str]:
        """What is wrong with it in a world of these bodies, by name; one line each."""
        if not self.spec.name:
            yield 'has no name; expected one that no other body has'
        if self.spec.name in bodies:
            yield f'body {self.spec.name!r} exists already; remove it, or take another name'
        if self.state is not None:
            yield from state_problems(self.state)


@dataclass(frozen=True)
class Remove:
    """Remove a body from the world.

    Args:
        body: its name.
    """

    body: str

    def problems(self, bodies: Mapping[str, Body]) -> Iterator[str]:
        """What is wrong with it in a world of these bodies, by name; one line each."""
        if self.body not in bodies:
            yield str(UnknownNameError('body', self.body, bodies))


@dataclass(frozen=True, eq=False)
class Place:
    """Place a body: its root link, some of its joints, or both.

    Args:
        body: its name.
        state: of its root link; its velocities are 0 if the root link stands still; None: it
            stays as it is.
        joints: new positions [rad] or [m] by the names of joints, within their limits; these
            joints are then at rest, the others stay as they are.
    """

    body: str
    state: BodyState | None = None
    joints: Mapping[str, float] = field(default_factory=dict)

    def problems(self, bodies: Mapping[str, Body]) -> Iterator[str]:
        """What is wrong with it in a world of these bodies, by name; one line each."""
        if self.body not in bodies:
            yield str(UnknownNameError('body', self.body, bodies))
            return
        if self.state is None and not self.joints:
            yield 'has neither a state nor joints; expected one of them, or both'
        if self.state is not None:
            yield from state_problems(self.state)
        known = bodies[self.body].joints
        for name, position in self.joints.items():
            if name not in known:
                yield str(UnknownNameError('joint', name, known))
            elif not is_number(position) or not math.isfinite(position):
                yield f'joint {name!r} is at {position}; expected a finite position'


@dataclass(frozen=True, eq=False)
class Push:
    """Apply a force and a torque to a link for some time.

    Args:
        body: name of the body.
        force: (3,) in the world [N].
        torque: (3,) in the world [N m].
        duration: [s].
        link: name of the link; empty: the root link.
        point: (3,) in the frame of the link, where the force acts [m]; it moves with the link.
    """

    body: str
    force: Array
    torque: Array = field(default_factory=_zeros)
    duration: float = math.inf
    link: str = ''
    point: Array = field(default_factory=_zeros)

    def problems(self, bodies: Mapping[str, Body]) -> Iterator[str]:
        """What is wrong with it in a world of these bodies, by name; one line each."""
        if self.body not in bodies:
            yield str(UnknownNameError('body', self.body, bodies))
        elif self.link and self.link not in bodies[self.body].links:
            yield str(UnknownNameError('link', self.link, bodies[self.body].links))
        yield from vector_problems('force', self.force, LARGEST_FORCE, 'N')
        yield from vector_problems('torque', self.torque, LARGEST_TORQUE, 'N m')
        yield from vector_problems('point', self.point, FARTHEST, 'm')
        if not is_number(self.duration) or not self.duration > 0.0:
            yield f'duration is {self.duration} s; expected more than 0'


@dataclass(frozen=True)
class SetSurface:
    """Set the surface of a body, or the surface between a pair of bodies.

    Args:
        body: its name.
        surface: of the body, or of the pair; None: the pair has the blend of both surfaces again.
        other: name of the other body of the pair; the same name: links of one body among each
            other; empty: the surface of the body itself is set.
    """

    body: str
    surface: Surface | None
    other: str = ''

    def problems(self, bodies: Mapping[str, Body]) -> Iterator[str]:
        """What is wrong with it in a world of these bodies, by name; one line each."""
        for name in (self.body, self.other) if self.other else (self.body,):
            if name not in bodies:
                yield str(UnknownNameError('body', name, bodies))
        if self.surface is None and not self.other:
            yield 'gives no surface; expected one, or the other body of a pair'
        elif self.surface is not None:
            yield from surface_problems(self.surface)


@dataclass(frozen=True)
class SetPadding:
    """Set the thickness of the layer round a body.

    Args:
        body: its name.
        padding: thickness [m].
    """

    body: str
    padding: float

    def problems(self, bodies: Mapping[str, Body]) -> Iterator[str]:
        """What is wrong with it in a world of these bodies, by name; one line each."""
        if self.body not in bodies:
            yield str(UnknownNameError('body', self.body, bodies))


Change = Spawn | Remove | Place | Push | SetSurface | SetPadding | Drive | Release


def is_placed(body: str, change: Change) -> bool:
    """Whether a change puts a body, by its name, elsewhere at once."""
    jumps = change.jumps if isinstance(change, Drive) else isinstance(change, Place)
    return jumps and name_of(change) == body


def name_of(change: Change) -> str:
    """Name of the body that a change is about."""
    return change.spec.name if isinstance(change, Spawn) else change.body

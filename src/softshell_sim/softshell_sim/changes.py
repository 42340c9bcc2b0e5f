"""What may be changed in a running world, and what is wrong with a change."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import UnknownNameError
from softshell_sim.bodies import Body, BodyState, ObjectSpec, RobotSpec, Surface
from softshell_sim.change_checks import FARTHEST, state_problems, vector_problems
from softshell_sim.drive import Drive, Release

#: The largest force [N] and torque [N m] that a body is pushed with.
LARGEST_FORCE, LARGEST_TORQUE = 1e5, 1e4


def _zeros() -> Array:
    return np.zeros(3)


@dataclass(frozen=True, eq=False)
class Spawn:
    """Add a body: where its specification says, or else where `state` says.

    Args:
        spec: the body.
        state: of its root link.
    """

    spec: ObjectSpec | RobotSpec
    state: BodyState | None = None

    def problems(self, bodies: Mapping[str, Body]) -> Iterator[str]:
        """What is wrong with it where there are these bodies."""
        if not self.spec.name:
            yield 'has no name; expected one that no other body has'
        if self.spec.name in bodies:
            yield f'body {self.spec.name!r} exists already; remove it, or take another name'
        if self.state is not None:
            yield from state_problems(self.state)


@dataclass(frozen=True)
class Remove:
    """Take a body out of the world.

    Args:
        body: its name.
    """

    body: str

    def problems(self, bodies: Mapping[str, Body]) -> Iterator[str]:
        """What is wrong with it where there are these bodies."""
        if self.body not in bodies:
            yield str(UnknownNameError('body', self.body, bodies))


@dataclass(frozen=True, eq=False)
class Place:
    """Put a body somewhere.

    Args:
        body: its name.
        state: of its root link, which of one that stands still may only be at rest; None: it
            stays as it is.
        joints: positions [rad] or [m] of joints that are put there, at rest, within their limits;
            the others stay.
    """

    body: str
    state: BodyState | None = None
    joints: Mapping[str, float] = field(default_factory=dict)

    def problems(self, bodies: Mapping[str, Body]) -> Iterator[str]:
        """What is wrong with it where there are these bodies."""
        if self.body not in bodies:
            yield str(UnknownNameError('body', self.body, bodies))
            return
        if self.state is None and not self.joints:
            yield f'puts {self.body!r} nowhere; expected a state, or positions of joints'
        if self.state is not None:
            yield from state_problems(self.state)
        known = bodies[self.body].joints
        for name, position in self.joints.items():
            if name not in known:
                yield str(UnknownNameError('joint', name, known))
            elif not math.isfinite(position):
                yield f'joint {name!r} is at {position}; expected a finite position'


@dataclass(frozen=True, eq=False)
class Push:
    """Let a force and a torque act on a link for a while.

    Args:
        body: name of the body.
        force: (3,) in the world [N].
        torque: (3,) in the world [N m].
        duration: [s].
        link: name of the link; empty: the root link.
        point: (3,) in the link, where the force acts [m]; it goes with the link.
    """

    body: str
    force: Array
    torque: Array = field(default_factory=_zeros)
    duration: float = math.inf
    link: str = ''
    point: Array = field(default_factory=_zeros)

    def problems(self, bodies: Mapping[str, Body]) -> Iterator[str]:
        """What is wrong with it where there are these bodies."""
        if self.body not in bodies:
            yield str(UnknownNameError('body', self.body, bodies))
        elif self.link and self.link not in bodies[self.body].links:
            yield str(UnknownNameError('link', self.link, bodies[self.body].links))
        yield from vector_problems('force', self.force, LARGEST_FORCE, 'N')
        yield from vector_problems('torque', self.torque, LARGEST_TORQUE, 'N m')
        yield from vector_problems('point', self.point, FARTHEST, 'm')
        if not self.duration > 0.0:
            yield f'duration is {self.duration} s; expected more than 0'


@dataclass(frozen=True)
class SetSurface:
    """Give a body another surface, or a pair of bodies one between them.

    Args:
        body: its name.
        surface: of the body, or of the pair; None: the pair has the blend of both again.
        other: name of the other body of the pair, or the same name for the links of one body
            among each other; empty: the surface of the body.
    """

    body: str
    surface: Surface | None
    other: str = ''

    def problems(self, bodies: Mapping[str, Body]) -> Iterator[str]:
        """What is wrong with it where there are these bodies."""
        for name in (self.body, self.other) if self.other else (self.body,):
            if name not in bodies:
                yield str(UnknownNameError('body', name, bodies))
        if self.surface is None and not self.other:
            yield 'gives no surface; expected one, or the other body of a pair'


@dataclass(frozen=True)
class SetPadding:
    """Give a body a layer of another thickness.

    Args:
        body: its name.
        padding: [m].
    """

    body: str
    padding: float

    def problems(self, bodies: Mapping[str, Body]) -> Iterator[str]:
        """What is wrong with it where there are these bodies."""
        if self.body not in bodies:
            yield str(UnknownNameError('body', self.body, bodies))


Change = Spawn | Remove | Place | Push | SetSurface | SetPadding | Drive | Release


def name_of(change: Change) -> str:
    """The body that a change is about."""
    return change.spec.name if isinstance(change, Spawn) else change.body

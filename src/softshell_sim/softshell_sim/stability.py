"""How well the simulation of each body goes, and a correction for one that goes astray."""

from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np

from softshell_kinematics.arrays import Array
from softshell_sim.bodies import Body, BodyState
from softshell_sim.engine import Engine

#: A step may change the kinetic energy of a body to so many times what it was, and
GROWTH = 1.5
#: by so much per mass on top of that [J/kg]. Source of all three: the Klamp't manual.
GAIN = 1.0
#: No body has more kinetic energy than this [J].
MOST = 1e5


class Status(IntEnum):
    """How the simulation of a body went; a larger one is worse."""

    NORMAL = 0
    #: More than the layers of two bodies overlapped: depths and normals are doubtful.
    CONTACT_UNRELIABLE = 1
    #: The kinetic energy jumped; the body was slowed down.
    UNSTABLE = 2
    #: Its state was not finite; the body was put back.
    ERROR = 3


@dataclass(eq=False)
class _Before:
    """A body before a step: its state, its joints, and its kinetic energy [J]."""

    state: BodyState
    position: Array
    velocity: Array
    energy: float


class Stability:
    """Watches the bodies of an engine and corrects those that go astray, and no others.

    Call `before_step` and `after_step` round each step. A body whose kinetic energy jumps is put
    back to where it was before the step and keeps the velocity of after it, slowed down so far
    that the energy is what was allowed. A body whose state is not finite gets its state of before the
    step. A blow that really gives a body that much within a step is taken for a jump as well.

    Args:
        engine: that is watched.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.begin()

    def begin(self) -> None:
        """Forget everything."""
        self._worst: dict[Body, Status] = {}
        self._before: dict[Body, _Before] = {}

    def before_step(self) -> None:
        """Note where all bodies are."""
        moving = (body for body in self._engine.bodies.values() if self._engine.mass(body) > 0.0)
        self._before = {body: self._read(body) for body in moving}

    def after_step(self) -> None:
        """Judge all bodies, and correct those that need it."""
        for body in self._unreliable():
            self._note(body, Status.CONTACT_UNRELIABLE)
        after = {body: self._read(body) for body in self._before}
        for body, now in after.items():
            before = self._before[body]
            allowed = min(GROWTH * before.energy + GAIN * self._engine.mass(body), MOST)
            if not _is_finite(now):
                self._note(body, Status.ERROR)
                self._put_back(body, before, before, MOST)
            elif now.energy > allowed:
                self._note(body, Status.UNSTABLE)
                self._put_back(body, before, now, allowed)

    def read(self) -> dict[Body, Status]:
        """The worst of each body since the last call."""
        found = {
            body: self._worst.get(body, Status.NORMAL) for body in self._engine.bodies.values()
        }
        self._worst = {}
        return found

    def save(self) -> object:
        """The worst of each body since the last reading, as an independent copy."""
        return dict(self._worst)

    def restore(self, content: Any) -> None:
        """Bring back what `save` gave."""
        self._worst, self._before = dict(content), {}

    def _note(self, body: Body, status: Status) -> None:
        self._worst[body] = max(status, self._worst.get(body, Status.NORMAL))

    def _unreliable(self) -> set[Body]:
        """Bodies with a contact deeper than both layers together."""
        table = self._engine.all_contacts()
        padding = np.array([self._engine.padding[body] for body in table.bodies])
        layers = padding[table.owner].sum(axis=1) if len(table) else np.zeros(0)
        rows = table.owner[(layers > 0.0) & (table.depth > layers)]
        return {table.bodies[place] for place in np.unique(rows).tolist()}

    def _read(self, body: Body) -> _Before:
        state, count = BodyState(), len(body.joints)
        position, velocity = np.zeros(count), np.zeros(count)
        self._engine.read(body, state)
        self._engine.read_joints(body, position, velocity)
        return _Before(state, position, velocity, self._engine.kinetic_energy(body))

    def _put_back(self, body: Body, where: _Before, how: _Before, most: float) -> None:
        """Place a body as it was, moving with no more than an energy [J]."""
        part = min(1.0, float(np.sqrt(most / how.energy))) if how.energy > 0.0 else 1.0
        state = BodyState(
            where.state.position,
            where.state.orientation,
            part * how.state.linear_velocity,
            part * how.state.angular_velocity,
        )
        self._engine.place(body, state)
        if body.joints:
            self._engine.place_joints(body, where.position, part * how.velocity)


def _is_finite(body: _Before) -> bool:
    state = body.state
    parts = (
        state.position,
        state.orientation,
        state.linear_velocity,
        state.angular_velocity,
        body.position,
        body.velocity,
        np.array([body.energy]),
    )
    return all(bool(np.isfinite(part).all()) for part in parts)

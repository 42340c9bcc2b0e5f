"""Detection and correction of bodies whose simulation becomes unstable."""

from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from softshell_kinematics.arrays import Array
from softshell_sim.bodies import Body, BodyState
from softshell_sim.physics.engine import Engine

#: In one step the kinetic energy of a body may grow to GROWTH times what it was plus GAIN per mass
#: [J/kg], and to MOST at most [J]. Source: the Klamp't manual.
GROWTH, GAIN, MOST = 1.5, 1.0, 1e5


class Status(IntEnum):
    """How well the simulation of a body went; a larger number is worse."""

    NORMAL = 0
    #: Two bodies overlapped by more than their layers: depths and normals are unreliable.
    CONTACT_UNRELIABLE = 1
    #: The kinetic energy jumped; the body was slowed down.
    UNSTABLE = 2
    #: Its state was not finite; the body was set back to its state before the step.
    ERROR = 3


@dataclass(eq=False)
class _Moment:
    """A body at one time: its state, its joints, and its kinetic energy [J]."""

    state: BodyState
    position: Array
    velocity: Array
    energy: float


class Stability:
    """Watches the bodies of an engine and corrects those that become unstable, and no others.

    Call `before_step` before each step and `after_step` after it.

    A body whose kinetic energy jumps moves only part of its way in this step. It is slowed down
    until it has no more energy than before the step, or than `GAIN` times its mass. A real impact
    that gives a body as much energy within a step is taken for a jump as well. The energy of a
    driven body is not checked.

    A body whose state is not finite, which may spread to all bodies that it touches, gets its
    state of before the step.

    Args:
        engine: that is watched.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.begin()

    def begin(self) -> None:
        """Forget everything."""
        self._worst: dict[Body, Status] = {}
        self._before: dict[Body, _Moment] = {}
        self._after: dict[Body, _Moment] = {}

    def before_step(self) -> None:
        """Store the states of all bodies."""
        self._before = {body: self._read(body) for body in self._engine.bodies.values()}
        self._after = {}

    def after_step(self) -> None:
        """Check all bodies, and correct those that need it."""
        for body in self._unreliable():
            self._note(body, Status.CONTACT_UNRELIABLE)
        self._after = {body: self._read(body) for body in self._before}
        for body, now in self._after.items():
            before, gain = self._before[body], GAIN * self._engine.mass(body)
            if not _is_finite(now):
                self._note(body, Status.ERROR)
                self._place(body, before)
            elif body not in self._engine.driven and now.energy > min(
                GROWTH * before.energy + gain, MOST
            ):
                self._note(body, Status.UNSTABLE)
                self._slow_down(body, before, now, min(max(before.energy, gain), MOST))

    def read(self) -> dict[Body, Status]:
        """The worst status of each body since the last call."""
        found = {
            body: self._worst.get(body, Status.NORMAL) for body in self._engine.bodies.values()
        }
        self._worst = {}
        return found

    def _note(self, body: Body, status: Status) -> None:
        self._worst[body] = max(status, self._worst.get(body, Status.NORMAL))

    def _unreliable(self) -> set[Body]:
        """Bodies with a contact deeper than both layers together."""
        table = self._engine.all_contacts()
        padding = np.array([self._engine.padding[body] for body in table.bodies])
        layers = padding[table.owner].sum(axis=1) if len(table) else np.zeros(0)
        rows = table.owner[(layers > 0.0) & (table.depth > layers)]
        return {table.bodies[place] for place in np.unique(rows).tolist()}

    def _read(self, body: Body) -> _Moment:
        state, count = BodyState(), len(body.joints)
        position, velocity = np.zeros(count), np.zeros(count)
        self._engine.read(body, state)
        self._engine.read_joints(body, position, velocity)
        found = _Moment(state, position, velocity, 0.0)
        known = self._after.get(body)
        if known is not None and _is_same(found, known):
            found.energy = known.energy
        elif self._engine.mass(body) > 0.0:
            found.energy = self._engine.kinetic_energy(body)
        return found

    def _slow_down(self, body: Body, before: _Moment, after: _Moment, most: float) -> None:
        """Move a body only so far along its step that its energy is at most `most` [J]."""
        part = min(1.0, float(np.sqrt(most / after.energy)))
        old, new = before.state, after.state
        turn = new.orientation * np.copysign(1.0, old.orientation @ new.orientation)
        orientation = old.orientation + part * (turn - old.orientation)
        state = BodyState(
            old.position + part * (new.position - old.position),
            orientation / np.linalg.norm(orientation),
            part * new.linear_velocity,
            part * new.angular_velocity,
        )
        position = before.position + part * (after.position - before.position)
        self._place(body, _Moment(state, position, part * after.velocity, most))

    def _place(self, body: Body, there: _Moment) -> None:
        self._engine.place(body, there.state)
        if body.joints:
            self._engine.place_joints(body, there.position, there.velocity)


def _numbers(body: _Moment) -> tuple[Array, ...]:
    state = body.state
    return (
        state.position,
        state.orientation,
        state.linear_velocity,
        state.angular_velocity,
        body.position,
        body.velocity,
    )


def _is_finite(body: _Moment) -> bool:
    finite = all(bool(np.isfinite(part).all()) for part in _numbers(body))
    return finite and bool(np.isfinite(body.energy))


def _is_same(one: _Moment, other: _Moment) -> bool:
    pairs = zip(_numbers(one), _numbers(other), strict=True)
    return all(bool((first == second).all()) for first, second in pairs)

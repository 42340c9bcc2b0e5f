"""Rolls the ball by opening panels behind its contact with the ground, from an IMU alone.

A ball that is lifted behind the point on which it stands rolls ahead. Each tick the law looks a
moment ahead, finds the panel whose push would be furthest behind the ball's centre and least to
the side, opens it, and closes it again soon.
"""

from collections.abc import Mapping
from copy import deepcopy
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from softshell_control.ball.cage import Cage
from softshell_control.ball.candidates import Candidates, candidates_of
from softshell_control.ball.heading import Heading, Odometer
from softshell_control.ball.rolling_settings import Settings
from softshell_control.slew import slew
from softshell_kinematics.arrays import Array


class Aim(Enum):
    """What the ball is to do."""

    ROLL = 'roll along a heading'
    STOP = 'come to rest'
    RIGHT = 'roll until the base is upright, and rest'


#: Attributes of the law that change.
_STATE = (
    'goals', 'rates', 'wanted', 'cruise', 'tilt', 'resting', '_odometer', '_heading',
    '_open_until', '_rested_at', '_pushed',
    '_bloom_until', '_caught', '_bloom', '_aim', '_mark', '_catch_from',
)  # fmt: skip


class RollingLaw:
    """Computes joint positions from orientation and angular velocity of the base.

    Args:
        cage: that rolls, closed at the beginning.
        settings: of the law.
        candidates: of the cage; None: they are computed.

    Attributes:
        goals, rates: (joints,) positions [rad] and their rates [rad/s], as last told.
        wanted: (joints,) positions that the goals move to [rad].
        cruise: speed above which the ball is not pushed on [m/s].
        velocity: (2,) of the ball over the ground, as estimated [m/s].
        tilt: between the base's z axis and the vertical [rad].
        resting: for how long the ball has been still on its opened panels [s].
    """

    def __init__(
        self, cage: Cage, settings: Settings | None = None, candidates: Candidates | None = None
    ) -> None:
        self.settings = settings or Settings()
        self._cage, self._pushes = cage, candidates or candidates_of(cage)
        self._odometer = Odometer(cage.radius, self.settings.period)
        self._heading = Heading()
        self._limits = _limits(cage, self.settings)
        self._gentle_limits = _limits(cage, self.settings, self.settings.gentle_speed)
        self._flags = np.zeros(len(cage.closed), dtype=np.uint8)
        self._derating = np.ones(len(cage.closed))
        self._lift = cage.radius + 0.002
        self.reset()

    def reset(self, goals: Array | None = None) -> None:
        """Begin anew with a ball at rest; its joints are at (joints,) goals [rad], or closed."""
        panels = len(self._cage.panels)
        self._odometer.reset()
        self._heading.reset()
        self.goals = self._cage.closed.copy() if goals is None else goals.copy()
        self.rates = np.zeros_like(self.goals)
        self.wanted = self._cage.closed.copy()
        self.cruise = self.settings.cruise
        self._open_until = np.full(panels, -np.inf)
        self._rested_at = np.full(panels, -np.inf)
        self._pushed = np.full(panels, -1)
        self._bloom_until = -np.inf
        self._caught = self._bloom = False
        self._catch_from = -np.inf
        self._aim: Aim | None = None
        self._mark = (0.0, -np.inf)
        self.tilt = self.resting = 0.0

    def save(self) -> dict[str, Any]:
        """A copy of the state."""
        return deepcopy({name: getattr(self, name) for name in _STATE})

    def restore(self, content: Mapping[str, Any]) -> None:
        """Go on from where `save` was called."""
        for name, value in deepcopy(dict(content)).items():
            setattr(self, name, value)

    @property
    def velocity(self) -> Array:
        """(2,) of the ball over the ground, as estimated [m/s]."""
        return self._odometer.velocity

    @property
    def rests(self) -> bool:
        """Whether the ball has come to rest; a ball that was to be righted is level as well."""
        level = self._aim is not Aim.RIGHT or self.tilt < self.settings.level
        return bool(level and self.resting >= self.settings.settle)

    def step(
        self, time: float, orientation: Array, spin: Array, aim: Aim, heading: float = 0.0
    ) -> Array:
        """(joints,) positions at the end of this tick [rad]; see `decide`."""
        self.decide(time, orientation, spin, aim, heading)
        self.move(self.settings.period)
        return self.goals.copy()

    def decide(
        self, time: float, orientation: Array, spin: Array, aim: Aim, heading: float = 0.0
    ) -> None:
        """Decide where the joints are wanted from this tick on.

        Args:
            time: of the tick [s].
            orientation: (4,) of the base in a level frame, quaternion x, y, z, w.
            spin: (3,) angular velocity of the base, in the base [rad/s].
            aim: what to do.
            heading: to roll along, in the level frame [rad].
        """
        turn = Rotation.from_quat(orientation)
        axis = turn.as_matrix()[2]
        self.tilt = float(np.arccos(np.clip(axis[2], -1.0, 1.0)))
        world_spin = turn.apply(spin)
        self._odometer.update(world_spin)
        self._catch(time, aim, self._cage.radius * float(np.linalg.norm(spin)))
        direction = self._direction(turn, aim, heading)
        self._stuck(time, aim)
        self._bloom = self._caught or time < self._bloom_until
        coasts = aim is Aim.ROLL and float(np.linalg.norm(self.velocity)) > self.cruise
        if not (self._bloom or coasts):
            ahead = Rotation.from_rotvec(self.settings.ahead * world_spin) * turn
            self._push(time, ahead.as_matrix(), direction)
        self._want(time)

    def _direction(self, turn: Rotation, aim: Aim, heading: float) -> Array:
        """(2,) unit vector in which to push."""
        settings, velocity = self.settings, self.velocity
        if aim is Aim.ROLL:
            return self._heading.push(heading, velocity, settings.period)
        self._heading.reset()
        wanted = -velocity
        if aim is Aim.RIGHT:
            z = turn.as_matrix()[:2, 2]
            go = self._cage.radius * max(self.tilt - 0.4 * settings.upright, 0.0)
            speed = min(settings.righting, np.sqrt(go))
            wanted = -speed * z / max(float(np.linalg.norm(z)), 1e-6) - velocity
        pushed: Array = wanted / max(float(np.linalg.norm(wanted)), 1e-6)
        return pushed

    def _catch(self, time: float, aim: Aim, surface: float) -> None:
        """Decide whether the ball is to come to rest now, on all its panels.

        It may also turn on the spot: `surface` is the largest speed of its surface [m/s].
        """
        settings, speed = self.settings, float(np.linalg.norm(self.velocity))
        if aim is not self._aim:
            self._aim, self._caught, self.resting = aim, False, 0.0
            self._mark = (0.0, -np.inf)
        if aim is Aim.ROLL:
            return
        if aim is Aim.STOP:
            self._caught = self._caught or speed < settings.catch
        elif self._caught:
            settled = self.resting >= settings.askew
            most = settings.level if settled else settings.upright + settings.slack
            self._caught = self.tilt < most
            if settled and not self._caught:
                self._catch_from = time + settings.retry
        elif time >= self._catch_from:
            self._caught = self.tilt < settings.upright and speed < settings.catch_upright
        still = self._caught and max(speed, surface) < settings.still
        self.resting = self.resting + settings.period if still else 0.0

    def _stuck(self, time: float, aim: Aim) -> None:
        """Let all panels bloom if the ball makes no progress: this frees a panel that is held."""
        settings = self.settings
        if aim is Aim.STOP or self._caught:
            self._mark = (0.0, -np.inf)
            return
        mark, since = self._mark
        if aim is Aim.ROLL:
            now, enough = self._heading.progress, settings.progress
            moves = now < mark or now > mark + enough
        else:
            now, enough = self.tilt, settings.righted
            moves = abs(now - mark) > enough
        if since < 0.0 or moves:
            self._mark = (now, time)
        elif time - since > settings.patience:
            self._bloom_until = time + settings.bloom
            self._mark = (now, self._bloom_until)

    def _push(self, time: float, turn: Array, direction: Array) -> None:
        """Open the panel that pushes best, if any does; close those that hold the ball back."""
        settings, pushes = self.settings, self._pushes
        lowest = np.argmin(pushes.points @ turn[2], axis=1)
        places = pushes.points[np.arange(len(lowest)), lowest] @ turn.T
        lever, deep = -places[:, :2] @ direction, -places[:, 2] > self._lift
        is_open = self._let_go(time, lever, deep)
        slow = float(np.linalg.norm(self.velocity)) < settings.slow
        if is_open.sum() >= (settings.slow_open if slow else settings.most_open):
            return
        ready = (~is_open & (time >= self._rested_at))[pushes.panel]
        aside = np.abs(places[:, 1] * direction[0] - places[:, 0] * direction[1])
        gain = np.where(
            ready & deep & (lever > settings.least_lever),
            lever - settings.sideways * aside,
            -np.inf,
        )
        best = int(np.argmax(gain))
        if gain[best] > (settings.slow_gain if slow else settings.least_gain):
            panel = pushes.panel[best]
            self._pushed[panel] = best
            self._open(panel, time + settings.hold)

    def _let_go(self, time: float, lever: Array, deep: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Close panels that are ahead of the centre, keep open those that still push.

        Args:
            time: now [s].
            lever: (candidates,) of each push, behind the centre [m].
            deep: (candidates,) whether it reaches below the ball.

        Returns:
            (panels,) which are open.
        """
        settings = self.settings
        is_open = self._open_until > time
        for panel in np.flatnonzero(is_open):
            push = self._pushed[panel]
            if lever[push] < 0.0:
                is_open[panel] = False
                self._open(panel, time)
            elif deep[push] and lever[push] > settings.lasting:
                self._open(panel, max(self._open_until[panel], time + settings.again))
        return is_open

    def _open(self, panel: int | np.integer[Any], until: float) -> None:
        self._open_until[panel] = until
        self._rested_at[panel] = until + self.settings.rest

    def _want(self, time: float) -> None:
        """Set `wanted`: open panels at their pushes, others closed, or all in bloom."""
        wanted = self._pushes.bloom.copy() if self._bloom else self._cage.closed.copy()
        if not self._bloom:
            for panel in np.flatnonzero(self._open_until > time):
                own = self._pushes.joints[panel]
                wanted[own] = self._pushes.goals[self._pushed[panel], own]
        self.wanted = wanted

    def move(self, period: float, places: Array | None = None) -> None:
        """Bring the goals closer to where the joints are wanted.

        Args:
            period: for which they move [s].
            places: (joints,) measured positions [rad], NaN if unknown; None: all unknown.
        """
        told = (self.goals, self.rates)
        goals = self.wanted
        if places is not None:
            lead = self.settings.lead
            goals = np.fmax(np.fmin(goals, places + lead), places - lead)
        wanted = (goals, np.zeros_like(goals))
        pushes = self._aim is Aim.RIGHT and not self._bloom
        limits = self._gentle_limits if pushes else self._limits
        slew(wanted, told, limits, self._derating, (period, period), told, self._flags)


def _limits(
    cage: Cage, settings: Settings, speed: float = np.inf
) -> tuple[Array, Array, Array, Array, Array, Array]:
    """The limits of the joints, as `slew` takes them; no faster than `speed` [rad/s]."""
    every = np.ones_like(cage.closed)
    low, high, fastest = cage.lower, cage.upper, min(settings.speed, speed)
    return low, high, low, high, fastest * every, settings.acceleration * every

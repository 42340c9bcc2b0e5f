"""The plan of one sub-action, and a draft to which each move adds its part."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from scipy.spatial.transform import Rotation

from softshell_actions.curves import footprint
from softshell_actions.curves.curve import swing_path
from softshell_actions.curves.time_law import progress
from softshell_actions.facts import LYING_MARGIN
from softshell_actions.language.grammar import (
    BaseMove,
    Coordinate,
    GaitMove,
    JointsMove,
    Number,
    StepMove,
    TipMove,
)
from softshell_actions.performing.call import LONGEST, Call
from softshell_actions.planning.carried import put_down
from softshell_actions.planning.footholds import Landing
from softshell_actions.planning.gait_cycle import GaitCycle
from softshell_actions.planning.move_path import base_path, joint_path, tip_path
from softshell_actions.planning.rolling import RollingFeet
from softshell_actions.planning.standing import Feet, Standing, smooth
from softshell_actions.state import ForwardKinematics, Stance, State, Swing
from softshell_actions.trajectories.load import BasePath
from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError, UnknownNameError
from softshell_kinematics.transforms import COORDINATES, angles_from_rotation

#: Longest time between two points of a trajectory [s].
SAMPLE_PERIOD = 0.02
#: Fewest points of one: a spline through three would be a line, which does not begin at rest.
FEWEST = 9


class PlanError(SoftshellError):
    """A sub-action that cannot be planned for the robot as it is."""


@dataclass(frozen=True)
class Plan:
    """Where everything has to be during one sub-action.

    Args:
        name: of the sub-action.
        times: (points,) [s] from the start.
        limbs: tip goals by chain, (points, 6) x y z yaw pitch roll in the base, NaN where free.
        joints: (points,) positions by joint [rad] or [m], for joints that move in joint space.
        base: where the base is over the ground.
        standing: how its feet stand.
        end: the state at the end; joints of `limbs`, not yet solved for, are as at the start.
        posture: as of `Question`.
    """

    name: str
    times: Array
    limbs: Mapping[str, Array]
    joints: Mapping[str, Array]
    base: BasePath
    standing: Standing
    end: State
    posture: Mapping[str, Array] = field(default_factory=dict)


class Draft:
    """Collects the plan of one sub-action, move by move.

    Args:
        call: the sub-action.
        state: at its start.
        stance: how the robot stands; None for a robot without legs.
        duration: of the sub-action [s].
        rolling: feet that roll while they stand.
    """

    def __init__(
        self,
        call: Call,
        state: State,
        stance: Stance | None,
        duration: float,
        rolling: RollingFeet,
    ) -> None:
        self.call, self.state, self.stance, self._rolling = call, state, stance, rolling
        if not 0.0 < duration <= LONGEST:
            raise PlanError(
                f'{call.name}: duration is {duration:g} s; expected more than 0, and at most '
                f'{LONGEST:g} s in one sub-action'
            )
        self.samples = max(FEWEST, math.ceil(duration / SAMPLE_PERIOD) + 1)
        self.times = np.linspace(0.0, duration, self.samples)
        self.duration = duration
        self.velocity, self.sway = np.zeros(3), np.zeros(2)
        self.travel = footprint.ramp(state.velocity, self.velocity, duration, self.samples)
        self.base_positions = np.tile(state.base_position, (self.samples, 1))
        self.base_rotations = Rotation.from_quat(
            np.tile(state.base_rotation.as_quat(), (self.samples, 1))
        )
        self.feet = np.tile(state.feet, (self.samples, 1, 1))
        self._ground = Feet(state.time_stood, self.times)
        self.swings: dict[str, Swing] = {}
        self.parts = dict(state.parts)
        self.limbs: dict[str, Array] = {}
        self.joints: dict[str, Array] = {}
        self._claimed, self._swinging = set[str](), set[str]()
        self._carried = bool(np.any(state.velocity) or np.any(state.sway))

    def claim(self, what: str, joints: Sequence[str]) -> None:
        """Reserve joints, or a foot, for one move; `what` is the limb or group in messages.

        Raises:
            PlanError: another move has reserved one of them.
        """
        taken = self._claimed.intersection(joints)
        if taken:
            raise PlanError(f'{self.call.name}: two moves claim {what} ({sorted(taken)[0]})')
        self._claimed.update(joints)

    def travel_at(self, velocity: Array) -> None:
        """Let the footprint reach a velocity, (3,) x, y [m/s], yaw [rad/s], at the end."""
        self.velocity = velocity
        self.travel = footprint.ramp(self.state.velocity, velocity, self.duration, self.samples)
        self._carried = True

    def move_base(self, move: BaseMove) -> None:
        """Let the base follow control points in the footprint."""
        angles = angles_from_rotation(self.state.base_rotation.as_matrix())
        start = np.concatenate([self.state.base_position, angles])
        points = self._points(move.base, move, start, free=start)
        subject = f'{self.call.name}: base'
        self.base_positions, self.base_rotations = base_path(move, points, self.samples, subject)
        self._carried = True

    def step(self, leg: str, move: StepMove) -> None:
        """Let one foot go to its next foothold."""
        index = self._leg(leg)
        assert self.stance is not None
        spread = self.call.value(move.spread)
        rest = put_down(self.stance.feet[index], spread, 0.0)
        landing = self._foothold(index, rest, remaining=0.0, stands_for=self.duration)
        self._swing(index, self._lifted(index, landing, move, self.duration), (0.0, 1.0))

    def follow_gait(self, move: GaitMove, cycle: GaitCycle) -> None:
        """Let the legs go on for one part of a gait's cycle, and the base sway."""
        assert self.stance is not None
        part = self.parts.get(move.gait, 0)
        whole = self.call.value(move.cycle)
        for leg, timing in cycle.legs.items():
            swing = cycle.swing(leg, part)
            if swing is None:
                continue
            index, under_way = self._leg(leg), self.state.swings.get(leg)
            begin, end = swing
            if under_way is None:
                if begin > 0.0 or not move.lift:
                    continue  # its turn comes with its next lift-off
                airborne = whole * (1.0 - timing.duty)
                spread = self.call.value(move.spread) + timing.spread
                rest = put_down(self.stance.feet[index], spread, timing.aside)
                landing = self._foothold(
                    index, rest, airborne - self.duration, whole * timing.duty
                )
                under_way = self._lifted(index, landing, move, airborne)
            self._swing(index, under_way, (begin, end))
            if end < 1.0:
                self.swings[leg] = replace(under_way, rate=(end - begin) / self.duration)
        following = cycle.following(part)
        if len(cycle.standing(part)) == len(cycle.legs):
            lifting = cycle.legs.keys() - set(cycle.standing(following))
            self._ground.pass_load([self._leg(leg) for leg in lifting])
        self.parts[move.gait] = following
        self.sway = self._next_sway(cycle, following)

    def tip_path(self, move: TipMove, start: Array) -> Array:
        """(points, 6) goals of a tip that moves from a (4, 4) pose along control points."""
        start = np.concatenate([start[:3, 3], angles_from_rotation(start[:3, :3])])
        named = {name for point in move.points for name in point}
        free = np.array([0.0 if name in named else np.nan for name in COORDINATES]) + start
        points = self._points(move.points, move, start, free=free)
        return tip_path(move, points, self.samples, f'{self.call.name}: tips of {move.group}')

    def joint_paths(
        self, joints: Sequence[str], points: Sequence[Mapping[str, float]], move: JointsMove
    ) -> None:
        """Let joints follow control points; one that a point leaves out keeps its last value."""
        values = [[self.state.joints[joint] for joint in joints]]
        for point in points:
            kept = zip(joints, values[-1], strict=True)
            values.append([point.get(joint, last) for joint, last in kept])
        subject = f'{self.call.name}: joints of {move.group}'
        path = joint_path(move, np.array(values), self.samples, subject)
        self.joints.update(zip(joints, path.T, strict=True))

    def finish(self, forward: ForwardKinematics, own_joints: Mapping[str, Sequence[str]]) -> Plan:
        """The plan, with goals for the feet that stand, and the state at the end."""
        legs = self.stance.legs if self.stance is not None else ()
        by_joints = [leg for leg in legs if not self.joints.keys().isdisjoint(own_joints[leg])]
        swayed = self._sway_path()
        base = self._base_over_ground(swayed)
        # A gait at rest may have a part in which no foot lifts: then all legs hold.
        if self._carried or np.any(swayed) or not (self.limbs or self.joints):
            for index, leg in enumerate(legs):
                if leg in self.limbs or leg in by_joints:
                    continue
                goals = base.seen(self.feet[:, index])
                if leg in self._rolling.feet and leg not in self._swinging:
                    foot = self._rolling.feet[leg]
                    self.feet[:, index] += foot.path(goals, base.rotations, self.state.joints)
                    goals = base.seen(self.feet[:, index])
                self.limbs[leg] = np.full((self.samples, 6), np.nan)
                self.limbs[leg][:, :3] = goals
        end = replace(
            self.state.with_joints({joint: path[-1] for joint, path in self.joints.items()}),
            feet=footprint.to_footprint(self.travel[-1], self.feet[-1]),
            base_position=self.base_positions[-1],
            base_rotation=self.base_rotations[-1],
            sway=self.sway,
            velocity=self.velocity,
            parts=self.parts,
            swings={leg: swing.seen(self.travel[-1]) for leg, swing in self.swings.items()},
        )
        move = self.call.gait_move
        stride = self.call if move is not None and move.lift else self.state.stride
        rolling = footprint.velocity_at_end(self.travel[-1], self.feet, self.times[1])
        rolling[[self._leg(leg) for leg in self._swinging]] = 0.0
        rolling *= not end.at_rest
        stood = self._ground.stood(end.at_rest)
        end = replace(end, stood=stood, stride=stride, rolling=rolling)
        places = {leg: self.limbs[leg][-1, :3] for leg in legs if leg in self.limbs}
        if self.joints:
            before, after = forward(self.state.joints), forward(end.joints)
            left = [leg for leg in legs if leg not in self.limbs and leg not in by_joints]
            # A joint that several legs share moves their feet, too.
            by_joints += [leg for leg in left if np.any(after[leg] != before[leg])]
            places |= {leg: after[leg][:3, 3] for leg in by_joints}
        for leg, place in places.items():
            end.feet[self._leg(leg)] = end.base_rotation.apply(place) + end.base_origin
        standing = self._standing(by_joints, end.at_rest)
        return Plan(self.call.name, self.times, self.limbs, self.joints, base, standing, end)

    def _base_over_ground(self, swayed: Array) -> BasePath:
        """Path of the base, in the footprint at the start."""
        turn = footprint.planar_rotation(self.travel[:, 2])
        level = np.zeros(self.samples)
        origins = turn.apply(self.base_positions + np.column_stack([swayed, level]))
        planar = np.column_stack([self.travel[:, :2], level])
        return BasePath(origins + planar, (turn * self.base_rotations).as_matrix())

    def _standing(self, by_joints: Sequence[str], rests: bool) -> Standing:
        """How feet stand: not at all while the belly carries, or if joints move their legs."""
        burdened = np.ones(self.feet.shape[:2])
        if self.stance is not None:
            above = self.base_positions[:, 2] - self.stance.lying_height - LYING_MARGIN
            burdened *= smooth(above / LYING_MARGIN)[:, None]
            burdened[:, [self._leg(leg) for leg in by_joints]] = 0.0
        return self._ground.standing(burdened, rests)

    def _foothold(
        self, index: int, rest: Array, remaining: float, stands_for: float
    ) -> tuple[Array, Array]:
        """(3,) where a foot lands [m], and (3,) its velocity then, in the first footprint [m/s].

        Args:
            index: of the leg.
            rest: (3,) its place under the robot half-way through the stance [m].
            remaining: time from the end of this sub-action to the landing [s].
            stands_for: time for which it will stand [s].
        """
        assert self.stance is not None
        landing = Landing(
            self.velocity,
            self.base_rotations[-1],
            self.base_positions[-1] + [*self.sway, 0.0],
            max(remaining, 0.0),
            stands_for,
        )
        place, rolling = landing.foothold(rest, self._rolling, self.stance.legs[index])
        turn = footprint.planar_rotation(self.travel[-1, 2])
        foothold: Array = footprint.from_footprint(self.travel[-1], place[None])[0]
        return foothold, turn.apply(rolling)

    def _lifted(
        self, index: int, landing: tuple[Array, Array], move: StepMove | GaitMove, time: float
    ) -> Swing:
        """The swing of a foot that lifts now, for a time [s]."""
        height, slant = self.call.value(move.height), self.call.value(move.slant)
        foothold, rolling = landing
        lift_off, leaving = self.state.feet[index], self.state.feet_rolling[index]
        return Swing(lift_off, foothold, height, slant, leaving * time, rolling * time)

    def _swing(self, index: int, swing: Swing, part: tuple[float, float]) -> None:
        assert self.stance is not None
        leg = self.stance.legs[index]
        self.claim(leg, (f'foot of {leg}',))
        self._swinging.add(leg)
        self.feet[:, index] = swing_path(
            swing.lift_off, swing.foothold, swing.height, swing.slant, self.samples, part,
            swing.leaving, swing.landing, swing.haste(part, self.duration),
        )  # fmt: skip
        self._ground.swings(index, part)
        self._carried = True

    def _next_sway(self, cycle: GaitCycle, following: int) -> Array:
        """(2,) sway at the end: ready for the feet that lift in the part that follows."""
        assert self.stance is not None
        standing = cycle.standing(following)
        if cycle.sway == 0.0 or not standing:
            return np.zeros(2)
        if len(standing) == len(cycle.legs):
            return self.state.sway  # no foot lifts next
        feet = footprint.to_footprint(self.travel[-1], self.feet[-1])
        support: Array = np.mean([feet[self._leg(leg), :2] for leg in standing], axis=0)
        return cycle.sway * support

    def _sway_path(self) -> Array:
        """(samples, 2) from the sway at the start to that at the end."""
        # Without a jump of acceleration, which would shake the robot.
        share = progress('quintic', self.samples)[:, None]
        path: Array = self.state.sway + share * (self.sway - self.state.sway)
        return path

    def _points(
        self,
        entries: Sequence[Mapping[Coordinate, Number]],
        move: BaseMove | TipMove,
        start: Array,
        free: Array,
    ) -> Array:
        """(points, 6), the start first; a coordinate not named keeps its last value."""
        points = [free]
        for entry in entries:
            point = points[-1].copy()
            for name, expression in entry.items():
                index = COORDINATES.index(name)
                value = self.call.value(expression)
                point[index] = start[index] + value if move.relative else value
            points.append(point)
        return np.array(points)

    def _leg(self, leg: str) -> int:
        if self.stance is None or leg not in self.stance.legs:
            legs = self.stance.legs if self.stance is not None else ()
            raise PlanError(f'{self.call.name}: {UnknownNameError("leg", leg, legs)}')
        return self.stance.index(leg)

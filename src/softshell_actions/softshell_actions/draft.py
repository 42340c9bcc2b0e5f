"""One sub-action in the making: what each move adds to the plan."""

import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from softshell_actions import footprint
from softshell_actions.curve import curve, from_rest_to_rest, rotation_curve
from softshell_actions.expression import evaluate
from softshell_actions.language import COORDINATES, JointsMove, PointsMove, StepMove
from softshell_actions.library import Call
from softshell_actions.state import ForwardKinematics, Stance, State
from softshell_common.errors import SoftshellError, UnknownNameError

Array = NDArray[np.float64]

#: Longest time between two points of a trajectory [s].
SAMPLE_PERIOD = 0.02


def euler_angles(rotation: Rotation) -> Array:
    """Yaw, pitch, roll [rad] of one rotation or (n, 3) of several; roll is 0 at gimbal lock."""
    with warnings.catch_warnings():
        warnings.filterwarnings('ignore', message='Gimbal lock')
        return rotation.as_euler('ZYX')


class PlanError(SoftshellError):
    """A sub-action that makes no sense for the robot as it is."""


@dataclass(frozen=True)
class Plan:
    """Where everything has to be during one sub-action.

    Args:
        name: of the sub-action.
        times: (points,) [s] from the start.
        limbs: tip goals by chain, (points, 6) x y z yaw pitch roll in base_link, NaN where free.
        joints: (points,) positions by joint [rad], for joints that move in joint space.
        travel: (points, 3) x, y, yaw of the footprint in the footprint at the start.
        end: the state at the end; joints that limbs decide are still those of the start.
    """

    name: str
    times: Array
    limbs: Mapping[str, Array]
    joints: Mapping[str, Array]
    travel: Array
    end: State


class Draft:
    """A plan in the making."""

    def __init__(self, call: Call, state: State, stance: Stance) -> None:
        self.call, self.state, self.stance = call, state, stance
        duration = call.duration
        if duration <= 0:
            raise PlanError(
                f'{call.sub_action.name}: duration is {duration} s; expected a positive time'
            )
        self.samples = max(3, math.ceil(duration / SAMPLE_PERIOD) + 1)
        self.times = np.linspace(0.0, duration, self.samples)
        self.duration = duration
        self.velocity = np.zeros(3)
        self.travel = footprint.ramp(state.velocity, self.velocity, duration, self.samples)
        self.base_positions = np.tile(state.base_position, (self.samples, 1))
        self.base_rotations = Rotation.from_quat(
            np.tile(state.base_rotation.as_quat(), (self.samples, 1))
        )
        self.feet = np.tile(state.feet, (self.samples, 1, 1))
        self.limbs: dict[str, Array] = {}
        self.joints: dict[str, Array] = {}
        self.turns = dict(state.turns)
        self._claimed: set[str] = set()
        self._carried = bool(np.any(state.velocity))

    def claim(self, chain: str, joints: tuple[str, ...]) -> None:
        """Reserve joints for one move."""
        taken = self._claimed.intersection(joints)
        if taken:
            raise PlanError(
                f'{self.call.sub_action.name}: two moves claim {chain} ({sorted(taken)[0]})'
            )
        self._claimed.update(joints)

    def travel_at(self, velocity: Array) -> None:
        """Let the footprint arrive at a velocity at the end."""
        self.velocity = velocity
        self.travel = footprint.ramp(self.state.velocity, velocity, self.duration, self.samples)
        self._carried = True

    def move_base(self, move: PointsMove) -> None:
        """Let base_link follow control points in the footprint."""
        start = np.concatenate([self.state.base_position, euler_angles(self.state.base_rotation)])
        points, weights = self._control_points(move, start, free=start)
        self.base_positions = curve(points[:, :3], weights, self.samples)
        rotations = Rotation.from_euler('ZYX', points[:, 3:])
        self.base_rotations = rotation_curve(rotations, weights, self.samples)
        self._carried = True

    def step(self, leg: str, move: StepMove) -> None:
        """Let one foot go to its next foothold."""
        index = self._leg_index(leg)
        self.claim(leg, (f'{leg} foot',))
        start = self.state.feet[index]
        # Half a step ahead of rest, so that the coming stance is centred on it.
        ahead = footprint.planar_exponential(self.velocity * self.duration / 2)
        rest = self.stance.feet[index]
        outwards = rest / np.linalg.norm(rest)
        rest = rest + evaluate(move.spread, self.call.values) * outwards
        foothold = footprint.from_footprint(
            self.travel[-1], footprint.from_footprint(ahead, rest[None])
        )[0]
        along = [0.0, *(evaluate(point.along, self.call.values) for point in move.step)]
        heights = [0.0, *(evaluate(point.z, self.call.values) for point in move.step)]
        points = start + np.outer(along, foothold - start)
        points[:, 2] += heights
        doubled, weights = from_rest_to_rest(points, move.weights)
        self.feet[:, index] = curve(doubled, weights, self.samples)
        self._carried = True

    def tip_path(self, move: PointsMove, start: Array) -> Array:
        """(points, 6) goals of a tip that leaves a (4, 4) pose along control points."""
        start = np.concatenate([start[:3, 3], euler_angles(Rotation.from_matrix(start[:3, :3]))])
        named = {name for point in move.points for name in point}
        free = np.array([0.0 if name in named else np.nan for name in COORDINATES]) + start
        points, weights = self._control_points(move, start, free=free)
        path = curve(points, weights, self.samples)
        if np.isfinite(points[:, 3:]).all():
            rotations = Rotation.from_euler('ZYX', points[:, 3:])
            path[:, 3:] = euler_angles(rotation_curve(rotations, weights, self.samples))
        return path

    def joint_paths(
        self,
        chain: str,
        joints: tuple[str, ...],
        move: JointsMove,
        poses: Mapping[str, Mapping[str, float]],
    ) -> dict[str, Array]:
        """(points,) by joint, for joints that follow control points or go to a pose."""
        if move.pose is not None:
            points = [{joint: poses[move.pose][joint] for joint in joints}]
        else:
            names = {joint.removeprefix(f'{chain}_'): joint for joint in joints}
            points = [self._joint_point(point, names) for point in move.joints]
        paths = {}
        for joint in joints:
            values = [self.state.joints[joint]]
            for point in points:
                values.append(point.get(joint, values[-1]))
            doubled, weights = from_rest_to_rest(np.array(values)[:, None], move.weights)
            paths[joint] = curve(doubled, weights, self.samples)[:, 0]
        return paths

    def finish(self, forward: ForwardKinematics) -> Plan:
        """The plan: feet in stance carried along, and the state at the end."""
        in_joint_space = [
            leg for leg in self.stance.legs if any(j.startswith(f'{leg}_') for j in self.joints)
        ]
        if self._carried:
            for index, leg in enumerate(self.stance.legs):
                if leg in self.limbs or leg in in_joint_space:
                    continue
                self.limbs[leg] = np.full((self.samples, 6), np.nan)
                self.limbs[leg][:, :3] = self._in_base(self.feet[:, index])
        feet = footprint.to_footprint(self.travel[-1], self.feet[-1])
        end = replace(
            self.state.with_joints({joint: path[-1] for joint, path in self.joints.items()}),
            feet=feet,
            base_position=self.base_positions[-1],
            base_rotation=self.base_rotations[-1],
            velocity=self.velocity,
            turns=self.turns,
        )
        moved = [leg for leg in self.stance.legs if leg in in_joint_space]
        if moved:
            tips = forward(end.joints)
            for leg in moved:
                feet[self.stance.legs.index(leg)] = (
                    end.base_rotation.apply(tips[leg][:3, 3]) + end.base_position
                )
        for leg, path in self.limbs.items():
            if leg in self.stance.legs:
                feet[self.stance.legs.index(leg)] = (
                    end.base_rotation.apply(path[-1, :3]) + end.base_position
                )
        return Plan(
            self.call.sub_action.name, self.times, self.limbs, self.joints, self.travel, end
        )

    def _in_base(self, points: Array) -> Array:
        """(samples, 3) of the starting footprint, in base_link at each time: T_base⁻¹ · point."""
        planar = np.column_stack([self.travel[:, :2], np.zeros(self.samples)])
        in_footprint = footprint.planar_rotation(self.travel[:, 2]).inv().apply(points - planar)
        return self.base_rotations.inv().apply(in_footprint - self.base_positions)

    def _control_points(
        self, move: PointsMove, start: Array, free: Array
    ) -> tuple[Array, tuple[float, ...]]:
        """(control points, 6) from rest to rest; a coordinate not named keeps its last value."""
        points = [free]
        for entry in move.points:
            point = points[-1].copy()
            for name, expression in entry.items():
                index = COORDINATES.index(name)
                value = evaluate(expression, self.call.values)
                point[index] = start[index] + value if move.relative else value
            points.append(point)
        return from_rest_to_rest(np.array(points), move.weights)

    def _joint_point(self, point: Mapping[str, float | str], names: Mapping[str, str]) -> dict:
        unknown = next((name for name in point if name not in names), None)
        if unknown is not None:
            raise UnknownNameError('joint', unknown, names)
        return {names[name]: evaluate(value, self.call.values) for name, value in point.items()}

    def _leg_index(self, leg: str) -> int:
        if leg not in self.stance.legs:
            raise UnknownNameError('leg', leg, self.stance.legs)
        return self.stance.legs.index(leg)

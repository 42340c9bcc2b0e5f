"""Walking by a fixed schedule: half of the legs stand, half swing, by inverse kinematics."""

import numpy as np

from softshell_kinematics.arrays import Array
from softshell_kinematics.model.from_urdf import chain_from_urdf
from softshell_studies.gym.policy import Policy
from softshell_studies.gym.task import part_of
from softshell_studies.gym.walk import Walk
from softshell_studies.gym.wiring import REACH

#: Duration of a swing [s], and its height on flat and on rough ground [m].
SWING, HIGH, ROUGH = 0.5, 0.03, 0.05
#: Integral correction of the velocity error: its gain, its limit [m/s, rad/s] and its time [s].
GAIN, MOST, WITHIN = 0.8, 0.06, 2.0
#: Newton steps for the joints of a leg, and ten times their damping [m/rad].
STEPS, DAMPED = 2, 0.02


class ScriptedWalk(Policy):
    """Every other leg swings at the same time: a tripod with six legs, a trot with four.

    Args:
        task: that is played.
        corrects: whether an integral term corrects the error of the velocity.
    """

    def __init__(self, task: Walk, corrects: bool = True) -> None:
        self._task, self._gain = task, GAIN if corrects else 0.0
        wiring = task.wiring
        robot = wiring.robot
        assert robot.legs is not None
        self._parts, self._period = task.observations, task.period
        self._high = ROUGH if task.form.rough > 0.0 else HIGH
        self._chains, self._own, self._rest = [], [], []
        self._centre = wiring.centre
        for name in robot.legs.chains:
            spec = robot.chains[name]
            chain = chain_from_urdf(robot.urdf, spec.base_link, spec.tip_link, name)
            columns = np.array([robot.index(variable) for variable in chain.variables])
            own = np.array([variable in robot.own_joints(name) for variable in chain.variables])
            self._chains.append(chain)
            self._own.append(own)
            self._rest.append(self._centre[columns])
        self._feet = np.array([
            chain.forward(rest)[:3, 3]
            for chain, rest in zip(self._chains, self._rest, strict=True)
        ])  # fmt: skip
        self.begin()

    def begin(self) -> None:
        self._time, self._added = 0.0, np.zeros(3)
        self._joints = [rest.copy() for rest in self._rest]

    def by_sight(self) -> 'ScriptedWalk':
        return ScriptedWalk(self._task, corrects=False)

    def act(self, observation: Array) -> Array:
        self._time += self._period
        wish = np.append(
            part_of(self._parts, observation, 'velocity'),
            part_of(self._parts, observation, 'turn'),
        )
        moves = np.append(
            part_of(self._parts, observation, 'base_velocity')[:2],
            part_of(self._parts, observation, 'base_spin')[2],
        )
        share = self._period / WITHIN
        self._added = np.clip(self._added + self._gain * share * (wish - moves), -MOST, MOST)
        wish = wish + self._added
        action = []
        for leg, foot in enumerate(self._feet):
            action.append(self._leg(leg, foot + self._offset(leg, foot, wish)))
        return np.clip(np.concatenate(action), -1.0, 1.0)

    def _offset(self, leg: int, foot: Array, wish: Array) -> Array:
        """(3,) offset of a foot from its rest position, in base [m].

        Args:
            leg: its number.
            foot: (3,) its rest position, in base [m].
            wish: (3,) velocity ahead, to the left [m/s], yaw rate [rad/s].
        """
        cycle = (self._time / SWING + leg) % 2.0
        x, y, turn = wish
        step = SWING * np.array([x - turn * foot[1], y + turn * foot[0], 0.0])
        step *= min(1.0, self._time / SWING)
        if cycle < 1.0:  # swings ahead
            part = 0.5 - 0.5 * np.cos(np.pi * cycle)
            up = self._high * np.sin(np.pi * cycle) ** 2 * min(1.0, self._time / SWING)
            swung: Array = (part - 0.5) * step + [0.0, 0.0, up]
            return swung
        stood: Array = (1.5 - cycle) * step
        return stood

    def _leg(self, leg: int, goal: Array) -> Array:
        """(own joints,) the action that brings the foot of a leg to `goal`: (3,) in base [m]."""
        chain, own, q = self._chains[leg], self._own[leg], self._joints[leg]
        for _ in range(STEPS):
            pose, jacobian = chain.forward_and_jacobian(q)
            rows = jacobian[:3][:, own]
            square = rows @ rows.T + DAMPED**2 * 1e-2 * np.eye(3)
            q[own] += rows.T @ np.linalg.solve(square, goal - pose[:3, 3])
        moved: Array = (q - self._rest[leg])[own] / REACH
        return moved

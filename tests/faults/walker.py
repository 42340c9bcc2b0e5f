"""A robot that walks on emulated servos over a simulated floor, in steps of a time of its own."""

from dataclasses import replace

import numpy as np
from hardware_rig import PERIOD, HardwareRig, wiring_text

from softshell_actions.rehearsal import Rehearsal
from softshell_common.bridge_mode import BridgeMode
from softshell_control.trajectories.check import Request, check_trajectory
from softshell_control.trajectories.trajectory import Identity
from softshell_description.load import load_robot
from softshell_kinematics.transforms import rotation_from_quaternion

#: A joint that moves less is at rest [rad/s].
AT_REST = 0.05
#: Beyond this the robot has fallen [rad].
TILT = 0.5


class Walker(HardwareRig):
    """A robot that has begun to walk; every tick is checked.

    Args:
        folder: for its wiring.
        family: of its servos.
        robot: its name.
        watchdog: of servos that have one [s].
    """

    def __init__(self, folder, family='ax', robot='shell', watchdog=0.2):
        model = load_robot(robot)
        path = folder / f'{robot}-{family}.yaml'
        path.write_text(f'{wiring_text(model, family)}\nwatchdog: {watchdog}\n')
        super().__init__(replace(model, start=model.legs.stand), path, physics=True)
        self._rehearsal = Rehearsal(model, model.legs.stand)
        self._path = []
        # The others still stand by friction alone.
        self.core.activate()
        self.run(10)

    @property
    def world(self):
        return self.emulated.world

    def walk(self, distance=1.0):
        """Offer the trajectories of a walk, each when the one before it is nearly over."""
        self._path = [
            part.motion for part in self._rehearsal.perform('walk', {'distance': distance})
        ]
        self._end = self.now

    def give_up(self):
        """Ask for no more steps."""
        self._path = []

    def offer_motion(self, motion, sender='tester'):
        """Offer a motion; returns its identity."""
        self.offered += 1
        identity = Identity(sender, self.offered.to_bytes(16, 'big'))
        request = Request(
            identity, 0, list(motion.joints), motion.times.tolist(), motion.positions.tolist(),
            motion.velocities.tolist(), queued=True,
        )  # fmt: skip
        self.core.offer(check_trajectory(request, self.limits.names))
        return identity

    def run(self, ticks=1):
        reports = []
        for _ in range(ticks):
            if self._path and self.core.driven and self.now >= self._end - 200_000_000:
                motion = self._path.pop(0)
                self.offer_motion(motion)
                self._end = max(self._end, self.now) + round(1e9 * motion.duration)
            reports += super().run()
            self.assert_safe()
        return reports

    def assert_safe(self):
        """Nothing commanded is outside the limits, on either side of the line."""
        joints = self.limits.joints
        value = self.core.command.value[:joints]
        assert (value >= self.limits.lower[:joints] - 1e-9).all()
        assert (value <= self.limits.upper[:joints] + 1e-9).all()
        assert (np.abs(self.core.command.rate[:joints]) <= self.limits.rate[:joints] + 1e-9).all()
        for joint, wiring in zip(self.robot.joints, self.config.joints, strict=True):
            goal = wiring.position(self.emulated.servos[joint.name].get('goal_position'))
            tick = wiring.family.tick
            assert joint.lower - tick <= goal <= joint.upper + tick, joint.name

    def stride(self, ticks=60):
        """Walk till the middle of a stride."""
        self.walk()
        self.run(ticks)
        assert self.core.mode is BridgeMode.EXECUTING, self.reasons
        assert self.fastest > 0.2

    @property
    def fastest(self):
        """Speed of the joint that moves fastest [rad/s]."""
        count = len(self.robot.joints)
        return float(np.abs(self.world.measured.velocity[:count]).max())

    @property
    def tilt(self):
        """Angle between the base and the vertical [rad]."""
        rotation = rotation_from_quaternion(self.world.measured.base.orientation)
        return float(np.arccos(np.clip(rotation[2, 2], -1.0, 1.0)))

    @property
    def at_rest(self):
        return self.fastest < AT_REST

    def ticks_until(self, holds, most):
        """Ticks until something holds; None if it does not within so many."""
        for tick in range(most + 1):
            if holds():
                return tick
            self.run()
        return None


__all__ = ['PERIOD', 'TILT', 'Walker']

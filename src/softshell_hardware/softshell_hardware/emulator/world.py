"""Shafts that move a simulated robot: the servos' electronics outside, physics inside."""

import numpy as np

from softshell_control.backend import Measured
from softshell_description.model import RobotModel
from softshell_hardware.emulator.shaft import Drive
from softshell_hardware.wiring.units import Tendon, Wiring
from softshell_kinematics.arrays import Array
from softshell_sim.settings import WorldSettings
from softshell_sim.world import World

#: Part of its largest torque with which a motor that is not driven resists by friction.
FRICTION = 0.1
#: How much stronger than the motor a thing that blocks its joint is.
VICE = 5.0
#: How long the robot is held at the beginning, to come to rest [s].
SETTLE_TIME = 0.5


class JointShaft:
    """The shaft of a servo that moves a joint of a simulated robot.

    Args:
        wiring: of the servo.
        position: of the joint [rad].
        slip: how far it gives before the friction of its motor slips [rad].

    Attributes:
        angle, speed, load: as of every shaft.
        target, rate: where the joint is to be, and how fast it is to go there [rad], [rad/s].
        strength: largest part of the motor's torque that may be used.
    """

    def __init__(self, wiring: Wiring, position: float, slip: float) -> None:
        self._slip = slip
        self._direction, self._offset = wiring.direction, wiring.offset or 0.0
        self.angle = self._goal = self._direction * (position - self._offset)
        self.speed = self.load = self.rate = 0.0
        self.strength = FRICTION
        self.target = position
        self._held: float | None = None

    def step(self, drive: Drive, seconds: float) -> None:
        """Note what the electronics want; the world lets the time pass."""
        self._held = (self.angle if self._held is None else self._held) if drive.blocked else None
        if self._held is not None:
            self._set(self._held, 0.0, VICE)
        elif drive.angle is None or drive.torque <= 0.0 or seconds <= 0.0:
            low, high = self.angle - self._slip, self.angle + self._slip
            self._set(min(max(self._goal, low), high), 0.0, FRICTION)
        else:
            if self.strength == FRICTION:
                self._goal = self.angle  # its way begins where it is
            most = drive.speed * seconds
            way = min(max(drive.angle - self._goal, -most), most)
            self._set(self._goal + way, way / seconds, drive.torque)

    def sense(self, position: float, velocity: float, load: float) -> None:
        """Take where the joint is [rad], [rad/s], and the torque of its motor [N m]."""
        self.angle = self._direction * (position - self._offset)
        self.speed, self.load = self._direction * velocity, self._direction * load

    def _set(self, goal: float, rate: float, strength: float) -> None:
        self._goal, self.strength = goal, strength
        self.target = self._direction * goal + self._offset
        self.rate = self._direction * rate


class SpoolShaft:
    """The shaft of a servo that winds up a tendon of a simulated robot.

    Args:
        tendon: the wiring of the servo.

    Attributes:
        angle, speed, load: as of every shaft.
        value: of the channel: tension [N], or torque [N m] where there is no spool.
    """

    def __init__(self, tendon: Tendon) -> None:
        self._direction, self._radius = tendon.direction, tendon.spool_radius
        self.angle = self.speed = self.load = self.value = 0.0
        self._length: float | None = None

    def step(self, drive: Drive, seconds: float) -> None:
        """Note what the motor pulls with; the world lets the time pass."""
        self.load = drive.push
        self.value = self._direction * drive.push / (self._radius or 1.0)

    def sense(self, length: float, seconds: float) -> None:
        """Take how long the tendon is after some time [m], [s]."""
        before, self._length = self._length, length
        if before is None or self._radius is None:
            return
        way = self._direction * (before - length) / self._radius
        self.angle += way
        self.speed = way / seconds if seconds > 0.0 else 0.0


class ServoWorld:
    """A simulated robot whose joints are moved by the shafts of servos.

    Args:
        robot: the robot, in its start pose.
        wirings: the servo of every joint, in the order of the robot's joints.
        settings: of the world.
        tendons: the servo of every other channel, in their order.

    Attributes:
        world: the world.
        shafts: one for each joint.
        spools: one for each other channel.
        time: since the beginning [s].

    Raises:
        SoftshellError: the world does not start.
    """

    def __init__(
        self,
        robot: RobotModel,
        wirings: tuple[Wiring, ...],
        settings: WorldSettings | None = None,
        tendons: tuple[Tendon, ...] = (),
    ) -> None:
        self.world = World(robot, settings)
        self.world.settle(SETTLE_TIME)
        self._count = len(robot.joints)
        self._largest = self.world.drives.motors.effort.copy()
        movable = self.world.joint_map.driven
        self._from, self._to, self._rate, self._target = (np.zeros(movable) for _ in range(4))
        self._wanted, self._pace, self._strength = (np.zeros(self._count) for _ in range(3))
        self.measured: Measured = self.world.measure(0.0)
        slips = FRICTION * self._largest / self.world.drives.kp[: self._count]
        self.shafts = tuple(
            JointShaft(*each)
            for each in zip(wirings, self._positions().tolist(), slips.tolist(), strict=True)
        )
        self.spools = tuple(map(SpoolShaft, tendons))
        self._places = {tendon.name: place for place, tendon in enumerate(tendons)}
        self._collect(self._to)

    @property
    def time(self) -> float:
        """Since the beginning [s]."""
        return self.world.time

    def step(self, seconds: float) -> None:
        """Let time pass: the joints follow their shafts' targets, in straight lines.

        Args:
            seconds: a whole number of physics steps.
        """
        world, steps = self.world, round(seconds / self.world.settings.physics_step)
        world.soft.take(np.array([spool.value for spool in self.spools]))
        self._from[:] = self._to
        self._collect(self._to)
        np.multiply(self._largest, self._strength, out=world.drives.motors.effort)
        for step in range(1, steps + 1):
            np.subtract(self._to, self._from, out=self._target)
            self._target *= step / steps
            self._target += self._from
            world.step(self._target, self._rate)
        self.measured = world.measure(seconds)
        self._sense()
        for name, length in world.soft.lengths().items():
            self.spools[self._places[name]].sense(length, seconds)

    def close(self) -> None:
        """End the world."""
        self.world.close()

    def _positions(self) -> Array:
        return self.measured.position[: self._count]

    def _collect(self, movable: Array) -> None:
        """Take what all shafts want."""
        for place, shaft in enumerate(self.shafts):
            self._wanted[place], self._pace[place] = shaft.target, shaft.rate
            self._strength[place] = shaft.strength
        self.world.joint_map.positions(self._wanted, movable)
        self.world.joint_map.rates(self._pace, self._rate)

    def _sense(self) -> None:
        for shaft, position, velocity, part in zip(
            self.shafts,
            self._positions().tolist(),
            self.measured.velocity[: self._count].tolist(),
            self.measured.effort[: self._count].tolist(),
            strict=True,
        ):
            shaft.sense(position, velocity, part)

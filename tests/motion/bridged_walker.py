"""A robot that performs what is planned for it through a bridge's gate, on any ground."""

import numpy as np
from planned_walker import PERIOD, Walker

from softshell_common.goal_state import GoalState
from softshell_control.bridge import BridgeCore
from softshell_control.channel import limits_of
from softshell_control.footing.footing import Footing
from softshell_control.trajectories.follower import FollowerSettings
from softshell_control.trajectories.trajectory import Identity, Trajectory
from softshell_kinematics.transforms import rotation_about, shift, transform
from softshell_sim.scenes import terrain
from softshell_sim.settings import WorldSettings
from softshell_sim.sim_backend import SimBackend

#: Where the ground begins to be rough, ahead of the robot [m].
AHEAD = 0.45


class BridgedWalker(Walker):
    """Walks through the gate of a bridge.

    Args:
        engine, friction: of the world.
        footing: whether feet are fitted to the ground.
        robot: its name.
    """

    def __init__(self, engine, friction, footing, robot='shell'):
        super().__init__(engine, friction, robot)
        self.world.close()
        self.friction = friction
        settings = WorldSettings(engine=engine, friction=friction)
        backend = SimBackend(self.robot, PERIOD, settings)
        limits = limits_of(self.robot)
        self.core = BridgeCore(backend, limits, PERIOD, FollowerSettings())
        self.core.following.footing = Footing(self.robot, limits)
        self.core.following.on = footing
        self.world = backend.world
        self.core.activate()
        self.tilts = []
        self.limited = set()
        self._sent = 0

    def lay(self, shape, x=AHEAD, y=0.0, yaw=0.0):
        """Lay ground before the robot."""
        pose = shift(x, y, 0.0) @ transform(rotation_about((0.0, 0.0, 1.0), yaw))
        self.world.apply(terrain.laid(shape, self.friction, pose))

    def _follow(self, motion):
        self._sent += 1
        identity = Identity('tester', self._sent.to_bytes(16, 'big'))
        columns = np.array([self.robot.index(name) for name in motion.joints])
        self.core.offer(
            Trajectory(
                identity, 0, columns, motion.times, motion.positions, motion.velocities,
                on_feet=motion.on_feet,
            )
        )  # fmt: skip
        for _ in range(round(motion.duration / PERIOD)):
            self._tick()

    def _step(self, rate):
        self._tick()

    def _tick(self):
        for status in self.core.tick():
            assert status.goal.state is not GoalState.REJECTED, status.goal.reasons
        self.limited |= {reason.code for reason in self.core.status().reasons}
        self.tilts.append(self.tilt())

    def tilt(self):
        x, y, _, _ = self.core.measured.base.orientation
        return float(np.degrees(np.arccos(np.clip(1.0 - 2.0 * (x * x + y * y), -1.0, 1.0))))

    def walk_on(self, pace, speed, distance):
        """Walk ahead, holding heading and line, for a distance [m]; how long that takes [s].

        Infinite, if it takes three times as long as it should, or falls.
        """
        (x, y), _ = self.pose()
        passed = 0.0
        while True:
            (ahead, aside), heading = self.pose()
            if np.hypot(ahead - x, aside - y) >= distance:
                return passed
            if passed > 3.0 * distance / speed or self.tilt() > 30.0:
                return np.inf
            back = np.clip(0.5 * (y - aside), -0.3 * speed, 0.3 * speed)
            parts = self.stride(pace, (speed, back, np.clip(-np.radians(heading), -0.2, 0.2)))
            passed += sum(part.motion.duration for part in parts)


def lay(walker, kind, seed):
    """Lay one kind of ground before a walker: rubble, a ramp, or stairs.

    Blocks are up to 4 cm high, ramps rise by 10 degrees, steps by 3 cm, at a run of 28 to 40 cm.
    Ramps and stairs are askew by up to 10 degrees.
    """
    random = np.random.default_rng(seed)
    askew = np.radians(random.uniform(-10.0, 10.0))
    if kind == 'rubble':
        length = 3.4
        walker.lay(terrain.rubble((length, 1.6), 0.04, 0.16, seed), AHEAD + 0.5 * length)
    elif kind == 'ramp':
        walker.lay(terrain.ramp(np.radians(10.0), 3.5, 2.0), yaw=askew)
    else:
        walker.lay(terrain.stairs(9, 0.03, random.uniform(0.28, 0.4), 2.0), yaw=askew)

"""What is done to a robot in a soak, by chance."""

import random
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from _soak_bridge import Bridge
from _soak_record import Record
from scipy.spatial.transform import Rotation

from softshell_client import ActionFailedError, BridgeMode, Shell, SoftshellError
from softshell_client.ros.messages import pose_message
from softshell_interfaces.msg import WorldChange
from softshell_kinematics.transforms import rotation_from_quaternion

#: Beyond it the robot has fallen [rad].
FALLEN = 0.6
#: Within which an emergency stop, and the end of the bridge, have to be told [s, wall].
TOLD, GONE = 2.0, 7.0
#: From where it is dropped [m], and until it has come to rest [s, wall].
DROPPED, RESTS = 0.36, 3.0
#: What is tried, one after the other, until the robot stands. After a fall `open` helps, and may
#: have to be repeated.
WAYS_UP = (
    ('stand',), ('gather', 'stand'), ('idle', 'stand'),
    ('open', 'stand'), ('close', 'open', 'stand'), ('open', 'stand'),
)  # fmt: skip


@dataclass
class Moves:
    """Moves a robot by chance, and sees that it gets up again.

    Args:
        robot: the one that is moved.
        chance: what chooses.
        record: told of what is done, and of what goes wrong.
        refusal: why the last action that failed did so.
    """

    robot: Shell
    chance: random.Random
    record: Record
    refusal: str = ''
    _left: list[str] = field(default_factory=lambda: ['topple'])

    @property
    def kinds(self) -> dict[str, Callable[[], None]]:
        """What can be done, by name; what comes twice is done more often."""
        return {
            'drive': self.drive, 'drive on': self.drive, 'act': self.act, 'act on': self.act,
            'pose': self.pose, 'take over': self.take_over, 'ball': self.ball, 'stop': self.stop,
            'topple': self.topple,
        }  # fmt: skip

    def any(self) -> None:
        """Topple, then what is left of all; and see that the robot stands after it."""
        if not self._left:
            self._left = self.chance.sample([*self.kinds], len(self.kinds))
        do = self.kinds[self._left[-1]]
        kind = self._left.pop().removesuffix(' on')
        self.record.did(kind)
        do()
        self.see_that_it_stands(kind)

    def tried(self, action: str, **parameters: float) -> bool:
        """Perform an action; whether it succeeded. What is refused is counted."""
        try:
            self.robot.perform(action, **parameters)
        except ActionFailedError as error:
            self.record.refused[f'{action}: {str(error)[:100]}'] += 1
            self.refusal = str(error)
            return False
        return True

    def between(self, low: float, high: float) -> float:
        """A number by chance."""
        return self.chance.uniform(low, high)

    def drive(self) -> None:
        """Velocities by chance for some seconds, by a gait by chance."""
        try:
            self.robot.set_gait(self.chance.choice(self.robot.gaits()))
        except SoftshellError as error:
            self.record.problems.append(f'set_gait: {error}')
        for _ in range(self.chance.randint(1, 4)):
            x, y, yaw = self.between(-0.3, 0.3), self.between(-0.2, 0.2), self.between(-1.0, 1.0)
            end = time.monotonic() + self.between(0.5, 2.5)
            while time.monotonic() < end:
                self.robot.drive(x, y, yaw)
                time.sleep(0.1)
        self.robot.drive()

    def act(self) -> None:
        """A walk, a turn, another height, or rest."""
        action = self.chance.choice(('walk', 'turn', 'lower', 'raise', 'gather', 'idle'))
        told = {'walk': {'distance': self.between(-0.4, 0.4)},
                'turn': {'angle': self.between(-1.5, 1.5)}}  # fmt: skip
        self.tried(action, **told.get(action, {}))

    def pose(self) -> None:
        """A pose of the base that may be out of reach, which is then refused."""
        try:
            self.robot.set_body_pose(
                self.between(0.08, 0.25),
                pitch=self.between(-0.3, 0.3),
                roll=self.between(-0.3, 0.3),
            )
        except SoftshellError as error:
            self.record.refused[f'pose: {str(error)[:60]}'] += 1

    def take_over(self) -> None:
        """A walk that another action takes over from: both come to their end."""
        first = self.robot.begin_action('walk', distance=1.0)
        time.sleep(self.between(0.2, 2.0))
        self.tried('turn', angle=self.between(-0.5, 0.5))
        try:
            first.result()
        except ActionFailedError:
            return
        self.record.problems.append('a walk of 1 m that was taken over from succeeded')

    def ball(self) -> None:
        """Into the ball, roll, and out of it."""
        if self.tried('close'):
            self.tried('roll', distance=self.between(0.5, 2.0), direction=self.between(-3.0, 3.0))
            self.tried('open')

    def topple(self) -> None:
        """Dropped on its side or back, from where it stood."""
        lean = self.chance.choice((-1.0, 1.0)) * self.between(1.6, np.pi)
        turned = Rotation.from_euler('zx', [self.between(-np.pi, np.pi), lean])
        place = WorldChange(kind=WorldChange.PLACE, body='robot')
        position = (*self.robot.position[:2], DROPPED)
        place.pose = pose_message([*position, *turned.as_euler('ZYX')])
        self.robot.begin_world_change([place]).answer()
        time.sleep(RESTS)

    def stop(self) -> None:
        """An emergency stop in mid-motion: it has to be told at once, and left by its way out."""
        walk = self.robot.begin_action('walk', distance=0.5)
        time.sleep(self.between(0.2, 2.0))
        begin = time.monotonic()
        self.robot.emergency_stop()
        while self.robot.bridge().mode is not BridgeMode.EMERGENCY_STOP:
            if time.monotonic() > begin + TOLD:
                break
            time.sleep(0.02)
        self.record.told('stop', time.monotonic() - begin, TOLD)
        self.record.must_fail(walk.result, 'an emergency stop')
        self.robot.reset()
        self.robot.activate()

    def lose(self, bridge: Bridge) -> None:
        """The bridge ends in mid-motion, as told to or by force: who waits has to hear of it."""
        walk = self.robot.begin_action('walk', distance=1.0)
        time.sleep(self.between(0.2, 2.0))
        begin = time.monotonic()
        bridge.end(self.chance.choice((signal.SIGTERM, signal.SIGKILL)))
        self.record.must_fail(walk.result, 'the end of the bridge')
        self.record.told('end of the bridge', time.monotonic() - begin, GONE)

    def tilt(self) -> float:
        """Angle of the base's z axis to the vertical [rad]."""
        rotation = rotation_from_quaternion(self.robot.orientation)
        return float(np.arccos(np.clip(rotation[2, 2], -1.0, 1.0)))

    def see_that_it_stands(self, after: str) -> None:
        """Have the robot stand, by whatever helps; a problem if nothing does."""
        fallen = self.tilt() > FALLEN and self.robot.mode == 'hexapod'
        self.record.counts['falls'] += fallen
        if self.robot.bridge().mode is BridgeMode.FAULT:
            self.record.problems.append(f'a fault after {after}: {self.robot.bridge().reasons}')
            self.robot.reset()
            self.robot.activate()
        for way in WAYS_UP:
            if all(self.tried(action) for action in way) and self.tilt() < FALLEN:
                self.record.counts['recovered'] += fallen
                return
        self.record.problems.append(
            f'it does not stand up after {after}, tilted by {self.tilt():.2f} rad: {self.refusal}'
        )
        self.robot.reset()
        self.robot.activate()

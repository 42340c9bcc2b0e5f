"""A bridge of any kind in steps of a time of its own, and what every bridge is held to."""

from dataclasses import dataclass

import numpy as np
import pytest

from softshell_common.goal_state import GoalState
from softshell_common.reason import LIMITED
from softshell_control.bridge import BridgeCore
from softshell_control.channel import limits_of
from softshell_control.joint_map import JointMap
from softshell_control.trajectories.check import Request, check_trajectory
from softshell_control.trajectories.follower import FollowerSettings
from softshell_control.trajectories.trajectory import Identity
from softshell_description.load import load_robot
from softshell_kinematics.errors import SoftshellError

#: Where time begins [ns].
BEGIN = 10**9


@dataclass
class Moment:
    """The end of a control period.

    Attributes:
        now: [ns].
        command, rate: (joints,) what the bridge commands [rad], [rad/s].
        measured, truth: (joints,) where the joints are measured, and where they are [rad].
        age: (joints,) how long ago each was measured [s].
        driven: whether the joints follow commands.
    """

    now: int
    command: np.ndarray
    rate: np.ndarray
    measured: np.ndarray
    truth: np.ndarray
    age: np.ndarray
    driven: bool


class Rig:
    """A bridge on its plant; a tick is a control period for both.

    Args:
        kind: of the bridge.
        robot: its name.
        folder: for files.
        settings: of the follower.
    """

    def __init__(self, kind, robot, folder, **settings):
        self.kind, self.robot = kind, load_robot(robot)
        self.names, self.period = self.robot.joint_names, kind.period
        self.limits = limits_of(self.robot)
        self.tolerance = kind.rest + kind.sag * self.limits.tolerance
        self.now, self.offered = BEGIN, 0
        self.settings = FollowerSettings(**settings)
        self.reports, self.trace, self.commands = [], [], []
        self.plant = kind.make(self.robot, folder)
        try:
            self.begin()
        except BaseException:
            self.plant.close()
            raise

    def begin(self):
        """A new bridge on the plant as it is."""
        self.backend = self.plant.connect(lambda: self.now)
        step, activate = self.backend.step, self.backend.activate

        def recorded_step(now, command):
            row = None if command is None else (now, command.value.copy(), command.rate.copy())
            self.commands.append(row)
            return step(now, command)

        def recorded_activate():
            measured = activate()
            at = measured.channels.copy()
            self.commands += [None, (self.core.now, at, np.zeros_like(at))]
            return measured

        self.backend.step, self.backend.activate = recorded_step, recorded_activate
        self.core = BridgeCore(
            self.backend, self.limits, self.period, self.settings, start_time=self.now
        )

    def leave(self, killed):
        """The bridge ends; what it moves may live on."""
        self.plant.leave(killed)
        self.core = None

    def close(self):
        if self.core is not None:
            self.plant.leave(killed=False)
        self.plant.close()

    def run(self, seconds):
        """Let time pass; returns the reports."""
        return self.ticks(round(seconds / self.period))

    def ticks(self, count=1):
        """Let some control periods pass; returns the reports."""
        reports = []
        for _ in range(count):
            self.plant.step(self.period)
            self.now += round(1e9 * self.period)
            if self.core is None:
                continue
            reports += self.core.tick(self.now)
            core, joints = self.core, slice(0, len(self.names))
            self.trace.append(
                Moment(
                    self.now, core.command.value[joints].copy(), core.command.rate[joints].copy(),
                    core.channels[joints].copy(), self.plant.truth(),
                    core.measured.age[joints].copy(), core.driven,
                )
            )  # fmt: skip
        self.reports += reports
        return reports

    def ask(self, name):
        """Have a request carried out at the next tick; what it says, or the error it raises."""
        future = self.core.request(getattr(self.core, name))
        self.ticks()
        error = future.exception(0)
        assert error is None or isinstance(error, SoftshellError), error
        return error or future.result(0)

    def request(self, goals, duration=1.0, queued=False, **changes):
        """A message of one point for some joints, some of its fields changed."""
        self.offered += 1
        fields = {
            'identity': Identity('tester', self.offered.to_bytes(16, 'big')),
            'stamp': 0,
            'names': list(goals),
            'times': [duration],
            'values': [list(goals.values())],
            'rates': [[]],
            'queued': queued,
        }
        return Request(**fields | changes)

    def offer(self, goals, duration=1.0, queued=False, tolerances=None, **changes):
        """Offer a trajectory to some joints; returns its identity."""
        request = self.request(goals, duration, queued, **changes)
        self.core.offer(check_trajectory(request, self.limits.names, self.now, tolerances))
        return request.identity

    def events(self, identity):
        """What became of a trajectory, in order."""
        return [event for event in self.story() if event.identity == identity]

    def story(self):
        """What became of all trajectories, in order; reports repeat the last change."""
        goals = [status.goal for status in self.reports]
        return [
            goal
            for before, goal in zip([None, *goals], goals, strict=False)
            if goal is not before and goal.state is not GoalState.NONE
        ]

    def states(self, identity):
        return [event.state.name for event in self.events(identity)]

    def modes(self):
        """The modes that were reported, in order, each once."""
        modes = [status.mode.name for status in self.reports]
        return [b for a, b in zip([None, *modes], modes, strict=False) if a != b]

    def codes(self):
        """Codes of all reasons that the bridge has reported."""
        return {reason.code for status in self.reports for reason in status.reasons}

    @property
    def mode(self):
        return self.core.mode.name

    @property
    def why(self):
        """Codes of the reasons for which the bridge does not drive, or warns."""
        codes = [reason.code for reason in self.core.status().reasons]
        return [code for code in codes if code not in LIMITED]

    @property
    def inside(self):
        """(joints,) what is measured, or the end of the range that it is beyond [rad]."""
        joints = slice(0, len(self.names))
        limits = self.limits
        return np.clip(self.core.channels, limits.lower, limits.upper)[joints]

    def place(self, joint):
        return self.names.index(joint)

    def commanded(self):
        """(joints,) the present command [rad]."""
        return self.core.command.value[: len(self.names)].copy()

    def array(self, name, since=0):
        """(moments, joints) of the trace from an index on."""
        return np.array([getattr(moment, name) for moment in self.trace[since:]])

    def check_followed(self, joint, begin, goal, start, duration, exact=1e-6):
        """Hold the way of a joint against the cubic from rest to rest that it had to take.

        Args:
            joint: its name.
            begin: where it was, as commanded [rad].
            goal: where it had to go [rad].
            start: of the motion [ns].
            duration: of the motion [s].
            exact: by which the command may be off the cubic [rad].
        """
        place = self.place(joint)
        for moment in self.trace:
            if moment.now <= start:
                continue
            window = np.linspace(moment.now - 1e9 * self.kind.lag, moment.now, 9)
            s = np.clip((window - start) * 1e-9 / duration, 0.0, 1.0)
            curve = begin + (goal - begin) * s * s * (3.0 - 2.0 * s)
            assert abs(moment.command[place] - curve[-1]) < exact
            found = moment.truth[place]
            off = max(curve.min() - found, found - curve.max())
            assert off <= self.tolerance[place] + exact, (moment.now, found, curve)

    def check_still(self, at, since):
        """Nothing has moved away from (joints,) [rad] since an index of the trace."""
        off = np.abs(self.array('truth', since) - at).max(axis=0)
        assert (off <= self.tolerance).all(), off

    def check_goes_home(self):
        """From wherever the joints are, they go where they started."""
        home = self.robot.pose(self.robot.start).tolist()
        name = self.offer(dict(zip(self.names, home, strict=True)), 2.0)
        self.run(2.2)
        assert self.states(name) == ['ACTIVE', 'REACHED']

    def check_no_jump(self, since=0):
        """No joint has ever moved faster than its motor can, and its bridge may."""
        truth = self.array('truth', since)
        fastest = np.array([joint.velocity for joint in self.robot.joints])
        steps = np.abs(np.diff(truth, axis=0)).max(axis=0, initial=0.0)
        assert (steps <= fastest * self.period + 1e-9).all(), steps / self.period

    def check_ages(self, since=0):
        """What is measured of each joint is where it was at the time that its age says."""
        truth = self.array('truth')
        for index in range(len(self.trace))[since:]:
            moment = self.trace[index]
            back = np.rint(moment.age / self.period).astype(int)
            assert back * self.period == pytest.approx(moment.age), moment.age
            known = back <= index
            then = truth[(index - back)[known], np.flatnonzero(known)]
            off = np.abs(moment.measured[known] - then)
            assert (off <= self.kind.rest).all(), (moment.now, off)

    def check_commands(self):
        """All that the backend was ever told is finite and within range, rate and acceleration."""
        limits, seconds = self.limits, None
        for before, row in zip([None, *self.commands], self.commands, strict=False):
            if row is None:
                continue
            now, value, rate = row
            assert np.isfinite(value).all()
            assert np.isfinite(rate).all()
            if before is None:  # activation: whatever was measured
                continue
            seconds = (now - before[0]) * 1e-9
            outside = np.maximum(limits.lower - value, value - limits.upper)
            was = np.maximum(limits.lower - before[1], before[1] - limits.upper)
            assert (outside <= np.maximum(was, 0.0) + 1e-12).all()
            assert (np.abs(value - before[1]) <= limits.rate * seconds + 1e-9).all()
            assert (np.abs(rate) <= limits.rate + 1e-9).all()
            change = np.abs(rate - before[2])
            assert (change <= limits.acceleration * seconds * (1 + 1e-6) + 1e-9).all()

    def check_measured(self):
        """Whole arrays of the right sizes; of base, IMU and feet all or nothing."""
        measured = self.core.measured
        measured.check(len(self.limits.channels), len(JointMap.of(self.robot).names))
        assert measured.stamp == self.now
        for part in (measured.base, measured.imu):
            if part is not None:
                assert abs(np.linalg.norm(part.orientation) - 1.0) < 1e-6
        if measured.contacts is not None:
            feet = len(measured.contacts.touching)
            assert measured.contacts.force.shape == (feet, 3)

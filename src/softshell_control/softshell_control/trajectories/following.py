"""Following trajectories on uneven ground: corrections are added before the gate.

The follower does not know the corrections: they are subtracted from commands and measured values
before it sees them.
"""

import numpy as np

from softshell_common.goal_state import GoalState
from softshell_common.reason import Reason, ReasonCode
from softshell_control.backend import Measured
from softshell_control.channel import Limits
from softshell_control.controller import Run
from softshell_control.footing.footing import Footing
from softshell_control.gate import LONGEST, Command
from softshell_control.trajectories.follower import Follower, FollowerSettings
from softshell_control.trajectories.goal_event import GoalEvent, ended
from softshell_control.trajectories.trajectory import (
    NANOSECONDS,
    NOBODY,
    Curve,
    Identity,
    Trajectory,
)
from softshell_kinematics.arrays import Array

#: A leg whose foot is stuck between stones may be off its goal by so many times its tolerance.
STUCK = 8.0


class Following:
    """A follower, and the corrections that fit the feet of its robot to the ground.

    Args:
        limits: the robot's channels.
        period: the control period [s].
        settings: how long things may take.

    Attributes:
        follower: follows the trajectories.
        footing: makes the corrections; None: there are none.
        on: whether it corrects now; otherwise its corrections go back to 0.
        wanted: at the end of the last control period, with the corrections.
        stops: how often all trajectories were given up.
    """

    def __init__(self, limits: Limits, period: float, settings: FollowerSettings) -> None:
        self.follower = Follower(limits, period, settings)
        self.footing: Footing | None = None
        self.on = False
        self.stops = 0
        self._newest = NOBODY
        self.wanted = self._plan = Command(self.follower.value, self.follower.rate)
        self._longest = LONGEST * period
        self._sum, self._planned = (Command.at_rest(self.follower.value) for _ in range(2))
        # Compiles or loads now what the first trajectory would otherwise have to wait for.
        count = len(limits.channels)
        knots, still = np.array([0.0, period]), np.zeros((2, count))
        curve = Curve(np.arange(count), knots, still, still)
        curve.evaluate(0.0, self.follower.value, self.follower.rate)

    def offer(self, message: Trajectory | Run, now: int, command: Command) -> None:
        """Take a trajectory or run; see `Follower.offer`.

        A trajectory that starts at the corrected command contains the corrections already. What
        is to follow another than the last that was taken is refused: its sender did not know yet.
        """
        if message.after not in (None, self._newest.id):
            self.follower.events.append(
                ended(message, GoalState.REJECTED, _overtaken_by(self._newest))
            )
            return
        if self._contains_them(message, now, command):
            self._adopt()
        planned = self._without(command)
        if self.follower.offer(message, now, planned.value, planned.rate):
            self._newest = message.identity

    def cancel(self, identity: Identity, command: Command, reason: Reason) -> None:
        """Give up one trajectory; see `Follower.cancel`."""
        if identity == self._newest:
            self._newest = NOBODY
        self.follower.cancel(identity, self._without(command).value, reason)

    def hold(self, command: Command, reason: Reason) -> None:
        """Give up all trajectories; see `Follower.hold`."""
        self._newest = NOBODY
        self.stops += 1
        self.follower.hold(self._without(command).value, reason)

    def moved(self, command: Command, reason: Reason) -> None:
        """Give up all trajectories, as a simulated robot was put elsewhere.

        That is told even where none was followed: others may plan from where the robot was.
        """
        events = self.follower.events
        before = len(events)
        self.hold(command, reason)
        if len(events) == before:
            events.append(GoalEvent(state=GoalState.STOPPED, reasons=(reason,)))
        self.forget()

    def forget(self) -> None:
        """Have controllers drop what they have learnt of where the robot was."""
        for controller in self.follower.controllers:
            controller.forget()

    def begin(self) -> None:
        """Drop all corrections at once, and make none until a trajectory on feet begins."""
        self.follower.on_feet = False
        if self.footing is not None:
            self.footing.reset()

    def update(
        self, now: int, end: int, measured: Measured, present: Array, command: Command
    ) -> Command:
        """Decide what is due, and what is wanted at the end of a control period.

        Args:
            now, end: begin and end of the period [ns].
            measured: at its begin.
            present: (channels,) expected values at its begin.
            command: the present safe command.

        Returns:
            What is wanted, valid until the next call.

        Raises:
            Exception: that of a controller.
        """
        follower, adds = self.follower, self._adds
        planned, waits = self._without(command), follower.waiting
        contains_them = self._contains_them(waits, now, command, end)
        if adds is not None:
            present = present - adds.offset
        fits = self.footing is not None and self.on and follower.on_feet
        follower.slack = STUCK if fits else 1.0
        follower.update(now, end, present, planned.value, planned.rate)
        if contains_them:
            self._adopt(waits)
        adds = self._adds
        if adds is None:
            self.wanted = self._plan
            return self.wanted
        seconds = min((end - now) / NANOSECONDS, self._longest)
        adds.update(follower.value, measured, self.on and follower.on_feet, seconds)
        np.add(follower.value, adds.offset, out=self._sum.value)
        np.add(follower.rate, adds.rate, out=self._sum.rate)
        self.wanted = self._sum
        return self.wanted

    @property
    def _adds(self) -> Footing | None:
        """The footing, if it corrects or may correct something; else None."""
        footing = self.footing
        return None if footing is None or not (self.on or not footing.at_rest) else footing

    def _contains_them(
        self,
        message: Trajectory | Run | None,
        now: int,
        command: Command,
        end: int | None = None,
    ) -> bool:
        """Whether a trajectory begins at the corrected command rather than at the plan.

        It begins now, or at its stamp if a period with that end is given. What begins later in
        this period, as its turn has come, goes on from the plan.
        """
        return (
            self._adds is not None
            and isinstance(message, Trajectory)
            and self.follower.begins(message, now, end)
            and _is_nearer(message, command, self._adds.offset)
        )

    def _adopt(self, begun: Trajectory | Run | None = None) -> None:
        """Want all channels where they are with their corrections, and drop these.

        Args:
            begun: whose channels are wanted so already.
        """
        footing = self.footing
        assert footing is not None
        if isinstance(begun, Trajectory):
            footing.offset[begun.channels] = 0.0
        self.follower.value += footing.offset
        footing.reset()

    def _without(self, command: Command) -> Command:
        """A command without the corrections; the next call overwrites it."""
        adds = self._adds
        if adds is None:
            return command
        np.subtract(command.value, adds.offset, out=self._planned.value)
        np.subtract(command.rate, adds.rate, out=self._planned.rate)
        return self._planned


def _overtaken_by(newest: Identity) -> Reason:
    """The reason to refuse what is to follow another than the last that was taken."""
    what = 'a stop' if newest == NOBODY else f'a trajectory of {newest.sender}'
    return Reason(ReasonCode.OVERTAKEN, f'{what} came after the one that this was to follow')


def _is_nearer(trajectory: Trajectory, command: Command, offset: Array) -> bool:
    """Whether a trajectory starts nearer to a command than to the same without an offset."""
    if trajectory.times[0] > 0.0:
        return False
    ways = command.value[trajectory.channels] - trajectory.values[0]
    return bool(np.abs(ways).max() < np.abs(ways - offset[trajectory.channels]).max())

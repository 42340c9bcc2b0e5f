"""The time of a bridge: it only goes forward, and that of a simulation may be paused."""

from concurrent.futures import Future

from softshell_common.reason import Reason, ReasonCode
from softshell_control.trajectories.trajectory import NANOSECONDS
from softshell_kinematics.errors import SoftshellError

#: If a clock goes back by less than this, ticks are left out until it has caught up [s].
CLOCK_BACK = 0.1


class TimeFlow:
    """Lets control periods pass, one at a time. Belongs to the thread that ticks.

    Args:
        now: the time at the beginning [ns].
        period: the control period [s].

    Attributes:
        now: the end of the last period [ns].
        paused: whether time stands still, except for the periods that `step` asks for.
    """

    def __init__(self, now: int, period: float) -> None:
        self.now = now
        self.paused = False
        self._period = round(period * NANOSECONDS)
        self._left = self._left_out = 0
        self._steps: list[tuple[int, Future[str]]] = []

    def end(self, now: int | None) -> int:
        """The end of the period that begins [ns]: as the clock says, or a period later."""
        return self.now + self._period if now is None else now

    @property
    def stands_still(self) -> bool:
        """Whether no time passes until `step` or `resume` is called."""
        return self.paused and not self._left

    def begins(self, end: int) -> bool:
        """Whether a period that ends then [ns] takes place; one without time is left out."""
        if self.stands_still:
            return False
        if 0.0 <= self.now - end < CLOCK_BACK * NANOSECONDS:
            self._left_out += 1
            return False
        return True

    def gone_back(self, end: int) -> float:
        """How far before the end of the last period that is [s]; 0: not at all."""
        return max(self.now - end, 0) / NANOSECONDS

    def passed(self, end: int) -> None:
        """Note that a period has passed."""
        self.now = end
        if not self._left:
            return
        self._left -= 1
        waiting = [(left - 1, done) for left, done in self._steps]
        self._steps = [(left, done) for left, done in waiting if left > 0]
        for left, done in waiting:
            if left <= 0:
                done.set_result('the time has passed')

    def reasons(self) -> tuple[Reason, ...]:
        """Whether ticks were left out since the last call."""
        if not self._left_out:
            return ()
        text = f'the clock stood still or went back: {self._left_out} ticks left out'
        self._left_out = 0
        return (Reason(ReasonCode.TIME, text),)

    def pause(self) -> str:
        """Let time stand still from now on."""
        text = 'paused already' if self.paused else 'simulated time stands still; ~/resume goes on'
        self.paused = True
        return text

    def resume(self) -> str:
        """Let time pass again from where it stood still; the pause is not made up for."""
        text = 'simulated time passes' if self.paused else 'was not paused'
        self.paused = False
        while self._steps:
            _, done = self._steps.pop()
            done.set_exception(SoftshellError('resumed before all of the time had passed'))
        self._left = 0
        return text

    def step(self, periods: int) -> 'Future[str]':
        """Let control periods pass while paused, after those that were asked for before.

        Returns:
            Its result comes when they have passed.

        Raises:
            SoftshellError: time is not paused, or there is no period to pass.
        """
        if not self.paused:
            raise SoftshellError('simulated time passes; ~/pause it before single steps')
        if periods < 1:
            raise SoftshellError(f'{periods} control periods; expected 1 or more')
        self._left += periods
        done: Future[str] = Future()
        self._steps.append((self._left, done))
        return done

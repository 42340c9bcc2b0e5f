"""The loop of the keyboard interface: keys and signals in, commands out."""

import os
import select
import signal
import time
from collections.abc import Callable
from typing import Protocol

from softshell_common.discovery import DISCOVERY
from softshell_teleop import commands, core
from softshell_teleop.key_parser import KeyParser
from softshell_teleop.offer import Offer
from softshell_teleop.posture import Posture
from softshell_teleop.screen import Reading, Screen, help_text, key_table, status_text
from softshell_teleop.settings import Settings
from softshell_teleop.terminal import Signals, Terminal

#: Time between two updates from ROS and of the status line [s].
REFRESH = 0.1
_WARNING = '33'
#: Shortest time between two warnings that nothing subscribes to cmd_vel [s].
_WARN_AGAIN = 10.0


class Robot(commands.Robot, Protocol):
    """What the session needs of the robot; see `ros.remote.Remote`."""

    def poll(self) -> bool:
        """Report what has ended since the last call. Returns False once ROS is shut down."""

    def offer(self) -> Offer | None:
        """What it can be asked for; None while that is not known."""

    def listened(self) -> bool:
        """Whether a node subscribes to cmd_vel."""

    def take_posture(self) -> Posture | None:
        """A posture reported since the last call; None if there was none."""

    def take_refusal(self) -> bool:
        """Whether a posture was refused since the last call."""

    def reading(self) -> Reading | None:
        """The pose of the base as last measured; None before the first odometry."""

    def doing(self) -> str:
        """What the robot does, in a few words."""


class Session:
    """Runs the interface until it is told to exit.

    One thread does everything. It sleeps in select until a key, a signal, the next Twist or the
    next refresh is due: a key is handled without delay, and waiting costs almost nothing.

    Args:
        settings: key map, speeds and steps.
        robot: the robot.
        screen: where to print.
        terminal: the terminal, already in its key-by-key mode.
        signals: collects the signals.
        fd: file descriptor from which keys are read.
        clock: returns a time that never runs backwards [s].
    """

    def __init__(
        self,
        settings: Settings,
        robot: Robot,
        screen: Screen,
        terminal: Terminal,
        signals: Signals,
        fd: int,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._settings, self._robot, self._screen = settings, robot, screen
        self._terminal, self._signals, self._fd, self._clock = terminal, signals, fd, clock
        self._state = core.State()
        self._table = ''
        self._parser = KeyParser()
        self._warned_at = clock() + DISCOVERY - _WARN_AGAIN
        self._refresh_at = clock()

    def run(self) -> None:
        """Loop until an exit key, an ending signal, the end of stdin or of ROS."""
        self._screen.print(help_text(self._settings))
        self._table = key_table(self._settings)
        try:
            while self._once():
                pass
        finally:
            self._release()
            self._screen.end()

    def _once(self) -> bool:
        wake = core.wake_time(self._settings, self._state)
        until = self._refresh_at if wake is None else min(wake, self._refresh_at)
        sources = [self._fd, self._signals.fd]
        ready, _, _ = select.select(sources, [], [], max(0.0, until - self._clock()))
        if self._signals.fd in ready:  # keys that came with them may be dropped
            return self._heed(self._signals.read())
        if self._fd in ready and not self._read_keys():
            return False
        if not self._step(None):
            return False
        return self._clock() < self._refresh_at or self._refresh()

    def _read_keys(self) -> bool:
        try:
            data = os.read(self._fd, 1024)
        except OSError:  # the terminal hung up
            return False
        return bool(data) and all(self._step(key) for key in self._parser.feed(data))

    def _step(self, key: str | None) -> bool:
        self._state, commands = core.step(self._settings, self._state, key, self._clock())
        return all(self._carry_out(command) for command in commands)

    def _carry_out(self, command: commands.Command) -> bool:
        commands.carry_out(command, self._robot)
        match command:
            case commands.Twist():
                self._warn_if_unheard()
            case commands.Say(text, problem):
                self._screen.print(text, _WARNING if problem else '')
            case commands.Show('keys'):
                self._screen.print(key_table(self._settings, self._state.offer))
            case commands.Show():
                self._screen.print(help_text(self._settings, self._state.offer))
            case commands.Exit():
                return False
        return True

    def _warn_if_unheard(self) -> None:
        now = self._clock()
        if now - self._warned_at >= _WARN_AGAIN and not self._robot.listened():
            self._warned_at = now
            hint = 'is the robot up?' if self._state.offer is None else 'this robot does not walk'
            self._screen.print(f'no node subscribes to cmd_vel: {hint}', _WARNING)

    def _refresh(self) -> bool:
        self._refresh_at = self._clock() + REFRESH
        if not self._robot.poll():
            return False
        self._heed_offer(self._robot.offer())
        posture = self._robot.take_posture()
        if posture is not None:
            self._state = core.with_report(self._state, posture, self._clock())
        if self._robot.take_refusal():
            self._state = core.with_refusal(self._state)
        status = status_text(self._robot.reading(), self._state.speed, self._doing())
        self._screen.status(status)
        return True

    def _heed_offer(self, offer: Offer | None) -> None:
        """Print the table of keys again if it has changed with what the robot offers."""
        self._state = core.with_offer(self._state, offer)
        if offer is None:
            return
        table = key_table(self._settings, offer)
        if table != self._table:
            self._table = table
            self._screen.print(f'the keys for this robot:\n\n{table}\n')

    def _doing(self) -> str:
        walking = ' + '.join(held.name.replace('_', ' ') for held in self._state.held)
        return walking or self._robot.doing()

    def _heed(self, signals: frozenset[int]) -> bool:
        if signals & Signals.ENDING:
            return False
        if signal.SIGTSTP in signals:
            self._release()
            self._screen.end()
            self._terminal.restore()
            self._signals.suspend()
            signals |= self._signals.read()
            if signals & Signals.ENDING:  # ended while it was stopped
                return False
        if signals & Signals.JOB:
            self._terminal.apply()
            self._terminal.drop_input()
            self._parser.clear()
        return True

    def _release(self) -> None:
        """Release all keys, which stops the robot: the interface will send no further Twist."""
        self._state, commands = core.released(self._state)
        for command in commands:
            self._carry_out(command)

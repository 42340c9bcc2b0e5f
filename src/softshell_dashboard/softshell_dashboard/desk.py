"""The desk: checks the messages of visitors and commands the robot; needs no server and no ROS."""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from softshell_common.shown import shown
from softshell_dashboard import messages
from softshell_dashboard.driving import Driving
from softshell_dashboard.journal import Journal, Kind
from softshell_dashboard.protocols import Robot
from softshell_dashboard.seats import SILENCE, Seats, Visitor
from softshell_kinematics.errors import SoftshellError, UnknownNameError
from softshell_teleop import commands, core
from softshell_teleop.commands import STOP
from softshell_teleop.offer import Offer
from softshell_teleop.settings import Settings


class Desk:
    """Obeys the visitor who drives, and refuses commands of all others.

    Args:
        settings: key map, speeds and steps, as for the keyboard.
        robot: that is commanded.
        journal: the log of all requests.
        hold_timeout: time after which keys and pads count as released if not repeated [s].
        now: a clock that never runs backwards [s].

    Attributes:
        seats: the visitors, and who of them drives.
        driving: the keys and pads that are held.
        view: options of the scene, as last chosen.
    """

    def __init__(
        self,
        settings: Settings,
        robot: Robot,
        journal: Journal,
        hold_timeout: float,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._settings, self._robot, self._journal, self._now = settings, robot, journal, now
        self._keys = core.State()
        self.seats = Seats()
        self.driving = Driving(settings.drive, hold_timeout)
        self.view = messages.View(type='view', follow=True, contacts=False)

    def join(self) -> Visitor:
        """Add a visitor, whose page has been opened."""
        visitor = self.seats.join(self._now())
        drives = self.seats.driver is visitor
        self.note(f'{visitor.name} has come and {"drives" if drives else "watches"}')
        return visitor

    def leave(self, visitor: Visitor, why: str = 'has gone') -> None:
        """Remove a visitor; if it drove, the robot stops.

        Args:
            visitor: to remove; nothing happens if it was removed before.
            why: what the log says of it, after its name.
        """
        if visitor in self.seats.visitors:
            drove = self.seats.leave(visitor)
            self._stop_driving(drove)
            self.note(f'{visitor.name} {why}{", nobody drives" if drove else ""}')

    def step(self) -> None:
        """Do what is due; called at least as often as velocities are to be sent."""
        now = self._now()
        for visitor in self.seats.silent(now):
            self.leave(visitor, f'was removed: nothing heard for {SILENCE:g} s')
        self._drive(self.driving.step(now))
        self._keys = core.with_offer(self._keys, self._robot.offer())
        posture = self._robot.take_posture()
        if posture is not None:
            self._keys = core.with_report(self._keys, posture, now)
        if self._robot.take_refusal():
            self._keys = core.with_refusal(self._keys)
        if self._keys.unsaid:
            self._obey(None)

    def heed(self, visitor: Visitor, message: messages.Message) -> None:
        """Do what a message of a visitor asks for.

        Raises:
            SoftshellError: the message is refused; the text says why.
        """
        visitor.heard = self._now()
        match message:
            case messages.Alive() | messages.Camera() | messages.Joints():
                return
            case messages.Take():
                self._take(visitor)
                return
            case messages.Bridge(request=request) if request == STOP:  # also of who watches
                self._drive(self.driving.stop())
                self._ask(f'{visitor.name}: emergency stop')
                self._robot.ask_bridge(STOP)
                return
            case messages.Hold(commands=(), stick=(0.0, 0.0, 0.0)) if (
                self.seats.driver is not visitor
            ):
                return  # a page that does not drive releases its keys: nothing to do
        self._require(visitor)
        match message:
            case messages.Hold():
                self._drive(self.driving.hold(message.commands, message.stick, self._now()))
            case messages.Leave():
                self.seats.leave_wheel(visitor)
                self._stop_driving(True)
                self.note(f'{visitor.name} does not drive any more')
            case messages.View():
                self.view = message
            case _:
                self._command(message)

    def _command(self, message: messages.Message) -> None:
        """Command the robot by a message of the driver."""
        if not isinstance(message, messages.Key):
            self._keys = replace(self._keys, key='')  # the next key is pressed, not repeated
        match message:
            case messages.Key():
                self._press(message.key)
            case messages.Speed():
                self.driving.speed = message.factor
                self._keys = replace(self._keys, speed=self.driving.speed)
            case messages.Gait():
                self._choose_gait(message.name)
            case messages.Pose():
                self._pose(message)
            case messages.Perform():
                self._perform(message)
            case messages.Cancel():
                self._drive(self.driving.stop())
                self._ask('cancel')
                self._robot.cancel_action()
            case messages.Bridge():
                self._ask(message.request)
                self._robot.ask_bridge(message.request)
            case messages.Fingers():
                told = ', '.join(f'{name} {value:g}' for name, value in message.values.items())
                self._ask(f'fingers: {told}')
                self._robot.command_fingers(message.values)
            case messages.Spawn():
                self._ask(f'spawn {shown(message.body or message.description)}')
                self._robot.spawn(message)
            case messages.Remove():
                self._ask(f'remove {shown(message.body)}')
                self._robot.remove(message.body)

    def state(self, visitor: Visitor) -> dict[str, Any]:
        """The state of the desk as one visitor sees it, for JSON."""
        driver = self.seats.driver
        return {
            'name': visitor.name,
            'drives': driver is visitor,
            'driver': driver.name if driver else '',
            'visitors': len(self.seats.visitors),
            'speed': round(self.driving.speed, 3),
            'moves': self.driving.moves,
            'gait': self._keys.gait,
            'follow': self.view.follow,
            'contacts': self.view.contacts,
        }

    def note(self, text: str) -> None:
        """Add a note to the log."""
        self._journal.add(Kind.NOTE, text, time.time())

    def _ask(self, text: str) -> None:
        self._journal.add(Kind.ASKED, text, time.time())

    def _require(self, visitor: Visitor) -> None:
        """Check that a visitor drives.

        Raises:
            SoftshellError: another visitor drives, or none; or the visitor was removed.
        """
        self._refuse_removed(visitor)
        driver = self.seats.driver
        if driver is not visitor:
            who = f'{driver.name} drives' if driver is not None else 'nobody drives'
            raise SoftshellError(f'{who}, and you watch: take over first')

    def _refuse_removed(self, visitor: Visitor) -> None:
        if visitor not in self.seats.visitors:
            raise SoftshellError('this page was silent for too long; it connects again')

    def _take(self, visitor: Visitor) -> None:
        """Make a visitor the driver; what another one held by keys or pads is let go."""
        self._refuse_removed(visitor)
        before = self.seats.take(visitor)
        self._stop_driving(before is not None)
        self.note(f'{visitor.name} drives' + (f' in place of {before.name}' if before else ''))

    def _stop_driving(self, whether: bool) -> None:
        if whether:
            self._drive(self.driving.release())

    def _drive(self, twist: commands.Twist | None) -> None:
        if twist is not None:
            self._robot.drive(twist)

    def _press(self, key: str) -> None:
        """Do what a pressed key commands.

        Raises:
            SoftshellError: the key is not in the key map, or is a drive key.
        """
        binding = self._settings.bindings.get(key)
        if binding is None or binding.command in core.DIRECTIONS:
            what = 'not in the key map' if binding is None else 'a drive key, which is to be held'
            raise SoftshellError(f'key {shown(key)} is {what}')
        if binding.command in ('stop', STOP):
            self._drive(self.driving.stop())
        self._obey(key)

    def _obey(self, key: str | None) -> None:
        """Do what the rules of the keyboard command for a key.

        Args:
            key: that was pressed; None: none, only say what the keyboard still has to report.

        Raises:
            SoftshellError: the robot cannot do it.
        """
        self._keys, asked = core.step(self._settings, self._keys, key, self._now())
        self.driving.speed = self._keys.speed
        for command in asked:
            if isinstance(command, commands.Perform):
                self._drive(self.driving.stop())
            commands.carry_out(command, self._robot)
            if isinstance(command, commands.Say):
                if command.problem:
                    raise SoftshellError(command.text)
                self._ask(command.text)

    def _offer(self) -> Offer:
        """What the robot can do.

        Raises:
            SoftshellError: no robot answers.
        """
        offer = self._robot.offer()
        if offer is None:
            raise SoftshellError('no robot answers; is the stack running?')
        return offer

    def _choose_gait(self, name: str) -> None:
        gaits = self._offer().gaits
        if name not in gaits:
            raise UnknownNameError('gait', name, gaits)
        self._keys = replace(self._keys, gait=name)
        self._ask(f'gait: {name}')
        self._robot.set_gait(name)

    def _pose(self, message: messages.Pose) -> None:
        offer, reported = self._offer(), self._keys.reported
        if not offer.poses or reported is None:
            raise SoftshellError('the base of this robot cannot be brought to a pose')
        posture = replace(reported, z=message.z, roll=message.roll, pitch=message.pitch)
        self._keys = replace(self._keys, posture=posture, posture_at=self._now())
        self._ask(f'posture: {posture}')
        self._robot.set_posture(posture)

    def _perform(self, message: messages.Perform) -> None:
        self._offer()
        actions = {one.name: one for one in self._robot.actions}
        if message.action not in actions:
            raise UnknownNameError('action', message.action, sorted(actions))
        names = [one.name for one in actions[message.action].parameters]
        for name in message.parameters:
            if name not in names:
                raise UnknownNameError(f'parameter of {message.action}', name, names)
        self._drive(self.driving.stop())
        given = ', '.join(f'{name} {value:g}' for name, value in message.parameters.items())
        self._ask(message.action + (f' ({given})' if given else ''))
        self._robot.perform(message.action, message.parameters, message.queue)

"""`./softshell calibrate` on a terminal: asks a person to move joints, and writes offsets."""

import select
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import typer
from rich.console import Console
from rich.live import Live
from rich.table import Table

from softshell_description.model import RobotModel
from softshell_hardware.search.calibrate import calibrate, edited, pose_for, refuse_unchangeable
from softshell_hardware.search.homing import Homing, Position
from softshell_hardware.wiring.config import HardwareConfig
from softshell_kinematics.errors import ProblemsError

#: Time between two readings of the joints [s].
LOOK_PERIOD = 0.1


@dataclass(frozen=True)
class Request:
    """What to calibrate, and how.

    Attributes:
        joints: names of the joints; empty: all.
        pose: the pose into which the joints are brought; empty: `zero`, or that of the start.
        directions: whether the directions of the joints are found as well.
        singly: whether the joints are calibrated one after the other.
        dry_run: whether changes are shown and not written.
        yes: whether no question is asked: the joints are in the pose already.
    """

    joints: tuple[str, ...] = ()
    pose: str = ''
    directions: bool = False
    singly: bool = False
    dry_run: bool = False
    yes: bool = False


class Person:
    """The person at the terminal, who moves the joints and presses Enter.

    Args:
        console: the terminal.
        homing: reads the servos.
        yes: whether no question is asked.
    """

    def __init__(self, console: Console, homing: Homing, yes: bool) -> None:
        self._console, self._homing, self._yes = console, homing, yes

    def wait(
        self, text: str, poses: Mapping[str, float], look: Callable[[], Mapping[str, Position]]
    ) -> None:
        """Ask for something, and show the positions of the joints until Enter is pressed.

        Args:
            text: what the person is to do.
            poses: goal of each joint [rad] or [m], by name; may be empty.
            look: reads the positions.
        """
        if self._yes:
            return
        self._console.print(f'{text} Then press Enter; Ctrl-C ends.')
        if not self._console.is_terminal:
            pressed()
            return
        with Live(console=self._console, auto_refresh=False, transient=True) as live:
            while not select.select([sys.stdin], [], [], LOOK_PERIOD)[0]:
                live.update(self._table(look(), poses), refresh=True)
        pressed()

    def again(self, problems: Sequence[str]) -> bool:
        """Print what went wrong. Returns whether to try again: not with `yes`."""
        if not self._yes:
            self._console.print('\n'.join(problems), soft_wrap=True)
        return not self._yes

    def _table(self, found: Mapping[str, Position], poses: Mapping[str, float]) -> Table:
        table = Table('joint', 'servo', 'ticks', 'now [rad]', 'goal [rad]')
        for name, position in found.items():
            motor = self._homing.wirings[name]
            ticks, at = position.problem, ''
            if position.ticks is not None:
                ticks = f'{position.ticks:.0f}'
                at = f'{motor.position(round(position.ticks)):.3f}' if motor.calibrated else '?'
            goal = f'{poses[name]:.3f}' if name in poses else ''
            table.add_row(name, str(motor.id), ticks, at, goal)
        return table


def calibrate_joints(robot: RobotModel, config: HardwareConfig, request: Request) -> int:
    """Measure offsets, show the changes of the wiring's file, and write them.

    Returns:
        Exit status: 1 if a joint could not be calibrated, or the person refused to write.

    Raises:
        ProblemsError: lists joints whose torque stays on, that moved, or that cannot be read, or
            values of the file that cannot be changed alone; these before anything is measured.
        SoftshellError: a port, a joint or the file cannot be used.
    """
    console = Console(markup=False)
    pose = pose_for(robot, request.pose)
    with Homing(robot, config, request.joints) as homing:
        refuse_unchangeable(config.path, homing.wirings, request.directions)
        person = Person(console, homing, request.yes)
        person.wait(
            'The joints will lose their torque now. Hold the robot, or lay it down.',
            {},
            homing.look,
        )
        problems = homing.relax()
        if problems:
            raise ProblemsError('joints whose torque cannot be switched off', problems)
        result = calibrate(homing, person, pose, request.directions, request.singly)
    for problem in result.problems:
        console.print(f'error: {problem}', soft_wrap=True)
    edit = edited(config.path, result, request.directions)
    console.print(edit.diff() or f'{edit.path}: no changes', soft_wrap=True)
    status = 1 if result.problems else 0
    if request.dry_run or not edit.changed:
        return status
    if not request.yes and not typer.confirm(f'Write this to {edit.path}?', default=True):
        return 1
    edit.write()
    console.print(f'{edit.path}: {len(result.wirings)} joints written', soft_wrap=True)
    return status


def pressed() -> None:
    """Wait for Enter.

    Raises:
        KeyboardInterrupt: the input has ended.
    """
    if not sys.stdin.readline():
        raise KeyboardInterrupt

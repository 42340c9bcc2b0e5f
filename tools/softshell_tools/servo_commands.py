"""The commands of `./softshell` for servos, real or emulated."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from softshell_tools.installation import ROOT, set_up
from softshell_tools.requirement_sets import HARDWARE
from softshell_tools.stack_arguments import (
    NamespaceCommand,
    StackCommand,
    assignments,
    check_domain,
    take_namespace,
)

if TYPE_CHECKING:
    from softshell_description.model import RobotModel
    from softshell_hardware.wiring.config import HardwareConfig

Words = Annotated[
    list[str] | None,
    typer.Argument(
        metavar='NAME:=VALUE', help='Arguments of the stack, e.g. robot:=arm wiring:=FILE.'
    ),
]


class ServoCommand(StackCommand):
    """A command on the servos of a robot, by their wiring."""

    takes = ('robot', 'wiring')


class StackServoCommand(StackCommand):
    """A command on the servos of a robot, by their wiring or by a stack."""

    takes = ('robot', 'wiring', 'namespace')


def register(app: typer.Typer) -> None:
    """Add these commands to the others."""
    app.command(cls=ServoCommand)(scan)
    app.command(cls=ServoCommand)(calibrate)
    app.command('emulate-servos', cls=StackServoCommand)(emulate_servos)
    app.command(cls=NamespaceCommand)(inject)
    app.command(cls=StackServoCommand)(reboot)


def scan(
    words: Words = None,
    port: Annotated[
        str | None,
        typer.Option(metavar='PATH', help='Port to search.', show_default='those of the wiring'),
    ] = None,
    baud: Annotated[
        list[int] | None,
        typer.Option(
            metavar='BAUD', help='Only this baud rate; may be repeated.', show_default='all'
        ),
    ] = None,
    quick: Annotated[
        bool, typer.Option('--quick', help='With protocol 1, try only expected ids and id 1.')
    ] = False,
    set_return_delay: Annotated[
        bool,
        typer.Option(
            '--set-return-delay',
            help='Set the return delay of all servos found to 0; they lose torque.',
        ),
    ] = False,
) -> None:
    """Find the servos on the robot's ports, and compare them with its wiring.

    scan robot:=arm --port /dev/ttyUSB1 --quick

    Tries every baud rate and both protocols. Status 1 if anything is not as expected.
    """
    _, config = described(known(words, *ServoCommand.takes))
    from softshell_tools.servo_scan import Request, scan_ports

    request = Request(port, tuple(baud or ()), quick, set_return_delay, tuple(words or ()))
    raise typer.Exit(scan_ports(config, request))


def calibrate(
    words: Words = None,
    joint: Annotated[
        list[str] | None,
        typer.Option(metavar='NAME', help='Only this joint; may be repeated.', show_default='all'),
    ] = None,
    pose: Annotated[
        str,
        typer.Option(
            metavar='NAME',
            help='Pose of robot.yaml to hold.',
            show_default='zero, or that of the start',
        ),
    ] = '',
    directions: Annotated[
        bool, typer.Option('--directions', help='Find the direction of each joint as well.')
    ] = False,
    one_by_one: Annotated[
        bool, typer.Option('--one-by-one', help='Calibrate one joint after the other.')
    ] = False,
    dry_run: Annotated[
        bool, typer.Option('--dry-run', help='Show what would change, and write nothing.')
    ] = False,
    yes: Annotated[
        bool, typer.Option('--yes', help='Ask no question: the joints are in the pose already.')
    ] = False,
) -> None:
    """Measure the offsets of servos, while you hold the robot in a pose.

    calibrate robot:=arm --directions

    The torque is off. The offsets are written into the wiring's file; nothing else in it changes.
    """
    given = known(words, *ServoCommand.takes)
    if directions and yes:
        raise typer.BadParameter('--directions needs a person to move the joints; remove --yes')
    robot, config = described(given)
    from softshell_tools.servo_calibrate import Request, calibrate_joints

    request = Request(tuple(joint or ()), pose, directions, one_by_one, dry_run, yes)
    raise typer.Exit(calibrate_joints(robot, config, request))


def emulate_servos(
    words: Words = None,
    physics: Annotated[
        bool, typer.Option('--physics/--no-physics', help='A simulated world moves the joints.')
    ] = True,
    folder: Annotated[
        Path | None,
        typer.Option(
            metavar='PATH',
            help='Folder for the ports, with their wiring beside it.',
            show_default='out/emulated/<robot>',
        ),
    ] = None,
    fault: Annotated[
        list[str] | None,
        typer.Option(
            metavar='WHERE:FAULT=VALUE',
            help='A fault from the start; see inject; may be repeated.',
        ),
    ] = None,
) -> None:
    """Run emulated servos that a bridge drives as if they were real.

    emulate-servos robot:=arm --no-physics --fault body:late=0.002

    Prints the command that starts the bridge. Ctrl-C ends the servos.
    """
    given = known(words, *StackServoCommand.takes)
    _, config = described(given)
    from softshell_hardware.emulator.catalogue import read_fault
    from softshell_tools.servo_emulation import Request, emulate

    faults = tuple(fault or ())
    for text in faults:
        read_fault(text)
    request = Request(given['robot'], given['namespace'], physics, folder, faults)
    raise typer.Exit(emulate(ROOT, config, request))


def inject(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar='WHERE FAULT [VALUE]', help='A joint or bus, a fault, and its value.'
        ),
    ] = None,
) -> None:
    """Inject a fault into an emulated servo or bus: inject elbow dead

    Without arguments, the faults are listed. The value false, or 0, ends a fault.
    """
    tokens = [word for word in words or [] if ':=' not in word]
    given = assignments(word for word in words or [] if ':=' in word)
    namespace = take_namespace(given)
    if given:
        raise typer.BadParameter(f'unknown argument {next(iter(given))!r}; known: namespace')
    if len(tokens) not in (0, 2, 3):
        raise typer.BadParameter(f'{" ".join(tokens)!r}; expected WHERE FAULT [VALUE]')
    from softshell_client.ros import servos

    if not tokens:
        raise typer.Exit(servos.list_faults())
    check_domain()
    where, fault, value = (*tokens, '')[:3]
    raise typer.Exit(servos.inject(where, fault, value, namespace))


def reboot(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar='JOINT NAME:=VALUE', help='A joint or channel, and arguments of the stack.'
        ),
    ],
) -> None:
    """Restart the servo of a joint, which clears the error that it shut down for: reboot elbow

    The running bridge restarts it, while it does not drive the joints. If no bridge runs, give
    the wiring: reboot elbow robot:=arm wiring:=my_wiring.yaml
    """
    names = [word for word in words if ':=' not in word]
    given = known([word for word in words if ':=' in word], *StackServoCommand.takes)
    if len(names) != 1:
        raise typer.BadParameter(f'{" ".join(names)!r}; expected one JOINT')
    if not given['wiring']:
        if any(word.startswith('robot:=') for word in words):
            raise typer.BadParameter('robot: expected wiring:=FILE as well; without it the bridge '
                                     'that runs is asked')  # fmt: skip
        check_domain()
        from softshell_client.ros import servos

        raise typer.Exit(servos.reboot(names[0], given['namespace']))
    if given['namespace']:
        raise typer.BadParameter('namespace: expected no wiring with it, which needs no bridge')
    _, config = described(given)
    from softshell_hardware.driving.restart import restart

    typer.echo(restart(config, names[0]))


def known(words: list[str] | None, *names: str) -> dict[str, str]:
    """Arguments of the stack that a command takes, with defaults.

    Args:
        words: words of the command line.
        names: names of the arguments that it takes.

    Raises:
        typer.BadParameter: another argument is given, a word is no `name:=value`, or the wiring is
            that of a stack with emulated servos.
    """
    from softshell_bringup.arguments import BY_NAME, EMULATED

    given = assignments(words or [])
    result = {'namespace': take_namespace(given)} if 'namespace' in names else {}
    for name in given:
        if name not in names:
            raise typer.BadParameter(f'unknown argument {name!r}; known: {", ".join(names)}')
    result['robot'] = given.get('robot', str(BY_NAME['robot'].default))
    result['wiring'] = wiring = given.get('wiring', '')
    if wiring == EMULATED:
        raise typer.BadParameter(
            f'wiring is {wiring!r}; expected a file: ./softshell emulate-servos writes that of '
            'emulated servos, and prints its name'
        )
    return result


def described(given: dict[str, str]) -> tuple['RobotModel', 'HardwareConfig']:
    """Load a robot and its wiring.

    Args:
        given: the arguments of the stack, from `known`.

    Raises:
        SoftshellError: there is no such robot, or its files or its wiring are wrong.
    """
    set_up([HARDWARE])
    from softshell_description.load import load_robot
    from softshell_hardware.wiring.config import load_hardware

    robot = load_robot(given['robot'])
    return robot, load_hardware(robot, Path(given['wiring']) if given['wiring'] else None)

"""The commands of `./softshell` for people with servos, real or emulated."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from softshell_tools.installation import ROOT, set_up
from softshell_tools.requirement_sets import HARDWARE
from softshell_tools.stack_arguments import (
    NamespaceCommand,
    StackCommand,
    assignments,
    take_namespace,
)

if TYPE_CHECKING:
    from softshell_description.model import RobotModel
    from softshell_hardware.config import HardwareConfig

Words = Annotated[
    list[str] | None, typer.Argument(metavar='[robot:=NAME]', help='Which robot; default: shell.')
]
WiringFile = Annotated[
    Path | None,
    typer.Option(metavar='FILE', help='Which servo is where.  [config/hardware/<robot>.yaml]'),
]


class RobotCommand(StackCommand):
    """A command that has to know which robot it is about."""

    takes = ('robot',)


class EmulationCommand(StackCommand):
    """A command that has to know the robot, and the namespace."""

    takes = ('robot', 'namespace')


def register(app: typer.Typer) -> None:
    """Add these commands to the others."""
    app.command(cls=RobotCommand)(scan)
    app.command(cls=RobotCommand)(calibrate)
    app.command('emulate-servos', cls=EmulationCommand)(emulate_servos)
    app.command(cls=NamespaceCommand)(inject)
    app.command(cls=EmulationCommand)(reboot)


def scan(
    words: Words = None,
    port: Annotated[
        str | None, typer.Option(metavar='PATH', help='Port to search.  [those of the wiring]')
    ] = None,
    wiring: WiringFile = None,
    baud: Annotated[
        list[int] | None, typer.Option(help='This rate only; may be given again.')
    ] = None,
    quick: Annotated[
        bool, typer.Option('--quick', help='Of protocol 1 only expected ids, and id 1.')
    ] = False,
    set_return_delay: Annotated[
        bool,
        typer.Option(
            '--set-return-delay', help='Let all that are found answer at once; they lose torque.'
        ),
    ] = False,
) -> None:
    """Find the servos on the robot's ports, and compare them with its wiring.

    scan robot:=arm --port /dev/ttyUSB1 --quick

    Every baud rate and both protocols are tried. The status is 1 if anything is not as expected.
    """
    given = known(words, 'robot', 'wiring')
    _, config = described(given['robot'], wiring or path_of(given))
    from softshell_tools.servo_scan import Request, scan_ports

    request = Request(port, tuple(baud or ()), quick, set_return_delay)
    raise typer.Exit(scan_ports(config, request))


def calibrate(
    words: Words = None,
    wiring: WiringFile = None,
    joint: Annotated[
        list[str] | None, typer.Option(help='This joint only; may be given again.')
    ] = None,
    pose: Annotated[
        str, typer.Option(help='Pose of robot.yaml.  [zero, or that of the start]')
    ] = '',
    directions: Annotated[
        bool, typer.Option('--directions', help='Find the direction of each joint, too.')
    ] = False,
    one_by_one: Annotated[
        bool, typer.Option('--one-by-one', help='One joint after the other.')
    ] = False,
    dry_run: Annotated[
        bool, typer.Option('--dry-run', help='Show what would change, and write nothing.')
    ] = False,
    yes: Annotated[
        bool, typer.Option('--yes', help='Ask nothing: the joints are in the pose already.')
    ] = False,
) -> None:
    """Measure where the joints are on their servos, while you hold the robot in a pose.

    calibrate robot:=arm --directions

    The torque is off. The offsets go into the file of the wiring, where nothing else changes.
    """
    given = known(words, 'robot', 'wiring')
    if directions and yes:
        raise typer.BadParameter('--directions needs somebody who moves the joints: without --yes')
    robot, config = described(given['robot'], wiring or path_of(given))
    from softshell_tools.servo_calibrate import Request, calibrate_joints

    request = Request(tuple(joint or ()), pose, directions, one_by_one, dry_run, yes)
    raise typer.Exit(calibrate_joints(robot, config, request))


def emulate_servos(
    words: Words = None,
    wiring: WiringFile = None,
    physics: Annotated[
        bool, typer.Option('--physics/--no-physics', help='A simulated world moves the joints.')
    ] = True,
    folder: Annotated[
        Path | None,
        typer.Option(metavar='PATH', help='For links to the ports.  [out/emulated/<robot>]'),
    ] = None,
    fault: Annotated[
        list[str] | None,
        typer.Option(metavar='WHERE:FAULT=VALUE', help='From the beginning; see inject.'),
    ] = None,
) -> None:
    """Run emulated servos that a bridge can drive as if they were real.

    emulate-servos robot:=arm --no-physics --fault body:late=0.002

    Says how to start the bridge. Ctrl-C ends them.
    """
    given = known(words, 'robot', 'wiring', 'namespace')
    _, config = described(given['robot'], wiring or path_of(given))
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
        typer.Argument(metavar='WHERE FAULT [VALUE]', help='A joint or bus, what, how much.'),
    ] = None,
) -> None:
    """Let something be wrong with emulated servos: inject elbow dead

    Without anything: which faults there are. What is wrong ends with the value false, or 0.
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
    where, fault, value = (*tokens, '')[:3]
    raise typer.Exit(servos.inject(where, fault, value, namespace))


def reboot(
    words: Annotated[list[str], typer.Argument(metavar='JOINT', help='A joint or channel.')],
    wiring: WiringFile = None,
) -> None:
    """Restart the servo of a joint, which clears what it shut down for: reboot elbow

    The running bridge does it, while it does not drive the joints. With --wiring it is done on
    the port itself, where no bridge runs:
    reboot elbow robot:=arm --wiring my_wiring.yaml
    """
    names = [word for word in words if ':=' not in word]
    given = known([word for word in words if ':=' in word], 'robot', 'namespace')
    if len(names) != 1:
        raise typer.BadParameter(f'{" ".join(names)!r}; expected one JOINT')
    if wiring is None:
        from softshell_client.ros import servos

        raise typer.Exit(servos.reboot(names[0], given['namespace']))
    _, config = described(given['robot'], wiring)
    from softshell_hardware.restart import restart

    typer.echo(restart(config, names[0]))


def known(words: list[str] | None, *names: str) -> dict[str, str]:
    """Arguments of the stack among those that a command takes, with defaults.

    Raises:
        typer.BadParameter: another one, or a value that is none.
    """
    from softshell_bringup.arguments import BY_NAME

    given = assignments(words or [])
    result = {'namespace': take_namespace(given)} if 'namespace' in names else {}
    for name in given:
        if name not in names:
            raise typer.BadParameter(f'unknown argument {name!r}; known: {", ".join(names)}')
    result['robot'] = given.get('robot', str(BY_NAME['robot'].default))
    result['wiring'] = given.get('wiring', '')
    return result


def path_of(given: dict[str, str]) -> Path | None:
    """The wiring that is given as an argument of the stack; None: none."""
    return Path(given['wiring']) if given['wiring'] else None


def described(name: str, wiring: Path | None) -> tuple['RobotModel', 'HardwareConfig']:
    """A robot and its wiring.

    Raises:
        SoftshellError: there is no such robot, or something is wrong with it or its wiring.
    """
    set_up([HARDWARE])
    from softshell_description.load import load_robot
    from softshell_hardware.config import load_hardware

    robot = load_robot(name)
    return robot, load_hardware(robot, wiring)

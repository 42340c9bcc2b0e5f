"""`./softshell emulate-servos`: runs emulated servos, and writes a wiring for them."""

import fcntl
import json
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import FrameType

from ament_index_python.packages import get_package_prefix

from softshell_bringup.ending import on_ending
from softshell_common.parent import end_with_parent
from softshell_common.yaml_edit import YamlEdit
from softshell_description.robots import DEFAULT_ROBOT
from softshell_hardware.wiring.config import EMULATED_SLACK, HardwareConfig
from softshell_kinematics.errors import SoftshellError

#: Longest wait for the ports, and time between two checks [s].
PATIENCE, LOOK_PERIOD = 60.0, 0.05
#: Folder of links and wirings, below the checkout, unless another is asked for.
PLACE = Path('out', 'emulated')


@dataclass(frozen=True)
class Request:
    """What to emulate, and how.

    Attributes:
        robot: name of the robot, or path of its folder.
        namespace: namespace of the node.
        physics: whether a simulated world moves the joints.
        folder: folder for links to the ports, and for the wiring; None: below `out/emulated`.
        faults: faults from the start, as `WHERE:FAULT=VALUE`.
    """

    robot: str
    namespace: str = ''
    physics: bool = True
    folder: Path | None = None
    faults: Sequence[str] = ()


def emulate(root: Path, config: HardwareConfig, request: Request) -> int:
    """Run emulated servos until they are interrupted.

    Args:
        root: folder of the checkout.
        config: the wiring of the real servos.
        request: what to emulate.

    Returns:
        Exit status of the servos' process: 0 after Ctrl-C.

    Raises:
        SoftshellError: other emulated servos use the folder, a file is in the place of a port, or
            the folder cannot be written to.
    """
    robot = config.form.robot
    folder = (request.folder or root / PLACE / robot).absolute()
    # Beside the ports, of which nobody else has the lock.
    wiring = (root / PLACE if request.folder is None else folder) / f'{robot}.yaml'
    ports = {name: folder / name for name in config.buses if config.on_bus(name)}
    try:
        alone = claim(folder)
        for link in ports.values():
            if link.exists() and not link.is_symlink():
                raise SoftshellError(
                    f'{link} is in the place of a port of emulated servos; remove it'
                )
            link.unlink(missing_ok=True)
        text = emulated_wiring(config, {name: str(link) for name, link in ports.items()})
        wiring.write_text(text, encoding='utf-8')
    except OSError as error:
        raise SoftshellError(
            f'{error.filename or folder}: {error.strerror}; expected a folder that may be written '
            'to, or another --folder'
        ) from None
    stays = partial(end_with_parent, os.getpid())
    with subprocess.Popen(command(config, folder, request), preexec_fn=stays) as node:

        def pass_on(number: int, frame: FrameType | None) -> None:
            # Ctrl-C has reached the node already, which ignores the second signal.
            node.send_signal(signal.SIGINT)

        on_ending(pass_on)
        try:
            if ready(node, list(ports.values())):
                tell(config, ports, wiring, request)
            while node.poll() is None:  # no wait without end: a signal just before it would wait
                time.sleep(LOOK_PERIOD)
            return node.returncode
        finally:
            node.send_signal(signal.SIGINT)
            os.close(alone)


def claim(folder: Path) -> int:
    """Make a folder for ports, and lock it.

    Links in it that were left by servos that were killed do no harm.

    Returns:
        A file descriptor; closing it ends the lock.

    Raises:
        SoftshellError: other emulated servos have locked it.
        OSError: it cannot be made.
    """
    folder.mkdir(parents=True, exist_ok=True)
    alone = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(alone, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(alone)
        raise SoftshellError(
            f'emulated servos run already, with their ports in {folder}; end them first, or '
            'choose another --folder'
        ) from None
    return alone


def emulated_wiring(config: HardwareConfig, ports: dict[str, str]) -> str:
    """The text of a wiring's file, changed for emulated servos: ports, slack, and offsets of 0.

    Only joints without an offset get one.

    Args:
        config: the wiring.
        ports: path of the port, by bus.

    Raises:
        ProblemsError: a value in the file cannot be changed without changing others.
    """
    edit = YamlEdit(config.path)
    for name, port in ports.items():
        edit.set(('buses', name, 'port'), port)
        edit.set(('buses', name, 'slack'), EMULATED_SLACK)
    for motor in config.joints:
        if not motor.calibrated:
            edit.set(('joints', motor.name, 'offset'), 0.0)
    return edit.text


def command(config: HardwareConfig, folder: Path, request: Request) -> list[str]:
    """The command line of the node."""
    package, executable = 'softshell_hardware', 'servo_emulator'
    program = str(Path(get_package_prefix(package)) / 'lib' / package / executable)
    parameters = {
        'robot': request.robot,
        'wiring': str(config.path),
        'folder': str(folder),
        'physics': request.physics,
        'faults': ' '.join(request.faults),
    }
    words = [sys.executable, program, '--ros-args']
    for name, value in parameters.items():
        words += ['-p', f'{name}:={json.dumps(value)}']
    return words + (['-r', f'__ns:=/{request.namespace}'] if request.namespace else [])


def ready(node: 'subprocess.Popen[bytes]', links: Sequence[Path]) -> bool:
    """Wait for all ports. Returns False if the servos' process ends first.

    Raises:
        SoftshellError: there were no ports within `PATIENCE`.
    """
    end = time.monotonic() + PATIENCE
    while not all(link.exists() for link in links):
        if node.poll() is not None:
            return False
        if time.monotonic() > end:
            raise SoftshellError(f'no ports of emulated servos within {PATIENCE:g} s')
        time.sleep(LOOK_PERIOD)
    return True


def tell(config: HardwareConfig, ports: dict[str, Path], wiring: Path, request: Request) -> None:
    """Print where the servos are, and the command that drives them."""
    for name, link in ports.items():
        count = len(config.on_bus(name))
        print(f'bus {name!r}: {count} servos answer on {shlex.quote(shown(link))}')
    words = ['bridge:=hardware', f'wiring:={shown(wiring)}']
    if request.robot != DEFAULT_ROBOT:
        words.insert(0, f'robot:={request.robot}')
    if request.namespace:
        words.append(f'namespace:={request.namespace}')
    print(f'ready: ./softshell up {shlex.join(words)}', flush=True)


def shown(path: Path) -> str:
    """A path relative to the working directory if it is below it."""
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)

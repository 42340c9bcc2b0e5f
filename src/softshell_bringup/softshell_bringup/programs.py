"""The programs of nodes: where they are installed, and the Python that they run on."""

import os
import re
import site
import sys
from collections.abc import Container, Sequence
from pathlib import Path

from softshell_bringup.arguments import is_installed
from softshell_bringup.nodes import NodeRow, NodeStart
from softshell_kinematics.errors import SoftshellError


def installed(
    starts: Sequence[NodeStart], given: Container[str]
) -> tuple[list[NodeStart], list[str]]:
    """The nodes of a stack, without optional ones whose packages are not installed.

    One that an argument has asked for stays: its start says what is missing.

    Args:
        starts: the nodes.
        given: names of the arguments that were given.

    Returns:
        The nodes that stay, and a remark on each of the others.
    """
    absent = [
        start.row
        for start in starts
        if _is_by_default(start.row, given) and not is_installed(start.row.package)
    ]
    told = [f'{row.name} is left out: package {row.package} is not installed' for row in absent]
    return [start for start in starts if start.row not in absent], told


def _is_by_default(row: NodeRow, given: Container[str]) -> bool:
    """Whether an optional node is part of the stack by the defaults of its arguments alone."""
    conditions = [name for name, _ in row.when]
    return row.optional and bool(conditions) and not any(name in given for name in conditions)


def program_of(row: NodeRow) -> Path:
    """Path of a node's program.

    Raises:
        SoftshellError: its package or executable does not exist.
    """
    from ament_index_python.packages import PackageNotFoundError, get_package_prefix

    package, executable = row.package, row.executable
    try:
        folder = Path(get_package_prefix(package)) / 'lib' / package
    except (PackageNotFoundError, OSError):  # OSError: no ROS environment at all
        cause = 'installed' if row.optional else 'built; try ./softshell doctor'
        raise SoftshellError(f'package {package} is not {cause}') from None
    program = folder / executable
    if not program.is_file():
        known = sorted(path.name for path in folder.glob('*'))
        raise SoftshellError(
            f'package {package} has no executable {executable!r}; '
            f'known: {", ".join(known) or "none"}'
        )
    return program


def interpreter_of(program: Path) -> tuple[str, ...]:
    """The Python in a script's first line, and its options; empty if that is no Python script.

    Linux cannot run the line itself if the path has spaces or is long; it is quoted there then.
    """
    with program.open('rb') as stream:
        line = stream.readline()
    if not line.startswith(b'#!') or b'python' not in line:
        return ()
    words = re.findall(r'"[^"]*"|\S+', os.fsdecode(line[2:]))
    return tuple(word.strip('"') for word in words)


def use_packages_of(interpreter: str) -> None:
    """Let this process import what is installed for an interpreter in a virtual environment.

    The packages come before those of the system, as they do for the interpreter itself.

    Args:
        interpreter: path of the interpreter; nothing is done if it is in no virtual environment.

    Raises:
        SoftshellError: it does not exist, or its virtual environment is for another version of
            Python.
    """
    if not Path(interpreter).exists():
        raise SoftshellError(
            f'{interpreter}, on which the nodes run, does not exist; expected that, or a new build'
        )
    venv = Path(interpreter).parent.parent
    if not (venv / 'pyvenv.cfg').is_file():
        return
    version = 'python{}.{}'.format(*sys.version_info)
    folder = venv / 'lib' / version / 'site-packages'
    if not folder.is_dir():
        found = ', '.join(sorted(path.name for path in (venv / 'lib').glob('python*'))) or 'none'
        raise SoftshellError(
            f'the nodes are installed for the virtual environment {venv}, which is for {found}; '
            f'expected {version}, as of {sys.executable}: make it anew with that, and build again'
        )
    before = [*sys.path]
    if str(folder) in before:
        return
    site.addsitedir(str(folder))
    added = [entry for entry in sys.path if entry not in before]
    system = {*site.getsitepackages(), site.getusersitepackages()}
    place = next((at for at, entry in enumerate(before) if entry in system), len(before))
    sys.path[:] = [*before[:place], *added, *before[place:]]

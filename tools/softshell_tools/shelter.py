"""Builds the interfaces of a checkout whose path is not ASCII.

CMake reads lists of files as ASCII, and takes any other character for the end of an entry. So the
interfaces are built from a copy in another folder, a shelter, and installed into the checkout. No
other package is built by CMake.

Only the standard library, and any Python from 3.9: this runs before anything is installed.
"""

import contextlib
import os
import shutil
import tempfile
from pathlib import Path

from softshell_tools import fallbacks
from softshell_tools.steps import fail

#: What is copied: our interfaces, those that replace missing packages of ROS, and build options.
COPIED = ('src/softshell_interfaces', fallbacks.FOLDER, 'cmake', 'colcon.meta')
PACKAGE = 'softshell_interfaces'


def is_needed(root):
    """Whether the path of a checkout is not ASCII."""
    return not str(root).isascii()


@contextlib.contextmanager
def shelter(root):
    """A context with a folder whose path is ASCII: copies of the sources, and a link `root`.

    The link points to the checkout.
    """
    folder = Path(tempfile.mkdtemp(prefix='softshell-build-'))
    try:
        if not str(folder).isascii():
            fail(f'the path of this checkout, {root}, is not ASCII, and neither is that of '
                 f'temporary files, {folder.parent}; set TMPDIR to one that is')  # fmt: skip
        for name in COPIED:
            source, place = Path(root) / name, folder / name
            place.parent.mkdir(parents=True, exist_ok=True)
            (shutil.copytree if source.is_dir() else shutil.copy)(source, place)
        (folder / 'root').symlink_to(root)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def interface_build(workspace, folder, packages, environment):
    """The command that builds the interfaces in a shelter, and its environment.

    Args:
        workspace: the workspace into which they are installed.
        folder: the shelter.
        packages: names of the packages that replace missing ones of ROS.
        environment: environment of a build in the checkout.
    """
    there = str(folder / 'root')
    root = str(workspace.root)
    moved = {name: value.replace(root, there) for name, value in environment.items()}
    metas = ('colcon.meta', os.path.join(fallbacks.FOLDER, 'colcon.meta'))
    command = [
        os.path.join(there, os.path.relpath(workspace.python, workspace.root)),
        '-m', 'colcon', '--log-base', folder / 'log', 'build',
        '--build-base', folder / 'build', '--install-base', os.path.join(there, 'install'),
        '--base-paths', folder / 'src', *(folder / fallbacks.FOLDER / name for name in packages),
        '--metas', *(folder / name for name in metas),
        '--event-handlers', 'console_cohesion+',
        '--cmake-args', *workspace.cmake_arguments(),
    ]  # fmt: skip
    return command, moved

"""Sets the workspace up: virtual environment, sets of requirements, build.

Only the standard library, and any Python from 3.9: this runs before anything is installed.
"""

import argparse
import fcntl
import os
import re
import shutil
import sys
import time
import unicodedata
from pathlib import Path

from softshell_tools import shelter
from softshell_tools.build import build, compilations
from softshell_tools.interpreter import choose_python, missing, wanted_python
from softshell_tools.requirement_sets import CORE, PYBULLET, SETS, basic_sets, check_names
from softshell_tools.steps import FREE_SPACE, Steps, fail, in_words, say
from softshell_tools.virtual_environments import (
    has_isolated_venv,
    has_venv,
    make_isolated_venv,
    make_venv,
    remove_unfinished,
    venv_title,
)
from softshell_tools.workspace import (
    JAZZY,
    WHEELS_RMW,
    read_stamp,
    sourced_ros,
    write_stamp,
)

PLAIN = re.compile(r'[\w /.+~@,-]')  # characters that the path of a checkout may contain
LONGEST_COMMAND = 60  # [characters] after which a command line is cut
BUILD_TIME = '5–9 minutes'  # usual time to build PyBullet from source, on two cores
#: Usual times, on two cores [s]: to make a virtual environment, to build PyBullet from source, to
#: build the interfaces where that is a step of its own, and to build the workspace.
VENV_SECONDS, SOURCE_SECONDS, INTERFACES_SECONDS, BUILD_SECONDS = 3, 540, 90, 140


def set_up(workspace, names=()):
    """Install what is missing of the basic sets and of these, and build if need be.

    If another process does this at present, waits until it has ended.

    Args:
        workspace: the workspace.
        names: further sets of requirements.

    Returns:
        How long each step took [s], by name of the set, or `'build'`; steps that were not needed
        are left out.
    """
    lock = os.open(workspace.root, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        say(f'softshell: another start is setting up{holder_of(lock)}; waiting for it')
        fcntl.flock(lock, fcntl.LOCK_EX)
    try:
        return set_up_locked(workspace, names, Steps(workspace, lock))
    finally:
        os.close(lock)


def holder_of(lock):
    """The process that holds the lock, in words; empty if it cannot be found."""
    place = os.fstat(lock)
    try:
        for line in Path('/proc/locks').read_text().splitlines():
            fields = line.split()
            if fields[1] == 'FLOCK' and fields[5].rpartition(':')[2] == str(place.st_ino):
                words = Path('/proc', fields[4], 'cmdline').read_bytes().split(b'\0')
                command = b' '.join(words).decode(errors='replace').strip()
                return f' (process {fields[4]}: {command[:LONGEST_COMMAND]})'
    except (OSError, IndexError):
        pass
    return ''


def check_place(workspace):
    """End with a message if the path of the checkout contains characters that break the build."""
    path = unicodedata.normalize('NFC', str(workspace.root))  # a mark and its letter are one
    odd = ''.join(sorted({c for c in path if not PLAIN.fullmatch(c)}))
    if odd:
        fail(
            f'the path of this checkout, {workspace.root}, contains {odd!r}, with which the build '
            'of the interfaces fails; move it to a path of letters, digits, spaces and ._-+~@,'
        )


def check_ros(workspace):
    """End with a message if ROS is sourced and is not Jazzy: its packages would hide others.

    Another middleware than that of the wheels is told.
    """
    distribution = sourced_ros()
    if distribution not in ('', JAZZY):
        fail(
            f'ROS {distribution} is sourced in this terminal, and its packages would be found '
            f'first; expected {JAZZY}, or none: take its line out of ~/.bashrc, or start '
            './softshell in a terminal in which it is not sourced'
        )
    asked = os.environ.get('RMW_IMPLEMENTATION', '')
    if not workspace.ros_is_sourced and asked not in ('', WHEELS_RMW):
        say(
            f'softshell: RMW_IMPLEMENTATION is {asked}, which the wheels of ROS do not have; '
            f'{WHEELS_RMW} is used'
        )


def set_up_locked(workspace, names, steps):
    """Do what `set_up` does, with the lock held."""
    check_place(workspace)
    names = list(dict.fromkeys((*workspace.basic_sets(), *names)))
    absent = [name for name in names if not workspace.has_set(name)]
    if not absent and workspace.is_built():
        return {}
    what = f'setting up {", ".join(absent)}' if absent else 'building'
    if CORE in absent:
        kind = 'the sourced ROS 2 Jazzy' if workspace.ros_is_sourced else 'ROS 2 wheels'
        what += f' with {kind}'
    steps.plan = planned(workspace, names)
    usual = in_words(sum(steps.plan.values()))
    say(f'softshell: {what}; usually {usual}, output in log/setup/')
    if CORE in absent and shutil.disk_usage(workspace.root).free < FREE_SPACE:
        say(f'  warning: less than {FREE_SPACE / 1e9:.0f} GB are free here')
    start = time.monotonic()
    times = install_missing(workspace, [CORE], steps)
    if CORE in absent:
        tell_what_has_no_wheel(workspace, names)
    # Only now the interpreter is known, and with it the basic sets. A new one also removes sets
    # that were installed before.
    times |= install_missing(workspace, workspace.basic_sets(), steps)
    is_built = workspace.is_built()
    with steps.beside({} if is_built else compilations(workspace)):
        times |= install_missing(workspace, names, steps)
        begin = time.monotonic()
        if not is_built:
            build(workspace, steps)
    if not is_built:
        times['build'] = time.monotonic() - begin
    say(f'softshell: ready after {time.monotonic() - start:.0f} s')
    return times


def planned(workspace, names):
    """The steps that are to be done, see `Steps.plan`.

    Where the core set is installed anew for the same interpreter, the build may prove current.

    Args:
        workspace: the workspace.
        names: of the sets that are to be there, besides those that every command needs.
    """
    plan, version, anew = {}, workspace.python_version(), False
    if not workspace.has_set(CORE):
        python = checked_python(workspace, wanted_python(workspace.remembered_python()))
        version, anew = python['version'], not has_venv(workspace, python)
        if anew:  # which removes the sets that were there
            plan[venv_title(workspace, python)] = VENV_SECONDS
    basic = basic_sets(version) if version else [CORE]
    for name in dict.fromkeys((*basic, *names)):
        if anew or not workspace.has_set(name):
            if SETS[name].isolated and (anew or not has_isolated_venv(workspace, name)):
                plan[f'environment of {name}'] = VENV_SECONDS
            wheel = SETS[name].newest_wheel is None or name in basic
            plan[f'requirements, {name}'] = SETS[name].seconds if wheel else SOURCE_SECONDS
    if anew or not workspace.is_built():
        if shelter.is_needed(workspace.root):
            plan['interfaces'] = INTERFACES_SECONDS
        plan['workspace'] = BUILD_SECONDS
    return plan


def install_missing(workspace, names, steps):
    """Install those of these sets that are missing; return how long each took [s], by name."""
    times = {}
    for name in names:
        if not workspace.has_set(name):
            begin = time.monotonic()
            install(workspace, name, steps)
            times[name] = time.monotonic() - begin
    return times


def install(workspace, name, steps):
    """Install one set of requirements; the core set comes with the virtual environment."""
    stamp = {}
    pip = [
        workspace.python_of(name), '-m', 'pip', 'install', '--no-input',
        '--disable-pip-version-check', '--progress-bar', 'off', '--no-user',
        # Python compiles a module when it is first imported: most of them never are.
        '--no-compile', '-c', workspace.constraints_of(name),
    ]  # fmt: skip
    environment = workspace.base_environment()
    if not workspace.ros_is_sourced:  # what is there would count as installed
        environment.pop('PYTHONPATH', None)
    if name == CORE:
        wanted = wanted_python(workspace.remembered_python())
        python = checked_python(workspace, wanted)
        make_venv(workspace, python, wanted, steps)
        remove_unfinished(workspace.venv)
        stamp = {
            'wanted': wanted,
            'python': read_stamp(workspace.begun_stamp).get('python', python['executable']),
            'version': python['version'],
        }
    elif SETS[name].isolated:
        venv = workspace.venv_of(name)
        environment = {**environment, 'VIRTUAL_ENV': str(venv)}
        environment.pop('PYTHONPATH', None)
        make_isolated_venv(workspace, name, steps)
        remove_unfinished(venv)
    else:
        remove_unfinished(workspace.venv)
    if SETS[name].newest_wheel is not None:
        # PyBullet is built with numpy support only if the build sees the installed numpy.
        pip.append('--no-build-isolation')
        if name not in workspace.basic_sets():
            say(f'  {name} is built from source: {BUILD_TIME}')
    files = [part for path in workspace.requirements_of(name) for part in ('-r', path)]
    steps.run(f'requirements, {name}', [*pip, *files], environment)
    write_stamp(workspace.stamp_of(name), key=workspace.key_of(name), **stamp)


def checked_python(workspace, wanted):
    """The interpreter to use; ends with a message if this machine lacks something."""
    python = choose_python(workspace.ros_is_sourced, wanted)
    lacks = missing(python, workspace.ros_is_sourced)
    if lacks:
        fail(
            'this machine lacks ' + ', '.join(thing for thing, _ in lacks)
            + '\n  sudo apt install ' + ' '.join(package for _, package in lacks)
        )  # fmt: skip
    return python


def tell_what_has_no_wheel(workspace, names):
    """Print that PyBullet has no wheel here and MuJoCo is used, unless PyBullet was asked for."""
    if PYBULLET not in (*workspace.basic_sets(), *names):
        version = '{}.{}'.format(*workspace.python_version())
        say(
            f'  PyBullet has no wheel for Python {version}: the default engine is MuJoCo; '
            f'`./softshell setup {PYBULLET}` builds it ({BUILD_TIME})'
        )


def setup_command(workspace, arguments):
    """Run `./softshell setup [SET ...] [--all]` and print what each set is.

    Returns:
        Exit status: 2 for an unknown set.
    """
    parser = argparse.ArgumentParser(
        prog='./softshell setup',
        description='Install sets of requirements, and build. Without a set: what is needed to '
        'walk in simulation. Each other set is installed when a command first needs it.',
        epilog='sets: ' + '; '.join(f'{s.name} ({s.purpose})' for s in SETS.values()),
    )
    parser.add_argument('sets', nargs='*', metavar='SET', help='further sets')
    parser.add_argument('--all', action='store_true', help='all sets')
    options = parser.parse_args(arguments)
    try:
        check_names(options.sets)
    except ValueError as error:
        print(f'error: {error}', file=sys.stderr)
        return 2
    times = set_up(workspace, list(SETS) if options.all else options.sets)
    for name, entry in SETS.items():
        if name in times:
            state = f'installed now, {times[name]:.0f} s'
        elif workspace.has_set(name):
            state = 'already installed'
        else:
            state = f'not installed: ./softshell setup {name}'
        print(f'{name:10} {entry.purpose:38} {state}')
    state = f'built now, {times["build"]:.0f} s' if 'build' in times else 'up to date'
    print(f'{"":10} {"build of the workspace":38} {state}')
    return 0


def report(workspace):
    """Print what is installed and what is missing, before the set-up is complete.

    Returns:
        Exit status 1: softshell cannot run yet.
    """
    wanted = wanted_python(workspace.remembered_python())
    python = choose_python(workspace.ros_is_sourced, wanted)
    lacks = missing(python, workspace.ros_is_sourced)
    print('Python {}.{}: {}'.format(*python['version'], python['executable']))
    is_installed = workspace.has_set(CORE)
    wheels = 'wheels' if is_installed else 'wheels, not installed'
    print('ROS 2 Jazzy: ' + ('sourced' if workspace.ros_is_sourced else wheels))
    for thing, package in lacks:
        print(f'missing: {thing} (sudo apt install {package})')
    what = 'installed, not built yet' if is_installed else 'not set up yet'
    if workspace.was_installed() and not is_installed:
        what = 'installed for another place, interpreter or requirements'
    print(f'{what}: ' + ('install these first' if lacks else 'any other command does it'))
    return 1

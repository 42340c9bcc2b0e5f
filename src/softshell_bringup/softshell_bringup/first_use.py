"""Setting the workspace up: interpreter, virtual environment, requirements, build.

Only the standard library, and any Python from 3.9: this runs before anything is installed.
"""

import contextlib
import fcntl
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import time

from softshell_bringup.workspace import read_stamp, write_stamp

#: Interpreters that have wheels of ROS, best first: PyBullet has no wheel for 3.12.
VERSIONS = [(3, 11), (3, 12)]
FREE_SPACE = 3e9  # [B] needed for the requirements while they are unpacked
PROBE = """
import importlib.util as u, json, os, sys, sysconfig
print(json.dumps({
    'executable': sys.executable, 'version': sys.version_info[:2],
    'venv': bool(u.find_spec('venv') and u.find_spec('ensurepip')),
    'headers': os.path.exists(os.path.join(sysconfig.get_paths()['include'], 'Python.h')),
    'rclpy': bool(u.find_spec('rclpy'))}))
"""


def set_up(workspace):
    """Install and build what is missing; a second start at the same time waits for the first."""
    lock = os.open(workspace.root, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        say('softshell: another start is setting up; waiting for it')
        fcntl.flock(lock, fcntl.LOCK_EX)
    start = time.monotonic()
    steps = Steps(workspace, lock)
    if not workspace.is_ready():
        kind = 'with the sourced ROS 2 Jazzy' if workspace.ros_is_sourced else 'with ROS 2 wheels'
        what = 'building' if workspace.is_installed() else f'setting up {kind}'
        say(f'softshell: {what}; output in log/setup/')
        if not workspace.is_installed():
            install(workspace, steps)
        if not workspace.is_built():
            build(workspace, steps)
        say(f'softshell: ready after {time.monotonic() - start:.0f} s')
    os.close(lock)


def say(text, end='\n'):
    """Progress goes to stderr: stdout is the command's."""
    print(text, end=end, file=sys.stderr, flush=True)


def fail(text):
    """End with a message."""
    sys.exit(f'softshell: {text}')


class Steps:
    """Runs the commands of the set-up, showing title, elapsed time and the last line of output.

    Args:
        workspace: where the commands run and their output is kept.
        lock: file descriptor the commands inherit, so that they hold the lock even if this
            process is killed.
    """

    def __init__(self, workspace, lock):
        self._workspace = workspace
        self._lock = lock
        self._logs = workspace.root / 'log' / 'setup'

    def run(self, title, command, environment):
        """Run one command to its end; a failure ends the set-up with its output."""
        self._logs.mkdir(parents=True, exist_ok=True)
        log = self._logs / (re.sub(r'\W+', '-', title.lower()).strip('-') + '.log')
        live = sys.stderr.isatty()
        if not live:
            say(f'  {title} ...')
        start = time.monotonic()
        with log.open('wb') as output:
            process = subprocess.Popen(
                [str(part) for part in command], cwd=self._workspace.root, env=environment,
                stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                pass_fds=[self._lock],
            )  # fmt: skip
            try:
                while process.poll() is None:
                    time.sleep(0.1)
                    if live:
                        show(f'  {title} ... {time.monotonic() - start:.0f} s  {last_line(log)}')
            finally:
                if process.poll() is None:
                    process.terminate()
                    with contextlib.suppress(subprocess.TimeoutExpired):
                        process.wait(5)
                    process.kill()
        say(('\r\033[K' if live else '') + f'  {title}: {time.monotonic() - start:.0f} s')
        if process.returncode:
            say('\n'.join(log.read_text(errors='replace').splitlines()[-40:]))
            fail(
                f'"{title}" failed with exit status {process.returncode}; all of its output is in '
                f'{log.relative_to(self._workspace.root)}. The next start goes on from here.'
            )


def show(line):
    """Rewrite the terminal's current line."""
    say('\r\033[K' + line[: shutil.get_terminal_size().columns - 1], end='')


def last_line(log):
    """The last line of a growing file that has text in it."""
    with log.open('rb') as stream:
        stream.seek(max(0, log.stat().st_size - 400))
        lines = stream.read().decode(errors='replace').splitlines()
    return next((line.strip() for line in reversed(lines) if line.strip()), '')


def probe(interpreter):
    """What an interpreter can do, or None where it does not even run (e.g. a pyenv shim)."""
    with contextlib.suppress(OSError, ValueError, subprocess.TimeoutExpired):
        run = subprocess.run([str(interpreter), '-c', PROBE], capture_output=True, timeout=30)
        return json.loads(run.stdout)
    return None


def missing(python, ros_is_sourced):
    """What the machine lacks, given a probed interpreter, as (thing, apt package)."""
    version = '{}.{}'.format(*python['version'])
    checks = [
        (python['venv'], f'the venv module of Python {version}', f'python{version}-venv'),
        (python['headers'], f'the headers of Python {version}', f'python{version}-dev'),
        (shutil.which('g++'), 'a C++ compiler', 'g++'),
    ]
    if ros_is_sourced:
        checks.append((python['rclpy'], 'rclpy for this Python', 'ros-jazzy-ros-base'))
        checks.append((shutil.which('xacro'), 'xacro', 'ros-jazzy-xacro'))
        checks.append((shutil.which('colcon'), 'colcon', 'python3-colcon-common-extensions'))
    return [(thing, package) for present, thing, package in checks if not present]


def choose_python(ros_is_sourced):
    """The interpreter to use: the one that lacks least, then the best version.

    Returns:
        What `probe` tells of it.
    """
    if not ros_is_sourced and platform.machine() != 'x86_64':
        fail(
            f'the wheels of ROS exist for x86_64, not for {platform.machine()}: '
            'source ROS 2 Jazzy from apt, or use docker/'
        )
    wanted = os.environ.get('SOFTSHELL_PYTHON')
    if wanted:
        names = [wanted]
    elif ros_is_sourced:
        names = ['/usr/bin/python3', 'python3']
    else:
        names = [f'{folder}python3{minor}' for folder in ('', '/usr/bin/')
                 for minor in ('.11', '', '.12')] + [sys.executable]  # fmt: skip
    found = [(name, probe(name)) for name in names]
    usable = [python for _, python in found if python and tuple(python['version']) in VERSIONS]
    if not usable:
        listed = '\n'.join(
            f'  {name}: '
            + ('Python {}.{}'.format(*python['version']) if python else 'does not run')
            for name, python in found
        )
        fail(
            f'needs Python 3.11 or 3.12; looked at\n{listed}\n'
            'try: sudo apt install python3 python3-venv python3-dev g++\n'
            'or name one: SOFTSHELL_PYTHON=/path/to/python3.11 ./softshell ...'
        )
    return min(usable, key=lambda p: (len(missing(p, ros_is_sourced)), p['version']))


def install(workspace, steps):
    """Make the virtual environment and install the requirements into it."""
    python = choose_python(workspace.ros_is_sourced)
    lacks = missing(python, workspace.ros_is_sourced)
    if lacks:
        fail(
            'this machine lacks ' + ', '.join(thing for thing, _ in lacks)
            + '\n  sudo apt install ' + ' '.join(package for _, package in lacks)
        )  # fmt: skip
    if shutil.disk_usage(workspace.root).free < FREE_SPACE:
        say(f'  warning: less than {FREE_SPACE / 1e9:.0f} GB are free here')
    version = '{}.{}'.format(*python['version'])
    begun = workspace.venv / 'begun.json'
    identity = {'root': str(workspace.root), 'python': python['executable']}
    environment = workspace.base_environment()
    if read_stamp(begun) != identity:
        options = ['--system-site-packages'] if workspace.ros_is_sourced else []
        steps.run(
            f'Python {version} in {workspace.venv.name}',
            [python['executable'], '-m', 'venv', '--clear', *options, workspace.venv],
            None,
        )
        write_stamp(begun, **identity)
    for unfinished in workspace.venv.glob('lib/python*/site-packages/*.dist-info'):
        if not (unfinished / 'RECORD').exists():  # pip was killed: it shall install this again
            shutil.rmtree(unfinished)
    pip = [
        workspace.python, '-m', 'pip', 'install', '--no-input', '--disable-pip-version-check',
        '--progress-bar', 'off', '-c', workspace.constraints,
    ]  # fmt: skip
    if python['version'] > [3, 11]:
        say(
            '  PyBullet has no wheel for Python 3.12 and is built from source: about 5 minutes'
            ' more (with Python 3.11 it is not)'
        )
        # Its build looks for numpy, and leaves camera images out where it finds none.
        tools = ['setuptools', 'wheel', 'numpy']
        steps.run('numpy, to build PyBullet with', [*pip, *tools], environment)
        steps.run('PyBullet from source', [*pip, '--no-build-isolation', 'pybullet'], environment)
    files = [part for path in workspace.requirements for part in ('-r', path)]
    steps.run('requirements', [*pip, *files], environment)
    write_stamp(
        workspace.installed_stamp,
        key=workspace.requirements_key(),
        wanted=os.environ.get('SOFTSHELL_PYTHON'),
        python=python['executable'],
    )


def build(workspace, steps):
    """Build the workspace, and keep what sourcing it adds to the environment."""
    key, kind = workspace.build_key(), workspace.build_kind()
    begun = workspace.build_folder / 'softshell.json'
    if read_stamp(begun).get('kind') != kind:
        # Of another place, interpreter or ROS, or not ours: cannot be built upon.
        for folder in (workspace.build_folder, workspace.install_folder):
            shutil.rmtree(folder, ignore_errors=True)
    workspace.build_folder.mkdir(exist_ok=True)
    write_stamp(begun, kind=kind)
    environment = workspace.base_environment()
    for name in ('AMENT_PREFIX_PATH', 'CMAKE_PREFIX_PATH', 'PYTHONPATH', 'LD_LIBRARY_PATH'):
        entries = environment.pop(name, '').split(os.pathsep)
        others = [e for e in entries if e and not e.startswith(str(workspace.install_folder))]
        if others:
            environment[name] = os.pathsep.join(others)
    if shutil.which('ninja', path=environment['PATH']):
        environment['CMAKE_GENERATOR'] = 'Ninja'
    colcon = [
        workspace.python, '-m', 'colcon', 'build', '--symlink-install', '--base-paths', 'src',
        '--event-handlers', 'console_cohesion+',
    ]  # fmt: skip
    steps.run('workspace', colcon, environment)
    # The generated script calls the Python of the venv unquoted: a space in its path breaks it.
    environment['COLCON_PYTHON_EXECUTABLE'] = sys.executable
    setup = str(workspace.install_folder / 'setup.bash')
    run = subprocess.run(
        ['bash', '-c', 'source "$1" && env -0', 'bash', setup],
        env=environment,
        stdout=subprocess.PIPE,
        check=True,
    )
    sourced = dict(item.split('=', 1) for item in run.stdout.decode().split('\0') if '=' in item)
    prepend = {}
    for name, value in sourced.items():
        known = environment.get(name, '').split(os.pathsep)
        added = [entry for entry in value.split(os.pathsep) if entry not in known]
        if any(entry.startswith(str(workspace.install_folder)) for entry in added):
            prepend[name] = added
    if 'PYTHONPATH' not in prepend:
        fail('sourcing install/setup.bash added nothing to the environment')
    # Half a minute now, rather than when the robot is first to move.
    solvers = [workspace.python, '-m', 'softshell_kinematics.warm_up']
    steps.run('solvers, compiled', solvers, sourced)
    write_stamp(workspace.built_stamp, key=key, prepend=prepend)


def report(workspace):
    """Print what is there and what is missing, before anything is set up.

    Returns:
        Exit status 1: softshell cannot run yet.
    """
    python = choose_python(workspace.ros_is_sourced)
    lacks = missing(python, workspace.ros_is_sourced)
    print('Python {}.{}: {}'.format(*python['version'], python['executable']))
    print('ROS 2 Jazzy: ' + ('sourced' if workspace.ros_is_sourced else 'wheels, not installed'))
    for thing, package in lacks:
        print(f'missing: {thing} (sudo apt install {package})')
    print('not set up yet: ' + ('install these first' if lacks else 'any other command does it'))
    return 1

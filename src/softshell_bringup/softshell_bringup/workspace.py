"""Whether the workspace is installed and built, and the environment its programs run in.

Only the standard library, and any Python from 3.9: `./softshell` uses this before anything is
installed. What was done is kept in stamps, written after it succeeded and keyed by a hash of what
it depends on, so that whatever was interrupted is done again.
"""

import hashlib
import json
import os
from pathlib import Path

#: Files whose content decides what a build does; of the others only the names count, for with
#: `--symlink-install` an edited module or data file is the installed one.
BUILD_FILES = {'package.xml', 'setup.py', 'setup.cfg', 'CMakeLists.txt'}
BUILD_SUFFIXES = {'.msg', '.srv', '.action', '.cmake', '.xacro'}
#: Folders a build does not depend on: tests, and what it generates itself.
NOT_BUILT = ('test', 'build')
#: The package whose build runs its own modules, to generate meshes from the data in urdf/.
GENERATOR = 'softshell_description'


class Workspace:
    """The repository, its virtual environment and its build.

    Args:
        root: the repository's folder.
    """

    def __init__(self, root):
        self.root = Path(root)
        self.ros_is_sourced = ros_is_sourced()
        self.venv = self.root / ('.venv-ros' if self.ros_is_sourced else '.venv')
        self.python = self.venv / 'bin' / 'python'
        self.install_folder = self.root / 'install'
        self.build_folder = self.root / 'build'
        folder = self.root / 'requirements'
        names = ([] if self.ros_is_sourced else ['ros-wheels.txt']) + ['python.txt', 'dev.txt']
        self.requirements = [folder / name for name in names]
        self.constraints = folder / (
            'constraints-ros.txt' if self.ros_is_sourced else 'constraints.txt'
        )
        self.installed_stamp = self.venv / 'softshell.json'
        self.built_stamp = self.install_folder / 'softshell.json'

    def was_installed(self):
        """Whether the requirements, maybe older ones, were ever installed."""
        return bool(read_stamp(self.installed_stamp))

    def is_installed(self):
        """Whether the virtual environment has what requirements/ asks for."""
        stamp = read_stamp(self.installed_stamp)
        wanted = os.environ.get('SOFTSHELL_PYTHON') or stamp.get('wanted')
        return stamp.get('key') == self.requirements_key() and wanted == stamp.get('wanted')

    def is_built(self):
        """Whether the build is that of these sources."""
        return (
            read_stamp(self.built_stamp).get('key') == self.build_key()
            and (self.install_folder / 'setup.bash').exists()
        )

    def is_ready(self):
        """Whether a command can run now."""
        return self.is_installed() and self.is_built()

    def requirements_key(self):
        """Hash of the requirements; the place counts too, for the scripts of a venv name it."""
        files = [*self.requirements, self.constraints]
        return digest([self.root, *(path.read_bytes() for path in files)])

    def build_kind(self):
        """Hash of what a build folder is tied to: place, interpreter and ROS."""
        stamp = read_stamp(self.installed_stamp)
        return digest([self.root, self.ros_is_sourced, stamp.get('python')])

    def build_key(self):
        """Hash of all that a build depends on."""
        parts = [self.build_kind(), (self.root / 'colcon.meta').read_bytes()]
        for top in ('src', 'cmake', 'config', 'launch', 'urdf'):
            for folder, folders, files in os.walk(self.root / top):
                folders[:] = sorted(
                    name for name in folders if name[0] not in '._' and name not in NOT_BUILT
                )
                for name in sorted(files):
                    path = os.path.join(folder, name)
                    suffix = os.path.splitext(name)[1]
                    if name in BUILD_FILES or suffix in BUILD_SUFFIXES or runs_in_build(path):
                        parts += [path, Path(path).read_bytes()]
                    elif top != 'src' or suffix not in ('.py', '.pyc') or name == '__init__.py':
                        parts.append(path)
        return digest(parts)

    def base_environment(self):
        """The environment of programs before the workspace itself is added."""
        environment = {**os.environ, 'SOFTSHELL_ROOT': str(self.root)}
        environment['VIRTUAL_ENV'] = str(self.venv)
        # The wheels' guard of another environment: its library paths are not ours.
        for name in ('_ROS_WHEELS_BOOTSTRAP_COMPLETE', 'PYTHONHOME'):
            environment.pop(name, None)
        environment.setdefault('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
        prepend = {'PATH': [str(self.venv / 'bin')]}
        if not self.ros_is_sourced:
            prepend['AMENT_PREFIX_PATH'] = prepend['CMAKE_PREFIX_PATH'] = [str(self.venv)]
        return prepended(environment, prepend)

    def environment(self):
        """The environment of programs, as if `install/setup.bash` had been sourced."""
        return prepended(self.base_environment(), read_stamp(self.built_stamp)['prepend'])


def runs_in_build(path):
    """Whether a file is code or data of the generator of meshes."""
    parts = Path(path).parts
    return path.endswith(('.py', '.yaml')) and (
        parts[-2] == 'urdf' or parts[-3:-1] == (GENERATOR, GENERATOR)
    )


def ros_is_sourced():
    """Whether a ROS 2 Jazzy installation, not the wheels, is sourced in this environment."""
    prefixes = [Path(p) for p in os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep) if p]
    return os.environ.get('ROS_DISTRO') == 'jazzy' and any(
        (prefix / 'share' / 'rclpy').is_dir() and not (prefix / 'pyvenv.cfg').exists()
        for prefix in prefixes
    )


def prepended(environment, entries):
    """A copy of an environment with entries in front of its path lists, none twice."""
    merged = dict(environment)
    for name, new in entries.items():
        old = [e for e in environment.get(name, '').split(os.pathsep) if e and e not in new]
        merged[name] = os.pathsep.join([*new, *old])
    return merged


def digest(parts):
    """Hash of texts and bytes."""
    state = hashlib.sha256()
    for part in parts:
        state.update(part if isinstance(part, bytes) else str(part).encode())
        state.update(b'\0')
    return state.hexdigest()


def read_stamp(path):
    """What a stamp says; empty where there is none, or half of one."""
    try:
        stamp = json.loads(Path(path).read_text())
    except (OSError, ValueError):
        return {}
    return stamp if isinstance(stamp, dict) else {}


def write_stamp(path, **content):
    """Write a stamp, whole or not at all."""
    path = Path(path)
    temporary = path.with_suffix('.new')
    temporary.write_text(json.dumps(content))
    temporary.replace(path)

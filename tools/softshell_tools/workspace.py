"""Whether the workspace is installed and built, and the environment its programs run in.

Only the standard library, and any Python from 3.9: `./softshell` uses this before anything is
installed. What was done is kept in stamps, written after it succeeded and keyed by a hash of what
it depends on, so that whatever was interrupted is done again.
"""

import hashlib
import json
import os
from pathlib import Path

from softshell_tools import fallbacks
from softshell_tools.requirement_sets import CORE, SETS, basic_sets

#: Files whose content decides what a build does; of the others only the names count, for with
#: `--symlink-install` an edited module or data file is the installed one.
BUILD_FILES = {'package.xml', 'setup.py', 'setup.cfg', 'CMakeLists.txt', 'colcon.meta'}
BUILD_SUFFIXES = {'.msg', '.srv', '.action', '.cmake', '.xacro'}
#: Folders a build does not depend on: tests, notebooks, and what it generates itself.
NOT_BUILT = ('test', 'notebooks', 'build')
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
        self.built_stamp = self.install_folder / 'softshell.json'

    def venv_of(self, name):
        """The virtual environment that a set of requirements is installed into."""
        return self.venv / 'sets' / name if SETS[name].isolated else self.venv

    def python_of(self, name):
        """The interpreter that has a set of requirements."""
        return self.venv_of(name) / 'bin' / 'python'

    def requirements_of(self, name):
        """The requirements files of a set."""
        folder = self.root / 'requirements'
        ros = [folder / 'ros-wheels.txt'] if name == CORE and not self.ros_is_sourced else []
        return [*ros, folder / f'{name}.txt']

    def constraints_of(self, name):
        """The file with the versions that a set is installed in."""
        kind = f'-{name}' if SETS[name].isolated else '-ros' if self.ros_is_sourced else ''
        return self.root / 'requirements' / f'constraints{kind}.txt'

    def stamp_of(self, name):
        """The stamp that says that a set was installed."""
        return self.venv / f'softshell-{name}.json'

    def key_of(self, name):
        """Hash of a set's requirements and of the place, which the scripts of a venv name."""
        files = [*self.requirements_of(name), self.constraints_of(name)]
        return digest([self.root, *(path.read_bytes() for path in files)])

    def has_set(self, name):
        """Whether a set of requirements is installed as requirements/ asks for."""
        stamp = read_stamp(self.stamp_of(name))
        if name == CORE:
            wanted = os.environ.get('SOFTSHELL_PYTHON') or stamp.get('wanted')
            if wanted != stamp.get('wanted'):
                return False
        return stamp.get('key') == self.key_of(name)

    def python_version(self):
        """Version of the interpreter that the core set was installed for; None before that."""
        return read_stamp(self.stamp_of(CORE)).get('version')

    def basic_sets(self):
        """Names of the sets that every command needs here; core alone before it is installed."""
        version = self.python_version()
        return basic_sets(version) if version else [CORE]

    def was_installed(self):
        """Whether the core set, maybe an older one, was ever installed."""
        return bool(read_stamp(self.stamp_of(CORE)))

    def was_built(self):
        """Whether there is a build, maybe an older one, and the interpreter it is for."""
        return bool(read_stamp(self.built_stamp)) and self.python.exists()

    def is_built(self):
        """Whether the build is that of these sources."""
        return (
            read_stamp(self.built_stamp).get('key') == self.build_key()
            and (self.install_folder / 'setup.bash').exists()
        )

    def is_ready(self, names=()):
        """Whether a command that needs the basic sets and these can run now."""
        return all(self.has_set(name) for name in (*self.basic_sets(), *names)) and self.is_built()

    def fallback_packages(self):
        """Interface packages that are built because nothing else here brings them."""
        return fallbacks.absent(self.root, self.base_environment(), self.install_folder)

    def build_kind(self):
        """Hash of what a build folder is tied to: place, interpreter and ROS."""
        stamp = read_stamp(self.stamp_of(CORE))
        return digest([self.root, self.ros_is_sourced, stamp.get('python')])

    def build_key(self):
        """Hash of all that a build depends on."""
        parts = [self.build_kind(), (self.root / 'colcon.meta').read_bytes()]
        tops = [fallbacks.FOLDER + '/' + name for name in self.fallback_packages()]
        if tops:
            parts.append((self.root / fallbacks.FOLDER / 'colcon.meta').read_bytes())
        for top in ('src', 'cmake', 'config', 'launch', 'urdf', *tops):
            for folder, folders, files in os.walk(self.root / top):
                folders[:] = sorted(
                    name for name in folders if name[0] not in '._' and name not in NOT_BUILT
                )
                for name in sorted(files):
                    path = os.path.join(folder, name)
                    suffix = os.path.splitext(name)[1]
                    if name in BUILD_FILES or suffix in BUILD_SUFFIXES or runs_in_build(path, top):
                        parts += [path, Path(path).read_bytes()]
                    elif top != 'src' or suffix not in ('.py', '.pyc') or name == '__init__.py':
                        parts.append(path)
        return digest(parts)

    def base_environment(self):
        """The environment of programs before the workspace itself is added."""
        environment = dict(os.environ)
        environment['VIRTUAL_ENV'] = str(self.venv)
        # The wheels' guard of another environment: its library paths are not ours.
        for name in ('_ROS_WHEELS_BOOTSTRAP_COMPLETE', 'PYTHONHOME'):
            environment.pop(name, None)
        environment.setdefault('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
        # As the nodes' own entry, which is not installed yet: matrices are small.
        environment.setdefault('OPENBLAS_NUM_THREADS', '1')
        prepend = {'PATH': [str(self.venv / 'bin')]}
        if not self.ros_is_sourced:
            prepend['AMENT_PREFIX_PATH'] = prepend['CMAKE_PREFIX_PATH'] = [str(self.venv)]
        return prepended(environment, prepend)

    def environment(self):
        """The environment of programs: `install/setup.bash` as if sourced, and tools/."""
        sourced = prepended(self.base_environment(), read_stamp(self.built_stamp)['prepend'])
        return prepended(sourced, {'PYTHONPATH': [str(self.root / 'tools')]})


def runs_in_build(path, top):
    """Whether a file below a top folder is code or data of the generator of meshes."""
    if top == 'urdf':
        return path.endswith('.yaml')
    return path.endswith('.py') and Path(path).parts[-3:-1] == (GENERATOR, GENERATOR)


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

"""Knows whether the workspace is installed and built, and the environment of its programs.

Only the standard library, and any Python from 3.9: `./softshell` uses this before anything is
installed. Each step of the set-up writes a stamp when it has succeeded, with a hash of what it
depends on: a step that was interrupted, or whose input has changed, is done again.
"""

import hashlib
import json
import os
import re
from pathlib import Path

from softshell_tools import fallbacks
from softshell_tools.requirement_sets import CORE, SETS, basic_sets

#: Files whose content changes a build. Of other files only the names count: with
#: `--symlink-install` the installed file is a link to the edited one.
BUILD_FILES = {'package.xml', 'setup.py', 'setup.cfg', 'CMakeLists.txt', 'colcon.meta'}
BUILD_SUFFIXES = {'.msg', '.srv', '.action', '.cmake', '.xacro'}
#: Folders on which a build does not depend: tests, notebooks, and its own output.
NOT_BUILT = ('test', 'notebooks', 'build')
#: The distribution of ROS that softshell is for, and the middleware that its wheels have.
JAZZY, WHEELS_RMW = 'jazzy', 'rmw_fastrtps_cpp'
#: Transports of Fast DDS by default: softshell_common.entry says why.
UDP = 'UDPv4'
#: The package whose build runs its own modules, to generate meshes from the data in urdf/.
GENERATOR = 'softshell_description'


class Workspace:
    """The repository, its virtual environment and its build.

    Args:
        root: the repository's folder.
    """

    def __init__(self, root):
        self.root = Path(root)
        self.ros_is_sourced = sourced_ros() == JAZZY
        self.venv = self.root / ('.venv-ros' if self.ros_is_sourced else '.venv')
        self.python = self.venv / 'bin' / 'python'
        self.begun_stamp = self.venv / 'begun.json'
        self.install_folder = self.root / 'install'
        self.build_folder = self.root / 'build'
        self.built_stamp = self.install_folder / 'softshell.json'

    def venv_of(self, name):
        """The virtual environment into which a set of requirements is installed."""
        return self.venv / 'sets' / name if SETS[name].isolated else self.venv

    def python_of(self, name):
        """The interpreter of the virtual environment of a set of requirements."""
        return self.venv_of(name) / 'bin' / 'python'

    def requirements_of(self, name):
        """The requirements files of a set."""
        folder = self.root / 'requirements'
        ros = [folder / 'ros-wheels.txt'] if name == CORE and not self.ros_is_sourced else []
        return [*ros, folder / f'{name}.txt']

    def constraints_of(self, name):
        """The file with the versions of a set's distributions."""
        kind = f'-{name}' if SETS[name].isolated else '-ros' if self.ros_is_sourced else ''
        return self.root / 'requirements' / f'constraints{kind}.txt'

    def stamp_of(self, name):
        """Path of the stamp of a set."""
        return self.venv / f'softshell-{name}.json'

    def key_of(self, name):
        """Hash of a set's requirements and of the checkout's path, which venvs contain."""
        files = [*self.requirements_of(name), self.constraints_of(name)]
        return digest([self.root, *(path.read_bytes() for path in files)])

    def has_set(self, name):
        """Whether a set of requirements is installed as requirements/ asks for.

        It is not if its interpreter is gone, or if the machine has a newer one in its place now.
        """
        stamp = read_stamp(self.stamp_of(name))
        asked = os.environ.get('SOFTSHELL_PYTHON')
        if name == CORE and asked and asked != stamp.get('wanted'):
            return False
        return stamp.get('key') == self.key_of(name) and has_interpreter(self.venv_of(name))

    def python_version(self):
        """Version of the interpreter of the core set, as [major, minor]; None before that."""
        return read_stamp(self.stamp_of(CORE)).get('version')

    def remembered_python(self):
        """The interpreter that the core set's installation was asked for; None: any."""
        stamps = (self.stamp_of(CORE), self.begun_stamp)  # the second while it is under way
        found = (read_stamp(stamp) for stamp in stamps)
        return next((stamp['wanted'] for stamp in found if 'wanted' in stamp), None)

    def basic_sets(self):
        """Names of the sets that every command needs; only core before it is installed."""
        version = self.python_version()
        return basic_sets(version) if version else [CORE]

    def was_installed(self):
        """Whether the core set was ever installed, perhaps an older one."""
        return bool(read_stamp(self.stamp_of(CORE)))

    def was_built(self):
        """Whether there is a build in this place, perhaps an older one, and its interpreter."""
        return self._packages_are_here() and has_interpreter(self.venv)

    def is_built(self):
        """Whether the build is up to date with the sources."""
        return (
            read_stamp(self.built_stamp).get('key') == self.build_key()
            and (self.install_folder / 'setup.bash').exists()
            and self._packages_are_here()
        )

    def _packages_are_here(self):
        """Whether the folders of the built packages exist, in this place and not in another."""
        folders = read_stamp(self.built_stamp).get('prepend', {}).get('PYTHONPATH', [])
        ours = [folder for folder in folders if self.root in Path(folder).parents]
        return bool(ours) and all(map(os.path.exists, ours))

    def is_ready(self, names=()):
        """Whether the basic sets and these are installed, and the build is up to date."""
        return all(self.has_set(name) for name in (*self.basic_sets(), *names)) and self.is_built()

    def fallback_packages(self):
        """Names of the packages in interfaces/ that are built, as this machine lacks them."""
        return fallbacks.absent(self.root, self.base_environment(), self.install_folder)

    def cmake_arguments(self):
        """Arguments for the packages that CMake builds, which are those of interfaces.

        With the wheels of ROS nobody compiles programs in C++, and the generators are known.
        """
        return [f'-DPYTHON_ALONE={"OFF" if self.ros_is_sourced else "ON"}']

    def build_kind(self):
        """Hash of what a build folder cannot survive changes of: path, interpreter and ROS."""
        stamp = read_stamp(self.stamp_of(CORE))
        return digest([self.root, self.ros_is_sourced, stamp.get('python')])

    def build_key(self):
        """Hash of everything on which a build depends."""
        parts = [self.build_kind(), (self.root / 'colcon.meta').read_bytes()]
        tops = [fallbacks.FOLDER + '/' + name for name in self.fallback_packages()]
        if tops:
            parts.append((self.root / fallbacks.FOLDER / 'colcon.meta').read_bytes())
        for top in ('src', 'cmake', 'config', 'launch', 'urdf', *tops):
            for folder, folders, files in os.walk(self.root / top):
                folders[:] = sorted(
                    name for name in folders if name[0] not in '._' and name not in NOT_BUILT
                )
                for name in sorted(name for name in files if not is_of_an_editor(name)):
                    path = os.path.join(folder, name)
                    suffix = os.path.splitext(name)[1]
                    if name in BUILD_FILES or suffix in BUILD_SUFFIXES or runs_in_build(path, top):
                        parts += [path, Path(path).read_bytes()]
                    elif top != 'src' or suffix not in ('.py', '.pyc') or name == '__init__.py':
                        parts.append(path)
        return digest(parts)

    def base_environment(self):
        """The environment of programs without the build of the workspace."""
        environment = dict(os.environ)
        environment['VIRTUAL_ENV'] = str(self.venv)
        # The first is set by the ROS wheels of another virtual environment, with its library
        # paths. The last is set in many containers to keep images small: here each process would
        # compile all that it imports, as what is installed is compiled when first imported.
        for name in ('_ROS_WHEELS_BOOTSTRAP_COMPLETE', 'PYTHONHOME', 'PYTHONDONTWRITEBYTECODE'):
            environment.pop(name, None)
        environment.setdefault('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
        # As softshell_common.entry, which says why, and is not built yet.
        profiles = self.root / 'src' / 'softshell_common' / 'softshell_common' / 'fastdds.xml'
        environment.setdefault('OPENBLAS_NUM_THREADS', '1')
        environment.setdefault('FASTDDS_BUILTIN_TRANSPORTS', UDP)
        environment.setdefault('FASTRTPS_DEFAULT_PROFILES_FILE', str(profiles))
        prepend = {'PATH': [str(self.venv / 'bin')]}
        if not self.ros_is_sourced:
            prepend['AMENT_PREFIX_PATH'] = prepend['CMAKE_PREFIX_PATH'] = [str(self.venv)]
            environment['RMW_IMPLEMENTATION'] = WHEELS_RMW
        return prepended(environment, prepend)

    def environment(self):
        """The environment of programs, as after sourcing `install/setup.bash`, with tools/."""
        sourced = prepended(self.base_environment(), read_stamp(self.built_stamp)['prepend'])
        return prepended(sourced, {'PYTHONPATH': [str(self.root / 'tools')]})


def has_interpreter(venv):
    """Whether the interpreter of a virtual environment is there, in the version of its packages.

    A link such as /usr/bin/python3, by which it was made, may lead to another version by now.
    """
    python = venv / 'bin' / 'python'
    name = os.path.basename(os.path.realpath(python))
    tells_version = re.fullmatch(r'python\d+\.\d+', name)
    return os.path.exists(python) and (not tells_version or (venv / 'lib' / name).is_dir())


def is_of_an_editor(name):
    """Whether a file is a lock, a backup or the like, which an editor keeps beside another."""
    return name[0] == '.' or name[-1] in '~#'


def runs_in_build(path, top):
    """Whether a file is code or data of the mesh generator, which the build runs."""
    if top == 'urdf':
        return path.endswith('.yaml')
    return path.endswith('.py') and Path(path).parts[-3:-1] == (GENERATOR, GENERATOR)


def sourced_ros():
    """Name of the distribution of ROS that is sourced here, if any; wheels do not count.

    The variable with its name is no sign of that alone: in a container it may be set anyway. A
    folder that this user may not enter has none.
    """
    prefixes = [Path(p) for p in os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep) if p]
    is_sourced = os.environ.get('ROS_VERSION') == '1' or any(
        os.path.isdir(prefix / 'share' / 'rclpy') and not os.path.exists(prefix / 'pyvenv.cfg')
        for prefix in prefixes
    )
    return os.environ.get('ROS_DISTRO', '') if is_sourced else ''


def prepended(environment, entries):
    """A copy of an environment with entries put in front of its path lists, none twice."""
    merged = dict(environment)
    for name, new in entries.items():
        old = [e for e in environment.get(name, '').split(os.pathsep) if e and e not in new]
        merged[name] = os.pathsep.join([*new, *old])
    return merged


def digest(parts):
    """SHA-256 of texts and bytes, in hexadecimal."""
    state = hashlib.sha256()
    for part in parts:
        state.update(part if isinstance(part, bytes) else os.fsencode(str(part)))
        state.update(b'\0')
    return state.hexdigest()


def read_stamp(path):
    """The content of a stamp; empty if there is none, or if it is damaged."""
    try:
        stamp = json.loads(Path(path).read_text())
    except (OSError, ValueError):
        return {}
    return stamp if isinstance(stamp, dict) else {}


def write_stamp(path, **content):
    """Write a stamp, completely or not at all."""
    path = Path(path)
    temporary = path.with_suffix('.new')
    temporary.write_text(json.dumps(content))
    temporary.replace(path)

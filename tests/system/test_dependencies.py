"""What a package imports is what its package.xml declares, no less and no more."""

import ast
import re
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest
from modules import MODULES, modules_of, requirements

from softshell_bringup.nodes import NODES

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / 'src'

#: What comes with ROS, by the name it is imported by, which is its key as well; packages of
#: messages end in `_msgs`, `_srvs` or `_interfaces`.
ROS = ('ament_index_python', 'launch', 'launch_ros', 'rclpy', 'xacro')
MESSAGES = ('_msgs', '_srvs', '_interfaces')
#: Wheels, which need no ROS: test_wheels.py.
LIBRARIES = ('softshell_kinematics', 'softshell_common', 'softshell_continuum')
#: What every setup.py imports; the build type brings it.
BUILD_TOOLS = {'setuptools'}
#: What rosidl uses besides the types that are named, by the folder of the interfaces.
IMPLIED = {'msg': set(), 'srv': {'service_msgs'}, 'action': {'service_msgs', 'action_msgs'}}

HARDWARE, DASHBOARD = 'softshell_hardware', 'softshell_dashboard'
STUDIES = 'softshell_studies'
PACKAGES = sorted(path.parent.name for path in SOURCES.glob('*/package.xml'))
PYTHON = [name for name in PACKAGES if (SOURCES / name / 'setup.py').exists()]
#: Modules of tests that other tests import by their bare names.
HELPERS = {path.stem for path in SOURCES.glob('*/test/*.py')}


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding='utf-8'))


def imported(folder: Path) -> set[str]:
    """Top-level names of what the modules below a folder import, at whatever place."""
    paths = [path for path in folder.rglob('*.py') if '__pycache__' not in path.parts]
    return {
        name.partition('.')[0] for path in paths for name in modules_of(ast.walk(parsed(path)))
    }


def keys_of(names: Iterable[str], package: str) -> set[str]:
    """rosdep keys of what is imported; the standard library and the package itself need none."""
    keys = set()
    for name in names:
        if name in MODULES:
            keys.add(MODULES[name][1])
        elif name in ROS or name.endswith(MESSAGES) or name in PACKAGES:
            keys.add(name)
        else:
            assert name in sys.stdlib_module_names, (
                f'{package} imports {name!r}: add it to MODULES of modules.py or to ROS'
            )
    return keys - {None, package}


def declared(package: str, *tags: str) -> list[str]:
    """What a package.xml declares by some tags, without `_depend`; '' stands for `depend`."""
    tree = ElementTree.parse(SOURCES / package / 'package.xml')
    names = [f'{tag}_depend' if tag else 'depend' for tag in tags]
    return [str(element.text) for name in names for element in tree.iter(name)]


def started_by(package: str) -> set[str]:
    """Packages whose nodes a package starts."""
    if package != 'softshell_bringup':
        return set()
    return {row.package for row in NODES if not row.optional}


@pytest.mark.parametrize('package', PYTHON)
def test_code_imports_what_is_declared(package):
    """Each import, and each node that is started, is a <exec_depend>, and each of these is one."""
    names = imported(SOURCES / package / package)
    assert keys_of(names, package) | started_by(package) == set(declared(package, '', 'exec'))


@pytest.mark.parametrize('package', PYTHON)
def test_tests_import_what_is_declared(package):
    """What tests import beyond what the code does is a <test_depend>, and each of these is one."""
    names = imported(SOURCES / package / 'test') - HELPERS
    further = keys_of(names, package) - set(declared(package, '', 'exec'))
    assert further == set(declared(package, 'test'))


@pytest.mark.parametrize('package', PYTHON)
def test_the_build_imports_what_is_declared(package):
    """What setup.py imports, also by way of the package's own modules, is a <build_depend>."""
    todo, names = [SOURCES / package / 'setup.py'], set()
    while todo:
        for module in modules_of(parsed(todo.pop()).body):
            first, *rest = module.split('.')
            if first == package:
                todo.append(SOURCES.joinpath(package, package, *rest).with_suffix('.py'))
            names.add(first)
    keys = keys_of(names - BUILD_TOOLS, package)
    assert keys == set(declared(package, '', 'build'))


@pytest.mark.parametrize('package', sorted({*PACKAGES} - {*PYTHON}))
def test_interfaces_use_what_is_declared(package):
    """Packages of the types of fields are those that CMakeLists.txt finds and <depend>s name."""
    cmake = (SOURCES / package / 'CMakeLists.txt').read_text(encoding='utf-8')
    found = set(re.findall(r'find_package\((\w+)', cmake)) - {*declared(package, 'buildtool')}
    used, implied = set(), set()
    for kind, further in IMPLIED.items():
        for path in (SOURCES / package / kind).glob(f'*.{kind}'):
            fields = re.sub('#.*', '', path.read_text(encoding='utf-8'))
            used |= set(re.findall(r'^(\w+)/\w+', fields, re.MULTILINE))
            implied |= further
    assert used <= found
    assert found | implied == set(declared(package, ''))


@pytest.mark.parametrize('package', PACKAGES)
def test_nothing_is_declared_twice(package):
    """Each key occurs once; one that the code needs does not occur among those of the tests."""
    keys = declared(package, '', 'exec', 'test')
    assert len(keys) == len(set(keys))


def test_requirements_install_what_is_imported():
    """What code imports beyond ROS is in core.txt, and what tests import in requirements/.

    What drives real servos is a set of its own, as are what serves the page in the browser, what
    studies need and the engine that has no wheel everywhere.
    """
    core = requirements('core') | requirements('pybullet')
    servos = core | requirements('hardware')
    web = core | requirements('web')
    studies = core | requirements('studies')
    every = servos | web | studies | requirements('test') | requirements('notebook')
    every |= requirements('browser')
    others = [package for package in PYTHON if package not in (HARDWARE, DASHBOARD, STUDIES)]
    code = [SOURCES / package / package for package in others]
    assert pip_names(*code) <= core
    # Examples say what they need. pytest: of the tests of the package that is there to be copied.
    examples = pip_names(ROOT / 'examples') - {'pytest'}
    assert examples <= studies | web | requirements('browser')
    assert pip_names(SOURCES / HARDWARE / HARDWARE) <= servos
    assert pip_names(SOURCES / DASHBOARD / DASHBOARD) <= web
    assert pip_names(SOURCES / STUDIES / STUDIES) <= studies
    tests = [*SOURCES.glob('*/test'), ROOT / 'tests' / 'system']
    assert pip_names(*tests, ROOT / 'tools') <= every


def pip_names(*folders: Path) -> set[str]:
    """Names on PyPI of what the modules below folders import."""
    names = {name for folder in folders for name in imported(folder)}
    return {MODULES[name][0] for name in names if name in MODULES}


def setup_arguments(package: str) -> dict[str, ast.expr]:
    """What a setup.py gives to `setup`."""
    (call,) = (
        node
        for node in ast.walk(parsed(SOURCES / package / 'setup.py'))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == 'setup'
    )
    return {str(keyword.arg): keyword.value for keyword in call.keywords}


@pytest.mark.parametrize('package', PYTHON)
def test_pip_is_told_what_rosdep_is_told(package):
    """The libraries, which pip installs alone, name what they import; all else rosdep brings."""
    arguments = setup_arguments(package)
    told = set(ast.literal_eval(arguments['install_requires']))
    if package in LIBRARIES:
        for extra in ast.literal_eval(arguments.get('extras_require', ast.Dict([], []))).values():
            told |= set(extra)
        ours = imported(SOURCES / package / package) & {*LIBRARIES} - {package}
        wanted = pip_names(SOURCES / package / package) | ours
        assert {re.sub(r'[<>=].*', '', name) for name in told} == wanted
    else:
        assert told == BUILD_TOOLS


@pytest.mark.parametrize('package', PYTHON)
def test_type_checkers_are_told_that_packages_are_typed(package):
    """`py.typed` (PEP 561) lies in the package, and setup.py installs it."""
    assert (SOURCES / package / package / 'py.typed').is_file()
    data = ast.unparse(setup_arguments(package)['package_data'])
    assert data.startswith("{package_name: ['py.typed'")


def test_the_page_names_what_has_no_rosdep_key():
    """So that on a ROS machine nobody waits for rosdep to install it; each with its set."""
    page = (ROOT / 'docs' / 'ros-machine.md').read_text(encoding='utf-8')
    (told,) = re.findall(r'Without a rosdep key for a package of apt are (.*?)\. PyBullet', page)
    needed = {name for package in PYTHON for name in imported(SOURCES / package / package)}
    without = {pip for name, (pip, key) in MODULES.items() if name in needed and key is None}
    assert without <= {*re.findall(r'`([\w-]+)`', told)}
    parts = re.findall(r'(.*?)\((?:in )?`requirements/(\w+)\.txt`\)', told)
    assert len(parts) == 4
    for names, kind in parts:
        assert {*re.findall(r'`([\w-]+)`', names)} <= requirements(kind)

"""One sees at a glance which files need ROS, and which package stands on which."""

import ast
import importlib
import pkgutil
import re
from pathlib import Path

import pytest

SOURCES = Path(__file__).parents[2] / 'src'

#: What comes with ROS; packages of messages end in `_msgs`, `_srvs` or `_interfaces`.
ROS = ('rclpy', 'launch', 'launch_ros', 'ament_index_python', 'rosidl_runtime_py')
#: The packages from the lowest up: each may import what stands before it, and no other.
ORDER = (
    'softshell_interfaces', 'softshell_kinematics', 'softshell_common', 'softshell_continuum',
    'softshell_description', 'softshell_kinematics_ros', 'softshell_control', 'softshell_actions',
    'softshell_sim', 'softshell_studies', 'softshell_hardware', 'softshell_client',
    'softshell_bringup', 'softshell_recording', 'softshell_teleop', 'softshell_dashboard',
)  # fmt: skip


def modules() -> list[Path]:
    return sorted(
        path for package in ORDER for path in (SOURCES / package / package).rglob('*.py')
    )


def imported(path: Path, everywhere: bool = True) -> set[str]:
    """Packages that a module imports; without `everywhere` only those at its top level."""
    tree = ast.parse(path.read_text(encoding='utf-8'))
    nodes = ast.walk(tree) if everywhere else tree.body
    names = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            names |= {alias.name.partition('.')[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module.partition('.')[0])
    return names


def is_ros(name: str) -> bool:
    return name in ROS or name.endswith(('_msgs', '_srvs')) or name == 'softshell_interfaces'


def test_every_package_is_in_the_order():
    """No package is left out of the table that the other tests check."""
    found = {path.parent.name for path in SOURCES.glob('*/package.xml')}
    assert found == set(ORDER)


@pytest.mark.parametrize('path', modules(), ids=lambda path: str(path.relative_to(SOURCES)))
def test_what_needs_ros_is_in_a_room_of_its_own(path):
    """Outside a folder `ros/` no module needs ROS to be imported."""
    assert 'ros' in path.parts or not {
        name for name in imported(path, everywhere=False) if is_ros(name)
    }


@pytest.mark.parametrize('path', modules(), ids=lambda path: str(path.relative_to(SOURCES)))
def test_imports_never_point_up(path):
    """A module imports packages that stand below its own, and nothing of those above."""
    own = next(part for part in path.parts if part in ORDER)
    below = set(ORDER[: ORDER.index(own)]) | {own}
    ours = {name for name in imported(path) if name.startswith('softshell_')}
    assert ours <= below


@pytest.mark.parametrize(
    'name', [path.parent.relative_to(SOURCES).as_posix().partition('/')[2].replace('/', '.')
             for path in modules() if path.name == '__init__.py']
)  # fmt: skip
def test_no_public_name_is_that_of_a_module_beside_it(name):
    """An import of the module would put it in the place of what is meant."""
    package = importlib.import_module(name)
    assert not {*getattr(package, '__all__', ())} & {
        module.name for module in pkgutil.iter_modules(package.__path__)
    }


def test_the_page_on_the_architecture_lists_what_each_package_imports():
    """In the order from the lowest package up, remarks in brackets aside."""
    page = (SOURCES.parent / 'docs' / 'architecture.md').read_text(encoding='utf-8')
    rows = re.findall(r'^\| `(softshell_\w+)` \| .* \| ([^|]*) \|$', page, re.MULTILINE)
    assert [package for package, _ in rows] == [*ORDER]
    for package, told in rows:
        found = set().union(*(imported(path) for path in (SOURCES / package).rglob('*.py')
                              if 'test' not in path.relative_to(SOURCES).parts))  # fmt: skip
        names = [f'softshell_{name}' for name in re.findall(r'(\w+)(?: \([^)]*\))?(?:, |$)', told)]
        assert names == [each for each in ORDER if each in found - {package}], package


#: Most lines of a file and of a function, so that each can be read as a whole.
LONGEST_FILE, LONGEST_FUNCTION = 350, 60


def test_files_and_functions_can_be_read_as_a_whole():
    """Everywhere in the checkout, tests and tools among it."""
    root = SOURCES.parent
    files = [
        path
        for folder in ('src', 'tests', 'tools', 'examples', 'launch')
        for path in (root / folder).rglob('*.py')
        if not {'build', 'install'} & {*path.relative_to(root).parts}
    ]
    long = []
    for path in files:
        text = path.read_text(encoding='utf-8')
        if len(text.splitlines()) > LONGEST_FILE:
            long.append(f'{path}: {len(text.splitlines())} lines')
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or 0) - node.lineno + 1
                if lines > LONGEST_FUNCTION:
                    long.append(f'{path}: {node.name}: {lines} lines')
    assert len(files) > 300
    assert long == []

"""Checks whether all that softshell needs is installed, and what runs on this ROS domain."""

import importlib
import importlib.metadata
import importlib.util
import os
import platform
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from softshell_tools.finding import Finding
from softshell_tools.requirement_sets import CORE, PYBULLET, SETS
from softshell_tools.surroundings import logs, messages, page_port, surroundings
from softshell_tools.workspace import UDP, Workspace

#: Memory that should be free for messages between nodes [B], if they do not use UDP alone, and the
#: variable by which a user asks for that.
SHARED_MEMORY, TRANSPORTS = 64e6, 'FASTDDS_BUILTIN_TRANSPORTS'
DISCOVERY_TIME = 1.5  # [s] in which nodes of the domain are discovered
#: Modules that the core set installs.
MODULES = ('rclpy', 'mujoco', 'numpy', 'numba', 'scipy', 'geomdl', 'xacro', 'trimesh',
           'matplotlib', 'imageio_ffmpeg', 'pydantic')  # fmt: skip
#: Their distributions, where these have other names.
DISTRIBUTIONS = {'rclpy': 'ros-rclpy', 'imageio_ffmpeg': 'imageio-ffmpeg'}


def examine(root: Path) -> int:
    """Print all findings.

    Returns:
        Exit status: 1 if something is missing or out of date.
    """
    table = Table('', 'what', 'found')
    findings = list(find(root))
    for finding in findings:
        mark = Text('ok', 'green') if finding.ok else Text('not ok', 'red')
        state = Text(finding.state)
        if finding.remedy and not finding.ok:
            state.append(f'\n{finding.remedy}', 'yellow')
        table.add_row(mark, finding.thing, state)
    console = Console(markup=False)
    console.print(table)
    missing = [finding.thing for finding in findings if not finding.ok]
    if missing:
        console.print(f'not ok: {", ".join(missing)}', style='red')
    else:
        console.print('all well', style='green')
    return 1 if missing else 0


def find(root: Path) -> Iterator[Finding]:
    """Check everything, one finding each."""
    yield Finding('system', f'{platform.platform()}, {os.cpu_count()} cores; no GPU is needed')
    yield Finding('Python', f'{platform.python_version()}, {sys.executable}')
    workspace = Workspace(root)
    kind = 'sourced installation' if workspace.ros_is_sourced else 'wheels'
    yield Finding('ROS 2 Jazzy', f'{kind}, {os.environ.get("RMW_IMPLEMENTATION") or "Fast DDS"}')
    is_basic = PYBULLET in workspace.basic_sets()
    for module in (*MODULES, *((PYBULLET,) if is_basic else ())):
        yield _module(module, workspace.venv.name)
    has_pybullet = importlib.util.find_spec(PYBULLET) is not None
    state = 'PyBullet' if has_pybullet else 'MuJoCo; PyBullet: ./softshell setup pybullet'
    yield Finding('default engine', state)
    yield Finding(
        'set core',
        'as in requirements/' if workspace.has_set(CORE) else 'not that of requirements/',
        workspace.has_set(CORE),
        'any other ./softshell command installs it',
    )
    for name, entry in SETS.items():
        if name != CORE:
            installed = workspace.has_set(name)
            state = 'installed' if installed else f'not installed: ./softshell setup {name}'
            yield Finding(f'set {name}', f'{state} ({entry.purpose})')
    for name in workspace.fallback_packages():
        yield Finding(name, 'not in ROS here; the part that is needed is built from interfaces/')
    compiler = shutil.which('g++')
    yield Finding('C++ compiler', compiler or 'none', bool(compiler), 'sudo apt install g++')
    yield Finding(
        'build',
        'up to date' if workspace.is_built() else 'older than the sources',
        workspace.is_built(),
        'any other ./softshell command builds',
    )
    if os.environ.get(TRANSPORTS, UDP) != UDP:
        yield _shared_memory()
    yield from surroundings(root)
    try:
        yield logs()
        yield page_port()
        yield from _domain()
    except ImportError as error:
        remedy = 'the workspace is not built: any other ./softshell command builds it'
        yield Finding('packages', str(error), False, remedy)


def _module(module: str, venv: str) -> Finding:
    """Whether a module of the core set, in the environment of this name, can be imported."""
    remedy = f'remove the folder {venv} and start again'
    if importlib.util.find_spec(module) is None:
        return Finding(module, 'not installed', False, remedy)
    if module == 'rclpy':  # it may be installed without its libraries
        try:
            importlib.import_module(module)
        except ImportError as error:
            return Finding(module, str(error), False, remedy)
    try:
        version = importlib.metadata.version(DISTRIBUTIONS.get(module, module))
    except importlib.metadata.PackageNotFoundError:
        version = 'version unknown'
    return Finding(module, version)


def _shared_memory() -> Finding:
    try:
        free = shutil.disk_usage('/dev/shm').free
    except OSError:
        return Finding('/dev/shm', 'none: messages go by UDP')
    return Finding(
        '/dev/shm',
        f'{free / 1e6:.0f} MB free',
        free >= SHARED_MEMORY,
        f'messages need {SHARED_MEMORY / 1e6:.0f} MB; in Docker: --shm-size=256m',
    )


def _domain() -> Iterator[Finding]:
    from softshell_bringup.domain import current_domain, stacks
    from softshell_bringup.ros.graph import Observer
    from softshell_kinematics.errors import SoftshellError

    try:
        domain = current_domain()
    except SoftshellError as error:
        yield Finding('ROS domain', str(error), False, 'e.g. export ROS_DOMAIN_ID=0')
        return
    reach = os.environ.get('ROS_AUTOMATIC_DISCOVERY_RANGE', 'SUBNET')
    yield Finding('ROS domain', f'{domain}, discovery {reach}')
    try:
        yield messages(domain)
    except SoftshellError as error:
        remedy = 'set HOME, or ROS_LOG_DIR to a folder that may be written to'
        yield Finding('messages', str(error), False, remedy)
        return
    running = [
        f'running{f" in namespace {namespace}" if namespace else ""}'
        + (f', process {process}' if process else '')
        for namespace, process in stacks(domain).items()
    ]
    yield Finding('stack on this domain', '\n'.join(running) or 'none by ./softshell up')
    with Observer(domain) as observer:
        end = time.monotonic() + DISCOVERY_TIME
        while time.monotonic() < end:
            observer.look()
        names = observer.node_names()
    yield Finding('nodes on this domain', ', '.join(names) or 'none')

"""Builds the workspace.

Only the standard library, and any Python from 3.9: this runs before anything is installed.
"""

import os
import shutil
import subprocess

from softshell_tools import fallbacks, shelter
from softshell_tools.steps import fail
from softshell_tools.workspace import read_stamp, write_stamp


def build(workspace, steps):
    """Build the workspace, and store in its stamp what sourcing it adds to the environment."""
    key, kind = workspace.build_key(), workspace.build_kind()
    begun = workspace.build_folder / 'softshell.json'
    if read_stamp(begun).get('kind') != kind:
        # A build in another place, with another interpreter or ROS, or not by us: start anew.
        for folder in (workspace.build_folder, workspace.install_folder):
            clear(folder)
    workspace.build_folder.mkdir(exist_ok=True)
    write_stamp(begun, kind=kind)
    environment = build_environment(workspace)
    standing_in = workspace.fallback_packages()
    for name in fallbacks.all_fallbacks(workspace.root):
        if name not in standing_in:  # an older build of it would hide the package of ROS
            for folder in (workspace.build_folder, workspace.install_folder):
                if (folder / name).exists():
                    shutil.rmtree(folder / name)
    folders = [os.path.join(fallbacks.FOLDER, name) for name in standing_in]
    skipped = []
    if shelter.is_needed(workspace.root):
        with shelter.shelter(workspace.root) as folder:
            interfaces = shelter.interface_build(workspace, folder, standing_in, environment)
            steps.run('interfaces', *interfaces)
        folders, skipped = [], ['--packages-skip', shelter.PACKAGE]
    colcon = [
        workspace.python, '-m', 'colcon', 'build', '--symlink-install',
        '--build-base', 'build', '--install-base', 'install',
        '--base-paths', 'src', *folders, *skipped,
        '--metas', 'colcon.meta', os.path.join(fallbacks.FOLDER, 'colcon.meta'),
        '--event-handlers', 'console_cohesion+',
        '--cmake-args', *workspace.cmake_arguments(),
    ]  # fmt: skip
    steps.run('workspace', colcon, environment)
    remove_dangling_links(workspace.install_folder)
    quote_interpreter(workspace.install_folder)
    prepend = source(workspace, environment)
    steps.wait_for_others()  # without what is compiled ahead it is no complete build
    write_stamp(workspace.built_stamp, key=key, prepend=prepend)


def compilations(workspace):
    """The commands that compile code ahead of its first use, by title.

    They need the basic sets and nothing that colcon builds, so all else is done at the same time.
    """
    environment = workspace.base_environment()
    sources = sorted(str(path.parent) for path in workspace.root.glob('src/*/setup.py'))
    others = [entry for entry in [environment.get('PYTHONPATH')] if entry]
    environment['PYTHONPATH'] = os.pathsep.join([*sources, *others])
    ahead = {'solvers': 'softshell_kinematics', 'bridges': 'softshell_sim'}
    return {
        f'{title}, compiled': ([workspace.python, '-m', f'{package}.warm_up'], environment)
        for title, package in ahead.items()
    }


def clear(folder):
    """Remove all that is in a folder, which may be a link to one on another disk."""
    for path in folder.iterdir() if folder.is_dir() else ():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


def quote_interpreter(folder):
    """Let the scripts that set up an install folder run a Python whose path has a space."""
    for script in folder.glob('local_setup.*sh'):
        unquoted, quoted = b'$($_colcon_python_executable ', b'$("$_colcon_python_executable" '
        script.write_bytes(script.read_bytes().replace(unquoted, quoted))


def remove_dangling_links(folder):
    """Remove links to files that do not exist any more."""
    for path in list(folder.rglob('*')):
        if path.is_symlink() and not path.exists():
            path.unlink()


def build_environment(workspace):
    """The environment for a build, without what an earlier build has added to it.

    The user's own settings of colcon are for other workspaces, and have no part in it.
    """
    environment = workspace.base_environment()
    # Where Python packages are linked, sourcing adds folders of the build as well.
    own = (str(workspace.install_folder), str(workspace.build_folder))
    for name in ('AMENT_PREFIX_PATH', 'CMAKE_PREFIX_PATH', 'PYTHONPATH', 'LD_LIBRARY_PATH'):
        entries = environment.pop(name, '').split(os.pathsep)
        others = [e for e in entries if e and not e.startswith(own)]
        if others:
            environment[name] = os.pathsep.join(others)
    environment['COLCON_DEFAULTS_FILE'] = os.devnull
    environment['COLCON_HOME'] = str(workspace.build_folder / 'colcon')
    if shutil.which('ninja', path=environment['PATH']):
        environment['CMAKE_GENERATOR'] = 'Ninja'
    # Without this, colcon lets the compiler wait while the machine's load is above its number of
    # cores, as it is right after an installation.
    environment.setdefault('MAKEFLAGS', f'-j{len(os.sched_getaffinity(0))}')
    return environment


def source(workspace, environment):
    """Source the build in a shell.

    Returns:
        The entries that it has put in front of path lists, by variable.
    """
    setup = str(workspace.install_folder / 'setup.bash')
    run = subprocess.run(
        ['bash', '-c', 'source "$1" && env -0', 'bash', setup],
        env=environment,
        stdout=subprocess.PIPE,
    )
    if run.returncode:
        fail(f'sourcing {setup} failed with exit status {run.returncode}')
    variables = os.fsdecode(run.stdout).split('\0')  # some may be no UTF-8
    sourced = dict(item.split('=', 1) for item in variables if '=' in item)
    prepend = {}
    for name, value in sourced.items():
        known = environment.get(name, '').split(os.pathsep)
        added = [entry for entry in value.split(os.pathsep) if entry not in known]
        if any(entry.startswith(str(workspace.install_folder)) for entry in added):
            prepend[name] = added
    if 'PYTHONPATH' not in prepend:
        fail('sourcing install/setup.bash added nothing to the environment')
    return prepend

"""Makes the virtual environments into which sets of requirements are installed.

Only the standard library, and any Python from 3.9: this runs before anything is installed.
"""

import os
import shutil

from softshell_tools.workspace import has_interpreter, read_stamp, write_stamp


def venv_title(workspace, python):
    """Title of the step that makes the virtual environment."""
    return 'Python {}.{} in {}'.format(*python['version'], workspace.venv.name)


def identity_of(workspace, python):
    """What a virtual environment was made for, as it is kept in its stamp."""
    return {'root': str(workspace.root), 'python': python['executable']}


def has_venv(workspace, python):
    """Whether there is a virtual environment for this place and interpreter."""
    begun = read_stamp(workspace.begun_stamp)
    begun['python'] = os.path.realpath(begun.get('python', ''))  # it may have been made by a link
    identity = identity_of(workspace, python)
    return identity.items() <= begun.items() and has_interpreter(workspace.venv)


def make_venv(workspace, python, wanted, steps):
    """Make the virtual environment, unless there is one for this place and interpreter.

    It is remembered which interpreter was wanted, also where what follows is interrupted.
    """
    begun = workspace.begun_stamp
    identity = identity_of(workspace, python)
    if has_venv(workspace, python):
        identity = {**identity, 'python': read_stamp(begun)['python']}  # or all is built anew
    else:
        options = ['--system-site-packages'] if workspace.ros_is_sourced else []
        command = [python['executable'], '-m', 'venv', '--clear', *options, workspace.venv]
        try:
            steps.run(venv_title(workspace, python), command, None)
        except BaseException:  # it has cleared the older stamps
            workspace.venv.mkdir(exist_ok=True)
            write_stamp(begun, wanted=wanted)
            raise
    write_stamp(begun, **identity, wanted=wanted)


def has_isolated_venv(workspace, name):
    """Whether an isolated set has its virtual environment, for this place."""
    begun = read_stamp(workspace.venv_of(name) / 'begun.json')
    return begun == {'root': str(workspace.root)} and workspace.python_of(name).exists()


def make_isolated_venv(workspace, name, steps):
    """Make the virtual environment of an isolated set, unless there is one."""
    venv = workspace.venv_of(name)
    if has_isolated_venv(workspace, name):
        return
    command = [workspace.python, '-m', 'venv', '--clear', venv]
    steps.run(f'environment of {name}', command, workspace.base_environment())
    write_stamp(venv / 'begun.json', root=str(workspace.root))


def remove_unfinished(venv):
    """Remove half-installed distributions, after pip was killed, so that pip installs them."""
    for folder in venv.glob('lib/python*/site-packages/*.dist-info'):
        if not (folder / 'RECORD').exists():
            shutil.rmtree(folder)

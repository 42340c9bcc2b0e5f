"""A small repository that is set up, and what `./softshell` does in it."""

from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

import pytest

from softshell_tools import first_use
from softshell_tools.requirement_sets import CORE, SETS
from softshell_tools.workspace import Workspace, write_stamp


@pytest.fixture(autouse=True)
def _nothing_to_compile(monkeypatch):
    """These small repositories have no code to compile ahead."""
    monkeypatch.setattr(first_use, 'compilations', lambda workspace: {})


@pytest.fixture
def workspace(tmp_path, monkeypatch):
    """A small repository, installed and built as far as its stamps tell."""
    for name in ('ROS_DISTRO', 'SOFTSHELL_PYTHON', 'RMW_IMPLEMENTATION'):
        monkeypatch.delenv(name, raising=False)
    files = {
        'colcon.meta': '{}', 'requirements/constraints.txt': 'numpy==2',
        'requirements/constraints-bench.txt': 'numpy==2',
        'requirements/ros-wheels.txt': 'a', 'launch/a.launch.py': '',
        'src/p/package.xml': '<package/>', 'src/p/setup.py': '', 'src/p/p/core.py': '',
        'src/p/msg/Thing.msg': 'int32 a', 'src/p/test/test_p.py': '',
        'config/robots/a/robot.yaml': 'a: 1', 'urdf/a/robot.xacro': '<robot/>',
        'interfaces/colcon.meta': '{}', 'interfaces/their_msgs/package.xml': '<package/>',
        'interfaces/their_msgs/msg/Theirs.msg': 'int32 a', 'install/setup.bash': '',
        **{f'requirements/{name}.txt': 'numpy' for name in SETS},
    }  # fmt: skip
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    made = Workspace(tmp_path)
    made.python.parent.mkdir(parents=True)
    made.python.touch()
    write_stamp(made.stamp_of(CORE), key=made.key_of(CORE), wanted=None, python='/python')
    prepend = {'PYTHONPATH': [str(tmp_path / 'src/p')]}
    write_stamp(made.built_stamp, key=made.build_key(), prepend=prepend)
    return made


@pytest.fixture
def script():
    """The module of `./softshell`."""
    loader = SourceFileLoader(
        'entry_script', str(Path(__file__).resolve().parents[2] / 'softshell')
    )
    module = module_from_spec(spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


@pytest.fixture
def started(workspace, script, monkeypatch):
    """Function: what `./softshell` does with a command in the small repository, step by step."""
    done = []
    monkeypatch.setattr(script, 'ROOT', workspace.root)
    monkeypatch.setattr(script.first_use, 'set_up', lambda *_: done.append('set up'))
    monkeypatch.setattr(script.first_use, 'report', lambda workspace: done.append('report'))
    monkeypatch.setattr(script.os, 'execve', lambda program, words, env: done.append(words[4:]))

    def start(*words):
        done.clear()
        script.main([*words])
        return list(done)

    return start

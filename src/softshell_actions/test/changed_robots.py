"""Shipped robots with some text of their files replaced, and what is then wrong with them."""

import shutil
from pathlib import Path

import pytest

from softshell_actions.robot import body_of
from softshell_description.load import load_robot
from softshell_description.robots import robot_folder
from softshell_kinematics.errors import ProblemsError

Change = tuple[str, str, str]
STRIDE, WALK = 'actions/stride.yaml', 'actions/walk.yaml'


def changed(tmp_path: Path, robot: str, *changes: Change) -> Path:
    """A copy of a shipped robot's folder with some text of its files replaced."""
    folder = tmp_path / robot
    shutil.copytree(robot_folder(robot), folder)
    for name, old, new in changes:
        file = folder / name
        text = file.read_text(encoding='utf-8')
        assert old in text, (name, old)
        file.write_text(text.replace(old, new, 1), encoding='utf-8')
    return folder


def problems_of(tmp_path: Path, robot: str, *changes: Change) -> tuple[str, ...]:
    """What is wrong with the actions and gaits of a changed robot, and with its commands."""
    folder = changed(tmp_path, robot, *changes)
    body = body_of(load_robot(folder))
    with pytest.raises(ProblemsError) as caught:
        body.library()
    assert caught.value.subject == str(folder)
    return caught.value.problems


def at_line_of(tmp_path: Path, robot: str, file: str, text: str, problem: str) -> str:
    """A problem as it is listed, where it is at the first line of a file that holds a text."""
    lines = (tmp_path / robot / file).read_text(encoding='utf-8').splitlines()
    line = next(number for number, content in enumerate(lines, 1) if text in content)
    return f'{file}: line {line}: {problem}'

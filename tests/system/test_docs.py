"""What the pages of docs/ show is what the code takes."""

import re
from pathlib import Path

import numpy as np
import pytest
import yaml

from softshell_actions.library import ActionLibrary
from softshell_actions.robot import body_of
from softshell_control.backend import Backend
from softshell_description.load import load_robot

ROOT = Path(__file__).parents[2]


def blocks(page: str, language: str) -> list[str]:
    """Code blocks of a page, without their indentation."""
    text = (ROOT / 'docs' / page).read_text(encoding='utf-8')
    found = re.findall(rf'^( *)```{language}\n(.*?)^ *```', text, re.DOTALL | re.MULTILINE)
    return [re.sub(rf'^{indent}', '', block, flags=re.MULTILINE) for indent, block in found]


def test_the_robot_of_the_page_is_the_arm(tmp_path):
    """The robot.yaml that is shown loads, and is the arm that ships."""
    (text,) = blocks('add-a-robot.md', 'yaml')
    (tmp_path / 'robot.yaml').write_text(text, encoding='utf-8')
    shown, shipped = load_robot(tmp_path), load_robot('arm')
    for name in ('description', 'base', 'joints', 'groups', 'chains', 'poses', 'start'):
        assert getattr(shown, name) == getattr(shipped, name), name


def test_the_action_and_the_gait_of_the_page_are_valid(tmp_path):
    """`bow` is an action of Shell's; `crawl` is the quadruped's."""
    action, gait = blocks('add-an-action.md', 'yaml')
    shell = load_robot('shell')
    for kind in ('actions', 'gaits'):
        (tmp_path / kind).mkdir()
        for path in shell.folder.glob(f'{kind}/*.yaml'):
            (tmp_path / kind / path.name).write_text(path.read_text(encoding='utf-8'))
    (tmp_path / 'actions' / 'bow.yaml').write_text(action, encoding='utf-8')
    library = ActionLibrary(tmp_path, body_of(shell).vocabulary)
    assert [call.name for call in library.call('bow', {'depth': 0.1})] == ['down', 'up']
    crawl = load_robot('quadruped').folder / 'gaits' / 'crawl.yaml'
    shown, shipped = yaml.safe_load(gait), yaml.safe_load(crawl.read_text(encoding='utf-8'))
    assert {**shown, 'description': ''} == {**shipped, 'description': ''}


def test_the_bridge_of_the_page_has_what_a_backend_needs():
    """The methods that are shown are those that a backend has to have, and no others."""
    shown = re.findall(r'def (\w+)\(self\b', blocks('add-a-bridge.md', 'python')[0])
    assert set(shown) == Backend.__abstractmethods__


@pytest.mark.parametrize('page', [path.name for path in (ROOT / 'docs').glob('*.md')])
def test_files_and_pages_that_are_named_exist(page):
    """Every link, and every path below src, config, docs, tests and tools, leads somewhere."""
    text = (ROOT / 'docs' / page).read_text(encoding='utf-8')
    for link in re.findall(r'\]\((?!http)([^)#]+)', text):
        assert (ROOT / 'docs' / link).exists(), link
    for path in re.findall(r'`((?:src|config|docs|tests|tools|urdf)/[\w./]*)`', text):
        assert (ROOT / path).exists() or path.endswith('/'), path
    for path in re.findall(r'`(softshell_\w+/[\w/]+\.py)`', text):
        package, rest = path.split('/', 1)
        assert (ROOT / 'src' / package / package / rest).exists(), path


def test_the_numbers_of_shell_are_those_of_its_description():
    """Masses, ranges, motors, gains and heights on the page are those of the robot."""
    page = (ROOT / 'docs' / 'shell.md').read_text(encoding='utf-8').replace('−', '-')
    robot = load_robot('shell')
    total = 0.0
    for link, count, mass, centre in re.findall(
        r'^\| [\w ]+ \| `([\w{}]+)` \| (\d) \| ([\d.]+) \| ([-\d., ]+) \|', page, re.MULTILINE
    ):
        urdf_link = robot.urdf.link(link.replace('{k}', '0'))
        total += int(count) * float(mass)
        assert urdf_link.mass == float(mass)
        # In the page's frame or, of a pitching part, turned a quarter about x.
        x, y, z = (float(number) / 1000.0 for number in centre.split(','))
        assert any(np.allclose(urdf_link.com, point) for point in ((x, y, z), (x, z, -y)))
    assert total == pytest.approx(robot.urdf.mass) == pytest.approx(3.497)
    for name in ('stand', 'idle', 'ball'):
        (height,) = re.findall(rf'^\| `{name}` \| ([\d.]+) \|', page, re.MULTILINE)
        assert robot.rest_heights[name] == float(height)
    for row, gain in (('kp, N m/rad', 'kp'), ('kd, N m s/rad', 'kd')):
        (cells,) = re.findall(rf'^\| {row} \| (.*?) \| (.*?) \| (.*?) \|', page, re.MULTILINE)
        assert [getattr(robot.groups[g].gains, gain) for g in ('fold', 'lower', 'upper')] == [
            float(cell) for cell in cells
        ]
    tips = re.findall(r'at \((-?[\d.]+), (-?[\d.]+), (-?[\d.]+)\)', page)
    assert len(tips) == 2

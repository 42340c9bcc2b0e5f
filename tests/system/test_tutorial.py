"""The tutorial is followed: its files are written, and its commands run, as they stand there."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from softshell_bringup.domain import free_domain
from softshell_tools import cli

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / 'docs' / 'tutorial.md').read_text(encoding='utf-8')
FILES = re.findall(r'```yaml\n# (mine/\S+)\n(.*?)```', PAGE, re.DOTALL)
COMMANDS = [
    line.removeprefix('./softshell ')
    for block in re.findall(r'```bash\n(.*?)```', PAGE, re.DOTALL)
    for line in block.splitlines()
]
#: Those of the README, which test_commands.py and test_readme.py run, or that wait for a person.
ELSEWHERE = (
    'demo', 'up', 'teleop', 'action walk distance:=0.3', 'action turn angle:=1.57',
    'demo robot:=examples/my_robot_pkg/robots/ant --output out/ant',
)  # fmt: skip


@pytest.fixture(scope='module')
def folder(tmp_path_factory) -> Path:
    """A folder with the files of the tutorial, and what it finds in that of softshell."""
    folder: Path = tmp_path_factory.mktemp('tutorial')
    for name in ('config', 'examples'):
        (folder / name).symlink_to(ROOT / name)
    for name, text in FILES:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding='utf-8')
    return folder


def run(folder: Path, words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, '-m', 'softshell_tools.cli', *shlex.split(words)],
        cwd=folder,
        env=os.environ | {'ROS_DOMAIN_ID': str(free_domain())},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def test_every_command_is_one_and_those_that_are_not_run_here_are_shown():
    """Commands of the page are commands of ./softshell."""
    known = {command.name or command.callback.__name__ for command in cli.app.registered_commands}
    assert {words.split()[0] for words in COMMANDS} <= known
    assert {*ELSEWHERE} <= {*COMMANDS}
    assert len(FILES) == 5


QUICK = [words for words in COMMANDS if words.startswith('action --')]
SLOW = [words for words in COMMANDS if words not in (*QUICK, *ELSEWHERE)]


@pytest.mark.parametrize(
    'words',
    [
        pytest.param(words, marks=pytest.mark.long) if words.endswith('.gif') else words
        for words in dict.fromkeys(QUICK)
    ],
)
def test_what_is_written_is_right_and_is_drawn(folder, words):
    """Actions and gaits are checked and previewed without a complaint."""
    done = run(folder, words)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_mistake_is_told_with_its_line(folder):
    """As the page says: try it with `widht`."""
    path = folder / 'mine' / 'dancer' / 'actions' / 'sway.yaml'
    text = path.read_text(encoding='utf-8')
    path.write_text(text.replace('{y: width,', '{y: widht,'), encoding='utf-8')
    done = run(folder, 'action --check mine/dancer')
    path.write_text(text, encoding='utf-8')
    assert done.returncode == 1
    assert 'line' in done.stdout + done.stderr
    assert 'did you mean width' in done.stdout + done.stderr


@pytest.mark.long
def test_the_rest_is_done_in_order(folder):
    """The robot of the page sways, the study is made and the policy is learnt."""
    for words in SLOW:
        done = run(folder, words)
        assert done.returncode == 0, words + '\n' + done.stdout + done.stderr
    for name in ('out/dancer/demo.mp4', 'out/steps/report.html', 'mine/reach.npz'):
        assert (folder / name).is_file()


def test_every_page_is_in_the_index():
    """Whoever begins there finds all."""
    index = (ROOT / 'docs' / 'README.md').read_text(encoding='utf-8')
    links = {link.partition('#')[0] for link in re.findall(r'\]\((.*?)\)', index)}
    pages = {str(path.relative_to(ROOT / 'docs')) for path in (ROOT / 'docs').rglob('*.md')}
    assert pages - {'README.md'} <= links

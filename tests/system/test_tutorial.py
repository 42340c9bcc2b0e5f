"""The tutorial is followed: its files are written, and its commands run, as they stand there."""

import re
from pathlib import Path

import pytest
from commands_rig import ELSEWHERE, KINDS, finished, on, started
from shown_commands import commands, commands_in

from softshell_bringup.domain import free_domain

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / 'docs' / 'tutorial.md').read_text(encoding='utf-8')
FILES = re.findall(r'```(?:yaml|xml)\n(?:#|<!--) (mine/\S+)(?: -->)?\n(.*?)```', PAGE, re.DOTALL)
#: In blocks and in sentences, in their order.
COMMANDS = [*dict.fromkeys(commands_in(PAGE))]
#: A stack with the robot of the page.
UP = 'up robot:=mine/dancer'
#: And one with the policy of the page, and what begins it there.
WITH_POLICY, START = 'up policy:=mine/walk.npz', 'call policy/start'


def is_run_elsewhere(words: str) -> bool:
    """Whether it is on another page as well, and test_commands.py runs it, whatever its folder."""
    alike = {words, re.sub(r'^(demo .*) --output \S+$', r'\1', words)}
    run = {*commands()} - {*ELSEWHERE}
    return words.split()[0] in KINDS and not alike.isdisjoint(run)


HERE = [words for words in COMMANDS if not is_run_elsewhere(words)]
QUICK = [words for words in HERE if words.startswith('action --')]
ON_THE_STACK = [words for words in HERE if words.startswith('action ') and words not in QUICK]
SLOW = [words for words in HERE if words not in (*QUICK, *ON_THE_STACK, UP, WITH_POLICY, START)]


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


def run(folder: Path, words: str):
    """A command that has ended, in the folder of the tutorial."""
    return finished(words, folder, free_domain(), 300)


def test_all_files_and_commands_are_found():
    """Also those in sentences; what only the tutorial has is run here."""
    assert len(FILES) == 7
    assert {UP, WITH_POLICY, START} <= {*HERE}
    assert not [words for words in SLOW if words.startswith('up')]
    assert 'action walk gait:=pairs' in ON_THE_STACK
    assert {'demo', 'up', 'teleop', 'action'} <= {*COMMANDS} - {*HERE}


@pytest.mark.parametrize(
    'words',
    [
        pytest.param(words, marks=pytest.mark.long) if words.endswith('.gif') else words
        for words in QUICK
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
    """The robots sway and walk, the study is made, and policies are learnt, one for the stack."""
    for words in SLOW:
        done = run(folder, words)
        assert done.returncode == 0, words + '\n' + done.stdout + done.stderr
    for name in (
        'out/dancer/demo.mp4',
        'out/beetle/demo.mp4',
        'out/steps/report.html',
        'mine/reach.npz',
    ):
        assert (folder / name).is_file()
    domain = free_domain()
    with started(WITH_POLICY, folder, on(domain), 'ready: robot'):
        for words in ('action stand', START):
            done = finished(words, folder, domain)
            assert done.returncode == 0, words + '\n' + done.stdout + done.stderr


@pytest.mark.long
def test_the_robot_of_the_page_walks_and_turns_on_the_stack(family, folder):
    """With its own gait as well."""
    domain = free_domain()
    with started(UP, folder, on(domain), 'ready: robot'):
        for words in ON_THE_STACK:
            done = finished(words, folder, domain)
            assert done.returncode == 0, words + '\n' + done.stdout + done.stderr


def test_every_page_is_in_the_index():
    """Whoever begins there finds all."""
    index = (ROOT / 'docs' / 'README.md').read_text(encoding='utf-8')
    links = {link.partition('#')[0] for link in re.findall(r'\]\((.*?)\)', index)}
    pages = {str(path.relative_to(ROOT / 'docs')) for path in (ROOT / 'docs').rglob('*.md')}
    assert pages - {'README.md'} <= links

"""A xacro is expanded once, until something changes that its text is made of."""

import json
import os
import time

import pytest

from softshell_description import expansion_files, expansions, sources
from softshell_description.expansion_files import ExpansionFiles
from softshell_description.expansions import Expansions

ROBOT = """<robot xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:include filename="part.xacro"/>
  <xacro:property name="sizes" value="${xacro.load_yaml('sizes.yaml')}"/>
  <link name="${name}_${sizes['length']}_$(optenv SOFTSHELL_TEST_WORD none)"/>
</robot>"""
PART = """<robot xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:property name="name" value="arm"/>
</robot>"""


@pytest.fixture
def robot(tmp_path, monkeypatch):
    """A xacro of three files that have not been changed for a while."""
    monkeypatch.delenv('SOFTSHELL_TEST_WORD', raising=False)
    for name, text in (
        ('robot.urdf.xacro', ROBOT),
        ('part.xacro', PART),
        ('sizes.yaml', 'length: 1'),
    ):
        (tmp_path / name).write_text(text, encoding='utf-8')
    _age(tmp_path)
    return tmp_path / 'robot.urdf.xacro'


@pytest.fixture
def files(tmp_path_factory):
    """A folder in which processes share texts."""
    return tmp_path_factory.mktemp('cache')


class Shared:
    """A process for each text, with a folder that they share."""

    def __init__(self, folder):
        self.folder = folder

    def text(self, path):
        return Expansions(ExpansionFiles(lambda: self.folder)).text(path)


@pytest.fixture(params=['one process', 'many processes'])
def texts(request, files):
    return Expansions() if request.param == 'one process' else Shared(files)


def _age(folder):
    """Let all files and their folder be an hour old."""
    for path in (*folder.iterdir(), folder):
        os.utime(path, (time.time() - 3600, time.time() - 3600))


@pytest.fixture
def expanded(monkeypatch):
    """How often xacro was asked."""
    calls = []
    real = expansions.xacro.process_file
    monkeypatch.setattr(
        expansions.xacro, 'process_file', lambda path: calls.append(path) or real(path)
    )
    return calls


def test_what_has_not_changed_is_expanded_once(robot, expanded, texts):
    """The second time, its text is the one from before."""
    first = texts.text(robot)
    assert '"arm_1_none"' in first
    assert texts.text(robot) == first
    assert len(expanded) == 1


@pytest.mark.parametrize(
    ('name', 'old', 'new', 'link'),
    [
        ('robot.urdf.xacro', '<link name="', '<link name="my_', 'my_arm_1_none'),
        ('part.xacro', '"arm"', '"leg"', 'leg_1_none'),
        ('sizes.yaml', '1', '2', 'arm_2_none'),
    ],
)
def test_a_change_of_any_file_is_seen(robot, texts, name, old, new, link):
    """Of what it includes, and of what it reads, too; also of the same length."""
    texts.text(robot)
    path = robot.with_name(name)
    path.write_text(path.read_text(encoding='utf-8').replace(old, new), encoding='utf-8')
    assert f'"{link}"' in texts.text(robot)


@pytest.mark.parametrize('variable', ['SOFTSHELL_TEST_WORD', "${'SOFTSHELL_TEST_' + 'WORD'}"])
def test_a_change_of_the_environment_is_seen(robot, texts, monkeypatch, variable):
    """A xacro may read it, also by a name that it computes."""
    robot.write_text(ROBOT.replace('SOFTSHELL_TEST_WORD', variable), encoding='utf-8')
    _age(robot.parent)
    assert '"arm_1_none"' in texts.text(robot)
    monkeypatch.setenv('SOFTSHELL_TEST_WORD', 'word')
    assert '"arm_1_word"' in texts.text(robot)


def test_other_variables_of_the_environment_do_not_matter(robot, texts, expanded, monkeypatch):
    """Programs set some all the time."""
    texts.text(robot)
    monkeypatch.setenv('SOFTSHELL_TEST_OTHER', 'word')
    texts.text(robot)
    assert len(expanded) == 1


def test_a_file_that_is_gone_is_missed(robot, texts):
    """Also after a good start."""
    texts.text(robot)
    robot.with_name('part.xacro').unlink()
    with pytest.raises(Exception, match=r'part\.xacro'):
        texts.text(robot)


def test_a_file_that_has_just_changed_is_read_again(robot, texts, expanded, monkeypatch):
    """Its next change may come within the resolution of the file system's clock."""
    monkeypatch.setattr(sources, 'TICK', 60.0)
    robot.touch()
    for _ in range(2):
        texts.text(robot)
    assert len(expanded) == 2


def test_few_texts_are_kept(robot, expanded, monkeypatch):
    """A process that loads thousands of robots does not fill the memory."""
    monkeypatch.setattr(expansions, 'MOST', 1)
    other = robot.with_name('other.urdf.xacro')
    other.write_text(ROBOT, encoding='utf-8')
    _age(robot.parent)
    texts = Expansions()
    for path in (robot, other, other, robot):
        texts.text(path)
    assert len(expanded) == 3


@pytest.mark.parametrize(
    'damage',
    [
        lambda text: text[: len(text) // 2],
        lambda _: '[]',
        lambda _: '{}',
        lambda text: json.dumps({**json.loads(text), 'text': 1}),
        lambda text: json.dumps({**json.loads(text), 'sources': {'files': 1}}),
        lambda text: json.dumps({**json.loads(text), 'digest': ''}),
    ],
)
def test_a_damaged_file_is_as_none(robot, files, expanded, damage):
    """It is written again."""
    texts = Shared(files)
    first = texts.text(robot)
    (file,) = files.iterdir()
    file.write_text(damage(file.read_text()))
    for _ in range(2):
        assert texts.text(robot) == first
    assert len(expanded) == 2


def test_contents_count_and_not_times_alone(robot, files, expanded):
    """Another file system may give files the same numbers and times."""
    texts = Shared(files)
    texts.text(robot)
    (file,) = files.iterdir()
    kept = json.loads(file.read_text())
    part = robot.with_name('part.xacro')
    part.write_text(PART.replace('arm', 'leg'), encoding='utf-8')
    _age(robot.parent)
    sources = expansion_files.Sources.of_plain(kept['sources']).now()
    file.write_text(json.dumps({**kept, 'sources': sources.plain()}))
    assert '"leg_1_none"' in texts.text(robot)


def test_where_nothing_can_be_written_it_is_made_each_time(robot, tmp_path, expanded):
    """A folder that is a file is as good as a full disk."""
    (tmp_path / 'file').touch()
    _age(tmp_path)
    texts = Shared(tmp_path / 'file' / 'cache')
    assert texts.text(robot) == texts.text(robot)
    assert len(expanded) == 2


def test_files_that_were_not_used_for_longest_go(robot, files, monkeypatch):
    monkeypatch.setattr(expansion_files, 'MOST_FILES', 4)
    (files / '.xacro-1-of-a-killed-process').touch()
    os.utime(files / '.xacro-1-of-a-killed-process', (0, 0))
    texts = Shared(files)
    for number in range(6):
        before = {*files.glob('x*')}
        other = robot.with_name(f'{number}.urdf.xacro')
        other.write_text(ROBOT, encoding='utf-8')
        _age(robot.parent)
        texts.text(other)
        (made,) = {*files.glob('x*')} - before
        os.utime(made, (number, number))
    left = sorted(file.stat().st_mtime for file in files.iterdir())
    assert left == [2.0, 3.0, 4.0, 5.0]


@pytest.mark.parametrize(
    'more',
    [
        '<link name="$(cwd)"/>',
        '<xacro:include filename="parts/*.xacro"/>',
        '<xacro:property name="p" value="parts/*.xacro"/><xacro:include filename="${p}"/>',
        '<xacro:arg name="p" default="parts/*.xacro"/><xacro:include filename="$(arg p)"/>',
        '<xacro:include filename="none.xacro" optional="true"/>',
    ],
)
def test_what_depends_on_more_than_files_is_not_kept(robot, texts, expanded, more):
    """On the working directory, or on what may match a pattern or be there one day."""
    robot.write_text(ROBOT.replace('</robot>', f'{more}</robot>'), encoding='utf-8')
    _age(robot.parent)
    for _ in range(2):
        texts.text(robot)
    assert len(expanded) == 2


def test_a_package_that_is_built_is_looked_for(robot, texts, expanded, tmp_path, monkeypatch):
    """Into a prefix that is known already: what `$(find` finds may be another."""
    index = tmp_path / 'prefix' / 'share/ament_index/resource_index/packages'
    index.mkdir(parents=True)
    _age(index)
    os.utime(index, (time.time() - 3600, time.time() - 3600))
    monkeypatch.setenv('AMENT_PREFIX_PATH', str(tmp_path / 'prefix'))
    _age(tmp_path)
    for _ in range(2):
        texts.text(robot)
    assert len(expanded) == 1
    (index / 'new_package').touch()
    texts.text(robot)
    assert len(expanded) == 2


def test_a_folder_of_another_user_is_not_trusted(robot, files, expanded, monkeypatch):
    """In a temporary folder, where there is no home."""
    texts = Shared(files)
    texts.text(robot)
    monkeypatch.setattr(expansion_files.os, 'getuid', lambda: files.stat().st_uid + 1)
    texts.text(robot)
    assert len(expanded) == 2

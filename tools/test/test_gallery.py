"""The gallery: loops and pictures small enough for a README, of the files that commands write."""

import re
import shlex
import subprocess
import sys
from contextlib import nullcontext
from io import BytesIO
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

from softshell_common.onlooker import NODE, SAYS
from softshell_kinematics.errors import SoftshellError, UnknownNameError
from softshell_recording.pictures import VIDEO
from softshell_sim.pictures.render import Camera
from softshell_sim.pictures.video import write_video
from softshell_studies.outcome import Outcome
from softshell_studies.soft import examples
from softshell_tools import cli, gallery_command
from softshell_tools.gallery import page
from softshell_tools.gallery.block import file_of
from softshell_tools.gallery.exhibits import EXHIBITS, PAGE
from softshell_tools.gallery.loops import RATE, WIDTH, save_loop

ROOT = Path(__file__).resolve().parents[2]
#: Largest files [B], for a README that opens in a second or two.
LOOP_SIZE, PICTURE_SIZE = 300e3, 200e3
FRAMES, FRAME_RATE = 50, 25.0
COMMAND_VIDEOS = [exhibit for exhibit in EXHIBITS if exhibit.command.startswith('soft ')]


def video(path):
    """A video of two seconds, which turns from black to white."""
    pictures = (np.full((48, 64, 3), 255 * k // FRAMES, np.uint8) for k in range(FRAMES))
    write_video(pictures, FRAMES, Camera(64, 48), path, FRAME_RATE)
    return path


def test_a_part_of_a_video_becomes_a_loop(tmp_path):
    """It has the width of a cell, its length by its speed, goes on without end, and is small."""
    path = tmp_path / 'loop.webp'
    save_loop(video(tmp_path / 'video.mp4'), path, begin=0.5, seconds=1.0, speed=2.0)
    with Image.open(path) as loop:
        assert loop.size == (WIDTH, WIDTH * 48 // 64)
        assert loop.n_frames == pytest.approx(RATE * 1.0 / 2.0, abs=1)
        assert loop.info['loop'] == 0
        grey = np.asarray(loop.convert('L')).mean()
    assert grey == pytest.approx(127, abs=12)  # half of the way from black to white
    assert path.stat().st_size < LOOP_SIZE
    assert {each.name for each in tmp_path.iterdir()} == {'loop.webp', 'video.mp4'}


def test_without_a_video_or_a_picture_nothing_is_written(tmp_path):
    """The error names the video; a loop that was there stays as it was."""
    path = tmp_path / 'loop.webp'
    with pytest.raises(SoftshellError, match=r'none\.mp4: no such video'):
        save_loop(tmp_path / 'none.mp4', path, 0.0, 1.0, 1.0)
    path.write_bytes(b'before')
    with pytest.raises(SoftshellError, match='has no pictures after 2 of its length'):
        save_loop(video(tmp_path / 'video.mp4'), path, 2.0, 1.0, 1.0)
    assert path.read_bytes() == b'before'


def test_pictures_are_chosen_by_their_names():
    """Without names all; an unknown one is told with those that there are."""
    assert gallery_command.exhibits([]) == [*EXHIBITS, PAGE]
    assert [each.name for each in gallery_command.exhibits(['snake', 'walk'])] == ['snake', 'walk']
    with pytest.raises(UnknownNameError, match=r'wlk.*walk'):
        gallery_command.exhibits(['wlk'])


@pytest.mark.parametrize('exhibit', [*EXHIBITS, PAGE], ids=lambda exhibit: exhibit.name)
def test_each_picture_is_there_and_small(exhibit):
    """Loops move, and go on without end."""
    path = ROOT / file_of(exhibit)
    with Image.open(path) as picture:
        if exhibit is PAGE:
            assert picture.size == (page.WIDTH, page.HEIGHT)
        else:
            assert picture.width == WIDTH
            assert picture.n_frames > RATE
            assert picture.info['loop'] == 0
            first = picture.convert('RGB').tobytes()
            picture.seek(picture.n_frames // 2)
            assert picture.convert('RGB').tobytes() != first
    assert path.stat().st_size < (PICTURE_SIZE if exhibit is PAGE else LOOP_SIZE)


@pytest.mark.parametrize('exhibit', COMMAND_VIDEOS, ids=lambda exhibit: exhibit.name)
def test_the_video_of_an_experiment_is_the_file_that_its_command_writes(
    monkeypatch, tmp_path, exhibit
):
    """Of the engine that is the default; the experiment itself is one black picture here."""

    def run(engine, film):
        film.take(lambda: np.zeros((48, 64, 3), np.uint8), 0.0)
        return Outcome([])

    monkeypatch.setattr(examples.Example, 'run', property(lambda self: run))
    monkeypatch.setattr('softshell_tools.installation.set_up', lambda names: None)
    words = [*shlex.split(exhibit.command), '--output', str(tmp_path)]
    result = CliRunner().invoke(cli.app, words)
    assert result.exit_code == 0, result.output
    assert (tmp_path / exhibit.video).is_file()


def test_the_video_of_a_demo_is_the_one_that_demos_write():
    """All other exhibits are demos."""
    demos = [exhibit for exhibit in EXHIBITS if exhibit not in COMMAND_VIDEOS]
    assert {exhibit.command.split()[0] for exhibit in demos} == {'demo'}
    assert {exhibit.video for exhibit in demos} == {VIDEO}


def test_a_picture_is_made_by_its_command(monkeypatch, tmp_path):
    """In a folder of its own; the loop is where the README shows it."""
    exhibit, done = EXHIBITS[0], []

    def command(words, **options):
        done.append(words[4:])
        folder = Path(words[-1])
        folder.mkdir(parents=True)
        video(folder / exhibit.video)
        return subprocess.CompletedProcess(words, 0)

    monkeypatch.setattr(gallery_command, 'ROOT', tmp_path)
    monkeypatch.setattr(gallery_command, 'subprocess', SimpleNamespace(run=command))
    (tmp_path / 'docs').mkdir()
    gallery_command.make(exhibit)
    output = str(tmp_path / 'out' / 'gallery' / exhibit.name)
    assert done == [[*exhibit.command.split(), '--output', output]]
    assert (tmp_path / file_of(exhibit)).is_file()


def test_a_command_that_fails_is_told(monkeypatch):
    """With what it said."""
    failed = subprocess.CompletedProcess([], 1, '', 'no')
    monkeypatch.setattr(
        gallery_command, 'subprocess', SimpleNamespace(run=lambda words, **options: failed)
    )
    with pytest.raises(SoftshellError, match=re.escape('./softshell demo failed:\nno')):
        gallery_command.make(EXHIBITS[0])


class Browser:
    """Notes what is asked of a browser, of its page and of the page's keyboard, in order."""

    def __init__(self):
        self.asked = []

    def __getattr__(self, name):
        def ask(*given, **options):
            self.asked.append((name, *given))
            return self

        return ask

    @property
    def keyboard(self):
        return self

    chromium = keyboard

    def screenshot(self, **options):
        """Noise of all colours, as an RGB picture of the page's size."""
        self.asked.append(('screenshot',))
        noise = np.random.default_rng(0).integers(0, 256, (page.HEIGHT, page.WIDTH, 3), np.uint8)
        content = BytesIO()
        Image.fromarray(noise).save(content, 'PNG')
        return content.getvalue()


@pytest.fixture
def browser(monkeypatch):
    """A browser that shows noise, and a page that there is at once."""
    browser = Browser()
    module = ModuleType('playwright.sync_api')
    module.Error = ConnectionError
    module.sync_playwright = lambda: nullcontext(browser)
    monkeypatch.setitem(sys.modules, 'playwright', ModuleType('playwright'))
    monkeypatch.setitem(sys.modules, 'playwright.sync_api', module)
    monkeypatch.setattr(page, 'installed_browser', lambda: 'chromium')
    return browser


@pytest.fixture
def stacks(monkeypatch):
    """The arguments of the stacks that were started; each tells the address of its page."""
    stacks = []

    class Stack:
        def __init__(self, arguments, domain, output):
            stacks.append(arguments)
            output(NODE, f'[INFO]: {SAYS}http://here/')

        def __enter__(self):
            return self

        def __exit__(self, *error):
            stacks.append('ended')

        def wait_ready(self):
            """It is at once."""

    monkeypatch.setattr('softshell_bringup.runner.Stack', Stack)
    return stacks


@pytest.mark.long
def test_the_still_picture_is_taken_while_the_robot_walks(monkeypatch, tmp_path, browser, stacks):
    """Of the page that the stack of its command has, with a key down; in few colours."""
    monkeypatch.setattr(gallery_command, 'ROOT', tmp_path)
    (tmp_path / 'docs').mkdir()
    gallery_command.make_page()
    given = dict(word.split(':=') for word in PAGE.command.split()[1:])
    assert stacks == [{'bridge': 'sim', **given}, 'ended']
    order = [('goto', 'http://here/'), ('down', 'w'), ('screenshot',), ('up', 'w'), ('close',)]
    assert [each for each in browser.asked if each in order] == order
    with Image.open(tmp_path / file_of(PAGE)) as picture:
        assert picture.size == (page.WIDTH, page.HEIGHT)
        assert len(picture.getcolors()) <= page.COLOURS
    assert [*(tmp_path / 'docs').iterdir()] == [tmp_path / file_of(PAGE)]


def test_without_a_browser_or_its_page_it_is_one_error(monkeypatch, tmp_path, browser, stacks):
    """And all that was started has ended."""

    def fail(*given):
        raise page_error

    page_error = ConnectionError()
    page_error.message = 'no answer'
    browser.goto = fail
    with pytest.raises(SoftshellError, match=r'^http://here/: no answer$'):
        page.save_page(['gui:=web'], tmp_path / 'page.png')
    assert browser.asked[-1] == ('close',)
    assert stacks[-1] == 'ended'
    monkeypatch.setattr(page, 'installed_browser', lambda: None)
    with pytest.raises(SoftshellError, match='apt install chromium'):
        page.save_page(['gui:=web'], tmp_path / 'page.png')
    assert not [*tmp_path.iterdir()]

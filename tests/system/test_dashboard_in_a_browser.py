"""The page in a real browser: it shows the robot, drives it by keys, and stops it when it goes.

Chromium draws by its software renderer; a mock moves, so that the machine has time for both.
Pictures are left in out/dashboard/.
"""

import contextlib
import io
import os
import signal
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from waiting import page_of, until

from softshell_tools.gallery.page import FLAGS as IN_SOFTWARE
from softshell_tools.surroundings import installed_browser

OUT = Path(__file__).parents[2] / 'out' / 'dashboard'
CHROMIUM = installed_browser() or ''
#: Frames of other sites have processes of their own, as in browsers that people use.
FLAGS = [*IN_SOFTWARE, '--site-per-process']
PATIENCE = 60_000  # [ms] a safety net, no measure of anything
WHILE = 8000  # [ms] a robot whose key no longer counts has ended its walk, which takes 4 s

pytestmark = [
    pytest.mark.long,
    pytest.mark.needs('web', 'browser'),
    pytest.mark.skipif(not CHROMIUM, reason='no Chromium here: apt install chromium'),
]


@pytest.fixture(scope='module')
def address():
    """The address of the page of a mock."""
    with page_of(bridge='mock') as address:
        yield address


@pytest.fixture
def browser():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield started
        started.close()


def opened(browser, address, script=''):
    """A page that ran a script and has heard from the robot, and what it complained about."""
    page = browser.new_page(viewport={'width': 1280, 'height': 800})
    page.add_init_script(script)
    problems = []
    page.on('pageerror', lambda error: problems.append(str(error)))
    page.goto(address)
    page.wait_for_function("document.querySelectorAll('#action option').length > 5")
    return page, problems


def wait_for_state(page, wanted):
    page.wait_for_function(
        "wanted => document.getElementById('health').textContent.includes(wanted)",
        arg=wanted, timeout=PATIENCE,
    )  # fmt: skip


def picture(page, name):
    """(height, width, 3) of the scene, also left in a file."""
    OUT.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=OUT / f'{name}.png')
    box = page.locator('#scene').bounding_box()
    content = page.screenshot(clip=box)
    return np.asarray(Image.open(io.BytesIO(content)).convert('RGB'), dtype=float)


def changed(before, after):
    """Whether a picture differs from another by more than noise."""
    return (np.abs(after - before).max(axis=2) > 40).mean() > 0.002


def still_picture(page, name):
    """A picture of the robot, once all of it is there and stands still."""
    taken = [picture(page, name)]

    def is_still():
        taken.append(picture(page, name))
        robot = (taken[-1].mean(axis=2) < 120).mean() > 0.002
        return robot and not changed(*taken[-2:])

    until(is_still, 'a robot, which is dark, standing still', pause=1.0)
    return taken[-1]


def kill_browsers():
    """End the browsers of these tests as a crash does."""
    for entry in Path('/proc').iterdir():
        with contextlib.suppress(OSError):
            words = (entry / 'cmdline').read_bytes().split(b'\0') if entry.name.isdecimal() else []
            if b'--site-per-process' in words:
                os.kill(int(entry.name), signal.SIGKILL)


def test_the_robot_is_seen_and_moves_by_a_key(browser, address):
    page, problems = opened(browser, address)
    page.wait_for_timeout(6000)  # the scene fades in
    before = still_picture(page, 'before')
    page.keyboard.down('w')
    wait_for_state(page, 'executing')
    page.wait_for_timeout(WHILE)
    wait_for_state(page, 'executing')
    until(lambda: changed(before, picture(page, 'walking')), 'seen to move')
    page.keyboard.up('w')
    wait_for_state(page, 'holding')
    assert not problems


def test_a_held_key_walks_on_in_a_page_whose_clocks_come_last(browser, address):
    """A browser that is busy with drawing lets them wait for seconds, but not its messages."""
    page, _ = opened(browser, address, script='window.setInterval = () => 0')
    page.keyboard.down('w')
    wait_for_state(page, 'executing')
    page.wait_for_timeout(WHILE)
    assert 'executing' in page.inner_text('#health')
    page.keyboard.up('w')
    wait_for_state(page, 'holding')


def test_leaving_the_window_stops(browser, address):
    """Also while the key is still down."""
    page, _ = opened(browser, address)
    page.keyboard.down('w')
    wait_for_state(page, 'executing')
    page.evaluate("window.dispatchEvent(new Event('pagehide'))")
    wait_for_state(page, 'holding')
    assert page.locator('kbd.down').count() == 0


def test_a_second_page_watches_until_it_takes_over(browser, address):
    first, _ = opened(browser, address)
    second, _ = opened(browser, address)
    second.wait_for_function("document.getElementById('seat').textContent.includes('you watch')")
    second.keyboard.press('t')
    second.wait_for_function("document.getElementById('log').textContent.includes('take over')")
    second.evaluate("document.getElementById('take').click()")
    second.wait_for_function("document.getElementById('seat').textContent === 'you drive'")
    first.wait_for_function("document.getElementById('seat').textContent.includes('you watch')")


def test_a_click_stops_the_robot_and_another_recovers_it(browser, address):
    page, _ = opened(browser, address)
    page.evaluate("document.getElementById('stop').click()")
    wait_for_state(page, 'emergency stop')
    for wanted in ('inactive', 'holding'):
        page.evaluate("document.getElementById('recover').click()")
        wait_for_state(page, wanted)
    picture(page, 'recovered')


def test_an_action_with_a_parameter_is_done(browser, address):
    """Once that is a number; what is none does not begin it with the default."""
    page, _ = opened(browser, address)
    page.select_option('#action', 'walk')
    page.type('#parameters input[name=distance]', '1e')  # not yet a number
    page.evaluate("document.getElementById('perform').click()")
    page.fill('#parameters input[name=distance]', '0.1')
    page.evaluate("document.getElementById('perform').click()")
    page.wait_for_function(
        "document.getElementById('log').textContent.includes('walk: done')", timeout=PATIENCE
    )
    assert page.inner_text('#log').count('asked: walk') == 1
    picture(page, 'walked')


def test_a_browser_that_dies_stops_the_robot(address):
    """Killed in the middle of a walk, with the key down."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        dying = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page, _ = opened(dying, address)
        page.keyboard.down('w')
        wait_for_state(page, 'executing')
        kill_browsers()
        watching = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        other, _ = opened(watching, address)
        wait_for_state(other, 'holding')
        assert 'nobody drives' in other.inner_text('#log')
        watching.close()

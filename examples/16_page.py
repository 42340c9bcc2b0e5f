"""Use the page in the browser by a program: walk by a held key, and stop when the page is closed.

Run: .venv/bin/python examples/16_page.py

Needs `./softshell setup web browser` and Chromium. Writes the picture out/page.png.
"""

import shutil
from pathlib import Path
from queue import SimpleQueue
from time import monotonic, sleep

from playwright.sync_api import sync_playwright

from softshell_bringup.runner import Stack
from softshell_client import Shell
from softshell_common.onlooker import address_in

#: Chromium draws in software, so that no graphics card is needed.
FLAGS = ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader']
BROWSERS = 'chromium', 'chromium-browser', 'google-chrome'
CHROMIUM = next(filter(None, map(shutil.which, BROWSERS)), None)
addresses = SimpleQueue()


def listen(node, line):
    """Note the address of the page, which the stack prints."""
    if address := address_in(node, line):
        addresses.put(address)


def wait_until(page, condition):
    """Let the page go on until a condition holds, for a minute at most."""
    end = monotonic() + 60.0
    while not condition() and monotonic() < end:
        page.wait_for_timeout(50)


Path('out').mkdir(exist_ok=True)
arguments = {'gui': 'web', 'engine': 'mujoco'}
with Stack(arguments, output=listen) as stack, sync_playwright() as p:
    stack.wait_ready()
    page = p.chromium.launch(executable_path=CHROMIUM, args=FLAGS).new_page()
    page.goto(addresses.get(timeout=60))
    page.wait_for_selector('#keys kbd', state='attached')  # from here on it knows its keys
    with Shell() as shell:
        shell.perform('stand')
        shell.wait_for_odometry()
        page.keyboard.down('w')
        wait_until(page, lambda: shell.position[0] > 0.3)
        page.screenshot(path='out/page.png')
        print(f'walked to {shell.position[0]:.1f} m while the key was held')
        page.close()
        at, end = shell.position[0], shell.time + 5.0
        while shell.time < end:
            sleep(0.05)
        print(f'stopped {shell.position[0] - at:.2f} m after the page was closed')

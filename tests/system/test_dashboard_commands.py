"""Commands that show something on the page in the browser, and end as others do."""

import asyncio
import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
import time

import pytest

from softshell_bringup.domain import free_domain
from softshell_bringup.runner import Stack

pytestmark = pytest.mark.needs('web')


def program(*words):
    return [sys.executable, '-m', 'softshell_tools.cli', *map(str, words)]


@contextlib.contextmanager
def running(words, domain):
    """A command that tells the address of a page; yields it and the process."""
    environment = {**os.environ, 'ROS_DOMAIN_ID': str(domain), 'COLUMNS': '200'}
    process = subprocess.Popen(
        program(*words), env=environment, text=True, start_new_session=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    lines = []

    def read():
        lines.extend(iter(process.stdout.readline, ''))

    def address():
        end = time.monotonic() + 60
        while time.monotonic() < end:
            found = re.search(r'open (http\S+)', ''.join(lines))
            if found:
                return found.group(1)
            time.sleep(0.05)
        raise AssertionError(''.join(lines))

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    try:
        yield address(), process, lines
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGINT)
        process.wait(timeout=60)


def first_state(address, condition):
    """What the page is told once a condition is true of it."""
    from aiohttp import ClientSession

    async def main():
        async with ClientSession() as session, session.ws_connect(address + 'live') as page:
            while True:
                message = await page.receive_json()
                await page.send_json({'type': 'alive'})
                if message['type'] == 'state' and condition(message['robot']):
                    return message

    return asyncio.run(asyncio.wait_for(main(), 60))


@pytest.mark.long
def test_a_recording_is_shown_without_a_robot(tmp_path):
    """Joints, mode and posture are those of the bag; nobody can be asked for anything."""
    with Stack({'bridge': 'mock'}, domain=free_domain()) as stack:
        stack.wait_ready()
        environment = {**os.environ, 'ROS_DOMAIN_ID': str(stack.domain)}
        subprocess.run(
            program('record', '--output', tmp_path / 'bag', '--duration', 5),
            env=environment, check=True, timeout=60,
        )  # fmt: skip
    words = 'replay', tmp_path / 'bag', '--web', '--loop'
    with running(words, free_domain()) as (address, process, _):
        state = first_state(address, lambda robot: robot['name'] and robot['mode'])
        assert state['robot']['bridge'] == 'mock'
        assert state['robot']['mode'] == 'hexapod'
        assert state['you']['drives']
        assert process.poll() is None
    assert process.returncode in (0, 130)


@pytest.mark.long
def test_a_demo_is_shown(tmp_path):
    """In its own time, and with all its figures in the end."""
    words = 'demo', 'gui:=web', 'bridge:=mock', '--output', tmp_path
    with running(words, free_domain()) as (address, process, lines):
        first_state(address, lambda robot: robot['state'] == 'executing')
        assert process.wait(timeout=300) == 0, ''.join(lines)
    assert (tmp_path / 'summary.json').exists()

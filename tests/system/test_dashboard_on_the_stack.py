"""The page's server with a real stack: what a page asks moves the robot, and silence stops it."""

import asyncio
import time
from pathlib import Path

import pytest
from waiting import page_of

from softshell_dashboard.settings import load_page_settings

CONFIG = Path(__file__).parents[2] / 'config'
pytestmark = pytest.mark.needs('web')

FORWARD = {'type': 'hold', 'commands': ['forward']}
#: `hold_timeout` of the page [s].
HOLD = load_page_settings(CONFIG / 'dashboard.yaml').hold_timeout


@pytest.fixture(scope='module')
def page_address():
    """The address of the page of a mock that walks."""
    with page_of(bridge='mock', real_time_factor='2') as address:
        yield address


def run(address, program):
    from aiohttp import ClientSession

    async def main():
        async with ClientSession() as session, session.ws_connect(address + 'live') as page:
            return await asyncio.wait_for(program(page), 60)

    return asyncio.run(main())


async def until(page, condition):
    """The first state of which a condition is true."""
    while True:
        message = await page.receive_json()
        await page.send_json({'type': 'alive'})
        if message['type'] == 'state' and condition(message):
            return message


async def held(page, condition, heard=1):
    """The first state of which a condition is true while a key is held.

    Also when that was last said [s]. It is said again after `heard` other states: of what was
    said once, no state may tell before it lapses.
    """
    while True:
        said_at = time.monotonic()
        await page.send_json(FORWARD)
        for _ in range(heard):
            state = await until(page, lambda state: True)
            if condition(state):
                return state, said_at


async def offer_of(page):
    while True:
        message = await page.receive_json()
        if message['type'] == 'offer' and message['ready']:
            return message


def test_a_page_walks_acts_and_stops(page_address):
    async def program(page):
        offer = await offer_of(page)
        walking, _ = await held(page, lambda state: state['you']['moves'])
        await held(page, lambda state: state['robot']['state'] == 'executing')
        await page.send_json({'type': 'hold'})
        await until(page, lambda state: state['robot']['state'] == 'holding')
        await page.send_json(
            {'type': 'perform', 'action': 'walk', 'parameters': {'distance': 0.1}}
        )
        running = await until(page, lambda state: state['robot']['running'])
        done = await until(page, lambda state: any(
            one['kind'] == 'done' and one['text'].startswith('walk: done') for one in state['log']
        ))  # fmt: skip
        return offer, walking, running, done

    offer, walking, running, done = run(page_address, program)
    assert {'walk', 'close', 'stand'} <= {one['name'] for one in offer['actions']}
    assert offer['modes'] == {
        'hexapod': 'open', 'shell': 'close', 'stand': 'stand', 'idle': 'idle',
    }  # fmt: skip
    assert walking['you']['moves']
    assert running['robot']['running'][0]['name'] == 'walk'
    assert done['robot']['bridge'] == 'mock'


def test_a_page_that_falls_silent_stops_the_robot(page_address):
    """Its socket stays open, but nothing is said again."""

    async def program(page):
        await offer_of(page)
        # Said again only after all states on their way: an end among them is no answer to it.
        _, said_at = await held(page, lambda state: state['you']['moves'], heard=50)
        await until(page, lambda state: not state['you']['moves'])
        silent = time.monotonic() - said_at
        await until(page, lambda state: state['robot']['state'] == 'holding')
        return silent

    assert run(page_address, program) > HOLD


def test_reset_and_activation_lead_out_of_an_emergency_stop(page_address):
    async def program(page):
        await offer_of(page)
        await page.send_json({'type': 'bridge', 'request': 'emergency_stop'})
        await until(page, lambda state: state['robot']['state'] == 'emergency_stop')
        for request, state_after in (('reset', 'inactive'), ('activate', 'holding')):
            await page.send_json({'type': 'bridge', 'request': request})
            await until(page, lambda state, to=state_after: state['robot']['state'] == to)

    run(page_address, program)


def test_what_the_robot_refuses_is_in_the_log(page_address):
    async def program(page):
        await offer_of(page)
        await page.send_json({'type': 'pose', 'z': 5.0, 'roll': 0.0, 'pitch': 0.0})
        await until(page, lambda state: any(
            one['kind'] == 'refused' and 'posture' in one['text'] for one in state['log']
        ))  # fmt: skip

    run(page_address, program)

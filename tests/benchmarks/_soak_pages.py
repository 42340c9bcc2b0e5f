"""Pages that come, watch a robot and its scene, send what is refused, and go without a word."""

import asyncio
import json
import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from _soak_json import made_up
from _soak_record import Record
from dashboard import PROTOCOL

#: How long a page stays, and until the next one comes [s].
STAYS, GAP = (1.0, 15.0), (0.2, 3.0)
PATIENCE = 5.0  # [s] for its next message
#: The part of what a page is told that it answers by a bad message.
ANSWERED = 0.3


@contextmanager
def pages_at(address: str, seed: int, record: Record) -> Iterator[None]:
    """Pages come, one after the other, until the block ends.

    Args:
        address: of the page, with a slash at its end.
        seed: of how long each stays, and of what it sends.
        record: told of pages, of messages of their scenes and to them, and of what goes wrong.
    """
    stop, chance = threading.Event(), random.Random(seed)

    def until(end: float) -> Callable[[], bool]:
        return lambda: stop.is_set() or time.monotonic() >= end

    async def come() -> None:
        while not stop.is_set():
            end = time.monotonic() + chance.uniform(*STAYS)
            try:
                await watch(address, record, until(end), chance)
            except Exception as error:  # whatever it is, the next page comes
                if not stop.is_set():
                    record.problems.append(f'a page: {error!r}')
            await asyncio.sleep(chance.uniform(*GAP))

    thread = threading.Thread(target=lambda: asyncio.run(come()), daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(4.0 * PATIENCE)


async def watch(
    address: str, record: Record, over: Callable[[], bool], chance: random.Random
) -> None:
    """One page, which takes the scene as a viewer does, and sends what has to be refused.

    Args:
        address, record: see `pages_at`.
        over: whether it goes once all that it sent was refused; asked at each message.
        chance: by which it sends.

    Raises:
        ClientError, OSError: page or scene cannot be had, or were ended.
        TimeoutError: nothing more came, or no refusal.
        TypeError: it was ended before its offer.
    """
    import viser
    from aiohttp import ClientError, ClientSession, WSMsgType

    protocols = [PROTOCOL + viser.__version__]
    async with ClientSession() as session, session.ws_connect(address + 'live') as page:
        record.counts['pages'] += 1
        path = (await asyncio.wait_for(page.receive_json(), PATIENCE))['scene']  # the offer

        async def take() -> None:
            scene = session.ws_connect(
                address.rstrip('/') + path, protocols=protocols, max_msg_size=0
            )
            async with scene as viewer:
                async for _ in viewer:
                    record.counts['messages of scenes'] += 1

        taking, unanswered, late = asyncio.create_task(take()), 0, float('inf')
        try:
            while unanswered or not over():
                message = await asyncio.wait_for(page.receive(), PATIENCE)
                if message.type not in (WSMsgType.TEXT, WSMsgType.BINARY):
                    raise ClientError(f'it was ended by a message {message.type.name}')
                if taking.done():
                    taking.result()
                    raise ClientError('its scene was ended')
                if time.monotonic() > late:
                    raise TimeoutError(f'{unanswered} of its messages were not refused')
                if message.type is WSMsgType.TEXT and is_refusal(message.data, record):
                    unanswered, late = unanswered - 1, time.monotonic() + PATIENCE
                elif not over() and chance.random() < ANSWERED:
                    unanswered, late = unanswered + 1, time.monotonic() + PATIENCE
                    record.counts['bad messages of pages'] += 1
                    await page.send_str(made_up(chance))
        finally:
            taking.cancel()
            await asyncio.gather(taking, return_exceptions=True)


def is_refusal(text: str, record: Record) -> bool:
    """Whether a message to a page refuses what it sent; a problem if one was obeyed instead."""
    message = json.loads(text)
    for entry in message.get('log', ()):
        if entry['kind'] == 'asked':
            problem = f'a page was obeyed: {entry["text"]}'
            if problem not in record.problems:
                record.problems.append(problem)
    return bool(message['type'] == 'refused')

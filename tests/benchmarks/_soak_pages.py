"""Pages that come, watch a robot and its scene, and go without a word."""

import asyncio
import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from _soak_record import Record
from dashboard import PROTOCOL

#: How long a page stays, and until the next one comes [s].
STAYS, GAP = (1.0, 15.0), (0.2, 3.0)
PATIENCE = 5.0  # [s] for its next message


@contextmanager
def pages_at(address: str, seed: int, record: Record) -> Iterator[None]:
    """Pages come, one after the other, until the block ends.

    Args:
        address: of the page, with a slash at its end.
        seed: of how long each stays.
        record: told of pages and messages of their scenes, and of what goes wrong.
    """
    stop, chance = threading.Event(), random.Random(seed)

    def until(end: float) -> Callable[[], bool]:
        return lambda: stop.is_set() or time.monotonic() >= end

    async def come() -> None:
        from aiohttp import ClientError

        while not stop.is_set():
            try:
                await watch(address, record, until(time.monotonic() + chance.uniform(*STAYS)))
            except (ClientError, TimeoutError, OSError) as error:
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


async def watch(address: str, record: Record, over: Callable[[], bool]) -> None:
    """One page, which takes the scene as a viewer does.

    Args:
        address, record: see `pages_at`.
        over: whether it goes; asked at each message.

    Raises:
        ClientError, OSError: page or scene cannot be had, or were ended.
        TimeoutError: nothing more came.
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

        taking = asyncio.create_task(take())
        try:
            while not over():
                message = await asyncio.wait_for(page.receive(), PATIENCE)
                if message.type not in (WSMsgType.TEXT, WSMsgType.BINARY):
                    raise ClientError(f'it was ended by a message {message.type.name}')
                if taking.done():
                    taking.result()
                    raise ClientError('its scene was ended')
        finally:
            taking.cancel()
            await asyncio.gather(taking, return_exceptions=True)

"""Pages that come, watch a robot and go without a word."""

import asyncio
import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from _soak_record import Record

#: How long a page stays, and until the next one comes [s].
STAYS, GAP = (1.0, 15.0), (0.2, 3.0)
PATIENCE = 5.0  # [s] for its next message


@contextmanager
def pages_at(address: str, seed: int, record: Record) -> Iterator[None]:
    """Pages come, one after the other, until the block ends.

    Args:
        address: of the page, with a slash at its end.
        seed: of how long each stays.
        record: told of pages, and of what goes wrong.
    """
    stop, chance = threading.Event(), random.Random(seed)

    async def watch() -> None:
        from aiohttp import ClientError, ClientSession, WSMsgType

        while not stop.is_set():
            try:
                async with (
                    ClientSession() as session,
                    session.ws_connect(address + 'live') as page,
                ):
                    record.counts['pages'] += 1
                    end = time.monotonic() + chance.uniform(*STAYS)
                    while time.monotonic() < end and not stop.is_set():
                        message = await asyncio.wait_for(page.receive(), PATIENCE)
                        if message.type not in (WSMsgType.TEXT, WSMsgType.BINARY):
                            raise ClientError(f'it was ended by a message {message.type.name}')
            except (ClientError, TimeoutError, OSError) as error:
                if not stop.is_set():
                    record.problems.append(f'a page: {error!r}')
            await asyncio.sleep(chance.uniform(*GAP))

    thread = threading.Thread(target=lambda: asyncio.run(watch()), daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(4.0 * PATIENCE)

"""The connection to one page: the messages to it and from it."""

import asyncio
import json
from collections.abc import Awaitable
from typing import Any, Protocol

from aiohttp import WSMsgType, web

from softshell_dashboard import messages
from softshell_dashboard.seats import Visitor
from softshell_dashboard.station import Station
from softshell_kinematics.errors import SoftshellError

#: A page that does not receive a message within this time is disconnected [s].
SLOW = 5.0


class Host(Protocol):
    """What a connection needs of the server.

    Attributes:
        station: desk and show.
        numbers: the newest state of the robot, for JSON.
        scene_address: path of the scene on the server.
    """

    @property
    def station(self) -> Station: ...
    @property
    def numbers(self) -> dict[str, Any]: ...
    @property
    def scene_address(self) -> str: ...


class Talk:
    """Exchanges messages with one page, whose visitor joins the desk.

    Args:
        server: that serves the page.
        socket: to the page.
    """

    def __init__(self, server: Host, socket: web.WebSocketResponse) -> None:
        self._server, self._station, self._socket = server, server.station, socket
        self._visitor: Visitor = self._station.desk.join()
        self._awake = asyncio.Event()
        self._offer: object = None
        self._entry, self._sample = 0, float('-inf')
        self._camera, self._picture_due = '', False
        self._joints = False
        self._picture: bytes | None = None

    def wake(self, picture: bool) -> None:
        """Have the newest state sent soon.

        Args:
            picture: whether to send a picture of the chosen camera as well, if a new one exists.
        """
        self._picture_due |= picture
        self._awake.set()

    def leave(self) -> None:
        """Remove the visitor from the desk: the page is closed."""
        self._station.desk.leave(self._visitor)
        self._awake.set()

    async def run(self) -> None:
        """Send and receive until the page is closed."""
        saying = asyncio.ensure_future(self._say())
        try:
            async for message in self._socket:
                if message.type is WSMsgType.TEXT:
                    await self._heed(message.data)
        finally:
            saying.cancel()

    async def _heed(self, text: str) -> None:
        try:
            message = messages.read_message(text)
            self._station.heed(self._visitor, message)
            match message:
                case messages.Camera():
                    self._camera = message.name
                case messages.Joints():
                    self._joints = message.shown
        except SoftshellError as error:
            self._station.note_refusal(self._visitor, str(error))
            await self._send({'type': 'refused', 'text': str(error)})

    async def _say(self) -> None:
        """Send the state after each `wake`; any error is logged and ends the connection."""
        try:
            await self._say_on()
        except Exception as error:
            self._station.warn(
                f'{self._visitor.name} was disconnected: {type(error).__name__}: {error}'
            )
        finally:
            await self._socket.close()  # the page connects again by itself

    async def _say_on(self) -> None:
        while not self._socket.closed:
            await self._awake.wait()
            self._awake.clear()
            if self._visitor not in self._station.desk.seats.visitors:
                return  # it was removed, e.g. because it was silent for too long
            offer = self._station.offer()
            if offer is not self._offer:
                self._offer = offer
                await self._send({**offer, 'scene': self._server.scene_address})
            history = self._station.show.history
            log = self._station.journal.since(self._entry)
            state = {
                'type': 'state',
                'you': self._station.desk.state(self._visitor),
                'robot': self._server.numbers,
                'log': log,
                'plots': history.since(self._sample),
            }
            if self._joints:
                state['joints'] = self._station.show.joints()
            if log:  # other threads may have added entries since
                self._entry = log[-1]['number']
            self._sample = history.newest
            await self._send(state)
            if self._picture_due and self._camera:
                self._picture_due = False
                picture = self._station.picture(self._camera)
                if picture is not None and picture is not self._picture:
                    self._picture = picture
                    await self._deliver(self._socket.send_bytes(picture))

    async def _send(self, content: dict[str, Any]) -> None:
        await self._deliver(self._socket.send_str(json.dumps(content, allow_nan=False)))

    async def _deliver(self, sending: Awaitable[None]) -> None:
        try:
            await asyncio.wait_for(sending, SLOW)
        except TimeoutError:
            self._station.desk.leave(self._visitor, 'was disconnected, because it is too slow')
            await self._socket.close()
        except ConnectionError:
            pass  # the loop that receives messages ends then, too

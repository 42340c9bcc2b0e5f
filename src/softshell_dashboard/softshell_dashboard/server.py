"""The server: one port for the page, its websocket and the scene."""

import asyncio
import contextlib
import threading
import time
from collections.abc import Awaitable, Callable
from typing import Any

from aiohttp import ClientSession, WSMsgType, web

from softshell_common.shown import shown
from softshell_dashboard import messages
from softshell_dashboard.access import COOKIE, PARAMETER, Access
from softshell_dashboard.pages import FILES, page, viewer
from softshell_dashboard.seats import SILENCE
from softshell_dashboard.station import Station
from softshell_dashboard.talk import SLOW, Talk
from softshell_kinematics.errors import SoftshellError

#: Periods of the scene, of messages to pages, and of camera pictures [s].
FRAME, SAY, PICTURE = 1.0 / 30.0, 0.1, 0.2
#: Size of a message at which its page is disconnected [B]. It is larger than all that
#: `read_message` accepts, of at most 4 bytes a character, so that this can say what is wrong.
LARGEST = 8 * messages.LONGEST
#: Headers of all answers: no page of another site may show ours in a frame.
POLICY = {
    'Content-Security-Policy': "frame-ancestors 'self'",
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
}

#: Header of the scene: pages under either name of this machine may show it in a frame.
SHOWN_BY = {
    'Content-Security-Policy': "frame-ancestors 'self' http://localhost:* http://127.0.0.1:*"
}
#: Path of the scene, without its key.
SCENE = '/scene/'
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Server:
    """Serves the page in a thread of its own, which also updates the station.

    Args:
        station: desk and show.
        access: decides which requests are answered.
        host, port: address on which the server listens.
        scene_port: port of viser on the loopback interface.

    Attributes:
        port: as given.
        problem: why the server has ended by itself; None if it has not.

    Raises:
        SoftshellError: the server cannot listen on the port.
    """

    def __init__(
        self,
        station: Station,
        access: Access,
        host: str,
        port: int,
        scene_port: int,
    ) -> None:
        self._station, self._access = station, access
        self._host, self.port, self._scene_port = host, port, scene_port
        self._cookie = f'{COOKIE}_{port}'
        self._watching = 0
        self._talks: set[Talk] = set()
        self._numbers: dict[str, Any] = {}
        self._ending = asyncio.Event()
        self._loop = asyncio.new_event_loop()
        self.problem: str | None = None
        self._begun = threading.Event()
        self._thread = threading.Thread(target=self._run, name='dashboard server', daemon=True)
        self._thread.start()
        self._begun.wait()
        if self.problem is not None:
            self._thread.join()
            raise SoftshellError(self.problem)

    @property
    def station(self) -> Station:
        """Desk and show."""
        return self._station

    @property
    def scene_address(self) -> str:
        """Path of the scene on this server."""
        return f'{SCENE}{self._access.scene_key}/'

    @property
    def numbers(self) -> dict[str, Any]:
        """The newest state of the robot, for JSON."""
        return self._numbers

    def close(self) -> None:
        """Stop the robot if a page drives it, and end the server."""
        with contextlib.suppress(RuntimeError):  # it has ended by itself
            self._loop.call_soon_threadsafe(self._ending.set)
        self._thread.join(timeout=5.0)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_until_complete(self._serve())
        except Exception as error:  # of a thread: without this, no one would see it
            what = 'has ended' if self._begun.is_set() else 'cannot start'
            self.problem = f'the dashboard {what}: {type(error).__name__}: {error}'
        finally:
            self._begun.set()
            self._loop.close()

    async def _serve(self) -> None:
        application = web.Application(middlewares=[self._guard])
        application.on_response_prepare.append(_add_policy)
        application.router.add_get('/', self._index)
        application.router.add_get('/page/{file}', self._file)
        for end in ('', '/'):
            application.router.add_get(SCENE + '{key}' + end, self._scene)
        application.router.add_get('/live', self._live)
        runner = web.AppRunner(application, access_log=None, shutdown_timeout=1.0)
        await runner.setup()
        site = web.TCPSite(runner, self._host, self.port)
        try:
            await site.start()
        except OSError as error:
            await runner.cleanup()
            self.problem = (
                f'the dashboard cannot listen on port {self.port} of {self._host}: '
                f'{error.strerror}; choose another port with web_port:='
            )
            return
        self._begun.set()
        try:
            await self._beat()
        finally:
            for talk in tuple(self._talks):
                talk.leave()
            await runner.cleanup()

    async def _beat(self) -> None:
        """Update station and pages at a steady rate, until `close` is called."""
        say_at = picture_at = 0.0
        next_frame = time.monotonic()
        while not self._ending.is_set():
            if not self._station.step(self._watching > 0):
                return
            now = time.monotonic()
            if self._talks and now >= say_at:
                say_at = now + SAY
                self._look()
                for talk in tuple(self._talks):
                    talk.wake(picture=now >= picture_at)
                if now >= picture_at:
                    picture_at = now + PICTURE
            next_frame = max(next_frame + FRAME, now)
            await asyncio.sleep(next_frame - now)

    def _look(self) -> None:
        """Update the state of the robot."""
        try:
            self._numbers = self._station.numbers()
        except Exception as error:  # driving has to go on
            self._station.warn(
                f'the state of the robot cannot be shown: {type(error).__name__}: {error}'
            )

    @web.middleware
    async def _guard(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Refuse requests without access.

        Raises:
            HTTPForbidden: the request is refused; its text says why.
        """
        if request.path.startswith(SCENE):
            problem = self._access.scene_problem(request.headers, request.match_info.get('key'))
        else:
            given = request.query.get(PARAMETER)
            problem = self._access.problem(
                request.headers, given, request.cookies.get(self._cookie)
            )
        if problem:
            raise web.HTTPForbidden(text=f'{problem}\n')
        return await handler(request)

    async def _index(self, request: web.Request) -> web.StreamResponse:
        if request.query.get(PARAMETER) is not None and self._access.token:
            # From here the cookie carries the token, so that it does not stay in the address bar,
            # in the browser's history or in screenshots. A browser that followed a link of another
            # page would not send a strict one.
            moved = web.Response(status=302, headers={'Location': '/'})
            moved.set_cookie(self._cookie, self._access.token, httponly=True, samesite='Lax')
            return moved
        return page('index.html')

    async def _file(self, request: web.Request) -> web.StreamResponse:
        name = request.match_info['file']
        if name not in FILES:
            raise web.HTTPNotFound(text=f'{shown(name)} is no file of the page\n')
        return page(name)

    async def _live(self, request: web.Request) -> web.StreamResponse:
        """The websocket of a page."""
        socket = web.WebSocketResponse(heartbeat=SILENCE, max_msg_size=LARGEST)
        await socket.prepare(request)
        talk = Talk(self, socket)
        self._talks.add(talk)
        try:
            await talk.run()
        finally:
            self._talks.discard(talk)
            talk.leave()
        return socket

    async def _scene(self, request: web.Request) -> web.StreamResponse:
        """The page of the viewer, and the websocket from viser to it.

        What the viewer sends is not passed on. A page may show it under the other name of this
        machine: for a frame of another site a browser uses a process of its own, so that drawing
        does not delay keys.
        """
        if request.headers.get('Upgrade', '').lower() != 'websocket':
            body = viewer()
            headers = {'Content-Encoding': 'gzip', 'Cache-Control': 'no-cache', **SHOWN_BY}
            return web.Response(body=body, content_type='text/html', headers=headers)
        wanted = request.headers.get('Sec-WebSocket-Protocol', '').split(',')
        protocols = [one.strip() for one in wanted if one.strip()]
        async with (
            ClientSession() as session,
            session.ws_connect(
                f'ws://127.0.0.1:{self._scene_port}', protocols=protocols, max_msg_size=0
            ) as inner,
        ):
            chosen = (inner.protocol,) if inner.protocol else ()
            outer = web.WebSocketResponse(protocols=chosen, compress=False)
            await outer.prepare(request)
            self._watching += 1
            listening = asyncio.ensure_future(_drain(outer))
            # A scene in which nothing moves sends nothing, by which `_forward` would notice.
            listening.add_done_callback(lambda _: asyncio.ensure_future(inner.close()))
            try:
                await _forward(inner, outer, listening)
            finally:
                self._watching -= 1
                listening.cancel()
                await outer.close()
        return outer


async def _add_policy(request: web.Request, response: web.StreamResponse) -> None:
    """Add the headers of `POLICY` to an answer, also to one that refuses."""
    response.headers.update({**POLICY, **response.headers})


async def _forward(inner: Any, outer: web.WebSocketResponse, listening: Any) -> None:
    """Send all messages of the scene to a page, until either connection ends."""
    async for message in inner:
        if message.type is not WSMsgType.BINARY or outer.closed or listening.done():
            return
        try:
            await asyncio.wait_for(outer.send_bytes(message.data), SLOW)
        except (TimeoutError, ConnectionError):
            return


async def _drain(socket: web.WebSocketResponse) -> None:
    """Receive all messages of a page, and ignore them."""
    async for _ in socket:
        pass

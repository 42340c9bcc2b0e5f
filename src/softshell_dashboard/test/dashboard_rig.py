"""A fake robot, source and scene, which record the calls that they get; and what tests share."""

import asyncio
import time
from types import SimpleNamespace

from softshell_dashboard.snapshot import Fingers, Health, Snapshot
from softshell_teleop.offer import Offer
from softshell_teleop.posture import Posture

#: `hold_timeout` in these tests [s].
HOLD = 0.6
#: [s] a safety net, no measure of anything.
PATIENCE = 30.0


class FakeRobot:
    """A robot that records the calls of its methods."""

    def __init__(self):
        self.asked = []
        self.bodies = None
        self.executions = ()
        self.reported = Posture(z=0.1)
        parameter = SimpleNamespace(
            name='distance', default_value=0.3, minimum=0.0, maximum=5.0, unit='m', meaning='far'
        )
        self.actions = (
            SimpleNamespace(name='walk', description='Walk.', parameters=(parameter,)),
            SimpleNamespace(name='close', description='Close.', parameters=()),
        )
        self.offered = Offer(
            frozenset({'walk', 'close'}), True, True, (0.05, 0.2), (-0.3, 0.3), (-0.3, 0.3),
            ('tripod', 'wave'),
        )  # fmt: skip

    def offer(self):
        return self.offered

    def take_posture(self):
        posture, self.reported = self.reported, None
        return posture

    def take_refusal(self):
        return False

    def poll(self):
        return True

    def __getattr__(self, name):
        if name.startswith('_'):
            raise AttributeError(name)
        return lambda *given: self.asked.append((name, *given))

    def named(self, name):
        return [given[0] if len(given) == 1 else given for what, *given in self.asked
                if what == name]  # fmt: skip


class FakeSource:
    """A stack that publishes nothing."""

    shot = Snapshot()

    def description(self):
        return None

    def snapshot(self, all_contacts):
        return self.shot

    def health(self):
        return Health('mock', 'holding')

    def temperatures(self):
        return {}

    def fingers(self):
        return Fingers()

    def base_link(self):
        return ''

    def feet(self):
        return ()

    def body_names(self):
        return ()

    def cameras(self):
        return ('front',)

    def picture(self, camera):
        return b'a picture' if camera == 'front' else None

    def close_unwanted(self):
        pass


class FakeScene:
    """A scene that records the calls of its methods."""

    def __init__(self):
        self.shown = []

    def __getattr__(self, name):
        if name.startswith('_'):
            raise AttributeError(name)
        return lambda *given, **more: self.shown.append((name, *given))


def run(server, program):
    """Run a coroutine function with a session of its own and the server's address."""
    from aiohttp import ClientSession

    async def main():
        async with ClientSession() as session:
            return await program(session, f'http://127.0.0.1:{server.port}')

    return asyncio.run(main())


def until(condition):
    """Wait until a condition is true."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


class Clock:
    """A clock whose time is set by the test."""

    now = 0.0

    def __call__(self):
        return self.now

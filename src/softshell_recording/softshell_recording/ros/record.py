"""Records topics into a bag: until it is told to end, or while a program does something else."""

import shutil
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event

from rclpy.node import Node

from softshell_common.ros.context import new_context
from softshell_kinematics.errors import SoftshellError
from softshell_recording.bag import BagWriter, Taker
from softshell_recording.definitions import Definitions
from softshell_recording.ros.listener import SWEEP_PERIOD, Listener

#: How long to wait for topics to be found, and for a first message [s].
FIRST = 10.0
#: Time between two reports of progress [s].
REPORT_PERIOD = 0.25


@dataclass(frozen=True)
class Progress:
    """How far a recording is.

    Args:
        seconds: since topics were found and a message came [s, wall].
        topics: how many are recorded.
        count, size: number of messages, and of their bytes.
    """

    seconds: float
    topics: int
    count: int
    size: int


def record(
    path: Path,
    wanted: Callable[[str, str], bool],
    *,
    domain: int | None = None,
    duration: float = float('inf'),
    ended: Callable[[], bool] = lambda: False,
    progress: Callable[[Progress], None] = lambda progress: None,
    tell: Callable[[str], None] = lambda line: None,
) -> Progress:
    """Record into a new bag.

    Args:
        path: of the bag, a folder.
        wanted: whether a topic is recorded, by name and type.
        domain: of ROS; default that of the environment.
        duration: at most, from when topics were found and a message came [s, wall].
        ended: called again and again; true ends it.
        progress: called every `REPORT_PERIOD`.
        tell: takes a line about a topic that is left out.

    Returns:
        What was recorded.

    Raises:
        BagError: the bag cannot be written; what came before is kept.
        SoftshellError: `duration` is negative or NaN, or ROS cannot be initialised.
    """
    if not duration >= 0.0:  # NaN is not, either
        raise SoftshellError(f'duration is {duration:g} s; expected 0 s or more')
    context = new_context(domain)
    node = Node('bag_recorder', context=context, start_parameter_services=False)
    try:
        with BagWriter(path, Definitions()) as bag:
            listener = Listener(node, Taker(bag, tell).take, wanted, tell)
            begin = due = time.monotonic()
            first: float | None = None
            over = False
            while True:
                now = time.monotonic()
                if first is None and bag.count and (listener.settled or now - begin > FIRST):
                    first = now
                seconds = 0.0 if first is None else now - first
                state = Progress(seconds, len(listener.topics), bag.count, bag.size)
                if now >= due:
                    progress(state)
                    due = now + REPORT_PERIOD
                if over:
                    return state
                left = duration - seconds
                if first is None:
                    left += begin + FIRST - now
                over = left <= 0.0 or ended()
                if not over:
                    time.sleep(min(SWEEP_PERIOD, left))
                listener.sweep()
    finally:
        node.destroy_node()
        context.try_shutdown()


@contextmanager
def recording_to(
    path: Path,
    wanted: Callable[[str, str], bool] = lambda name, kind: True,
    *,
    domain: int | None = None,
    tell: Callable[[str], None] = lambda line: None,
    timeout: float = 2.0 * FIRST,
) -> Iterator[None]:
    """Record into a new bag, in a thread, for as long as a `with` lasts.

        with recording_to(Path('out/walk')):
            robot.perform('walk')

    The `with` begins when topics were found and a message came; if it cannot, no bag is left.

    Args:
        path, domain, tell: see `record`.
        wanted: whether a topic is recorded, by name and type; default: all.
        timeout: longest wait for that message [s, wall].

    Raises:
        BagError: the bag cannot be begun; or, at the end of the `with`, it could not be written
            to its end, and what came before is kept.
        SoftshellError: no message came within `timeout`, or ROS cannot be initialised.
    """
    made, begun, ended = Event(), Event(), Event()

    def note(state: Progress) -> None:
        made.set()
        if state.seconds > 0.0:
            begun.set()

    with ThreadPoolExecutor(1, 'bag recorder') as pool:
        recorder = pool.submit(
            record, path, wanted, domain=domain, ended=ended.is_set, progress=note, tell=tell
        )
        recorder.add_done_callback(lambda _: begun.set())
        inside = False
        try:
            if not begun.wait(timeout):
                raise SoftshellError(
                    f'{path}: no message came within {timeout:g} s; expected nodes on this ROS '
                    'domain that send on the wanted topics'
                )
            if recorder.done():  # before it has begun: by an error
                recorder.result()
            inside = True
            yield
            time.sleep(2.0 * SWEEP_PERIOD)  # what was sent last is still on its way
        finally:
            ended.set()
            if not inside:
                wait([recorder])
                if made.is_set():  # not by somebody else
                    shutil.rmtree(path, ignore_errors=True)
        recorder.result()

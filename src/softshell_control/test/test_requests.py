"""Services that the control loop carries out: what the console tells, and loops that are late."""

from concurrent.futures import Future
from threading import Event, Thread

import pytest

pytest.importorskip('rclpy', reason='ROS is not installed')

from softshell_control.ros import requests
from softshell_control.ros.requests import carry_out
from softshell_control.status import Requests
from softshell_kinematics.errors import SoftshellError


class Console:
    """A node whose log is kept, and a control loop that does everything at once."""

    def __init__(self):
        self.lines = []

    def get_logger(self):
        return self

    def info(self, text):
        self.lines.append(('info', text))

    def warning(self, text):
        self.lines.append(('warning', text))

    def error(self, text):
        self.lines.append(('error', text))

    ending = False

    def request(self, change, stops=False):
        done = Future()
        try:
            done.set_result(change())
        except Exception as error:
            done.set_exception(error)
        return done


def refuse():
    raise SoftshellError('no')


@pytest.mark.parametrize(
    ('query', 'act', 'answer', 'lines'),
    [
        (False, lambda: 'done', (True, 'done'), [('info', 'act: done')]),
        (True, lambda: 'done', (True, 'done'), []),
        (False, refuse, (False, 'no'), [('warning', 'act failed: no')]),
        (True, refuse, (False, 'no'), [('warning', 'act failed: no')]),
    ],
)
def test_what_only_reads_is_told_where_it_fails(query, act, answer, lines):
    """What changes something is told in any case; the answer is the same."""
    console = Console()
    assert carry_out(console, console, 'act', act, query=query) == answer
    assert console.lines == lines


def test_a_backend_that_waited_in_vain_is_no_loop_that_hangs():
    """A time-out of its own is told as it is; only the loop's silence is that of the loop."""

    def ask():
        raise TimeoutError('servo 3 did not answer')

    console = Console()
    done, text = carry_out(console, console, 'activate', ask)
    assert (done, text) == (False, 'TimeoutError: servo 3 did not answer')


class Loop(Console):
    """A control loop that is late with what is asked of it."""

    def __init__(self):
        super().__init__()
        self.waiting, self.begun, self.goes_on = Requests(), Event(), Event()

    def request(self, change, stops=False):
        return self.waiting.add(change, stops)

    def late(self):
        self.begun.set()
        assert self.goes_on.wait(60.0)
        return 'done'


@pytest.fixture
def impatient(monkeypatch):
    """Nobody waits for a loop to begin."""
    monkeypatch.setattr(requests, 'PATIENCE', 0.0)


def test_what_was_not_begun_in_time_is_never_done(impatient):
    """The answer says that the loop is stuck; when it goes on, it leaves the request out."""
    loop, calls = Loop(), []
    done, text = carry_out(loop, loop, 'act', lambda: calls.append(1) or 'done')
    assert not done
    assert 'has not answered' in text
    loop.waiting.answer()
    assert not calls


def test_a_stop_is_done_late_rather_than_never(impatient):
    """What must be done is, and the answer says so."""
    loop, calls = Loop(), []
    done, text = carry_out(loop, loop, 'act', lambda: calls.append(1) or 'done', must=True)
    assert not done
    assert 'the robot stops as soon as it does' in text
    loop.waiting.answer()
    assert calls


class Slow(Loop):
    """It has begun by the time that it is asked, and takes its time."""

    def request(self, change, stops=False):
        future = super().request(change, stops)
        self.thread = Thread(target=self.waiting.answer, daemon=True)
        self.thread.start()
        assert self.begun.wait(60.0)
        given_up = future.cancel

        def cancel():
            self.goes_on.set()
            return given_up()

        future.cancel = cancel
        return future


def test_what_was_begun_is_waited_for(impatient):
    """It cannot be taken back any more, so the answer is what came of it."""
    loop = Slow()
    assert carry_out(loop, loop, 'act', loop.late) == (True, 'done')
    assert loop.lines == [('info', 'act: done')]
    loop.thread.join()


def test_what_takes_too_long_is_not_said_to_have_failed(impatient, monkeypatch):
    """Whoever asked is told that it is still going on."""
    monkeypatch.setattr(requests, 'LONGEST', 0.0)
    loop = Slow()
    loop.goes_on.wait = lambda timeout: Event.wait(loop.ends, timeout)
    loop.ends = Event()
    done, text = carry_out(loop, loop, 'act', loop.late)
    assert not done
    assert 'look at the state of the bridge later' in text
    loop.ends.set()
    loop.thread.join()

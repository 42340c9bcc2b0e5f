"""How long a host waits for an answer: ten bits for each byte, and so long for the adapter."""

import os
import pty
import tty
from types import SimpleNamespace

import pytest
from servo_line import FAMILIES

import softshell_hardware.bus.port as port
from softshell_hardware.bus.bus import Answer, ServoBus
from softshell_hardware.bus.families import AX, X
from softshell_hardware.bus.finder import Finder, call_time, roll_time

BAUDS = pytest.mark.parametrize('baud', [9600, 57_600, 1_000_000])
#: What adapter and computer take [s]: twice the latency, and the slack.
LATENCY, SLACK, PATIENCE = 0.001, 0.004, 0.006


@pytest.fixture
def waits(monkeypatch):
    """Makes hosts on a port where nobody is, at a time that stands still; all are closed.

    Each is returned with a list of how long [s] it would have waited for an answer.
    """
    now, opened = [100.0], []

    def sleep(seconds):
        now[0] += seconds

    monkeypatch.setattr(port, 'time', SimpleNamespace(monotonic=lambda: now[0], sleep=sleep))

    def make(kind, family, baud):
        master, slave = pty.openpty()
        tty.setraw(slave)
        host = kind(os.ttyname(slave), family, baud, LATENCY, SLACK).open()
        opened.append((host, master, slave))
        found = []

        def give_up(*_):
            host._port.is_using = False
            found.append(1e-3 * host._port.packet_timeout)
            return Answer({})

        monkeypatch.setattr(host, '_answer', give_up)
        monkeypatch.setattr(host._port, 'isPacketTimeout', give_up)
        return host, found, now

    yield make
    for host, master, slave in opened:
        host.close()
        os.close(master)
        os.close(slave)


@FAMILIES
@BAUDS
def test_an_answer_is_waited_for_from_when_its_question_has_left(waits, family, baud):
    """Also when others are still on their way; once they have gone, they count no more."""
    host, found, now = waits(ServoBus, family, baud)
    question, answer = {AX.name: (8, 6 + 2), X.name: (14, 11 + 4)}[family.name]
    goals = {AX.name: 8 + 2 * 5, X.name: 14 + 2 * 9}[family.name]
    byte = 10.0 / baud
    host.read(1, ['present_position'])
    host.read(1, ['present_position'])
    now[0] += question * byte
    host.write_all(family.goal, {1: (500, 500), 2: (500, 500)})
    host.read(1, ['present_position'])
    now[0] += 1.0
    host.read(1, ['present_position'])
    sent = [question, 2 * question, 2 * question + goals, question]
    assert found == pytest.approx([PATIENCE + (each + answer) * byte for each in sent])


@BAUDS
def test_a_search_takes_as_long_as_it_says(waits, baud):
    """Pings of one servo of protocol 1, and of all of protocol 2."""
    host, found, _ = waits(Finder, AX, baud)
    host.call(1)
    assert found == pytest.approx([call_time(baud, PATIENCE)])
    host, found, _ = waits(Finder, X, baud)
    host.call_all()
    assert found == pytest.approx([roll_time(baud, PATIENCE)])

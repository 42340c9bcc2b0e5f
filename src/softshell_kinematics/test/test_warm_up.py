"""Compiling ahead tells how far it is."""

import threading
from types import SimpleNamespace

import pytest

from softshell_kinematics import warm_up
from softshell_kinematics.warm_up import SHARES, Progress


def test_the_share_that_is_done_grows_to_what_the_parts_take(monkeypatch):
    """Nothing is claimed before the machine is known; a slow part stops short of its end."""
    now = [100.0]
    monkeypatch.setattr(warm_up.time, 'perf_counter', lambda: now[0])
    assert sum(SHARES.values()) == pytest.approx(1.0)
    progress = Progress()
    first, second, third = SHARES
    progress.begin(first)
    now[0] += 10.0
    assert str(progress) == f'{first}, 10 s so far'
    progress.begin(second)
    whole = 10.0 / SHARES[first]
    assert progress.done == pytest.approx(SHARES[first])
    now[0] += 0.4 * whole
    assert progress.done == pytest.approx(SHARES[first] + 0.4)
    left = 10.0 + 0.4 * whole
    left *= 1.0 / progress.done - 1.0
    assert str(progress).endswith(f' %, {left:.0f} s left')
    now[0] += 10 * whole
    before = progress.done
    assert before < SHARES[first] + SHARES[second]
    progress.begin(third)
    assert progress.done > before


def test_it_tells_while_it_compiles(monkeypatch):
    """From a thread of its own, at the period that is asked for, and no more once it is over."""
    told, enough = [], threading.Event()

    def tell(text):
        told.append(text)
        enough.set()

    class Slow:
        def forward(self, positions):
            assert enough.wait(20)

        def middle(self):
            return None

    monkeypatch.setattr(warm_up, 'lower_leg', Slow)
    for name in ('Limbs', 'ParallelMechanism'):
        solver = SimpleNamespace(solve=lambda goals: None)
        monkeypatch.setattr(warm_up, name, lambda chains, made=solver: made)
    assert warm_up.warm_up(tell, 0.01) > 0.0
    assert told[0].startswith('forward kinematics')

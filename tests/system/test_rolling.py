"""A ball that sees its IMU alone rolls straight, turns, stops and stands up again."""

from pathlib import Path

import pytest

from softshell_tools.parts import benchmarks

PROGRAMS = benchmarks(Path(__file__).resolve().parents[2])


@pytest.mark.long
@pytest.mark.parametrize('engine', ['mujoco', 'pybullet'])
def test_seeds_that_nothing_was_tuned_on(engine, monkeypatch):
    """Of four seeds of friction, orientation and noise each rolls straight to 10°, and stands.

    Three of them roll 3 m within 8 s from rest; all come to rest within 1.5 m.
    """
    monkeypatch.syspath_prepend(PROGRAMS['rolling'].parent)
    import rolling

    results = [rolling.run(seed, engine, False) for seed in range(300, 304)]
    assert all(abs(result.off) < 10.0 for result in results)
    assert sum(result.mean > 3.0 / 8.0 for result in results) >= 3
    assert all(result.stop < 1.5 for result in results)
    assert all(result.stands < 1.0 for result in results)

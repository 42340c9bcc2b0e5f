"""Bodies that stay do not notice, in what is done next, that another was removed."""

import numpy as np
import pytest

from softshell_kinematics.transforms import shift
from softshell_sim.bodies import ObjectSpec, Surface
from softshell_sim.shapes import Sphere

COUNT = 5
RIGID, SOFT = Surface(), Surface(1.0, 0.0, 5e3, 50.0)


@pytest.fixture
def falling(start):
    """A bench with a pendulum and balls that fall beside each other, at heights of their own."""
    bench = start()
    bench.pendulum(0.5)
    for k in range(COUNT):
        spec = ObjectSpec(f'ball {k}', Sphere(0.1), 1.0, shift(1.0 + k, z=10.0 + k), SOFT)
        bench.engine.add(spec)
    bench.run(0.1)
    return bench


def numbers(bench):
    """Of each body, its name, and all numbers of its state and of its joints."""
    found = {}
    for name, body in bench.engine.bodies.items():
        state = bench.state(body)
        parts = [state.position, state.orientation, state.linear_velocity, *bench.joints(body)]
        found[name] = np.concatenate([*parts, state.angular_velocity])
    return found


DONE = {
    'save': lambda engine: engine.save(),
    'layer': lambda engine: engine.set_padding(engine.body('ball 3'), 0.01),
    'surface': lambda engine: engine.set_surface(engine.body('ball 3'), RIGID),
}


@pytest.mark.parametrize('what', DONE)
@pytest.mark.parametrize('removed', [['pendulum'], ['ball 0'], ['ball 2', 'ball 0'], ['ball 4']])
def test_others_stay_where_they_are(falling, removed, what):
    """They keep their own state when it is saved, or when the engine makes all bodies anew."""
    engine = falling.engine
    for name in removed:
        engine.remove(engine.body(name))
    before = numbers(falling)
    DONE[what](engine)
    after = numbers(falling)
    assert list(after) == list(before)
    for name, expected in before.items():
        assert after[name] == pytest.approx(expected, abs=1e-9), name


def test_a_state_that_was_saved_after_a_removal_is_restored(falling):
    """All bodies go on from it as they did after it was saved, bit for bit."""
    engine = falling.engine
    engine.remove(engine.body('ball 1'))
    state, runs = engine.save(), []
    for _ in range(2):
        falling.run(0.2)
        runs.append(numbers(falling))
        engine.restore(state)
    for name, expected in runs[0].items():
        assert runs[1][name].tobytes() == expected.tobytes(), name

"""The window's camera goes along with the robot, smoothly, and only where there is a window."""

import numpy as np
import pytest

from softshell_sim.following import LAG, PERIOD, Following
from softshell_sim.settings import WorldSettings
from softshell_sim.world import World


class Camera:
    """Stands for an engine: adds up the ways its window is moved."""

    def __init__(self):
        self.place, self.moves = np.zeros(3), 0

    def show(self):
        """There is nothing to be seen."""

    def follow(self, way):
        self.place += way
        self.moves += 1


def watched(path, seconds):
    """A camera after a path, a function of time [s], so long."""
    camera = Camera()
    following = Following(camera)
    camera.place[:] = path(0.0)
    following.begin(path(0.0))
    for tick in range(1, round(seconds / 0.004) + 1):
        following.update(path(tick * 0.004), 0.004)
    return camera


def test_it_arrives_where_the_robot_stops():
    """After ten times the lag what is left of a jump of 1 m is e^−10."""
    camera = watched(lambda t: np.array([0.0 if t == 0.0 else 1.0, 0.5, 0.2]), 10.0 * LAG)
    assert camera.place == pytest.approx([1.0, 0.5, 0.2], abs=2.0 * np.exp(-10.0))


def test_it_lags_behind_a_walk_by_its_lag():
    """Behind a steady speed v it stays v·lag, up to the period between two of its moves."""
    camera = watched(lambda t: np.array([0.5 * t, 0.0, 0.0]), 5.0)
    behind = 0.5 * 5.0 - camera.place[0]
    assert behind == pytest.approx(0.5 * LAG, abs=0.5 * PERIOD)
    assert camera.moves == pytest.approx(5.0 / PERIOD, rel=0.1)


def test_it_does_not_wobble():
    """A sway at 5 Hz is seen with 1/√(1 + (ω·lag)²) of its size at most: a first-order lag."""
    camera, most = Camera(), 0.0
    following = Following(camera)
    following.begin(np.zeros(3))
    for tick in range(1, 2000):
        following.update(np.array([0.02 * np.sin(2 * np.pi * 5 * tick * 0.004), 0, 0]), 0.004)
        most = max(most, abs(camera.place[0]))
    # The first swing adds once more of it.
    assert most < 2.2 * 0.02 / np.hypot(1.0, 2 * np.pi * 5 * LAG)


def test_a_robot_that_is_lost_does_not_take_the_camera_along():
    """A position that is not finite moves nothing."""
    camera = watched(lambda t: np.array([np.nan if t > 1.0 else 0.0, 0.0, 0.0]), 2.0)
    assert camera.place == pytest.approx(np.zeros(3))


@pytest.mark.parametrize('follow', [True, False])
def test_without_a_window_nothing_follows(each_engine, arm, follow):
    """A world without a window asks its engine for no movement of a camera."""
    with pytest.MonkeyPatch.context() as patch:
        world = World(arm, WorldSettings(follow=follow))
        patch.setattr(type(world.engine), 'follow', lambda *_: pytest.fail('moved'))
        for _ in range(100):
            world.step(world.position.copy(), np.zeros(2))
            world.measure(0.1)
        world.close()


def test_the_window_shows_what_moves_without_physics():
    """As with kinematic:=true; nothing is shown for a mere look."""
    shown = []
    camera = Camera()
    camera.show = lambda: shown.append(True)
    following = Following(camera, moves=False)
    following.update(np.zeros(3), 0.0)
    following.update(np.zeros(3), 0.004)
    assert len(shown) == 1

"""The law of feet on uneven ground, foot by foot."""

import numpy as np
import pytest

from softshell_control.footing.law import HIGHEST, LOWEST, Soles, adapt, rest

PERIOD = 0.004
LEVEL = np.array([0.0, 0.0, 1.0])
#: Where six feet stand in the base.
ANGLES = np.arange(6) * np.pi / 3.0
FEET = np.column_stack([0.3 * np.cos(ANGLES), 0.3 * np.sin(ANGLES), np.full(6, -0.15)])
TRIPOD = [0, 2, 4]
#: No foot is held back.
FREE = np.zeros((6, 3))


class Ground:
    """Feet on ground of given heights below them, under a base that stays where it is."""

    def __init__(self, heights, up=LEVEL):
        self.heights, self.up = np.asarray(heights, dtype=float), np.asarray(up)
        self.soles, self.normal = Soles.standing(6), np.zeros(3)
        self.feet, self.blind = FEET.copy(), False

    def period(self, lift=0.0):
        """One period with a tripod lifted by so much as planned."""
        self.feet[TRIPOD, 2] = FEET[TRIPOD, 2] + lift
        above = self.feet[:, 2] + self.soles.shift - FEET[:, 2] - self.heights
        felt = (above <= 1e-4) & (not self.blind)
        adapt(self.soles, self.feet, (felt, felt, FREE), self.up, PERIOD, self.normal)

    def stand(self, seconds):
        for _ in range(round(seconds / PERIOD)):
            self.period()

    def step(self, seconds=0.5, lift=0.03):
        """A step of the tripod."""
        for phase in np.arange(0.0, seconds, PERIOD) / seconds:
            self.period(lift * np.sin(np.pi * phase) ** 2)
        self.period()


def test_on_level_ground_nothing_changes():
    """Over four steps corrections stay below 0.25 mm."""
    ground = Ground(np.zeros(6))
    for _ in range(4):
        ground.step()
        ground.stand(0.2)
    assert ground.soles.shift == pytest.approx(0.0, abs=2.5e-4)
    assert ground.normal == pytest.approx(LEVEL)


@pytest.mark.parametrize('height', [0.01, 0.02, -0.01, -0.02])
def test_a_foot_stays_where_it_meets_the_ground(height):
    """Early, on a stone, or late, in a hole, within what it needs to brake."""
    heights = np.zeros(6)
    heights[0] = height
    ground = Ground(heights)
    ground.step()
    ground.stand(0.25)
    rise = ground.soles.shift[1:].mean()  # of the base, to be as high as before
    assert ground.soles.shift[0] - rise == pytest.approx(height, abs=0.003)
    assert -0.4 < rise / height < 0.05


def test_nothing_reaches_without_end():
    """Over an abyss a foot goes as far as it may, and the others stay."""
    heights = np.zeros(6)
    heights[0] = -1.0
    ground = Ground(heights)
    ground.step()
    for _ in range(500):
        ground.stand(PERIOD)
        assert ground.soles.shift.min() >= LOWEST - 1e-3
        assert ground.soles.shift.max() <= HIGHEST + 1e-3
    assert ground.soles.shift[0] < -0.03


def test_who_feels_nothing_does_nothing():
    """A robot that hangs, or whose feet nobody measures, keeps to its plan."""
    ground = Ground(np.zeros(6))
    ground.blind = True
    for _ in range(3):
        ground.step()
    assert ground.soles.shift == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize(('axis', 'sign'), [(0, 1.0), (0, -1.0), (1, 1.0), (1, -1.0)])
def test_a_base_that_leans_is_raised_where_it_is_low(axis, sign):
    """Its nose down by 2 degrees, the feet in front are pushed down, those behind drawn up."""
    lean = np.radians(2.0) * sign
    up = np.array([0.0, 0.0, np.cos(lean)])
    up[axis] = -np.sin(lean)  # the vertical, seen from a base whose +axis is low
    ground = Ground(np.full(6, -1.0), up)
    for _ in range(25):
        felt = np.ones(6, dtype=np.bool_)
        adapt(ground.soles, ground.feet, (felt, felt, FREE), up, PERIOD, ground.normal)
    ahead = FEET[:, axis] * sign
    assert (ground.soles.shift[ahead > 0.1] < -5e-4).all()
    assert (ground.soles.shift[ahead < -0.1] > 5e-4).all()
    assert ground.soles.shift.sum() == pytest.approx(0.0, abs=1e-6)


def test_a_base_that_is_to_lean_does():
    """A plan that tilts the base by 5 degrees is left alone when the base is tilted so."""
    lean = np.radians(5.0)
    turn = np.array(
        [[np.cos(lean), 0.0, np.sin(lean)], [0.0, 1.0, 0.0], [-np.sin(lean), 0.0, np.cos(lean)]]
    )
    soles, normal, felt = Soles.standing(6), np.zeros(3), np.ones(6, dtype=np.bool_)
    feet, up = FEET @ turn, turn.T @ LEVEL  # both as the base sees them
    for _ in range(100):
        adapt(soles, feet, (felt, felt, FREE), up, PERIOD, normal)
    assert normal == pytest.approx(up, abs=1e-4)
    assert soles.shift == pytest.approx(0.0, abs=2e-5)


def test_a_foot_is_raised_over_what_it_touches_on_its_way_up():
    """Feet that touch something while they are lifted by 3 cm get more than 5 mm in addition."""
    ground = Ground(np.zeros(6))
    for lift in np.arange(0.0, 0.03, 0.03 / 60):
        ground.feet[TRIPOD, 2] = FEET[TRIPOD, 2] + lift
        touching = np.ones(6, dtype=np.bool_)
        carried = np.array([False, True] * 3)
        felt = (touching, carried, FREE)
        adapt(ground.soles, ground.feet, felt, LEVEL, PERIOD, ground.normal)
    assert (ground.soles.shift[TRIPOD] > 0.005).all()


def test_a_foot_that_is_caught_on_its_way_up_is_drawn_straight_out():
    """It stays where it is on the ground, which goes back under the base, until it is free."""
    soles, normal, feet = Soles.standing(6), np.zeros(3), FEET.copy()
    carried = np.array([False, True] * 3)
    for period in range(60):
        feet[:, 0] += PERIOD * np.array([0.05, -0.05] * 3)
        feet[TRIPOD, 2] += 0.0005
        held = np.outer(~carried, -LEVEL)  # by something that pulls it straight down
        adapt(soles, feet, (~carried | carried, carried, held), LEVEL, PERIOD, normal)
        if period == 20:
            begin = (feet + soles.aside)[:, :2]
    still = begin - [39 * PERIOD * 0.05, 0.0]
    assert (feet + soles.aside)[:, :2] == pytest.approx(still, abs=1e-9)
    for _ in range(60):
        feet[TRIPOD, 2] += 0.0001
        adapt(soles, feet, (carried, carried, FREE), LEVEL, PERIOD, normal)
    assert np.abs(soles.aside).max() < 0.002


@pytest.mark.parametrize(('force', 'fast'), [(0.5, 0.15), (1.0, 0.3), (4.0, 0.3)])
def test_a_foot_in_the_air_yields_to_a_wall_that_holds_it(force, fast):
    """Along the ground, by the force in shares of the weight, 0.3 m/s at most and 50 mm in all."""
    soles, normal, feet = Soles.standing(6), np.zeros(3), FEET.copy()
    carried, held = np.array([False, True] * 3), FREE.copy()
    held[0] = 0.6 * force, -0.8 * force, -3.0
    ways = []
    for _ in range(100):
        feet[TRIPOD, 2] += 0.0005
        adapt(soles, feet, (~carried, carried, held), LEVEL, PERIOD, normal)
        ways.append(soles.aside[0].copy())
    assert np.diff(ways[15:25], axis=0) / PERIOD == pytest.approx(
        np.tile((0.6 * fast, -0.8 * fast, 0.0), (9, 1)), abs=1e-9
    )
    assert ways[-1] == pytest.approx([0.03, -0.04, 0.0], abs=1e-9)
    assert not soles.aside[1:].any()


@pytest.mark.parametrize(
    ('pull', 'push', 'deep'),
    [
        (0.4, 0.0, 0.0),
        (1.0, 0.0, 0.016),
        (1.2, 0.0, 0.0224),
        (1.2, 0.2, 0.016),
        (1.5, 1.5, 0.0),  # by the friction of a wall that it rises along
    ],
)
def test_a_swinging_foot_yields_to_what_pulls_it_down(pull, push, deep):
    """Till its way back is as fast: by 80 ms · 0.4 m/s for each share of the weight beyond 0.5 and
    the push."""
    soles, normal, feet = Soles.standing(6), np.zeros(3), FEET.copy()
    carried = np.array([False, True] * 3)
    held = np.outer(~carried, [0.6 * push, 0.8 * push, -pull])
    for _ in range(400):
        feet[TRIPOD, 2] += 0.0001
        adapt(soles, feet, (carried, carried, held), LEVEL, PERIOD, normal)
    assert soles.shift[TRIPOD] == pytest.approx(-deep, abs=1e-6)
    assert soles.shift[1::2] == pytest.approx(0.0, abs=1e-6)


def test_corrections_are_taken_back():
    """All of them, to exactly 0, no faster than 0.1 m/s."""
    soles = Soles.standing(6)
    soles.shift[:] = np.linspace(-0.03, 0.03, 6)
    soles.shift[2], soles.aside[2] = 0.0, (0.02, 0.01, 0.0)
    largest = 0.0
    for _ in range(500):
        before, aside = soles.shift.copy(), soles.aside.copy()
        rest(soles, PERIOD)
        largest = max(largest, np.abs(soles.shift - before).max() / PERIOD)
        largest = max(largest, np.linalg.norm(soles.aside - aside, axis=1).max() / PERIOD)
    assert not soles.shift.any()
    assert not soles.aside.any()
    assert largest <= 0.1 + 1e-9

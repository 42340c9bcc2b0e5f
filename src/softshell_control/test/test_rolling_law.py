"""The rolling law by itself: what it makes of an IMU, and what it tells the joints."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from softshell_control.ball.cage import cage_of
from softshell_control.ball.candidates import candidates_of
from softshell_control.ball.heading import Heading, Odometer
from softshell_control.ball.rolling_law import Aim, RollingLaw
from softshell_description.load import load_robot

CAGE = cage_of(load_robot())
PUSHES = candidates_of(CAGE)
STILL = np.zeros(3)


def law():
    """A law of its own."""
    return RollingLaw(CAGE, candidates=PUSHES)


def test_a_ball_that_spins_moves_without_slip():
    """Spin about y is motion along x, at the speed of the contact, within six time constants."""
    odometer = Odometer(0.2)
    for _ in range(30):
        odometer.update(np.array([0.0, 3.0, 5.0]))
    assert odometer.velocity == pytest.approx([3.0 * 0.2, 0.0], rel=0.02, abs=1e-12)


def test_heading_pushes_back_to_the_line():
    """Straight ahead on the line; against a sideways motion, or an offset, to the other side."""
    heading = Heading()
    assert heading.push(0.7, np.zeros(2), 0.01) == pytest.approx([np.cos(0.7), np.sin(0.7)])
    heading = Heading()
    assert heading.push(0.0, np.array([0.0, 0.3]), 0.01)[1] < -0.3
    for _ in range(100):
        heading.push(0.0, np.array([0.5, 0.2]), 0.01)
    assert heading.offset == pytest.approx(0.2, rel=0.05)
    assert heading.progress == pytest.approx(0.5, rel=0.01)
    assert heading.push(0.0, np.array([0.5, 0.0]), 0.01)[1] < -0.3


def test_panels_open_behind_the_contact():
    """From nearly all orientations panels open, and what they push down lies behind the centre."""
    opened = 0
    for seed in range(20):
        turn, rolling = Rotation.random(random_state=seed), law()
        ahead = np.array([np.cos(0.5 * seed), np.sin(0.5 * seed)])
        for tick in range(40):
            goals = rolling.step(0.01 * tick, turn.as_quat(), STILL, Aim.ROLL, 0.5 * seed)
        surfaces = [
            turn.apply(panel.surface(goals) - CAGE.centre)
            for panel in CAGE.panels
            if not np.allclose(goals[panel.joints], CAGE.closed[panel.joints])
        ]
        opened += bool(surfaces)
        assert len(surfaces) <= rolling.settings.slow_open
        for surface in surfaces:
            assert surface[surface[:, 2].argmin(), :2] @ ahead < 0.0
    assert opened >= 18


def test_goals_move_no_faster_than_told_and_stay_in_range():
    """4.6 rad/s, through any orientations, spins and aims."""
    rolling, random = law(), np.random.default_rng(0)
    before = rolling.goals
    for tick in range(400):
        aim = list(Aim)[tick // 100 % 3]
        turn = Rotation.random(random_state=random).as_quat()
        goals = rolling.step(0.01 * tick, turn, random.normal(0.0, 3.0, 3), aim, 1.0)
        assert np.abs(goals - before).max() <= 0.046 + 1e-12
        assert (goals >= CAGE.lower - 1e-9).all()
        assert (goals <= CAGE.upper + 1e-9).all()
        before = goals


def test_goals_stay_near_a_joint_that_is_held_back():
    """Within what a motor is supervised for; those that nobody measures go where they are to.

    Once it is let go, it gets there as well.
    """
    rolling, held = law(), CAGE.panels[0].joints[CAGE.panels[0].moves][0]
    rolling.wanted = PUSHES.bloom + 1.0
    rolling.wanted = np.clip(rolling.wanted, CAGE.lower, CAGE.upper)
    free = rolling.wanted.copy()
    places = np.full(len(free), np.nan)
    places[held] = CAGE.closed[held]
    for _ in range(100):
        rolling.move(0.01, places)
    assert abs(free[held] - CAGE.closed[held]) > rolling.settings.lead
    assert abs(rolling.goals[held] - places[held]) == pytest.approx(rolling.settings.lead)
    others = np.arange(len(free)) != held
    assert rolling.goals[others] == pytest.approx(free[others])
    for _ in range(100):
        places[held] = rolling.goals[held]
        rolling.move(0.01, places)
    assert rolling.goals == pytest.approx(free)


def test_what_makes_no_way_blooms():
    """A ball that is told to roll and stays where it is opens all panels after a while."""
    rolling, bloomed = law(), False
    for tick in range(200):
        goals = rolling.step(0.01 * tick, np.array([0.0, 0.0, 0.0, 1.0]), STILL, Aim.ROLL)
        away = np.abs(goals - CAGE.closed)
        bloomed |= all(away[panel.joints[panel.moves]].max() > 0.05 for panel in CAGE.panels)
    assert bloomed


def test_a_panel_that_has_been_rolled_over_closes():
    """At once, before it would hold the ball back; one that still pushes stays open for longer."""
    for way, stays in ((0.0, True), (np.pi, False)):
        rolling, turn = law(), Rotation.random(random_state=3).as_quat()
        for tick in range(60):
            rolling.step(0.01 * tick, turn, STILL, Aim.ROLL, 0.0)
        opened = np.flatnonzero(rolling.wanted != CAGE.closed)
        assert len(opened)
        rolling.step(0.6, turn, STILL, Aim.ROLL, way)  # behind is ahead where it turns round
        assert (rolling.wanted[opened] != CAGE.closed[opened]).any() == stays


def test_what_is_caught_while_it_is_righted_blooms():
    """Tilted and still, it opens all panels after a while; while its tilt changes it does not."""
    for rate, expected in ((0.0, True), (0.5, False)):
        rolling, bloomed = law(), False
        for tick in range(150):
            turn = Rotation.from_rotvec([2.2 - rate * 0.01 * tick, 0.0, 0.0]).as_quat()
            rolling.step(0.01 * tick, turn, np.array([-rate, 0.0, 0.0]), Aim.RIGHT)
            bloomed |= np.array_equal(rolling.wanted, PUSHES.bloom)
        assert bloomed is expected


def test_what_has_settled_askew_closes_and_tries_again():
    """Level enough to be caught, and too tilted to stand up from: not bloomed for ever."""
    rolling, blooms = law(), []
    turn = Rotation.from_rotvec([0.3, 0.0, 0.0]).as_quat()
    for tick in range(300):
        rolling.step(0.01 * tick, turn, STILL, Aim.RIGHT)
        blooms.append(np.array_equal(rolling.wanted, PUSHES.bloom))
    assert not rolling.rests
    closed = np.flatnonzero(np.diff(np.array(blooms, dtype=int)))
    # About 0.6 s open, 0.4 s closed, in turns.
    assert 4 <= len(closed) <= 7
    assert 0.5 < np.mean(blooms) < 0.75


def test_it_rests_where_it_is_told_to():
    """Still, upright or not, a stop ends in rest; to be righted it has to be upright for that."""
    for tilt, aim, expected in (
        (2.0, Aim.STOP, True), (0.1, Aim.RIGHT, True), (2.0, Aim.RIGHT, False),
    ):  # fmt: skip
        rolling = law()
        for tick in range(100):
            turn = Rotation.from_rotvec([tilt, 0.0, 0.0]).as_quat()
            assert not rolling.rests
            rolling.step(0.01 * tick, turn, STILL, aim)
        assert rolling.rests is expected
        assert rolling.tilt == pytest.approx(tilt)


@pytest.mark.parametrize(('rate', 'expected'), [(0.0, True), (0.1, True), (0.5, False)])
def test_a_ball_that_turns_on_the_spot_does_not_rest(rate, expected):
    """About the vertical, where it has no speed over the ground: it may yet fall over."""
    rolling = law()
    for tick in range(200):
        spin = np.array([0.0, 0.0, rate])
        rolling.step(0.01 * tick, Rotation.identity().as_quat(), spin, Aim.STOP)
    assert rolling.rests is expected


def test_a_reset_law_repeats_itself():
    """Bit for bit."""
    rolling, runs = law(), []
    for _ in range(2):
        rolling.reset()
        random = np.random.default_rng(1)
        run = [
            rolling.step(0.01 * tick, random.normal(size=4), random.normal(size=3), Aim.ROLL)
            for tick in range(100)
        ]
        runs.append(np.array(run).tobytes())
    assert runs[0] == runs[1]


def test_a_restored_law_goes_on_as_it_did():
    """Bit for bit, though it has gone elsewhere since, and as often as it is restored."""
    rolling, random = law(), np.random.default_rng(2)
    seen = [(random.normal(size=4), random.normal(size=3)) for _ in range(120)]
    for tick in range(60):
        rolling.step(0.01 * tick, *seen[tick], Aim.ROLL)
    content, runs = rolling.save(), []
    for _ in range(3):
        rolling.restore(content)
        goals = [rolling.step(0.01 * tick, *seen[tick], Aim.ROLL) for tick in range(60, 120)]
        runs.append(np.array(goals).tobytes())
    assert runs[0] == runs[1] == runs[2]


@pytest.mark.parametrize(('aim', 'fastest'), [(Aim.ROLL, 'speed'), (Aim.RIGHT, 'gentle_speed')])
def test_panels_move_as_fast_as_they_may_and_gently_while_it_is_righted(aim, fastest):
    """Panels that open for a ball at rest reach the speed of what it is to do, and no more."""
    rolling, turn, rates = law(), Rotation.random(random_state=3).as_quat(), []
    for tick in range(60):
        rolling.step(0.01 * tick, turn, STILL, aim)
        rates.append(np.abs(rolling.rates).max())
    assert max(rates) == pytest.approx(getattr(rolling.settings, fastest))

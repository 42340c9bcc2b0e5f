"""Checks of an experiment, and its film."""

import math

import numpy as np
import pytest

from softshell_sim.bodies import ObjectSpec
from softshell_sim.physics.engine_settings import EngineSettings
from softshell_sim.physics.engines import make_engine
from softshell_sim.shapes import Box
from softshell_studies.film import Film, eye_about, view_from
from softshell_studies.outcome import Check, Outcome


@pytest.mark.parametrize(
    ('value', 'bounds', 'passed', 'expected'),
    [
        (1.0, {'lowest': 0.9, 'highest': 1.1}, True, '0.9 to 1.1'),
        (1.2, {'highest': 1.1}, False, 'at most 1.1'),
        (1.2, {'lowest': 1.1}, True, 'at least 1.1'),
        (float('nan'), {'lowest': 0.0}, False, 'at least 0'),
    ],
)
def test_a_check_says_what_is_expected(value, bounds, passed, expected):
    """NaN passes no check."""
    check = Check('way', value, 'm', **bounds)
    assert (check.passed, check.expected) == (passed, expected)
    outcome = Outcome([check], {'mass': '2 kg'})
    assert outcome.passed == passed
    assert ('FAILED' in outcome.table()) != passed
    assert 'mass' in outcome.table()


@pytest.fixture
def world():
    """With a box."""
    engine = make_engine('mujoco', EngineSettings(0.01, 9.81, False))
    engine.add(ObjectSpec('box', Box((0.2, 0.2, 0.2))))
    yield engine
    engine.close()


def test_a_film_has_a_fixed_frame_rate(world, tmp_path):
    """At twice the speed it has half as many pictures; the box is in their middle."""
    view = view_from(eye_about(np.zeros(3), 1.0, 0.3, 0.5), np.zeros(3), 160, 120)
    film = Film(speed=2.0)
    for k in range(101):
        film.look(world, view, 0.01 * k)
    video, overview = film.save(tmp_path, 'box')
    assert video.stat().st_size > 500
    assert overview.stat().st_size > 500
    assert len(film._pictures) == 13
    sky = film._pictures[0][0, 0]
    assert not np.array_equal(film._pictures[0][60, 80], sky)


def test_a_film_of_long_steps_repeats_their_pictures():
    """So that it lasts as long as what it shows: a second at 25 pictures a second."""
    film, rendered = Film(), []
    for k in range(11):
        film.take(
            lambda: rendered.append(0) or np.full((2, 2, 3), len(rendered), np.uint8), 0.1 * k
        )
    assert len(rendered) == 11
    shown = [int(picture[0, 0, 0]) - 1 for picture in film._pictures]
    assert shown == [math.ceil(0.04 * k / 0.1 - 1e-9) for k in range(26)]


def test_a_film_that_is_not_wanted_renders_and_writes_nothing(world, tmp_path):
    """And writes nothing."""
    film = Film(wanted=False)
    film.look(world, view_from((1.0, 0.0, 0.0), (0.0, 0.0, 0.0)), 0.0)
    assert film.save(tmp_path, 'box') == []
    assert not list(tmp_path.iterdir())

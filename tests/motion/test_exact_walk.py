"""Robots walk as far as they are told, and straight, with nobody looking where they go."""

import numpy as np
import pytest
from planned_walker import Walker

ENGINES = ['mujoco', pytest.param('pybullet', marks=pytest.mark.long)]


def walked(engine, friction, distance, robot='shell', **given):
    """Error of a walk's length [%], and what it turned [deg]."""
    walker = Walker(engine, friction, robot)
    walker.perform('stand')
    begin, heading = walker.pose()
    walker.perform('walk', distance=distance, **given)
    end, turned = walker.pose()
    walker.world.close()
    course = np.radians(heading) + given.get('direction', 0.0)
    way = (end - begin) @ [np.cos(course), np.sin(course)]
    return 100.0 * (way / distance - 1.0), turned - heading


@pytest.mark.parametrize(
    ('engine', 'friction', 'given'),
    [
        ('mujoco', 0.5, {}),
        pytest.param('mujoco', 1.0, {'step': 0.05, 'height': 0.01}, marks=pytest.mark.long),
        pytest.param(
            'mujoco',
            1.0,
            {'step': 0.05, 'height': 0.04, 'period': 0.6, 'direction': 1.57},
            marks=pytest.mark.long,
        ),
        pytest.param('mujoco', 1.0, {'step': 0.1, 'period': 0.7}, marks=pytest.mark.long),
        pytest.param('pybullet', 0.5, {}, marks=pytest.mark.long),
        ('pybullet', 1.0, {'step': 0.06, 'direction': -2.0}),
    ],
)
def test_it_is_within_a_percent_and_half_a_degree_a_metre(engine, friction, given):
    """With steps of 5 to 10 cm, lifts of 1 to 4 cm, forwards and to the sides."""
    distance = 0.6
    error, turned = walked(engine, friction, distance, **given)
    assert abs(error) < 1.0
    assert abs(turned) < 0.5 * distance


@pytest.mark.long
@pytest.mark.parametrize('seed', range(1, 21))
@pytest.mark.parametrize('engine', ['mujoco', 'pybullet'])
def test_so_it_is_in_any_direction_at_any_period_that_is_allowed(engine, seed):
    """With any steps, lifts and friction; what is too fast is slowed down."""
    random = np.random.default_rng(seed)
    distance = 0.5
    error, turned = walked(
        engine,
        random.uniform(0.4, 1.0),
        distance,
        step=random.uniform(0.05, 0.1),
        height=random.uniform(0.01, 0.04),
        direction=random.uniform(-np.pi, np.pi),
        period=random.uniform(0.3, 0.8),
    )
    assert abs(error) < 1.0
    assert abs(turned) < 0.5 * distance


@pytest.mark.parametrize('engine', ENGINES)
def test_short_steps_turn_it_no_further(engine):
    """No more than 0.03 degrees a step, and a percent of the way."""
    error, turned = walked(engine, 1.0, 0.2, step=0.02)
    assert abs(error) < 1.0
    assert abs(turned) < 10 * 0.03


@pytest.mark.parametrize('engine', ENGINES)
@pytest.mark.parametrize('friction', [pytest.param(0.5, marks=pytest.mark.long), 1.0])
def test_a_quadruped_crawls_as_far_and_as_straight(engine, friction):
    """It sways, and stands on three feet while one steps."""
    distance = 0.4
    error, turned = walked(engine, friction, distance, 'quadruped')
    assert abs(error) < 1.0
    assert abs(turned) < 0.5 * distance

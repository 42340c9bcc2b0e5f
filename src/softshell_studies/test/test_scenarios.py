"""Scenarios of studies: their metrics are right, and runs can be repeated."""

import math

import numpy as np
import pytest

from softshell_common.plain_data import from_data
from softshell_kinematics.errors import ProblemsError, SoftshellError
from softshell_studies.gym.walk import WalkForm
from softshell_studies.study.scenario import SCENARIOS, scenario_of


def run(name, seed=1, **parameters):
    scenario = scenario_of(name)
    return scenario.run(scenario.form.model_validate(parameters), seed)


@pytest.mark.parametrize('name', SCENARIOS)
def test_each_scenario_has_its_name_and_defaults(name):
    scenario = scenario_of(name)
    assert scenario.name == name
    scenario.form()
    assert all(metric.meaning for metric in scenario.metrics.values())


@pytest.mark.parametrize(
    ('form', 'path'),
    [
        (scenario_of('tendon_rod').form, ('links',)),
        (scenario_of('hand').form, ('cycles',)),
        (scenario_of('snake').form, ('cycles',)),
        (scenario_of('roll').form, ('law', 'most_open')),
        (WalkForm, ('ground_seed',)),
    ],
)
@pytest.mark.parametrize(('value', 'shown'), [('12', "'12'"), (True, 'true'), (2.5, '2.5')])
def test_whole_numbers_are_no_texts_and_not_true(form, path, value, shown):
    """Of scenarios and tasks; the value is named as it was written."""
    data = value
    for key in reversed(path):
        data = {key: data}
    with pytest.raises(ProblemsError) as caught:
        from_data(form, data)
    said = f'{".".join(path)}: is {shown}; expected a whole number'
    assert caught.value.problems == (said,)


def test_a_whole_number_of_a_scenario_may_be_one_of_a_grid():
    """The grid of a study has 20.0 where its range is from 10 to 40 in steps of 10."""
    assert from_data(scenario_of('tendon_rod').form, {'links': 20.0}).links == 20
    assert from_data(scenario_of('roll').form, {'law': {'most_open': 3.0}}).law.most_open == 3
    for name in ('hand', 'snake'):
        assert from_data(scenario_of(name).form, {'cycles': 3.0}).cycles == 3


def test_a_walk_covers_its_distance_at_a_plausible_cost():
    """Within 1 % of the distance; a second run gives the same numbers exactly."""
    asked = {'distance': 0.3, 'direction': 0.7, 'gait': {'step': 0.06, 'period': 0.5}}
    found = run('walk', **asked)
    assert found.keys() == scenario_of('walk').metrics.keys()
    assert found['distance'] == pytest.approx(0.3, rel=0.02)
    assert abs(found['aside']) < 0.01
    assert found['fallen'] == 0.0
    assert found['speed'] == pytest.approx(found['distance'] / found['duration'])
    # Of the order of what legged robots of its kind need (Gregorio et al. 1997: 0.5 to 2).
    assert 0.2 < found['cost_of_transport'] < 3.0
    assert run('walk', **asked) == found


@pytest.mark.long
def test_the_seed_chooses_the_rubble():
    """Another seed gives other rubble, and so another walk."""
    ground = {'kind': 'rubble', 'height': 0.03}
    first, again, other = (
        run('walk', seed, distance=0.15, footing=True, ground=ground) for seed in (3, 3, 4)
    )
    assert first == again
    assert first != other


@pytest.mark.long
def test_a_ball_rolls_in_the_commanded_direction_and_stands_up():
    found = run('roll', distance=1.5, direction=1.0, opens=True)
    assert found.keys() == scenario_of('roll').metrics.keys()
    assert 1.2 < found['distance'] < 2.4
    assert found['rests'] == found['stands'] == 1.0
    assert found['top_speed'] < 1.5


def test_a_rod_bends_to_where_its_tendon_pulls():
    """By one tendon, without weight: a moment T r, so that EI κ = T r; as a chain, to 1 %.

    `above` pulls towards y, and `left` towards x.
    """
    given = {'length': 0.2, 'diameter': 0.01, 'youngs_modulus': 2e6, 'density': 0.0,
             'radius': 0.008, 'links': 80}  # fmt: skip
    found = run('tendon_rod', above=0.3, **given)
    stiffness = 2e6 * math.pi * 0.01**4 / 64.0
    curvature = 0.3 * 0.008 / stiffness
    angle = curvature * 0.2
    aside, along = (1.0 - math.cos(angle)) / curvature, math.sin(angle) / curvature
    tip = [found['tip_x'], found['tip_y'], found['tip_z']]
    assert tip == pytest.approx([0.0, aside, along], rel=0.03, abs=1e-9)
    found = run('tendon_rod', above=0.0, left=0.3, **given)
    tip = [found['tip_x'], found['tip_y'], found['tip_z']]
    assert tip == pytest.approx([aside, 0.0, along], rel=0.03, abs=1e-9)
    assert run('tendon_rod', above=0.0, **given)['way'] == pytest.approx(0.0, abs=1e-6)


def test_a_rod_that_does_not_come_to_rest_has_no_metrics():
    """Its tendon pulls 100 times as hard as one that curls it up."""
    with pytest.raises(
        SoftshellError, match=r'no pose at rest was found in 200 Newton steps: .* rad'
    ):
        run('tendon_rod', above=100.0)


@pytest.mark.parametrize(
    ('name', 'given'),
    [
        pytest.param('hand', {'cycles': 1}, marks=pytest.mark.long),
        pytest.param('snake', {'cycles': 1}, marks=pytest.mark.long),
        pytest.param('grasp', {'distance': 0.0, 'thing': {'size': 0.05, 'shape': 'ball'}},
                     marks=pytest.mark.long),
    ],
)  # fmt: skip
def test_each_scenario_returns_its_metrics_and_can_be_repeated(name, given):
    """All of them and no others; the same seed gives the same numbers."""
    scenario = scenario_of(name)
    form = scenario.form.model_validate(given)
    measured = scenario.run(form, 5)
    assert set(measured) == set(scenario.metrics)
    assert all(np.isfinite(value) for value in measured.values())
    assert scenario.run(form, 5) == measured


@pytest.mark.long
def test_a_cube_is_turned_half_round_in_a_cycle():
    """As by the published hand; all metrics are returned."""
    hand = scenario_of('hand')
    measured = hand.run(hand.form(cycles=1), 0)
    assert set(measured) == set(hand.metrics)
    assert 2.6 < measured['turned'] < 3.7
    assert measured['dropped'] == 0.0


def test_the_way_of_a_snake_is_that_of_all_of_its_time():
    """Also in a run so short that no other sample of the way falls into it."""
    found = run('snake', cycles=1, frequency=100.0, torque=0.2, along=0.0)
    assert found['steps'] == 32
    assert found['ahead'] != 0.0
    assert found['speed'] == pytest.approx(found['ahead'] * 100.0 / (2.0 * np.pi))


@pytest.mark.long
def test_a_snake_moves_only_if_friction_is_lower_along_it():
    """About a fifth of its length in a cycle; not at all with equal friction."""
    snake = scenario_of('snake')
    measured = snake.run(snake.form(cycles=1), 0)
    assert set(measured) == set(snake.metrics)
    assert 0.1 < measured['lengths'] < 0.4
    assert measured['speed'] == pytest.approx(measured['ahead'] / (2.0 * np.pi))
    alike = snake.run(snake.form(cycles=1, along=1.0), 0)
    assert abs(alike['ahead']) < 0.2 * measured['ahead']


@pytest.mark.long
def test_fingers_with_weak_tendons_hold_nothing():
    """The object weighs 100 g, and the tendons hardly pull."""
    grasp = scenario_of('grasp')
    thing = {'size': 0.05, 'shape': 'ball', 'mass': 0.1, 'aside': 0.0}
    holds = grasp.run(grasp.form(distance=0.0, thing=thing), 1)
    assert holds['held'] == holds['success'] == 1.0
    assert holds['squeeze'] > 0.981
    weak = grasp.run(grasp.form(distance=0.0, thing=thing, fingers={'force': 0.5}), 1)
    assert weak['held'] == 0.0


def test_only_the_stiffness_of_fingers_is_changed():
    """All else of the robot is the same."""
    from softshell_description.load import load_robot
    from softshell_studies.grasper import with_stiffer_fingers

    plain, stiff = load_robot('shell_fingers'), with_stiffer_fingers('shell_fingers', 2.0)
    for name, spec in plain.soft.items():
        assert stiff.soft[name].joints == spec.joints
        for one, other in zip(spec.moved, stiff.soft[name].moved, strict=True):
            assert other.joint.stiffness == 2.0 * one.joint.stiffness
            assert other.joint.damping == 2.0 * one.joint.damping
    assert stiff.joint_names == plain.joint_names


def test_the_seed_chooses_the_direction_any():
    from softshell_studies.scenarios.roll import RollForm, direction_of

    assert direction_of(RollForm(direction=0.5), 3) == 0.5
    any_ = [direction_of(RollForm(direction='any'), seed) for seed in range(20)]
    assert direction_of(RollForm(direction='any'), 3) == any_[3]
    assert min(any_) < -1.0 < 1.0 < max(any_)

"""Scenarios are read whole, with every problem and its line."""

from pathlib import Path

import pytest

from softshell_description.load import load_robot
from softshell_kinematics.errors import ProblemsError
from softshell_recording.scenario import load_scenario

ROBOTS = Path(__file__).parents[3] / 'config/robots'


def scenario_of(tmp_path, text):
    path = tmp_path / 'demo.yaml'
    path.write_text(text, encoding='utf-8')
    return load_scenario(path)


def problems_of(tmp_path, text):
    with pytest.raises(ProblemsError) as caught:
        scenario_of(tmp_path, text)
    assert caught.value.subject == str(tmp_path / 'demo.yaml')
    return caught.value.problems


@pytest.mark.parametrize('folder', sorted(path.parent for path in ROBOTS.glob('*/robot.yaml')))
def test_every_robot_has_a_scenario_of_actions_it_has(folder):
    """Each robot's demo.yaml is valid, and its actions have files of their name."""
    scenario = load_scenario(folder)
    robot = load_robot(folder)
    folders = [robot.folder, *robot.bases]
    known = {path.stem for each in folders for path in (each / 'actions').glob('*.yaml')}
    assert {step.action for step in scenario.steps} <= known


def test_steps_keep_their_order_and_parameters(tmp_path):
    """Steps, parameters, the measured step and checks are those of the file."""
    scenario = scenario_of(
        tmp_path,
        'description: a test\n'
        'steps:\n'
        '  - action: up\n'
        '  - {action: go, with: {far: 2, fast: 0.5}, measure: travel}\n'
        'checks: {minimum_distance: 1.5}\n',
    )
    assert [step.action for step in scenario.steps] == ['up', 'go']
    assert scenario.steps[1].parameters == {'far': 2.0, 'fast': 0.5}
    assert scenario.steps[1].told == 'far=2 fast=0.5'
    assert scenario.measured('travel') == 1
    assert scenario.measured('turn') is None
    assert scenario.checks.minimum_distance == 1.5
    assert scenario.checks.maximum_tilt is None


def test_all_problems_at_once_with_their_lines(tmp_path):
    """Unknown keys, wrong types and ranges are listed together, each with its line."""
    problems = problems_of(
        tmp_path,
        'description: a test\n'
        'steps:\n'
        '  - {action: up, whit: {far: 2}}\n'
        '  - {action: go, with: {far: much}}\n'
        '  - {action: go, measure: speed}\n'
        'checks: {minimum_distance: -1.0, maximum: 2.0}\n',
    )
    for line, name in (
        (3, 'steps.0.whit'),
        (4, 'steps.1.with.far'),
        (5, 'steps.2.measure'),
        (6, 'checks.minimum_distance'),
        (6, 'checks.maximum'),
    ):
        assert any(one.startswith(f'line {line}: {name}: ') for one in problems), (name, problems)
    assert len(problems) == 5


@pytest.mark.parametrize(
    ('text', 'expected'),
    [
        (
            'description: two\n'
            'steps:\n'
            '  - {action: go, measure: travel}\n'
            '  - {action: go, measure: travel}\n',
            'line 4: steps.1.measure: travel is measured in 2 steps; expected one',
        ),
        (
            'description: none\nsteps: [{action: go}]\nchecks:\n  minimum_distance: 1.0\n',
            'line 4: checks.minimum_distance: expected a step with `measure: travel`',
        ),
    ],
)
def test_entries_that_contradict_each_other(tmp_path, text, expected):
    """A measure has one step, and a check has its measure."""
    assert any(one.startswith(expected) for one in problems_of(tmp_path, text))


@pytest.mark.parametrize('text', ['', '[]', 'description: x\nsteps: []', '{'])
def test_no_scenario_at_all(tmp_path, text):
    """A file of another shape is refused with problems."""
    assert problems_of(tmp_path, text)


def test_what_a_robot_does_not_have_is_named_before_it_moves(tmp_path):
    """Unknown actions and parameters are listed at once with their lines and the known names."""
    scenario = scenario_of(
        tmp_path,
        'description: a test\n'
        'steps:\n'
        '  - {action: go, with: {far: 2}}\n'
        '  - {action: fly}\n'
        '  - {action: go, with: {distance: 2}}\n',
    )
    with pytest.raises(ProblemsError) as caught:
        scenario.require({'go': ['distance', 'height'], 'rest': []})
    assert caught.value.problems == (
        "line 3: steps.0.with.far: unknown parameter 'far' of go; known: distance, height",
        "line 4: steps.1.action: unknown action 'fly'; known: go, rest",
    )

"""Scenarios with robots other than the usual one: what a robot cannot do is told beforehand."""

import json
import re
from pathlib import Path

import pytest

from softshell_kinematics.errors import ProblemsError
from softshell_studies.study.scenario import scenario_of
from softshell_studies.study.study import read_study

ANT = str(Path(__file__).resolve().parents[3] / 'examples' / 'my_robot_pkg' / 'robots' / 'ant')


@pytest.fixture
def problem(tmp_path):
    """The only problem of a study of a scenario; raises if it has none, or several."""

    def read(scenario, parameters, **fixed):
        varied = {path: {'values': values} for path, values in parameters.items()}
        metric = [*scenario_of(scenario).metrics][-1]  # a distance has the name of another one
        content = {'scenario': scenario, 'fixed': fixed, 'parameters': varied, 'metrics': [metric]}
        path = tmp_path / 'study.yaml'
        path.write_text(json.dumps(content), encoding='utf-8')
        with pytest.raises(ProblemsError) as caught:
            read_study(path)
        (told,) = caught.value.problems
        return told

    return read


@pytest.mark.long
@pytest.mark.parametrize(
    ('robot', 'gait'),
    [('quadruped', {'name': 'trot', 'cycle': 0.6}), (ANT, {})],
)
def test_a_robot_that_only_walks_ahead_walks_the_distance(robot, gait):
    """Its `walk` has neither a direction nor the period of a step."""
    walk = scenario_of('walk')
    form = walk.form.model_validate({'robot': robot, 'distance': 0.1, 'gait': gait})
    found = walk.run(form, 1)
    assert found['distance'] == pytest.approx(0.1, abs=0.015)
    assert found['fallen'] == found['stuck'] == 0.0


@pytest.mark.parametrize(
    ('scenario', 'fixed', 'varied', 'told'),
    [
        ('walk', {'robot': 'quadruped'}, {'gait.period': [0.5]},
         r"gait: walk: unknown parameter 'period'; .*known: cycle, distance, gait, height, step"),
        ('walk', {'robot': 'quadruped'}, {'direction': [0.0, 1.0]},
         r"direction: walk: unknown parameter 'direction'; known: cycle, "),
        ('walk', {'robot': 'quadruped'}, {'distance': [5.0, 6.0]},
         r'distance: walk: parameter distance is 6; expected .*5'),
        ('walk', {}, {'gait.step': [0.08, 5.0]},
         r'gait: walk: parameter step is 5; expected 0\.01 to 0\.1'),
        ('walk', {}, {'gait.cycle': [0.5]}, r"gait: walk: unknown parameter 'cycle'; "),
        ('walk', {}, {'direction': [7.0]}, r'direction: walk: parameter direction is 7; '),
        ('walk', {'robot': 'arm'}, {'distance': [0.1]},
         r"robot is 'arm', which lacks the actions stand, walk; expected a robot that has stand"),
        ('walk', {'robot': 'nix'}, {'distance': [0.1]}, "robot: unknown robot 'nix'"),
        ('roll', {'robot': 'nix'}, {'distance': [1.0]}, "robot: unknown robot 'nix'"),
        ('roll', {'robot': 'quadruped'}, {'distance': [1.0]},
         "robot is 'quadruped', which lacks the actions close, roll; "),
        ('roll', {}, {'direction': [0.0, 'any', 7.0]},
         'direction: roll: parameter direction is 7'),
        ('grasp', {'robot': 'nix'}, {'distance': [1.0]}, "robot: unknown robot 'nix'"),
        ('grasp', {'robot': 'shell'}, {'distance': [1.0]},
         "robot is 'shell', which lacks the actions ready, grasp, release; "),
        ('grasp', {}, {'distance': [0.5, 50.0]}, 'distance: walk: parameter distance is 50; '),
        ('grasp', {}, {'fingers.force': [7.5, 20.0]}, 'fingers: grasp: parameter force is 20; '),
    ],
)  # fmt: skip
def test_what_the_robot_cannot_do_is_told_before_the_first_run(
    problem, scenario, fixed, varied, told
):
    """Once, with the name of the parameter, its value and what is expected."""
    assert re.search(told, problem(scenario, varied, **fixed))


@pytest.mark.parametrize(
    ('scenario', 'parameters'),
    [
        ('walk', {'robot': 'quadruped', 'distance': 4.0, 'gait': {'name': 'trot', 'cycle': 0.3}}),
        ('walk', {'robot': ANT, 'gait': {'step': 0.05}}),
        ('walk', {'direction': -3.1, 'gait': {'period': 0.25, 'height': 0.02}}),
        ('roll', {'direction': 'any', 'opens': True, 'speed': 0.2}),
        ('grasp', {'distance': 0.0, 'fingers': {'force': 0.0, 'lift': 0.09}}),
    ],
)
def test_what_the_robot_can_do_is_not_refused(scenario, parameters):
    """Ends of ranges belong to them."""
    scenario_of(scenario).form.model_validate(parameters)

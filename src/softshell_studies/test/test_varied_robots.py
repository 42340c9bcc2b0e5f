"""Studies that vary the robot: each robot walks by the gait that it is asked for."""

import json

import pytest

from softshell_kinematics.errors import ProblemsError
from softshell_studies.study.study import read_study


@pytest.fixture
def study(tmp_path):
    """Reads a study of walks: of some robots by some gaits, or by one that is fixed."""

    def read(robots, gait, **more):
        content = {'scenario': 'walk', 'parameters': {'robot': {'values': robots}}, **more}
        if isinstance(gait, str):
            content['fixed'] = {'gait.name': gait}
        else:
            content['parameters']['gait.name'] = {'values': gait}
        path = tmp_path / 'study.yaml'
        path.write_text(json.dumps(content), encoding='utf-8')
        return read_study(path)

    return read


@pytest.mark.parametrize('gait', ['trot', ['trot', 'crawl']])
@pytest.mark.parametrize('more', [{}, {'sampling': 'sobol', 'samples': 4}])
def test_a_gait_need_not_be_one_of_the_default_robot(study, gait, more):
    """No run has that robot."""
    points = study(['quadruped'], gait, **more).points
    assert all(points[number]['robot'] == 'quadruped' for number in range(len(points)))


@pytest.mark.parametrize(
    ('robots', 'gait', 'told'),
    [
        (['shell', 'quadruped'], 'tripod', "parameters.robot: gait: unknown gait 'tripod'; "),
        (['quadruped', 'shell'], 'trot', "parameters.robot: gait: unknown gait 'trot'; "),
        (['quadruped', 'shell'], ['trot'], "parameters.robot: gait: unknown gait 'trot'; "),
        (['shell', 'quadruped'], 'trot', "fixed: gait: unknown gait 'trot'; "),
    ],
)
def test_a_robot_that_cannot_walk_by_the_gait_is_told_once(study, robots, gait, told):
    with pytest.raises(ProblemsError) as caught:
        study(robots, gait)
    (problem,) = caught.value.problems
    assert told in problem


def test_a_gait_of_slices_is_one_of_the_default_robot(study):
    """Some of their runs have the robot of `fixed`, or the default."""
    with pytest.raises(ProblemsError, match=r"gait\.name: gait: unknown gait 'trot'"):
        study(['quadruped'], ['trot'], sampling='slices')

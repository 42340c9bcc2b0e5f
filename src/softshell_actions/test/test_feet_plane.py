"""How the base is tilted over its feet, known from joints alone."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from softshell_actions.feet_plane import feet_plane
from softshell_actions.rehearsal import Rehearsal
from softshell_description.load import load_robot

SHELL = load_robot()
#: x, y, z [m], yaw, pitch, roll [rad].
POSES = [
    {},
    {'pitch': 0.2},
    {'roll': -0.15},
    {'x': 0.03, 'y': -0.02, 'z': 0.16, 'yaw': 0.2, 'pitch': -0.1, 'roll': 0.1},
]


@pytest.mark.parametrize('given', POSES)
@pytest.mark.parametrize('name', ['shell', 'quadruped'])
def test_joints_tell_how_the_base_was_posed(name, given):
    """Tilt and height are those of the plan; feet are on the ground, as they are to each other."""
    robot = SHELL if name == 'shell' else load_robot(name)
    rehearsal = Rehearsal(robot, 'stand')
    height = rehearsal.body.stance.stand_height
    share = 1.0 if name == 'shell' else 0.3
    given = {'z': height} | {
        key: value if key == 'z' else share * value for key, value in given.items()
    }
    given['z'] = height if name == 'quadruped' else given['z']
    list(rehearsal.perform('pose', given))
    planned = rehearsal.state
    found = rehearsal.body.measured_state(planned.joints)
    up = [state.base_rotation.as_matrix()[2] for state in (planned, found)]
    np.testing.assert_allclose(up[1], up[0], atol=2e-4)
    assert found.base_position[2] == pytest.approx(planned.base_position[2], abs=1e-4)
    np.testing.assert_allclose(found.feet[:, 2], 0.0, atol=2e-4)
    apart = [np.linalg.norm(s.feet[:, None] - s.feet, axis=2) for s in (planned, found)]
    np.testing.assert_allclose(apart[1], apart[0], atol=2e-4)


@pytest.mark.parametrize('seed', range(5))
def test_a_foot_in_the_air_does_not_tilt_it(seed):
    """With two of six feet lifted that are no neighbours, the other four tell the tilt."""
    random = np.random.default_rng(seed)
    angles = np.arange(6) * np.pi / 3
    ground = np.column_stack([0.3 * np.cos(angles), 0.3 * np.sin(angles), np.full(6, -0.14)])
    tilt = Rotation.from_euler('ZYX', [0.0, *random.uniform(-0.3, 0.3, 2)])
    first = random.integers(6)
    ground[[first, (first + 2) % 6], 2] += random.uniform(0.02, 0.05, 2)
    rotation, height = feet_plane(tilt.inv().apply(ground))
    np.testing.assert_allclose(rotation.as_matrix(), tilt.as_matrix(), atol=1e-9)
    assert height == pytest.approx(0.14)


def test_feet_that_carry_nothing_leave_it_level():
    """All on one side of the weight, or on one line: as high as the lowest foot."""
    side = np.array([[0.1, -0.1, -0.2], [0.1, 0.1, -0.1], [0.3, 0.0, -0.15]])
    line = np.array([[x, 0.0, -0.1] for x in (-0.1, 0.0, 0.2)])
    for feet, height in ((side, 0.2), (line, 0.1)):
        rotation, found = feet_plane(feet)
        assert rotation.magnitude() == 0.0
        assert found == height

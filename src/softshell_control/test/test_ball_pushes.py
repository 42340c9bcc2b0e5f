"""The ball's geometry, found from the panels' meshes, and what they can push."""

import dataclasses
import re
from pathlib import Path

import numpy as np
import pytest

from softshell_control.ball.cage import cage_of
from softshell_control.ball.candidates import HEIGHTS, candidates_of, pushed_out
from softshell_description.load import load_robot
from softshell_kinematics.errors import SoftshellError

ROBOT = load_robot()
CAGE = cage_of(ROBOT)


def test_the_ball_is_the_robot_s():
    """Twelve panels on a sphere about (0, 0, -0.04), its radius less the slabs' margin of 1 mm."""
    assert len(CAGE.panels) == 12
    assert np.allclose(CAGE.centre, [0.0, 0.0, -0.04], rtol=0, atol=1e-6)
    assert pytest.approx(0.179, abs=1e-5) == CAGE.radius
    for panel in CAGE.panels:
        radii = np.linalg.norm(panel.surface(CAGE.closed) - CAGE.centre, axis=1)
        assert np.ptp(radii) < 1e-5


def test_a_robot_without_a_cage_is_refused():
    """By name."""
    with pytest.raises(SoftshellError, match="'arm' has no cage"):
        cage_of(load_robot('arm'))


def with_meshes(change):
    """The robot with other files as collision meshes; `change` gives a path for each."""
    text = re.sub(
        '(<collision.*?<mesh filename=")(.*?)"',
        lambda found: f'{found[1]}{change(Path(found[2]))}"',
        ROBOT.resolved_urdf,
        flags=re.DOTALL,
    )
    return dataclasses.replace(ROBOT, urdf_text=text)


def test_meshes_may_have_a_scale(tmp_path):
    """Panels in millimetres, and higher by half, make the cage that they make in metres."""

    def in_millimetres(path):
        lines = path.read_text().splitlines()
        for number, line in enumerate(lines):
            if line.startswith('v '):
                x, y, z = (float(value) for value in line.split()[1:4])
                lines[number] = f'v {1e3 * x:.9g} {1e3 * y:.9g} {1.5e3 * z:.9g}'
        (tmp_path / path.name).write_text('\n'.join(lines))
        return f'{tmp_path / path.name}" scale="0.001 0.001 {0.001 / 1.5}'

    cage = cage_of(with_meshes(in_millimetres))
    assert cage.radius == pytest.approx(CAGE.radius, abs=1e-6)
    assert cage.centre == pytest.approx(CAGE.centre, abs=1e-6)


@pytest.mark.parametrize(
    ('content', 'words'),
    [
        (b'\xff\xfe\x00binary', "can't decode"),
        (b'solid panel\n', 'there are no vertices'),
        (b'v 1 2 x\n', 'could not convert'),
        (b'v 1 2\n', 'cannot reshape'),
        (None, 'No such file'),
    ],
)
def test_what_is_no_obj_is_refused_by_link_and_file(tmp_path, content, words):
    """And with what is wrong, rather than ending the bridge with a trace."""
    if content is not None:
        (tmp_path / 'panel.stl').write_bytes(content)
    with pytest.raises(
        SoftshellError, match=rf"link '.*': mesh .*panel\.stl: .*{words}.*; expected an OBJ file"
    ):
        cage_of(with_meshes(lambda path: tmp_path / 'panel.stl'))


@pytest.mark.parametrize('scale', ['1 1', 'x 1 1', '1 nan 1', ''])
def test_a_scale_that_is_not_three_numbers_is_refused_by_link(scale):
    """As no engine reads the meshes of a robot on servos or on the mock."""
    with pytest.raises(
        SoftshellError, match=r"link '.*': collision: <mesh> scale is '.*'; expected"
    ):
        cage_of(with_meshes(lambda path: f'{path}" scale="{scale}'))


@pytest.mark.parametrize('number', [0, 7])
def test_a_small_push_moves_the_point_by_its_height(number):
    """By the chain's forward kinematics, to 3 %; the shared joint and all others stay."""
    panel, height = CAGE.panels[number], 0.002
    for point in range(0, len(panel.points), 9):
        goal = pushed_out(panel, CAGE, point, height)
        before = panel.surface(CAGE.closed)[point] - CAGE.centre
        after = panel.surface(goal)[point] - CAGE.centre
        moved = (after - before) @ before / np.linalg.norm(before)
        assert moved == pytest.approx(height, rel=0.03)
        still = np.ones(len(goal), dtype=bool)
        still[panel.joints[panel.moves]] = False
        assert np.array_equal(goal[still], CAGE.closed[still])


def test_no_push_that_does_as_much_is_smaller():
    """Random changes of the same height by the Jacobian are none of them shorter."""
    panel, random = CAGE.panels[8], np.random.default_rng(3)
    goal = pushed_out(panel, CAGE, 30, 0.002)
    change = (goal - CAGE.closed)[panel.joints[panel.moves]]

    def rise(step):
        moved = CAGE.closed.copy()
        moved[panel.joints[panel.moves]] += step
        before, after = (panel.surface(each)[30] - CAGE.centre for each in (CAGE.closed, moved))
        return (after - before) @ before / np.linalg.norm(before)

    for _ in range(200):
        other = random.normal(size=len(change))
        gained = rise(1e-5 * other) / 1e-5
        other *= 0.002 / gained
        assert np.linalg.norm(other) > np.linalg.norm(change) * 0.99


def test_candidates_keep_within_limits_and_reach_out():
    """Every goal is in range, and its surface stands out of the ball by 60 % of the height."""
    found = candidates_of(CAGE)
    assert (found.goals >= CAGE.lower - 1e-12).all()
    assert (found.goals <= CAGE.upper + 1e-12).all()
    out = np.linalg.norm(found.points, axis=2).max(axis=1) - CAGE.radius
    heights = np.tile(np.repeat(HEIGHTS, len(out) // 12 // len(HEIGHTS)), 12)
    assert (out > 0.6 * heights).all()
    assert found.joints.sum(axis=0).max() == 1


def test_no_push_enters_the_room_inside():
    """With fingers some are left out, at every panel others remain, and none is new."""
    robot = load_robot('shell_fingers')
    room = robot.cage.room
    found, without = candidates_of(cage_of(robot)), candidates_of(CAGE)
    middle = np.array(room.centre) - CAGE.centre

    def nearest(candidates):
        return np.linalg.norm(candidates.points - middle, axis=2).min(axis=1)

    assert nearest(without).min() < 0.5 * room.radius
    outside = nearest(without) >= room.radius
    assert np.array_equal(found.goals, without.goals[outside])
    assert set(found.panel) == set(range(12))

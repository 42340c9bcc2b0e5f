"""What an action does is drawn where it would be: over the ground, with the way of the tips."""

import imageio_ffmpeg
import numpy as np
import pytest
from PIL import Image
from scipy.spatial.transform import Rotation

from softshell_actions.rehearsal import Rehearsal
from softshell_description.load import load_robot
from softshell_kinematics.errors import SoftshellError
from softshell_recording import preview
from softshell_recording.preview import captioned, save_preview, tube
from softshell_recording.rehearsed import rehearsed
from softshell_sim.pictures.render import Camera

SMALL = Camera(64, 48)


@pytest.mark.parametrize('name', ['shell', 'quadruped'])
@pytest.mark.parametrize(
    ('action', 'parameters', 'way'),
    [('walk', {'distance': 0.24}, (0.24, 0.0, 0.0)), ('turn', {'angle': -0.5}, (0.0, 0.0, -0.5))],
)
def test_the_base_goes_as_far_as_the_action_says(name, action, parameters, way):
    """Its way over the ground, less the sway of a gait, is that of the parameters."""
    robot = load_robot(name)
    rehearsal = Rehearsal(robot, robot.legs.stand)
    seen = rehearsed(rehearsal, action, parameters)
    turned = Rotation.from_quat(seen.motion.orientations[-1])
    sway = turned.apply([*rehearsal.state.sway, 0.0])
    moved = seen.motion.positions[-1] - seen.motion.positions[0] - sway
    assert moved == pytest.approx([*way[:2], 0.0], abs=1e-9)
    assert turned.as_rotvec() == pytest.approx([0.0, 0.0, way[2]], abs=1e-9)
    assert set(seen.trails) == set(robot.legs.chains)
    assert seen.times[-1] > 0.9


@pytest.mark.parametrize('name', ['shell', 'quadruped'])
def test_feet_that_stand_stay_where_they_are(name):
    """While the base turns and sinks over them: by forward kinematics and the way of the base,
    each foot's centre goes no further than its sphere rolls."""
    robot = load_robot(name)
    rehearsal = Rehearsal(robot, robot.legs.stand)
    seen = rehearsed(rehearsal, 'pose', {'x': 0.02, 'yaw': 0.15, 'z': 0.13, 'roll': 0.02})
    height = robot.rest_heights[robot.legs.stand]
    assert seen.motion.positions[0] == pytest.approx([0.0, 0.0, height])
    assert np.linalg.norm(np.ptp(seen.motion.positions, axis=0)) > 0.02
    for trail in seen.trails.values():
        radius = trail[0, 2]
        assert np.ptp(trail[:, 2]) < 1e-6
        assert np.ptp(trail, axis=0).max() < 0.5 * radius


def test_the_tip_of_an_arm_draws_what_it_says():
    """A rectangle of the width and height that are given, in the air; the base stands still."""
    seen = rehearsed(Rehearsal(load_robot('arm')), 'draw', {'width': 0.06, 'height': 0.03})
    assert not np.any(seen.motion.positions)
    names = np.array(seen.names)
    trail = seen.trails['arm']
    assert np.ptp(trail[names == 'inwards'], axis=0)[0] == pytest.approx(0.06, abs=1e-5)
    assert np.ptp(trail[names == 'upwards'], axis=0)[2] == pytest.approx(0.03, abs=1e-5)
    assert trail[-1] == pytest.approx(trail[names == 'reach'][-1], abs=1e-5)


def test_moments_in_between_are_the_nearest_and_the_last_stays():
    """Also beyond the end."""
    seen = rehearsed(Rehearsal(load_robot('arm')), 'wave', {'times': 1})
    end = seen.times[-1]
    shown = seen.at(np.array([-1.0, 0.0, 0.4, end, 2 * end]))
    wrist = seen.motion.joint_names.index('wrist')
    path = np.interp([0.0, 0.0, 0.4, end, end], seen.times[1:], seen.motion.joints[1:, wrist])
    assert shown.motion.joints[:, wrist] == pytest.approx(path, abs=0.02)
    assert shown.times[-1] == end
    assert shown.names == ('wave', 'wave', 'to', 'to', 'to')


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(preview, 'CAMERAS', {'.gif': SMALL, '.mp4': SMALL})


def test_a_picture_is_animated_and_as_long_as_the_action(tmp_path, small):
    """A GIF that goes on for ever, and a video, each with a frame for every period."""
    arm = load_robot('arm')
    seen, told = rehearsed(Rehearsal(arm), 'wave', {'times': 1}), []
    length = seen.times[-1] + preview.REST
    for kind in ('.gif', '.mp4'):
        path = tmp_path / 'new' / f'wave{kind}'
        assert save_preview(arm, seen, path, told.append) == pytest.approx(1.0, abs=0.05)
        assert told[-1] == 1.0
    with Image.open(tmp_path / 'new' / 'wave.gif') as picture:
        assert picture.size == (64, 48)
        assert picture.info['loop'] == 0
        seconds = 0.0
        for frame in range(picture.n_frames):
            picture.seek(frame)
            seconds += picture.info['duration'] / 1000.0
    assert seconds == pytest.approx(length, abs=2 * preview.PERIODS['.gif'])
    _, seconds = imageio_ffmpeg.count_frames_and_secs(str(tmp_path / 'new' / 'wave.mp4'))
    assert seconds == pytest.approx(length, abs=2 * preview.PERIODS['.mp4'])
    assert sorted(path.name for path in (tmp_path / 'new').iterdir()) == ['wave.gif', 'wave.mp4']


def test_a_long_action_is_shown_faster(tmp_path, small, monkeypatch):
    """With no more frames than there may be."""
    monkeypatch.setattr(preview, 'MOST_FRAMES', 10)
    arm = load_robot('arm')
    seen = rehearsed(Rehearsal(arm), 'wave', {'times': 5})
    faster = save_preview(arm, seen, tmp_path / 'wave.gif')
    length = seen.times[-1] + preview.REST
    assert faster == pytest.approx(length / (10 * preview.PERIODS['.gif']))
    with Image.open(tmp_path / 'wave.gif') as picture:
        assert picture.n_frames == 10


def test_another_kind_of_file_is_refused(tmp_path):
    """Before anything is drawn."""
    arm = load_robot('arm')
    seen = rehearsed(Rehearsal(arm), 'wave')
    with pytest.raises(SoftshellError, match=r'wave\.png: expected a name that ends in \.gif or'):
        save_preview(arm, seen, tmp_path / 'wave.png')
    assert not list(tmp_path.iterdir())


def test_a_tube_has_its_surface_around_a_line_and_normals_outwards():
    """Of a square section: 4 √2 r of circumference, at r or r/√2 from the line."""
    begin, end, radius = np.array([0.1, -0.2, 0.3]), np.array([0.4, 0.2, 0.1]), 0.01
    made = tube(begin, end, radius, (1.0, 0.0, 0.0))
    sides = np.cross(
        made.corners[:, 1] - made.corners[:, 0], made.corners[:, 2] - made.corners[:, 0]
    )
    length = np.linalg.norm(end - begin)
    area = np.linalg.norm(sides, axis=1).sum() / 2
    assert area == pytest.approx(4 * np.sqrt(2) * radius * length)
    along = (end - begin) / length
    offsets = made.corners - begin
    offsets -= (offsets @ along)[..., None] * along
    assert np.linalg.norm(offsets, axis=2) == pytest.approx(np.full((8, 3), radius))
    assert np.all(np.sum(made.normals * offsets, axis=2) > 0.0)
    assert len(tube(begin, begin, radius, (1.0, 0.0, 0.0)).corners) == 0


def test_a_caption_is_in_the_lower_left_corner():
    """And nothing else of the picture changes."""
    picture = np.full((120, 160, 3), 255, dtype=np.uint8)
    changed = np.nonzero(np.any(captioned(picture, 'stride  1.0 s') != picture, axis=2))
    assert changed[0].min() > 100
    assert changed[1].max() < 100
